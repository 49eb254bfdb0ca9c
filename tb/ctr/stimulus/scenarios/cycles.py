# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of the cycle counter: every boundary of its encoding, what is counted, what resets it, when it is not
valid.
"""

from __future__ import annotations

from rvtrace.models.ctr.records import largest_count
from rvtrace.models.riscv.csr import CLEAR, HS, SET, VS, VU, WRITE, M, U
from rvtrace.tb.ctr.stimulus.scenarios.base import (
    ALL,
    CC0,
    CC1,
    CC2,
    CC3,
    DEFAULT,
    DRAFT32,
    DRAFT64,
    LEAN,
    WIDE,
    ScenarioScript,
    modes,
    scenario,
)
from rvtrace.tb.ctr.stimulus.scenarios.modes import enable

FULL = (DEFAULT, CC2, CC0, DRAFT64, DRAFT32)
MOST_IDLE = 540_000  # cycles: past saturation of three exponent bits


def _edges(s: ScenarioScript) -> list[int]:
    most = largest_count(s.config.cce_bits)
    edges = {1, 2, 15, 255, most - 1, most, most + 1, most + 9}
    edges |= {n + d for n in (1 << k for k in range(11, 20)) for d in (-1, 0, 1, 2, 5)}
    return sorted(n for n in edges if 0 < n <= min(most + 9, MOST_IDLE))


@scenario(
    "CTR.cycle.encode",
    "CTR.cycle.saturate",
    "CTR.cycle.elapsed",
    "CTR.cycle.impl",
    "CTR-1",
    configs=(CC0, CC1, CC2, DRAFT32),
)
def counts(s: ScenarioScript) -> None:
    """Counts around every boundary of the encoding, and past the largest."""
    s.machine("M", "S", "U")
    for count in _edges(s):
        if count > 70_000 and s.config.cce_bits != 3:
            continue
        s.go(11, U)
        s.idle(count - 1)
        s.go(11, U)
        s.look(2)


@scenario("CTR.cycle.encode", "CTR.cycle.saturate", "CTR-1", configs=(CC3,))
def long_counts(s: ScenarioScript) -> None:
    """Three exponent bits: the largest count and its neighbours."""
    s.machine("M", "S", "U")
    most = largest_count(3)
    edges = [n + d for n in (1 << k for k in range(12, 19)) for d in (-1, 0, n // 2)]
    for count in (*edges, most - 64, most - 1, most, most + 100):
        s.go(11, U)
        s.idle(count - 1)
        s.go(11, U)
        s.look(2)


@scenario("CTR.cycle.encode", "CTR.cycle.saturate", "CTR-1", configs=(WIDE, CC2))
def counts_by_pops(s: ScenarioScript) -> None:
    """Counts that no run could wait for: pops add what software wrote into an entry, and a few cycles more."""
    s.machine("M", "S", "U", "RASEMU")
    most = largest_count(s.config.cce_bits)
    written = [cce << 12 | ccm for cce in range(1 << s.config.cce_bits) for ccm in (0, 0x7FF, 0xFFE, 0xFFF)]
    for cc in written:
        for more in (1, 40):
            s.go(9, U)
            s.select(0)
            s.group([], s.access(WRITE, f"{s.window}ireg3", cc << 16 | 0x8000, M))
            s.go(9, U)
            s.go(13, U)
            s.go(13, U)
            s.idle(more)
            s.go(9, U)
            s.look(1)
    s.idle(min(most, 2000))
    s.go(9, U)
    s.look(1)


@scenario("CTR.cycle.active", "CTR.cycle.elapsed", "CTR-2", configs=FULL)
def inactive(s: ScenarioScript) -> None:
    """Cycles in disabled modes and while frozen are not counted, all others are."""
    flag = 1 << (15 if s.config.draft else 31)
    for mode in modes(s):
        enable(s, mode)
        s.go(11, mode)
        for other in modes(s):
            s.at(other)
            s.idle(20 + other)
        s.go(11, mode)
        s.look(2)
        s.go(11, mode)
        s.set(s.status, flag, M)
        s.at(mode)
        s.idle(33)
        s.go(11, mode)
        s.clear(s.status, flag, M)
        s.at(mode)
        s.idle(5)
        s.go(11, mode)
        s.look(2)


@scenario(
    "CTR.cycle.ccv_write",
    "CTR.cycle.reset",
    "CTR.cycle.reset_draft",
    "CTR.cycle.ccv",
    "CTR.csr.setclear",
    "CTR-2",
    configs=ALL,
)
def writes(s: ScenarioScript) -> None:
    """Writes to every control register, also such as change nothing, and set and clear with the operand 0, which do not
    write.
    """
    names = [s.control, s.s_control] if s.config.has_s else [s.control]
    names += [s.vs_control] if s.config.has_h else []
    if s.config.draft and s.config.xlen == 32:
        names += [f"{name}h" for name in names]
    keep = s.word("M", "S", "U")
    for name in names:
        for op, value in ((WRITE, None), (SET, 0), (CLEAR, 0), (SET, 1 << 5), (CLEAR, 1 << 5)):
            s.machine("M", "S", "U")
            s.guest("S", "U")
            for _ in range(2):
                s.idle(9)
                s.go(11, U)
            s.idle(11)
            held = keep >> 32 if name.endswith("h") else keep & ~s.config.bit("M")
            s.group([], s.access(op, name, held if value is None else value, M))
            s.idle(4)
            s.go(11, U)
            s.idle(6)
            s.go(11, U)
            s.look(4)


@scenario("CTR.cycle.ccv_write", "CTR.vsctl.substitute", "CTR-2", configs=(DEFAULT, CC2, DRAFT64), needs=("has_s",))
def writes_from_below(s: ScenarioScript) -> None:
    """Control writes from S and VS; other writes leave the counter alone."""
    enable(s, *modes(s))
    for mode, from_ in ((HS, HS), (VS, VS)) if s.config.has_h else ((HS, HS),):
        for name in (s.s_control, "sctrstatus", "siselect"):
            for _ in range(2):
                s.idle(9)
                s.go(11, from_)
            s.idle(3)
            value = s.word("S", "U") if name == s.s_control else 5
            s.write(name, value, mode)
            s.at(from_)
            s.idle(4)
            s.go(11, from_)
            s.go(11, from_)
            s.look(5)
    s.go(11, VU if s.config.has_h else U)
    s.look(1)
    s.registers()


@scenario("CTR.clear.ccv", "CTR.clear.counter", "CTR.cycle.ccv", "CTR-2", configs=(DEFAULT, CC2, CC0, LEAN))
def clears(s: ScenarioScript) -> None:
    """SCTRCLR resets the counter, from every mode that may, also in the cycle of a record; one that is refused does
    not.
    """
    enable(s, *modes(s))
    for mode in (M, HS, VS, U, VU):
        if mode not in modes(s):
            continue
        for together in (False, True):
            for _ in range(3):
                s.idle(9)
                s.go(11, mode)
            s.idle(8)
            if together:
                s.group([s.make(11, mode)], s.access(4, 0, 0, mode))
            else:
                s.sctrclr(mode)
                s.at(mode)
            s.idle(5)
            s.go(11, mode)
            s.idle(2)
            s.go(11, mode)
            s.look(3)


@scenario("CTR.cycle.elapsed", "CTR-1", "CTR-13", configs=(DEFAULT, CC2, DRAFT64))
def groups(s: ScenarioScript) -> None:
    """Records of one cycle: the first has the count, the others 0; a write in the same cycle acts after them."""
    s.machine("M", "S", "U", "TKBRINH")
    for number in range(1, s.config.transfers + 1):
        s.together([s.make(5, U) for _ in range(number)])
        s.together([s.make(11 if slot == number - 1 else 5, U) for slot in range(number)])
    s.look(4)
    s.machine("M", "S", "U")
    for idle in (0, 1, 7):
        for number in range(1, s.config.transfers + 1):
            s.idle(idle)
            s.together([s.make(11, U) for _ in range(number)])
            s.idle(idle)
            s.together(
                [s.make(11, U) for _ in range(number)],
                s.access(WRITE, s.control, s.word("M", "S", "U") & ((1 << s.config.xlen) - 1), M),
            )
            s.go(11, U)
            s.together([s.make(11, U) for _ in range(number)])
            s.look(2 * s.config.transfers + 1)
