# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG inside a page: no script, readable in print, with a text for readers who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_LEFT, _WIDTH, _ROW = 230, 420, 26


@dataclass(frozen=True)
class Bar:
    """One bar. value: its length, None: nothing was measured. mark: position of a line, None: none. kind: 0 to 6, its
    colour. head: begins a group of this name.
    """

    name: str
    value: float | None
    mark: float | None = None
    kind: int = 0
    head: str = ""


@dataclass(frozen=True)
class Figure:
    """A chart of a report with its heading, what it shows, and the same as a table: header, and rows of texts."""

    title: str
    lead: str
    chart: Markup
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def bars(rows: Sequence[Bar], each: bool = False, digits: int = 3) -> Markup:
    """The chart. each: the bars of each kind have a scale of their own, for kinds whose values are not of one size."""
    ends: dict[int, float] = {}
    for row in rows:
        for value in (row.value, row.mark):
            if value:
                kind = row.kind if each else 0
                ends[kind] = max(ends.get(kind, 0.0), 1.05 * value)
    if not ends:
        return Markup("")

    def at(value: float, kind: int) -> float:
        return _WIDTH * value / ends[kind if each else 0] if value else 0.0

    shapes, said, top = [], [], 6
    for row in rows:
        if row.head:
            shapes.append(f'<text x="0" y="{top + 13}" font-weight="650">{escape(row.head)}</text>')
            top += _ROW - 4
        shapes.append(f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(row.name)}</text>')
        text_at = float(_LEFT)
        if row.value is None:
            shapes.append(f'<text class="soft" x="{_LEFT}" y="{top + 13}">not run</text>')
        else:
            text_at += at(row.value, row.kind)
            shapes.append(
                f'<rect x="{_LEFT}" y="{top}" width="{at(row.value, row.kind):.1f}" height="17" rx="3"'
                f' fill="var(--c{row.kind})"/>'
            )
            said.append(f"{row.head or ''} {row.name} {row.value:.{digits}f}".strip())
        if row.mark is not None:
            text_at = max(text_at, _LEFT + at(row.mark, row.kind))
            shapes.append(
                f'<path d="M{_LEFT + at(row.mark, row.kind):.1f} {top - 3}v23" stroke="var(--ink)" stroke-width="2"/>'
            )
        if row.value is not None:
            shapes.append(f'<text x="{text_at + 8:.1f}" y="{top + 13}">{row.value:.{digits}f}</text>')
        top += _ROW
    width = _LEFT + _WIDTH + 70
    return Markup(
        f'<svg viewBox="0 0 {width} {top + 2}" width="{width}" role="img"'
        f' aria-label="{escape(", ".join(said))}">{"".join(shapes)}</svg>'
    )


@dataclass(frozen=True)
class Line:
    """How one figure went, the oldest value first: each with what it is of (a commit and a date)."""

    name: str
    points: tuple[tuple[str, float], ...]


def lines(rows: Sequence[Line]) -> Markup:
    """Each line on its own scale, which begins at 0, with its last value beside it."""
    if not rows:
        return Markup("")
    shapes, said, high, top = [], [], 34, 6
    for row in rows:
        values = [value for _, value in row.points]
        step, scale = _WIDTH / max(1, len(values) - 1), max(values) or 1.0
        places = [(_LEFT + step * n, top + high - high * value / scale) for n, value in enumerate(values)]
        shapes.append(f'<text x="{_LEFT - 12}" y="{top + high - 4}" text-anchor="end">{escape(row.name)}</text>')
        shapes.append(f'<path d="M{_LEFT} {top + high}h{_WIDTH}" stroke="var(--line)"/>')
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        shapes.append(f'<polyline points="{path}" fill="none" stroke="var(--c0)" stroke-width="2"/>')
        for (x, y), (of, value) in zip(places, row.points):
            shapes.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="var(--c0)"><title>{escape(of)}: {value:,.4g}</title>'
                "</circle>"
            )
        shapes.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{top + high - 4}">{short(values[-1])}</text>')
        said.append(f"{row.name} from {short(values[0])} to {short(values[-1])}")
        top += high + 18
    width = _LEFT + _WIDTH + 90
    return Markup(
        f'<svg viewBox="0 0 {width} {top}" width="{width}" role="img"'
        f' aria-label="{escape("; ".join(said))}">{"".join(shapes)}</svg>'
    )


def short(value: float) -> str:
    """A figure as a chart has it."""
    return f"{value / 1e6:,.1f} M" if value >= 1e6 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"
