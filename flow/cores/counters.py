# SPDX-License-Identifier: Apache-2.0
"""The counters of a core against exact counts from its own retirement stream.

    found = compare(core, rows)

Whenever a program reads a counter twice, what the counter went on by is compared with what RVFI has between the two
reads. What each counter counts is in the core's description ([counters]), as its manual says it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rvtrace.flow.cores.description import Core
from rvtrace.models.riscv.iss.hart import Hart

_SYSTEM = 0x73


class Rows(NamedTuple):
    """Columns over the rows of RVFI. accesses: of memory, in words, 0 where there was none; trapped: loads and stores
    that trapped, whose accesses are not known.
    """

    load: np.ndarray
    store: np.ndarray
    jump: np.ndarray
    branch: np.ndarray
    taken: np.ndarray
    compressed: np.ndarray
    accesses: np.ndarray
    trapped: np.ndarray


EVENTS: dict[str, Callable[[Rows], np.ndarray]] = {
    "load": lambda rows: rows.load.astype(np.int64),
    "store": lambda rows: rows.store.astype(np.int64),
    "load_access": lambda rows: rows.load * rows.accesses,
    "store_access": lambda rows: rows.store * rows.accesses,
    "jump": lambda rows: rows.jump.astype(np.int64),
    "branch": lambda rows: rows.branch.astype(np.int64),
    "taken_branch": lambda rows: rows.taken.astype(np.int64),
    "compressed": lambda rows: rows.compressed.astype(np.int64),
}
CYCLES = "cycle"


class Difference(NamedTuple):
    """A counter that went on by another number. first, second: rows of the two reads."""

    counter: str
    event: str
    first: int
    second: int
    expected: int
    actual: int


class Compared(NamedTuple):
    """compared: pairs of reads, by counter. differences: in the order of the second read."""

    compared: dict[str, int]
    differences: list[Difference]


def compare(core: Core, rows: np.ndarray) -> Compared:
    """Every two reads of a counter that follow each other without a write between them."""
    found, insn = columns(rows), rows["insn"].astype(np.int64)
    system = (insn & 0x7F == _SYSTEM) & (insn >> 12 & 3 != 0) & (rows["trap"] == 0)
    writes = (insn >> 12 & 3 == 1) | (insn >> 15 & 31 != 0)
    addresses = {name: address for address, name in Hart(core.hart).table.names.items()}
    compared: dict[str, int] = {}
    differences: list[Difference] = []
    for counter, event in core.counters.items():
        at = np.flatnonzero(system & (insn >> 20 == addresses[counter]))
        sums = np.concatenate([[0], np.cumsum(EVENTS[event](found))]) if event != CYCLES else None
        unknown = np.concatenate([[0], np.cumsum(found.trapped)])
        pairs = [
            (a, b)
            for a, b in zip(at.tolist(), at[1:].tolist())
            if not writes[a] and rows["rd"][a] and rows["rd"][b] and (event not in _MEMORY or unknown[a] == unknown[b])
        ]
        compared[counter] = len(pairs)
        for a, b in pairs:
            expected = int(rows["cycle"][b] - rows["cycle"][a]) if sums is None else int(sums[b] - sums[a])
            actual = int(rows["rd_value"][b]) - int(rows["rd_value"][a]) & 0xFFFF_FFFF
            if expected != actual:
                differences.append(Difference(counter, event, a, b, expected, actual))
    return Compared(compared, sorted(differences, key=lambda one: one.second))


_MEMORY = ("load", "store", "load_access", "store_access")


def columns(rows: np.ndarray) -> Rows:
    """What each row was, from its instruction alone."""
    insn = rows["insn"].astype(np.int64)
    wide, opcode, quadrant, f3 = insn & 3 == 3, insn & 0x7F, insn & 3, insn >> 13 & 7
    retired = rows["trap"] == 0
    load = np.where(wide, opcode == 0x03, (quadrant % 2 == 0) & (f3 == 2))
    store = np.where(wide, opcode == 0x23, (quadrant % 2 == 0) & (f3 == 6))
    by_register = (quadrant == 2) & (f3 == 4) & (insn >> 2 & 31 == 0) & (insn >> 7 & 31 != 0)
    jump = np.where(wide, (opcode == 0x6F) | (opcode == 0x67), ((quadrant == 1) & np.isin(f3, (1, 5))) | by_register)
    branch = np.where(wide, opcode == 0x63, (quadrant == 1) & (f3 >= 6)) & retired
    mask = (rows["rmask"] | rows["wmask"]).astype(np.int64)
    size = np.select([mask == 0xF, mask == 3, mask == 1], [4, 2, 1], 0)
    crosses = (rows["mem_addr"].astype(np.int64) & 3) + size > 4
    return Rows(
        load & retired, store & retired, jump & retired, branch,
        branch & (rows["next_pc"] != rows["pc"] + np.where(wide, 4, 2).astype(np.uint64)), ~wide & retired,
        np.where(size > 0, 1 + crosses, 0), (load | store) & ~retired,
    )  # fmt: skip
