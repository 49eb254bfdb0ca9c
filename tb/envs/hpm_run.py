"""What a simulator process of hpm_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.hpm import HpmTest
from tb.envs.play import play
from tb.sequences.hpm_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, HpmTest, stimulus)
