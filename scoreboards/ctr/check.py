# SPDX-License-Identifier: Apache-2.0
"""The check of control transfer records: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

The rows are replayed through the reference model; every outcome and every field of every value read is compared under
its own clause. A transfer counts for the clauses it tests as soon as a later read shows what it did; where a read shows
something else, `rvtrace.scoreboards.ctr.diagnose` finds the transfer and the clause. What the specification leaves open
is read back, checked for legality and adopted; what else may differ is in `Tolerances`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rvtrace.models.csr.file import acting
from rvtrace.models.csr.table import Csr
from rvtrace.models.csr.table import Field as TableField
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import CONTROL, PARTS
from rvtrace.models.ctr.recorder import DATA, SOURCE, TARGET
from rvtrace.models.ctr.records import SCTRCLR, encode_cc
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.ctr.rules import NO_SOURCE, NO_TARGET, WHOLE
from rvtrace.models.riscv.csr import CLEAR, DONE, ILLEGAL, OUTCOMES, PRIVILEGES, READ, SET, Access, Answer, M
from rvtrace.scoreboards.common.blame import Candidates
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.findings import COMPARED
from rvtrace.scoreboards.common.places import Rows as Table
from rvtrace.scoreboards.common.verdict import Verdict, chosen, timed
from rvtrace.scoreboards.csr.check import named, outcomes
from rvtrace.scoreboards.ctr.access import Last, Suspects, control_clause, depth_clause, stateen_clause
from rvtrace.scoreboards.ctr.attribution import Attribution
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.diagnose import Diagnosis, Finding, View, described, explains, look_ahead
from rvtrace.scoreboards.ctr.follow import Follower
from rvtrace.scoreboards.ctr.initial import first_shown
from rvtrace.scoreboards.ctr.looks import Looks, calm, known_to_look
from rvtrace.scoreboards.ctr.reads import Field, count_clause, entry_fields, near, status_fields
from rvtrace.scoreboards.ctr.reasons import Why
from rvtrace.scoreboards.ctr.stretch import ENOUGH, ROWS_AT_ONCE, Ahead
from rvtrace.scoreboards.ctr.tolerances import Tolerances

__all__ = ["Verdict", "check", "plan"]

RULINGS = tuple(f"CTR-{n}" for n in range(1, 17))
SITUATIONS = (
    "CTR.behavior.lost",
    "CTR.freeze.until",
    "CTR.discovery.fields",
    "CTR.discovery.entries",
    "CTR.filter.classes",
)
_PAIR = {"ctl": "vsctl", "vsctl": "ctl", "siselect": "vsiselect", "vsiselect": "siselect"}
_CC = 0xFFFF8000
_UP, _DOWN, _CLEARED = "CTR.status.wrap_up", "CTR.status.wrap_down", "CTR.clear.status"
_WRITTEN = ("CTR.status.write", "CTR.status.same_cycle")


def plan() -> Plan:
    """The clauses of CTR, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: CtrCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Check one capture against every clause that applies to it.

    The follower stays in verdict.encoded, for coverage.
    """
    verdict = Verdict(ClauseBook(plan(), capture.rerun, capture.config.variant))
    with timed(verdict, "scoreboard"):
        run = Comparison(capture, verdict.book, chosen(tolerances, capture, Tolerances))
        run.rows()
        verdict.encoded = run.follower
    rows, follower = capture.rows, run.follower
    verdict.stats |= {"transfers": rows.transfers, "recorded": follower.recorded, "accesses": rows.accesses}
    verdict.stats |= {"instructions": rows.transfers, "judged": rows.transfers - follower.unjudged - follower.unseen}
    return verdict


class Comparison:
    """One run.

    view: what the reads since the last transfers showed; agreed: outcomes that were right, by what they test.

    index, cycle: the current row.
    """

    def __init__(self, capture: CtrCapture, book: ClauseBook, tolerances: Tolerances) -> None:
        self.capture, self.book, self.tolerances, self.config = capture, book, tolerances, capture.config
        self.follower = Follower(
            capture.config,
            tolerances,
            adopts=not capture.config.draft or tolerances.depth_draft or tolerances.depth_unsupported == "any",
        )
        self.blame = Attribution()
        self.root: Failure | None = None  # of what the device's state was taken over after it
        self.tells: dict[tuple[int, str], tuple[list[tuple[str, str]], list[str]]] = {}  # (clause, setting), clauses
        self.kept: list[Why] = []  # whose id is in `tells`
        self.view: View = {}
        self.apart: set[tuple[str, int, str]] = set()  # window, part and field that another window shows otherwise
        self.agreed: dict[tuple[int, int], tuple[Suspects, list[int]]] = {}
        self.index = self.cycle = 0
        self.failed: Failure | None = None  # the last
        self.status_row = -1  # of the last status that agreed
        self._mode, self._expected = 0, -1  # of the row before: its privilege, and the cycle after it

    def rows(self) -> None:
        """Replay and compare them all."""
        f, begin = self.follower, 0
        if not self.tolerances.reset_zero:
            f.start(first_shown(self.config, self.capture.rows))
        for stop, long in _stretches(self.capture.rows, self.config):
            if long:
                self._calm(begin, stop)
            else:
                self._replay(begin, stop)
            begin = stop
        f.notes.settle()
        for (_, address), (suspects, times) in self.agreed.items():
            for clause, _ in suspects:
                self.book.count(clause, times[0])
                self.blame.passed[clause, f"{address:#x}"] += times[0]
        self.blame.finish(self.book)
        if not self.tolerances.reset_zero:
            self.book.withdraw(["CTR.csr.reset"])  # what registers hold after reset is the device's choice
        self._problems()
        if self.capture.program is not None:
            f.met["CTR.filter.classes"] = f.met["CTR-8"]
        for name in (*RULINGS, *SITUATIONS):
            self.book.met(name, f.met[name])

    def _calm(self, begin: int, stop: int) -> None:
        """Rows whose accesses at most look at entries: as columns, as far as these show what is right."""
        f, rows = self.follower, self.capture.rows
        while stop - begin >= ENOUGH:
            self._pass(int(rows.cycle[begin]))
            end = min(stop, begin + ROWS_AT_ONCE)
            if not known_to_look(f) and (rows.op[begin:end] == READ).any():
                self._replay(begin, end)
                begin = end
                continue
            while True:
                part = rows.select(slice(begin, end))
                looks = Looks(f, part)
                ahead = Ahead(f, part, begin) if looks.stop == len(part) else None
                cut = ahead.stop if ahead else looks.stop
                if ahead and cut == len(part):
                    self._together(looks, ahead)
                    break
                if cut < ENOUGH:  # then the row that is not to be looked at in columns
                    end = begin + cut + 1
                    self._replay(begin, end)
                    break
                end = begin + cut
            begin = end
        self._replay(begin, stop)

    def _together(self, looks: Looks, ahead: Ahead) -> None:
        """A stretch of rows in columns; one by one if they do not show what is right, or that something is wrong."""
        rows = ahead.rows
        if not ahead.known() or (len(looks) and not looks.agree(ahead)):
            self._replay(ahead.first, ahead.first + len(rows))
            return
        f = self.follower
        if len(looks):
            self._looks(looks, ahead)
        elif len(ahead.at):
            self.view.clear()
        ahead.follow()
        if len(looks):
            last = int(looks.at[-1])
            self.index, self.cycle = ahead.first + last, int(rows.cycle[last])
            looks.note(ahead)
        self._mode, self._expected = int(rows.priv[-1]), f.now + 1

    def _looks(self, looks: Looks, ahead: Ahead) -> None:
        """Accesses that were right: what `_access` and `_entry` count of each."""
        f, depth, notes = self.follower, self.follower.recorder.depth, self.follower.notes
        for kind, n in looks.accesses():
            notes.asked[(*kind.key, kind.access.op, kind.access.xlen32, DONE)] += n
            self.agreed.setdefault((id(kind.suspects), kind.access.addr), (kind.suspects, [0]))[1][0] += n
        for kind, before, n in looks.writes():
            name = f.state_of(kind.csr, kind.access.priv)
            last = f.last.get(name) if before is None else _last_of(before.access, before.csr)
            for _, mask, clause in self._select_fields(kind.csr, name, last, self.config.xlen == 32):
                self.book.count(clause, n * bool(mask))
        if not looks.reads:
            if len(ahead.at):
                self.view.clear()
            return
        for logical, n in looks.entries():
            notes.counts["entry", depth, _where(logical, depth)] += n
        for part, origin, fields, n in looks.fields():
            for _, mask, clause in fields:
                if mask:
                    self.book.count(clause, n)
            if origin is not None:
                notes.counts["origin", part - 1, "popped" if origin.popped else origin.kind] += n
                if part != DATA and origin.event is not None and origin.event.why.suspects:
                    self._held(origin.event.why, "ctrsource" if part == SOURCE else "ctrtarget", n)
        for csr, n in looks.selected_otherwise():
            self.book.count(_select_seen(csr), n)
        if f.not_cleared > f.cleared and (n := looks.valid()):
            self.book.count("CTR.vsctl.clr", n)
        if n := looks.again(self.view, ahead):
            self.book.count("CTR.entry.same", n)

    def _pass(self, cycle: int) -> None:
        """The cycles before this one that have no row."""
        if cycle > self._expected >= 0:
            self.follower.idle(self._mode, cycle - self._expected)
        self._expected = cycle

    def _replay(self, begin: int, stop: int) -> None:
        """Rows one by one."""
        if begin == stop:
            return
        f = self.follower
        rows = self.capture.rows.select(slice(begin, stop)).cycles()
        for index, (cycle, priv, transfers, access, rdata, outcome) in enumerate(rows, begin):
            if cycle > self._expected >= 0:
                f.idle(self._mode, cycle - self._expected)
            f.follow(index, cycle, priv, transfers)
            if transfers:
                self.view.clear()
            if access is not None:
                self.index, self.cycle = index, cycle
                self._access(access, rdata, outcome)
            self._mode, self._expected = priv, cycle + 1

    def _problems(self) -> None:
        self.book.count("CTR.csr.unknown", self.capture.rows.accesses)
        for text in self.capture.problems:
            self.book.fail(Failure("CTR.csr.unknown", text))

    # --- Outcomes -----------------------------------------------------------------------------------

    def _access(self, access: Access, rdata: int, outcome: int) -> None:
        f = self.follower
        csr = f.csr_of(access)
        f.settle(csr, access, outcome)
        suspects, want = f.wanted(csr, access)
        f.notes.asked[(*f.key, access.op, access.xlen32, want.outcome)] += 1
        if f.select_unknown(csr, access):
            want = self._select_unknown(csr, access, outcome, want)
        right = outcome == want.outcome or (
            self.tolerances.refusal == "any"
            and DONE not in (outcome, want.outcome)
            and outcome in f.rules_that_refuse(csr, access)
        )
        if csr is not None and csr.name == "miselect" and want.outcome == DONE and outcome in (DONE, ILLEGAL):
            right = f.miselect_is(*(("absent",) if outcome == ILLEGAL else ("kept", "zero")))
        if outcome != want.outcome and (f.unspecified(csr, access, outcome) or (right and want.outcome == DONE)):
            pass  # what the tolerances leave open reports nothing
        elif right:
            self.agreed.setdefault((id(suspects), access.addr), (suspects, [0]))[1][0] += 1
        else:
            table = outcomes(want.outcome, outcome)
            candidates = tuple((clause, f"{access.addr:#x}") for clause, others in suspects if outcome in others)
            if not candidates and csr is not None and "ireg" in csr.name and self.tolerances.outside == "any":
                inside = f.tested_if_selected(csr, access)
                candidates = tuple((clause, f"{access.addr:#x}") for clause, others in inside if outcome in others)
            if not candidates and csr is not None and csr.stateen == "CSRIND" and f.csrind_closed(access.priv):
                candidates = (("CTR.stateen.csrind", f"{access.addr:#x}"),)
            otherwise = "CTR.csr.address" if want.outcome == DONE else "CTR.csr.privilege" if csr else "CTR.csr.exists"
            self._fail(
                otherwise, f"{self._named(access)} ended as {OUTCOMES.get(outcome, outcome)}", table, None, candidates
            )
        if want.outcome != DONE:
            f.met["CTR-12"] += any(".stateen." in clause for clause, _ in suspects)
            self._refused(access, csr, rdata, outcome)
        elif outcome == DONE and csr is not None and f.select_unknown(csr, access):
            f.written_somewhere(csr, access)
        elif outcome == DONE:
            f.met["CTR-15"] += bool(access.xlen32) and self.config.xlen == 64
            if csr is not None:
                self.read(csr, access, rdata, want)
            self._apply(access, csr)

    def _select_unknown(self, csr: Csr | None, access: Access, outcome: int, want: Answer) -> Answer:
        """What an access through an ireg is to give whose iselect selects an entry or none: the one or the other."""
        inside = self.follower.if_selected(csr, access)
        return Answer(0, outcome) if DONE in (inside, want.outcome) or outcome == inside else want

    def _refused(self, access: Access, csr: Csr | None, rdata: int, outcome: int) -> None:
        if csr is not None and access.op not in (READ, SCTRCLR):
            self.follower.refused[self.follower.state_of(csr, access.priv)] = access
        if outcome != DONE and self.tolerances.refused_zero:
            self.book.check(
                "CTR.csr.refused",
                rdata == 0,
                lambda: self._failure(
                    "CTR.csr.refused",
                    f"{self._named(access)} was refused and returned a value",
                    [("value", "0x0", f"{rdata:#x}")],
                ),
            )

    def _apply(self, access: Access, csr: Csr | None) -> None:
        """Let the model do it; where it shows what is open the device's value counts."""
        f = self.follower
        if access.op != READ and (
            csr is None
            or not (csr.name.endswith("iselect") or (f.state_of(csr, access.priv) in CONTROL and not self.config.draft))
        ):
            self.view.clear()
        f.apply(access, csr)

    # --- Values ------------------------------------------------------------------------------------------

    def read(self, csr: Csr, access: Access, rdata: int, want: Answer) -> None:
        f = self.follower
        name = f.state_of(csr, access.priv)
        unknown = self._adopt(csr, access, rdata, want, name)
        if name in PARTS:
            self._entry(access, csr, PARTS[name], rdata, want.rdata, unknown)
        elif name.endswith("status"):
            self._status(access, csr, rdata, want.rdata, unknown)
        else:
            self._register(access, csr, name, rdata, want.rdata, unknown)

    def _adopt(self, csr: Csr, access: Access, rdata: int, want: Answer, name: str) -> int:
        """Take over what is open, if it is legal; the open bits."""
        if not want.open:
            return 0
        f = self.follower
        logical = f.logical(csr, access)
        kind = f.origin[f.recorder.physical(logical)].kind if name in PARTS and logical is not None else "depth"
        clause = (
            "CTR.entry.xlen"
            if kind == "narrow"
            else (
                "CTR.depth.grown"
                if name in PARTS
                else "CTR.depth.wrptr"
                if name.endswith("status")
                else "CTR.depth.warl"
            )
        )
        problem = f.adopt(access, rdata)
        f.adopted |= name.endswith("status")
        if kind in ("depth", "narrow") and "stateen" not in name and not f.doubtful:
            self.book.check(clause, not problem, lambda: self._failure(clause, problem, []))
        return want.open

    def _entry(self, access: Access, csr: Csr, part: int, rdata: int, want: int, unknown: int) -> None:
        f = self.follower
        logical = f.logical(csr, access)
        assert logical is not None
        narrow = bool(access.xlen32) and self.config.xlen == 64
        before = self.view.get((logical, part))
        if not narrow:
            self.view[logical, part] = rdata
        fields = entry_fields(f, part, logical)
        if narrow:
            fields = [(name, mask & 0xFFFFFFFF, clause) for name, mask, clause in fields if mask & 0xFFFFFFFF]
        differs = (rdata ^ want) & ~unknown
        if part == DATA and differs & _CC and logical < f.recorder.depth:
            differs &= ~self._tolerated(logical, rdata, want)
        if not differs:
            self._note_entry(part, logical, narrow)
            self._count(fields, unknown)
            if before is not None and before == rdata:
                self.book.count("CTR.entry.same")
            self._count_selects(csr, access, logical)
            event = (
                f.origin[f.recorder.physical(logical)].event
                if logical < f.recorder.depth and part != DATA and not unknown
                else None
            )
            if event is not None and event.why.suspects:
                self._held(event.why, "ctrsource" if part == SOURCE else "ctrtarget")
            if f.not_cleared > f.cleared and part == SOURCE and want & 1:
                self.book.count("CTR.vsctl.clr")
            if logical == 0 and part == SOURCE and not unknown and f.recorder.depth:
                self._confirm()
            return
        wrong = [field for field in fields if differs & field[1]] or [("upper half", 0, "CTR.csr.xlen32")]
        other = self._other_entry(csr, access, part, logical, rdata, before is not None and before == want)
        shown = acting(csr, access.priv), part, wrong[0][0]
        if other == "CTR.entry.same":
            self.apart.add(shown)
        elif not other and shown in self.apart:  # as it did where another window showed what is right just before
            other = "CTR.entry.same"
        if other and not narrow:
            # shown as it should be, and then otherwise: what it was recorded or cleared by may have done nothing
            guessed = other in ("CTR.entry.same", "CTR.entry.virtual", "CTR.entry.select")
            candidates = ((other, ""), (wrong[0][2], "")) if guessed else ()
            self._fail(
                other,
                f"a read of logical entry {logical} through {csr.name} is wrong",
                _table(wrong, want, rdata),
                None,
                candidates,
            )
            return
        origin = f.origin[f.recorder.physical(logical)] if logical < f.recorder.depth else None
        alone = all(name in ("CC", "undefined bits", "CCE beyond its bits") or "CC" in name for name, _, _ in wrong)
        refused = f.refused.get({SOURCE: "ctrsource", TARGET: "ctrtarget", DATA: "ctrdata"}[part])
        if (
            origin is None
            or alone
            or (
                origin.event is None
                and origin.popped is None
                and origin.kind in ("write", "narrow")
                and (wrong[0][0] != "V" or f.written)
            )
        ):
            self._entry_field(access, part, logical, wrong, rdata, want, refused)
            return
        finding = self._diagnose(False)
        if finding.field and finding.logical == logical or not finding.clause:
            self._entry_field(access, part, logical, wrong, rdata, want, refused)
        else:
            self._fail_finding(finding, logical)
        self._doubt(finding=finding)

    def _other_entry(self, csr: Csr, access: Access, part: int, logical: int, rdata: int, agreed: bool) -> str:
        """The clause if the value is another entry's, that another iselect selects, or one window shows and the other
        does not.
        """
        f, gates = self.follower, self.follower.gates
        if rdata and logical < f.recorder.depth and rdata in f.beyond[part]:
            return "CTR.depth.entries"
        mine = acting(csr, access.priv).partition("ireg")[0]
        for window in ("m", "s", "vs"):
            other = getattr(gates, f"{window}iselect") - 0x200
            if (
                window != mine
                and 0 <= other < f.recorder.depth
                and other != logical
                and f.peek_part(part, other) == rdata
                and rdata
            ):
                return _select_seen(csr)
        if not rdata and part == SOURCE:
            event = f.origin[f.recorder.physical(logical)].event if logical < f.recorder.depth else None
            if f.not_cleared > f.cleared:
                return "CTR.vsctl.clr"
            if event is not None and f.cleared > event.row:
                return "CTR.clear.entries"
        return "CTR.entry.same" if agreed else ""

    def _note_entry(self, part: int, logical: int, narrow: bool) -> None:
        """What a read of an entry showed, for coverage."""
        f = self.follower
        depth = f.recorder.depth
        f.notes.counts["entry", depth, _where(logical, depth)] += 1
        if logical < depth:
            origin = f.origin[f.recorder.physical(logical)]
            f.notes.counts["origin", part - 1, "popped" if origin.popped else origin.kind] += 1

    def _count_selects(self, csr: Csr, access: Access, logical: int) -> None:
        """A read shows the right select where another one selects another entry."""
        gates, mine = self.follower.gates, acting(csr, access.priv).partition("ireg")[0]
        for window in ("m", "s", "vs"):
            other = getattr(gates, f"{window}iselect") - 0x200
            if window != mine and 0 <= other < 256 and other != logical:
                self.book.count(_select_seen(csr))
                return

    def _entry_field(
        self, access: Access, part: int, logical: int, wrong: list[Field], rdata: int, want: int, refused: Access | None
    ) -> None:
        """The right record with something wrong in it."""
        f = self.follower
        origin = f.origin[f.recorder.physical(logical)] if logical < f.recorder.depth else None
        name, mask, clause = wrong[0]
        candidates: Candidates = ()
        event = origin.event if origin else None
        if name == "CC" and event is not None and origin is not None:
            clause = count_clause(f, event, rdata >> 16 & 0xFFFF) if clause.startswith("CTR.cycle") else clause
        elif name == "PC" and event is not None and event.why.suspects and not (want & mask and rdata & mask):
            acts = (WHOLE,) if rdata & mask else (NO_SOURCE if part == SOURCE else NO_TARGET,)
            candidates = (*explains(event.why, acts), (clause, "")) if clause != "CTR.ext.target0" else ()
        elif name == "CCV" and clause == "CTR.ras.cc":
            candidates = ((clause, ""), ("CTR.ras.enable", "1"))
        elif refused is not None and origin is not None and _would(refused, want) & mask == rdata & mask:
            clause = "CTR.csr.refused"
        elif name in ("TYPE", "PC", "V") and event is not None and f.popped_to(event.place):
            candidates = ((clause, ""), (_DOWN, ""))
        table = _table(wrong, want, rdata)
        event_text = f": {described(event)}" if event else ""
        self._fail(
            clause,
            f"{name} of logical entry {logical} is wrong{event_text}",
            table,
            event.transfer.source if event else None,
            candidates,
            self.root if origin is not None and origin.kind == "doubt" else None,
        )
        if logical < f.recorder.depth:
            held = (f.recorder.source, f.recorder.target, f.recorder.data)[part - 1]
            held[f.recorder.physical(logical)] = rdata

    def _tolerated(self, logical: int, rdata: int, want: int) -> int:
        """Bits of CC and CCV in which this device may differ; it is taken over then."""
        f, tolerances = self.follower, self.tolerances
        place = f.recorder.physical(logical)
        event = f.origin[place].event or f.origin[place].counted
        if event is None:
            return 0
        want_valid, have_valid = want >> 15 & 1, rdata >> 15 & 1
        if tolerances.ccv_extra and want_valid and not have_valid:
            bits = _CC
        else:
            void = not tolerances.cc_invalid and not want_valid and not have_valid
            if (
                event.ccv == "inactive"
                and have_valid
                and near(encode_cc(event.kept, self.config.cce_bits), rdata >> 16 & 0xFFFF, tolerances.cc_slack)
            ):
                f.recorder.data[place] = f.recorder.data[place] & ~_CC | rdata & _CC
                return _CC
            slack = tolerances.cc_slack + tolerances.mode_edge * event.edges
            close = slack and near(want >> 16 & 0xFFFF, rdata >> 16 & 0xFFFF, slack)
            bits = 0xFFFF0000 if void or close else 0
        f.recorder.data[place] = f.recorder.data[place] & ~bits | rdata & bits
        return bits

    def _status(self, access: Access, csr: Csr, rdata: int, want: int, unknown: int) -> None:
        f, last = self.follower, self.follower.last.get(self.follower.state_of(csr, access.priv))
        alias = csr.name[0] == "s" and (self.config.draft or access.priv > 3)
        moved = last is not None and bool(f.log) and f.log.last(1)[0].row > last.row
        agreed = self.view.get((-1, 0))
        self.view[-1, 0] = rdata
        if f.doubtful:
            f.force_status(rdata)
            return
        fields = status_fields(f, last, alias)
        differs = (rdata ^ want) & ~unknown
        if not differs:
            self._count(fields, unknown)
            if not unknown:
                self._confirm()
                f.wraps = 0
                self.status_row = self.index
            return
        wrong = [field for field in fields if differs & field[1]] or [("upper half", 0, "CTR.csr.xlen32")]
        name, mask, clause = wrong[0]
        refused = f.refused.get(f.state_of(csr, access.priv))
        if refused is not None and _would(refused, want) & mask == rdata & mask:
            clause = "CTR.csr.refused"
        elif f.not_cleared > f.cleared and not rdata:
            clause = "CTR.vsctl.clr"
        elif alias and (agreed == want or self._elsewhere(want)):
            self._fail("CTR.status.alias", f"{name} of {csr.name} is wrong here", _table(wrong, want, rdata))
            return
        elif (
            name in ("WRPTR", "FROZEN")
            and not clause.startswith(("CTR.clear", "CTR.csr"))
            and (clause not in _WRITTEN or moved)
        ):
            finding = self._diagnose(True)
            if finding.clause:
                if f.cleared > self.status_row and self.config.draft:
                    finding = finding._replace(candidates=(*finding.candidates, (_CLEARED, ""), (finding.clause, "")))
                self._fail_finding(finding, 0)
                self._doubt(rdata, finding)
                return
        wraps = [clause for bit, clause in ((1, _UP), (2, _DOWN)) if f.wraps & bit]
        candidates: Candidates = ()
        if wraps and name == "WRPTR beyond the depth":
            candidates = tuple((one, "") for one in wraps)
        elif wraps and name == "WRAP":
            candidates = ((clause, ""), *((one, "") for one in wraps))
        self._fail(clause, f"{name} of {csr.name} is wrong", _table(wrong, want, rdata), None, candidates)
        self._doubt(rdata)

    def _elsewhere(self, want: int) -> bool:
        """Whether the next read of the status, before anything happens, is right."""
        view = (
            look_ahead(self.follower, self.capture.rows, self.index + 1, {})
            if self.index + 1 < len(self.capture.rows)
            else {}
        )
        return view.get((-1, 0)) == want

    def _register(self, access: Access, csr: Csr, name: str, rdata: int, want: int, unknown: int) -> None:
        f = self.follower
        narrow = self.config.xlen == 32 or bool(access.xlen32)
        fields = self._register_fields(csr, name, narrow)
        if name == "mstateen0":
            f.se0 = rdata >> (31 if csr.high else 63) & 1 if csr.high or not narrow else f.se0
        if "stateen" in name and self.tolerances.stateen_other == "any":
            fields = [field for field in fields if field[0] != "undefined bits"]
            rdata = rdata & sum(mask for _, mask, _ in fields) | want & ~sum(mask for _, mask, _ in fields)
        if name == "miselect" and want and rdata in (0, want):
            want = rdata if f.miselect_is("kept" if rdata else "zero") else want
        if (not narrow or self.config.xlen == 32) and not name.endswith("iselect"):
            f.notes.shown[csr.name, acting(csr, access.priv), rdata] += 1
        differs = (rdata ^ want) & ~unknown
        if name.endswith("iselect") and name[: -len("iselect")] in f.select_open:
            if narrow and self.config.xlen == 64:  # what is seen: bit 31 is bit 63, and 62:31 are hidden
                f.force(name, rdata & (1 << 31) - 1 | rdata >> 31 << 63, 1 << 63 | (1 << 31) - 1)
            else:
                f.force(name, rdata, -1)
            return
        if not differs:
            self._count(fields, unknown)
            return
        wrong = [field for field in fields if differs & field[1]] or [("upper half", differs, "CTR.csr.xlen32")]
        clause = self._other_writer(name, rdata, want, differs) or wrong[0][2]
        table = _table(wrong, want, rdata)
        candidates: Candidates = ()
        f.substituted = f.substituted or (csr.name[0] == "s" and acting(csr, access.priv) != csr.name)
        if f.substituted and clause in ("CTR.vsctl.keep", "CTR.ctl.keep", "CTR.ctl.required", "CTR.sctl.subset"):
            candidates = (("CTR.vsctl.substitute", ""), (clause, ""))
        self._fail(clause, f"{wrong[0][0]} of {csr.name} is wrong", table, None, candidates)
        shift = 32 * csr.high
        f.force(name, rdata << shift, differs << shift)
        if name == "sctrdepth" or wrong[0][0] == "DEPTH":
            self._doubt()
            f.force_depth(rdata)

    def _other_writer(self, name: str, rdata: int, want: int, differs: int) -> str:
        """The clause if another access explains the difference: a refused one, or one meant for the other world's
        register.
        """
        f = self.follower
        refused = f.refused.get(name)
        if refused is not None and not (_would(refused, want) ^ rdata) & differs:
            return "CTR.csr.refused"
        kind = CONTROL.get(name, name)
        other = next((reg for reg, k in CONTROL.items() if k == _PAIR.get(kind) and reg in f.last), _PAIR.get(kind, ""))
        mine, theirs = f.last.get(name), f.last.get(other)
        if (
            theirs is not None
            and theirs.name[0] == "s"
            and (mine is None or mine.row < theirs.row)
            and not (theirs.value ^ rdata) & differs
        ):
            return "CTR.entry.virtual" if "select" in name else "CTR.vsctl.substitute"
        if mine is not None and mine.name[0] == "s" and mine.access.priv > 3 and "select" not in name:
            return "CTR.vsctl.substitute"
        return ""

    def _register_fields(self, csr: Csr, name: str, narrow: bool) -> list[Field]:
        f, last = self.follower, self.follower.last.get(name)
        if not name or name.endswith("iselect"):
            return self._select_fields(csr, name, last, narrow)
        seen = 0xFFFFFFFF if narrow else (1 << 64) - 1

        def of(field: TableField | None) -> str:
            if name in CONTROL:
                return control_clause(self.config, csr, field, last)
            return (
                stateen_clause(csr, field, f.gates.mstateen)
                if "stateen" in name
                else depth_clause(self.config, field, last)
            )

        shown = [(one, one.mask >> 32 * csr.high & seen) for one in csr.fields]
        fields = [(one.name, mask, of(one)) for one, mask in shown if mask]
        rest = seen & ~sum(mask for _, mask, _ in fields)
        return [*fields, ("undefined bits", rest, of(None))]

    def _select_fields(self, csr: Csr, name: str, last: Last | None, narrow: bool) -> list[Field]:
        """Of an iselect, or of an ireg that gives no register (no name). last: who wrote it."""
        clause = "CTR.entry.ireg456" if not name else _select_clause(csr, last, narrow and self.config.xlen == 64)
        if clause == "CTR.csr.reset" and not self.tolerances.reset_zero:  # two views of what nobody wrote differ
            clause = "CTR.entry.virtual" if name != "miselect" and self.config.has_h else "CTR.entry.select"
        return [("all", 0xFFFFFFFF if narrow else (1 << 64) - 1, clause)]

    # --- Counts and failures ----------------------------------------------------------------------------

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
        """A read showed that a transfer did what it should: the clauses count that this read can report."""
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
        """From here on the device's state counts.

        finding: what was wrong; if only that, the other transfers were as they should.
        """
        if finding is not None and finding.single and finding.event is not None:
            for why, times in self.follower.pending.values():
                if why is not finding.event.why:
                    self._held(why, "count", times)
        self.root = self.failed
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
        if event is not None and M in (event.transfer.from_, event.transfer.to) and f.through_s:
            finding = finding._replace(candidates=(*finding.candidates, ("CTR.sctl.preserve", "")))
        self._fail(
            finding.clause, finding.headline, table, event.transfer.source if event else None, finding.candidates
        )

    def _fail(
        self,
        clause: str,
        headline: str,
        table: Table,
        pc: int | None = None,
        candidates: Candidates = (),
        root: Failure | None = None,
    ) -> None:
        failure = self._failure(clause, headline, table, pc)
        if candidates:
            self.blame.add(failure, candidates)
        else:
            self.blame.sure(failure)
        if root is not None:
            self.blame.follows(failure, root)
        self.failed = failure

    def _failure(self, clause: str, headline: str, table: Table, pc: int | None = None) -> Failure:
        program = self.capture.program
        place = program.where(pc) if program is not None and pc is not None else ""
        before = [described(event) for event in self.follower.log.last(3)]
        return Failure(
            clause, headline, self.cycle, pc, place, list(dict.fromkeys(table)), before, at=self.index, found=COMPARED
        )

    def _named(self, access: Access) -> str:
        if access.op == SCTRCLR:
            return f"SCTRCLR from {PRIVILEGES.get(access.priv, '?')}"
        return named(self.follower.csr_of(access), access, operand=False)


def _stretches(rows: Rows, config: Config) -> Iterator[tuple[int, bool]]:
    """The rows in parts: the end of each, and whether it is a long one that may be looked at in columns."""
    others = np.flatnonzero(~calm(rows, config))
    starts, ends = np.concatenate([[0], others + 1]), np.append(others, len(rows))
    at = 0
    for n in np.flatnonzero(ends - starts >= ENOUGH).tolist():
        if starts[n] > at:
            yield int(starts[n]), False
        at = int(ends[n])
        yield at, True
    if at < len(rows):
        yield len(rows), False


def _where(logical: int, depth: int) -> str:
    """An entry that was read, for coverage."""
    if logical == 255 > depth - 1:
        return "255"
    if logical == depth:
        return "at the depth"
    if logical > depth:
        return "beyond"
    return "last" if logical == depth - 1 else str(logical) if logical < 2 else "between"


def _last_of(access: Access, csr: Csr) -> Last:
    """A write of an iselect that selects an entry."""
    return Last(access, csr.name, False, csr.high, 0, 0, access.wdata)


def _select_seen(csr: Csr) -> str:
    """The clause of a read that shows which iselect selects."""
    return "CTR.entry.virtual" if csr.virtual or csr.name[0] == "v" else "CTR.entry.select"


def _table(wrong: list[Field], want: int, rdata: int) -> Table:
    """The wrong fields, for a failure."""
    return [(name, f"{want & mask:#x}", f"{rdata & mask:#x}") for name, mask, _ in wrong]


def _would(refused: Access, old: int) -> int:
    """What a refused write would have left."""
    return {SET: old | refused.wdata, CLEAR: old & ~refused.wdata}.get(refused.op, refused.wdata)


def _select_clause(csr: Csr, last: Last | None, narrow: bool) -> str:
    if last is None:
        return "CTR.csr.reset"
    if narrow or last.narrow and last.access.xlen32:
        return "CTR.csr.xlen32"
    return "CTR.entry.virtual" if csr.name[0] == "v" and last.name[0] == "s" else "CTR.entry.select"
