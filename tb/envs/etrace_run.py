"""What a simulator process of etrace_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.etrace import EtraceTest
from tb.envs.play import play
from tb.sequences.etrace_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, EtraceTest, stimulus)
