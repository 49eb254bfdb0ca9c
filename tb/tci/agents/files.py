# SPDX-License-Identifier: Apache-2.0
"""Files between Python and tci_tb: rows that harts play, and what the recorders saw of encoders, funnel, memory and
pins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.tci.funnel import messages
from rvtrace.models.tci.grammar import NTRACE, Grammar
from rvtrace.scoreboards.tci.capture import Fired, Stream
from rvtrace.tb.common.agents import files as rows

ACTION_BIT, EXTERNAL_BIT = 10, 24  # of a row's levels word: action of a debug trigger (4 bits), external triggers (8)
_BITS = {**rows.LEVEL_BITS, "ctype": (14, 2)}


@dataclass
class Triggers:
    """Triggers of a hart beside its beats, by row. action: of a debug trigger (0 none, 2 on, 3 off, 4 notify);
    external: a mask of inputs.
    """

    action: dict[int, int] = field(default_factory=dict)
    external: dict[int, int] = field(default_factory=dict)


def write_stimulus(folder: Path, hart: int, beats: Beats, triggers: Triggers | None = None) -> None:
    """What hart `hart` plays: beats (their enable and inst_tracing are the registers' business) and triggers."""
    path = folder / f"stimulus{hart}.bin"
    rows.write_stimulus(path, beats, _BITS)
    if triggers is None or not len(beats):
        return
    raw = np.fromfile(path, dtype=np.uint8).reshape(len(beats), -1)[:, ::-1].copy()
    words = raw.view("<u4")  # a row begins with gap (2 words), levels
    for column, bit in ((triggers.action, ACTION_BIT), (triggers.external, EXTERNAL_BIT)):
        for index, value in column.items():
            words[index, 2] |= np.uint32(value << bit)
    raw[:, ::-1].tofile(path)


def read_stream(path: Path, grammar: Grammar = NTRACE) -> Stream:
    """What a stream_recorder saw, as messages of the encoders' protocol."""
    good, problems = rows.read_transfers(path)
    data, cycle = rows.flatten(good["cycle"], good["nbytes"], good["data"])
    ends = np.cumsum(np.minimum(good["nbytes"], rows.OUT_BYTES)).tolist()
    pieces = [data[begin:end] for begin, end in zip([0, *ends], ends)]
    transfers = zip(good["since"].tolist(), good["cycle"].tolist(), pieces)
    empty = good["nbytes"] == 0
    if empty.any():
        problems.append(f"cycle {int(good['cycle'][empty][0])}: {path.stem}: a transfer without bytes")
    return Stream(data, cycle, messages(transfers, grammar), problems)


def read_ingress(folder: Path, hart: int, lanes: int) -> Beats:
    """What encoder `hart` accepted, with the levels it saw; the idle row of reset stands before."""
    return rows.after_reset(rows.read_ingress(folder / f"ingress{hart}.bin", lanes, _BITS))


def read_memory(path: Path) -> list[tuple[int, int, int]]:
    """(cycle, address, word) of every write to system memory."""
    table = np.fromfile(path, dtype=np.dtype([("cycle", "<u8"), ("addr", "<u8"), ("word", "<u4")]))
    return list(zip(table["cycle"].tolist(), table["addr"].tolist(), table["word"].tolist()))


def read_pins(path: Path) -> list[tuple[int, int, int]]:
    """(cycle, TRC_CLK, TRC_DATA) of every change of the pins."""
    table = np.fromfile(path, dtype=np.dtype([("cycle", "<u8"), ("pins", "<u4")]))
    return list(zip(table["cycle"].tolist(), (table["pins"] >> 16 & 1).tolist(), (table["pins"] & 0xFFFF).tolist()))


def read_fired(folder: Path, hart: int, harts: int, lanes: int) -> Fired:
    """The triggers that hart `hart` gave with its rows, and the external outputs of its encoder."""
    row = np.dtype([("cycle", "<u8"), ("levels", "<u4"), ("rest", f"V{4 + 8 + 32 * lanes}")])
    table = np.fromfile(folder / f"ingress{hart}.bin", dtype=row)
    action, external = table["levels"] >> ACTION_BIT & 0xF, table["levels"] >> EXTERNAL_BIT & 0xFF
    given = np.flatnonzero((action != 0) | (external != 0))
    outputs = np.fromfile(
        folder / "triggers.bin", dtype=np.dtype([("cycle", "<u8"), ("fired", "u1", (4 * ((8 * harts + 31) // 32),))])
    )
    mine = outputs[outputs["fired"][:, hart] != 0]
    return Fired(
        list(zip(table["cycle"][given].tolist(), action[given].tolist(), external[given].tolist())),
        list(zip(mine["cycle"].tolist(), mine["fired"][:, hart].tolist())),
    )
