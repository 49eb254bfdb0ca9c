# SPDX-License-Identifier: Apache-2.0
"""Verilator's coverage.dat files, merged by source line."""

from pathlib import Path

import pytest

from rvtrace.flow.cover.code_coverage import CodeCoverage, CodeCoverageError, lcov, merge, percent, total


def entry(root: Path, hits: int, **keys: object) -> str:
    fields = {"f": root / "rtl/a.sv", "l": 3, "n": 5, "t": "line", "o": "block", "S": "3-4", "h": "top.u1"} | keys
    return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in fields.items()) + f"' {hits}"


def test_runs_and_instances_are_added(tmp_path):
    one, two = tmp_path / "1.dat", tmp_path / "2.dat"
    branch = entry(tmp_path, 0, l=9, t="branch", o="if", S="9-10,12")
    one.write_text("# header\n" + "\n".join([entry(tmp_path, 2), branch, entry(tmp_path, 7, f="/elsewhere/rtl/x.sv")]))
    two.write_text("\n".join([entry(tmp_path, 5, h="top.u2"), entry(tmp_path, 0, l=4, t="toggle", o="q[0]")]))
    files = merge([one, two], tmp_path)
    assert list(files) == ["rtl/a.sv"]
    file = files["rtl/a.sv"]
    assert file.points["line", 3, "block 5"] == 7
    assert file.lines == {3: 7, 4: 7, 9: 0, 10: 0, 12: 0}
    assert (file.rate("line"), file.rate("branch"), file.rate("toggle"), file.rate("expr")) == (
        (2, 5),
        (0, 1),
        (0, 1),
        (0, 0),
    )
    assert total(files)["line"] == (2, 5) and file.missed("line", "branch") == [(9, "if 5")]
    lines = ["DA:3,7", "DA:4,7", "DA:9,0", "DA:10,0", "DA:12,0"]
    assert lcov(files, tmp_path).splitlines() == [f"SF:{tmp_path / 'rtl/a.sv'}", *lines, "end_of_record"]


def test_what_a_file_adds_is_reported_once(tmp_path):
    one, two = tmp_path / "1.dat", tmp_path / "2.dat"
    one.write_text("\n".join([entry(tmp_path, 2), entry(tmp_path, 0, t="branch", o="else", l=6)]))
    two.write_text(
        "\n".join([entry(tmp_path, 1, page="other parameters"), entry(tmp_path, 4, t="branch", o="else", l=6)])
    )
    coverage = CodeCoverage(tmp_path)
    assert [dict(coverage.add(path)) for path in (one, two, two)] == [{"line": 1}, {"branch": 1}, {}]


def test_a_build_of_another_checkout_names_the_same_file(tmp_path):
    (tmp_path / "rtl").mkdir()
    (tmp_path / "rtl/a.sv").touch()
    (tmp_path / "1.dat").write_text(entry(Path("/elsewhere"), 1))
    assert list(merge([tmp_path / "1.dat"], tmp_path)) == ["rtl/a.sv"]


def test_percent_is_rounded_down():
    assert (percent((999, 1000)), percent((1999, 2000)), percent((3, 3)), percent((0, 0))) == (
        "99.9 %",
        "99.9 %",
        "100 %",
        "-",
    )


def test_nothing_about_the_rtl_is_an_error(tmp_path):
    with pytest.raises(CodeCoverageError, match="make cover"):
        merge([], tmp_path)
