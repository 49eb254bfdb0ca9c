"""What a decoder makes of a trace: instructions, events, messages, and what was wrong with the bytes."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from models.ntrace.decoder_path import Path
from models.ntrace.messages import BY_NAME, Message

# Every requirement a decoder can find broken, with the codec's own. A diagnostic carries one of these ids.
CLAUSES: dict[str, str] = {
    "NT-6": "RepeatBranch follows a branch message without SYNC and repeats it; B-CNT and HREPEAT are not 0",
    "NT-11": "traps are told by B-TYPE 1 alone or by 2 and 3, not mixed",
    "NT-12": "a trap's EPC is known: a jump before it has its own message",
    "NT-14": "Error is directly followed by a synchronizing message, or ends the trace",
    "NT-17": "SRC stands behind TCODE with the configured width",
    "NT-24": "any bytes are survived; a trace holds a synchronizing message and fits the decoder's limits",
    "NT.3.1.end": "the last byte of a message has MSEO=11",
    "NT.3.1.mseo": "MSEO follows the allowed transitions",
    "NT.3.max_message": "no message is longer than all its fields can be",
    "NT.6.1.tcode": "TCODE is one of table 8 (reserved and vendor-defined messages are skipped)",
    "NT.6.2.btype": "B-TYPE says what ended the count: a jump, an exception or an interrupt",
    "NT.6.2.max_field": "no field is wider than table 10 allows",
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
    "NT.8.4.count": "I-CNT ends between two instructions, not before the branches that HIST tells",
    "NT.8.4.icnt": "I-CNT counts instructions that retire (ecall and ebreak in rc7 only)",
    "NT.8.5.codes": "SYNC is one of table 25",
    "NT.8.5.start_message": "trace starts and restarts with ProgTraceSync",
    "NT.8.5.sync7": "SYNC=7 comes after Error only",
    "NT.8.6.stop_while_off": "ProgTraceCorrelation while trace is off counts nothing",
    "NT.10.branches": "DirectBranch ends in a direct conditional branch",
    "NT.10.indirect": "an uninferable jump ends its count, and its message tells the target",
    "NT.11.pcs": "the instructions counted are in the program",
    **{f"NT.{kind.section}.fields": f"{kind.name} has its fields, and no more" for kind in BY_NAME.values()},
}


MAX_FINDINGS = 100_000  # diagnostics, and notes, of one trace


class Event(NamedTuple):
    """Something that is no retired instruction.

    kind: "sync", "trap", "trace_on", "trace_off", "debug_entry", "debug_exit", "error" (messages were lost)
    or "gap" (instructions before and behind do not join). index: instructions before it. message: where it
    was told. epc, btype: of a trap (epc None where it is not known). target: the next pc where told.
    text: for people.
    """

    kind: str
    index: int
    message: Message
    epc: int | None
    btype: int | None
    target: int | None
    text: str


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
            self.diagnostics[index] = lost._replace(
                lost_bytes=offset - lost.offset, lost_messages=messages - before
            )
            self._open = None


class DecodedTrace:
    """The whole story. The PCs are kept compact and made when `pcs` or `taken` is first read (9 bytes each).

    events: in order. messages: every message, the useless ones too. first_pc: int64[len(messages)],
    instructions known when the message was taken. diagnostics: empty for a good trace. notes: messages
    rightly skipped, and oddities that break nothing a decoder can see. skipped_bytes: what came before the
    first synchronizing message (a buffer that wrapped). complete: False if the decoder stopped at its limit.
    """

    def __init__(
        self, path: Path, events: list[Event], messages: list[Message], first_pc: list[int],
        findings: Findings, skipped_bytes: int, complete: bool,
    ) -> None:  # fmt: skip
        self._path = path
        self.events, self.messages = events, messages
        self.first_pc = np.array(first_pc, dtype=np.int64)
        self.diagnostics, self.notes = findings.diagnostics, findings.notes
        self.skipped_bytes, self.complete = skipped_bytes, complete

    def __len__(self) -> int:
        """Retired instructions."""
        return self._path.count

    @cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        return self._path.expand()

    @property
    def pcs(self) -> np.ndarray:
        """uint64[n]: pc of every retired instruction in order."""
        return self._columns[0]

    @property
    def taken(self) -> np.ndarray:
        """int8[n]: 1 or 0 for a branch whose direction is told, else -1."""
        return self._columns[1]
