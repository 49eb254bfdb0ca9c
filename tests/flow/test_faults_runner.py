# SPDX-License-Identifier: Apache-2.0
"""How faults are played: the order of the runs, which of them ends the play of a fault, and the line of an outcome."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rvtrace.flow.faults import forked, runner
from rvtrace.flow.faults.runner import BROKEN, KILLED, SURVIVED, Kills, Play, Row, changed, passing, play
from rvtrace.flow.simulation import SimError
from rvtrace.jobs.builds import Bench
from rvtrace.jobs.job import Job

JOBS = [Job(name, "random") for name in ("slow", "quick", "other")]
SECONDS = {"slow": 9.0, "quick": 1.0, "other": 2.0}
MADE: Any = SimpleNamespace(bench=Bench("hpm_tb", ("hpm",)), sim=SimpleNamespace(name="icarus"))


def test_what_killed_faults_of_the_file_is_first_then_what_killed_any_then_the_shortest() -> None:
    kills = Kills()
    assert [job.name for job in kills.order("a.sv", JOBS, SECONDS)] == ["quick", "other", "slow"]
    kills.add("b.sv", "other")
    assert [job.name for job in kills.order("a.sv", JOBS, SECONDS)] == ["other", "quick", "slow"]
    kills.add("a.sv", "slow")
    assert [job.name for job in kills.order("a.sv", JOBS, SECONDS)] == ["slow", "other", "quick"]


def test_runs_without_seconds_stay_in_their_order() -> None:
    kills = Kills()
    assert kills.order("a.sv", JOBS) == JOBS
    kills.add("a.sv", "other")
    assert [job.name for job in kills.order("a.sv", JOBS)] == ["other", "slow", "quick"]


def test_each_fault_has_its_jobs_in_folders_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that did not play all of them is an error, whatever it left."""
    ends = True

    def run(made: Any, jobs: list[Job], place: Path, limit: float, plusargs: tuple[str, ...]) -> Any:
        assert made.bench.module == forked.__name__ and plusargs == ("+x",) and limit > 9
        if ends:
            (place / forked.ENDED).touch()
        return [{"name": job.name, "verdict": "PASS", "error": "no", "folder": job.out} for job in jobs]

    monkeypatch.setattr(runner, "run", run)
    monkeypatch.setattr(runner, "replace", lambda made, bench: SimpleNamespace(bench=bench))
    alone = Job("alone", "random", out=str(tmp_path / "given"))
    plays = [Play("fault", [3], JOBS, [4.0, 1.0, 2.0]), Play("", [], [alone], [2.0])]
    results = play(MADE, plays, tmp_path, ("+x",))
    assert [result["folder"] for result in results] == [str(tmp_path / "0"), str(tmp_path / "given")]
    first, second = (forked.Fork(**one) for one in json.loads((tmp_path / forked.FORKS).read_text()))
    assert (first.mutants, first.limits) == ([3], [4.0, 1.0, 2.0]) and second.mutants == []
    assert [job["out"] for job in first.jobs] == [str(tmp_path / "0" / str(n)) for n in range(3)]
    assert [job["out"] for job in second.jobs] == [str(tmp_path / "given")] and second.jobs[0]["sim"] == "icarus"
    assert not any(job.out for job in JOBS), "the jobs of a caller stay as they are"
    ends = False
    with pytest.raises(SimError, match="the process of several faults broke"):
        play(MADE, plays, tmp_path, ("+x",))


def test_a_line_says_what_caught_a_fault_or_how_to_repeat_it() -> None:
    good = Row("late", KILLED, by="HPM.a", headline="said", rerun="make run", also=("HPM.b",))
    assert good.good and good.text().split() == ["ok", "late", "HPM.a", "(also", "HPM.b)"]
    bad = Row("late", SURVIVED, by="HPM.a", headline="caught by nothing", rerun="make run")
    assert (
        not bad.good
        and bad.text().startswith("RED   late")
        and bad.text().endswith("HPM.a: caught by nothing\n      make run")
    )
    assert "broken" in Row("late", BROKEN).text()


def test_a_copy_has_the_changed_texts(tmp_path: Path) -> None:
    (tmp_path / "rtl").mkdir()
    for name in ("a.sv", "b.sv"):
        (tmp_path / "rtl" / name).write_text(name)
    for _ in range(2):
        changed(tmp_path / "rtl", tmp_path / "copy", {"a.sv": "x"})
    assert [(tmp_path / folder / name).read_text() for folder in ("rtl", "copy") for name in ("a.sv", "b.sv")] == [
        "a.sv", "b.sv", "x", "b.sv"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("clauses", "still"),
    [
        ({"A": [3, 0], "B": [2, 1]}, ("A",)),
        ({"A": [3, 1], "B": [2, 1]}, ()),
        ({"A": [0, 0], "B": [2, 1]}, ()),
        ({"A": [3, 0], "B": [2, 0]}, ()),
    ],
)
def test_a_clause_that_is_broken_and_holds_while_others_fail_is_told(clauses: Any, still: tuple[str, ...]) -> None:
    assert passing(["A"], [{"clauses": clauses}]) == still
    assert passing(["A"], [{"clauses": clauses}, {"clauses": {"A": [1, 1]}}]) == ()
    assert ("BROKEN, YET PASS: A" in Row("one", KILLED, passing=still).text()) is bool(still)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="the system does not show what a child computes")
def test_the_time_of_a_child_is_what_it_computes() -> None:
    """One that waits for the machine is not stopped; one that goes on for ever, or waits for ever, is."""

    def ended(run: Callable[[], None]) -> tuple[str, float]:
        child = os.fork()
        if not child:
            run()
            os._exit(0)
        return forked._end(child, 0.2)

    def busy() -> None:
        while True:
            pass

    why, seconds = ended(lambda: time.sleep(0.4))
    assert not why and seconds < 0.2
    assert ended(busy) == ("stopped after 0 s", 0.2)
    assert ended(lambda: time.sleep(60)) == ("stopped after 0 s", 0.2)
