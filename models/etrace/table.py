# SPDX-License-Identifier: Apache-2.0
"""The packets of E-Trace as data: one table of fields for each variant; packer, unpacker, printers, checks and coverage
read it.

A field's width may depend on the configuration and on the fields before it, so a variant (a third one as well) is
another table and nothing else. Values are logical: `notify`, `updiscon` and `irreport` are flags (1: differs from the
bit before), addresses are shifted by iaddress_lsb_p and, in formats 0 to 2, differences unless option full_address is
on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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

Values = Mapping[str, Any]
Width = Callable[[Any, Values], int]  # (config, values of the fields before) to bits; 0: the field is absent


class Field(NamedTuple):
    """A field: plain bits; a flag, sent as the XOR with the bit before; filled: all bits equal the bit before unless
    irreport is set; or options: bits in the order of the configuration's ioptions_layout.
    """

    name: str
    width: Width
    kind: str = "plain"  # "plain", "flag", "filled" or "options"
    signed: bool = False  # an address difference


@dataclass(frozen=True)
class Format:
    """A packet layout. name: for people. select: values of the fields that select it (format, subformat). fields: after
    `format`, in order.
    """

    name: str
    select: dict[str, int]
    fields: tuple[Field, ...]


@dataclass
class Packet:
    """A packet. name: of its `Format`. values: of its fields, logical; an absent field is missing. irdepth is None
    where it says nothing.
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
        hexes = ("address", "tval", "context", "branch_map", "time")
        shown = (
            f"{n}={v:#x}" if n in hexes and isinstance(v, int) else f"{n}={v}"
            for n, v in self.values.items()
            if v is not None
        )
        return f"{self.name}({' '.join(s for s in shown if not s.startswith(('format=', 'subformat=')))})"


def map_length(variant: str, branches: int) -> int:
    """Bits of a branch_map for that many branches; ValueError above 31."""
    if branches > MAX_BRANCHES:
        raise ValueError(f"{branches} branches do not fit a branch_map; it holds {MAX_BRANCHES}")
    return next(n for n in MAP_LENGTHS[variant] if n >= branches)


def _bits(n: int) -> Width:
    return lambda c, v: n


def _config(name: str) -> Width:
    return lambda c, v: getattr(c, name)


def _when(test: Callable[[Any, Values], Any], width: Width) -> Width:
    return lambda c, v: width(c, v) if test(c, v) else 0


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


def _tail(test: Callable[[Any, Values], Any] = lambda c, v: True) -> tuple[Field, ...]:
    return (
        Field("address", _when(test, _address), signed=True), Field("notify", _when(test, _bits(1)), "flag"),
        Field("updiscon", _when(test, _bits(1)), "flag"), Field("irreport", _when(test, _bits(1)), "flag"),
        Field("irdepth", _when(test, _irdepth), "filled"),
    )  # fmt: skip


def _drafted(test: Callable[[Any, Values], Any] = lambda c, v: True) -> tuple[Field, ...]:
    return (Field("address", _when(test, _address), signed=True),)


_SUB = Field("subformat", _bits(2))
_PRIVILEGE, _TIME, _CONTEXT = (
    Field("privilege", _config("privilege_width_p")),
    Field("time", _time),
    Field("context", _context),
)
_FULL = Field("address", _address)
_BRANCH = Field("branch", _bits(1))
_CAUSE = (Field("ecause", _config("ecause_width_p")), Field("interrupt", _bits(1)))
_BRANCHES = Field("branches", _bits(5))


def _explicit(c: Any, v: Values) -> bool:
    """Whether 3.1 has an address: implicit_exception leaves that of a trap handler out."""
    return not (v["options"]["implicit_exception"] and v.get("thaddr", 1))


TABLES: dict[str, tuple[Format, ...]] = {
    "v2_0": (
        Format(
            "branch_count",
            {"format": 0, "subformat": 0},
            (
                Field("subformat", _config("f0s_width_p")),
                Field("branch_count", _bits(32)),
                Field("branch_fmt", _bits(2)),
                *_tail(lambda c, v: v["branch_fmt"] >= 2),
            ),
        ),
        Format(
            "jump_target",
            {"format": 0, "subformat": 1},
            (
                Field("subformat", _config("f0s_width_p")),
                Field("index", _config("cache_size_p")),
                _BRANCHES,
                Field("branch_map", _map),
                Field("irreport", _bits(1), "flag"),
                Field("irdepth", _irdepth, "filled"),
            ),
        ),
        Format(
            "branch_map", {"format": 1}, (_BRANCHES, Field("branch_map", _full_map), *_tail(lambda c, v: v["branches"]))
        ),
        Format("address", {"format": 2}, _tail()),
        Format("start", {"format": 3, "subformat": 0}, (_SUB, _BRANCH, _PRIVILEGE, _TIME, _CONTEXT, _FULL)),
        Format(
            "trap",
            {"format": 3, "subformat": 1},
            (
                _SUB,
                _BRANCH,
                _PRIVILEGE,
                _TIME,
                _CONTEXT,
                *_CAUSE,
                Field("thaddr", _bits(1)),
                Field("address", _when(_explicit, _address)),
                Field("tval", _when(lambda c, v: not v["interrupt"], _config("iaddress_width_p"))),
            ),
        ),
        Format("context", {"format": 3, "subformat": 2}, (_SUB, _PRIVILEGE, _TIME, _CONTEXT)),
        Format(
            "support",
            {"format": 3, "subformat": 3},
            (
                _SUB,
                Field("ienable", _bits(1)),
                Field("encoder_mode", _config("encoder_mode_n")),
                Field("qual_status", _bits(2)),
                Field("ioptions", _ioptions, "options"),
                Field("denable", _bits(1)),
                Field("dloss", _bits(1)),
                Field("doptions", _config("doptions_n")),
            ),
        ),
    ),
    "draft_0_026": (
        Format(
            "branch_map",
            {"format": 1},
            (
                _BRANCHES,
                Field("branch_fmt", _when(lambda c, v: not v["branches"], _bits(1))),
                Field("branch_map", _when(lambda c, v: not v.get("branch_fmt"), _full_map)),
                Field("branch_count", _when(lambda c, v: v.get("branch_fmt"), _bits(16))),
                Field("no_mispred", _when(lambda c, v: v.get("branch_fmt"), _bits(1))),
                *_drafted(lambda c, v: v["branches"]),
            ),
        ),
        Format("address", {"format": 2}, _drafted()),
        Format("start", {"format": 3, "subformat": 0}, (_SUB, _CONTEXT, _PRIVILEGE, _BRANCH, _FULL)),
        Format(
            "trap",
            {"format": 3, "subformat": 1},
            (
                _SUB,
                _CONTEXT,
                _PRIVILEGE,
                _BRANCH,
                Field("address", _when(_explicit, _address)),
                *_CAUSE,
                Field("tval", lambda c, v: 0 if c.notval_p else c.iaddress_width_p),
            ),
        ),
        Format("context", {"format": 3, "subformat": 2}, (_SUB, _CONTEXT)),
        Format(
            "support",
            {"format": 3, "subformat": 3},
            (
                _SUB,
                Field("ienable", _bits(1)),
                Field("encoder_mode", _config("encoder_mode_n")),
                Field("qual_status", _bits(2)),
                Field("ioptions", _ioptions, "options"),
            ),
        ),
    ),
}


def formats(variant: str) -> dict[str, Format]:
    """The layouts of a variant by name."""
    return {f.name: f for f in TABLES[variant]}


def options_of(ioptions: int) -> dict[str, int]:
    """The bits of a support packet's ioptions by name."""
    return {name: ioptions >> bit & 1 for bit, name in enumerate(OPTIONS)}
