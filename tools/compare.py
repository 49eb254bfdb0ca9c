# SPDX-License-Identifier: Apache-2.0
"""What changed between two compliance reports: `rvtrace compare A=<compliance.json or its folder> B=<another>`; or
between two regressions, each the file that it left in build/results/regress/kept.

Prints Markdown: the clauses whose verdict changed from A to B, worse ones first. Worse is what fails in B and did not
in A, and what was looked at in A and is not any more. Exits 1 if something got worse, else 0.
"""

from __future__ import annotations

from pathlib import Path

from rvtrace.flow.regress import kept
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse
from rvtrace.report.compare import changes, text, worse
from rvtrace.report.compliance import read

WORDS = {"A": "the report before, a compliance.json or its folder; or what a regression kept", "B": "the one after"}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    given = parse(argv, WORDS, __doc__ or "")
    for name in WORDS:
        if name not in given:
            raise ArgumentError(
                f"{name} is missing; give A=<report before> B=<report after>, each a compliance.json or its folder"
            )
    first, second = (kept.read(Path(given[name])) for name in WORDS)
    if first is not None and second is not None:
        print(kept.text(first, second))
        return 1 if kept.worse(first, second) else 0
    a, b = read(Path(given["A"])), read(Path(given["B"]))
    if a["subject"]["ip"] != b["subject"]["ip"]:
        raise ArgumentError(
            f"A is of {a['subject']['ip']} and B of {b['subject']['ip']}; give two reports of one system"
        )
    print(text(a, b))
    return 1 if worse(changes(a, b), a, b) else 0


if __name__ == "__main__":
    main_guard(main)
