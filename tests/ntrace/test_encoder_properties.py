# SPDX-License-Identifier: Apache-2.0
"""Properties of the encoder model on random streams: what the messages must add up to."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import CLAUSES, EncodedTrace, Encoder
from rvtrace.models.riscv.retired import IType
from tests.common.there import there
from tests.ntrace.encoder_stream import DEBUG, DEBUG_OFF, OFF, ON, RESET, Block, Row, row, to_beats

SEQUENTIAL = (IType.NONE, IType.NOT_TAKEN)
SMALL = {"icnt_bits": 6, "hist_bits": 5, "iretire_bits": 4}

seeds = st.integers(0, 1 << 32)
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


def traced(rows: list[Row]) -> Iterator[Block]:
    """The blocks of the rows with tracing on."""
    return (block for r in rows if r.levels == ON for block in r.blocks)


def encode(rows: list[Row], lanes: int, **config: Any) -> EncodedTrace:
    return Encoder(Config(blocks=lanes, **config)).run(to_beats(rows, lanes))


@settings(max_examples=150, deadline=None)
@given(seeds, configs, st.sampled_from([1, 2]), st.booleans())
def test_totals(seed: int, config: dict[str, Any], lanes: int, small: bool) -> None:
    """I-CNT adds up to the half-words, HIST or DirectBranch to the branches; addresses fit the I-CNT."""
    rng = Random(f"{seed}:encoder_totals")
    rows = rows_of(rng, blocks_of(rng, 60), lanes)
    trace = encode(rows, lanes, **config, **(SMALL if small else {}))
    starts: dict[int, set[int]] = {}  # half-words retired before a block -> its address, traps share a place
    place, outcomes = 0, ""
    for block in traced(rows):
        starts.setdefault(place, set()).add(block.iaddr)
        place += block.iretire
        outcomes += {IType.NOT_TAKEN: "0", IType.TAKEN: "1"}.get(IType(block.itype), "")
    count, hist, direct, ref = 0, "", 0, 0
    for message in trace.messages:
        full = message.get("rdata") if message.name == "ResourceFull" else None
        count += full if full and message.get("rcode") == 0 else message.get("icnt") or 0
        hist += f"{full if full and message.get('rcode') == 1 else message.get('hist', 1):b}"[1:]
        direct += message.name.startswith("DirectBranch")
        if message.get("faddr") is not None:
            ref = there(message.get("faddr"))
        elif message.get("uaddr") is not None:
            ref ^= there(message.get("uaddr"))
        else:
            continue
        assert ref << 1 in starts[count]
    assert count == place
    assert (hist, direct) == ((outcomes, 0) if config["mode"] == "htm" else ("", outcomes.count("1")))


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
    """No message from a beat without room; Error is followed by SYNC=7 while tracing, by a start or marker,
    or by the next loss, while not."""
    rng = Random(f"{seed}:encoder_losses")
    rows = rows_of(rng, blocks_of(rng, 60), lanes, lossy=True)
    trace = encode(rows, lanes, **config, **SMALL)
    assert len(trace.messages) == len(trace.reasons) == len(trace.beat)
    assert set(trace.reasons) <= set(CLAUSES)
    assert trace.beat == sorted(trace.beat)
    assert not any(rows[index].drop for index in trace.beat)
    for message, after, clause in zip(trace.messages, trace.messages[1:], trace.reasons):
        if message.name == "Error":
            if clause == "NT.7.4.error":
                assert after.get("sync") == 7
            else:
                assert after.get("sync") in (3, 5) or after.get("icnt") == 0 or after.name == "Error"
    messages, damage = unpack(trace.data, Config(**config))
    assert not damage and len(messages) == len(trace.messages)
    assert all(read.same(made) for read, made in zip(messages, trace.messages))
