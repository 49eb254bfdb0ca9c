# SPDX-License-Identifier: Apache-2.0
"""Which failures of a job its result keeps."""

from rvtrace.jobs.results import KEPT_FAILURES, kept
from rvtrace.scoreboards.common.clauses import Failure


def test_of_each_clause_the_first_cause_and_the_first_consequence_are_kept() -> None:
    many = [Failure("A.1", f"{n}") for n in range(2 * KEPT_FAILURES)]
    rest = [Failure("A.2", "follows", cause="A.1"), Failure("A.2", "again", cause="A.1"), Failure("A.2", "own")]
    found = [(one["clause"], one["headline"]) for one in kept([*many, *rest])]
    assert found == [*[("A.1", f"{n}") for n in range(KEPT_FAILURES - 2)], ("A.2", "follows"), ("A.2", "own")]
    assert kept(many[:3]) == [one.to_dict() for one in many[:3]]
