# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and tb/hdl: `Beats` to the player's file, the recorder's files to arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.tb.common.agents import layout

STIMULUS, INGRESS, STREAM, PROBLEMS, PACKETS = (
    "stimulus.bin",
    "ingress.bin",
    "stream.bin",
    "problems.txt",
    "packets.bin",
)
OUT_BYTES = 8
# A row's levels word: field to lowest bit and width.
LEVEL_BITS = {bits.name: (bits.lsb, bits.width) for bits in layout.LEVELS}

_WRONG = {1: "valid fell or data changed before ready", 2: "an output is X"}


def write_stimulus(path: Path, beats: Beats, bits: Mapping[str, tuple[int, int]] = LEVEL_BITS) -> None:
    """What trace_player reads: rows with the idle cycles before them as `cycle`, most significant byte first.

    bits: where the fields of its levels word are.
    """
    row = layout.stimulus().dtype({"NBlocks": beats.lanes})
    rows = np.zeros(len(beats), dtype=row)
    cycle = beats.cycle.astype(np.int64)
    rows["cycle"] = np.diff(cycle, prepend=cycle[:1] - 1) - 1
    for name, (bit, _) in bits.items():
        if name != "drop":
            rows["levels"] |= getattr(beats, name).astype(np.uint32) << np.uint32(bit)
    rows["vendor_data"] = beats.vendor_data
    for name in LANE_FIELDS:
        rows["lanes"][name] = getattr(beats, name)
    np.ascontiguousarray(rows.view(np.uint8).reshape(-1, row.itemsize)[:, ::-1]).tofile(path)


def read_ingress(path: Path, lanes: int, bits: Mapping[str, tuple[int, int]] = LEVEL_BITS) -> Beats:
    """What trace_recorder saw accepted."""
    rows = np.fromfile(path, dtype=layout.RECORDED.dtype({"NBlocks": lanes}))
    columns = {name: rows[name] for name in ("cycle", "vendor_data", "tstamp")}
    return Beats(**columns, **split_levels(rows["levels"], bits), **{name: rows["lanes"][name] for name in LANE_FIELDS})


def split_levels(words: np.ndarray, bits: Mapping[str, tuple[int, int]] = LEVEL_BITS) -> dict[str, np.ndarray]:
    """The fields of some levels words."""
    return {name: words >> np.uint64(bit) & np.uint64((1 << n) - 1) for name, (bit, n) in bits.items()}


def after_reset(beats: Beats) -> Beats:
    """The rows with the idle one before them, in which all levels were still 0 as reset left them.

    It is not recorded, since nothing changed in it; without it the first row would look like the state to begin with.
    """
    if not len(beats) or not beats.enable[0] or not beats.cycle[0]:
        return beats
    idle = Beats.empty(1, beats.lanes)
    joined = Beats.concat([idle, beats])
    joined.cycle = np.concatenate([beats.cycle[:1] - np.uint64(1), beats.cycle])
    return joined


def read_stream(path: Path, width: int = OUT_BYTES) -> tuple[bytes, np.ndarray]:
    """The bytes trace_recorder saw leave a port of `width` bytes, and the cycle of each."""
    rows = np.fromfile(path, dtype=[("cycle", "<u8"), ("nbytes", "<u4"), ("data", "u1", (width,))])
    return flatten(rows["cycle"], rows["nbytes"], rows["data"])


def read_transfers(path: Path, width: int = OUT_BYTES) -> tuple[np.ndarray, list[str]]:
    """What a stream_recorder of a port of `width` bytes saw: a table (since, cycle, wrong, nbytes, data), and what was
    wrong.
    """
    row = np.dtype([("since", "<u8"), ("cycle", "<u8"), ("wrong", "<u4"), ("nbytes", "<u4"), ("data", "u1", (width,))])
    table = np.fromfile(path, dtype=row)
    problems = [
        f"cycle {int(table['cycle'][np.argmax(table['wrong'] & code != 0)])}: {path.stem}: {text}"
        for code, text in _WRONG.items() if (table["wrong"] & code).any()
    ]  # fmt: skip
    return table[table["wrong"] & 2 == 0], problems


def flatten(cycle: np.ndarray, nbytes: np.ndarray, data: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Transfers (shapes [n], [n], [n, bytes of the port]) to bytes and the cycle of each byte."""
    kept = np.arange(data.shape[1]) < nbytes[:, None]
    return data[kept].tobytes(), np.repeat(cycle, kept.sum(axis=1))


def read_problems(path: Path) -> list[str]:
    """The sentences trace_recorder wrote."""
    return path.read_text().splitlines()
