# SPDX-License-Identifier: Apache-2.0
"""What a simulation of a core without trace sources runs: load, reset, wait for `halt`, and say how it ended.

The folder of each job has memory.hex and run.json (`Run`); it gets rvfi.bin, trap.bin and result.json, whose verdict is
about the run alone: whether the core retires the right instructions is judged from the files.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, First, RisingEdge

from rvtrace.jobs.job import Job
from rvtrace.jobs.results import blank
from rvtrace.tb.cores.agents.files import MEMORY, RVFI, TRAP, Run


@cocotb.test()
async def jobs(dut: Any) -> None:
    """The program in the folder of each job, one after the other."""
    here = Path().resolve()
    for given in json.loads(Path(os.environ["TRACE_JOBS"]).read_text()):
        job = Job(**given)
        begin = time.perf_counter()
        folder = Path(job.out).resolve()
        run = Run.load(folder)
        if folder != here:  # the bench reads and writes in the folder of the simulator
            shutil.copyfile(folder / MEMORY, here / MEMORY)
        ended = await play(dut, run)
        if folder != here:
            for name in (RVFI, TRAP):
                (here / name).replace(folder / name)
        seconds = time.perf_counter() - begin
        result = blank(job) | {
            "verdict": "PASS" if ended else "ERROR",
            "error": None if ended else run.over(int(dut.retired_o.value)),
            "stats": {"instructions": int(dut.retired_o.value), "seconds": {"total": seconds, "simulator": seconds}},
        }
        (folder / "result.json").write_text(json.dumps(result, indent=1))


async def play(dut: Any, run: Run) -> bool:
    """Run the core; whether it came to `halt`."""
    for name, value in (("rst_ni", 0), ("load_i", 0), ("record_i", 0)):
        getattr(dut, name).value = value
    dut.start_pc_i.value, dut.halt_pc_i.value, dut.limit_i.value = run.start, run.halt, run.limit
    dut.tohost_i.value = run.tohost
    await ClockCycles(dut.clk_o, 2)
    dut.load_i.value = dut.record_i.value = 1
    await ClockCycles(dut.clk_o, 2)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_o)
    await First(RisingEdge(dut.done_o), ClockCycles(dut.clk_o, run.limit + 1000))
    await FallingEdge(dut.clk_o)
    halted = dut.halted_o.value == 1
    dut.load_i.value = dut.record_i.value = 0
    await ClockCycles(dut.clk_o, 2)
    return bool(halted)
