"""What a simulator process of tandem_tb runs."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.play import play
from tb.envs.tandem import TandemTest
from tb.sequences.tandem_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, TandemTest, stimulus)
