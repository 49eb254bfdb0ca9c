# SPDX-License-Identifier: Apache-2.0
"""What the report shows of the subsystem: the trace sources of each program side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

from rvtrace.report.charts import Bar, Figure, bars

# What each trace source can answer, and the clauses that compare it with the others.
_ASKED = ("Instructions", "Traps", "Privilege", "Transfers", "Events and instructions counted", "Time")
_TRACE_SOURCES: dict[str, tuple[tuple[str, ...], ...]] = {
    "hart port": (("SUB.pcs.hart",), ("SUB.traps.hart",), ("SUB.modes.hart",), (), (), ()),
    "N-Trace": (("SUB.pcs.ntrace",), ("SUB.traps.ntrace",), ("SUB.modes.ntrace",), (), (), ("SUB.time.ntrace",)),
    "E-Trace": (("SUB.pcs.etrace",), ("SUB.traps.etrace",), ("SUB.modes.etrace",), (), (), ("SUB.time.etrace",)),
    "tandem trace": (
        ("SUB.pcs.tandem", "SUB.insn"),
        ("SUB.traps.tandem",),
        ("SUB.modes.tandem",),
        (),
        ("SUB.tandem.minstret",),
        ("SUB.tandem.mcycle",),
    ),
    "CTR": ((), (), (), ("SUB.ctr.entries", "SUB.ctr.missed"), (), ("SUB.ctr.cycles",)),
    "counters": ((), (), (), (), ("SUB.count.",), ("SUB.count.cycles",)),
}
_TRACES = (("N-Trace", "ntrace_bytes"), ("E-Trace", "etrace_bytes"), ("tandem trace", "tandem_bytes"))


def _agreed(results: list[Mapping[str, Any]]) -> Figure:
    """How often each trace source was compared with the others, and where it was the only one to differ."""

    def cell(clauses: tuple[str, ...]) -> str:
        counts = [
            count
            for result in results
            for name, count in result["clauses"].items()
            if any(
                name == one or (one.endswith(".") and name.startswith(one) and name != "SUB.count.cycles")
                for one in clauses
            )
        ]
        checked, failed = sum(c for c, _ in counts), sum(f for _, f in counts)
        return (
            ""
            if not clauses
            else "not run"
            if not checked
            else f"✗ {failed:,} of {checked:,}"
            if failed
            else f"✓ {checked:,}"
        )

    return Figure(
        "Five trace sources",
        "How often what a trace source recorded was compared with the others. A disagreement names the one that differs"
        " under Findings.",
        Markup(""),
        ("Source", *_ASKED),
        tuple((name, *map(cell, clauses)) for name, clauses in _TRACE_SOURCES.items()),
    )


def _instructions(run: Mapping[str, Any]) -> int:
    return max(1, int(run["stats"]["instructions"]))


def figures(results: Iterable[Mapping[str, Any]]) -> list[Figure]:
    """Bits per instruction of the three traces of one and the same run, and who agreed with whom how often."""
    results = list(results)
    runs = sorted(
        (r for r in results if r["source"].startswith("program:") and r["verdict"] == "PASS"),
        key=lambda r: (-r["config"]["xlen"], r["name"]),
    )
    if not runs:
        return [_agreed(results)] if results else []
    bits = {run["name"]: [8 * run["stats"][name] / _instructions(run) for _, name in _TRACES] for run in runs}
    chart = [
        Bar(name, found[kind], None, kind, title if not number else "")
        for kind, (title, _) in enumerate(_TRACES)
        for number, (name, found) in enumerate(bits.items())
    ]
    rows = []
    for run in runs:
        stats, name = run["stats"], run["name"]
        checks = sum(checked for checked, _ in run["clauses"].values())
        rows.append(
            (
                name,
                f"{_instructions(run):,}",
                f"{int(stats['traps']):,}",
                *(f"{value:.3f}" for value in bits[name]),
                f"{int(stats['entries']):,}",
                f"{int(stats['snapshots']):,}",
                f"{checks:,}",
            )
        )
    return [
        _agreed(results),
        Figure(
            "Bits per instruction",
            "One run of each program on one hart, encoded by three traces at once, each with its own linear scale.",
            bars(chart, each=True),
            (
                "Run",
                "Instructions",
                "Traps",
                *(f"{title} bits/insn" for title, _ in _TRACES),
                "CTR entries",
                "Looks at the CSRs",
                "Checks",
            ),
            tuple(rows),
        ),
    ]
