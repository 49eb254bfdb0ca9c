"""What a simulator process of the trace system runs: a list of jobs, one after the other, each with its own result.json.

The list is the file named by TRACE_JOBS. A job that breaks is an ERROR with its reason, and the next one runs.
`make run IP=<ip> SOURCE=system:<name>` needs of tools/jobs.py: a SystemJob for such a source (tb/system_job.py), and
tools/system.py's build for it.
"""

from __future__ import annotations

import json
import os
import random
import time
import traceback
from pathlib import Path
from typing import Any

import cocotb
from cocotb.handle import HierarchyObject
from pyuvm import ConfigDB, uvm_root

from scoreboards import etrace, ntrace
from tb.coverage import etrace_points, points
from tb.envs.results import KEPT_FAILURES, blank
from tb.envs.system import SystemTest
from tb.sequences.system import BY_IP
from tb.system_job import SystemJob, load_jobs

_PLANS = {"ntrace": ntrace.plan, "etrace": etrace.plan}
_COVERAGE = {"ntrace": points.sample_system, "etrace": etrace_points.sample_system}


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    for job in load_jobs(Path(os.environ["TRACE_JOBS"])):
        out = Path(job.out)
        out.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        try:
            result = await _play(dut, job)
        except Exception as error:
            traceback.print_exc()
            result = blank(job) | {"error": f"{type(error).__name__}: {error}"}
        result["stats"].setdefault("seconds", {})["total"] = time.perf_counter() - begin
        (out / "result.json").write_text(json.dumps(result, indent=1))


async def _play(dut: HierarchyObject, job: SystemJob) -> dict[str, Any]:
    begin = time.perf_counter()
    story = BY_IP[job.ip][job.story].build(job, random.Random(job.rng_path("story")))
    seconds = {"stimulus": time.perf_counter() - begin}
    for name, value in (("DUT", dut), ("JOB", job), ("STORY", story), ("PARAMS", job.params)):
        ConfigDB().set(None, "*", name, value)
    await uvm_root().run_test(SystemTest, keep_singletons=True)
    test = uvm_root().uvm_test_top
    if test.error is not None:
        raise test.error
    if job.keep:
        leave(test, Path(job.out))
    return judged(job, test, seconds | test.seconds)


def judged(job: SystemJob, test: SystemTest, seconds: dict[str, float]) -> dict[str, Any]:
    """The result of a run that was checked; one without a single check is an ERROR."""
    verdict, clauses = test.verdict, test.verdict.results()
    if (whole := _PLANS[job.ip]()) is not None:
        clauses = whole.roll_up(clauses)  # rows of the protocol that those of the trace system check
    result = blank(job) | {
        "verdict": "PASS" if verdict.passed else "FAIL", "clauses": clauses,
        "failures": [failure.to_dict() for failure in verdict.failures[:KEPT_FAILURES]],
        "coverage": _COVERAGE[job.ip](test.capture),
        "stats": {**verdict.stats, "cycles": max((a.cycle for a in test.capture.accesses), default=0), "seconds": seconds},
    }  # fmt: skip
    if not sum(checked for checked, _ in clauses.values()):
        result |= {"verdict": "ERROR", "error": "no check was executed; a run without checks proves nothing"}
    return result


def leave(test: SystemTest, out: Path) -> None:
    """What another tool needs: writes.json (register writes of the tool), trace.bin (as it came back), and of each hart
    program<h>.elf, config<h>.json, beats<h>.npz."""
    log = [[w.component, w.register, w.value, w.why] for w in test.session.tool.log]
    (out / "writes.json").write_text(json.dumps(log, indent=0))
    back = test.session.readback
    (out / "trace.bin").write_bytes(test.capture.merged.data if back is None else back)
    for hart, run in enumerate(test.capture.harts):
        run.program.to_elf(out / f"program{hart}.elf")
        (out / f"config{hart}.json").write_text(json.dumps(run.config.to_dict(), indent=2) + "\n")
        run.beats.save(out / f"beats{hart}.npz")
