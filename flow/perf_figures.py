# SPDX-License-Identifier: Apache-2.0
"""The figures of `rvtrace figures speed`: printed beside the last ones that were kept, and kept with commit and date.

data/perf.json has, by system and figure, a list of [commit, date, value], the oldest first. Only ratios of one run can
be compared between machines; rates say how fast this one is.
"""

from __future__ import annotations

import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT

KEPT = ROOT / "data" / "perf.json"
Row = tuple[str, str, float]  # commit, date, value


class Figures:
    """The figures of one system: what is measured now, and what was kept before. ArgumentError if that is damaged."""

    def __init__(self, ip: str, path: Path = KEPT) -> None:
        self.ip, self._path = ip, path
        self.now: dict[str, float] = {}
        self._before: dict[str, list[Row]] = read(path).get(ip, {})

    def row(self, what: str, value: float, wanted: float, text: str) -> bool:
        """Print a figure beside the last one; whether it is as good as is promised. text: the line, from the figure's
        name on.
        """
        good = value >= wanted
        self.now[what] = value
        print(f"  {'ok ' if good else 'LOW'} {text} (at least {wanted:,g}){self.before(what)}")
        return good

    def before(self, what: str) -> str:
        """The last value that was kept, in words; empty if there is none."""
        rows = self._before.get(what)
        return f"; {rows[-1][2]:,.1f} on {rows[-1][1]} at {rows[-1][0]}" if rows else ""

    def keep(self) -> Path:
        """Add what was measured to the file; a second run at the same commit replaces the first."""
        commit, today = _commit(), date.today().isoformat()
        for what, value in self.now.items():
            rows = [row for row in self._before.get(what, []) if row[0] != commit]
            self._before[what] = [*rows, (commit, today, round(value, 2))]
        every = read(self._path) | {self.ip: self._before}  # another system may have been kept meanwhile
        self._path.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
        return self._path


def read(path: Path) -> dict[str, dict[str, list[Row]]]:
    """What is kept, by system and figure. ArgumentError if the file is damaged."""
    if not path.exists():
        return {}
    try:
        kept: dict[str, Any] = json.loads(path.read_text())
        return {
            ip: {what: [(str(c), str(d), float(v)) for c, d, v in rows] for what, rows in figures.items()}
            for ip, figures in kept.items()
        }
    except (ValueError, AttributeError, TypeError):
        raise ArgumentError(
            f"{path} is not what `rvtrace figures speed SAVE=1` writes; take it from the repository again, or delete it"
        ) from None


def _commit() -> str:
    """What was measured; figures of other systems that are not committed yet do not change it."""
    commit = _git("describe", "--always")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{KEPT.relative_to(ROOT)}")
    return f"{commit}-dirty" if commit and changed else commit or "no commit"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()
