"""What a simulator process of ctr_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.ctr import CtrTest
from tb.envs.play import play
from tb.sequences.ctr_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, CtrTest, stimulus)
