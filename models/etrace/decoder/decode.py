# SPDX-License-Identifier: Apache-2.0
"""The E-Trace decoder: what the hart did, from packets and the program alone, of both variants with all options.

Written to accept any legal encoder: it knows nothing of how one chooses between packets. Bytes that are damaged or
contradict the program give a `Diagnostic` with the clause they break; decoding resumes at the next synchronization
packet. Time and memory are bounded by the bytes given and `max_instructions`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.decoding import FINISHED, MAX_INSTRUCTIONS, Contradiction, DecoderError, LimitReached, fit
from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.decoded import CLAUSES, DecodedTrace, Diagnostic, Event
from rvtrace.models.etrace.decoder.deframe import Damage, Deframer
from rvtrace.models.etrace.decoder.packets import Interpreter, State
from rvtrace.models.etrace.decoder.path import Code
from rvtrace.models.etrace.table import MAX_PAYLOAD, Packet
from rvtrace.models.riscv.program import Program

__all__ = ["CLAUSES", "DecodedTrace", "Decoder", "DecoderError", "Diagnostic", "Event", "decode", "decode_bytes"]

OTHERS = (7, 11, 15)  # format and subformat of trap, context and support, which the kernel does not take
REMEMBERED = 1 << 15  # payloads unpacked once


class Decoder:
    """Takes payloads one by one; `finish` returns the decoded trace.

    program: what was traced. config: the parameters that give packets their layout, the options in force before a
    support packet reports them, and trap_vectors. max_instructions: decoding stops with a diagnostic where the trace
    reports more; 6 bytes can encode millions. code: of the program, from an earlier decoder of it. settled: numbers of
    packets; an address that was met by inference before one of them is no target of a jump. DecoderError if program and
    configuration do not fit.
    """

    def __init__(
        self,
        program: Program,
        config: Config,
        max_instructions: int = MAX_INSTRUCTIONS,
        code: Code | None = None,
        settled: Collection[int] = (),
    ) -> None:
        fit(program, config, "IADDRESS_WIDTH_P")
        self._config, self._limit, self._settled = config, max_instructions, sorted(settled)
        self._flow = Interpreter(program, config, max_instructions, code)
        self._unpacked: dict[tuple[int, bytes], Packet] = {}
        self._bytes = self._looked = 0  # bytes taken, and how many there were when compiling was thought of
        self._result: DecodedTrace | None = None

    def feed(self, payload: bytes, offset: int = -1) -> None:
        """Take the next packet. offset: of its first byte in the stream, or -1. DecoderError after `finish`."""
        self.take(bytes(payload), [0, len(payload), offset])

    def take(self, data: bytes, rows: Any) -> None:
        """Take packets that are pieces of some bytes. rows: of each its begin, its size and its offset in the stream,
        one after the other.
        """
        if self._result is not None:
            raise DecoderError(FINISHED)
        flow, memory = self._flow, self._flow.path.memory
        if flow.state is State.DONE:
            return
        self._bytes += len(data)
        if not memory.compiled and self._bytes >= 2 * self._looked:
            self._looked = self._bytes
            if native.is_compiled(k, self._bytes):
                memory.compile()
        if memory.compiled:
            rows = np.asarray(rows, np.int64)
        elif not isinstance(rows, list):
            rows = rows.tolist()
        first = len(flow.columns.payloads)
        flow.columns.payloads.add(data, rows)
        given = np.frombuffer(data or b"\0", np.uint8) if memory.compiled else data
        at, end = 0, len(rows) // k.PACKET_ROW
        while at < end and flow.state is not State.DONE:
            stop = end
            if self._settled:
                after = bisect_right(self._settled, first + at)
                stop = min(end, self._settled[after] - first) if after < len(self._settled) else end
                if after and self._settled[after - 1] == first + at:
                    flow.settle()
            row = k.PACKET_ROW * at
            if flow.state is State.TRACING and rows[row + 1] and data[rows[row]] & 15 not in OTHERS:
                after = self._run(given, rows, at, stop)
                if after != at:
                    at = after
                    continue
            begin, flow.offset = int(rows[row]), int(rows[row + 2])
            self._take(data[begin : begin + int(rows[row + 1])])
            at += 1

    def _run(self, data: Any, rows: Any, at: int, end: int) -> int:
        """Take the usual packets from `at`; the first that is left."""
        memory = self._flow.path.memory
        while True:
            status = memory.kernel.run(memory.columns, memory.reading, data, rows, at, end)
            at = memory.state.at
            if not k.FULL <= status < k.OK:
                return at
            memory.provide(status)

    def _take(self, payload: bytes) -> None:
        """A packet that is not for the kernel alone."""
        flow = self._flow
        columns, path = flow.columns, flow.path
        columns.begin()
        if len(self._unpacked) >= REMEMBERED:
            self._unpacked.clear()
        packet = self._unpacked.get((flow.ioptions, payload))
        if packet is None:
            try:
                packet = unpack(payload, self._config, flow.options)
            except PacketError as error:
                short = 1 <= len(payload) <= MAX_PAYLOAD
                flow.lose("ET.pay.fields" if short else "ET.pay.type_length", str(error))
                return
            self._unpacked[flow.ioptions, payload] = packet
        flow.mark, events = path.mark(), columns.events.mark()
        try:
            flow.handle(packet)
            if path.spent > self._limit:
                raise LimitReached.of(self._limit)
        except Contradiction as error:
            path.undo(flow.mark)
            columns.events.undo(events)
            flow.lose(error.clause, f"{packet}: {error}")
            if packet.is_sync and packet.get("thaddr", 1):
                try:
                    flow.handle(packet)
                except Contradiction:
                    path.undo(flow.mark)
                    columns.events.undo(events)
                    flow.lose(error.clause, str(error))
        except LimitReached as error:
            path.undo(flow.mark)
            columns.events.undo(events)
            flow.resume(flow.index)
            flow.lose("ET.bt.bounds", f"the trace reports {error}")
            flow.state, columns.complete = State.DONE, False

    def damage(self, damage: Damage) -> None:
        """Bytes of the stream that are no packet."""
        if self._flow.state is not State.DONE and self._result is None:
            self._flow.break_off(damage.clause, damage.text, damage.offset)

    def finish(self) -> DecodedTrace:
        """The end of the stream."""
        if self._result is None:
            flow = self._flow
            columns = flow.columns
            flow.resume(len(columns.payloads))
            if columns.skipped and flow.state is State.START and columns.skipped == len(columns.payloads):
                text = f"no synchronization packet is among {columns.skipped} packets"
                columns.diagnostics.insert(0, Diagnostic(0, "ET.alg.first", text, columns.skipped))
            self._result = DecodedTrace(flow.path, columns)
        return self._result


def decode(
    payloads: Iterable[bytes],
    program: Program,
    config: Config,
    max_instructions: int = MAX_INSTRUCTIONS,
    code: Code | None = None,
    settled: Collection[int] = (),
) -> DecodedTrace:
    """What one hart did, from the payloads of a whole trace; see `Decoder`.

    DecoderError if program and configuration do not fit; wrong payloads are diagnostics of the result.
    """
    decoder, given = Decoder(program, config, max_instructions, code, settled), list(payloads)
    sizes = np.array([len(payload) for payload in given], np.int64)
    rows = np.full((len(given), k.PACKET_ROW), -1, np.int64)
    rows[:, 0], rows[:, 1] = np.cumsum(sizes) - sizes, sizes
    decoder.take(b"".join(given), rows.reshape(-1))
    return decoder.finish()


def decode_bytes(
    data: bytes, program: Program, config: Config, max_instructions: int = MAX_INSTRUCTIONS, joined: bool = False
) -> DecodedTrace:
    """What one hart did, from the bytes of a whole trace in the transport of the configuration; see `Decoder`.

    joined: the data may begin in the middle of a packet; see `rvtrace.models.etrace.decoder.deframe`.
    """
    decoder, deframer = Decoder(program, config, max_instructions), Deframer(config, joined)
    for found in (*deframer.pieces(data), *deframer.rest()):
        if isinstance(found, Damage):
            decoder.damage(found)
        else:
            decoder.take(found.data, found.rows)
    return decoder.finish()
