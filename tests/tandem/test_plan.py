"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from random import Random

import pytest

from models.tandem.config import Config
from scoreboards import tandem, tandem_exact, tandem_lossless, tandem_verify
from scoreboards.tandem import check
from scoreboards.tandem_knobs import Knobs
from tb.coverage.tandem_points import TANDEM, sample
from tb.sequences.tandem_builds import BUILDS
from tb.sequences.tandem_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals
from tests.tandem.captures import captured

CHECKERS = {"exact": ("tandem_exact", "tandem_situations"), "lossless": ("tandem_lossless",), "legal": ("tandem_legal",), "verify": ("tandem_verify",), "port": ("tandem",)}
BUILT_UP = {  # ids that the code puts together
    "exact": {*tandem_exact.OPCODE.values(), *tandem_exact.IDENTIFIER.values()} - {"TV.opcode.state"}, "lossless": set(tandem_lossless.CLAUSE.values()),
    "verify": set(tandem_verify.CLAUSE.values()), "port": set(tandem.PROBLEMS.values()), "legal": set(),
}  # fmt: skip


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    return BUILT_UP[checker] | literals(r"TV(\.[a-z]+\.\w+|-\d)", *(f"scoreboards/{module}.py" for module in CHECKERS[checker]))


ROWS = Rows("tandem", CHECKERS, ids, SCENARIOS, TANDEM.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_is_named() -> None:
    ROWS.all_named()
    points = {point for clause in ROWS.built.values() for point in clause.coverage}
    assert points == {point.name for point in TANDEM.points}


def test_every_ruling_has_a_row() -> None:
    assert {f"TV-{n}" for n in range(1, 10)} <= set(ROWS.built)


def test_knobs_are_named_where_they_matter() -> None:
    """Every choice that is a knob stands in a row, or is one of all of the reference profile."""
    text = " ".join(clause.what + clause.how for clause in ROWS.plan.clauses.values())
    assert {name for name in vars(Knobs()) if f"knob {name}" not in text} == {"bytes", "unchanged"}


@pytest.mark.parametrize("build", BUILDS)
def test_scenarios_meet_their_clauses(build: str) -> None:
    """Played on the encoder model: each is right, and checks what it says that it serves."""
    parts, ports = [], {"TV.port.unknown", "TV.port.stable", "TV.port.words", "TV.port.empty", "TV.port.causal", "TV.port.progress"}
    config, met = Config.from_dict(BUILDS[build]), {}
    for name, scenario in SCENARIOS.items():
        if BUILDS[build] in scenario.configs:
            capture = captured(scenario.build(config, Random(1)), config)
            verdict = check(capture)
            assert verdict.passed, f"{name}: {verdict.failures[0].text()}"
            met[name] = set(verdict.book.results())
            parts.append(sample(capture, verdict))
    merged = TANDEM.merge(parts)
    assert not [point.surprises(merged) for point in TANDEM.points if point.surprises(merged)]
    if build == "rv32":  # it has every option on
        options = {"TV.group.end", "TV.form.level", "TV.pc.never", "TV.row.absent", "TV.legal.absent"}
        missing = {(clause, name) for name, found in met.items() for clause in set(SCENARIOS[name].clauses) - found - ports - options}
        assert not missing
