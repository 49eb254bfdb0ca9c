"""Rows of the files between Python and tb/hdl: `Beats` to the player's file, the recorder's files to arrays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from models.riscv.beats import LANE_FIELDS, Beats

STIMULUS, INGRESS, STREAM, PROBLEMS, PACKETS = "stimulus.bin", "ingress.bin", "stream.bin", "problems.txt", "packets.bin"
OUT_BYTES = 8
LEVEL_BITS = {  # a row's levels word: field to lowest bit and width; bits 8 and up are pulses (in E-Trace all but toggle)
    "enable": (0, 1), "inst_tracing": (1, 1), "halted": (2, 1), "drop": (3, 1), "in_reset": (4, 1), "low_power": (5, 1),
    "notify": (8, 1), "ext_notify": (9, 1), "vendor": (16, 6),
}  # fmt: skip
ETRACE_BITS = {**LEVEL_BITS, "ctype": (12, 2), "toggle": (24, 6)}

_LANE = np.dtype([
    ("itype", "u1"), ("ilastsize", "u1"), ("sijump", "u1"), ("priv", "u1"), ("cause", "u1"), ("zero_a", "u1"), ("iretire", "<u2"),
    ("hcontext", "<u2"), ("zero_b", "<u2"), ("context", "<u4"), ("iaddr", "<u8"), ("tval", "<u8"),
])  # fmt: skip
_HEAD = [("cycle", "<u8"), ("levels", "<u4"), ("vendor_data", "<u4")]
_WRONG = {1: "valid fell or data changed before ready", 2: "an output is X"}


def write_stimulus(path: Path, beats: Beats, bits: Mapping[str, tuple[int, int]] = LEVEL_BITS) -> None:
    """What trace_player reads: rows with the idle cycles before them as `cycle`, most significant byte first.

    bits: where the fields of its levels word are.
    """
    row = np.dtype([*_HEAD, ("lanes", _LANE, (beats.lanes,))])
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
    rows = np.fromfile(path, dtype=np.dtype([*_HEAD, ("tstamp", "<u8"), ("lanes", _LANE, (lanes,))]))
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
    """What a stream_recorder of a port of `width` bytes saw: a table (since, cycle, wrong, nbytes, data), and what was wrong."""
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
