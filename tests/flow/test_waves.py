# SPDX-License-Identifier: Apache-2.0
"""WAVES=1: a run on each simulator leaves a waveform of the design, and is the run that it is without."""

from pathlib import Path

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulation import build, run
from rvtrace.flow.simulators import SIMULATORS, SimulatorError
from rvtrace.jobs.job import Job
from rvtrace.tb.ctr.stimulus.builds import LEAN


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_run_leaves_a_waveform(name: str, tmp_path: Path) -> None:
    try:
        simulators.find(name)
    except SimulatorError as error:
        pytest.skip(str(error))
    job = Job("waves", "random", dict(LEAN), size=50, ip="ctr")
    made = build(build_of(job), name, waves=True, fast=True)
    (result,) = run(made, [job], tmp_path)
    assert result["verdict"] == "PASS", result
    (waves,) = tmp_path.glob("waves.*")
    assert waves.suffix == f".{made.waves}" and waves.stat().st_size > 1000
    assert made.waves != "vcd" or "ctr_tb" in waves.read_text()
