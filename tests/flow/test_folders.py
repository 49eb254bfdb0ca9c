# SPDX-License-Identifier: Apache-2.0
"""Folders of results: a run has its own, a capture removes its own files only, and `make report LIST=results` lists and
cleans.
"""

import fcntl
import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from rvtrace.flow import results
from rvtrace.flow.folders import MARK, begin_capture, is_capture, name_of, named
from rvtrace.flow.regress import folder
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import Config
from tests.tools.captures import is_one_sentence, run, write_capture


def _job(seed: int = 1, sim: str = "verilator", **options: object) -> Job:
    return Job("sort", "program:sort", Config.from_dict(options).to_dict(), seed, sim=sim, ip="ntrace")


def test_a_run_has_its_own_folder_by_configuration_and_seed():
    jobs = [_job(), _job(2), _job(mode="btm"), _job(mode="btm", xlen=32), _job(sim="icarus")]
    names = [name_of(job) for job in jobs]
    assert len(set(names)) == len(jobs)
    assert names[0] == "ntrace-sort-seed1" and names[2] == "ntrace-sort-mode-btm-seed1"
    assert name_of(_job(mode="btm")) == names[2], "the same again"


def test_a_long_name_is_cut_and_still_its_own():
    first = named("ntrace", *(f"OPTION{n}=1" for n in range(40)), "seed7")
    other = named("ntrace", *(f"OPTION{n}=1" for n in range(39)), "OPTION39=2", "seed7")
    assert first != other and all(len(name) <= 100 and name.endswith("-seed7") for name in (first, other))
    assert named("a/../b", "X='1 2'").startswith("a-..-b-") and named("a/../b", "X='1 2'").endswith("-x-1-2")
    assert len(named("a" * 90, "B" * 90)) <= 100


def test_names_that_differ_in_case_or_blanks_are_other_folders():
    alike = ["TEST=a b.py", "TEST=a-b.py", "TEST=A-b.py", "TEST=a  b.py", "TEST=a/b.py", "TEST=a-b.py-", "TEST-a-b.py"]
    names = [named("ntrace", "sort", word, "seed1") for word in alike]
    assert len({name.lower() for name in names}) == len(alike), names
    assert names[1] == "ntrace-sort-test-a-b.py-seed1" and all(name.endswith("-seed1") for name in names)


def test_each_configuration_of_a_regression_has_its_own_folder():
    one = folder.default({"SEEDS": "5", "N": "1", "IP": "ctr"}, "icarus")
    assert one == folder.default({"SEEDS": "9"}, "icarus") and one.parent.name == "regress"
    assert len({one, folder.default({}, "verilator"), folder.default({"MODE": "btm"}, "icarus")}) == 3


def test_a_capture_removes_its_own_stale_files_and_nothing_else(tmp_path):
    out = write_capture(tmp_path / "out")
    for name in ("view.html", "entries.json", "waves.fst", "notes.txt"):
        (out / name).write_text("of before")
    assert is_capture(out)
    begin_capture(out, {"IP": "ntrace"})
    assert sorted(path.name for path in out.iterdir()) == [MARK, "notes.txt"]
    assert json.loads((out / MARK).read_text())["words"] == {"IP": "ntrace"}
    begin_capture(out, {})  # one that was begun and never ended
    begin_capture(tmp_path / "new" / "folder", {})
    (tmp_path / "empty").mkdir()
    begin_capture(tmp_path / "empty", {})
    assert is_capture(tmp_path / "new" / "folder") and is_capture(tmp_path / "empty")


def test_a_folder_that_is_no_capture_is_refused_and_stays_as_it_is(tmp_path):
    (tmp_path / "config.json").write_text("{}")  # such as that of any program
    (tmp_path / "thesis.tex").write_text("years of work")
    done = run("capture", "IP=ntrace", "PROGRAM=sort", "SIM=icarus", f"OUT={tmp_path}")
    assert is_one_sentence(done, "is not empty and no capture", "OUT=<a new folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "thesis.tex"]
    with pytest.raises(ArgumentError, match="is a file; give OUT=<a folder>"):
        begin_capture(tmp_path / "thesis.tex", {})


def test_a_folder_that_git_tracks_is_refused(tmp_path):
    out = write_capture(tmp_path / "repository" / "capture")
    subprocess.run(["git", "init", "-q", str(out.parent)], check=True)
    begin_capture(out, {})  # it is in a repository, and not tracked
    (out / "trace.bin").write_bytes(b"kept for a test")
    subprocess.run(["git", "-C", str(out.parent), "add", "."], check=True)
    with pytest.raises(ArgumentError, match="is tracked by git; give OUT=<a new folder>"):
        begin_capture(out, {})
    assert (out / "trace.bin").read_bytes() == b"kept for a test"


def _result(build: Path, place: str, *verdicts: str, days: float = 0.0) -> Path:
    top = build / place
    for number, verdict in enumerate(verdicts):
        path = top / f"run-{number}" / "result.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"ip": "ntrace", "verdict": verdict}, indent=1))
    _aged(top, days)
    return top


def _aged(top: Path, days: float) -> None:
    when = time.time() - days * 86400
    for path in top.rglob("*"):
        os.utime(path, (when, when))


def test_what_there_is(tmp_path):
    _result(tmp_path, "results/main/subsystem-icarus-seed1", "PASS", "PASS", days=2)
    _result(tmp_path, "results/regress/icarus", "PASS", "FAIL", days=1)
    _result(tmp_path, "results/run/ntrace-sort-seed1", "ERROR")
    (tmp_path / "compliance" / "t").mkdir(parents=True)
    (tmp_path / "compliance" / "t" / "compliance.json").write_text('{"schema": "compliance/2", "verdict": "FAIL"}')
    (tmp_path / "results" / "run" / "mine").mkdir()
    (tmp_path / "results" / "run" / "mine" / "notes.txt").write_text("not a result")
    _result(tmp_path, "results/of_mine", "PASS")
    found = {str(kept.path.relative_to(tmp_path)): kept for kept in results.found(tmp_path)}
    assert {name: kept.verdict for name, kept in found.items()} == {
        "results/main/subsystem-icarus-seed1": "PASS",
        "results/regress/icarus": "FAIL",
        "results/run/ntrace-sort-seed1": "ERROR",
        "compliance/t": "FAIL",
    }
    line = found["results/regress/icarus"].line(tmp_path)
    assert line.endswith("FAIL  1 of 2 runs passed") and " B  results/regress/icarus " in line
    assert list(found)[-1] == "results/main/subsystem-icarus-seed1", "the newest first"


def test_only_old_results_are_removed_and_nothing_that_is_none(tmp_path):
    old = _result(tmp_path, "results/main/old", "PASS", days=31)
    young = _result(tmp_path, "results/main/young", "PASS", days=29)
    mine = tmp_path / "results" / "main" / "mine" / "notes.txt"
    mine.parent.mkdir()
    mine.write_text("not a result")
    _aged(mine.parent, 99)
    elsewhere = _result(tmp_path / "elsewhere", "", "PASS", days=99)
    (tmp_path / "results" / "main" / "link").symlink_to(elsewhere)
    other = _result(tmp_path, "results/of_mine", "PASS", days=99)
    busy = _result(tmp_path, "results/regress/busy", "PASS", days=99)
    (busy / "regress.lock").touch()
    _aged(busy, 99)
    with (busy / "regress.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        removed, left = results.clean(results.found(tmp_path), results.age("30d"), time.time())
    assert [kept.path for kept in removed] == [old] and not old.exists()
    assert [(kept.path, why) for kept, why in left] == [(busy, "a regression is running in it")]
    assert young.exists() and mine.exists() and elsewhere.exists() and other.exists() and busy.exists()


@pytest.mark.parametrize("text", ["30", "d", "-1d", "30 d", "1.5d", "30days", "9999999d"])
def test_an_age_that_is_none(text):
    assert is_one_sentence(run("report_kept", f"KEEP={text}"), f"KEEP={text} is no age", "give KEEP=<number> with d")


def test_ages_and_sizes():
    assert [results.age(text) for text in ("2h", "30d", "1w")] == [7200, 30 * 86400, 7 * 86400]
    assert [results.size(n) for n in (0, 999, 1500, 25_000, 3.2e6, 4.56e9)] == [
        "0 B", "999 B", "1.5 kB", "25 kB", "3.2 MB", "4.6 GB",
    ]  # fmt: skip
