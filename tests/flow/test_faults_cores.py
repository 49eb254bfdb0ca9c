# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core: what the file must say, that each has its place in the pinned version, and that verification
finds some of them.
"""

from dataclasses import replace

import pytest

from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.suite import random_cases, save, verify_all
from rvtrace.flow.faults.cores import build_mutated, hunt, listed
from rvtrace.flow.faults.rows import Edit, Fault
from rvtrace.flow.jobs import RESULTS
from rvtrace.tools import core_programs, mutate_core

OUT = RESULTS / "test-core-mutants"
ROW = "a = { part = 'ALU', change = '''\n- y\n+ z''' }\n"


@pytest.fixture(scope="module")
def ibex():
    core = Core.load("ibex")
    try:
        core.install()
    except CoreError as error:
        pytest.skip(str(error))
    return core


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ROW.replace("part = 'ALU', ", ""), "a has no part"),
        (ROW.replace("+ z", "+ y"), "a changes nothing"),
        (ROW + '["y.sv"]\n' + ROW, "a is there twice, in x.sv and y.sv"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path, monkeypatch, text, said):
    monkeypatch.setattr("rvtrace.flow.faults.cores.HERE", tmp_path)
    (tmp_path / "mutants").mkdir()
    (tmp_path / "mutants" / "ibex.toml").write_text('["x.sv"]\n' + text)
    with pytest.raises(CoreError, match=said):
        listed(Core.load("ibex"))


def test_a_core_without_mutants_is_one_sentence():
    with pytest.raises(CoreError, match="there are no mutants of picorv32; give CORE=ibex"):
        listed(Core.load("picorv32"))


def test_a_mutant_without_its_place_is_one_sentence(ibex):
    for edit, said in (
        (Edit("ibex_alu.sv", "no such text", "y"), "its text occurs 0 times in ibex_alu.sv, needed once"),
        (
            Edit("ibex_alu.sv", "module ibex_alu #(", "module ibex_alu ((("),
            "a the changed file has a syntax error",
        ),
        (Edit("ibex_none.sv", "y", "z"), "Ibex: a: ibex_none.sv is no source of it"),
    ):
        with pytest.raises(CoreError, match=said):
            build_mutated(ibex, [Fault("a", (edit,))])


def test_there_are_thirty_in_every_part_that_is_asked_for():
    mutants = listed(Core.load("ibex"))
    assert len(mutants) >= 30
    assert {one.part for one in mutants} >= {"ALU", "decoder", "forwarding", "CSR", "trap", "load", "store"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["CORE=ibes"], "did you mean ibex"),
        (["SET=nowhere"], "SET=nowhere is no folder; give random, or a folder"),
        (["SET=docs"], r"docs has no program \*.rv32.elf"),
    ],
)
def test_a_wrong_word_is_one_sentence(ibex, words, said):
    with pytest.raises(ValueError, match=said):
        (mutate_core if words[0].startswith("CORE") else core_programs).main(words)


def test_mutants_are_found_and_the_core_itself_passes(sim, ibex):
    """One of the ALU, which the first program meets, and one that changes nothing, so that nothing can find it."""
    if sim != "verilator":
        pytest.skip("the sources of Ibex are for Verilator")
    bug = next(one for one in listed(ibex) if one.name == "slt_unsigned")
    edit = Edit("ibex_multdiv_fast.sv", "rem_change_sign = div_sign_a;", "rem_change_sign = div_sign_a & 1'b1;")
    harmless = replace(bug, name="harmless", edits=(edit,))
    made, numbers = build_mutated(ibex, [bug, harmless])
    first, second = hunt(ibex, made, numbers, [bug, harmless], random_cases(ibex, range(2), OUT / "programs"), OUT)
    assert (first.state, first.job) == ("killed", "random-0") and first.also[0].endswith("after 0 of other programs")
    assert "at fault is the core" in first.headline and first.by.startswith("TV.")
    assert second.state == "survived"


def test_a_suite_reports_each_program(sim, ibex, tmp_path):
    if sim != "verilator":
        pytest.skip("the sources of Ibex are for Verilator")
    cases = random_cases(ibex, range(2), OUT / "programs")
    broken = replace(cases[1], name="broken", path=tmp_path / "broken.elf")
    broken.path.write_bytes(b"no program")
    heard: list[str] = []
    outcomes = verify_all(ibex, [*cases, broken], OUT / "suite", lambda one: heard.append(one.name))
    assert [one.verdict for one in outcomes] == ["PASS", "PASS", "ERROR"] and "ELF" in outcomes[2].error
    assert heard == ["random-0", "random-1", "broken"]
    assert all(one.matched == one.instructions > 100 for one in outcomes[:2])
    late = verify_all(ibex, cases[:1], OUT / "late", limit=50)
    assert late[0].verdict == "ERROR" and "did not come to halt" in late[0].error
    save(tmp_path / "outcomes.json", outcomes)
    assert '"random-1"' in (tmp_path / "outcomes.json").read_text()
