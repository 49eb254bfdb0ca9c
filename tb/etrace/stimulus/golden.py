# SPDX-License-Identifier: Apache-2.0
"""Reading the golden pack of E-Trace (tests/etrace/golden/README.md), and what its cases are in our own terms:
configuration, program, beats, packets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.jobs.job import JobError
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import Packet
from rvtrace.models.riscv.beats import CYCLE_FIELDS, LANE_FIELDS, Beats
from rvtrace.models.riscv.program import Program

GOLDEN = Path(__file__).resolve().parents[3] / "tests" / "etrace" / "golden"
FORMAT = {
    "branch_count": 0,
    "jump_target": 0,
    "branch_map": 1,
    "address": 2,
    "start": 3,
    "trap": 3,
    "context": 3,
    "support": 3,
}
SUBFORMAT = {"branch_count": 0, "jump_target": 1, "start": 0, "trap": 1, "context": 2, "support": 3}
_SMALL: dict[str, Any] = {
    "blocks_p": 2,
    "bpred_size_p": 2,
    "cache_size_p": 2,
    "return_stack_size_p": 1,
    "bcount_bits": 3,
    "iretire_width_p": 5,
    "context_width_p": 8,
    "time_width_p": 16,
    "notime_p": 0,
    "fifo_depth": 16,
}
_COUNTER: dict[str, Any] = {
    "iaddress_width_p": 32,
    "iaddress_lsb_p": 2,
    "privilege_width_p": 2,
    "call_counter_size_p": 2,
    "return_stack_size_p": 0,
    "nocontext_p": 1,
    "notval_p": 1,
}
_EVERY: dict[str, Any] = {"bcount_bits": 16}
_DRAFT: dict[str, Any] = {"variant": "draft_0_026"}
SETS = {  # the table of the README, as far as it differs from the defaults of Config
    "standard": _EVERY,
    "draft": _EVERY | _DRAFT,
    "small": _SMALL,
    "small_draft": _SMALL | _DRAFT,
    "counter": _EVERY | _COUNTER,
    "counter_draft": _EVERY | _COUNTER | _DRAFT,
}
PRIV = {0: 0, 1: 1, 3: 3, 5: 4, 6: 5}  # codes of the specification to those of Beats
LEVELS = ("enable", "inst_tracing", "halted", "in_reset", "toggle", "priv", "context", "time", "drop")


@dataclass
class Case:
    """One case. cycles: (what changes, blocks) or a number of idle cycles; payloads and packets as in the file."""

    name: str
    file: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    vectors: list[tuple[int, int, int]] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    code: list[tuple[int, bytes]] = field(default_factory=list)
    cycles: list[tuple[dict[str, int], list[dict[str, int]]] | int] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)
    packets: list[Packet] = field(default_factory=list)
    pcs: list[int] = field(default_factory=list)

    @property
    def config(self) -> Config:
        """Its configuration, trap vectors included."""
        return Config(**self.settings, trap_vectors=tuple(self.vectors))

    @property
    def program(self) -> Program:
        """Its code."""
        return Program(self.config.xlen, self.code)

    @property
    def beats(self) -> Beats:
        """The rows of the run: an idle one, then one for each cycle with a record."""
        rows = [c for c in self.cycles if not isinstance(c, int)]
        beats = Beats.empty(len(rows) + 1, self.config.blocks_p)
        level = dict.fromkeys(LEVELS, 0)
        cycle, row = 1, 1
        for entry in self.cycles:
            if isinstance(entry, int):
                cycle += entry
                continue
            changes, blocks = entry
            level |= {name: value for name, value in changes.items() if name in level}
            beats.cycle[row] = cycle
            for name in LEVELS:
                column = "tstamp" if name == "time" else name
                if column in CYCLE_FIELDS:
                    getattr(beats, column)[row] = level[name]
            beats.ctype[row] = changes.get("ctype", 0)
            for lane, block in enumerate(blocks):
                values = {
                    "cause": changes.get("cause", 0),
                    "tval": changes.get("tval", 0),
                    "priv": PRIV[level["priv"]],
                    "context": level["context"],
                } | block
                beats.notify[row] |= values.pop("notify", 0)
                for name, value in values.items():
                    getattr(beats, name)[row, lane] = np.uint64(value) if LANE_FIELDS[name] == np.uint64 else value
            cycle, row = cycle + 1, row + 1
        return beats


def _pairs(words: list[str], base: int = 0) -> dict[str, int]:
    return {name: int(value, 16 if name == "iaddr" else base) for name, value in (word.split("=") for word in words)}


def _packet(name: str, words: list[str], config: Config) -> Packet:
    values: dict[str, Any] = {"format": FORMAT[name]}
    values |= ({"subformat": SUBFORMAT[name]} if name in SUBFORMAT else {}) | _pairs(words)
    if "irreport" in values and config.return_stack_size_p + config.call_counter_size_p:
        values.setdefault("irdepth", None)
    return Packet(name, values)


def read(path: Path) -> list[Case]:
    """The cases of one file; ValueError with file and line where it is not of the format."""
    cases: list[Case] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        kind, *words = line.split("#")[0].split() or [""]
        try:
            if kind == "case":
                cases.append(Case(words[0], path.name))
            elif kind:
                _record(cases[-1], kind, words)
        except (ValueError, KeyError, IndexError) as error:
            raise ValueError(
                f"{path.name} line {number}: {line!r} is no record ({error!r}); golden/README.md has the format"
            ) from None
    return cases


def _record(case: Case, kind: str, words: list[str]) -> None:
    if kind == "set":
        case.settings = SETS[words[0]] | _pairs(words[1:])
    elif kind == "vector":
        interrupt, ecause, address = (int(n, 0) for n in words[0].split(","))
        case.vectors.append((interrupt, ecause, address))
    elif kind == "clauses":
        case.clauses += words
    elif kind == "code":
        case.code.append((int(words[0], 16), int(words[1], 16).to_bytes(len(words[1]) // 2, "little")))
    elif kind == "idle":
        case.cycles.append(int(words[0]))
    elif kind == "cycle":
        changes, *blocks = " ".join(words).split("|")
        case.cycles.append((_pairs(changes.split()), [_pairs(block.split()) for block in blocks]))
    elif kind == "again":
        times, last = int(words[0]), int(words[1]) if words[1:] else 1
        if not 0 < last <= len(case.cycles):
            raise ValueError(f"{last} records to repeat after {len(case.cycles)}")
        case.cycles += case.cycles[-last:] * times
    elif kind == "packet":
        case.payloads.append(bytes.fromhex(words[0]))
        case.packets.append(_packet(words[1], words[2:], case.config))
    elif kind == "pcs":
        case.pcs += [int(word, 16) for word in words]
    elif kind not in ("why", "end"):
        raise ValueError(f"unknown record {kind}")


@cache
def pack() -> tuple[Case, ...]:
    """All cases, file by file."""
    return tuple(case for path in sorted(GOLDEN.glob("*.txt")) for case in read(path))


def find(name: str) -> Case:
    """The case of that name; JobError if there is none."""
    for case in pack():
        if case.name == name:
            return case
    raise JobError(f"there is no golden case {name}; tests/etrace/golden has them")
