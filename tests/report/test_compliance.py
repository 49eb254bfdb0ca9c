# SPDX-License-Identifier: Apache-2.0
"""The compliance report's judgement: verdict of each clause, what counts for the whole, waivers."""

from datetime import date

import pytest

from rvtrace.report.compliance import ComplianceError, Subject, write
from rvtrace.report.compliance_model import percent
from rvtrace.scoreboards.common.clauses import PlanError
from tests.common.there import there
from tests.report.compliance_data import FAILURE, PLAN, TODAY, broken, failing, made, result, verdicts, waiver


def row(compliance, clause):
    return next(row for row in compliance.rows if row.id == clause)


def test_all_hold(tmp_path):
    c = made(tmp_path, result(1), result(2, "program:sort"), result(3))
    assert verdicts(c) == {"NT-1": "PASS", "NT-4": "PASS", "NT-5": "PASS", "NT-15": "NOT-RUN"}
    assert c.passed and c.verdict == "PASS" and c.exit_code == 0
    assert c.sentence == "3 clauses hold in 660 checks of 3 runs; 75 % of the 4 applicable clauses observed; 1 NOT-RUN."
    first = row(c, "NT-1")
    assert (first.checked, first.failed, first.runs) == (300, 0, 3)
    assert (first.tests, first.seeds) == (["program:sort", "random"], [1, 2, 3])
    assert row(c, "NT-15").reason == "comes with timestamps"
    assert c.levels["shall"]["PASS"] == 2 and c.levels["should"]["PASS"] == 1 and c.levels["may"]["NOT-RUN"] == 1


def test_a_failure_fails_its_clause_and_those_that_it_is_part_of(tmp_path):
    c = made(tmp_path, result(1), failing(7), failing(8))
    assert verdicts(c) == {"NT-1": "PASS", "NT-4": "FAIL", "NT-5": "FAIL", "NT-15": "NOT-RUN"}
    assert c.exit_code == 1 and c.sentence.startswith("1 finding: NT-4; 2 of 3 clauses checked fail;")
    first = there(row(c, "NT-4").first)
    assert (first.headline, first.text, first.rerun, first.seed) == (
        FAILURE["headline"],
        FAILURE["text"],
        "make run SEED=7",
        7,
    )
    assert (row(c, "NT-4").failed, row(c, "NT-4").failing_runs, row(c, "NT-4").runs) == (4, 2, 3)
    assert there(row(c, "NT-5").first).clause == "NT-4"


def test_clauses_that_summarize_others_come_last_among_the_failures(tmp_path):
    order = PLAN.index('[clause."NT-5"]'), PLAN.index('[clause."NT-15"]')
    c = made(tmp_path, failing(), plan=PLAN[order[0] : order[1]] + PLAN[: order[0]])
    assert (
        [r.id for r in c.rows] == ["NT-5", "NT-1", "NT-4"]
        and [r.id for r in c.failures("FAIL")] == ["NT-4", "NT-5"]
        and c.sentence.startswith("1 finding: NT-4;")
        and [(f.id, f.consequences) for f in c.findings] == [("NT-4", ["NT-5"])]
    )


def test_a_failure_without_message_is_reported_with_its_run(tmp_path):
    c = made(tmp_path, {**failing(7), "failures": []})
    first = there(row(c, "NT-4").first)
    assert "no message was kept" in first.text and first.rerun == "make run SEED=7"


def test_not_applicable_gives_way_to_what_was_found(tmp_path):
    c = made(tmp_path, failing(), na={"NT-1": "not claimed", "NT-4": "not claimed", "NT-15": "not claimed"})
    assert verdicts(c) == {"NT-1": "PASS", "NT-4": "FAIL", "NT-5": "FAIL", "NT-15": "N/A"}
    assert row(c, "NT-15").reason == "not claimed" and "declared not applicable" in row(c, "NT-4").reason


def test_nothing_run_and_nothing_checked_are_no_pass(tmp_path):
    for c in (made(tmp_path), made(tmp_path, result(clauses={}))):
        assert not c.passed and c.sentence.startswith("Nothing was checked")
        assert set(verdicts(c).values()) == {"NOT-RUN"}


def test_a_run_in_error_forbids_pass_and_is_reported(tmp_path):
    c = made(tmp_path, result(), broken())
    assert not c.passed and c.counts["FAIL"] == 0 and "1 run ended in an error" in c.sentence
    assert (c.broken[0].error, c.broken[0].rerun) == ("the simulator aborted\nin cycle 12", "make run SEED=9")


@pytest.mark.parametrize(
    "wrong, reported",
    [
        (result(verdict="GREEN"), "ended as 'GREEN'"),
        (result(verdict="FAIL"), "says FAIL, and its clauses say otherwise"),
        (result(clauses={"NT-1": [5, 1]}), "says PASS, and its clauses say otherwise"),
        (result(clauses={"NT-9": [5, 0]}), "NT-9 is in results and not in the plan"),
        (result(problems=["t.bin does not fit a.elf; give another"]), "t.bin does not fit a.elf"),
    ],
)
def test_evidence_that_contradicts_itself_is_no_pass(tmp_path, wrong, reported):
    c = made(tmp_path, wrong)
    assert not c.passed and reported in c.sentence and reported in c.problems[0]


@pytest.mark.parametrize(
    "waived, results, verdict, state, reported",
    [
        (waiver(), [failing()], "WAIVED", "in use", "covers 2 failed checks of 9"),
        (waiver(day=TODAY), [failing()], "WAIVED", "in use", ""),
        (
            waiver(day=date(2026, 2, 28)),
            [failing()],
            "FAIL",
            "expired",
            "expired on 2026-02-28; the failure counts again",
        ),
        (waiver(), [result()], "PASS", "stale", "the clause passes in 10 checks"),
        (waiver(day=date(2026, 2, 28)), [result()], "PASS", "stale", "it expired on 2026-02-28 as well"),
        (waiver("NT-15"), [result()], "PASS", "stale", "the clause was not run"),
        (waiver("NT-99"), [failing()], "FAIL", "unknown", "there is no clause NT-99"),
    ],
)
def test_waivers(tmp_path, waived, results, verdict, state, reported):
    c = made(tmp_path, *results, waivers=(waived,))
    assert verdicts(c)["NT-4"] == verdict and (c.waivers[0].state, reported in c.waivers[0].note) == (state, True)
    assert ("of the waivers" in c.sentence) is (state != "in use")


def test_waivers_of_all_that_fails_let_it_pass(tmp_path):
    c = made(tmp_path, failing(), waivers=(waiver(), waiver("NT-5"), waiver(day=date(2020, 1, 1))))
    assert c.passed and c.counts["WAIVED"] == 2 and [w.state for w in c.waivers] == ["in use", "in use", "expired"]
    assert "fixed in rev B (A. Meier, until 2026-12-31)" in row(c, "NT-4").reason
    assert "a later one covers the clause" in c.waivers[2].note


def test_parts_are_in_the_report_if_they_were_run(tmp_path):
    (tmp_path / "plans" / "tci").mkdir(parents=True)
    control = '[clause."TCI.a"]\nsection = "1"\nlevel = "shall"\nwhat = "x"\nvariants = ["{}"]\n'
    plan = PLAN.replace('tests = ["random"]', 'variants = ["v1_0"]')
    (tmp_path / "plans" / "tci" / "plan.toml").write_text(
        control.format("v1_0") + control.format("v2_0").replace("TCI.a", "TCI.b")
    )
    assert "TCI.a" not in verdicts(made(tmp_path, result(), plan=plan))
    c = made(tmp_path, result(), result(clauses={"TCI.a": [3, 0]}), plan=plan)
    assert verdicts(c)["TCI.a"] == "PASS" and "TCI.b" not in verdicts(c)


def test_what_cannot_be_judged_is_one_sentence(tmp_path):
    with pytest.raises(ComplianceError, match="there is no plan nothing/plan.toml; known systems are ntrace"):
        write(Subject("a", "nothing", "A"), [], [], tmp_path / "out")
    with pytest.raises(PlanError, match="cannot be read"):
        made(tmp_path, plan="[clause")


def _follows(seed: int = 7, judged: int = 30) -> dict:
    """A run in which NT-1 fails after NT-4 damaged the evidence, with 100 instructions."""
    after = {**FAILURE, "clause": "NT-1", "headline": "HIST is wrong", "cause": "NT-4", "at": 20}
    return {
        **failing(seed),
        "clauses": {"NT-1": [50, 3], "NT-4": [9, 2], "NT-5": [59, 5]},
        "failures": [{**FAILURE, "at": 17, "cause": ""}, after],
        "stats": {"judged": judged, "instructions": 100},
    }


def test_what_follows_from_a_finding_is_not_judged(tmp_path):
    c = made(tmp_path, _follows())
    assert verdicts(c) == {"NT-1": "NOT JUDGED", "NT-4": "FAIL", "NT-5": "FAIL", "NT-15": "NOT-RUN"}
    assert [(f.id, f.leading, f.consequences) for f in c.findings] == [("NT-4", 1, ["NT-1", "NT-5"])]
    assert "NT-4" in row(c, "NT-1").reason and "30 % of the instructions judged" in c.sentence


def test_a_clause_that_also_fails_by_itself_is_a_finding_of_less_weight(tmp_path):
    alone = {**failing(9), "clauses": {"NT-1": [50, 1]}, "failures": [{**FAILURE, "clause": "NT-1", "at": 3}]}
    c = made(tmp_path, alone, _follows(7), _follows(8))
    assert [(f.id, f.leading) for f in c.findings] == [("NT-4", 2), ("NT-1", 1)]
    assert verdicts(c)["NT-1"] == "FAIL" and c.findings[0].consequences == ["NT-5"]


def test_a_clause_that_holds_on_a_part_says_on_how_much(tmp_path):
    run = result(1, stats={"judged": 30, "instructions": 120})
    assert row(made(tmp_path, run), "NT-1").reason == "on 25 % of the instructions"
    c = made(tmp_path, run, result(2, stats={"judged": 120, "instructions": 120}))
    assert row(c, "NT-1").reason == "on 62 % of the instructions" and c.passed


@pytest.mark.parametrize("waived", [(), (waiver("NT-4"), waiver("NT-5"), waiver("NT-1"))])
def test_a_run_of_which_nothing_was_judged_is_never_a_pass(tmp_path, waived):
    c = made(tmp_path, result(1), _follows(7, judged=0), waivers=waived)
    assert not c.passed and c.unread == ["r7"] and "Nothing in run r7 could be judged." in c.sentence


def test_shares_are_never_rounded_to_all_or_nothing():
    assert [percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0 %", "less than 1 %", "50 %", "more than 99 %", "100 %"]  # fmt: skip


def _found(clause: str, cause: str = "") -> dict:
    return {"clause": clause, "headline": f"{clause} is wrong", "text": "FAIL", "rerun": "make run", "cause": cause}


def test_a_summary_that_was_found_itself_does_not_follow_from_what_follows_from_it(tmp_path):
    """NT-5 summarizes NT-1 and NT-4, and is the cause of the failure of one of them: nothing else would be left."""
    clauses = {"NT-1": [100, 0], "NT-4": [10, 1], "NT-5": [110, 1]}
    c = made(tmp_path, result(1, verdict="FAIL", clauses=clauses, failures=[_found("NT-5"), _found("NT-4", "NT-5")]))
    assert verdicts(c) == {"NT-1": "PASS", "NT-4": "NOT JUDGED", "NT-5": "FAIL", "NT-15": "NOT-RUN"}
    assert c.verdict == "FAIL" and [one.id for one in c.findings] == ["NT-5"]


@pytest.mark.parametrize("cause", ["NT-1", "NT-4", "NT-99"])
def test_nothing_follows_from_itself_or_from_what_did_not_fail(tmp_path, cause):
    clauses = {"NT-1": [100, 0], "NT-4": [10, 1], "NT-5": [110, 1]}
    c = made(tmp_path, result(1, verdict="FAIL", clauses=clauses, failures=[_found("NT-4", cause)]))
    assert verdicts(c)["NT-4"] == "FAIL" and c.verdict == "FAIL"
