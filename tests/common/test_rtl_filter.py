# SPDX-License-Identifier: Apache-2.0
"""trace_filter against a reading of its registers in Python: random settings, random blocks."""

from copy import deepcopy
from random import Random

import pytest

from tests.common.filter_reference import Comparator, Filter, beat, field
from tests.common.packers import vector
from tests.common.unit_bench import play

SOURCES = ["common/trace_pkg.sv", "common/trace_compare.sv", "common/trace_filter.sv"]
CONFIGS = [(64, 2, 2, 2), (32, 1, 2, 2), (32, 2, 4, 8), (64, 1, 1, 1), (64, 3, 3, 5)]  # Xlen, NBlocks, NFilters, NComps


Values = tuple[int, int, int]


def _settings(
    rng: Random, xlen: int, nfilters: int, ncomps: int, addresses: list[int]
) -> tuple[int, list[Values], list[Values]]:
    filters = []
    for _ in range(nfilters):
        control = int(rng.random() < 0.9)
        for bit, chance in ((1, 0.3), (2, 0.25), (3, 0.25), (4, 0.5), (8, 0.2), (12, 0.1)):
            control |= (rng.random() < chance) << bit
        for low in (5, 9, 13):
            control |= (rng.randrange(ncomps) if rng.random() < 0.95 else rng.randrange(8)) << low
        filters.append(
            (
                control | rng.getrandbits(16) << 16,
                rng.getrandbits(32),
                rng.choice([rng.getrandbits(64), 1 << rng.randrange(64), (1 << 64) - 1]),
            )
        )
    comps = []
    for _ in range(ncomps):
        values = [
            rng.choice(addresses) | (rng.getrandbits(32) << xlen if xlen == 32 and rng.random() < 0.3 else 0)
            for _ in "PS"
        ]
        control = rng.getrandbits(16) & ~0x0F | rng.choice([0, 0, rng.randrange(16)])
        if field(control, 8, 3) == 6 and rng.random() < 0.7:
            values[1] = rng.choice([0xFF, 0xFFF0, (1 << 64) - 16])
        comps.append((control | rng.getrandbits(16) << 16, *values))
    inst_filters = rng.choice([rng.getrandbits(nfilters), (1 << nfilters) - 1, 0, 1, 1 << 15])
    return inst_filters, filters, comps


def _block(rng: Random, traps: float, addresses: list[int]) -> dict:
    return {
        "itype": rng.choice([1, 1, 2, 3, 3]) if rng.random() < traps else rng.randrange(16),
        "iaddr": rng.choice(addresses),
        "iretire": rng.choice([0, 1, 2, 127]),
        "cause": rng.choice([2, 8, 63, 70, rng.randrange(256)]),
        "tval": rng.choice(addresses),
        "priv": rng.randrange(8),
        "context": rng.choice(addresses) & 0xFFFFFFFF,
    }


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: "-".join(map(str, c)))
def test_random_blocks(config, tmp_path):
    xlen, nblocks, nfilters, ncomps = config
    rng = Random(f"{config}:tests/rtl/filter")
    mask = (1 << xlen) - 1
    addresses = [(base + 2 * n) & mask for base in (0x80000100, -64, 0) for n in range(12)] + [
        5,
        7,
        mask,
        1 << (xlen - 1),
    ]
    rows, want = [], []
    for _ in range(40):
        inst_filters, filters, comps = _settings(rng, xlen, nfilters, ncomps, addresses)
        fresh = [Filter(*f) for f in filters], [Comparator(*c, xlen) for c in comps]
        traps = rng.choice([0.1, 0.3, 0.7])
        for cycle in range(120):
            enable, accept = int(cycle > 0 and rng.random() > 0.01), int(cycle == 0 or rng.random() < 0.9)
            if cycle == 0:
                units = deepcopy(fresh)
            blocks = [_block(rng, traps, addresses) for _ in range(nblocks)]
            rows.append(_row(accept, enable, inst_filters, filters, comps, blocks, xlen))
            stepped = deepcopy(units)
            want.append(
                tuple(f"{lanes:0{nblocks}b}" for lanes in beat(blocks, inst_filters, *stepped)) if enable else None
            )
            if accept:
                units = stepped if enable else deepcopy(fresh)
    lines = play("bench_filter", SOURCES, dict(zip(("Xlen", "NBlocks", "NFilters", "NComps"), config)), rows, tmp_path)
    # What is qualified while enable is 0 matters to nobody: the settings may just change.
    assert [tuple(line.split()) if expected else None for line, expected in zip(lines, want)] == want
    qualified, notify = ("".join(expected[n] for expected in want if expected) for n in (0, 1))
    assert min(qualified.count("0"), qualified.count("1"), notify.count("1")) > 300


def _row(accept: int, enable: int, inst_filters: int, filters: list, comps: list, blocks: list[dict], xlen: int) -> int:
    """A row of bench_filter: everything with index 0 in the low bits."""
    fields = [(accept, 1), (enable, 1), (inst_filters, 16)]
    fields += [(ecause << 64 | inst << 32 | control, 128) for control, inst, ecause in reversed(filters)]
    fields += [(smatch << 96 | pmatch << 32 | control, 160) for control, pmatch, smatch in reversed(comps)]
    widths = {"itype": 4, "iaddr": xlen, "iretire": 7, "cause": 8, "tval": xlen, "priv": 3, "context": 32}
    fields += [(block[name], width) for name, width in widths.items() for block in reversed(blocks)]
    return vector(*fields)
