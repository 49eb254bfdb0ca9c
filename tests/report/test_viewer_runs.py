# SPDX-License-Identifier: Apache-2.0
"""The page of a run: what its result.json found is at its place, the terminal names the page, waveforms beside it are
offered, and runs of CTR and counters have theirs.
"""

import json
import re
from dataclasses import asdict
from hashlib import sha256

import numpy as np
import pytest

from rvtrace.flow import failing_page
from rvtrace.flow.captured.files import load
from rvtrace.flow.jobs import trouble
from rvtrace.jobs import systems
from rvtrace.models.common.port_rows import NO_ACCESS
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.rows import Rows as CtrRows
from rvtrace.models.ctr.rows import answered
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.hpm.bulk import save_state
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.rows import Rows as HpmRows
from rvtrace.models.hpm.rows import followed
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.csr import WRITE, Access, M
from rvtrace.models.riscv.retired import Kind
from rvtrace.report.viewer_cycles import Cycles, read
from rvtrace.report.viewer_failing import ip_of, of_rows, write
from rvtrace.report.viewer_findings import of_run
from rvtrace.report.viewer_rows import TRACES
from rvtrace.report.viewer_waves import Waves
from rvtrace.scoreboards.common.clauses import Failure
from tests.common.there import there
from tests.report.browser import BROWSER, Browser
from tests.subsystem.captures import good
from tests.tools.captures import is_one_sentence, run, write_capture

RERUN = "make run IP=ntrace SOURCE=program:sort SEED=1"
MARKER = "[timestart] 0\n*-10.5 4270 -1 -1\nTOP.clk\n"


def data_of(page):
    """The JSON text of a page."""
    return json.loads(there(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL))[1])


def failing(folder, **more):
    """A capture with the result of a run that failed at message 1, and what was not judged after it."""
    write_capture(folder)
    at = Failure(
        "NT.10.traps", "it is wrong", 42, 0x80000002, table=[("trap", "exception", "interrupt")], at=1, rerun=RERUN
    )
    after = Failure("NT.8.4.count", "so is this", at=2, cause="NT.10.traps", rerun=RERUN)
    result = {
        "ip": "ntrace", "name": "sort", "verdict": "FAIL", "error": None, "clauses": {"NT.10.traps": [5, 1]},
        "failures": [at.to_dict(), after.to_dict()], "damage": [[1, 3]], "rerun": RERUN,
        "left": {"trace.bin": sha256((folder / "trace.bin").read_bytes()).hexdigest()},
    }  # fmt: skip
    (folder / "result.json").write_text(json.dumps(result | more))
    return folder


def test_the_findings_of_the_run_are_at_their_places(tmp_path):
    folder = failing(tmp_path / "out")
    page = data_of(write(folder))
    first, second = page["findings"]
    assert (first["clause"], first["message"], first["cycle"]) == ("NT.10.traps", 1, 42)
    assert first["table"] == [["trap", "exception", "interrupt"]] and first["end"] > first["begin"] >= 1
    assert second["cause"] == "NT.10.traps" and page["unjudged"] == [[1, 3]]
    assert page["verdict"] == ["FAIL", "1 finding: NT.10.traps"]


def test_a_result_of_another_trace_is_not_believed(tmp_path):
    folder = failing(tmp_path / "out")
    files = load({"IN": str(folder)})
    assert of_run(folder, files) is not None
    data = (folder / "trace.bin").read_bytes()
    (folder / "trace.bin").write_bytes(data[:-1] + bytes([data[-1] ^ 4]))
    assert of_run(folder, load({"IN": str(folder)})) is None
    (folder / "trace.bin").write_bytes(data)
    failing(folder, read={"src_bits": 4})
    assert of_run(folder, files) is None


def test_the_failure_names_the_page_of_the_first_runs_and_the_command_of_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(failing_page, "_PAGES", failing_page._Pages())
    folder = failing(tmp_path / "out")
    result = json.loads((folder / "result.json").read_text()) | {"folder": str(folder)}
    assert trouble(result).splitlines()[-1] == f"  view      make view IN={folder}"
    failing_page.made_by(write)
    assert trouble(result).splitlines()[-1] == f"  view      {(folder / 'view.html').as_uri()}"
    assert (folder / "view.html").is_file()
    monkeypatch.setattr(failing_page, "MADE", 1)
    other = failing(tmp_path / "other")
    assert "make view" in trouble(result | {"folder": str(other)}) and not (other / "view.html").exists()
    assert "view.html" in trouble(result), "the page that was made stays named"
    assert "view" not in trouble({name: value for name, value in result.items() if name != "left"})


def test_a_page_that_cannot_be_made_does_not_hide_the_failure(tmp_path, monkeypatch):
    monkeypatch.setattr(failing_page, "_PAGES", failing_page._Pages())
    folder = failing(tmp_path / "out")
    (folder / "config.json").write_text('{"ip": "ntrace", "mode": "none"}')
    failing_page.made_by(write)
    said = trouble(json.loads((folder / "result.json").read_text()) | {"folder": str(folder)})
    assert "it is wrong" in said and f"make view IN={folder}" in said.splitlines()[-1]


def test_messages_wait_while_those_before_them_leave():
    # Messages of 2, 3 and 1 bytes; the first reports instructions 0 and 1, the second 2, the last 3.
    sent, insn = np.array([5, 6, 7, 8, 9, 9]), np.array([1, 2, 3, 9])
    found = Cycles.of(sent, insn, np.array([0, 2, 5]), np.array([0, 2, 3]), 4)
    assert found.message.tolist() == [5, 7, 9] and found.insn is not None and found.waiting is not None
    # in cycle 5 instructions 1 and 2 had retired, in 7 only the second waits
    assert found.waiting.tolist() == [2, 1, 1]
    assert Cycles.of(sent, insn, np.array([0]), np.array([0]), 5).insn is None, "a trace with losses"


def test_cycles_of_another_trace_are_not_used(tmp_path):
    np.savez(tmp_path / "cycles.npz", bytes=np.arange(4), instructions=np.arange(2))
    sent, insn = read(tmp_path, 4)
    assert sent.tolist() == [0, 1, 2, 3] and insn is not None and insn.tolist() == [0, 1]
    assert read(tmp_path, 5)[1] is None and not len(read(tmp_path, 5)[0])
    (tmp_path / "cycles.npz").write_text("no")
    assert read(tmp_path, 4)[1] is None


def test_waveforms_beside_the_trace_are_offered(tmp_path):
    assert Waves.of(tmp_path).open == [] and Waves.of(None).open == []
    (tmp_path / "waves.fst").write_bytes(b"")
    assert Waves.of(tmp_path).open == [("GTKWave", f"gtkwave {tmp_path / 'waves.fst'}")]
    (tmp_path / "trace.gtkw").write_text(MARKER)
    (tmp_path / "trace.sucl").write_text("")
    found = Waves.of(tmp_path)
    assert found.open[0] == ("GTKWave", f"gtkwave {tmp_path / 'trace.gtkw'}") and found.marker == "4270"
    assert found.open[1] == ("Surfer", f"(cd {tmp_path} && surfer --command-file trace.sucl)")


def of_program(folder, rows, config, made):
    folder.mkdir()
    rows.save(folder / "rows.npz")
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    made.program.to_elf(folder / "program.elf")
    made.retired.to_csv(folder / "retired.csv")
    return folder


def of_ctr(folder):
    """A run of CTR without a simulator: rows, transfers, recording."""
    made, config = recording.load("traps", 64), CtrConfig()
    transfers = Transfers.of_retired(made.retired, made.program, slots=config.transfers)
    rows = answered(CtrRows.of_transfers(transfers, config.transfers), config)
    of_program(folder, rows, config, made)
    entry = {"source": "0x80000010", "target": "0x80000020", "type": 9, "valid": True, "cc": 7, "ccv": True}
    (folder / "entries.json").write_text(json.dumps([entry]))
    return transfers, made


def test_transfers_of_ctr_are_at_their_instructions_with_a_table_of_the_entries(tmp_path):
    folder = tmp_path / "ctr"
    transfers, made = of_ctr(folder)
    shown = of_rows(folder).shown
    messages, pcs = shown.messages, shown.codes.columns().pc[shown.rows]
    values = messages.values.reshape(-1, 6)
    assert values[:, 0].tolist() == transfers.source.tolist() and len(values) > 1000
    insn = ~np.isin(transfers.type, (1, 2))  # of a trap the source may not have retired
    assert (pcs[messages.first[insn]] == transfers.source[insn]).all()
    traps = [event.index for event in shown.events if event.kind == "trap"]
    assert messages.first[~insn].tolist() == traps and (np.diff(messages.first) >= 0).all()
    assert shown.tables[0].rows[0][1] == "direct call" and shown.tables[0].rows[0][4] == "7"
    assert len(pcs) == int((made.retired.kind == Kind.INSN).sum()) and shown.frames().depth.max() > 2


def test_counters_are_lanes_over_the_instructions(tmp_path):
    made, config = recording.load("traps", 64), HpmConfig()
    first = (0, M, Counts(), Access(WRITE, 0xB02, 5, M, 0))
    table = [first, *((k, M, Counts(retired=1), None) for k in range(1, 101))]
    rows, state = followed(HpmRows.from_rows(table, config.events), config)
    folder = of_program(tmp_path / "hpm", rows, config, made)
    save_state(folder / "state.npz", state)
    shown = of_rows(folder).shown
    lanes = {track.name: track for track in shown.tracks}
    retired = lanes["counter 2"]
    assert retired.value[-1] == 5 + 99 and retired.at[-1] == 99  # before the last row, 99 had retired
    assert len(shown.messages) == int((rows.op != NO_ACCESS).sum()) == 1
    assert shown.messages.shapes[0].name == "write minstret" and shown.cycles is not None
    (folder / "state.npz").unlink()
    assert any("state.npz" in note for note in of_rows(folder).shown.notes)


@pytest.mark.parametrize("stream, bars", [("ntrace", ["etrace", "tandem"]), ("tandem", ["ntrace", "etrace"])])
def test_the_sources_of_the_subsystem_are_on_one_axis(tmp_path, stream, bars):
    capture = good("traps", 1500)
    for name in TRACES:
        (tmp_path / f"{name}.trace").write_bytes(getattr(capture, name))
    (tmp_path / "config.json").write_text(json.dumps(capture.config.to_dict()))
    (tmp_path / "snapshots.json").write_text(json.dumps([asdict(one) for one in capture.snapshots]))
    np.savez(tmp_path / "cycles.npz", retired=capture.cycle)
    capture.retired.to_csv(tmp_path / "retired.csv")
    capture.program.to_elf(tmp_path / "program.elf")
    shown = of_rows(tmp_path, stream=stream).shown
    traps = (Kind.EXCEPTION,) if stream == "tandem" else ()  # there an instruction that traps has its group
    insn = np.isin(capture.retired.kind, (Kind.INSN, *traps))
    assert shown.codes.columns().pc[shown.rows].tolist() == capture.retired.pc[insn].tolist()
    assert shown.cycles is not None and shown.cycles.insn is not None
    assert shown.cycles.insn.tolist() == capture.cycle[insn].tolist()
    lanes = {track.name: track for track in shown.tracks}
    for other in bars:
        lane = next(track for name, track in lanes.items() if name.startswith(systems.judge(other).title))
        assert lane.value.sum() <= len(getattr(capture, other)) and lane.at[-1] <= len(shown.rows)
    looks = capture.snapshots
    assert lanes["minstret (as read)"].value.tolist() == [look.counters["minstret"] for look in looks]
    marks = lanes["CTR entries (select one)"]
    assert marks.at.tolist() == [int(insn[: look.at].sum()) for look in looks] and len(shown.tables) == len(looks)
    valid = [sum(source & 1 for source, _, _ in look.ctr) for look in looks]
    assert [f": {count} valid" in table.title for count, table in zip(valid, shown.tables)] == [True] * len(looks)
    assert max(valid) > 3


def test_a_run_of_another_system_has_its_findings(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"ip": "adapter"}))
    (tmp_path / "result.json").write_text(json.dumps({
        "verdict": "FAIL", "clauses": {"X.1": [1, 1]}, "failures": [Failure("X.1", "wrong", 5).to_dict()]
    }))  # fmt: skip
    assert ip_of(tmp_path) == "adapter" and ip_of(tmp_path / "nowhere") == ""
    page = data_of(write(tmp_path) or tmp_path)
    assert [one["clause"] for one in page["findings"]] == ["X.1"] and page["counts"]["instructions"] == 0
    assert any("leaves no trace" in note for note in page["notes"])


def test_folders_that_cannot_be_shown_get_one_sentence(tmp_path):
    made, config = recording.load("traps", 64), CtrConfig()
    rows = CtrRows.of_transfers(
        Transfers.of_retired(made.retired, made.program, slots=config.transfers), config.transfers
    )
    folder = of_program(tmp_path / "ctr", rows, config, made)
    (folder / "rows.npz").write_bytes(b"PK")
    assert is_one_sentence(run("view", f"IN={folder}"), "cannot be shown")
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "result.json").write_text(json.dumps({"rerun": RERUN}))
    assert is_one_sentence(run("view", f"IN={empty}"), "make capture IP=ntrace SOURCE=program:sort")


def test_a_capture_of_another_version_is_shown_without_what_is_not_known(tmp_path):
    folder = write_capture(tmp_path / "out")
    options = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(options | {"of_the_future": 1}))
    done = run("view", f"IN={folder}")
    assert done.returncode == 0, done.stderr
    assert "of another version: of_the_future" in done.stdout
    assert data_of(folder / "view.html")["counts"]["instructions"] > 10


@pytest.mark.skipif(BROWSER is None, reason="no chromium here; sudo apt-get install chromium runs this test")
def test_the_page_leads_to_byte_instruction_and_waveform(tmp_path):
    folder = failing(tmp_path / "out")
    size = (folder / "trace.bin").stat().st_size
    np.savez(folder / "cycles.npz", bytes=10 * np.arange(size))
    waves = failing(tmp_path / "waves")
    (waves / "trace.gtkw").write_text(MARKER)
    with Browser(tmp_path) as browser:
        browser.window(1400, 900)
        browser.open(write(folder))
        browser.ready()
        detail = "document.getElementById('detail').textContent"
        said = browser.run(detail)
        assert "cycle42" in said and "instruction" in said and "expected" in said
        assert f"{RERUN} WAVES=1" in said
        assert browser.run("document.querySelectorAll('#bytes i.bad').length") > 0
        assert browser.run("traceView.axes") == ["insn", "cycle", "byte"]
        browser.run("traceView.search('cycle 41')")
        begins = browser.run("traceView.S.byte")
        assert begins * 10 >= 41 and browser.run("document.getElementById('hits').textContent").startswith("1 of 1")
        browser.open(write(waves))
        browser.ready()
        said = browser.run(detail)
        assert "gtkwave" in said and "marker at 4270" in said and "WAVES=1" not in said
        of_ctr(tmp_path / "ctr")
        browser.open(write(tmp_path / "ctr"))
        browser.ready()
        browser.run("traceView.selectTable(0)")
        assert "CTR entries at the end: 1 of 1" in browser.run(detail) and "direct call" in browser.run(detail)
        assert browser.run("document.getElementById('bytes').hidden")
        browser.run("traceView.selectMessage(3)")
        assert "source" in browser.run(detail) and "CTR entries" not in browser.run(detail)
        assert not browser.errors


def test_a_failing_run_of_the_example_leaves_its_page(tmp_path):
    out = tmp_path / "run"
    done = run("run", "DUT=acme_faulty", "SCENARIO=back_to_back_traps", "SIM=icarus", "MODE=btm", "INST_STALL_ENA=1",
               "ICNT_BITS=16", f"OUT={out}")  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert f"  view      {(out / 'view.html').as_uri()}" in done.stdout
    assert not (out / "beats.npz").exists(), "it does not declare the profile, so nothing is compared byte by byte"
    page = data_of(out / "view.html")
    finding = page["findings"][0]
    assert finding["clause"] == "NT.10.traps" and finding["message"] >= 0 and finding["cycle"] is not None
    view = write(out)
    assert view is not None and page["columns"]["messageCycle"]["n"] == page["counts"]["messages"]
