# SPDX-License-Identifier: Apache-2.0
"""How faults are played: the order of the runs, when a run of a fault ends, and what of a slow one counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.faults import runner
from rvtrace.flow.faults.runner import Image, Kills, Watch, changed, until_killed
from rvtrace.flow.simulation import Stopped
from rvtrace.jobs.job import Job

JOBS = [Job(name, "random") for name in ("slow", "quick", "other")]
SECONDS = {"slow": 9.0, "quick": 1.0, "other": 2.0}
MADE: Any = None


def test_what_killed_faults_of_the_file_is_first_then_what_killed_any_then_the_shortest() -> None:
    kills = Kills()
    assert [job.name for job in kills.order("a.sv", JOBS, SECONDS)] == ["quick", "other", "slow"]
    kills.add("b.sv", "other")
    assert [job.name for job in kills.order("a.sv", JOBS, SECONDS)] == ["other", "quick", "slow"]
    kills.add("a.sv", "slow")
    assert [job.name for job in kills.order("a.sv", JOBS, SECONDS)] == ["slow", "other", "quick"]


def test_a_run_ends_at_the_first_job_that_does_not_pass_or_takes_too_long() -> None:
    watch = Watch(JOBS, dict.fromkeys(SECONDS, 0.0))
    assert not watch.is_set(), "the simulator has its time to start"
    watch.begin -= 16
    assert watch.is_set() and watch.overdue is JOBS[0]
    watch = Watch(JOBS, dict.fromkeys(SECONDS, 100.0))
    watch.tell({"name": "slow", "verdict": "PASS"})
    assert not watch.is_set() and watch.done == 1
    watch.tell({"name": "quick", "verdict": "FAIL"})
    assert watch.is_set() and watch.found == {"name": "quick", "verdict": "FAIL"} and watch.overdue is None


@pytest.mark.parametrize(
    ("verdicts", "patient", "killed"),
    [
        (["PASS", "PASS", "PASS"], True, ""),
        (["PASS", "FAIL", "PASS"], True, "quick"),
        (["PASS", "late", "FAIL"], True, "quick"),
        (["PASS", "late", "PASS"], True, ""),
        (["PASS", "late", "FAIL"], False, ""),
    ],
)
def test_which_job_kills(
    verdicts: list[str], patient: bool, killed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """late: the second job takes too long in the run of all; the third verdict is then that of the job alone."""
    given: list[tuple[str, ...]] = []

    def run(made: Any, jobs: list[Job], place: Path, timeout: float, plusargs: tuple[str, ...], **more: Any) -> Any:
        given.append(plusargs)
        if place.name == "alone":
            return [{"name": jobs[0].name, "verdict": verdicts[2]}]
        if "late" in verdicts:
            more["stop"].tell({"name": jobs[0].name, "verdict": "PASS"})
            more["stop"].overdue = jobs[1]
            raise Stopped("late")
        return [{"name": job.name, "verdict": verdict} for job, verdict in zip(jobs, verdicts)]

    monkeypatch.setattr(runner, "run", run)
    found = until_killed(Image(MADE, {"fault": 3}, SECONDS), "fault", JOBS, tmp_path, ("+x",), patient)
    assert (found[0].name if found else "") == killed
    assert set(given) == {("+x", "+mutant=3")} and len(given) == 1 + (patient and "late" in verdicts)


def test_a_copy_has_the_changed_texts(tmp_path: Path) -> None:
    (tmp_path / "rtl").mkdir()
    for name in ("a.sv", "b.sv"):
        (tmp_path / "rtl" / name).write_text(name)
    for _ in range(2):
        changed(tmp_path / "rtl", tmp_path / "copy", {"a.sv": "x"})
    assert [(tmp_path / folder / name).read_text() for folder in ("rtl", "copy") for name in ("a.sv", "b.sv")] == [
        "a.sv", "b.sv", "x", "b.sv"
    ]  # fmt: skip
