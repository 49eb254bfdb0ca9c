# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan, checks, scenarios, coverage points and mutants refer to each other; none is left over."""

from rvtrace.models.ntrace.table import BY_NAME, SRC
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.ntrace.attribution import FIELD_CLAUSE
from rvtrace.tb.ntrace.coverage.points import POINTS
from rvtrace.tb.ntrace.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import ROOT, PlanTests, Rows, literals

LOSSLESS = ("align", "context", "edges", "inferred", "lossless", "markers", "periodic_sync", "proven", "restart",
            "time",
            "wrong_field")  # fmt: skip
CHECKERS = {
    "exact": ("scoreboards/ntrace/exact.py", "scoreboards/ntrace/attribution.py", "models/ntrace/encoder/*.py"),
    "lossless": tuple(f"scoreboards/ntrace/{part}.py" for part in LOSSLESS),
    "legal": ("scoreboards/ntrace/legal*.py",),
    "codec": ("models/ntrace/codec.py",),
    "decoder": (
        "models/ntrace/decoder/deco*.py",
        "models/ntrace/decoder/context.py",
        "models/ntrace/decoder/kernel.py",
        "models/ntrace/decoder/messages.py",
        "models/ntrace/decoder/path.py",
        "models/ntrace/decoder/steps.py",
    ),
    "sources": ("scoreboards/ntrace/sources.py",),
}
# These come from the field table.
FORM = {f"NT.{kind.section}.fields" for kind in BY_NAME.values()} | {SRC.clause}
FROM_TABLE = {"exact": set(FIELD_CLAUSE.values()), "codec": FORM, "legal": FORM}


def ids(checker: str) -> frozenset[str]:
    """Clause ids that the modules of a checker report, and those made from the field table."""
    return literals(r"NT(-\d+|\.(\d+|V)[\w.]*)", *CHECKERS[checker]) | FROM_TABLE.get(checker, set())


CONTROL = Plan.load(ROOT / "scoreboards/tci/plan.toml")  # registers and pins are checked there
ROWS = Rows("ntrace", CHECKERS, ids, SCENARIOS, POINTS, (CONTROL,))


class TestRows(PlanTests):
    rows = ROWS
