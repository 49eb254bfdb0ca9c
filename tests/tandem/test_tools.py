# SPDX-License-Identifier: Apache-2.0
"""`make check REPLAY=1` and `make capture LOAD=<elf>` of a trace whose options nobody says: what to type next, and an
end in bounded time.
"""

import json
import resource
import shlex
from pathlib import Path

import pytest

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.tools import capture_loading, check_replay, check_trace, decode, new_profile

ELF = recording.load("sort", 32).program_path
SV32 = Config(xlen=32, flen=0, mlen=34)


@pytest.mark.parametrize(
    "words", ([], ["MLEN=34"], ["MLEN=34", "FLEN=0", "IMPLIED_END=1", "ABSENT=ppc,mtime"]), ids=" ".join
)
def test_the_command_that_is_printed_shows_the_trace(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert capture_loading.main([f"LOAD={ELF}", f"OUT={tmp_path / 'sort.trace'}", *words]) == 0
    command = shlex.split(capsys.readouterr().out.split("`")[1])
    assert command[:2] == ["make", "decode"] and set(words) <= set(command)
    assert decode.main(command[2:]) == 0
    shown = capsys.readouterr()
    assert "unknown_opcode" not in shown.out + shown.err and "skipped" not in shown.out + shown.err


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "t.bin"
    path.write_bytes(encode(from_recording(recording.load("sort", 32)), SV32).data)
    return path


def verified(trace: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = check_replay.main([f"TRACE={trace}", f"ELF={ELF}", "SECOND=0", *words])
    return code, capsys.readouterr().out.splitlines()


def test_a_word_that_a_debugger_writes_is_not_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """State initialization of one word, or of mip, leaves the rest of memory to the ELF file."""
    recorded = recording.load("sort", 32)
    rows = from_recording(recorded, load=False)
    entry, words = recorded.program.segments[0]
    first = int.from_bytes(words[:4], "little")
    changes = [TraceData(init=True, request=(t.STORE, 2, entry, first)), TraceData(init=True, csr=((0x344, 0),))]
    path = tmp_path / "t.bin"
    for more in (changes[:1], changes[1:]):
        whole = Rows.concat([rows.select(slice(0, 1)), Rows.from_rows(more), rows.select(slice(1, None))])
        path.write_bytes(encode(whole, SV32).data)
        code, lines = verified(path, capsys, "MLEN=34", "FLEN=0", "XLEN=32")
        assert code == 0 and lines[-1].startswith("PASS"), lines
    words = [f"TRACE={path}", f"ELF={ELF}", "IP=tandem", "MLEN=34", "FLEN=0", "XLEN=32"]
    monkeypatch.setattr(resource, "setrlimit", lambda *limits: None)
    assert check_trace.main([*words, f"OUT={tmp_path / 'report'}"]) == 0


def test_both_tools_obey_the_hart_of_a_profile(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hart without compressed instructions refuses those of the program."""
    monkeypatch.setattr(resource, "setrlimit", lambda *limits: None)
    words = [f"TRACE={trace}", f"ELF={ELF}", "MLEN=34", "FLEN=0", "XLEN=32", f"PROFILE={tmp_path / 'p.json'}"]
    for extensions, fails in (("imac", 0), ("ima", 1)):
        (tmp_path / "p.json").write_text(json.dumps(Profile(virt(32, extensions=extensions)).to_dict()))
        assert check_replay.main([*words, "SECOND=0"]) == fails
        assert check_trace.main([*words, "IP=tandem", f"OUT={tmp_path / 'report'}"]) == fails
    assert "TV.verify." in capsys.readouterr().out


def test_a_new_profile_is_what_is_assumed_without_one(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.json"
    assert new_profile.main([f"OUT={path}", "XLEN=32"]) == 0 and "make check" in capsys.readouterr().out
    assert json.loads(path.read_text()) == Profile(virt(32)).to_dict()
    code, lines = verified(trace, capsys, "MLEN=34", "FLEN=0", "XLEN=32", f"PROFILE={path}")
    assert code == 0, lines
    with pytest.raises(ArgumentError, match="is there already"):
        new_profile.main([f"OUT={path}"])
    with pytest.raises(ArgumentError, match="give one of imac"):
        new_profile.main([f"OUT={tmp_path / 'q.json'}", "EXTENSIONS=imafd"])


def test_the_example_of_a_profile_can_be_used() -> None:
    text = (ROOT / "docs" / "how-to" / "check-a-captured-trace.md").read_text()
    example = json.loads(text[(start := text.index('{"hart": ')) : text.index("```", start)])
    assert Profile.from_dict(example).hart.reset[0] == ("mcounteren", 7)


def test_wrong_options_are_said_first_and_the_end_is_near(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = verified(trace, capsys, "MAX=5")
    assert code == 1 and "no CONFIG was given: XLEN=32 FLEN=64 MLEN=32 may not be the encoder's" in lines[1]
    assert any(line.startswith("stopped after ") and line.endswith("with 5 findings") for line in lines)
    assert "there are more; MAX=50 shows them, MAX=0 all of them" in lines


@pytest.mark.parametrize("given", ("words", "file"))
def test_right_options_are_no_doubt(
    trace: Path, given: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"xlen": 32, "flen": 0, "mlen": 34}')
    code, lines = verified(trace, capsys, *(["FLEN=0", "MLEN=34"] if given == "words" else [f"CONFIG={path}"]))
    assert (
        code == 0
        and not any("may not be" in line or line.startswith("stopped") for line in lines)
        and lines[-1].startswith("PASS")
    )


def test_a_number_of_findings_that_is_none(trace: Path) -> None:
    with pytest.raises(ArgumentError, match="MAX=0 for all"):
        check_replay.main([f"TRACE={trace}", f"ELF={ELF}", "SECOND=0", "MAX=-1"])
