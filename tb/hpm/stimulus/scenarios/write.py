# SPDX-License-Identifier: Apache-2.0
"""Counter scenarios of writes to counters: the written value wins, whole; no other counter changes (HPM-4, HPM-6)."""

from __future__ import annotations

from itertools import product

from rvtrace.models.riscv.csr import CLEAR, SET, WRITE, M
from rvtrace.tb.hpm.stimulus.scenarios.base import ALL, CALM, ScenarioScript, scenario

_LOW = (1 << 32) - 1


@scenario(
    "HPM.write.wins",
    "HPM.write.value",
    "HPM.write.others",
    "HPM.write.one",
    "HPM.write.elsewhere",
    "HPM.width.mask",
    "HPM-4",
    configs=ALL,
)
def writes_while_counting(s: ScenarioScript) -> None:
    """Every counter is written in a cycle in which everything happens, with small, large and random values."""
    s.program()
    for n in (0, 2, *s.numbers):
        for value in (5, s.ones(), s.rng.getrandbits(s.config.xlen)):
            s.everything(s.access(WRITE, s.counter(n), value, M))
            s.everything()
        if s.config.xlen == 32:
            s.everything(s.access(WRITE, f"{s.counter(n)}h", s.rng.getrandbits(32), M))
        s.everything(s.access(WRITE, "mcountinhibit", 0, M))
        s.everything(s.reading(s.counter(n), M))
    first = s.numbers[0] if s.numbers else 2
    s.preset(first, 0)
    for n in (0, 2, *s.numbers):  # and with only one counter that counts beside it
        other = first if n != first else 0
        s.cause(other, 1, s.access(WRITE, s.counter(n), 3, M))
    s.seen()


@scenario(
    "HPM.write.half",
    "HPM.half.write",
    "HPM.half.high",
    "HPM.half.low",
    "HPM.half.carry",
    "HPM.width.zero",
    "HPM-6",
    configs=ALL,
)
def halves(s: ScenarioScript) -> None:
    """Both halves are read and written in every order while the low half carries into the high one."""
    s.program()
    thin = int(s.config.xlen == 64)
    for n in (0, 2, *s.numbers):
        name = s.counter(n)
        for first, then in (("h", ""), ("", "h")):
            for gap in (0, 1, 2):
                s.whole(name, 0x1234_5678_FFFF_FFFF & (1 << s.config.widths[n]) - 1, M)
                s.write(f"{name}{first}", 0x89AB_CDEF if first else _LOW, M, thin)
                for _ in range(gap):
                    s.everything(number=1)
                s.everything(s.access(WRITE, f"{name}{then}", 0x7654_3210 if then else _LOW, M, thin))
                s.everything(s.reading(f"{name}h", M, thin))
                s.everything(s.reading(name, M, thin))
                s.everything(s.reading(f"{name}h", M, thin))
        for half, below in product(("", "h"), (0, 1)):  # the low half would carry in the cycle of a write, or after it
            for op in (WRITE, SET, CLEAR):
                s.whole(name, 0x5_FFFF_FFFF - below & (1 << s.config.widths[n]) - 1, M)
                s.everything(s.access(op, f"{name}{half}", 0xF0F0, M, thin), number=1)
                s.everything(number=1)
                s.look(name, M, thin)


@scenario("HPM.write.modify", "HPM.write.wins", configs=ALL)
def set_and_clear(s: ScenarioScript) -> None:
    """Set and clear of counters that count: the bits of the value read, without the increment; with operand 0 they do
    not write.
    """
    s.program()
    for n in (0, 2, *s.numbers):
        name, thin = s.counter(n), int(s.config.xlen == 64)
        for value in (0x0FF0_00FF, 0xFFFF_FFFF, 7, (1 << s.config.widths[n]) - 1):
            for half, xlen32 in (("", 0), ("", thin), ("h", thin)):
                for op in (SET, CLEAR):
                    s.preset(n, value)
                    s.everything(
                        s.access(op, f"{name}{half}", 0x10 if op == SET else 3, M, xlen32)
                        if half == "" or f"{name}h" in s.there
                        else None
                    )
                    s.everything(s.access(op, name, 0, M, xlen32))
        s.look(name)


@scenario(
    "HPM.write.wins",
    "HPM.write.half",
    "HPM.of.counter",
    "HPM.lcofi.counter",
    "HPM.wrap.width",
    "HPM-1",
    "HPM-4",
    configs=ALL,
)
def writes_at_the_wrap(s: ScenarioScript) -> None:
    """A counter is written, whole or in part, in the cycle in which it would wrap: no overflow, no request."""
    thin = int(s.config.xlen == 64)
    for n in (0, 2, *s.numbers):
        name = s.counter(n)
        for half, xlen32 in (("", 0), ("", thin), ("h", thin)):
            for op, value in ((WRITE, 9), (WRITE, 0), (SET, 0x100), (CLEAR, 1), (CLEAR, s.ones(xlen32))):
                s.near(n)
                s.cause(n, 1, s.access(op, f"{name}{half}", value, M, xlen32))
                s.cause(n)
        s.seen(n)


@scenario("HPM.of.counter", "HPM.lcofi.counter", "HPM-1", configs=ALL)
def writes_that_look_like_wraps(s: ScenarioScript) -> None:
    """Counters go from all ones to 0 and back by writes alone."""
    for n in s.numbers:
        s.program(n)
        for value in (s.ones(), 0, s.ones(), 1, 0):
            s.write(s.counter(n), value, M)
            if s.config.xlen == 32:
                s.write(f"{s.counter(n)}h", value, M)
    s.seen()


@scenario("HPM.read.begin", "HPM.read.machine", "HPM.view.shadow", configs=ALL)
def reads_while_counting(s: ScenarioScript) -> None:
    """What is read is the count at the start of the cycle, through either address, also of a counter that is written
    next.
    """
    s.program()
    thin = int(s.config.xlen == 64)
    for n in (0, 2, *s.numbers):
        for name in (s.counter(n), s.view(n)):
            s.everything(s.reading(name, M))
            for mode in s.modes:
                s.at(mode)
                s.everything(s.reading(s.view(n)))
            s.at(M)
            s.everything(s.reading(f"{name}h", M, thin))
        s.everything(s.access(WRITE, s.counter(n), 1, M))
        s.everything(s.reading(s.counter(n), M))
    s.idle(CALM)
    for n in (0, 2, *s.numbers):  # both addresses when all that is counted late has been counted
        s.look(s.view(n))
        s.look(s.counter(n))


@scenario("HPM.csr.refused", configs=ALL)
def refused_writes(s: ScenarioScript) -> None:
    """Writes that are refused leave everything as it was; they give 0."""
    s.program()
    names = [s.counter(n) for n in (0, 2, *s.numbers[:3])] + [f"mhpmevent{n}" for n in s.numbers[:3]]
    names += [
        name
        for name in (
            "mcountinhibit",
            "mcounteren",
            "mcyclecfg",
            "minstretcfg",
            "mip",
            "mie",
            "mideleg",
            "hideleg",
            "hcounteren",
            "htimedelta",
        )
        if name in s.there
    ]
    names += [s.view(n) for n in (0, 2, *s.numbers[:3])]
    for op, value in ((WRITE, 0x3F0F_0F0F), (SET, s.ones()), (CLEAR, s.ones())):
        for name in names:
            for mode in s.modes if not name.startswith("m") else s.modes[1:]:
                if name[0] == "h" and name[:3] != "hpm" and mode in (1, M):
                    continue
                s.everything(s.access(op, name, value, mode), number=1)
        for name in names:
            s.read(name, M)
    s.seen()
