# SPDX-License-Identifier: Apache-2.0
"""Words with shell characters, old words, numbers out of range, deeply nested JSON, a full disk: one sentence each, and
nothing is executed.
"""

import errno
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rvtrace.jobs.arguments import json_of, main_guard, typed
from tests.tools.captures import ROOT, is_one_sentence, run, write_capture
from tools.from_make import words

DEEP = "[" * 100_000


def make(*arguments: str) -> subprocess.CompletedProcess:
    """`make` in the checkout, as a user runs it."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "TRACEBACK"))}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120, env=env, check=False
    )


made = pytest.mark.skipif(
    not (ROOT / ".venv" / "complete").exists() or not shutil.which("make"), reason="no .venv of make"
)


@made
@pytest.mark.parametrize(
    "evil",
    [
        "$(shell touch {})", "$(touch {})", "`touch {}`", "'; touch {}; '", '"; touch {} #', "x) || touch {} (",
        "a & touch {}",
    ],
)  # fmt: skip
def test_shell_characters_are_data(evil, tmp_path):
    """Whatever a word holds, it arrives as it was typed and nothing runs."""
    mark = tmp_path / "executed"
    text = evil.format(mark)
    done = make("run", f"PROGRAM={text}")
    assert done.returncode and f"there is no program {text}" in done.stderr, done.stderr
    done = make("run", "PROGRAM=srot", f"PY=touch {mark};", f"VENV={text}")
    assert done.returncode and "unknown word" in done.stderr
    assert not mark.exists()


@made
def test_the_python_of_make_is_a_word(tmp_path):
    done = make("-n", "doctor", f"PYTHON=$(shell touch {tmp_path / 'executed'})")
    assert not (tmp_path / "executed").exists(), done.stdout


@made
def test_a_goal_that_is_not_known():
    said = "a value needs its name, as in `make run PROGRAM=sort`"
    done = make("run", "sort")
    assert done.returncode and said in done.stderr and not done.stdout, done.stdout + done.stderr


def test_words_of_makeflags():
    flags = "k -j2 --jobserver-auth=3,4 -- D= C=a\\\\b\\ $$x\\ (y) PYTHON=python3 A=1"
    assert words(flags) == ["D=", "C=a\\b $x (y)", "A=1"]
    assert words("") == words("kn") == [] and words(" -- A=b") == words("-- A=b") == ["A=b"]


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("run", ("PROGRAM=sort", "SEED=-1"), "give SEED=0 to"),
        ("run", ("PROGRAM=random", "SIZE=99999999999"), "give SIZE=1 to 10000000"),
        ("regress", ("SEEDS=99999999999",), "give SEEDS=0 to 1000000"),
        ("regress", ("FIRST=-3",), "give FIRST=0 to"),
        ("regress", ("N=0",), "give N=1 to 10000"),
        ("cover", ("BUDGET=inf",), "give BUDGET=0 to 1000000"),
        ("cover", ("BUDGET=nan",), "give BUDGET=0 to 1000000"),
        ("run_readback", ("SEED=-1",), "give SEED=0 to"),
    ],
)
def test_numbers_out_of_range(tool, given, said):
    assert is_one_sentence(run(tool, *given), "is out of range", said)


def test_deeply_nested_json(tmp_path):
    out = write_capture(tmp_path / "out")
    (out / "config.json").write_text(DEEP)
    (out / "compliance.json").write_text(DEEP)
    for tool, given in (
        ("decode", [f"IN={out}"]),
        ("check", [f"IN={out}"]),
        ("check", ["IP=hpm", f"IN={out}"]),
        ("check_trace", ["IP=ntrace", f"IN={out}"]),
        ("compare", [f"A={out}", f"B={out}"]),
    ):
        assert is_one_sentence(run(tool, *given), str(out)), tool
    results = tmp_path / "results" / "one"
    results.mkdir(parents=True)
    (results / "result.json").write_text(DEEP)
    done = run("report", f"IN={results.parent}")
    assert done.returncode and "Traceback" not in done.stderr + done.stdout
    with pytest.raises(ValueError, match="nested too deeply"):
        json_of(DEEP)


def test_a_full_disk_is_named_with_the_file(tmp_path):
    out = write_capture(tmp_path / "out")
    done = run("capture_loading", f"LOAD={out / 'program.elf'}", "OUT=/dev/full")
    assert is_one_sentence(done, "no space is left on the disk for /dev/full")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "rvtrace.tools.decode", f"IN={out}"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 2 and done.stderr.startswith(
        "error: no space is left on the disk for the standard output;"
    ), done.stderr


def test_the_file_of_a_full_disk_is_found_in_the_frames(tmp_path, capsys, monkeypatch):
    """write_text and write of an open file raise an OSError without a name."""

    class Full(io.StringIO):
        name = "build/results/report.html"

        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def main(argv):
        page = Full()
        page.write("x")

    monkeypatch.setattr(sys, "argv", ["tool"])
    monkeypatch.delenv("TRACEBACK", raising=False)
    with pytest.raises(SystemExit) as end:
        main_guard(main)
    assert end.value.code == 2
    assert (
        capsys.readouterr().err
        == "error: no space is left on the disk for build/results/report.html; free some, or name another folder\n"
    )


def test_printed_commands_can_be_pasted():
    given = {"OUT": Path("my captures/a'b"), "FILTER": "iaddr>0x100&priv=M", "SEED": "1"}
    line = typed("check", given)
    shown = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {line.removeprefix('make ')}"], capture_output=True, text=True
    ).stdout
    assert shown.splitlines() == ["check", *(f"{name}={value}" for name, value in given.items())]
