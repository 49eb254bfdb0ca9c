# SPDX-License-Identifier: Apache-2.0
"""Bulk runs against the same cycles one at a time: counters, OF, LCOFIP of every row; and how fast it is."""

import random

import numpy as np
import pytest

from rvtrace.models.hpm.bulk import Block, Trace, advance, follow
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.registers import csrs
from rvtrace.models.hpm.rows import Rows, answered, followed
from rvtrace.models.riscv.csr import CLEAR, HS, READ, SET, VS, VU, WRITE, Access, M, U

CONFIGS = (
    Config(widths=tuple(1 + n * 2 for n in range(32))),
    Config(xlen=32, counters=0x8000_0F38, widths=(3,), events=3, event_bits=4, has_h=0, has_shlcofideleg=0),
    Config(counters=0, has_sscofpmf=0, has_shlcofideleg=0, has_smcntrpmf=0),
)


def random_rows(rng: random.Random, config: Config, n: int, chance: float) -> Rows:
    """Rows with gaps; accesses to CSRs that exist in `chance` of them, mostly writes that make counters wrap."""
    table, cycle = [], 0
    modes = [
        m
        for m, there in ((M, 1), (7, 1), (U, config.has_u), (HS, config.has_s), (VS, config.has_h), (VU, config.has_h))
        if there
    ]
    priv, addresses = M, [found.address for found in csrs(config)]
    for _ in range(n):
        cycle += 1 if rng.random() < 0.8 else rng.randint(2, 300)
        priv = rng.choice(modes) if rng.random() < 0.1 else priv
        top = (1 << config.event_bits) - 1
        counts = Counts(
            rng.random() < 0.9,
            rng.randint(0, config.retired),
            tuple(rng.randint(0, top) for _ in range(config.events)),
            int(priv == 7 and rng.random() < 0.5),
            rng.getrandbits(64),
        )
        access = None
        if rng.random() < chance:
            value = rng.choice(
                (
                    rng.getrandbits(64),
                    -rng.randint(1, 40) & (1 << 64) - 1,
                    rng.randint(0, 12) | rng.getrandbits(6) << 58,
                )
            )
            access = Access(
                rng.choice((READ, WRITE, WRITE, SET, CLEAR)),
                rng.choice(addresses),
                value,
                rng.choice((M, M, priv)),
                int(rng.random() < 0.2),
            )
        table.append((cycle, priv, counts, access))
    return Rows.from_rows(table, config.events)


def programmed(config: Config) -> Rows:
    """Rows that give every counter an event and some thousand counts up to its overflow."""
    writes = [Access(WRITE, 0x320 + n, 1 + n % (2 + config.events) | 1 << 58 + n % 5) for n in range(3, 32)]
    writes += [Access(WRITE, 0xB00 + n, (1 << 64) - 300 * n) for n in range(3, 32)]
    writes += [Access(WRITE, 0xB80 + n, (1 << 32) - 1, M, 1) for n in range(3, 32)]
    return Rows.from_rows([(k, M, Counts(), write) for k, write in enumerate(writes)], config.events)


def by_the_cycle(rows: Rows, config: Config) -> tuple[list[tuple[int, int]], list[tuple[list[int], int, int, int]]]:
    """Answers, and the state at the start of each row: every clock is one call of `cycle`."""
    hpm, answers, states = Hpm(config), [], []
    table = list(rows.cycles())
    for k, (cycle, priv, counts, access, _, _) in enumerate(table):
        states.append((list(hpm.counters), hpm.of, hpm.lcofip, hpm.lcofie))
        answer = hpm.cycle(priv, counts, access)
        answers.append((answer.rdata, answer.outcome) if answer else (0, 0))
        for _ in range(cycle + 1, table[k + 1][0] if k + 1 < len(table) else cycle + 1):
            hpm.cycle(priv, Counts(counts.cycle, 0, (), counts.stopcount))
    return answers, states


def same(trace: Trace, states: list[tuple[list[int], int, int, int]]) -> bool:
    found = zip(trace.counters.tolist(), trace.of.tolist(), trace.lcofip.tolist(), trace.lcofie.tolist())
    return list(found) == states


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("chance", (0.5, 0.004))
def test_followed_is_what_single_cycles_give(config: Config, chance: float) -> None:
    rows = Rows.concat([programmed(config), random_rows(random.Random(f"6:{chance}"), config, 1500, chance)])
    answers, states = by_the_cycle(rows, config)
    out, trace = followed(rows, config)
    assert list(zip(out.rdata.tolist(), out.outcome.tolist())) == answers
    assert same(trace, states)
    assert rows.accesses > 80 and bool(trace.of.any()) == bool(config.has_sscofpmf)


@pytest.mark.parametrize("config", CONFIGS)
def test_advance_leaves_what_follow_leaves(config: Config) -> None:
    rows = random_rows(random.Random("6:advance"), config, 3000, 0)
    block = Block(rows.priv, rows.stopcount, rows.running, rows.retired, rows.events, rows.clocks)
    one, other = Hpm(config), Hpm(config)
    for hpm in (one, other):
        for n in range(3, 32):
            hpm.access(Access(WRITE, 0x320 + n, n % 11 | (n * 7 % 32) << 58))
            hpm.access(Access(WRITE, 0xB00 + n, (1 << 64) - 500 * n))
    advance(one, block)
    follow(other, block)
    assert one.state == other.state


@pytest.mark.parametrize("n", (3, 4))
def test_an_overflow_shows_from_the_next_row_on(n: int) -> None:
    """8 bits: 254, 255, 0, 1, 2 at the start of five rows, each of which counts one."""
    rows = Rows.empty(5, 1)
    rows.events[:] = 1
    block = Block(rows.priv, rows.stopcount, rows.running, rows.retired, rows.events, rows.clocks)
    one, other = (Hpm(Config(counters=1 << n, events=1, widths=(8,))) for _ in range(2))
    for hpm in (one, other):
        hpm.access(Access(WRITE, 0x320 + n, 3))
        hpm.access(Access(WRITE, 0xB00 + n, 254))
    trace = follow(one, block)
    assert trace.counters[:, n].tolist() == [254, 255, 0, 1, 2] and one.counter(n) == 3
    assert trace.of.tolist() == [0, 0, 1 << n, 1 << n, 1 << n]
    assert trace.lcofip.tolist() == [0, 0, 1, 1, 1]
    advance(other, block)
    assert other.counter(n) == 3
    assert {(hpm.of, hpm.lcofip) for hpm in (one, other)} == {(1 << n, 1)}


def test_rows_survive_a_file(tmp_path) -> None:
    rows = answered(random_rows(random.Random("6:file"), CONFIGS[0], 200, 0.3), CONFIGS[0])
    rows.save(tmp_path / "rows.npz")
    again = Rows.load(tmp_path / "rows.npz")
    assert rows.differs(again) is None and np.count_nonzero(again.rdata) > 0
    again.events[7, 2] ^= 1
    assert rows.differs(again) == 7


def test_many_cycles_at_once() -> None:
    config, n = Config(), 400_000
    rows = Rows.empty(n, config.events)
    rows.retired[:], rows.events[:] = 3, 1
    rows.priv[::50] = 1
    hpm = Hpm(config)
    for k in range(3, 32):
        hpm.access(Access(WRITE, 0x320 + k, k % 11 | 1 << 61))
    _, trace = followed(rows, config, hpm)
    assert int(trace.counters[-1, 2]) == 3 * (n - 1)
