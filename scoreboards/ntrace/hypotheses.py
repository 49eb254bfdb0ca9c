# SPDX-License-Identifier: Apache-2.0
"""Which single deviations explain the bytes of an N-Trace encoder that cannot be decoded as the specification has it.

`Traced` is what the search of scoreboards/common/hypotheses.py knows of one capture; the dialects are in dialects.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import DecodedTrace, Decoder
from rvtrace.models.ntrace.table import RESERVED_RCODES, TABLES, VENDOR_TCODES
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.common.hypotheses import Reading, Variation, variations
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.dialects import DIALECTS
from rvtrace.scoreboards.ntrace.rewriting import Moved, Rules, pieces, rewrite

OPTIONS = (
    Variation("mode", "NT.7.9.htm_only"),
    Variation("timestamp", "NT.8.7.enabled"),
    Variation("extend_addr_msb", "NT.8.2.extend"),
    Variation("implicit_return", "NT.9.2.implicit_return"),
    Variation("sequential_jump", "NT.9.1.sequential_jump"),
    Variation("all_jumps", "NT.2.all_jumps"),
    Variation("variant", "NT.V.ecall"),
)
SOURCE = Variation("src_bits", "NT-17")
INHIBITED = Variation("inhibit_src", "NT.3.2.src", follows="src_bits")
IDENTITY = Variation("src_id", "NT.3.2.src", follows="src_bits")
FEW = 16  # bytes, of a message that is wrong by itself rather than by an option
NEAR = 700  # bytes from the place where decoding stops that a window has
BEFORE = 300  # bytes before it
WIDE = 16384  # bytes of which the share lost is measured
MOST_INSTRUCTIONS = 2_000_000  # of a window; a wrong reading can report millions


class Window(NamedTuple):
    """Bytes [begin, end) of the trace as it was sent. first: whether they are its first, so that the PCs are known."""

    begin: int
    end: int
    first: bool


class Traced:
    """One capture as hypotheses see it. pcs: those that retired, if they are known."""

    def __init__(self, data: bytes, program: Program, config: Config, pcs: np.ndarray | None = None) -> None:
        self.data, self.program, self.claimed, self.pcs = data, program, config, pcs
        self.dialects = DIALECTS
        self._lost = lru_cache(maxsize=None)(self._measured)

    def others(self, config: Config) -> Iterator[tuple[Variation, Config]]:
        """Every option that gives messages their layout, with every other value."""
        yield from variations(config, OPTIONS)
        first = self._source_field
        for bits in Config.legal()["src_bits"]:
            if bits != config.src_bits:
                yield SOURCE, replace(config, src_bits=bits, src_id=first & ((1 << bits) - 1), inhibit_src=0)
        if config.src_bits and config.inhibit_src:
            yield INHIBITED, replace(config, inhibit_src=0)
        identity = first & ((1 << config.src_bits) - 1)
        if config.source_bits and identity != config.src_id:
            yield IDENTITY, replace(config, src_id=identity)

    def window(self, reading: Reading[Config]) -> Window | None:
        """Around the first byte that is lost."""
        moved = self._rewritten(reading, len(self.data))
        place = self._stops(self._decoded(moved, reading.config), moved, reading.config)
        if place is None:
            return None
        begin = 0
        if place > 2 * BEFORE:
            starts = [p.offset for p in pieces(self.data[: place - BEFORE])]
            begin = starts[-1] if starts else 0
        return Window(begin if begin > WIDE else 0, place + NEAR, begin <= WIDE)

    def follows(self, trace: DecodedTrace) -> bool:
        """Whether a trace that was decoded as claimed has nothing to explain."""
        moved = Moved(self.data, np.arange(len(self.data)))
        return self._stops(trace, moved, self.claimed) is None

    def near(self, reading: Reading[Config], window: Window) -> float:
        """Bytes that are lost, of those of a window; the PCs known must be those of the trace."""
        return self._share(reading, window.end)

    def lost(self, reading: Reading[Config]) -> float:
        """The same for a large part of the trace."""
        return self._lost(reading)

    def _measured(self, reading: Reading[Config]) -> float:
        return self._share(reading, WIDE)

    def read(self, reading: Reading[Config]) -> Moved:
        """All bytes in the standard layout."""
        return self._rewritten(reading, len(self.data))

    # What is lost

    def _rewritten(self, reading: Reading[Config], end: int) -> Moved:
        part = self.data[:end]
        if not reading.dialects:
            return Moved(part, np.arange(len(part)))
        return rewrite(part, Rules(reading.config, self.program), reading.dialects)

    def _decoded(self, moved: Moved, config: Config) -> DecodedTrace:
        decoder = Decoder(self.program, config, MOST_INSTRUCTIONS)
        decoder.feed(moved.data)
        return decoder.finish()

    def _stops(self, trace: DecodedTrace, moved: Moved, config: Config) -> int | None:
        """The first byte that is lost, as it was sent; None if only single messages are."""
        lost = [d for d in trace.diagnostics if d.lost_bytes]
        wrong = self._differs(trace)
        if sum(d.lost_bytes for d in lost) < FEW and wrong is None and not _foreign(trace, config):
            return None
        places = [d.offset for d in lost[:1]] + ([] if wrong is None else [wrong])
        at = min(places, default=0)
        return int(moved.origin[min(at, len(moved.origin) - 1)]) if len(moved.origin) else 0

    def _share(self, reading: Reading[Config], end: int) -> float:
        size = min(end, len(self.data))
        moved = self._rewritten(reading, size)
        trace = self._decoded(moved, reading.config)
        total = len(moved.data)
        if not len(trace) or not total:
            return 1.0
        bad = sum(d.lost_bytes + 1 for d in trace.diagnostics if d.clause != "NT.3.1.end") + trace.skipped_bytes
        bad += sum(
            next((j for j, byte in enumerate(moved.data[m.offset : m.offset + 64]) if byte & 3 == 3), 0) + 1
            for m in trace.messages
            if m.tcode not in TABLES[reading.config.variant]
            and m.tcode not in VENDOR_TCODES
            or m.get("rcode", 0) in RESERVED_RCODES
        )
        first = min((d.offset for d in trace.diagnostics if d.lost_bytes), default=total)
        wrong = self._differs(trace)
        if wrong is not None:
            bad, first = max(bad, total - wrong), min(first, wrong)
        share = min(bad / total, 1.0)
        share = min(share + _foreign(trace, reading.config), 1.0)
        return share * (1 - 0.2 * first / total)

    def _differs(self, trace: DecodedTrace) -> int | None:
        """Offset of the first message after which a PC is not the one that retired; None where none is, or none is
        known.
        """
        if self.pcs is None or not len(trace):
            return None
        gap = next((e.index for e in trace.events if e.kind in ("gap", "error", "reset")), len(trace))
        told = trace.pcs[:gap]
        n = min(len(told), len(self.pcs))
        differ = np.flatnonzero(told[:n] != self.pcs[:n])
        if not len(differ) and len(told) <= len(self.pcs):
            return None
        index = int(differ[0]) if len(differ) else n
        message = max(int(np.searchsorted(trace.first_pc, index, side="right")) - 1, 0)
        return trace.messages[message].offset

    @property
    def _source_field(self) -> int:
        """The twelve bits after TCODE of the first message."""
        for piece in pieces(self.data[:200]):
            if piece.whole and len(piece.raw) > 2:
                return sum((byte >> 2) << 6 * place for place, byte in enumerate(piece.raw[1:3]))
        return 0


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
