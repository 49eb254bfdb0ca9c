# SPDX-License-Identifier: Apache-2.0
"""Named sets of policies, mistakes in their names, and that docs/reference/sbi-pmu.md shows the rows as they are."""

from pathlib import Path

import pytest

from rvtrace.models.sbi_pmu.policy import NAMED, ROWS, Policy, PolicyError, inserted

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sbi-pmu.md"


def test_named_sets_and_mistakes() -> None:
    assert all(set(row.who) <= set(row.values) for row in ROWS)
    assert {row.key: row.strict for row in ROWS} == dict(Policy().choices)
    for chosen in NAMED:
        assert all(Policy(chosen)[key] == value for key, value in NAMED[chosen].items())
    with pytest.raises(PolicyError, match="give strict, lenient_flags"):
        Policy("lax")
    with pytest.raises(PolicyError, match="give minh=asked or always"):
        Policy(minh="never")
    with pytest.raises(PolicyError, match="key min does not exist"):
        Policy(min="asked")


def test_the_page_shows_the_rows_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert inserted(page) == page, (
        "docs/reference/sbi-pmu.md is old; type python -m rvtrace.models.sbi_pmu.policy docs/reference/sbi-pmu.md"
    )
    with pytest.raises(PolicyError, match="no marks"):
        inserted("nothing")
