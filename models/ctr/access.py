# SPDX-License-Identifier: Apache-2.0
"""Who may access a CSR: done, illegal instruction or virtual instruction, as a pure function.

Chapters CSRs and State Enable Access Control of both texts, Smcsrind/Sscsrind, Smstateen; their order is in
docs/reference/ctr-profile.md (CTR-12).
"""

from __future__ import annotations

from dataclasses import dataclass

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, SELECT, Csr
from rvtrace.models.riscv.csr import DEBUG, DONE, ILLEGAL, VIRTUAL, VS, VU, Access, M, U


@dataclass
class Gates:
    """State that decides about access: the two state enables (64 bits, hstateen0 as written) and the three iselects."""

    mstateen: int = 0
    hstateen: int = 0
    miselect: int = 0
    siselect: int = 0
    vsiselect: int = 0


def narrow(config: Config, access: Access) -> bool:
    """Whether the access is made at XLEN 32."""
    return config.xlen == 32 or bool(access.xlen32)


def acting(csr: Csr, priv: int) -> str:
    """Name of the CSR that really answers: with V = 1 the VS CSR replaces the supervisor's."""
    return csr.virtual if csr.virtual and priv in (VS, VU) else csr.name


def open_to(config: Config, gates: Gates, field: str, priv: int) -> int:
    """DONE if state enable bit `field` (CTR, CSRIND) is open to this mode, else what it raises."""
    if not config.has_stateen or priv in (M, DEBUG):
        return DONE
    bit = 1 << (CTR_BIT[config.variant] if field == "CTR" else CSRIND_BIT)
    if not gates.mstateen & bit:
        return ILLEGAL
    return VIRTUAL if priv in (VS, VU) and not gates.hstateen & bit else DONE


def outcome(config: Config, gates: Gates, csr: Csr | None, access: Access) -> int:
    """Outcome of a CSR access; csr: what is at its address, None if nothing is."""
    if csr is None or (csr.rv32 and not narrow(config, access)):
        return ILLEGAL
    if access.priv not in (M, DEBUG):
        refused = _below_machine(config, gates, csr, access.priv)
        if refused != DONE:
            return refused
    if "ireg" in csr.name:
        return _indirect(config, gates, csr, access)
    return DONE


def _below_machine(config: Config, gates: Gates, csr: Csr, priv: int) -> int:
    if csr.level == "M" or priv == U:
        return ILLEGAL
    gate = open_to(config, gates, csr.stateen, priv) if csr.stateen else DONE
    if gate == ILLEGAL:  # HS would be refused as well, so nothing is virtual
        return ILLEGAL
    if priv in (VS, VU) and (csr.level == "H" or priv == VU or csr.name == "sctrdepth"):
        return VIRTUAL
    return gate


def _indirect(config: Config, gates: Gates, csr: Csr, access: Access) -> int:
    """An ireg alias: something must be selected, and with an entry selected the CTR bits count."""
    if csr.name.startswith("mireg") and not config.draft:
        return ILLEGAL
    chosen = selected(gates, csr, access.priv, narrow(config, access) and config.xlen == 64)
    return open_to(config, gates, "CTR", access.priv) if chosen is not None else ILLEGAL


def selected(gates: Gates, csr: Csr, priv: int, hides: bool = False) -> int | None:
    """Logical entry that an ireg alias gives; None if its iselect selects none. hides: the access sees its iselect at
    XLEN 32 on an RV64 hart.
    """
    name = acting(csr, priv)
    value = getattr(gates, name[: name.index("ireg")] + "iselect")
    if hides:
        value = seen_narrow(value)
    return value - SELECT.start if value in SELECT else None


def seen_narrow(value: int) -> int:
    """An iselect of 64 bits as it is seen at XLEN 32: its most significant bit is bit 31, bits 62:31 are hidden."""
    return value >> 63 << 31 | value & 0x7FFFFFFF


def clear_outcome(config: Config, gates: Gates, priv: int) -> int:
    """Outcome of SCTRCLR (section Supervisor CTR Clear Instruction); the draft has no such instruction."""
    if config.draft or priv == U:
        return ILLEGAL
    gate = open_to(config, gates, "CTR", priv)
    return VIRTUAL if gate == DONE and priv == VU else gate
