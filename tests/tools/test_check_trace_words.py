"""`make check-trace`: what cannot be used is one sentence, before anything is read that memory cannot hold."""

import pytest

from tests.tools.captures import ROOT, is_one_sentence, run, write_capture

OTHER = ROOT / "tests" / "programs" / "crc.rv64.elf"


def test_the_stream_of_another_program_is_one_sentence(tmp_path):
    out = write_capture(tmp_path / "out")
    assert is_one_sentence(run("check_trace", "FORMAT=ntrace", f"TRACE={out}", f"ELF={OTHER}", f"OUT={tmp_path}/r"), "retired.csv does not follow", "crc.rv64.elf")


def test_a_file_that_memory_cannot_hold_is_refused_before_it_is_read(tmp_path):
    out = write_capture(tmp_path / "out")
    with open(out / "trace.bin", "r+b") as file:
        file.truncate(20 << 30)  # a sparse file
    done = run("check_trace", "FORMAT=ntrace", f"TRACE={out}")
    assert is_one_sentence(done, "trace.bin has 21,474.8 MB", "where 4,096 are allowed", "cut the trace at a synchronizing message")


@pytest.mark.parametrize(
    "words, told",
    [
        ((), "no format was named"), (("FORMAT=elf",), "FORMAT=elf is not known"), (("FORMAT=ntrace",), "no trace was named"),
        (("FORMAT=ntrace", f"TRACE={OTHER}"), "no program was named"), (("FORMAT=ntrace", "TRACE=none.bin", f"ELF={OTHER}"), "none.bin does not exist"),
        (("FORMAT=ntrace", f"TRACE={OTHER}", f"ELF={OTHER}", "MEMORY=1"), "MEMORY=1 is too little"),
        (("FORMAT=ntrace", f"TRACE={OTHER}", f"ELF={OTHER}", "SYNC_LATE=x"), "SYNC_LATE=x is not a number"),
        (("FORMAT=ntrace", f"TRACE={OTHER}", f"ELF={__file__}"), "is not an ELF file"), (("FORMAT=ntrace", "TRASE=x"), "did you mean TRACE"),
    ],
)  # fmt: skip
def test_words_that_cannot_be_used_are_one_sentence(tmp_path, words, told):
    assert is_one_sentence(run("check_trace", *words, f"OUT={tmp_path}"), told)
