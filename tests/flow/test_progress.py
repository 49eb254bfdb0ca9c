# SPDX-License-Identifier: Apache-2.0
"""Progress of long work: a line that changes on a terminal, a line now and then elsewhere, nothing of short work."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from rvtrace.flow import progress
from tests.tools.captures import ROOT

SCRIPT = """
import sys, time
from rvtrace.flow import progress
progress.AFTER, progress.EVERY = {after}, 0.6
with progress.Progress(4, "runs") as shown:
    for number in range(4):
        with progress.during("building {{it}} " + "x" * 200, 30.0):
            time.sleep(0.5)
        shown.step(number == 1)
        if number == 2:
            print("PASS  a result")
print("the end")
"""


def _on_a_terminal(command: list[str], columns: int, cwd: Path = ROOT) -> str:
    """What a command writes on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(command, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
            if not more:
                break
            said += more
        os.close(ours)
    assert process.returncode == 0, said
    return said.decode().replace("\r\n", "\n")


def _shown(said: str) -> list[str]:
    """The lines as they are at the end: what comes after a return takes the place of what was before it."""
    lines = []
    for line in said.split("\n"):
        cells: list[str] = []
        for part in re.split("\r", re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)):
            cells[: len(part)] = list(part)
        lines.append("".join(cells).rstrip())
    return [line for line in lines if line]


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_has_one_line_that_changes_and_in_the_end_the_results_only(columns):
    said = _on_a_terminal([sys.executable, "-c", SCRIPT.format(after=0.2)], columns)
    states = [state for state in said.split("\r") if " of 4 runs" in state]
    assert len(states) >= 3 and all(len(state) < columns for state in states)
    wide = columns > 60
    assert any(re.search(r"3 of 4 runs, 1 failed, 0:0\d" if wide else "3 of 4 runs, 1 fail", s) for s in states)
    assert not wide or any("about 0:" in state and "building" in state for state in states)
    assert _shown(said) == ["PASS  a result", "the end"]


def test_away_from_a_terminal_there_is_a_line_now_and_then_beside_the_results():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(after=0.2)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "PASS  a result\nthe end\n"
    lines = done.stderr.splitlines()
    assert 2 <= len(lines) <= 5 and all(re.match(r"\d of 4 runs, [01] failed, 0:0\d", line) for line in lines)
    assert "\r" not in done.stderr and "building {it} xx" in lines[0] and lines[0].endswith("x 0:00 of about 0:30")


@pytest.mark.parametrize("terminal", [True, False])
def test_short_work_shows_nothing(terminal):
    command = [sys.executable, "-c", SCRIPT.format(after=5.0)]
    if terminal:
        assert _on_a_terminal(command, 80) == "PASS  a result\nthe end\n"
        return
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("PASS  a result\nthe end\n", "")


def test_what_is_left_is_estimated_from_what_was_done_now(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = progress.Progress(10, "seeds", done=4, failed=1, bad="not passed")
    assert shown.line() == "4 of 10 seeds, 1 not passed, 0:00"
    now[0] += 60
    shown.step()
    shown.step(failed=True)
    assert shown.line() == "6 of 10 seeds, 2 not passed, 1:00, about 2:00 left"
    shown.step(parts=4)
    assert shown.line() == "10 of 10 seeds, 2 not passed, 1:00"
    assert progress.Progress(10, "bins", done=9, bad="", even=False).line() == "9 of 10 bins, 0:00"
    assert progress.Progress(3_000_000, "bytes", bad="").line() == "0.00 of 3.00M bytes, 0:00"


@pytest.mark.parametrize(("before", "said"), [(None, ""), (300.0, ", about 4:00 left"), (50.0, "")])
def test_first_parts_say_nothing_and_the_last_time_does(monkeypatch, before, said):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = progress.Progress(100, before=before, first=0.2)
    now[0] += 60
    shown.step()
    assert shown.line() == f"1 of 100 runs, 0 failed, 1:00{said}"
    shown.step(parts=19)
    assert shown.line() == "20 of 100 runs, 0 failed, 1:00, about 4:00 left"


def test_parts_of_a_part_are_counted_by_the_one_that_is_shown():
    with progress.Progress(5) as outer:
        with progress.counting(2) as count:
            count(False)
            count(True)
        assert (outer.done, outer.failed) == (2, 1)
    with progress.counting(7) as count:
        count(True)
        own = progress._DISPLAY.shown()
        assert own is not None and own is not outer and (own.done, own.total, own.failed) == (1, 7, 1)
    assert progress._DISPLAY.shown() is None


def test_streams_are_as_before_whatever_happens():
    before = sys.stdout, sys.stderr
    with pytest.raises(RuntimeError), progress.Progress(2), progress.during("a build"):
        raise RuntimeError
    assert (sys.stdout, sys.stderr) == before and not progress._DISPLAY._doing


TESTS = """
import time
import pytest
@pytest.mark.parametrize("n", range(3))
def test_one(n):
    print("this is kept by pytest")
    time.sleep(2.5 if n == 2 else 0.1)
    assert n != 1
@pytest.mark.xfail
def test_two():
    assert False
"""


@pytest.mark.parametrize("processes", [0, 2])
@pytest.mark.parametrize("terminal", [True, False])
def test_tests_are_counted_and_failures_shown_as_they_come(processes, terminal, tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = (
        "import sys, pytest; from rvtrace.flow import progress; progress.AFTER = progress.EVERY = 0.2;"
        "sys.exit(pytest.main(sys.argv[1:]) - 1)"
    )
    words = ["-q", "-p", "rvtrace.flow.suite_progress", "-o", "console_output_style=classic", "-n", str(processes), "."]
    full = [sys.executable, "-c", command, *words]
    if terminal:
        said = _on_a_terminal(full, 100, tmp_path)
        assert any(re.search(r"\d of 4 tests, [01] failed, 0:0\d", state) for state in said.split("\r"))
        lines = _shown(said)
    else:
        done = subprocess.run(full, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        lines = done.stdout.splitlines()
        assert any(re.match(r"\d of 4 tests, [01] failed, 0:0\d", line) for line in lines)
    assert "FAILED test_it.py::test_one[1]" in lines and lines[-1].startswith("1 failed, 2 passed, 1 xfailed")
    assert not any(re.fullmatch(r"[.FxX]+", line) for line in lines)
