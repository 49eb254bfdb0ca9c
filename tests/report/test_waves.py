# SPDX-License-Identifier: Apache-2.0
"""WAVES=1: the second waveform says what the first one shows, at the same time, in groups that GTKWave and Surfer open,
with a marker at the first finding. Both are read with pyvcd's reader; the simulator's FST first by GTKWave's fst2vcd.
"""

import io
import json
import re
import shutil
import subprocess
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vcd.reader import TokenKind, tokenize

from rvtrace.flow import simulators
from rvtrace.flow.captured.files import load
from rvtrace.flow.regress import buckets
from rvtrace.flow.regress.folder import key_of
from rvtrace.flow.simulators import SimulatorError
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.report import listing
from rvtrace.report.vcd_signals import Signals
from rvtrace.report.waves import DECODED, GTKWAVE, SURFER, annotate
from rvtrace.tools import regress, run
from tests.common.there import there

_CHANGES = {
    TokenKind.CHANGE_SCALAR: "scalar_change",
    TokenKind.CHANGE_VECTOR: "vector_change",
    TokenKind.CHANGE_STRING: "string_change",
}


def waveform(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """Changes of each signal by its whole name, as pyvcd reads them."""
    if path.suffix == ".fst":
        tool = shutil.which("fst2vcd")
        if tool is None:
            pytest.skip("there is no fst2vcd here; sudo apt-get install gtkwave runs this test")
        text = subprocess.run([tool, "-f", str(path)], capture_output=True, check=True, timeout=120).stdout
    else:
        text = path.read_bytes()
    names: dict[str, list[str]] = {}
    found: dict[str, list[tuple[int, Any]]] = {}
    scopes, time = [], 0
    for token in tokenize(io.BytesIO(text)):
        if token.kind is TokenKind.SCOPE:
            scopes.append(token.scope.ident)
        elif token.kind is TokenKind.UPSCOPE:
            scopes.pop()
        elif token.kind is TokenKind.VAR:
            names.setdefault(token.var.id_code, []).append(".".join([*scopes, token.var.reference]))
        elif token.kind is TokenKind.CHANGE_TIME:
            time = token.time_change
        elif token.kind in _CHANGES:
            change = getattr(token, _CHANGES[token.kind])
            for name in names[change.id_code]:
                value = change.value.replace("\\x20", " ") if isinstance(change.value, str) else change.value
                found.setdefault(name, []).append((time, value))
    return found


def at(changes: list[tuple[int, Any]], time: int) -> Any:
    """The value from the last change on, not after a time."""
    return next((value for when, value in reversed(changes) if when <= time), None)


def played(folder: Path, *words: str) -> tuple[int, str]:
    """`make run` on Icarus with a waveform, in this process."""
    try:
        simulators.find("icarus")
    except SimulatorError as error:
        pytest.skip(str(error))
    out = io.StringIO()
    with redirect_stdout(out):
        code = run.main([*words, "SIM=icarus", "WAVES=1", f"OUT={folder}"])
    return code, out.getvalue()


@pytest.fixture(scope="module")
def faulty(tmp_path_factory) -> tuple[Path, str]:
    """A run of the example with five faults."""
    folder = tmp_path_factory.mktemp("faulty")
    code, text = played(folder, "DUT=acme_faulty", "PROGRAM=random", "SIZE=400")
    assert code == 1, text
    return folder, text


def agrees(folder: Path, bench: str) -> dict[str, list[tuple[int, Any]]]:
    """Every message is in the cycle in which its first byte is on the port, every block in the one in which it is."""
    (wave,) = folder.glob("waves.?st")
    sim, decoded = waveform(wave), waveform(folder / DECODED)
    files = load({"IN": str(folder)})
    show = there(listing.of(files.system.ip))
    trace = show.decode(files, 1 << 20, False)
    messages = getattr(trace, "messages", None) or trace.packets
    names = decoded["rvtrace.messages.name"]
    shown = " + ".join(text for _, text in names if text).split(" + ")
    assert shown == [f"{n} {m.name}" for n, m in enumerate(messages)] and len(shown) > 3
    data, place = files.data, 0
    for time, text in names:
        assert time == 0 or (time - 5) % 10 == 0, "rising edges"
        if not text:
            continue
        assert at(sim[f"{bench}.out_valid_o"], time) == "1"
        word = int(at(sim[f"{bench}.out_data_o"], time)).to_bytes(8, "little")
        found = data.find(word[: int(at(sim[f"{bench}.out_nbytes_o"], time))], max(place - 8, 0))
        assert found >= 0
        place = found + 1
    beats, program = Beats.load(folder / "beats.npz"), Program.from_elf(folder / "program.elf")
    blocks = [(time, text) for time, text in decoded["rvtrace.instructions.symbol"] if text]
    valid = beats.valid() & (beats.iretire > 0)
    assert blocks[0][1].split("; ")[0] == program.symbol(int(beats.iaddr[valid][0]))
    for time, _ in blocks:
        assert at(sim[f"{bench}.sts_block_o"], time) == "1"
    for name, changes in decoded.items():
        if name.startswith(f"{bench}.") and name.rpartition(".")[2] in ("out_valid_o", "out_data_o", "clk_o"):
            ours = [(t, v) for n, (t, v) in enumerate(changes) if not n or changes[n - 1][1] != v]
            theirs = [(t, v) for n, (t, v) in enumerate(sim[name]) if not n or sim[name][n - 1][1] != v]
            assert [one for one in ours if one[0]] == [one for one in theirs if one[0]]
    return decoded


@pytest.mark.parametrize(
    "words", [("IP=ntrace",), ("IP=ntrace", "DRIVE=pins"), ("IP=etrace",), ("IP=etrace", "DRIVE=pins")]
)
def test_messages_and_blocks_are_where_the_simulator_has_them(tmp_path, words):
    code, text = played(tmp_path, *words, "PROGRAM=random", "SIZE=300")
    assert code == 0 and DECODED in text, text
    decoded = agrees(tmp_path, f"{words[0][3:]}_tb")
    assert decoded["rvtrace.instructions.privilege"][-1][1]
    assert not any(value for _, value in decoded["rvtrace.findings.clause"])
    assert "marker_set" not in (tmp_path / SURFER).read_text()


def test_the_marker_is_at_the_first_finding(faulty):
    folder, text = faulty
    decoded = agrees(folder, "ntrace_tb")
    result = json.loads((folder / "result.json").read_text())
    with np.load(folder / "times.npz") as times:
        began, period = int(times["began"]), int(times["period"])
    cycles = [one["cycle"] for one in result["failures"] if one["cycle"] is not None]
    first = began + period * min(cycles)
    found = [(time, text) for time, text in decoded["rvtrace.findings.clause"] if text]
    assert found[0][0] == first and found[0][1].split(", ")[0] in {one["clause"] for one in result["failures"]}
    assert {one for _, text in found for one in text.split(", ")} <= {one["clause"] for one in result["failures"]}
    assert f"the first finding at {first}" in text
    gtkw = (folder / GTKWAVE).read_text()
    assert re.search(rf"^\*\S+ {first} {first} -1", gtkw, re.MULTILINE)
    commands = (folder / SURFER).read_text().splitlines()
    assert commands[0] == f"load_file {DECODED}" and f"cursor_set {first}" in commands
    assert commands.index(f"cursor_set {first}") + 1 == commands.index("marker_set first_finding")


def test_the_save_files_name_signals_that_there_are(faulty):
    folder, _ = faulty
    names = set(waveform(folder / DECODED))
    gtkw = (folder / GTKWAVE).read_text().splitlines()
    assert gtkw[:2] == [f'[dumpfile] "{DECODED}"', f'[savefile] "{GTKWAVE}"']  # both may be moved together
    shown = [line.rpartition(" ")[2] for line in gtkw if re.match(r"(\+\{\w+\} )?\w+\.", line)]
    traces = [re.sub(r"\[\d+:0\]$", "", name) for name in shown]
    header = (folder / DECODED).read_text().partition("$enddefinitions")[0]
    for size, name in re.findall(r"\$var wire (\d+) \S+ (\w+) ", header):
        if f"ntrace_tb.{name}" in traces:
            assert f"ntrace_tb.{name}" + (f"[{int(size) - 1}:0]" if size != "1" else "") in shown
    added = [line.split()[1] for line in (folder / SURFER).read_text().splitlines() if line.startswith("variable_add")]
    assert traces == added and set(added) <= names
    assert {"rvtrace.messages.fields", "rvtrace.findings.clause", "ntrace_tb.out_data_o"} <= set(added)
    groups = [line[1:] for line in gtkw if line in ("-messages", "-instructions", "-findings", "-testbench")]
    assert groups == [name for name in ("messages", "instructions", "findings", "testbench") for _ in range(2)]
    if (tool := shutil.which("vcd2fst")) is not None:  # GTKWave's reader
        done = subprocess.run(
            [tool, str(folder / DECODED), str(folder / "again.fst")], capture_output=True, timeout=120, check=False
        )
        assert done.returncode == 0 and (folder / "again.fst").stat().st_size > 500


def test_a_waveform_without_a_record_of_time_is_left_alone(faulty, tmp_path):
    folder, _ = faulty
    for path in folder.glob("*"):
        if path.name not in ("times.npz", DECODED):
            shutil.copy(path, tmp_path)
    (wave,) = tmp_path.glob("waves.?st")
    (line,) = annotate(tmp_path, wave)
    assert line.startswith("note: ") and "times.npz" in line and not (tmp_path / DECODED).exists()


def test_without_a_reader_of_the_waveform_the_strings_are_left(faulty, tmp_path, monkeypatch):
    folder, _ = faulty
    for path in folder.glob("*"):
        shutil.copy(path, tmp_path)
    monkeypatch.setenv("PATH", "")
    (wave,) = tmp_path.glob("waves.?st")
    lines = list(annotate(tmp_path, wave))
    assert any("fst2vcd" in line and "apt-get" in line for line in lines)
    names = set(waveform(tmp_path / DECODED))
    assert "rvtrace.messages.name" in names and all(name.startswith("rvtrace.") for name in names)


def test_what_an_earlier_run_left_is_not_shown(tmp_path):
    for name in ("trace.bin", "program.elf", "beats.npz"):
        (tmp_path / name).write_bytes(b"of another run")
    code, text = played(tmp_path, "IP=ctr", "PROGRAM=random", "SIZE=50")
    assert code == 0 and not (tmp_path / "beats.npz").exists() and "transfers" in (tmp_path / SURFER).read_text(), text


@pytest.mark.parametrize("ip, signal", [("ctr", "transfers"), ("hpm", "row"), ("tandem", "instruction")])
def test_other_systems_have_rows_and_findings(tmp_path, ip, signal):
    code, text = played(tmp_path, f"IP={ip}", "PROGRAM=random", "SIZE=100")
    assert code == 0, text
    (wave,) = tmp_path.glob("waves.?st")
    sim, decoded = waveform(wave), waveform(tmp_path / DECODED)
    rows = [(time, text) for time, text in decoded[f"rvtrace.ports.{signal}"] if text]
    assert rows and rows[0][0] >= 25 and rows[-1][0] <= sim[f"{ip}_tb.clk_o"][-1][0]
    assert f"{ip}_tb.clk_o" in decoded and "rvtrace.findings.clause" in decoded
    if ip == "ctr":
        assert all(" > " in text for _, text in rows)
    if ip == "tandem":  # groups, each from the cycle of its first byte on
        names = [(time, text) for time, text in decoded["rvtrace.messages.name"] if text]
        numbers = [int(one.split()[0]) for _, text in names for one in text.split(" + ")]
        assert numbers == list(range(len(numbers))) and len(numbers) > 50
        assert all(at(sim["tandem_tb.out_valid_o"], time) == "1" for time, _ in names)


def test_the_subsystem_has_the_messages_of_each_source_and_what_the_hart_did(tmp_path):
    code, text = played(tmp_path, "IP=subsystem", "PROGRAM=random", "SIZE=60", "DRIVE=pins")
    assert code == 0, text
    decoded = waveform(tmp_path / DECODED)
    program = Program.from_elf(tmp_path / "program.elf")
    shown = [(time, text) for time, text in decoded["rvtrace.instructions.symbol"] if text]
    assert len(shown) > 40
    port = {name: decoded[f"subsystem_tb.{name}"] for name in ("ret_valid_i", "ret_ready_o", "ret_pc_i")}
    for time, text in shown:
        assert at(port["ret_valid_i"], time) == at(port["ret_ready_o"], time) == "1"
        assert text == program.symbol(int(at(port["ret_pc_i"], time)))
    for name in ("ntrace", "etrace", "tandem"):
        with np.load(tmp_path / "cycles.npz") as cycles:
            first = int(cycles[name][0])
        times = [time for time, text in decoded[f"rvtrace.{name}_messages.name"] if text]
        assert times[0] == 10 * first - 5 and len(times) > 2


def test_a_vcd_of_either_simulator_is_read(tmp_path):
    """Verilator has a scope of its own around the top module, packages beside it, and vectors with their range."""
    around = "$scope module $rootio $end\n$var wire 1 # clk_o $end\n$upscope $end\n"
    own = "$var wire 1 # clk_o $end\n$var wire 8 $ data [7:0] $end\n$var wire 1 # clock $end\n"
    below = "$scope module u_dut $end\n$var wire 4 % inner [3:0] $end\n$upscope $end\n"
    constants = "".join(f"$var wire 2 {code} {name} [1:0] $end\n" for code, name in ("^A", "&B", "*C", "(D"))
    text = (
        f"$timescale 1ps $end\n{around}$scope module tb $end\n{own}{below}$upscope $end\n$scope module a_pkg $end\n"
        f"{constants}$upscope $end\n$enddefinitions $end\n#0\n0#\nb00000000 $\nb0001 %\nb01 ^\n#5\n1#\nb101 $\n"
    )
    (tmp_path / "a.vcd").write_text(text)
    with Signals.open(tmp_path / "a.vcd") as found:
        assert (found.top, found.unit) == ("tb", -12)
        assert found.names == {"clk_o": 1, "data": 8, "clock": 1}
        assert list(found.changes()) == [
            (0, "clk_o", "0"), (0, "clock", "0"), (0, "data", "00000000"), (5, "clk_o", "1"), (5, "clock", "1"),
            (5, "data", "101"),
        ]  # fmt: skip


def test_the_failing_seeds_of_a_regression_have_both_waveforms(tmp_path):
    try:
        simulators.find("icarus")
    except SimulatorError as error:
        pytest.skip(str(error))
    job = Job("seed-1", "random", size=300, ip="ntrace")
    found = [{"first": key_of(job)}, {"first": "ntrace/seed-2"}]
    buckets.waves(found, [job], "icarus", tmp_path)
    buckets.write(tmp_path, found)
    out = io.StringIO()
    with redirect_stdout(out):
        regress.annotate_buckets(tmp_path)
    folder = (ROOT / found[0]["waveform"]).parent
    assert out.getvalue().count(DECODED) == 1 and "waveform" not in found[1]
    agrees(folder, "ntrace_tb")
    assert (folder / GTKWAVE).exists() and (folder / SURFER).exists()
