# SPDX-License-Identifier: Apache-2.0
"""The scoreboard on devices that are right, that are wrong in one cycle, and that differ where they may."""

from random import Random

import numpy as np
import pytest

from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import READ, M
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.hpm.stimulus.builds import BUILDS, DEFAULT, GUEST, RV32
from rvtrace.tb.hpm.stimulus.choices import asking
from rvtrace.tb.hpm.stimulus.random_rows import Mix
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS
from rvtrace.tb.hpm.stimulus.script import Script
from tests.common.there import there
from tests.hpm.devices import captured, scenario_run

SMALL = {"counters": "3+4+5", "events": 3, "widths": "64,4:9"}


def random_run(options: dict, size: int = 1200) -> HpmCapture:
    config = Config.from_dict(options)
    return captured(Mix(config, Random(7)).play(size).rows(), config)


@pytest.mark.parametrize("build", BUILDS)
def test_a_device_that_is_right_passes(build: str) -> None:
    capture = random_run(BUILDS[build])
    verdict = check(capture)
    assert verdict.passed, verdict.failures[0].text()
    assert len(verdict.book.results()) > 60 and verdict.stats["accesses"] == capture.rows.accesses > 300
    blind = check(HpmCapture(capture.config, capture.rows, None, exact=False))
    counted = {"HPM.count.cycles", "HPM.write.others", "HPM.inhibit.stops"}
    assert blind.passed, blind.failures[0].text()
    assert counted <= set(blind.book.results())


@pytest.mark.parametrize("options", [DEFAULT, RV32, GUEST])
def test_one_wrong_cycle_is_one_failure(options: dict) -> None:
    """Any counter, off by one from some cycle on: what follows is judged on its own."""
    rng, capture = Random(3), random_run(options, 400)
    wide = [n for n in range(32) if capture.config.has(n) and capture.config.widths[n] > 8]
    quiet = np.flatnonzero((capture.rows.op[:-1] != READ) & (np.diff(capture.rows.cycle) == 1))[1:]
    for _ in range(12):
        n, row = rng.choice(wide), int(rng.choice(quiet.tolist()))
        column = there(capture.state).counters[:, n].copy()
        if not 0 < column[row + 1] < (1 << capture.config.widths[n]) - 8:
            continue
        column[row + 1 :] += np.uint64(1)
        later = capture.rows.addr[row + 1 :] & 0x1F == n
        if (
            column[row + 1 :].max() >> np.uint64(capture.config.widths[n] - 1)
            or (later & (capture.rows.op[row + 1 :] != 7)).any()
        ):
            continue
        counters = there(capture.state).counters.copy()
        counters[:, n] = column
        verdict = check(HpmCapture(capture.config, capture.rows, there(capture.state)._replace(counters=counters)))
        assert [f.cycle for f in verdict.failures] == [int(capture.rows.cycle[row])], [
            f.text() for f in verdict.failures
        ]


@pytest.mark.parametrize(
    ("column", "clause"), [("of", "HPM.of.only"), ("lcofip", "HPM.lcofi.only"), ("lcofie", "HPM.lcofi.enable")]
)
def test_a_bit_that_nothing_sets(column: str, clause: str) -> None:
    config = Config.from_dict(SMALL)
    s = Script(config)
    s.write("mip", 0, M)
    for _ in range(5):
        s.step()
    capture = captured(s.rows(), config)
    values = getattr(there(capture.state), column).copy()
    values[-2:] |= 8 if column == "of" else 1
    verdict = check(HpmCapture(config, capture.rows, there(capture.state)._replace(**{column: values})))
    assert [f.clause for f in verdict.failures] == [clause]


@pytest.mark.parametrize(("n", "clause"), [(9, "HPM.absent.counts"), (0, "HPM.count.cycles")])
def test_a_counter_in_an_idle_stretch(n: int, clause: str) -> None:
    """Between two rows nothing is recorded, and yet a count that is lost there is seen."""
    config = Config.from_dict(SMALL)
    s = Script(config)
    s.idle(1000)
    capture = captured(s.rows(), config)
    assert len(capture.rows) < 10
    counters = there(capture.state).counters.copy()
    counters[-1, n] += np.uint64(1)
    if n == 0:
        counters[-1, n] = there(capture.state).counters[-1, n] - np.uint64(1)
    verdict = check(HpmCapture(config, capture.rows, Trace(counters, *there(capture.state)[1:])))
    assert clause in verdict.book.failed


def test_a_sentence_of_a_monitor_is_a_failure() -> None:
    capture = random_run(SMALL, 50)
    capture.problems.append("csr_rdata_o was X in cycle 7")
    assert check(capture).book.failed == ["HPM.port.unknown"]


def test_a_failure_says_where_and_what() -> None:
    capture = scenario_run("several_at_once", SMALL)
    row = int(np.flatnonzero(capture.rows.retired > 1)[0])
    there(capture.state).counters[row + 1 :, 2] -= np.uint64(1)
    text = next(f.text() for f in check(capture).failures if f.clause == "HPM.count.several")
    for part in (
        "HPM.count.several",
        "minstret is wrong after the cycle",
        f"cycle     {int(capture.rows.cycle[row])}",
        "x instructions retired",
    ):
        assert part in text, text


# --- Tolerances ------------------------------------------------------------------------------------------


def read_of(capture: HpmCapture, address: int, which: int = 0) -> int:
    """Row of a read that was done."""
    rows = capture.rows
    return int(np.flatnonzero((rows.op == READ) & (rows.addr == address) & (rows.outcome == 0))[which])


def test_tolerance_select() -> None:
    """A device may keep something else of a selector that it cannot count."""
    capture = scenario_run("unknown_selectors", SMALL)
    capture.rows.rdata[read_of(capture, 0x323)] ^= np.uint64(1 << 40)
    assert check(capture).book.failed == ["HPM.event.select"]
    assert check(capture, Tolerances(select="any")).book.failed == []


def test_tolerance_reset_zero() -> None:
    capture = scenario_run("reset_values", SMALL)
    capture.rows.rdata[read_of(capture, 0x306)] = 8
    assert check(capture).book.failed == ["HPM.reset.zero"]
    assert check(capture, Tolerances(reset_zero=False)).passed


def test_tolerance_refused_zero() -> None:
    capture = scenario_run("addresses", SMALL)
    capture.rows.rdata[int(np.argmax(capture.rows.outcome == 1))] = 8
    assert check(capture).book.failed == ["HPM.csr.refused"]
    assert check(capture, Tolerances(refused_zero=False)).passed


def test_tolerance_slack() -> None:
    """A device that shows reads only may count a little later, if it says so."""
    config = Config.from_dict(SMALL)
    rows = Rows.concat([asking(Rows.empty(1, 3), config), SCENARIOS["reads_while_counting"].build(config, Random(1))])
    capture = captured(rows, config)
    blind = HpmCapture(capture.config, capture.rows, None, exact=False)
    blind.rows.rdata[read_of(capture, 0xC02, 2)] -= np.uint64(2)
    tolerances = Tolerances.free()
    assert len(check(blind, tolerances).book.failed) == 1
    tolerances.slack = 2
    assert check(blind, tolerances).passed
