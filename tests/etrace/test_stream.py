# SPDX-License-Identifier: Apache-2.0
"""A long E-Trace that is cut into parts gives the verdict, and the listing, of the whole."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rvtrace.flow.captured import judge as judging
from rvtrace.flow.captured import stream
from rvtrace.flow.captured.limits import Paths, longest
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.models.etrace.codec import pack, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import Packet
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.common.judge import CaptureError
from rvtrace.scoreboards.etrace import hypotheses
from rvtrace.scoreboards.etrace import parts as etrace_parts
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from rvtrace.tools import check_trace, decode
from tests.common.long import some

SIZE = 1500  # bytes of a part
SYNC = {"inst_sync_mode": 1, "inst_sync_max": 1}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": SYNC,
    "all that compresses, with source": {
        **SYNC, "branch_prediction": 1, "jump_target_cache": 1, "implicit_return": 1, "sijump": 1, "index_width": 8,
    },
    "zeros, time, a timestamp": {**SYNC, "framing": "zeros", "timestamp": 1, "notime_p": 0},
    "blocks and a cache": {**SYNC, "framing": "blocks", "block_bytes": 256, "jump_target_cache": 1},
    "ATB, blocks": {**SYNC, "encapsulation": "atb", "framing": "blocks", "block_bytes": 128},
    "draft, a counter": {
        **SYNC, "variant": "draft_0_026", "branch_prediction": 1, "bcount_bits": 16, "return_stack_size_p": 0,
        "call_counter_size_p": 4, "implicit_return": 1,
    },
}  # fmt: skip
MOVED = ("ET.tra.", "ET.pay.type_length")  # clauses that are checked in the transported bytes


@pytest.fixture
def small(monkeypatch):
    """Parts of a few packets, of files that are not long."""
    monkeypatch.setattr(stream, "SIZE", 4 * SIZE)
    monkeypatch.setattr(etrace_parts, "TAIL", 100)
    monkeypatch.setattr(check_trace.Paths, "is_long", lambda *_: True)
    monkeypatch.setattr(decode, "LONG", 1)
    monkeypatch.setattr(decode, "PRINTED", 4 * SIZE)


@cache
def _packets(program: str, options: str) -> tuple[Config, tuple[bytes, ...]]:
    """The packets of a program, several times over."""
    what = stimulus(Job("stream", f"program:{program}", dict(OPTIONS[options]), ip="etrace"))
    payloads = Encoder(what.config).run(what.beats).payloads
    return what.config, tuple(payloads * (6000 // sum(map(len, payloads)) + 2))


def files(
    folder: Path,
    options: str,
    damage: int = 0,
    program: str = "traps",
    seed: int = 1,
    change: Callable[[list[bytes], Config], list[bytes]] | None = None,
) -> dict[str, str]:
    """The words of a trace with so many bits inverted. change: of the packets, before they are transported."""
    config, packets = _packets(program, options)
    payloads = list(packets) if change is None else change(list(packets), config)
    starts = [payload[0] & 15 == 3 for payload in payloads]
    data = bytearray(encapsulate(payloads, starts, [0] * len(payloads), config))
    random = Random(f"{seed}:stream")
    for _ in range(damage):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    (folder / "t.bin").write_bytes(data)
    (folder / "t.json").write_text(json.dumps({**config.to_dict(), "ip": "etrace"}))
    elf = ROOT / "data" / "programs" / f"{program}.rv64.elf"
    return {"TRACE": str(folder / "t.bin"), "ELF": str(elf), "CONFIG": str(folder / "t.json"), "IP": "etrace"}


def in_parts(given: dict[str, str], processes: int = 1) -> judging.Judged:
    """The verdict in parts."""
    system = systems.bench("etrace")
    return judging.judge_parts(given, Paths.of(given, system).load(given, system, need_data=False), processes)


def verdicts(given: dict[str, str], processes: int = 1) -> tuple[judging.Judged, judging.Judged]:
    """Of the whole, and in parts."""
    system = systems.bench("etrace")
    paths = Paths.of(given, system)
    return judging.judge(given, paths, paths.load(given, system)), in_parts(given, processes)


def agree(whole: judging.Judged, parts: judging.Judged) -> None:
    """The same verdict. Where bytes are no packet, the transport of the whole is not judged, that of other parts is."""
    book, expected = parts.verdict.book, whole.verdict.book
    stopped = any(f.at is None and f.clause.startswith("ET.tra.") for f in whole.verdict.failures)
    left = [
        {name: count for name, count in one.results().items() if not (stopped and name.startswith(MOVED))}
        for one in (book, expected)
    ]
    assert left[0] == left[1]
    assert parts.problem == whole.problem and book.judged == expected.judged
    found, due = ({(f.clause, f.headline, f.cause) for f in one.verdict.failures} for one in (parts, whole))
    assert found >= due and all(stopped and clause.startswith(MOVED) for clause, _, _ in found - due)
    for name in ("reported", "messages", "instructions", "bytes"):
        assert parts.verdict.stats[name] == whole.verdict.stats[name]


@pytest.mark.parametrize("options", OPTIONS)
def test_parts_cover_the_trace_and_begin_where_a_decoder_may(small, tmp_path: Path, options: str):
    given, config = files(tmp_path, options), _packets("traps", options)[0]
    path, program = Path(given["TRACE"]), Program.from_elf(given["ELF"])
    parts = list(etrace_parts.parts(path, config, program, SIZE))
    payloads, offsets, _ = deframe(path.read_bytes(), config)
    assert len(parts) > 4 and parts[0].begin == 0 and parts[-1].own == parts[-1].end == path.stat().st_size
    for part, following in zip(parts, parts[1:]):
        assert part.cut == following.begin and part.own == following.begin + following.skip <= part.end
        assert part.end == following.seen and part.after == following.packet + 1
        assert offsets[following.packet] == following.begin
        packet = unpack(payloads[following.packet], config)
        assert packet.name in ("start", "trap")
        insn = program.code[packet.values["address"] << config.iaddress_lsb_p]
        assert insn is not None and insn.flow is not Flow.UNINFERABLE
        supports = [p for p in payloads[: following.packet] if p[0] & 15 == 15]
        assert following.support == supports[-1]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_verdict_is_that_of_the_whole(small, tmp_path: Path, options: str):
    whole, parts = verdicts(files(tmp_path, options), 2)
    assert whole.verdict.passed and whole.verdict.book.judged == 1
    agree(whole, parts)


@pytest.mark.parametrize("seed", some(range(10), 2))
def test_the_verdict_of_a_damaged_trace_is_that_of_the_whole(small, tmp_path: Path, seed: int):
    options = list(OPTIONS)[seed % len(OPTIONS)]
    agree(*verdicts(files(tmp_path, options, 1 + seed % 3, ("traps", "sort")[seed // 5], seed)))


def _wrong_option(payloads: list[bytes], config: Config) -> list[bytes]:
    """One packet more, of an option that is off."""
    values = {"format": 0, "subformat": 1, "index": 1, "branches": 0, "irreport": 0}
    cached = pack(Packet("jump_target", values), config, {**config.options, "jump_target_cache": 1})
    middle = len(payloads) // 2
    return [*payloads[:middle], cached, *payloads[middle:]]


def test_a_single_wrong_packet_is_found_once_with_its_number_and_what_came_before(small, tmp_path: Path):
    whole, parts = verdicts(files(tmp_path, "plain", change=_wrong_option))
    agree(whole, parts)
    assert not whole.verdict.passed
    of = {f.headline: f for f in whole.verdict.failures}
    for failure in parts.verdict.failures:
        assert of[failure.headline].before[-len(failure.before) :] == failure.before
        assert of[failure.headline].pc == failure.pc


def test_cache_indices_are_judged_where_the_decoder_followed(small, tmp_path: Path):
    clause, options = "ET.opt.cache", "blocks and a cache"
    undamaged = verdicts(files(tmp_path, options, program="sort"))[0].verdict.book.results()[clause]
    whole, parts = verdicts(files(tmp_path, options, program="sort", change=_lost_in_the_middle))
    assert whole.verdict.failures and parts.verdict.failures
    agree(whole, parts)
    assert undamaged[0] - 64 < whole.verdict.book.results()[clause][0] < undamaged[0] - 1 and undamaged[0] > 1000


def _lost_in_the_middle(payloads: list[bytes], config: Config) -> list[bytes]:
    """The first of the packets after the middle that is an index of the cache is no packet any more."""
    middle = next(n for n in range(len(payloads) // 2, len(payloads)) if payloads[n][0] & 7 == 4)
    return [*payloads[:middle], bytes(20) + b"\x55", *payloads[middle + 1 :]]


def _ended(payloads: list[bytes], config: Config) -> list[bytes]:
    """The second support packet says that the encoder is off, and trace goes on all the same."""
    place = [n for n, payload in enumerate(payloads) if payload[0] & 15 == 15][1]
    packet = unpack(payloads[place], config)
    packet.values |= {"ienable": 0}
    return [*payloads[:place], pack(packet, config), *payloads[place + 1 :]]


def test_what_support_packets_say_is_known_to_the_parts_after_them(small, tmp_path: Path):
    whole, parts = verdicts(files(tmp_path, "plain", change=_ended))
    assert whole.verdict.book.results()["ET.alg.enable"][0] > 3
    agree(whole, parts)


@pytest.fixture
def few(monkeypatch):
    """Only another transport is tried."""
    monkeypatch.setattr(hypotheses, "OPTIONS", ())
    monkeypatch.setattr(hypotheses, "dialects", lambda *_: ())


def test_what_explains_the_beginning_is_taken_for_all(small, few, tmp_path: Path):
    given = files(tmp_path, "plain", program="sort")
    options = json.loads(Path(given["CONFIG"]).read_text())
    Path(given["CONFIG"]).write_text(json.dumps({**options, "index_width": 8}))
    parts = in_parts(given)
    assert parts.verdict.book.causes == ["ET.tra.index"] and not parts.part
    assert parts.verdict.book.judged == 1 and parts.verdict.book.results()["ET.tra.index"] == [1, 1]
    assert parts.verdict.failures[0].headline.startswith("the trace decodes with INDEX_WIDTH=0; INDEX_WIDTH=8 was")


def test_of_a_trace_with_another_layout_the_beginning_is_judged(small, few, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(stream, "HEAD", 3000)
    given = files(tmp_path, "plain", program="sort")
    path = Path(given["TRACE"])
    payloads = deframe(path.read_bytes(), Config.from_dict(OPTIONS["plain"]))[0]
    path.write_bytes(b"".join(bytes([len(payload) + 1]) + payload for payload in payloads))
    parts = in_parts(given)
    assert "ET.tra.messaging" in parts.verdict.book.causes
    assert "the length counts the header as well" in parts.verdict.failures[0].headline
    assert parts.part.startswith("bytes 0 to 3,000 of ")


def test_a_part_that_is_too_large_is_refused_with_a_way_out(small, few, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(etrace_parts, "READ", 1000)
    given = files(tmp_path, "plain", change=lambda payloads, _: payloads[:2] + payloads[2:3] * 10_000)
    system = systems.bench("etrace")
    loaded = Paths.of(given, system).load(given, system, need_data=False)
    with pytest.raises(
        CaptureError, match="no synchronization packet .*; switch periodic synchronization on .* give N=1"
    ):
        judging.judge_parts(given, loaded, 1, 2000)
    assert 10 * 1_000_000 > longest(system, 4096, 2) > 5 * 1_000_000


def test_a_trace_of_another_program_that_cannot_be_cut_is_said_to_be_one(small, few, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(etrace_parts, "_may_begin", lambda *_: False)  # as if its addresses were elsewhere
    monkeypatch.setattr(etrace_parts, "READ", 1000)
    monkeypatch.setattr(stream, "HEAD", 3000)
    given = files(tmp_path, "plain")
    given["ELF"] = given["ELF"].replace("traps", "crc")
    system = systems.bench("etrace")
    loaded = Paths.of(given, system).load(given, system, need_data=False)
    parts = judging.judge_parts(given, loaded, 1, 2000)
    assert parts.problem.startswith("t.bin does not fit crc.rv64.elf") and parts.verdict.failures
    assert parts.part == f"bytes 0 to 3,000 of {loaded.size:,}"


@pytest.mark.parametrize("words", [["MESSAGES=1"], ["PCS=1"], []], ids=["messages", "pcs", "both"])
@pytest.mark.parametrize("options", ["zeros, time, a timestamp", "ATB, blocks", "all that compresses, with source"])
def test_the_listing_is_that_of_the_whole(small, tmp_path: Path, capsys, monkeypatch, words: list[str], options: str):
    given = files(tmp_path, options, 2, "sort")
    given.pop("IP")
    if words == ["MESSAGES=1"]:
        given.pop("ELF")
    argv = ["IP=etrace", *(f"{name}={value}" for name, value in given.items()), *words]
    code = decode.main([*argv, "N=1"])
    parts = capsys.readouterr()
    monkeypatch.setattr(decode, "LONG", 1 << 40)
    monkeypatch.setattr(decode, "_otherwise", lambda _: None)
    assert decode.main(argv) == code
    whole = capsys.readouterr()
    assert parts.out == whole.out and len(whole.out) > 10_000
    assert parts.err.endswith(whole.err)


def test_a_failure_is_said_at_once(small, tmp_path: Path, capsys):
    given = files(tmp_path, "plain", 3)
    argv = [*(f"{name}={value}" for name, value in given.items()), f"OUT={tmp_path / 'out'}", "N=1"]
    assert check_trace.main(argv) == 1
    said = capsys.readouterr()
    assert said.err.startswith("FAIL ET") and "FAIL" in said.out
