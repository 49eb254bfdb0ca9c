# SPDX-License-Identifier: Apache-2.0
"""Files between Python and tci_tb: rows that harts play, and what the recorders saw of encoders, funnel, memory and
pins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.tci.funnel import messages
from rvtrace.models.tci.grammar import NTRACE, Grammar
from rvtrace.scoreboards.tci.capture import Fired, Stream
from rvtrace.tb.common.agents import files as rows
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.tci.agents import layout

_TRIGGERS = (layout.ACTION, layout.EXTERNAL)  # in the levels word, and beside the beats in Python
_BITS = {bits.name: (bits.lsb, bits.width) for bits in layout.LEVELS if bits not in _TRIGGERS}


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
    if triggers is None or not len(beats) or not (triggers.action or triggers.external):
        return
    raw = np.fromfile(path, dtype=np.uint8).reshape(len(beats), -1)[:, ::-1].copy()
    table = raw.view(layout.STIMULUS.dtype({"NBlocks": beats.lanes}))[:, 0]
    levels = table["levels"]
    for bits in _TRIGGERS:
        for index, value in getattr(triggers, bits.name).items():
            levels[index] |= np.uint32(value << bits.lsb)
    port_files.write(path, table)


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


class HartSeen(NamedTuple):
    """What was recorded of a hart. beats: what its encoder accepted, with the levels it saw; the idle row of reset is
    before them. fired: the triggers that it gave with its rows, and the external outputs of its encoder.
    """

    beats: Beats
    fired: Fired


def read_harts(folder: Path, lanes: Sequence[int]) -> list[HartSeen]:
    """What was recorded of all harts. lanes: of each."""
    if not lanes:
        return []
    outputs = np.fromfile(folder / "triggers.bin", dtype=layout.TRIGGERS.dtype({"NHarts": len(lanes)}))
    return [
        _read_hart(folder / f"ingress{hart}.bin", count, outputs["cycle"], outputs["fired"][:, hart])
        for hart, count in enumerate(lanes)
    ]


def _read_hart(path: Path, lanes: int, output_cycle: np.ndarray, outputs: np.ndarray) -> HartSeen:
    """outputs: of its encoder, by `output_cycle`."""
    table = np.fromfile(path, dtype=layout.INGRESS.dtype({"NBlocks": lanes}))
    columns = {name: table[name] for name in ("cycle", "vendor_data", "tstamp")}
    levels = rows.split_levels(table["levels"], _BITS)
    beats = Beats(**columns, **levels, **{name: table["lanes"][name] for name in LANE_FIELDS})
    action, external = ((table["levels"] & np.uint32(bits.mask)) >> np.uint32(bits.lsb) for bits in _TRIGGERS)
    given, mine = np.flatnonzero((action != 0) | (external != 0)), outputs != 0
    fired = Fired(
        list(zip(table["cycle"][given].tolist(), action[given].tolist(), external[given].tolist())),
        list(zip(output_cycle[mine].tolist(), outputs[mine].tolist())),
    )
    return HartSeen(rows.after_reset(beats), fired)


def read_memory(path: Path) -> list[tuple[int, int, int]]:
    """(cycle, address, word) of every write to system memory."""
    table = np.fromfile(path, dtype=layout.MEMORY.dtype())
    return list(zip(table["cycle"].tolist(), table["addr"].tolist(), table["word"].tolist()))


def read_pins(path: Path) -> list[tuple[int, int, int]]:
    """(cycle, TRC_CLK, TRC_DATA) of every change of the pins."""
    table = np.fromfile(path, dtype=layout.PINS.dtype())
    clk, data = ((table["pins"] & np.uint32(bits.mask)) >> np.uint32(bits.lsb) for bits in (layout.CLK, layout.DATA))
    return list(zip(table["cycle"].tolist(), clk.tolist(), data.tolist()))
