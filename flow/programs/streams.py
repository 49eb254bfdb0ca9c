# SPDX-License-Identifier: Apache-2.0
"""The encoder models on a run of any length: beats come in parts, the state of the encoder is carried on.

    stream = EtraceStream(config)
    for part, last in parts_of_beats:        # the first with trace_on, the last with trace_off
        pieces = stream.feed(part, last)

What comes out is, byte for byte, what one call for all beats makes (tests/programs/test_streams.py). Of E-Trace a block
is encoded when the next one is known, so each piece but the last is one block late. Only what needs no time of a
beat: periodic synchronization by packets or messages, no clock cycles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rvtrace.flow.programs.package import ProgramsError
from rvtrace.models.common import native
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.encoder import encode as etrace
from rvtrace.models.etrace.encoder import kernel as ek
from rvtrace.models.etrace.encoder.input import read as etrace_read
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.encoder import encode as ntrace
from rvtrace.models.ntrace.encoder import kernel as nk
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import observable, to_beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired

_PACKETS = (0, 1)  # inst_sync_mode: off, and by packets or messages
_N_SYNC = (nk.PROG_SYNC, nk.DIRECT_SYNC, nk.INDIRECT_SYNC, nk.INDIRECT_HIST_SYNC)


class Piece(NamedTuple):
    """What a part made. data: payloads of E-Trace or messages of N-Trace, one after the other. ends: after each.
    syncs: numbers of those that a decoder can begin with.
    """

    data: bytes
    ends: np.ndarray
    syncs: np.ndarray


def _kernel(module: Any) -> Any:
    if native.compiled(module) is None:
        raise ProgramsError("a run in parts needs Numba; type `.venv/bin/python -m pip install 'rvtrace[fast]'`")
    return native.functions(module, True)


class NtraceStream:
    """The N-Trace encoder; ProgramsError for a configuration that needs the time of a beat."""

    def __init__(self, config: NtraceConfig) -> None:
        if config.inst_sync_mode not in _PACKETS or config.timestamp:
            raise ProgramsError("a run in parts has no time; give INST_SYNC_MODE=1 and TIMESTAMP=0")
        _kernel(nk)
        self._parts = ntrace.Parts(ntrace.Encoder(config))

    def feed(self, beats: Beats, last: bool = False) -> Piece:
        """Encode the next beats. last: has no meaning here."""
        made = self._parts.feed(beats)
        return Piece(made.data, made.rows[:, -1].copy(), np.flatnonzero(np.isin(made.rows[:, nk.TCODE], _N_SYNC)))


class EtraceStream:
    """The E-Trace encoder; ProgramsError for a configuration that needs the time of a beat."""

    def __init__(self, config: EtraceConfig) -> None:
        if config.inst_sync_mode not in _PACKETS or config.filter:
            raise ProgramsError("a run in parts has no time; give INST_SYNC_MODE=1 and no FILTER")
        self._config = config
        self._known = etrace.known_arrays(config)
        self._s = ek.STATE.at(self._known["state"], 0)
        self._kernel: Any = _kernel(ek)
        self._held: Beats | None = None  # comes next
        self._before: Beats | None = None  # the last row that was encoded

    def feed(self, beats: Beats, last: bool = False) -> Piece:
        """Encode what was held back, and hold these beats back unless they are the last."""
        pieces = []
        if self._held is not None:
            pieces.append(self._encode(self._held, beats.select(slice(0, 1))))
        self._held = beats
        if last:
            pieces.append(self._encode(beats, None))
        if not pieces:
            return Piece(b"", np.zeros(0, np.int64), np.zeros(0, np.int64))
        return joined(pieces)

    def _encode(self, beats: Beats, after: Beats | None) -> Piece:
        before = self._before
        parts = [*([before] if before else []), beats, *([after] if after else [])]
        given = etrace_read(Beats.concat(parts) if len(parts) > 1 else beats, self._config)
        count = int(beats.valid().sum())  # blocks; what is before and after is one each
        first, end = (1 if before else 0), (1 if before else 0) + count
        s, columns = self._s, given.arrays()
        if before:
            steps = given.steps.reshape(-1, ek.STEP_ROW)
            columns["steps"] = np.ascontiguousarray(steps[(steps[:, 0] == ek.SEGMENT) | (steps[:, 1] != 0)].ravel())
        steps = columns["steps"].reshape(-1, ek.STEP_ROW)
        segments = np.flatnonzero(steps[:, 0] == ek.SEGMENT)
        if len(segments) != 1:
            raise ProgramsError("a run in parts is traced without interruption; this one is not")
        keys = given.keys
        steps[segments[0], 5] = np.searchsorted(keys, ek.SLOTS * first)
        if after is not None:
            steps[segments[0], 6] = np.searchsorted(keys, ek.SLOTS * end)
        s.next_step = s.next_item = s.running = s.used = s.put = s.packed = 0
        rows = np.empty((1024 + len(given.row_of)) * ek.PACKET_ROW, np.int64)
        m = ek.Columns(rows=rows, data=np.empty(1, np.int8), **self._known, **columns)
        while self._kernel.run(m) == ek.FULL:
            m = m._replace(rows=np.concatenate([m.rows, np.empty_like(m.rows)]))
        if after is not None:
            if s.forced < ek.SLOTS * end:  # an item of this part that has nothing of its own to report
                self._kernel.force(m, ek.SLOTS * end)
            moved = ek.SLOTS * (end - 1)  # the last block of this part is the first of the next
            for name in ("forced", "due"):
                if (value := getattr(s, name)) != ek.FAR:
                    setattr(s, name, value - moved)
            blocks = np.flatnonzero(beats.valid().any(axis=1))
            self._before = beats.select(slice(int(blocks[-1]), int(blocks[-1]) + 1))
        m = m._replace(data=np.empty(1024 + 16 * s.used // ek.PACKET_ROW, np.int8))
        while self._kernel.pack(m) == ek.FULL:
            m = m._replace(data=np.concatenate([m.data, np.empty_like(m.data)]))
        used = m.rows[: s.used].reshape(-1, ek.PACKET_ROW)
        return Piece(m.data[: s.put].tobytes(), used[:, ek.BEHIND].copy(), np.flatnonzero(used[:, 0] == ek.L_START))


def beats_of(retired: Retired, program: Program, config: EtraceConfig | NtraceConfig, first: bool, last: bool) -> Beats:
    """A part of a run as the ingress port carries it, one block a cycle. first, last: it begins or ends the trace."""
    on, off = (Retired.from_columns(kind=[kind], pc=[0], size=[0]) for kind in (Kind.TRACE_ON, Kind.TRACE_OFF))
    rows = Retired.concat([*([on] if first else []), retired, *([off] if last else [])])
    rows = observable(rows, program) if first or last else rows
    is_etrace = isinstance(config, EtraceConfig)
    bits = (
        config.iretire_width_p if isinstance(config, EtraceConfig) else min(config.iretire_bits, config.icnt_bits - 1)
    )
    beats = to_beats(rows, 1, "block", (1 << bits) - 1, tracing=not first, halted=False, per_cycle=is_etrace)
    if not first:  # the first row is idle, with enable 0
        beats = beats.select(slice(1, None))
    return beats


def joined(pieces: list[Piece]) -> Piece:
    """Pieces one after the other."""
    ends, syncs, at, count = [], [], 0, 0
    for piece in pieces:
        ends.append(piece.ends + at)
        syncs.append(piece.syncs + count)
        at, count = at + len(piece.data), count + len(piece.ends)
    return Piece(b"".join(piece.data for piece in pieces), np.concatenate(ends), np.concatenate(syncs))
