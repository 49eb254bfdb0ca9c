# SPDX-License-Identifier: Apache-2.0
"""What a decoder makes of a trace: instructions, events, messages, and what was wrong with the bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rvtrace.models.common.decoding import Walked
from rvtrace.models.ntrace.decoder.context import NO_TIME, UNKNOWN, Context, ContextChange, written_csr
from rvtrace.models.ntrace.decoder.images import View
from rvtrace.models.ntrace.decoder.message_log import Messages
from rvtrace.models.ntrace.decoder.path import Path
from rvtrace.models.ntrace.table import BY_NAME, Message
from rvtrace.models.riscv.program import Program

# Every requirement a decoder can find broken, with the codec's own. A diagnostic carries one of these ids.
CLAUSES: dict[str, str] = {
    "NT-6": "RepeatBranch follows a branch message without SYNC and repeats it; B-CNT and HREPEAT are not 0",
    "NT-11": "traps are reported by B-TYPE 1 alone or by 2 and 3, not mixed",
    "NT-12": "a trap's EPC is known: a jump before it has its own message",
    "NT-14": "Error is directly followed by a synchronizing message, or ends the trace",
    "NT-17": "SRC is after TCODE with the configured width",
    "NT-24": "any bytes are survived; a trace holds a synchronizing message and fits the decoder's limits",
    "NT.2.all_jumps": "with all-jumps, every direct jump is reported as a taken branch",
    "NT.3.1.end": "the last byte of a message has MSEO=11",
    "NT.3.1.mseo": "MSEO follows the allowed transitions",
    "NT.3.2.src": "every message has the SRC of its encoder",
    "NT.3.max_message": "no message is longer than all its fields can be",
    "NT.6.1.tcode": "TCODE is one of table 8 (reserved and vendor-defined messages are skipped)",
    "NT.6.2.btype": "B-TYPE says what ended the count: a jump, an exception or an interrupt",
    "NT.6.2.max_field": "no field is wider than table 10 allows",
    "NT.7.1.process": "PROCESS has a FORMAT and a privilege of tables 11 and 12",
    "NT.7.2.btm_only": "DirectBranch and DirectBranchSync are sent in BTM only",
    "NT.7.4.error": "lost messages are announced by Error, with a code of table 15",
    "NT.7.5.icnt": "ProgTraceSync at a start or restart has I-CNT=0",
    "NT.7.8.btm": "HIST is reported by ResourceFull in HTM only",
    "NT.7.8.hist_bits": "HIST in ResourceFull has at least one branch",
    "NT.7.8.rcode": "RCODE is one of table 19",
    "NT.7.9.htm_only": "IndirectBranchHist and IndirectBranchHistSync are sent in HTM only",
    "NT.7.12.cdf": "CDF is 1 with HIST in HTM, 0 without HIST in BTM",
    "NT.7.12.evcode": "EVCODE is one of table 23",
    "NT.7.12.stop": "ProgTraceCorrelation comes when trace stops, and nothing until it starts again",
    "NT.8.1.faddr": "F-ADDR on code whose next pc is known is that pc",
    "NT.8.1.xlen": "addresses have no more bits than XLEN",
    "NT.8.3.hist": "HIST has one bit for each direct conditional branch of the count, and no more",
    "NT.8.3.stop_bit": "HIST has its stop bit, so it is never 0",
    "NT.8.4.count": "I-CNT ends between two instructions, not before the branches that HIST reports",
    "NT.8.4.icnt": "I-CNT counts instructions that retire (ecall and ebreak in rc7 only)",
    "NT.8.5.codes": "SYNC is one of table 25",
    "NT.8.5.start_message": "trace starts and restarts with ProgTraceSync",
    "NT.8.5.sync7": "SYNC=7 comes after Error only",
    "NT.8.6.stop_while_off": "ProgTraceCorrelation while trace is off counts nothing",
    "NT.8.7.absolute": "every synchronizing message reports the absolute time, if timestamps are enabled",
    "NT.8.7.monotonic": "time does not go back, and has 64 bits",
    "NT.9.1.sequential_jump": "a jump is inferred from a constant loaded right before it, in the same count",
    "NT.9.2.implicit_return": "a return is inferred from a call reported since the last synchronizing message",
    "NT.10.branches": "DirectBranch ends in a direct conditional branch",
    "NT.10.indirect": "an uninferable jump ends its count, and its message reports the target",
    "NT.11.pcs": "the instructions counted are in the program",
    **{f"NT.{kind.section}.fields": f"{kind.name} has its fields, and no more" for kind in BY_NAME.values()},
}


MAX_FINDINGS = 100_000  # diagnostics, and notes, of one trace
SEARCHED = 1 << 20  # instructions in which a context change is looked for


class Event(NamedTuple):
    """Something that is not a retired instruction.

    kind: "sync", "trap", "trace_on", "trace_off", "debug_entry", "debug_exit", "error" (messages were lost),
    "gap" (instructions before and after do not join), "marker" (SYNC 0 and 6), "reset" (SYNC 1; they do not join
    either), "sleep" (EVCODE 1), "wake" (SYNC 9), "ownership" (7.1) or "vendor". index: instructions before it. message:
    where it was reported. epc, btype: of a trap (epc None where it is not known). target: the next pc where reported.
    priv ({V, PRV}), context, hcontext: of an ownership, None where nothing reported it. text: for people.
    """

    kind: str
    index: int
    message: Message
    epc: int | None = None
    btype: int | None = None
    target: int | None = None
    text: str = ""
    priv: int | None = None
    context: int | None = None
    hcontext: int | None = None


class Reading(NamedTuple):
    """A RepeatBranch that other readings of 7.11 take elsewhere (NT-6).

    message: it. repeated: the branch message, whose U-ADDR is not 0. index: instructions before it. first: the pc after
    it when the target is repeated, as it is decoded here. second: the pc after it when its U-ADDR is XORed anew each
    time, or the U-ADDR fields are equal, not the targets; every other turn then goes to `other` in place of `first`.
    """

    message: Message
    repeated: Message
    index: int
    first: int
    second: int
    other: int


class Diagnostic(NamedTuple):
    """Damage or a contradiction: byte offset, clause broken, what was found, bytes and messages lost."""

    offset: int
    clause: str
    text: str
    lost_bytes: int
    lost_messages: int = 0

    def __str__(self) -> str:
        lost = f"; {self.lost_bytes} bytes ({self.lost_messages} messages) lost" if self.lost_bytes else ""
        return f"byte {self.offset:#x}: {self.text} [{self.clause}]{lost}"


class Findings:
    """Diagnostics and notes while they are made; the first MAX_FINDINGS of each are kept."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.notes: list[Diagnostic] = []
        self._open: tuple[int, int] | None = None  # the diagnostic of the present loss, messages before it

    @property
    def full(self) -> bool:
        """Whether there are as many diagnostics as are kept."""
        return len(self.diagnostics) >= MAX_FINDINGS

    def complain(self, offset: int, clause: str, text: str, lost: int = 0) -> None:
        """Something illegal that does not hide what the hart did."""
        if not self.full:
            self.diagnostics.append(Diagnostic(offset, clause, text, lost))

    def useless(self, size: int, clause: str, text: str) -> None:
        """All `size` bytes of the stream reported nothing."""
        self.diagnostics.insert(0, Diagnostic(0, clause, text, size))

    def note(self, message: Message, clause: str, text: str) -> None:
        """A message that is passed over, or odd."""
        if len(self.notes) < MAX_FINDINGS:
            self.notes.append(Diagnostic(message.offset, clause, f"{message}: {text}", 0))

    def lose(self, offset: int, clause: str, text: str, messages: int) -> None:
        """The flow is lost; `messages` came before."""
        self._open = (len(self.diagnostics), messages)
        self.diagnostics.append(Diagnostic(offset, clause, text, 0))

    def resume(self, offset: int, messages: int) -> None:
        """The loss, if there is one, ends at byte `offset`, with so many messages before."""
        if self._open is not None:
            index, before = self._open
            lost = self.diagnostics[index]
            self.diagnostics[index] = lost._replace(lost_bytes=offset - lost.offset, lost_messages=messages - before)
            self._open = None


@dataclass
class Rest:
    """What was reported beside instructions, events and messages: the rest of a `DecodedTrace`.

    contexts: privilege and context changes. images: (index, program) from which on it was followed. readings: see
    `Reading`. sources: messages by SRC, those of others too. skipped_bytes: what came before the first synchronizing
    message (a buffer that wrapped). complete: False if the decoder stopped at its limit.
    """

    contexts: list[ContextChange]
    images: list[tuple[int, Program | View]]
    readings: list[Reading] = field(default_factory=list)
    sources: Counter[int] = field(default_factory=Counter)
    skipped_bytes: int = 0
    complete: bool = True


class DecodedTrace(Walked):
    """Everything decoded.

    events: in order. first_pc: int64[number of messages], instructions known when the message was taken. diagnostics:
    empty for a good trace. notes: messages rightly skipped, and oddities that break nothing a decoder can see.
    readings, sources, skipped_bytes and complete: as in `Rest`. log: the messages, each made when it is read;
    `messages` makes all of them.
    """

    def __init__(
        self,
        path: Path,
        events: list[Event],
        messages: Messages,
        findings: Findings,
        rest: Rest,
    ) -> None:
        super().__init__(path)
        self._rest, self._messages = rest, messages
        self.log = messages
        self.events = events
        self.first_pc: np.ndarray = messages.first()
        self.diagnostics, self.notes = findings.diagnostics, findings.notes
        self.readings, self.sources = rest.readings, rest.sources
        self.skipped_bytes, self.complete = rest.skipped_bytes, rest.complete

    @cached_property
    def messages(self) -> list[Message]:
        """Every message of this source, the useless ones too."""
        return self._messages.list()

    @cached_property
    def time(self) -> list[int]:
        """Absolute time of each message, -1 where it is not known."""
        return self._messages.times()

    def program_at(self, index: int) -> Program | View:
        """The program, or view of several, in which instruction `index` was found."""
        images = self._rest.images
        return images[bisect_right([first for first, _ in images], index) - 1][1]

    # Privilege and context

    def _by_message(self, key: str) -> np.ndarray:
        column = np.full(len(self._messages), -1, dtype=np.int64)
        for change in self._rest.contexts:
            value = getattr(change.context, key)
            column[change.message :] = -1 if value is None else value
        return column

    @cached_property
    def priv(self) -> np.ndarray:
        """int64[len(messages)]: privilege ({V, PRV}) once the message was taken, -1 where nothing reported it."""
        return self._by_message("priv")

    @cached_property
    def context(self) -> np.ndarray:
        """int64[len(messages)]: scontext in the same way."""
        return self._by_message("context")

    @cached_property
    def hcontext(self) -> np.ndarray:
        """int64[len(messages)]: hcontext in the same way."""
        return self._by_message("hcontext")

    @cached_property
    def context_changes(self) -> list[tuple[int, Context]]:
        """(index, context): from this instruction on it is so.

        Ownership does not say between which instructions of a count a context changed: it is after the one that writes
        its CSR, if there is one up to the end of the count, else at the beginning.
        """
        changes, begin = [], 0
        for change in self._rest.contexts:
            begin = max(begin, change.index)
            begin = self._written(begin, change) if change.csrs else begin
            changes.append((begin, change.context))
        return changes

    def _written(self, begin: int, change: ContextChange) -> int:
        end = self._end_of_count(change.message)
        program = self.program_at(change.index)
        for index in range(begin, min(end, begin + SEARCHED)):
            if written_csr(program.insn(int(self.pcs[index]))) in change.csrs:
                return index + 1
        return begin

    def _end_of_count(self, message: int) -> int:
        """Instructions up to the end of the count that was open at a message."""
        while message < len(self.messages) and self.messages[message].get("icnt") is None:
            message += 1
        return int(self.first_pc[message + 1]) if message + 1 < len(self.messages) else len(self)

    def context_at(self, index: int) -> Context:
        """Privilege and context in which instruction `index` ran."""
        at = bisect_right([begin for begin, _ in self.context_changes], index) - 1
        return self.context_changes[at][1] if at >= 0 else UNKNOWN

    def instruction_contexts(self) -> dict[str, np.ndarray]:
        """ "priv", "context" and "hcontext" of every instruction, each int64[n], -1 where nothing reported it."""
        columns = {key: np.full(len(self), -1, dtype=np.int64) for key in Context._fields}
        for begin, context in self.context_changes:
            for key, column in columns.items():
                value = getattr(context, key)
                column[begin:] = -1 if value is None else value
        return columns

    def time_at(self, index: int) -> int:
        """Time reported by the last message that came before instruction `index`, -1 if there is none."""
        before = bisect_right(self.first_pc, index, lo=min(1, len(self.first_pc))) - 1  # it knew no more than `index`
        return next((time for time in reversed(self.time[: max(before, 0)]) if time != NO_TIME), NO_TIME)
