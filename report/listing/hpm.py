# SPDX-License-Identifier: Apache-2.0
"""Counters at the end of a run, for reading: what a `perf stat` over the whole run would print.

    python -m rvtrace.report.listing.hpm OUT=out        a folder of `make capture IP=hpm` (`make decode IP=hpm IN=out`
    is the same)

They are those of counters.json, read through the CSRs: n, csr, width (bits), selector (what it counts), filters (MINH
to VUINH, MINH the highest), value, of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.hpm import load
from rvtrace.flow.captured.rows import config_in, show, words_of
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import existing_file, main_guard
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import FIRST_EVENT, selector_name
from rvtrace.models.hpm.readout import EVENTS
from rvtrace.models.hpm.registers import INHIBITS

WORDS = words_of("hpm")
SHOWN = (
    "Counters",
    (
        "What the counters held at the end of each program, read through their CSRs: numbers that are exact, since"
        " every cycle was compared."
    ),
)
Counter = Mapping[str, Any]
_LOWEST = min(INHIBITS.values())
_FILTERED = {"MINH": "M", "SINH": "S", "UINH": "U", "VSINH": "VS", "VUINH": "VU"}


def counted(counter: Counter) -> str:
    """What a counter counts, in words."""
    selector = counter["selector"]
    known = FIRST_EVENT <= selector < FIRST_EVENT + len(EVENTS)
    name = EVENTS[selector - FIRST_EVENT] if known else selector_name(selector)
    off = [mode for field, mode in _FILTERED.items() if counter["filters"] >> INHIBITS[field] - _LOWEST & 1]
    return name + (f", not in {', '.join(off)}" if off else "")


def table(counters: Sequence[Counter]) -> list[str]:
    """A line for each counter."""
    width = max(len(counted(c)) for c in counters)
    lines = [f"{'counter':<14} {'bits':>4}  {'counts':<{width}} {'value':>26}"]
    lines += [
        f"{c['csr']:<14} {c['width']:>4}  {counted(c):<{width}} {c['value']:>26,}{'  overflowed' if c['of'] else ''}"
        for c in counters
    ]
    return lines


def short(counters: Sequence[Counter]) -> str:
    """The first counters in one line."""
    return ", ".join(f"{c['value']:,} {counted(c)}" for c in counters[:2])


def listing(counters: Sequence[Counter], config: Config, name: str) -> str:
    """All counters, as text."""
    return "\n".join([f"{name}: {len(counters)} counters of an RV{config.xlen} hart", "", *table(counters), ""])


def of_folder(out: Path) -> str:
    """The listing of a folder of `make capture IP=hpm`."""
    given = {"IN": str(out)}
    counters = load(existing_file(given, "COUNTERS_READ", out / "counters.json"))
    return listing(
        counters,
        config_in(existing_file(given, "CONFIG", out / "config.json"), Config, "hpm", "the counters"),
        out.name,
    )


def write(out: Path) -> tuple[str, ...]:
    """Add counters.txt, the counters as a table, to a capture; the names of the files."""
    (out / "counters.txt").write_text(of_folder(out))
    return ("counters.txt",)


def shown(results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """(name, line, table) of the counters at the end of each program; each program and configuration once."""
    found: dict[str, tuple[str, str, str]] = {}
    for result in results:
        if "counters" in result:
            config = Config.from_dict(result["config"])
            name = f"{result['source'].partition(':')[2]} {systems.judge('hpm').described(config)}"
            if name not in found:
                counters = result["counters"]
                found[name] = name, short(counters), listing(counters, config, result["name"])
    return [found[name] for name in sorted(found)]


def main(argv: list[str]) -> int:
    """Print the counters of a capture."""
    return show(argv, "hpm", "Counters", of_folder)


if __name__ == "__main__":
    main_guard(main)
