# SPDX-License-Identifier: Apache-2.0
"""The tool's session: what it refuses to read."""

from typing import Any, cast

import pytest

from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.tci.check import plan
from rvtrace.tb.tci.stimulus.tool import TraceTool


@pytest.mark.parametrize(
    "start, limit, wp, clause",
    [
        (0, 0xFFC, 0, ""), (0, 0xFFC, 0xFFC, ""), (0x8000_0000, 0x8000_003C, 0x8000_0010, ""),
        (0x40, 0x3C, 0x40, "TCI.ram.start_limit"), (0, 0x1_0000_0000, 0, "TCI.ram.start_limit"),
        (0x8000_0000, 0x8000_003C, 0, "TCI.ram.wp"), (0, 0xFFC, 0x1000, "TCI.ram.wp"),
    ],
)  # fmt: skip
def test_pointers_outside_of_the_buffer(start: int, limit: int, wp: int, clause: str) -> None:
    """They fail their clause, and nothing is read: a range of 2^30 words would take minutes."""
    book = ClauseBook(plan())
    tool = TraceTool(cast(Any, None), book, cast(Any, None))
    assert tool.inside(start, limit, wp, 4096) == (not clause)
    assert book.failed == ([clause] if clause else [])
