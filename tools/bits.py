"""Bits per instruction: which options are compared, the runs it takes, and the tables the report and README show.

A method is a mode with its compression options; an extra is what makes every trace longer. Whatever else is switched on
keeps a run out of the tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from models.ntrace.config import Config
from models.riscv import recording
from tb.job import Job

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """published: (mean, weighted by instructions) over 32 programs without timestamps, sources, periodic syncs or traps."""

    name: str
    options: Options
    published: tuple[float, float]


METHODS = (
    Method("BTM", {"mode": "btm"}, (1.773, 1.400)),
    Method("HTM", {"mode": "htm"}, (0.537, 0.440)),
    Method("HTM + repeated history", {"mode": "htm", "repeated_history": 1}, (0.462, 0.419)),
    Method("HTM + implicit return", {"mode": "htm", "implicit_return": 3}, (0.291, 0.245)),
    Method("HTM + both", {"mode": "htm", "implicit_return": 3, "repeated_history": 1}, (0.213, 0.220)),
)
EXTRAS: dict[str, Options] = {
    "none": {},
    "timestamps": {"timestamp": 1},
    "source of 6 bits": {"src_bits": 6},
    "periodic sync, 256 messages": {"inst_sync_mode": 1, "inst_sync_max": 4},
    "all three": {"timestamp": 1, "src_bits": 6, "inst_sync_mode": 1, "inst_sync_max": 4},
}
XLEN = 64
_FREE = {"variant", "xlen", "ip", "src_id", "b_type"}  # what a run may choose without leaving its table
_DEFAULT = Config().to_dict()


def jobs() -> list[Job]:
    """Every recorded program with every method and extra."""
    return [
        Job(f"bits-{program}-{m}-{e}", f"program:{program}", {"xlen": XLEN, **method.options, **extra})
        for program in recording.names() for m, method in enumerate(METHODS) for e, extra in enumerate(EXTRAS.values())
    ]  # fmt: skip


@dataclass
class Row:
    """One program, or one extra: bits per instruction by method, None where it was not run."""

    name: str
    instructions: int
    bits: list[float | None]


@dataclass
class Table:
    """bits and instructions by (method, extra, program, xlen), from the results of runs that passed."""

    runs: dict[tuple[int, int, str, int], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    @classmethod
    def of(cls, results: Iterable[Mapping[str, Any]]) -> Table:
        """The runs among these that belong here."""
        table = cls()
        for result in results:
            kind, _, program = result["source"].partition(":")
            place = _place(result["config"]) if kind == "program" and result["verdict"] == "PASS" else None
            if place is not None:
                into = table.runs[(*place, program, int(result["config"].get("xlen", XLEN)))]
                into[0] += 8 * int(result["stats"].get("bytes", 0))
                into[1] += int(result["stats"].get("instructions", 0))
        return table

    def programs(self) -> list[Row]:
        """A row for each program and xlen, without extras."""
        names = sorted({(program, xlen) for _, extra, program, xlen in self.runs if not extra})
        return [
            Row(f"{program} RV{xlen}", max(self.runs[k][1] for k in self.runs if k[2:] == (program, xlen)),
                [self._rate(m, 0, program, xlen) for m in range(len(METHODS))])
            for program, xlen in names
        ]  # fmt: skip

    def mean(self, method: int, extra: int = 0) -> tuple[float, float] | None:
        """(mean of the programs, weighted by instructions)."""
        runs = [v for k, v in self.runs.items() if k[:2] == (method, extra) and k[3] == XLEN and v[1]]
        if not runs:
            return None
        return sum(b / n for b, n in runs) / len(runs), sum(b for b, _ in runs) / sum(n for _, n in runs)

    def extras(self) -> list[Row]:
        """A row for each extra that was run: the mean of the programs."""
        rows = []
        for extra, name in enumerate(EXTRAS):
            means = [self.mean(m, extra) for m in range(len(METHODS))]
            if any(means):
                rows.append(Row(name, 0, [mean and mean[0] for mean in means]))
        return rows

    def _rate(self, method: int, extra: int, program: str, xlen: int) -> float | None:
        bits, instructions = self.runs.get((method, extra, program, xlen), (0, 0))
        return bits / instructions if instructions else None

    def line(self) -> str:
        """The means without extras, in one line."""
        means = [self.mean(m) for m in range(len(METHODS))]
        return ", ".join(f"{method.name} {_shown(mean and mean[0])}" for method, mean in zip(METHODS, means))

    def markdown(self) -> str:
        """Both tables for the README."""
        head = ["", *(m.name for m in METHODS)]
        lines = [head, ["---"] * len(head)]
        for index, label in enumerate(("mean of our programs", "weighted by instructions")):
            means = [self.mean(m) for m in range(len(METHODS))]
            lines.append([label, *(_shown(mean and mean[index]) for mean in means)])
        for index, label in enumerate(("published mean, 32 programs", "published, weighted")):
            lines.append([label, *(_shown(m.published[index]) for m in METHODS)])
        lines += [[f"our mean with {row.name}", *map(_shown, row.bits)] for row in self.extras() if row.name != "none"]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(value: float | None) -> str:
    return "not run" if value is None else f"{value:.3f}"


def _place(config: Options) -> tuple[int, int] | None:
    """(method, extra) of a configuration; None if something else is switched on."""
    own = {k: v for k, v in config.items() if k not in _FREE and v != _DEFAULT.get(k)}
    for e, extra in enumerate(EXTRAS.values()):
        for m, method in enumerate(METHODS):
            if own == {k: v for k, v in {**method.options, **extra}.items() if v != _DEFAULT[k]}:
                return m, e
    return None
