# SPDX-License-Identifier: Apache-2.0
"""How `make decode` shows an E-Trace file: packets, below each the instructions and events it reports, damage in
its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.decoder.decode import DecodedTrace, decode_bytes
from rvtrace.models.etrace.decoder.deframe import Damage, deframe
from rvtrace.models.etrace.table import options_of
from rvtrace.report.listing.common import INDENT, Lines

BYTES_SHOWN = 12


def decode(files: TraceFiles, limit: int, partial: bool) -> DecodedTrace:
    """The whole trace; a partial one may begin in the middle of a packet."""
    assert files.program is not None
    return decode_bytes(files.data, files.program, files.config, limit, joined=partial)


def _payloads(files: TraceFiles, joined: bool = False) -> tuple[list[bytes], list[Damage]]:
    payloads, _, damage = deframe(files.data, files.config, joined)
    return payloads, damage


def packet_line(number: int, payload: bytes, what: Any) -> str:
    """Number, payload, name and fields of one packet."""
    shown = payload[:BYTES_SHOWN].hex(" ") + (" .." if len(payload) > BYTES_SHOWN else "")
    return f"{number:>7}  {shown:<{3 * BYTES_SHOWN + 1}} {what}\n"


def listing(files: TraceFiles, trace: DecodedTrace, messages: bool, pcs: bool) -> Iterator[str]:
    """The lines: packets, instructions and events below the packet that encodes them, damage in its place."""
    assert files.program is not None
    line_of = Lines(files.program)
    payloads, _ = _payloads(files)
    if len(payloads) != len(trace.packets):
        payloads, _ = _payloads(files, joined=True)
    faults = defaultdict(list)
    for found in trace.diagnostics:
        faults[found.packet].append(found)
    event = 0
    for number, (payload, packet) in enumerate(zip(payloads, trace.packets)):
        if messages:
            yield packet_line(number, payload, packet if packet is not None else "(no packet)")
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


def fault(files: TraceFiles, trace: DecodedTrace, partial: bool) -> str | None:
    """What is wrong with the trace as one sentence with a way out, None if all of it was decoded."""
    if trace.diagnostics:
        first, places = trace.diagnostics[0], len(trace.diagnostics)
        where = (
            f"in {places} place{'s' if places > 1 else ''}, first at packet {first.packet}: {first.text}"
            f" [{first.clause}]"
        )
        if first.clause.startswith("ET.tra."):
            if partial and first.packet + 1 >= len(trace.packets):
                return None
            return f"{files.trace} is damaged {where}; capture it again, or check ENCAPSULATION, FRAMING and CONFIG"
        return (
            f"{files.trace} does not fit {files.elf} {where}; give the ELF that was traced and the CONFIG of its"
            " encoder, or capture again"
        )
    if partial:
        return None
    if not trace.packets or trace.packets[-1] is None or trace.packets[-1].name != "support":
        return (
            f"{files.trace} ends while tracing is on, without a support packet, so it may be truncated; give PARTIAL=1"
            " if the hart was still running, else capture again"
        )
    return None


def summary(files: TraceFiles, trace: DecodedTrace) -> str:
    """The last line of the listing."""
    payloads, _ = _payloads(files)
    size, instructions = sum(map(len, payloads)), len(trace.pcs)
    bits = f", {8 * size / instructions:.3f} bits per instruction" if instructions else ""
    traps = sum(e.kind == "trap" for e in trace.events)
    return (
        f"# {len(payloads):,} packets, {size:,} payload bytes, {instructions:,} instructions, {traps:,} traps{bits}\n"
    )


def alone(files: TraceFiles) -> tuple[list[str], str | None]:
    """Listing and fault without a program."""
    payloads, damage = _payloads(files)
    options, lines, bad = files.config.options, [], len(damage)
    for number, payload in enumerate(payloads):
        try:
            packet: Any = unpack(payload, files.config, options)
            if packet.name == "support":
                options = options_of(packet.get("ioptions", 0))
        except PacketError as error:
            packet, bad = f"!! {error}", bad + 1
        lines.append(packet_line(number, payload, packet))
    lines += [f"!!  byte {found.offset:#x}: {found.text} [{found.clause}]\n" for found in damage]
    wrong = f"{files.trace} is damaged in {bad} places; capture it again, or check CONFIG" if bad else None
    return [*lines, f"# {len(payloads):,} packets\n"], wrong
