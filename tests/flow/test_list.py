# SPDX-License-Identifier: Apache-2.0
"""`make list` prints what it printed before as long as nothing changed that it could come from."""

from pathlib import Path

import pytest

from rvtrace.flow import overview
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.tools import list as tool


@pytest.fixture(autouse=True)
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines for which it was collected; the cache is one of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    calls: list[list[str]] = []

    def show(argv: list[str]) -> None:
        calls.append(argv)
        print("Programs", *argv)
        if "bad" in argv:
            raise ArgumentError("bad is not known")

    monkeypatch.setattr(overview, "show", show)
    return calls


def test_it_is_collected_once(shown: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert tool.main(["IP=ctr"]) == 0 and capsys.readouterr().out == "Programs IP=ctr\n"
    assert tool.main([]) == 0 and capsys.readouterr().out == "Programs\n"
    assert shown == [["IP=ctr"], []]


def test_what_fails_is_not_kept(shown: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with pytest.raises(ArgumentError):
            tool.main(["bad"])
        assert capsys.readouterr().out == "Programs bad\n"
    assert len(shown) == 2


@pytest.mark.parametrize("name", ["tb/ctr/bench.py", "tests/ctr/test_a.py", "data/programs/a.rv64.rec",
                                  "examples/a/dut.toml", "scoreboards/ctr/plan.toml"])  # fmt: skip
def test_a_file_that_changes_is_seen(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    keys = [tool.key([], tmp_path)]
    for text in ("one", "two", "one"):
        path.write_text(text)
        keys.append(tool.key([], tmp_path))
    assert len(set(keys)) == 3 and keys[1] == keys[3]
    path.unlink()
    assert tool.key([], tmp_path) == keys[0]
