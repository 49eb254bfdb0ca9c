# SPDX-License-Identifier: Apache-2.0
"""Who may access a counter CSR: done, illegal instruction or virtual instruction, as a pure function.

Section Access of docs/reference/hpm-profile.md (HPM-8): Machine, Supervisor and Hypervisor Counter-Enable, and the
rules for virtual-instruction exceptions.
"""

from __future__ import annotations

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import Csr
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, HS, ILLEGAL, SET, VIRTUAL, VS, VU, WRITE, Access, M, U


def narrow(config: Config, access: Access) -> bool:
    """Whether the access is made at XLEN 32."""
    return config.xlen == 32 or bool(access.xlen32)


def operand(config: Config, access: Access) -> int:
    """The operand, of which an access at XLEN 32 has 32 bits."""
    return access.wdata & ((1 << 32) - 1 if narrow(config, access) else (1 << 64) - 1)


def writes(config: Config, access: Access) -> bool:
    """Whether the access is a write: set and clear with operand 0 are none."""
    return access.op == WRITE or (access.op in (SET, CLEAR) and operand(config, access) != 0)


def acting(csr: Csr, priv: int) -> str:
    """Name of the CSR that really answers: with V = 1 the VS CSR replaces the supervisor's."""
    return csr.virtual if csr.virtual and priv in (VS, VU) else csr.name


def outcome(config: Config, csr: Csr | None, access: Access, enables: tuple[int, int, int]) -> int:
    """Outcome of a CSR access; csr: what is at its address, None if nothing is; enables: mcounteren, scounteren,
    hcounteren.
    """
    if csr is None or (csr.high and not narrow(config, access)):
        return ILLEGAL
    if csr.read_only and writes(config, access):
        return ILLEGAL
    priv = access.priv
    if priv in (M, DEBUG):
        return DONE
    if csr.level == "M":
        return ILLEGAL
    if csr.level == "U":
        return _counter(config, priv, tuple(bool(enable >> csr.number & 1) for enable in enables))
    if priv == U:
        return ILLEGAL
    if priv == VU or (priv == VS and csr.level == "H"):
        return VIRTUAL
    return DONE


def _counter(config: Config, priv: int, opened: tuple[bool, ...]) -> int:
    """A counter below M-mode; opened: the bits of mcounteren, scounteren, hcounteren for it."""
    machine, supervisor, hypervisor = opened
    if not machine:
        return ILLEGAL
    if priv == HS or (priv == U and not config.has_s):
        return DONE
    if priv == U:
        return DONE if supervisor else ILLEGAL
    if priv == VS:
        return DONE if hypervisor else VIRTUAL
    return DONE if hypervisor and supervisor else VIRTUAL
