# SPDX-License-Identifier: Apache-2.0
"""The decoder gives the same result packet by packet, by the kernel as Python runs it, and by the kernel compiled."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import framing
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.decode import Decoder, decode_bytes
from rvtrace.models.etrace.decoder.decoded import DecodedTrace
from rvtrace.models.etrace.decoder.deframe import Damage, Deframer, Frame
from rvtrace.models.etrace.decoder.packet_log import Events
from rvtrace.models.etrace.decoder.path import Path
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.table import TABLES, map_length
from tests.common.compiled import both, needs_compiler
from tests.etrace.fuzz import CONFIGS, EXPAND, LOOP, MAIN, extreme, good_payloads, hostile, program
from tests.etrace.packet_writer import PacketWriter

SEEDS = 200
Way = Callable[[list[bytes], Config, int], DecodedTrace]


def by_packet(payloads: list[bytes], config: Config, limit: int) -> DecodedTrace:
    """Every packet as an object, from `unpack` to the handlers; the kernel's `run` has no part in it."""
    decoder = Decoder(program(config.xlen), config, limit)
    with native.using(False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoder, "_run", lambda data, rows, at, end: at)
        for payload in payloads:
            decoder.feed(payload)
        return decoder.finish()


def by_kernel(compiled: bool, pieces: int = 1 << 30) -> Way:
    """The decoder as it is, with so many packets at once."""

    def way(payloads: list[bytes], config: Config, limit: int) -> DecodedTrace:
        decoder = Decoder(program(config.xlen), config, limit)
        with native.using(compiled):
            for first in range(0, len(payloads), pieces):
                some = payloads[first : first + pieces]
                ends = np.cumsum([len(payload) for payload in some])
                rows = [(int(end) - len(payload), len(payload), -1) for end, payload in zip(ends, some)]
                decoder.take(b"".join(some), [entry for row in rows for entry in row])
            return decoder.finish()

    return way


def summary(trace: DecodedTrace) -> dict[str, Any]:
    """All that a trace reports."""
    names = ("packets", "events", "diagnostics", "skipped", "complete", "time", "options", "offsets")
    reported = {name: getattr(trace, name) for name in names}
    reported |= {name: getattr(trace, name).tolist() for name in ("first_pc", "priv", "context")}
    if len(trace) <= EXPAND:
        reported |= {"pcs": trace.pcs.tolist(), "taken": trace.taken.tolist()}
    return reported | {"length": len(trace)}


def mutated(rng: random.Random, config: Config) -> list[bytes]:
    """A good trace, or a part of it, with a few packets changed, left out, repeated or made longer."""
    payloads = list(good_payloads(config))
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(payloads))
        damaged = bytearray(payloads[place])
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        others = (bytes(damaged), rng.randbytes(rng.randint(1, 8)), payloads[place] + bytes([rng.choice((0, 255))]))
        payloads[place : place + 1] = rng.choice(([], [rng.choice(payloads)] * 2, *([one] for one in others)))
    first = rng.randrange(len(payloads))
    return payloads[first : first + rng.randrange(4, 80)] if rng.random() < 0.7 else payloads


def streams(first: int, count: int) -> Iterator[tuple[Config, list[bytes], int]]:
    """(configuration, payloads, limit) of so many seeds; most are mutated traces."""
    for seed in range(first, first + count):
        rng = random.Random(f"{seed}:native")
        config = rng.choice(CONFIGS)
        payloads = mutated(rng, config) if rng.random() < 0.6 else hostile(rng, config, 1 << rng.randrange(4, 10))
        yield config, payloads, rng.choice((200_000, 200_000, rng.randrange(1, 3000)))


def differences(ways: dict[str, Way], first: int = 0, count: int = SEEDS) -> list[str]:
    found = []
    for index, (config, payloads, limit) in enumerate(streams(first, count)):
        want = summary(by_packet(payloads, config, limit))
        for name, way in ways.items():
            got = summary(way(payloads, config, limit))
            found += [f"seed {first + index}, {name}: {key}" for key in want if got.get(key) != want[key]]
    return found


def test_python_runs_the_kernel_to_the_same_result() -> None:
    assert not differences({"whole": by_kernel(False), "in pieces": by_kernel(False, 3)})


@needs_compiler
def test_the_compiled_kernel_gives_the_same_result() -> None:
    assert not differences({"whole": by_kernel(True), "in pieces": by_kernel(True, 7)}, SEEDS)


def test_the_comparison_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that reads every branch as not taken."""
    original = k.read

    def read(r: k.Reading, data: bytes, start: int, size: int) -> int:
        status = original(r, data, start, size)
        r.decoder[0].values[k.BRANCH_MAP] = k.MOST
        return status

    monkeypatch.setattr(k, "read", read)
    assert differences({"whole": by_kernel(False)}, count=20)


@both
@pytest.mark.parametrize("config", CONFIGS, ids=range(len(CONFIGS)))
def test_the_usual_packets_are_taken_by_the_kernel(
    config: Config, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of formats 0 to 2 in a good trace, whose packets `test_fuzz` and others compare with what was written."""
    taken: list[bytes] = []
    original = Decoder._take
    monkeypatch.setattr(Decoder, "_take", lambda self, payload: (taken.append(payload), original(self, payload))[1])
    trace = by_kernel(compiled)(list(good_payloads(config)), config, 1 << 20)
    assert not trace.diagnostics and len(trace) > 150
    assert {payload[0] & 3 for payload in taken} == {3}
    assert sum(payload[0] & 3 != 3 for payload in good_payloads(config)) > 50


@both
@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_periodic_synchronization_is_taken_by_the_kernel(
    variant: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packets 3.0 that report the privilege and context of before; the first, and one that changes them, are not."""
    taken: list[bytes] = []
    original = Decoder._take
    monkeypatch.setattr(Decoder, "_take", lambda self, payload: (taken.append(payload), original(self, payload))[1])
    config = next(one for one in CONFIGS if one.variant == variant)
    settings = {name: value for name, value in config.to_dict().items() if name != "ip"}
    w = PacketWriter(program(config.xlen), **settings).start(MAIN)
    for _ in range(20):
        w.at(LOOP + 4, "T").start(LOOP)
    w.at(LOOP + 4, "T").start(LOOP, privilege=1).at(LOOP + 4, "T").start(LOOP, privilege=1)
    trace = by_kernel(compiled)(w.payloads, config, 1000)
    assert not trace.diagnostics
    assert trace.pcs.tolist() == [MAIN, MAIN + 2, *[LOOP, LOOP + 4] * 22, LOOP]
    assert len(trace.of("sync")) == 23 and len(taken) == 2
    assert summary(trace) == summary(by_packet(w.payloads, config, 1000))


# Fields


@both
def test_fields_are_those_of_the_table(compiled: bool) -> None:
    """Payloads with extreme fields, cut and made longer: the kernel reads what `unpack` does, or leaves them to it."""
    rng, read = random.Random("0:fields"), 0
    for config in CONFIGS:
        path = Path(program(config.xlen), config, 1000)
        path.configure(config.options)
        if compiled:
            path.memory.compile()
        got = path.memory.values
        for _ in range(600):
            payload = extreme(rng, config, config.options) if rng.random() < 0.7 else rng.randbytes(rng.randint(1, 20))
            payload = rng.choice((payload, payload, payload[:-1] or payload, payload + payload[-1:]))
            data = np.frombuffer(payload, np.uint8) if compiled else payload
            status = path.memory.kernel.read(path.memory.reading, data, 0, len(payload))
            try:
                v = unpack(payload, config).values
            except PacketError:
                v = {"format": 3}
            assert (status == k.OK) == (v["format"] < 3)
            if status != k.OK:
                continue
            read += 1
            reported = k.BY_ADDRESS if "address" in v else k.BY_INDEX if "index" in v else 0
            want = [v["format"], reported, v.get("branches", 0), v.get("branch_map", 0), v.get("branch_count", -1)]
            assert [int(got[cell]) for cell in (k.FORMAT, k.REPORTED, k.BRANCHES, k.BRANCH_MAP, k.BRANCH_COUNT)] == want
            want = [v.get(name, 0) for name in ("notify", "updiscon", "no_mispred")] + [v.get("branch_fmt", -1)]
            assert [int(got[cell]) for cell in (k.NOTIFY, k.UPDISCON, k.NO_MISPRED, k.BRANCH_FMT)] == want
            depth = v.get("irdepth") if v.get("irreport") else None
            assert int(got[k.IRDEPTH]) == (-1 if depth is None else depth)
            assert reported != k.BY_ADDRESS or int(got[k.ADDRESS]) == v["address"]
            assert reported != k.BY_INDEX or int(got[k.INDEX]) == v["index"]
    assert read > 2000


@pytest.mark.parametrize("variant", list(TABLES))
def test_a_map_is_as_long_as_its_branches_need(variant: str) -> None:
    """The field whose width another one decides: a column has its widths."""
    r = Path(program(64), Config.from_dict({"variant": variant}), 1000).memory.reading
    part = next(part for part in r.parts if part.cell == k.BRANCH_MAP and part.widths >= 0)
    lengths = [r.widths[part.widths + branches] for branches in range(1, 32)]
    assert part.cell_of_width == k.BRANCHES
    assert lengths == [map_length(variant, branches) for branches in range(1, 32)]


# What the kernel works on


def test_python_works_on_lists() -> None:
    """Reading one integer of an array takes Python several times as long as reading one of a list."""
    config = CONFIGS[1]
    with native.using(False):
        decoder, deframer = Decoder(program(config.xlen), config), Deframer(config)
        for payload in good_payloads(config):
            decoder.feed(payload)
            deframer.feed(bytes([len(payload)]) + payload)
    memory = decoder._flow.path.memory
    assert not memory.compiled and memory.kernel is k
    assert not any(isinstance(column, np.ndarray) for column in (*memory.columns, *memory.reading))
    parts = [getattr(memory.columns.decoder[0], name) for name in k.DECODER.parts]
    assert not any(isinstance(part, np.ndarray) for part in parts)
    assert deframer._kernel is framing and not isinstance(deframer._state, np.ndarray)


def test_an_event_is_kept_where_the_column_has_no_room_for_it() -> None:
    """The column grows before the kernel enters the event, which it could not do afterwards."""
    path = Path(program(64), CONFIGS[0], 1000)
    path.configure(CONFIGS[0].options)
    events = Events(path.memory)
    room = len(path.memory.events)
    for _ in range(room + 1):
        events.how_often(k.LOOP)
    assert len(events) == room + 1
    assert [event.again for event in events.list()] == ["loop"] * (room + 1)


def calls(m: k.Columns) -> list[int]:
    """The return stack, the newest entry last."""
    d = m.decoder[0]
    return [d.calls[(d.walk.base + index) % k.DEPTH] for index in range(d.walk.deep)]


def test_packets_taken_back_restore_stack_predictor_and_cache() -> None:
    rng = random.Random("0:state")
    config = replace(CONFIGS[1], return_stack_size_p=5)
    path = Path(program(config.xlen), config, 1000)
    path.configure(config.options)
    m = path.memory.columns
    d = m.decoder[0]
    for keep in (k.keep, lambda m: path.memory.keep()) * 25:
        for back in range(rng.randrange(80)):
            k.call(m, back)
        before = calls(m), d.entries[:], d.cache[:]
        keep(m)
        for back in range(rng.randrange(1, 80)):
            if rng.random() < 0.3 and d.walk.deep:
                k.pop(d.walk, d.calls)
            k.call(m, back + 1000)
            k.train(m, 2 * back, back & 1)
            k.store(m, 2 * back)
        assert len(calls(m)) <= 32 and calls(m) != before[0] and (d.entries, d.cache) != before[1:]
        k.restore(m)
        assert (calls(m), d.entries, d.cache) == before


def test_a_full_return_stack_drops_its_oldest_entry() -> None:
    path = Path(program(64), replace(CONFIGS[1], return_stack_size_p=5), 1000)
    for back in range(300):
        k.call(path.memory.columns, back)
    assert calls(path.memory.columns) == list(range(268, 300))


def test_the_functions_to_inline_are_there() -> None:
    """A name that the kernel does not have would be passed over, and cost nothing but time."""
    assert all(callable(getattr(k, name)) for name in k.INLINED)


@needs_compiler
def test_a_long_trace_goes_from_lists_to_arrays_within_it() -> None:
    config = CONFIGS[1]
    payloads, decoder = list(good_payloads(config)), Decoder(program(config.xlen), config)
    with native.using(False):
        for payload in payloads[:20]:
            decoder.feed(payload)
    with native.using(True):
        for payload in payloads[20:]:
            decoder.feed(payload)
        trace = decoder.finish()
    memory = decoder._flow.path.memory
    assert memory.compiled and isinstance(memory.firsts, np.ndarray)
    assert summary(trace) == summary(by_packet(payloads, config, 50_000_000))


@both
def test_more_addresses_without_code_than_are_remembered(compiled: bool) -> None:
    """Each breaks the flow, and the next synchronization packet goes on."""
    config = CONFIGS[0]
    w = PacketWriter(program(config.xlen))
    for hole in range(3 * k.HOLES_KNOWN):
        w.start(0x1000).at(0x100000 + 2 * hole)
    trace = by_kernel(compiled)(w.payloads, config, 10_000)
    assert [one.clause for one in trace.diagnostics] == ["ET.pay.map_length"] * 3 * k.HOLES_KNOWN
    assert len(trace) == 3 * k.HOLES_KNOWN


# Frames


@both
@pytest.mark.parametrize("encapsulation", ["messaging", "atb"])
@pytest.mark.parametrize("framing", ["none", "zeros", "blocks"])
def test_frames_are_found_as_they_were_sent(encapsulation: str, framing: str, compiled: bool) -> None:
    config = replace(
        CONFIGS[0], encapsulation=encapsulation, framing=framing, block_bytes=64, timestamp=1, index_width=8
    )
    payloads, times = list(good_payloads(config)), list(range(len(good_payloads(config))))
    data = encapsulate(payloads, [payload[0] & 3 == 3 for payload in payloads], times, config)
    with native.using(compiled):
        for pieces in (7, len(data)):
            deframer = Deframer(config)
            found = [one for at in range(0, len(data), pieces) for one in deframer.feed(data[at : at + pieces])]
            found += deframer.finish()
            assert [frame.payload for frame in found if isinstance(frame, Frame)] == payloads
            assert [frame.timestamp for frame in found if isinstance(frame, Frame)] == times
            assert not any(isinstance(one, Damage) for one in found)
        trace = decode_bytes(data, program(config.xlen), config)
    assert summary(trace) | {"offsets": []} == summary(by_packet(payloads, config, 50_000_000))
    assert trace.offsets == [frame.offset for frame in found if isinstance(frame, Frame)]


@needs_compiler
def test_damaged_frames_are_the_same_compiled() -> None:
    rng = random.Random("0:frames")
    for _ in range(300):
        config = replace(
            rng.choice(CONFIGS), encapsulation=rng.choice(("messaging", "atb")), block_bytes=64,
            framing=rng.choice(("none", "zeros", "blocks")), timestamp=rng.randrange(2),
        )  # fmt: skip
        payloads = good_payloads(config)[: rng.randrange(1, 60)]
        data = bytearray(encapsulate(payloads, [p[0] & 3 == 3 for p in payloads], [0] * len(payloads), config))
        for _ in range(rng.randrange(3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        results, joined = [], rng.random() < 0.5
        for compiled in (False, True):
            with native.using(compiled):
                deframer = Deframer(config, joined)
                results.append([*deframer.feed(bytes(data)), *deframer.finish()])
        assert results[0] == results[1]


# When it is compiled


def test_compiling_is_thought_of_when_the_bytes_have_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace that comes packet by packet asks so seldom that the answer may take its time."""
    asked: list[int] = []
    monkeypatch.setattr(native, "is_compiled", lambda module, size: bool(asked.append(size)))
    config = CONFIGS[1]
    decoder = Decoder(program(config.xlen), config)
    for payload in good_payloads(config):
        decoder.feed(payload)
    assert len(asked) > 2 and all(after >= 2 * before for before, after in pairwise(asked))


def test_models_are_imported_without_the_compiler() -> None:
    code = "import sys, rvtrace.models.etrace; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_a_compiler_python_runs_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_compiled", {})
    monkeypatch.setitem(sys.modules, "numba", None)  # import raises ImportError
    config = CONFIGS[1]
    payloads = list(good_payloads(config))
    assert summary(by_kernel(True)(payloads, config, 1 << 20)) == summary(by_packet(payloads, config, 1 << 20))
