# SPDX-License-Identifier: Apache-2.0
"""Packets as a device with a bug in its packer sends them: fields as text, one deviation exchanged for each bug.

    payloads = Deviant(config, [DEVIATIONS["tval_for_interrupts"]]).payloads(packets, options)

Fields are those of `layouts`, from the tables of the payload chapter; nothing here reads the codec
of models/etrace or the dialects of the scoreboards. A deviation changes the values of a packet, its fields, or the
bytes that are sent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS, Packet, options_of
from tests.common.packers import octets
from tests.etrace.layouts import Fields, Part, Values, cut, fields_of, joined

FLOW, SYNC = ("branch_count", "jump_target", "branch_map", "address"), ("start", "trap", "context")


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
        fields = fields_of(packet.name, values, self.config, options)
        for deviation in self.deviations:
            if deviation.fields is not None:
                fields = deviation.fields(packet.name, fields, values, self.config)
        bits = joined(fields, values)
        finish = next((d.finish for d in self.deviations if d.finish is not None), cut)
        payload = finish(bits)
        for deviation in self.deviations:
            if deviation.sent is not None:
                payload = deviation.sent(payload)
        return payload


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
    return octets(bits)


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
