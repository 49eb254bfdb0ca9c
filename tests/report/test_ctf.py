# SPDX-License-Identifier: Apache-2.0
"""The trace in the Common Trace Format, read by babeltrace2; and as tables, read by pyarrow."""

import re
import subprocess
from shutil import which

import numpy as np
import pytest

from rvtrace.flow.captured.files import load
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.report import ctf as ctf_files
from rvtrace.report import listing, tables
from rvtrace.report.viewer_cycles import Cycles
from tests.common.there import there
from tests.report.viewer_captures import capture
from tests.tools.captures import is_one_sentence, run, write_capture, write_etrace_capture
from tests.tools.test_check_trace import write_tandem_capture

READER = which("babeltrace2")
needs_reader = pytest.mark.skipif(
    READER is None, reason="no babeltrace2 here; sudo apt-get install babeltrace2 runs this test"
)
LINE = re.compile(r"\[(\d+)\] \(\+[^)]*\) (\w+): \{ (.*) \}$")
FIELD = re.compile(r'(\w+) = (?:\( "((?:[^"\\]|\\.)*)" : container = \d+ \)|(0x[0-9A-F]+|\d+))')


def read(folder):
    """What babeltrace2 makes of it: (time, name, fields) of each event."""
    command = [there(READER), "--clock-cycles", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert not done.stderr
    found = []
    for line in done.stdout.splitlines():
        at, name, fields = there(LINE.match(line)).groups()
        values = {key: text if number == "" else int(number, 0) for key, text, number in FIELD.findall(fields)}
        found.append((int(at), name, values))
    return found


def shown_of(folder):
    """The trace as the decoder gives it."""
    files = load({"IN": str(folder)})
    return listing.viewed(files, there(listing.of(files.system.ip)).decode(files, 1 << 30, False))


@needs_reader
@pytest.mark.parametrize("write", [write_capture, write_etrace_capture, write_tandem_capture])
def test_another_reader_finds_what_the_decoder_found(tmp_path, write):
    folder = tmp_path / "out"
    write(folder)
    done = run("decode", f"IN={folder}", "EXPORT=ctf")
    assert done.returncode == 0 and f"{folder}/ctf" in done.stdout, done.stderr
    shown, found = shown_of(folder), read(folder / "ctf")
    assert [at for at, *_ in found] == sorted(at for at, *_ in found)
    messages = sorted((one for _, name, one in found if name == "message"), key=lambda one: one["number"])
    assert [one["offset"] for one in messages] == shown.messages.offset.tolist()
    assert [one["length"] for one in messages] == shown.messages.length.tolist()
    assert [one["name"] for one in messages] == [shown.messages.shapes[k].name for k in shown.messages.shape]
    events = [(one["instruction"], one["text"]) for _, name, one in found if name == "event"]
    assert sorted(events) == sorted((e.index, f"{e.kind} {e.text}".strip()) for e in shown.events) and events
    assert [(one["instruction"], one["text"]) for _, name, one in found if name == "privilege"] == shown.priv


@needs_reader
def test_calls_are_nested_and_of_their_functions(tmp_path):
    capture(tmp_path, "traps")
    files = load({"IN": str(tmp_path)})
    shown = listing.viewed(files, decode(files.data, there(files.program), files.config))
    shown.cycles = Cycles(np.zeros(0, np.int64), np.arange(len(shown.rows)) // 3)  # three instructions in a cycle
    for name, data in ctf_files.ctf(shown, 'a "title"\x07 \\ \u00e9').items():
        (tmp_path / "ctf").mkdir(exist_ok=True)
        (tmp_path / "ctf" / name).write_bytes(data)
    frames, pcs = shown.frames(), shown.codes.columns().pc[shown.rows]
    stack, closed = [], []
    for at, name, fields in read(tmp_path / "ctf"):
        if name == "func_entry":
            assert fields["depth"] == len(stack) and at == fields["instruction"] // 3
            assert fields["addr"] == pcs[fields["instruction"]]
            stack.append((fields["function"], fields["instruction"]))
        elif name == "func_exit":
            function, begin = stack.pop()
            assert fields["function"] == function
            closed.append((begin, fields["instruction"]))
    assert not stack and sorted(closed) == sorted(zip(frames.begin.tolist(), frames.end.tolist())) and len(closed) > 100


def test_long_traces_have_several_packets_and_nothing_has_none(tmp_path, monkeypatch):
    capture(tmp_path, "traps")
    files = load({"IN": str(tmp_path)})
    shown = listing.viewed(files, decode(files.data, there(files.program), files.config))
    whole = ctf_files.ctf(shown, "x")["stream"]
    monkeypatch.setattr(ctf_files, "PACKET", 4096)
    parts = ctf_files.ctf(shown, "x")["stream"]
    magic = ctf_files.MAGIC.to_bytes(4, "little")
    assert whole.count(magic) == 1 and len(parts) // 4300 <= parts.count(magic) <= len(parts) // 3000
    if READER is not None:
        for number, stream in enumerate((whole, parts)):
            (tmp_path / f"ctf{number}").mkdir()
            (tmp_path / f"ctf{number}" / "metadata").write_bytes(ctf_files.ctf(shown, "x")["metadata"])
            (tmp_path / f"ctf{number}" / "stream").write_bytes(stream)
        monkeypatch.undo()
        (tmp_path / "ctf0" / "metadata").write_bytes(ctf_files.ctf(shown, "x")["metadata"])
        assert read(tmp_path / "ctf0") == read(tmp_path / "ctf1")


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    folder = write_capture(tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    assert is_one_sentence(run("decode", f"IN={folder}", "EXPORT=ctf", f"FILE={tmp_path / 'mine'}"), "thesis.txt")
    (tmp_path / "file").write_text("x")
    assert is_one_sentence(run("decode", f"IN={folder}", "EXPORT=ctf", f"FILE={tmp_path / 'file'}"), "is a file")
    assert is_one_sentence(run("decode", f"IN={folder}", "EXPORT=xml"), "EXPORT=ctf or parquet or arrow")


def test_without_a_library_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(tables, "WRITERS", ("no_such_library",))
    with pytest.raises(ArgumentError, match="pip install pyarrow"):
        tables.installed()


@pytest.mark.parametrize("form", tables.FORMATS)
@pytest.mark.parametrize("writer", tables.WRITERS)
def test_tables_hold_what_the_decoder_found(tmp_path, monkeypatch, form, writer):
    arrow = pytest.importorskip("pyarrow", reason="no pyarrow here; pip install pyarrow runs this test")
    pytest.importorskip(writer, reason=f"no {writer} here; pip install {writer} runs this test")
    monkeypatch.setattr(tables, "WRITERS", (writer,))
    shown = shown_of(write_capture(tmp_path / "out"))
    paths = tables.write(shown, tmp_path / "tables", form)
    assert [path.name for path in paths] == [f"instructions.{form}", f"messages.{form}"]
    if form == "parquet":
        found = [__import__("pyarrow.parquet", fromlist=["x"]).read_table(path).to_pydict() for path in paths]
    else:
        found = [arrow.ipc.open_file(path).read_all().to_pydict() for path in paths]
    instructions, messages = found
    assert instructions["pc"] == shown.codes.columns().pc[shown.rows].tolist()
    assert set(instructions["function"]) >= {"main", "loop", "leaf"} and "c.nop" in instructions["text"]
    assert messages["byte"] == shown.messages.offset.tolist()
    assert messages["name"] == [shown.messages.shapes[k].name for k in shown.messages.shape]
    assert sum(messages["instructions"]) + messages["instruction"][0] == len(shown.rows)
