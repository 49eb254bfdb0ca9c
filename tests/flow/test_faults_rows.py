# SPDX-License-Identifier: Apache-2.0
"""Rows of faults: what a file says, what is refused in one sentence, and which mutants a row of equivalents settles."""

from pathlib import Path

import pytest

from rvtrace.flow.faults import equivalent
from rvtrace.flow.faults.generate import Mutant
from rvtrace.flow.faults.rows import Edit, Fault, FaultError, Part, apply, by_clause, load, parsed
from rvtrace.flow.faults.subjects import belongs, campaigns
from rvtrace.jobs.builds import ROOT

HEAD = '["a.sv"]\n'
ROW = "p = { clause = 'NT.1.a', why = 'w', run = 'random', change = '''\n- x\n+ y''' }\n"


def listed(folder: Path, text: str, needs: tuple[str, ...] = ("clause", "why", "run")) -> dict[str, Fault]:
    """The faults of a file with this text."""
    path = folder / "mutants.toml"
    path.write_text(text)
    return load(path, "hpm", needs)


def test_a_row_and_the_defaults(tmp_path: Path) -> None:
    second = ROW.replace("p =", "q =").replace("change", "config = {}, change").replace("'NT.1.a'", "['NT.1.a', 'b']")
    found = listed(tmp_path, "[defaults]\nconfig = { xlen = 32 }\n" + HEAD + ROW + second)
    assert found["p"] == Fault(
        "p", (Edit("a.sv", "x", "y"),), ("NT.1.a",), "w", ("random",), {"xlen": 32}, ip="hpm", home=tmp_path.name
    )
    assert found["q"].config == {} and by_clause(found.values()) == {"NT.1.a": ["p", "q"], "b": ["q"]}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (HEAD + ROW + '["b.sv"]\n' + ROW, "p is there twice, in a.sv and b.sv"),
        (HEAD + ROW + ROW, "cannot be read"),
        (HEAD + ROW.replace("+ y", "+ x"), "p changes nothing"),
        (HEAD + ROW.replace("+ y", "y"), "p has the line 'y' in its change"),
        (HEAD + ROW.replace("why = 'w', ", ""), "p has no why"),
        (HEAD + ROW.replace("'w'", "''"), "p has no why"),
        (HEAD + ROW.replace("why", "what = 'w', why"), "p has the unknown key what"),
        ('["a.sv', "cannot be read"),
    ],
)
def test_a_bad_row_is_one_sentence(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(FaultError, match=word) as error:
        listed(tmp_path, text)
    assert "\n" not in str(error.value)


def test_one_of_two_keys_is_enough(tmp_path: Path) -> None:
    needs = ("clause or says",)
    assert listed(tmp_path, HEAD + ROW.replace("clause = 'NT.1.a'", "says = 'x'"), needs)["p"].says == "x"
    with pytest.raises(FaultError, match="p has no clause or says"):
        listed(tmp_path, HEAD + ROW.replace("clause = 'NT.1.a', ", ""), needs)


def test_a_diff_has_what_goes_what_comes_and_what_stays() -> None:
    first, second, third = parsed("a.sv", "  one\n-   two\n+   2\n  three\n@\n- four\n@ b.sv\n- 5\n+\n+ five")
    assert first == Edit("a.sv", "one\n  two\nthree", "one\n  2\nthree", lead=4)
    assert second == Edit("a.sv", "four", "") and third == Edit("b.sv", "5", "\nfive")


def test_each_place_must_be_there_once(tmp_path: Path) -> None:
    fault = Fault("p", (Edit("a.sv", "x", "y"), Edit("a.sv", "1", "2")))
    for text, times in (("x x 1", 2), ("1", 0)):
        (tmp_path / "a.sv").write_text(text)
        with pytest.raises(FaultError, match=f"{times} times in a.sv"):
            fault.apply(tmp_path)
    (tmp_path / "a.sv").write_text("one x 1")
    fault.apply(tmp_path)
    assert (tmp_path / "a.sv").read_text() == "one y 2"
    assert apply("abc", [Part(0, 1, "d"), Part(1, 1, "e")]) == "debc"


TEXT = "module unit;\n  assign a = b && c;  // the first\n  assign d = b && c;\nendmodule\n"


def mutant(offset: int) -> Mutant:
    """One of TEXT."""
    return Mutant("unit:2:operator:1", operator="operator", file="unit.sv", parts=(Part(offset, offset + 6, "b || c"),))


def test_a_row_settles_a_mutant_whatever_its_white_space() -> None:
    edit = Edit("unit.sv", "assign a = b && c; // the first", "assign  a = b||c; // the first")
    row = Fault("same", (edit,), equivalent="why")
    first, second = mutant(TEXT.index("b && c")), mutant(TEXT.rindex("b && c"))
    assert equivalent.row_of(first, TEXT, [row]) is row
    assert equivalent.row_of(second, TEXT, [row]) is None
    assert equivalent.changed_lines(second, TEXT)[:2] == ("  assign d = b && c;", "  assign d = b || c;")


def test_a_row_of_lines_that_occur_twice_has_the_line_before_as_context() -> None:
    """Without it the row settles both places, of which only the first makes no difference."""
    text = "if (!rst_ni) begin\n  q <= '0;\nend else if (clear_i) begin\n  q <= '0;\nend"
    places = [Part(at, at + len("q <= '0;"), ";") for at in (text.index("q <="), text.rindex("q <="))]
    changes = [Mutant("m", file="a.sv", parts=(place,)) for place in places]
    row = Fault("both", tuple(parsed("a.sv", "- q <= '0;\n+ ;")))
    named = Fault("first", tuple(parsed("a.sv", "  if (!rst_ni) begin\n- q <= '0;\n+ ;")))
    near = Fault("second", row.edits, near="clear_i")
    assert [equivalent.row_of(one, text, [row]) is row for one in changes] == [True, True]
    assert [equivalent.row_of(one, text, [named]) is named for one in changes] == [True, False]
    assert [equivalent.row_of(one, text, [near]) is near for one in changes] == [False, True]


def test_what_is_suggested_settles_the_mutant(tmp_path: Path) -> None:
    one = mutant(TEXT.index("b && c"))
    text = equivalent.suggested(one, TEXT, "same").replace('equivalent = ""', 'equivalent = "c is b"')
    rows = list(listed(tmp_path, text, ("equivalent",)).values())
    assert equivalent.row_of(one, TEXT, rows) == rows[0] and rows[0].equivalent == "c is b"
    assert equivalent.stale(rows, {"unit.sv": TEXT}) == []
    assert len(equivalent.stale(rows, {"unit.sv": TEXT.replace("&&", "|")})) == 1


@pytest.mark.parametrize("ip", campaigns())
def test_the_equivalents_of_each_system_are_of_its_files(ip: str) -> None:
    rows = equivalent.rows(ip)
    texts = {str(path.relative_to(ROOT / "rtl")): path.read_text() for path in (ROOT / "rtl").rglob("*.sv")}
    assert equivalent.stale(rows, texts) == []
    assert all(belongs(file, ip) for row in rows for file in row.files)
