"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.etrace.decoded import CLAUSES as DECODED
from models.etrace.encoder import CLAUSES as ENCODED
from scoreboards.etrace_knobs import Knobs
from scoreboards.etrace_situations import OCCURRENCES, SITUATIONS
from tb.coverage.etrace_points import ETRACE
from tb.sequences.etrace_scenarios import SCENARIOS
from tests.plan_rows import Rows, literals

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


@pytest.mark.parametrize("checker", CHECKERS)
def test_every_id_in_the_code_is_in_the_plan(checker: str) -> None:
    ROWS.reported(checker)


@pytest.mark.parametrize("name", ROWS.built)
def test_built_row_is_checked_tested_and_planted(name: str) -> None:
    ROWS.row(name)


def test_no_orphans() -> None:
    ROWS.no_orphans()
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


def test_later_rows_have_reasons_and_no_checks() -> None:
    ROWS.later()


@pytest.mark.parametrize("plant", ROWS.plants.values(), ids=lambda plant: plant.name)
def test_plant_applies(plant, tmp_path: Path) -> None:
    ROWS.applies(plant, tmp_path)
