# SPDX-License-Identifier: Apache-2.0
"""`make check`: a vendor's files are checked against the clauses, and bad files are one sentence."""

import re

import pytest

from tests.tools.captures import is_one_sentence, run, write_capture


@pytest.fixture
def out(tmp_path):
    return write_capture(tmp_path / "out")


def clauses(done):
    """Clause to (verdict, checked, failed) from the table printed."""
    rows = re.findall(r"^(NT\S+) +(PASS|FAIL) +([\d,]+) +([\d,]+)", done.stdout, re.MULTILINE)
    return {name: (verdict, int(n.replace(",", "")), int(f.replace(",", ""))) for name, verdict, n, f in rows}


@pytest.mark.parametrize("mode", ["htm", "btm"])
@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_a_good_trace_passes_with_and_without_beats(tmp_path, mode, variant):
    out = write_capture(tmp_path, mode=mode, variant=variant)
    with_beats = run("check_capture", f"IN={out}")
    (out / "beats.npz").unlink()
    without = run("check_capture", f"IN={out}")
    for done in (with_beats, without):
        assert (done.returncode, done.stderr) == (0, "") and "\nPASS  " in done.stdout
        assert clauses(done)["NT.11.pcs"][:2] == ("PASS", 15) and not any(f for _, _, f in clauses(done).values())
    assert "exact" in with_beats.stdout.splitlines()[0] and "exact" not in without.stdout.splitlines()[0]
    assert len(clauses(with_beats)) > len(clauses(without)) > 10


def test_files_one_by_one(out):
    words = [
        f"{word}={out}/{name}"
        for word, name in (("TRACE", "trace.bin"), ("ELF", "program.elf"), ("RETIRED", "retired.csv"))
    ]
    assert run("check_capture", *words, "MODE=htm", "QUIET=1").returncode == 0


def test_a_lost_instruction_is_reported_with_clause_and_rerun(out):
    path = out / "retired.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2] + lines[-1:]))  # the trace reports one instruction more than retired
    (out / "beats.npz").unlink()
    done = run("check_capture", f"IN={out}")
    assert done.returncode == 1 and "\nFAIL  " in done.stdout and f"make check IN={out}" in done.stdout
    failed = [name for name, (verdict, _, _) in clauses(done).items() if verdict == "FAIL"]
    assert failed and any(f"\nFAIL {name}  " in done.stdout for name in failed)


def test_a_changed_byte_is_found(out):
    trace = out / "trace.bin"
    data = bytearray(trace.read_bytes())
    data[-1] ^= 0x04  # HIST of the last message
    trace.write_bytes(data)
    for beats in (True, False):
        if not beats:
            (out / "beats.npz").unlink()
        done = run("check_capture", f"IN={out}")
        assert done.returncode == 1 and "\nFAIL NT" in done.stdout


def _wrong_pc(out):
    path = out / "retired.csv"
    path.write_text(path.read_text().replace("insn,0x80000004,", "insn,0x80000002,", 1))


@pytest.mark.parametrize(
    "spoil, words, reported",
    [
        (lambda out: (out / "retired.csv").write_text("pc\n1\n"), (), ("needed the header", "kind,pc,size")),
        (lambda out: (out / "retired.csv").write_bytes(b"\xff\xfe"), ("EXACT=0",), ("retired.csv is not text",)),
        (_wrong_pc, (), ("does not follow", "0x80000002")),
        (lambda out: (out / "beats.npz").unlink(), ("EXACT=1",), ("EXACT=1 needs",)),
        (lambda out: (out / "beats.npz").write_bytes(b"PK\x03\x04"), (), ("no file of ingress beats",)),
        (lambda out: None, ("BLOCKS=2",), ("BLOCKS=1",)),
        (lambda out: None, ("RETIRED=none.csv",), ("none.csv does not exist",)),
        (lambda out: (out / "program.elf").write_bytes(b"\x7fELF"), (), ("corrupt ELF",)),
    ],
)
def test_bad_input_is_one_sentence(out, spoil, words, reported):
    spoil(out)
    assert is_one_sentence(run("check_capture", f"IN={out}", *words), *reported)


def test_without_a_retire_stream_the_message_says_what_to_bring(out):
    words = [f"TRACE={out}/trace.bin", f"ELF={out}/program.elf"]
    assert is_one_sentence(run("check_capture", *words), "retired.csv", "RETIRED=<file>")
