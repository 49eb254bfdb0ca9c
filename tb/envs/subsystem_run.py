"""What a simulator process of subsystem_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.play import play
from tb.envs.subsystem import SubsystemTest
from tb.sequences.subsystem_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, SubsystemTest, stimulus)
