"""What a simulator process of hpm_tb runs for IP=sbi_pmu."""

from __future__ import annotations

import cocotb
from cocotb.handle import HierarchyObject

from tb.envs.play import play
from tb.envs.sbi_pmu import SbiPmuTest
from tb.sequences.sbi_pmu_stimulus import stimulus


@cocotb.test()
async def jobs(dut: HierarchyObject) -> None:
    """Play them all."""
    await play(dut, SbiPmuTest, stimulus)
