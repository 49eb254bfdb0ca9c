# SPDX-License-Identifier: Apache-2.0
"""What CSR ports of all blocks share: privilege codes, operations and outcomes, an access and its answer.

Codes are those of the ports in docs/reference/ctr-profile.md and docs/reference/hpm-profile.md.
"""

from __future__ import annotations

from typing import NamedTuple

U, HS, M, VU, VS, DEBUG = 0, 1, 3, 4, 5, 7  # {V, PRV}; 7 is Debug Mode
PRIVILEGES = {U: "U", HS: "S", M: "M", VU: "VU", VS: "VS", DEBUG: "Debug"}

READ, WRITE, SET, CLEAR = range(4)  # csr_op
OPS = {READ: "read", WRITE: "write", SET: "set", CLEAR: "clear"}
DONE, ILLEGAL, VIRTUAL = range(3)  # csr_outcome
OUTCOMES = {DONE: "done", ILLEGAL: "illegal instruction", VIRTUAL: "virtual instruction"}


class Access(NamedTuple):
    """One CSR access: csr_op, address, operand, privilege it executes at, whether XLEN is 32 on an RV64 hart."""

    op: int
    addr: int = 0
    wdata: int = 0
    priv: int = M
    xlen32: int = 0


class Answer(NamedTuple):
    """What an access gives: the value before it (0 if refused), its outcome, and the bits of the value that the
    specification leaves open.
    """

    rdata: int
    outcome: int
    open: int = 0
