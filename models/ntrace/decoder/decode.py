# SPDX-License-Identifier: Apache-2.0
"""The N-Trace decoder: what the hart did, from the bytes and the program alone (chapter 11).

Written to accept any legal encoder: it knows nothing of how an encoder chooses between messages. Bytes that
are damaged or contradict the program give a `Diagnostic` with the clause they break; decoding resumes at the
next synchronizing message. Time and memory are bounded by the bytes given and `max_instructions`.
Several sources in one stream: `rvtrace.models.ntrace.decoder.sources`.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.decoding import FINISHED, MAX_INSTRUCTIONS, Contradiction, DecoderError, LimitReached, fit
from rvtrace.models.common.messages import Table
from rvtrace.models.ntrace.codec import Damage, Unpacker
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.context import NO_TIME, Clock
from rvtrace.models.ntrace.decoder.decoded import CLAUSES, DecodedTrace, Diagnostic, Event, Reading, Rest
from rvtrace.models.ntrace.decoder.images import ImageMap, Situation, View
from rvtrace.models.ntrace.decoder.messages import Interpreter, State
from rvtrace.models.ntrace.table import RESERVED_RCODES, Message, MessageType
from rvtrace.models.riscv.program import Program

__all__ = ["CLAUSES", "DecodedTrace", "Decoder", "DecoderError", "Diagnostic", "Event", "Reading", "decode"]

WASTE = 8  # what contradictions undid counts for so much of it, so that hostile bytes cannot take hours


class Decoder:
    """Takes the bytes of one encoder in pieces of any size; `finish` returns the decoded trace.

    program: what was traced, or an `ImageMap` of several programs. config: variant, mode, xlen and the options that
    change what messages mean: SRC (messages of other sources are passed over), TSTAMP, address extension, implicit
    returns, sequential jumps and all-jumps; no width or depth of an encoder. max_instructions: decoding stops with a
    diagnostic (NT-24) where the trace reports more; 5 bytes can report millions. by_address: after a contradiction go
    on at the next address that is reported, in place of the next synchronizing message (for checks: a single wrong
    message then hides little of what follows). table: of the messages, if not that of the variant. DecoderError if
    program and configuration do not fit.
    """

    def __init__(
        self,
        program: Program | ImageMap,
        config: Config,
        max_instructions: int = MAX_INSTRUCTIONS,
        by_address: bool = False,
        table: Table[MessageType] | None = None,
    ) -> None:
        fit(program, config, "XLEN")
        self._config, self._limit, self._by_address = config, max_instructions, by_address
        self._map = program if isinstance(program, ImageMap) else None
        view = program.view(Situation()) if isinstance(program, ImageMap) else program
        self._images: list[tuple[int, Program | View]] = [(0, view)]
        self._flow = Interpreter(view, config, table)
        self._mark = self._flow.path.mark()
        self._unpacker = Unpacker(config, self.take, self.damage, table)
        self._clock = Clock() if config.timestamp else None
        self._bytes = 0
        self._fast = self._map is None or not any(
            image.message is not None or image.time is not None for image in self._map.images
        )
        self._source = config.src_id if config.source_bits else None
        self._sources: Counter[int] = Counter()
        self._result: DecodedTrace | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream. DecoderError after `finish`."""
        if self._result is not None:
            raise DecoderError(FINISHED)
        data = bytes(data)  # also of what is like bytes: the compiled kernel reads nothing else
        self._bytes += len(data)
        flow, memory, unpacker = self._flow, self._flow.path.memory, self._unpacker
        if not self._fast:
            if flow.state is not State.DONE:
                unpacker.feed(data)
            return
        if not memory.compiled and native.is_compiled(k, self._bytes):
            memory.compile()
        at, end = 0, len(data)
        while at < end and flow.state is not State.DONE:
            if flow.state is State.ON and not unpacker.is_open:
                at = self._run(data, at)
                if at == end:
                    break
            stop = at  # the next message, or what else there is, ends with MSEO=11
            while stop < end - 1 and data[stop] & 3 != 3:
                stop += 1
            unpacker.feed(data[at : stop + 1])
            at = stop + 1

    def _run(self, data: bytes, at: int) -> int:
        """Take the usual messages from data[at:]; the first byte that is left to `take`."""
        flow, memory, clock = self._flow, self._flow.path.memory, self._clock
        s, w, begin, now = memory.state, memory.work, at, NO_TIME if clock is None else clock.now
        allowed = self._limit - flow.path.wasted * WASTE
        if now > k.MOST >> 1 or not 0 <= allowed <= k.MOST >> 1:
            return at
        s.time, w.limit, w.offset = now, allowed, self._bytes - len(data)
        given = np.frombuffer(data, np.uint8) if memory.compiled else data
        while True:
            status = memory.kernel.run(memory.columns, memory.reading, given, at, len(data))
            at = w.at
            if not k.FULL <= status < k.OK:
                break
            memory.provide(status)
        if clock is not None:
            clock.now = s.time
        self._unpacker.skip(at - begin)
        return at

    def finish(self, size: int | None = None) -> DecodedTrace:
        """The end of the stream. size: its bytes, if they came as messages (`take`)."""
        if self._result is None:
            flow, self._bytes = self._flow, self._bytes if size is None else size
            if flow.state is not State.DONE:
                self._unpacker.finish()
            flow.findings.resume(self._bytes, len(flow.messages))
            self._sources.update(flow.path.memory.sources())
            if self._sources and not flow.messages:
                text = (
                    f"no message has SRC={self._source}; found {', '.join(map(str, sorted(self._sources)))}: give that"
                    " as SRC_ID"
                )
                flow.findings.useless(self._bytes, "NT.3.2.src", text)
            elif flow.state is State.START and flow.dropped:
                text = f"no synchronizing message in {self._bytes} bytes"
                flow.findings.useless(self._bytes, "NT-24", text)
            rest = Rest(
                flow.contexts, self._images, flow.readings, self._sources, flow.skipped or 0,
                flow.state is not State.DONE,
            )  # fmt: skip
            self._result = DecodedTrace(flow.path, flow.events, flow.messages, flow.findings, rest)
        return self._result

    def take(self, message: Message) -> None:
        """The next message of the stream, of whatever source."""
        flow = self._flow
        if flow.state is State.DONE:
            return
        if self._source is not None and message.type.own:  # of unknown messages, SRC is not known either
            self._sources[message.src] += 1
            if message.src != self._source:
                return
        path = flow.path
        flow.messages.append(message, path.count, NO_TIME if self._clock is None else self._now(message))
        if self._map is not None:
            self._look()
        self._mark, events = path.mark(), len(flow.events)
        try:
            flow.handle(message)
            if self._by_address and flow.state is State.LOST:
                flow.go_on(message)
            if path.count + path.wasted * WASTE > self._limit:
                raise LimitReached.of(self._limit)
        except Contradiction as error:
            path.undo(self._mark)
            seen = f" ({self._situation()})" if self._map else ""
            flow.lose(message.offset, error.clause, f"{message}: {error}{seen}", len(flow.messages) - 1)
            can_start = message.type.has_sync and message.get("faddr", 0) >> self._config.xlen - 1 == 0
            if self._by_address and can_start:  # an address where there is no code is no start
                can_start = path.program.code[message.get("faddr", 0) << 1] is not None
            if can_start and flow.state is State.LOST:
                flow.start(message)
            elif self._by_address and flow.state is State.LOST:
                flow.go_on(message)
        except LimitReached as error:
            path.undo(self._mark)
            del flow.events[events:]
            flow.findings.resume(message.offset, len(flow.messages) - 1)
            flow.lose(message.offset, "NT-24", f"the trace reports {error}", len(flow.messages) - 1)
            flow.state = State.DONE

    def damage(self, damage: Damage) -> None:
        """Bytes that are no message; which source they came from is not known."""
        flow = self._flow
        flow.chained = False
        if flow.state is State.START and not flow.messages and not flow.dropped:
            flow.dropped = True  # the front of a buffer that wrapped
        elif flow.state not in (State.LOST, State.DONE):
            flow.lose(damage.offset, damage.clause, damage.reason, len(flow.messages))
        if self._clock is not None:
            self._clock.forget()

    def _now(self, message: Message) -> int:
        assert self._clock is not None
        if (
            not message.type.own or message.get("rcode", 0) in RESERVED_RCODES
        ):  # nobody knows which of its fields is TSTAMP
            self._clock.forget()
            return NO_TIME
        time, clause, text = self._clock.take(message)
        if clause:
            self._flow.complain(message, clause, text)
        return time

    def _situation(self) -> Situation:
        flow, time = self._flow, NO_TIME if self._clock is None else self._clock.now
        return Situation(*flow.contexts[-1].context, message=len(flow.messages) - 1, time=time, marker=flow.markers)

    def _look(self) -> None:
        """Follow the code that is there when this message is handled."""
        assert self._map is not None
        view = self._map.view(self._situation())
        if view is not self._images[-1][1]:
            self._images.append((self._flow.path.count, view))
            self._flow.path.use(view)


def decode(
    data: bytes,
    program: Program | ImageMap,
    config: Config,
    max_instructions: int = MAX_INSTRUCTIONS,
    by_address: bool = False,
    table: Table[MessageType] | None = None,
) -> DecodedTrace:
    """What one hart did, from a whole trace of its encoder; see `Decoder`.

    data: the bytes of the stream (N-Trace 1.0, chapter 6; idle bytes are skipped). program: what was traced, or an
    `ImageMap` of several programs. config: of the encoder. DecoderError if program and configuration do not fit; wrong
    bytes are diagnostics of the result.
    """
    decoder = Decoder(program, config, max_instructions, by_address, table)
    decoder.feed(data)
    return decoder.finish()
