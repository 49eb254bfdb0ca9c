# SPDX-License-Identifier: Apache-2.0
"""[bus] of dut.toml: an encoder that has to be programmed passes on each bus; what goes wrong is one sentence."""

import json
import shutil

import pytest

from rvtrace.flow.dut import doctor
from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.ports import fit
from rvtrace.flow.dut.reference import reference
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.tools import check_dut
from tests.flow.bus_devices import ENABLED, folder, module
from tests.flow.dut_folders import folder as plain

SIM = "icarus" if shutil.which("iverilog") else "verilator"
NTRACE = systems.bench("ntrace")


def check(path, out, k="trap_at_target-2"):
    """The exit code, the results, and the verdicts of the report."""
    code = check_dut.main([f"DUT={path}", f"SIM={SIM}", "SEEDS=1", f"K={k}", f"OUT={out}"])
    results = [json.loads(file.read_text()) for file in sorted(out.glob("runs/*/result.json"))]
    rows = json.loads((out / "compliance.json").read_text())["clauses"]
    return code, results, {row["id"]: row["verdict"] for row in rows}


@pytest.mark.parametrize("kind", ["apb", "axi4-lite", "tl-ul", "csr"])
def test_an_encoder_programmed_over_its_bus_passes(kind, tmp_path):
    code, results, verdicts = check(folder(tmp_path / "dut", kind), tmp_path / "out", "trap_at")
    assert code == 0 and {result["verdict"] for result in results} == {"PASS"}
    assert {verdicts[name] for name in ("NT.11.pcs", "NT.10.traps", "NT.7.12.stop")} == {"PASS"}


def test_one_that_is_not_programmed_has_no_trace(tmp_path):
    code, results, _ = check(folder(tmp_path / "dut", "apb", steps=""), tmp_path / "out")
    assert code == 1 and "PASS" not in {result["verdict"] for result in results}


def test_a_value_that_is_wrong_is_noticed(tmp_path):
    steps = (
        ENABLED.replace("(inst_mode_i << 4) | enable_i", "16 | enable_i")
        .replace("poll", "read")
        .replace('read = "STATUS", value = "enable_i"', 'read = "STATUS"')
    )
    code, results, _ = check(folder(tmp_path / "dut", "csr", steps=steps), tmp_path / "out")
    assert code == 1 and "PASS" not in {result["verdict"] for result in results}, "mode 1 is none of its modes"


WHEN = """
[[bus.on]]
when = "!inst_tracing_i"
steps = [{ write = "FLUSHES", value = 1 }, { wait = 5 }, { poll = "FLUSHES", mask = 0xff, value = 1 }]
"""


def test_a_list_runs_each_time_its_condition_becomes_true(tmp_path):
    """At the end of the only window of tracing, and not at the start: FLUSHES was written once."""
    code, results, _ = check(folder(tmp_path / "dut", "tl-ul", steps=ENABLED + WHEN), tmp_path / "out")
    assert code == 0 and {result["verdict"] for result in results} == {"PASS"}
    wrong = WHEN.replace("value = 1 }]", "value = 0 }]")
    code, results, _ = check(folder(tmp_path / "dut", "tl-ul", ENABLED + wrong, timeout=50), tmp_path / "wrong")
    assert code == 1 and {result["error"] for result in results} == {
        "[[bus.on]] 2, step 3, poll FLUSHES (0x18): (value & mask) was not 0x0 within 50 cycles; the value read last is"
        " 0x1"
    }


@pytest.mark.parametrize(
    "kind, steps, source, said",
    [
        ("apb", '[[bus.start]]\nwrite = "NOTHING"\nvalue = 1\n', "",
         "[[bus.start]], step 1, write NOTHING (0x40): the bus answered with an error"),
        ("axi4-lite", '[[bus.start]]\nread = "NOTHING"\n', "",
         "[[bus.start]], step 1, read NOTHING (0x40): the bus answered with an error"),
        ("tl-ul", "[[bus.start]]\nread = 0x24\n", "",
         "[[bus.start]], step 1, read 0x24: the bus answered with an error"),
        ("csr", '[[bus.start]]\nwait = 3\n[[bus.start]]\nwrite = "CONTROL"\nvalue = 1\n',
         module("csr").replace("assign ready = waited_q", "assign ready = 1'b0"),
         "[[bus.start]], step 2, write CONTROL (0x10): the bus did not answer within 100 cycles"),
        ("apb", '[[bus.start]]\npoll = "STATUS"\nmask = "1 | 2"\nvalue = 3\n', "",
         "[[bus.start]], step 1, poll STATUS (0x14): (value & mask) was not 0x3 within 100 cycles; the value read last"
         " is 0x0"),
    ],
)  # fmt: skip
def test_a_step_that_fails_is_an_error_with_one_sentence(kind, steps, source, said, tmp_path):
    path = folder(tmp_path / "dut", kind, steps, source, timeout=100)
    code, results, verdicts = check(path, tmp_path / "out")
    assert code == 1 and {(result["verdict"], result["error"]) for result in results} == {("ERROR", said)}
    assert "PASS" not in verdicts.values(), "what was not programmed is not judged"


@pytest.mark.parametrize(
    "bus, steps, said",
    [
        ({"kind": "abp"}, "", r"\[bus\] kind = 'abp' is no bus we know; did you mean apb\? write kind ="),
        ({"kind": None}, "", r'\[bus\] has no kind; write kind = "apb"'),
        ({"adress_width": 8}, "", r"\[bus\] has the unknown key adress_width; did you mean address_width\?"),
        ({"data_width": 48}, "", r"\[bus\] data_width = 48 is no width of a register; write 32 or 64"),
        ({"timeout": 0}, "", r"\[bus\] timeout = 0 is no number from 1 to 1000000; write one"),
        ({"prefix": "s-"}, "", r"\[bus\] prefix = 's-' is no beginning of a port name"),
        ({"data_width": 64}, "", r"\[bus.registers\] STATUS = 20 is no multiple of 8, the bytes of a register"),
        ({"address_width": 6}, "", r"\[bus.registers\] NOTHING = 64 is no address of 6 bits"),
        ({}, '[[bus.start]]\nwrite = "CONTROLL"\nvalue = 1\n',
         r"\[\[bus.start\]\], step 1: write = 'CONTROLL' is no register; did you mean CONTROL\?"),
        ({}, '[[bus.start]]\nwrite = "CONTROL"\n', r'step 1: write of CONTROL has no value; add value = "..."'),
        ({}, '[[bus.start]]\nread = "CONTROL"\nvalue = 1\n', r"step 1 has the unknown key value"),
        ({}, '[[bus.start]]\nread = "CONTROL"\npoll = "STATUS"\n', r"step 1 is read and poll; give one of write, read"),
        ({}, "[[bus.start]]\nwait = 0\n", r"step 1: wait = 0 is no number of cycles from 1 to 65535; write one"),
        ({}, '[[bus.start]]\nwrite = "CONTROL"\nvalue = "$random"\n', r'value = "\$random" calls \$random, and an'),
        ({}, "[[bus.on]]\nsteps = []\n", r"\[\[bus.on\]\] 1 needs one of change and when"),
    ],
)  # fmt: skip
def test_a_description_that_is_wrong_is_one_sentence(bus, steps, said, tmp_path):
    path = folder(tmp_path, "apb", steps)
    if bus:
        text = (path / "dut.toml").read_text()
        for key, value in bus.items():
            lines = [line for line in text.splitlines() if not line.startswith(f"{key} = ") or "acme" in line]
            shown = f'"{value}"' if isinstance(value, str) else value
            place = lines.index("[bus]") + 1
            text = "\n".join(lines[:place] + [f"{key} = {shown}"] * (value is not None) + lines[place:]) + "\n"
        (path / "dut.toml").write_text(text)
    with pytest.raises(DutError, match=said) as error:
        Dut.load(path)
    assert "\n" not in str(error.value)


def test_a_block_of_csrs_has_no_other_bus(tmp_path):
    plain(tmp_path, dut={"ip": "hpm", "variant": None}, options={"mode": None, "inst_stall_ena": None})
    (tmp_path / "dut.toml").write_text((tmp_path / "dut.toml").read_text() + '[bus]\nkind = "apb"\n')
    with pytest.raises(
        DutError, match=r"\[bus\]: registers of IP=hpm are CSRs, and its CSR port is driven in every run"
    ):
        Dut.load(tmp_path)


def looked(path):
    return fit(Dut.load(path), NTRACE, NTRACE.build_of(Job("bus", "random", {"mode": "btm", "icnt_bits": 16})))


def test_a_port_that_the_bus_needs_is_missing(tmp_path):
    source = module("apb").replace("prdata", "answer")
    found = looked(folder(tmp_path, "apb", source=source))
    assert found.problems == [
        'our output bus_prdata (32 bits) has no value; add bus_prdata = "..." to [outputs], 0 if acme_regs has nothing'
        " of the kind"
    ]


def test_an_expression_of_a_step_is_checked(tmp_path):
    found = looked(folder(tmp_path, "apb", ENABLED.replace('"inst_mode_i << 4"', '"inst_mod_i << 4"')))
    assert found.problems[0].startswith(
        '[[bus.start]], step 1 (write CONTROL (0x10)): value = "inst_mod_i << 4" needs inst_mod_i, which is neither a'
        " signal of ours nor a port of acme_regs; did you mean inst_mode_i?"
    )
    found = looked(folder(tmp_path, "apb", ENABLED.replace('"inst_mode_i << 4"', '"inst_mode_i <<"')))
    assert "is no expression that fits" in found.problems[0] and "step 1" in found.problems[0]


def test_the_doctor_shows_what_is_programmed(tmp_path, capsys):
    assert doctor.main([f"DUT={folder(tmp_path, 'csr')}"]) == 0
    said = capsys.readouterr().out
    assert "ok        bus         csr, 32 bits of data: 1 step after reset, 2 steps at each change of enable_i" in said


ANSWERED = """
[bus]
kind = "csr"
[[bus.start]]
write = 0x10
value = "{sync_mode_i, sync_max_i}"
[[bus.on]]
change = "{enable_i, inst_tracing_i}"
steps = [{ write = 0x10, value = "enable_i" }, { wait = 7 }]
[[bus.on]]
when = "halted_i"
steps = [{ read = 0x20 }]
"""


def test_an_encoder_of_etrace_waits_as_well(tmp_path):
    """Its registers change nothing, and the hart waits for each access: the trace has to be what it was."""
    shutil.copytree(ROOT / "examples" / "bolt_te", tmp_path / "dut")
    text = (tmp_path / "dut" / "dut.toml").read_text().replace("pkt_time_o = 0", "pkt_time_o = 0\nbus_rdata = 0")
    (tmp_path / "dut" / "dut.toml").write_text(text + ANSWERED)
    assert Dut.load(tmp_path / "dut").shape == {"levels": {"enable": {}, "inst_tracing": {}, "halted": {}}}
    code, results, verdicts = check(tmp_path / "dut", tmp_path / "out", "loop_trap")
    assert code == 0 and {result["verdict"] for result in results} == {"PASS"} and verdicts["ET.bt.traps"] == "PASS"


def test_a_port_of_tandem_trace_waits_as_well(tmp_path):
    """The rows are hidden while a list runs, and the ready of the device does not count."""
    system = systems.bench("tandem")
    build = system.build_of(Job("ports", "random", ip="tandem"))
    ours = reference(system, build)
    ports = [f"{port.direction} logic [{port.width - 1}:0] {port.name}" for port in ours.ports.values()]
    (tmp_path / "te.sv").write_text(f"module te ({', '.join(ports)}, input logic valid); endmodule\n")
    (tmp_path / "dut.toml").write_text(
        '[dut]\nname = "te"\nip = "tandem"\ntop = "te"\n[sources]\nfiles = ["te.sv"]\n[clock]\nport = "clk_i"\n'
        '[reset]\nport = "rst_ni"\n[outputs]\nbus_rdata = 0\n[bus]\nkind = "csr"\n[[bus.start]]\nwait = 5\n'
    )
    found = fit(Dut.load(tmp_path), system, build)
    assert found.problems == []
    assert "held_in_valid_i = bus_hold ? '0 : in_valid_i;" in found.text
    assert "assign in_ready_o = bus_failed || ((your_in_ready_o) && !bus_hold);" in found.text
