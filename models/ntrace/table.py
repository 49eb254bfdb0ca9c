# SPDX-License-Identifier: Apache-2.0
"""The N-Trace messages as data: one field table per variant (chapters 6 and 7).

Packer, unpacker, printer, coverage and docs all read `TABLES`. A field has a fixed width, or is variable-length
(`VAR`: at least one bit, ends on a byte boundary). Fields that depend on an earlier one name it in `when`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, overload

VAR = 0  # width of a variable-length field


@dataclass(frozen=True)
class Field:
    """One field: `name` as the specification prints it, `key` for code, width in bits (`VAR` if variable).

    max_bits: table 10's limit for a variable field, else the 64 bits of any field (chapter 3).
    when: (key, values): present only if that earlier field has one of these values.
    is_address: bit 0 of the address is not sent.
    """

    name: str
    key: str
    width: int = VAR
    max_bits: int = 64
    when: tuple[str, tuple[int, ...]] | None = None
    is_address: bool = False


@dataclass(frozen=True)
class MessageType:
    """One row of table 8: TCODE, name, fields in the order they are sent (TCODE, SRC and TSTAMP left out)."""

    tcode: int
    name: str
    fields: tuple[Field, ...]
    section: str
    keys: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(f.key for f in self.fields))

    @property
    def has_sync(self) -> bool:
        """Whether it is a synchronizing message (has SYNC and F-ADDR)."""
        return "sync" in self.keys


class Message(NamedTuple):
    """A message: its type, the field values in table order (absent optional fields are left out at the end).

    offset: byte position in the stream it was read from, -1 if it was made. src: 0 without SRC field.
    """

    type: MessageType
    values: tuple[int, ...]
    offset: int = -1
    src: int = 0
    tstamp: int | None = None

    @property
    def tcode(self) -> int:
        """The TCODE."""
        return self.type.tcode

    @property
    def name(self) -> str:
        """The message's name in the specification."""
        return self.type.name

    @overload
    def get(self, key: str) -> int | None: ...

    @overload
    def get(self, key: str, default: int) -> int: ...

    def get(self, key: str, default: int | None = None) -> int | None:
        """The value of the field `key`, or `default` if this message has none."""
        keys = self.type.keys
        index = keys.index(key) if key in keys else len(self.values)
        return self.values[index] if index < len(self.values) else default

    def same(self, other: Message) -> bool:
        """Equal in type, fields, source and time, at any position."""
        return (self.type.tcode, self.values, self.src, self.tstamp) == (
            other.type.tcode, other.values, other.src, other.tstamp)  # fmt: skip

    def __str__(self) -> str:
        parts = []
        for spec, value in zip(self.type.fields, self.values):
            if spec.is_address:
                parts.append(f"{spec.name}={value:#x} ({value << 1:#x})")
            elif spec.key in ("hist", "rdata") and value:
                parts.append(f"{spec.name}={value:#x}{_hist_text(value) if self._is_hist(spec) else ''}")
            else:
                vendors = "vendor-defined" if value in VENDOR_CODES.get(spec.key, ()) else ""
                meaning = VALUE_NAMES.get(spec.key, {}).get(value, vendors)
                parts.append(f"{spec.name}={value}" + (f" ({meaning})" if meaning else ""))
        if self.tstamp is not None:
            parts.append(f"TSTAMP={self.tstamp}")
        source = f" SRC={self.src}" if self.src else ""
        return f"{self.name}{source} {' '.join(parts)}".rstrip()

    def _is_hist(self, spec: Field) -> bool:
        return spec.key == "hist" or self.get("rcode") in (1, 2)


def _hist_text(value: int) -> str:
    bits = f"{value:b}"[1:]
    return f" ({len(bits)} branches: {bits})" if bits else " (empty)"


SYNC = Field("SYNC", "sync", 4)
B_TYPE = Field("B-TYPE", "btype", 2)
I_CNT = Field("I-CNT", "icnt", max_bits=22)
F_ADDR = Field("F-ADDR", "faddr", max_bits=63, is_address=True)
U_ADDR = Field("U-ADDR", "uaddr", max_bits=63, is_address=True)
HIST = Field("HIST", "hist", max_bits=32)

_COMMON = (
    MessageType(2, "Ownership", (Field("PROCESS", "process"),), "7.1"),
    MessageType(3, "DirectBranch", (I_CNT,), "7.2"),
    MessageType(4, "IndirectBranch", (B_TYPE, I_CNT, U_ADDR), "7.3"),
    MessageType(8, "Error", (Field("ETYPE", "etype", 4), Field("ECODE", "ecode", max_bits=8)), "7.4"),
    MessageType(9, "ProgTraceSync", (SYNC, I_CNT, F_ADDR), "7.5"),
    MessageType(11, "DirectBranchSync", (SYNC, I_CNT, F_ADDR), "7.6"),
    MessageType(12, "IndirectBranchSync", (SYNC, B_TYPE, I_CNT, F_ADDR), "7.7"),
    MessageType(
        27, "ResourceFull",
        (Field("RCODE", "rcode", 4), Field("RDATA", "rdata", max_bits=32),
         Field("HREPEAT", "hrepeat", max_bits=18, when=("rcode", (2,)))),
        "7.8",
    ),
    MessageType(28, "IndirectBranchHist", (B_TYPE, I_CNT, U_ADDR, HIST), "7.9"),
    MessageType(29, "IndirectBranchHistSync", (SYNC, B_TYPE, I_CNT, F_ADDR, HIST), "7.10"),
    MessageType(30, "RepeatBranch", (Field("B-CNT", "bcnt", max_bits=18),), "7.11"),
    MessageType(
        33, "ProgTraceCorrelation",
        (Field("EVCODE", "evcode", 4), Field("CDF", "cdf", 2), I_CNT,
         Field("HIST", "hist", max_bits=32, when=("cdf", (1,)))),
        "7.12",
    ),
)  # fmt: skip

VENDOR_TCODES = range(56, 63)
# Our own vendor-defined message; those of others are skipped whatever they look like.
_VENDOR = tuple(
    MessageType(tcode, f"Vendor{tcode}", (Field("DATA", "data", max_bits=64),), "6.1") for tcode in VENDOR_TCODES
)

# The variants have the same layout; v1_0 limits the counts of repeats, rc7 does not (9.3 says only that they overflow).
_UNLIMITED = {"B-CNT", "HREPEAT"}


def _rc7(kind: MessageType) -> MessageType:
    """The message without the limits that came with v1_0."""
    if not _UNLIMITED & {f.name for f in kind.fields}:
        return kind
    fields = tuple(replace(f, max_bits=64) if f.name in _UNLIMITED else f for f in kind.fields)
    return MessageType(kind.tcode, kind.name, fields, kind.section)


TABLES: dict[str, dict[int, MessageType]] = {
    "v1_0": {m.tcode: m for m in (*_COMMON, *_VENDOR)},
    "rc7": {m.tcode: _rc7(m) for m in (*_COMMON, *_VENDOR)},
}
BY_NAME: dict[str, MessageType] = {m.name: m for m in (*_COMMON, *_VENDOR)}

TCODE_BITS = 6
RESERVED_RCODES = range(3, 16)  # nobody knows how many RDATA fields they have

VALUE_NAMES: dict[str, dict[int, str]] = {
    "sync": {
        0: "External Trace Trigger", 1: "Exit from Reset", 2: "Periodic Synchronization", 3: "Exit from Debug Mode",
        4: "Sequential Instruction Counter", 5: "Trace Enable", 6: "Trace Event", 7: "Restart from FIFO overrun",
        9: "Exit from Power-down",
    },
    "btype": {0: "indirect", 1: "exception or interrupt", 2: "exception", 3: "interrupt"},
    "evcode": {0: "Entry into Debug Mode", 1: "Entry into Low-power Mode", 4: "Program Trace Disabled"},
    "etype": {0: "Queue Overrun"},
    "rcode": {0: "I-CNT", 1: "HIST", 2: "HIST repeated"},
}  # fmt: skip

# Codes that tables 15, 19, 23 and 25 leave to vendors, by the key of their field.
VENDOR_CODES = {"sync": range(14, 16), "evcode": range(8, 16), "etype": range(8, 16), "rcode": range(8, 16)}


def message(name: str, *values: int) -> Message:
    """A message by name with its field values in table order; ValueError if their number cannot be right."""
    kind = BY_NAME[name]
    required = sum(f.when is None for f in kind.fields)
    if not required <= len(values) <= len(kind.fields):
        raise ValueError(f"{name} has the fields {', '.join(kind.keys)}; {len(values)} values were given")
    return Message(kind, values)


def unknown_type(tcode: int) -> MessageType:
    """The type that means a vendor-defined or reserved TCODE: no fields are known."""
    return MessageType(tcode, "Vendor" if tcode in VENDOR_TCODES else "Reserved", (), "6.1")
