"""The reference N-Trace encoder: which messages, and so which bytes, a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares the profile of
docs/ntrace-profile.md; the section numbers are those of the N-Trace specification. Beside each message stands
the clause that made the encoder send it (`CLAUSES`), so that a difference names the rule that was broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from models.ntrace.codec import pack
from models.ntrace.config import Config
from models.ntrace.messages import TABLES, Message, MessageType
from models.riscv.beats import Beats
from models.riscv.retired import IType

CLAUSES: dict[str, str] = {
    "NT.2.exception": "an exception is an indirect branch message with B-TYPE 2 or 1 and the handler's PC",
    "NT.2.interrupt": "an interrupt is an indirect branch message with B-TYPE 3 or 1 and the handler's PC",
    "NT.2.xret": "a return from a trap is an indirect branch message with B-TYPE 0",
    "NT.2.uninferable_jump": "an uninferable jump or tail call is an indirect branch message with B-TYPE 0",
    "NT.2.uninferable_call": "an uninferable call is an indirect branch message with B-TYPE 0",
    "NT.2.coroutine_swap": "a co-routine swap is an indirect branch message with B-TYPE 0",
    "NT.2.return": "a return is an indirect branch message with B-TYPE 0",
    "NT.7.2.direct_branch": "BTM: each taken branch is one DirectBranch",
    "NT.7.4.error": "messages were lost: Error stands immediately before the sync that restarts tracing",
    "NT.7.4.error_alone": "messages were lost and tracing stopped: Error is sent although no sync follows",
    "NT.7.8.both_full": "I-CNT and HIST full at once: two ResourceFull, I-CNT first",
    "NT.7.12.debug_entry": "tracing stops as the hart enters Debug Mode: ProgTraceCorrelation EVCODE=0",
    "NT.7.12.trace_off": "tracing is disabled while the hart runs: ProgTraceCorrelation EVCODE=4",
    "NT.7.12.open_target": "tracing stops before a jump's or trap's target: one ProgTraceCorrelation ends it",
    "NT.8.3.1.hist_full": "the top bit of HIST is set: ResourceFull RCODE=1",
    "NT.8.4.4.resource_full": "the top bit of I-CNT is set: ResourceFull RCODE=0",
    "NT.8.4.4.sync4": "rc7, HTM with branches in HIST: a full I-CNT is IndirectBranchHistSync SYNC=4",
    "NT.8.5.sync2_linear": "periodic sync due between two blocks of linear code",
    "NT.8.5.sync2_direct": "periodic sync due at the target of a taken branch (BTM): DirectBranchSync",
    "NT.8.5.sync2_indirect": "periodic sync due at an indirect target: the Sync form of its message",
    "NT.8.5.sync3": "tracing starts on exit from Debug Mode: ProgTraceSync SYNC=3",
    "NT.8.5.sync5": "tracing is enabled on a running hart: ProgTraceSync SYNC=5",
    "NT.8.5.sync7": "tracing goes on after an overflow: ProgTraceSync SYNC=7",
    "NT.8.6.back_to_back_traps": "a trap at a handler's first instruction: I-CNT=0, U-ADDR against it",
    "NT.8.6.trap_at_start": "a trap at the first instruction traced: ProgTraceSync, then the trap's I-CNT=0",
    "NT.8.6.stop_while_off": "Debug Mode entered with tracing off: ProgTraceCorrelation EVCODE=0, I-CNT=0",
    "NT.8.6.start_while_off": "rc7: Debug Mode left with tracing off: ProgTraceCorrelation EVCODE=4, I-CNT=0",
    "NT-12": "a trap at a jump's target: the jump's message with that address, then the trap with I-CNT=0",
    "NT-13": "BTM: tracing stops after a taken branch: its DirectBranch, then a correlation with I-CNT=0",
}
"""Every clause that `EncodedTrace.reasons` can name, with what it says in one line."""

EV_DEBUG, EV_DISABLED = 0, 4
SYNC_PERIODIC, SYNC_DEBUG_EXIT, SYNC_ICNT, SYNC_ENABLE, SYNC_OVERRUN = 2, 3, 4, 5, 7
RCODE_ICNT, RCODE_HIST = 0, 1
ETYPE_OVERRUN, ECODE_PROGRAM_TRACE = 0, 4
EMPTY_HIST = 1  # the stop bit alone

# What the next block will complete; NONE must be falsy.
NONE, INDIRECT, DIRECT, FULL_ICNT = range(4)

_TAKEN, _NOT_TAKEN = int(IType.TAKEN), int(IType.NOT_TAKEN)

Block = tuple[int, int, int]  # itype, iaddr, iretire

_START_CLAUSE = {SYNC_ENABLE: "NT.8.5.sync5", SYNC_DEBUG_EXIT: "NT.8.5.sync3", SYNC_OVERRUN: "NT.8.5.sync7"}
_INDIRECT_CLAUSE = {
    IType.EXCEPTION: "NT.2.exception",
    IType.INTERRUPT: "NT.2.interrupt",
    IType.XRET: "NT.2.xret",
    IType.UNINFERABLE_JUMP: "NT.2.uninferable_jump",
    IType.UNINFERABLE_CALL: "NT.2.uninferable_call",
    IType.UNINFERABLE_TAIL_CALL: "NT.2.uninferable_jump",
    IType.COROUTINE_SWAP: "NT.2.coroutine_swap",
    IType.RETURN: "NT.2.return",
    IType.OTHER_UNINFERABLE_JUMP: "NT.2.uninferable_jump",
}


class EncoderError(ValueError):
    """Beats that do not fit the configuration; the text says what to change."""


class Levels(NamedTuple):
    """The control levels of one beat."""

    enable: int
    inst_tracing: int
    halted: int

    @property
    def tracing(self) -> bool:
        """Whether blocks in this beat are traced."""
        return bool(self.enable and self.inst_tracing and not self.halted)


@dataclass
class EncodedTrace:
    """The messages of one run; of the same length, the clause each was sent under and its row of Beats."""

    messages: list[Message]
    reasons: list[str]
    beat: list[int]

    @cached_property
    def packed(self) -> list[bytes]:
        """The bytes of each message."""
        known: dict[tuple[int, tuple[int, ...]], bytes] = {}  # programs loop: most messages come again
        packed = []
        for message in self.messages:
            key = (message.type.tcode, message.values)
            chunk = known.get(key)
            if chunk is None:
                chunk = known[key] = pack(message)
            packed.append(chunk)
        return packed

    @cached_property
    def data(self) -> bytes:
        """The bytes of the whole stream, without idle bytes."""
        return b"".join(self.packed)


class Encoder:
    """The state machine of docs/ntrace-profile.md; each `run` starts from reset."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._htm = config.mode == "htm"
        self._sync4 = self._htm and config.variant == "rc7"
        self._icnt_top = 1 << (config.icnt_bits - 1)
        self._hist_top = 1 << (config.hist_bits - 1)
        self._sync_mode = config.inst_sync_mode
        self._sync_interval = config.sync_interval if config.inst_sync_mode else float("inf")
        # itype -> (B-TYPE, clause) of the flow changes whose target must be told, None for the others
        codes = {"2_3": (2, 3), "1": (1, 1)}[config.b_type]
        btypes = {IType.EXCEPTION: codes[0], IType.INTERRUPT: codes[1]}
        self._indirect: list[tuple[int, str] | None] = [None] * 16
        for itype, clause in _INDIRECT_CLAUSE.items():
            self._indirect[itype] = (btypes.get(itype, 0), clause)
        by_name = {kind.name: kind for kind in TABLES[config.variant].values()}
        self._correlation = by_name["ProgTraceCorrelation"]
        self._program_sync = by_name["ProgTraceSync"]
        self._direct, self._direct_sync = by_name["DirectBranch"], by_name["DirectBranchSync"]
        self._branch, self._branch_sync = by_name["IndirectBranch"], by_name["IndirectBranchSync"]
        self._branch_hist = by_name["IndirectBranchHist"]
        self._branch_hist_sync = by_name["IndirectBranchHistSync"]
        self._resource_full, self._error = by_name["ResourceFull"], by_name["Error"]
        self._reset()

    def _reset(self) -> None:
        self._messages: list[Message] = []
        self._reasons: list[str] = []
        self._beat_rows: list[int] = []
        self._row = 0
        self._levels = Levels(0, 0, 0)
        self._tracing = False
        self._icnt = 0
        self._hist = EMPTY_HIST
        self._ref = 0  # the U-ADDR reference
        self._pend = NONE
        self._btype, self._clause = 0, ""  # of the pending indirect flow change
        self._start = 0  # the SYNC code with which tracing must begin
        self._lost = False
        # The periodic sync counter is the distance of two readings of a clock that counts the unit of
        # inst_sync_mode: messages, cycles or half-words.
        self._clock = self._synced = 0

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, and the levels and drop of the row before.

        EncoderError if the beats have more lanes, longer blocks or wider addresses than the configuration.
        """
        self._check(beats)
        self._reset()
        valid = beats.valid()
        blocks = list(zip(*(column[valid].tolist() for column in (beats.itype, beats.iaddr, beats.iretire))))
        per_row = valid.sum(axis=1)
        last = np.cumsum(per_row)  # row r holds blocks[last[r] - per_row[r] : last[r]]
        rows = np.flatnonzero(_eventful(beats, valid))
        levels = zip(*(column[rows].tolist() for column in (beats.enable, beats.inst_tracing, beats.halted)))
        columns = (rows, beats.cycle[rows], beats.drop[rows], (last - per_row)[rows], last[rows])
        for row, cycle, drop, begin, end, level in zip(*(c.tolist() for c in columns), levels):
            self._beat(row, cycle, drop, level, blocks[begin:end])
        return EncodedTrace(self._messages, self._reasons, self._beat_rows)

    def _check(self, beats: Beats) -> None:
        config = self.config
        if beats.lanes > config.blocks:
            raise EncoderError(
                f"the beats have {beats.lanes} blocks a cycle, the configuration has BLOCKS={config.blocks}; "
                f"give BLOCKS={beats.lanes}"
            )
        longest = int(beats.iretire.max(initial=0))
        if longest >> config.iretire_bits:
            raise EncoderError(
                f"a block of {longest} half-words does not fit IRETIRE_BITS={config.iretire_bits}; "
                f"give IRETIRE_BITS={longest.bit_length()}"
            )
        highest = int(beats.iaddr.max(initial=0))
        if highest >> config.xlen:
            raise EncoderError(f"a block at {highest:#x} does not fit XLEN={config.xlen}; give XLEN=64")

    def _beat(self, row: int, cycle: int, drop: int, level: tuple[int, ...], blocks: list[Block]) -> None:
        """One accepted cycle: steps 1 to 4 of the profile, and what a full queue does to them."""
        self._row = row
        if self._sync_mode == 2:
            self._clock = cycle
        was = self._levels
        changed = level != was
        if changed:
            self._levels = Levels._make(level)
            self._tracing = self._levels.tracing
        sent = len(self._messages)
        if self._lost:
            if drop or (self._tracing and not blocks):
                return
            self._recover()
        elif changed:
            self._edges(was, self._levels)
        if self._tracing:
            for block in blocks:
                self._block(*block)
        if drop and len(self._messages) > sent:
            self._lose(sent)

    # Steps 1 to 3 of a beat: the levels changed

    def _edges(self, was: Levels, now: Levels) -> None:
        if was.tracing and not now.tracing:
            self._stop(was, now)
        elif now.tracing and not was.tracing:
            self._start = SYNC_DEBUG_EXIT if was.halted else SYNC_ENABLE
        elif not now.tracing and was.enable and now.enable and not now.inst_tracing:
            # Table 26: what the hart did while tracing was off
            if now.halted and not was.halted:
                self._correlate(EV_DEBUG, "NT.8.6.stop_while_off")
            elif was.halted and not now.halted and self.config.variant == "rc7":
                self._correlate(EV_DISABLED, "NT.8.6.start_while_off")

    def _stop(self, was: Levels, now: Levels) -> None:
        to_debug = now.halted and not was.halted
        clause = "NT.7.12.debug_entry" if to_debug else "NT.7.12.trace_off"
        if self._pend == DIRECT:
            self._send(self._direct, (self._icnt,), "NT-13")
            self._icnt = 0
        elif self._pend == INDIRECT:
            clause = "NT.7.12.open_target"
        self._correlate(EV_DEBUG if to_debug else EV_DISABLED, clause)

    def _correlate(self, evcode: int, clause: str) -> None:
        if not self._error_last():
            tail = (1, self._icnt, self._hist) if self._htm else (0, self._icnt)  # NT-8
            self._send(self._correlation, (evcode, *tail), clause)
        self._icnt, self._hist, self._pend = 0, EMPTY_HIST, NONE

    # Step 4 of a beat: one block

    def _block(self, itype: int, iaddr: int, iretire: int) -> None:
        if self._pend or self._start or self._clock - self._synced >= self._sync_interval:
            early_trap = self._resolve(iaddr)
            self._icnt, self._hist, self._pend = 0, EMPTY_HIST, NONE
        else:
            early_trap = None
        self._count(itype, iretire, early_trap)

    def _resolve(self, iaddr: int) -> str | None:
        """4.1: send what waited for this block's address (sections 7.2 to 7.10).

        Returns the clause of a trap before the block's first instruction, None if that is an ordinary trap.
        """
        icnt, pend, btype = self._icnt, self._pend, self._btype
        hist = (self._hist,) if self._hist != EMPTY_HIST else ()  # an empty HIST is not sent (NT-9, NT-10)
        due = self._clock - self._synced >= self._sync_interval
        faddr = iaddr >> 1
        early_trap = None
        if self._start:
            self._send_sync(self._program_sync, (self._start, 0, faddr), _START_CLAUSE[self._start])
            self._start = 0
            early_trap = "NT.8.6.trap_at_start"
        elif pend == INDIRECT:
            if due:
                kind = self._branch_hist_sync if hist else self._branch_sync
                self._send_sync(kind, (SYNC_PERIODIC, btype, icnt, faddr, *hist), "NT.8.5.sync2_indirect")
            else:
                kind = self._branch_hist if hist else self._branch
                self._send(kind, (btype, icnt, (iaddr ^ self._ref) >> 1, *hist), self._clause)
            early_trap = "NT.8.6.back_to_back_traps" if btype else "NT-12"
        elif pend == DIRECT:
            early_trap = "NT-12"
            if not due:
                self._send(self._direct, (icnt,), "NT.7.2.direct_branch")
                return early_trap  # the one message without an address leaves the reference as it is
            self._send_sync(self._direct_sync, (SYNC_PERIODIC, icnt, faddr), "NT.8.5.sync2_direct")
        elif pend == FULL_ICNT:
            self._send_sync(self._branch_hist_sync, (SYNC_ICNT, 0, icnt, faddr, *hist), "NT.8.4.4.sync4")
        elif hist:
            values = (SYNC_PERIODIC, 0, icnt, faddr, *hist)
            self._send_sync(self._branch_hist_sync, values, "NT.8.5.sync2_linear")
        else:
            self._send_sync(self._program_sync, (SYNC_PERIODIC, icnt, faddr), "NT.8.5.sync2_linear")
        self._ref = iaddr
        return early_trap

    def _count(self, itype: int, iretire: int, early_trap: str | None) -> None:
        """4.2 to 4.4: take the block into I-CNT and HIST, note what it leaves open, tell what is full."""
        self._icnt += iretire
        if self._sync_mode == 3:
            self._clock += iretire
        indirect = self._indirect[itype]
        if indirect:
            self._pend = INDIRECT
            self._btype, self._clause = indirect
            if early_trap and not self._icnt:  # only a trap comes without an instruction
                self._clause = early_trap
            return
        if self._htm:
            if itype == _TAKEN or itype == _NOT_TAKEN:
                self._hist = self._hist << 1 | (itype == _TAKEN)
        elif itype == _TAKEN:
            self._pend = DIRECT
            return
        if self._icnt >= self._icnt_top or self._hist >= self._hist_top:
            self._full()

    def _full(self) -> None:
        """Sections 8.3.1, 8.4.4 and 7.8."""
        icnt_full, hist_full = self._icnt >= self._icnt_top, self._hist >= self._hist_top
        if icnt_full and self._sync4 and self._hist != EMPTY_HIST:
            self._pend = FULL_ICNT
            return
        both = "NT.7.8.both_full" if icnt_full and hist_full else None
        if icnt_full:
            self._send(self._resource_full, (RCODE_ICNT, self._icnt), both or "NT.8.4.4.resource_full")
            self._icnt = 0
        if hist_full:
            self._send(self._resource_full, (RCODE_HIST, self._hist), both or "NT.8.3.1.hist_full")
            self._hist = EMPTY_HIST

    # Overflow

    def _lose(self, sent: int) -> None:
        """A beat without room in the queue made messages: all of them are lost."""
        for made in (self._messages, self._reasons, self._beat_rows):
            del made[sent:]
        self._lost = True
        self._icnt, self._hist, self._pend, self._start = 0, EMPTY_HIST, NONE, 0

    def _recover(self) -> None:
        """There is room again: Error, and tracing goes on with SYNC=7 at the first block (7.4, 8.5)."""
        self._lost = False
        if not self._error_last():
            clause = "NT.7.4.error" if self._tracing else "NT.7.4.error_alone"
            self._send(self._error, (ETYPE_OVERRUN, ECODE_PROGRAM_TRACE), clause)
        if self._tracing:
            self._start = SYNC_OVERRUN

    def _error_last(self) -> bool:
        """NT-14: after an Error nothing but a synchronizing message may be sent."""
        return bool(self._messages) and self._messages[-1].type is self._error

    # Sending

    def _send(self, kind: MessageType, values: tuple[int, ...], clause: str) -> None:
        self._messages.append(Message(kind, values))
        self._reasons.append(clause)
        self._beat_rows.append(self._row)
        if self._sync_mode == 1:
            self._clock += 1

    def _send_sync(self, kind: MessageType, values: tuple[int, ...], clause: str) -> None:
        self._send(kind, values, clause)
        self._synced = self._clock


def _eventful(beats: Beats, valid: np.ndarray) -> np.ndarray:
    """Mask of the rows that matter: they hold a block, or levels or drop unlike those of the row before."""
    eventful = valid.any(axis=1)
    for column in (beats.enable, beats.inst_tracing, beats.halted, beats.drop):
        eventful |= np.diff(column, prepend=0) != 0
    return eventful
