# SPDX-License-Identifier: Apache-2.0
"""Packets as a device with a bug in its packer sends them: fields as text, one deviation exchanged for each bug.

    payloads = Deviant(config, [DEVIATIONS["tval_for_interrupts"]]).payloads(packets, options)

Fields are written from the tables of the payload chapter with the functions of `layouts`; nothing here reads the codec
of models/etrace or the dialects of the scoreboards. A deviation changes the values of a packet, its fields, or the
bytes that are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS, Packet, options_of
from tests.etrace.layouts import MAP_BITS, cut, n

Values = dict[str, Any]
FLAGS = ("notify", "updiscon", "irreport")
FLOW, SYNC = ("branch_count", "jump_target", "branch_map", "address"), ("start", "trap", "context")


@dataclass
class Part:
    """A field: its name and bits, the first one sent first; a flag is sent as the XOR with the bit before it."""

    name: str
    bits: str
    flag: bool = False


Fields = list[Part]


@dataclass(frozen=True)
class Deviation:
    """One bug. names: a regular expression for the text of the finding that names it. clauses: those that it may have.

    values: changes the values of a packet, with a memory of the run. fields: changes the fields of a packet. finish:
    makes a payload of the bits of all fields. sent: changes the bytes of a payload. variants, needs: where it makes a
    difference: the variant of the specification, options of a run, and a
    scenario in place of a random walk. Deviations of one group
    exclude each other.
    """

    name: str
    names: str
    clauses: tuple[str, ...]
    values: Callable[[str, Values, Config, dict[str, Any]], None] | None = None
    fields: Callable[[str, Fields, Values, Config], Fields] | None = None
    sent: Callable[[bytes], bytes] | None = None
    finish: Callable[[str], bytes] | None = None
    variants: tuple[str, ...] = ("v2_0", "draft_0_026")
    needs: tuple[tuple[str, Any], ...] = ()
    scenario: str = ""
    group: str = ""


class Deviant:
    """Packs the packets of one run."""

    def __init__(self, config: Config, deviations: Sequence[Deviation]) -> None:
        self.config, self.deviations = config, deviations
        self.memory: dict[str, dict[str, Any]] = {d.name: {} for d in deviations}

    def payloads(self, packets: Sequence[Packet], options: Sequence[int]) -> list[bytes]:
        """As the device sends them. options: ioptions in force for each."""
        return [self._payload(p, options_of(o)) for p, o in zip(packets, options)]

    def _payload(self, packet: Packet, options: dict[str, int]) -> bytes:
        values: Values = {"interrupt": 0, "thaddr": 1, **packet.values}
        for deviation in self.deviations:
            if deviation.values is not None:
                deviation.values(packet.name, values, self.config, self.memory[deviation.name])
        write = _draft if self.config.variant == "draft_0_026" else _ratified
        fields = write(packet.name, values, self.config, options)
        for deviation in self.deviations:
            if deviation.fields is not None:
                fields = deviation.fields(packet.name, fields, values, self.config)
        bits = ""
        for part in fields:
            if part.flag and part.name == "irdepth":
                bits += part.bits if values.get("irreport") else bits[-1] * len(part.bits)
            elif part.flag:
                bits += str(int(bits[-1]) ^ int(part.bits))
            else:
                bits += part.bits
        finish = next((d.finish for d in self.deviations if d.finish is not None), cut)
        payload = finish(bits)
        for deviation in self.deviations:
            if deviation.sent is not None:
                payload = deviation.sent(payload)
        return payload


def _part(name: str, value: int | None, width: int) -> Part:
    return Part(name, n(value or 0, width))


def _tail(v: Values, c: Config) -> Fields:
    depth = c.return_stack_size_p + (c.return_stack_size_p > 0) + c.call_counter_size_p
    return [
        *([_part("address", v["address"], c.iaddress_width_p - c.iaddress_lsb_p)] if "address" in v else []),
        *(
            [Part(name, str(v.get(name, 0)), True) for name in (FLAGS if "address" in v else ("irreport",))]
            + ([Part("irdepth", n(v.get("irdepth") or 0, depth), True)] if depth else [])
        ),
    ]  # fmt: skip


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
        head = (
            [*_head(0, 1, c.f0s_width_p), _part("index", v["index"], c.cache_size_p)]
            if name == "jump_target"
            else _head(1)
        )
        mapped = v["branches"] or (31 if name == "branch_map" else 0)
        head.append(_part("branches", v["branches"], 5))
        if mapped:
            head.append(_part("branch_map", v["branch_map"], MAP_BITS["v2_0"][mapped]))
        return head if name == "branch_map" and not v["branches"] else head + _tail(v, c)
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


# Ways to change fields


def resized(name: str, width: int | Callable[[int], int], packets: tuple[str, ...] = ()) -> Callable[..., Fields]:
    """A field with other bits: cut, or with zeros above; none for 0."""

    def change(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        made: Fields = []
        for part in fields:
            if part.name == name and (not packets or packet in packets):
                bits = width if isinstance(width, int) else width(len(part.bits))
                part.bits = part.bits[:bits].ljust(bits, "0")
                made += [part] if bits else []
            else:
                made.append(part)
        return made

    return change


def moved(name: str, before: str, packets: tuple[str, ...] = ()) -> Callable[..., Fields]:
    """A field right before another one, where both are present; "" for the end."""

    def change(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        names = [p.name for p in fields]
        if name not in names or (before and before not in names) or (packets and packet not in packets):
            return fields
        part = fields.pop(names.index(name))
        at = next((i for i, p in enumerate(fields) if p.name == before), len(fields))
        return [*fields[:at], part, *fields[at:]]

    return change


def inserted(before: str, bits: str, packets: tuple[str, ...] = ()) -> Callable[..., Fields]:
    """Bits that the specification does not have."""

    def change(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        made: Fields = []
        for part in fields:
            made += [Part("", bits)] if part.name == before and (not packets or packet in packets) else []
            made.append(part)
        return made

    return change


def of_bits(name: str, change: Callable[[str], str]) -> Callable[..., Fields]:
    """A field whose bits are changed."""

    def changed(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        for part in fields:
            part.bits = change(part.bits) if part.name == name else part.bits
        return fields

    return changed


def plain(*names: str) -> Callable[..., Fields]:
    """Flags that are sent as they are."""

    def changed(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
        for part in fields:
            part.flag = part.flag and part.name not in names
        return fields

    return changed


def valued(name: str, change: Callable[[int], int]) -> Callable[..., None]:
    """A value that is changed."""

    def changed(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
        if v.get(name) is not None:
            v[name] = change(v[name])

    return changed


def tail_first(packet: str, fields: Fields, v: Values, c: Config) -> Fields:
    """The flags on the other side of the address."""
    at = next((i for i, p in enumerate(fields) if p.name == "address"), None)
    if packet not in FLOW or at is None:
        return fields
    return [*fields[:at], *fields[at + 1 :], fields[at]]


def zeros(bits: str) -> bytes:
    """Whole bytes without the last ones that are 0, with no look at the sign."""
    bits += "0" * (-len(bits) % 8)
    while len(bits) > 8 and set(bits[-8:]) == {"0"}:
        bits = bits[:-8]
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def option_bits(order: Callable[[list[str]], list[str]]) -> Callable[..., None]:
    """ioptions with its bits in another order."""

    def changed(packet: str, v: Values, c: Config, memory: dict[str, Any]) -> None:
        if packet == "support":
            bits = {name: v["ioptions"] >> bit & 1 for bit, name in enumerate(OPTIONS)}
            v["ioptions"] = sum(bits.get(name, 0) << place for place, name in enumerate(order(list(OPTIONS))))

    return changed


def full_map(v: Values) -> int:
    """Branches in the map."""
    return v["branches"] or 31
