# SPDX-License-Identifier: Apache-2.0
"""The reference N-Trace encoder: the messages, and so the bytes, that a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares the profile of
docs/reference/ntrace-profile.md; the section numbers are those of N-Trace 1.0. Each message has the clause under which
the encoder sent it (`CLAUSES`), so that a difference names the requirement.

This module has the beats (levels, pulses, overflow) and what each block does; `rvtrace.models.ntrace.encoder.output`
sends and holds back messages, `rvtrace.models.ntrace.encoder.input` reads beats.
"""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.clauses import CLAUSES
from rvtrace.models.ntrace.encoder.input import (
    CONTEXT_SHIFT,
    ENABLE,
    EXT_NOTIFY,
    HALTED,
    HCONTEXT_SHIFT,
    IN_RESET,
    INST_TRACING,
    LOW_POWER,
    NOTIFY,
    PAIRED,
    SEQUENTIAL,
    UNQUALIFIED,
    WATCHED,
    Block,
    EncoderError,
    rows_and_blocks,
    tracing,
    vendor_tcode,
)
from rvtrace.models.ntrace.encoder.output import (
    ECODE_PROGRAM,
    ECODE_VENDOR,
    EMPTY_HIST,
    ETYPE_OVERRUN,
    RCODE_HIST,
    RCODE_ICNT,
    EncodedTrace,
    Sender,
)
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType

SYNC_EXTERNAL, SYNC_RESET, SYNC_PERIODIC, SYNC_DEBUG_EXIT, SYNC_ICNT, SYNC_ENABLE = range(6)
SYNC_EVENT, SYNC_OVERRUN, SYNC_POWER = 6, 7, 9
EV_DEBUG, EV_LOW_POWER, EV_DISABLED = 0, 1, 4
FORMAT_PRIV, FORMAT_SCONTEXT, FORMAT_HCONTEXT = 0, 2, 3  # of PROCESS, table 12
COUNTER, PARTIAL, FULL = 1, 2, 3  # trTeInstImplicitReturnMode
PARTIAL_BITS = 0x7FE  # of a return address, that mode 2 keeps

# What the next block will complete; NONE must be falsy.
NONE, INDIRECT, DIRECT, FULL_ICNT, RESET = range(5)
# Marks that wait for a block.
MARK_EVENT, MARK_EXTERNAL = 1, 2

_TAKEN, _NOT_TAKEN = int(IType.TAKEN), int(IType.NOT_TAKEN)
_POPS = (IType.COROUTINE_SWAP, IType.RETURN)
_PUSHES = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)
_TRAPS = (IType.EXCEPTION, IType.INTERRUPT, IType.XRET)

START_CLAUSE = {SYNC_ENABLE: "NT.8.5.sync5", SYNC_DEBUG_EXIT: "NT.8.5.sync3", SYNC_OVERRUN: "NT.8.5.sync7",
                SYNC_RESET: "NT.8.5.sync1", SYNC_POWER: "NT.8.5.sync9"}  # fmt: skip
_STOP_CLAUSE = {EV_DEBUG: "NT.7.12.debug_entry", EV_LOW_POWER: "NT.7.12.low_power", EV_DISABLED: "NT.7.12.trace_off"}
_MARK_CLAUSE = {SYNC_EXTERNAL: "NT.8.5.sync0", SYNC_EVENT: "NT.8.5.sync6"}
_PERIODIC_CLAUSE = {NONE: "NT.8.5.sync2_linear", DIRECT: "NT.8.5.sync2_direct", INDIRECT: "NT.8.5.sync2_indirect"}
_EMPTY_STACK_CLAUSE = {COUNTER: "NT.9.2.mode_counter", PARTIAL: "NT-4", FULL: "NT-4"}
_MISMATCH_CLAUSE = {PARTIAL: "NT.9.2.mode_partial", FULL: "NT.9.2.mode_full"}
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
__all__ = ["CLAUSES", "EncodedTrace", "Encoder", "EncoderError", "encode"]


class Encoder(Sender):
    """The state machine of docs/reference/ntrace-profile.md; each `run` starts from reset."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._htm = config.mode == "htm"
        self._address_mask = (1 << config.xlen) - 1
        self._sync4 = self._htm and config.variant == "rc7"
        self._icnt_top = 1 << (config.icnt_bits - 1)
        self._hist_top = 1 << (config.hist_bits - 1)
        self._direct_clause = "NT.2.all_jumps" if config.all_jumps else "NT.7.2.direct_branch"
        # itype -> (B-TYPE, clause, is a trap or the end of one) of the flow changes whose target must be reported
        codes = {"2_3": (2, 3), "1": (1, 1)}[config.b_type]
        btypes = {IType.EXCEPTION: codes[0], IType.INTERRUPT: codes[1]}
        self._indirect: list[tuple[int, str, bool] | None] = [None] * 16
        for itype, clause in _INDIRECT_CLAUSE.items():
            self._indirect[itype] = (btypes.get(itype, 0), clause, itype in _TRAPS)
        self._reset_blocks()
        # Options that look at more of a block than its kind, address and length.
        self._with_options = bool(config.implicit_return or config.sequential_jump or config.ownership or config.filter)
        self._reset()

    def _reset(self) -> None:
        self._reset_blocks()
        self._levels = 0
        self._tracing = False
        self._lost, self._ecode = False, 0

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, no pulse, and the levels and drop of the row before.

        EncoderError if the beats have more lanes, longer blocks or wider addresses than the configuration, or
        messages with a TCODE that is not vendor-defined.
        """
        self._reset()
        rows, blocks = rows_and_blocks(beats, self.config, self._with_options)
        for row, cycle, drop, levels, pulses, begin, end in zip(*rows):
            self._beat(row, cycle, drop, levels, pulses, blocks[begin:end])
        return self._trace(beats.tstamp)

    def _beat(self, row: int, cycle: int, drop: int, levels: int, pulses: int, blocks: list[Block]) -> None:
        """One accepted cycle: steps 1 to 6 of the profile, and what a full queue does to them."""
        self._row = self._at = row
        if self._sync_mode == 2:
            self._clock = cycle
        was = self._levels
        if levels != was:
            self._levels = levels
            self._tracing = tracing(levels)
        sent = len(self._out)
        if self._lost:
            if self._with_options:
                blocks = _from_qualified(blocks)
            if drop or (self._tracing and not blocks):
                if vendor_tcode(pulses) and levels & ENABLE:
                    self._ecode |= ECODE_VENDOR
                return
            self._recover()
        elif levels != was:
            self._edges(was, levels)
        if self._tracing:
            if self._with_options:
                for columns in blocks:
                    self._block(*columns)
            else:  # the same, as far as it matters then
                for itype, iaddr, iretire in blocks:
                    waits = self._pend or self._start or self._marks or self._clock >= self._due
                    self._count(itype, iretire, self._resolve(iaddr) if waits else None)
        if pulses:
            self._pulses(pulses)
        if drop and len(self._out) > sent:
            self._lose(sent)

    # Steps 1 to 3 of a beat: the levels changed

    def _edges(self, was: int, now: int) -> None:
        rose, fell = now & ~was, was & ~now
        traced = tracing(was)
        if traced and not self._tracing:
            self._stop(EV_DEBUG if rose & HALTED else EV_LOW_POWER if rose & LOW_POWER else EV_DISABLED)
        elif self._tracing and not traced:
            code = SYNC_ENABLE
            for level, reason in ((HALTED, SYNC_DEBUG_EXIT), (LOW_POWER, SYNC_POWER), (IN_RESET, SYNC_RESET)):
                if was & level:
                    code = reason
                    break
            self._begin(code, START_CLAUSE[code])
        elif self._tracing:
            if rose & IN_RESET and not self._filtered:
                self._hart_reset()
        elif was & now & ENABLE and not now & INST_TRACING:
            # Table 26: what the hart did while tracing was off
            if rose & HALTED:
                self._correlate(EV_DEBUG, "NT.8.6.stop_while_off")
            elif fell & HALTED and self.config.variant == "rc7":
                self._correlate(EV_DISABLED, "NT.8.6.start_while_off")

    def _hart_reset(self) -> None:
        """The hart is reset while it is traced: SYNC=1 at its next block reports how far it came (8.5)."""
        if self._start:
            self._begin(SYNC_RESET, START_CLAUSE[SYNC_RESET])
            return
        self._close_direct(START_CLAUSE[SYNC_RESET])
        self._pend, self._pend_at = RESET, self._row

    # Steps 5 and 6: marks and vendor-defined messages

    def _pulses(self, pulses: int) -> None:
        if self._tracing:
            self._marks |= (MARK_EVENT if pulses & NOTIFY else 0) | (MARK_EXTERNAL if pulses & EXT_NOTIFY else 0)
        if vendor_tcode(pulses) and self._levels & ENABLE and not self._error_last():
            self._send_vendor(pulses)

    # Overflow

    def _lose(self, sent: int) -> None:
        """A beat without room in the queue made messages: all of them, and what was pending, are lost."""
        self._lost = True
        self._ecode = self._discard(sent)
        self._forget()

    def _recover(self) -> None:
        """There is room again: Error, and tracing goes on with SYNC=7 at the first block (7.4, 8.5)."""
        self._lost = False
        if not self._error_last():
            clause = "NT.7.4.error" if self._tracing else "NT.7.4.error_alone"
            if self._ecode != ECODE_PROGRAM:
                clause = "NT.7.4.ecode"
            self._send(self._error, (ETYPE_OVERRUN, self._ecode), clause)
        if self._tracing:
            self._begin(SYNC_OVERRUN, START_CLAUSE[SYNC_OVERRUN])

    # What one block does to counts, history, return stack and synchronization

    def _reset_blocks(self) -> None:
        self._reset_sender()
        self._icnt = 0
        self._hist = EMPTY_HIST
        self._ref = 0  # the U-ADDR reference
        self._pend = NONE
        self._pend_at = 0  # the row that set it
        self._btype, self._clause, self._trap = 0, "", False  # of the pending indirect flow change
        self._start, self._start_clause = 0, ""  # the SYNC code with which tracing must begin
        self._filtered = False
        self._marks = 0
        self._popped: int | None = None  # by the pending return or co-routine swap

    def _block(self, itype: int, iaddr: int, iretire: int, flags: int, owner: int) -> None:
        """One block. flags, owner: see encoder_input."""
        if flags & UNQUALIFIED:
            self._leave()
            return
        if self._filtered:
            self._filtered = False
            self._begin(SYNC_ENABLE, "NT.4.filters")
        config = self.config
        popped = self._popped
        predicted = popped is not None and self._pend == INDIRECT and self._predicted(popped, iaddr)
        early_trap, trap = None, False
        if self._pend or self._start or self._marks or self._clock >= self._due:
            trap = self._pend == INDIRECT and self._trap
            countable = not config.ownership or (owner == self._own and not trap)
            early_trap = self._resolve(iaddr, countable)
        elif predicted and self._icnt >= self._icnt_top:
            self._full_behind_return(iaddr)
        if config.ownership and (trap or owner != self._own):
            self._tell_owner(owner, trap)

        clause = self._use_stack(itype, iaddr + 2 * iretire) if config.implicit_return else None
        if flags & SEQUENTIAL:
            if self._icnt or flags & PAIRED:
                itype = IType.NONE  # 9.1: the instruction that loads the register is in the same message
            else:
                clause = "NT.9.1.sequential_jump"
        self._count(itype, iretire, early_trap)
        if clause:
            self._clause = clause
        if flags & WATCHED:
            self._marks |= MARK_EVENT

    # 4.0: filters. Step 1, which leaving them shares with a stop

    def _leave(self) -> None:
        if self._start:
            self._start = 0  # a start that was never reported
        elif not self._filtered:
            self._stop(EV_DISABLED, "NT-13")
        self._filtered = True

    def _stop(self, evcode: int, clause: str = "") -> None:
        """Close the trace; what is pending is reported as far as it is known."""
        self._close_direct("NT-13")
        if self._pend == INDIRECT:
            clause = "NT.7.12.open_target"
        if not self._filtered or evcode != EV_DISABLED:
            self._correlate(evcode, clause or _STOP_CLAUSE[evcode])
        self._forget()

    def _close_direct(self, clause: str) -> None:
        """A taken branch that no block followed is a message of its own (NT-13)."""
        if self._pend == DIRECT:
            self._at = self._pend_at
            self._send(self._direct, (self._icnt,), clause)
            self._at = self._row
            self._icnt = 0

    def _correlate(self, evcode: int, clause: str) -> None:
        if not self._error_last():
            tail = (1, self._icnt, self._hist) if self._htm else (0, self._icnt)  # NT-8
            self._send(self._correlation, (evcode, *tail), clause)

    def _forget(self) -> None:
        """Tracing is interrupted: a start will report where it continues."""
        self._icnt, self._hist, self._pend = 0, EMPTY_HIST, NONE
        self._start, self._filtered, self._marks = 0, False, 0
        self._stack.clear()
        self._hold_nothing()

    def _begin(self, code: int, clause: str) -> None:
        self._start, self._start_clause = code, clause

    # 4.1 and 4.2: what waited for this block's address

    def _resolve(self, iaddr: int, countable: bool = True) -> str | None:
        """4.2: one message (sections 7.2 to 7.10); empties I-CNT and HIST.

        countable: RepeatBranch may count it. Returns the clause of a trap before the block's first instruction, None
        if that is an ordinary trap.
        """
        icnt, pend, btype = self._icnt, self._pend, self._btype
        hist = (self._hist,) if self._hist != EMPTY_HIST else ()  # an empty HIST is not sent (NT-9, NT-10)
        faddr = iaddr >> 1
        early_trap = None
        if pend:
            self._at = self._pend_at
        if self._start:
            self._send_sync(self._program_sync, (self._start, 0, faddr), self._start_clause)
            self._start = 0
            early_trap = "NT.8.6.trap_at_start"
        elif pend == RESET:
            self._sync_here(SYNC_RESET, faddr, hist, START_CLAUSE[SYNC_RESET])
            early_trap = "NT.8.6.trap_at_start"
        elif pend == FULL_ICNT:
            self._sync_here(SYNC_ICNT, faddr, hist, "NT.8.4.4.sync4")
        elif pend == INDIRECT:
            early_trap = "NT.8.6.back_to_back_traps" if btype else "NT-12"
            if self._marks or self._clock >= self._due:
                kind = self._branch_hist_sync if hist else self._branch_sync
                why, clause = self._why(INDIRECT)
                self._send_sync(kind, (why, btype, icnt, faddr, *hist), clause)
            else:
                kind = self._branch_hist if hist else self._branch
                self._tell(kind, (btype, icnt, (iaddr ^ self._ref) >> 1, *hist), self._clause, iaddr, countable)
        elif pend == DIRECT:
            early_trap = "NT-12"
            if self._marks or self._clock >= self._due:
                why, clause = self._why(DIRECT)
                self._send_sync(self._direct_sync, (why, icnt, faddr), clause)
            else:
                self._tell(self._direct, (icnt,), self._direct_clause, iaddr, countable)
                iaddr = self._ref  # the one message without an address leaves the reference as it is
        else:
            why, clause = self._why(NONE)
            self._sync_here(why, faddr, hist, clause)
        self._ref = iaddr
        self._icnt, self._hist, self._pend = 0, EMPTY_HIST, NONE
        self._at = self._row
        return early_trap

    def _why(self, pend: int) -> tuple[int, str]:
        """SYNC and clause of the mark, else the periodic sync, that is served now."""
        for mark, code in ((MARK_EVENT, SYNC_EVENT), (MARK_EXTERNAL, SYNC_EXTERNAL)):
            if self._marks & mark:
                self._marks ^= mark
                return code, _MARK_CLAUSE[code]
        return SYNC_PERIODIC, _PERIODIC_CLAUSE[pend]

    def _sync_here(self, code: int, faddr: int, hist: tuple[int, ...], clause: str) -> None:
        """A sync message after code that is not a flow change to be reported (8.5): B-TYPE means nothing."""
        if hist:
            self._send_sync(self._branch_hist_sync, (code, 0, self._icnt, faddr, *hist), clause)
        else:
            self._send_sync(self._program_sync, (code, self._icnt, faddr), clause)

    def _predicted(self, popped: int, iaddr: int) -> bool:
        """4.1: whether the decoder knows the target of the pending return (9.2); if so, nothing is pending any more."""
        mode = self.config.implicit_return
        wrong = (popped ^ iaddr) & (PARTIAL_BITS if mode == PARTIAL else -1)
        if wrong and mode != COUNTER:
            self._clause = _MISMATCH_CLAUSE[mode]
            return False
        self._pend = NONE
        return True

    def _full_behind_return(self, iaddr: int) -> None:
        """8.4.4: the return filled I-CNT, and only this block shows that nothing else reports it."""
        if self._sync4 and self._hist != EMPTY_HIST:
            self._pend, self._pend_at = FULL_ICNT, self._row
            self._resolve(iaddr)
        else:
            self._send(self._resource_full, (RCODE_ICNT, self._icnt), "NT.8.4.4.predicted")
            self._icnt = 0

    # 4.4: whose code it is (7.1)

    def _tell_owner(self, owner: int, trap: bool) -> None:
        """Ownership after a sync message (nothing is known), a change, or a trap or its end."""
        was, self._own = self._own, owner
        hcontext, context = owner >> HCONTEXT_SHIFT, owner >> CONTEXT_SHIFT & 0xFFFF_FFFF
        low = (owner & 7) << 2
        changed = -1 if was is None else was ^ owner
        clause = "NT.7.1.after_sync" if was is None else "NT.7.1.process"
        if changed >> HCONTEXT_SHIFT and self.config.hcontext:
            self._send(self._ownership, (hcontext << 5 | low | FORMAT_HCONTEXT,), clause)
        if changed >> CONTEXT_SHIFT & 0xFFFF_FFFF:
            self._send(self._ownership, (context << 5 | low | FORMAT_SCONTEXT,), clause)
        elif not changed >> HCONTEXT_SHIFT:
            self._send(self._ownership, (low | FORMAT_PRIV,), "NT.7.1.trap" if trap else "NT.7.1.priv_change")

    # 4.5 and 4.6: the block itself

    def _use_stack(self, itype: int, behind: int) -> str | None:
        """Pop, then push, what this block's last instruction does; the clause of a pop that found nothing."""
        clause = self._popped = None
        if itype in _POPS:
            if self._stack:
                self._popped = self._stack.pop()
            else:
                clause = _EMPTY_STACK_CLAUSE[self.config.implicit_return]
        if itype in _PUSHES:
            self._stack.append(behind & self._address_mask)
        return clause

    def _count(self, itype: int, iretire: int, early_trap: str | None) -> None:
        """Take the block into I-CNT and HIST, note what it leaves open; return what is full."""
        self._icnt += iretire
        if self._sync_mode == 3:
            self._clock += iretire
        indirect = self._indirect[itype]
        if indirect:
            self._pend, self._pend_at = INDIRECT, self._row
            self._btype, self._clause, self._trap = indirect
            if early_trap and not self._icnt:  # only a trap comes without an instruction
                self._clause = early_trap
            return
        if self._htm:
            if itype == _TAKEN or itype == _NOT_TAKEN:
                self._hist = self._hist << 1 | (itype == _TAKEN)
                if self._hist == self._rep_hist:
                    self._hold_again()
                    self._hist = EMPTY_HIST
        elif itype == _TAKEN:
            self._pend, self._pend_at = DIRECT, self._row
            return
        if self._icnt >= self._icnt_top or self._hist >= self._hist_top:
            self._full()

    def _full(self) -> None:
        """Sections 8.3.1, 8.4.4 and 7.8."""
        icnt_full, hist_full = self._icnt >= self._icnt_top, self._hist >= self._hist_top
        if icnt_full and self._sync4 and self._hist != EMPTY_HIST:
            self._pend, self._pend_at = FULL_ICNT, self._row
            return
        both = "NT.7.8.both_full" if icnt_full and hist_full and not self.config.repeated_history else None
        if icnt_full:
            self._send(self._resource_full, (RCODE_ICNT, self._icnt), both or "NT.8.4.4.resource_full")
            self._icnt = 0
        if hist_full and self.config.repeated_history:
            self._hist = self._hold(self._hist)
        elif hist_full:
            self._send(self._resource_full, (RCODE_HIST, self._hist), both or "NT.8.3.1.hist_full")
            self._hist = EMPTY_HIST


def _from_qualified(blocks: list[Block]) -> list[Block]:
    """The blocks from the first that the filters leave in."""
    for index, block in enumerate(blocks):
        if not block[3] & UNQUALIFIED:
            return blocks[index:]
    return []


def encode(beats: Beats, config: Config) -> EncodedTrace:
    """The messages of one run from reset: retired blocks of one hart, as its trace ingress port carries them; see
    `Encoder`.

    EncoderError if the beats do not fit the configuration.
    """
    return Encoder(config).run(beats)
