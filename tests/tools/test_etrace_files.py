# SPDX-License-Identifier: Apache-2.0
"""`make decode` and `make check` of E-Trace files: what they print, and bad files as one sentence."""

import pytest

from tests.tools.captures import is_one_sentence, program, run, write_etrace_capture


@pytest.fixture
def out(tmp_path):
    return write_etrace_capture(tmp_path / "out")


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_a_good_trace_is_listed_and_passes_with_and_without_beats(tmp_path, variant):
    extra = {"return_stack_size_p": 0, "bcount_bits": 16} if variant == "draft_0_026" else {}
    out = write_etrace_capture(tmp_path, variant=variant, **extra)
    shown = run("decode", f"IN={out}")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"E-Trace {variant} RV64" in shown.stdout and "15 instructions, 1 traps" in shown.stdout
    assert shown.stdout.count(" <loop>: ") == 4 and "-- trap: " in shown.stdout
    with_beats = run("check_capture", f"IN={out}")
    (out / "beats.npz").unlink()
    without = run("check_capture", f"IN={out}")
    for done in (with_beats, without):
        assert (done.returncode, done.stderr) == (0, "") and "PASS  15 instructions" in done.stdout
    assert "exact" in with_beats.stdout.splitlines()[0] and "exact" not in without.stdout.splitlines()[0]


def test_packets_alone_need_no_program(out):
    done = run("decode", f"TRACE={out}/trace.bin", f"CONFIG={out}/config.json", "MESSAGES=1")
    assert (
        done.returncode == 0
        and "73 00 00 00 00 00 00 00 40" in done.stdout
        and "start(branch=1 privilege=3" in done.stdout
    )
    assert "0x80000000 <main>" not in done.stdout


def test_a_truncated_trace(out):
    trace = out / "trace.bin"
    trace.write_bytes(trace.read_bytes()[:-1])
    assert is_one_sentence(run("decode", f"IN={out}"), "cut off", "capture it again")
    trace.write_bytes(trace.read_bytes()[:-2])
    assert run("decode", f"IN={out}", "PARTIAL=1").returncode == 0


def test_another_program(out):
    code = program()
    code.segments[0] = (0x80000000, b"\x01\x00" * 40)
    code.to_elf(out / "program.elf")
    assert is_one_sentence(run("decode", f"IN={out}"), "does not fit", "give the ELF that was traced")


def test_payloads_alone_a_line_each(out):
    printed = run("decode", f"IN={out}", "MESSAGES=1").stdout.splitlines()[:-1]
    shown = [line for line in printed if not line.startswith("#")]
    hexes = out / "packets.hex"
    hexes.write_text("\n".join(line[9:46].strip().replace(" ", "") for line in shown) + "\n")
    (out / "beats.npz").unlink()
    assert run("check_capture", f"IN={out}", f"TRACE={hexes}").returncode == 0
    hexes.write_text("1f\nxyz\n")
    assert is_one_sentence(run("check_capture", f"IN={out}", f"TRACE={hexes}"), "line 2", "one payload of")


def test_a_lost_instruction_is_found(out):
    lines = (out / "retired.csv").read_text().splitlines(keepends=True)
    (out / "retired.csv").write_text("".join(lines[:-2] + lines[-1:]))
    (out / "beats.npz").unlink()
    done = run("check_capture", f"IN={out}")
    assert done.returncode == 1 and "FAIL" in done.stdout and "rerun     make check" in done.stdout


@pytest.mark.parametrize(
    "words, reported",
    [
        (("IP=ntrace",), ("is of ip 'etrace'", "N-Trace")),
        (("MODE=btm",), ("unknown word MODE=btm",)),
        (("IMPLICIT_RETURN=1", "RETURN_STACK_SIZE_P=0"), ("needs a counter or a stack",)),
        (("CONTEXT_WIDTH_P=40",), ("CONTEXT_WIDTH_P=40 is not supported",)),
        (("XLEN=32",), ("RV64",)),
    ],
)
def test_bad_words_are_one_sentence(out, words, reported):
    assert is_one_sentence(run("decode", f"IN={out}", *words), *reported)
