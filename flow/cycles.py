# SPDX-License-Identifier: Apache-2.0
"""Import cycles of our package: strongly connected modules, including imports in functions and under TYPE_CHECKING."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping


def import_cycles() -> list[list[str]]:
    """The groups of modules that import each other, directly or through others, each sorted by name."""
    import grimp  # of the linters: not installed with the library

    graph = grimp.build_graph("rvtrace", cache_dir=None)
    return cycles({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})


def cycles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Strongly connected components of more than one node, and nodes that lead to themselves (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        path.append(node)
        for after in imports.get(node, ()):
            if after not in number:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in path:
                low[node] = min(low[node], number[after])
        if low[node] == number[node]:
            group = path[path.index(node) :]
            del path[path.index(node) :]
            if len(group) > 1 or node in imports.get(node, ()):
                found.append(sorted(group))

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 10 * len(imports) + 1000))
    try:
        for node in sorted(imports):
            if node not in number:
                visit(node)
    finally:
        sys.setrecursionlimit(limit)
    return sorted(found)
