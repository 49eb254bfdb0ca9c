# SPDX-License-Identifier: Apache-2.0
"""Bits per instruction: which options are compared, the runs it takes, and the tables the report and README show.

A method is an encoding with its compression options; an extra is what makes every trace longer. Whatever else is
switched on keeps a run out of the tables. What a system compares (its `Sizes`) is in tb/<ip>/bench.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.riscv import recording

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    """published: (mean, weighted by instructions) over other programs, without anything that makes every trace longer;
    None where no number was published.
    """

    name: str
    options: Options
    published: tuple[float | None, float | None] = (None, None)


XLEN = 64


@dataclass(frozen=True)
class Sizes:
    """What one system compares.

    free: options a run may choose without leaving its table; default: the others' values. about: whose figures
    `published` are. measure: the count of a result's stats that is measured.
    """

    methods: tuple[Method, ...]
    extras: Mapping[str, Options]
    free: frozenset[str]
    default: Options
    about: str
    measure: str = "bytes"

    def jobs(self, ip: str) -> list[Job]:
        """Every recorded program with every method and extra."""
        return [
            Job(f"bits-{program}-{m}-{e}", f"program:{program}", {"xlen": XLEN, **method.options, **extra}, ip=ip)
            for program in recording.names()
            for m, method in enumerate(self.methods)
            for e, extra in enumerate(self.extras.values())
        ]

    def place(self, config: Options) -> tuple[int, int] | None:
        """(method, extra) of a configuration; None if something else is switched on."""
        own = {k: v for k, v in config.items() if k not in self.free and v != self.default.get(k)}
        for e, extra in enumerate(self.extras.values()):
            for m, method in enumerate(self.methods):
                if own == {k: v for k, v in {**method.options, **extra}.items() if v != self.default[k]}:
                    return m, e
        return None


@dataclass
class Row:
    """One program, or one extra: bits per instruction by method, None where it was not run."""

    name: str
    instructions: int
    bits: list[float | None]


@dataclass
class Table:
    """bits and instructions by (method, extra, program, xlen), from the results of runs that passed."""

    sizes: Sizes
    runs: dict[tuple[int, int, str, int], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    @classmethod
    def of(cls, sizes: Sizes, results: Iterable[Mapping[str, Any]]) -> Table:
        """The runs among these that belong here."""
        table = cls(sizes)
        for result in results:
            kind, _, program = result["source"].partition(":")
            place = sizes.place(result["config"]) if kind == "program" and result["verdict"] == "PASS" else None
            if place is not None:
                into = table.runs[(*place, program, xlen(result["config"]))]
                into[0] += 8 * int(result["stats"].get(sizes.measure, 0))
                into[1] += int(result["stats"].get("instructions", 0))
        return table

    def programs(self) -> list[Row]:
        """A row for each program and xlen, without extras."""
        names = sorted({(program, xlen) for _, extra, program, xlen in self.runs if not extra})
        return [
            Row(f"{program} RV{xlen}", max(self.runs[k][1] for k in self.runs if k[2:] == (program, xlen)),
                [self._rate(m, 0, program, xlen) for m in range(len(self.sizes.methods))])
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
        for extra, name in enumerate(self.sizes.extras):
            means = [self.mean(m, extra) for m in range(len(self.sizes.methods))]
            if any(means):
                rows.append(Row(name, 0, [mean and mean[0] for mean in means]))
        return rows

    def _rate(self, method: int, extra: int, program: str, xlen: int) -> float | None:
        bits, instructions = self.runs.get((method, extra, program, xlen), (0, 0))
        return bits / instructions if instructions else None

    def line(self) -> str:
        """The means without extras, in one line."""
        means = [self.mean(m) for m in range(len(self.sizes.methods))]
        return ", ".join(f"{method.name} {_shown(mean and mean[0])}" for method, mean in zip(self.sizes.methods, means))

    def markdown(self) -> str:
        """Both tables for the README."""
        head = ["", *(m.name for m in self.sizes.methods)]
        lines = [head, ["---"] * len(head)]
        for index, label in enumerate(("mean of our programs", "weighted by instructions")):
            means = [self.mean(m) for m in range(len(self.sizes.methods))]
            lines.append([label, *(_shown(mean and mean[index]) for mean in means)])
        for index, label in enumerate((f"published mean, {self.sizes.about}", "published, weighted")):
            if any(m.published[index] is not None for m in self.sizes.methods):
                lines.append([label, *(_shown(m.published[index], "-") for m in self.sizes.methods)])
        lines += [[f"our mean with {row.name}", *map(_shown, row.bits)] for row in self.extras() if row.name != "none"]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _shown(value: float | None, none: str = "not run") -> str:
    return none if value is None else f"{value:.3f}"


def beside(tables: Mapping[str, Table]) -> str:
    """The tables of several systems side by side, as Markdown: a column for each method, a row for each extra; extras
    correspond by their order, and "-" where a system has none."""
    columns = [(title, table, m) for title, table in tables.items() for m in range(len(table.sizes.methods))]
    lines = [
        ["", *(f"{title}: {table.sizes.methods[m].name}" for title, table, m in columns)],
        ["---"] * (len(columns) + 1),
    ]
    for extra in range(max(len(table.sizes.extras) for table in tables.values())):
        names = list(
            dict.fromkeys(
                list(table.sizes.extras)[extra] for table in tables.values() if extra < len(table.sizes.extras)
            )
        )
        means = [table.mean(m, extra) for _, table, m in columns]
        shown = (
            _shown(mean and mean[0], "not run" if extra < len(table.sizes.extras) else "-")
            for mean, (_, table, _) in zip(means, columns)
        )
        lines.append([" / ".join(names).replace("none", "nothing else"), *shown])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def xlen(config: Options) -> int:
    """32 or 64."""
    return int(config.get("xlen") or config.get("iaddress_width_p") or XLEN)
