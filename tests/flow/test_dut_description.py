# SPDX-License-Identifier: Apache-2.0
"""dut.toml: everything that can be wrong with one is a sentence that says where, what was found, and what to do."""

import datetime
from typing import Any, cast

import pytest

from rvtrace.flow.dut.description import Dut, DutError
from tests.flow.dut_folders import folder

WAIVER = '[[waiver]]\nclause = "NT.2.exception"\nreason = "erratum 12"\nowner = "jane"\nexpires = {}\n'


def test_a_good_one(tmp_path):
    dut = Dut.load(folder(tmp_path, more=WAIVER.format("2027-01-31"), profile={"exact": False, "sync_late": 9}))
    assert (dut.name, dut.title, dut.top, dut.reset_low, dut.rising, dut.reset_async) == (
        "acme", "acme", "acme_te", False, True, True,
    )  # fmt: skip
    assert dut.sources.files == (tmp_path / "acme.sv",)
    assert dut.inputs["te_on"] == "enable_i" and dut.outputs["drop_o"] == "0"
    assert (
        dut.claims.values["mode"] == ("htm", "btm")
        and dut.claims.values["xlen"] == (64,)
        and dut.claims.values["ts_mode"] is None
    )
    assert dut.tolerances == {"sync_late": 9} and not dut.exact
    assert dut.waivers[0].expires == datetime.date(2027, 1, 31)


@pytest.mark.parametrize(
    "changes, reported",
    [
        ({"dut": {"nam": "x"}},
         r"\[dut\] has the unknown key nam; did you mean name\? known are name, title, ip, variant, top$"),
        ({"output": {"x": 1}}, r"the file has the unknown table output; did you mean outputs\?"),
        ({"dut": {"top": None}}, r"\[dut\] has no top; add top = "),
        ({"dut": {"ip": "nexus"}}, r"\[dut\] ip = 'nexus' is not known; write \"ntrace\" or \"etrace\""),
        ({"dut": {"ip": "hpm"}},
         r"\[dut\] variant = 'v1_0', and HPM counters has one variant only; take the line away"),
        ({"dut": {"variant": "v2"}}, r"\[dut\] variant: v2 is not supported; give v1_0 or rc7"),
        ({"dut": {"name": "my ip"}}, r"cannot name a folder; use letters"),
        ({"dut": {"top": "a b"}}, r"\[dut\] top: 'a b' is no SystemVerilog name; give the name of a module"),
        ({"options": {"mod": "htm"}},
         r"\[options\] has mod, which is no option of N-Trace; did you mean mode\? known are mode, xlen"),
        ({"options": {"mode": "hmt"}}, r"\[options\] mode: hmt is not supported; give btm or htm"),
        ({"options": {"xlen": [64, 128]}}, r"\[options\] xlen: 128 is not supported; give 32 or 64"),
        ({"options": {"xlen": []}}, r"\[options\] xlen = \[\] supports nothing; name a value"),
        ({"options": {"icnt_bits": "9..7"}}, r'icnt_bits = "9..7" is an empty range; write "7..9"'),
        ({"options": {"icnt_bits": 6}},
         r"\[options\] is no implementation of N-Trace: ICNT_BITS=6 cannot hold two blocks"),
        ({"sources": {"files": ["rtl/no.sv"]}},
         r"\[sources\] files: rtl/no.sv does not exist \(.*\); correct the path"),
        ({"sources": {"files": ["*.vhd"]}}, r"\[sources\] files: \*.vhd matches no file below"),
        ({"sources": {"files": None}}, r"\[sources\] names no file; write files ="),
        ({"sources": {"filelists": ["ip.f"]}}, r"\[sources\] filelists: ip.f does not exist"),
        ({"sources": {"include_dirs": ["inc"]}}, r"include_dirs: inc is no folder"),
        ({"sources": {"files": ["$ACME_HOME/a.sv"]}},
         r"needs \$ACME_HOME, which is not set in the environment; set it"),
        ({"sources": {"files": "acme.sv"}}, r"files = 'acme.sv' is no list of paths; write files = \["),
        ({"clock": {"edge": "posedge"}}, r"\[clock\] edge = 'posedge' is not known; write \"rising\" or \"falling\""),
        ({"reset": {"polarity": "hi"}}, r"\[reset\] polarity = 'hi' is not known; .*write \"low\" or \"high\""),
        ({"inputs": {"te_on": ""}}, r"\[inputs\] te_on = '' is no expression; write SystemVerilog in quotes"),
        ({"stimulus": {"backpressure": "no"}},
         r"\[stimulus\] backpressure = 'no' is no switch; write true or false, without quotes"),
        ({"profile": {"sync_lat": 3}}, r"\[profile\] has the unknown key sync_lat; did you mean sync_late\?"),
        ({"profile": {"sync_late": True}}, r"\[profile\] sync_late = True is no int; write one, such as sync_late = 4"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_a_sentence(tmp_path, changes, reported):
    with pytest.raises(DutError, match=reported) as found:
        Dut.load(folder(tmp_path, **changes))
    assert str(found.value).startswith(f"{tmp_path}/dut.toml: ") and "\n" not in str(found.value)


@pytest.mark.parametrize(
    "waiver, reported",
    [
        (WAIVER.format('"soon"'), r"\[\[waiver\]\] of NT.2.exception expires = 'soon' is no day; write year-month-day"),
        (WAIVER.format("2027-01-31").replace("owner", "who"), r"of NT.2.exception has the unknown key who"),
        (
            WAIVER.format("2027-01-31").replace('owner = "jane"\n', ""),
            r"of NT.2.exception has no owner; a waiver names clause, reason, owner and expires",
        ),
        (
            WAIVER.format("2027-01-31").replace("exception", "exceptions"),
            r"is no clause of N-Trace; did you mean NT.2.exception\?",
        ),
        (WAIVER.format("2027-01-31") * 2, r"NT.2.exception is given twice; keep one"),
        ("[waiver]\nclause = 1\n", r"waiver is no list of tables; write \[\[waiver\]\]"),
        ("nonsense\n", r"line \d+.*this is not TOML"),
    ],
)
def test_a_wrong_waiver_is_a_sentence(tmp_path, waiver, reported):
    with pytest.raises(DutError, match=reported):
        Dut.load(folder(tmp_path, more=waiver))


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(DutError, match=r"DUT=.*no folder with a dut.toml; .*make new NAME=acme IP=ntrace"):
        Dut.load(tmp_path / "nowhere")


def test_a_file_list_with_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("ACME", "more")
    for name in ("inc/a.svh", "one.sv", "more/two.sv", "three.sv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("// here\n")
    (tmp_path / "more" / "inner.f").write_text("two.sv\n+define+IN=1\n")
    (tmp_path / "ip.f").write_text(
        "// all\none.sv # first\n-f $ACME/inner.f\n+incdir+inc\n+define+WIDE+W=64\n-DX=2 three.sv\n"
    )
    dut = Dut.load(folder(tmp_path, sources={"filelists": ["ip.f"]}))
    assert [path.name for path in dut.sources.files] == ["one.sv", "two.sv", "three.sv", "acme.sv"]
    assert dut.sources.defines == {"IN": "1", "WIDE": "", "W": "64", "X": "2"}
    before = dut.sources.flags()
    assert f"+incdir+{tmp_path}/inc\n+define+IN=1\n+define+WIDE\n" in before
    (tmp_path / "inc" / "a.svh").write_text("// else\n")
    assert dut.sources.flags() != before, "what is included decides what is built"
    (tmp_path / "ip.f").write_text("-y lib\n")
    with pytest.raises(DutError, match=r"ip.f: -y is not understood; file lists may have"):
        Dut.load(tmp_path)


@pytest.mark.parametrize(
    "stimulus, said",
    [
        ("traps_in_lane_0 = 1", r"\[stimulus\] traps_in_lane_0 = 1 is no switch; write true or false"),
        (
            "lane_halfwords = [2, 64]",
            r"has a lane that takes more than lane 0, where blocks go that do not fit elsewhere",
        ),
        ("lane_halfwords = 2", r"lane_halfwords = 2 is no list of numbers; write the most half-words"),
        (
            "levels = { halted = {} }",
            r"\[stimulus.levels\] has halted, which is no level of ours; did you mean halted_i\?",
        ),
        ("levels = { halted_i = 4 }", r"halted_i = 4 is not understood; write halted_i = \{ before = 2"),
        ("levels = { halted_i = { least = -1 } }", r"halted_i least = -1 is no number of cycles from 0 to 10000"),
    ],
)
def test_a_shape_that_is_wrong_is_one_sentence(stimulus, said, tmp_path):
    path = folder(tmp_path, more=f"[stimulus]\n{stimulus}\n")
    with pytest.raises(DutError, match=said):
        Dut.load(path)


def test_a_shape_is_given_to_each_run(tmp_path):
    more = "[stimulus]\ntraps_in_lane_0 = true\nlane_halfwords = [64, 2]\nlevels = { halted_i = { least = 8 } }\n"
    more += '[bus]\nkind = "apb"\n[[bus.on]]\nchange = "{enable_i, inst_mode_i}"\nsteps = []\n'
    assert Dut.load(folder(tmp_path, more=more)).shape == {
        "trap_lane": True,
        "lane_halfwords": [64, 2],
        "levels": {"halted": {"least": 8}, "enable": {}},
    }


@pytest.mark.parametrize(
    "text, name",
    [
        ("$system(1)", r"\$system"),
        ("te_on ? $random : 0", r"\$random"),
        ('$fopen("/tmp/x")', r"\$fopen"),
        ("{$urandom_range(1)}", r"\$urandom_range"),
    ],
)
@pytest.mark.parametrize("table", ["inputs", "outputs", "parameters"])
def test_an_expression_that_does_something_is_refused(table, text, name, tmp_path):
    key = {"inputs": "te_on", "outputs": "drop_o", "parameters": "ADDR_W"}[table]
    with pytest.raises(
        DutError, match=rf"\[{table}\] {key} = .* calls {name}, and an expression only connects signals"
    ):
        Dut.load(folder(tmp_path, **cast(Any, {table: {key: text.replace('"', "'")}})))


@pytest.mark.parametrize("text", ["1; assign te_on = 0", "enable_i // on", "enable_i /* on */"])
def test_a_statement_is_no_expression(text, tmp_path):
    with pytest.raises(DutError, match=r"\[inputs\] te_on = .* has .*; write one expression"):
        Dut.load(folder(tmp_path, inputs={"te_on": text}))


def test_functions_of_their_argument_are_expressions(tmp_path):
    text = "$countones(ing_iretire_i) > $clog2(4) && $signed(ing_itype_i) != $bits(enable_i)"
    assert Dut.load(folder(tmp_path, inputs={"te_on": text})).inputs["te_on"] == text
