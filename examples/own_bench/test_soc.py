# SPDX-License-Identifier: Apache-2.0
"""A cocotb testbench of `soc`, with its own clock and reset. What rvtrace adds is marked."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from rvtrace.models.ntrace import Config
from rvtrace.tb.ntrace import HartMonitor, Scoreboard, TraceMonitor


async def receive(dut, rng):
    """A receiver of the trace that is not always ready."""
    while True:
        await RisingEdge(dut.hart_clk)
        dut.te_ready.value = int(rng.random() < 0.7)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def boot(dut):
    """The program of the ROM runs to its end, and its trace says so."""
    cocotb.start_soon(Clock(dut.clk, 5, unit="ns").start())
    cocotb.start_soon(receive(dut, random.Random(1)))
    dut.rst.value = 1

    # rvtrace: what is watched, and at the end of the test `check`
    config = Config(mode="htm", xlen=32)
    trace = TraceMonitor(
        dut.hart_clk, dut.hart_rst, valid=dut.te_valid, ready=dut.te_ready, nbytes=dut.te_bytes, data=dut.te_data
    )
    hart = HartMonitor(
        config,
        dut.hart_clk,
        dut.hart_rst,
        itype=dut.hart_itype,
        iaddr=dut.hart_iaddr,
        ilastsize=1,
        cause=dut.hart_cause,
        iretire=lambda: 2 * int(dut.hart_valid.value and dut.hart_itype.value != 1),
        ready=lambda: not dut.stall.value,
    )
    scoreboard = Scoreboard("program.elf", config, trace, hart)

    for _ in range(8):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.done)
    await trace.quiet()

    verdict = scoreboard.check()  # rvtrace: AssertionError with clause, place and evidence if the trace is wrong
    dut._log.info(f"{int(verdict.stats['instructions'])} instructions in {len(trace.items)} transfers")
