# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and tandem_tb, and rows by cycles and lanes, as its ports have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import COLUMNS, CSR_SLOTS, column_width
from rvtrace.models.tandem.trace_data import Rows, RowsError
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.tandem.agents import layout
from rvtrace.tb.tandem.agents.layout import PORTS

ERRORS = "errors.bin"
# In sentences of monitors that other benches have as well: what rtl/tandem has in place of it.
_NAMES = {
    "ing_ready_o": "in_ready_o",
    "out_nbytes_o": "out_count_o",
    " drop_o=0": "",
    "the last block": "the last row",
    "a packet": "a word",
}


def named(problem: str) -> str:
    """A monitor's sentence with the names of the encoder's ports, in place of those of the testbench."""
    for old, new in _NAMES.items():
        problem = problem.replace(old, new)
    return problem


class Lanes:
    """Rows as the ports have them. cycle: shape [n]; each port by name, shape [n, lanes * elements], lane 0 first."""

    def __init__(self, cycle: np.ndarray, ports: dict[str, np.ndarray]) -> None:
        self.cycle, self.ports = cycle, ports
        self.__dict__.update(ports)

    def __len__(self) -> int:
        return len(self.cycle)

    @classmethod
    def of(cls, rows: Rows, config: Config) -> Lanes:
        """Rows in their cycles, every value cut to the width of its port; RowsError if a cycle has more than there are
        lanes.
        """
        cycle, first, inverse = np.unique(rows.cycle, return_index=True, return_inverse=True)
        lane = np.arange(len(rows)) - first[inverse]
        if len(rows) and lane.max() >= config.lanes:
            raise RowsError(
                f"row {int(np.argmax(lane))} is number {int(lane.max()) + 1} in its cycle; give at most {config.lanes}"
                f" for LANES={config.lanes}"
            )
        place = inverse * config.lanes + lane
        widths = {"valid": 1, "has": 32} | {column.name: column_width(config, column) for column in COLUMNS}
        ports = {}
        for name, count in PORTS.items():
            port = np.zeros((len(cycle) * config.lanes, count), np.uint64)
            values = np.ones(len(rows), np.uint64) if name == "valid" else getattr(rows, name).astype(np.uint64)
            port[place] = values.reshape(len(rows), count) & np.uint64((1 << widths[name]) - 1)
            ports[name] = port.reshape(len(cycle), config.lanes * count)
        return cls(cycle, ports)

    def rows(self) -> Rows:
        """The rows, lane 0 first; and where there is one."""
        there = self.ports["valid"].astype(bool)
        lanes = there.shape[1]
        columns: dict[str, np.ndarray] = {"cycle": np.repeat(self.cycle[:, None], lanes, axis=1)[there]}
        for name, count in PORTS.items():
            if name != "valid":
                values = self.ports[name].reshape(len(self), lanes, count)[there]
                columns[name] = values if count == CSR_SLOTS else values[:, 0]
        return Rows(int(there.sum()), **columns)


def write_stimulus(path: Path, lanes: Lanes) -> None:
    """What trace_player reads."""
    count = lanes.ports["valid"].shape[1] if len(lanes) else 1
    table = np.zeros(len(lanes), layout.STIMULUS.dtype({"NLanes": count}))
    table["gap"] = port_files.gaps(lanes.cycle)
    for name, elements in PORTS.items():
        table["lanes"][name] = lanes.ports[name].reshape(len(lanes), count, elements)
    port_files.write(path, table)


def read_seen(path: Path, count: int) -> Lanes:
    """The rows that trace_recorder saw taken, `count` lanes."""
    table = np.fromfile(path, layout.ACCEPTED.dtype({"NLanes": count}))
    ports = {
        name: table["lanes"][name].reshape(len(table), count * elements).astype(np.uint64)
        for name, elements in PORTS.items()
    }
    return Lanes(table["cycle"].copy(), ports)


def read_errors(path: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """(cycle, lanes as bits) of each time error_o was not 0, and a sentence about the first X."""
    table = np.fromfile(path, layout.ERRORS.dtype())
    good = table["unknown"] == 0
    problems = [] if good.all() else [unknown_error(int(table["cycle"][np.argmin(good)]))]
    return table["cycle"][good], table["lanes"][good], problems


def unknown_error(cycle: int) -> str:
    """The sentence about an X."""
    return f"cycle {cycle}: error_o is X"


def refused(lanes: Lanes, cycle: np.ndarray, reported: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Which rows error_o reported to be illegal, in the cycle behind theirs; and a sentence about the first time it
    reported one that was not taken.
    """
    there = lanes.ports["valid"].astype(bool)
    wrong = np.zeros(there.shape, bool)
    at = np.searchsorted(lanes.cycle, cycle - np.uint64(1))
    taken = (at < len(lanes)) & (cycle > 0)
    taken[taken] = lanes.cycle[at[taken]] == cycle[taken] - np.uint64(1)
    bits = (reported[:, None] >> np.arange(there.shape[1]).astype(reported.dtype) & 1).astype(bool)
    wrong[at[taken]] = bits[taken]
    stray = ~taken
    stray[taken] = (bits[taken] & ~there[at[taken]]).any(axis=1)
    problems = []
    if stray.any():
        k = int(np.argmax(stray))
        problems.append(
            f"cycle {int(cycle[k])}: error_o={int(reported[k]):b} behind a cycle in which no such row was taken"
        )
    return wrong[there], problems
