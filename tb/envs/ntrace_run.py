"""What a simulator process runs: a list of jobs, one after the other, each with its own reset and its own result.json.

The list is the file named by TRACE_JOBS. A job that breaks is an ERROR with its reason, and the next one runs.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from pathlib import Path
from typing import Any

import cocotb
from cocotb.handle import HierarchyObject
from pyuvm import ConfigDB, uvm_root

from tb.envs.ntrace import NtraceTest, leave
from tb.envs.results import blank, judged
from tb.job import Job, load_jobs
from tb.sequences.stimulus import stimulus


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


async def _play(dut: HierarchyObject, job: Job) -> dict[str, Any]:
    begin = time.perf_counter()
    what = stimulus(job)
    seconds = {"stimulus": time.perf_counter() - begin}
    for name, value in (("DUT", dut), ("JOB", job), ("STIMULUS", what)):
        ConfigDB().set(None, "*", name, value)
    await uvm_root().run_test(NtraceTest, keep_singletons=True)
    test = uvm_root().uvm_test_top
    verdict, capture = test.outcome
    seconds |= test.seconds
    if job.keep:
        leave(capture, what, Path(job.out))
    return judged(job, verdict, capture, test.coverage, seconds)
