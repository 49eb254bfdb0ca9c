# SPDX-License-Identifier: Apache-2.0
"""What a row of the register table is: parameters of an implementation, components, registers, fields, legal values.

The rows are in `encoder_rows` and `stream_rows`; `registers` joins them and is what everybody else imports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

ACCESSES = ("RO", "RW", "WARL", "RW1C", "W1")


class ControlError(ValueError):
    """A component, register, field or parameter that does not exist; the text says which do."""


@dataclass(frozen=True)
class Params:
    """What one implementation has. The defaults are `rtl/tci/trace_system.sv` with its default parameters; `etrace`
    gives its other format.

    harts: encoders, and inputs of the funnel. xlen: 32 or 64. format, protocol_major, protocol_minor: trTeFormat and
    the protocol's version (1, 1.0 is N-Trace). inst_modes, sync_modes, implicit_return_modes: legal values; an illegal
    mode turns into the last of inst_modes and implicit_return_modes, and into 0 in sync_modes. The flags from triggers
    to vendor are options that are there or not (vendor: the register for what has no standard bit). contexts: legal
    trTeContext. src_bits: widest SRC field (in E-Trace index), src_step: its legal widths are the multiples of this.
    filters, comparators, trigger_inputs, trigger_outputs: how many. ts_modes, funnel_ts_modes: legal trTsMode, empty
    without a timestamp unit. ts_width: bits of the timestamp. sram_bytes: size of the RAM sink's own memory, a power of
    two, 0 without. smem_bits: address bits of its system memory port, 0 without. pin_modes: legal trPibMode.
    divider_bits, divider_reset: trPibDivider.
    """

    harts: int = 2
    xlen: int = 64
    format: int = 1
    protocol_major: int = 1
    protocol_minor: int = 0
    inst_modes: tuple[int, ...] = (3, 6)
    sync_modes: tuple[int, ...] = (0, 1, 2, 3)
    implicit_return_modes: tuple[int, ...] = (1, 2, 3)
    contexts: tuple[int, ...] = (0, 1)
    triggers: bool = True
    stall: bool = True
    no_addr_diff: bool = False
    no_trap_addr: bool = False
    sequential_jump: bool = True
    branch_prediction: bool = False
    jump_target_cache: bool = False
    repeated_history: bool = True
    all_jumps: bool = True
    extend_addr_msb: bool = True
    vendor: bool = True
    src_bits: int = 12
    src_step: int = 1
    filters: int = 2
    comparators: int = 2
    trigger_inputs: int = 8
    trigger_outputs: int = 8
    ts_modes: tuple[int, ...] = (0, 1, 2, 3, 4)
    funnel_ts_modes: tuple[int, ...] = (0, 1, 2)
    ts_width: int = 48
    sram_bytes: int = 4096
    smem_bits: int = 40
    pin_modes: tuple[int, ...] = (0, 8, 9, 10, 11, 12)
    divider_bits: int = 16
    divider_reset: int = 15

    @classmethod
    def etrace(cls, **given: Any) -> Params:
        """Encoders of E-Trace (chapter Encoder Control of its specification): what does not apply is hard-wired."""
        return cls(**{
            "format": 0, "protocol_major": 0, "inst_modes": (6,), "implicit_return_modes": (3,), "contexts": (1,),
            "no_addr_diff": True, "no_trap_addr": True, "branch_prediction": True, "jump_target_cache": True,
            "repeated_history": False, "all_jumps": False, "extend_addr_msb": False, "src_bits": 8, "src_step": 8,
            "trigger_inputs": 0, "trigger_outputs": 0, "pin_modes": (0, 11, 12),
        } | given)  # fmt: skip

    def __post_init__(self) -> None:
        limits = {
            "harts": range(1, 9), "xlen": (32, 64), "src_bits": range(13), "filters": range(17),
            "comparators": range(9), "trigger_inputs": range(9), "trigger_outputs": range(9),
            "format": (0, 1), "ts_width": range(1, 64), "smem_bits": (0, *range(32, 65)), "divider_bits": range(1, 17),
        }  # fmt: skip
        for name, legal in limits.items():
            if getattr(self, name) not in legal:
                raise ControlError(f"{name}={getattr(self, name)} does not exist; give {name} in {list(legal)}")
        if self.sram_bytes and (self.sram_bytes < 8 or self.sram_bytes & (self.sram_bytes - 1)):
            raise ControlError(f"sram_bytes={self.sram_bytes} is no power of two; give sram_bytes=4096 for example")
        if not self.sram_bytes and not self.smem_bits:
            raise ControlError("a RAM sink needs a memory; give sram_bytes or smem_bits")


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


@dataclass(frozen=True)
class Field:
    """One field: name, lowest bit and width, access, reset value, legal values, and what it is for.

    volatile: hardware changes it, so a read need not give what was written. cases: legal values that depend on another
    field; the first case that applies counts, else `legal`. undefined: the specification leaves the reset value open
    (`Undef` or `SD`); `reset` is then this implementation's own.
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

    @property
    def mask(self) -> int:
        """The field's bits in its register."""
        return ((1 << self.width) - 1) << self.lsb

    def get(self, register: int) -> int:
        """The field's value in a register's."""
        return (register & self.mask) >> self.lsb

    def put(self, register: int, value: int) -> int:
        """The register's value with this field set to `value`."""
        return (register & ~self.mask) | ((value << self.lsb) & self.mask)


@dataclass(frozen=True)
class Register:
    """One 32-bit register of one component: offset from its base, name, what it is, section, fields from bit 0 up.

    active: the field (same component) that keeps the register at its reset value while it is 0; empty: none does.
    """

    offset: int
    name: str
    what: str
    section: str
    fields: tuple[Field, ...]
    active: str

    @property
    def reset(self) -> int:
        """The whole register's reset value."""
        return sum(f.reset << f.lsb for f in self.fields)

    @property
    def volatile_mask(self) -> int:
        """Bits that hardware changes."""
        return sum(f.mask for f in self.fields if f.volatile)

    def field(self, name: str) -> Field:
        """One field by name; ControlError if there is none."""
        for f in self.fields:
            if f.name == name:
                return f
        raise ControlError(f"{self.name} has no field {name}; it has {', '.join(f.name for f in self.fields)}")


@dataclass(frozen=True)
class Component:
    """One kind of component: name, tr??CompType, prefix of its names, title, its bases, and its registers by offset."""

    name: str
    comp_type: int
    prefix: str
    title: str
    bases: tuple[int, ...]
    registers: tuple[Register, ...]

    def register(self, name_or_offset: str | int) -> Register:
        """One register by name or offset; ControlError if there is none."""
        for r in self.registers:
            if name_or_offset in (r.name, r.offset):
                return r
        shown = name_or_offset if isinstance(name_or_offset, str) else f"offset {name_or_offset:#05x}"
        raise ControlError(f"{self.name} has no register {shown}; it has {', '.join(r.name for r in self.registers)}")


def row(name: str, where: str, access: str, what: str, reset: int = 0, legal: Legal | None = None, *,
        volatile: bool = False, cases: tuple[Case, ...] = (), undefined: bool = True) -> Field:  # fmt: skip
    """A Field, its bits written as the specification does: "6:4" or "3"."""
    msb, _, low = where.partition(":")
    lsb = int(low or msb)
    width = int(msb) - lsb + 1
    if access not in ACCESSES:
        raise ControlError(f"{name} has the access {access}; give one of {', '.join(ACCESSES)}")
    if legal is None:
        legal = fixed(reset) if access == "RO" and not volatile else bits((1 << width) - 1)
    return Field(name, lsb, width, access, what, reset, legal, volatile, cases, undefined)
