"""Files between Python and system_tb: rows that harts play, and what the recorders saw of encoders, funnel, memory and pins.

`SystemControl` is the only part that touches signals: reset, recording, and starting the harts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, FallingEdge, First, RisingEdge
from cocotb_bus.bus import Bus
from pyuvm import ConfigDB, uvm_component

from models.control.model_funnel import messages
from models.riscv.beats import Beats
from scoreboards.control_capture import Fired, Stream
from tb.agents import rows

GIVE_UP, SLOWEST = 100_000, 1_000  # cycles, and cycles a row, until harts that are stalled are given up
ACTION_BIT, EXTERNAL_BIT = 10, 24  # of a row's levels word: action of a debug trigger (4 bits), external triggers (8)
_TRANSFER = np.dtype([
    ("since", "<u8"), ("cycle", "<u8"), ("wrong", "<u4"), ("nbytes", "<u4"), ("data", "u1", (rows.OUT_BYTES,)),
])  # fmt: skip
_WRONG = {1: "valid fell or data changed before ready", 2: "an output is X"}


class StuckError(RuntimeError):
    """Harts that are stalled and never go on."""


@dataclass
class Triggers:
    """Triggers of a hart beside its beats, by row. action: of a debug trigger (0 none, 2 on, 3 off, 4 notify); external: a mask of inputs."""

    action: dict[int, int] = field(default_factory=dict)
    external: dict[int, int] = field(default_factory=dict)


def write_stimulus(folder: Path, hart: int, beats: Beats, triggers: Triggers | None = None) -> None:
    """What hart `hart` plays: beats (their enable and inst_tracing are the registers' business) and triggers."""
    path = folder / f"stimulus{hart}.bin"
    rows.write_stimulus(path, beats)
    if triggers is None or not len(beats):
        return
    raw = np.fromfile(path, dtype=np.uint8).reshape(len(beats), -1)[:, ::-1].copy()
    words = raw.view("<u4")  # a row begins with gap (2 words), levels
    for column, bit in ((triggers.action, ACTION_BIT), (triggers.external, EXTERNAL_BIT)):
        for index, value in column.items():
            words[index, 2] |= np.uint32(value << bit)
    raw[:, ::-1].tofile(path)


def read_stream(path: Path) -> Stream:
    """What a stream_recorder saw."""
    table = np.fromfile(path, dtype=_TRANSFER)
    good = table[table["wrong"] & 2 == 0]
    data, cycle = rows.flatten(good["cycle"], good["nbytes"], good["data"])
    ends = np.cumsum(np.minimum(good["nbytes"], rows.OUT_BYTES)).tolist()
    pieces = [data[begin:end] for begin, end in zip([0, *ends], ends)]
    transfers = zip(good["since"].tolist(), good["cycle"].tolist(), pieces)
    problems = []
    for code, text in _WRONG.items():
        bad = table[table["wrong"] & code != 0]
        if len(bad):
            problems.append(f"cycle {int(bad['cycle'][0])}: {path.stem}: {text}")
    empty = good["nbytes"] == 0
    if empty.any():
        problems.append(f"cycle {int(good['cycle'][empty][0])}: {path.stem}: a transfer without bytes")
    return Stream(data, cycle, messages(transfers), problems)


def read_ingress(folder: Path, hart: int, lanes: int) -> Beats:
    """What encoder `hart` accepted, with the levels it saw; the idle row of reset stands before."""
    return rows.after_reset(rows.read_ingress(folder / f"ingress{hart}.bin", lanes))


def read_memory(path: Path) -> list[tuple[int, int, int]]:
    """(cycle, address, word) of every write to system memory."""
    table = np.fromfile(path, dtype=np.dtype([("cycle", "<u8"), ("addr", "<u8"), ("word", "<u4")]))
    return list(zip(table["cycle"].tolist(), table["addr"].tolist(), table["word"].tolist()))


def read_pins(path: Path) -> list[tuple[int, int, int]]:
    """(cycle, TRC_CLK, TRC_DATA) of every change of the pins."""
    table = np.fromfile(path, dtype=np.dtype([("cycle", "<u8"), ("pins", "<u4")]))
    return list(zip(table["cycle"].tolist(), (table["pins"] >> 16 & 1).tolist(), (table["pins"] & 0xFFFF).tolist()))


def read_fired(folder: Path, hart: int, harts: int, lanes: int) -> Fired:
    """The triggers that hart `hart` gave with its rows, and the external outputs of its encoder."""
    row = np.dtype([("cycle", "<u8"), ("levels", "<u4"), ("rest", f"V{4 + 8 + 32 * lanes}")])
    table = np.fromfile(folder / f"ingress{hart}.bin", dtype=row)
    action, external = table["levels"] >> ACTION_BIT & 0xF, table["levels"] >> EXTERNAL_BIT & 0xFF
    given = np.flatnonzero((action != 0) | (external != 0))
    outputs = np.fromfile(folder / "triggers.bin", dtype=np.dtype([("cycle", "<u8"), ("fired", "u1", (4 * ((8 * harts + 31) // 32),))]))
    mine = outputs[outputs["fired"][:, hart] != 0]
    return Fired(
        list(zip(table["cycle"][given].tolist(), action[given].tolist(), external[given].tolist())),
        list(zip(mine["cycle"].tolist(), mine["fired"][:, hart].tolist())),
    )


class SystemBus(Bus):
    """The ports of system_tb beside the register bus."""

    def __init__(self, dut: HierarchyObject) -> None:
        names = {name: f"{name}_i" for name in ("record", "go", "wait_seed", "wait_low")}
        super().__init__(dut, None, names | {"rst_n": "rst_ni", "played": "played_o"})


class SystemControl(uvm_component):
    """Reset, recorders, harts. `seconds`: what the simulator took while harts played. rows: the most a hart has to play."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.bus = SystemBus(self.dut)
        self.seconds = 0.0
        self.rows = 0

    async def reset(self, wait_seed: int = 1, wait_low: int = 0) -> None:
        """Two cycles of reset; then everything is recorded."""
        for name, value in {
            "rst_n": 0, "record": 0, "go": 0, "wait_seed": wait_seed & 0xFFFF_FFFF or 1, "wait_low": wait_low,
        }.items():  # fmt: skip
            getattr(self.bus, name).value = value
        await ClockCycles(self.dut.clk_o, 2)
        self.bus.record.value = 1
        await ClockCycles(self.dut.clk_o, 1)
        self.bus.rst_n.value = 1
        await RisingEdge(self.dut.clk_o)

    async def play(self) -> None:
        """All harts play what they have, to the end; StuckError if they are stalled for good."""
        begin = time.perf_counter()
        self.bus.go.value = 1
        if self.bus.played.value != 1:
            cycles = GIVE_UP + SLOWEST * self.rows
            ended = await First(RisingEdge(self.bus.played), over := ClockCycles(self.dut.clk_o, cycles))
            if ended is over and self.bus.played.value != 1:
                raise StuckError(f"the harts did not come to the end of their {self.rows} rows in {cycles} cycles")
        self.seconds += time.perf_counter() - begin
        await FallingEdge(self.dut.clk_o)

    async def cycles(self, count: int) -> None:
        """Let time pass."""
        await ClockCycles(self.dut.clk_o, count)

    async def stop(self) -> None:
        """End the recording: the files are complete."""
        self.bus.record.value = 0
        self.bus.go.value = 0
        await ClockCycles(self.dut.clk_o, 2)
