# SPDX-License-Identifier: Apache-2.0
"""System scenarios about encoders and funnel: flushes, tracing by hand, triggers, filters, overflow, inputs left out,
resets.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.tci.stimulus import etrace_hart as etrace
from rvtrace.tb.tci.stimulus.scenarios.base import (
    BOTH,
    ENCODERS,
    HARTS,
    LONG,
    HartStimulus,
    TciStimulus,
    beats_of,
    busy,
    finish,
    hart_config,
    hart_stimulus,
    harts,
    long,
    ram_session,
    reset_all,
    scenario,
    set_up_encoders,
    sram_run,
    start,
)

if TYPE_CHECKING:
    from rvtrace.tb.tci.job import TciJob
    from rvtrace.tb.tci.stimulus.session import Session

NO_MARKS = {"notify": 0.0, "ext_notify": 0.0}


@scenario("TCI.te.flush", "TCI.te.empty", "TCI.funnel.flush", "TCI.ram.flush", "TCI.te.enable", ips=BOTH)
def flush(job: TciJob, rng: random.Random) -> TciStimulus:
    """Components are disabled while the harts run, one by one or all, polled until empty, and enabled again."""

    async def run(s: Session) -> None:
        async with ram_session(s):
            for _ in range(6):
                await s.cycles(s.rng.randrange(20, 120))
                chosen = [hart for hart in range(2) if s.rng.randrange(2)] or [0]
                for hart in chosen:
                    await s.tool.disable(ENCODERS[hart])
                if len(chosen) == 2:
                    for name in ("funnel", "ram_sink"):
                        await s.tool.disable(name)
                    for name in ("ram_sink", "funnel"):
                        await s.tool.enable(name)
                for hart in chosen:
                    await s.tool.enable(ENCODERS[hart])

    return TciStimulus(harts(job, rng, 3000), run)


@scenario("TCI.te.inst_tracing", "TCI.te.enable_level", ips=BOTH)
def by_hand(job: TciJob, rng: random.Random) -> TciStimulus:
    """trTeInstTracing is cleared and set while the harts run."""

    async def run(s: Session) -> None:
        async with ram_session(s):
            for _ in range(10):
                await s.cycles(s.rng.randrange(1, 90))
                hart, on = s.rng.randrange(2), bool(s.rng.randrange(2))
                await s.tool.tracing(hart, on)
                await s.tool.read(ENCODERS[hart], "trTeControl")

    return TciStimulus(harts(job, rng, 1500), run)


def _trigger(one: HartStimulus, rng: random.Random, external: bool, share: float = 0.02) -> HartStimulus:
    """Random triggers beside the rows of a hart."""
    for row in range(1, len(one.beats)):
        if rng.random() < share:
            if external:
                one.triggers.external[row] = 1 << rng.randrange(8) | (
                    1 << rng.randrange(8) if rng.random() < 0.2 else 0
                )
            else:
                one.triggers.action[row] = rng.choice((2, 2, 3, 3, 4))
    return one


def _trigger_settings(job: TciJob, rng: random.Random, external: bool, armed: bool) -> dict[str, dict[str, int]]:
    """Fields of an encoder's registers, random where triggers are armed."""
    actions = {f"trTeTrigExtInAction{n}": rng.choice((0, 2, 2, 3, 3, 4)) for n in range(8)} if external else {}
    events = {f"trTeTrigExtOutEvent{n}": rng.randrange(4) for n in range(8)}
    extra = {"trTeControl": {"trTeInstTrigEnable": int(armed)}}
    if job.params.trigger_inputs:
        extra |= {"trTeTrigExtInControl": actions or {"trTeTrigExtInAction0": 0}, "trTeTrigExtOutControl": events}
    return extra


def _triggers(job: TciJob, rng: random.Random, external: bool, armed: bool = True) -> TciStimulus:
    made = [_trigger(one, rng, external) for one in harts(job, rng, 1200, probabilities=NO_MARKS)]
    extra = _trigger_settings(job, rng, external, armed)

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram()
        await set_up_encoders(s, extra)
        for name in ("ram_sink", "funnel", *ENCODERS):
            await s.tool.enable(name)
        if not armed:
            await s.tool.tracing(0, True)
        running = s.playing()
        for _ in range(8):
            await s.cycles(s.rng.randrange(20, 60))
            await s.tool.read(ENCODERS[s.rng.randrange(2)], "trTeControl")
        await running
        await finish(s)
        s.readback = await s.tool.read_back()

    return TciStimulus(made, run, expect={} if armed else {"untraced": (1,)})


@scenario("TCI.te.trigger_debug", "TCI.te.trigger_notify", "TCI.te.trigger_out", ips=BOTH)
def triggers_debug(job: TciJob, rng: random.Random) -> TciStimulus:
    """Debug triggers start and stop tracing and make markers; external outputs report it."""
    return _triggers(job, rng, external=False)


@scenario("TCI.te.trigger_external", "TCI.te.trigger_notify", "TCI.te.trigger_out")
def triggers_external(job: TciJob, rng: random.Random) -> TciStimulus:
    """External triggers do what their action fields say, several of them at once as well."""
    return _triggers(job, rng, external=True)


@scenario("TCI.te.trigger_debug", "TCI.te.trigger_out", ips=BOTH)
def triggers_stalled(job: TciJob, rng: random.Random) -> TciStimulus:
    """Debug and external triggers beside beats that wait for a slow sink: a beat with trace-off is traced once it is
    taken.
    """
    (pins, divider), external = _slow_pins(job, rng), job.params.trigger_inputs > 0
    options: dict[str, Any] = etrace.PRESSED if job.ip == "etrace" else busy(job)
    made = harts(job, rng, 500 if job.ip == "etrace" else 1200, 0.0, NO_MARKS, inst_stall_ena=1, **options)
    for one in made:
        if external:
            _trigger(one, rng, True, 0.05)
        row = 1
        while row < len(one.beats):  # off, and soon on again, so that the queue stays full
            row += rng.randrange(6)
            one.triggers.action[row] = 3
            row += rng.randrange(1, 4)
            one.triggers.action[row] = 2
            row += 1
        one.triggers.action = {row: action for row, action in one.triggers.action.items() if row < len(one.beats)}
    extra = _trigger_settings(job, rng, external, True)

    async def run(s: Session) -> None:
        sinks = ("pin_sink",)
        await reset_all(s, sinks)
        await s.tool.set_up_pins(pins, 2 * divider)  # tracing is off at times, and still the queues are full
        await set_up_encoders(s, extra)
        await s.cycles(100)
        await start(s, sinks)
        running = s.playing()
        for _ in range(8):
            await s.cycles(s.rng.randrange(20, 200))
            await s.tool.read(ENCODERS[s.rng.randrange(2)], "trTeControl")
        await running
        await finish(s, sinks)
        await s.cycles(60)

    return TciStimulus(made, run)


@scenario("TCI.te.trigger_enable", ips=BOTH)
def triggers_disarmed(job: TciJob, rng: random.Random) -> TciStimulus:
    """Without trTeInstTrigEnable no trigger starts or stops tracing."""
    return _triggers(job, rng, external=bool(rng.randrange(2)) and job.params.trigger_inputs > 0, armed=False)


@scenario("TCI.te.filters", ips=BOTH)
def filters(job: TciJob, rng: random.Random) -> TciStimulus:
    """Filters and comparators through their registers: privilege, context, ranges of addresses, a watchpoint. Those of
    one hart need all parts of the comparators' values.
    """
    made, wide = [], rng.randrange(2)
    above = 1 << 40 if job.settings.xlen == 64 else 0  # programs are below: in the high half of a value it counts
    for hart in range(2):
        plain = hart_stimulus(job, random.Random(rng.getrandbits(32)), hart, 1200)
        pcs = sorted({int(pc) for pc in plain.beats.iaddr[plain.beats.valid()]})
        low, high = pcs[len(pcs) // 3], pcs[2 * len(pcs) // 3]
        text = rng.choice(
            (
                "priv=U",
                "priv=M+S",
                f"iaddr={low:#x}..{high:#x}",
                f"iaddr!={low:#x}..{high:#x}",
                f"priv=S|iaddr>={high:#x}",
                f"iaddr={low:#x}->{high:#x}",
                f"iaddr<{high:#x};watch={low:#x}",
                "iaddr!={:#x}..{:#x}".format(*sorted((low | above, high | above))),
                "trap=interrupt",
                "ecause=0+2+8",
            )
        )
        if hart == wide:  # two ranges apart; the upper one has no end within the program
            first, last = pcs[len(pcs) // 8], pcs[len(pcs) // 5]
            text = f"iaddr={low:#x}..{high | above:#x}|iaddr={first:#x}..{last:#x}"
        config = type(plain.config).from_dict(plain.config.to_dict() | {"filter": text})
        made.append(HartStimulus(config, plain.program, plain.beats))

    return TciStimulus(made, sram_run)


def _slow_pins(job: TciJob, rng: random.Random) -> tuple[int, int]:
    """Width and divider of a pin sink that is slower than the encoders."""
    if 8 in job.params.pin_modes:
        return rng.choice((1, 2)), rng.choice((2, 3))
    return 8, rng.choice((4, 6))


def _pressed(job: TciJob, rng: random.Random, stall: int) -> TciStimulus:
    slow = _slow_pins(job, rng)

    async def run(s: Session) -> None:
        sinks = ("pin_sink",)
        await reset_all(s, sinks)
        await s.tool.set_up_pins(*slow)
        await set_up_encoders(s)
        await s.cycles(100)
        await start(s, sinks)
        running, seen, cleared = s.playing(), [], s.rng.randrange(2)
        for _ in range(6):
            await s.cycles(150)
            seen += [await s.tool.read(name, "trTeControl") for name in ENCODERS]
            await s.tool.clear_overflow(cleared)
        await running
        await finish(s, sinks)
        for left_out in (
            3,
            0,
        ):  # the flag of the other encoder stays while it is disabled, whatever is written elsewhere
            await s.tool.write("funnel", "trFunnelDisInput", left_out, "while everything is disabled")
            seen += [await s.tool.read(name, "trTeControl") for name in ENCODERS]
        if stall:  # the last stall may be before the last clear
            seen += [await s.tool.read(name, "trTeControl") for name in ENCODERS]
            s.tool.check(
                "TCI.te.stall", any(value >> 12 & 1 for value in seen), "harts were stalled, and no encoder says so"
            )
        for name in (*sinks, "funnel"):
            await s.tool.enable(name)
        for hart, name in enumerate(ENCODERS):
            await s.tool.enable(name)
            value = await s.tool.read(name, "trTeControl")
            s.tool.check(
                "TCI.te.overflow_clear", not value >> 12 & 1, f"{name}: the flag is 1 after trTeEnable was set"
            )
            await s.tool.tracing(hart, False)
        await finish(s, sinks)
        await s.cycles(60)

    options: dict[str, Any] = etrace.PRESSED if job.ip == "etrace" else busy(job)
    size = 2500 if job.ip == "etrace" else 700
    return TciStimulus(harts(job, rng, size, 0.0, inst_stall_ena=stall, **options), run)


@scenario("TCI.te.overflow", "TCI.te.overflow_clear", "TCI.funnel.turn", "TCI.funnel.fair", ips=BOTH)
def overflow(job: TciJob, rng: random.Random) -> TciStimulus:
    """A slow sink: encoders lose messages, say so in the trace and in their flag, which is cleared by hand and by
    enabling.
    """
    return _pressed(job, rng, 0)


@scenario("TCI.te.stall", "TCI.te.overflow_clear", "TCI.funnel.turn", "TCI.funnel.fair", ips=BOTH)
def stall(job: TciJob, rng: random.Random) -> TciStimulus:
    """A slow sink: harts are stalled, nothing is lost, the flag says so."""
    return _pressed(job, rng, 1)


@scenario("TCI.funnel.dis_input", ips=BOTH)
def left_out(job: TciJob, rng: random.Random) -> TciStimulus:
    """An input of the funnel is disabled: its messages are read and thrown away, the other's go through."""
    out = rng.randrange(2)

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram()
        await s.tool.set("funnel", "trFunnelDisInput", {"trFunnelDisInput": 1 << out})
        await set_up_encoders(s)
        await start(s)
        await s.play()
        await finish(s)
        s.readback = await s.tool.read_back()

    return TciStimulus(harts(job, rng, 800, **busy(job)), run, expect={"left_out": (out,)})


@scenario("TCI.funnel.dis_input", "TCI.funnel.whole", ips=BOTH)
def left_out_meanwhile(job: TciJob, rng: random.Random) -> TciStimulus:
    """Funnel inputs are disabled and enabled while messages go through: each message passes whole or not at all."""

    async def run(s: Session) -> None:
        async with ram_session(s):
            for _ in range(12):
                await s.cycles(s.rng.randrange(1, 60))
                await s.tool.write("funnel", "trFunnelDisInput", s.rng.randrange(4), "inputs left out")
            await s.tool.write("funnel", "trFunnelDisInput", 0, "none")

    return TciStimulus(harts(job, rng, 800, **busy(job)), run, expect={"left_out": (0, 1)})


def _reset(job: TciJob, rng: random.Random, slow: tuple[int, int] | None) -> TciStimulus:
    """slow: width and divider of the pin sink that takes the trace; else it is the RAM sink, which is reset as well."""
    sinks = ("pin_sink",) if slow else ("ram_sink",)
    turns = ("funnel", "funnel", *ENCODERS) if slow else (*ENCODERS, *ENCODERS, "funnel", "ram_sink")

    async def run(s: Session) -> None:
        await reset_all(s, sinks)
        if slow:
            await s.tool.set_up_pins(*slow)
            await s.cycles(60 * (slow[1] + 1))  # the probe finds the clock
        else:
            await s.tool.set_up_ram()
        await set_up_encoders(s)
        await start(s, sinks)
        running = s.playing()
        for _ in range(24 if slow else 32):
            await s.cycles(s.rng.randrange(1, 120 if slow else 40))
            name = s.rng.choice(turns)
            await s.tool.reset(name)
            if name == "ram_sink":
                await s.tool.set_up_ram()
            elif name in ENCODERS:
                await s.tool.set_up_encoder(ENCODERS.index(name), s.harts[ENCODERS.index(name)].config)
            await s.tool.enable(name)
            if name in ENCODERS:
                await s.tool.tracing(ENCODERS.index(name), True)
        await running
        await finish(s, sinks)
        if slow:
            await s.cycles(40 * (slow[1] + 1))

    options = long(job)
    if slow:
        options["inst_stall_ena"] = 1  # the harts wait, so that there is trace until the end
    size = 1000 if slow else 3000
    return TciStimulus(harts(job, rng, size, 0.0, LONG, **options), run, expect={"cut": True, "untraced": (0, 1)})


@scenario("TCI.te.active", "TCI.funnel.active", "TCI.ram.active", "TCI.funnel.whole", ips=BOTH)
def reset_meanwhile(job: TciJob, rng: random.Random) -> TciStimulus:
    """Encoders, funnel and sink are reset while trace flows: no message is ever cut, and all starts again."""
    return _reset(job, rng, None)


@scenario("TCI.te.active", "TCI.funnel.active", "TCI.funnel.whole", ips=BOTH)
def reset_stalled(job: TciJob, rng: random.Random) -> TciStimulus:
    """Encoders and funnel are reset while a slow sink lets their messages wait, before them or within one."""
    return _reset(job, rng, (8, rng.choice((3, 5, 8))))


def random_options(rng: random.Random) -> dict[str, Any]:
    """Options of an encoder, any that go together."""
    returns = rng.choice((0, 0, 1, 2, 3))
    return {
        "mode": rng.choice(("btm", "htm")),
        "variant": rng.choice(("v1_0", "v1_0", "rc7")),
        "b_type": rng.choice(("2_3", "1")),
        "inst_sync_mode": rng.randrange(4),
        "inst_sync_max": rng.randrange(6),
        "inst_stall_ena": rng.randrange(2),
        "ownership": rng.randrange(2),
        "hcontext": rng.randrange(2),
        "extend_addr_msb": rng.randrange(2),
        "implicit_return": returns,
        "repeated_history": rng.randrange(2),
        "repeat_branch": rng.randrange(2),
        "sequential_jump": rng.randrange(2),
        "all_jumps": rng.randrange(2),
        "timestamp": rng.randrange(2),
        "ts_mode": rng.choice((1, 2, 3)),
        "ts_prescale": rng.randrange(3),
    }


@scenario("TCI.te.options", "TCI.seq.verify", ips=BOTH)
def options(job: TciJob, rng: random.Random) -> TciStimulus:
    """Every option through its register, each hart with its own."""

    if job.ip == "etrace":
        made = [etrace.possible(job.settings, etrace.busy_options(rng)) for _ in range(2)]
        return TciStimulus([hart_stimulus(job, rng, hart, 1000, **one) for hart, one in enumerate(made)], sram_run)
    shared: dict[str, Any] = {"timestamp": rng.randrange(2)}
    return TciStimulus(
        [hart_stimulus(job, rng, hart, 1000, **random_options(rng) | shared) for hart in range(2)], sram_run
    )


@scenario("TCI.te.options", "TCI.seq.verify", "TCI.te.flush")
def reconfigured(job: TciJob, rng: random.Random) -> TciStimulus:
    """Encoders are enabled with some options and disabled before anything is traced; others, written then, count at the
    next enabling without a reset.
    """
    shared: dict[str, Any] = {"timestamp": rng.randrange(2)}
    made = [hart_stimulus(job, rng, hart, 1000, **random_options(rng) | shared) for hart in range(2)]
    before = [replace(one.config, **random_options(rng)) for one in made]

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram()
        for hart, config in enumerate(before):
            await s.tool.set_up_encoder(hart, config)
        for name in ("ram_sink", "funnel", *ENCODERS):
            await s.tool.enable(name)
        await s.cycles(s.rng.randrange(1, 50))
        for name in ENCODERS:
            await s.tool.disable(name)
        await set_up_encoders(s)
        for hart, name in enumerate(ENCODERS):
            await s.tool.enable(name)
            await s.tool.tracing(hart, True)
        await s.play()
        await finish(s)
        s.readback = await s.tool.read_back()

    return TciStimulus(made, run)


@scenario("TCI.te.options")
def long_loops(job: TciJob, rng: random.Random) -> TciStimulus:
    """Loops of some hundred branches in history mode: with trTeInstEnRepeatedHistory equal histories are counted."""
    made = []
    for hart in range(HARTS):
        config = hart_config(job, hart, mode="htm", repeated_history=1, inst_stall_ena=1)
        b = ProgramBuilder(config.xlen, 0x1000)
        b.label("loop")
        b.c_nop()
        b.c_bnez(8, "loop")
        b.c_j("loop")
        program = b.build()
        walk = Walk(program, config.variant, 0x1000, Priv.M, 0)
        for taken in (rng.randrange(200, 400), rng.randrange(200, 400)):
            for left in range(taken, -1, -1):
                walk.run()
                walk.branch(left > 0)
            walk.step()
        made.append(HartStimulus(config, program, beats_of(walk.retired(), config)))

    return TciStimulus(made, sram_run)
