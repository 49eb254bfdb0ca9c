# SPDX-License-Identifier: Apache-2.0
"""Failures of a regression in buckets: what is probably one mistake, with how many seeds show it and the line that
reruns the first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rvtrace.flow.failures import grouped
from rvtrace.flow.jobs import Lot, build_of, play
from rvtrace.flow.regress.folder import key, key_of
from rvtrace.jobs import files
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job

FILE = "buckets.json"
_SHOWN, _SEEDS = 10, 6  # buckets that are printed, and seeds of each


def buckets(results: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those of results of any systems that did not pass, the one with the most seeds first.

    Of each: ip, clause, headline, count (failures), seeds, runs, and of its first seed: first (its folder), text,
    rerun.
    """
    by_ip: dict[str, list[Any]] = {}
    for result in sorted(results, key=lambda r: r["seed"]):
        by_ip.setdefault(result["ip"], []).append({**result, "path": result.get("path", key(result))})
    found = []
    for ip, some in by_ip.items():
        for bucket in grouped(some):
            first = next(result for result in some if result["name"] in bucket.runs)
            found.append(
                {
                    "ip": ip,
                    "clause": bucket.clause,
                    "headline": bucket.headline,
                    "count": bucket.count,
                    "seeds": sorted(bucket.seeds),
                    "runs": sorted(bucket.runs),
                    "first": key(first),
                    "rerun": first["rerun"],
                    "text": bucket.text,
                }
            )
    return sorted(found, key=lambda b: (-len(b["runs"]), b["ip"], b["clause"]))


class Seen:
    """Distinguishes a failure that shows something new from one that occurred before."""

    def __init__(self) -> None:
        self._firsts: dict[str, list[Mapping[str, Any]]] = {}
        self._known: dict[str, int] = {}

    def new(self, result: Mapping[str, Any]) -> bool:
        """Whether it opens a bucket."""
        firsts = self._firsts.setdefault(result["ip"], [])
        count = len(buckets([*firsts, result]))
        if count == self._known.get(result["ip"], 0):
            return False
        self._known[result["ip"]] = count
        firsts.append(result)
        return True


def write(out: Path, found: list[dict[str, Any]]) -> None:
    """Leave them as buckets.json."""
    files.write(out / FILE, json.dumps(found, indent=1))


def text(found: list[dict[str, Any]], out: Path) -> str:
    """What is printed of them."""
    lines = [f"{len(found)} bucket{'s' if len(found) > 1 else ''} of failures ({os.path.relpath(out / FILE, ROOT)})"]
    for bucket in found[:_SHOWN]:
        seeds = ", ".join(map(str, bucket["seeds"][:_SEEDS])) + (", ..." if len(bucket["seeds"]) > _SEEDS else "")
        many = f"{len(bucket['seeds'])} seed{'s' if len(bucket['seeds']) > 1 else ''}"
        headline = bucket["headline"].strip().removesuffix(" its log ends:").rstrip(";")
        lines += [
            f"  {many:<9} {bucket['ip']} {bucket['clause']}: {headline}",
            f"    seeds     {seeds}",
            f"    rerun     {bucket['rerun']}",
        ]
        if "waveform" in bucket:
            lines.append(f"    waveform  {bucket['waveform']}")
    if len(found) > _SHOWN:
        lines.append(f"  and {len(found) - _SHOWN} more in {FILE}")
    return "\n".join(lines)


def waves(found: list[dict[str, Any]], jobs: Iterable[Job], sim: str, out: Path) -> None:
    """Run the first seed of each bucket again, on this machine, with a waveform in <out>/waves, and note in the bucket
    where it is.

    Its result is left as rerun.json, so that the report does not count it twice. A seed that is not among `jobs` is
    left out.
    """
    known = {key_of(job): job for job in jobs}
    made: dict[str, str] = {}
    for bucket in found:
        first = bucket["first"]
        if first in known and first not in made:
            made[first] = _with_waves(known[first], sim, out / "waves" / first.replace("/", "-"))
        if made.get(first):
            bucket["waveform"] = made[first]


def _with_waves(job: Job, sim: str, folder: Path) -> str:
    job.out, job.sim, job.keep = str(folder), sim, True
    (result,) = play(Lot(build_of(job), [job], folder), sim, waves=True).results
    (folder / "result.json").replace(folder / "rerun.json")
    if result["verdict"] == "PASS":
        print(
            f"{job.name} of {job.ip} passed when it was run again with a waveform; it depends on more than its seed",
            flush=True,
        )
    found = sorted(folder.glob("waves.*"))
    return os.path.relpath(found[0], ROOT) if found else ""
