# SPDX-License-Identifier: Apache-2.0
"""What a command refuses to write: an input, a tracked file, files of somebody else, a place that cannot be written."""

import shutil
import subprocess
from pathlib import Path

import pytest

from rvtrace.jobs.arguments import parse
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
