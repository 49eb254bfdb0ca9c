# SPDX-License-Identifier: Apache-2.0
"""Counters that do not count in some modes, records that a trap freezes, and a hart that halts."""

from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.riscv.csr import HS, M, U
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.subsystem.config import INHIBITED
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.subsystem.check import check
from rvtrace.tb.subsystem.coverage.sampling import observe
from tests.subsystem.captures import good, lying

EVENTS = ("cycles", 1), ("instructions", 2), ("branch", 3), ("exception", 8), ("load", 10), ("mispredict", 12)
FROZEN = 1 << 31


def clauses(run: SubsystemCapture) -> set[str]:
    return {failure.clause for failure in check(run, parts=False).failures}


def shifted(run: SubsystemCapture, name: str) -> SubsystemCapture:
    """One more in a counter, from the second snapshot on."""
    return lying(
        run,
        snapshots=[
            replace(one, counters=one.counters | {name: one.counters[name] + (number > 0)})
            for number, one in enumerate(run.snapshots)
        ],
    )


@pytest.mark.parametrize("options", [{}, {"xlen": 32, "retire": 2, "incremental": 2}], ids=str)
@pytest.mark.parametrize("modes", ["M", "U", "M+S", "S+U", "VS"])
def test_counters_without_some_modes(modes: str, options: dict[str, int]) -> None:
    events = [selector for _, selector in EVENTS] + [0, 13]
    run = good("traps", 8000, events=tuple(events), inhibit=",".join([modes] * 8), **options)
    assert {M, U} <= set(run.retired.priv.tolist())
    assert not clauses(run)
    for counter in range(3, 11):
        assert clauses(shifted(run, f"mhpmcounter{counter}")) == {"SUB.count.inhibit"}


def test_a_counter_that_counts_in_all_modes() -> None:
    """The counters of a device that ignores the inhibit bits."""
    run = good("traps", 8000, events=(1, 2, 3, 8, 10, 12, 0, 13), inhibit=",".join(["U"] * 8))
    other = good("traps", 8000, events=(1, 2, 3, 8, 10, 12, 0, 13))
    assert clauses(lying(run, snapshots=other.snapshots)) == {"SUB.count.inhibit"}
    assert observe(run)["inhibit_cg"]["U x cycles"] == 1


def test_cycles_of_a_halted_hart() -> None:
    """Cycles in Debug Mode are inhibited with M-mode."""
    run = good("traps", 8000, events=(1,), inhibit="M")
    later = run.cycle > run.snapshots[0].cycle + 5
    for mode, expected in ((M, set()), (U, {"SUB.count.inhibit"})):
        at = int(run.cycle[np.flatnonzero(later & (run.retired.priv == mode))[0]])
        assert clauses(lying(run, halted=[(at, at + 1)])) - {"SUB.ctr.cycles"} == expected


def test_mode_after_the_youngest() -> None:
    run = good("sort", 3000, events=(1,), inhibit="S")
    assert not clauses(run)
    behind = run.mode_behind.copy()
    behind[len(behind) // 2 :] = HS
    assert clauses(lying(run, mode_next=behind)) == {"SUB.count.inhibit"}


@pytest.mark.parametrize(("bit", "kind", "cause"), [(11, Kind.EXCEPTION, 3), (12, Kind.INTERRUPT, 13)])
def test_traps_that_freeze(bit: int, kind: Kind, cause: int) -> None:
    every = good("traps", 8000)
    run = good("traps", 8000, ctr_ctl=7 | 1 << bit)
    frozen = ((run.retired.kind == kind) & (run.retired.cause == cause)).any()
    assert not clauses(run)
    assert bool(run.snapshots[-1].ctr_status & FROZEN) == frozen
    if frozen:
        assert clauses(lying(run, snapshots=every.snapshots)) == {"SUB.ctr.freeze", "SUB.ctr.entries"}
        assert sum(observe(run)["freeze_cg"].values()) == 1
    wrong = [replace(one, ctr_status=one.ctr_status ^ FROZEN) for one in run.snapshots]
    assert clauses(lying(run, snapshots=wrong)) == {"SUB.ctr.freeze"}


def test_modes_have_bits_of_their_own() -> None:
    assert sorted(INHIBITED.values()) == [1, 2, 4, 8, 16]
