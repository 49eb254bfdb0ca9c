# SPDX-License-Identifier: Apache-2.0
"""What the ports of a testbench are called, how wide they are, and which value they have in a run; `pins` of
`tb/<ip>/agents/layout.py` makes those of a system.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.models.common.filters import MAX_COMPS, MAX_FILTERS, FilterSettings


@dataclass(frozen=True)
class Pins:
    """The ports of a testbench in one configuration.

    lane: bits of each field of the ingress port that every block has (ing_<field>_i, lane k in bits k*W +: W); once: of
    those that are told once a cycle, the same for all its blocks. levels, pulses: the signals that travel with the
    beats (ctl_<name>_i). static: value of each port that stands still. bits: where levels and pulses are in the levels
    word of a row. player: ports of the bulk player. present: numbers of the counters that are there.
    """

    blocks: int
    lane: dict[str, int]
    levels: tuple[str, ...]
    pulses: tuple[str, ...]
    static: dict[str, int]
    once: dict[str, int]
    bits: dict[str, tuple[int, int]]
    player: tuple[str, ...] = ("drive_bulk", "go", "ready_seed", "ready_low")
    present: tuple[int, ...] = ()

    @property
    def controls(self) -> tuple[str, ...]:
        """Levels and pulses."""
        return self.levels + self.pulses


NO_PINS = Pins(0, {}, (), (), {}, {}, {})  # of agents whose ports do not depend on the configuration


def registers(config: Any) -> dict[str, int]:
    """What every encoder has of the Trace Control Interface: sync, stall, and filters and comparators, lowest first."""
    found = FilterSettings.parse(config.filter, config.xlen).registers()

    def packed(unit: str, count: int, names: tuple[str, ...]) -> int:
        words = [found[f"{unit}{index}{name}"] for index in range(count) for name in names]
        return sum(word << 32 * place for place, word in enumerate(words))

    return {
        "sync_mode": config.inst_sync_mode, "sync_max": config.inst_sync_max, "stall_ena": config.inst_stall_ena,
        "filters": found["trTeInstFilters"],
        "filter_cfg": packed("trTeFilter", MAX_FILTERS, ("Control", "MatchInst", "MatchEcauseLow", "MatchEcauseHigh")),
        "comp_cfg": packed("trTeComp", MAX_COMPS, ("Control", "PMatchLow", "PMatchHigh", "SMatchLow", "SMatchHigh")),
    }  # fmt: skip


def pack(column: np.ndarray, width: int) -> list[int]:
    """Lanes of one field, shape [n, lanes], to one int for each row."""
    total = column[:, 0].tolist()
    for lane in range(1, column.shape[1]):
        total = [low | high << lane * width for low, high in zip(total, column[:, lane].tolist())]
    return total


def unpack(column: Iterable[int], width: int, lanes: int) -> np.ndarray:
    """Ints of one field, a row each, to its lanes, shape [n, lanes]."""
    mask = (1 << width) - 1
    return np.array(
        [[value >> lane * width & mask for lane in range(lanes)] for value in column], dtype=np.uint64
    ).reshape(-1, lanes)
