# SPDX-License-Identifier: Apache-2.0
"""`make check`: what cannot be used is one sentence, before anything is read that memory cannot hold."""

import mmap
import resource

import pytest

from rvtrace.flow.captured import judge
from rvtrace.flow.captured import limits as limiting
from rvtrace.jobs.arguments import ArgumentError, sentence
from rvtrace.tools import check_trace
from tests.tools.captures import ROOT, is_one_sentence, run, write_capture

OTHER = ROOT / "data" / "programs" / "crc.rv64.elf"


def test_the_stream_of_another_program_is_one_sentence(tmp_path):
    out = write_capture(tmp_path / "out")
    assert is_one_sentence(
        run("check_trace", "IP=ntrace", f"IN={out}", f"ELF={OTHER}", f"OUT={tmp_path}/r"),
        "retired.csv does not follow",
        "crc.rv64.elf",
    )


def test_a_file_that_memory_cannot_hold_is_refused_before_it_is_read(tmp_path):
    out = write_capture(tmp_path / "out")
    with open(out / "trace.bin", "r+b") as file:
        file.truncate(20 << 30)  # a sparse file
    done = run("check_trace", "IP=ntrace", f"IN={out}")
    assert is_one_sentence(
        done, "trace.bin has 21,474.8 MB", "where 4,096 are allowed", "cut the trace at a synchronizing message"
    )


@pytest.mark.parametrize(
    "words, reported",
    [
        ((), "no trace was named"), (("IP=elf",), "IP=elf is not built"),
        ((f"TRACE={OTHER}",), "nothing says what sent"),
        (("IP=ntrace", f"TRACE={OTHER}"), "no program was named"),
        (("IP=ntrace", "TRACE=none.bin", f"ELF={OTHER}"), "none.bin does not exist"),
        (("IP=ntrace", f"TRACE={OTHER}", f"ELF={OTHER}", "MEMORY=1"), "MEMORY=1 is too little"),
        (("IP=ntrace", f"TRACE={OTHER}", f"ELF={OTHER}", "SYNC_LATE=x"), "SYNC_LATE=x is not a number"),
        (("IP=ntrace", f"TRACE={OTHER}", f"ELF={__file__}"), "is not an ELF file"),
        (("IP=ntrace", "TRASE=x"), "did you mean TRACE"),
    ],
)  # fmt: skip
def test_words_that_cannot_be_used_are_one_sentence(tmp_path, monkeypatch, words, reported):
    monkeypatch.setattr(resource, "setrlimit", lambda *given: None)
    with pytest.raises(ValueError) as error:
        check_trace.main([*words, f"OUT={tmp_path}"])
    assert reported in sentence(error.value) and ";" in sentence(error.value) and not list(tmp_path.iterdir())


def test_memory_that_runs_out_on_the_way_is_one_sentence(tmp_path, monkeypatch):
    def alone(*given):
        raise MemoryError

    limits, before = [], 5 << 20
    monkeypatch.setattr(limiting, "mapped", lambda: before)
    monkeypatch.setattr(resource, "setrlimit", lambda *given: limits.append(given))
    monkeypatch.setattr(judge, "alone", alone)
    out = write_capture(tmp_path / "out")
    with pytest.raises(
        ArgumentError,
        match="trace.bin needs more than 300 MB to be checked; cut it at a synchronizing message, or give MEMORY=",
    ):
        check_trace.main(["IP=ntrace", f"TRACE={out}/trace.bin", f"ELF={out}/program.elf", "MEMORY=300"])
    assert limits[0][0] == resource.RLIMIT_AS and limits[0][1][0] - before == (300 + 1024) << 20


def test_what_was_in_memory_before_is_not_counted(tmp_path):
    """A caller that has loaded much, or maps much, can call the check as the command line does."""
    out = write_capture(tmp_path / "out")
    with mmap.mmap(-1, 6 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ):
        assert check_trace.main(["IP=ntrace", f"IN={out}", "MEMORY=256", f"OUT={tmp_path / 'report'}"]) == 0


def test_the_limit_ends_with_the_check(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_AS)
    out = write_capture(tmp_path / "out")
    assert check_trace.main(["IP=ntrace", f"IN={out}", f"OUT={tmp_path / 'report'}"]) == 0
    with pytest.raises(ValueError, match="is not an ELF file"):
        check_trace.main(["IP=ntrace", f"TRACE={out}/trace.bin", f"ELF={__file__}"])
    assert resource.getrlimit(resource.RLIMIT_AS) == before
