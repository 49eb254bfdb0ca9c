# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest (`-p rvtrace.flow.suite_progress`): tests are counted as other work is
(rvtrace.flow.progress), and each failure is shown as it comes, in place of the dots.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

from rvtrace.flow import progress

_OUT = os.fdopen(os.dup(2), "w", buffering=1)  # while tests run, pytest keeps what is written to stderr


class _Suite:
    """Counts tests in the process that other processes report to."""

    def __init__(self) -> None:
        self._failed = False
        self._shown: progress.Progress | None = None

    def _begin(self, tests: int) -> None:
        if self._shown is None:
            progress.write_to(_OUT)
            self._shown = progress.Progress(tests, "tests").__enter__()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """All tests of this process are known; with xdist there are none."""
        if session.items:
            self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """The tests of a process of xdist, which are those of each."""
        self._begin(len(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Setup, call or teardown of a test has ended."""
        if report.failed and not self._failed:
            self._failed = True
            progress.say(f"FAILED {report.nodeid}")
        if report.when == "teardown" and self._shown is not None:
            self._shown.step(self._failed)
            self._failed = False

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self, report: Any) -> Generator[None, Any, tuple[str, str, str]]:
        """No dots."""
        category, *_ = yield
        return category, "", ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Before the failures are printed."""
        if self._shown is not None:
            self._shown.close()


def pytest_configure(config: pytest.Config) -> None:
    """Count in the process that prints."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Suite())
