# SPDX-License-Identifier: Apache-2.0
"""What a command refuses to write: an input, a tracked file, files of somebody else, a place that cannot be written."""

import errno
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from rvtrace.jobs.arguments import parse
from rvtrace.jobs.files import at_once, write
from rvtrace.jobs.outputs import OutputError

KNOWN = {"TRACE": "", "ELF": "", "PAGE": "", "OUT": "", "JUNIT": ""}
WRITES = ("PAGE", "OUT", "JUNIT")


def refused(**words: Path) -> str:
    """The sentence with which words are refused; "" if they are not."""
    try:
        parse([f"{name}={path}" for name, path in words.items()], KNOWN, writes=WRITES)
    except OutputError as error:
        return str(error)
    return ""


@pytest.fixture
def files(tmp_path):
    """A folder with a trace and a program."""
    for name in ("t.bin", "p.elf"):
        (tmp_path / name).write_bytes(b"1")
    return tmp_path


def test_an_input_is_not_overwritten_by_any_name_of_it(files):
    (files / "link").symlink_to(files / "t.bin")
    for name in (files / "t.bin", files / "link", files / "x" / ".." / "t.bin"):
        (files / "x").mkdir(exist_ok=True)
        assert "is also TRACE=, and would be overwritten" in refused(TRACE=files / "t.bin", PAGE=name)
    assert not refused(TRACE=files / "t.bin", ELF=files / "p.elf", PAGE=files / "view.html")


def test_two_outputs_are_not_one_file(files):
    (files / "o.xml").touch()
    assert "is written as JUNIT= as well" in refused(PAGE=files / "o.xml", JUNIT=files / "o.xml")


def test_what_git_tracks_is_not_overwritten(files):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    inside = files / "docs"
    inside.mkdir()
    (inside / "page.md").touch()
    for words in (["init", "-q"], ["add", "docs"]):
        subprocess.run(["git", "-C", str(files), *words], check=True)
    for where in (inside, inside / "page.md"):
        word = "OUT" if where == inside else "PAGE"
        assert "page.md, which git tracks" in refused(**{word: where})
    assert not refused(OUT=files / "new") and not refused(PAGE=files / "p.html")


def test_a_folder_of_somebody_else_is_not_overwritten(files):
    (files / "index.html").touch()
    assert "has another index.html than ours" in refused(OUT=files)
    (files / "compliance.json").touch()
    assert not refused(OUT=files), "a report is written again"


def test_a_place_that_cannot_be_written_is_said_before_the_work(files):
    assert f"cannot be written: {files / 't.bin'} is a file" in refused(OUT=files / "t.bin" / "out")
    assert not refused(OUT=files / "a" / "b")


def test_words_of_inputs_are_not_looked_at(files):
    assert not refused(TRACE=files / "t.bin", ELF=files / "t.bin")


@pytest.fixture
def full(tmp_path, monkeypatch):
    """A disk without space, as whoever writes sees it."""

    def refuse(self, *args, **more):
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    return tmp_path


def test_a_full_disk_is_said_before_the_work(files, monkeypatch):
    def none(*args, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", none)
    assert "cannot be written" in refused(OUT=files / "new") and "No space left" in refused(PAGE=files / "new.html")
    assert not refused(PAGE=Path("/dev/null")) and not refused(TRACE=files / "t.bin")


def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path):
    path = tmp_path / "a" / "page.html"
    write(path, "old")
    path.chmod(0o640)
    (tmp_path / "link").symlink_to(path)

    def breaks(part):
        part.write_text("ha")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"page\.html"):
        at_once(path, breaks)
    assert path.read_text() == "old" and [one.name for one in path.parent.iterdir()] == ["page.html"]
    write(tmp_path / "link", "new")
    assert path.read_text() == "new" and (tmp_path / "link").is_symlink() and path.stat().st_mode & 0o777 == 0o640
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write(tmp_path / "pipe", "through")
    assert os.read(reader, 100) == b"through" and (tmp_path / "pipe").is_fifo()
    os.close(reader)


def test_the_verdict_is_said_whatever_happens_to_the_report(full, capsys):
    from rvtrace.report import compliance, page

    with pytest.raises(OSError, match="No space"):
        page.write(full / "results", full / "report")
    assert capsys.readouterr().out.startswith("FAIL  ")
    subject = compliance.Subject("mine", "hpm", "counters", {}, {}, {})
    with pytest.raises(OSError, match="No space"):
        compliance.write(subject, [], [], full / "report")
    assert "  " in capsys.readouterr().out.splitlines()[0]
