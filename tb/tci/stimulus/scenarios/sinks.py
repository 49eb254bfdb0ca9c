# SPDX-License-Identifier: Apache-2.0
"""System scenarios about sinks: wraps, stops, system memory, pins, calibration, both sinks at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from rvtrace.models.tci.ram_sink import WORD
from rvtrace.tb.tci.stimulus.scenarios.base import (
    BOTH,
    ENCODERS,
    LONG,
    TciStimulus,
    busy,
    finish,
    harts,
    long,
    reset_all,
    scenario,
    set_up_encoders,
    sram_run,
    start,
)

if TYPE_CHECKING:
    from rvtrace.tb.tci.job import TciJob
    from rvtrace.tb.tci.stimulus.session import Session


@scenario("TCI.ram.data", "TCI.ram.wp", "TCI.seq.verify", "TCI.sys.sources", ips=BOTH)
def read_back(job: TciJob, rng: random.Random) -> TciStimulus:
    """Two harts through the funnel into the SRAM, read back through trRamData and decoded."""

    return TciStimulus(harts(job, rng), sram_run)


@scenario("TCI.ram.wrap", "TCI.sys.wrapped", "TCI.te.source", ips=BOTH)
def wrap(job: TciJob, rng: random.Random) -> TciStimulus:
    """The buffer wraps several times; it is read in two ranges, and its end is decoded."""
    limit = 4 * rng.randrange(24, 48) - 4

    async def run(s: Session) -> None:
        await sram_run(s, limit=limit)

    return TciStimulus(harts(job, rng, 1500, **busy(job)), run, expect={"wrapped": True})


@scenario("TCI.ram.rp", "TCI.ram.data", "TCI.ram.wp", ips=BOTH)
def read_across(job: TciJob, rng: random.Random) -> TciStimulus:
    """Two sessions without a new write pointer: the second goes on where the first stopped; trRamRP wraps after the
    limit.
    """

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram(limit=0x3C)
        await set_up_encoders(s)
        await start(s)
        await s.play()
        await finish(s)
        for first in (0, 0x20, 0x3C):  # across the limit in one go
            await s.tool.write("ram_sink", "trRamRPLow", first, "somewhere in the buffer")
            for _ in range(20):
                await s.tool.read("ram_sink", "trRamData")
            await s.tool.read("ram_sink", "trRamRPLow")
        await start(s)
        await s.cycles(200)
        await finish(s)
        s.readback = await s.tool.read_back()

    return TciStimulus(harts(job, rng, 600, **busy(job)), run, expect={"wrapped": True})


@scenario("TCI.ram.stop_on_wrap", "TCI.sys.prefix", "TCI.te.active", "TCI.funnel.active", ips=BOTH)
def stop_on_wrap(job: TciJob, rng: random.Random) -> TciStimulus:
    """The sink stops when its buffer is full; the encoders overflow; everything is reset with messages inside."""
    limit = 4 * rng.randrange(24, 48) - 4

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram(limit=limit, stop_on_wrap=True)
        await set_up_encoders(s)
        await start(s)
        await s.play()
        await s.tool.poll("ram_sink", {"trRamEnable": 0, "trRamEmpty": 1}, "TCI.ram.stop_on_wrap")
        s.readback = await s.tool.read_back()
        for hart in range(len(ENCODERS)):
            await s.tool.read(ENCODERS[hart], "trTeControl")
        for name in (*ENCODERS, "funnel", "ram_sink"):
            await s.tool.reset(name)

    return TciStimulus(harts(job, rng, 2500, 0.0, **busy(job)), run, expect={"stopped": True, "cut": True})


def _system_memory(job: TciJob, rng: random.Random, first: int, words: int, wrapped: bool, low: int) -> TciStimulus:
    async def run(s: Session) -> None:
        await reset_all(s)
        limit = first + 4 * (words - 1)
        await s.tool.set_up_ram(smem=True, start=first, limit=limit)
        await set_up_encoders(s)
        await start(s)
        await s.play()
        await finish(s)
        flag = await s.tool.read("ram_sink", "trRamWPLow") & 1
        wp = await s.tool.address("WP")
        if s.tool.inside(first, limit, wp, limit + WORD - first):
            s.smem = (first, limit, wp, bool(flag))

    return TciStimulus(harts(job, rng, 1500, **busy(job)), run, low, {"wrapped": wrapped})


@scenario("TCI.ram.smem", "TCI.ram.start_limit", ips=BOTH)
def system_memory(job: TciJob, rng: random.Random) -> TciStimulus:
    """Trace goes to system memory, with wait states, and is read there."""
    return _system_memory(job, rng, rng.randrange(1 << 23) * 0x2_0000, 1 << 15, False, rng.choice((0, 30, 70)))


@scenario("TCI.ram.smem", "TCI.ram.wrap", ips=BOTH)
def system_memory_wrap(job: TciJob, rng: random.Random) -> TciStimulus:
    """A small buffer in system memory wraps; slow memory presses back on the encoders."""
    return _system_memory(job, rng, 0x8000_0000, rng.randrange(24, 48), True, 90)


@scenario("TCI.ram.smem", "TCI.ram.wp", ips=BOTH)
def system_memory_carry(job: TciJob, rng: random.Random) -> TciStimulus:
    """The buffer lies across a 4 GiB boundary: the write pointer carries into its high register."""
    return _system_memory(job, rng, 0xFFFF_FFC0, 1 << 15, False, 20)


def _pins(job: TciJob, rng: random.Random, width: int, center: bool) -> TciStimulus:
    divider = rng.choice((0, 0, 1, 2, 5))

    async def run(s: Session) -> None:
        sinks = ("pin_sink",)
        await reset_all(s, sinks)
        await s.tool.set_up_pins(width, divider, center)
        await s.cycles(60 * (divider + 1))  # the probe finds the clock
        await set_up_encoders(s)
        await start(s, sinks)
        await s.play()
        await finish(s, sinks)
        await s.cycles(40 * (divider + 1))

    return TciStimulus(harts(job, rng, 500, inst_stall_ena=1, **busy(job)), run)


def _make_pins(width: int) -> None:
    def build(job: TciJob, rng: random.Random) -> TciStimulus:
        return _pins(job, rng, width, bool(rng.randrange(2)))

    build.__name__ = f"pins_{width}"
    build.__doc__ = f"Trace leaves on {width} pins, and a probe recovers its bytes whatever the idle between messages."
    clauses = ("TCI.pib.data", "TCI.pib.clock", "TCI.pib.quiescent", "TCI.pib.runs")
    if width < 8:  # idle of E-Trace does not show where a byte begins
        scenario(*clauses, "TCI.pib.align")(build)
    else:
        scenario(*clauses, ips=BOTH)(build)


for _width in (1, 2, 4, 8, 16):
    _make_pins(_width)


@scenario("TCI.pib.align", "TCI.pib.data")
def pins_at_once(job: TciJob, rng: random.Random) -> TciStimulus:
    """A slow pin sink is enabled with its mode, and trace is there before a byte of idle was sent: idle comes first all
    the same.
    """

    async def run(s: Session) -> None:
        sinks = ("pin_sink",)
        await reset_all(s, sinks)
        await set_up_encoders(s)
        await s.tool.set_up_pins(4, 60)
        await start(s, sinks)
        await s.play()
        await finish(s, sinks)
        await s.cycles(40 * 61)

    return TciStimulus(harts(job, rng, 40, inst_stall_ena=1), run)


@scenario("TCI.pib.calibrate")
def calibrate(job: TciJob, rng: random.Random) -> TciStimulus:
    """The calibration pattern on every width, with and without ClkCenter; trace waits until calibration ends."""

    async def run(s: Session) -> None:
        for width in (1, 2, 4, 8, 16):
            for center in (False, True):
                await s.tool.reset("pin_sink")
                await s.tool.set_up_pins(width, 1, center, calibrate=True)
                await s.cycles(40)
                await s.tool.enable("pin_sink")
                await s.cycles(400)
                await s.tool.disable("pin_sink")
                await s.cycles(60)
        sinks = ("pin_sink",)
        await reset_all(s, sinks)
        await s.tool.set_up_pins(4, 0, calibrate=True)
        await set_up_encoders(s)
        await start(s, sinks)
        running = s.playing()
        await s.cycles(400)
        await s.tool.disable("pin_sink")
        await s.tool.set_up_pins(4, 0)
        await s.cycles(100)
        await s.tool.enable("pin_sink")
        await running
        await finish(s, sinks)
        await s.cycles(60)

    return TciStimulus(harts(job, rng, 300, inst_stall_ena=1), run)


@scenario("TCI.sys.sources", "TCI.pib.data", "TCI.ram.data", ips=BOTH)
def both_sinks(job: TciJob, rng: random.Random) -> TciStimulus:
    """RAM and pins enabled together: each gets every message."""

    async def run(s: Session) -> None:
        sinks = ("ram_sink", "pin_sink")
        await reset_all(s, sinks)
        await s.tool.set_up_ram()
        await s.tool.set_up_pins(8, 0)
        await s.cycles(40)
        await set_up_encoders(s)
        await start(s, sinks)
        await s.play()
        await finish(s, sinks)
        s.readback = await s.tool.read_back()
        await s.cycles(40)

    return TciStimulus(harts(job, rng, 500, inst_stall_ena=1, **busy(job)), run)


@scenario("TCI.te.overflow", "TCI.sys.sources", ips=BOTH)
def late_sink(job: TciJob, rng: random.Random) -> TciStimulus:
    """The sink is enabled long after the encoders: they overflow, say so, and go on."""

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram()
        await set_up_encoders(s)
        await start(s, ())
        running = s.playing()
        await s.cycles(900)
        for hart in range(len(ENCODERS)):
            await s.tool.read(ENCODERS[hart], "trTeControl")
        await s.tool.enable("ram_sink")
        for hart in range(len(ENCODERS)):
            await s.tool.clear_overflow(hart)
            await s.tool.read(ENCODERS[hart], "trTeControl")
        await running
        await finish(s)
        s.readback = await s.tool.read_back()

    return TciStimulus(harts(job, rng, 1500, **busy(job)), run)


@scenario("TCI.ram.data", "TCI.ram.flush", ips=BOTH)
def second_sink(job: TciJob, rng: random.Random) -> TciStimulus:
    """While slow pins stop messages in the middle, the RAM sink is enabled and disabled: it gets whole messages, those
    that begin while it is enabled.
    """

    async def run(s: Session) -> None:
        await reset_all(s, ("ram_sink", "pin_sink"))
        await s.tool.set_up_ram()
        await s.tool.set_up_pins(8, 3)
        await s.cycles(200)
        await set_up_encoders(s)
        await start(s, ("pin_sink",))
        running = s.playing()
        for _ in range(20):
            await s.cycles(s.rng.randrange(1, 40))
            await s.tool.enable("ram_sink")
            await s.cycles(s.rng.randrange(1, 40))
            await s.tool.disable("ram_sink")
        await running
        await finish(s, ("pin_sink",))
        await s.tool.read_back()  # of some messages only: each word of it is compared
        await s.cycles(160)

    return TciStimulus(harts(job, rng, 800, inst_stall_ena=1, **busy(job)), run)


@scenario("TCI.ram.data", "TCI.ram.active", ips=BOTH)
def second_sink_reset(job: TciJob, rng: random.Random) -> TciStimulus:
    """While slow pins stop messages in the middle, the RAM sink is reset and enabled again: it loses the rest of the
    message that it has begun, and goes on with the next one.
    """

    async def run(s: Session) -> None:
        await reset_all(s, ("ram_sink", "pin_sink"))
        await s.tool.set_up_ram()
        await s.tool.set_up_pins(*((4, 8) if 8 in job.params.pin_modes else (8, 17)))  # 144 cycles for 8 bytes
        await s.cycles(1200)
        await set_up_encoders(s)
        await start(s, ("ram_sink", "pin_sink"))
        running = s.playing()
        for _ in range(24):
            await s.cycles(s.rng.randrange(1, 300))
            await s.tool.reset("ram_sink")
            await s.tool.set_up_ram()
            await s.tool.enable("ram_sink")
            await s.cycles(s.rng.randrange(100, 300))
            await s.tool.disable("ram_sink")
            await s.tool.read_back()  # of some messages only: each word of it is compared
            await s.tool.enable("ram_sink")
        await running
        await finish(s, ("ram_sink", "pin_sink"))
        await s.cycles(800)

    options = long(job) | {"inst_stall_ena": 1}
    return TciStimulus(harts(job, rng, 200, 0.0, LONG, **options), run, expect={"cut": True})
