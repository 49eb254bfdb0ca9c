"""A list of jobs in one simulator process: one after the other, each with its own reset and its own result.json."""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cocotb.handle import HierarchyObject
from pyuvm import ConfigDB, uvm_root

from tb.envs.encoder import EncoderTest
from tb.envs.results import blank, judged
from tb.job import Job, load_jobs
from tb.sequences.stimulus import Stimulus


async def play(dut: HierarchyObject, test: type[EncoderTest], stimulus: Callable[[Job], Stimulus]) -> None:
    """Play the jobs of the file named by TRACE_JOBS. A job that breaks is an ERROR with its reason, and the next one runs."""
    for job in load_jobs(Path(os.environ["TRACE_JOBS"])):
        out = Path(job.out)
        out.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        try:
            result = await _play(dut, job, test, stimulus)
        except Exception as error:
            traceback.print_exc()
            result = blank(job) | {"error": f"{type(error).__name__}: {error}"}
        result["stats"].setdefault("seconds", {})["total"] = time.perf_counter() - begin
        (out / "result.json").write_text(json.dumps(result, indent=1, default=lambda number: number.item()))  # of numpy


async def _play(dut: HierarchyObject, job: Job, kind: type[EncoderTest], stimulus: Callable[[Job], Stimulus]) -> dict[str, Any]:
    begin = time.perf_counter()
    what = stimulus(job)
    seconds = {"stimulus": time.perf_counter() - begin}
    for name, value in (("DUT", dut), ("JOB", job), ("STIMULUS", what)):
        ConfigDB().set(None, "*", name, value)
    await uvm_root().run_test(kind, keep_singletons=True)
    test = uvm_root().uvm_test_top
    verdict, capture = test.outcome
    seconds |= test.seconds
    if job.keep:
        test.leave(Path(job.out))
    return judged(job, verdict, capture, test.coverage, seconds) | test.extra
