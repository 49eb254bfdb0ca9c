"""What every check of a CTR run shares: counting what held, failing what did not, and looking for the transfer behind it."""

from __future__ import annotations

from models.ctr.model_recorder import DATA, SOURCE, TARGET
from models.ctr.records import OPS, SCTRCLR
from models.riscv.csr import PRIVILEGES, Access
from scoreboards.blame import Blame, Candidates
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.ctr_access import Suspects
from scoreboards.ctr_capture import CtrCapture
from scoreboards.ctr_diagnose import Diagnosis, Finding, View, look_ahead, told
from scoreboards.ctr_follow import Follower
from scoreboards.ctr_knobs import Knobs
from scoreboards.ctr_reads import Field
from scoreboards.ctr_reasons import Why

Table = list[tuple[str, str, str]]  # field, expected, actual


class Judge:
    """One run. view: what the reads since the last transfers showed; agreed: outcomes that were right, by what they test.

    index, cycle: the row in hand.
    """

    def __init__(self, capture: CtrCapture, book: ClauseBook, knobs: Knobs) -> None:
        self.capture, self.book, self.knobs, self.config = capture, book, knobs, capture.config
        self.follower = Follower(capture.config, knobs, adopts=not capture.config.draft or knobs.depth_draft or knobs.depth_unsupported == "any")
        self.blame = Blame()
        self.tells: dict[tuple[int, str], tuple[list[tuple[str, str]], list[str]]] = {}  # (clause, setting), clauses
        self.kept: list[Why] = []  # whose id is in `tells`
        self.view: View = {}
        self.agreed: dict[tuple[int, int], tuple[Suspects, list[int]]] = {}
        self.index = self.cycle = 0

    def _count(self, fields: list[Field], unknown: int) -> None:
        for _, mask, clause in fields:
            if mask & ~unknown:
                self.book.count(clause)

    def _confirm(self) -> None:
        """What was recorded up to here was seen: it counts."""
        f = self.follower
        if not f.pending or f.doubtful:
            return
        for why, times in f.pending.values():
            self._held(why, "count", times)
            if why.action:
                self.book.count("CTR.behavior.push", times)
        self.blame.passed["CTR.behavior.push", "together"] += f.groups
        f.groups = 0
        f.pending.clear()

    def _held(self, why: Why, what: str, times: int = 1) -> None:
        """A read showed that a transfer did what it should: the clauses count that this read can tell."""
        shown = self.tells.get((id(why), what))
        if shown is None:
            self.kept.append(why)
            settings = [(suspect.clause, suspect.setting) for suspect in why.shown_by(what)]
            shown = self.tells[id(why), what] = settings, list(dict.fromkeys(clause for clause, _ in settings))
        settings, clauses = shown
        for setting in settings:
            self.blame.passed[setting] += times
        for clause in clauses:
            self.book.count(clause, times)

    def _diagnose(self, status: bool) -> Finding:
        view = look_ahead(self.follower, self.capture.rows, self.index, self.view)
        return Diagnosis(self.follower, view).find(status)

    def _doubt(self, status: int | None = None, finding: Finding | None = None) -> None:
        """From here on the device's state counts. finding: what was wrong; if only that, the other transfers were as they should."""
        if finding is not None and finding.single and finding.event is not None:
            for why, times in self.follower.pending.values():
                if why is not finding.event.why:
                    self._held(why, "count", times)
        self.follower.doubt()
        if status is not None:
            self.follower.force_status(status)
        self.view.clear()

    def _fail_finding(self, finding: Finding, logical: int) -> None:
        f, x = self.follower, max(finding.logical, 0) if finding.logical >= 0 else logical
        table = []
        for part, name in ((SOURCE, "ctrsource"), (TARGET, "ctrtarget"), (DATA, "ctrdata")):
            if (x, part) in self.view:
                table.append((f"{name} of entry {x}", f"{f.peek_part(part, x):#x}", f"{self.view[x, part]:#x}"))
        if (-1, 0) in self.view:
            table.append(("status", f"{f.peek_status():#x}", f"{self.view[-1, 0]:#x}"))
        event = finding.event
        self._fail(finding.clause, finding.headline, table, event.transfer.source if event else None, finding.candidates)

    def _fail(self, clause: str, headline: str, table: Table, pc: int | None = None, candidates: Candidates = ()) -> None:
        failure = self._failure(clause, headline, table, pc)
        if candidates:
            self.blame.add(failure, candidates)
        else:
            self.book.fail(failure)

    def _failure(self, clause: str, headline: str, table: Table, pc: int | None = None) -> Failure:
        program = self.capture.program
        place = program.where(pc) if program is not None and pc is not None else ""
        before = [told(event) for event in list(self.follower.log)[-3:]]
        return Failure(clause, headline, self.cycle, pc, place, list(dict.fromkeys(table)), before)

    def _named(self, access: Access) -> str:
        who = PRIVILEGES.get(access.priv, "?")
        if access.op == SCTRCLR:
            return f"SCTRCLR from {who}"
        csr = self.follower.csr_of(access)
        return f"a {OPS.get(access.op, 'read')} of {csr.name if csr else 'the address'} ({access.addr:#05x}) from {who}"
