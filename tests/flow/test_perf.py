# SPDX-License-Identifier: Apache-2.0
"""What `rvtrace figures speed` measures of the models runs for every system."""

import json
from pathlib import Path

import pytest

from rvtrace.flow.perf_figures import Figures
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_part_of_the_models_runs(ip):
    for count, parts in systems.bench(ip).modelled("traps"):
        assert count > 0
        for name, work in parts:
            work()
            assert name


def test_figures_are_kept_and_shown_beside_the_next(tmp_path: Path, capsys):
    path = tmp_path / "perf.json"
    first = Figures("ctr", path)
    assert first.row("speed", 12.5, 10, "speed 12.5") and first.before("speed") == ""
    first.keep()
    second = Figures("ctr", path)
    assert not second.row("speed", 9, 10, "speed 9")
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("  ok  speed 12.5") and said[1].startswith("  LOW speed 9 (at least 10); 12.5 on ")
    second.keep()  # at the same commit
    (row,) = json.loads(path.read_text())["ctr"]["speed"]
    assert row[2] == 9


def test_a_damaged_file_of_figures_is_named(tmp_path: Path):
    path = tmp_path / "perf.json"
    path.write_text('{"ctr": {"speed": [1]}}')
    with pytest.raises(ArgumentError, match="perf.json is not what"):
        Figures("ctr", path)


def test_what_another_system_kept_meanwhile_stays(tmp_path: Path):
    path = tmp_path / "perf.json"
    slow, quick = Figures("etrace", path), Figures("hpm", path)
    for figures in (quick, slow):
        figures.row("speed", 1, 1, "speed")
        figures.keep()
    assert sorted(json.loads(path.read_text())) == ["etrace", "hpm"]
