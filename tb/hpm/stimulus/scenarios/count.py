# SPDX-License-Identifier: Apache-2.0
"""Counter scenarios of counting: what each counter counts, how much, in which modes, and from which cycle on."""

from __future__ import annotations

from rvtrace.models.hpm.config import FIRST
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.hpm.registers import INHIBITS
from rvtrace.models.riscv.csr import DEBUG, WRITE, M
from rvtrace.tb.hpm.stimulus.scenarios.base import ALL, CALM, DEFAULT, GUEST, RV32, USER, ScenarioScript, scenario

ONES = (1 << 64) - 1


@scenario("HPM.count.cycles", "HPM.count.retired", "HPM.count.event", "HPM.count.idle", "HPM.select.cycles",
          "HPM.select.retired", "HPM.select.event", "HPM.select.zero", "HPM.event.select", "HPM.read.machine",
          configs=ALL)  # fmt: skip
def selectors(s: ScenarioScript) -> None:
    """Every counter counts everything it can, one after the other, while each thing happens alone and all of them
    together.
    """
    most = max((len(s.known(n)) for n in s.numbers), default=0) + 1
    for k in range(min(most, 12)):
        counted = {n: [0, *s.known(n)][k % (1 + len(s.known(n)))] for n in s.numbers}
        for n, selector in counted.items():
            s.count(n, selector)
        chosen = sorted(set(counted.values()) - {0, CYCLES, RETIRED})
        s.idle(2)
        s.step(None, 1)
        for selector in chosen[:6]:
            s.step(events={selector: 1})
        s.everything()
        s.everything(number=1)
        s.seen(*s.numbers[:4])
    for n in s.numbers:
        for selector in (s.known(n) or [0])[-2:]:
            s.count(n, selector)
            s.step(events={selector: 1} if selector >= FIRST_EVENT else {})
    s.seen()


@scenario("HPM.count.several", "HPM.count.event", "HPM-5", configs=ALL)
def several_at_once(s: ScenarioScript) -> None:
    """Every number of instructions and of events in one cycle, all counters on the same event and each on its own."""
    for own in (False, True):
        for n in s.numbers:
            s.count(n, s.selector(n, n) if own else s.selector(n))
        for number in (
            range(1, max(s.most, s.config.retired) + 1) if s.most < 16 else (1, 2, 3, 5, 8, 31, 127, 128, 200, 254, 255)
        ):
            s.everything(number=number)
            s.cause(s.numbers[0] if s.numbers else 2, number)
        for k in range(s.config.events):
            s.step(
                None,
                s.rng.randrange(s.config.retired + 1),
                {FIRST_EVENT + e: s.rng.randint(0, s.most) for e in range(k + 1)},
            )
        s.seen()


@scenario("HPM.count.wfi", "HPM.count.asleep", configs=ALL)
def asleep(s: ScenarioScript) -> None:
    """In WFI cycles do not pass, and events are counted all the same."""
    for n in s.numbers:
        s.count(n, CYCLES if CYCLES in s.known(n) and n % 2 else s.selector(n, n))
    for running in (1, 0, 1, 0):
        s.running = running
        s.idle(3)
        s.everything()
        s.step(None, 1)
        s.idle(50)
    s.running = 1
    s.seen()


@scenario(*(f"HPM.filter.{name}" for name in ("minh", "sinh", "uinh", "vsinh", "vuinh", "debug", "others")),
          *(f"HPM.cfg.{name}" for name in ("minh", "sinh", "uinh", "vsinh", "vuinh", "debug", "others")),
          "HPM.event.filters", "HPM.cfg.filters", "HPM.event.no_mode", "HPM.event.no_ext", "HPM.debug.counts", "HPM-3",
          configs=ALL)  # fmt: skip
def filters(s: ScenarioScript) -> None:
    """Every filter alone, every filter but one, all and none, in each mode, of events, cycles and instructions.

    In modes of a few cycles, and in modes that last so long that a late count has to be of the mode of its event.
    """
    names = list(INHIBITS)
    for chosen in (
        [],
        names,
        *([name] for name in names),
        *([other for other in names if other != name] for name in names),
    ):
        s.at(M)
        for n in [n for n in (0, 2, *s.numbers) if s.filters(n) in s.there]:
            s.count(
                n, 0 if n < FIRST else s.known(n)[(n + len(chosen)) % len(s.known(n))] if s.known(n) else 0, *chosen
            )
        for calm in (0, CALM):
            for mode in s.everyone():
                s.at(mode)
                s.idle(calm)
                s.everything()
                s.idle(2)
                s.everything(number=1)
                s.idle(calm)
            s.seen(0, 2, *s.numbers[:4])


@scenario("HPM.debug.stopcount", "HPM.debug.counts", configs=ALL)
def debug_mode(s: ScenarioScript) -> None:
    """Debug Mode with and without dcsr.stopcount, from every mode; accesses there are made all the same."""
    s.program()
    for mode in s.modes:
        for stopcount in (0, 1):
            s.at(mode)
            s.everything()
            s.at(DEBUG)
            s.stopcount = stopcount
            for n in s.numbers:  # each kind of event, where counters are
                s.cause(n)
            s.everything()
            s.everything(s.reading("mcycle", DEBUG))
            s.everything(s.access(WRITE, "minstret", 5, DEBUG))
            s.idle(3)
            s.stopcount = 0
    for selector in (
        CYCLES,
        RETIRED,
        FIRST_EVENT,
        FIRST_EVENT + s.config.events - 1,
        FIRST_EVENT + s.config.events // 2,
    ):
        able = [n for n in s.numbers if selector in s.known(n)]
        for n in able[:2]:
            s.at(M)
            s.count(n, selector)
        s.at(DEBUG)
        s.stopcount = 1
        s.everything()
        s.stopcount = 0
        s.everything()
    s.seen()


@scenario(
    "HPM.inhibit.stops",
    "HPM.inhibit.bits",
    "HPM.inhibit.time",
    "HPM.inhibit.absent",
    "HPM.inhibit.after",
    "HPM.inhibit.next",
    configs=ALL,
)
def inhibits(s: ScenarioScript) -> None:
    """Each bit of mcountinhibit alone, all and none; switched on and off in cycles in which everything happens."""
    s.program()
    for value in (0xFFFF_FFFF, 0, *(1 << n for n in range(32)), *(0xFFFF_FFFF & ~(1 << n) for n in range(0, 32, 5))):
        s.everything(s.access(WRITE, "mcountinhibit", value, M))
        s.everything()
        s.everything()
        s.read("mcountinhibit", M)
    s.everything(s.access(WRITE, "mcountinhibit", 0xFFFF_FFFF, M))
    for mode in s.everyone():
        s.at(mode)
        s.program()
        s.everything()
        s.idle(2)
    s.at(M)
    for selector in (
        CYCLES,
        RETIRED,
        FIRST_EVENT,
        FIRST_EVENT + s.config.events - 1,
        FIRST_EVENT + s.config.events // 2,
    ):
        for n in [n for n in s.numbers if selector in s.known(n)]:
            s.count(n, selector)
        for mode in s.everyone():
            s.at(mode)
            s.everything()
        s.at(M)
    s.seen(0, 2, *s.numbers)


@scenario(
    *(f"HPM.{kind}.after" for kind in ("inhibit", "cfg")),
    *(f"HPM.{kind}.next" for kind in ("inhibit", "select", "filter", "cfg")),
    "HPM-7",
    configs=ALL,
)
def next_cycle(s: ScenarioScript) -> None:
    """Settings that change while everything happens: they rule from the next cycle on, not earlier and not later."""
    every = [n for n in (0, 2, *s.numbers)]
    s.program()
    for n in every:
        for value in (1 << n, 0):
            s.everything()
            s.everything(s.access(WRITE, "mcountinhibit", value, M))
            s.everything()
            s.read(s.counter(n), M)
    for mode in s.modes:
        s.at(mode)
        bit = {M: 62, 1: 61, 0: 60, 5: 59, 4: 58}[mode]
        for n in every[:6]:
            name = s.filters(n)
            if f"{name}h" in s.there and (s.config.xlen == 32 or n % 2):
                for value in (1 << bit - 32, 0):
                    s.everything(s.access(WRITE, f"{name}h", value, M, 1))
                    s.everything()
                    s.read(s.counter(n), M)
            elif name in s.there and s.config.xlen == 64:
                for value in (1 << bit, 0):
                    s.everything(s.access(WRITE, name, value | s.config.code(s.selector(n, n)) * (n > 2), M))
                    s.everything()
                    s.read(s.counter(n), M)
    s.at(M)
    for n in s.numbers:
        for selector in (0, *s.known(n)[:4], 0, *s.known(n)[-2:]):
            s.everything(s.access(WRITE, f"mhpmevent{n}", s.config.code(selector), M))
            s.everything(number=1)
    s.seen()


@scenario(
    "HPM.select.warl",
    "HPM.event.select",
    "HPM.event.wpri",
    configs=(DEFAULT, RV32, USER, GUEST),
    needs=("counters",),
)
def unknown_selectors(s: ScenarioScript) -> None:
    """Selectors that a counter cannot count become 0, whatever they look like: it counts nothing."""
    last = FIRST_EVENT + s.config.events
    for n in s.numbers:
        tried = [s.config.code(e) for e in range(1, last) if e not in s.known(n)][:3] + [
            last,
            63,
            64,
            64 + FIRST_EVENT,
            1 << 8 | RETIRED,
            1 << 55 | CYCLES,
            3 << 56 | s.selector(n),
        ]
        for value in tried:
            s.count(n, s.selector(n))
            s.whole(f"mhpmevent{n}", value)
            s.everything()
            s.everything(number=1)
            s.look(f"mhpmevent{n}")
    s.whole(f"mhpmevent{s.numbers[0]}", ONES)
    s.look(f"mhpmevent{s.numbers[0]}")
