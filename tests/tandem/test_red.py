# SPDX-License-Identifier: Apache-2.0
"""Every clause of the plan can be red: by a mutant, or by a test that shows the scoreboard something that is
wrong.
"""

import pytest

from tests.tandem import (
    test_layout,
    test_ports,
    test_scoreboard,
    test_scoreboard_legal,
    test_scoreboard_rulings,
    test_scoreboard_verify,
)
from tests.tandem.test_plan import CHECKERS, ROWS

# Clauses that these tests demand to fail, each on something that breaks it alone.
SHOWN = set().union(
    *(clauses for _, _, clauses in test_scoreboard.CASES.values()),
    test_scoreboard.ORDER,
    test_scoreboard.LOST,
    test_ports.SENTENCES.values(),
    (clause for _, _, clause, _ in test_layout.CASES.values()),
    (clause for clause, _ in test_scoreboard_legal.CASES.values()),
    test_scoreboard_legal.OTHERS,
    (clause for clause, *_ in test_scoreboard_rulings.SWITCHED_OFF.values()),
    {test_scoreboard_rulings.PLACE, test_ports.CAUSAL, test_ports.ERROR},
    {f"TV.verify.{name}" for name in test_scoreboard_verify.CLAUSES.values()},
    {test_scoreboard_verify.EADDR, test_scoreboard_verify.PPC},
)
WITH_MUTANT = {clause for mutant in ROWS.mutants.values() for clause in mutant.clauses}


@pytest.mark.parametrize("clause", ROWS.built)
def test_it_can_be_red(clause: str) -> None:
    """Itself, or (rolled up) each of its parts; where models are checked alone, the test that is its check."""
    row = ROWS.built[clause]
    for part in row.through or [clause]:
        checks = ROWS.built[part].checks
        assert part in SHOWN | WITH_MUTANT or not set(checks) & set(CHECKERS), (
            f"nothing turns {part} red; mutant a bug, or give the scoreboard a broken trace"
        )


def test_what_is_shown_is_in_the_plan() -> None:
    assert set(ROWS.built) >= SHOWN
