# SPDX-License-Identifier: Apache-2.0
"""Collisions (HPM-7): each kind of write in the cycle before, of and after an overflow, and all orders of three
writes.
"""

import itertools
from dataclasses import dataclass

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import CLEAR, SET, WRITE, Access, M, U

OF, MINH, LCOFI = 1 << 63, 1 << 62, 1 << 13
EVENT = Counts(events=(1,))
# Counter 3 has 8 bits, holds 254 and counts an event in each of three cycles: it wraps in the second of them.
# Each write, and what is there after the three cycles if it comes in the first, second, third: count, OF, LCOFIP.
WRITES: dict[str, tuple[Access, tuple[tuple[int, int, int], ...]]] = {
    "counter = 255": (Access(WRITE, 0xB03, 255), ((1, 1, 1), (0, 1, 1), (255, 1, 1))),
    "counter = 10": (Access(WRITE, 0xB03, 10), ((12, 0, 0), (11, 0, 0), (10, 1, 1))),
    "event with OF = 1": (Access(WRITE, 0x323, 3 | OF), ((1, 1, 0), (1, 1, 0), (1, 1, 1))),
    "event with OF = 0": (Access(WRITE, 0x323, 3), ((1, 1, 1), (1, 1, 1), (1, 0, 1))),
    "OF cleared": (Access(CLEAR, 0x323, OF), ((1, 1, 1), (1, 1, 1), (1, 0, 1))),
    "OF set": (Access(SET, 0x323, OF), ((1, 1, 0), (1, 1, 0), (1, 1, 1))),
    "no event": (Access(WRITE, 0x323, 0), ((255, 0, 0), (0, 1, 1), (1, 0, 1))),
    "MINH set": (Access(SET, 0x323, MINH), ((255, 0, 0), (0, 1, 1), (1, 1, 1))),
    "inhibit": (Access(SET, 0x320, 8), ((255, 0, 0), (0, 1, 1), (1, 1, 1))),
    "inhibit another": (Access(SET, 0x320, 16), ((1, 1, 1),) * 3),
    "LCOFIP cleared": (Access(CLEAR, 0x344, LCOFI), ((1, 1, 1), (1, 1, 1), (1, 1, 0))),
    "LCOFIP = 0": (Access(WRITE, 0x344, 0), ((1, 1, 1), (1, 1, 1), (1, 1, 0))),
    "LCOFIP set": (Access(SET, 0x344, LCOFI), ((1, 1, 1),) * 3),
    "another counter": (Access(WRITE, 0xB04, 255), ((1, 1, 1),) * 3),
    "refused": (Access(WRITE, 0xB03, 0, U), ((1, 1, 1),) * 3),
}
DISARMED = {  # the same with OF = 1 before: nothing is requested but where OF was written 0 before or with the overflow
    "event with OF = 0": ((1, 1, 1), (1, 1, 1), (1, 0, 0)),
    "OF cleared": ((1, 1, 1), (1, 1, 1), (1, 0, 0)),
    "MINH set": ((255, 1, 0), (0, 1, 0), (1, 1, 0)),
    "counter = 255": ((1, 1, 0), (0, 1, 0), (255, 1, 0)),
}

RV32 = {"no event": ((255, 0, 0), (0, 1, 1), (1, 1, 1))}  # the low half has no OF


def halves(access: Access, xlen: int) -> Access:
    """The same write on RV32: OF and MINH are in mhpmevent3h."""
    if xlen == 32 and access.addr == 0x323 and (access.wdata >> 32 or access.op == WRITE and access.wdata == 3):
        return access._replace(addr=0x723, wdata=access.wdata >> 32)
    return access


def start(xlen: int, of: int = 0) -> Hpm:
    hpm = Hpm(Config(xlen=xlen, widths=(8,)))
    hpm.access(Access(WRITE, 0x323, 3))
    hpm.access(Access(SET, 0x323, OF) if xlen == 64 else Access(WRITE, 0x723, OF >> 32)) if of else None
    hpm.access(Access(WRITE, 0xB03, 254))
    return hpm


def shown(hpm: Hpm) -> tuple[int, int, int]:
    return hpm.counter(3), hpm.of >> 3 & 1, hpm.lcofip


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("of", (0, 1))
def test_every_write_before_with_and_after_an_overflow(xlen: int, of: int) -> None:
    table = {name: expected for name, (_, expected) in WRITES.items()} if not of else dict(DISARMED)
    table |= RV32 if xlen == 32 and not of else {}
    for name, expected in table.items():
        for when in range(3):
            hpm = start(xlen, of)
            for cycle in range(3):
                hpm.cycle(M, EVENT, halves(WRITES[name][0], xlen) if cycle == when else None)
            assert shown(hpm) == expected[when], (name, when)


@dataclass
class Sequential:
    """The same counter as a sequence of single steps: a write that comes first or last in its cycle, and one step of
    counting.
    """

    count: int = 254
    of: bool = False
    pending: bool = False
    selected: bool = True
    filtered: bool = False
    stopped: bool = False

    def cycle(self, name: str) -> None:
        """A counter is written instead of counting, mhpmevent and LCOFIP before the overflow shows; what counts was
        decided before.
        """
        counts = self.selected and not self.filtered and not self.stopped and not name.startswith("counter =")
        self.write(name)
        if counts:
            self.count += 1
            if self.count == 256:
                self.count = 0
                self.pending |= not self.of
                self.of = True

    def write(self, name: str) -> None:
        if name.startswith("counter ="):
            self.count = int(name.split()[-1])
        elif name.startswith("LCOFIP"):
            self.pending = name == "LCOFIP set"
        elif name == "inhibit":
            self.stopped = True
        elif name == "MINH set":
            self.filtered = True
        elif name in ("OF set", "OF cleared"):
            self.of = name == "OF set"
        elif name in ("event with OF = 1", "event with OF = 0", "no event"):
            self.of, self.selected, self.filtered = name == "event with OF = 1", name != "no event", False


@pytest.mark.parametrize("first", WRITES)
def test_all_orders_of_three_writes(first: str) -> None:
    for second, third in itertools.product(WRITES, repeat=2):
        hpm, other = start(64), Sequential()
        for name in (first, second, third, "refused", "refused"):
            hpm.cycle(M, EVENT, WRITES[name][0])
            other.cycle(name)
            assert shown(hpm) == (other.count, other.of, other.pending), (first, second, third, name)


def test_one_counter_overflows_while_the_event_of_another_is_written() -> None:
    hpm = start(64)
    hpm.cycle(M, EVENT)
    hpm.cycle(M, EVENT, Access(WRITE, 0x324, 3 | OF))
    assert shown(hpm) == (0, 1, 1) and hpm.of == 0b11000


def test_a_clear_of_one_request_does_not_lose_the_next() -> None:
    """Counters 3 and 4 wrap in neighbouring cycles; LCOFIP is cleared in the cycle of the second."""
    hpm = start(64)
    hpm.access(Access(WRITE, 0x324, 3))
    hpm.access(Access(WRITE, 0xB04, 253))
    hpm.cycle(M, EVENT)
    hpm.cycle(M, EVENT)
    assert (hpm.of, hpm.lcofip) == (0b01000, 1)
    hpm.cycle(M, EVENT, Access(CLEAR, 0x344, LCOFI))
    assert (hpm.of, hpm.lcofip) == (0b11000, 1)
    hpm.cycle(M, EVENT, Access(CLEAR, 0x344, LCOFI))
    assert (hpm.of, hpm.lcofip) == (0b11000, 0)
