# SPDX-License-Identifier: Apache-2.0
"""`make check`: captured files of each format, good, foreign and damaged, with and without the retire stream, end
in a report or a sentence.
"""

import json
import resource

import pytest

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.riscv import recording
from rvtrace.models.tandem.config import Config as TandemConfig
from rvtrace.models.tandem.encoder import items
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.report.compliance import read
from rvtrace.tools import check_trace
from tests.tools.captures import ROOT, program, write_capture, write_etrace_capture

OTHER = ROOT / "data" / "programs" / "crc.rv64.elf"


def write_tandem_capture(folder, load=True):
    """The trace of a recorded program; load: it brings its program with it."""
    recorded = recording.load("recursion", 64)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trace.bin").write_bytes(encode(from_recording(recorded, load), TandemConfig()).data)
    recorded.program.to_elf(folder / "program.elf")
    (folder / "config.json").write_text(json.dumps(TandemConfig().to_dict()))
    recorded.retired.to_csv(folder / "retired.csv")
    return folder


WRITE = {"ntrace": write_capture, "etrace": write_etrace_capture, "tandem": write_tandem_capture}
# clauses that need the retire stream
SAYS_WHAT_HAPPENED = {"ntrace": "NT.11.pcs", "etrace": "ET.bt.sequential", "tandem": "TV.reported.order"}


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Runs the tool in this process, without its limit of memory; (exit code, report, what was printed)."""
    monkeypatch.setattr(resource, "setrlimit", lambda *limits: None)

    def checked(form, *words):
        code = check_trace.main([f"IP={form}", f"OUT={tmp_path}/report", *map(str, words)])
        return code, read(tmp_path / "report"), capsys.readouterr().out

    return checked


def words_of(folder, *names):
    """The words of files one by one."""
    files = {"TRACE": "trace.bin", "ELF": "program.elf", "CONFIG": "config.json", "RETIRED": "retired.csv"}
    return [f"{name}={folder / files[name]}" for name in names]


def verdict_of(report, clause):
    return next(row["verdict"] for row in report["clauses"] if row["id"] == clause)


@pytest.mark.parametrize("form", check_trace.FORMATS)
def test_a_good_trace_passes_and_says_what_nobody_could_check(tmp_path, check, form):
    out = WRITE[form](tmp_path / form)
    for names, verdict in ((("TRACE", "ELF", "CONFIG", "RETIRED"), "PASS"), (("TRACE", "ELF", "CONFIG"), "NOT-RUN")):
        code, report, said = check(form, *words_of(out, *names))
        assert code == 0 and report["verdict"] == "PASS" and "\nPASS  " in said and not report["counts"]["FAIL"]
        assert verdict_of(report, SAYS_WHAT_HAPPENED[form]) == verdict
        if verdict == "NOT-RUN":
            assert "not given" in report["subject"]["about"]["Retire stream"]
            if form != "tandem":
                assert "give RETIRED=" in next(
                    row["reason"] for row in report["clauses"] if row["id"] == SAYS_WHAT_HAPPENED[form]
                )
        else:
            most = report["checked"]
    assert (
        report["checked"] < most
        and (tmp_path / "report" / "junit.xml").exists()
        and (tmp_path / "report" / "index.html").exists()
    )


def test_a_folder_means_its_files(tmp_path, check):
    code, report, _ = check("ntrace", f"IN={write_capture(tmp_path / 'mine')}")
    assert code == 0 and report["subject"]["name"] == "mine" and verdict_of(report, "NT.11.pcs") == "PASS"


@pytest.mark.parametrize("form", check_trace.FORMATS)
def test_a_trace_held_against_another_program_says_so(tmp_path, check, form):
    code, report, _ = check(form, *words_of(WRITE[form](tmp_path / form), "TRACE", "CONFIG"), f"ELF={OTHER}")
    assert (
        code == 1
        and report["sentence"].startswith("trace.bin does not fit crc.rv64.elf: ")
        and "give the ELF that was traced" in report["sentence"]
    )


@pytest.mark.parametrize("form", check_trace.FORMATS)
def test_an_instruction_that_did_not_retire_is_found(tmp_path, check, form):
    out = WRITE[form](tmp_path / form)
    rows = (out / "retired.csv").read_text().splitlines(keepends=True)
    at = len(rows) - 2 if form != "tandem" else len(rows) - 1
    (out / "retired.csv").write_text("".join(rows[:at] + rows[at + 1 :]))
    code, report, said = check(form, f"IN={out}")
    failed = [row for row in report["clauses"] if row["verdict"] == "FAIL"]
    assert (
        code == 1
        and failed
        and failed[0]["first"]["rerun"].startswith(f"make check IP={form}")
        and f"FAIL {failed[0]['first']['clause']}" in said
    )


def test_a_tandem_trace_that_does_not_load_its_program_is_replayed_with_the_elf(tmp_path, check):
    out = write_tandem_capture(tmp_path / "out", load=False)
    code, report, _ = check("tandem", f"IN={out}")
    assert code == 0 and verdict_of(report, "TV.verify.insn") == "PASS"


def test_a_tandem_trace_from_the_middle_is_not_replayed(tmp_path, check):
    out = write_tandem_capture(tmp_path / "out", load=False)
    data = (out / "trace.bin").read_bytes()
    (out / "trace.bin").write_bytes(data[data.index(b"\x02\x01", 40) + 1 :])  # after an end group
    _, report, _ = check("tandem", *words_of(out, "TRACE", "ELF", "CONFIG"))
    row = next(row for row in report["clauses"] if row["id"] == "TV.verify.insn")
    assert row["verdict"] == "NOT-RUN" and "does not begin with a hart reset" in row["reason"]


def test_a_tandem_trace_with_the_next_pc_under_a_csr_is_one_finding_and_replayed(tmp_path, check):
    out = write_tandem_capture(tmp_path / "out")
    config = TandemConfig(incremental=0)
    right = encode(from_recording(recording.load("recursion", 64), True), config).data
    (out / "config.json").write_text(json.dumps(config.to_dict()))
    starts = [start for start, item in items.items(right, config) if isinstance(item, items.State) and item.id == 10]
    wrong, at = b"", 0
    for start in starts:
        wrong, at = wrong + right[at:start] + b"\x04\xb1\x07", start + 2
    (out / "trace.bin").write_bytes(wrong + right[at:])
    code, report, said = check("tandem", *words_of(out, "TRACE", "ELF", "CONFIG", "RETIRED"))
    assert code == 1 and "1 finding: TV.id.pc" in said and "as register 0x7b1 (dpc) in " in said
    assert verdict_of(report, "TV.verify.pc") == verdict_of(report, "TV.reported.order") == "PASS"


def test_a_foreign_trace_without_configuration_has_defaults_and_words(tmp_path, check):
    out = write_capture(tmp_path / "out", mode="btm")
    assert check("ntrace", *words_of(out, "TRACE", "ELF"))[0] == 1
    code, report, _ = check("ntrace", *words_of(out, "TRACE", "ELF", "RETIRED"), "MODE=btm", "NAME=acme")
    assert (
        code == 0 and report["subject"]["name"] == "acme" and report["subject"]["about"]["Options"] == "v1_0 BTM RV64"
    )


@pytest.mark.parametrize(
    "form, data, reported",
    [
        ("ntrace", b"\xff" * 500, "has no instruction"), ("ntrace", b"\x00" * 500, "has no instruction"),
        ("etrace", b"\x00" * 500, "has no instruction"),
        ("etrace", b"\xff" * 500, "is damaged"), ("tandem", b"\xff" * 500, "has no instruction"),
    ],
)  # fmt: skip
def test_bytes_that_are_no_trace_fail_with_a_sentence(tmp_path, check, form, data, reported):
    program().to_elf(tmp_path / "program.elf")
    (tmp_path / "trace.bin").write_bytes(data)
    code, report, _ = check(form, *words_of(tmp_path, "TRACE", "ELF"))
    assert code == 1 and f"trace.bin {reported}" in report["sentence"]


@pytest.mark.parametrize(
    ("form", "options", "front", "back"),
    [
        ("ntrace", {"inst_sync_mode": 1, "inst_sync_max": 0}, 1, 1),
        ("etrace", {"inst_sync_mode": 1, "inst_sync_max": 0}, 8, 0),
    ],
)
def test_a_buffer_that_wrapped_is_judged_between_its_ends(tmp_path, check, form, options, front, back):
    out = WRITE[form](tmp_path / form, **options)
    data = (out / "trace.bin").read_bytes() * 3
    (out / "trace.bin").write_bytes(data[front : len(data) - back])
    words = words_of(out, "TRACE", "ELF", "CONFIG")
    assert check(form, *words)[0] == 1
    code, report, _ = check(form, *words, "PARTIAL=1")
    assert code == 0 and "PARTIAL=1" in report["subject"]["about"]["Trace"] and report["checked"] > 20


@pytest.mark.parametrize("form", check_trace.FORMATS)
def test_a_width_other_than_the_programs_is_refused_before_anything_is_decoded(tmp_path, check, form, monkeypatch):
    folder = WRITE[form](tmp_path / form)
    monkeypatch.setattr(check_trace, "judge", lambda *words: pytest.fail("the trace was judged"))
    with pytest.raises(ArgumentError, match=r"program is for RV64 and the configuration says XLEN=32; give .*XLEN=64"):
        check(form, f"TRACE={folder}/trace.bin", f"ELF={folder}/program.elf", "XLEN=32")
