# SPDX-License-Identifier: Apache-2.0
"""Charts of earlier regressions: how many seeds passed in each, and which findings came and went."""

from __future__ import annotations

import re
from pathlib import Path

from markupsafe import Markup, escape

from rvtrace.flow.regress.history import Entry, Part, read
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.common import shown
from rvtrace.report.charts import Figure, Line, lines

_TREND, _LAST = 40, 10  # regressions in the trend, and in the table of findings
_HIGH, _LEFT, _WIDTH = 120, 60, 640
_SHOWN = 40  # findings


def figures(path: Path | None) -> list[Figure]:
    """The trend, and the findings of the last ones; nothing if there was no regression."""
    entries = read(path) if path is not None else []
    if not entries:
        return []
    found = [_trend(entries[-_TREND:]), _by_system(entries[-_TREND:]), _findings(entries[-_LAST:])]
    return [figure for figure in found if figure is not None]


def text(entries: list[Entry]) -> list[str]:
    """The last regressions as lines for a terminal, each with its systems."""
    found = []
    for one in entries[-_LAST:]:
        found.append(f"{_day(one)}  {shown.line(one.name):<28} {one.passed:,} of {one.seeds:,} seeds passed")
        found += [
            f"  {_title(part.ip):<16} {part.passed:,} of {part.seeds:,} passed, {part.held} clauses held,"
            f" {part.failed} failed{f', coverage {_covered(part):.1f} %' if part.bins else ''}"
            for part in one.systems
        ]
    return found


def _title(ip: str) -> str:
    try:
        return systems.bench(ip).title
    except ArgumentError:  # a system of another version
        return shown.line(ip)


def _covered(part: Part) -> float:
    return 100 * part.hit / part.bins if part.bins else 0.0


def _by_system(entries: list[Entry]) -> Figure | None:
    """How each system went: clauses that held and coverage, and against the regression before."""
    went: dict[str, list[tuple[str, Part]]] = {}
    for entry in entries:
        for part in entry.systems:
            went.setdefault(part.ip, []).append((f"{_day(entry)}, {entry.name}", part))
    if not went:
        return None
    drawn, rows = [], []
    for ip, parts in went.items():
        title, (_, last) = _title(ip), parts[-1]
        before = parts[-2][1] if len(parts) > 1 else last
        if len(parts) > 1:
            drawn.append(Line(f"{title}, clauses held", tuple((of, float(part.held)) for of, part in parts)))
            drawn.append(Line(f"{title}, coverage %", tuple((of, _covered(part)) for of, part in parts if part.bins)))
        rows.append(
            (
                title,
                f"{last.passed:,} of {last.seeds:,}",
                _change(last.held, before.held),
                _change(last.failed, before.failed),
                f"{_covered(last):.1f} %" if last.bins else "-",
                f"{_covered(last) - _covered(before):+.1f}" if last.bins and before.bins else "-",
                str(len(parts)),
            )
        )
    return Figure(
        "Regressions by system",
        "The last regression of each system, and what changed since the one before it. Regressions of other seeds and"
        " lengths reach other clauses and bins.",
        lines([line for line in drawn if line.points]),
        ("System", "Seeds passed", "Clauses held", "Clauses failed", "Coverage", "Change", "Regressions"),
        tuple(rows),
    )


def _change(now: int, before: int) -> str:
    return f"{now}" if now == before else f"{now} ({now - before:+d})"


def _day(entry: Entry) -> str:
    return entry.written[:16].replace("T", " ")


def _trend(entries: list[Entry]) -> Figure:
    rate = [(f"{_day(one)}, {one.name}", one.seeds / one.seconds if one.seconds else 0.0) for one in entries]
    speed = lines([Line("seeds a second", tuple(rate))]) if len(entries) > 1 else Markup("")
    rows = [
        (_day(one), one.name, str(one.seeds), str(one.seeds - one.passed), f"{one.seconds:,.0f}")
        for one in reversed(entries)
    ]
    return Figure(
        "Regressions",
        (f"The last {len(entries)} regressions, the newest at the right" if len(entries) > 1 else "One regression")
        + ": seeds that passed, and on top of them those that did not.",
        Markup(_columns(entries) + speed),
        ("Written", "Configuration", "Seeds", "Not passed", "Seconds"),
        tuple(rows),
    )


def _columns(entries: list[Entry]) -> Markup:
    """A column for each regression."""
    most = max(one.seeds for one in entries) or 1
    step = _WIDTH / max(len(entries), 12)
    shapes = [
        f'<text class="soft" x="{_LEFT - 8}" y="16" text-anchor="end">{most}</text>'
        f'<text class="soft" x="{_LEFT - 8}" y="{_HIGH + 10}" text-anchor="end">0</text>'
        f'<path d="M{_LEFT} {_HIGH + 8}h{_WIDTH}" stroke="var(--line)"/>'
    ]
    for number, one in enumerate(entries):
        x, good = _LEFT + number * step, _HIGH * one.passed / most
        bad = _HIGH * (one.seeds - one.passed) / most
        if one.passed < one.seeds:
            bad = max(bad, 3.0)  # one of a thousand is still seen
        title = f"{_day(one)}, {one.name}: {one.passed} of {one.seeds} seeds passed"
        wide = min(step - 3, 40)
        shapes.append(
            f"<g><title>{escape(title)}</title>"
            f'<rect x="{x:.1f}" y="{_HIGH + 8 - good:.1f}" width="{wide:.1f}" height="{good:.1f}" fill="var(--hit)"/>'
            f'<rect x="{x:.1f}" y="{_HIGH + 8 - good - bad:.1f}" width="{wide:.1f}" height="{bad:.1f}"'
            ' fill="var(--hole)"/></g>'
        )
    said = "; ".join(f"{one.passed} of {one.seeds}" for one in entries)
    width = _LEFT + _WIDTH + 20
    return Markup(
        f'<svg viewBox="0 -4 {width} {_HIGH + 20}" width="{width}" role="img"'
        f' aria-label="seeds that passed: {escape(said)}">{"".join(shapes)}</svg>'
    )


def _findings(entries: list[Entry]) -> Figure:
    """A row for each finding, a column for each regression: marked where it was found."""
    found: dict[tuple[str, str, str], tuple[str, set[int]]] = {}
    for number, one in enumerate(entries):
        for ip, clause, headline in one.findings:
            key = (ip, clause, re.sub(r"0x[0-9a-f]+|\d+", "N", headline))
            found.setdefault(key, (headline, set()))[1].add(number)
    last = len(entries) - 1
    order = sorted(found.items(), key=lambda item: (last not in item[1][1], -len(item[1][1]), item[0]))
    rows = [
        (f"{ip} {clause}: {text}", *("●" if number in at else "·" for number in range(len(entries))))
        for (ip, clause, _), (text, at) in order[:_SHOWN]
    ]
    more = f" {len(order) - _SHOWN} more are not shown." if len(order) > _SHOWN else ""
    lead = f"● where it was found, the newest regression at the right; what that one found comes first.{more}"
    return Figure(
        f"Findings of the last {len(entries)} regressions" if len(entries) > 1 else "Findings of the last regression",
        lead if rows else "Nothing was found.",
        Markup(""),
        ("Finding", *(_day(one)[5:] for one in entries)),
        tuple(rows),
    )
