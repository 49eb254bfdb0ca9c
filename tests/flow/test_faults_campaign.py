# SPDX-License-Identifier: Apache-2.0
"""A campaign of a few mutants of CTR on Icarus: what kills each, what survives, what is kept; the report; and the words
of the command.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.faults import campaign as flow
from rvtrace.flow.faults import runner
from rvtrace.flow.faults.campaign import Campaign, Mutated, Subject, judged
from rvtrace.flow.faults.design import Design
from rvtrace.flow.faults.generate import Chosen, Mutant
from rvtrace.flow.faults.prove import Prover
from rvtrace.flow.faults.rows import Part
from rvtrace.flow.faults.subjects import of_system
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.report import faults as report
from rvtrace.tools import mutate_random as tool

JOBS = ("reset_values", "discovery")


def mutant(design: Design, file: str, find: str, text: str, operator: str = "operator", built: bool = False) -> Mutant:
    """One that changes a text, which its file has once."""
    source = design.texts[file]
    assert source.count(find) == 1, find
    start = source.index(find)
    line = source.count("\n", 0, start) + 1
    parts = (Part(start, start + len(find), text),)
    name = f"{file.removesuffix('.sv')}:{line}:{operator}:1"
    return Mutant(name, operator=operator, file=file, line=line, parts=parts, built=built)


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    """CTR with two scenarios of one build."""
    monkeypatch.setattr(flow, "OUT", tmp_path)
    whole = of_system("ctr", "icarus", seeds=1)
    jobs = [
        next(
            job
            for phase in whole.phases
            for job in phase
            if job.source == f"scenario:{name}" and job.settings.xlen == 32
        )
        for name in JOBS
    ]
    config = jobs[0].config
    jobs = [replace(job, config=config) for job in jobs]
    return replace(whole, phases=[jobs], design=Design(whole.design.paths, whole.design.mutated, whole.builds[:1]))


@pytest.fixture
def chosen(subject: Subject) -> Chosen:
    """Killed when all are built together; killed in a build of its own; an equivalent; and a survivor."""
    design = subject.design
    return Chosen(
        [
            mutant(design, "common/csr_indirect.sv", "(addr_i[2:0] != 3'd0) &&", "(addr_i[2:0] == 3'd0) &&",
                   "comparison"),
            mutant(design, "ctr/ctr_reg_pkg.sv", "SctrstatusAddr = 12'h14F", "SctrstatusAddr = 12'h14D",
                   "declared_value", built=True),
            mutant(design, "ctr/ctr_rules.sv", "assign trap      = trace_pkg::is_trap(type_i);",
                   "assign trap      = !(!trace_pkg::is_trap(type_i));"),
            mutant(design, "ctr/ctr_rules.sv", "trap && !from_on;", "trap || !from_on;"),
        ],
        {"common/csr_indirect.sv": 4, "ctr/ctr_reg_pkg.sv": 4, "ctr/ctr_rules.sv": 4},
    )  # fmt: skip


def test_a_campaign(subject: Subject, chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        simulators.find("icarus")
    except simulators.SimulatorError:
        pytest.skip("needs Icarus")

    def settle(one: Mutant) -> tuple[str, str] | None:
        return ("equivalent.toml", "twice not") if "(!" in one.parts[0].text else None

    rows = Campaign(subject, chosen, 2, settle=settle).run()
    states = [row.state for row in rows]
    assert states == ["killed", "killed", "equivalent", "survived"]
    assert [row.how for row in rows] == ["clause", "clause", "", ""]
    assert all(row.by.startswith("CTR.") and row.headline and row.rerun for row in rows[:2])
    assert rows[1].alone and not rows[0].alone

    found = report.summary("CTR", "make mutate IP=ctr", rows, 1.0, subject.clauses)
    assert found["total"] | {"mutants": 4, "killed": 2, "equivalent": 1, "survived": 1} == found["total"]
    assert not report.green(found) and report.rate(found["total"]) == pytest.approx(2 / 3)
    page, text = report.render(found), "\n".join(report.terminal(found))
    for said in (page, text):
        assert rows[3].fault in said and f"MUTANT={rows[3].fault}" in said
    assert (
        "-  assign no_source_o = trap &amp;&amp; !from_on;" in page
        and "+  assign no_source_o = trap || !from_on;" in text
    )
    assert rows[0].by in found["clauses"] and rows[0].by not in found["idle"]

    # The same again runs nothing; with more jobs the survivor, and it alone, is tried again.
    again = Campaign(replace(subject, phases=[*subject.phases, subject.phases[0][:1]]), chosen, 2, settle=settle)
    assert [again._before(one) is None for one in chosen.mutants] == [False, False, False, True]
    monkeypatch.setattr(runner, "run", None)
    assert [row.state for row in Campaign(subject, chosen, 2, settle=settle).run()] == states


def test_the_runs_of_a_mutant_have_a_limit_for_all_phases_together(
    subject: Subject, chosen: Chosen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it no run begins; what is on its way ends, and can kill."""
    try:
        simulators.find("icarus")
    except simulators.SimulatorError:
        pytest.skip("needs Icarus")
    survivor = Chosen(chosen.mutants[3:], chosen.sites)
    phases = [subject.phases[0], [replace(job, name=f"{job.name}-again") for job in subject.phases[0]]]
    begun = []

    def played(made: Any, plays: Any, *more: Any) -> list[dict[str, Any]]:
        begun.extend(one.name for one in plays if one.name)
        return runner.play(made, plays, *more)

    monkeypatch.setattr(flow, "play", played)
    for most, number in ((1000.0, 2), (0.01, 1)):
        begun.clear()
        monkeypatch.setattr(flow, "_MOST", most)
        campaign = Campaign(replace(subject, phases=phases), survivor, 1)
        campaign._known = {}
        assert [row.state for row in campaign.run()] == ["survived"]
        assert len(begun) == number
        assert min(campaign._spent.values()) > 0


def test_a_kill_of_an_earlier_testbench_is_kept_on_request(
    subject: Subject, chosen: Chosen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after a change of its own lines, and not what survived or ended by a limit."""
    first, second, third, fourth = chosen.mutants
    before = Campaign(subject, chosen, 1)
    for mutant, how in ((first, "clause"), (second, "timeout"), (third, "assertion")):
        before._final(before._row(mutant, "killed", how=how, job="x"))
    before._final(before._row(fourth, "survived"))
    monkeypatch.setattr(Campaign, "_around", "another testbench")
    assert Campaign(subject, chosen, 1)._before(first) is None
    again = Campaign(subject, chosen, 1, survivors=True)
    found = [again._before(mutant) for mutant in chosen.mutants]
    assert [row["kept"] if row else None for row in found] == [True, None, True, None]
    other = replace(first, parts=tuple(replace(part, text="(addr[2:0] > 3'd0) &&") for part in first.parts))
    assert again._before(other) is None
    rows = [Mutated(**row) for row in found if row]
    counted = report.summary("CTR", "make mutate SURVIVORS=1", rows, 1.0)
    assert "2 kills are of earlier versions" in report.sentence(counted)


def test_a_mutant_that_a_build_does_not_elaborate_is_no_mutant(subject: Subject, chosen: Chosen) -> None:
    """The others of the build are compiled without it."""
    good = chosen.mutants[0]
    wrong = mutant(subject.design, "ctr/ctr_pkg.sv", "package ctr_pkg;", "package ctr_pkg; localparam int A = no_such;")
    campaign = Campaign(subject, chosen, 1)
    assert campaign._refused([good, wrong], subject.builds[0]) == {wrong.name}
    row = campaign.rows[wrong.name]
    assert (row.state, row.how) == ("refused", "build") and row.headline.startswith("does not elaborate in x32")


def test_yosys_proves_the_equivalent_and_not_the_others(subject: Subject, chosen: Chosen) -> None:
    prover = Prover(subject.design, subject.builds, limit=60)
    if not prover.available:
        pytest.skip("needs Yosys: `rvtrace figures area` installs it")
    assert prover.prove(chosen.mutants[2]) == "module ctr_rules is the same in 1 set of parameters"
    assert prover.prove(chosen.mutants[3]) == ""
    assert prover.prove(chosen.mutants[1]) == ""  # of a package
    unread = mutant(subject.design, "ctr/ctr_pkg.sv", "package ctr_pkg;", "package ctr_pkg; localparam int A = 1;")
    assert prover.prove(unread) == "all that reads ctr_pkg is the same in 1 set of parameters"


def test_yosys_proves_an_equivalent_by_what_has_the_module(subject: Subject) -> None:
    """Alone, each of these modules differs."""
    prover = Prover(subject.design, subject.builds, limit=60)
    if not prover.available:
        pytest.skip("needs Yosys: `rvtrace figures area` installs it")

    def of(file: str, find: str, text: str) -> str:
        return prover.prove(mutant(subject.design, f"common/{file}.sv", find, text))

    # What is selected is not read without an access: by induction.
    said = "module ctr_csr is the same in 1 set of parameters"
    assert of("csr_indirect", "!ireg_o ? {Xlen{1'b0}} :", "!ireg_o ? {Xlen{1'b1}} :") == said
    # CTR has no view of a counter: by the structure.
    assert of("csr_access", "counter ? (is_m", "counter ? (!is_m") == said


RESULT: dict[str, Any] = {"verdict": "ERROR", "error": None, "failures": [], "name": "a"}


@pytest.mark.parametrize(
    ("result", "how", "by"),
    [
        ({"verdict": "FAIL", "failures": [{"clause": "CTR.a", "headline": "h"}]}, "clause", "CTR.a"),
        ({"error": "the simulator broke (exit code 134); its log ends:\n  %Error: ctr_assert.sv:81: Assertion failed "
                   "in ctr_tb.u_ctr.u_assert.TypeKnown: it is not\n"}, "assertion", "TypeKnown"),
        ({"error": "the simulator broke (stopped after 120 s, 0 of 1 tests ran)"}, "timeout",
         "the limit of the campaign"),
        ({"error": "ValueError: operands could not be broadcast"}, "traceback", "ValueError"),
        ({"error": "the simulator broke (exit code 1, 0 of 1 tests ran); its log ends:\n  nothing"}, "assertion",
         "the simulator"),
    ],
)  # fmt: skip
def test_how_a_mutant_was_killed(result: dict[str, Any], how: str, by: str) -> None:
    assert judged(RESULT | result)[:2] == (how, by)
    assert judged(RESULT | result)[2]


def _row(name: str, state: str, how: str = "", quiet: bool = False) -> Mutated:
    by = "CTR.a" if how == "clause" else ""
    return Mutated(name, state, "ctr", "operator", "ctr/ctr.sv", 1, how, by, quiet=quiet)


def test_the_rates_are_of_what_is_not_equivalent() -> None:
    rows = [_row("a", "killed", "clause", True), _row("b", "killed", "assertion"), _row("c", "equivalent")]
    found = report.summary("CTR", "make mutate", rows, 1.0)
    assert report.rate(found["total"]) == 1 and report.rate(found["total"], "quiet") == 0.5
    assert report.green(found) and "2 of 2 mutants killed (100 %; with assertions off 1, 50.0 %)" in report.sentence(
        found
    )
    crashed = report.summary("CTR", "make mutate", [_row("d", "killed", "traceback")], 1.0)
    assert not report.green(crashed)
    refused = report.summary("CTR", "make mutate", [*rows, _row("e", "refused")], 1.0)
    assert refused["total"] == found["total"] and refused["files"] == {"ctr/ctr.sv": found["total"]}
    missed = report.summary("CTR", "make mutate KIND=written", [*rows, _row("f", "broken")], 1.0)
    assert not report.green(missed) and "again: make mutate KIND=written MUTANT=f" in report.terminal(missed)
    whole = report.summary("Ibex", "make mutate KIND=core", [_row("f", "survived")], 1.0, selects=False)
    assert "again: make mutate KIND=core" in report.terminal(whole)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["IP=nothing"], "IP=nothing has no RTL"),
        (["COUNT=0"], "COUNT=0 is out of range"),
        (["COUNT=many"], "COUNT=many is not a number"),
        (["SIM=questa"], "SIM=questa is not known"),
        (["IP=ctr", "COUNT=5", "MUTANT=no", "SEEDS=1"], "there is no mutant no"),
        (["IP=ctr", "DUT=acme_btm"], "DUT=acme_btm is not for IP=ctr"),
    ],
)
def test_words_that_cannot_be_used(words: list[str], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        tool.main(words)


def test_mutants_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["IP=ctr", "COUNT=3", "LIST=1", "SEEDS=1"]) == 0
    assert capsys.readouterr().out.count("--- rtl/") == 3
