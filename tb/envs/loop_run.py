"""What a simulator process of loop_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.loop import LoopTest
from tb.envs.play import play
from tb.sequences.loop_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, LoopTest, stimulus)
