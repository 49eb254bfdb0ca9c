# SPDX-License-Identifier: Apache-2.0
"""The files between Python and tci_tb: triggers beside beats, and what the recorders wrote of each hart."""

from pathlib import Path

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.tb.tci.agents import files, layout

HARTS, LANES = 2, 2


def beats_of(rng: np.random.Generator, n: int) -> Beats:
    """Beats with anything in their lanes, some of them halted."""
    beats = Beats.empty(n, LANES)
    beats.cycle = np.cumsum(rng.integers(1, 4, n)).astype(np.uint64)
    beats.halted = rng.integers(0, 2, n).astype(beats.halted.dtype)
    beats.ctype = rng.integers(0, 4, n).astype(beats.ctype.dtype)
    for name in LANE_FIELDS:
        column = getattr(beats, name)
        setattr(beats, name, rng.integers(0, 2, column.shape).astype(column.dtype))
    return beats


def played(path: Path) -> np.ndarray:
    """The rows of a player's file, whose most significant byte is first."""
    row = layout.STIMULUS.dtype({"NBlocks": LANES})
    raw = np.fromfile(path, np.uint8).reshape(-1, row.itemsize)[:, ::-1].copy()
    return raw.view(row)[:, 0]


def test_triggers_change_their_bits_alone(tmp_path: Path) -> None:
    beats = beats_of(np.random.default_rng(1), 9)
    files.write_stimulus(tmp_path, 0, beats)
    files.write_stimulus(tmp_path, 1, beats, files.Triggers({2: 3, 8: 4}, {0: 0x81, 2: 1}))
    plain, table = played(tmp_path / "stimulus0.bin"), played(tmp_path / "stimulus1.bin")
    expected = plain.copy()
    for index, word in ((0, 0x81 << 24), (2, 3 << 10 | 1 << 24), (8, 4 << 10)):
        expected["levels"][index] |= np.uint32(word)
    assert expected.tobytes() == table.tobytes()
    assert (plain["levels"] >> 2 & 1 == beats.halted).all() and (plain["levels"] >> 14 & 3 == beats.ctype).all()


def test_each_hart_has_its_beats_and_triggers(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    told = [beats_of(rng, 5), beats_of(rng, 7)]
    for hart, beats in enumerate(told):
        table = np.zeros(len(beats), layout.INGRESS.dtype({"NBlocks": LANES}))
        table["cycle"], table["tstamp"] = beats.cycle, 3 * beats.cycle
        table["levels"] = beats.halted.astype(np.uint32) << 2 | beats.ctype.astype(np.uint32) << 14
        table["levels"][3] |= np.uint32((hart + 2) << 10 | (hart + 0x40) << 24)
        for name in LANE_FIELDS:
            table["lanes"][name] = getattr(beats, name)
        table.tofile(tmp_path / f"ingress{hart}.bin")
    outputs = np.zeros(3, layout.TRIGGERS.dtype({"NHarts": HARTS}))
    outputs["cycle"], outputs["fired"][:, :HARTS] = (5, 6, 9), ((1, 0), (0x80, 2), (0, 4))
    outputs.tofile(tmp_path / "triggers.bin")
    seen = files.read_harts(tmp_path, [LANES, LANES])
    for hart, (beats, one) in enumerate(zip(told, seen)):
        for name in ("cycle", "halted", "ctype", *LANE_FIELDS):
            assert (getattr(one.beats, name) == getattr(beats, name)).all(), name
        assert (one.beats.tstamp == 3 * beats.cycle).all()
        assert one.fired.rows == [(int(beats.cycle[3]), hart + 2, hart + 0x40)]
    assert [one.fired.outputs for one in seen] == [[(5, 1), (6, 0x80)], [(6, 2), (9, 4)]]


def test_without_harts_nothing_is_read(tmp_path: Path) -> None:
    assert files.read_harts(tmp_path, []) == []


def test_memory_and_pins(tmp_path: Path) -> None:
    memory = np.array([(7, 0xFF_FFFF_FFFF, 0xDEAD_BEEF)], layout.MEMORY.dtype())
    memory.tofile(tmp_path / "memory.bin")
    assert files.read_memory(tmp_path / "memory.bin") == [(7, 0xFF_FFFF_FFFF, 0xDEAD_BEEF)]
    np.array([(1, 0x1_8001), (2, 0x8001)], layout.PINS.dtype()).tofile(tmp_path / "pins.bin")
    assert files.read_pins(tmp_path / "pins.bin") == [(1, 1, 0x8001), (2, 0, 0x8001)]
