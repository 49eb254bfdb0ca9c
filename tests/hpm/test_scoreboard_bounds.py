# SPDX-License-Identifier: Apache-2.0
"""Intervals of counters of devices that do not declare the profile: what a look narrows, what a write leaves, and what
is left open. All values are counted by hand.
"""

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import CYCLES, RETIRED, Counts
from rvtrace.models.riscv.csr import DEBUG, HS, M, U
from rvtrace.scoreboards.hpm.bounds import HIGH, LOW, UNKNOWN, WHOLE, Bounds, Count, Cycle, Flags, Freedom, Setting

EXACT = Freedom()
LATE = Freedom(latency=3)
TIMING = Freedom(timing=True)
EVENT = 3  # the first selector of an external event
RUNS = Setting(EVENT, 0, 0)


def known(value: int, width: int = 64, freedom: Freedom = EXACT, n: int = 3) -> Count:
    """A counter that has just shown this value."""
    count = Count(n, width, freedom)
    count.adopt(0, value, WHOLE)
    assert count.visible(0) == (value, value)
    return count


# --- Looks ------------------------------------------------------------------------------------------------------------


def test_each_half_of_a_counter_is_compared() -> None:
    count = known(0x1_FFFF_FFFE)
    count.add(1, 1, 1)
    assert count.fits(1, 0xFFFF_FFFF, LOW) and count.fits(1, 1, HIGH) and count.fits(1, 0x1_FFFF_FFFF, WHOLE)
    assert not count.fits(1, 0xFFFF_FFFE, LOW) and not count.fits(1, 0, HIGH) and not count.fits(1, 2, HIGH)
    count.add(2, 0, 1)  # it may have carried
    assert count.fits(2, 1, HIGH) and count.fits(2, 2, HIGH) and count.fits(2, 0, LOW) and not count.fits(2, 1, LOW)


def test_a_counter_without_an_upper_half_shows_0_there() -> None:
    count = known(5, width=32)
    assert count.fits(1, 0, HIGH) and not count.fits(1, 1, HIGH)


def test_a_value_beyond_the_width_never_fits() -> None:
    assert Count(3, 8, Freedom()).fits(0, 0x100, WHOLE) is None and Count(3, 8, Freedom()).fits(0, 0xFF, WHOLE)
    assert Count(3, 64, Freedom()).fits(0, 1 << 32, LOW) is None


def test_two_looks_make_a_counter_known() -> None:
    """Before the low half is known, the high one says nothing, and nothing is compared with it."""
    count = Count(3, 64, Freedom())
    assert count.fits(0, 99, HIGH) and count.fits(0, 99, LOW)
    count.adopt(0, 0x10, LOW)
    assert not count.fits(1, 0x11, LOW) and count.fits(1, 7, HIGH) and count.fits(1, 8, HIGH)
    count.adopt(1, 7, HIGH)
    assert count.visible(1) == (0x7_0000_0010, 0x7_0000_0010) and not count.fits(2, 8, HIGH)


def test_of_a_wrong_low_half_the_high_one_stays_known() -> None:
    count = known(0x5_0000_0010)
    assert count.fits(1, 0x77, LOW) is None
    count.adopt(1, 0x77, LOW)
    assert count.visible(1) == (0x5_0000_0077, 0x5_0000_0077)


def test_a_look_narrows_what_was_open() -> None:
    count = known(100)
    count.add(1, 0, 10)
    assert count.visible(1) == (100, 110)
    count.adopt(1, 104, WHOLE)
    assert count.visible(1) == (104, 104)


def test_a_look_at_the_upper_half_leaves_what_was_counted_to_the_next() -> None:
    """Only a look at the low half shows whether a count was right."""
    count = known(100)
    count.add(1, 2, 2)
    count.adopt(1, 0, HIGH)
    assert "HPM.count.event" in count.checked(1, WHOLE)
    count.adopt(1, 102, WHOLE)
    assert count.checked(1, WHOLE) == []


def test_what_the_upper_half_distinguishes() -> None:
    """A count of 1 at a multiple of 2**32 is seen there; a count of 1 elsewhere is not."""
    count = known(0x1_FFFF_FFFF)
    count.add(1, 1, 1)
    assert count.checked(1, HIGH) == ["HPM.count.event"]
    count = known(0x1_0000_0005)
    count.add(1, 1, 1)
    assert count.checked(1, HIGH) == []
    count = known(0x1_FFFF_FFFF)
    count.add(1, 1, 2)  # 0x2_0000_0000 or 0x2_0000_0001: the second shows 2 without the sure count as well
    assert count.checked(1, HIGH) == []


# --- Writes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "value", "after"),
    [(WHOLE, 0x9_0000_0001, 0x9_0000_0001), (LOW, 0x22, 0x3_0000_0022), (HIGH, 0x7_0000_0000, 0x7_0000_0005)],
)
def test_a_write_of_a_part(part: str, value: int, after: int) -> None:
    count = known(0x3_0000_0005)
    count.write(1, value, part, 0)
    assert count.visible(1) == (after, after) and not count.blind


def test_a_write_of_the_low_half_beside_a_carry() -> None:
    """The counter would have carried in that cycle: the upper half is 3 or 4, if settings may apply a cycle later."""
    count = known(0x3_FFFF_FFFF, freedom=TIMING)
    count.write(1, 0x22, LOW, 1)
    assert count.fits(2, 3, HIGH) and count.fits(2, 4, HIGH) and not count.fits(2, 0x23, LOW)
    count = known(0x3_FFFF_FFFF)
    count.write(1, 0x22, LOW, 1)
    assert count.visible(2) == (0x3_0000_0022, 0x3_0000_0022) and not count.blind


def test_a_write_of_the_upper_half_beside_a_carry() -> None:
    """The carry went into the value before the write, or the whole increment was dropped: nothing else is an order."""
    count = known(0x3_FFFF_FFFF, freedom=TIMING)
    count.write(1, 7 << 32, HIGH, 1)
    assert count.fits(2, 0x7_FFFF_FFFF, WHOLE) and count.fits(2, 0x7_0000_0000, WHOLE)
    assert not count.fits(2, 0x8_0000_0000, WHOLE)
    assert "HPM.write.wins" in count.broken(2, 0x8_0000_0000, WHOLE)[0]
    count.add(2, 1, 1)
    count.adopt(3, 0, LOW)  # it was dropped, so this cycle carries
    assert count.fits(3, 8, HIGH) and not count.fits(3, 7, HIGH)


def test_the_upper_half_of_a_narrow_counter_cannot_be_written() -> None:
    count = known(5, width=32)
    count.write(1, 9 << 32, HIGH, 0)
    assert count.visible(1) == (5, 5)


def test_what_a_wrong_value_after_a_write_of_one_half_may_come_from() -> None:
    """What was counted before it, too; after a write of the whole nothing of that is left."""
    for part, earlier in ((LOW, ("HPM.count.event",)), (WHOLE, ())):
        count = known(0x3_0000_0005)
        count.add(1, 2, 2)
        count.write(2, 0x22, part, 0)
        alone, others = count.broken(3, 0x99, LOW)
        assert alone == ("HPM.write.value",) and others == earlier


# --- Events that come late --------------------------------------------------------------------------------------------


def test_an_overflow_under_way_may_be_revoked() -> None:
    """250 and 10 of 8 bits: by a setting that changes within the latency, it may not have counted them at all."""
    count = known(250, width=8, freedom=LATE)
    count.add(1, 10, 10)
    assert count.visible(1) == (250, 260) and count.wrapped(1) == (True, False)
    count.widen({})
    assert count.revoked and count.visible(1) == (250, 260)


def test_an_overflow_beyond_the_latency_is_not_revoked() -> None:
    count = known(250, width=8, freedom=LATE)
    count.add(1, 10, 10)
    assert count.wrapped(1) == (True, False)
    count.late(9)
    count.widen({})
    assert not count.revoked and count.visible(9) == (260, 260)
    assert count.wrapped(9) == (True, True) and count.visible(9) == (4, 4)


def test_a_counter_that_nobody_knows_may_overflow_unseen() -> None:
    count = Count(3, 64, Freedom())
    count.add(1, 1, 1)
    assert count.blind
    count = known(1)
    count.add(1, 1, 1)
    assert not count.blind


# --- All counters, cycle by cycle -------------------------------------------------------------------------------------


def stepped(cycles: list[Cycle], setting: Setting, freedom: Freedom = EXACT, written: int = -1, n: int = 3) -> Bounds:
    """mcycle, minstret and two counters, all known to be 100, after some cycles with this setting of counter n."""
    bounds = Bounds(Config(counters=0b11000), freedom)
    settings = dict.fromkeys(bounds.counts, RUNS) | {0: Setting(CYCLES, 0, 0), 2: Setting(RETIRED, 0, 0), n: setting}
    for count in bounds.counts.values():
        count.adopt(0, 100, WHOLE)
    for cycle in cycles:
        bounds.step(cycle, settings, settings, written, False)
    return bounds


def one(priv: int = M, **counts: int) -> list[Cycle]:
    """A cycle in which an external event happens once."""
    return [Cycle(1, priv, Counts(**{"events": (1,), **counts}))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cycle", "setting", "freedom", "most"),
    [
        (one(), RUNS, Freedom(), (101, 101)),
        (one(), Setting(EVENT, 1, 0), Freedom(), (100, 100)),
        (one(), Setting(EVENT, UNKNOWN, 0), Freedom(), (100, 101)),
        (one(), Setting(EVENT, 0, UNKNOWN), Freedom(), (100, 101)),
        (one(), Setting(0, 0, 0), Freedom(), (100, 100)),
        (one(), Setting(EVENT, 0, 1 << 4), Freedom(), (100, 100)),
        (one(U), Setting(EVENT, 0, 1 << 4), Freedom(), (101, 101)),
        (one(HS), Setting(EVENT, 0, 1 << 3), Freedom(), (100, 100)),
        (one(stopcount=1), RUNS, Freedom(), (100, 100)),
        (one(stopcount=1), RUNS, Freedom(stopped=True), (100, 101)),
        (one(cycle=0), Setting(CYCLES, 0, 0), Freedom(), (100, 100)),
        (one(cycle=0), Setting(CYCLES, 0, 0), Freedom(wfi=True), (100, 101)),
        (one(), Setting(CYCLES, 0, 0), Freedom(wfi=True), (101, 101)),
        (one(DEBUG), Setting(EVENT, 0, 1 << 4), Freedom(timing=True), (100, 101)),
        (one(), RUNS, Freedom(timing=True), (101, 101)),
    ],
)
def test_what_a_cycle_adds(cycle: list[Cycle], setting: Setting, freedom: Freedom, most: tuple[int, int]) -> None:
    assert stepped(cycle, setting, freedom).counts[3].visible(1) == most


def test_the_other_counters_count_while_one_is_written() -> None:
    counts = stepped(one(retired=2), RUNS, written=0).counts
    assert [counts[n].visible(1) for n in (0, 2, 3, 4)] == [(100, 100), (102, 102), (101, 101), (101, 101)]


def test_a_look_says_that_cycles_in_wfi_are_not_counted() -> None:
    """A block that counts them differs by one; it is allowed to where WFI is left open, or the counter is stopped."""
    asleep = one(cycle=0)
    assert stepped(asleep, Setting(CYCLES, 0, 0), n=0).counts[0].checked(1, WHOLE) == ["HPM.count.wfi"]
    for setting, freedom in ((Setting(CYCLES, 0, 0), Freedom(wfi=True)), (Setting(CYCLES, 1, 0), Freedom())):
        assert stepped(asleep, setting, freedom, n=0).counts[0].checked(1, WHOLE) == []


@pytest.mark.parametrize(
    ("cycle", "setting", "clauses"),
    [
        (one(DEBUG, stopcount=1), RUNS, ["HPM.debug.stopcount"]),
        (one(DEBUG, stopcount=1), Setting(EVENT, 1, 0), []),
        (one(), Setting(EVENT, 1, 0), ["HPM.inhibit.stops"]),
        (one(), Setting(EVENT, 0, 1 << 4), ["HPM.filter.minh"]),
        (one(U), Setting(EVENT, 0, 1 << 2), ["HPM.filter.uinh"]),
        (one(), Setting(EVENT, 1, 1 << 4), []),
        (one(), Setting(0, 0, 0), ["HPM.select.zero"]),
    ],
)
def test_a_look_says_what_stopped_the_counter(cycle: list[Cycle], setting: Setting, clauses: list[str]) -> None:
    """Where two things stop it, neither is tested."""
    assert stepped(cycle, setting).counts[3].checked(1, WHOLE) == clauses


# --- OF and LCOFIP ----------------------------------------------------------------------------------------------------


def overflowing(freedom: Freedom, first: int, second: int) -> tuple[Flags, Bounds]:
    """Two counters of 8 bits that have counted 10 and 20 from these values, and their flags."""
    bounds = Bounds(Config(counters=0b11000, widths=(8,)), freedom)
    flags = Flags(bounds, True)
    for n, value, more in ((3, first, 10), (4, second, 20)):
        bounds.counts[n].adopt(0, value, WHOLE)
        bounds.counts[n].add(1, more, more)
    flags.step(1)
    return flags, bounds


@pytest.mark.parametrize(("seen", "due"), [(0, True), (1, False)])
def test_a_write_of_lcofip_clears_what_it_has_read(seen: int, due: bool) -> None:
    """A request that the writing access did not read comes after the write."""
    flags, _ = overflowing(Freedom(latency=2), 250, 100)
    flags.write_ip(0, seen)
    flags.settle(5)
    assert flags.requested == flags.raced == due and (flags.ip == 1) == due


def test_a_counter_that_falls_by_a_write_requests_nothing() -> None:
    flags, bounds = overflowing(Freedom(), 100, 100)
    bounds.counts[3].write(2, 5, WHOLE, 0)
    flags.write_counter(3, False, False, fell=True)
    assert flags.tags[3] == {"HPM.of.counter": 1} and flags.ip_tags == {"HPM.lcofi.counter": 1}
    flags.look_of(3, 0)
    flags.look_ip(0)
    assert not flags.tags[3] and not flags.ip_tags


def test_an_overflow_sets_of_and_the_request() -> None:
    flags, _ = overflowing(Freedom(), 250, 100)
    flags.settle(2)
    assert flags.of == {3: 1, 4: 0} and flags.ip == 1 and flags.requested


@pytest.mark.parametrize(("open_", "sure"), [(3, 4), (4, 3)])
def test_an_overflow_that_is_open_does_not_hold_up_another(open_: int, sure: int) -> None:
    """Whichever of the two is looked at first."""
    bounds = Bounds(Config(counters=0b11000, widths=(8,)), EXACT)
    flags = Flags(bounds, True)
    for n, least in ((open_, 0), (sure, 10)):
        bounds.counts[n].adopt(0, 250, WHOLE)
        bounds.counts[n].add(1, least, 10)
    flags.step(1)
    flags.settle(9)
    assert flags.of == {open_: None, sure: 1} and flags.ip == 1


def test_of_that_is_cleared_after_the_overflow_stays_cleared() -> None:
    """Written in the cycles in which the overflow may be seen: 1 stays 1, of 0 nobody knows which came first."""
    for value, after in ((0, None), (1, 1)):
        flags, _ = overflowing(Freedom(latency=2), 250, 100)
        flags.write_of(3, value)
        assert flags.of[3] == after
        flags.settle(9)
        assert flags.of[3] == after


def test_a_write_of_the_counter_leaves_of_that_is_1() -> None:
    for of, after in ((1, 1), (0, None)):
        flags, _ = overflowing(Freedom(), 0, 0)
        flags.look_of(3, of)
        flags.write_counter(3, True, False)
        assert flags.of[3] == after
