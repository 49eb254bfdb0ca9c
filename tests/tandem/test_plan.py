# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan, checks, scenarios, coverage points and mutants refer to each other; none is left over."""

from random import Random

import pytest

from rvtrace.models.tandem.config import Config
from rvtrace.scoreboards.tandem import check as tandem
from rvtrace.scoreboards.tandem import exact as tandem_exact
from rvtrace.scoreboards.tandem import lossless as tandem_lossless
from rvtrace.scoreboards.tandem import proven as tandem_proven
from rvtrace.scoreboards.tandem import verify as tandem_verify
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.tb.tandem.coverage.points import TANDEM
from rvtrace.tb.tandem.coverage.sampling import sample
from rvtrace.tb.tandem.stimulus.builds import BUILDS
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals
from tests.tandem.captures import captured

CHECKERS = {
    "exact": ("exact", "situations"),
    "lossless": ("lossless", "proven"),
    "legal": ("legal",),
    "verify": ("verify",),
    "port": ("check",),
}
BUILT_UP = {  # ids that the code puts together
    "exact": {*tandem_exact.OPCODE.values(), *tandem_exact.IDENTIFIER.values()} - {"TV.opcode.state"},
    "lossless": {*tandem_lossless.CLAUSE.values(), *tandem_proven.OPCODE.values(), *tandem_proven.IDENTIFIER.values()},
    "verify": set(tandem_verify.CLAUSE.values()),
    "port": set(tandem.PROBLEMS.values()),
    "legal": set(),
}


def ids(checker: str) -> set[str]:
    """Clause ids that the modules of a checker report."""
    return BUILT_UP[checker] | literals(
        r"TV(\.[a-z]+\.\w+|-\d)", *(f"scoreboards/tandem/{module}.py" for module in CHECKERS[checker])
    )


ROWS = Rows("tandem", CHECKERS, ids, SCENARIOS, TANDEM.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    ROWS.points_named()


def test_every_ruling_has_a_row() -> None:
    assert {f"TV-{n}" for n in range(1, 10)} <= set(ROWS.built)


def test_tolerances_are_named_where_they_matter() -> None:
    """The others belong to the reference profile as a whole."""
    assert ROWS.tolerances_left(Tolerances()) == {"bytes", "unchanged"}


@pytest.mark.parametrize("build", BUILDS)
def test_scenarios_meet_their_clauses(build: str) -> None:
    """Run on the encoder model: each scenario passes, and checks the clauses that it names."""
    parts, ports = (
        [],
        {"TV.port.unknown", "TV.port.stable", "TV.port.words", "TV.port.empty", "TV.port.causal", "TV.port.progress"},
    )
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
    if build == "rv32":  # all its options are enabled
        options = {"TV.group.end", "TV.form.level", "TV.pc.never", "TV.row.absent", "TV.legal.absent"}
        missing = {
            (clause, name)
            for name, found in met.items()
            for clause in set(SCENARIOS[name].clauses) - found - ports - options
        }
        assert not missing
