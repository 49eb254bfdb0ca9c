# SPDX-License-Identifier: Apache-2.0
"""Records, counters and timestamps lie in turn: the cross-check names that one, and what it should have said."""

import re
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.hpm.events import FIRST_EVENT
from rvtrace.models.ntrace.encoder.encode import Encoder as NtraceEncoder
from rvtrace.models.subsystem.config import COUNTERS
from rvtrace.models.subsystem.events import EVENTS
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.subsystem.accounts import etrace, packets_of
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture
from rvtrace.scoreboards.subsystem.check import check
from rvtrace.scoreboards.subsystem.parts import beats_of, for_etrace
from rvtrace.scoreboards.subsystem.time import _etrace
from tests.subsystem.captures import good, lying

CCV, CC = 1 << 15, 1 << 16


def reported(run: SubsystemCapture, number: int, **changes: Any) -> list[Failure]:
    """What is said when one snapshot is another."""
    snapshots = list(run.snapshots)
    snapshots[number] = replace(snapshots[number], **changes)
    return check(lying(run, snapshots=snapshots), parts=False).failures


def entry(snapshot: Snapshot, k: int, source: int = 0, target: int = 0, data: int = 0) -> list[tuple[int, int, int]]:
    """The entries with some bits of one turned."""
    out = list(snapshot.ctr)
    out[k] = (out[k][0] ^ source, out[k][1] ^ target, out[k][2] ^ data)
    return out


@pytest.mark.parametrize(("bits", "clause"), [
    ({"source": 4}, "entries"), ({"target": 8}, "entries"), ({"data": 1}, "entries"), ({"target": 1}, "missed"),
    ({"data": CC}, "cycles"), ({"data": CCV}, "cycles"),
])  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"xlen": 32, "retire": 2, "ctr_depth": 32}], ids=str)
def test_an_entry_that_is_no_such_transfer(options: dict[str, Any], bits: dict[str, int], clause: str) -> None:
    run = good("recursion", 3000, **options)
    failures = reported(run, 1, ctr=entry(run.snapshots[1], 5, **bits))
    assert [f.clause for f in failures] == [f"SUB.ctr.{clause}"]
    assert "snapshot 1, entry 5" in failures[0].headline
    assert failures[0].pc is not None
    if clause == "cycles":
        assert ("entry 5 reports none" in failures[0].headline) == (bits["data"] == CCV)
    if clause == "missed":
        missed = "reports mispredicted, and the hart port reported predicted"
        right = "reports predicted, and the hart port reported mispredicted"
        assert (missed if run.snapshots[1].ctr[5][1] & 1 == 0 else right) in failures[0].headline


def test_entries_in_another_order() -> None:
    run = good("recursion", 3000)
    failures = reported(run, 1, ctr=run.snapshots[1].ctr[::-1])
    assert [f.clause for f in failures] == ["SUB.ctr.entries"]
    assert failures[0].headline.startswith("CTR is the odd one out: snapshot 1, entry 0 (newest is 0) is")
    assert "E-Trace, N-Trace and tandem trace show" in failures[0].headline


@pytest.mark.parametrize("missing", [0, 7, 15])
def test_a_transfer_that_is_missing(missing: int) -> None:
    run = good("traps", 8000)
    entries = list(run.snapshots[2].ctr)
    del entries[missing]
    failures = reported(run, 2, ctr=entries)
    assert "SUB.ctr.entries" in [f.clause for f in failures]
    assert all(f.clause.startswith("SUB.ctr.") for f in failures)


def test_records_of_a_mode_that_is_not_recorded() -> None:
    every, user = good("traps", 8000), good("traps", 8000, ctr_ctl=1)
    failures = check(
        lying(user, snapshots=[replace(one, ctr=other.ctr) for one, other in zip(user.snapshots, every.snapshots)]),
        parts=False,
    ).failures
    assert {f.clause for f in failures} == {"SUB.ctr.entries"}


@pytest.mark.parametrize("first", [0, 6])
def test_each_counter(first: int) -> None:
    names = [*EVENTS[:10], "external0"]
    chosen = (names * 2)[first : first + 8]
    run = good("traps", 8000, events=tuple(FIRST_EVENT + EVENTS.index(name) for name in chosen))
    for counter, name in zip(COUNTERS, chosen):
        snapshots = [
            replace(
                one, counters=one.counters | {f"mhpmcounter{counter}": one.counters[f"mhpmcounter{counter}"] + (k > 0)}
            )
            for k, one in enumerate(run.snapshots)
        ]
        failures = check(lying(run, snapshots=snapshots), parts=False).failures
        assert [f.clause for f in failures] == [f"SUB.count.{'external' if name == 'external0' else name}"]
        assert failures[0].headline.startswith(f"counters are the odd one out: mhpmcounter{counter} counted ")


@pytest.mark.parametrize(("selector", "clause"), [(0, "nothing"), (1, "cycles"), (2, "instret")])
def test_selectors_that_are_no_event(selector: int, clause: str) -> None:
    run = good("sort", 3000, events=(selector,) * 8)
    counters = run.snapshots[2].counters
    failures = reported(run, 2, counters=counters | {"mhpmcounter4": counters["mhpmcounter4"] + 1})
    assert [f.clause for f in failures] == [f"SUB.count.{clause}"]


def test_a_counter_that_nobody_read() -> None:
    """Those after it are judged all the same."""
    run = good("sort", 3000)
    snapshots = [
        replace(one, counters={name: value for name, value in one.counters.items() if name != "mhpmcounter4"})
        for one in run.snapshots
    ]
    assert not check(lying(run, snapshots=snapshots), parts=False).failures
    last = snapshots[2].counters
    snapshots[2] = replace(snapshots[2], counters=last | {"mhpmcounter6": last["mhpmcounter6"] + 1})
    failures = check(lying(run, snapshots=snapshots), parts=False).failures
    assert [f.clause for f in failures] == ["SUB.count.call"]


def test_frozen_without_a_trap_that_freezes() -> None:
    run = good("sort", 3000)
    (failure,) = reported(run, 1, ctr_status=run.snapshots[1].ctr_status | 1 << 31)
    assert failure.clause == "SUB.ctr.freeze"
    assert failure.headline.endswith("E-Trace, N-Trace and tandem trace show no trap that freezes the records")


@pytest.mark.parametrize(("name", "clause"), [("minstret", "SUB.count.instret"), ("mcycle", "SUB.count.cycles")])
def test_fixed_counters(name: str, clause: str) -> None:
    run = good("sort", 3000)
    failures = reported(run, 2, counters=run.snapshots[2].counters | {name: run.snapshots[2].counters[name] + 1})
    assert [f.clause for f in failures] == [clause]


@pytest.mark.parametrize("name", ["mcycle", "minstret"])
@pytest.mark.parametrize("options", [{}, {"xlen": 32, "retire": 2, "incremental": 2}], ids=str)
def test_the_tandem_trace_reports_another_counter(options: dict[str, Any], name: str) -> None:
    run = good("sort", 3000, **options)
    rows = deepcopy(run.rows)
    setattr(rows, name, getattr(rows, name) + np.uint64(1))
    failures = check(lying(run, tandem=encode(rows, run.config.tandem).data)).failures
    assert {f.clause for f in failures} == {f"SUB.tandem.{name}", "SUB.parts.tandem"}


@pytest.mark.parametrize("word", ["ntrace", "etrace"])
@pytest.mark.parametrize("wrong", ["late", "twice as fast", "stops", "goes back"])
def test_another_time(word: str, wrong: str) -> None:
    run = good("dispatch", 4000, timestamp=1, sync_max=1)
    beats = beats_of(run.retired, run.cycle, 1)
    half, time = len(beats) // 2, beats.tstamp.copy()
    if wrong == "late":
        time[half:] += np.uint64(300)
    elif wrong == "goes back":
        time[half:] -= np.uint64(200)
    else:
        time = time * np.uint64(2) if wrong == "twice as fast" else np.full_like(time, 77)
    beats.tstamp = time
    changed = (
        NtraceEncoder(run.config.ntrace).run(beats).data
        if word == "ntrace"
        else EtraceEncoder(run.config.etrace).run(for_etrace(beats, "2")).data
    )
    failures = check(lying(run, **{word: changed})).failures
    assert f"SUB.time.{word}" in {f.clause for f in failures}
    assert {f.clause for f in failures} <= {f"SUB.time.{word}", f"SUB.parts.{word}"}
    assert "is the odd one out: the time of its message" in failures[0].headline
    if wrong == "goes back":
        later, earlier = re.findall(r"goes back to (\d+) from (\d+)", failures[0].headline)[0]
        assert int(later) < int(earlier)


def test_whole_times_of_packets() -> None:
    """The first one as its packet has it; of the others the lowest 16 bits."""
    run = good("dispatch", 4000, timestamp=1, sync_max=1)
    times = np.array([time for time in packets_of(run)[1] if time >= 0])
    found = _etrace(run, etrace(run), run.cycle.astype(np.int64)).time
    assert len(times) > 20 and found[0] == times[0] and (found % (1 << 16) == times).all()


def test_what_monitors_say() -> None:
    failures = check(lying(good("sort", 3000), problems=["ret_ready_o is X in cycle 7"])).failures
    assert [(f.clause, f.headline) for f in failures] == [("SUB.run", "ret_ready_o is X in cycle 7")]
