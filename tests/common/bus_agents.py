# SPDX-License-Identifier: Apache-2.0
"""Run by the simulator: what maintained packages say of our buses (tests/common/test_bus_agents.py)."""

import itertools
import logging
import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.apb import ApbBus, ApbRam
from cocotbext.axi import AxiLiteBus, AxiLiteRam, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from rvtrace.models.ntrace import Config
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.tb.common.stimulus.stimulus import closed
from rvtrace.tb.ntrace import Scoreboard, TraceMonitor
from tests.ntrace.legal_encoder import LegalEncoder

AXI_LITE, APB = 0, 1
SIZE, ACCESSES = 1 << 12, 150


async def begin(dut):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    for name in ("req", "s_axis_tvalid", "m_axis_tready", "write", "addr", "wdata"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.rst.value = 0


async def access(dut, bus, write, addr, data=0):
    """One access of our manager; what it read. The request stays until it is done, as that of dut_bus_steps does."""
    dut.req.value, dut.write.value, dut.addr.value, dut.wdata.value = 1 << bus, int(write), addr, data
    for _ in range(200):
        await FallingEdge(dut.clk)
        if dut.done.value[bus] == 1:
            assert dut.error.value[bus] == 0
            read = 0 if write else int(dut.rdata.value[32 * bus + 31 : 32 * bus])
            await RisingEdge(dut.clk)
            dut.req.value = 0
            await RisingEdge(dut.clk)
            return read
    raise AssertionError(f"the access to {addr:#x} does not end")


async def played(dut, bus, memory):
    """Random accesses, compared with a dictionary and, at the end, with the memory of the other side."""
    rng, known = random.Random(1), {}
    for _ in range(ACCESSES):
        addr = rng.randrange(0, SIZE, 4)
        if known and rng.random() < 0.5:
            addr = rng.choice(list(known))
            assert await access(dut, bus, False, addr) == known[addr]
        else:
            known[addr] = rng.getrandbits(32)
            await access(dut, bus, True, addr, known[addr])
    assert len(known) > 20
    for addr, value in known.items():
        assert int.from_bytes(memory.read(addr, 4), "little") == value


def pauses():
    rng = random.Random(2)
    return (rng.random() < 0.4 for _ in itertools.count())


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def axi_lite_manager(dut):
    """Ours for devices of users, against a subordinate with pauses on all five channels."""
    await begin(dut)
    ram: Any = AxiLiteRam(AxiLiteBus.from_prefix(dut, "m_axil"), dut.clk, dut.rst, size=SIZE)
    for channel in (ram.write_if.aw_channel, ram.write_if.w_channel, ram.write_if.b_channel,
                    ram.read_if.ar_channel, ram.read_if.r_channel):  # fmt: skip
        channel.set_pause_generator(pauses())
    await played(dut, AXI_LITE, ram)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def apb_requester(dut):
    """Ours for devices of users, against a completer that waits."""
    await begin(dut)
    ram = ApbRam(ApbBus.from_prefix(dut, "m_apb"), dut.clk, size=SIZE)
    ram.log.setLevel(logging.ERROR)
    await played(dut, APB, ram)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def trace_on_axi_stream(dut):
    """A trace that crosses an AXI-Stream in frames with TKEEP is judged; with a byte that is wrong it fails."""
    await begin(dut)
    config, rng = Config(), random.Random(3)
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, 300), program)
    data = bytearray(LegalEncoder(config, rng).encode(retired))
    if os.environ.get("WRONG_BYTE"):
        data[len(data) // 2] ^= 4
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
    for one in (source, sink):
        one.log.setLevel(logging.ERROR)
        one.set_pause_generator(pauses())
    trace = TraceMonitor(dut.clk, dut.rst, valid=dut.m_axis_tvalid, ready=dut.m_axis_tready,
                         keep=dut.m_axis_tkeep, data=dut.m_axis_tdata)  # fmt: skip
    for at in range(0, len(data), 7):
        await source.send(AxiStreamFrame(bytes(data[at : at + 7])))
    await trace.quiet()
    assert trace.arrays()[0] == bytes(data)
    Scoreboard(program, config, trace, retired).check()
