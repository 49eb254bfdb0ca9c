# SPDX-License-Identifier: Apache-2.0
"""What `make cover` leaves for people and tools: cover.json, and a line of history for each run.

cover.json:
  written, revision    when, and of which state of the checkout
  seconds              of this run by the clock; interrupted runs before it are not in it
  closed               no hole, no surprise, no run that did not pass
  systems              a list of
    ip, title, definition (its hash), hit, total (bins), percent (mean of its points), runs, bad (not passed)
    cpu                seconds of builds, runs, code_builds, code_runs
    points             a list of name, what, why, axis_names, axes, hit, total, percent, excluded (bin: reason), counts
    (bin: hits) holes              a list of point, bin, try (what to type, "" if nothing is known), why, near (stimuli
    that hit bins beside it: source,
                       close, bins, runs, all, example), the likeliest to be hit first
    surprises          bins that were hit although they are excluded, as [point, bin]
  code                 null without code coverage, else
    total              kind (line, branch, toggle, expr): [hit, all]
    files              a list of path, rates (kind: [hit, all]), missed ([line, what] of lines and branches)
  trend                null if this is the first run, else what `Trend.to_dict` says

history.json: a list, an entry a line, of date, revision, systems (ip: hit, total, points (name: [hit, total])), code
(kind: [hit, all]) and cpu.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow.cover.account import Account
from rvtrace.flow.cover.code_coverage import KINDS, FileCoverage, percent, total
from rvtrace.flow.cover.holes import Try
from rvtrace.jobs.arguments import ArgumentError, json_of
from rvtrace.jobs.builds import ROOT

COVER, HISTORY = "cover.json", "history.json"
Entry = dict[str, Any]


def revision() -> str:
    """The state of this checkout, with + if files differ from it; empty outside git."""
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def of_system(account: Account, tries: list[Try]) -> dict[str, Any]:
    """The part of a system."""
    hit, count = account.hit()
    definition = account.definition
    points = []
    for point in definition.points:
        bins = len(point.reachable)
        counts = {name: hits for name, hits in account.counts.get(point.name, {}).items() if hits}
        points.append(
            {
                "name": point.name,
                "what": point.what,
                "why": point.why,
                "axis_names": list(point.axes),
                "axes": list(point.axes.values()),
                "hit": bins - len(point.holes(account.counts)),
                "total": bins,
                "percent": definition.percent(account.counts, point.name),
                "excluded": point.unreachable,
                "counts": counts,
            }
        )
    return {
        "ip": definition.ip, "title": account.system.title, "definition": definition.hash, "hit": hit, "total": count,
        "percent": definition.percent(account.counts), "runs": len(account.records), "bad": account.bad,
        "cpu": {name: round(value, 1) for name, value in asdict(account.cost).items() if name != "lots"},
        "points": points, "holes": [t.to_dict() for t in tries], "surprises": account.surprises(),
    }  # fmt: skip


def of_code(files: Mapping[str, FileCoverage]) -> dict[str, Any]:
    """The part of the code."""
    return {
        "total": total(files),
        "files": [
            {"path": path, "rates": {kind: file.rate(kind) for kind in KINDS}, "missed": file.missed("line", "branch")}
            for path, file in files.items()
        ],
    }


def entry(cover: Mapping[str, Any]) -> Entry:
    """The line of history of a cover.json."""
    return {
        "date": cover["written"],
        "revision": cover["revision"],
        "systems": {
            s["ip"]: {
                "hit": s["hit"],
                "total": s["total"],
                "points": {p["name"]: [p["hit"], p["total"]] for p in s["points"]},
            }
            for s in cover["systems"]
        },
        "code": {kind: list(rate) for kind, rate in cover["code"]["total"].items()} if cover["code"] else {},
        "cpu": {s["ip"]: s["cpu"] for s in cover["systems"]},
    }


def history(folder: Path) -> list[Entry]:
    """The entries, the oldest first; none if there is no history."""
    try:
        entries = json_of((folder / HISTORY).read_text())
    except FileNotFoundError:
        return []
    except ValueError:
        raise ArgumentError(f"{folder / HISTORY} cannot be read; remove it, and a new history begins") from None
    return list(entries)


def remember(folder: Path, new: Entry) -> None:
    """Add an entry, unless it says what the last one said."""
    entries = history(folder)
    if not entries or any(entries[-1].get(key) != new[key] for key in ("revision", "systems", "code")):
        entries.append(new)
        temporary = folder / f"{HISTORY}.new"
        temporary.write_text("[\n" + ",\n".join(json.dumps(each) for each in entries) + "\n]\n")
        temporary.replace(folder / HISTORY)


def find(folder: Path, name: str) -> Entry:
    """An entry by name: a cover.json or the folder of one, the first characters of a revision or date, or a number (1
    the first, -1 the last).
    """
    path = Path(name)
    path = path / COVER if path.is_dir() else path
    if path.is_file():
        try:
            return entry(json_of(path.read_text()))
        except (ValueError, KeyError, TypeError):
            raise ArgumentError(f"{path} is no cover.json; give one that `make cover` has left") from None
    entries = history(folder)
    if name.lstrip("-").isdigit() and len(name) < 5 and 0 < abs(int(name)) <= len(entries):
        return entries[int(name) - (int(name) > 0)]
    found = [each for each in entries if str(each["revision"]).startswith(name) or str(each["date"]).startswith(name)]
    if not found:
        known = ", ".join(f"{each['revision']} ({each['date'][:16]})" for each in entries[-5:]) or "none"
        raise ArgumentError(f"{name} is no cover.json and no run of {folder / HISTORY}; its last runs are {known}")
    return found[-1]


@dataclass
class Trend:
    """What changed between two entries, of the systems that both have."""

    before: Entry
    now: Entry

    def lines(self) -> list[str]:
        """For people: one for each system and each point that changed, one for the code."""
        found = [f"trend against {self.before['revision'] or 'a run'} of {self.before['date'][:16].replace('T', ' ')}"]
        for row in self.to_dict()["systems"]:
            (old, old_total), (new, new_total) = row["before"], row["now"]
            found.append(
                f"  {row['ip']}: {old} of {old_total} to {new} of {new_total} bins"
                if row["before"] != row["now"]
                else f"  {row['ip']}: {new} of {new_total} bins as before"
            )
            for name, was, is_ in row["points"]:
                found.append(
                    f"    {name}: "
                    + (
                        f"new, {is_[0]} of {is_[1]}"
                        if was is None
                        else "gone"
                        if is_ is None
                        else f"{was[0]} of {was[1]} to {is_[0]} of {is_[1]}"
                    )
                )
        for kind, (was, is_) in self.to_dict()["code"].items():
            if was != is_:
                found.append(f"  code, {kind}: {percent(was)} to {percent(is_)}")
        return found

    def to_dict(self) -> dict[str, Any]:
        """systems: a list of ip, before and now ([hit, total]), points ([name, before or null, now or null] of those
        that changed); code: kind: [before, now]; against: date and revision."""
        rows = []
        for ip, now in self.now["systems"].items():
            before = self.before["systems"].get(ip)
            if before is None:
                continue
            names = dict.fromkeys([*before["points"], *now["points"]])
            points = [[name, before["points"].get(name), now["points"].get(name)] for name in names]
            rows.append({
                "ip": ip, "before": [before["hit"], before["total"]], "now": [now["hit"], now["total"]],
                "points": [row for row in points if row[1] != row[2]],
            })  # fmt: skip
        code = {
            kind: [self.before["code"][kind], rate]
            for kind, rate in self.now["code"].items()
            if kind in self.before["code"]
        }
        return {
            "against": {"date": self.before["date"], "revision": self.before["revision"]},
            "systems": rows,
            "code": code,
        }
