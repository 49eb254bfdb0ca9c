# SPDX-License-Identifier: Apache-2.0
"""What is built or run when the time is up is stopped, and what it had finished counts."""

import json
import time
from pathlib import Path
from threading import Event

import pytest

from rvtrace.flow import jobs, simulation
from rvtrace.flow.jobs import Lot, Played, build_of, drive
from rvtrace.flow.simulation import Stopped
from rvtrace.jobs.job import Job


def test_a_lot_is_stopped_and_its_finished_jobs_count(tmp_path, monkeypatch):
    todo = [Job(name, "random", ip="hpm", out=str(tmp_path / name)) for name in ("a", "b", "c")]
    lot, began = Lot(build_of(todo[0]), list(todo), tmp_path), []

    def play(lot, sim, tell, stop, **how):
        began.append(lot)
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "result.json").write_text(json.dumps({"verdict": "PASS"}))
        while not stop.is_set():
            time.sleep(0.01)
        raise Stopped

    monkeypatch.setattr(jobs, "play", play)
    ended: list[Played[Lot]] = []
    begun = time.monotonic()
    drive(lambda: lot, "icarus", 1, ended=ended.append, until=begun + 0.3)
    assert 0.3 <= time.monotonic() - begun < 5 and began == [lot], "nothing is begun after it"
    (done,) = ended
    assert done.stopped and [job.name for job in done.lot.jobs] == ["a"]
    assert [result["verdict"] for result in done.results] == ["PASS"]


def test_a_compiler_is_stopped_with_its_children(tmp_path: Path):
    stop = Event()
    stop.set()
    (tmp_path / "build.log").touch()
    with open(tmp_path / "build.log", "w") as log, pytest.raises(Stopped):
        command = ["sh", "-c", f"(sleep 3; touch {tmp_path / 'written'}) & wait"]
        simulation._step(command, log, tmp_path, {}, tmp_path, stop)
    time.sleep(4)
    assert not (tmp_path / "written").exists()
