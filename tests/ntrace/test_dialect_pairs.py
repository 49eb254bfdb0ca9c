# SPDX-License-Identifier: Apache-2.0
"""Deviations of the message tables together: what one has taken away, another does not look for in vain."""

import pytest

from rvtrace.models.ntrace.table import TABLES
from rvtrace.scoreboards.ntrace.dialects import DIALECTS

CHANGES = [(one.name, one.rewriting.table) for one in DIALECTS if one.rewriting.table is not None]
AWAY = [(name, change) for name, change in CHANGES if "absent" in name]


@pytest.mark.parametrize("first", range(len(AWAY)))
def test_a_deviation_is_applied_after_one_that_takes_a_field_away(first: int) -> None:
    name, away = AWAY[first]
    without = away(TABLES["v1_0"])
    for other, change in CHANGES:
        assert change(without).messages, f"{name}, {other}"


def test_fields_can_be_taken_away() -> None:
    assert len(AWAY) > 3 and len(CHANGES) > 300
