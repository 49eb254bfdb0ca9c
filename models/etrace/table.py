# SPDX-License-Identifier: Apache-2.0
"""The packets of E-Trace as data: one table of `rvtrace.models.common.messages` for each variant; packer, unpacker, the
kernels, printers, columns, checks and coverage read `TABLES`.

A field's width may depend on the configuration and on the fields before it, so a variant (a third one as well) is
another table and nothing else. Values are logical: `notify`, `updiscon` and `irreport` are flags (1: differs from the
bit before), addresses are shifted by iaddress_lsb_p and, in formats 0 to 2, differences unless option full_address is
on. Functions of a field find the options in force as `values["options"]`. The field `format` comes before all others;
`subformat` is a field like any other, and its values select the packet.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from rvtrace.models.common.messages import FLAG, Coding, Field, MessageType, Of, Place, Table, Values

VARIANTS = ("v2_0", "draft_0_026")
OPTIONS = (
    "implicit_return",
    "implicit_exception",
    "full_address",
    "jump_target_cache",
    "branch_prediction",
    "sijump",
)  # bits of ioptions
QUAL_STATUS = ("no_change", "ended_rep", "trace_lost", "ended_ntr")  # draft: packet_lost for 2
PRIVILEGE_NAMES = {0: "U", 1: "S", 3: "M", 4: "D", 5: "VU", 6: "VS"}
MAX_PAYLOAD = 31  # bytes: the length field of both encapsulations has 5 bits
MAX_BRANCHES = 31
MAP_LENGTHS = {  # bits of branch_map: the least of these that holds `branches`
    "v2_0": (1, 3, 7, 15, 31), "draft_0_026": (1, 9, 17, 25, 31),
}  # fmt: skip

FORMAT_BITS = 2


def _fill(place: Place) -> int:
    return (1 << place.width) - 1 if place.before else 0


def _send_filled(value: int, place: Place) -> int:
    return value if place.values.get("irreport") else _fill(place)


def _take_filled(value: int, place: Place) -> int | None:
    return None if not place.values.get("irreport") and value == _fill(place) else value


def _take_options(value: int, place: Place) -> int:
    return place.config.read_ioptions(value)


def _send_options(value: int, place: Place) -> int:
    return place.config.sent_ioptions(value) if place.config.ioptions_layout else value


def _send_difference(value: int, place: Place) -> int:
    return value & (1 << place.width) - 1


def _take_difference(value: int, place: Place) -> int:
    negative = value >> place.width - 1 and not place.values["options"]["full_address"]
    return value - (1 << place.width) if negative else value


def hexadecimal(value: int, values: Values) -> str:
    """Of fields whose bits people look at."""
    return f"{value:#x}"


def bit_map(value: int, values: Values) -> str:
    """Of fields in which each bit is one thing."""
    return f"{value:#x}"


def decimal(value: int, values: Values) -> str:
    """Of fields with codes, whose names are not shown."""
    return str(value)


FILLED = Coding("filled", _send_filled, _take_filled, compiled="plain")  # the bit before, unless irreport is set
IOPTIONS = Coding("options", _send_options, _take_options)  # bits in the order of the configuration's ioptions_layout
DIFFERENCE = Coding("difference", _send_difference, _take_difference, compiled="difference")


@dataclass
class Packet:
    """A packet. name: of its type in the table. values: of its fields, logical; an absent field is missing. irdepth is
    None where it says nothing.
    """

    name: str
    values: dict[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        """A field's value, or the default if it is absent."""
        return self.values.get(name, default)

    @property
    def format(self) -> int:
        """0 to 3."""
        return self.values["format"]

    @property
    def is_sync(self) -> bool:
        """A synchronization packet: format 3, subformat 0 or 1."""
        return self.name in ("start", "trap")

    @property
    def has_address(self) -> bool:
        """Whether an instruction address is reported, in full or as a difference."""
        return "address" in self.values

    def __str__(self) -> str:
        shown = (f"{n}={field_text(n, v)}" for n, v in self.values.items() if v is not None)
        return f"{self.name}({' '.join(s for s in shown if not s.startswith(('format=', 'subformat=')))})"


def map_length(variant: str, branches: int) -> int:
    """Bits of a branch_map for that many branches; ValueError above 31."""
    if branches > MAX_BRANCHES:
        raise ValueError(f"{branches} branches do not fit a branch_map; it holds {MAX_BRANCHES}")
    return next(n for n in MAP_LENGTHS[variant] if n >= branches)


def _address(c: Any, v: Values) -> int:
    return c.iaddress_width_p - c.iaddress_lsb_p


def _context(c: Any, v: Values) -> int:
    return 0 if c.nocontext_p else c.context_width_p


def _time(c: Any, v: Values) -> int:
    return 0 if c.notime_p else c.time_width_p


def _ioptions(c: Any, v: Values) -> int:
    return len(c.ioptions_bits)


def _irdepth(c: Any, v: Values) -> int:
    return c.return_stack_size_p + (c.return_stack_size_p > 0) + c.call_counter_size_p


def _map(c: Any, v: Values) -> int:
    return map_length(c.variant, v["branches"]) if v["branches"] else 0


def _full_map(c: Any, v: Values) -> int:
    return map_length(c.variant, v["branches"] or MAX_BRANCHES)


def _has_branches(c: Any, v: Values) -> int:
    return v["branches"]


def _has_no_branches(c: Any, v: Values) -> int:
    return not v["branches"]


def _is_counted(c: Any, v: Values) -> int:
    return v.get("branch_fmt", 0)


def _is_mapped(c: Any, v: Values) -> int:
    return not v.get("branch_fmt", 0)


def _has_address(c: Any, v: Values) -> int:
    return v["branch_fmt"] >= 2


def _is_exception(c: Any, v: Values) -> int:
    return not v["interrupt"]


def _is_explicit(c: Any, v: Values) -> int:
    """Whether 3.1 has an address: implicit_exception leaves that of a trap handler out."""
    return not (v["options"]["implicit_exception"] and v.get("thaddr", 1))


SUBFORMAT = Field("subformat", 2)
ANY_SUBFORMAT = Field("subformat", "f0s_width_p")
BRANCHES = Field("branches", 5, clause="ET.pay.map_length", meaning="the number of branches in branch_map")
BRANCH_MAP = Field("branch_map", _map, show=bit_map, clause="ET.pay.map_bits")
FULL_MAP = Field("branch_map", _full_map, show=bit_map, clause="ET.pay.map_bits")
DIFFERENTIAL = Field(
    "address", _address, is_address=True, coding=DIFFERENCE, show=hexadecimal, clause="ET.pay.differential"
)
NOTIFY, UPDISCON, IRREPORT = (
    Field(name, 1, coding=FLAG, clause=f"ET.pay.{name}") for name in ("notify", "updiscon", "irreport")
)
IRDEPTH = Field(
    "irdepth", _irdepth, coding=FILLED, clause="ET.pay.irdepth", meaning="the number of calls that are open"
)
TAIL = (DIFFERENTIAL, NOTIFY, UPDISCON, IRREPORT, IRDEPTH)
FULL = Field("address", _address, is_address=True, show=hexadecimal, clause="ET.pay.start")
BRANCH = Field("branch", 1, clause="ET.pay.branch_bit", meaning="0 for a taken branch, else 1")
PRIVILEGE = Field("privilege", "privilege_width_p", codes=PRIVILEGE_NAMES, show=decimal, clause="ET.pay.privilege")
TIME = Field("time", _time, show=hexadecimal, clause="ET.pay.time")
CONTEXT = Field("context", _context, show=hexadecimal, clause="ET.pay.context")
CAUSE = (
    Field("ecause", "ecause_width_p", clause="ET.pay.ecause"),
    Field("interrupt", 1, clause="ET.pay.ecause", meaning="1 for an interrupt and 0 for an exception"),
)
TVAL = Field("tval", "iaddress_width_p", show=hexadecimal, clause="ET.pay.tval")
INDEX = Field("index", "cache_size_p", clause="ET.opt.cache", meaning="the entry of the jump target cache")
COUNT, FORM = (
    Field("branch_count", 32, clause="ET.pay.branch_count", meaning="the number of branches less 31"),
    Field(
        "branch_fmt",
        2,
        clause="ET.pay.branch_fmt",
        meaning="0 without an address, 2 with one, 3 if the branch there failed",
    ),
)
THADDR = Field("thaddr", 1, clause="ET.pay.thaddr", meaning="1 if the address is that of the trap handler")
SUPPORT = (
    SUBFORMAT, Field("ienable", 1, clause="ET.pay.ienable", meaning="1 if the encoder is enabled"),
    Field("encoder_mode", "encoder_mode_n", clause="ET.pay.support"),
    Field("qual_status", 2, codes=dict(enumerate(QUAL_STATUS)), show=decimal, clause="ET.pay.qual_status"),
    Field("ioptions", _ioptions, coding=IOPTIONS, show=decimal, clause="ET.pay.ioptions"),
)  # fmt: skip
DATA_TRACE = (
    Field("denable", 1, clause="ET.pay.support"), Field("dloss", 1, clause="ET.pay.support"),
    Field("doptions", "doptions_n", clause="ET.pay.support"),
)  # fmt: skip
DRAFT_FORM = Field("branch_fmt", 1, clause="ET.pay.branch_fmt")
DRAFT_COUNT = (
    Field("branch_count", 16, clause="ET.pay.branch_count", meaning="the number of branches less 31"),
    Field("no_mispred", 1, clause="ET.pay.branch_fmt"),
)  # fmt: skip


def _if(present: Of, when: str, *fields: Field) -> tuple[Field, ...]:
    return tuple(replace(f, present=present, when=when) for f in fields)


EXPLICIT, BRANCHED = "unless implicit_exception implies it", "if branches is not 0"


REPORTS = {"trap": "exceptions and interrupts"}


def _packet(name: str, fields: tuple[Field, ...], format: int, subformat: int | None = None) -> MessageType:
    selector = {"format": format} | ({} if subformat is None else {"subformat": subformat})
    return MessageType(name, fields, selector, reports=REPORTS.get(name, ""))


V2_0 = Table(
    (
        _packet(
            "branch_count", (ANY_SUBFORMAT, COUNT, FORM, *_if(_has_address, "if branch_fmt is 2 or 3", *TAIL)), 0, 0,
        ),
        _packet("jump_target", (ANY_SUBFORMAT, INDEX, BRANCHES, BRANCH_MAP, IRREPORT, IRDEPTH), 0, 1),
        _packet("branch_map", (BRANCHES, FULL_MAP, *_if(_has_branches, BRANCHED, *TAIL)), 1),
        _packet("address", TAIL, 2),
        _packet("start", (SUBFORMAT, BRANCH, PRIVILEGE, TIME, CONTEXT, FULL), 3, 0),
        _packet(
            "trap",
            (SUBFORMAT, BRANCH, PRIVILEGE, TIME, CONTEXT, *CAUSE, THADDR, *_if(_is_explicit, EXPLICIT, FULL),
             *_if(_is_exception, "for exceptions", TVAL)), 3, 1,
        ),
        _packet("context", (SUBFORMAT, PRIVILEGE, TIME, CONTEXT), 3, 2),
        _packet("support", (*SUPPORT, *DATA_TRACE), 3, 3),
    ),
    "v2_0",
)  # fmt: skip
DRAFT = Table(
    (
        _packet(
            "branch_map",
            (BRANCHES, *_if(_has_no_branches, "if branches is 0", DRAFT_FORM),
             *_if(_is_mapped, "if branch_fmt is 0", FULL_MAP), *_if(_is_counted, "if branch_fmt is 1", *DRAFT_COUNT),
             *_if(_has_branches, BRANCHED, DIFFERENTIAL)), 1,
        ),
        _packet("address", (DIFFERENTIAL,), 2),
        _packet("start", (SUBFORMAT, CONTEXT, PRIVILEGE, BRANCH, FULL), 3, 0),
        _packet(
            "trap",
            (SUBFORMAT, CONTEXT, PRIVILEGE, BRANCH, *_if(_is_explicit, EXPLICIT, FULL), *CAUSE,
             *_if(lambda c, v: not c.notval_p, "if notval_p is 0", TVAL)), 3, 1,
        ),
        _packet("context", (SUBFORMAT, CONTEXT), 3, 2),
        _packet("support", SUPPORT, 3, 3),
    ),
    "draft_0_026",
)  # fmt: skip
TABLES: dict[str, Table[MessageType]] = {"v2_0": V2_0, "draft_0_026": DRAFT}


def formats(variant: str) -> dict[str, MessageType]:
    """The packets of a variant by name."""
    return TABLES[variant].by_name


def field_of(key: str) -> Field | None:
    """A field by its key, as the first table that has it says."""
    return next((table.fields[key] for table in TABLES.values() if key in table.fields), None)


def field_clauses() -> dict[str, str]:
    """The clause of each field that has one of its own; the form of others is ET.pay.fields."""
    return {f.key: f.clause for table in TABLES.values() for f in table.fields.values() if f.clause}


def field_text(key: str, value: int) -> str:
    """A field's value for people."""
    found = field_of(key)
    return str(value) if found is None else found.text(value)


def options_of(ioptions: int) -> dict[str, int]:
    """The bits of a support packet's ioptions by name."""
    return {name: ioptions >> bit & 1 for bit, name in enumerate(OPTIONS)}
