# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan, checks, scenarios, coverage points and mutants refer to each other; none is left over."""

from rvtrace.models.etrace.decoder.decoded import CLAUSES as DECODED
from rvtrace.models.etrace.encoder.encode import CLAUSES as ENCODED
from rvtrace.models.etrace.table import TABLES
from rvtrace.scoreboards.etrace.situations import OCCURRENCES, SITUATIONS
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.etrace.coverage.points import ETRACE
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals

LOSSLESS = ("align", "expected", "lossless", "periodic_sync", "proven")
CHECKERS = {
    "exact": (
        *(f"scoreboards/etrace/{part}.py" for part in ("exact", "pace", "transport", "encapsulation")),
        "models/etrace/encoder/*.py",
    ),
    "lossless": tuple(f"scoreboards/etrace/{part}.py" for part in LOSSLESS),
    "legal": ("scoreboards/etrace/legal.py",),
    "transport": ("scoreboards/etrace/transport.py", "scoreboards/etrace/encapsulation.py"),
    "decoder": ("models/etrace/decoder/*.py",),
}


FIELDS = {field.clause for table in TABLES.values() for m in table.messages for field in m.fields if field.clause}


def ids(checker: str) -> frozenset[str]:
    """Clause ids that the modules of a checker report; the exact check reports those of the field table too."""
    return literals(r"ET(-\d+|\.[a-z]+\.\w+)", *CHECKERS[checker]) | (FIELDS if checker == "exact" else set())


ROWS = Rows("etrace", CHECKERS, ids, SCENARIOS, ETRACE.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_is_named() -> None:
    ROWS.all_named()


def test_models_and_situations_know_the_rows() -> None:
    """The clauses of the models, those that count a situation, and the rows of the plan agree."""
    assert {*ENCODED, *DECODED} <= set(ROWS.built)
    assert all(ROWS.built[clause].through for clause in SITUATIONS)
    assert all(ROWS.built[clause].checks for clause in OCCURRENCES)


def test_tolerances_are_named_where_they_matter() -> None:
    assert not ROWS.tolerances_left(Tolerances(), "")
