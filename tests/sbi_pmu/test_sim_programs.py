# SPDX-License-Identifier: Apache-2.0
"""perf on recorded programs with the counters in RTL: exact counts, what a capture leaves, and checking and listing it
without a simulator.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from rvtrace.flow.captured import sbi_pmu as sbi_pmu_check
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.report.listing import sbi_pmu as sbi_pmu_calls
from rvtrace.tb.sbi_pmu.stimulus.builds import BARE, DEFAULT, RV32

SYSTEM = systems.bench("sbi_pmu")
SIZE = 1500  # cycles of a program with something in them


@pytest.mark.parametrize("build", [DEFAULT, RV32, BARE])
def test_programs(run_jobs, build):
    jobs = [Job(name, f"program:{name}", dict(build), size=SIZE, ip="sbi_pmu") for name in recording.names()]
    results = run_jobs(jobs)
    assert all(row["count"] > 500 for result in results for row in result["counted"] if row["event"] == "instructions")
    assert len(sbi_pmu_calls.shown(results)) == len(jobs)


def test_a_whole_program_is_counted_exactly(run_jobs):
    """Instructions and traps by mode, against the retire stream; the overflows of a sampled event are as many as its
    count has periods.
    """
    job = Job("whole", "program:traps", dict(DEFAULT), ip="sbi_pmu")
    (result,) = run_jobs([job])
    run = recording.load("traps", 64)
    retired, counts = run.retired.kind == Kind.INSN, {row["event"]: row for row in result["counted"]}
    assert counts["instructions"]["count"] == int(retired.sum()) > 10_000
    assert counts["instructions:u"]["count"] == int((retired & (run.retired.priv == 0)).sum())
    assert counts["traps"]["count"] == int(np.isin(run.retired.kind, (Kind.EXCEPTION, Kind.INTERRUPT)).sum())
    assert counts["branch-misses"]["samples"] == counts["branch-misses"]["count"] // 200 > 0


def test_a_capture_is_checked_and_listed_without_a_simulator(run_jobs, capsys):
    job = Job("offline", "program:sort", dict(RV32), size=SIZE, keep=True, ip="sbi_pmu")
    run_jobs([job])
    assert sbi_pmu_calls.write(Path(job.out)) and all(
        (Path(job.out) / name).exists() for name in (*SYSTEM.left, "counted.txt")
    )
    for exact in ("0", "1"):
        assert sbi_pmu_check.main([f"IN={job.out}", f"EXACT={exact}"]) == 0 and "PASS" in capsys.readouterr().out
    assert sbi_pmu_calls.main([f"IN={job.out}"]) == 0 and "counter_config_matching" in capsys.readouterr().out


def test_a_wrong_record_is_found_without_a_simulator(run_jobs, capsys):
    job = Job("wrong", "program:sort", dict(DEFAULT), size=SIZE, keep=True, ip="sbi_pmu")
    run_jobs([job])
    path = Path(job.out) / "calls.jsonl"
    record = Record.load(path)
    at = max(
        n for n, step in enumerate(record.steps) if step.result is not None and getattr(step.result, "error", 1) == 0
    )
    record.steps[at] = record.steps[at]._replace(result=record.steps[at].result._replace(error=-3))
    record.save(path)
    assert sbi_pmu_check.main([f"CALLS={path}", "QUIET=1"]) == 1 and "FAIL SBI." in capsys.readouterr().out
    assert json.loads((Path(job.out) / "counted.json").read_text())
