# SPDX-License-Identifier: Apache-2.0
"""The encoder model gives the same result by the kernel as Python runs it, and by the kernel compiled."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder import encode as encoder
from rvtrace.models.ntrace.encoder import kernel as k
from rvtrace.models.ntrace.encoder.clauses import CLAUSES
from rvtrace.models.ntrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.ntrace.table import BY_NAME
from rvtrace.models.riscv.beats import Beats
from tests.common.compiled import both, encoded, encoder_differences, needs_compiler
from tests.ntrace.encoder_random import beats_of, config_of
from tests.ntrace.encoder_stream import OFF, explained, jump, linear, row, taken, to_beats

SEEDS = 150


def summary(trace: EncodedTrace) -> dict[str, Any]:
    """All that a trace reports."""
    return {name: getattr(trace, name) for name in ("data", "messages", "reasons", "beat", "packed")}


def walks(first: int, count: int) -> Iterator[tuple[int, Config, Beats]]:
    """(seed, configuration, beats) of so many seeds: every option, both variants, both modes, one and two lanes."""
    for seed in range(first, first + count):
        rng = Random(f"{seed}:encoder_native")
        config = config_of(rng)
        yield seed, config, beats_of(rng, config, rng.choice((20, 100, 300)), rng.random() < 0.5)


@needs_compiler
def test_the_compiled_kernel_gives_the_same_result() -> None:
    assert not encoder_differences(Encoder, summary, walks(0, SEEDS))


@needs_compiler
def test_the_comparison_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel, as Python runs it, that forgets no return address at a sync."""
    assert native.compiled(k) is not None  # before it is changed: a process compiles it once
    monkeypatch.setattr(k, "synced", lambda m: None)
    assert encoder_differences(Encoder, summary, walks(0, 30))


@both
def test_bytes_are_those_of_the_codec(compiled: bool) -> None:
    """The codec packs a message field by field, from the table; the kernel from columns."""
    packed = 0
    for _, config, beats in walks(1000, 40):
        trace = encoded(Encoder, config, beats, compiled)
        want = [pack(message, config.source_bits, config.address_bits) for message in trace.messages]
        assert trace.packed == want and trace.data == b"".join(want)
        packed += len(want)
    assert packed > 1000


@both
def test_columns_grow_within_a_row_and_between_rows(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fewest messages for which there can be room at first: one row of Beats may need all of it."""
    found = ((c, beats, summary(encoded(Encoder, c, beats, compiled))) for _, c, beats in walks(0, 1000) if c.ownership)
    config, beats, want = next(one for one in found if len(one[2]["messages"]) > 2 * k.MARGIN)
    monkeypatch.setattr(encoder, "_CHUNK", k.MARGIN)
    assert summary(encoded(Encoder, config, beats, compiled)) == want


@both
def test_times_of_all_64_bits(compiled: bool) -> None:
    """A time that no signed integer holds is for Python, whatever is asked for."""
    late = (1 << 64) - 10
    rows = [row(jump(0x100, 2), tstamp=late), row(jump(0x200, 2), tstamp=late + 3), row(levels=OFF, tstamp=late + 5)]
    trace = encoded(Encoder, Config(timestamp=1), to_beats(rows, 1), compiled)
    assert [message.tstamp for message in trace.messages] == [late, 0, 5]


@both
def test_addresses_of_all_64_bits(compiled: bool) -> None:
    high = 0xFFFF_FFFF_FFFF_FFFC
    trace = encoded(
        Encoder, Config(), to_beats([row(jump(high, 2)), row(linear(0, 2)), row(linear(high, 2))], 1), compiled
    )
    assert [message.body for message in trace.messages] == [(5, 0, high >> 1), (0, 2, high >> 1)]


@both
def test_cycles_of_all_64_bits(compiled: bool) -> None:
    config = Config(inst_sync_mode=2)
    rows = [row(linear(0x100 + 4 * i, 2), cycle=(1 << 64) - 100 + 9 * i) for i in range(4)]
    trace = encoded(Encoder, config, to_beats(rows, 1), compiled)
    assert [reason for reason, *_ in explained(trace)] == ["NT.8.5.sync5", "NT.8.5.sync2_linear"]


@both
def test_no_beats(compiled: bool) -> None:
    trace = encoded(Encoder, Config(), Beats.empty(0, 1), compiled)
    assert (trace.data, trace.messages, trace.reasons, trace.beat, trace.packed) == (b"", [], [], [], [])


def test_the_kernel_has_the_clauses_and_codes_of_the_tables() -> None:
    """It works on numbers alone: those that it repeats are those of the tables."""
    numbers = {name: value for name, value in vars(k).items() if name.startswith("C_")}
    assert sorted(numbers.values()) == list(range(len(CLAUSES)))
    places = list(CLAUSES)
    for name, clause in {"C_EXCEPTION": "NT.2.exception", "C_FILTERS": "NT.4.filters", "C_NT13": "NT-13",
                         "C_SYNC9": "NT.8.5.sync9", "C_WHOLE": "NT.9.2.mode_full", "C_NT4": "NT-4",
                         "C_HREPEAT": "NT.V.hrepeat"}.items():  # fmt: skip
        assert places[numbers[name]] == clause
    names = {"OWNERSHIP": "Ownership", "DIRECT_BRANCH": "DirectBranch", "INDIRECT_BRANCH": "IndirectBranch",
             "ERROR": "Error", "PROG_SYNC": "ProgTraceSync", "DIRECT_SYNC": "DirectBranchSync",
             "INDIRECT_SYNC": "IndirectBranchSync", "RESOURCE_FULL": "ResourceFull",
             "INDIRECT_HIST": "IndirectBranchHist", "INDIRECT_HIST_SYNC": "IndirectBranchHistSync",
             "REPEAT_BRANCH": "RepeatBranch", "CORRELATION": "ProgTraceCorrelation",
             "FIRST_VENDOR": "Vendor56"}  # fmt: skip
    assert {name: getattr(k, name) for name in names} == {name: BY_NAME[kind].tcode for name, kind in names.items()}


# When it is compiled


def test_only_long_runs_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(native, "is_compiled", lambda module, size: bool(asked.append(size)))
    beats = to_beats([row(taken(0x100, 2)), row(), row(linear(0x200, 2))], 2)
    Encoder(Config(blocks=2)).run(beats)
    assert asked == [2]  # blocks


@both
def test_beats_are_not_changed(compiled: bool) -> None:
    _, config, beats = next(walks(5, 1))
    before = [np.array(getattr(beats, name)) for name in vars(beats)]
    encoded(Encoder, config, beats, compiled)
    assert all((getattr(beats, name) == column).all() for name, column in zip(vars(beats), before))
