# SPDX-License-Identifier: Apache-2.0
"""Long stretches of rows are followed and compared as columns: with the same verdict, word by word, as one by one."""

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.recorder import Recorder
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.ctr.rows import NO_ACCESS, Rows, answered
from rvtrace.models.ctr.rules import NO_SOURCE, NO_TARGET, WHOLE
from rvtrace.models.riscv.csr import HS, READ, WRITE, Access, M, U
from rvtrace.scoreboards.ctr import check as checks
from rvtrace.scoreboards.ctr import reasons
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.follow import Follower
from rvtrace.scoreboards.ctr.log import Stretch, cc_of
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.ctr.coverage.sampling import sample
from rvtrace.tb.ctr.stimulus import random_jobs
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS
from rvtrace.tb.ctr.stimulus.stimulus import stimulus
from tests.ctr.devices import SMALL, play, scenario_run

NEVER, SHORT = 1 << 40, 4  # rows: nothing is done in columns, nearly everything is
LONG = ("depths", "entries", "mode_enables", "every_type", "ras", "freeze")


def judged(capture: CtrCapture, enough: int, tolerances: Tolerances, monkeypatch: pytest.MonkeyPatch) -> Any:
    """All that a check says, and all that its follower knows at the end."""
    monkeypatch.setattr(checks, "ENOUGH", enough)
    verdict = checks.check(capture, tolerances)
    f: Follower = verdict.encoded
    r = f.recorder
    held = [r.source, r.target, r.data, r.wrptr, r.wrap, r.frozen, r.counter, r.invalid, sorted(r.open.items())]
    known = [f.origin, f.log.last(4096), list(f.pending.values()), f.edges, f.ccv, f.lost, f.after_pop, f.last]
    return (
        verdict.book.results(),
        [failure.text() for failure in verdict.failures],
        sample(capture, verdict),
        {name: value for name, value in verdict.stats.items() if name != "scoreboard"},
        [str(one) for one in (held, known)],
    )


def same(capture: CtrCapture, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Both ways say the same; what they say is wrong."""
    texts: list[str] = []
    for tolerances in (Tolerances(), Tolerances.free()):
        rows, columns = (judged(capture, enough, tolerances, monkeypatch) for enough in (NEVER, SHORT))
        assert columns == rows
        texts += rows[1]
    return texts


def disturbed(config: Config, rows: Rows, rng: Random) -> CtrCapture:
    """A device that saw one transfer otherwise than the monitors, and one wrong value on the bus."""
    other = deepcopy(rows)
    full = np.flatnonzero(rows.type[:, 0])
    if len(full):
        at = rng.choice(full.tolist())
        what = rng.randrange(4)
        if what == 0:
            other.source[at, 0] ^= np.uint64(1 << rng.randrange(1, 20))
        elif what == 1:
            other.type[at, 0] = rng.choice((1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13))
        elif what == 2:
            other.type[at] = 0
        else:
            other.misp[at, 0] ^= 1
    seen = play(config, other).rows
    out = deepcopy(rows)
    out.rdata[:], out.outcome[:] = seen.rdata, seen.outcome
    asks = np.flatnonzero(rows.op != NO_ACCESS)
    if len(asks) and rng.randrange(2):
        out.rdata[rng.choice(asks.tolist())] ^= np.uint64(1 << rng.randrange(16))
    return CtrCapture(config, out)


@pytest.mark.parametrize("name", [name for name in LONG if name in SCENARIOS])
def test_scenarios_are_judged_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for options in SCENARIOS[name].configs[:2]:
        config, rows = scenario_run(name, **options)
        assert not judged(play(config, rows), SHORT, Tolerances(), monkeypatch)[1]
        same(play(config, rows), monkeypatch)
        same(disturbed(config, rows, Random(name)), monkeypatch)


@pytest.mark.parametrize("seed", range(1, 7))
def test_random_rows_are_judged_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    what = stimulus(random_jobs.random_job(seed, size=1500))
    assert not same(CtrCapture(what.config, answered(what.rows, what.config)), monkeypatch)


def test_broken_devices_are_judged_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = 0
    for seed in range(1, 5):
        what = stimulus(random_jobs.random_job(seed, size=1000))
        for n in range(2):
            found += bool(same(disturbed(what.config, what.rows, Random(f"{seed}:{n}")), monkeypatch))
    assert found >= 2


def program(**options: Any) -> CtrCapture:
    """A program with all entries read while it runs and at its end."""
    what = stimulus(Job("x", "program:traps", {"ctl": 7, "transfers": 1, **options}, ip="ctr"))
    return CtrCapture(what.config, answered(what.rows, what.config), program=what.program)


@pytest.mark.parametrize("options", [{}, {"ctl": 0x87}, {"variant": "v0_1_4"}, {"xlen": 32}])
def test_a_program_is_judged_the_same(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert not same(program(**options), monkeypatch)


def test_a_passing_program_is_not_followed_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    capture, rows = program(), 0
    follow = Follower.follow

    def counted(*given: Any) -> None:
        nonlocal rows
        rows += 1
        follow(*given)

    monkeypatch.setattr(Follower, "follow", counted)
    assert checks.check(capture).passed
    assert len(capture.rows) > 1000 and rows < 100


@pytest.mark.parametrize("what", ["an entry", "an iselect"])
def test_one_wrong_value_among_many_reads_is_found(what: str) -> None:
    capture = program()
    rows = capture.rows
    written = rows.op == 1
    at = np.flatnonzero((rows.op == 0) & (rows.rdata != 0) if what == "an entry" else written & (rows.rdata >> 8 == 2))
    rows.rdata[at[-20]] ^= np.uint64(4)
    verdict = checks.check(capture)
    assert len(verdict.failures) == 1 and verdict.failures[0].at == at[-20]


Row = tuple[int, list[Transfer], Access | None]


def script_run(script: list[Row], **options: Any) -> CtrCapture:
    """What the reference model answers to a few rows, one in each cycle."""
    config = Config(**{**SMALL, "has_stateen": 0, **options})
    return play(config, Rows.from_rows([(k, *row) for k, row in enumerate(script)], config.transfers))


def calls(n: int) -> list[Row]:
    return [(U, [Transfer(9, 0x1000 + 16 * k, 0x8000, 0, U, U)], None) for k in range(n)]


def access(op: int, address: int, value: int = 0, priv: int = M) -> Row:
    return priv, [], Access(op, address, value, priv, 0)


def looked(first: int, last: int, address: int = 0x150) -> list[Row]:
    """Reads of the three registers of entries, of which none is the first."""
    return [
        row
        for n in range(first, last)
        for row in (access(WRITE, address, 0x200 + n), *(access(READ, address + k) for k in (1, 2, 3)))
    ]


SCRIPTS = {
    "records and looks after a clear": (
        [access(WRITE, 0x34E, 7), *calls(20), access(SCTRCLR, 0), *calls(3), *looked(1, 12), *calls(2), *looked(2, 5)],
        {},
    ),
    "looks after a clear without a record": (
        [access(WRITE, 0x34E, 7), *calls(20), access(SCTRCLR, 0), *looked(1, 12)],
        {},
    ),
    "looks after a CLR that clears nothing": (
        [access(WRITE, 0x381, 7), *calls(20), access(WRITE, 0x281, 128, HS), *looked(1, 9), *calls(3), *looked(1, 4)],
        {"variant": "v0_1_4"},
    ),
    "looks at and beyond the depth": ([access(WRITE, 0x34E, 7), *calls(20), *looked(12, 20)], {}),
    "looks through both iselects": (
        [access(WRITE, 0x34E, 7), *calls(20), *looked(3, 6), *looked(3, 6, 0x250), *looked(250, 256)],
        {},
    ),
    "calls in emulation": ([access(WRITE, 0x34E, 0x87), *calls(12), *looked(1, 9)], {}),
    "records and looks after a clear, with an entry selected": (
        [access(WRITE, 0x34E, 7), *looked(5, 6), *calls(20), access(SCTRCLR, 0), *calls(3), *looked(1, 12)],
        {},
    ),
    "returns in emulation, after more calls": (
        [access(WRITE, 0x34E, 0x87), *calls(9), *[(U, [Transfer(13, 0x10, 0x20, 0, U, U)], None)] * 4],
        {},
    ),
    "returns in emulation, and an empty buffer": (
        [access(WRITE, 0x34E, 0x87), *calls(3), *[(U, [Transfer(13, 0x10, 0x20, 0, U, U)], None)] * 4, *calls(5)],
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", SCRIPTS)
def test_a_few_rows_are_judged_the_same(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script, options = SCRIPTS[title]
    assert not same(script_run(script, **options), monkeypatch)


def test_one_tolerance_is_judged_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What emulation leaves open: of an entry that was popped all but V, and of a record in it the count."""
    for one, title in (
        (Tolerances(popped=False), "returns in emulation, after more calls"),
        (Tolerances(ras_policy="any"), "calls in emulation"),
        (Tolerances(), "records and looks after a clear, with an entry selected"),
    ):
        script, options = SCRIPTS[title]
        capture = script_run(script, **options)
        rows, columns = (judged(capture, enough, one, monkeypatch) for enough in (NEVER, SHORT))
        assert columns == rows and not rows[1], title


@pytest.mark.parametrize(
    "options", [{}, {"variant": "v0_1_4", "xlen": 32}, {"has_cc": 0, "has_type": 0, "has_misp": 0}]
)
def test_records_in_columns_are_those_of_the_recorder(options: dict[str, Any]) -> None:
    config, rng, n = Config.from_dict(options), Random("columns"), 300
    actions = [rng.choice((WHOLE, NO_SOURCE, NO_TARGET)) for _ in range(n)]
    whys = [reasons.Why(action, (), "", "") for action in actions]
    fields = {name: np.zeros(n, np.uint8) for name in ("from_", "to", "cause")}
    fields |= {
        name: np.array([rng.getrandbits(config.xlen) for _ in range(n)], np.uint64) for name in ("source", "target")
    }
    fields |= {"type": np.array([rng.choice((1, 2, 5, 8, 13)) for _ in range(n)], np.uint8)}
    fields |= {"misp": np.array([rng.randrange(2) for _ in range(n)], np.uint8)}
    limit = 0 if not config.has_cc else 1 << 20
    count = np.array([rng.choice((0, 4095, 4096, 4097, rng.randrange(limit + 1))) * bool(limit) for _ in range(n)])
    void = np.array([bool(rng.randrange(2)) for _ in range(n)])
    zero = np.zeros(n, np.intp)
    stretch = Stretch(
        zero, zero, zero, fields, whys, np.arange(n), zero, np.ones(n, bool), count, count, count, ("",), zero, void,
        zero, void,
    )  # fmt: skip
    found = [column.tolist() for column in stretch.registers(config)]
    for i in range(n):
        r = Recorder(config)
        r.counter, r.invalid = int(count[i]), bool(void[i])
        t = stretch.event(i).transfer
        r.act(actions[i], t.type, t.source, t.target, t.misp)
        assert [column[i] for column in found] == [r.source[0], r.target[0], r.data[0]]


def test_the_encoding_of_counts_changes_where_the_model_says() -> None:
    from rvtrace.models.ctr.records import encode_cc

    counts = [max(0, (1 << n) + d) for n in range(27) for d in (-1, 0, 1)]
    assert cc_of(np.array(counts)).tolist() == [encode_cc(count) for count in counts]
