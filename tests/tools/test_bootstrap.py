# SPDX-License-Identifier: Apache-2.0
"""What a machine lacks is said in one sentence before anything is made; what an environment breaks works or says so."""

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rvtrace.flow import packages
from tests.tools.captures import ROOT, is_one_sentence

BOOTSTRAP = ROOT / "tools" / "bootstrap.py"


def loaded(name: str):
    """A file of tools/ that is no module of ours: the system's Python runs it."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_that_is_missing_is_said_at_once_with_one_line(tmp_path, monkeypatch, capsys):
    bootstrap = loaded("bootstrap")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SIM", raising=False)
    monkeypatch.setenv("MAKEFLAGS", "")
    monkeypatch.setattr(bootstrap, "libpython", lambda: "")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    begun = time.monotonic()
    with pytest.raises(SystemExit) as end:
        bootstrap.check_all()
    said = capsys.readouterr().err
    library = "libpython{}.{}".format(*sys.version_info[:2])
    assert end.value.code == 2 and time.monotonic() - begun < 1 and said.count("\n") == 1
    assert said.endswith(f"type `sudo apt-get install python3-venv {library} g++ make perl`\n"), said


def test_the_shared_library_is_found_where_simulators_find_it(monkeypatch):
    bootstrap = loaded("bootstrap")
    monkeypatch.delenv("LIBPYTHON_LOC", raising=False)
    find_libpython = pytest.importorskip("find_libpython")
    assert bool(bootstrap.libpython()) == bool(find_libpython.find_libpython())
    monkeypatch.setenv("LIBPYTHON_LOC", "/named")
    assert bootstrap.libpython() == "/named"


def test_it_reads_with_python_2():
    """Nothing of the syntax is newer: no f-string, no star in a list, no keyword of print, ASCII."""
    tree = ast.parse(BOOTSTRAP.read_bytes().decode("ascii"))
    newer = (ast.JoinedStr, ast.AsyncFunctionDef, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.Match)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.List, ast.Tuple)):
            assert not any(isinstance(one, ast.Starred) for one in node.elts), node.lineno
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None and not node.args.kwonlyargs, node.lineno
    assert "from __future__ import print_function" in BOOTSTRAP.read_text()


def test_a_compiled_module_that_is_cut_off_is_removed(tmp_path):
    from_make = loaded("from_make")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "one.py").write_text("x = 1\n" * 50)
    command = [sys.executable, "-c", "import sys; sys.dont_write_bytecode = False; import one"]
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    for prefix in ("", str(tmp_path / "build" / "pycache")):
        env |= {"PYTHONPYCACHEPREFIX": prefix} if prefix else {}
        subprocess.run(command, cwd=tmp_path / "models", env=env, check=True)
        (compiled,) = (path for path in tmp_path.rglob("one.*.pyc") if ("build" in path.parts) == bool(prefix))
        assert from_make.mended(str(tmp_path)) == 0, "a whole one stays"
        compiled.write_bytes(compiled.read_bytes()[:40])
        broken = subprocess.run(command, cwd=tmp_path / "models", env=env, capture_output=True, text=True)
        assert "EOFError" in broken.stderr, "what it is about"
        assert from_make.mended(str(tmp_path)) == 1 and not compiled.exists()
        subprocess.run(command, cwd=tmp_path / "models", env=env, check=True)


@pytest.mark.parametrize("tool", ["list"])
def test_a_locale_without_utf_8(tool):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONUTF8", "MAKEFLAGS")}
    env |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", f"rvtrace.tools.{tool}", "X=1"]
    done = subprocess.run([*command[:-1]], cwd=ROOT, env=env, capture_output=True, text=True, timeout=100)
    assert is_one_sentence(done, "files are read as ", "set PYTHONUTF8=1") and done.returncode == 2
    probe = Path(ROOT / "tools" / "from_make.py")
    code = "import sys, locale; print(sys.flags.utf8_mode)"
    (script := ROOT / "build" / "utf8_probe.py").parent.mkdir(exist_ok=True)
    script.write_text(code)
    done = subprocess.run([sys.executable, str(probe), str(script)], cwd=ROOT, env=env, capture_output=True, text=True)
    script.unlink()
    assert done.stdout.strip() == "1", done.stderr


@pytest.mark.skipif(not (ROOT / ".venv" / "complete").exists() or not shutil.which("make"), reason="no .venv of make")
def test_pythonhome_does_not_reach_the_commands():
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))} | {"PYTHONHOME": "/none"}
    done = subprocess.run(["make", "doctor"], cwd=ROOT, capture_output=True, text=True, env=env, timeout=100)
    assert "ok       python" in done.stdout and "Fatal" not in done.stderr, done.stderr


def test_packages_of_tests_and_linters_are_installed_when_needed(monkeypatch):
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(packages, "install", lambda *words: asked.append(words) or "")
    packages.development()
    assert not asked, "all are there"
    monkeypatch.setattr(packages, "installed", lambda name: "")
    packages.development()
    assert asked == [("-r", str(packages.DEVELOPMENT))]
    monkeypatch.setattr(packages, "install", lambda *words: "no network")
    with pytest.raises(packages.PackageError, match="cannot be installed .no network.; check the network"):
        packages.development()


def test_no_package_is_in_both_lists():
    lists = [(ROOT / "tools" / f"requirements{kind}.txt").read_text() for kind in ("", "-dev")]
    names = [{line.partition("==")[0] for line in text.splitlines() if "==" in line} for text in lists]
    assert not names[0] & names[1] and {"numpy", "cocotb", "pytest"} <= names[0] and {"ruff", "hypothesis"} <= names[1]
