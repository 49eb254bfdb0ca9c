# SPDX-License-Identifier: Apache-2.0
"""What a regression found, in a file of its own that no later one overwrites, so that two can be compared: the verdict
of each seed, each clause with how often it was checked, and the buckets of failures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from rvtrace.jobs import files
from rvtrace.jobs.arguments import ArgumentError, json_of
from rvtrace.models.common import shown

SCHEMA = "regression/1"  # counts up when a key changes its meaning or goes away
_SHOWN = 20  # seeds that a comparison names
_KEPT = 200  # files of one place


def leave(
    place: Path, name: str, words: Mapping[str, str], results: Iterable[Mapping[str, Any]],
    buckets: Iterable[Mapping[str, Any]],
) -> Path:  # fmt: skip
    """Write the file of a regression that has ended, into a folder; its path. name: of the regression's folder."""
    now = datetime.now().astimezone()
    clauses: dict[str, list[int]] = {}
    seeds = {}
    for result in results:
        seeds[f"{result['ip']}/{result['name']}"] = result["verdict"]
        for clause, (checked, failed) in result.get("clauses", {}).items():
            total = clauses.setdefault(f"{result['ip']}:{clause}", [0, 0])
            total[0] += checked
            total[1] += failed
    found = {
        "schema": SCHEMA, "name": name, "written": now.isoformat(timespec="seconds"), "words": dict(words),
        "seeds": seeds, "clauses": clauses,
        "findings": sorted({f"{one['ip']}: {one['clause']}: {one['headline']}" for one in buckets}),
    }  # fmt: skip
    stem = f"{now:%Y%m%d-%H%M%S}-{re.sub(r'[^0-9A-Za-z_.+-]', '-', name)}"
    path = next(p for n in range(1, 10**6) if not (p := place / f"{stem}{f'-{n}' * (n > 1)}.json").exists())
    files.write(path, json.dumps(found, indent=1) + "\n")
    for old in sorted(place.glob("*.json"))[:-_KEPT]:
        old.unlink(missing_ok=True)
    return path


def read(path: Path) -> dict[str, Any] | None:
    """What a file says; None if it is of something else. ArgumentError if it is damaged."""
    try:
        found = shown.values(json_of(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or not str(found.get("schema", "")).startswith("regression/"):
        return None
    try:
        assert found["schema"] == SCHEMA
        good = all(isinstance(v, str) for v in [*found["seeds"].values(), *found["findings"], found["name"]])
        good = good and all(int(checked) >= int(failed) >= 0 for checked, failed in found["clauses"].values())
    except (AssertionError, AttributeError, KeyError, TypeError, ValueError):
        good = False
    if not good:
        raise ArgumentError(f"{path} is no summary of a regression that this version reads; run the regression again")
    return found


def text(a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """What changed from A to B, as Markdown, worse things first."""
    lines = [f"# Regressions: {a['name']} of {a['written']} to {b['name']} of {b['written']}", ""]
    lines += ["| | A | B |", "| --- | ---: | ---: |"]
    lines += [f"| seeds | {len(a['seeds'])} | {len(b['seeds'])} |"]
    lines += [f"| passed | {_passed(a)} | {_passed(b)} |"]
    lines += [f"| checks | {_checks(a):,} | {_checks(b):,} |"]
    lines += [f"| clauses checked | {len(_checked(a))} | {len(_checked(b))} |", ""]
    if words := [name for name in {**a["words"], **b["words"]} if a["words"].get(name) != b["words"].get(name)]:
        given = (f"{name}={a['words'].get(name, '')} to {name}={b['words'].get(name, '')}" for name in words)
        lines += [f"Other words: {', '.join(given)}.", ""]
    for title, found in (
        ("New findings", [one for one in b["findings"] if one not in a["findings"]]),
        ("Seeds that passed and do not", _seeds(a, b)),
        ("Clauses that were checked and are not", sorted(_checked(a) - _checked(b))),
        ("Findings that are gone", [one for one in a["findings"] if one not in b["findings"]]),
        ("Seeds that pass and did not", _seeds(b, a)),
    ):
        if found:
            lines += [f"## {title}: {len(found)}", "", *(f"- {one}" for one in found[:_SHOWN])]
            lines += [f"- and {len(found) - _SHOWN} more", ""] if len(found) > _SHOWN else [""]
    word = "WORSE" if worse(a, b) else "BETTER" if worse(b, a) else "SAME"
    return "\n".join([*lines, f"{word}  {_passed(a)} of {len(a['seeds'])} seeds passed, now {_passed(b)} of"
                              f" {len(b['seeds'])}."])  # fmt: skip


def worse(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether B has a finding that A has not, or a seed that passed in A and does not in B, or lost a clause."""
    return bool(set(b["findings"]) - set(a["findings"]) or _seeds(a, b) or _checked(a) - _checked(b))


def _seeds(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    return [f"{name} ({found})" for name, found in b["seeds"].items() if found != "PASS" == a["seeds"].get(name)]


def _checked(of: Mapping[str, Any]) -> set[str]:
    return {clause for clause, (checked, _) in of["clauses"].items() if checked}


def _passed(of: Mapping[str, Any]) -> int:
    return sum(found == "PASS" for found in of["seeds"].values())


def _checks(of: Mapping[str, Any]) -> int:
    return sum(checked for checked, _ in of["clauses"].values())
