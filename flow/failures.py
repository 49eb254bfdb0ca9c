# SPDX-License-Identifier: Apache-2.0
"""Failures of many runs in buckets, one for each probable mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Bucket:
    """Failures that are probably one mistake: same clause, same headline but for its numbers. paths: of the results
    that have it.
    """

    clause: str
    headline: str
    text: str
    rerun: str
    runs: set[str] = field(default_factory=set)
    seeds: set[int] = field(default_factory=set)
    count: int = 0
    paths: list[str] = field(default_factory=list)


def grouped(results: Iterable[Mapping[str, Any]]) -> list[Bucket]:
    """The failures and errors of results of one system, the most frequent first."""
    found: dict[tuple[str, str], Bucket] = {}
    for result in results:
        failures = result["failures"]
        if result["verdict"] == "ERROR" or (result["verdict"] == "FAIL" and not failures):
            text = str(result.get("error") or "the run left no reason")
            failures = [*failures, {"clause": result["verdict"], "headline": text.splitlines()[0], "text": text}]
        for failure in failures:
            headline = str(failure.get("headline", ""))
            key = (failure["clause"], re.sub(r"0x[0-9a-f]+|\d+", "N", headline))
            rerun = str(failure.get("rerun") or result.get("rerun", ""))
            bucket = found.setdefault(key, Bucket(key[0], headline, str(failure.get("text", headline)), rerun))
            bucket.count += 1
            bucket.runs.add(result["name"])
            if (path := result.get("path")) and path not in bucket.paths:
                bucket.paths.append(path)
            bucket.seeds.add(result["seed"])
    return sorted(found.values(), key=lambda b: -b.count)
