# SPDX-License-Identifier: Apache-2.0
"""What a row of a register table is: fields, legal values, registers, CSRs.

One class for all registers: memory-mapped ones (`Register`), CSRs (`Csr`), and the registers that an iselect selects
(`Register` with the number of its ireg as address). Everything else is derived: what a write leaves (`Register.warl`),
who may access (`rvtrace.models.csr.file`), a model (`rvtrace.models.csr.model`), the RTL package and the page
(`flow/generate`), random accesses and coverage (`tb/common`), the check (`scoreboards/csr`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple, TypeVar

ACCESSES = ("RO", "RW", "WARL", "WPRI", "RW1C", "W1")
_WRITABLE = ("RW", "WARL")


class ControlError(ValueError):
    """A component, register, field or parameter that does not exist; the text says which do."""


class Legal(NamedTuple):
    """Legal values of a field: those in `values`, anything else turns into `otherwise`; or the bits of `mask`."""

    mask: int
    values: tuple[int, ...] | None = None
    otherwise: int = 0

    def __call__(self, value: int) -> int:
        """What a write of `value` (the field's bits, right-aligned) leaves in the field."""
        if self.values is None:
            return value & self.mask
        return value if value in self.values else self.otherwise

    @property
    def bits(self) -> int:
        """The bits that are 1 in some legal value."""
        return self.mask if self.values is None else either(self.values)


class Case(NamedTuple):
    """Legal values while another field has a value: `field` of the same component, its `value`, what is legal then."""

    field: str
    value: int
    legal: Legal


def one_of(values: tuple[int, ...], otherwise: int | None = None) -> Legal:
    """Only these values; anything else turns into `otherwise`, the last of them by default."""
    return Legal(0, values, values[-1] if otherwise is None else otherwise)


def bits(mask: int) -> Legal:
    """Any value of these bits; the others are always 0."""
    return Legal(mask)


def flag(present: bool) -> Legal:
    """A bit that can be set if the option is there."""
    return Legal(int(present))


def fixed(value: int) -> Legal:
    """Always this value."""
    return Legal(0, (value,), value)


def either(values: Iterable[int]) -> int:
    """The bits that any of the values has."""
    out = 0
    for value in values:
        out |= value
    return out


@dataclass(frozen=True)
class Field:
    """One field: name, lowest bit and width, access, reset value, legal values, and what it is for.

    volatile: hardware changes it, so a read need not give what was written. cases: legal values that depend on another
    field; the first case that applies counts, else `legal`. undefined: the specification leaves the reset value open
    (`Undef` or `SD`); `reset` is then this implementation's own. clause: what a wrong value violates; empty: the clause
    of its register.
    """

    name: str
    lsb: int
    width: int
    access: str
    what: str
    reset: int = 0
    legal: Legal = Legal(-1)
    volatile: bool = False
    cases: tuple[Case, ...] = ()
    undefined: bool = True
    clause: str = ""

    @property
    def mask(self) -> int:
        """The field's bits in its register."""
        return ((1 << self.width) - 1) << self.lsb

    @property
    def laws(self) -> tuple[Legal, ...]:
        """Its legal values in every case."""
        return (self.legal, *(case.legal for case in self.cases))

    def get(self, register: int) -> int:
        """The field's value in a register's."""
        return (register & self.mask) >> self.lsb

    def put(self, register: int, value: int) -> int:
        """The register's value with this field set to `value`."""
        return (register & ~self.mask) | ((value << self.lsb) & self.mask)

    def law(self, present: Mapping[str, int]) -> Legal:
        """What is legal while other fields have these values."""
        return next((case.legal for case in self.cases if present.get(case.field) == case.value), self.legal)


def row(
    name: str,
    where: str,
    access: str,
    what: str,
    reset: int = 0,
    legal: Legal | None = None,
    *,
    volatile: bool = False,
    cases: tuple[Case, ...] = (),
    undefined: bool = True,
    clause: str = "",
) -> Field:
    """A Field, its bits written as the specification does: "6:4" or "3"."""
    msb, _, low = where.partition(":")
    lsb = int(low or msb)
    width = int(msb) - lsb + 1
    if access not in ACCESSES:
        raise ControlError(f"{name} has the access {access}; give one of {', '.join(ACCESSES)}")
    if legal is None:
        legal = fixed(reset) if access in ("RO", "WPRI") and not volatile else bits((1 << width) - 1)
    return Field(name, lsb, width, access, what, reset, legal, volatile, cases, undefined, clause)


@dataclass(frozen=True)
class Register:
    """One register: address, name, what it is, section, fields from bit 0 up.

    address: of a memory-mapped register its offset from the base of its component; of one that an iselect selects the
    number of its ireg. active: the field (same component) that keeps the register at its reset value while it is 0;
    empty: none does. width: in bits. clause: what a wrong value violates.
    """

    address: int
    name: str
    what: str
    section: str
    fields: tuple[Field, ...] = ()
    active: str = ""
    width: int = 32
    clause: str = ""

    @property
    def offset(self) -> int:
        """The address, of a memory-mapped register."""
        return self.address

    @property
    def reset(self) -> int:
        """The whole register's reset value."""
        return sum(f.reset << f.lsb for f in self.fields)

    @property
    def mask(self) -> int:
        """Bits that some write can set."""
        return settable(self.fields)

    @property
    def volatile_mask(self) -> int:
        """Bits that hardware changes."""
        return sum(f.mask for f in self.fields if f.volatile)

    def field(self, name: str) -> Field:
        """One field by name; ControlError if there is none."""
        for f in self.fields:
            if f.name == name:
                return f
        known = ", ".join(f.name for f in self.fields) or "none"
        raise ControlError(f"{self.name} has no field {name}; it has {known}")

    def warl(self, value: int, state: Mapping[str, int] | None = None) -> int:
        """What a read gives after a write of `value`, as far as the write alone decides it.

        Read-only fields keep their reset value, RW1C and W1 fields read 0. state: other fields that decide what is
        legal, by name.
        """
        present = dict(state or ())
        out = 0
        for f in self.fields:  # from bit 0 up: a field decides only about those above it
            if f.access in _WRITABLE:
                new = (f.law(present) if f.cases else f.legal)(f.get(value))
            else:
                new = f.reset if f.access == "RO" else 0
            present[f.name] = new
            out = f.put(out, new)
        return out


@cache
def reachable(field: Field) -> tuple[int, ...] | None:
    """The values a write can leave in a field, for tests and coverage; None if they are too many to list (over 256)."""
    found: set[int] = set()
    for law in field.laws:
        if law.values is not None:
            found.update(law.values)
        elif bin(law.mask & ((1 << field.width) - 1)).count("1") > 8:
            return None
        else:
            found.update(v & law.mask for v in range(1 << min(field.width, 16)))
    return tuple(sorted(found))


def settable(fields: Iterable[Field]) -> int:
    """Bits that some write can set."""
    writable = (f for f in fields if f.access not in ("RO", "WPRI"))
    return either(f.put(0, either(law.bits for law in f.laws)) for f in writable)


@dataclass(frozen=True)
class Csr(Register):
    """One CSR; its address is its number. The fields of an h register are where they are in the whole 64 bits.

    level: least privilege that may access it: M, H (HS; also every VS CSR), S, or U: a counter that mcounteren,
    scounteren and hcounteren open. guest: with V = 1 a CSR of level S may be accessed. state: the register that holds
    what it shows (itself, or of a view the other); an ireg without one has none. virtual: the CSR that replaces it if
    V = 1 (empty: itself). stateen: field of mstateen0 and hstateen0 that closes it (empty: none). high: it is bits
    63:32 of `state` and exists at XLEN 32 only. number: of a counter, its event and its views; -1 of others. ireg: 1 to
    6 of an ireg alias, 0 of others.
    """

    level: str = "M"
    guest: bool = True
    state: str = ""
    virtual: str = ""
    stateen: str = ""
    high: bool = False
    number: int = -1
    ireg: int = 0

    def __post_init__(self) -> None:
        if not self.state and not self.ireg:
            object.__setattr__(self, "state", self.name)

    @property
    def read_only(self) -> bool:
        """Whether a write to its address is illegal."""
        return read_only(self.address)

    @property
    def select(self) -> str:
        """The iselect of an ireg alias."""
        return f"{self.name.partition('ireg')[0]}iselect" if self.ireg else ""

    @property
    def is_select(self) -> bool:
        """Whether it is an iselect."""
        return self.name.endswith("iselect")


R = TypeVar("R", bound=Register)


def read_only(address: int) -> bool:
    """Whether the two uppermost bits of a CSR address say read-only."""
    return address >> 10 == 3


def pair(low: Csr, address: int, fields: tuple[Field, ...] | None = None) -> list[Csr]:
    """A register of 64 bits and its h register; fields: of the h register, by default those of the whole 64 bits."""
    shown = low.fields if fields is None else fields
    high = replace(low, address=address, name=f"{low.name}h", what="bits 63:32", fields=shown, width=32, high=True)
    return [low, replace(high, virtual=low.virtual and f"{low.virtual}h")]


def found(registers: Iterable[R], name_or_address: str | int, where: str, others: str = "") -> R:
    """One register by name or address; ControlError if there is none. where: what has none, in words; others: what
    there is, in words (by default all names).
    """
    known = tuple(registers)
    for one in known:
        if name_or_address in (one.name, one.address):
            return one
    shown = name_or_address if isinstance(name_or_address, str) else f"{name_or_address:#05x}"
    others = others or f"there are {', '.join(one.name for one in known)}"
    raise ControlError(f"there is no CSR {shown} in {where}; {others}")
