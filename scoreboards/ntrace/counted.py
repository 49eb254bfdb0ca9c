# SPDX-License-Identifier: Apache-2.0
"""Counts that can be taken back only along the program: I-CNT in instructions, without the last one, and HIST without
its stop bit (8.3, 8.4).
"""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.isa import Flow
from rvtrace.scoreboards.ntrace.rewriting import Rules, with_field

FOLLOWED = 1 << 18  # instructions that a rewriting follows, beside FAR for each message: wrong counts report millions
MOST_BRANCHES = 33
FAR = 1 << 12  # instructions to an F-ADDR: more have a ResourceFull of I-CNT (22 bits of half-words) or a branch
STARTS = (1, 3, 5, 7, 9)  # SYNC where trace begins
LINEAR = "ProgTraceSync"  # ends no count at a jump


class Walked(NamedTuple):
    """What a walk met: half-words, instructions, branches, and the pc after it (None after an indirect jump)."""

    halves: int
    count: int
    branches: int
    pc: int | None


class Counted:
    """Follows the program from count to count. instructions: I-CNT counts those. last: 1 if the instruction that ends
    a count is not in it. stop: "none" if HIST has no stop bit. kinds: TCODEs of messages whose B-TYPE is not known; a
    count that does not end at an uninferable jump ends in a trap. uncounted: TCODEs of messages without I-CNT, whose
    count ends at their F-ADDR.
    """

    def __init__(self, rules: Rules, instructions: bool = False, last: int = 0, stop: str = "",
                 kinds: frozenset[int] = frozenset(), uncounted: frozenset[int] = frozenset()) -> None:  # fmt: skip
        self._uncounted = uncounted
        self._kinds = self._by_kind = kinds  # the first is empty once the device sends B-TYPE
        self._rules, self._instructions, self._last, self._stop = rules, instructions, last, stop
        self._left = FOLLOWED
        self._pc: int | None = None
        self._reference = 0
        self._icnt, self._bits = 0, ""  # of ResourceFull

    def __call__(self, message: Message) -> Message:
        self._left += FAR
        code, full = message.get("rcode"), message.get("rdata")
        if code == 0 and full is not None:
            self._icnt += full
            return message
        if code in (1, 2) and full:
            if not self._stop:  # of what is misread any number may be repeated; no more bits than instructions are used
                bits, times = f"{full:b}"[1:], min(message.get("hrepeat", 1) or 1, FOLLOWED)
                self._bits = (self._bits + bits * min(times, FOLLOWED // max(len(bits), 1)))[:FOLLOWED]
            return message
        icnt = message.get("icnt")
        if icnt is None:
            return message
        start = message.name == "ProgTraceSync" and not icnt and not self._icnt
        if self._uncounted:
            if self._pc is not None and message.tcode in self._uncounted and message.get("sync") not in STARTS:
                message = with_field(message, "icnt", self._up_to(message.get("faddr", 0) << 1))
            elif self._pc is not None and (walked := self._walk(icnt + self._icnt, self._taken_bits(message), message)):
                self._pc = walked.pc
        elif self._pc is not None and not start:
            message = self._counted(message, icnt)
        self._icnt, self._bits = 0, ""
        self._go(message)
        return message

    def _counted(self, message: Message, icnt: int) -> Message:
        whole = icnt + self._icnt
        hist = message.get("hist")
        if self._stop and hist is not None:
            for bits in range(hist.bit_length(), MOST_BRANCHES):
                taken = self._bits + (f"{hist:0{bits}b}" if bits else "")
                walked = self._walk(whole, taken, message)
                if walked is not None and walked.branches == len(taken):
                    self._pc = walked.pc
                    return with_field(message, "hist", hist | 1 << bits)
            return message
        walked = self._walk(whole, self._taken_bits(message), message)
        if walked is None:
            return message
        self._pc = walked.pc
        if self._by_kind:
            if message.get("btype"):
                self._kinds = frozenset()
            if message.tcode not in self._kinds or message.type.has_sync or walked.pc is None:
                return message
            return with_field(message, "btype", 1 if self._rules.config.b_type == "1" else 2)
        return with_field(message, "icnt", max(walked.halves - self._icnt, 0))

    def _taken_bits(self, message: Message) -> str:
        hist = message.get("hist")
        return self._bits + (f"{hist:b}"[1:] if hist else "")

    def _up_to(self, address: int) -> int:
        """Half-words from the present pc to an address that is reached without another message."""
        program, pc, halves, taken = self._rules.program, self._pc, 0, iter(self._bits)
        for _ in range(FAR):
            insn = None if program is None or pc is None or pc == address else program.insn(pc)
            if insn is None or insn.flow is Flow.UNINFERABLE:
                break
            halves += insn.size >> 1
            jumps = insn.flow is Flow.INFERABLE or (insn.flow is Flow.BRANCH and next(taken, "0") == "1")
            pc = insn.target if jumps else insn.pc + insn.size
        return halves - self._icnt if pc == address and halves >= self._icnt else 0

    def _walk(self, whole: int, taken: str, message: Message) -> Walked | None:
        """From the present pc over a count; None if the program has no such way."""
        program, pc = self._rules.program, self._pc
        if program is None or pc is None:
            return None
        halves = count = used = 0
        ends = bool(self._last) and message.get("evcode") is None and not message.get("btype")
        limit = whole + (1 if ends and self._instructions else 0)
        while self._left > 0:
            at = count if self._instructions else halves
            if at >= limit and not (ends and at == whole):
                break
            insn = program.insn(pc) if pc is not None else None
            if insn is None:
                return None
            done = at >= whole
            if done and message.type.has_sync and (message.get("faddr", 0) << 1 == pc or message.name == LINEAR):
                break
            count += 1
            self._left -= 1
            halves += insn.size >> 1
            if insn.flow is Flow.BRANCH:
                if used == len(taken) and self._rules.config.mode == "htm":
                    return None  # every branch of a count has a bit in its HIST
                is_taken = self._taken(taken, used, message, whole, halves, count, done)
                used += 1
                pc = insn.target if is_taken else insn.pc + insn.size
            elif insn.flow is Flow.INFERABLE:
                pc = insn.target
            elif insn.flow is Flow.UNINFERABLE:
                pc = None
            else:
                pc = insn.pc + insn.size
            if done:
                break
        exact = self._instructions or self._last or halves == whole
        return Walked(halves, count, used, pc) if exact else None

    def _taken(self, bits: str, used: int, message: Message, whole: int, halves: int, count: int, done: bool) -> bool:
        if self._rules.config.mode == "htm":
            return used < len(bits) and bits[used] == "1"
        at = count if self._instructions else halves  # BTM: only the last one is taken
        return message.name.startswith("DirectBranch") and (done or (not self._last and at >= whole))

    def _go(self, message: Message) -> None:
        full, part = message.get("faddr"), message.get("uaddr")
        if full is not None:
            self._reference = full
            self._pc = full << 1
        elif part is not None:
            self._reference ^= part
            self._pc = self._reference << 1
