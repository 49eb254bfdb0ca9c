# SPDX-License-Identifier: Apache-2.0
"""The N-Trace messages as data: one table per variant (chapters 6 and 7).

Packer, unpacker, the kernels' columns, printer, viewer, checks, coverage and RTL constants all read `TABLES`
(`rvtrace.models.common.messages` has the classes). SRC and TSTAMP are fields like any other, present by configuration.
A test or a diagnosis gives another table to those functions, or changes `TABLES`; nothing else has a list of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, overload

from rvtrace.models.common import messages
from rvtrace.models.common.messages import Coding, Field, Place, Table, Values

TCODE_BITS = 6
MDO_BITS = 6
VENDOR_TCODES = range(56, 63)
RESOURCE_FULL = 27
RESERVED_RCODES = range(3, 16)  # nobody knows how many RDATA fields they have
_VENDOR_RCODES = range(8, 16)
_ANY_BITS = 384  # TSTAMP of more than 64 bits is for the decoder's clock to report; no message is as long


@dataclass(frozen=True)
class MessageType(messages.MessageType):
    """One row of table 8: TCODE, name, fields in the order they are sent, SRC and TSTAMP with them."""

    @cached_property
    def tcode(self) -> int:
        """The TCODE."""
        return self.selector["tcode"]

    @cached_property
    def has_sync(self) -> bool:
        """Whether it is a synchronizing message (has SYNC and F-ADDR)."""
        return "sync" in self.index

    @cached_property
    def own(self) -> tuple[Field, ...]:
        """The fields that not every message has: none of a type that is not known."""
        return tuple(f for f in self.fields if f.key not in SHARED)


class Message(NamedTuple):
    """A message: its type and the values of its fields in table order, None of one that is absent (SRC is then 0).

    offset: byte position in the stream it was read from, -1 if it was made.
    """

    type: MessageType
    values: tuple[int | None, ...]
    offset: int = -1

    @classmethod
    def of(cls, kind: MessageType, values: Mapping[str, int | None], offset: int = -1) -> Message:
        """A message from its values by key."""
        return cls(kind, tuple(values.get(key, 0 if key == SRC.key else None) for key in kind.keys), offset)

    @property
    def tcode(self) -> int:
        """The TCODE."""
        return self.type.tcode

    @property
    def name(self) -> str:
        """The message's name in the specification."""
        return self.type.name

    @property
    def src(self) -> int:
        """SRC, 0 without such a field."""
        return self.get(SRC.key, 0)

    @property
    def tstamp(self) -> int | None:
        """TSTAMP, None if the message has none."""
        return self.get(TSTAMP.key)

    @property
    def body(self) -> tuple[int, ...]:
        """The values that are there, without SRC and TSTAMP."""
        own = zip(self.type.keys, self.values)
        return tuple(value for key, value in own if value is not None and key not in SHARED)

    @overload
    def get(self, key: str) -> int | None: ...

    @overload
    def get(self, key: str, default: int) -> int: ...

    def get(self, key: str, default: int | None = None) -> int | None:
        """The value of the field `key`, or `default` if this message has none."""
        index = self.type.index.get(key)
        value = None if index is None else self.values[index]
        return default if value is None else value

    def by_key(self) -> dict[str, int]:
        """The values that are there."""
        return {key: value for key, value in zip(self.type.keys, self.values) if value is not None}

    def replaced(self, **values: int | None) -> Message:
        """With other values of fields that its type has; None: absent. KeyError for another key."""
        for key in values:
            self.type.field(key)
        return self._replace(values=Message.of(self.type, self.by_key() | values).values)

    def same(self, other: Message) -> bool:
        """Equal in type, fields, source and time, at any position."""
        return (self.type.tcode, self.values) == (other.type.tcode, other.values)

    def __str__(self) -> str:
        shown = self.by_key()
        if not shown.get(SRC.key):
            shown.pop(SRC.key, None)
        return f"{self.name} {self.type.text(shown)}".rstrip()


def _extend(value: int, width: int, bits: int) -> int:
    """The value with its top bit (width - 1) copied up to bit bits - 1."""
    if width < bits and value >> (width - 1):
        value |= (1 << bits) - (1 << width)
    return value


def _extended_length(value: int, place: Place) -> int:
    """The fewest whole MDO groups whose last bit extends to the address (8.2)."""
    most = place.config.address_bits
    for width in range(MDO_BITS, most, MDO_BITS):
        if _extend(value & (1 << width) - 1, width, most) == value:
            return width
    return most or max(1, value.bit_length())


# 8.2: MDO groups at the top of an address are left out where the decoder gets them back by extending the last bit sent
_ADDRESS = Coding(
    "address",
    lambda value, place: value & (1 << place.width) - 1 if place.config.address_bits else value,
    lambda value, place: _extend(value, place.width, place.config.address_bits),
    _extended_length,
    "address",
)


def _rdata(value: int, place: Place) -> int:
    """The RDATA of a vendor may have any size: 64 bits are reported."""
    return value & (1 << 64) - 1 if place.values["rcode"] in _VENDOR_RCODES else value


def _rdata_bits(config: Any, values: Values) -> int:
    return 64 if values["rcode"] in _VENDOR_RCODES else 32


def _is_timed(config: Any, values: Values) -> int:
    """What comes after a reserved RDATA may be more of it, or TSTAMP."""
    return config.timestamp and values.get("rcode", 0) not in RESERVED_RCODES


def _rdata_form(values: Values) -> str:
    return "hist" if values.get("rcode") in (1, 2) else "hex"


SRC = Field("SRC", "source_bits", clause="NT-17")
TSTAMP = Field("TSTAMP", present=_is_timed, optional=True, max_bits=_ANY_BITS)
SHARED = (SRC.key, TSTAMP.key)
SYNC = Field(
    "SYNC", 4, vendor=range(14, 16), clause="NT.8.5.codes",
    codes={
        0: "External Trace Trigger", 1: "Exit from Reset", 2: "Periodic Synchronization", 3: "Exit from Debug Mode",
        4: "Sequential Instruction Counter", 5: "Trace Enable", 6: "Trace Event", 7: "Restart from FIFO overrun",
        9: "Exit from Power-down",
    },
)  # fmt: skip
B_TYPE = Field("B-TYPE", 2, codes={0: "indirect", 1: "exception or interrupt", 2: "exception", 3: "interrupt"})
I_CNT = Field("I-CNT", max_bits=22, clause="NT.8.4.icnt", meaning="the number of half-words since it was sent")
F_ADDR = Field("F-ADDR", max_bits=63, is_address=True, coding=_ADDRESS, form="half", clause="NT.8.1.faddr")
U_ADDR = Field("U-ADDR", max_bits=63, is_address=True, coding=_ADDRESS, form="half", clause="NT.8.1.uaddr")
HIST = Field("HIST", max_bits=32, form="hist", clause="NT.8.3.hist")
PROCESS = Field("PROCESS", clause="NT.7.1.process")
ETYPE = Field("ETYPE", 4, codes={0: "Queue Overrun"}, vendor=range(8, 16), clause="NT.7.4.codes")
ECODE = Field("ECODE", max_bits=8, clause="NT.7.4.ecode")
RCODE = Field(
    "RCODE", 4, codes={0: "I-CNT", 1: "HIST", 2: "HIST repeated"}, vendor=_VENDOR_RCODES, clause="NT.7.8.rcode"
)
RDATA = Field("RDATA", max_bits=_rdata_bits, coding=Coding("rdata", take=_rdata, compiled="plain"), form=_rdata_form)
HREPEAT = Field(
    "HREPEAT", max_bits=18, present=lambda config, values: values["rcode"] == 2, clause="NT.9.3.repeated_history",
    meaning="the number of times", when="with RCODE=2",
)  # fmt: skip
B_CNT = Field("B-CNT", max_bits=18, clause="NT.7.11.repeat", meaning="the number of additional times")
EVCODE = Field(
    "EVCODE", 4, vendor=range(8, 16), clause="NT.7.12.evcode",
    codes={0: "Entry into Debug Mode", 1: "Entry into Low-power Mode", 4: "Program Trace Disabled"},
)  # fmt: skip
CDF = Field("CDF", 2, clause="NT.7.12.cdf")
LAST_HIST = replace(HIST, present=lambda config, values: values["cdf"] == 1, when="with CDF=1")
DATA = Field("DATA", clause="NT.6.1.vendor")


def _type(tcode: int, name: str, fields: tuple[Field, ...], section: str) -> MessageType:
    return MessageType(name, (SRC, *fields, TSTAMP), {"tcode": tcode}, section)


V1_0 = Table(
    (
        _type(2, "Ownership", (PROCESS,), "7.1"),
        _type(3, "DirectBranch", (I_CNT,), "7.2"),
        _type(4, "IndirectBranch", (B_TYPE, I_CNT, U_ADDR), "7.3"),
        _type(8, "Error", (ETYPE, ECODE), "7.4"),
        _type(9, "ProgTraceSync", (SYNC, I_CNT, F_ADDR), "7.5"),
        _type(11, "DirectBranchSync", (SYNC, I_CNT, F_ADDR), "7.6"),
        _type(12, "IndirectBranchSync", (SYNC, B_TYPE, I_CNT, F_ADDR), "7.7"),
        _type(RESOURCE_FULL, "ResourceFull", (RCODE, RDATA, HREPEAT), "7.8"),
        _type(28, "IndirectBranchHist", (B_TYPE, I_CNT, U_ADDR, HIST), "7.9"),
        _type(29, "IndirectBranchHistSync", (SYNC, B_TYPE, I_CNT, F_ADDR, HIST), "7.10"),
        _type(30, "RepeatBranch", (B_CNT,), "7.11"),
        _type(33, "ProgTraceCorrelation", (EVCODE, CDF, I_CNT, LAST_HIST), "7.12"),
        # Our own vendor-defined message; those of others are skipped whatever they look like.
        *(_type(tcode, f"Vendor{tcode}", (DATA,), "6.1") for tcode in VENDOR_TCODES),
    ),
    "v1_0",
)
# The variants have the same layout; v1_0 limits the counts of repeats, rc7 does not (9.3 says only that they overflow).
_UNLIMITED = (B_CNT.key, HREPEAT.key)
RC7 = replace(
    V1_0.each(lambda kind, f: (replace(f, max_bits=messages.MOST_BITS) if f.key in _UNLIMITED else f,)), name="rc7"
)

TABLES: dict[str, Table[MessageType]] = {"v1_0": V1_0, "rc7": RC7}
BY_NAME: dict[str, MessageType] = V1_0.by_name
VALUE_NAMES = {key: f.codes for key, f in V1_0.fields.items() if f.codes}
# Codes that tables 15, 19, 23 and 25 leave to vendors, by the key of their field.
VENDOR_CODES = {key: f.vendor for key, f in V1_0.fields.items() if f.vendor}


def message(name: str, *values: int, **more: int) -> Message:
    """A message by name with the values of its own fields in table order, and others by key; as many values as it has
    fields that are always present are the values of those. ValueError if their number cannot be right.
    """
    kind: MessageType = BY_NAME[name]
    keys = [f.key for f in kind.own]
    required = [f.key for f in kind.own if f.present is messages.always]
    given = dict(zip(required if len(values) == len(required) else keys, values)) | more
    if len(values) > len(keys) or not set(required) <= set(given):
        raise ValueError(f"{name} has the fields {', '.join(keys)}; {len(values)} values were given")
    return Message.of(kind, given)


def unknown_type(tcode: int) -> MessageType:
    """The type that means a vendor-defined or reserved TCODE: no fields are known but SRC (3.2)."""
    return MessageType("Vendor" if tcode in VENDOR_TCODES else "Reserved", (SRC,), {"tcode": tcode}, "6.1")
