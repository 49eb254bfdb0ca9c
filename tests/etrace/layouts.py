# SPDX-License-Identifier: Apache-2.0
"""The packets once more, bit by bit, from the tables of the payload chapter: what the field tables of models/etrace are
checked against.

Bits are text, the first one sent first. `payload(name, values, config, options)` is the shortest payload of a packet;
values are those of `rvtrace.models.etrace.table.Packet` (flags before the XOR, addresses shifted). Nothing here reads
the tables or the codec of models/etrace.
"""

from __future__ import annotations

from typing import Any

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


def n(value: int, width: int) -> str:
    """A field: its bits, the least significant first."""
    return "".join(str(value >> bit & 1) for bit in range(width))


def cut(bits: str) -> bytes:
    """Whole bytes by repeating the last bit, then without the last bytes that only repeat it."""
    bits += bits[-1] * (-len(bits) % 8)
    while len(bits) > 8 and len(set(bits[-9:])) == 1:
        bits = bits[:-8]
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def payload(name: str, v: dict[str, Any], c: Any, o: dict[str, int]) -> bytes:
    """The payload of one packet. v: its values; c: the parameters; o: the options in force."""
    return cut((_draft if c.variant == "draft_0_026" else _ratified)(name, v, c, o))


def _report(bits: str, v: dict[str, Any], c: Any) -> str:
    """irreport and irdepth after some bits."""
    width = c.return_stack_size_p + (1 if c.return_stack_size_p else 0) + c.call_counter_size_p
    bits += str(int(bits[-1]) ^ v["irreport"])
    return bits + (n(v.get("irdepth", 0), width) if v["irreport"] else bits[-1] * width)  # of width 0 there is none


def _tail(bits: str, v: dict[str, Any], c: Any) -> str:
    """address notify updiscon irreport irdepth after some bits."""
    bits += n(v["address"], c.iaddress_width_p - c.iaddress_lsb_p)
    bits += str(int(bits[-1]) ^ v["notify"])
    bits += str(int(bits[-1]) ^ v["updiscon"])
    return _report(bits, v, c)


def _ratified(name: str, v: dict[str, Any], c: Any, o: dict[str, int]) -> str:
    privilege = n(v.get("privilege", 0), c.privilege_width_p)
    time = "" if c.notime_p else n(v.get("time", 0), c.time_width_p)
    context = "" if c.nocontext_p else n(v.get("context", 0), c.context_width_p)
    whole = n(v.get("address", 0), c.iaddress_width_p - c.iaddress_lsb_p)
    if name == "branch_count":
        head = "00" + n(0, c.f0s_width_p) + n(v["branch_count"], 32) + n(v["branch_fmt"], 2)
        return head if v["branch_fmt"] == 0 else _tail(head, v, c)
    if name == "jump_target":
        head = "00" + n(1, c.f0s_width_p) + n(v["index"], c.cache_size_p) + n(v["branches"], 5)
        return _report(head + (n(v["branch_map"], MAP_BITS["v2_0"][v["branches"]]) if v["branches"] else ""), v, c)
    if name == "branch_map":
        if v["branches"] == 0:
            return "10" + "00000" + n(v["branch_map"], 31)
        return _tail("10" + n(v["branches"], 5) + n(v["branch_map"], MAP_BITS["v2_0"][v["branches"]]), v, c)
    if name == "address":
        return _tail("01", v, c)
    if name == "start":
        return "11" + "00" + n(v["branch"], 1) + privilege + time + context + whole
    if name == "trap":
        bits = "11" + "10" + n(v["branch"], 1) + privilege + time + context
        bits += n(v["ecause"], c.ecause_width_p) + n(v["interrupt"], 1) + n(v["thaddr"], 1)
        bits += "" if o["implicit_exception"] and v["thaddr"] else whole
        return bits + ("" if v["interrupt"] else n(v["tval"], c.iaddress_width_p))
    if name == "context":
        return "11" + "01" + privilege + time + context
    bits = "11" + "11" + n(v["ienable"], 1) + n(v["encoder_mode"], c.encoder_mode_n) + n(v["qual_status"], 2)
    return (
        bits
        + n(v["ioptions"], c.ioptions_n)
        + n(v["denable"], 1)
        + n(v["dloss"], 1)
        + n(v.get("doptions", 0), c.doptions_n)
    )


def _draft(name: str, v: dict[str, Any], c: Any, o: dict[str, int]) -> str:
    privilege = n(v.get("privilege", 0), c.privilege_width_p)
    context = "" if c.nocontext_p else n(v.get("context", 0), c.context_width_p)
    address = n(v.get("address", 0), c.iaddress_width_p - c.iaddress_lsb_p)
    if name == "branch_map":
        if v["branches"]:
            return "10" + n(v["branches"], 5) + n(v["branch_map"], MAP_BITS["draft_0_026"][v["branches"]]) + address
        if v["branch_fmt"]:
            return "10" + "00000" + "1" + n(v["branch_count"], 16) + n(v["no_mispred"], 1)
        return "10" + "00000" + "0" + n(v["branch_map"], 31)
    if name == "address":
        return "01" + address
    if name == "start":
        return "11" + "00" + context + privilege + n(v["branch"], 1) + address
    if name == "trap":
        bits = "11" + "10" + context + privilege + n(v["branch"], 1) + ("" if o["implicit_exception"] else address)
        bits += n(v["ecause"], c.ecause_width_p) + n(v["interrupt"], 1)
        return bits + ("" if c.notval_p else n(v["tval"], c.iaddress_width_p))
    if name == "context":
        return "11" + "01" + context
    return (
        "11"
        + "11"
        + n(v["ienable"], 1)
        + n(v["encoder_mode"], c.encoder_mode_n)
        + n(v["qual_status"], 2)
        + n(v["ioptions"], c.ioptions_n)
    )
