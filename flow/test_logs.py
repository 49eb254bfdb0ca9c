# SPDX-License-Identifier: Apache-2.0
"""The logs of users' tests in the terminal, while their jobs run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rvtrace.flow import progress
from rvtrace.jobs.job import Job
from rvtrace.jobs.results import TEST_LOG
from rvtrace.models.common import shown


class TestLogs:
    """Shows what was added to the logs of these jobs since it was asked last."""

    __test__ = False  # no class of tests

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._read = {Path(job.out) / TEST_LOG: 0 for job in jobs if job.test}
        for path in self._read:
            path.unlink(missing_ok=True)

    def show(self, final: bool = False) -> None:
        """Whole lines; final: also what is after the last one."""
        for path, begin in self._read.items():
            if not path.exists():
                continue
            with path.open("rb") as file:
                file.seek(begin)
                data = file.read()
            end = len(data) if final else data.rfind(b"\n") + 1
            self._read[path] = begin + end
            if text := data[:end].decode(errors="replace").rstrip("\n"):
                progress.say(shown.text(text))
