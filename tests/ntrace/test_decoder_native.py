# SPDX-License-Identifier: Apache-2.0
"""The decoder gives the same result message by message, by the kernel as Python runs it, and by the kernel compiled."""

import importlib.util
import pathlib
import random
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.common.walking import LOGGED, REPEAT
from rvtrace.models.ntrace.codec import Unpacker, pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.columns import Memory
from rvtrace.models.ntrace.decoder.decode import Decoder
from rvtrace.models.ntrace.decoder.decoded import DecodedTrace
from rvtrace.models.ntrace.decoder.path import Path
from rvtrace.models.ntrace.table import message
from tests.common.compiled import HAS_COMPILER, both, needs_compiler
from tests.ntrace.fuzz import CONFIGS, EVERYTHING, EXPAND, SOURCES, good_trace, good_writer, mutated, program
from tests.ntrace.trace_writer import MAIN, Writer, sample_program

SEEDS = 250
Way = Callable[[bytes, Config, int, bool], DecodedTrace]


def by_message(data: bytes, config: Config, limit: int, by_address: bool) -> DecodedTrace:
    """Every message as an object, from the unpacker to the handlers; the kernel's `run` has no part in it."""
    decoder = Decoder(program(config.xlen), config, limit, by_address)
    with native.using(False):
        unpacker = Unpacker(config, decoder.take, decoder.damage)
        unpacker.feed(data)
        unpacker.finish()
        return decoder.finish(len(data))


def by_kernel(compiled: bool, pieces: int | None = None) -> Way:
    """The decoder as it is, in one piece or in several."""

    def way(data: bytes, config: Config, limit: int, by_address: bool) -> DecodedTrace:
        decoder = Decoder(program(config.xlen), config, limit, by_address)
        size = pieces or max(len(data), 1)
        with native.using(compiled):
            for at in range(0, len(data), size):
                decoder.feed(data[at : at + size])
            return decoder.finish()

    return way


def summary(trace: DecodedTrace) -> dict[str, Any]:
    """All that a trace reports."""
    names = ("messages", "time", "events", "diagnostics", "notes", "readings", "sources", "skipped_bytes", "complete")
    told = {name: getattr(trace, name) for name in names}
    told |= {name: getattr(trace, name).tolist() for name in ("first_pc", "priv", "context", "hcontext")}
    if len(trace) <= EXPAND:
        told |= {"pcs": trace.pcs.tolist(), "taken": trace.taken.tolist(), "changes": trace.context_changes}
    return told | {"length": len(trace)}


def streams(first: int, count: int) -> Any:
    """(configuration, bytes, limit, by_address) of so many seeds; most are mutated traces."""
    for seed in range(first, first + count):
        rng = random.Random(f"{seed}:native")
        config = rng.choice(CONFIGS)
        data = rng.choice((*SOURCES, mutated, mutated))(rng, config, 1 << rng.randrange(4, 11))
        yield config, data, rng.choice((200_000, 200_000, rng.randrange(1, 3000))), rng.random() < 0.3


def differences(ways: dict[str, Way], first: int = 0, count: int = SEEDS) -> list[str]:
    found = []
    for index, (config, data, limit, by_address) in enumerate(streams(first, count)):
        want = summary(by_message(data, config, limit, by_address))
        for name, way in ways.items():
            got = summary(way(data, config, limit, by_address))
            found += [f"seed {first + index}, {name}: {key}" for key in want if got[key] != want[key]]
    return found


def test_python_runs_the_kernel_to_the_same_result() -> None:
    assert not differences({"whole": by_kernel(False), "in pieces": by_kernel(False, 7)})


@needs_compiler
def test_the_compiled_kernel_gives_the_same_result() -> None:
    assert not differences({"whole": by_kernel(True), "in pieces": by_kernel(True, 100)}, SEEDS)


@both
@pytest.mark.parametrize("options", [{"mode": "htm"}, {"mode": "btm"}, EVERYTHING | {"variant": "rc7"}], ids=str)
def test_a_good_trace_is_its_truth(options: dict[str, Any], compiled: bool) -> None:
    config = Config(**options)
    truth = good_writer(config)
    trace = by_kernel(compiled)(good_trace(config), config, 1 << 20, False)
    assert not trace.diagnostics
    assert trace.pcs.tolist() == truth.pcs and len(truth.pcs) > 1000
    messages, damages = unpack(good_trace(config), config)
    assert not damages and trace.messages == [one for one in messages if one.src == config.src_id]


def test_the_comparison_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that takes every message for a branch taken and one not taken."""
    monkeypatch.setattr(k, "handle", lambda m, row: k.take_hist(m, 0b110, 1))
    assert differences({"whole": by_kernel(False)}, count=20)


def test_the_usual_messages_are_taken_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    original = Decoder.take
    monkeypatch.setattr(Decoder, "take", lambda self, one: (taken.append(one.name), original(self, one))[1])
    config = Config(mode="btm")
    w = Writer(sample_program(), config).start(MAIN).step(3)
    for _ in range(50):
        w.branch(1).step()
    trace = by_kernel(False)(bytes(w.branch(0).stop().data), config, 1000, False)
    assert len(trace.messages) == 52 and taken == ["ProgTraceSync", "ProgTraceCorrelation"]


def test_the_usual_messages_of_htm_are_taken_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of which B-TYPE and RCODE, fields of fixed length, precede the others."""
    taken: list[str] = []
    original = Decoder.take
    monkeypatch.setattr(Decoder, "take", lambda self, one: (taken.append(one.name), original(self, one))[1])
    config = Config(mode="htm")
    w = Writer(sample_program(), config).start(0x1010)
    for _ in range(20):
        w.branch(1).step(3).branch(0).full_hist().step(2).full_icnt().jump(0x1010)
    trace = by_kernel(False)(bytes(w.stop().data), config, 1000, False)
    assert trace.pcs.tolist() == w.pcs and not trace.diagnostics
    assert len(trace.messages) == 62 and taken == ["ProgTraceSync", "ProgTraceCorrelation"]


# What a kernel works on


def test_python_works_on_lists() -> None:
    """Reading one integer of an array takes Python several times as long as reading one of a list."""
    config = Config(mode="btm")
    decoder = Decoder(program(64), config)
    with native.using(False):
        decoder.feed(good_trace(config))
    memory: Memory = decoder._flow.path.memory
    assert not memory.compiled and memory.kernel is k
    columns = [getattr(memory.columns, name) for name in k.Columns._fields]
    assert not any(isinstance(column, np.ndarray) for column in columns)


def test_a_loop_is_stored_as_walked_and_then_repeated() -> None:
    """`c.j` to itself, one half-word each time: the path knows the loop one turn after PATIENCE. A count that ends with
    that turn has nothing to repeat; a longer one repeats it and walks the last turn.
    """
    for more in range(4):
        path = Path(sample_program(64), Config())
        path.go_to(0x101E)
        path.finish_group(k.PATIENCE + 1 + more, 1, 0)
        turns = [row[2] for row in REPEAT.listed(path.memory.repeats, path.memory.state.repeats)]
        assert path.count == k.PATIENCE + 1 + more == path.memory.state.steps + sum(turns)
        assert turns == ([more - 1] if more > 1 else [])


def test_a_message_taken_back_restores_the_return_stack() -> None:
    """Also after more pushes than are logged one by one, over the end of the ring."""
    rng = random.Random("0:stack")
    path = Path(program(64), Config(implicit_return=3))
    m, s = path.memory.columns, path.memory.state
    for pushes in (0, 1, LOGGED, LOGGED + 1, 3 * k.DEPTH):
        for back in range(rng.randrange(2 * k.DEPTH)):
            k.push(m, back)
        before = path.calls
        k.keep(m)
        for back in range(pushes):
            if rng.random() < 0.3:
                k.pop(s, m.calls)
            k.push(m, -back - 2)
        assert len(path.calls) <= k.DEPTH and (path.calls != before) == (pushes > 0)
        k.restore(m)
        assert path.calls == before and s.deep == len(before)


def test_a_full_return_stack_drops_its_oldest_entry() -> None:
    path = Path(program(64), Config(implicit_return=3))
    m = path.memory.columns
    for back in range(k.DEPTH + 5):
        k.push(m, back)
    assert path.calls == list(range(5, k.DEPTH + 5))
    assert [k.pop(path.memory.state, m.calls) for _ in range(k.DEPTH + 1)] == [*range(k.DEPTH + 4, 4, -1), k.NOWHERE]


def test_a_table_finds_every_key_after_it_has_grown() -> None:
    rng, image = random.Random("0:table"), Path(program(64), Config()).memory.image
    keys = {rng.getrandbits(rng.choice((12, 40, 63))): number for number in range(3000)}
    for key, number in keys.items():
        if k.find(image.cuts.rows, key) < 0:
            image.cuts.add(key, number, 0, 0, 0)
    for key, number in keys.items():
        at = k.find(image.cuts.rows, key)
        assert at == image.cuts.find(key) and image.cuts.at(at).key == key and image.cuts.at(at).step == number
    assert k.find(image.cuts.rows, 1 << 62 | 5) < 0 and image.cuts.find(1 << 62 | 5) < 0


def test_bits_counts_as_python_does() -> None:
    for value in (0, 1, 2, 3, 255, 256, 0xFFFF, 1 << 16, 1 << 31, 1 << 32, (1 << 63) - 1):
        assert k.bits(value) == value.bit_length()


@both
def test_a_count_beyond_all_integers_reaches_the_limit(compiled: bool) -> None:
    """HREPEAT has 64 bits in rc7: what it repeats would not fit an integer of the compiled kernel."""
    config = Config(variant="rc7", repeated_history=1)
    sync, loop = message("ProgTraceSync", 5, 0, 0x1006 >> 1), message("ResourceFull", 2, 0b1_1111, (1 << 63) - 1)
    trace = by_kernel(compiled)(pack(sync) + pack(loop), config, 1000, False)
    assert not trace.complete and trace.diagnostics[-1].clause == "NT-24"


@both
def test_times_of_all_64_bits(compiled: bool) -> None:
    config = Config(mode="btm", timestamp=1)
    late = (1 << 64) - 10
    stream = [
        message("ProgTraceSync", 5, 0, 0x1006 >> 1).replaced(tstamp=late),
        message("DirectBranch", 3).replaced(tstamp=4),
        message("DirectBranch", 3).replaced(tstamp=7),
    ]
    trace = by_kernel(compiled)(b"".join(pack(one) for one in stream), config, 1000, False)
    assert trace.time == [late, late + 4, -1]
    assert [one.clause for one in trace.diagnostics] == ["NT.8.7.monotonic"]


# When it is compiled


def test_models_are_imported_without_the_compiler() -> None:
    code = "import sys, rvtrace.models.ntrace; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_short_traces_are_not_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_compiled", {})
    monkeypatch.delenv(native.VARIABLE, raising=False)
    monkeypatch.setattr(native, "is_kept", lambda module: False)
    monkeypatch.setattr(native, "compiled", lambda module: SimpleNamespace())
    assert not native.is_compiled(k, native.WORTH_LOADING - 1)
    assert not native.is_compiled(k, native.WORTH_COMPILING - 1)
    assert native.is_compiled(k, native.WORTH_COMPILING) == HAS_COMPILER
    monkeypatch.setattr(native, "is_kept", lambda module: True)
    assert not native.is_compiled(k, native.WORTH_LOADING - 1)
    assert native.is_compiled(k, native.WORTH_LOADING) == HAS_COMPILER
    monkeypatch.setenv(native.VARIABLE, "0")
    assert not native.is_compiled(k, native.WORTH_COMPILING)


@needs_compiler
def test_code_is_kept_until_its_source_changes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # else that of this user has it from the last time
    source = tmp_path / "kernel.py"
    source.write_text("TYPES = {}\n\n\ndef twice(value: int) -> int:\n    return 2 * value\n")
    spec = importlib.util.spec_from_file_location("tests_kernel", source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert not native.is_kept(module)
    made = native.compiled(module)
    assert made is not None and made.twice(21) == 42 and native.is_kept(module)
    source.write_text(source.read_text().replace("2 *", "3 *"))
    assert not native.is_kept(module)


def test_without_a_compiler_python_runs_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_compiled", {})
    monkeypatch.setitem(sys.modules, "numba", None)  # import raises ImportError
    assert native.compiled(k) is None
    with native.using(True):
        assert not native.is_compiled(k, 1 << 30)
    config = Config()
    assert by_kernel(True)(good_trace(config), config, 1 << 20, False).pcs.tolist() == good_writer(config).pcs


@needs_compiler
def test_a_long_trace_goes_from_lists_to_arrays_within_it() -> None:
    config = Config(**EVERYTHING)
    data, decoder = good_trace(config), Decoder(program(64), config)
    with native.using(False):
        decoder.feed(data[:1500])
    with native.using(True):
        decoder.feed(data[1500:])
        trace = decoder.finish()
    memory: Memory = decoder._flow.path.memory
    assert memory.compiled and isinstance(memory.rows, np.ndarray)
    assert summary(trace) == summary(by_message(data, config, 1 << 20, False))
