# SPDX-License-Identifier: Apache-2.0
"""Hand-written mutants, compiled together: whatever a mutant does to the simulator, it alone is red, and says why."""

import json
from dataclasses import replace

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.faults import written as mutants
from rvtrace.flow.faults.rows import Edit, Fault
from rvtrace.flow.faults.runner import EQUIVALENT, KILLED, SURVIVED
from rvtrace.flow.jobs import build_of
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT
from rvtrace.tools import mutate_written as tool

HPM = mutants.load("hpm")
WRITES = HPM["writes_two"]


@pytest.fixture
def out(tmp_path, monkeypatch):
    """The folder of the runs."""
    monkeypatch.setattr(mutants, "OUT", tmp_path)
    try:
        simulators.find("icarus")
    except simulators.SimulatorError as error:
        pytest.skip(str(error))
    return tmp_path


def bug(name: str, text: str) -> Fault:
    """A mutant of the counter that does something else where it counts."""
    edit = Edit("hpm/hpm_counter.sv", "counter_q <= counter_d;", text)
    return replace(WRITES, name=name, edits=(edit,))


def test_each_mutant_is_judged_by_itself(out, monkeypatch):
    """In one build: one that is caught, by its clause or by another, that changes nothing, that ends the simulation,
    that hangs; beside it one with a build of its own, and one that does not apply.
    """
    monkeypatch.setattr(mutants, "TIMEOUT", 10)
    alone = HPM["inhibit_late"]  # it declares a register
    assert build_of(mutants.stimulus(alone)) == build_of(mutants.stimulus(WRITES))
    chosen = [
        WRITES,
        replace(WRITES, name="other_clause", clauses=("HPM.count.cycles",)),
        bug("harmless", "counter_q <= counter_d + '0;"),
        bug("ends", "begin counter_q <= counter_d; $finish; end"),
        bug("hangs", "forever counter_q <= counter_d;"),
        alone,
        replace(WRITES, name="nowhere", edits=(Edit("hpm/hpm.sv", "no such text", "x"),)),
    ]
    heard: list[str] = []
    outcomes, builds = mutants.run_all(chosen, "icarus", 2, False, lambda one: heard.append(one.fault))
    lines = {one.fault: one.text() for one in outcomes}
    assert [one.fault for one in outcomes] == [one.name for one in chosen]
    assert sorted(heard) == sorted(lines) and builds == 2
    assert {one.fault for one in outcomes if one.good} == {"writes_two", alone.name}
    assert outcomes[0].headline.startswith("FAIL HPM.write.one") and outcomes[0].seconds > 0
    assert lines["other_clause"].startswith("RED   other_clause") and "caught by HPM.write.one" in lines["other_clause"]
    assert "caught by nothing" in lines["harmless"]
    assert "did not run: the simulator broke" in lines["ends"]
    assert "did not run: the simulator broke (stopped after 10 s" in lines["hangs"]
    assert "its text occurs 0 times in hpm/hpm.sv" in lines["nowhere"]
    assert not list(out.glob("**/*.sv"))


def test_what_verilator_does_not_show_is_played_on_icarus(out, monkeypatch):
    """Of a build with many mutants: one that Verilator shows, one that only X shows, and one that changes nothing."""
    monkeypatch.setattr(mutants, "_MANY", 3)
    text = "begin counter_q <= counter_d; if ($isunknown(counter_d / (counter_d - counter_d))) counter_q <= '0; end"
    chosen = [
        WRITES,
        replace(bug("unknown", text), clauses=("HPM.count.cycles",)),
        bug("harmless", "counter_q <= counter_d + '0;"),
    ]
    heard: list[str] = []
    outcomes, builds = mutants.run_all(chosen, mutants.BOTH, 2, False, lambda one: heard.append(one.fault))
    sims = [json.loads((mutants.place(mutant) / "result.json").read_text())["sim"] for mutant in chosen]
    assert [one.good for one in outcomes] == [True, True, False], [one.text() for one in outcomes]
    assert sims == ["verilator", "icarus", "icarus"] and builds == 2
    assert outcomes[2].headline == "caught by nothing"
    assert sorted(heard) == sorted(one.name for one in chosen)


def test_a_build_of_few_mutants_is_compiled_by_icarus():
    few = list(HPM.values())[: mutants._MANY - 1]
    numbers = {one.name: n for n, one in enumerate(few, 1)}
    lots = [lot for group in mutants._lots(few, ROOT / "rtl", numbers, [], "icarus", True) for lot in group]
    assert {(lot.sim, lot.first) for lot in lots} == {("icarus", False)}


def test_without_the_reference_profile_a_broken_clause_that_holds_is_red():
    plan, job = mutants._every_plan(), mutants.stimulus(WRITES)
    (mine,) = WRITES.clauses
    outcomes = {
        name: mutants.foreign_row_of(WRITES, job, {"verdict": "FAIL", "clauses": clauses}, plan)
        for name, clauses in {
            "caught": {mine: [3, 1], "HPM.count.cycles": [1, 0]},
            "holds": {mine: [3, 0], "HPM.count.cycles": [1, 1]},
            "unseen": {mine: [3, 0], "HPM.count.cycles": [1, 0]},
            "not checked": {"HPM.count.cycles": [1, 1]},
        }.items()
    }
    assert {name: one.state for name, one in outcomes.items()} == {
        "caught": KILLED, "holds": SURVIVED, "unseen": EQUIVALENT, "not checked": KILLED,
    }  # fmt: skip
    assert outcomes["holds"].passing == (mine,) and outcomes["not checked"].also == ("HPM.count.cycles",)


def test_mutants_of_one_name_in_two_systems_have_outcomes_of_their_own(out):
    other = replace(WRITES, home="other", clauses=("HPM.count.cycles",))
    outcomes, _ = mutants.run_all([WRITES, other], "icarus", 2, False, lambda one: None)
    assert [(one.home, one.good) for one in outcomes] == [("hpm", True), ("other", False)]


def test_a_stimulus_that_does_not_pass_says_nothing_of_its_mutants(out):
    """The unchanged design fails it: what fails with the mutant proves nothing."""
    broken = replace(WRITES, name="broken", job={**WRITES.job, "test": "tests/no_such_test.py", "drive": "pins"})
    (outcome, other), _ = mutants.run_all([broken, WRITES], "icarus", 1, False, lambda one: None)
    assert not outcome.good and "its stimulus does not pass on the unchanged RTL" in outcome.headline
    assert other.good


def test_firmware_is_changed_in_the_run_of_its_mutant_alone(out):
    """Two mutants of the firmware in one process: neither sees the change of the other, nor does the stimulus."""
    listed = mutants.load("sbi_pmu")
    firmware = [one for one in listed.values() if one.firmware]
    first = firmware[0]
    same = [
        one
        for one in firmware
        if mutants.stimulus(one).rerun == mutants.stimulus(first).rerun and one.clauses != first.clauses
    ]
    outcomes, builds = mutants.run_all([first, same[0]], "icarus", 1, False, lambda one: None)
    assert [one.good for one in outcomes] == [True, True] and builds == 1
    assert outcomes[0].by != outcomes[1].by and not set(outcomes[0].also) & {outcomes[0].by}


def test_simulations_of_one_stimulus_are_in_one_lot():
    lots = mutants._lots(list(HPM.values()), ROOT / "rtl", {name: n for n, name in enumerate(HPM, 1)}, [], "icarus")
    plays = [play for group in lots for lot in group for play in lot.plays]
    assert sorted(play.name for play in plays if play.name) == sorted(HPM)
    clean = [play.jobs[0].rerun for play in plays if not play.name]
    assert len(clean) == len(set(clean)) == len({mutants.stimulus(one).rerun for one in HPM.values()})
    for lot in (lot for group in lots for lot in group):
        seen: set[str] = set()
        for play, mutant in zip(lot.plays, lot.mutants, strict=True):
            assert play.name == ("" if mutant is None else mutant.name)
            assert (mutant is None and not play.numbers) or (play.jobs[0].rerun in seen and play.numbers)
            seen.add(play.jobs[0].rerun)


def test_the_words_choose_systems_and_mutants():
    homes = tool._homes()
    assert {"ntrace", "tci", "hpm"} <= set(homes)
    assert list(tool._chosen(homes, ["writes_two"])) == ["hpm"]
    assert [one.name for one in tool._chosen(["hpm"], ["writes_two"])["hpm"]] == ["writes_two"]
    assert {home: len(found) for home, found in tool._chosen(["hpm", "tci"], []).items()}["hpm"] == len(HPM)
    with pytest.raises(ArgumentError, match="did you mean MUTANT=writes_two"):
        tool._chosen(homes, ["writes_twoo"])


def test_firmware_that_verilator_does_not_show_is_played_again_without_a_number():
    firmware = next(one for one in mutants.load("sbi_pmu").values() if one.firmware)
    running = mutants._Run(mutants.BOTH, False, lambda one: None)
    running._missed.append((firmware, ROOT / "rtl", []))
    (lot,) = running._again()
    assert [(play.name, list(play.numbers)) for play in lot.plays] == [("", []), (firmware.name, [])]
    assert lot.sim == "icarus" and not lot.first
