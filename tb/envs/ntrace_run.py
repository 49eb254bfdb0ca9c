"""What a simulator process of ntrace_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.ntrace import NtraceTest
from tb.envs.play import play
from tb.sequences.stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, NtraceTest, stimulus)
