# SPDX-License-Identifier: Apache-2.0
"""A small block of records with jumps that are easy to tell apart, for the tests of its model."""

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Transfer
from rvtrace.models.riscv.csr import READ, WRITE, Access, M

DRAFT = Config(variant="v0_1_4", has_stateen=0)


def jump(n: int) -> Transfer:
    """Jump number n, from n * 16."""
    return Transfer(11, n * 16, 0x8000 + n * 16, 0, M, M)


def block(config: Config | None = None, depth: int = 16) -> Ctr:
    """M enabled, at this depth."""
    ctr = Ctr(config or Config(has_stateen=0))
    if ctr.config.draft:
        ctr.access(Access(WRITE, 0x381, 1 | ctr.config.depth_code(depth) << 16))
    else:
        ctr.access(Access(WRITE, 0x34E, 4))
        ctr.access(Access(WRITE, 0x15F, ctr.config.depth_code(depth)))
    return ctr


def read(ctr: Ctr, logical: int, part: int = 1) -> int:
    """ctrsource (1), ctrtarget (2) or ctrdata (3) through siselect and sireg."""
    ctr.access(Access(WRITE, 0x150, 0x200 + logical))
    return ctr.access(Access(READ, 0x150 + part)).rdata
