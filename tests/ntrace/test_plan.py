"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from models.ntrace.messages import BY_NAME
from scoreboards.clauses import Plan
from tb.coverage.points import POINTS
from tb.sequences.ntrace_scenarios import SCENARIOS
from tests.plan_rows import ROOT, PlanTests, Rows, literals

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


class TestRows(PlanTests):
    rows = ROWS
