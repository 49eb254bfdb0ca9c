# SPDX-License-Identifier: Apache-2.0
"""`make view`: its columns hold what the decoder gave, findings and calls are where they belong, and whatever is
missing is said in one sentence.
"""

import json
import re
import subprocess
import time
from shutil import which
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.flow import progress
from rvtrace.flow.captured.files import load
from rvtrace.jobs import systems
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.riscv import source_lines
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.source_lines import Lines
from rvtrace.report import listing
from rvtrace.report.viewer import View
from rvtrace.report.viewer_calls import CALL, TRAP
from rvtrace.report.viewer_columns import halves, joined, packed, unpacked
from rvtrace.report.viewer_findings import Judgement, judged
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.tools import view
from tests.common.there import there
from tests.report.viewer_captures import capture
from tests.tools.captures import is_one_sentence, program, run, write_capture, write_etrace_capture
from tests.tools.test_check_trace import write_tandem_capture


def data_of(page):
    """The JSON text of a page."""
    return json.loads(there(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL))[1])


@pytest.fixture
def folder(tmp_path):
    """A capture of an N-Trace encoder."""
    return write_capture(tmp_path / "out")


def shown(folder, *words):
    """The data of the page of a capture."""
    done = run("view", f"IN={folder}", *words)
    assert done.returncode == 0, done.stderr
    return data_of(folder / "view.html")


@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize(
    "values", [[], [0], [255, 0, 3], [-128, 127], [65535, 0], [-5, 70000, 3], [2**31 - 1, 0, 7], [5, 2**31 + 4]]
)
def test_a_column_gives_back_what_went_into_it(values, delta):
    assert unpacked(packed(values, delta)).tolist() == values


def test_a_column_of_wider_numbers_is_refused_and_halves_hold_them():
    with pytest.raises(ValueError, match="32 bits"):
        packed([2**32])
    values = [0, 1, 2**63 + 5, 2**64 - 1]
    assert joined(halves(np.array(values, np.uint64))).tolist() == values


@pytest.mark.parametrize("write", [write_capture, write_etrace_capture])
def test_the_page_holds_what_the_decoder_gave(tmp_path, write):
    folder = write(tmp_path / "out")
    done = run("view", f"IN={folder}")
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout and f"view: {folder}/view.html" in done.stdout
    page = data_of(folder / "view.html")
    files = load({"IN": str(folder)})
    decoded = shown_decoder(files)
    columns = {name: unpacked(column) for name, column in page["columns"].items()}
    pcs = joined(page["wide"]["codePc"])[columns["rows"]]
    assert pcs.tolist() == decoded.pcs.tolist() and len(pcs) > 10
    assert bytes(columns["data"].astype(np.uint8)) == files.data
    ends = columns["offset"] + columns["length"]
    assert (ends[:-1] <= columns["offset"][1:]).all() and ends[-1] <= len(files.data)
    assert columns["first"].tolist() == np.asarray(decoded.first_pc).tolist()
    names = [page["shapes"][n][0] for n in columns["shape"]]
    assert names == [m.name for m in getattr(decoded, "messages", None) or decoded.packets]
    kinds = [page["events"][0][n] for n in columns["eventKind"]]
    assert kinds == [event.kind for event in decoded.events] and "trap" in kinds
    assert page["findings"] == [] and page["verdict"][0] == "PASS"


def shown_decoder(files):
    return there(listing.of(files.system.ip)).decode(files, 1 << 20, False)


def test_values_of_fields_are_those_of_the_messages(tmp_path):
    capture(tmp_path, "traps")
    files = load({"IN": str(tmp_path)})
    trace = decode(files.data, there(files.program), files.config)
    view = View.of(files, listing.viewed(files, trace), Judgement())
    page = view.data()
    values = iter(joined(page["wide"]["values"]).tolist())
    for number, message in zip(unpacked(page["columns"]["shape"]).tolist(), trace.messages):
        fields = page["shapes"][number][1]
        found = [next(values) for _ in fields]
        sent = {key: value for key, value in message.by_key().items() if key != "src" or value}
        assert found == list(sent.values())
        assert [name for name, _, _ in fields] == [message.type.field(key).name for key in sent]
    assert next(values, None) is None
    assert "TSTAMP" in {name for _, fields in page["shapes"] for name, _, _ in fields}
    time = joined(page["wide"]["time"])
    known = time[time < 2**63]
    assert known.tolist() == [t for t in trace.time if t >= 0] and len(set(known.tolist())) > 100


def test_frames_are_calls_and_traps_of_the_program(tmp_path):
    retired = capture(tmp_path, "traps")
    files = load({"IN": str(tmp_path)})
    result = listing.viewed(files, decode(files.data, there(files.program), files.config))
    frames = result.frames()
    names = [name for _, name in result.codes.functions]
    functions = [names[n] for n in frames.function]
    traps = [n for n, kind in enumerate(frames.kind) if kind == TRAP]
    taken = (retired.kind == 1) | (retired.kind == 2)  # exceptions and interrupts
    assert len(traps) == int(taken.sum()) > 100
    assert {functions[n] for n in traps} <= {"m_vector", "s_vector", "s_entry", "m_exception", "m_interrupt"}
    assert "program" in functions and int(frames.depth.max()) < 12
    for depth in range(int(frames.depth.max()) + 1):
        begin, end = frames.begin[frames.depth == depth], frames.end[frames.depth == depth]
        assert (begin < end).all() and (end[:-1] <= begin[1:]).all()
    deeper = frames.depth > 0
    for n in np.flatnonzero(deeper)[:: max(int(deeper.sum()) // 50, 1)]:
        above = (
            (frames.depth == frames.depth[n] - 1) & (frames.begin <= frames.begin[n]) & (frames.end >= frames.end[n])
        )
        assert above.sum() == 1


def test_recursion_is_as_deep_as_the_program_says(tmp_path):
    capture(tmp_path, "recursion")
    files = load({"IN": str(tmp_path)})
    result = listing.viewed(files, decode(files.data, there(files.program), files.config))
    frames = result.frames()
    assert 121 <= int(frames.depth.max()) <= 130  # data/programs/README.md: mutual recursion 121 calls deep
    assert (frames.kind == CALL).sum() > 1000
    assert frames.begin[frames.depth == 0].tolist() == [0]


def test_privilege_is_where_the_hart_had_it(tmp_path):
    retired = capture(tmp_path, "traps")
    files = load({"IN": str(tmp_path)})
    result = listing.viewed(files, decode(files.data, there(files.program), files.config))
    assert {name for _, name in result.priv} == {"M", "S", "U"}
    assert result.priv[0][0] == 0 and result.priv == sorted(result.priv)
    assert {name for _, name in result.priv} >= {("U", "S", "", "M")[p] for p in set(retired.priv.tolist())}


def test_a_finding_is_at_its_message_its_bytes_and_its_instruction(folder):
    (folder / "beats.npz").unlink()
    files = load({"IN": str(folder)})
    messages = decode(files.data, there(files.program), files.config).messages
    broken = next(m for m in messages if m.name == "IndirectBranchHist")
    data = bytearray(files.data)
    data[broken.offset + 1] ^= 0x40  # a bit of I-CNT
    (folder / "trace.bin").write_bytes(data)
    done = run("view", f"IN={folder}")
    assert done.returncode == 0 and "FAIL" in done.stdout, done.stderr
    page = data_of(folder / "view.html")
    assert page["verdict"][0] == "FAIL" and page["findings"]
    first = page["findings"][0]
    assert not first["cause"] and first["clause"] in page["verdict"][1]
    assert first["begin"] <= broken.offset + 1 < first["end"], first
    assert first["requirement"] and first["text"].startswith("FAIL ")
    assert first["rerun"].startswith("make check IP=ntrace TRACE=")
    assert all(one["cause"] for one in page["findings"] if one["clause"] not in page["verdict"][1])
    text = (folder / "view.html").read_text()
    assert first["clause"] in text.partition("<script")[0], "also without JavaScript"


def test_what_a_finding_hides_is_marked_as_not_judged(folder):
    files = load({"IN": str(folder)})
    trace = decode(files.data, there(files.program), files.config)
    view = View.of(files, listing.viewed(files, trace), Judgement("FAIL", "", damage=[(1, 3), (4, None), (2, 2)]))
    assert view.data()["unjudged"] == [(1, 3), (4, len(trace.messages))]


def test_a_trap_that_is_reported_wrongly_is_at_the_message_that_reports_it(folder):
    files = load({"IN": str(folder)})
    trace = decode(files.data, there(files.program), files.config)
    trap = next(event for event in trace.events if event.kind == "trap")
    its = next(n for n, m in enumerate(trace.messages) if m.offset == trap.message.offset)
    handler = int(trace.pcs[trap.index])
    failure = Failure("NT.10.traps", "wrong", pc=handler, at=its + 1, table=[("trap", "exception", "interrupt")])
    view = View.of(files, listing.viewed(files, trace), Judgement("FAIL", "", [failure]))
    (found,) = view.findings
    assert (found.message, found.index, found.begin) == (its, trap.index, trap.message.offset)


def test_source_lines_are_those_that_the_compiler_wrote(tmp_path, monkeypatch):
    monkeypatch.setattr(source_lines, "_allowed", [tmp_path])
    gcc = which("riscv64-unknown-elf-gcc")
    if gcc is None:
        pytest.skip("no cross compiler here; sudo apt-get install gcc-riscv64-unknown-elf runs this test")
    (tmp_path / "a.c").write_text("int n;\nvoid _start(void)\n{\n    n = 7;\n    for (;;)\n        n++;\n}\n")
    words = ["-g", "-O0", "-nostdlib", "-march=rv64imac", "-mabi=lp64", "-mcmodel=medany", "-Ttext=0x80000000"]
    subprocess.run([gcc, *words, "-o", tmp_path / "a.elf", tmp_path / "a.c"], check=True, timeout=60)
    code, lines = Program.from_elf(tmp_path / "a.elf"), Lines(tmp_path / "a.elf")
    assert not lines.missing
    first = lines.at(code.symbols["_start"])
    assert first is not None and first.number in (2, 3) and first.file == str(tmp_path / "a.c")
    begin, body = code.segments[0]
    found = {line for at in range(begin, begin + len(body), 2) if (line := lines.at(at)) is not None}
    assert {(line.number, line.text) for line in found} >= {(4, "n = 7;"), (6, "n++;")}
    assert lines.at(begin - 2) is None and lines.at(begin + len(body) + 64) is None


def test_failures_of_the_run_that_left_the_capture_are_shown_too(folder):
    failure = {
        "clause": "NT.2.port",
        "headline": "a port <misbehaves>",
        "cycle": 7,
        "pc": None,
        "text": "FAIL NT.2.port",
    }
    (folder / "result.json").write_text(json.dumps({"failures": [failure]}))
    found = judged({"IN": str(folder)}, load({"IN": str(folder)}))
    assert [(f.clause, f.cycle) for f in found.failures] == [("NT.2.port", 7)] and found.word == "FAIL"
    run("view", f"IN={folder}")
    text = (folder / "view.html").read_text()
    assert "a port &lt;misbehaves&gt;" in text and "<misbehaves>" not in text
    (folder / "result.json").write_text("{")
    assert judged({"IN": str(folder)}, load({"IN": str(folder)})).word == "PASS"


def test_the_page_asks_for_nothing_and_allows_no_other_script(folder):
    run("view", f"IN={folder}")
    text = (folder / "view.html").read_text()
    assert "default-src 'none'" in text and "script-src 'sha256-" in text and "style-src 'sha256-" in text
    assert not re.findall(r"""(?:src|href)=|url\(|@import|https?://""", text)
    assert "style=" not in text.partition("<script")[0], "an inline style would be refused"


def test_without_script_the_summary_and_a_sentence_are_left(folder):
    run("view", f"IN={folder}")
    text = (folder / "view.html").read_text().partition("<script")[0]
    assert "<noscript>" in text and "runs no script" in text
    assert "ProgTraceSync" in text and "main" in text and "bits per instruction" in text


@pytest.mark.parametrize("write", [write_capture, write_etrace_capture])
def test_a_part_of_a_trace_is_shown_and_judged_as_one(tmp_path, write):
    folder = write(tmp_path / "out")
    files = load({"IN": str(folder)})
    decoded = shown_decoder(files)
    rows = decoded.messages if files.system.ip == "ntrace" else decoded.packets
    begins = [m.offset for m in rows] if files.system.ip == "ntrace" else decoded.offsets
    sync = 0 if files.system.ip == "ntrace" else 1
    stray = files.data[begins[sync + 1] : begins[sync + 2]]  # a message of which nobody knows where it leads
    (folder / "trace.bin").write_bytes(stray + files.data[begins[sync] :])
    page = shown(folder, "PARTIAL=1")
    assert page["verdict"][0] == "PASS", page["findings"]
    assert any("only a part was judged" in note for note in page["notes"])
    pcs = joined(page["wide"]["codePc"])[unpacked(page["columns"]["rows"])]
    assert pcs.tolist() == decoded.pcs.tolist()
    data = unpacked(page["columns"]["data"]).astype(np.uint8).tobytes()
    first = int(unpacked(page["columns"]["offset"])[0])
    assert data[first:].startswith(files.data[begins[sync] : begins[sync + 1]])


def test_what_could_not_be_judged_is_no_pass(folder):
    for name in ("beats.npz", "retired.csv"):
        (folder / name).unlink()
    (folder / "trace.bin").write_bytes(b"\xff" * 64)  # idle
    run("view", f"IN={folder}")
    assert data_of(folder / "view.html")["verdict"][0] != "PASS"


def test_places_are_unknown_where_items_have_another_layout(tmp_path, monkeypatch):
    failures = [Failure("TV.legal.length", "longer", at=-60), Failure("TV.legal.opcode", "unknown", at=12)]
    book = SimpleNamespace(
        results=lambda: {"TV.legal.length": [1, 1]}, damage=[Damage(12, 20)], failed=["TV.legal.length"]
    )
    verdict = SimpleNamespace(failures=failures, book=book, decoded=object(), read=None, stats={})
    files: Any = SimpleNamespace(size=10, data=b"", captured=systems.captured("tandem"))
    read = SimpleNamespace(verdict=verdict, problem="", part="", files=files)
    monkeypatch.setattr("rvtrace.report.viewer_findings._check", lambda given, files: (read, False))
    found = judged({}, files)
    assert found.word == "FAIL" and found.decoded is None and not found.damage
    assert [one.at for one in found.failures] == [None, None] and "another layout" in found.notes[0]


# Bad input


def test_a_folder_that_is_no_capture_is_refused(tmp_path):
    assert is_one_sentence(run("view", f"IN={tmp_path}"), "is no capture", "trace.bin")
    assert is_one_sentence(run("view", f"IN={tmp_path / 'none'}"), "no folder")
    assert is_one_sentence(run("view", "IP=ctr", f"IN={tmp_path}"), "sends no trace")


def test_an_elf_without_symbols_and_lines_is_shown_by_address(folder):
    code = program()
    Program(64, code.segments, (), code.entry).to_elf(folder / "program.elf")
    page = shown(folder)
    assert page["symbols"] == []
    assert any("no symbols" in note for note in page["notes"])
    assert any("no line information" in note for note in page["notes"])
    assert page["counts"]["instructions"] > 10


def test_bytes_that_are_no_trace_are_shown_with_what_is_wrong(folder):
    (folder / "beats.npz").unlink()
    (folder / "retired.csv").unlink()
    (folder / "trace.bin").write_bytes(bytes(range(1, 200)) * 2)
    page = shown(folder)
    assert page["counts"]["instructions"] == 0 and page["counts"]["bytes"] == 398
    assert any("no instruction could be decoded" in note for note in page["notes"])
    assert any("say nothing" in note for note in page["notes"]) and page["losses"]


def test_without_a_program_there_are_messages_only(folder, tmp_path):
    done = run("view", "IP=ntrace", f"TRACE={folder / 'trace.bin'}", f"PAGE={tmp_path / 'v.html'}")
    page = data_of(tmp_path / "v.html")
    assert done.returncode == 0 and "no program was given" in done.stdout
    assert page["counts"]["messages"] > 5 and page["counts"]["instructions"] == 0 and not page["verdict"][0]


def test_a_capture_that_contradicts_itself_is_shown_unchecked(folder):
    (folder / "retired.csv").write_text("no table\n")
    page = shown(folder)
    assert page["counts"]["instructions"] > 10
    assert any(note.startswith("the trace was not checked: ") for note in page["notes"])


def test_the_limit_cuts_and_says_so(folder):
    page = shown(folder, "LIMIT=5", "CHECK=0")
    assert page["counts"]["instructions"] <= 5
    assert any("only the first 5 instructions" in note for note in page["notes"])
    assert any("CHECK=0" in note for note in page["notes"])


def test_lines_of_an_elf_that_has_none_or_is_broken(tmp_path):
    assert Lines(None).missing and Lines(None).at(0) is None
    (tmp_path / "x.elf").write_bytes(b"\x7fELF and nothing")
    lines = Lines(tmp_path / "x.elf")
    assert "cannot be read" in lines.missing and lines.at(0x80000000) is None


def test_what_takes_long_is_shown(folder, monkeypatch, capsys):
    monkeypatch.setattr(progress, "AFTER", 0.01)

    def slowly(given, files):
        time.sleep(1)
        return judged(given, files)

    monkeypatch.setattr(view, "judged", slowly)
    view.main([f"IN={folder}"])
    said = capsys.readouterr()
    size = (folder / "trace.bin").stat().st_size
    assert f"checking {size:,} bytes (CHECK=0 omits it)" in said.err and "view: " in said.out


@pytest.mark.parametrize("ip", ["ntrace", "etrace", "tandem"])
def test_a_trace_that_passes_has_the_numbers_of_the_check(tmp_path, ip):
    """Clauses, checks and the share observed: the same sentence from both commands."""
    folder = tmp_path / "out"
    {"ntrace": write_capture, "etrace": write_etrace_capture, "tandem": write_tandem_capture}[ip](folder)
    checked = run("check", f"IN={folder}", f"OUT={tmp_path / 'report'}")
    viewed = run("view", f"IN={folder}")
    said = re.findall(r"^PASS .*$", checked.stdout, re.M)
    assert len(said) == 1 and " clauses hold in " in said[0], checked.stdout + checked.stderr
    assert said == re.findall(r"^PASS .*$", viewed.stdout, re.M), viewed.stdout + viewed.stderr
