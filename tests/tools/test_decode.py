# SPDX-License-Identifier: Apache-2.0
"""`make decode`: the listing of a good trace, and one sentence for everything that can be wrong with one."""

import shutil
import subprocess
import sys

import pytest

from rvtrace.models.riscv.retired import Kind, Retired
from tests.tools.captures import ROOT, is_one_sentence, program, run, write_capture

FOREIGN = ROOT / "data" / "programs" / "foreign.x86_64.elf"


@pytest.fixture
def out(tmp_path):
    return write_capture(tmp_path / "out")


@pytest.mark.parametrize("mode", ["htm", "btm"])
@pytest.mark.parametrize("xlen", [32, 64])
def test_the_listing_has_every_instruction_in_order(tmp_path, mode, xlen):
    out = write_capture(tmp_path, mode=mode, xlen=xlen)
    done = run("decode", f"IN={out}", "PCS=1")
    assert (done.returncode, done.stderr) == (0, "")
    listed = [int(line.split()[0], 16) for line in done.stdout.splitlines() if line.startswith("    0x")]
    retired = Retired.from_csv(out / "retired.csv")
    assert listed == retired.pc[retired.kind == Kind.INSN].tolist()
    assert "<loop+0x4>: " in done.stdout and done.stdout.count("[taken]") == 3 and done.stdout.count("[not taken]") == 1
    leaf = program(xlen).symbols["leaf"]
    assert f"-- trap: interrupt at {leaf + 2:#x} <leaf+0x2> ->" in done.stdout
    assert "-- trace_on: Trace Enable" in done.stdout and "-- trace_off: Program Trace Disabled" in done.stdout


def test_messages_have_offset_bytes_and_fields(out):
    alone = run("decode", f"TRACE={out}/trace.bin", f"CONFIG={out}/config.json", "MESSAGES=1")
    both = run("decode", f"IN={out}")
    first = "0x000000  24 15 00 00 00 00 00 07"
    assert alone.returncode == both.returncode == 0
    for done in (alone, both):
        line = next(line for line in done.stdout.splitlines() if line.startswith(first))
        assert line.endswith("ProgTraceSync SYNC=5 (Trace Enable) I-CNT=0 F-ADDR=0x40000000 (0x80000000)")
    assert "    0x8" not in alone.stdout and "    0x80000000 <main>" in both.stdout


def test_a_reader_that_goes_away_is_no_error(out):
    command = f"{sys.executable} -m rvtrace.tools.decode IN={out} | head -1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("# ")


@pytest.mark.parametrize("cut, reported", [(1, "truncated"), (4, "ends while tracing is on")])
def test_a_truncated_trace(out, cut, reported):
    trace = out / "trace.bin"  # its last message has 4 bytes
    trace.write_bytes(trace.read_bytes()[:-cut])
    done = run("decode", f"IN={out}")
    assert is_one_sentence(done, reported) and "<loop>" in done.stdout
    assert run("decode", f"IN={out}", "PARTIAL=1").returncode == 0


def test_a_trace_without_its_beginning(out):
    trace = out / "trace.bin"
    data = trace.read_bytes()
    trace.write_bytes(data[3:] + data)  # wrapped: the rest of another run, then this one
    assert is_one_sentence(run("decode", f"IN={out}"), "lost")


@pytest.mark.parametrize("words", [(), ("MESSAGES=1",), ("PCS=1",)])
def test_a_corrupt_trace_is_printed_as_far_as_it_goes(out, words):
    trace = out / "trace.bin"
    data = bytearray(trace.read_bytes())
    data[12] = 0x02  # MSEO=10
    trace.write_bytes(data + trace.read_bytes())
    done = run("decode", f"IN={out}", *words)
    assert is_one_sentence(done, "damaged", "bytes lost")
    assert "!!  byte" in done.stdout and "NT.3.1.mseo" in done.stdout


def _another_program(out):
    path = out / "program.elf"
    code = program()
    code.segments[0] = (0x80000000, b"\x01\x00" * 40)
    code.to_elf(path)


@pytest.mark.parametrize(
    "spoil, words, reported",
    [
        (_another_program, (), ("does not fit", "program.elf", "give the ELF that was traced")),
        (lambda out: shutil.copy(FOREIGN, out / "program.elf"), (), ("not for RISC-V",)),
        (lambda out: (out / "program.elf").write_text("text"), (), ("not an ELF file",)),
        (lambda out: (out / "program.elf").unlink(), (), ("program.elf does not exist",)),
        (lambda out: (out / "trace.bin").unlink(), (), ("trace.bin does not exist",)),
        (lambda out: (out / "trace.bin").write_bytes(b""), (), ("is empty",)),
        (lambda out: (out / "config.json").write_text("{"), (), ("is not JSON",)),
        (lambda out: (out / "config.json").write_text('{"mode": "fast"}'), (), ("MODE=fast is not supported",)),
        (lambda out: (out / "config.json").write_text('{"timestamp": 2}'), (), ("TIMESTAMP=2 is not supported",)),
        (lambda out: (out / "config.json").write_text('{"speed": 1}'), (), ("unknown option SPEED",)),
        (lambda out: (out / "config.json").write_text('{"ip": "vtrace"}'), (), ("vtrace", "ntrace", "etrace")),
        (lambda out: None, ("XLEN=32",), ("RV64", "XLEN=64")),
        (lambda out: None, ("MODE=btm",), ("MODE",)),
        (lambda out: None, ("MESSAGES=1", "PCS=1"), ("exclude each other",)),
        (lambda out: None, ("MESAGES=1",), ("did you mean MESSAGES=1",)),
        (lambda out: None, ("LIMIT=5",), ("LIMIT",)),
    ],
)
def test_bad_input_is_one_sentence(out, spoil, words, reported):
    spoil(out)
    assert is_one_sentence(run("decode", f"IN={out}", *words), *reported)


def test_no_folder_and_no_file(tmp_path):
    assert is_one_sentence(run("decode", f"IN={tmp_path}/none"), "there is no folder", "make capture")
    assert is_one_sentence(run("decode"), "give TRACE=<file>")
