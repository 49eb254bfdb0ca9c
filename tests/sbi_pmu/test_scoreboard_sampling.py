# SPDX-License-Identifier: Apache-2.0
"""The check of a supervisor that samples, on a run written by hand: two overflows of two counters; each thing that may
be wrong in it is the failure of its clause, and of no other.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.records import Record, Transfer
from rvtrace.models.ctr.rows import Rows as CtrRows
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import HS, READ, U
from rvtrace.models.sbi_pmu.client import LCOFIP
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.record import Record as SbiRecord
from rvtrace.models.sbi_pmu.sample import FROZEN, Sample, Sampled
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.hpm import check as hpm
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.sbi_pmu.capture import Sampling, SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.check import check

CONFIG = Config(records=16, retired=8, counters=0x7F8, widths=(40,))
FIRST = 5  # the cycle on the ports in which the hart began
CYCLES = 60
TOP = 1 << 40


def jump(number: int) -> Transfer:
    return Transfer(11, 0x1000 + 16 * number, 0x2000 + 16 * number)


def entry(number: int) -> Record:
    one = jump(number)
    return Record(True, one.source, one.target, 0, one.type, False, 0)


def rows() -> Rows:
    """Event 1 in every cycle, event 2 twice in every third; U-mode, from port cycle 30 on S-mode; the first access is
    in cycle 5, a refused one.
    """
    made = Rows.empty(CYCLES, CONFIG.hpm.events)
    made.priv[:] = np.where(np.arange(CYCLES) < 30, U, HS)
    made.events[:, 1] = 1
    made.events[::3, 2] = 2
    made.op[FIRST], made.addr[FIRST], made.mode[FIRST], made.outcome[FIRST] = READ, 0xB03, U, 1
    return made


def samples() -> list[Sample]:
    """Counter 3 counts event 1 in U, counter 4 event 2 everywhere.

    First: from hart cycle 2 (port cycle 7) counter 3 needs 10 events: it wraps in port cycle 16, so that LCOFI is
    pending in 17, hart cycle 12; the trap is in 18. Until then there are 12 of event 1, and in port cycles 9, 12, 15,
    18 two each of event 2. Second: from hart cycle 20 (port cycle 25) counter 4 needs 3 events: the second of port
    cycle 30 is the fourth; pending in 31, the trap in 32. Counter 3 counts in 25 to 29.
    """
    first = Sample(
        2, [Sampled(0, 3, 4, "user", TOP - 10, 40), Sampled(1, 4, 5, "all", 100, 40)],
        [jump(number) for number in range(20)], 12, FROZEN, [entry(number) for number in range(19, 3, -1)],
        1 << 3, 1 << 0, [0], {0: 2, 1: 108}, 0, 0,
    )  # fmt: skip
    second = Sample(
        20, [Sampled(0, 3, 4, "user", 2, 40), Sampled(1, 4, 5, "all", TOP - 3, 40)],
        [jump(7)], 26, FROZEN, [entry(7)] + [Record(False, 0, 0, 0, 0, False, 0)] * 15,
        1 << 4, 1 << 1, [1], {0: 7, 1: 1}, 0, 0,
    )  # fmt: skip
    return [first, second]


def capture(changed: list[Sample] | None = None, models: list[Sample] | None = None, **more: Any) -> SbiPmuCapture:
    """changed: the samples on the device, and on the models unless `models` has those."""
    record = SbiRecord(CONFIG.platform, CONFIG.policies)
    seen = changed or samples()
    given = {
        "record": record, "model": record, "hpm": HpmCapture(CONFIG.hpm, rows(), None),
        "sampling": Sampling(CtrCapture(CONFIG.ctr, CtrRows.empty(0, 2)), seen, models or seen),
    }  # fmt: skip
    return SbiPmuCapture(CONFIG, **given | more)


def failed(run: SbiPmuCapture) -> list[str]:
    return sorted({failure.clause for failure in check(run).failures})


def test_a_run_that_is_right() -> None:
    verdict = check(capture())
    assert verdict.passed, verdict.failures[0].text()
    counts = {clause: checked for clause, (checked, _) in verdict.book.results().items()}
    twice = ("lcofi", "freeze", "path", "scountovf", "bitmap", "overflown", "clear", "thaw")
    assert [counts[f"SBI.sample.{name}"] for name in twice] == [2] * 8
    assert (counts["SBI.sample.snapshot"], counts["SBI.sample.again"], counts["SBI.run.same"]) == (4, 1, 2)
    assert (
        counts["SBI.run.counters"]
        == sum(one for one, _ in hpm.check(HpmCapture(CONFIG.hpm, rows(), None)).book.results().values())
        > 0
    )
    assert verdict.stats["overflows"] == 2 and verdict.stats["transfers"] == 21


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    ("clause", "change"),
    [
        ("SBI.sample.freeze", lambda s: replace(s, status=s.status & ~FROZEN)),
        ("SBI.sample.path", lambda s: replace(s, entries=[s.entries[0]._replace(source=8), *s.entries[1:]])),
        ("SBI.sample.path", lambda s: replace(s, entries=[s.entries[0]._replace(type=10), *s.entries[1:]])),
        ("SBI.sample.path", lambda s: replace(s, entries=[s.entries[0]._replace(valid=False), *s.entries[1:]])),
        ("SBI.sample.path", lambda s: replace(s, entries=[])),
        ("SBI.sample.path", lambda s: replace(s, history=[*s.history, jump(30)])),
        ("SBI.sample.scountovf", lambda s: replace(s, scountovf=0)),
        ("SBI.sample.scountovf", lambda s: replace(s, scountovf=0x18)),
        ("SBI.sample.bitmap", lambda s: replace(s, bitmap=3)),
        ("SBI.sample.overflown", lambda s: replace(s, overflown=[0, 1])),
        ("SBI.sample.snapshot", lambda s: replace(s, values=s.values | {0: s.values[0] + 1})),
        ("SBI.sample.snapshot", lambda s: replace(s, values=s.values | {1: s.values[1] - 1})),
        ("SBI.sample.snapshot", lambda s: replace(s, values={0: s.values[0]})),
        ("SBI.sample.clear", lambda s: replace(s, pending=LCOFIP)),
        ("SBI.sample.thaw", lambda s: replace(s, thawed=FROZEN)),
    ],
)  # fmt: skip
def test_what_the_supervisor_saw_is_wrong(clause: str, change: Callable[[Sample], Sample], number: int) -> None:
    changed = samples()
    changed[number] = change(changed[number])
    assert failed(capture(changed)) == [clause]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("late", [-1, 1])
def test_lcofi_in_another_cycle(number: int, late: int) -> None:
    """The trap moves with it, and with it what is counted: the snapshot is judged for the trap that there was."""
    changed = samples()
    changed[number] = replace(changed[number], seen=changed[number].seen + late)
    (failure,) = (one for one in check(capture(changed)).failures
                  if one.clause == "SBI.sample.lcofi")  # fmt: skip
    due = (17, 31)[number]
    assert failure.table == [("value", str(due), str(due + late))] and failure.cycle == due + late


def test_lcofi_without_an_overflow() -> None:
    one = samples()[0]
    still = replace(one, counters=[replace(counter, start=0) for counter in one.counters])
    (failure,) = (one for one in check(capture([still])).failures
                  if one.clause == "SBI.sample.lcofi")  # fmt: skip
    assert failure.table == [("value", "None", "17")]


def test_an_overflow_in_the_last_cycle_of_the_run() -> None:
    """Event 1 in port cycles 55 to 59: LCOFI is pending in 60, hart cycle 55."""
    one = replace(samples()[0], begin=50, seen=55, counters=[Sampled(0, 3, 4, "all", TOP - 5, 40)])
    assert "SBI.sample.lcofi" not in failed(capture([one]))
    less = replace(one, counters=[Sampled(0, 3, 4, "all", TOP - 6, 40)])
    assert "SBI.sample.lcofi" in failed(capture([less]))


def test_what_a_failure_expects() -> None:
    changed = samples()
    changed[0] = replace(changed[0], pending=LCOFIP, thawed=FROZEN)
    found = {one.clause: one for one in check(capture(changed)).failures}
    assert found["SBI.sample.clear"].table == [("value", "0", hex(LCOFIP))]
    assert found["SBI.sample.thaw"].table == [("value", "0", hex(FROZEN))]
    assert {one.cycle for one in found.values()} == {18}


def test_a_counter_that_never_overflows_again() -> None:
    changed = samples()
    changed[1] = replace(changed[1], seen=-1)
    found = failed(capture(changed))
    assert {"SBI.sample.lcofi", "SBI.sample.again"} <= set(found)
    changed[1] = replace(changed[1], seen=0)
    assert "SBI.sample.again" not in failed(capture(changed))
    first = replace(changed[0], seen=-1)
    assert "SBI.sample.again" not in failed(capture([first]))


def test_other_bits_of_sip_and_of_the_status_are_not_judged() -> None:
    changed = [replace(one, pending=0xFFFF & ~LCOFIP, thawed=0xFF, status=FROZEN | 7) for one in samples()]
    assert failed(capture(changed)) == []


def test_an_overflow_in_the_cycle_of_the_trap_is_in_scountovf() -> None:
    """The eighth event of counter 4 is in port cycle 18, that of the trap; with two more to go it does not wrap."""
    for start, due in ((TOP - 7, True), (TOP - 9, False)):
        one = samples()[0]
        value = (start + 8) % TOP
        one = replace(one, counters=[one.counters[0], replace(one.counters[1], start=start)], values={0: 2, 1: value})
        if due:
            one = replace(one, scountovf=0x18, bitmap=3, overflown=[0, 1])
        assert failed(capture([one])) == []
        flipped = replace(one, scountovf=one.scountovf ^ 0x10)
        assert failed(capture([flipped])) == ["SBI.sample.scountovf"]


def test_the_models_differ() -> None:
    run = capture(problems=["it stopped"], touched=["0x80001000 was written"])
    verdict = check(run)
    said = {failure.clause: failure.headline for failure in verdict.failures}
    assert said == {"SBI.view.unknown": "it stopped", "SBI.run.memory": "0x80001000 was written"}
    other = samples()
    for number in (0, 1):
        other[number] = replace(other[number], bitmap=9)
    same = [failure for failure in check(capture(models=other)).failures if failure.clause == "SBI.run.same"]
    assert [failure.headline for failure in same] == ["overflow 0 differs on the models"]
    assert check(capture(models=other)).book.results()["SBI.run.same"] == [2, 1]


def test_a_failure_of_a_block_alone() -> None:
    """A CSR that is read although the mode may not."""
    wrong = rows()
    wrong.outcome[FIRST] = 0
    verdict = check(capture(hpm=HpmCapture(CONFIG.hpm, wrong, None)))
    assert {failure.clause for failure in verdict.failures} == {"SBI.run.counters"}
    assert verdict.failures[0].headline.startswith("HPM.")
    assert verdict.failures[0].cycle == FIRST
