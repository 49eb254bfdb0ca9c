# SPDX-License-Identifier: Apache-2.0
"""The CTR scoreboard passes what the reference model answers,
and every clause of the plan is checked by some scenario.
"""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from rvtrace.models.ctr.rows import answered
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.ctr.coverage.points import CTR
from rvtrace.tb.ctr.coverage.sampling import sample
from rvtrace.tb.ctr.stimulus import random_jobs
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS
from rvtrace.tb.ctr.stimulus.stimulus import stimulus
from tests.ctr.devices import play, scenario_run

PLAN = Plan.load(Path(__file__).resolve().parents[2] / "scoreboards/ctr/plan.toml")


@cache
def checked(name: str) -> Counter[str]:
    """How often each clause was checked by a scenario; it must pass in each of its implementations."""
    total: Counter[str] = Counter()
    for options in SCENARIOS[name].configs:
        verdict = check(play(*scenario_run(name, **options)))
        assert verdict.passed, verdict.failures[0].text()
        total.update({clause: n for clause, (n, _) in verdict.book.results().items()})
    return total


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_passes_and_checks_what_it_is_for(name: str) -> None:
    assert [clause for clause in SCENARIOS[name].clauses if not checked(name)[clause]] == []


def test_every_clause_is_checked_by_a_scenario() -> None:
    total = sum((checked(name) for name in SCENARIOS), Counter())
    never = [name for name, clause in PLAN.clauses.items() if clause.status == "built" and not total[name]]
    assert never == ["CTR.filter.classes"]  # of real programs


@pytest.mark.parametrize("seed", range(1, 9))
def test_random_rows_pass_and_can_be_covered(seed: int) -> None:
    what = stimulus(random_jobs.random_job(seed, size=3000))
    capture = CtrCapture(what.config, answered(what.rows, what.config))
    verdict = check(capture)
    assert verdict.passed, verdict.failures[0].text()
    counts = sample(capture, verdict)
    assert not [point.name for point in CTR.points if point.surprises(counts)]
    assert verdict.stats["accesses"] == what.rows.accesses and verdict.stats["transfers"] == what.rows.transfers


def test_a_program_shows_the_classes_of_its_jumps() -> None:
    config, _ = scenario_run("every_type")
    run = recording.load(recording.names()[0], 64)
    from rvtrace.models.ctr.rows import Rows
    from rvtrace.tb.ctr.stimulus.script import Script
    from rvtrace.tb.ctr.stimulus.software import Software

    script = Script(config)
    script.write("mctrctl", 7)
    transfers = Transfers.of_retired(run.retired, run.program).select(slice(0, 500))
    for access in [*Software(config).read_state(), *Software(config).entries(256)]:
        script.group([], access)
    begin, end = script.rows().select(slice(0, 1)), script.rows().select(slice(1, None))
    rows = Rows.concat([begin, Rows.of_transfers(transfers, config.transfers), end])
    capture = play(config, rows)
    capture.program = run.program
    results = check(capture).book.results()
    assert results["CTR.filter.classes"][0] > 100 and not results["CTR.filter.classes"][1]


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_passes_as_well_where_the_specification_leaves_things_open(name: str) -> None:
    for options in SCENARIOS[name].configs:
        verdict = check(play(*scenario_run(name, **options)), Tolerances.free())
        assert verdict.passed, verdict.failures[0].text()
