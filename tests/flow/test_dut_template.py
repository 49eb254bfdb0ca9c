# SPDX-License-Identifier: Apache-2.0
"""A new dut.toml speaks of the signals of its system, of no other's, and says all that the source says of them."""

import re

import pytest

from rvtrace.flow.dut import doctor
from rvtrace.flow.dut.description import IPS
from rvtrace.flow.dut.elaborate import Port
from rvtrace.flow.dut.reference import Reference, reference
from rvtrace.flow.dut.template import description
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.job import Job
from rvtrace.tools import new_dut

_SIGNAL = re.compile(r"\b[a-z]\w*_(?:i|o|ni)\b")


def template(ip: str, *inputs: str) -> tuple[Reference, str]:
    """With a module of these inputs, one bit each."""
    system = systems.bench(ip)
    ours = reference(system, system.build_of(Job("ports", "random", ip=ip)))
    return ours, description("acme", system, ours, {}, "", {name: Port(name, "input", 1, "logic") for name in inputs})


@pytest.mark.parametrize("ip", IPS)
def test_every_signal_that_is_named_is_one_of_the_system(ip):
    ours, text = template(ip)
    named = set(_SIGNAL.findall(text))
    assert len(named) > 8 and named <= set(ours.ports), sorted(named - set(ours.ports))
    examples = next(
        line for line in text.splitlines() if line.startswith("# ") and ' = "' in line and "test_mode = 0" in line
    )
    assert set(_SIGNAL.findall(examples)), "an example with signals of this system"


def test_a_comment_that_goes_on_below_is_whole():
    _, text = template("etrace")
    (line,) = (line for line in text.splitlines() if line.startswith("#  options_i "))
    options = (
        "implicit_return", "implicit_exception", "full_address", "jump_target_cache", "branch_prediction", "sijump",
    )  # fmt: skip
    assert line.endswith(", ".join(options)), "all six, in the order of their bits"
    assert "its output cannot wait: pkt_ready_i stays 1" in text


@pytest.mark.parametrize("clock, reset, polarity", [
    ("clk", "rst", "high"), ("clk_i", "rst_ni", "low"), ("ck", "rst_h", "high"), ("aclk", "aresetn", "low"),
    ("PCLK", "PRESETn", "low"), ("i_clk", "i_rst_n", "low"),
    ("sys_clk", "sys_rst_l", "low"), ("clock_i", "rst_n_i", "low"), ("core_clk", "por_reset", "high"),
    ("clk_in", "rst_in", "high"),
])  # fmt: skip
def test_clock_and_reset_are_found_by_their_names(clock, reset, polarity):
    _, text = template("etrace", "hart_in_reset", "clk_en", "in_reset", reset, clock)
    assert f'[clock]\nport = "{clock}"\n' in text and f'[reset]\nport = "{reset}"\npolarity = "{polarity}"' in text
    assert not {f"# {name} = " for name in (clock, reset)} & {line[: line.find("=") + 2] for line in text.splitlines()}
    assert all(f'# {name} = ""' in text for name in ("hart_in_reset", "clk_en", "in_reset"))


def test_where_no_name_is_one_of_a_clock_it_says_so():
    _, text = template("etrace", "tick")
    assert (
        text.count('port = ""  # none of your inputs looks like one: write its name') == 2
        and '# tick = ""  # 1 bit' in text
    )


def test_a_missing_package_is_named_instead_of_ports_without_width(tmp_path):
    (tmp_path / "te.sv").write_text(
        "module te import te_pkg::*; (input logic clk, input te_pkg::beat_t beat); endmodule\n"
    )
    words = ["NAME=te", "IP=ntrace", f"OUT={tmp_path / 'dut'}", f"FILES={tmp_path / 'te.sv'}", "TOP=te"]
    with pytest.raises(ArgumentError, match=r"te.sv:1: unknown package 'te_pkg'; add its file to FILES=, before those"):
        new_dut.main(words)
    assert not (tmp_path / "dut").exists()
    package = "package te_pkg; typedef struct packed {logic a; logic [3:0] b;} beat_t; endpackage\n"
    (tmp_path / "te.sv").write_text(package + (tmp_path / "te.sv").read_text())
    assert new_dut.main(words) == 0
    assert '# beat = ""  # 5 bits of type te_pkg::beat_t' in (tmp_path / "dut" / "dut.toml").read_text()


@pytest.mark.parametrize("ip", ["ntrace", "tandem", "hpm"])
def test_the_doctor_lists_the_signals_before_there_are_sources(ip, tmp_path, capsys):
    assert new_dut.main(["NAME=te", f"IP={ip}", f"OUT={tmp_path}"]) == 0
    capsys.readouterr()
    assert doctor.main([f"DUT={tmp_path}"]) == 1
    said = capsys.readouterr().out
    ours = {"ntrace": ("ing_iaddr_i", "out_data_o"), "tandem": ("in_pc_i", "in_ready_o"), "hpm": ("csr_addr_i", "of_o")}
    assert all(f"          {name} " in said for name in ours[ip])
    assert "rtl/my_module.sv does not exist" in said and "1 thing to do: name your sources in [sources]" in said
