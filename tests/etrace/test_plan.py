"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from models.etrace.decoded import CLAUSES as DECODED
from models.etrace.encoder import CLAUSES as ENCODED
from scoreboards.etrace_knobs import Knobs
from scoreboards.etrace_situations import OCCURRENCES, SITUATIONS
from tb.coverage.etrace_points import ETRACE
from tb.sequences.etrace_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals

LOSSLESS = ("align", "depths", "expected", "lossless", "resync", "states")
CHECKERS = {
    "exact": ("scoreboards/etrace_exact.py", "models/etrace/encoder*.py"),
    "lossless": tuple(f"scoreboards/etrace_{part}.py" for part in LOSSLESS),
    "legal": ("scoreboards/etrace_legal*.py",),
    "transport": ("scoreboards/etrace_transport.py",),
    "decoder": ("models/etrace/deco*.py", "models/etrace/deframe.py"),
}


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    return literals(r"ET(-\d+|\.[a-z]+\.\w+)", *CHECKERS[checker])


ROWS = Rows("etrace", CHECKERS, ids, SCENARIOS, ETRACE.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_is_named() -> None:
    ROWS.all_named()


def test_models_and_situations_know_the_rows() -> None:
    """What the models report under, what is counted by its situation, and what the rows say, agree."""
    assert {*ENCODED, *DECODED} <= set(ROWS.built)
    assert all(ROWS.built[clause].through for clause in SITUATIONS)
    assert all(ROWS.built[clause].checks for clause in OCCURRENCES)


def test_knobs_are_named_where_they_matter() -> None:
    """Every ambiguity that is a knob stands in the row whose choice it is."""
    text = " ".join(clause.what + clause.how for clause in ROWS.plan.clauses.values())
    assert {name for name in vars(Knobs()) if name not in text} == {"resync_late", "resync_early", "resync_extra", "support_extra"}
