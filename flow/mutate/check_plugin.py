# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for mutants of the Python side: it records which functions a test calls, puts a changed file in
place of one of ours, or tries many mutants in children of one process that has imported everything.

RVTRACE_CALLS=<folder>: one line of JSON for each test into a file of that folder; the line of the test "" has what is
called before the first test. RVTRACE_MUTANT=<file>: JSON with `file`, the path of the module, and `text`, what is
compiled instead; `limit` ends the process after so many seconds of processor time. RVTRACE_TRIES=<file>: JSON with
`workers`, `results`, a file, and `tries`, each with `file`, `start`, `end` and `after` of the change, `function` (its
line), `name` and `line` of the outermost function around it, and `tests`: [name, seconds of processor time that it may
take]. A line of the results for each: [number, what happened, the test], in the order of their ends.
"""

from __future__ import annotations

import functools
import gc
import io
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_CALLS, _MUTANT, _TRIES = "RVTRACE_CALLS", "RVTRACE_MUTANT", "RVTRACE_TRIES"
_Places = dict[tuple[str, str, int], list[FunctionType]]
LONGEST = 10.0  # seconds of processor time of a test that mutants are tried by
_TOO_LONG = "it takes more than {:g} seconds, and no mutant is tried by it"
_late: set[str] = set()  # the tests that took longer
_PATIENCE = 40  # how many times its processor time a try may take, on a machine that is busy
_CACHING = ("rvtrace.models.", "rvtrace.scoreboards.")
_Cached = type(functools.cache(len))
_OURS = tuple(str(ROOT / folder) + os.sep for folder in ("models", "scoreboards"))


def install(file: str, text: str) -> None:
    """From now on importing that file compiles the text."""
    original = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if os.path.realpath(loader.path) == file:
            return compile(text, file, "exec", dont_inherit=True)
        return original(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


if _MUTANT in os.environ:
    _row = json.loads(Path(os.environ[_MUTANT]).read_text())
    install(os.path.realpath(_row["file"]), _row["text"])
    resource.setrlimit(resource.RLIMIT_CPU, (int(_row["limit"]), int(_row["limit"]) + 5))


# --- Calls ------------------------------------------------------------------------------------------------------------


class _Calls:
    """The functions of our models and scoreboards that are called until `end`."""

    def __init__(self) -> None:
        self.seen: set[CodeType] = set()
        self.begin = time.process_time()  # other processes of the machine do not count
        sys.setprofile(self._profile)

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            self.seen.add(frame.f_code)

    def end(self, test: str) -> None:
        sys.setprofile(None)
        called: dict[str, list[int]] = {}
        for code in self.seen:
            path = os.path.realpath(code.co_filename)
            if path.startswith(_OURS) and code.co_name != "<module>":
                called.setdefault(os.path.relpath(path, ROOT), []).append(code.co_firstlineno)
        row = {"test": test, "seconds": round(time.process_time() - self.begin, 3), "calls": called}
        with (Path(os.environ[_CALLS]) / f"{os.getpid()}.jsonl").open("a") as out:
            out.write(json.dumps(row) + "\n")


_importing = _Calls() if _CALLS in os.environ else None


def forget() -> None:
    """Empty the caches of our models and scoreboards, so that each test calls what an earlier one has called."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_CACHING):
            classes = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name]
            for holder in (module, *classes):
                for one in vars(holder).values():
                    if isinstance(one, _Cached):
                        one.cache_clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Record what a test and its fixtures call; before the first, what was called since the start."""
    global _importing
    if _CALLS not in os.environ:
        return (yield)
    if _importing is not None:
        _importing.end("")
        _importing = None
    forget()
    calls = _Calls()

    def too_long(*_: Any) -> None:
        _late.add(item.nodeid)
        pytest.skip(_TOO_LONG.format(LONGEST))

    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.setprofile(None)
        if item.nodeid not in _late:
            calls.end(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that was ended is skipped, whatever became of it: a callback of C catches what ends it, and the compiler
    that waits for the callback fails.
    """
    report: Any = yield
    if report.failed and item.nodeid in _late:
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, _TOO_LONG.format(LONGEST))
    return report


# --- Many mutants -----------------------------------------------------------------------------------------------------


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Instead of the tests themselves, the tries."""
    if _TRIES not in os.environ:
        return None
    given = json.loads(Path(os.environ[_TRIES]).read_text())
    items = {item.nodeid: item for item in session.items}
    running: dict[int, tuple[int, float]] = {}  # of a child its number, and until when
    tries = list(enumerate(given["tries"]))
    functions = _functions()  # gc.get_objects has nothing that is frozen
    gc.freeze()
    with Path(given["results"]).open("a", buffering=1) as results:
        while tries or running:
            while tries and len(running) < given["workers"]:
                number, row = tries.pop(0)
                child = os.fork()
                if not child:
                    _child(number, row, items, given["results"], functions)
                seconds = sum(limit for _, limit in row["tests"])
                running[child] = (number, time.monotonic() + _PATIENCE * seconds)
            for child, (number, until) in list(running.items()):
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    del running[child]
                    if os.WIFSIGNALED(status):
                        said = "timeout" if os.WTERMSIG(status) == signal.SIGPROF else "broken"
                        results.write(json.dumps([number, said, ""]) + "\n")
                elif time.monotonic() > until:
                    os.killpg(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    del running[child]
                    results.write(json.dumps([number, "timeout", ""]) + "\n")
            time.sleep(0.005)
    return True


def _child(number: int, row: dict[str, Any], items: dict[str, pytest.Item], results: str, functions: _Places) -> None:
    """Change the function, run tests until one fails, and say so. It does not return."""
    os.setpgid(0, 0)
    said = [number, "broken", ""]
    try:
        said = [number, *_tried(row, items, functions)]
    finally:
        with Path(results).open("a") as out:
            out.write(json.dumps(said) + "\n")
        os._exit(0)


def _tried(row: dict[str, Any], items: dict[str, pytest.Item], functions: _Places) -> tuple[str, str]:
    sys.stdout = sys.stderr = io.StringIO()
    if not exchange(row, functions):
        return "apart", ""
    forget()
    failed: list[str] = []

    class Reports:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failed.append(report.nodeid)

    for name, limit in row["tests"]:
        if (item := items.get(name)) is None:
            return "apart", ""
        if not item.config.pluginmanager.has_plugin("tries"):
            item.config.pluginmanager.register(Reports(), "tries")
        signal.setitimer(signal.ITIMER_PROF, limit)  # SIGPROF ends the process, also in a loop of numpy
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        if failed:
            return "failed", failed[0]
    return "passed", ""


def _functions() -> _Places:
    """The functions of our models and scoreboards that are imported, by file, name and line."""
    found: _Places = {}
    paths: dict[str, str] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            code = one.__code__
            path = paths.setdefault(code.co_filename, os.path.realpath(code.co_filename))
            if path.startswith(_OURS):
                found.setdefault((path, code.co_name, code.co_firstlineno), []).append(one)
    return found


def exchange(row: dict[str, Any], functions: _Places) -> bool:
    """Give the outermost function around a change its changed code; False if that cannot be done in this process."""
    path = os.path.realpath(ROOT / row["file"])
    text = Path(path).read_text()
    changed = compile(text[: row["start"]] + row["after"] + text[row["end"] :], path, "exec", dont_inherit=True)
    new = [code for code in _outermost(changed) if (code.co_name, code.co_firstlineno) == (row["name"], row["line"])]
    found = functions.get((path, row["name"], row["line"]), [])
    if len(new) != 1 or not found:
        return False
    for one in found:
        if one.__code__.co_freevars != new[0].co_freevars:
            return False
        one.__code__ = new[0]
    return True


def _outermost(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module, and of its classes."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if "__module__" in one.co_names and "__qualname__" in one.co_names:  # the body of a class
                yield from _outermost(one)
            else:
                yield one
