# SPDX-License-Identifier: Apache-2.0
"""Deviations of a device: built in, selected at run time, and named by the findings."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rvtrace.flow.dut.description import SHIPPED, Dut
from rvtrace.flow.faults import written
from rvtrace.flow.faults.devices import Device, Experiment, built_in, deviations, draws, play_all, singles
from rvtrace.flow.faults.rows import Edit, Fault, FaultError
from rvtrace.flow.faults.runner import KILLED, SURVIVED, Row
from rvtrace.report import faults as report
from rvtrace.report.faults import isolation

ROWS = """
["rtl/bolt_te.sv"]
map_inverted = { clause = "ET.pay.map_bits", run = "sort-rv64", why = "polarity", change = '''
- map[count_q] = not_taken;
+ map[count_q] = !not_taken;''' }

privilege_always_machine = { clause = "ET.pay.privilege", run = "traps-rv64", why = "field value", change = '''
- cur_pc_q, cur_priv_q, branch_bit
+ cur_pc_q, 3'd3, branch_bit''' }
"""


@pytest.fixture
def bolt(tmp_path: Path) -> Path:
    """A copy of an encoder of ours, with two deviations."""
    folder = tmp_path / "bolt_te"
    shutil.copytree(SHIPPED / "bolt_te", folder)
    (folder / "deviations.toml").write_text(ROWS)
    return folder


def row(name: str, clauses: tuple[str, ...] = (), says: str = "") -> Fault:
    """A deviation that nobody builds in."""
    return Fault(name, (Edit("a.sv", "x && y", "x"),), clauses, "k", ("r",), says=says)


def test_all_are_built_into_a_copy(bolt: Path, tmp_path: Path) -> None:
    before = (bolt / "rtl/bolt_te.sv").read_text()
    dut, numbers = built_in(Dut.load(bolt), deviations(bolt / "deviations.toml"), tmp_path / "copy")
    assert numbers == {"map_inverted": 1, "privilege_always_machine": 2}
    changed = next(path for path in dut.sources.files if path.name == "bolt_te.sv")
    assert changed.is_relative_to(tmp_path / "copy")
    text = changed.read_text()
    assert text.count("rvtrace_mutant::on_1 ") == text.count("rvtrace_mutant::on_2 ") == 1
    assert (bolt / "rtl/bolt_te.sv").read_text() == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("- cur_pc_q, cur_priv_q, branch_bit", "- cur_priv_q", "times in rtl/bolt_te.sv, needed once"),
        ('clause = "ET.pay.map_bits", ', "", "has no clause or says"),
        ('["rtl/bolt_te.sv"]', '["rtl/other.sv"]', "rtl/other.sv is no source"),
        ("- map[count_q] = not_taken;\n+ map[count_q] = !not_taken;",
         "- module bolt_te\n+ module other", "cannot be selected; change an expression or a statement"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_one_sentence(bolt: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    path = bolt / "deviations.toml"
    assert old in ROWS
    path.write_text(ROWS.replace(old, new, 1))
    with pytest.raises(FaultError, match=said):
        built_in(Dut.load(bolt), deviations(path), tmp_path / "copy")


def test_deviations_of_one_text_are_not_in_one_set() -> None:
    rows = (row("one"), row("other"), Fault("apart", (Edit("a.sv", "z", "0"),), runs=("r",)))
    device: Any = SimpleNamespace(name="d", deviations=rows, runs_of=lambda rows: [])
    found = [{one.name for one in experiment.rows} for experiment in draws([device], 20, 2, 1)]
    assert {"one", "other"} not in found and {"apart", "one"} in found and {"apart", "other"} in found


def experiment(*rows: Fault) -> Experiment:
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


def clean(found: Row) -> bool:
    """All are named, and nothing else."""
    return found.state == KILLED and not found.also


BRANCHES, PRIVILEGE = row("b", ("ET.bt.branches",)), row("p", says="^nobody says this")


def test_a_single_deviation_counts_for_the_first_finding_only() -> None:
    first = isolation(experiment(BRANCHES), [result(("ET.bt.branches", ""), ("ET.pay.privilege", "ET.bt.branches"))])
    assert clean(first) and first.by == "1 finding"
    second = isolation(experiment(BRANCHES), [result(("ET.pay.privilege", ""), ("ET.bt.branches", ""))])
    assert second.state == SURVIVED
    assert second.text().startswith("RED   b") and "not named: b\n          1. ET.pay.privilege" in second.text()
    assert second.text().endswith("make mutate KIND=devices IP=etrace DUT=d DEVIATION=b")


def test_several_deviations_are_all_to_be_named_and_nothing_else() -> None:
    both = [result(("ET.bt.branches", ""), ("ET.pay.privilege", ""))]
    found = isolation(experiment(BRANCHES, row("p", ("ET.pay.privilege",))), both)
    assert clean(found)
    by_text = isolation(experiment(BRANCHES, row("p", says="ET.pay.privilege said")), both)
    assert by_text.state == KILLED
    assert isolation(experiment(BRANCHES, PRIVILEGE), both).state == SURVIVED
    more = isolation(experiment(BRANCHES), both)
    assert more.state == KILLED and more.also[0].startswith("ET.pay.privilege")


def test_the_device_itself_must_pass() -> None:
    good = isolation(experiment(), [result(verdict="PASS")])
    assert clean(good)
    bad = isolation(experiment(), [result(("ET.bt.branches", ""))])
    assert bad.state == SURVIVED and reached([good]) and not reached([good, bad])
    broken = isolation(experiment(row("s", says="stopped")), [result() | {"verdict": "ERROR", "error": "stopped"}])
    assert broken.state == KILLED
    assert figures([good, bad])[0].startswith("no deviation, PASS: 1 of 2 (50%")


def reached(rows: list[Row]) -> bool:
    """Whether the shares are as wanted."""
    return report.green(report.summary("D", "make mutate KIND=devices", rows, 1.0, wanted=report.ISOLATED))


def figures(rows: list[Row]) -> list[str]:
    """The lines after the sentence."""
    return report.terminal(report.summary("D", "make mutate KIND=devices", rows, 1.0, wanted=report.ISOLATED))[2:]


def test_figures_count_single_and_several_apart() -> None:
    named = Row("b", KILLED, kind=report.ONE)
    missed = Row("b", SURVIVED, kind=report.ONE, also=("x",))
    three = Row("b+p", KILLED, kind=report.SEVERAL, also=("z",))
    lines = figures([named] * 19 + [missed, three])
    assert lines[0].startswith("one deviation, named by the first finding: 19 of 20 (95%")
    assert lines[1].startswith("several, all") and "1 of 1 (100%" in lines[1] and "finding 0 (0%)" in lines[1]
    assert reached([named] * 19 + [missed, three]) and not reached([named] * 18 + [missed, three])


def test_a_bug_is_switched_on_at_run_time_and_named(bolt: Path) -> None:
    sim = "icarus" if written.simulator() == written.BOTH else "verilator"  # Icarus builds in a second
    device = Device.load(bolt, sim)
    todo = list(singles(device))
    assert [one.name for one in todo] == ["none", "map_inverted", "privilege_always_machine"]
    found: list[Row] = []
    play_all(todo, sim, 2, lambda one, results: found.append(isolation(one, results)))
    assert [one.fault for one in found] == [one.name for one in todo]
    assert [one.by for one in found] == ["0 findings", "1 finding", "1 finding"]
    assert all(map(clean, found)), [one.text() for one in found]
    again = list(draws([device], 4, 2, 7))
    assert [one.name for one in again] == [one.name for one in draws([device], 4, 2, 7)]
    assert {len(one.rows) for one in again} == {2}
