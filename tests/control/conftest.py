"""Fixtures of tests that simulate the trace system."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from tb.system_job import SystemJob
from tools.jobs import RESULTS, trouble
from tools.system import run_stories


@pytest.fixture
def tell(sim: str, request: pytest.FixtureRequest) -> Callable[[list[SystemJob]], list[dict[str, Any]]]:
    """Runs stories of the trace system and fails with what they have to say."""
    out = RESULTS / f"test-{sim}" / re.sub(r"[^\w.=-]+", "_", request.node.name)
    shutil.rmtree(out, ignore_errors=True)

    def runner(jobs: list[SystemJob]) -> list[dict[str, Any]]:
        results = run_stories(jobs, sim, out)
        bad = [result for result in results if result["verdict"] != "PASS"]
        if bad:
            pytest.fail("\n\n".join(trouble(result) for result in bad[:3]), pytrace=False)
        assert len(results) == len(jobs)
        return results

    return runner
