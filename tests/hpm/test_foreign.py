# SPDX-License-Identifier: Apache-2.0
"""Devices without the profile: every legal choice passes, the illegal neighbour of each fails with its clause."""

from typing import Any

import pytest

from rvtrace.models.hpm.config import Config, ConfigError
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import M
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.hpm.stimulus.script import Script
from tests.common.long import LONG, some
from tests.hpm.broken import (
    Adds,
    Closed,
    Loses,
    NoCarry,
    NoFilter,
    NoInhibiting,
    NoMode,
    NoOf,
    NoRequest,
    Once,
    OneBit,
    Opened,
    Shifted,
    Stuck,
    TimeOfM,
    Unmasked,
    Wide,
)  # fmt: skip
from tests.hpm.devices import captured
from tests.hpm.foreign import (
    AllBits,
    AllEnables,
    AnyOf,
    Asleep,
    Awake,
    Core,
    Drifting,
    Fixed,
    HalfCounts,
    Inhibited,
    Late,
    NoInhibit,
    NoStopcount,
    NoTime,
    NoTm,
    NoViews,
    OneMode,
    OnlyM,
    SettingsLate,
    TooLate,
    TwoBits,
    verdict,
)  # fmt: skip

SMALL: dict[str, Any] = {"counters": "3+4+5", "events": 3, "widths": "64,4:9,5:33"}
RV32: dict[str, Any] = {**SMALL, "xlen": 32}
LEGAL = (
    Hpm, TwoBits, Fixed, AllEnables, NoTm, NoTime, NoInhibit, Inhibited, HalfCounts, NoStopcount, Asleep, Awake, Late,
    Core, SettingsLate,
)  # fmt: skip
SOURCES = (
    "random:1", "random:2", "halves", "writes_while_counting", "selectors", "unknown_selectors", "enables", "time",
    "reset_values", "asleep", "debug_mode", "inhibits", "next_cycle", "filters", "wraps", "all_pairs", "addresses",
    "several_overflow", "set_and_clear", "absent",
)  # fmt: skip


@pytest.mark.parametrize("device", LEGAL, ids=lambda device: device.__name__)
def test_a_legal_choice_passes(device: type[Hpm]) -> None:
    for k, source in enumerate(some(SOURCES, 10)):
        options = (SMALL, RV32)[k % 2 if "random" not in source else int(source[-1]) - 1]
        for shown in (False, True) if k < 3 and LONG else (bool(k & 2),):
            found = verdict(device, source, options, shown=shown)
            assert found.passed, (source, shown, found.failures[0].text())


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize(
    ("device", "without"), [(OneMode, ("csr_priv",)), (OneMode, ("priv",)), (OnlyM, ("csr_priv", "priv"))]
)
def test_privilege_held_inside_the_block(device: type[Hpm], without: tuple[str, ...], xlen: int) -> None:
    """The hart is in the mode of each access; where nothing tells the mode, it is M."""
    for source in ("random:3", "filters", "enables", "debug_mode"):
        found = verdict(device, source, {**SMALL, "xlen": xlen}, without)
        assert found.passed, (source, found.failures[0].text())


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("source", ["values", "unknown_selectors", "selectors", "random:7"])
def test_upper_bits_of_mhpmevent_without_sscofpmf(xlen: int, source: str) -> None:
    """They are WARL: any value that a write leaves is legal, as long as it stays."""
    options = {**SMALL, "xlen": xlen, "has_sscofpmf": 0, "has_shlcofideleg": 0}
    for device in (Hpm, AllBits):
        found = verdict(device, source, options)
        assert found.passed, (device, found.failures[0].text())


@pytest.mark.parametrize("device", [AllBits, Drifting])
def test_upper_bits_of_mhpmevent_stay(device: type[Hpm]) -> None:
    """A read that differs from the one before, with no write of the register between, fails."""
    config = Config.from_dict({**SMALL, "has_sscofpmf": 0, "has_shlcofideleg": 0})
    script = Script(config)
    script.write("mhpmevent3", 0xA800_0000_0000_0001, M)
    script.read("mhpmevent3", M)
    script.write("mcountinhibit", 0, M)
    script.read("mhpmevent3", M)
    capture = captured(script.rows(), config, device)
    found = check(HpmCapture(config, capture.rows, None, exact=False), Tolerances.free())
    assert found.book.failed == ["HPM.event.no_ext"] * (device is Drifting)


OWN = {**SMALL, "codes": "1:0x100,2:0x77,3:0x1,4:0x2,5:0x80"}


@pytest.mark.parametrize("options", [{**SMALL, "codes": "mask"}, OWN], ids=["mask", "own"])
def test_own_codes_of_selectors(options: dict[str, Any]) -> None:
    for source in ("random:4", "selectors", "next_cycle", "several_at_once", "unknown_selectors", "all_pairs"):
        found = verdict(Hpm, source, options)
        assert found.passed, (source, found.failures[0].text())
    assert "HPM.count.event" in verdict(Hpm, "selectors", options).book.results()
    assert not verdict(Shifted, "selectors", options).passed
    config = Config.from_dict(options)
    assert Config.from_dict(config.to_dict()) == config == Config.from_dict(config.words() | {"events": 3})
    assert config.selector(config.code(4)) == 4


MASKED: dict[str, Any] = {
    "xlen": 32, "retired": 1, "events": 9, "event_bits": 1, "counters": "3+4+5+6", "codes": "mask", "has_u": 0,
    "has_s": 0, "has_h": 0, "has_sscofpmf": 0, "has_smcntrpmf": 0, "has_shlcofideleg": 0,
}  # fmt: skip


@pytest.mark.parametrize("source", ["random:1", "random:5", "selectors", "several_at_once", "unknown_selectors"])
def test_a_mask_of_several_bits(source: str) -> None:
    """What a counter with two bits in its mask counts is not defined; nothing is said of it."""
    found = verdict(AnyOf, source, MASKED, ("csr_priv", "priv"))
    assert found.passed, found.failures[0].text()


def test_selectors_that_are_no_mask() -> None:
    """The same block with numbers as selectors counts another event than it is read back to count."""
    found = verdict(AnyOf, "selectors", {**MASKED, "codes": (-1,)}, ("csr_priv", "priv"))
    assert found.failures and found.failures[0].clause in ("HPM.count.event", "HPM.count.several", "HPM.count.idle")


@pytest.mark.parametrize(
    ("device", "source"),
    [(Late, "random:15"), (Late, "random:30"), (Inhibited, "random:30"), (Inhibited, "random:48"),
     (Awake, "random:61"), (Asleep, "random:61")],
    ids=str,
)  # fmt: skip
def test_rows_that_were_false_fails(device: type[Hpm], source: str) -> None:
    """A half write and an event of its cycle; the half of a register that was not written; a high half of 0 bits."""
    for options in (SMALL, RV32):
        for shown in (False, True):
            found = verdict(device, source, options, shown=shown)
            assert found.passed, found.failures[0].text()


def test_a_device_without_zicntr_and_zihpm() -> None:
    """The views belong to extensions. Where they are absent nothing is said of them."""
    for source in ("random:1", "enables", "addresses"):
        found = verdict(NoViews, source, SMALL)
        assert found.passed, found.failures[0].text()
    assert not {"HPM.view.shadow", "HPM.enable.open"} & {n for n, (c, _) in found.book.results().items() if c}
    assert not verdict(NoViews, "enables", SMALL, csrs="all").passed


def test_widths_of_events() -> None:
    """Event 0 is one bit wide: never more than one of it in a cycle."""
    options = {**SMALL, "event_widths": "3:1"}
    assert verdict(OneBit, "several_at_once", options).passed
    assert not verdict(OneBit, "several_at_once", SMALL).passed
    with pytest.raises(ConfigError, match="EVENT_WIDTHS has a width beyond"):
        Config.from_dict({**SMALL, "event_widths": "3:9"})
    with pytest.raises(ConfigError, match="CODES gives two selectors one code"):
        Config.from_dict({**SMALL, "codes": "1:5"})


# --- Illegal neighbours ----------------------------------------------------------------------------------

FAULTS = [  # device, source, options, clauses of which one fails first, tolerances
    (Shifted, "selectors", SMALL, {"HPM.select.event"}, {}),
    (Opened, "enables", SMALL, {"HPM.enable.closed", "HPM.enable.time"}, {}),
    (Closed, "enables", SMALL, {"HPM.enable.open"}, {}),
    (TimeOfM, "enables", SMALL, {"HPM.enable.open", "HPM.enable.time"}, {}),
    (Stuck, "selectors", SMALL, {"HPM.count.retired", "HPM.count.event", "HPM.select.retired"}, {}),
    (Loses, "writes_while_counting", SMALL, {"HPM.write.others"}, {}),
    (Adds, "writes_while_counting", SMALL, {"HPM.write.wins"}, {}),
    (Once, "several_at_once", SMALL, {"HPM.count.several"}, {}),
    (NoCarry, "reads_while_counting", {**RV32, "retired": 8}, set(), {}),
    (NoCarry, "halves", RV32, {"HPM.half.carry"}, {}),
    (NoInhibiting, "inhibits", SMALL, {"HPM.inhibit.stops"}, {}),
    (NoFilter, "filters", SMALL, {"HPM.cfg.minh", "HPM.filter.minh"}, {}),
    (NoOf, "overflow_again", SMALL, {"HPM.of.set"}, {}),
    (NoRequest, "overflow_again", SMALL, {"HPM.lcofi.request"}, {}),
    (Unmasked, "overflow_again", SMALL, {"HPM.lcofi.masked"}, {"latency": 0}),
    (Wide, "wraps", SMALL, {"HPM.of.set", "HPM.of.width", "HPM.width.mask"}, {}),
    (NoMode, "software_sets_and_clears", SMALL, {"HPM.lcofi.registers"}, {"shown": False}),
    (TooLate, "several_at_once", SMALL, {"HPM.count.event", "HPM.count.several", "HPM.write.elsewhere"}, {}),
    (
        Late,
        "reads_while_counting",
        SMALL,
        {"HPM.count.event", "HPM.write.elsewhere", "HPM.write.others"},
        {"latency": 0},
    ),
    (NoStopcount, "debug_mode", SMALL, {"HPM.debug.stopcount"}, {"stopcount": "stops"}),
    (Awake, "asleep", SMALL, {"HPM.count.wfi"}, {"wfi": "stops"}),
    (AllEnables, "absent", SMALL, {"HPM.inhibit.absent", "HPM.enable.absent"}, {"enables": "claimed"}),
    (NoTime, "time", SMALL, {"HPM.csr.done", "HPM.enable.machine"}, {"csrs": "all"}),
]


# Of these runs without a view of the counters test_a_deviation_is_named (test_scoreboard_hypotheses.py) demands more.
NAMED = {(Loses, "writes_while_counting"), (Once, "several_at_once"), (Shifted, "selectors"),
         (NoInhibiting, "inhibits"), (NoFilter, "filters")}  # fmt: skip


@pytest.mark.parametrize(
    ("device", "source", "options", "clauses", "closed", "shown"),
    [(*f, shown) for f in FAULTS for shown in (False, True) if shown or (f[0], f[1]) not in NAMED],
    ids=[f"{f[0].__name__}-{f[1]}-{s}" for f in FAULTS for s in (False, True) if s or (f[0], f[1]) not in NAMED],
)
def test_the_illegal_neighbour_fails(
    device: type[Hpm], source: str, options: dict[str, Any], clauses: set[str], closed: dict[str, Any], shown: bool
) -> None:
    found = verdict(device, source, options, **{"shown": shown, **closed})
    first = sorted(found.failures, key=lambda failure: failure.cycle or 0)
    assert bool(first) == bool(clauses), [f.text() for f in first[:2]]
    assert not clauses or first[0].clause in clauses, first[0].text()
    assert verdict(Hpm, source, options, **{"shown": shown, **closed}).passed and M == 3
