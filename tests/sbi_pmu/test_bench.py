# SPDX-License-Identifier: Apache-2.0
"""The bench without a simulator: harts on the counter model and on records of it, perf sessions, listings."""

from collections import Counter

import numpy as np
import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.hpm.rows import NO_ACCESS, answered
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.sbi_pmu.calls import Call, Peek, Poke, Run, SupervisorCsr
from rvtrace.models.sbi_pmu.record import Record, Work
from rvtrace.report.listing.sbi_pmu import listing
from rvtrace.scoreboards.sbi_pmu.check import differs
from rvtrace.tb.sbi_pmu.stimulus.builds import BUILDS, DEFAULT, RV32
from rvtrace.tb.sbi_pmu.stimulus.play import on_record
from rvtrace.tb.sbi_pmu.stimulus.stimulus import SbiPmuStimulus, supervised

HARTS = pytest.mark.parametrize("build", BUILDS)


def played(build: str, seed: int = 1, size: int = 200) -> SbiPmuStimulus:
    """A random supervisor on a build, played on the counter model."""
    return supervised(Job("test", "random", dict(BUILDS[build]), seed, size=size, ip="sbi_pmu"))


@HARTS
def test_a_hart_does_the_same_with_the_answers_of_the_model(build):
    """What stood on the ports, answered by the model, leads the same supervisor and implementation
    to the same record.
    """
    what = played(build)
    hart = what.hart()
    assert on_record(what.playing(hart), answered(what.rows, what.config.hpm)) is None
    assert differs(hart.record, what.model) is None and hart.problems == hart.memory.problems == []
    assert len(what.rows) > 500 and what.rows.accesses > 100


@HARTS
def test_a_wrong_answer_is_seen(build):
    """One bit of one counter's value: the record differs in that step, or the hart does something else."""
    what = played(build)
    rows = answered(what.rows, what.config.hpm)
    read = np.flatnonzero((rows.op == 0) & (rows.addr >> 8 == 0xB) & (rows.outcome == 0))
    read = read if len(read) else np.flatnonzero((rows.op == 0) & (rows.addr >> 8 == 0xC))
    rows.rdata[read[len(read) // 2]] ^= np.uint64(1)
    hart = what.hart()
    astray = on_record(what.playing(hart), rows)
    found = differs(hart.record, what.model)
    assert found is not None or astray is not None
    if found:
        assert "on the counter model" in found[1]


def test_a_missing_access_leads_astray():
    what = played("default")
    rows = answered(what.rows, what.config.hpm)
    at = np.flatnonzero(rows.op != NO_ACCESS)
    said = on_record(what.playing(what.hart()), rows.select(np.delete(np.arange(len(rows)), at[5])))
    assert said is not None and "is not what was on the port" in said


def test_a_refused_access_of_the_firmware_is_a_problem():
    what = played("default")
    rows = answered(what.rows, what.config.hpm)
    rows.outcome[np.flatnonzero(rows.op != NO_ACCESS)[0]] = 1
    hart = what.hart()
    on_record(what.playing(hart), rows)
    assert hart.problems == ["cycle 0: access to CSR 0x320 in M-mode gave illegal instruction"]


@HARTS
def test_records_are_saved_and_listed(build, tmp_path):
    what = played(build, 2)
    what.model.save(tmp_path / "calls.jsonl")
    assert Record.load(tmp_path / "calls.jsonl").steps == what.model.steps
    text, quiet = listing(what.model), listing(what.model, quiet=True)
    calls = sum(isinstance(step.action, Call) for step in what.model.steps)
    assert len(quiet.splitlines()) == len(what.model.steps) < len(text.splitlines()) and calls > 150
    assert "write mcountinhibit" in text and "write mcountinhibit" not in quiet and "the hart runs" in quiet


def test_random_supervisors_have_everything():
    """Every function with success and failure, every action, stretches of work with events in every mode."""
    seen, actions, modes = Counter(), set(), set()
    for seed in range(6):
        for build in BUILDS:
            for step in played(build, seed, 300).model.steps:
                actions.add(type(step.action))
                if isinstance(step.action, Call):
                    seen[step.action.fid, step.result.error == 0] += 1
                elif isinstance(step.action, Work):
                    modes |= {priv for priv, _, _ in step.action.counts}
    assert {(fid, good) for fid in range(1, 9) for good in (False, True)} <= set(seen) and (0, True) in seen
    assert {Call, Peek, Poke, SupervisorCsr, Work} < actions and Run not in actions and modes == {0, 1, 3, 4, 5, 7}


@pytest.mark.parametrize(("xlen", "build"), [(64, DEFAULT), (32, RV32)])
def test_perf_counts_what_retired(xlen, build):
    """Against the retire stream, counted otherwise: handlers and calls cost nothing, sampling loses nothing."""
    run = recording.load("traps", xlen)
    counted = supervised(Job("perf", "program:traps", dict(build), ip="sbi_pmu")).result
    counts = {row["event"]: row["count"] for row in counted}
    retired = run.retired.kind == Kind.INSN
    assert counts["instructions"] == int(retired.sum())
    assert counts["traps"] == int(np.isin(run.retired.kind, (Kind.EXCEPTION, Kind.INTERRUPT)).sum()) > 0
    assert counts["instructions:u"] == int((retired & (run.retired.priv == 0)).sum()) > 0
    assert counts["instructions:k"] == int((retired & (run.retired.priv == 1)).sum()) > 0
    sampled = next(row for row in counted if row["event"] == "branch-misses")
    assert sampled["samples"] == sampled["count"] // 200 > 0
