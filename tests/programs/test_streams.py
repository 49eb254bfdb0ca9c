# SPDX-License-Identifier: Apache-2.0
"""A run in parts, with the state of the encoder carried on: the same bytes as in one piece, decoded as it comes."""

import random

import numpy as np
import pytest

from rvtrace.flow.programs import compile, package, scale, streams
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.models.common import native
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.encoder.encode import encode as etrace_encode
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.encoder.encode import encode as ntrace_encode
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.retired import Retired
from tools import figures_scale as tool

pytest.importorskip("numba", reason="a run in parts needs Numba")
PROGRAMS = ("sort", "recursion", "dispatch", "traps")
SYNC = {"inst_sync_mode": 1, "inst_sync_max": 0}
ETRACE = {
    "plain": {},
    "all": {"implicit_return": 1, "branch_prediction": 1, "jump_target_cache": 1, "sijump": 1},
    "sync": SYNC,
    "all, sync": {"implicit_return": 1, "branch_prediction": 1, "jump_target_cache": 1} | SYNC,
    "draft": {"variant": "draft_0_026", "implicit_return": 1, "branch_prediction": 1},
}
NTRACE = {
    "BTM": {"mode": "btm"},
    "HTM": {"mode": "htm"},
    "both": {"mode": "htm", "implicit_return": 3, "repeated_history": 1, "repeat_branch": 1},
    "both, sync": {"mode": "htm", "implicit_return": 3, "repeated_history": 1} | SYNC,
}


def cut(retired: Retired, seed: str, most: int) -> list[Retired]:
    """At places chosen at random, before instructions only; the rows of traps stay with what comes before."""
    rng, at, places = random.Random(seed), 0, [0]
    while (at := at + rng.randint(1, most)) < len(retired) - 2:
        while at < len(retired) - 2 and (retired.kind[at] != 0 or retired.kind[at - 1] != 0):
            at += 1
        places.append(at)
    return [retired.select(slice(begin, end)) for begin, end in zip(places, [*places[1:], len(retired)])]


def in_parts(stream, parts: list[Retired], program, config) -> streams.Piece:
    """All pieces together."""
    last = len(parts) - 1
    pieces = [
        stream.feed(streams.beats_of(part, program, config, k == 0, k == last), k == last)
        for k, part in enumerate(parts)
    ]
    return streams.joined(pieces)


@pytest.mark.parametrize("options", ETRACE.values(), ids=ETRACE)
@pytest.mark.parametrize("name", PROGRAMS)
def test_etrace_in_parts_is_etrace_in_one(name: str, options: dict) -> None:
    run = recording.load(name, 64)
    config = EtraceConfig.from_dict({"iaddress_width_p": 64, **options})
    with native.using(True):
        whole = etrace_encode(streams.beats_of(run.retired, run.program, config, True, True), config)
        for most in (2000, 30000):
            parts = cut(run.retired, f"{name}:{most}", most)
            found = in_parts(streams.EtraceStream(config), parts, run.program, config)
            assert len(parts) > 1 and found.data == b"".join(whole.payloads)
            assert found.ends.tolist() == np.cumsum([len(one) for one in whole.payloads]).tolist()
            assert found.syncs.tolist() == [k for k, one in enumerate(whole.packets) if one.name == "start"]


@pytest.mark.parametrize("options", NTRACE.values(), ids=NTRACE)
@pytest.mark.parametrize("name", PROGRAMS)
def test_ntrace_in_parts_is_ntrace_in_one(name: str, options: dict) -> None:
    run = recording.load(name, 64)
    config = NtraceConfig.from_dict({"xlen": 64, **options})
    with native.using(True):
        whole = ntrace_encode(streams.beats_of(run.retired, run.program, config, True, True), config)
        for most in (2000, 30000):
            parts = cut(run.retired, f"{name}:{most}", most)
            found = in_parts(streams.NtraceStream(config), parts, run.program, config)
            assert len(parts) > 1 and found.data == whole.data
            assert found.syncs.tolist() == [k for k, one in enumerate(whole.messages) if one.type.has_sync]


def test_what_needs_time_is_refused() -> None:
    with pytest.raises(ProgramsError, match="INST_SYNC_MODE=1"):
        streams.NtraceStream(NtraceConfig.from_dict({"timestamp": 1}))
    with pytest.raises(ProgramsError, match="INST_SYNC_MODE=1"):
        streams.EtraceStream(EtraceConfig.from_dict({"inst_sync_mode": 2}))


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronization every 16 packets or messages, so that small programs have many."""
    monkeypatch.setattr(scale, "SYNC", SYNC)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("name", ("sort", "recursion", "crc"))
def test_everything_is_decoded_as_it_comes(name: str) -> None:
    """Nothing is kept of what was decoded, and at the end nothing is left."""
    run = recording.load(name, 64)
    parts = cut(run.retired, name, 4000)
    of = scale.sides(run.program)
    kept: list[int] = []
    scale.through(iter(parts), of, lambda count: kept.append(max(sum(map(len, side._path)) for side in of)))
    assert all(side.decoded == side.instructions == len(run.retired) for side in of)
    assert len(kept) == len(parts) > 3 and max(kept[:-1]) < len(run.retired) // 2


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("ip", ("etrace", "ntrace"))
def test_another_path_is_found(ip: str) -> None:
    """One instruction that the recorder did not see, in a late part."""
    run = recording.load("sort", 64)
    parts = cut(run.retired, "sort", 4000)
    (side,) = (one for one in scale.sides(run.program) if one.ip == ip)
    with native.using(True):
        for k, part in enumerate(parts[:-2]):
            side.take(part, k == 0, False)
        before = side.decoded
        assert before
        side._path[-1] = side._path[-1].copy()
        side._path[-1][len(side._path[-1]) // 2] ^= np.uint64(2)
        with pytest.raises(ProgramsError, match=rf"{ip}: after [\d,]+ instructions the decoder finds another path"):
            side.take(parts[-2], False, False)
            side.take(parts[-1], False, True)


@pytest.mark.usefixtures("often")
def test_a_path_that_is_too_long_is_found() -> None:
    """What was recorded and is not in the trace is missing at the end."""
    run = recording.load("sort", 64)
    for side in scale.sides(run.program):
        with native.using(True), pytest.raises(ProgramsError, match="another path"):
            side._path.append(run.retired.pc[:0])
            side.take(run.retired.select(slice(0, 20000)), True, False)
            side._path.append(run.retired.pc[20000:20001])
            side.take(run.retired.select(slice(20000, None)), False, True)


def test_the_command_with_the_compiler(capsys: pytest.CaptureFixture[str]) -> None:
    """One iteration of CoreMark: what was asked for at least, all of it decoded, and a speed for each step."""
    try:
        compile.compiler()
    except ProgramsError as error:
        pytest.skip(str(error))
    if f"{package.PACKAGE}=={package.version()}" != package.pinned():
        pytest.skip(f"{package.PACKAGE} is not installed")
    assert tool.main(["INSTRUCTIONS=200000", "XLEN=32"]) == 0
    printed = capsys.readouterr().out
    count = printed.split(" instructions in ")[0].split()[-1]
    assert int(count.replace(",", "")) >= 200_000 and printed.count(f"decoded {count}\n") == 2
    assert printed.count("M instructions/s") == 7
