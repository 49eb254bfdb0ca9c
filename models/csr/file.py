# SPDX-License-Identifier: Apache-2.0
"""A CSR file: the CSRs of one implementation, who may access them, and which bits an access sees and changes.

The rules are those of the privileged specification: levels and addresses, counter enables (mcounteren, scounteren,
hcounteren), Smstateen, and indirect access (Smcsrind/Sscsrind). Which refusal comes first:
docs/reference/ctr-profile.md (CTR-12) and docs/reference/hpm-profile.md (HPM-8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rvtrace.models.csr.table import Csr, Register, found
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, HS, ILLEGAL, SET, VIRTUAL, VS, VU, WRITE, Access, M, U

LOW, ALL = (1 << 32) - 1, (1 << 64) - 1


@dataclass
class Gates:
    """State that decides about access: state enables (64 bits, hstateen0 as written), iselects, counter enables."""

    mstateen: int = 0
    hstateen: int = 0
    miselect: int = 0
    siselect: int = 0
    vsiselect: int = 0
    mcounteren: int = 0
    scounteren: int = 0
    hcounteren: int = 0


@dataclass(frozen=True)
class Indirect:
    """What the ireg aliases give for some values of an iselect.

    values: of the iselect. registers: what ireg (1) to ireg6 (6) give, by their address; one that is missing reads 0.
    stateen: field of mstateen0 and hstateen0 that closes them besides CSRIND. levels: the iselects that know these
    values.
    """

    values: range
    registers: tuple[Register, ...]
    stateen: str = ""
    levels: tuple[str, ...] = ("m", "s", "vs")

    def register(self, ireg: int) -> Register | None:
        """What an ireg gives."""
        return next((one for one in self.registers if one.address == ireg), None)


@dataclass(frozen=True, eq=False)
class CsrFile:
    """CSRs by address, and what decides about access to them.

    xlen: MXLEN. indirect: what iselects select. stateen: bits of mstateen0 and hstateen0 by field, empty without
    Smstateen. has_s: scounteren decides about U-mode.
    """

    xlen: int
    csrs: tuple[Csr, ...]
    indirect: tuple[Indirect, ...] = ()
    stateen: Mapping[str, int] = field(default_factory=dict)
    has_s: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "csrs", tuple(sorted(self.csrs, key=lambda c: c.address)))

    @cached_property
    def at(self) -> dict[int, Csr]:
        """The CSRs by address."""
        return {one.address: one for one in self.csrs}

    @cached_property
    def named(self) -> dict[str, Csr]:
        """The CSRs by name."""
        return {one.name: one for one in self.csrs}

    @cached_property
    def has_h(self) -> bool:
        """Whether the hypervisor has CSRs."""
        return any(one.level == "H" for one in self.csrs)

    def csr(self, name_or_address: str | int) -> Csr:
        """One CSR; ControlError if there is none."""
        return found(self.csrs, name_or_address, "this CSR file")

    # --- What an access is --------------------------------------------------------------------------

    def narrow(self, access: Access) -> bool:
        """Whether the access is made at XLEN 32."""
        return self.xlen == 32 or bool(access.xlen32)

    def hides(self, access: Access) -> bool:
        """Whether an iselect of an RV64 hart is seen at XLEN 32."""
        return self.xlen == 64 and bool(access.xlen32)

    def operand(self, access: Access) -> int:
        """The operand, of which an access at XLEN 32 has 32 bits."""
        return access.wdata & (LOW if self.narrow(access) else ALL)

    def writes(self, access: Access) -> bool:
        """Whether the access is a write: set and clear with operand 0 are none."""
        return access.op == WRITE or (access.op in (SET, CLEAR) and self.operand(access) != 0)

    def seen(self, csr: Csr, access: Access, value: int) -> int:
        """What an access sees of the 64 bits that a CSR shows."""
        if csr.high:
            return value >> 32 & LOW
        if csr.is_select and self.hides(access):
            value = seen_narrow(value)
        return value & LOW if self.narrow(access) else value

    def after(self, access: Access, seen: int) -> int:
        """The seen bits after a write, set or clear."""
        operand = self.operand(access)
        if access.op == WRITE:
            return operand
        return seen | operand if access.op == SET else seen & ~operand

    def merged(self, csr: Csr, access: Access, old: int, new: int) -> int:
        """The whole 64 bits after a write: at XLEN 32 one half stays."""
        if csr.high:
            return old & LOW | new << 32
        return old & ~LOW | new if self.narrow(access) else new

    # --- Who may ------------------------------------------------------------------------------------

    def outcome(self, gates: Gates, csr: Csr | None, access: Access) -> int:
        """Outcome of a CSR access; csr: what is at its address, None if nothing is."""
        if csr is None or (csr.high and not self.narrow(access)) or (csr.read_only and self.writes(access)):
            return ILLEGAL
        if access.priv not in (M, DEBUG):
            refused = self._below_machine(gates, csr, access.priv)
            if refused != DONE:
                return refused
        return self._through_ireg(gates, csr, access) if csr.ireg else DONE

    def open_to(self, gates: Gates, name: str, priv: int) -> int:
        """DONE if a field of the state enables is open to this mode, else what it raises."""
        bit = 1 << self.stateen[name] if name and name in self.stateen else 0
        if not bit or priv in (M, DEBUG):
            return DONE
        if not gates.mstateen & bit:
            return ILLEGAL
        return VIRTUAL if priv in (VS, VU) and not gates.hstateen & bit else DONE

    def _below_machine(self, gates: Gates, csr: Csr, priv: int) -> int:
        if csr.level == "M":
            return ILLEGAL
        if csr.level == "U":
            return self._counter(gates, csr.number, priv)
        if priv == U:
            return ILLEGAL
        gate = self.open_to(gates, csr.stateen, priv)
        if gate == ILLEGAL:  # HS would be refused as well, so nothing is virtual
            return ILLEGAL
        if priv in (VS, VU) and (csr.level == "H" or priv == VU or not csr.guest):
            return VIRTUAL
        return gate

    def _counter(self, gates: Gates, number: int, priv: int) -> int:
        """A view of a counter below M-mode, by its bits of the counter enables."""
        supervisor, hypervisor = gates.scounteren >> number & 1, gates.hcounteren >> number & 1
        if not gates.mcounteren >> number & 1:
            return ILLEGAL
        if priv == HS or (priv == U and not self.has_s):
            return DONE
        if priv == U:
            return DONE if supervisor else ILLEGAL
        return DONE if hypervisor and (supervisor or priv == VS) else VIRTUAL

    # --- Virtualization and indirect access ---------------------------------------------------------

    def acting(self, csr: Csr, priv: int) -> Csr:
        """The CSR that really answers: with V = 1 the VS CSR replaces the supervisor's."""
        return self.named[acting(csr, priv)]

    def selected(self, gates: Gates, csr: Csr, access: Access) -> tuple[Indirect, int] | None:
        """What an ireg alias would give to this access, and which one of its values is selected; None if nothing is.

        Of a level that does not know the value, the access is illegal all the same.
        """
        window = acting(csr, access.priv).partition("ireg")[0]
        value = getattr(gates, f"{window}iselect")
        if self.hides(access):
            value = seen_narrow(value)
        for one in self.indirect:
            if value in one.values:
                return one, value - one.values.start
        return None

    def _through_ireg(self, gates: Gates, csr: Csr, access: Access) -> int:
        """Something must be selected, and the state enable of what is selected counts."""
        chosen = self.selected(gates, csr, access)
        if chosen is None or acting(csr, access.priv).partition("ireg")[0] not in chosen[0].levels:
            return ILLEGAL
        return self.open_to(gates, chosen[0].stateen, access.priv)


def acting(csr: Csr, priv: int) -> str:
    """Name of the CSR that really answers: with V = 1 the VS CSR replaces the supervisor's."""
    return csr.virtual if csr.virtual and priv in (VS, VU) else csr.name


def seen_narrow(value: int) -> int:
    """An iselect of 64 bits as it is seen at XLEN 32: its most significant bit is bit 31, bits 62:31 are hidden."""
    return value >> 63 << 31 | value & 0x7FFFFFFF


def kept_narrow(value: int) -> int:
    """What a write at XLEN 32 leaves in an iselect of 64 bits."""
    return value >> 31 << 63 | value & 0x7FFFFFFF


def joined(*files: CsrFile) -> CsrFile:
    """One CSR file of several groups, each of which has its own CSRs."""
    return CsrFile(
        files[0].xlen,
        tuple(one for file in files for one in file.csrs),
        tuple(one for file in files for one in file.indirect),
        {name: bit for file in files for name, bit in file.stateen.items()},
        all(file.has_s for file in files),
    )
