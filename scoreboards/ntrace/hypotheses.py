# SPDX-License-Identifier: Apache-2.0
"""Which single deviations explain the bytes of an N-Trace encoder that cannot be decoded as the specification has it.

`Traced` is what the search of scoreboards/diagnosis/search.py knows of one capture; the dialects are in dialects.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.decode import DecodedTrace, Decoder
from rvtrace.models.ntrace.table import B_TYPE, RESERVED_RCODES, TABLES, VENDOR_TCODES, Message
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.diagnosis.cheap import Act, shows
from rvtrace.scoreboards.diagnosis.search import Reading, Variation, variations
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.dialects import DIALECTS
from rvtrace.scoreboards.ntrace.expected import expected
from rvtrace.scoreboards.ntrace.local import is_local
from rvtrace.scoreboards.ntrace.rewriting import LONGEST, Moved, Rules, pieces, rewrite

RESERVED_CODES = {"rcode": RESERVED_RCODES, "sync": (8, *range(10, 14)), "evcode": (2, 3, 5, 6, 7)}  # tables 19, 25, 23
VARIANT = Variation("variant", "NT.V.ecall")
OPTIONS = (
    Variation("mode", "NT.7.9.htm_only"),
    Variation("timestamp", "NT.8.7.enabled"),
    Variation("extend_addr_msb", "NT.8.2.extend"),
    Variation("implicit_return", "NT.9.2.implicit_return"),
    Variation("sequential_jump", "NT.9.1.sequential_jump"),
    Variation("all_jumps", "NT.2.all_jumps"),
    VARIANT,
)
JUMPS = (
    IType.XRET, IType.UNINFERABLE_JUMP, IType.UNINFERABLE_CALL, IType.UNINFERABLE_TAIL_CALL, IType.COROUTINE_SWAP,
    IType.RETURN, IType.OTHER_UNINFERABLE_JUMP,
)  # fmt: skip
SOURCE = Variation("src_bits", "NT-17")
INHIBITED = Variation("inhibit_src", "NT.3.2.src", follows="src_bits")
IDENTITY = Variation("src_id", "NT.3.2.src", follows="src_bits")
FEW = 16  # bytes, of a message that is wrong by itself rather than by an option
AT_LEAST = 6  # bytes that a contradiction counts for
NEAR = 450  # bytes from the place where decoding stops that a window has
BEFORE = 300  # bytes before it
SOON = 120  # bytes from that place by which a reading has got past it: TAIL, and twice the longest message (38 bytes)
FAR = 1500  # bytes before the place from which on a window does not begin with the trace
TIMES = ("NT.8.7.monotonic", "NT.8.7.absolute")
HALF = 0.5
LATE = 0.3  # of the evidence is lost where no time is right
LOOKED_FOR = 24  # instructions that must be equal where decoding goes on after a loss
NOTHING = 0.9  # share lost where no instruction is decoded; the rest is for bytes that are no messages
SHORT = 40  # bytes of a trace that proves nothing
HABIT = 3  # messages that a dialect must change
TAIL = 40  # bytes at the end of a window that may be part of a message
WIDE = 16384  # bytes of which the share lost is measured
MOST_INSTRUCTIONS = 2_000_000  # of a window; a wrong reading can report millions


class Window(NamedTuple):
    """Bytes [begin, end) of the trace as it was sent. skipped: instructions before them. place: the first byte lost."""

    begin: int
    end: int
    skipped: int
    place: int = -1


class Traced:
    """One capture as hypotheses see it. pcs: those that retired, if they are known. is_file: nobody watched the device,
    and the bytes may have been damaged on their way.
    """

    def __init__(
        self, data: bytes, program: Program, config: Config, pcs: np.ndarray | None = None, is_file: bool = True
    ) -> None:
        self._is_file = is_file
        self.data, self.program, self.claimed, self.pcs = data, program, config, pcs
        self.dialects = DIALECTS
        self._shares: dict[tuple[bytes, Config, int], tuple[float, int]] = {}

    @property
    def size(self) -> int:
        """Messages, counted by their last bytes."""
        return sum(byte & 3 == 3 and before & 3 != 3 for before, byte in zip(self.data, self.data[1:]))

    def others(self, config: Config) -> Iterator[tuple[Variation, Config]]:
        """Every option that gives messages their layout, with every other value."""
        # a return stack that is kept at SYNC 0, 4 and 6 makes a trace of v1_0 decode as rc7
        stack = bool(self.claimed.implicit_return)
        yield from variations(config, (one for one in OPTIONS if not (stack and one is VARIANT)))
        first = self._source_field
        for bits in Config.legal()["src_bits"]:
            if bits != config.src_bits:
                yield SOURCE, replace(config, src_bits=bits, src_id=first & ((1 << bits) - 1), inhibit_src=0)
        if config.src_bits and config.inhibit_src:
            for source in dict.fromkeys((config.src_id, first & ((1 << config.src_bits) - 1))):
                yield INHIBITED, replace(config, inhibit_src=0, src_id=source)
        identity = first & ((1 << config.src_bits) - 1)
        if config.source_bits and identity != config.src_id:
            yield IDENTITY, replace(config, src_id=identity)

    def window(self, reading: Reading[Config]) -> Window | None:
        """Around the first byte that is lost, from a message on at which decoding can start."""
        moved = self._rewritten(reading, 0, len(self.data))
        trace = self._decoded(moved.data, reading.config)
        place = self._stops(trace, moved, reading.config)
        if place is None:
            return None
        starts = [n for n, m in enumerate(trace.messages) if m.type.has_sync and m.offset < place - BEFORE]
        if place < FAR or not starts:
            return Window(0, place + NEAR, 0, place)
        first = starts[-1]
        return Window(int(moved.origin[trace.messages[first].offset]), place + NEAR, int(trace.first_pc[first]), place)

    def follows(self, trace: DecodedTrace) -> bool:
        """Whether a trace that was decoded as claimed has nothing to explain, or is damaged at a few places."""
        moved = Moved(self.data, np.arange(len(self.data)))
        first = self._stops(trace, moved, self.claimed)
        if first is None:
            return True
        broken = [d.offset for d in trace.diagnostics]
        times = sum(d.clause in TIMES for d in trace.diagnostics)
        return self._is_file and times < HABIT and is_local(trace, [first, *broken])

    def near(self, reading: Reading[Config], window: Window) -> float:
        """Bytes that are lost, of those of a window; the PCs known must be those of the trace.

        1 more where decoding gets no farther: what was right as claimed must be right with a deviation taken back.
        """
        soon = window._replace(end=min(window.end, window.place + SOON))
        score = self._share(reading, soon)  # most readings get no farther, and that costs a fifth to see
        return score if score >= 1 or soon == window else self._share(reading, window)

    def past(self, reading: Reading[Config], window: Window) -> Window:
        """The window about the place where a reading stops in it, if it gets past the place that it was about."""
        return window._replace(place=max(window.place, self._lost(reading, window)[1]))

    def lost(self, reading: Reading[Config]) -> float:
        """The same for a large part of the trace; all of it where a dialect is about few messages.

        What is wrong once is no habit of a device, unless it is at the start.
        """
        wide = Window(0, WIDE, 0)
        if reading.dialects:
            moved = self._rewritten(reading, wide.begin, wide.end)
            if moved.changed < HABIT and not (moved.first and len(self.data) >= SHORT):
                return 1.0
        return self._share(reading, wide)

    def read(self, reading: Reading[Config]) -> Moved:
        """All bytes in the standard layout."""
        return self._rewritten(reading, 0, len(self.data))

    # What is lost

    def _rewritten(self, reading: Reading[Config], begin: int, end: int) -> Moved:
        part = self.data[begin:end]
        if not reading.dialects:
            return Moved(part, np.arange(begin, begin + len(part)))
        moved = rewrite(part, Rules(reading.config, self.program), reading.dialects)
        return moved._replace(origin=moved.origin + begin)

    def _decoded(self, data: bytes, config: Config) -> DecodedTrace:
        decoder = Decoder(self.program, config, MOST_INSTRUCTIONS, by_address=True)
        decoder.feed(data)
        return decoder.finish()

    def _stops(self, trace: DecodedTrace, moved: Moved, config: Config) -> int | None:
        """The first byte that is lost, as it was sent; None if only single messages are."""
        if not len(trace):
            return 0 if len(self.data) >= SHORT and (self.pcs is None or len(self.pcs)) else None
        lost = [(d.offset, max(d.lost_bytes, AT_LEAST)) for d in trace.diagnostics if d.clause not in TIMES]
        unknown = [(m.offset, _length(moved.data, m.offset)) for m in _unknown_of(trace, config)]
        lost += unknown if len(unknown) >= HABIT else []
        wrong, _ = self._differs(trace)
        times = [d.offset for d in trace.diagnostics if d.clause in TIMES] if _late(trace) > HALF else []
        if sum(size for _, size in lost) < FEW and wrong is None and not times and not _foreign(trace, config):
            return None
        places = [min(lost)[0] for _ in lost[:1]] + ([] if wrong is None else [wrong]) + times[:1]
        at = min(places, default=0)
        return int(moved.origin[min(at, len(moved.origin) - 1)]) if len(moved.origin) else 0

    def _share(self, reading: Reading[Config], window: Window) -> float:
        share, stops = self._lost(reading, window)
        return share + (stops <= window.place)

    def _lost(self, reading: Reading[Config], window: Window) -> tuple[float, int]:
        """(share lost of a window, the first byte lost as it was sent)."""
        moved = self._rewritten(reading, window.begin, window.end)
        key = moved.data, reading.config, window.skipped  # most dialects do not change most windows
        if key not in self._shares:
            whole = len(moved.data) - (TAIL if window.end < len(self.data) else 0)
            self._shares[key] = self._measured(moved.data, reading.config, window.skipped, max(whole, 1))
        share, first = self._shares[key]
        return share, int(moved.origin[first]) if first < len(moved.origin) else window.end

    def _measured(self, data: bytes, config: Config, skipped: int, total: int) -> tuple[float, int]:
        """(share lost of the first `total` bytes, the first of them); what comes after them may have been cut."""
        trace = self._decoded(data, config)
        if not len(trace):
            return NOTHING + (1 - NOTHING) * _unread(data, config), 0
        counted = (d for d in trace.diagnostics if d.clause not in (*TIMES, "NT.3.1.end"))
        lost = [(d.offset, max(d.lost_bytes, AT_LEAST)) for d in counted]
        lost += [(m.offset, _length(data, m.offset)) for m in _unknown_of(trace, config)]
        bad = sum(min(size, total - at) for at, size in lost if at < total) + trace.skipped_bytes
        first = min((at for at, _ in lost if at < total), default=total)
        wrong, missing = self._differs(trace, skipped)
        if wrong is not None and wrong < total:
            bad, first = max(bad, total - wrong), min(first, wrong)
        share = min(max(bad / total, missing) + _foreign(trace, config) + LATE * _late(trace), 1.0)
        late = [d.offset for d in trace.diagnostics if d.clause in TIMES] if _late(trace) > HALF else []
        return share * (1 - 0.2 * first / total), min(first, *late) if late else first

    def _differs(self, trace: DecodedTrace, skipped: int = 0) -> tuple[int | None, float]:
        """(offset of the first message after which a PC is not one that retired, None where none is; share of the
        instructions up to the last one decoded that the trace does not report). PCs that are not known fit.
        """
        if self.pcs is None or not len(trace):
            return None, 0.0
        known, position, found = self.pcs[skipped:], 0, 0
        cuts = [e.index for e in trace.events if e.kind in ("gap", "error", "reset")]
        for begin, end in zip([0, *cuts], [*cuts, len(trace)]):
            told = trace.pcs[begin:end]
            if not len(told):
                continue
            at = _place(known, told, position) if begin or position else 0
            n = 0 if at is None else min(len(told), len(known) - at)
            differ = np.flatnonzero(told[:n] != known[at : at + n]) if at is not None else []
            right = int(differ[0]) if len(differ) else n
            found += right
            if at is None and position >= len(known):
                break  # what retired after the rows that are known may be anything
            if right < n or at is None:
                message = max(int(np.searchsorted(trace.first_pc, begin + right, side="right")) - 1, 0)
                return trace.messages[message].offset, 0.0
            position = (at or 0) + n
        return None, 1 - found / position if position else 0.0

    @property
    def _source_field(self) -> int:
        """The twelve bits after TCODE of the first message."""
        for piece in pieces(self.data[:200]):
            if piece.whole and len(piece.raw) > 2:
                return sum((byte >> 2) << 6 * place for place, byte in enumerate(piece.raw[1:3]))
        return 0


def acts(capture: NtraceCapture, trace: DecodedTrace) -> list[Act]:
    """What the hart did that one kind of message reports; nothing if some may be missing, or not all is read as it was
    sent.

    Traps, by a message whose B-TYPE is not 0. Where it is 0 in all, messages beside those of jumps may report the traps
    as jumps: some of them for another reason, so that fewer than half of the traps are none.
    """
    config, wanted = capture.config, expected(capture)
    lost = wanted.drop_at is not None and len(wanted.drop_at)
    if lost or config.implicit_return or config.sequential_jump:
        return []
    traps = [trap.index for trap in wanted.traps if not trap.optional]
    if _unknown_of(trace, config) or not shows(trace.pcs, wanted.pc, traps, capture.beats is not None):
        return []
    types = [one for one in (message.get(B_TYPE.key) for message in trace.log) if one is not None]
    beside = len(types) - int(np.count_nonzero(np.isin(wanted.itype, JUMPS)))
    reported = sum(map(bool, types)) or (beside if 2 * beside >= len(traps) else 0)
    by = f"a message with {B_TYPE.name} 1 to 3"
    return [Act("NT.10.traps", "exceptions and interrupts", by, len(traps), reported)]


def _place(known: np.ndarray, told: np.ndarray, position: int) -> int | None:
    """The first place from `position` on at which decoded instructions begin as those that retired do."""
    some = told[:LOOKED_FOR]
    for at in (np.flatnonzero(known[position:] == some[0]) + position).tolist():
        if np.array_equal(known[at : at + len(some)], some):
            return at
    return None


def _late(trace: DecodedTrace) -> float:
    """The synchronizing messages after the first at which time went back, of all."""
    late = sum(d.clause in TIMES for d in trace.diagnostics)
    syncs = sum(m.type.has_sync and m.tstamp is not None for m in trace.log) - 1 if late else 0
    return min(late / syncs, 1.0) if syncs > 0 else 0.0


def _unknown_of(trace: DecodedTrace, config: Config) -> list[Message]:
    """The messages that have a reserved TCODE or code, in order."""
    log, rows = trace.log, trace.log.rows()
    found = set(log.odd)
    for tcode in TABLES[config.variant].by_code:
        for key, column in log.columns(tcode).items():
            if key in RESERVED_CODES:
                reserved = np.isin(rows[:, column], RESERVED_CODES[key])
                found |= set(np.flatnonzero(reserved & (rows[:, k.TCODE] == tcode)).tolist())
    return [log[index] for index in sorted(found) if _unknown(log[index], config)]


def _unknown(message: Message, config: Config) -> bool:
    """Whether a message has a reserved TCODE or code."""
    reserved = message.tcode not in TABLES[config.variant].by_code and message.tcode not in VENDOR_TCODES
    return reserved or any(message.get(key, 0) in codes for key, codes in RESERVED_CODES.items())


def _unread(data: bytes, config: Config) -> float:
    """Share of the bytes that are no message of table 8."""
    messages, damages = unpack(data, config)
    bad = sum(d.length for d in damages) + sum(_length(data, m.offset) for m in messages if _unknown(m, config))
    return min(bad / len(data), 1.0) if data else 1.0


def _length(data: bytes, offset: int) -> int:
    """Bytes of the message at an offset."""
    end = next((at for at in range(offset, min(offset + LONGEST, len(data))) if data[at] & 3 == 3), offset)
    return end - offset + 1


def _foreign(decoded: DecodedTrace, config: Config) -> float:
    """The messages of other sources than the one claimed, of all: a wrong width makes sources that are not there."""
    total = sum(decoded.sources.values())
    return 1 - decoded.sources[config.src_id] / total if total else 0.0


def as_read(capture: NtraceCapture, traced: Traced, reading: Reading[Config]) -> NtraceCapture:
    """The capture with its bytes in the standard layout."""
    if not reading.dialects:
        return replace(capture, config=reading.config)
    moved = traced.read(reading)
    cycle = None if capture.out_cycle is None or not len(moved.origin) else capture.out_cycle[moved.origin]
    return replace(capture, config=reading.config, data=moved.data, out_cycle=cycle, origin=moved.origin)
