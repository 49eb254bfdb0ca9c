# SPDX-License-Identifier: Apache-2.0
"""A tandem trace that is read in parts gives the verdict, report and listing of the whole, in bounded memory."""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rvtrace.flow.captured import judge as judging
from rvtrace.flow.captured import tandem_stream
from rvtrace.flow.captured.limits import Paths
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import Decoder, decode_parts
from rvtrace.models.tandem.decoder.decode import decode as decode_bytes
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.window import PINNED, Pieces, Window
from rvtrace.models.tandem.table import INIT, STATE
from rvtrace.models.tandem.verifier import state
from rvtrace.models.tandem.verifier.compare import MEMDATA_KEY
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.tandem import layout
from rvtrace.tools import check_replay, check_trace, decode
from tests.common.long import some
from tests.tandem.runs import config_of, reference, sections_of

PROGRAMS = ("crc", "dispatch", "recursion", "sort", "switch", "traps")
SMALL, NEAR = 900, 1500  # bytes of a part, and after a section in which others can explain it
LARGE = 1 << 24


@cache
def sent(name: str, xlen: int, rows: int, load: bool = True) -> bytes:
    """The bytes of a program's first rows, from the reset on, with or without those that load its memory."""
    sections = sections_of(name, config_of(xlen))
    loads = next(n for n, one in enumerate(sections) if n and one[1] != INIT)
    return b"".join([sections[0], *(sections[1:loads] if load else ()), *sections[loads : loads + rows]])


def cut_in(monkeypatch, size: int, far: int = NEAR) -> None:
    """Parts of so many bytes."""
    monkeypatch.setattr(tandem_stream, "CHUNK", size)
    monkeypatch.setattr(tandem_stream, "HEAD", size)
    monkeypatch.setattr(state, "FAR", far)
    monkeypatch.setattr(decode, "LONG", 1 if size < LARGE else LARGE)
    monkeypatch.setattr(decode, "PRINTED", size)


def words(folder: Path, name: str, xlen: int, data: bytes, config: Config | None = None) -> dict[str, str]:
    """The words of a trace of a program."""
    (folder / "t.bin").write_bytes(data)
    (folder / "t.json").write_text(json.dumps({**(config or config_of(xlen)).to_dict(), "ip": "tandem"}))
    elf = ROOT / "data" / "programs" / f"{name}.rv{xlen}.elf"
    return {"TRACE": str(folder / "t.bin"), "ELF": str(elf), "CONFIG": str(folder / "t.json")}


def judged(given: dict[str, str], parts: bool) -> dict[str, Any]:
    """All that a verdict says."""
    given = {**given, "IP": "tandem"}
    system, paths = systems.bench("tandem"), Paths.of(given, systems.bench("tandem"))
    if parts:
        made = judging.judge_parts(given, paths.load(given, system, need_data=False), 1)
    else:
        made = judging.judge(given, paths, paths.load(given, system))
    book = made.verdict.book
    return {
        "results": book.results(),
        "causes": book.causes,
        "failures": [(one.text(), one.cause, one.at) for one in book.failures],
        "damage": book.damage,
        "stats": made.verdict.stats,
        "problem": made.problem,
    }


def printed(capsys, main, given: dict[str, str], *more: str) -> tuple[int, list[str], list[str]]:
    """Exit code, lines without the time that it took, and errors."""
    code = main(["IP=tandem", *(f"{name}={value}" for name, value in given.items()), *more])
    said = capsys.readouterr()
    lines = [line.rsplit(" in ", 1)[0] if line[:4] in ("PASS", "FAIL") else line for line in said.out.splitlines()]
    return code, lines, [line for line in said.err.splitlines() if line.startswith("error")]


def same(monkeypatch, capsys, given: dict[str, str], size: int = SMALL) -> dict[str, Any]:
    """The verdict, after it was compared with that of the parts, and the report and listing with theirs."""
    cut_in(monkeypatch, LARGE, 1 << 16)
    whole = judged(given, False)
    replayed, listed = printed(capsys, check_replay.main, given, "MAX=9"), printed(capsys, decode.main, given)
    cut_in(monkeypatch, size)
    parts = judged(given, True)
    for name, value in whole.items():
        assert parts[name] == value, name
    assert printed(capsys, check_replay.main, given, "MAX=9") == replayed
    assert printed(capsys, decode.main, given, "N=1") == listed
    assert len(listed[1]) > 300
    return whole


def damaged(data: bytes, random: Random, times: int) -> bytes:
    """Bits inverted, bytes lost, bytes too many, and bytes of another place."""
    out = bytearray(data)
    for _ in range(times):
        at, how = random.randrange(len(out)), random.randrange(4)
        if how == 0:
            out[at] ^= 1 << random.randrange(8)
        elif how == 1:
            del out[at : at + random.randrange(1, 40)]
        else:
            begin = random.randrange(len(out))
            more = random.randbytes(random.randrange(1, 40)) if how == 2 else out[begin : begin + random.randrange(99)]
            out[at:at] = more
    return bytes(out)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_in_parts_is_as_the_whole(monkeypatch, capsys, tmp_path: Path, name: str):
    whole = same(monkeypatch, capsys, words(tmp_path, name, 64, sent(name, 64, 1200)), 4000)
    assert not whole["failures"] and whole["stats"]["judged"] > 1000


@pytest.mark.parametrize("seed", some(range(30), 7))
def test_a_damaged_trace_in_parts_is_as_the_whole(monkeypatch, capsys, tmp_path: Path, seed: int):
    random = Random(f"{seed}:tandem_stream")
    name, xlen = PROGRAMS[seed % 6], (64, 32)[seed // 6 % 2]
    data = damaged(sent(name, xlen, 240, load=seed % 4 > 0), random, random.choice((1, 2, 4, 12)))
    whole = same(monkeypatch, capsys, words(tmp_path, name, xlen, data))
    assert whole["results"]


def test_what_explains_all_bytes_explains_the_parts(monkeypatch, tmp_path: Path):
    data = bytearray(sent("traps", 64, 700))
    config = config_of(64)
    places = (part.items.base + part.items.starts for part in decode_parts([bytes(data)], config))
    for at in [int(one) for part_places in places for one in part_places]:
        if data[at] == STATE and data[at + 1] == 2:  # the pc with an identifier that does not exist
            data[at + 1] = 0x33
    given = words(tmp_path, "traps", 64, bytes(data))
    cut_in(monkeypatch, LARGE, 1 << 16)
    whole = judged(given, False)
    monkeypatch.setattr(layout, "AHEAD", 2000)
    cut_in(monkeypatch, SMALL)
    assert judged(given, True) == whole and "TV.legal.id" in whole["causes"]


def test_a_trace_that_reports_more_later_is_replayed_from_its_start(monkeypatch, capsys, tmp_path: Path):
    given = words(tmp_path, "traps", 64, sent("traps", 64, 1500))
    cut_in(monkeypatch, LARGE, 1 << 16)
    whole = judged(given, False)
    capsys.readouterr()
    cut_in(monkeypatch, 500)
    assert judged(given, True) == whole
    assert capsys.readouterr().err.count("it is replayed from its start") == 1
    cut_in(monkeypatch, 1 << 17)
    assert judged(given, True) == whole
    assert "replayed" not in capsys.readouterr().err


def wrong_early(name: str) -> bytes:
    """A trace whose first store after some instructions has other data."""
    data, config = bytearray(sent(name, 64, 1500)), config_of(64)
    found = decode_bytes(bytes(data), config)
    stores = found.change_offset[found.change_key == MEMDATA_KEY + 3]
    begin = found.offset[found.size > 0][100]
    data[int(stores[stores > begin][0]) + 3] ^= 4
    return bytes(data)


class Seen:
    """Chunks of a file, and how many of them were read when something was printed first."""

    def __init__(self, stream) -> None:
        self.read, self.at, self.stream = 0, -1, stream

    def chunks(self, path: Path):
        data = path.read_bytes()
        for at in range(0, len(data), SMALL):
            self.read += 1
            yield data[at : at + SMALL]

    def write(self, text: str) -> int:
        if "TV.verify.memdata" in text and self.at < 0:
            self.at = self.read
        return self.stream.write(text)

    def __getattr__(self, name: str):
        return getattr(self.stream, name)


@pytest.mark.parametrize("tool", ["check", "check REPLAY=1"])
def test_a_mismatch_is_printed_before_the_rest_is_read(monkeypatch, capsys, tmp_path: Path, tool: str):
    given = words(tmp_path, "sort", 64, wrong_early("sort"))
    cut_in(monkeypatch, SMALL)
    seen = Seen(sys.stderr)
    monkeypatch.setattr(sys, "stderr", seen)
    monkeypatch.setattr(tandem_stream, "_chunks", seen.chunks)
    monkeypatch.setattr(tandem_stream, "HEAD", 8 * SMALL)
    monkeypatch.setattr(tandem_stream, "LONG", 1)
    monkeypatch.setattr(Paths, "is_long", lambda *_: True)
    argv = [f"{name}={value}" for name, value in given.items()]
    if tool.endswith("REPLAY=1"):
        assert check_replay.main(argv) == 1
    else:
        assert check_trace.main(["IP=tandem", *argv, f"OUT={tmp_path / 'out'}"]) == 1
    total = -(-Path(given["TRACE"]).stat().st_size // SMALL)
    assert 0 < seen.at < total - 5 and seen.read >= total
    said = capsys.readouterr()
    assert "memdata" in said.err and "at fault" in said.out


def test_the_listing_begins_before_the_rest_is_read(monkeypatch, tmp_path: Path):
    given = words(tmp_path, "sort", 64, sent("sort", 64, 1500))
    cut_in(monkeypatch, SMALL)
    written: list[int] = []
    read = Decoder.feed
    monkeypatch.setattr(decode, "write", lambda lines: written.append(len("".join(lines))) or True)
    monkeypatch.setattr(Decoder, "feed", lambda self, data: written.append(0) or read(self, data))
    assert decode.main(["IP=tandem", "N=1", *(f"{name}={value}" for name, value in given.items())]) == 0
    assert any(written[1:10]) and written.count(0) > 20


@pytest.mark.parametrize("fill", [b"\0", b"\x01", b"\x0b"], ids=["zeros", "begins", "loads"])
def test_memory_is_bounded_whatever_the_bytes_are(monkeypatch, tmp_path: Path, fill: bytes):
    good, size = sent("crc", 64, 200), 2000
    given = words(tmp_path, "crc", 64, good + fill * 20_000 + good)
    cut_in(monkeypatch, size)
    held: list[int] = []
    plain = tandem_stream.windows

    def windows(parts):
        for part, window in plain(parts):
            held.append(window.held)
            yield part, window

    sections: list[int] = []
    pieces: list[int] = []
    extend = state.Replay.extend

    def extended(self, *given) -> None:
        extend(self, *given)
        sections.append(len(self.decoded))
        pieces.append(self.data.held)

    monkeypatch.setattr(tandem_stream, "windows", windows)
    monkeypatch.setattr(state.Replay, "extend", extended)
    found = judged(given, True)
    assert found["results"] and len(held) > 10
    assert max(held) < 5 * size and max(pieces) < 5 * size and max(sections) < 3 * size


def test_stores_of_damaged_bytes_outside_memory_are_not_kept():
    verifier = Verifier(reference(64), Profile.of(config_of(64)))
    verifier.replay.initialize(0x8000_0000, bytes(8))
    verifier.replay.initialize(0x1234_5678_9ABC_DEF0, bytes(8))
    assert list(verifier.replay.shadow.memory.pages) == [0x80000]


@pytest.mark.parametrize("times", [0, 6])
def test_what_a_trace_never_reports_does_not_slow_its_replay(monkeypatch, times: int):
    config, careful = config_of(64), Verifier._section
    data = damaged(sent("crc", 64, 1500), Random("fast"), times)
    profile = Profile.of(config)
    profile = replace(profile, absent=(*profile.absent, "eaddr", "priv"))
    decoded, looked = decode_bytes(data, config), []
    monkeypatch.setattr(Verifier, "_section", lambda self, k: looked.append(k) or careful(self, k))
    fast, slow = Verifier(reference(64), profile), Verifier(reference(64), profile)
    slow._fast = False
    report, seen = fast.run(decoded, data), len(looked)
    assert str(report) == str(slow.run(decoded, data)) and bool(report.findings) == bool(times)
    assert report.matched > 1000 and (times or seen < 0.3 * len(looked))


@pytest.mark.parametrize("size", [7, 1000])
def test_sections_fed_in_any_number_are_replayed_as_the_whole(size: int):
    config = config_of(64)
    data = damaged(sent("recursion", 64, 400), Random("sections"), 6)
    profile = Profile.of(config)
    whole = Verifier(reference(64), profile).run(decode_bytes(data, config), data)
    verifier, window = Verifier(reference(64), profile), Window()
    for part in decode_parts((data[at : at + size] for at in range(0, len(data), size)), config):
        window.append(part.data)
        report = verifier.feed(part.decoded, window, part.final)
    assert str(report) == str(whole) and whole.findings


def test_a_window_holds_what_was_not_dropped():
    window = Window()
    body = bytes(range(200))
    window.append(body[:150])
    window.drop(100)
    window.append(body[150:])
    assert len(window) == 200 and window.held == 100
    assert window[100:120] == body[100:120] and window[190:300] == body[190:] and window[100] == 100
    with pytest.raises(IndexError, match="0x63"):
        window[99]
    with pytest.raises(IndexError, match="0x5a"):
        window[90:120]


def test_a_window_keeps_what_follows_a_pinned_place():
    window, body = Window(), bytes(range(250))
    window.append(body[:50])
    window.drop(45, 20)
    assert window[20:40] == body[20:40], "not all that follows is there yet"
    window.append(body[50:])
    window.drop(200, 20)
    assert window[20 : 20 + PINNED] == body[20 : 20 + PINNED] and window[20] == 20 and window[200] == 200
    with pytest.raises(IndexError):
        window[20 : 21 + PINNED]
    assert window.held == 50 + PINNED


def test_pieces_are_found_by_their_offsets():
    pieces, body = Pieces(), bytes(range(200))
    pieces.append(10, body[10:50])
    pieces.append(100, body[100:150])
    assert pieces[10] == 10 and pieces[20:30] == body[20:30] and pieces[149] == 149 and pieces.held == 90
    pieces.drop(50)
    assert pieces.held == 50 and pieces[100:101] == body[100:101]
    with pytest.raises(IndexError, match="0x31"):
        pieces[49]


def test_the_sections_that_are_left_are_those_of_the_whole():
    decoded = decode_bytes(sent("sort", 64, 300), config_of(64))
    rest = decoded.since(200)
    assert list(rest.groups()) == list(decoded.groups(200))
    assert list(Decoded.concat([rest, decoded]).groups(len(rest))) == list(decoded.groups())
