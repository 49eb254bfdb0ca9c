# SPDX-License-Identifier: Apache-2.0
"""A decoded trace of any of the three systems in the form that the viewer shows: messages with their bytes and fields,
instructions, events, privilege, losses.

of_ntrace, of_etrace       of what a decoder, or a check, made of a trace (`listing.viewed` of any system's)
without_program(files)     messages alone
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv
from rvtrace.report.viewer_calls import breaks, frames
from rvtrace.report.viewer_code import Codes
from rvtrace.report.viewer_csrs import accessed
from rvtrace.report.viewer_cycles import Cycles

if TYPE_CHECKING:  # what is of one system is imported where it is used
    from rvtrace.models.etrace.decoder.deframe import Damage
    from rvtrace.models.ntrace.table import Message

SHOWN_INSTRUCTIONS = 20_000_000  # that a page or a profile decodes, if nobody says how many
MASK = (1 << 64) - 1
DENSE = 1 << 26  # half-words of code that are looked up by a table
_CUTS = ("trace_on", "gap", "reset", "error", "debug_exit")


class FieldShown(NamedTuple):
    """A field of a message: name, how its value is printed, and the meanings of values. form: "dec", "hex", "bits";
    "addr": hex with a symbol, "half": the same of half-words, "quarter": of words; "hist": with its branches; "signed";
    or "text": there is no value, and `codes` is the text.
    """

    name: str
    form: str
    codes: Any = None


class Shape(NamedTuple):
    """Messages with the same fields."""

    name: str
    fields: tuple[FieldShown, ...]


@dataclass
class Messages:
    """Columns of the messages. first: instructions before each. shape: number in `shapes`. values: of the fields that
    have one, message after message. time: -1 where it is not known.
    """

    offset: np.ndarray
    length: np.ndarray
    first: np.ndarray
    shape: np.ndarray
    shapes: list[Shape]
    values: np.ndarray
    time: np.ndarray

    def __len__(self) -> int:
        return len(self.offset)


class EventShown(NamedTuple):
    """Something before instruction `index`, reported by a message (-1: unknown)."""

    kind: str
    index: int
    message: int
    text: str


class Loss(NamedTuple):
    """Bytes [begin, end) that say nothing, from instruction `index` on."""

    begin: int
    end: int
    index: int
    clause: str
    text: str


class Track(NamedTuple):
    """A lane of its own over the instructions. kind: "level" (`value` holds from each place on), "counter" (likewise,
    and it only grows: shown as a rate), "sampled" (a counter that was read at these places), "bars" (bytes of a
    message there), or "marks" (things that are shown when one is selected: `value` is the number of a table, or -1).
    at: instructions before each, not decreasing. unit: what a value counts; "cycles" of a counter of all clock cycles.
    """

    name: str
    kind: str
    at: np.ndarray
    value: np.ndarray
    unit: str = ""


class Table(NamedTuple):
    """What a mark shows: a title, names of columns, rows of text."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass
class Shown:
    """All of it. noun: what the bytes consist of. rows: number in `codes` of each instruction. priv: (index, name),
    from there on. contexts: likewise. tracks, tables: further lanes, and what their marks show. cycles: clock cycles,
    as far as they were seen. starts: numbers of the messages from which on a part can be decoded. notes: sentences
    about what is missing.
    """

    noun: str
    data: bytes
    messages: Messages
    codes: Codes
    rows: np.ndarray
    events: list[EventShown] = field(default_factory=list)
    priv: list[tuple[int, str]] = field(default_factory=list)
    contexts: list[tuple[int, str]] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    cycles: Cycles | None = None
    starts: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))

    def clocked(self, sent: np.ndarray, insn: np.ndarray | None) -> None:
        """Add the cycles of its bytes and of its instructions, and how many messages wait in the encoder."""
        messages = self.messages
        self.cycles = Cycles.of(sent, insn, messages.offset, messages.first, len(self.rows))
        if self.cycles.waiting is not None:
            self.tracks.append(
                Track(f"{self.noun}s waiting", "level", messages.first, self.cycles.waiting, f"{self.noun}s")
            )

    def accesses(self) -> Track | None:
        """A lane with a mark at each instruction that accesses a CSR; None if there is none."""
        these = np.array([accessed(insn) is not None for insn in self.codes.insns], bool)
        if not len(self.rows) or not these.any():
            return None
        at = np.flatnonzero(these[self.rows])
        return Track("CSR accesses", "marks", at, np.full(len(at), -1, np.int64))

    def frames(self) -> Any:
        """The call stack (viewer_calls.py)."""
        traps = {event.index for event in self.events if event.kind == "trap"}
        cuts = {event.index for event in self.events if event.kind in _CUTS}
        cuts |= {loss.index for loss in self.losses}
        code = self.codes.columns()
        missing = set(breaks(self.rows, code).tolist()) - traps
        return frames(self.rows, code, traps, (cuts | missing) - traps)


def without_program(files: TraceFiles) -> Shown:
    """Messages alone, of an E-Trace or N-Trace."""
    nothing = np.zeros(0, np.int64)
    codes = Codes(Program(files.config.xlen, []))
    if files.system.ip == "ntrace":
        from rvtrace.models.ntrace.codec import unpack as unpack_messages

        found, damage = unpack_messages(files.data, files.config)
        messages = _ntrace_messages(files, found, np.zeros(len(found), np.int64), [-1] * len(found))
        losses = [Loss(d.offset, d.offset + d.length, 0, d.clause, d.reason) for d in damage]
        return Shown("message", files.data, messages, codes, nothing, losses=losses)
    from rvtrace.models.etrace.codec import PacketError
    from rvtrace.models.etrace.codec import unpack as unpack_packet
    from rvtrace.models.etrace.table import options_of

    payloads, begin, end, broken = _deframed(files)
    packets, options = [], files.config.options
    for payload in payloads:
        try:
            packet = unpack_packet(payload, files.config, options)
            if packet.name == "support":
                options = options_of(packet.get("ioptions", 0))
        except PacketError:
            packet = None
        packets.append(packet)
    empty = np.zeros(len(packets), np.int64)
    messages = _etrace_messages(files, packets, begin, end, empty, empty - 1)
    losses = [Loss(d.offset, d.offset + max(d.length, 1), 0, d.clause, d.text) for d in broken]
    return Shown("packet", files.data, messages, codes, nothing, losses=losses)


class Shapes:
    """Shapes of messages by key, and the columns of one field after the other."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.shapes: list[Shape] = []
        self.values: list[int] = []
        self._known: dict[Any, int] = {}

    def add(self, key: Any, make: Any, values: Iterable[int]) -> None:
        """A message of the shape `key`, which `make` returns at first use."""
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.shapes)
            self.shapes.append(make())
        self.numbers.append(number)
        self.values.extend(values)

    def columns(self, offset: Any, length: Any, first: Any, time: Any) -> Messages:
        """With the columns that are known already."""
        return Messages(
            np.asarray(offset, np.int64), np.asarray(length, np.int64), np.asarray(first, np.int64),
            np.array(self.numbers, np.int64), self.shapes, np.array(self.values, np.uint64), np.asarray(time, np.int64),
        )  # fmt: skip


def rows_of(pcs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct addresses, sorted, and for each instruction the number of its own."""
    if not len(pcs):
        return np.zeros(0, np.uint64), np.zeros(0, np.int32)
    low = int(pcs.min())
    places = (pcs - np.uint64(low)) >> np.uint64(1)
    if int(places.max()) >= DENSE:
        distinct, rows = np.unique(pcs, return_inverse=True)
        return distinct, rows.astype(np.int32)
    places = places.astype(np.int64)
    seen = np.zeros(int(places.max()) + 1, bool)
    seen[places] = True
    numbers = (np.cumsum(seen) - 1).astype(np.int32)
    return (np.flatnonzero(seen).astype(np.uint64) << np.uint64(1)) + np.uint64(low), numbers[places]


# N-Trace


def of_ntrace(files: TraceFiles, trace: Any) -> Shown:
    assert files.program is not None
    messages = _ntrace_messages(files, trace.messages, trace.first_pc, trace.time)
    offsets = messages.offset.tolist()

    def at(offset: int) -> int:
        """The message that begins at an offset, or the last one before it."""
        return bisect_right(offsets, offset) - 1

    codes = Codes(files.program)
    distinct, rows = rows_of(trace.pcs)
    codes.add_all(distinct)
    result = Shown("message", files.data, messages, codes, rows)
    result.events = [EventShown(e.kind, e.index, at(e.message.offset), e.text) for e in trace.events]
    syncs = [n for n, message in enumerate(trace.messages) if message.type.has_sync]
    result.starts = np.union1d([0], np.array(syncs, np.int64))
    names = {int(priv): priv.name for priv in Priv}
    changes = trace.context_changes
    result.priv = runs_of((index, names.get(c.priv, "?")) for index, c in changes if c.priv is not None)
    result.contexts = runs_of((index, f"{c.context:#x}") for index, c in changes if c.context is not None)
    for found in trace.diagnostics:
        index = first_of(messages, at(found.offset))
        result.losses.append(
            Loss(found.offset, found.offset + max(found.lost_bytes, 1), index, found.clause, found.text)
        )
    if trace.skipped_bytes:
        text = f"{trace.skipped_bytes} bytes before the first synchronizing message"
        result.losses.append(Loss(0, trace.skipped_bytes, 0, "", text))
    return result


def first_of(messages: Messages, message: int) -> int:
    return int(messages.first[message]) if 0 <= message < len(messages) else 0


def runs_of(changes: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without those that change nothing; of several at one place the last."""
    found: list[tuple[int, str]] = []
    for index, name in changes:
        if found and found[-1][0] == index:
            found.pop()
        if not found or found[-1][1] != name:
            found.append((index, name))
    return found


def _ntrace_messages(files: TraceFiles, messages: Sequence[Message], first: Any, time: Any) -> Messages:
    from rvtrace.models.ntrace.table import SRC

    shapes = Shapes()
    for message in messages:
        values = message.by_key()
        if not values.get(SRC.key):
            values.pop(SRC.key, None)
        if any(value >> 64 for value in values.values()):
            text = str(message)
            shapes.add(
                text, lambda text=text, name=message.name: Shape(name, (FieldShown("fields", "text", text),)), ()
            )
            continue
        fields = [message.type.field(key) for key in values]
        forms = [f.form_of(values) for f in fields]
        shapes.add((message.type, *values, *forms), lambda message=message, fields=fields, forms=forms: Shape(
            message.name, tuple(FieldShown(f.name, form, f.codes or None) for f, form in zip(fields, forms))
        ), values.values())  # fmt: skip
    offsets = np.array([message.offset for message in messages], np.int64)
    ends = np.flatnonzero(np.frombuffer(files.data, np.uint8) & 3 == 3)
    at = np.searchsorted(ends, offsets)
    end = np.append(ends + 1, len(files.data))[at]
    return shapes.columns(offsets, end - offsets, first, time)


# E-Trace


def of_etrace(files: TraceFiles, trace: Any) -> Shown:
    from rvtrace.models.etrace.table import PRIVILEGE_NAMES

    assert files.program is not None
    payloads, begin, end, damage = _deframed(files)
    if len(payloads) != len(trace.packets):
        payloads, begin, end, damage = _deframed(files, joined=True)
    count = min(len(begin), len(trace.packets))
    if trace.complete:  # of a part, the first packets were left out
        begin, end = begin[len(begin) - count :], end[len(end) - count :]
    messages = _etrace_messages(
        files, trace.packets[:count], begin[:count], end[:count], trace.first_pc[:count], trace.time[:count]
    )
    codes = Codes(files.program)
    distinct, rows = rows_of(trace.pcs)
    codes.add_all(distinct)
    result = Shown("packet", files.data, messages, codes, rows)
    result.events = [EventShown(e.kind, e.index, e.packet, e.text or _event_text(e)) for e in trace.events]
    syncs = [n for n, packet in enumerate(trace.packets[:count]) if packet is not None and packet.is_sync]
    result.starts = np.union1d([0], np.array(syncs, np.int64))
    priv, context = np.asarray(trace.priv[:count]), np.asarray(trace.context[:count])
    result.priv = _changes(messages.first, priv, lambda value: PRIVILEGE_NAMES.get(value, "?"))
    if not files.config.nocontext_p:
        result.contexts = _changes(messages.first, context, lambda value: f"{value:#x}")
    for found in trace.diagnostics:
        at = min(found.packet, count - 1)
        last = min(at + max(found.lost_packets, 1), count) - 1
        place = int(messages.offset[at]) if at >= 0 else 0
        stop = int(messages.offset[last] + messages.length[last]) if at >= 0 else len(files.data)
        result.losses.append(Loss(place, stop, first_of(messages, at), found.clause, found.text))
    known = {(found.packet, found.clause) for found in trace.diagnostics}
    for one in damage:
        if (one.packet, one.clause) not in known:
            index = first_of(messages, min(one.packet, count - 1))
            result.losses.append(Loss(one.offset, one.offset + max(one.length, 1), index, one.clause, one.text))
    return result


def _event_text(event: Any) -> str:
    if event.kind != "trap":
        return ""
    cause = "" if event.ecause is None else f" {event.ecause}"
    return f"{'interrupt' if event.interrupt else 'exception'}{cause}"


def _changes(first: np.ndarray, values: np.ndarray, name: Any) -> list[tuple[int, str]]:
    """Where a column of messages changes, as `runs_of`; unknown where it is -1."""
    at = np.flatnonzero(np.diff(values, prepend=-1))
    return runs_of((int(first[k]), name(int(values[k]))) for k in at if values[k] >= 0)


def _deframed(files: TraceFiles, joined: bool = False) -> tuple[list[bytes], list[int], list[int], list[Damage]]:
    """Payloads; where their packets begin and end in the bytes; what is no packet."""
    from rvtrace.models.etrace.decoder import framing
    from rvtrace.models.etrace.decoder.deframe import Damage, Deframer

    deframer = Deframer(files.config, joined)
    payloads: list[bytes] = []
    begin: list[int] = []
    end: list[int] = []
    damage: list[Damage] = []
    for piece in (*deframer.pieces(files.data), *deframer.rest()):
        if isinstance(piece, Damage):
            damage.append(piece)
            continue
        flat = piece.rows if isinstance(piece.rows, list) else piece.rows.tolist()
        for at, size, offset in zip(*(flat[n :: framing.ROW] for n in range(framing.ROW))):
            payloads.append(piece.data[at : at + size])
            begin.append(offset)
        end += piece.ends().tolist()
    return payloads, begin, end, damage


def _etrace_messages(files: TraceFiles, packets: Any, begin: Any, end: Any, first: Any, time: Any) -> Messages:
    from rvtrace.models.etrace.table import formats

    shapes, known = Shapes(), formats(files.config.variant)
    for packet in packets:
        if packet is None:
            shapes.add(None, lambda: Shape("no packet", ()), ())
            continue
        names = tuple(
            name for name, value in packet.values.items() if value is not None and name not in ("format", "subformat")
        )
        values = [int(packet.values[name]) & MASK for name in names]
        shapes.add(
            (packet.name, names),
            lambda p=packet, names=names: _etrace_shape(p.name, names, known[p.name], files.config.iaddress_lsb_p),
            values,
        )
    begin = np.asarray(begin, np.int64)
    return shapes.columns(begin, np.asarray(end, np.int64) - begin, first, time)


def _etrace_shape(name: str, names: tuple[str, ...], layout: Any, lsb: int) -> Shape:
    from rvtrace.models.etrace.table import DIFFERENCE, bit_map, hexadecimal

    fields, forms = [], {hexadecimal: "hex", bit_map: "bits"}
    for one in map(layout.field, names):
        form = "signed" if one.coding is DIFFERENCE else forms.get(one.show, "dec")
        if one.is_address and form == "hex" and lsb:
            form = {1: "half", 2: "quarter"}.get(lsb, form)
        fields.append(FieldShown(one.name, form, dict(one.codes) or None))
    return Shape(name, tuple(fields))
