# SPDX-License-Identifier: Apache-2.0
"""The files between Python and hpm_tb, and one record of what several monitors saw."""

import random

import numpy as np
import pytest

from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.rows import NO_ACCESS, Rows, answered
from rvtrace.models.riscv.csr import WRITE, Access, M, U
from rvtrace.tb.hpm.agents import files as hpm_rows
from rvtrace.tb.hpm.agents.layout import pins
from rvtrace.tb.hpm.stimulus.builds import BUILDS
from rvtrace.tb.hpm.stimulus.random_rows import Mix

CONFIG = Config(counters=0x18, events=5)
PINS = pins(CONFIG, 0)
ROW = (7, U, Counts(0, 3, (1, 0, 0, 2, 1), 1, 0x1122), Access(WRITE, 0xB03, 0x123456789, M, 1))


def test_a_row_of_the_stimulus(tmp_path):
    """Bytes as hpm_tb takes them apart, most significant first: the second row is 6 idle cycles after the first."""
    rows = Rows.from_rows([(0, M, Counts(), None), ROW], 5)
    hpm_rows.write_stimulus(tmp_path / "stimulus.bin", rows)
    data = (tmp_path / "stimulus.bin").read_bytes()
    first, second = (int.from_bytes(half, "big") for half in (data[: len(data) // 2], data[len(data) // 2 :]))
    assert len(data) == 2 * (40 + 8) and first == (3 | 1 << 4) << 64
    levels, rest = second >> 64 & 0xFFFF_FFFF, second >> 96
    assert second & 0xFFFF_FFFF_FFFF_FFFF == 6 and levels == U | 1 << 3
    assert [rest >> 8 * at & 0xFF for at in range(4)] == [3, 8 | WRITE, M, 1] and rest >> 32 & 0xFFFF == 0xB03
    assert second >> 192 & (1 << 64) - 1 == 0x123456789 and second >> 256 & (1 << 64) - 1 == 0x1122
    assert second >> 320 == 1 | 2 << 24 | 1 << 32


def _recorded(levels: int, counters: tuple[int, ...], cycle: int = 4) -> bytes:
    """A row as row_recorder writes it: two instructions, a read of 0xC00 that gave 9."""
    head = (
        cycle.to_bytes(8, "little")
        + levels.to_bytes(4, "little")
        + bytes([2, 8, 0, 0])
        + (0xC00).to_bytes(2, "little")
        + bytes(6)
    )
    words = b"".join(value.to_bytes(8, "little") for value in (0, 77, 9))
    return (
        head
        + words
        + bytes([0, 1, 0, 0, 3, 0, 0, 0])
        + (0x10).to_bytes(4, "little")
        + b"".join(value.to_bytes(8, "little") for value in counters)
    )


def test_what_the_recorder_saw(tmp_path):
    path = tmp_path / "rows.bin"
    path.write_bytes(_recorded(M | 1 << 4 | 1 << 5, (1, 2, 3, 4)))
    rows, state, *problems = hpm_rows.read_seen(path, PINS)
    ((cycle, priv, counts, access, rdata, outcome),) = rows.cycles()
    assert (cycle, priv, counts, access, rdata, outcome) == (
        4,
        M,
        Counts(1, 2, (0, 1, 0, 0, 3), 0, 77),
        Access(0, 0xC00, 0, 0, 0),
        9,
        0,
    )
    assert {n: int(value) for n, value in enumerate(state.counters[0]) if value} == {
        0: 1,
        2: 2,
        3: 3,
        4: 4,
    } and problems == [[], []]
    assert (state.of[0], state.lcofip[0], state.lcofie[0]) == (0x10, 1, 0)


@pytest.mark.parametrize(
    "bit, text", [(8, "csr_rdata_o or csr_outcome_o is X"), (9, "lcofie_o is X"), (10, "not there is not 0")]
)
def test_what_was_wrong_is_reported_once(tmp_path, bit, text):
    path = tmp_path / "rows.bin"
    path.write_bytes(
        _recorded(M, (0,) * 4) + _recorded(M | 1 << bit, (0,) * 4, 5) + _recorded(M | 1 << bit, (0,) * 4, 9)
    )
    _, _, unknown, wrong = hpm_rows.read_seen(path, PINS)
    (problem,) = unknown + wrong
    assert problem.startswith("cycle 5: ") and text in problem and "(2 such" in problem


@pytest.mark.parametrize("build", BUILDS)
def test_parts_are_joined(build):
    """What the monitors of hart, CSR port and state saw, each on its own, is the record again; a turn of the state adds
    a row.
    """
    config = Config.from_dict(BUILDS[build])
    meant = answered(Mix(config, random.Random(build), 50).play(400).rows(), config)
    meant.time[meant.op == NO_ACCESS] = 0
    happened = (meant.retired != 0) | (meant.events != 0).any(axis=1)
    for name in hpm_rows.HART:
        happened |= np.diff(getattr(meant, name).astype(np.int8), prepend=np.int8(-1)) != 0
    asked = meant.op != NO_ACCESS
    cycle = np.arange(int(meant.cycle[-1]) + 1, dtype=np.uint64)
    trace = Trace.empty(len(cycle))
    trace.of[:] = cycle
    free = np.setdiff1d(cycle, meant.cycle)
    bent = np.isin(cycle, free[:1])
    rows, state = hpm_rows.joined(meant.select(happened), meant.select(asked), hpm_rows.State(cycle, trace, bent))
    added = np.isin(rows.cycle, free[:1])
    assert rows.select(~added).differs(meant.select(happened | asked)) is None and added.sum() == len(free[:1])
    assert (
        np.array_equal(state.of, rows.cycle) and not rows.retired[added].any() and (rows.op[added] == NO_ACCESS).all()
    )
