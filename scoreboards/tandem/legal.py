# SPDX-License-Identifier: Apache-2.0
"""Legal: every rule of the format and every ruling, on any encoder's bytes.

A rule of which the decoder has a diagnostic is checked by it, and counted by the items it is about. What a row itself
contradicts (a register in two slots, bits that are no instruction) is not checked against the encoder, which sends it
as given.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import INCREMENT, NO_INCREMENT
from rvtrace.models.tandem.decoder.decoded import GROUP, Decoded
from rvtrace.models.tandem.decoder.diagnostics import BROKEN, Diagnostic
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, DECODER, RULE
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.evidence import Earlier, damaged, items_before, section_start
from rvtrace.scoreboards.tandem.expected import Expected, contradictions
from rvtrace.scoreboards.tandem.table import FORMS, ItemTable
from rvtrace.scoreboards.tandem.tolerances import Tolerances

CLAUSE = {
    "unknown_opcode": "TV.legal.opcode",
    "unknown_id": "TV.legal.id",
    "unknown_register": "TV.legal.register",
    "unknown_request": "TV.legal.request",
    "unknown_response": "TV.legal.response",
    "orphan_response": "TV.legal.follows",
    "truncated": "TV.legal.whole",
    "long_group": "TV.legal.whole",
    "orphan_end": "TV.legal.end",
    "outside_group": "TV.legal.inside",
    "two_instructions": "TV.legal.one_insn",
    "init_with_instruction": "TV.legal.init",
    "init_with_reset": "TV.legal.init",
    "reset_with_instruction": "TV.legal.reset",
    "increment_and_pc": "TV.legal.one_pc",
    "increment_without_instruction": "TV.legal.increment",
    "increment_without_pc": "TV.legal.pc_known",
    "unknown_base": "TV.legal.base",
    "x0_write": "TV.legal.x0",
    "repeated_state": "TV.legal.unambiguous",
    "instruction_length": "TV.legal.insn",
    "unknown_privilege": "TV.legal.privilege",
}
AS_GIVEN = ("repeated_state", "instruction_length", "unknown_privilege")  # what rows may contradict
_DEPENDS = ("increment_without_pc", "unknown_base")  # they count from what was reported before
_TRAP_CAUSES = (0x342, 0x142)
_TRAP_PCS = (0x341, 0x141)


def check_legal(
    capture: TandemCapture,
    book: ClauseBook,
    items: ItemTable,
    decoded: Decoded,
    expected: Expected | None,
    tolerances: Tolerances,
    row_of: np.ndarray | None = None,
) -> None:
    """All rules; expected: of the rows, None if only the bytes are available; row_of: with it, the row of each section
    that is the group of one, else -1.
    """
    legal = Legal(capture, book, items, decoded, expected, tolerances, row_of)
    for rule in RULES:
        rule(legal)


class Legal:
    """Sections and items, and the book of what is found; each method is one of RULES. earlier: of a part of a trace,
    what came before.
    """

    def __init__(
        self,
        capture: TandemCapture,
        book: ClauseBook,
        items: ItemTable,
        decoded: Decoded,
        expected: Expected | None,
        tolerances: Tolerances,
        row_of: np.ndarray | None,
        earlier: Earlier | None = None,
    ) -> None:
        self.earlier = earlier or Earlier(capture.data)
        self.capture, self.book, self.items, self.decoded, self.tolerances = capture, book, items, decoded, tolerances
        self.row_of = np.full(len(decoded), -1) if row_of is None else row_of
        self.given: set[int] = set()  # groups whose rows contradict themselves
        if expected is not None:
            self.given = self._groups(contradictions(expected))
        self.expected = expected

    def _groups(self, rows: np.ndarray) -> set[int]:
        """Numbers of the groups that some rows make."""
        sections = np.flatnonzero(self.row_of >= 0)
        return set(self.decoded.number[sections[rows[self.row_of[sections]]]].tolist())

    def diagnostics(self) -> None:
        """What the decoder says."""
        size = len(self.earlier.data)
        for found in self.decoded.diagnostics:
            open_end = (
                found.name == "truncated" and found.offset == size and (self.tolerances.open_end or not self._flushed())
            )
            if open_end or (found.name in AS_GIVEN and found.group in self.given):
                continue
            self.book.fail(self._failure(found))

    def _flushed(self) -> bool:
        """Whether a group may not be left open at the end: there is no implied end, or a flush came last."""
        if not self.capture.config.implied_end or self.expected is None:
            return True
        acts = np.flatnonzero(self.expected.acts)
        return not len(acts) or bool(self.expected.flush[acts[-1]])

    def _failure(self, found: Diagnostic) -> Failure:
        made = self._at(CLAUSE[found.name], f"{found.text} [{found.name}]", found.offset, found.group, found.pc)
        made.found = DECODER if found.name in BROKEN else COMPARED if found.name in _DEPENDS else RULE
        if found.name in BROKEN and found.name != "truncated":
            made.table = damaged(self.earlier.data, found.offset, self.capture.config)
        return made

    def _at(self, clause: str, text: str, offset: int, group: int, pc: int | None) -> Failure:
        marks, program = self.capture.marks, self.capture.program
        cycle = int(marks[min(offset, len(marks) - 1)]) if len(marks) else None
        place = program.where(pc) if program is not None and pc is not None else ""
        late = not len(self.items) or offset < self.items.start[0]
        earlier = self.earlier.found if late else self.earlier.items
        before = items_before(self.earlier.data, self.items, offset, earlier)
        text = f"byte {offset:#x}, group {group}: {text}"
        return Failure(
            clause, text, cycle, pc, place, before=before, at=section_start(self.decoded, offset, self.earlier.section)
        )

    def count(self) -> None:
        """How often each rule was looked at."""
        items, count, groups = self.items, self.book.count, self.decoded.group_count
        of = lambda *codes: int(items.of(*codes).sum())  # noqa: E731
        incremental, registers, states = of(t.ADD, t.OR), of(*FORMS), of(t.STATE)
        for clause, times in (
            ("TV.legal.opcode", len(items)),
            ("TV.legal.length", len(items)),
            ("TV.legal.id", states),
            ("TV.legal.register", registers),
            ("TV.legal.request", of(t.REQUEST)),
            ("TV.legal.response", int((items.answer >= 0).sum())),
            ("TV.legal.follows", int((items.answer >= 0).sum())),
            ("TV.legal.whole", int(len(items) > 0 and not items.before.end)),  # once
            ("TV.legal.end", of(t.END)),
            ("TV.legal.inside", of(t.INSN16, t.INSN32, t.INCREMENT_PC, t.INIT)),
            ("TV.legal.one_insn", of(t.INSN16, t.INSN32)),
            ("TV.legal.init", of(t.INIT)),
            ("TV.legal.reset", of(t.RESET)),
            ("TV.legal.one_pc", of(t.INCREMENT_PC) + int((items.identifier == t.PC).sum())),
            ("TV.legal.increment", of(t.INCREMENT_PC)),
            ("TV.legal.pc_known", of(t.INCREMENT_PC)),
            ("TV.legal.base", incremental),
            ("TV.legal.x0", registers),
            ("TV.legal.unambiguous", groups - len(self.given)),
            ("TV.legal.insn", of(t.INSN16, t.INSN32)),
            ("TV.legal.privilege", int((items.identifier == t.PRIV).sum())),
        ):
            count(clause, times)

    def _rule(self, clause: str, of: np.ndarray, bad: np.ndarray, text: Callable[[int], str]) -> None:
        """A rule of items: those it speaks of, those that break it."""

        def make(k: int) -> Failure:
            offset = int(self.items.start[k])
            section = max(int(np.searchsorted(self.decoded.offset, offset, side="right")) - 1, 0)
            known = len(self.decoded) > 0 and bool(self.decoded.pc_known[section])
            return self._at(
                clause,
                text(k),
                offset,
                int(self.decoded.number[section]) if len(self.decoded) else -1,
                int(self.decoded.pc[section]) if known else None,
            )

        self.book.bulk(clause, int(np.count_nonzero(of)), np.flatnonzero(of & bad), make)

    def addresses(self) -> None:
        """MLEN fields are extended with zeros to whole bytes."""
        items, config = self.items, self.capture.config
        if config.mlen == config.mlen_bits:
            return
        of = np.isin(items.identifier, (t.PADDR, t.EADDR, t.PPC)) | items.of(t.REQUEST)
        value = items.address_value
        self._rule(
            "TV.legal.zeros",
            of,
            value >> np.uint64(config.mlen) != 0,
            lambda k: f"the address {int(value[k]):#x} has more than {config.mlen} bits",
        )

    def absent(self) -> None:
        """What is not traced is not there."""
        items, config = self.items, self.capture.config
        if not config.absent and config.flen:
            return
        self._rule(
            "TV.legal.absent",
            np.ones(len(items), bool),
            items.absent,
            lambda k: f"{t.BY_CODE[int(items.code[k])].meaning} of a part that is absent",
        )

    def interrupts(self) -> None:
        """TV-7: a trap whose cause is an interrupt has no instruction; other traps have theirs, unless the fetch
        failed.
        """
        d, top = self.decoded, np.uint64(1 << (self.capture.config.xlen - 1))
        section = np.repeat(np.arange(len(d)), np.diff(d.change_start))
        trap, cause = np.zeros(len(d), bool), np.zeros(len(d), bool)
        trap[section[np.isin(d.change_key, _TRAP_PCS)]] = True
        causes = np.isin(d.change_key, _TRAP_CAUSES)
        cause[section[causes & (d.change_value & top != 0)]] = True
        of = trap & cause & (d.kind == GROUP) & ~d.init & ~d.reset
        if self.tolerances.interrupt_instruction:
            return
        given = self._groups(self.expected.has("insn")) if self.expected is not None else set()
        bad = of & (d.size > 0) & ~np.isin(d.number, list(given))
        self._groups_rule("TV-7", of, bad, "the group of an interrupt has an instruction")

    def ends(self) -> None:
        """TV-4: an end is implied by the next begin only where that is switched on."""
        if self.tolerances.bytes == "any":
            return
        items, config = self.items, self.capture.config
        edges = np.flatnonzero(items.of(t.BEGIN, t.END))
        torn = np.cumsum(items.torn)
        begins = items.code[edges] == t.BEGIN
        before = items.before  # what the first mark follows
        marks = np.concatenate(([before.mark == t.BEGIN], begins[:-1]))[: len(edges)]
        since = np.concatenate(([-int(before.torn)], torn[edges[:-1]]))[: len(edges)]
        follows = torn[edges] == since
        follows[:1] &= before.mark >= 0
        behind = np.zeros(len(items), bool)
        behind[edges] = begins & follows
        open_there = np.zeros(len(items), bool)
        open_there[edges] = marks
        self._rule(
            "TV-4",
            behind,
            open_there & (not config.implied_end),
            lambda k: "a begin group implies the end of the group before, which ImpliedEnd=0 does not do",
        )

    def forms(self) -> None:
        """TV-6: the short forms that are switched on, and no others."""
        if self.tolerances.bytes == "any":
            return
        items, level = self.items, self.capture.config.incremental
        based = (items.address > t.GPR_BASE) & (items.address < t.FPR_BASE) | np.isin(
            items.address, (t.MCYCLE, t.MCYCLEH, t.MINSTRET, t.MINSTRETH)
        )
        steps, pcs = items.of(t.ADD, t.OR), items.of(t.INCREMENT_PC)
        bad = (
            steps | pcs
            if level == NO_INCREMENT
            else steps & based
            if level == INCREMENT
            else np.zeros(len(items), bool)
        )
        of = items.of(*FORMS) | pcs | (items.identifier == t.PC)
        self._rule("TV-6", of, bad, lambda k: f"{t.BY_CODE[int(items.code[k])].meaning} with Incremental={level}")

    def initialization(self) -> None:
        """A group of state initialization has the update that it is about."""
        d, expected = self.decoded, self.expected
        of = d.init & (d.kind == GROUP)
        empty = of & (np.diff(d.change_start) == 0) & (np.diff(d.memory_start) == 0)
        if expected is not None:
            parts = np.sum(
                [expected.has(part.name) for part in t.PARTS if part.columns or part.name.startswith("csr")], axis=0
            )
            empty &= ~np.isin(d.number, list(self._groups(parts == 0)))
        self._groups_rule("TV.legal.update", of, empty, "a group of state initialization changes nothing")

    def _groups_rule(self, clause: str, of: np.ndarray, bad: np.ndarray, text: str) -> None:
        """A rule of groups."""
        d = self.decoded
        self.book.bulk(clause, int(of.sum()), np.flatnonzero(bad), lambda k: self._at(
            clause, text, int(d.offset[k]), int(d.number[k]), int(d.pc[k]) if d.pc_known[k] else None))  # fmt: skip


RULES: tuple[Callable[[Legal], None], ...] = (
    Legal.diagnostics,
    Legal.count,
    Legal.addresses,
    Legal.absent,
    Legal.interrupts,
    Legal.initialization,
    Legal.ends,
    Legal.forms,
)
