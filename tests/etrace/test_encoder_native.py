# SPDX-License-Identifier: Apache-2.0
"""The encoder model gives the same result by the kernel as Python runs it, and by the kernel compiled."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder import encode as encoder
from rvtrace.models.etrace.encoder import kernel as k
from rvtrace.models.etrace.encoder.clauses import CLAUSES
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.etrace.table import OPTIONS, options_of
from rvtrace.models.riscv.beats import Beats
from rvtrace.tb.etrace.stimulus.random_jobs import random_job
from tests.common.compiled import both, encoded, encoder_differences, needs_compiler
from tests.ntrace.encoder_random import beats_of
from tests.ntrace.encoder_stream import OFF, exception, linear, row, to_beats

SEEDS = 120


def summary(trace: EncodedTrace) -> dict[str, Any]:
    """All that a trace reports."""
    names = ("data", "packets", "payloads", "reasons", "beat", "time16", "options")
    return {name: getattr(trace, name) for name in names}


def blocks_and_config(seed: int) -> tuple[Config, Beats]:
    """Any configuration, and beats in which everything that an ingress port can say happens, whether a program would
    do it or not: every option, both variants, one, two and four lanes, losses, contexts and options that change.
    """
    rng = Random(f"{seed}:etrace_native")
    config = Config.from_dict(random_job(seed, {"itype_width_p": 4, "privilege_width_p": 3}, 100).config)
    beats = beats_of(rng, config, rng.choice((20, 100, 400)), rng.random() < 0.4)
    for r in range(len(beats)):
        beats.ctype[r] = rng.randrange(4) if rng.random() < 0.1 else 0
    if rng.random() < 0.3:
        has = {"implicit_return": config.call_counter_size_p or config.return_stack_size_p, "full_address": 1,
               "implicit_exception": 1, "branch_prediction": config.bpred_size_p, "sijump": config.sijump_p,
               "jump_target_cache": config.cache_size_p and config.variant == "v2_0"}  # fmt: skip
        built = sum(1 << bit for bit, name in enumerate(OPTIONS) if has[name])
        for r in sorted(rng.sample(range(len(beats)), 5)):
            beats.toggle[r:] = rng.randrange(64) & built
    return config, beats


def walks(first: int, count: int) -> Iterator[tuple[int, Config, Beats]]:
    """(seed, configuration, beats) of so many seeds."""
    for seed in range(first, first + count):
        yield seed, *blocks_and_config(seed)


@needs_compiler
def test_the_compiled_kernel_gives_the_same_result() -> None:
    assert not encoder_differences(Encoder, summary, walks(0, SEEDS))


@needs_compiler
def test_the_comparison_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel, as Python runs it, that never compares the top of the return stack."""
    monkeypatch.setattr(k, "implicit", lambda m, address, flags, place: int(m.state[0].popped_depth > 0))
    assert native.compiled(k) is not None
    assert encoder_differences(Encoder, summary, walks(0, 30))


@both
def test_bytes_are_those_of_the_codec(compiled: bool) -> None:
    """The codec packs a packet from the table; the kernel from columns, by layouts made of it before."""
    packed = 0
    for _, config, beats in walks(1000, 40):
        trace = encoded(Encoder, config, beats, compiled)
        want = [pack(packet, config, options_of(on)) for packet, on in zip(trace.packets, trace.options)]
        starts = [packet.name == "start" for packet in trace.packets]
        assert trace.payloads == want and trace.data == encapsulate(want, starts, trace.stamps, config)
        packed += len(want)
    assert packed > 1000


@both
def test_columns_grow_within_a_trace(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest packets for which there can be room at first."""
    config, beats = next(
        (config, beats)
        for _, config, beats in walks(0, 1000)
        if len(encoded(Encoder, config, beats, False).packets) > 200
    )
    want = summary(encoded(Encoder, config, beats, compiled))
    monkeypatch.setattr(encoder, "_CHUNK", k.MARGIN // k.PACKET_ROW)
    monkeypatch.setattr(np, "empty", lambda shape, dtype, empty=np.empty: empty(min(shape, 66 * k.PACKET_ROW), dtype))
    assert summary(encoded(Encoder, config, beats, compiled)) == want


@both
@pytest.mark.parametrize("width", [32, 64])
def test_values_of_all_64_bits(compiled: bool, width: int) -> None:
    """Times, addresses and trap values that no signed integer holds."""
    high = (1 << width) - 4
    late, tval = (1 << 64) - 10, (1 << width) - 3
    rows = [
        row(linear(high, 2), tstamp=late),
        row(exception(0)._replace(tval=tval), tstamp=late + 1),
        row(linear(high, 2), tstamp=late + 2),
        row(levels=OFF, tstamp=late + 3),
    ]
    config = Config(iaddress_width_p=width, notime_p=0, time_width_p=64, context_width_p=0, timestamp=1)
    trace = encoded(Encoder, config, to_beats(rows, 1), compiled)
    start, stop = (next(p for p in trace.packets if p.name == name) for name in ("start", "trap"))
    assert (start.values["time"], start.values["address"]) == (late, high >> 1)
    assert (stop.values["time"], stop.values["address"], stop.values["tval"]) == (late + 2, high >> 1, tval)
    assert trace.payloads == [pack(packet, config) for packet in trace.packets]


@both
def test_no_beats(compiled: bool) -> None:
    trace = encoded(Encoder, Config(), Beats.empty(0, 1), compiled)
    assert summary(trace) == {"data": b""} | {name: [] for name in summary(trace) if name != "data"}


def test_the_kernel_has_the_clauses() -> None:
    """It works on numbers alone: those of clauses are their places."""
    numbers = {name: value for name, value in vars(k).items() if name.startswith("C_")}
    assert sorted(numbers.values()) == list(range(len(CLAUSES)))
    places = list(CLAUSES)
    for name, clause in {"C_FIRST": "first", "C_TRAP_AGAIN": "trap_again", "C_LAST": "last", "C_CONTEXT": "context",
                         "C_FULL_MAP": "full_map", "C_LOST": "lost"}.items():  # fmt: skip
        assert places[numbers[name]] == f"ET.alg.{clause}"
    assert places[k.C_ANCHOR] == "ET.opt.anchor" and places[k.C_MISRETURN] == "ET.opt.misreturn"


@pytest.mark.parametrize("state, outcomes", [(0, (0, 1)), (1, (0, 3)), (2, (0, 3)), (3, (2, 3))])
def test_predictor_entries(state: int, outcomes: tuple[int, int]) -> None:
    """Two bits, the upper one predicts: it changes after two outcomes against it, the lower one is the last outcome."""
    assert (k.trained(state, 0), k.trained(state, 1)) == outcomes


def test_only_long_runs_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(native, "is_compiled", lambda module, size: bool(asked.append(size)))
    Encoder(Config(blocks_p=2)).run(to_beats([row(linear(0x100, 2)), row(), row(linear(0x104, 2))], 2))
    assert asked == [2]  # blocks
