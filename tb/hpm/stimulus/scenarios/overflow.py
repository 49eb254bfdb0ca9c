# SPDX-License-Identifier: Apache-2.0
"""Counter scenarios of overflow: wraps at every width, OF, LCOFI, and everything that can happen in the same cycle
(HPM-1, HPM-7).
"""

from __future__ import annotations

from itertools import product

from rvtrace.models.hpm.events import CYCLES
from rvtrace.models.riscv.csr import CLEAR, HS, READ, SET, VS, WRITE, Access, M
from rvtrace.tb.hpm.stimulus.scenarios.base import (
    ALL,
    CALM,
    LCOFI,
    OF,
    OVERFLOW,
    PLAIN,
    VIRTUAL,
    ScenarioScript,
    scenario,
)

_HIGH_OF = 1 << 31


@scenario("HPM.wrap.width", "HPM.wrap.sum", "HPM.half.carry", "HPM.of.set", "HPM.of.only", "HPM.of.beyond",
          "HPM.of.width", "HPM.lcofi.request", "HPM.of.fixed", "HPM.lcofi.fixed", "HPM.lcofi.no_ext",
          "HPM.absent.counts", configs=ALL)  # fmt: skip
def wraps(s: ScenarioScript) -> None:
    """Every counter wraps: to 0, beyond it, and a narrow one more than once in a cycle; then it goes on counting."""
    for n in (0, 2, *s.numbers):
        for below, number in ((1, 1), (1, s.most), (2, 2), (3, s.most), (1, 2)):
            s.near(n, below)
            for _ in range(3):
                s.cause(n, number)
        s.seen(n)
    for n in s.numbers:
        if CYCLES in s.known(n):  # the wrap comes while nothing else happens
            s.near(n, 20)
            s.count(n, CYCLES)
            s.preset(n, -20)
            s.idle(10)
            s.look(s.counter(n))  # what is lost beyond the width shows before the wrap
            s.idle(40)
            s.seen(n)
    s.near(0, 30)
    s.idle(50)


@scenario(
    "HPM.lcofi.request",
    "HPM.lcofi.masked",
    "HPM.of.sticky",
    "HPM.lcofi.holds",
    "HPM.lcofi.only",
    "HPM.of.read",
    "HPM-1",
    configs=OVERFLOW,
    needs=("has_sscofpmf", "counters"),
)
def overflow_again(s: ScenarioScript) -> None:
    """A counter overflows with OF 0 and 1, LCOFIP cleared between: one request, and another once OF is cleared."""
    for n in s.numbers:
        s.near(n)
        s.cause(n)
        s.write("mip", 0, M)
        for of in (1, 0, 1):
            s.preset(n, -1)
            s.cause(n)
            s.idle(6)
            s.look(f"mhpmevent{n}")
            s.read("mip", M)
            s.count(n, s.selector(n, n), of=of)
            s.write("mip", 0, M)
            s.preset(n, -1)
            s.cause(n)
            s.idle(CALM)  # a request that comes late has come
            s.read("mip", M)
        s.seen(n)


@scenario(
    "HPM.of.race",
    "HPM.of.written",
    "HPM.of.low_half",
    "HPM.lcofi.rearm",
    "HPM.lcofi.masked",
    "HPM.lcofi.event",
    "HPM-1",
    "HPM-7",
    configs=OVERFLOW,
    needs=("has_sscofpmf", "counters"),
)
def event_written_at_overflow(s: ScenarioScript) -> None:
    """mhpmevent is written in the cycle of its counter's overflow and beside it: OF 0 or 1 before, 0 or 1 written,
    whole or in half.
    """
    thin = int(s.config.xlen == 64)
    for n, before, written, at in product(s.numbers[:3], (0, 1), (0, 1), (-1, 0, 1)):
        selector = s.selector(n, n)
        code = s.config.code(selector)
        ways = [("h", written << 31, thin), ("", code, thin)]
        if s.config.xlen == 64:
            ways += [("", written << 63 | code, 0)]
        for half, value, xlen32 in ways:
            for op in (WRITE, SET, CLEAR) if half or not xlen32 else (WRITE,):
                s.near(n, 1)
                s.count(n, selector, of=before)
                s.write("mip", 0, M)
                s.preset(n, -1)
                operand = value if op == WRITE else _HIGH_OF if half else OF
                access = s.access(op, f"mhpmevent{n}{half}", operand, M, xlen32)
                if at < 0:
                    s.step(access)
                s.cause(n, 1, access if at == 0 else None)
                if at > 0:
                    s.step(access)
                s.cause(n)
                s.look(f"mhpmevent{n}")
                s.read("mip", M)


@scenario(
    "HPM.lcofi.race",
    "HPM.lcofi.written",
    "HPM.of.lcofip",
    "HPM.lcofi.registers",
    "HPM.lcofi.supervisor",
    "HPM.lcofi.guest",
    "HPM-7",
    configs=OVERFLOW,
    needs=("has_sscofpmf", "counters"),
)
def lcofip_written_at_overflow(s: ScenarioScript) -> None:
    """LCOFIP is written 0 and 1 in the cycle of a request and beside it, through mip, sip, vsip, and sip from VS: no
    request is lost.
    """
    ways = [
        ("mip", M),
        *((("sip", HS),) if s.config.has_s else ()),
        *((("vsip", HS), ("sip", VS)) if s.config.has_h else ()),
    ]
    for (name, mode), op, before, at in product(ways, (WRITE, SET, CLEAR), (0, 1), (-1, 0, 1)):
        for value in (LCOFI, 0, s.ones()) if op == WRITE else (LCOFI,):
            n = s.numbers[s.cycle % len(s.numbers)]
            s.near(n)
            s.write("mip", LCOFI * before, M)
            access = s.access(op, name, value, mode)
            if at < 0:
                s.step(access)
            s.cause(n, 1, access if at == 0 else None)
            if at > 0:
                s.step(access)
            s.read("mip", M)
            s.look(f"mhpmevent{n}")


@scenario(
    "HPM.lcofi.event",
    "HPM.lcofi.counter",
    "HPM.of.written",
    "HPM.lcofi.written",
    "HPM.lcofi.only",
    "HPM-1",
    configs=OVERFLOW,
    needs=("has_sscofpmf", "counters"),
)
def software_sets_and_clears(s: ScenarioScript) -> None:
    """Software writes OF, LCOFIP and LCOFIE, 0 and 1, while nothing counts: nothing else changes."""
    s.write("mcountinhibit", 0xFFFF_FFFF, M)
    for n in s.numbers:
        for of in (1, 0, 1, 0):
            s.count(n, s.selector(n), of=of)
            s.look(f"mhpmevent{n}")
            s.read("mip", M)
        for value in (LCOFI, 0):
            s.write("mip", value, M)
            s.write("mie", value, M)
        s.preset(n, -1)
        s.preset(n, 0)
    s.seen()


@scenario(
    "HPM.lcofi.several",
    "HPM.of.set",
    "HPM.lcofi.masked",
    "HPM.lcofi.request",
    "HPM.count.several",
    "HPM-5",
    configs=OVERFLOW,
    needs=("has_sscofpmf", "counters"),
)
def several_overflow(s: ScenarioScript) -> None:
    """Two, three and all counters overflow in one cycle, with none, some and all of their OF bits set."""
    for count in {2, 3, len(s.numbers)}:
        group = s.numbers[:count]
        shared = [e for e in s.known(group[0]) if all(e in s.known(n) for n in group)]
        for masked in ((), group[:1], group[1:], group):
            s.write("mcountinhibit", 0xFFFF_FFFF, M)
            s.write("mip", 0, M)
            for n in group:
                s.count(n, shared[-1] if shared else s.selector(n, n), of=int(n in masked))
                s.preset(n, -1)
            s.write("mcountinhibit", 0, M)
            s.everything()
            s.idle(6)
            s.seen(*group[:3])


@scenario(
    "HPM.ovf.machine",
    "HPM.ovf.supervisor",
    "HPM.ovf.guest",
    "HPM.ovf.fixed",
    "HPM-2",
    configs=VIRTUAL,
    needs=("has_s", "has_sscofpmf", "counters"),
)
def overflow_register(s: ScenarioScript) -> None:
    """scountovf from each mode, with every OF alone and all, and every setting of the enables."""
    for n in (*s.numbers, -1):
        for m in s.numbers:
            s.count(m, 0, of=int(m == n or n < 0))
        for opened in product((0, 1), (0, 1)):
            s.write("mcounteren", 0xFFFF_FFFF * opened[0], M)
            s.put_in("hcounteren", 0xFFFF_FFFF * opened[1])
            s.write("scounteren", 0x5555_5555 if n % 2 else 0, M)
            for mode in s.everyone():
                s.read("scountovf", mode)
        s.write("mcounteren", 0xF0F0_F0F0 | (1 << n if n > 0 else 0), M)
        s.put_in("hcounteren", 0xFF00_FF00 | (1 << n if n > 0 else 0))
        for mode in s.modes:
            s.read("scountovf", mode)
    s.near(s.numbers[0])
    s.cause(s.numbers[0], 1, s.reading("scountovf", M))
    s.read("scountovf", M)


@scenario(
    "HPM.inhibit.after",
    "HPM.inhibit.next",
    "HPM.write.wins",
    "HPM.of.race",
    "HPM.lcofi.race",
    "HPM.of.set",
    "HPM.lcofi.request",
    "HPM-7",
    configs=OVERFLOW,
    needs=("counters",),
)
def all_pairs(s: ScenarioScript) -> None:
    """Inhibit, counter write, event write, OF clear, LCOFIP write and overflow: every pair of them, in each order, in
    the same, the next and the second cycle.
    """
    n = s.numbers[0]
    selector = s.selector(n, n)
    half, shift, thin = ("h", 32, 1) if f"mhpmevent{n}h" in s.there and s.config.xlen == 32 else ("", 0, 0)
    event = (OF | s.config.code(selector)) >> shift & s.ones()
    kinds: dict[str, Access | None] = {
        "inhibit": s.access(SET, "mcountinhibit", 1 << n, M),
        "go": s.access(CLEAR, "mcountinhibit", 1 << n, M),
        "write": s.access(WRITE, s.counter(n), s.ones(), M),
        "event": s.access(WRITE, f"mhpmevent{n}{half}", event, M, thin),
        "clear": s.access(CLEAR, f"mhpmevent{n}{half}", OF >> shift & s.ones(), M, thin),
        "lcofip": s.access(WRITE, "mip", 0, M),
        "overflow": None,
    }
    for first, then, distance, of in product(kinds, kinds, (0, 1, 2), (0, 1)):
        if distance == 0 and first != "overflow":
            continue
        below = 1 if first == "overflow" or then != "overflow" else 1 + distance
        s.write("mcountinhibit", 1 << n if first == "go" else 0, M)
        s.near(n)
        s.count(n, selector, of=of)
        s.preset(n, -below)
        for cycle in range(4):
            access = kinds[first] if cycle == 0 else None
            if cycle == distance and kinds[then] is not None:
                access = kinds[then]
            if cycle <= distance and (first == "overflow" or then == "overflow" or cycle == 0):
                s.cause(n, 1, access)
                if first == then == "overflow" and cycle == 0 and distance > 0:
                    continue
            else:
                s.step(access)
        s.look_at(n)
    for distance in (1, 2):  # two overflows of one counter so near each other
        width = s.config.widths[n]
        s.near(n)
        s.cause(n)
        s.step(s.access(WRITE, s.counter(n), s.ones(), M) if width <= s.config.xlen and distance == 2 else None)
        s.cause(n)
    s.seen(n)


@scenario("HPM.lcofi.enable", "HPM.lcofi.registers", "HPM.lcofi.supervisor", "HPM.lcofi.supervisor_closed",
          "HPM.lcofi.guest", "HPM.lcofi.guest_closed", "HPM.lcofi.hideleg", "HPM.lcofi.no_hideleg", "HPM.lcofi.no_ext",
          "HPM.csr.other_bits", configs=(*VIRTUAL, PLAIN))  # fmt: skip
def delegation(s: ScenarioScript) -> None:
    """mip, mie, sip, sie, vsip and vsie read and written with every setting of mideleg and hideleg, from every mode."""
    names = [name for name in ("mip", "mie", "sip", "sie", "vsip", "vsie") if name in s.there]
    for m, h in ((0, 0), (0, LCOFI), (s.ones(), 0), (LCOFI, s.ones())):
        s.put_in("mideleg", m)
        s.put_in("hideleg", h)
        for name in ("mideleg", "hideleg"):
            if name in s.there:
                s.read(name, M)
        for held in (LCOFI, 0):
            for name, mode, op in product(names, s.modes, (READ, WRITE, SET, CLEAR)):
                s.write("mip", held, M)
                s.write("mie", held, M)
                s.step(Access(op, s.address(name), s.ones() if op in (SET, CLEAR) else LCOFI - held, mode))
                s.read(name, mode)
                s.read("mip" if name.endswith("p") else "mie", M)
