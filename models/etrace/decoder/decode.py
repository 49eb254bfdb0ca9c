# SPDX-License-Identifier: Apache-2.0
"""The E-Trace decoder: what the hart did, from packets and the program alone, of both variants with all options.

Written to accept any legal encoder: it knows nothing of how one chooses between packets. Bytes that are damaged or
contradict the program give a `Diagnostic` with the clause they break; decoding resumes at the next synchronization
packet. Time and memory are bounded by the bytes given and `max_instructions`.
"""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decoded import CLAUSES, UNTOLD, DecodedTrace, Diagnostic, Event
from rvtrace.models.etrace.decoder.deframe import Damage, Deframer
from rvtrace.models.etrace.decoder.packets import Interpreter, State
from rvtrace.models.etrace.decoder.path import Contradiction, LimitReached
from rvtrace.models.etrace.table import MAX_PAYLOAD, Packet
from rvtrace.models.riscv.program import Program

__all__ = ["CLAUSES", "DecodedTrace", "Decoder", "DecoderError", "Diagnostic", "Event", "decode", "decode_bytes"]

MAX_INSTRUCTIONS = 50_000_000  # about 0.5 GB once `pcs` and `taken` are read
WASTE = 8  # what contradictions undid counts for so much of it, so that hostile bytes cannot take hours
REMEMBERED = 1 << 15  # payloads unpacked once


class DecoderError(ValueError):
    """A decoder that cannot be made or used so; the text says what to do."""


class Decoder:
    """Takes payloads one by one; `finish` returns the decoded trace.

    program: what was traced. config: the parameters that give packets their layout, the options in force before a
    support packet reports them, and trap_vectors. max_instructions: decoding stops with a diagnostic where the trace
    reports more; 6 bytes can encode millions. DecoderError if program and configuration do not fit.
    """

    def __init__(self, program: Program, config: Config, max_instructions: int = MAX_INSTRUCTIONS) -> None:
        if program.xlen != config.xlen:
            raise DecoderError(
                f"the program is for RV{program.xlen} and the trace for RV{config.xlen}; "
                f"give the program that was traced, or IADDRESS_WIDTH_P={program.xlen}"
            )
        self._config, self._limit = config, max_instructions
        self._flow = Interpreter(program, config, max_instructions)
        self._unpacked: dict[bytes, Packet] = {}
        self._options = self._flow.ioptions
        self._result: DecodedTrace | None = None

    def feed(self, payload: bytes, offset: int = -1) -> None:
        """Take the next packet. offset: of its first byte in the stream, or -1. DecoderError after `finish`."""
        if self._result is not None:
            raise DecoderError("this decoder has finished; make a new Decoder for another trace")
        flow = self._flow
        if flow.state is State.DONE:
            return
        columns, path = flow.columns, flow.path
        if flow.ioptions != self._options or len(self._unpacked) >= REMEMBERED:
            self._options = flow.ioptions
            self._unpacked.clear()
        columns.first_pc.append(path.count)
        columns.options.append(flow.ioptions)
        for column in (columns.priv, columns.context, columns.time):
            column.append(column[-1] if column else UNTOLD)
        if offset >= 0:
            columns.offsets.append(offset)
        packet = self._unpacked.get(payload)
        if packet is None:
            try:
                packet = unpack(payload, self._config, flow.options)
            except PacketError as error:
                columns.packets.append(None)
                short = 1 <= len(payload) <= MAX_PAYLOAD
                flow.lose("ET.pay.fields" if short else "ET.pay.type_length", str(error))
                return
            self._unpacked[bytes(payload)] = packet
        columns.packets.append(packet)
        flow.mark, events = path.mark(), len(columns.events)
        try:
            flow.handle(packet)
            if path.count + path.wasted * WASTE > self._limit:
                raise LimitReached(f"more than {self._limit} instructions; give a larger max_instructions")
        except Contradiction as error:
            path.undo(flow.mark)
            del columns.events[events:]
            flow.lose(error.clause, f"{packet}: {error}")
            if packet.is_sync and packet.get("thaddr", 1):
                try:
                    flow.handle(packet)
                except Contradiction:
                    path.undo(flow.mark)
                    del columns.events[events:]
                    flow.lose(error.clause, str(error))
        except LimitReached as error:
            path.undo(flow.mark)
            del columns.events[events:]
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
            flow.resume(len(columns.packets))
            if columns.skipped and flow.state is State.START and columns.skipped == len(columns.packets):
                text = f"no synchronization packet is among {columns.skipped} packets"
                columns.diagnostics.insert(0, Diagnostic(0, "ET.alg.first", text, columns.skipped))
            self._result = DecodedTrace(flow.path, columns)
        return self._result


def decode(
    payloads: Iterable[bytes], program: Program, config: Config, max_instructions: int = MAX_INSTRUCTIONS
) -> DecodedTrace:
    """What one hart did, from the payloads of a whole trace; see `Decoder`.

    DecoderError if program and configuration do not fit; wrong payloads are diagnostics of the result.
    """
    decoder = Decoder(program, config, max_instructions)
    for payload in payloads:
        decoder.feed(payload)
    return decoder.finish()


def decode_bytes(
    data: bytes, program: Program, config: Config, max_instructions: int = MAX_INSTRUCTIONS, joined: bool = False
) -> DecodedTrace:
    """What one hart did, from the bytes of a whole trace in the transport of the configuration; see `Decoder`.

    joined: the data may begin in the middle of a packet; see `rvtrace.models.etrace.decoder.deframe`.
    """
    decoder, deframer = Decoder(program, config, max_instructions), Deframer(config, joined)
    for found in (*deframer.feed(data), *deframer.finish()):
        if isinstance(found, Damage):
            decoder.damage(found)
        else:
            decoder.feed(found.payload, found.offset)
    return decoder.finish()
