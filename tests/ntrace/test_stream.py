# SPDX-License-Identifier: Apache-2.0
"""A long trace that is cut into parts gives the verdict, and the listing, of the whole."""

import json
from pathlib import Path
from random import Random

import pytest

from rvtrace.flow.captured import judge as judging
from rvtrace.flow.captured import stream
from rvtrace.flow.captured.limits import Paths
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.scoreboards.ntrace.parts import parts as parts_of
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus
from rvtrace.tools import check_trace, decode

SIZE = 2000  # bytes of a part
OPTIONS = {
    "htm": {"mode": "htm"},
    "btm, a sync after few messages": {"mode": "btm", "inst_sync_mode": 1, "inst_sync_max": 3},
    "rc7 with time, ownership and source": {
        "mode": "htm", "variant": "rc7", "timestamp": 1, "ownership": 1, "src_bits": 3, "src_id": 2,
        "inst_sync_mode": 1, "inst_sync_max": 3,
    },
}  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Parts of a few messages, of files that are not long."""
    monkeypatch.setattr(stream, "SIZE", SIZE)
    monkeypatch.setattr(check_trace.Paths, "is_long", lambda *_: True)
    monkeypatch.setattr(decode, "LONG", 1)
    monkeypatch.setattr(decode, "PRINTED", SIZE)


def files(folder: Path, program: str, options: dict, damage: int, seed: int = 1) -> dict[str, str]:
    """The words of a trace of a program, several times over, with so many bits inverted."""
    config = Config.from_dict(options)
    what = stimulus(Job("stream", f"program:{program}", {"mode": config.mode, "variant": config.variant}))
    once = Encoder(config).run(what.beats).data
    data = bytearray(once * (12_000 // len(once) + 2))
    random = Random(f"{seed}:stream")
    for _ in range(damage):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    (folder / "t.bin").write_bytes(data)
    (folder / "t.json").write_text(json.dumps({**config.to_dict(), "ip": "ntrace"}))
    elf = ROOT / "data" / "programs" / f"{program}.rv64.elf"
    return {"TRACE": str(folder / "t.bin"), "ELF": str(elf), "CONFIG": str(folder / "t.json")}


def test_parts_cover_the_trace_and_begin_with_a_synchronizing_message(tmp_path: Path):
    given = files(tmp_path, "sort", OPTIONS["btm, a sync after few messages"], 0)
    path = Path(given["TRACE"])
    parts = list(parts_of(path, Config.from_dict(OPTIONS["btm, a sync after few messages"]), SIZE))
    assert len(parts) > 5 and parts[0].begin == 0 and parts[-1].own == parts[-1].end == path.stat().st_size
    for part, following in zip(parts, parts[1:]):
        assert part.cut == following.begin and part.own == following.begin + following.skip <= part.end


@pytest.mark.parametrize(
    ("options", "damage"), [*((name, 0) for name in OPTIONS), ("rc7 with time, ownership and source", 3)]
)
def test_the_verdict_is_that_of_the_whole(small, tmp_path: Path, options: str, damage: int):
    system, given = systems.bench("ntrace"), {**files(tmp_path, "traps", OPTIONS[options], damage), "IP": "ntrace"}
    paths = Paths.of(given, system)
    whole = judging.judge(given, paths, paths.load(given, system))
    assert bool(whole.verdict.failures) == bool(damage)
    parts = judging.judge_parts(given, paths.load(given, system, need_data=False), 1 + bool(damage))
    assert parts.verdict.book.results() == whole.verdict.book.results()
    assert parts.verdict.book.causes == whole.verdict.book.causes
    assert {f.headline for f in parts.verdict.failures} == {f.headline for f in whole.verdict.failures}
    assert parts.problem == whole.problem
    assert parts.verdict.book.judged == whole.verdict.book.judged
    assert parts.verdict.stats["reported"] == whole.verdict.stats["reported"]


def test_what_explains_a_whole_trace_explains_its_parts(small, tmp_path: Path):
    given = {**files(tmp_path, "sort", {"mode": "htm"}, 0), "IP": "ntrace"}
    Path(given["CONFIG"]).write_text(json.dumps({"ip": "ntrace", "mode": "btm"}))
    system, paths = systems.bench("ntrace"), Paths.of(given, systems.bench("ntrace"))
    whole = judging.judge(given, paths, paths.load(given, system))
    parts = judging.judge_parts(given, paths.load(given, system, need_data=False), 1)
    assert parts.verdict.book.causes == whole.verdict.book.causes == ["NT.7.9.htm_only"]


def test_what_explains_the_first_part_is_taken_for_the_others(small, tmp_path: Path, monkeypatch):
    given = {**files(tmp_path, "sort", {"mode": "htm"}, 0), "IP": "ntrace"}
    Path(given["CONFIG"]).write_text(json.dumps({"ip": "ntrace", "mode": "btm"}))
    monkeypatch.setattr(stream, "SEARCHED", 1)
    system, paths = systems.bench("ntrace"), Paths.of(given, systems.bench("ntrace"))
    parts = judging.judge_parts(given, paths.load(given, system, need_data=False), 2)
    assert parts.verdict.book.causes == ["NT.7.9.htm_only"] and parts.verdict.book.judged == 1


@pytest.mark.parametrize("words", [["MESSAGES=1"], ["PCS=1"], []], ids=["messages", "pcs", "both"])
def test_the_listing_is_that_of_the_whole(small, tmp_path: Path, capsys, monkeypatch, words: list[str]):
    given = files(tmp_path, "dispatch", OPTIONS["htm"], 2)
    if words == ["MESSAGES=1"]:
        given.pop("ELF")
    argv = ["IP=ntrace", *(f"{name}={value}" for name, value in given.items()), *words]
    code = decode.main([*argv, "N=2"])
    parts = capsys.readouterr()
    monkeypatch.setattr(decode, "LONG", 1 << 40)
    assert decode.main(argv) == code
    whole = capsys.readouterr()
    assert parts.out == whole.out and len(whole.out) > 10_000


def test_a_failure_is_said_at_once(small, tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr(stream, "SEARCHED", 0)
    given = files(tmp_path, "sort", OPTIONS["htm"], 3)
    argv = ["IP=ntrace", *(f"{name}={value}" for name, value in given.items()), f"OUT={tmp_path / 'out'}", "N=1"]
    assert check_trace.main(argv) == 1
    said = capsys.readouterr()
    assert said.err.startswith("FAIL NT") and "FAIL" in said.out
