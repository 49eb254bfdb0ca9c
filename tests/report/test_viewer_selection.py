# SPDX-License-Identifier: Apache-2.0
"""What is between the two cursors, as files: CSV, bytes of the trace, and the command that checks these bytes."""

import base64
import csv
import io
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest

from rvtrace.flow.captured.files import load
from rvtrace.jobs import front
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.encoder.encode import Encoder as NtraceEncoder
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.report import listing
from rvtrace.tb.common.stimulus.stimulus import traced
from tests.common.there import there
from tests.report.browser import BROWSER, Browser
from tests.tools.captures import ROOT, run

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here; sudo apt-get install chromium runs this test"
)
# Files that the page would save: name and content in base64, in place of a download.
KEEP = """(() => {
  window.kept = []; const blobs = new Map();
  URL.createObjectURL = (blob) => { const name = `blob:kept/${blobs.size}`; blobs.set(name, blob); return name; };
  HTMLAnchorElement.prototype.click = function () {
    kept.push(blobs.get(this.href).arrayBuffer().then((b) =>
      [this.download, btoa(Array.from(new Uint8Array(b), (x) => String.fromCharCode(x)).join(""))]));
  };
})()"""
CLICK = "[...document.querySelectorAll('#measured button')].forEach((one) => one.click()); Promise.all(window.kept)"
A, B = 6000, 13000


@pytest.fixture(scope="module", autouse=True)
def of_rvtrace() -> Iterator[None]:
    """Commands are those of `rvtrace`, whatever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(front.FRONT, "rvtrace")
        yield


def written(folder, config, encoder):
    """A program as a trace with periodic synchronization, so that a decoder can begin in the middle."""
    made = recording.load("traps", 64)
    retired = traced(made.retired, made.program)
    beats = to_beats(retired, lanes=config.blocks)
    beats.enable[1:] = 1
    folder.mkdir()
    (folder / "trace.bin").write_bytes(encoder(config).run(beats).data)
    made.program.to_elf(folder / "program.elf")
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    return folder


def rvtrace(*words):
    """The command as a user types it."""
    command = [sys.executable, "-m", "rvtrace.tools.cli", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    "config, encoder",
    [(NtraceConfig(inst_sync_mode=1), NtraceEncoder), (EtraceConfig(inst_sync_mode=1), EtraceEncoder)],
    ids=["ntrace", "etrace"],
)
def test_the_selection_as_csv_and_as_bytes_that_are_checked_again(tmp_path, config, encoder):
    folder = written(tmp_path / "out", config, encoder)
    assert rvtrace("view", folder, "--no-check").returncode == 0
    files = load({"IN": str(folder)})
    whole = there(listing.of(files.system.ip)).decode(files, 1 << 30, False)
    with Browser(tmp_path) as browser:
        browser.window(1440, 900)
        browser.open(folder / "view.html")
        browser.ready()
        browser.run(KEEP)
        browser.run(f"traceView.setCursor('a', {B}); traceView.setCursor('b', {A})")
        kept = {name: base64.b64decode(text) for name, text in browser.run(CLICK)}
        command = browser.run("document.querySelector('#measured code').textContent")
        assert not browser.errors
    table, of_messages = (list(csv.DictReader(io.StringIO(one.decode()))) for one in list(kept.values())[:2])
    assert [int(row["pc"], 16) for row in table] == whole.pcs[A:B].tolist()
    assert [int(row["instruction"]) for row in table] == list(range(A, B)) and table[0]["text"]
    assert any(row["event"].startswith("trap") for row in table)
    assert sum(int(row["bytes"]) for row in of_messages) > 100 and of_messages[0]["fields"]
    name, data = next((name, data) for name, data in kept.items() if name.endswith(".bin"))
    begin, end = (int(part, 16) for part in name.removesuffix(".bin").split("-")[-2:])
    assert data == files.data[begin:end] and 0 < begin < end < len(files.data), "it begins at a synchronization"
    (tmp_path / name).write_bytes(data)
    words = shlex.split(command)
    words = [str(tmp_path / name) if word == name else word for word in words]
    assert words[:2] == ["rvtrace", "check"] and str(tmp_path / name) in words
    done = rvtrace(*words[1:], "--out", tmp_path / "report")
    assert done.returncode == 0 and "PASS" in done.stdout, done.stdout + done.stderr
    part = load({"IN": str(folder), "TRACE": str(tmp_path / name)})
    pcs = there(listing.of(files.system.ip)).decode(part, 1 << 30, True).pcs
    assert len(pcs) >= B - A
    last = [n for n in range(B - 300, B + 300) if whole.pcs[n - 1000 : n].tolist() == pcs[-1000:].tolist()]
    assert last, "the part ends near the cursor"


def test_text_that_a_spreadsheet_would_run_stays_text(tmp_path):
    """A symbol of the program may be called anything."""
    folder = written(tmp_path / "out", NtraceConfig(), NtraceEncoder)
    program = there(load({"IN": str(folder)}).program)
    program.labels[:] = [(f'=cmd("{name}",1)', at) for name, at in program.labels]
    program.to_elf(folder / "program.elf")
    assert run("view", f"IN={folder}", "CHECK=0").returncode == 0
    with Browser(tmp_path) as browser:
        browser.open(folder / "view.html")
        browser.ready()
        browser.run(KEEP)
        browser.run("traceView.setCursor('a', 0); traceView.setCursor('b', 50)")
        kept = browser.run(CLICK)
    rows = list(csv.DictReader(io.StringIO(base64.b64decode(kept[0][1]).decode())))
    assert len(rows) == 50 and all(row["symbol"].startswith("'=cmd(") for row in rows)
