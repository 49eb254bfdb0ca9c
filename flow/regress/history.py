# SPDX-License-Identifier: Apache-2.0
"""What regressions left: a line for each, in a file beside those of one place, for the trend in the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rvtrace.flow.jobs import RESULTS
from rvtrace.flow.regress.folder import HISTORY
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.coverage import CoverageError

PLACE = RESULTS / "regress" / HISTORY
_KEPT = 200  # lines


@dataclass(frozen=True)
class Part:
    """What a regression says of one system. held, failed: clauses. hit, bins: of its coverage; 0 bins: none is kept."""

    ip: str
    seeds: int
    passed: int
    checks: int
    held: int
    failed: int
    hit: int
    bins: int


@dataclass(frozen=True)
class Entry:
    """One regression. written: when. name: of its folder. seconds: of its runs, summed. findings: system, clause and
    headline of each bucket of failures. systems: a part for each; none of a line that an earlier version wrote.
    """

    written: str
    name: str
    seeds: int
    passed: int
    seconds: float
    findings: tuple[tuple[str, str, str], ...]
    systems: tuple[Part, ...] = ()


def place(given: Mapping[str, str], out: Path) -> Path:
    """The file of a regression: one for all that name no folder, else in that folder."""
    return out / HISTORY if "OUT" in given else PLACE


def read(path: Path) -> list[Entry]:
    """The entries of a file, the oldest first; none if there is no such file. A line that is damaged is left out."""
    found = []
    try:
        lines = path.read_text().splitlines()
    except (OSError, ValueError):  # as well as bytes that are no text
        return []
    for line in lines:
        try:
            row = json.loads(line)
            findings = tuple((str(ip), str(clause), str(headline)) for ip, clause, headline in row["findings"])
            found.append(
                Entry(
                    str(row["written"]),
                    str(row["name"]),
                    int(row["seeds"]),
                    int(row["passed"]),
                    float(row["seconds"]),
                    findings,
                    tuple(_part(part) for part in row.get("systems", ())),
                )
            )
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            continue
    return found


def _part(row: Mapping[str, Any]) -> Part:
    return Part(str(row["ip"]), *(int(row[name]) for name in list(Part.__annotations__)[1:]))


def parts(results: Iterable[Mapping[str, Any]]) -> tuple[Part, ...]:
    """What results say of each system, in the order in which the systems are listed."""
    of: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        of.setdefault(str(result.get("ip", "")), []).append(result)
    return tuple(_of(ip, of[ip]) for ip in sorted(of, key=_place) if ip)


def _place(ip: str) -> tuple[int, str]:
    return (systems.NAMES.index(ip) if ip in systems.NAMES else len(systems.NAMES), ip)


def _of(ip: str, results: list[Mapping[str, Any]]) -> Part:
    counts: dict[str, list[int]] = {}
    for result in results:
        for name, (checked, failed) in result.get("clauses", {}).items():
            count = counts.setdefault(name, [0, 0])
            count[0] += checked
            count[1] += failed
    checks, bad = sum(checked for checked, _ in counts.values()), sum(failed > 0 for _, failed in counts.values())
    held = sum(checked > 0 and not failed for checked, failed in counts.values())
    passed = sum(result["verdict"] == "PASS" for result in results)
    return Part(ip, len(results), passed, checks, held, bad, *_covered(ip, results))


def _covered(ip: str, results: list[Mapping[str, Any]]) -> tuple[int, int]:
    """Bins hit, and bins, of the coverage of a system; (0, 0) if it cannot be merged."""
    try:
        definition = systems.bench(ip).definition
        kept = [result["coverage"] for result in results if result.get("coverage")]
        return definition.hit(definition.merge(kept)) if kept else (0, 0)
    except (ArgumentError, CoverageError, AttributeError, TypeError):
        return 0, 0


def remember(path: Path, name: str, results: Iterable[Mapping[str, Any]], buckets: Iterable[Mapping[str, Any]]) -> None:
    """Add a regression that has ended."""
    results = list(results)
    entry = Entry(
        datetime.now().astimezone().isoformat(timespec="seconds"),
        name,
        len(results),
        sum(result["verdict"] == "PASS" for result in results),
        round(sum(float(r.get("stats", {}).get("seconds", {}).get("total", 0.0)) for r in results), 1),
        tuple((bucket["ip"], bucket["clause"], bucket["headline"]) for bucket in buckets),
        parts(results),
    )
    lines = [json.dumps(asdict(one)) for one in [*read(path), entry][-_KEPT:]]
    part = path.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n")
    part.replace(path)
