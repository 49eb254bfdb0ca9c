# SPDX-License-Identifier: Apache-2.0
"""Ports of an IP against ours: what fits, and each thing that does not as a sentence, before anything is simulated."""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.names import names, renamed, sized
from rvtrace.flow.dut.ports import MISMATCH, MISSING, OK, WRONG, fit
from rvtrace.flow.dut.workspace import written
from rvtrace.flow.simulation import sources
from rvtrace.jobs import systems
from rvtrace.jobs.files import replace
from rvtrace.jobs.job import Job
from tests.flow.dut_folders import MODULE, folder

NTRACE = systems.bench("ntrace")


def looked(path, config=None, **changes):
    return fit(Dut.load(folder(path, **changes)), NTRACE, NTRACE.build_of(Job("ports", "random", config or {})))


def test_everything_fits(tmp_path):
    found = looked(tmp_path)
    assert found.problems == [] and found.notes == []
    assert [(s.port.name, s.port.width, s.state) for s in found.inputs] == [
        ("te_on", 1, OK),
        ("blk", 68, OK),
        ("beat_stall", 1, OK),
    ]
    assert [p.name for p in found.unused_theirs] == ["spare"]
    assert {"notify_i", "ing_cause_i"} < {p.name for p in found.unused_ours} and "out_ready_i" not in {
        p.name for p in found.unused_ours
    }
    assert "module ntrace_encoder" in found.text and ".rst(!rst_ni)" in found.text and ".ADDR_W(Xlen)" in found.text


def test_widths_follow_the_parameters(tmp_path):
    assert [s.port.width for s in looked(tmp_path, {"xlen": 32, "blocks": 2}).inputs][1] == 72


def test_a_parameter_of_the_same_name_is_ours(tmp_path):
    source = MODULE.replace("LANES", "NBlocks")
    found = looked(tmp_path, {"blocks": 2}, source=source, parameters={"LANES": None})
    assert found.parameters == {"ADDR_W": "Xlen", "NBlocks": "NBlocks"} and found.inputs[1].port.width == 2 * 68


@pytest.mark.parametrize(
    "changes, state, reported",
    [
        ({"inputs": {"blk": "ing_iaddr_i"}}, MISMATCH,
         r'your input blk has 68 bits and "ing_iaddr_i" has 64; add 4 bits, as in \{4\'b0, ...\}'),
        ({"inputs": {"te_on": "ing_itype_i"}}, MISMATCH,
         r'te_on has 1 bit and "ing_itype_i" has 4; leave 3 bits out with a slice'),
        ({"outputs": {"out_data_o": "beat"}}, MISMATCH, r'our output out_data_o has 64 bits and "beat" has 69'),
        ({"parameters": {"ADDR_W": 40}}, MISMATCH,
         r"your input blk has 44 bits and .* has 68; leave 24 bits out with a slice, or set a parameter of the module"),
        ({"inputs": {"te_on": None}}, MISSING,
         r'input te_on \(1 bit\) of acme_te has no value; add te_on = "..." to \[inputs\]'),
        ({"outputs": {"drop_o": None}}, MISSING,
         r"our output drop_o \(1 bit, this beat is taken without room\) has no value; add drop_o"),
        ({"inputs": {"te_on": "enabel_i"}}, WRONG,
         r'\[inputs\] te_on = "enabel_i" needs enabel_i, which is neither a signal of ours nor a port of acme_te; '
         r'did you mean enable_i\?'),
        ({"inputs": {"te_on": "enable_i &&"}}, WRONG,
         r'te_on = "enable_i &&" is no expression that fits: expected expression'),
        ({"outputs": {"out_data_o": "beat[70:7]"}}, WRONG,
         r"out_data_o = .* is no expression that fits: .*out of bounds|cannot"),
    ],
)  # fmt: skip
def test_a_signal_that_does_not_fit(tmp_path, changes, state, reported):
    found = looked(tmp_path, **changes)
    (bad,) = [s for s in [*found.inputs, *found.outputs] if s.state != OK]
    assert bad.state == state and found.problems == [bad.text]
    with pytest.raises(ValueError, match=reported):
        raise ValueError(bad.text)


def test_an_input_without_a_value_may_be_the_clock(tmp_path):
    found = looked(tmp_path, clock={"port": None}, inputs={"blk": None})
    of = {s.port.name: s.text for s in found.inputs if s.state == MISSING}
    assert of["clk"].endswith("0 if it does not matter; or name it in [clock], if that is what it is") and of[
        "blk"
    ].endswith("0 if it does not matter")


@pytest.mark.parametrize(
    "changes, reported",
    [
        ({"dut": {"top": "acme_t"}},
         r'\[dut\] top = "acme_t" is defined by none of the 1 files of \[sources\]; did you mean acme_te\?'),
        ({"clock": {"port": "clock"}},
         r'\[clock\] port = "clock" is no port of acme_te; did you mean .*it has clk, rst, te_on'),
        ({"reset": {"port": "blk"}}, r'\[reset\] port = "blk" is an input of 68 bits; name an input of one bit'),
        ({"inputs": {"clk": "enable_i"}}, r"clk is in \[clock\] and in \[inputs\]; keep it in \[clock\]"),
        ({"inputs": {"te_of": 0}}, r"\[inputs\] has te_of, which is no port of acme_te; did you mean te_on\?"),
        ({"inputs": {"enable_i": "te_on"}}, r"\[inputs\] has enable_i, .*enable_i is ours: write it right of the ="),
        ({"inputs": {"busy": 0}},
         r"\[inputs\] has busy, which is an output of acme_te; use it in \[outputs\], right of the ="),
        ({"outputs": {"enable_i": "te_on"}},
         r"\[outputs\] has enable_i, which is an input of ntrace_encoder: use it in \[inputs\]"),
        ({"outputs": {"out_vlid_o": 0}},
         r"\[outputs\] has out_vlid_o, which is no output of ntrace_encoder; did you mean out_valid_o\?"),
        ({"parameters": {"ADR_W": 3}},
         r"\[parameters\] has ADR_W, which is no parameter of acme_te; did you mean ADDR_W\? it has ADDR_W, LANES"),
        ({"parameters": {"ADDR_W": "XLEN"}},
         r'ADDR_W = "XLEN" needs XLEN, which is no parameter of ours; did you mean Xlen\?'),
        ({"source": MODULE + "module trace_player; endmodule\n"},
         r"acme.sv defines trace_player, which is also in our testbench \(tb/common/hdl/trace_player.sv\); "
         r".*rename yours, for example to acme_trace_player"),
        ({"source": MODULE + "module ntrace_encoder; endmodule\n"},
         r"acme.sv defines ntrace_encoder, the name of the place your IP is put into; rename yours"),
    ],
)  # fmt: skip
def test_what_cannot_be_looked_at_is_a_sentence(tmp_path, changes, reported):
    with pytest.raises(DutError, match=reported) as found:
        looked(tmp_path, **changes)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "old, new, reported",
    [
        (
            "  assign busy = 1'b0;",
            "  acme_core u_core (.*);",
            r"acme.sv:\d+: unknown module 'acme_core'; add its file to \[sources\]",
        ),
        (
            "  assign busy = 1'b0;",
            '`include "acme.svh"',
            r"acme.sv:\d+: .*acme.svh.*; add its folder to \[sources\] include_dirs",
        ),
        (
            "1'b0;\n  assign beat",
            "`WIDE;\n  assign beat",
            r"acme.sv:\d+: unknown macro.*WIDE.*; add it to \[sources\] defines",
        ),
        ("assign beat = 69'd0;", "assign beat = ;", r"acme.sv:\d+: expected expression; correct the source"),
        (
            "output logic [7:0] spare",
            "output logic [7:0] spare, inout wire pad",
            r"port pad of acme_te is an inout, which no expression can drive; write a wrapper.sv",
        ),
        (
            "input  logic te_on,",
            "input  logic te_on, input logic [1:0] lanes [2],",
            r"port lanes of acme_te is of type .*write a wrapper.sv",
        ),
    ],
)
def test_sources_that_no_simulator_takes(tmp_path, old, new, reported):
    assert old in MODULE
    found = looked(tmp_path, source=MODULE.replace(old, new))
    with pytest.raises(ValueError, match=reported):
        raise ValueError(found.problems[0])


def test_names_in_expressions():
    assert names("{2'b0, a[3:0], pkg::B, b.c, `D, $clog2(e), 8'hFF} + 'x ? f : 32'd7") == ["a", "b", "e", "f"]
    assert renamed("a + b.a + 4'b1 + aa", lambda name: f"your_{name}") == "your_a + your_b.a + 4'b1 + your_aa"
    assert [sized(text) for text in ("a[7:0]", "{3{a}}", "4'd7", "a ? b : 0", "1")] == [True, True, True, False, False]


def test_a_name_on_both_sides_means_the_nearer_one(tmp_path):
    source = MODULE.replace("busy,", "busy, empty_o,").replace("assign busy", "assign empty_o = 1'b1;\n  assign busy")
    text = looked(
        tmp_path, source=source, outputs={"empty_o": "empty_o"}, inputs={"te_on": "enable_i && !empty_o"}
    ).text
    assert "assign empty_o = your_empty_o;" in text and "wire your_te_on = enable_i && !empty_o;" in text


TYPES = """
package acme_pkg;
  typedef enum logic [3:0] {None = 0, Exception = 1, Interrupt = 2, Other = 15} itype_e;
  typedef struct packed { logic valid; logic [3:0] n; logic [63:0] data; } beat_t;
  typedef struct packed { logic on; logic run; } control_t;
endpackage
"""
TYPED = """
module acme_te import acme_pkg::*; (
  input  logic clk, rst,
  input  control_t control, control_too,
  input  itype_e itype, itype_too,
  output beat_t beat,
  output itype_e last
);
  assign beat = {control.on, 4'd4, 63'd0, control_too.run};
  assign last = itype_too == Other ? itype : None;
endmodule
"""
OF_TYPES = {
    "parameters": {"ADDR_W": None, "LANES": None},
    "inputs": {
        "te_on": None, "blk": None, "beat_stall": None, "control": "'{on: enable_i, run: inst_tracing_i}",
        "control_too": "{enable_i, inst_tracing_i}", "itype": "ing_itype_i",
        "itype_too": "acme_pkg::itype_e'(ing_itype_i)",
    },
    "outputs": {
        "ing_ready_o": 1, "empty_o": 1, "out_valid_o": "beat.valid", "out_nbytes_o": "beat.n",
        "out_data_o": "beat.data", "drop_o": "last == acme_pkg::Other",
    },
}  # fmt: skip


def test_ports_of_enums_and_structs_are_connected_by_expressions(tmp_path):
    found = looked(tmp_path, source=TYPES + TYPED, **OF_TYPES)
    assert found.problems == []
    assert [(s.port.name, s.port.width, s.state) for s in found.inputs] == [
        ("control", 2, OK), ("control_too", 2, OK), ("itype", 4, OK), ("itype_too", 4, OK),
    ]  # fmt: skip


def test_verilator_reads_them(tmp_path):
    """Icarus 11 stops with an assertion at such ports, whatever is connected to them."""
    found = looked(tmp_path, source=TYPES + TYPED, **OF_TYPES)
    design, verilator = written(Dut.load(tmp_path), found), simulators.find("verilator")
    files = [str(path) for path in sources(design, found.build.bench) if path.suffix != ".f"]
    command = [*verilator.command, "--lint-only", "--timing", "--timescale-override", "1ns/1ns", "-Wno-fatal"]
    subprocess.run(
        [*command, "--top-module", found.build.bench.top, *files], check=True, env=os.environ | verilator.env
    )


@pytest.mark.parametrize(
    "changes, reported",
    [
        (
            {"control": "'{on: enable_i, walk: inst_tracing_i}"},
            "control = .* is no expression that fits: .*member 'run' is not",
        ),
        ({"control": "enable_i"}, r'your input control has 2 bits and "enable_i" has 1; add 1 bit'),
        ({"itype": "ing_iaddr_i"}, r'your input itype has 4 bits and "ing_iaddr_i" has 64; leave 60 bits out'),
    ],
)
def test_what_does_not_fit_them_is_a_sentence(changes, reported, tmp_path):
    found = looked(tmp_path, source=TYPES + TYPED, **(OF_TYPES | {"inputs": OF_TYPES["inputs"] | changes}))
    assert len(found.problems) == 1 and re.search(reported, found.problems[0])


def test_an_enum_of_the_module_itself_needs_a_wrapper(tmp_path):
    source = MODULE.replace("input  logic te_on", "input  enum logic {Off, On} te_on")
    found = looked(tmp_path, source=source)
    assert found.problems == [
        "port te_on of acme_te is of an enum type that its module declares, which no expression can drive; write a"
        " wrapper.sv with plain ports, and name it in [dut] top"
    ]


def test_a_missing_package_is_named_and_nothing_else(tmp_path):
    assert looked(tmp_path, source=TYPED, **OF_TYPES).problems == [
        "acme.sv:2: unknown package 'acme_pkg'; add its file to [sources] (files are compiled in their order, packages"
        " first)"
    ]


def test_threads_that_write_one_file_at_once_do_not_disturb_each_other(tmp_path):
    """Runs of one device are prepared by several threads of one process."""
    path = tmp_path / "wrapper.sv"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: replace(path, f"{n}\n" * 1000), range(400)))
    assert len(set(path.read_text().split())) == 1 and list(tmp_path.iterdir()) == [path]
