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

PLACE = RESULTS / "regress" / HISTORY
_KEPT = 200  # lines


@dataclass(frozen=True)
class Entry:
    """One regression. written: when. name: of its folder. seconds: of its runs, summed. findings: system, clause and
    headline of each bucket of failures.
    """

    written: str
    name: str
    seeds: int
    passed: int
    seconds: float
    findings: tuple[tuple[str, str, str], ...]


def place(given: Mapping[str, str], out: Path) -> Path:
    """The file of a regression: one for all that name no folder, else in that folder."""
    return out / HISTORY if "OUT" in given else PLACE


def read(path: Path) -> list[Entry]:
    """The entries of a file, the oldest first; none if there is no such file. A line that is damaged is left out."""
    found = []
    try:
        lines = path.read_text().splitlines()
    except OSError:
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
                )
            )
        except (ValueError, TypeError, KeyError):
            continue
    return found


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
    )
    lines = [json.dumps(asdict(one)) for one in [*read(path), entry][-_KEPT:]]
    part = path.with_suffix(".part")
    part.write_text("\n".join(lines) + "\n")
    part.replace(path)
