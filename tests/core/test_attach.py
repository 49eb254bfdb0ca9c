# SPDX-License-Identifier: Apache-2.0
"""A core of the user: the signals that are found, what `make new KIND=core` writes, and `make doctor CORE=` says."""

import re
from pathlib import Path

import pytest

from rvtrace.flow.cores import attach
from rvtrace.flow.cores.description import FILE, Core, CoreError
from rvtrace.tools import new_core

WIDTHS = {one.name: one.width for one in attach.RVFI}


def module(folder: Path, widths: dict[str, int], more: str = "") -> Path:
    """A file with a module acme_core that has these signals."""
    ports = "".join(f"  output logic [{width - 1}:0] rvfi_{name},\n" for name, width in widths.items())
    inputs = "  input logic clk,\n  input logic resetn,\n"
    text = f"module acme_core (\n{inputs}{ports}{more}  input logic [31:0] irq\n);\nendmodule\n"
    path = folder / "acme.sv"
    path.write_text(text)
    return path


def made(folder: Path, widths: dict[str, int], capsys, more: str = "") -> tuple[int, str]:
    """(exit code, output) of `make new KIND=core`."""
    module(folder, widths, more)
    code = new_core.main(["NAME=acme", f"FILES={folder / 'acme.sv'}", "TOP=acme_core", f"OUT={folder / 'acme'}"])
    return code, capsys.readouterr().out


def test_every_signal_is_found_and_connected(tmp_path, capsys):
    code, out = made(tmp_path, WIDTHS, capsys, "  input logic instr_gnt_i,\n  output logic data_req,\n")
    assert code == 0 and "15 of 15 signals of RVFI are ports of acme_core" in out and "MISSING" not in out
    wrapper = (tmp_path / "acme" / attach.TRACED).read_text()
    for connected in (".clk(clk_i)", ".resetn(rst_ni)", ".instr_gnt_i(instr_gnt_i)", ".data_req(data_req_o)"):
        assert connected in wrapper
    assert all(f".rvfi_{name}(rvfi_{name}_o)" in wrapper for name in WIDTHS)
    assert ".irq('0)  // TODO: 32 bits" in wrapper and "assign data_req_o" not in wrapper
    assert "assign reset_pc_o = '0;  // TODO" in wrapper


def test_what_is_missing_or_wrong(tmp_path, capsys):
    widths = {name: width for name, width in WIDTHS.items() if name not in ("order", "pc_wdata")}
    code, out = made(tmp_path, widths | {"insn": 64}, capsys)
    assert code == 1 and "12 of 15" not in out and "13 of 15 signals" in out
    assert re.search(r"absent +rvfi_order +count the retirements", out)
    assert re.search(r"MISSING +rvfi_pc_wdata\n", out)
    assert re.search(r"WRONG +rvfi_insn +rvfi_insn has 64 bits and RV32 has 32; give one channel", out)


def test_doctor_names_what_is_left_and_is_content_when_nothing_is(tmp_path, capsys):
    made(tmp_path, WIDTHS, capsys)
    folder = tmp_path / "acme"
    assert new_core.examined([f"CORE={folder}"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"TODO +traced_core.sv:\d+: the first pc after reset", out) and "acme: not ready" in out
    wrapper = folder / attach.TRACED
    wrapper.write_text(wrapper.read_text().replace("TODO:", "done:"))
    assert new_core.examined([f"CORE={folder}"]) == 0
    assert "acme: ready; type `make core CORE=" in capsys.readouterr().out
    wrapper.write_text(wrapper.read_text().replace("output logic                  trap_valid_o,", ""))
    assert new_core.examined([f"CORE={folder}"]) == 1
    assert "traced_core has no port trap_valid_o" in capsys.readouterr().out


def test_doctor_names_a_module_that_no_source_has(tmp_path, capsys):
    made(tmp_path, WIDTHS, capsys)
    folder = tmp_path / "acme"
    wrapper = folder / attach.TRACED
    wrapper.write_text(wrapper.read_text().replace("TODO:", "done:"))
    source = next(path for path in Core.load(str(folder)).sources().files if path.name == "acme.sv")
    source.write_text(source.read_text().replace("endmodule", "acme_alu u_alu ();\nendmodule"))
    assert new_core.examined([f"CORE={folder}"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"WRONG +acme.sv:\d+: unknown module 'acme_alu'; add its file to files", out), out


def test_a_core_in_a_folder_needs_no_package(tmp_path, capsys):
    made(tmp_path, WIDTHS, capsys)
    core = Core.load(str(tmp_path / "acme"))
    assert (core.name, core.top, core.package, core.install()) == ("acme", "acme_core", "", False)
    assert [path.name for path in core.sources().files] == ["acme.sv", attach.TRACED]
    text = (tmp_path / "acme" / FILE).read_text()
    (tmp_path / "acme" / FILE).write_text(text.replace('top = "acme_core"', 'top = "acme_cor"'))
    with pytest.raises(CoreError, match="has no instance of acme_cor; correct `top`"):
        attach.examine(Core.load(str(tmp_path / "acme")))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["NAME=acme"], "FILES= is missing"),
        (["NAME=a b", "FILES=x", "TOP=y"], "NAME=a b cannot name a folder"),
        (
            ["NAME=acme", "FILES={there}", "TOP=other"],
            "TOP=other is defined by none of the 1 files; they define acme_core",
        ),
        (["NAME=acme", "FILES={folder}/no.sv", "TOP=y"], "does not exist"),
    ],
)
def test_a_wrong_word_is_one_sentence(tmp_path, words, said):
    there = module(tmp_path, WIDTHS)
    words = [word.format(there=there, folder=tmp_path) for word in words]
    with pytest.raises(ValueError, match=said):
        new_core.main([*words, f"OUT={tmp_path / 'out'}"])
    assert not (tmp_path / "out").exists()


def test_a_core_that_is_there_stays(tmp_path, capsys):
    made(tmp_path, WIDTHS, capsys)
    with pytest.raises(CoreError, match="is there already; edit it"):
        made(tmp_path, WIDTHS, capsys)


def test_no_such_core_is_one_sentence():
    with pytest.raises(CoreError, match=r"or a folder with core.toml \(`make new KIND=core` makes one\)"):
        Core.load("/nowhere/acme")
