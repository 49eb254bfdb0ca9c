# SPDX-License-Identifier: Apache-2.0
"""Files between Python and subsystem_tb: what the hart tells, slot by slot, and what the recorders saw of hart, CSRs
and streams.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.models.tandem.config import Config as TandemConfig
from rvtrace.models.tandem.table import COLUMNS, CSR_SLOTS
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.tb.common.agents import files as rows
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.subsystem.agents import layout
from rvtrace.tb.tandem.agents.files import PORTS, Lanes

STIMULUS, HART, CSR = "stimulus.bin", "hart.bin", "csr.bin"
STREAMS = {"ntrace": 8, "etrace": 8, "tandem": 32}  # files, and bytes of their ports
STOPPED, HALTED, IN_RESET, LOW_POWER = (
    bits.mask for bits in (layout.STOPPED, layout.HALTED, layout.IN_RESET, layout.LOW_POWER)
)
EXTERNAL_LSB, EXTERNAL_BITS = layout.EXTERNAL.lsb, layout.EXTERNAL.width  # pulses: external events
_UNITS = (*range(layout.ENABLED.lsb, layout.ENABLED.lsb + layout.ENABLED.width), layout.TANDEM_ON.lsb)
REPORTED = {field.name: np.dtype(field.type) for field in layout.HART}


@dataclass
class HartRows:
    """What a hart does, beat by beat: n rows, of which those with `reported` are instructions and traps.

    rows: of the tandem trace, whose `cycle` is the number of the beat. reported: columns of `REPORTED`, shape [n]. gap:
    idle cycles before each beat; levels: its levels and pulses; both of shape [beats]. A beat may have no row.
    """

    rows: Rows
    reported: dict[str, np.ndarray]
    gap: np.ndarray
    levels: np.ndarray

    def __len__(self) -> int:
        return len(self.gap)

    def part(self, begin: int, end: int) -> HartRows:
        """The beats from `begin` to before `end`."""
        lo, hi = np.searchsorted(self.rows.cycle, [begin, end]).tolist()
        kept = self.rows.select(slice(lo, hi))
        kept.cycle = kept.cycle - np.uint64(begin)
        return HartRows(
            kept,
            {name: column[lo:hi] for name, column in self.reported.items()},
            self.gap[begin:end],
            self.levels[begin:end],
        )

    def table(self, config: TandemConfig) -> np.ndarray:
        """The beats as the player and the pins have them."""
        table = np.zeros(len(self), layout.STIMULUS.dtype({"NRet": config.lanes}))
        table["gap"], table["levels"] = self.gap, self.levels
        lanes, beat = Lanes.of(self.rows, config), self.rows.cycle.astype(np.int64)
        place = np.arange(len(beat)) - np.searchsorted(beat, beat)
        for name, column in self.reported.items():
            table["slots"]["hart"][name][beat, place] = column
        at = lanes.cycle.astype(np.int64)
        for name, elements in PORTS.items():
            table["slots"]["row"][name][at] = lanes.ports[name].reshape(len(lanes), config.lanes, elements)
        return table


def write_stimulus(path: Path, hart: HartRows, config: TandemConfig) -> None:
    """What trace_player reads."""
    port_files.write(path, hart.table(config))


@dataclass
class Seen:
    """What was taken at the hart port. retired: instructions and traps, with their cycle, misp and mode_next; rows:
    those that the tandem trace took; events, event_cycle: external ones; stopped, halted: cycles that did not count,
    and those in Debug Mode, as ranges; enabled: when each unit was on, as ranges; errors: cycles of tandem_error_o."""

    retired: Retired
    cycle: np.ndarray
    misp: np.ndarray
    rows: Rows
    events: np.ndarray
    event_cycle: np.ndarray
    stopped: list[tuple[int, int]]
    halted: list[tuple[int, int]]
    enabled: tuple[list[tuple[int, int]], ...]
    errors: np.ndarray
    mode_next: np.ndarray


def read_hart(path: Path, slots: int) -> Seen:
    """What row_recorder saw at the hart port."""
    table = np.fromfile(path, layout.RECORDED.dtype({"NRet": slots}))
    there = table["slots"]["row"]["valid"][..., 0].astype(bool)
    k, slot = np.nonzero(there)
    columns = {
        "cycle": table["cycle"][k],
        **{name: table["slots"]["row"][name][k, slot] for name in PORTS if name != "valid"},
    }
    columns = {
        name: column[:, 0] if column.ndim > 1 and column.shape[1] != CSR_SLOTS else column
        for name, column in columns.items()
    }
    columns |= {"mcycle": table["mcycle"][k], "minstret": table["minstret"][k]}
    rows_ = Rows(len(k), **columns)
    hart = {name: table["slots"]["hart"][name][k, slot] for name in REPORTED}
    reported = hart["reported"].astype(bool)
    given = table["levels"] & np.uint32(layout.TAKEN.mask) != 0
    given &= table["levels"] >> np.uint32(EXTERNAL_LSB) & np.uint32((1 << EXTERNAL_BITS) - 1) != 0
    word = table["levels"][given, None] >> np.arange(EXTERNAL_LSB, EXTERNAL_LSB + EXTERNAL_BITS, dtype=np.uint32)
    return Seen(
        _retired({name: column[reported] for name, column in hart.items()}, rows_.insn16[reported]),
        columns["cycle"][reported],
        hart["misp"][reported].astype(bool),
        rows_.select((table["levels"][k] & layout.TANDEM_ON.mask) != 0),
        (word & 1).astype(np.uint8),
        table["cycle"][given],
        _ranges(table["cycle"], table["levels"] & STOPPED != 0),
        _ranges(table["cycle"], table["levels"] & HALTED != 0),
        tuple(_ranges(table["cycle"], table["levels"] >> np.uint32(bit) & 1 != 0) for bit in _UNITS),
        table["cycle"][table["levels"] & layout.ERROR.mask != 0],
        hart["mode_next"][reported],
    )


def _retired(hart: dict[str, np.ndarray], insn16: np.ndarray) -> Retired:
    itype = hart["itype"]
    trap = (itype == IType.EXCEPTION) | (itype == IType.INTERRUPT)
    return Retired.from_columns(
        kind=np.where(trap, itype, Kind.INSN),
        pc=hart["pc"],
        size=np.where(trap, 0, np.where(insn16 != 0, 2, 4)),
        itype=itype,
        taken=np.where(itype == IType.TAKEN, 1, np.where(itype == IType.NOT_TAKEN, 0, -1)),
        cause=np.where(trap, hart["cause"], 0),
        tval=np.where(trap, hart["tval"], 0),
        priv=hart["mode"],
        context=hart["context"],
    )


def _ranges(cycle: np.ndarray, on: np.ndarray) -> list[tuple[int, int]]:
    """Where a level is 1; there is a row at each of its changes."""
    edges = np.flatnonzero(np.diff(on.astype(np.int8), prepend=0, append=0))
    ends = np.append(cycle, cycle[-1:] + np.uint64(1)).tolist()
    return [(ends[a], ends[b]) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist())]


@dataclass
class Answers:
    """CSR accesses as the monitor saw them: columns cycle, addr, op, priv, wdata, rdata, outcome; and sentences about
    X.
    """

    table: np.ndarray
    problems: list[str]


def read_csr(path: Path) -> Answers:
    """What row_recorder saw at the CSR port."""
    table = np.fromfile(path, layout.CSR.dtype())
    return Answers(table, port_files.unknown(table["cycle"], table["unknown"]))


def read_streams(folder: Path) -> tuple[dict[str, bytes], dict[str, np.ndarray], list[str]]:
    """Bytes of each stream, the cycle in which each left, and what was wrong."""
    data, cycles, problems = {}, {}, []
    for name, width in STREAMS.items():
        table, wrong = rows.read_transfers(folder / f"{name}.bin", width)
        data[name], cycles[name] = rows.flatten(table["cycle"], table["nbytes"], table["data"])
        problems += wrong
    return data, cycles, problems


assert {column.name for column in COLUMNS} | {"has", "valid"} == set(PORTS)
