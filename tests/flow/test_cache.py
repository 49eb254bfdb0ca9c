# SPDX-License-Identifier: Apache-2.0
"""What is kept for all checkouts of a user: an entry appears whole and stays as it is, old ones make room, and a folder
that cannot be written is done without.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rvtrace.flow import cache


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache folder of a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    yield tmp_path / "xdg" / "rvtrace"


def file(place: Path, text: str = "made", name: str = "image") -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(text)
    return place / name


def test_an_entry_comes_back_in_another_folder(tmp_path: Path) -> None:
    made = file(tmp_path / "one")
    made.chmod(0o755)
    assert not cache.fetch("key", ["image"], tmp_path / "two")
    assert cache.keep("key", [made])
    made.unlink()
    assert cache.fetch("key", ["image"], tmp_path / "two")
    assert (tmp_path / "two" / "image").read_text() == "made" and os.access(tmp_path / "two" / "image", os.X_OK)


def test_a_folder_is_kept_with_its_files(tmp_path: Path) -> None:
    file(tmp_path / "one" / "headers", "a", "fast")
    cache.keep("key", [tmp_path / "one" / "headers"])
    assert cache.fetch("key", ["headers"], tmp_path / "two")
    assert (tmp_path / "two" / "headers" / "fast").read_text() == "a"


def test_the_first_of_two_stays(tmp_path: Path, home: Path) -> None:
    """Both are of the same key: who ends second must not change what others have linked."""
    cache.keep("key", [file(tmp_path / "one", "first")])
    assert cache.keep("key", [file(tmp_path / "two", "second")])
    assert cache.fetch("key", ["image"], tmp_path / "three")
    assert (tmp_path / "three" / "image").read_text() == "first"
    assert not list((home / "part").iterdir()), "what was begun is removed"


def test_an_entry_that_lacks_a_file_is_none(tmp_path: Path) -> None:
    cache.keep("key", [file(tmp_path / "one")])
    assert not cache.fetch("key", ["image", "log"], tmp_path / "two")
    assert not list((tmp_path / "two").iterdir()), "what is written there next must not be written into the entry"


def test_those_not_used_for_longest_make_room(tmp_path: Path) -> None:
    for number, name in enumerate("abc"):
        entry = cache.keep(name, [file(tmp_path / name, "x" * 1000)])
        assert entry is not None
        os.utime(entry, (1e9 + number, 1e9 + number))
    assert cache.find("a") is not None  # used now
    assert cache.keep("d", [file(tmp_path / "d", "x" * 1000)], limit=2500)
    assert [name for name in "abcd" if cache.find(name)] == ["a", "d"]
    assert cache.keep("e", [file(tmp_path / "e", "x" * 5000)], limit=2500), "the newest stays, however large it is"
    assert [name for name in "abcde" if cache.find(name)] == ["e"]


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(file(tmp_path)))  # a file
    assert cache.folder() is None and cache.keep("key", [tmp_path / "image"]) is None
    assert cache.find("key") is None and not cache.fetch("key", ["image"], tmp_path) and cache.seconds("key") is None
    cache.took("key", 1.0)
    with cache.making("key"):
        pass
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "cannot be used" in said and "builds are kept in build/ alone" in said


def test_a_relative_place_counts_for_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.home() == tmp_path / ".cache" / "rvtrace"


def test_how_long_it_took_is_known_the_next_time() -> None:
    assert cache.seconds("key") is None
    cache.took("key", 12.34)
    assert cache.seconds("key") == 12.3


def test_one_process_at_a_time_makes_an_entry(tmp_path: Path) -> None:
    """Each appends two lines to a file; none comes between those of another."""
    code = (
        "import sys, time\nfrom rvtrace.flow import cache\n"
        "for _ in range(5):\n"
        "    with cache.making('key'), open(sys.argv[1], 'a') as out:\n"
        "        out.write(sys.argv[2]); out.flush(); time.sleep(0.01); out.write(sys.argv[2] + '\\n'); out.flush()\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "out"), name]) for name in "ab"]
    assert [process.wait() for process in both] == [0, 0]
    assert sorted((tmp_path / "out").read_text().split()) == ["aa"] * 5 + ["bb"] * 5
