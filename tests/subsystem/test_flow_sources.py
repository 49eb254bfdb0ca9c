# SPDX-License-Identifier: Apache-2.0
"""Each trace source of the flow lies in turn, in many ways: the cross-check names that one and no other."""

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.ntrace.encoder.encode import Encoder as NtraceEncoder
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.table import HAS
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.subsystem.check import check
from rvtrace.scoreboards.subsystem.parts import beats_of, for_etrace
from tests.common.long import only_long, some
from tests.subsystem.captures import good, lying

CONFIGS: tuple[dict[str, Any], ...] = (
    {},
    {
        "xlen": 32,
        "retire": 2,
        "incremental": 2,
        "timestamp": 1,
        "implicit_return": 1,
        "branch_prediction": 1,
        "ownership": 1,
        "ctr_depth": 32,
    },
    {"mode": "btm", "jump_target_cache": 1, "full_address": 1, "repeated_history": 1, "timestamp": 1, "sync_max": 1},
    {
        "ntrace_returns": 3,
        "sync_mode": 0,
        "events": "interrupt,mispredict,exception,call,return,load,jump,store",
        "ctr_ctl": 0x10_0000_0003,
    },
)
STREAMS = ("ntrace", "etrace", "tandem")
# what the tandem trace alone reports
BESIDE = ("SUB.tandem.minstret", "SUB.tandem.mcycle", "SUB.count.load", "SUB.count.store")
SHARED = ("pcs", "traps", "modes", "insn", "parts")


def named(verdict: Verdict) -> set[str]:
    """The trace sources that failures blame: the last part of the ids."""
    return {
        (
            "tandem"
            if f.clause == "SUB.insn"
            else f.clause.split(".")[2]
            if f.clause.split(".")[1] in (*SHARED, "time")
            else f.clause
        )
        for f in verdict.failures
    }


@pytest.mark.parametrize("options", CONFIGS, ids=str)
@pytest.mark.parametrize("program", ["sort", "traps", "dispatch"])
def test_five_that_agree(program: str, options: dict[str, Any]) -> None:
    verdict = check(good(program, 8000 if program == "traps" else 3000, **options))
    assert [f.text() for f in verdict.failures] == []
    assert {
        "SUB.pcs.etrace", "SUB.pcs.ntrace", "SUB.pcs.tandem", "SUB.ctr.entries", "SUB.count.instret",
        "SUB.tandem.minstret",
    } <= set(verdict.book.results())  # fmt: skip


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("program", ["traps", only_long("recursion", why="a second program")])
def test_damage_is_reported_for_that_stream_alone(program: str, stream: str) -> None:
    """One bit, anywhere: nobody else is blamed, and what changes the flow is reported."""
    run, found = good(program, 1500), 0
    data = getattr(run, stream)
    seeds = some(range(12), 12 if stream == "tandem" else 6)  # few bits of a tandem trace are about the flow
    for seed in seeds:
        rng = Random(f"{seed}:{program}:{stream}:damage")
        at = rng.randrange(len(data))
        verdict = check(
            lying(run, **{stream: data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]}),
            parts=seed % 3 == 0,
        )
        assert named(verdict) <= {stream, *(BESIDE if stream == "tandem" else ())}, (
            seed,
            [f.text() for f in verdict.failures],
        )
        found += stream in named(verdict)
    assert found * 12 > 4 * len(seeds)


@pytest.mark.parametrize("stream", STREAMS)
def test_a_trace_that_ends_early(stream: str) -> None:
    run = good("sort", 3000)
    verdict = check(lying(run, **{stream: getattr(good("sort", 2990), stream)}))
    assert named(verdict) == {stream}
    first = next(f for f in verdict.failures if f.clause == f"SUB.pcs.{stream}")
    assert "is the odd one out: instruction 2990 is nothing (its trace ends)" in first.headline
    assert first.pc == int(run.retired.pc[2990])
    assert first.cycle == int(run.cycle[2990])
    assert len(first.before) == 3
    assert {row[0] for row in first.table} == {"E-Trace", "N-Trace", "tandem trace", "hart port"}


def _reencoded(run: SubsystemCapture, stream: str, **columns: Any) -> SubsystemCapture:
    """An encoder that received another stream."""
    other = deepcopy(run.retired)
    for name, column in columns.items():
        setattr(other, name, column)
    beats = beats_of(other, run.cycle, 1)
    if stream == "ntrace":
        return lying(run, ntrace=NtraceEncoder(run.config.ntrace).run(beats).data)
    return lying(run, etrace=EtraceEncoder(run.config.etrace).run(for_etrace(beats, "2")).data)


@pytest.mark.parametrize("stream", ["ntrace", "etrace"])
def test_a_trap_of_another_kind(stream: str) -> None:
    run = good("traps", 8000)
    k = int(np.flatnonzero(run.retired.kind == Kind.INTERRUPT)[3])
    kind = run.retired.kind.copy()
    kind[k] = Kind.EXCEPTION
    verdict = check(_reencoded(run, stream, kind=kind))
    assert named(verdict) == {stream}
    first = next(f for f in verdict.failures if f.clause == f"SUB.traps.{stream}")
    assert "is an exception" in first.headline and "have an interrupt" in first.headline


def test_the_first_trap_has_another_cause() -> None:
    run = good("traps", 8000)
    other = deepcopy(run.retired)
    other.cause = run.retired.cause.copy()
    other.cause[np.flatnonzero(run.retired.kind != Kind.INSN)[0]] += np.uint64(1)
    verdict = check(lying(run, retired=other), parts=False)
    first = next(f for f in verdict.failures if f.clause == "SUB.traps.hart")
    assert named(verdict) == {"hart"} and "cause of trap 0 is" in first.headline


def test_a_trap_after_the_last_instruction() -> None:
    """E-Trace and N-Trace report a trap with what follows it: the last one of all need not be reported, and is none of
    theirs to miss.
    """
    last = int(np.flatnonzero(good("traps", 8000).retired.kind != Kind.INSN)[5])
    without = good("traps", last)
    run = lying(good("traps", last + 1), ntrace=without.ntrace, etrace=without.etrace)
    verdict = check(run, parts=False)
    assert [f.text() for f in verdict.failures] == []
    assert [len(account.traps) for account in verdict.decoded] == [5, 5, 6, 6]
    assert named(check(lying(run, tandem=without.tandem), parts=False)) == {"hart", "tandem"}, "one against one"


@pytest.mark.parametrize(("stream", "options"), [("etrace", {}), ("ntrace", {"ownership": 1})])
def test_another_privilege(stream: str, options: dict[str, Any]) -> None:
    run = good("traps", 8000, **options)
    priv = run.retired.priv.copy()
    priv[priv == 0] = 1
    verdict = check(_reencoded(run, stream, priv=priv))
    assert named(verdict) == {stream}
    assert any(f.clause == f"SUB.modes.{stream}" for f in verdict.failures)


@pytest.mark.parametrize(("part", "column", "clause"), [
    ("pc", "pc", "SUB.pcs.tandem"), ("insn", "insn", "SUB.insn"), ("priv", "priv", "SUB.modes.tandem"),
    ("csr1", "csr", "SUB.traps.tandem"),
])  # fmt: skip
def test_the_tandem_trace_reports_otherwise(part: str, column: str, clause: str) -> None:
    """The unit takes something else from the port in one row: here a jump's target, an opcode, a privilege, a cause."""
    run = good("traps", 8000)
    rows = deepcopy(run.rows)
    where = rows.have(part) & rows.have("group") & ~rows.have("reset") & ~rows.have("init")
    if part == "csr1":
        where &= rows.csr_addr[:, 1] == 0x342
    k = int(np.flatnonzero(where)[7])
    values = getattr(rows, column).copy()
    values[k] = values[k] ^ 2
    setattr(rows, column, values)
    verdict = check(lying(run, tandem=encode(rows, run.config.tandem).data))
    assert any(f.clause == clause for f in verdict.failures), [f.text() for f in verdict.failures]
    assert named(verdict) == {"tandem"}


def test_a_lost_row() -> None:
    run = good("sort", 3000)
    k = np.flatnonzero(run.rows.have("insn") & (run.rows.has & HAS["group"] > 0))[1200]
    verdict = check(lying(run, tandem=encode(run.rows.select(np.arange(len(run.rows)) != k), run.config.tandem).data))
    assert any(
        f.clause == "SUB.pcs.tandem" and "tandem trace is the odd one out" in f.headline for f in verdict.failures
    )
    assert named(verdict) == {"tandem"}


def test_the_monitor_itself() -> None:
    """Three trace sources agree against what was seen at the port: the port's record is wrong."""
    run = good("sort", 3000)
    retired = deepcopy(run.retired)
    retired.pc = retired.pc.copy()
    retired.pc[100] += np.uint64(4)
    verdict = check(lying(run, retired=retired))
    assert (
        "hart port is the odd one out: instruction 100"
        in next(f for f in verdict.failures if f.clause == "SUB.pcs.hart").headline
    )


def test_two_against_two_believes_nobody() -> None:
    run, short = good("sort", 3000), good("sort", 2000)
    verdict = check(lying(run, ntrace=short.ntrace, etrace=short.etrace))
    first = next(f for f in verdict.failures if f.clause == "SUB.pcs.ntrace")
    assert (
        "no majority" in first.headline
        and "E-Trace and N-Trace" in first.headline
        and "tandem trace and hart port" in first.headline
    )


def test_two_different_lies_are_both_named() -> None:
    assert named(
        check(lying(good("sort", 3000), ntrace=good("sort", 2000).ntrace, etrace=good("sort", 2500).etrace))
    ) == {"ntrace", "etrace"}
