# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for mutants of the Python side: it records which functions a test calls, or puts a changed file in
place of one of ours.

RVTRACE_CALLS=<folder>: one line of JSON for each test into a file of that folder. RVTRACE_MUTANT=<file>: JSON with
`file`, the path of the module, and `text`, what is compiled instead.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_CALLS, _MUTANT = "RVTRACE_CALLS", "RVTRACE_MUTANT"
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Record the functions of our models and scoreboards that a test calls."""
    if _CALLS not in os.environ:
        yield
        return
    seen: set[CodeType] = set()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            seen.add(frame.f_code)

    begin = time.perf_counter()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        seconds = time.perf_counter() - begin
        called: dict[str, list[int]] = {}
        for code in seen:
            path = os.path.realpath(code.co_filename)
            if path.startswith(_OURS):
                called.setdefault(os.path.relpath(path, ROOT), []).append(code.co_firstlineno)
        row = {"test": item.nodeid, "seconds": round(seconds, 3), "calls": called}
        with (Path(os.environ[_CALLS]) / f"{os.getpid()}.jsonl").open("a") as out:
            out.write(json.dumps(row) + "\n")
