"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.ntrace.messages import BY_NAME
from scoreboards.clauses import Plan
from tb.coverage.points import POINTS
from tb.sequences.ntrace_scenarios import SCENARIOS
from tests.plan_rows import ROOT, Rows, literals

LOSSLESS = ("align", "context", "edges", "inferred", "lossless", "markers", "periodic", "restart", "time")
CHECKERS = {
    "exact": ("scoreboards/ntrace_exact.py", "scoreboards/ntrace_attribution.py", "models/ntrace/encoder*.py"),
    "lossless": tuple(f"scoreboards/ntrace_{part}.py" for part in LOSSLESS),
    "legal": ("scoreboards/ntrace_legal*.py",),
    "codec": ("models/ntrace/codec.py",),
    "decoder": ("models/ntrace/decode*.py",),
    "sources": ("scoreboards/ntrace_sources.py",),
}
FIELDS = {f"NT.{kind.section}.fields" for kind in BY_NAME.values()}  # these are put together from the field table


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under, and those it makes from the field table."""
    return literals(r"NT(-\d+|\.(\d+|V)[\w.]*)", *CHECKERS[checker]) | (FIELDS if checker in ("codec", "legal") else set())


CONTROL = Plan.load(ROOT / "tests/plan/control.toml")  # registers and pins are checked there
ROWS = Rows("ntrace", CHECKERS, ids, SCENARIOS, POINTS, (CONTROL,))


@pytest.mark.parametrize("checker", CHECKERS)
def test_every_id_in_the_code_is_in_the_plan(checker: str) -> None:
    ROWS.reported(checker)


@pytest.mark.parametrize("name", ROWS.built)
def test_built_row_is_checked_tested_and_planted(name: str) -> None:
    ROWS.row(name)


def test_no_orphans() -> None:
    ROWS.no_orphans()


def test_later_rows_have_reasons_and_no_checks() -> None:
    ROWS.later()


@pytest.mark.parametrize("plant", ROWS.plants.values(), ids=lambda plant: plant.name)
def test_plant_applies(plant, tmp_path: Path) -> None:
    ROWS.applies(plant, tmp_path)
