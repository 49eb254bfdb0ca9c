"""The CTR scoreboard: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

The rows are replayed through the reference model; every outcome and every field of every value read is compared under its own
clause. A transfer counts for the clauses it tests as soon as a later read shows what it did; where a read shows something else,
`scoreboards.ctr_diagnose` finds the transfer and the clause. What the specification leaves open is read back, tested for
legality and adopted; what else may differ is in `Knobs`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from models.ctr.records import SCTRCLR
from models.ctr.registers import Csr
from models.riscv.csr import DONE, ILLEGAL, OUTCOMES, READ, Access
from scoreboards.clauses import ClauseBook, Failure, Plan
from scoreboards.ctr_capture import CtrCapture
from scoreboards.ctr_follow import CONTROL
from scoreboards.ctr_knobs import Knobs
from scoreboards.ctr_values import Values
from scoreboards.verdict import Verdict, timed

__all__ = ["Verdict", "check", "plan"]

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "ctr.toml"
RULINGS = tuple(f"CTR-{n}" for n in range(1, 17))
SITUATIONS = ("CTR.behavior.lost", "CTR.freeze.until", "CTR.discovery.fields", "CTR.discovery.entries", "CTR.filter.classes")


@cache
def plan() -> Plan | None:
    """The plan of CTR; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(capture: CtrCapture, knobs: Knobs | None = None) -> Verdict:
    """Hold one capture to every clause that applies to it. The follower stays in verdict.encoded, for coverage."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun, capture.config.variant))
    with timed(verdict, "scoreboard"):
        run = _Check(capture, verdict.book, knobs or (Knobs() if capture.exact else Knobs.free()))
        run.rows()
        verdict.encoded = run.follower
    rows, follower = capture.rows, run.follower
    verdict.stats |= {"transfers": rows.transfers, "recorded": follower.recorded, "accesses": rows.accesses}
    return verdict


class _Check(Values):
    """The rows of a run, one by one: transfers, outcomes, and through `read` the values."""

    def rows(self) -> None:
        """Replay and compare them all."""
        f, mode, expected = self.follower, 0, -1
        for index, (cycle, priv, transfers, access, rdata, outcome) in enumerate(self.capture.rows.cycles()):
            if cycle > expected >= 0:
                f.idle(mode, cycle - expected)
            f.follow(index, cycle, priv, transfers)
            if transfers:
                self.view.clear()
            if access is not None:
                self.index, self.cycle = index, cycle
                self._access(access, rdata, outcome)
            mode, expected = priv, cycle + 1
        f.notes.settle()
        for (_, address), (suspects, times) in self.agreed.items():
            for clause, _ in suspects:
                self.book.count(clause, times[0])
                self.blame.passed[clause, f"{address:#x}"] += times[0]
        for failure in self.blame.judged():
            self.book.fail(failure)
        self._problems()
        if self.capture.program is not None:
            f.met["CTR.filter.classes"] = f.met["CTR-8"]
        for name in (*RULINGS, *SITUATIONS):
            self.book.met(name, f.met[name])

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
        right = outcome == want.outcome or (self.knobs.refusal == "any" and DONE not in (outcome, want.outcome))
        if csr is not None and csr.name == "miselect" and want.outcome == DONE and outcome in (DONE, ILLEGAL):
            right = f.miselect_is(*(("absent",) if outcome == ILLEGAL else ("kept", "zero")))
        if outcome != want.outcome and (f.unspecified(csr, access, outcome) or (right and want.outcome == DONE)):
            pass  # what the knobs leave open tells nothing
        elif right:
            self.agreed.setdefault((id(suspects), access.addr), (suspects, [0]))[1][0] += 1
        else:
            table = [("outcome", OUTCOMES[want.outcome], OUTCOMES.get(outcome, str(outcome)))]
            candidates = tuple((clause, f"{access.addr:#x}") for clause, others in suspects if outcome in others)
            otherwise = "CTR.csr.address" if want.outcome == DONE else "CTR.csr.privilege" if csr else "CTR.csr.exists"
            self._fail(otherwise, f"{self._named(access)} ended as {OUTCOMES.get(outcome, outcome)}", table, None, candidates)
        if want.outcome != DONE:
            f.met["CTR-12"] += any(".stateen." in clause for clause, _ in suspects)
            self._refused(access, csr, rdata, outcome)
        elif outcome == DONE:
            f.met["CTR-15"] += bool(access.xlen32) and self.config.xlen == 64
            if csr is not None:
                self.read(csr, access, rdata, want)
            self._apply(access, csr)

    def _refused(self, access: Access, csr: Csr | None, rdata: int, outcome: int) -> None:
        if csr is not None and access.op not in (READ, SCTRCLR):
            self.follower.refused[self.follower.state_of(csr, access.priv)] = access
        if outcome != DONE and self.knobs.refused_zero:
            self.book.check("CTR.csr.refused", rdata == 0, lambda: self._failure(
                "CTR.csr.refused", f"{self._named(access)} was refused and gave a value", [("value", "0x0", f"{rdata:#x}")]))  # fmt: skip

    def _apply(self, access: Access, csr: Csr | None) -> None:
        """Let the model do it; where it shows what is open the device's value counts."""
        f = self.follower
        if access.op != READ and (csr is None or not (csr.name.endswith("iselect") or (f.state_of(csr, access.priv) in CONTROL and not self.config.draft))):
            self.view.clear()
        f.apply(access, csr)
