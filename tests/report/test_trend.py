# SPDX-License-Identifier: Apache-2.0
"""The figures of `rvtrace figures speed SAVE=1` in the report: every value has its place in the chart."""

import json
import re
from pathlib import Path

import pytest

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.report.charts import Line, lines
from rvtrace.report.trend import trend

KEPT = {
    "ctr": {"decoder": [["aa", "2026-01-01", 2e6], ["bb", "2026-02-01", 1e6]], "ratio": [["bb", "2026-02-01", 9.5]]}
}


def test_each_value_is_drawn_and_named(tmp_path: Path) -> None:
    path = tmp_path / "perf.json"
    path.write_text(json.dumps(KEPT))
    figure = trend("ctr", path)
    assert figure is not None and trend("hpm", path) is None
    assert figure.rows == (("decoder", "2.0 M", "1.0 M", "bb, 2026-02-01"), ("ratio", "9.5", "9.5", "bb, 2026-02-01"))
    assert str(figure.chart).count("<circle") == 3 and "decoder from 2.0 M to 1.0 M" in str(figure.chart)


def test_a_line_begins_at_zero() -> None:
    """Half of the largest value is half as high."""
    chart = str(lines([Line("x", (("a", 4.0), ("b", 2.0), ("c", 0.0)))]))
    high, half, zero = (float(y) for y in re.findall(r'cy="([\d.]+)"', chart))
    assert zero - high == pytest.approx(2 * (zero - half)) and zero > half > high


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "perf.json"
    path.write_text("[]")
    with pytest.raises(ArgumentError, match="perf.json"):
        trend("ctr", path)
