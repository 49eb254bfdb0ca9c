# SPDX-License-Identifier: Apache-2.0
"""Seeds on a cluster: a worker that dies loses nothing, with a real Slurm; what is handed out again,
and for how long.
"""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from rvtrace.flow.jobs import Lot
from rvtrace.flow.regress.cluster import TRIES, HandOut
from rvtrace.jobs.job import Job
from tests.common.simulators import icarus_or
from tests.flow.regress_slurm import Slurm, missing, slurm
from tests.tools.captures import ROOT, hears_sigint, is_one_sentence

# One build, a supervisor's machine: little to compile.
BUILD = (
    "XLEN=64", "RETIRED=1", "EVENTS=1", "EVENT_BITS=1", "COUNTERS=3+4", "INHIBIT=1", "WIDTHS=64", "SELECTORS=all",
    "HAS_U=1", "HAS_S=1", "HAS_H=0", "HAS_SSCOFPMF=0", "HAS_SMCNTRPMF=0", "HAS_SHLCOFIDELEG=0",
)  # fmt: skip


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Slurm]:
    """A Slurm of this machine."""
    if absent := missing():
        pytest.skip(f"{', '.join(absent)} not installed; type `apt-get install slurm-wlm munge`")
    with slurm(tmp_path / "slurm") as running:
        yield running


def _words(out: Path, sim: str, size: int = 2500) -> list[str]:
    words = (
        "CLUSTER=slurm",
        "SEEDS=6",
        "IP=hpm",
        "N=2",
        f"SIZE={size}",
        "DRIVE=bulk",
        "REPORT=0",
        f"SIM={icarus_or(sim)}",
        f"OUT={out}",
        *BUILD,
    )
    return [sys.executable, "-m", "rvtrace.tools.regress", *words]


def test_a_killed_worker_loses_nothing(one: Slurm, tmp_path, sim):
    out = tmp_path / "out"
    command = _words(out, sim)
    with subprocess.Popen(
        command, cwd=ROOT, env=one.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            _wait_for_two_at_work(out, process)
            one.said("scancel", "--full", "--signal=KILL", one.running()[0])
            said = process.communicate(timeout=300)[0]
        finally:
            process.kill()
    assert process.returncode == 0 and "6 of 6 seeds passed" in said and "a worker was lost: " in said, said
    results = {path.parent.name: json.loads(path.read_text()) for path in out.glob("hpm/*/result.json")}
    assert sorted(results) == [f"seed-{n}" for n in range(1, 7)]
    assert {result["verdict"] for result in results.values()} == {"PASS"}
    assert not one.said("squeue", "-h"), "jobs of the regression are left in the queue"
    again = subprocess.run(command, cwd=ROOT, env=one.env, capture_output=True, text=True, timeout=60)
    assert again.returncode == 0 and "all 6 seeds were run before and nothing has changed since" in again.stdout, (
        again.stdout + again.stderr
    )


def test_a_cluster_is_left_as_it_was_found(one: Slurm, tmp_path, sim):
    out = tmp_path / "out"
    command = _words(out, sim, size=60_000)  # so long that it is at work when it is stopped
    refused = subprocess.run(
        [*command, "QUEUE=nope"], cwd=ROOT, env=one.env, capture_output=True, text=True, timeout=120
    )
    assert is_one_sentence(refused, "CLUSTER=slurm does not take a job", "Invalid partition", "QUEUE=")
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=one.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=hears_sigint,
    ) as process:
        try:
            _wait_for_two_at_work(out, process)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    assert process.returncode == 130 and "stopped: " in said and said.rstrip().endswith("the same command goes on"), (
        said
    )
    end = time.monotonic() + 30
    while one.said("squeue", "-h") and time.monotonic() < end:
        time.sleep(0.2)
    assert not one.said("squeue", "-h"), "jobs of the regression are left in the queue"


def _wait_for_two_at_work(out: Path, process: subprocess.Popen) -> None:
    while _at_work(out) < 2 and process.poll() is None:
        time.sleep(0.05)
    assert process.poll() is None, process.communicate()[0]


def _at_work(out: Path) -> int:
    """Seeds that a simulator is at: those begun, without those that left a result."""
    begun = [path.read_text() for path in out.glob("processes/*/jobs.json")]
    jobs = [job for text in begun if text.endswith("]") for job in json.loads(text)]  # else it is being written
    return sum(not Path(job["out"], "result.json").exists() for job in jobs)


def _lot(folder: Path, seeds: int) -> Lot:
    jobs = [Job(f"seed-{n}", "random", ip="hpm", seed=n, out=str(folder / f"seed-{n}")) for n in range(1, seeds + 1)]
    return Lot(cast(Any, None), jobs)


def _leaves(job: Job, text: str = '{"verdict": "PASS"}') -> None:
    Path(job.out).mkdir(parents=True, exist_ok=True)
    (Path(job.out) / "result.json").write_text(text)


def _names(lots: list[Lot]) -> list[list[str]]:
    return [[job.name for job in lot.jobs] for lot in lots]


def test_what_is_missing_is_handed_out_again(tmp_path):
    reported = []
    hand, lot = HandOut(reported.append, tmp_path), _lot(tmp_path, 5)
    _leaves(lot.jobs[0])
    _leaves(lot.jobs[1], '{"verdict": "PA')  # it died while it wrote this
    again = hand.back(lot, begun=True)
    assert _names(again) == [["seed-2"], ["seed-3", "seed-4", "seed-5"]] and len(reported) == 1
    for job in lot.jobs:
        _leaves(job)
    assert [hand.back(lot, begun=True) for lot in again] == [[], []] and len(reported) == 5 == hand.results


def test_a_job_that_kills_its_workers_is_an_error(tmp_path):
    reported = []
    hand, lots = HandOut(reported.append, tmp_path / "logs"), [_lot(tmp_path, 2)]
    for lost in range(TRIES):
        assert not reported, f"given up after {lost} workers"
        lots = hand.back(lots[0], begun=True) + lots[1:]
    assert _names(lots) == [["seed-2"]]
    assert (
        reported[0]["verdict"] == "ERROR"
        and reported[0]["name"] == "seed-1"
        and f"{TRIES} workers" in reported[0]["error"]
        and "SEED=1" in reported[0]["rerun"]
    )
    assert json.loads((tmp_path / "seed-1" / "result.json").read_text()) == reported[0]


def test_a_lot_that_was_not_begun_is_not_to_blame(tmp_path):
    reported = []
    hand, lots = HandOut(reported.append, tmp_path), [_lot(tmp_path, 2)]
    for _ in range(2 * TRIES):
        lots = hand.back(lots[0], begun=False)
        assert _names(lots) == [["seed-1", "seed-2"]]
    assert not reported
