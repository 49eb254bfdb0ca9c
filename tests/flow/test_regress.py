# SPDX-License-Identifier: Apache-2.0
"""make regress keeps what was run: the same command goes on, other words begin anew; all systems have their share."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rvtrace.flow.folders import SOURCES
from rvtrace.flow.regress import folder
from rvtrace.flow.regress.folder import key_of
from rvtrace.flow.regress.seeds import jobs_of
from rvtrace.flow.type_check import FOLDERS
from rvtrace.jobs import systems
from tests.common.simulators import icarus_or
from tests.tools.captures import ROOT, hears_sigint, is_one_sentence, run

WORDS = (
    "IP=ntrace", "SIZE=300", "REPORT=0", "N=1", "DRIVE=bulk", "BLOCKS=1", "XLEN=64", "STACK_DEPTH=8", "TS_WIDTH=64",
    "FIFO_DEPTH=16", "ICNT_BITS=22", "HIST_BITS=32", "IRETIRE_BITS=7", "REPEAT_BITS=18",
)  # fmt: skip
# so that it can be stopped in between
LONGER = ("SIZE=6000", *(word for word in WORDS if not word.startswith("SIZE=")))


def test_a_killed_regression_goes_on(tmp_path, sim):
    out = tmp_path / "out"
    words = (*WORDS, f"OUT={out}", f"SIM={sim}")
    first = run("regress", "SEEDS=3", *words)
    assert first.returncode == 0 and "3 of 3 seeds passed" in first.stdout, first.stdout + first.stderr
    broken = out / "ntrace" / "seed-2" / "result.json"
    broken.write_text(broken.read_text()[:100])  # killed while it was written
    stamp = (out / "ntrace" / "seed-1" / "result.json").stat().st_mtime_ns
    again = run("regress", "SEEDS=4", *words)
    assert again.returncode == 0 and "2 of 4 seeds were run before; going on" in again.stdout
    assert "4 of 4 seeds passed" in again.stdout and json.loads(broken.read_text())["verdict"] == "PASS"
    finished = run("regress", "SEEDS=4", *words)
    assert finished.returncode == 0 and "all 4 seeds were run before and nothing has changed since" in finished.stdout
    assert (out / "ntrace" / "seed-1" / "result.json").stat().st_mtime_ns == stamp
    other = run("regress", "SEEDS=1", "MODE=btm", *words)
    assert other.returncode == 0 and "were run before" not in other.stdout and not (out / "ntrace" / "seed-2").exists()


def test_a_failure_that_was_found_before_is_still_red(tmp_path, sim):
    out = tmp_path / "out"
    words = (*WORDS, f"OUT={out}", f"SIM={sim}")
    assert run("regress", "SEEDS=2", *words).returncode == 0
    result = out / "ntrace" / "seed-1" / "result.json"
    result.write_text(json.dumps(json.loads(result.read_text()) | {"verdict": "FAIL"}))
    again = run("regress", "SEEDS=2", *words)
    assert again.returncode == 1 and "1 of 2 seeds passed" in again.stdout and "1 bucket of failures" in again.stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_stopped_anywhere(tmp_path, sim, how):
    out = tmp_path / "out"
    words = ("SEEDS=9", "FIRST=11", *LONGER, f"OUT={out}", f"SIM={sim}")
    command = [sys.executable, "-m", "rvtrace.tools.regress", *words]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hears_sigint
    ) as process:
        while not (done := list(out.glob("*/*/result.json"))) and process.poll() is None:
            time.sleep(0.02)
        assert done and process.poll() is None, "it ended before it could be stopped"
        still = _stopped(process.pid)  # however long the second one takes to begin
        busy = _a_second_is_refused(words)
        process.send_signal(how)  # before anything else when it goes on
        for pid in still:
            with contextlib.suppress(ProcessLookupError):  # gone with what began it
                os.kill(pid, signal.SIGCONT)
        said = process.communicate(timeout=60)[0]
    assert busy
    if how != signal.SIGKILL:
        assert (
            process.returncode == 130 and "stopped: " in said and said.rstrip().endswith("the same command goes on")
        ), said
    _until_nobody_is_in(out)
    left = {path: path.stat().st_mtime_ns for path in out.glob("*/*/result.json")}
    assert len(left) < 9 and not any('"ERROR"' in path.read_text() for path in left)
    again = run("regress", *words)
    assert (
        again.returncode == 0
        and "seeds were run before; going on" in again.stdout
        and "9 of 9 seeds passed" in again.stdout
    )
    assert done[0].stat().st_mtime_ns == left[done[0]]


def _stopped(pid: int) -> list[int]:
    """It and all that it began are stopped: a simulator has a separate session, and runs a whole batch."""
    os.kill(pid, signal.SIGSTOP)
    children = [
        child for thread in Path(f"/proc/{pid}/task").iterdir() for child in (thread / "children").read_text().split()
    ]
    return [pid, *(each for child in children for each in _stopped(int(child)))]


def _a_second_is_refused(words: tuple[str, ...]) -> bool:
    """A second regression in the same folder says so."""
    return is_one_sentence(run("regress", *words), "another regression is running in", "OUT=<another folder>")


def _until_nobody_is_in(out: Path) -> None:
    """Wait until no simulator works below the folder any more; it fails if one stays."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        places = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                places.append(os.readlink(f"/proc/{process}/cwd"))
            except OSError:
                continue
        if not any(place.startswith(str(out)) for place in places):
            return
        time.sleep(0.1)
    pytest.fail(f"a simulator of a regression that is over still runs in {out}")


def test_one_total_also_after_a_longer_regression(tmp_path, sim):
    """The report is of the seeds that were asked for, whatever else is in the folder."""
    words = (*(word for word in WORDS if word != "REPORT=0"), f"OUT={tmp_path / 'out'}", f"SIM={icarus_or(sim)}")
    assert run("regress", "SEEDS=2", "REPORT=0", *words).returncode == 0
    again = run("regress", "SEEDS=1", *words)
    totals = re.findall(r"(The run|\S+ (?:seeds|runs)) passed", again.stdout)
    assert again.returncode == 0 and totals == ["The run"], again.stdout


def test_shares():
    chosen = [systems.bench(ip) for ip in systems.NAMES]
    jobs = jobs_of({"SEEDS": str(2 * len(chosen) + 1), "FIRST": "5"}, chosen)
    seeds = {ip: [job.seed for job in jobs if job.ip == ip] for ip in systems.NAMES}
    assert seeds[systems.NAMES[0]] == [5, 6, 7] and all(seeds[ip] == [5, 6] for ip in systems.NAMES[1:])
    assert len({key_of(job) for job in jobs}) == len(jobs)


@pytest.mark.parametrize(
    "words, parts",
    [
        (["SEEDS=2"], ["SEEDS=2 is less than one for each", "IP="]),
        (["IP=hpm,itrace"], ["IP=itrace is not built"]),
        (["IP=ntrace,hpm", "MODE=btm"], ["MODE=btm means nothing to hpm", "give IP=ntrace"]),
        (["WAVES=1"], ["WAVES=1 is not known", "WAVES=fail"]),
        (["CLUSTER=moon"], ["CLUSTER=moon is not known", "slurm or lsf or sge or pbs"]),
        (["N=0"], ["N=0 is out of range", "give N=1 to"]),
        (["IP=etrace", "SIJUMP_RETURNS=0"], ["unlike ours", "omit it"]),
        (["CLUSTER=lsf", "IP=hpm", "SIM=icarus", "SEEDS=1"], ["bsub was not found", "CLUSTER=local"]),
    ],
)  # fmt: skip
def test_words_that_cannot_be(words, parts, tmp_path):
    assert is_one_sentence(run("regress", f"OUT={tmp_path}", *words), *parts)


def test_results_depend_on_every_folder_below_flow():
    assert {*FOLDERS, "rtl"} - {"flow", "report", "tools"} == set(SOURCES) - {"flow/generate"}


@pytest.mark.parametrize("folder, patterns", folder._SOURCES.items(), ids=list(folder._SOURCES))
def test_every_source_that_a_result_depends_on_is_there(folder, patterns):
    """A pattern that matches nothing after a move would keep results of other sources."""
    assert all(any((ROOT / folder).rglob(pattern)) for pattern in patterns)
