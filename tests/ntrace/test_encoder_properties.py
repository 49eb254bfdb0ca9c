# SPDX-License-Identifier: Apache-2.0
"""Properties of the encoder model on random streams: what the messages must add up to."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import CLAUSES, EncodedTrace, Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType
from tests.common.there import there
from tests.ntrace.encoder_random import beats_of, config_of
from tests.ntrace.encoder_stream import DEBUG, DEBUG_OFF, OFF, ON, RESET, Block, Row, row, to_beats

SEQUENTIAL = (IType.NONE, IType.NOT_TAKEN)
SMALL = {"icnt_bits": 6, "hist_bits": 5, "iretire_bits": 4}

seeds = st.integers(0, 1 << 48)
configs = st.fixed_dictionaries({
    "variant": st.sampled_from(["v1_0", "rc7"]), "mode": st.sampled_from(["btm", "htm"]),
    "b_type": st.sampled_from(["2_3", "1"]), "inst_sync_mode": st.integers(0, 3),
})  # fmt: skip


def blocks_of(rng: Random, count: int) -> list[Block]:
    """A walk over blocks of random kinds; those that follow linear code are contiguous."""
    blocks, pc = [], 0x1000
    for _ in range(count):
        itype = rng.choice((0, 0, 4, 5, 5, rng.randrange(16)))
        size = rng.randrange(0 if itype in (1, 2) else 1, 12)
        blocks.append(Block(itype, pc, size))
        pc = pc + 2 * size if itype in SEQUENTIAL else rng.randrange(0, 1 << 32, 2)
    return blocks


def rows_of(rng: Random, blocks: list[Block], lanes: int, lossy: bool = False) -> list[Row]:
    """The blocks in cycles of up to `lanes`, with idle and skipped cycles and changes of levels."""
    rows, cycle, level, drop, rest = [], 0, ON, 0, list(blocks)
    while rest:
        cycle += rng.choice((1, 1, 1, rng.randrange(1, 20)))
        if rng.random() < 0.1:
            level = rng.choice((ON, ON, OFF, DEBUG, DEBUG_OFF, RESET))
        if lossy and rng.random() < 0.2:
            drop ^= 1
        take = 0 if level[2] else rng.randrange(lanes + 1)
        rows.append(row(*rest[:take], levels=level, drop=drop, cycle=cycle))
        del rest[:take]
    return [*rows, row(levels=OFF, cycle=cycle + 1)]


def encode(rows: list[Row], lanes: int, **config: Any) -> EncodedTrace:
    return Encoder(Config(blocks=lanes, **config)).run(to_beats(rows, lanes))


def followers(messages: list[Message]) -> Iterator[tuple[Message, Message]]:
    """Each message of the trace itself with the one after it."""
    own = [m for m in messages if m.type.section != "6.1"]
    return zip(own, own[1:])


def check_rules(trace: EncodedTrace, config: Config, beats: Beats) -> None:
    """What holds for every stream of messages: none is from a beat without room."""
    assert len(trace.messages) == len(trace.reasons) == len(trace.beat)
    assert not beats.drop[trace.beat].any()
    assert trace.beat == sorted(trace.beat) and set(trace.reasons) <= set(CLAUSES)
    messages, damage = unpack(trace.data, config)
    assert not damage and len(messages) == len(trace.messages)
    assert all(read.same(made) for read, made in zip(messages, trace.messages))
    assert all((m.tstamp is not None) == config.timestamp for m in messages)
    for message, after in zip(messages, messages[1:]):
        assert message.name != "Error" or after.type.has_sync  # NT-14, vendor-defined ones included
    most = (1 << config.repeat_bits) - 1
    for message, after in followers(messages):
        if after.name == "RepeatBranch":
            assert config.repeat_branch and 0 < after.body[0] <= most
            assert message.name in ("DirectBranch", "IndirectBranch", "IndirectBranchHist")
            assert message.get("uaddr", 0) == 0
        if after.get("rcode") == 2:
            assert config.repeated_history and 1 < there(after.get("hrepeat")) <= most
        if message.type.has_sync and config.ownership:
            assert after.name == "Ownership" and after.body[0] & 3 == (3 if config.hcontext else 2)
        if after.name == "Ownership":
            assert config.ownership and (config.hcontext or after.body[0] & 3 != 3)


def check_totals(trace: EncodedTrace, config: Config, beats: Beats) -> None:
    """I-CNT adds up to the half-words traced, HIST to the branches; addresses are those of blocks at that count."""
    qualified, _ = FilterSettings.parse(config.filter, config.xlen).qualify(beats)
    traced = qualified & ((beats.enable & beats.inst_tracing == 1) & (beats.halted | beats.low_power == 0))[:, None]
    starts: dict[int, set[int]] = {}  # half-words before a block -> its address; traps share a place
    place, outcomes = 0, ""
    jump_7 = config.variant == "rc7" and config.all_jumps
    for itype, iaddr, iretire in zip(*(c[traced].tolist() for c in (beats.itype, beats.iaddr, beats.iretire))):
        starts.setdefault(place, set()).add(iaddr)
        place += iretire
        outcomes += "1" if itype == 5 or (itype == 7 and jump_7) else "0" if itype == 4 else ""
    count, hist, direct, ref, branch = 0, "", 0, 0, None
    for message in trace.messages:
        repeats = message.get("bcnt", 1)
        reported = there(branch) if message.name == "RepeatBranch" else message
        rdata = reported.get("rdata") if reported.name == "ResourceFull" else None
        half_words = rdata if reported.get("rcode") == 0 else reported.get("icnt", 0)
        directions = f"{rdata if reported.get('rcode') in (1, 2) else reported.get('hist', 1):b}"[1:]
        hist += directions * repeats * reported.get("hrepeat", 1)
        direct += reported.name.startswith("DirectBranch") * repeats
        ref = reported.get("faddr", ref) ^ reported.get("uaddr", 0)
        for _ in range(repeats):
            count += there(half_words)
            assert ref << 1 in starts.get(count, ()) or not {"faddr", "uaddr"} & set(reported.type.keys)
        branch = branch if message.type.section == "6.1" else message
    assert count == place
    assert (hist, direct) == ((outcomes, 0) if config.mode == "htm" else ("", outcomes.count("1")))


@settings(max_examples=120, deadline=None)
@given(seeds, st.booleans())
def test_every_option(seed: int, lossy: bool) -> None:
    """Every option at random: the model never fails."""
    rng = Random(f"{seed}:encoder_rules")
    config = config_of(rng)
    beats = beats_of(rng, config, 120, lossy)
    trace = Encoder(config).run(beats)
    check_rules(trace, config, beats)
    if not lossy:
        check_totals(trace, config, beats)


@settings(max_examples=150, deadline=None)
@given(seeds, configs, st.sampled_from([1, 2]), st.booleans())
def test_totals(seed: int, config: dict[str, Any], lanes: int, small: bool) -> None:
    rng = Random(f"{seed}:encoder_totals")
    rows = rows_of(rng, blocks_of(rng, 60), lanes)
    options: dict[str, Any] = config | (SMALL if small else {})
    check_totals(encode(rows, lanes, **options), Config(**options), to_beats(rows, lanes))


@settings(max_examples=100, deadline=None)
@given(seeds, configs)
def test_grouping(seed: int, config: dict[str, Any]) -> None:
    """Single instructions, blocks, two blocks a cycle: the same bytes if nothing depends on the grain."""
    rng = Random(f"{seed}:encoder_grouping")
    blocks, singles = blocks_of(rng, 60), []
    for itype, pc, size, *_ in blocks:
        while size > 2:
            step = rng.choice((1, 2))
            singles.append(Block(0, pc, step))
            pc, size = pc + 2 * step, size - step
        singles.append(Block(itype, pc, size))
    config["inst_sync_mode"] = 0
    end = [row(levels=OFF)]
    single = encode([*map(row, singles), *end], 1, **config)
    for lanes in (1, 2):
        rows = [row(*blocks[i : i + lanes]) for i in range(0, len(blocks), lanes)]
        other = encode([*rows, *end], lanes, **config)
        assert (other.data, other.reasons) == (single.data, single.reasons)


@settings(max_examples=150, deadline=None)
@given(seeds, configs, st.sampled_from([1, 2]))
def test_losses(seed: int, config: dict[str, Any], lanes: int) -> None:
    """Error is followed by SYNC=7 while tracing, by a start or marker, or by the next loss, while not."""
    rng = Random(f"{seed}:encoder_losses")
    rows = rows_of(rng, blocks_of(rng, 60), lanes, lossy=True)
    trace = encode(rows, lanes, **config, **SMALL)
    check_rules(trace, Config(**config), to_beats(rows, lanes))
    for message, after, clause in zip(trace.messages, trace.messages[1:], trace.reasons):
        if message.name == "Error":
            if clause == "NT.7.4.error":
                assert after.get("sync") == 7
            else:
                assert after.get("sync") in (3, 5) or after.get("icnt") == 0 or after.name == "Error"
