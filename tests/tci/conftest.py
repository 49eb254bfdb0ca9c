# SPDX-License-Identifier: Apache-2.0
"""Fixtures of tests that simulate the trace system."""

import re
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from rvtrace.flow.jobs import RESULTS, run_all, trouble
from rvtrace.tb.tci.job import TciJob


@pytest.fixture
def run_jobs(sim: str, request: pytest.FixtureRequest) -> Callable[[list[TciJob]], list[dict[str, Any]]]:
    """Runs jobs of the trace system and fails with the reasons of the first."""
    out = RESULTS / f"test-{sim}" / re.sub(r"[^\w.=-]+", "_", request.node.name)
    shutil.rmtree(out, ignore_errors=True)

    def runner(jobs: list[TciJob]) -> list[dict[str, Any]]:
        results = run_all([*jobs], sim, out, lambda result: None)
        bad = [result for result in results if result["verdict"] != "PASS"]
        if bad:
            pytest.fail("\n\n".join(trouble(result) for result in bad[:3]), pytrace=False)
        assert len(results) == len(jobs)
        return results

    return runner
