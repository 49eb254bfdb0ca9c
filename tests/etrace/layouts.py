# SPDX-License-Identifier: Apache-2.0
"""The packets once more, bit by bit, from the tables of the payload chapter: what the field tables of models/etrace are
checked against.

Bits are text, the first one sent first. `payload(name, values, config, options)` is the shortest payload of a packet;
values are those of `rvtrace.models.etrace.table.Packet` (flags before the XOR, addresses shifted). Nothing here reads
the tables or the codec of models/etrace.
"""

from dataclasses import dataclass
from typing import Any

from rvtrace.models.etrace.config import Config
from tests.common.packers import lsb_first, octets

Values = dict[str, Any]


@dataclass
class Part:
    """A field: its name and bits, the first one sent first; a flag is sent as the XOR with the bit before it."""

    name: str
    bits: str
    flag: bool = False


Fields = list[Part]
MAP_BITS = {  # branches: bits of branch_map
    "v2_0": (
        {1: 1}
        | dict.fromkeys((2, 3), 3)
        | dict.fromkeys(range(4, 8), 7)
        | dict.fromkeys(range(8, 16), 15)
        | dict.fromkeys(range(16, 32), 31)
    ),
    "draft_0_026": (
        {1: 1}
        | dict.fromkeys(range(2, 10), 9)
        | dict.fromkeys(range(10, 18), 17)
        | dict.fromkeys(range(18, 26), 25)
        | dict.fromkeys(range(26, 32), 31)
    ),
}


def cut(bits: str) -> bytes:
    """Whole bytes by repeating the last bit, then without the last bytes that only repeat it."""
    bits += bits[-1] * (-len(bits) % 8)
    while len(bits) > 8 and len(set(bits[-9:])) == 1:
        bits = bits[:-8]
    return octets(bits)


def payload(name: str, v: Values, c: Config, o: dict[str, int]) -> bytes:
    """The payload of one packet. v: its values; c: the parameters; o: the options in force."""
    return cut(joined(fields_of(name, v, c, o), v))


def fields_of(name: str, v: Values, c: Config, o: dict[str, int]) -> Fields:
    """The fields of one packet, in the order of transmission."""
    return (_draft if c.variant == "draft_0_026" else _ratified)(name, v, c, o)


def joined(fields: Fields, v: Values) -> str:
    """The bits of a packet. Flags are sent as the XOR with the bit before; irdepth without a report repeats it."""
    bits = ""
    for part in fields:
        if part.flag and part.name == "irdepth":
            bits += part.bits if v.get("irreport") else bits[-1] * len(part.bits)
        elif part.flag:
            bits += str(int(bits[-1]) ^ int(part.bits))
        else:
            bits += part.bits
    return bits


def _part(name: str, value: int | None, width: int) -> Part:
    return Part(name, lsb_first(value or 0, width))


def _tail(v: Values, c: Config) -> Fields:
    return [
        _part("address", v["address"], c.iaddress_width_p - c.iaddress_lsb_p),
        *(Part(name, str(v.get(name, 0)), True) for name in ("notify", "updiscon")),
        *_report(v, c),
    ]


def _report(v: Values, c: Config) -> Fields:
    depth = c.return_stack_size_p + (c.return_stack_size_p > 0) + c.call_counter_size_p
    irdepth = [Part("irdepth", lsb_first(v.get("irdepth") or 0, depth), True)] if depth else []
    return [Part("irreport", str(v.get("irreport", 0)), True), *irdepth]


def _owner(v: Values, c: Config) -> Fields:
    return [
        _part("privilege", v.get("privilege"), c.privilege_width_p),
        *([] if c.notime_p or not c.time_width_p else [_part("time", v.get("time"), c.time_width_p)]),
        *([] if c.nocontext_p or not c.context_width_p else [_part("context", v.get("context"), c.context_width_p)]),
    ]


def _head(format: int, subformat: int | None = None, width: int = 2) -> Fields:
    return [_part("format", format, 2), *([_part("subformat", subformat, width)] if subformat is not None else [])]


def _ratified(name: str, v: Values, c: Config, o: dict[str, int]) -> Fields:
    whole = c.iaddress_width_p - c.iaddress_lsb_p
    if name == "branch_count":
        head = [
            *_head(0, 0, c.f0s_width_p),
            _part("branch_count", v["branch_count"], 32),
            _part("branch_fmt", v["branch_fmt"], 2),
        ]
        return head if v["branch_fmt"] == 0 else head + _tail(v, c)
    if name in ("jump_target", "branch_map"):
        jump = name == "jump_target"
        head = [*_head(0, 1, c.f0s_width_p), _part("index", v["index"], c.cache_size_p)] if jump else _head(1)
        mapped = v["branches"] or (0 if jump else 31)
        head.append(_part("branches", v["branches"], 5))
        if mapped:
            head.append(_part("branch_map", v["branch_map"], MAP_BITS["v2_0"][mapped]))
        if jump:
            return head + _report(v, c)
        return head + _tail(v, c) if v["branches"] else head
    if name == "address":
        return _head(2) + _tail(v, c)
    branch, address = _part("branch", v.get("branch"), 1), _part("address", v.get("address"), whole)
    if name == "start":
        return [*_head(3, 0), branch, *_owner(v, c), address]
    if name == "trap":
        return [
            *_head(3, 1), branch, *_owner(v, c),
            _part("ecause", v["ecause"], c.ecause_width_p), _part("interrupt", v["interrupt"], 1),
            _part("thaddr", v["thaddr"], 1), *([] if o["implicit_exception"] and v["thaddr"] else [address]),
            *([] if v["interrupt"] else [_part("tval", v.get("tval"), c.iaddress_width_p)]),
        ]  # fmt: skip
    if name == "context":
        return [*_head(3, 2), *_owner(v, c)]
    return [
        *_support(v, c), _part("denable", v.get("denable"), 1), _part("dloss", v.get("dloss"), 1),
        *([_part("doptions", v.get("doptions"), c.doptions_n)] if c.doptions_n else []),
    ]  # fmt: skip


def _support(v: Values, c: Config) -> Fields:
    return [
        *_head(3, 3), _part("ienable", v["ienable"], 1), _part("encoder_mode", v["encoder_mode"], c.encoder_mode_n),
        _part("qual_status", v["qual_status"], 2), _part("ioptions", v["ioptions"], c.ioptions_n),
    ]  # fmt: skip


def _draft(name: str, v: Values, c: Config, o: dict[str, int]) -> Fields:
    privilege = _part("privilege", v.get("privilege"), c.privilege_width_p)
    context = [] if c.nocontext_p or not c.context_width_p else [_part("context", v.get("context"), c.context_width_p)]
    address = _part("address", v.get("address"), c.iaddress_width_p - c.iaddress_lsb_p)
    branch = _part("branch", v.get("branch"), 1)
    if name == "branch_map":
        head = [*_head(1), _part("branches", v["branches"], 5)]
        if v["branches"]:
            return [*head, _part("branch_map", v["branch_map"], MAP_BITS["draft_0_026"][v["branches"]]), address]
        head.append(_part("branch_fmt", v["branch_fmt"], 1))
        if v["branch_fmt"]:
            return [*head, _part("branch_count", v["branch_count"], 16), _part("no_mispred", v["no_mispred"], 1)]
        return [*head, _part("branch_map", v["branch_map"], 31)]
    if name == "address":
        return [*_head(2), address]
    if name == "start":
        return [*_head(3, 0), *context, privilege, branch, address]
    if name == "trap":
        return [
            *_head(3, 1), *context, privilege, branch, *([] if o["implicit_exception"] else [address]),
            _part("ecause", v["ecause"], c.ecause_width_p), _part("interrupt", v["interrupt"], 1),
            *([] if c.notval_p else [_part("tval", v.get("tval"), c.iaddress_width_p)]),
        ]  # fmt: skip
    if name == "context":
        return [*_head(3, 2), *context]
    return _support(v, c)
