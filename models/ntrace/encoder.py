"""The reference N-Trace encoder: which messages, and so which bytes, a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares the profile of
docs/ntrace-profile.md; the section numbers are those of the N-Trace specification. Beside each message stands
the clause that made the encoder send it (`CLAUSES`), so that a difference names the rule that was broken.

Here are the beats: levels, pulses and overflow. `encoder_blocks` has what a block does, `encoder_output` how
messages are sent and held back, `encoder_input` how beats are read.
"""

from __future__ import annotations

from models.ntrace.config import Config
from models.ntrace.encoder_blocks import (
    EV_DEBUG,
    EV_DISABLED,
    EV_LOW_POWER,
    MARK_EVENT,
    MARK_EXTERNAL,
    RESET,
    START_CLAUSE,
    SYNC_DEBUG_EXIT,
    SYNC_ENABLE,
    SYNC_OVERRUN,
    SYNC_POWER,
    SYNC_RESET,
    BlockSteps,
)
from models.ntrace.encoder_clauses import CLAUSES
from models.ntrace.encoder_input import (
    ENABLE,
    EXT_NOTIFY,
    HALTED,
    IN_RESET,
    INST_TRACING,
    LOW_POWER,
    NOTIFY,
    UNQUALIFIED,
    Block,
    EncoderError,
    rows_and_blocks,
    tracing,
    vendor_tcode,
)
from models.ntrace.encoder_output import ECODE_PROGRAM, ECODE_VENDOR, ETYPE_OVERRUN, EncodedTrace
from models.riscv.beats import Beats

__all__ = ["CLAUSES", "EncodedTrace", "Encoder", "EncoderError"]


class Encoder(BlockSteps):
    """The state machine of docs/ntrace-profile.md; each `run` starts from reset."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        # Options that look at more of a block than its kind, address and length.
        self._with_options = bool(
            config.implicit_return or config.sequential_jump or config.ownership or config.filter
        )
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
        """The hart is reset while it is traced: SYNC=1 at its next block tells how far it came (8.5)."""
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


def _from_qualified(blocks: list[Block]) -> list[Block]:
    """The blocks from the first that the filters leave in."""
    for index, block in enumerate(blocks):
        if not block[3] & UNQUALIFIED:
            return blocks[index:]
    return []
