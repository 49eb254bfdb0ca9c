# SPDX-License-Identifier: Apache-2.0
"""The coverage points of all systems for readers."""

from __future__ import annotations

from collections import Counter

from rvtrace.jobs import systems


def markdown() -> str:
    """All coverage points as Markdown, from their definition."""
    lines = []
    for system in map(systems.bench, systems.NAMES):
        definition = system.definition
        lines += [f"# Coverage points of {system.title}", ""]
        for point in definition.points:
            axes = "; ".join(f"{name}: {', '.join(bins)}" for name, bins in point.axes.items())
            lines += [f"## {point.name}", "", f"{point.what[:1].upper()}{point.what[1:]}. Why: {point.why}.", ""]
            lines += [f"- {len(point.reachable)} bins ({axes})"]
            lines += [f"- {n} excluded: {why}" for why, n in Counter(point.unreachable.values()).items()]
            lines += [""]
    return "\n".join(lines)
