# SPDX-License-Identifier: Apache-2.0
"""Deviations of a device: built in, selected at run time, and named by the findings."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rvtrace.flow import mutants
from rvtrace.flow.dut.description import SHIPPED, Dut
from rvtrace.flow.isolate import (
    Deviation,
    DeviationError,
    Device,
    Experiment,
    built_in,
    deviations,
    draws,
    play,
    selectable,
    singles,
)
from rvtrace.report.isolation import Isolation, figures, isolation, reached

ROWS = """
[[deviation]]
name = "map_inverted"
class = "polarity"
file = "rtl/bolt_te.sv"
statement = "map[count_q] = not_taken;"
instead = "map[count_q] = !not_taken;"
clauses = ["ET.pay.map_bits"]
runs = ["sort-rv64"]

[[deviation]]
name = "privilege_always_machine"
class = "field value"
file = "rtl/bolt_te.sv"
expr = "cur_priv_q"
within = "cur_pc_q, cur_priv_q, branch_bit"
instead = "3'd3"
clauses = ["ET.pay.privilege"]
runs = ["traps-rv64"]
"""


@pytest.fixture
def bolt(tmp_path: Path) -> Path:
    """A copy of an encoder of ours, with two deviations."""
    folder = tmp_path / "bolt_te"
    shutil.copytree(SHIPPED / "bolt_te", folder)
    (folder / "deviations.toml").write_text(ROWS)
    return folder


def row(**values: Any) -> Deviation:
    """A deviation of an expression."""
    given: dict[str, Any] = {
        "name": "one", "kind": "k", "file": "a.sv", "find": "x && y", "within": "", "statement": False,
        "instead": "x", "clauses": ("C",), "says": "", "needs": {}, "runs": ("r",),
    }  # fmt: skip
    return Deviation(**{**given, **values})


def test_expression_and_statement_keep_their_first_form_when_off() -> None:
    assert row().switched(3) == "(deviation_on[3] ? (x) : (x && y))"
    assert row(statement=True, find="q <= d;", instead="q <= e;").switched(0) == (
        "if (deviation_on[0]) begin q <= e; end else begin q <= d; end"
    )


def test_selection_is_added_to_the_modules_that_use_it_only() -> None:
    text = (
        "// module comment;\nmodule a import p::*; #(parameter int W = 1) (input logic x);\n"
        "assign y = deviation_on[0];\n"
        "endmodule\nmodule b;\nendmodule\n"
    )
    first, second = selectable(text, 4).split("endmodule\nmodule b", 1)
    assert first.count("logic [3:0] deviation_on;") == 1
    assert first.index("(input logic x);") < first.index("logic [3:0] deviation_on;") < first.index("assign")
    assert "deviation_on" not in second
    assert len(selectable(text, 4).splitlines()) == len(
        text.splitlines()
    )  # the lines of messages are those of the user


def test_all_are_built_into_a_copy(bolt: Path, tmp_path: Path) -> None:
    before = (bolt / "rtl/bolt_te.sv").read_text()
    dut = built_in(Dut.load(bolt), deviations(bolt / "deviations.toml"), tmp_path / "copy")
    changed = next(path for path in dut.sources.files if path.name == "bolt_te.sv")
    assert changed.is_relative_to(tmp_path / "copy")
    text = changed.read_text()
    assert "if (deviation_on[0]) begin map[count_q] = !not_taken; end" in text
    assert "cur_pc_q, (deviation_on[1] ? (3'd3) : (cur_priv_q)), branch_bit" in text
    assert (bolt / "rtl/bolt_te.sv").read_text() == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'expr = "cur_priv_q"\nwithin = "cur_pc_q, cur_priv_q, branch_bit"',
            'expr = "cur_priv_q"',
            "times in rtl.bolt_te.sv, needed once",
        ),
        ('within = "cur_pc_q, cur_priv_q, branch_bit"', 'within = "nowhere"', "'nowhere' occurs 0 times"),
        ('name = "privilege_always_machine"', 'name = "map_inverted"', "two deviations are called map_inverted"),
        ('class = "polarity"\n', "", "has no class"),
        ('clauses = ["ET.pay.map_bits"]\n', "", "needs clauses or says"),
        ('class = "polarity"\n', 'class = "polarity"\nkind = "k"\n', "unknown key kind"),
        ('statement = "map[count_q] = not_taken;"\n', "", "needs expr or statement"),
        ('file = "rtl/bolt_te.sv"\nexpr', 'file = "rtl/other.sv"\nexpr', "rtl/other.sv is no source"),
        ('statement = "map[count_q] = not_taken;"', 'expr = "{cur_pc_q, cur_priv_q}"', "occurs 0 times"),
    ],
)
def test_a_wrong_row_is_one_sentence(bolt: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    path = bolt / "deviations.toml"
    assert old in ROWS
    path.write_text(ROWS.replace(old, new, 1))
    with pytest.raises(DeviationError, match=said.replace("(", r"\(")):
        built_in(Dut.load(bolt), deviations(path), tmp_path / "copy")


def test_overlapping_deviations_are_refused(bolt: Path, tmp_path: Path) -> None:
    rows = deviations(bolt / "deviations.toml")
    both = (*rows, row(name="again", file="rtl/bolt_te.sv", find="not_taken", within="map[count_q] = not_taken;"))
    with pytest.raises(DeviationError, match="change the same text"):
        built_in(Dut.load(bolt), both, tmp_path / "copy")


def experiment(*rows: Deviation) -> Experiment:
    """An experiment that nobody has played."""
    device: Any = SimpleNamespace(name="d", dut=SimpleNamespace(name="d", ip="etrace", title="D"), deviations=rows)
    return Experiment(device, rows, [])


def result(*failures: tuple[str, str], verdict: str = "FAIL") -> dict[str, Any]:
    """A run with failures: (clause, clause that it follows from)."""
    return {
        "name": "sort", "source": "program:sort", "sim": "icarus", "seed": 1, "ip": "etrace", "error": None,
        "verdict": verdict, "clauses": {clause: (1, 1) for clause, _ in failures} | {"ET.pay.ecause": (1, 0)},
        "failures": [
            {"clause": clause, "cause": cause, "at": place, "text": f"FAIL {clause} text", "headline": f"{clause} said"}
            for place, (clause, cause) in enumerate(failures)
        ],
        "rerun": "make run", "stats": {},
    }  # fmt: skip


BRANCHES, PRIVILEGE = row(name="b", clauses=("ET.bt.branches",)), row(name="p", clauses=(), says="^nobody says this")


def test_a_single_deviation_counts_for_the_first_finding_only() -> None:
    first = isolation(experiment(BRANCHES), [result(("ET.bt.branches", ""), ("ET.pay.privilege", "ET.bt.branches"))])
    assert first.complete and first.clean and len(first.findings) == 1
    second = isolation(experiment(BRANCHES), [result(("ET.pay.privilege", ""), ("ET.bt.branches", ""))])
    assert not second.complete
    assert "MISSED" in second.line() and "make isolate IP=etrace DUT=d DEVIATION=b" in second.line()


def test_several_deviations_are_all_to_be_named_and_nothing_else() -> None:
    both = [result(("ET.bt.branches", ""), ("ET.pay.privilege", ""))]
    found = isolation(experiment(BRANCHES, row(name="p", clauses=("ET.pay.privilege",))), both)
    assert found.complete and found.clean
    by_text = isolation(experiment(BRANCHES, row(name="p", clauses=(), says="ET.pay.privilege said")), both)
    assert by_text.complete
    assert not isolation(experiment(BRANCHES, PRIVILEGE), both).complete
    more = isolation(experiment(BRANCHES), both)
    assert more.complete and not more.clean and more.others[0].startswith("ET.pay.privilege")


def test_the_device_itself_must_pass() -> None:
    good = isolation(experiment(), [result(verdict="PASS")])
    assert good.complete and good.clean
    bad = isolation(experiment(), [result(("ET.bt.branches", ""))])
    assert not bad.complete and reached([good]) and not reached([good, bad])
    broken = isolation(
        experiment(row(clauses=(), says="stopped")), [result() | {"verdict": "ERROR", "error": "stopped"}]
    )
    assert broken.complete
    assert figures([good, bad])[0].startswith("no deviation, PASS: 1 of 2 (50%")


def test_figures_count_single_and_several_apart() -> None:
    named = Isolation(experiment(BRANCHES), "FAIL", ("x",), ("b",), ())
    missed = Isolation(experiment(BRANCHES), "FAIL", ("x",), (), ("x",))
    three = Isolation(experiment(BRANCHES, PRIVILEGE), "FAIL", ("x", "y", "z"), ("b", "p"), ("z",))
    lines = figures([named] * 19 + [missed, three])
    assert lines[0].startswith("one deviation, named by the first finding: 19 of 20 (95%")
    assert lines[1].startswith("several deviations") and "1 of 1 (100%" in lines[1] and "finding 0 (0%)" in lines[1]
    assert reached([named] * 19 + [missed, three]) and not reached([named] * 18 + [missed, three])


def test_a_bug_is_switched_on_at_run_time_and_named(bolt: Path) -> None:
    sim = "icarus" if mutants.simulator() == mutants.BOTH else "verilator"  # Icarus builds in a second
    device = Device.load(bolt, sim)
    todo = list(singles(device))
    assert [one.name for one in todo] == ["none", "map_inverted", "privilege_always_machine"]
    found = [isolation(one, play(one, sim)) for one in todo]
    assert [one.verdict for one in found] == ["PASS", "FAIL", "FAIL"]
    assert all(one.clean for one in found), [one.line() for one in found]
    again = list(draws([device], 4, 2, 7))
    assert [one.name for one in again] == [one.name for one in draws([device], 4, 2, 7)]
    assert {len(one.rows) for one in again} == {2}
