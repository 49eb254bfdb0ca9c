# SPDX-License-Identifier: Apache-2.0
"""Cores and programs as data, and a sentence for each that cannot be used."""

import re
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.flow.cores import description, programs
from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.programs import Chosen, choose, fitting
from rvtrace.models.riscv.program import Program
from rvtrace.tb.cores.agents.files import BASE, Run, write_memory

LOOP = (0x0000006F).to_bytes(4, "little")  # j .


@pytest.mark.parametrize("name", description.names())
def test_each_core(name):
    core = Core.load(name)
    assert re.fullmatch(rf"{core.package}==[\w.]+", core.requirement)
    assert core.hart.xlen == 32 and core.listed["files"][-1].endswith(f"{name}_traced.sv")


def test_unknown_cores():
    with pytest.raises(CoreError, match=r"there is no core 'ibx'; did you mean ibex\? give CORE="):
        Core.load("ibx")
    with pytest.raises(CoreError, match="there is no core 'rocket'; give CORE="):
        Core.load("rocket")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[core", "is no TOML"),
        ("[core]\ntitle = 'x'", r"\[core\] has no traps"),
        ("[core]\ntitle = 'x'\npackage = 'x'\ntraps = true", r"has no table \[sources\]"),
        (
            "[core]\ntitle = 'x'\npackage = 'x'\ntraps = true\n[sources]\n[hart]\nextensions = 'v'\n[reset]",
            r"\[hart\]: a hart of 'v' is not built",
        ),
    ],
)
def test_wrong_descriptions(tmp_path, text, sentence):
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(CoreError, match=sentence):
        Core.read(path)


def test_a_package_that_is_not_pinned():
    core = replace(Core.load("ibex"), package="pythondata-cpu-nobody")
    with pytest.raises(CoreError, match=r"requirements-cores.txt does not pin pythondata-cpu-nobody; add a line"):
        core.install()


def test_a_package_that_cannot_be_installed(monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setattr(Core, "requirement", "pythondata-cpu-nobody==1.0")
    core = replace(Core.load("ibex"), package="pythondata-cpu-nobody")
    with pytest.raises(CoreError) as caught:
        core.install()
    text = str(caught.value)
    assert text.startswith("pythondata-cpu-nobody==1.0, the package with the RTL of Ibex, cannot be installed (")
    assert text.endswith("; check the network, then type `make core CORE=ibex` again") and "\n" not in text


def test_another_version_is_not_the_pinned_one(monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    core = replace(Core.load("ibex"), package="pytest")  # some package that is there
    monkeypatch.setattr(Core, "requirement", f"pytest=={core.installed}")
    assert core.installed and core.install() is False
    monkeypatch.setattr(Core, "requirement", "pytest==0.0.0.1")
    with pytest.raises(CoreError, match=r"pytest==0.0.0.1, the package with the RTL of Ibex, cannot be installed"):
        core.install()


def test_sources_without_the_package():
    core = Core.load("ibex")
    listed = {"files": ["$pythondata_cpu_nobody/rtl/core.sv"]}
    with pytest.raises(CoreError, match="needs the package pythondata-cpu-nobody, which is not installed"):
        replace(core, listed=listed).sources()


def test_programs():
    assert {"crc", "sort", "traps"} <= set(programs.names())
    ibex = Core.load("ibex")
    assert choose("traps", ibex).path.parent.name == "cores", "that of data/programs needs supervisor mode"
    assert choose("crc", ibex).halt == choose("crc", ibex).program.symbols["halt"]


@pytest.mark.parametrize(
    ("core", "name", "sentence"),
    [
        ("ibex", "crcc", r"there is no program 'crcc'; did you mean crc\?"),
        ("ibex", "doom", "there is no program 'doom'; give one of crc"),
        ("picorv32", "traps", "PicoRV32 has no trap CSRs of the privileged architecture, which traps is about"),
    ],
)
def test_programs_that_cannot_be_run(core, name, sentence):
    with pytest.raises(CoreError, match=sentence):
        choose(name, Core.load(core))


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (Program(64, [(BASE, LOOP)], {"halt": BASE}), "is an RV64 program and Ibex is RV32"),
        (Program(32, [(BASE, LOOP)]), "has no symbol halt"),
        (Program(32, [(0x2000, LOOP)], {"halt": 0x2000}), "has 4 bytes at 0x2000, outside the memory of the bench"),
        (
            Program(32, [(BASE, LOOP)], {"halt": BASE}, data=[(BASE + 0x7F_FFFE, LOOP)]),
            "4 bytes at 0x807ffffe, outside",
        ),
    ],
)
def test_programs_that_do_not_fit(tmp_path, program, sentence):
    with pytest.raises(CoreError, match=sentence):
        fitting(Chosen("x", tmp_path / "x.elf", program), Core.load("ibex"))


def test_compressed_instructions_on_a_core_without_them(tmp_path):
    body = bytes.fromhex("130000000100") + LOOP  # nop, c.nop
    program = Program(32, [(BASE, body)], {"halt": BASE + 6}, BASE)
    ibex = Core.load("ibex")
    assert fitting(Chosen("x", tmp_path / "x.elf", program), ibex)
    without = replace(ibex, hart=replace(ibex.hart, extensions="im"))
    with pytest.raises(CoreError, match="has a 16-bit instruction at 0x80000004 and Ibex has none"):
        fitting(Chosen("x", tmp_path / "x.elf", program), without)


def test_memory(tmp_path):
    write_memory(
        tmp_path / "m", [(BASE + 6, b"\x01\x02\x03"), (BASE, b"\xaa\xbb"), (BASE + 0x100, b"\x10\x20\x30\x40\x50")]
    )
    assert (tmp_path / "m").read_text().split() == [
        "@0", "0000bbaa", "@1", "02010000", "00000003", "@40", "40302010", "00000050",
    ]  # fmt: skip


def test_how_a_program_is_run(tmp_path):
    run = Run("x.elf", BASE, BASE + 8, 0, 100, "make core")
    run.save(tmp_path)
    assert Run.load(tmp_path) == run
    assert "within 100 cycles, in which the core retired 5 instructions; give LIMIT=1000" in run.over(5)
    assert np.uint32(run.halt) == BASE + 8
    told = Run("x.elf", BASE, 0, BASE + 0x1000, 100, "make core")
    assert "did not come to a store of an odd number to tohost (0x80001000) within" in told.over(5)
