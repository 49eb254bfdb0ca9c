# SPDX-License-Identifier: Apache-2.0
"""Settings of all tests, and fixtures of those that simulate: the simulator, where results go,
running a list of jobs.
"""

import os
import re
import shutil
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import settings

from rvtrace.flow.jobs import RESULTS, run_all, trouble
from rvtrace.jobs.job import Job
from rvtrace.scoreboards.diagnosis import budget
from tests.common.long import LONG
from tests.common.simulators import by_simulator

# The same examples everywhere, and no test that depends on how busy the machine is.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")
# A search ends when it has found its cause, on a machine up to 60 times slower than where the budget was measured.
budget.DEVICE, budget.FILE = 60 * budget.DEVICE, 60 * budget.FILE


class RunJobs(Protocol):
    """Runs jobs."""

    def __call__(self, jobs: list[Job]) -> list[dict[str, Any]]:
        """Their results, in the order of the jobs."""
        ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of `make test ONLY=simulated`."""
    parser.addoption("--only-simulated", action="store_true", help="only the tests that depend on SIM")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that depend on the simulator have the fixture `sim`, directly or through another; long ones are marked."""
    if not LONG:
        kept = [item for item in items if item.get_closest_marker("long") is None]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept
    if config.getoption("--only-simulated"):
        kept = [item for item in items if "sim" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


@pytest.fixture(scope="session")
def sim() -> str:
    """The simulator chosen by SIM."""
    return os.environ.get("SIM", "verilator")


@pytest.fixture
def run_jobs(sim: str, request: pytest.FixtureRequest) -> RunJobs:
    """Runs jobs, those of one build in one simulator process, and fails with what they have to say; each on the
    simulator that tests/common/simulators.py names.

    Results stay in build/results/test-<sim>/<folder>-<test>, where the report finds them.
    """
    out = RESULTS / f"test-{sim}" / re.sub(r"[^\w.=-]+", "_", f"{request.path.parent.name}-{request.node.name}")
    shutil.rmtree(out, ignore_errors=True)

    def runner(jobs: list[Job]) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for way, some in by_simulator(jobs, sim).items():
            process = f"process-{way.simulator}{'-fast' * way.fast}"
            played = run_all(some, way.simulator, out, lambda result: None, process=process, fast=way.fast)
            found |= {result["name"]: result for result in played}
        results = [found[job.name] for job in jobs]
        bad = [result for result in results if result["verdict"] != "PASS"]
        if bad:
            reported = "\n\n".join(trouble(result) for result in bad[:3])
            pytest.fail(f"{len(bad)} of {len(results)} runs did not pass\n{reported}", pytrace=False)
        assert len(found) == len(jobs)
        return results

    return runner


@pytest.fixture
def rtl_copy(tmp_path: Path) -> Path:
    """A copy of rtl/ to break."""
    from rvtrace.jobs.builds import ROOT

    return Path(shutil.copytree(ROOT / "rtl", tmp_path / "rtl"))
