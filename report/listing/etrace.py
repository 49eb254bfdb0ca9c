# SPDX-License-Identifier: Apache-2.0
"""How `make decode` shows an E-Trace file: packets, below each the instructions and events it reports, damage in
its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.decoder.decode import DecodedTrace, Decoder, decode_bytes
from rvtrace.models.etrace.decoder.deframe import OF_TRANSPORT, Damage, Deframer, deframe
from rvtrace.models.etrace.decoder.events import Diagnostic
from rvtrace.models.etrace.table import options_of
from rvtrace.report.listing.common import INDENT, Lines
from rvtrace.report.viewer_traces import of_etrace
from rvtrace.scoreboards.common.captured import Part

viewed = of_etrace  # `make view`
BYTES_SHOWN = 12
LAST = 1 << 62  # after every packet


def decode(files: TraceFiles, limit: int, partial: bool, part: Part | None = None) -> DecodedTrace:
    """The whole trace; a partial one may begin in the middle of a packet. Or a part of it, its support packet first."""
    assert files.program is not None
    if part is None:
        return decode_bytes(files.data, files.program, files.config, limit, joined=partial)
    decoder, deframer = Decoder(files.program, files.config, limit), Deframer(files.config, position=part.begin)
    if part.support:
        decoder.feed(part.support)
    for found in (*deframer.pieces(files.data), *deframer.rest()):
        if isinstance(found, Damage):
            decoder.damage(found)
        else:
            decoder.take(found.data, found.rows)
    return decoder.finish()


def _payloads(files: TraceFiles, joined: bool = False, part: Part | None = None) -> tuple[list[bytes], list[Damage]]:
    """Those of the bytes; of a part with its support packet before them."""
    payloads, _, damage = deframe(files.data, files.config, joined, None if part is None else part.begin)
    if part is not None and part.support:
        return [part.support, *payloads], [found._replace(packet=found.packet + 1) for found in damage]
    return payloads, damage


class _Own(NamedTuple):
    """Which packets are a part's own: the first, and the first after them (LAST if nothing comes after it). number, at:
    of the first packet and byte of the part in the trace, to be added.
    """

    first: int = 0
    after: int = LAST
    number: int = 0
    at: int = 0

    @classmethod
    def of(cls, part: Part | None) -> _Own:
        """Those of a part; of a whole trace all."""
        if part is None:
            return cls()
        support = bool(part.support)
        after = LAST if part.after is None else part.after - part.packet + support
        return cls(support + 1 if part.number else 0, after, part.packet - support, part.begin)

    def has(self, packet: int) -> bool:
        """Whether one is, by its number in the part."""
        return self.first <= packet < self.after

    def placed(self, found: Diagnostic) -> Diagnostic:
        """A diagnostic of the part as one of the trace."""
        offset = found.offset if found.offset < 0 else self.at + found.offset
        return found._replace(packet=self.number + found.packet, offset=offset)


def packet_line(number: int, payload: bytes, what: Any) -> str:
    """Number, payload, name and fields of one packet."""
    shown = payload[:BYTES_SHOWN].hex(" ") + (" .." if len(payload) > BYTES_SHOWN else "")
    return f"{number:>7}  {shown:<{3 * BYTES_SHOWN + 1}} {what}\n"


def listing(
    files: TraceFiles, trace: DecodedTrace, messages: bool, pcs: bool, part: Part | None = None
) -> Iterator[str]:
    """The lines: packets, instructions and events below the packet that encodes them, damage in its place. part: of
    the trace, if `files` has no more than that; what is not its own is left out.
    """
    assert files.program is not None
    line_of, own = Lines(files.program), _Own.of(part)
    payloads, _ = _payloads(files, part=part)
    if len(payloads) != len(trace.packets):
        payloads, _ = _payloads(files, joined=True)
    faults = defaultdict(list)
    for found in trace.diagnostics:
        if own.has(found.packet):
            faults[found.packet].append(own.placed(found))
    event = 0
    while event < len(trace.events) and trace.events[event].packet < own.first:
        event += 1
    for number, (payload, packet) in enumerate(zip(payloads, trace.packets)):
        if not own.has(number):
            continue
        if messages:
            yield packet_line(own.number + number, payload, packet if packet is not None else "(no packet)")
        yield from (f"!!  {found}\n" for found in faults.pop(number, ()))
        if not pcs:
            continue
        at = int(trace.first_pc[number])
        end = int(trace.first_pc[number + 1]) if number + 1 < len(trace.first_pc) else len(trace.pcs)
        while event < len(trace.events) and trace.events[event].packet <= number:
            happened = trace.events[event]
            yield from map(line_of, trace.pcs[at : happened.index].tolist(), trace.taken[at : happened.index].tolist())
            at = max(at, happened.index)
            yield f"{INDENT}-- {happened.kind}: {happened.text}\n"
            event += 1
        yield from map(line_of, trace.pcs[at:end].tolist(), trace.taken[at:end].tolist())
    yield from (f"!!  {found}\n" for rest in faults.values() for found in rest)


class Totals(NamedTuple):
    """A trace, or some parts of it, in numbers. size: bytes of payloads; places: diagnostics; first: of them; last: the
    name of the last packet, "" if it is none.
    """

    packets: int
    size: int
    instructions: int
    traps: int
    places: int
    first: Diagnostic | None
    last: str

    @classmethod
    def of(cls, files: TraceFiles, trace: DecodedTrace, part: Part | None = None) -> Totals:
        """Of what is its own."""
        own, known = _Own.of(part), trace.first_pc
        payloads = _payloads(files, part=part)[0][own.first : own.after]
        begin, end = (int(known[n]) if n < len(known) else len(trace) for n in (own.first, own.after))
        found = [own.placed(d) for d in trace.diagnostics if own.has(d.packet)]
        packet = trace.packets[min(own.after, len(trace.packets)) - 1] if trace.packets else None
        return cls(
            len(payloads),
            sum(map(len, payloads)),
            end - begin,
            sum(e.kind == "trap" and own.has(e.packet) for e in trace.events),
            len(found),
            found[0] if found else None,
            "" if packet is None else packet.name,
        )

    def joined(self, later: Totals) -> Totals:
        """With those of the part that comes after it."""
        return Totals(*(a + b for a, b in zip(self[:5], later[:5])), first=self.first or later.first, last=later.last)


def fault(files: TraceFiles, trace: DecodedTrace, partial: bool) -> str | None:
    """What is wrong with the trace as one sentence with a way out, None if all of it was decoded."""
    return fault_of(files, Totals.of(files, trace)._replace(packets=len(trace.packets)), partial)


def fault_of(files: TraceFiles, totals: Totals, partial: bool) -> str | None:
    """The same of a trace that was decoded in parts."""
    first, places = totals.first, totals.places
    if first is not None:
        where = (
            f"in {places} place{'s' if places > 1 else ''}, first at packet {first.packet}: {first.text}"
            f" [{first.clause}]"
        )
        if first.clause.startswith(OF_TRANSPORT):
            if partial and first.packet + 1 >= totals.packets:
                return None
            return f"{files.trace} is damaged {where}; capture it again, or check ENCAPSULATION, FRAMING and CONFIG"
        return (
            f"{files.trace} does not fit {files.elf} {where}; give the ELF that was traced and the CONFIG of its"
            " encoder, or capture again"
        )
    if partial:
        return None
    if totals.last != "support":
        return (
            f"{files.trace} ends while tracing is on, without a support packet, so it may be truncated; give PARTIAL=1"
            " if the hart was still running, else capture again"
        )
    return None


def summary(files: TraceFiles, trace: DecodedTrace) -> str:
    """The last line of the listing."""
    return summary_of(files, Totals.of(files, trace))


def summary_of(files: TraceFiles, totals: Totals) -> str:
    """The same of a trace that was decoded in parts."""
    size, instructions = totals.size, totals.instructions
    bits = f", {8 * size / instructions:.3f} bits per instruction" if instructions else ""
    return (
        f"# {totals.packets:,} packets, {size:,} payload bytes, {instructions:,} instructions, {totals.traps:,}"
        f" traps{bits}\n"
    )


def alone(files: TraceFiles) -> tuple[list[str], str | None]:
    """Listing and fault without a program."""
    lines, found = alone_part(files)
    return [*lines, alone_summary(found)], alone_fault(files, found)


def alone_part(files: TraceFiles, part: Part | None = None) -> tuple[list[str], tuple[int, int]]:
    """The lines without a program; packets, and places that are damaged. part: as in `listing`."""
    own = _Own.of(part)
    payloads, damage = _payloads(files, part=part)
    damage = [found for found in damage if own.has(found.packet)]
    options, lines, bad, packets = files.config.options, list[str](), len(damage), 0
    wrong: dict[int, list[str]] = defaultdict(list)
    for found in damage:
        wrong[found.packet].append(f"!!  byte {own.at + found.offset:#x}: {found.text} [{found.clause}]\n")
    for number, payload in enumerate(payloads):
        text: Any
        try:
            text = packet = unpack(payload, files.config, options)
            if packet.name == "support":
                options = options_of(packet.get("ioptions", 0))
        except PacketError as error:
            text, packet = f"!! {error}", None
        if own.has(number):
            bad, packets = bad + (packet is None), packets + 1
            lines += [*wrong.pop(number, ()), packet_line(own.number + number, payload, text)]
    return [*lines, *(line for rest in wrong.values() for line in rest)], (packets, bad)


def alone_summary(found: tuple[int, int]) -> str:
    """The last line. found: as `alone_part` counts."""
    return f"# {found[0]:,} packets\n"


def alone_fault(files: TraceFiles, found: tuple[int, int]) -> str | None:
    """What is wrong with the bytes as one sentence with a way out, None if nothing is."""
    return f"{files.trace} is damaged in {found[1]} places; capture it again, or check CONFIG" if found[1] else None
