# SPDX-License-Identifier: Apache-2.0
"""`make check IN=out EXACT=1`: a capture of our own testbench, with a table of the clauses in the terminal.

A trace is lossless, legal, and byte for byte that of the reference profile (docs/reference/<ip>-profile.md); of CTR,
counters and SBI PMU what was on the ports is compared with the model, which needs no EXACT=1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rvtrace.flow import captured
from rvtrace.flow.captured.files import TraceFiles, system_of, words
from rvtrace.flow.captured.trace import check
from rvtrace.flow.captured.verdict import SEARCH, searched, tolerance_words
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse, typed
from rvtrace.report import junit

OPTIONS = {
    "RETIRED": "what the hart retired (default IN/retired.csv)",
    "BEATS": "what crossed the ingress port, from our own benches (default IN/beats.npz if it is there)",
    "EXACT": "1: also byte for byte, needs BEATS; 0: not, even if they are there",
    "JUNIT": junit.WORD,
    "QUIET": "1: no clause table",
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    system = system_of(argv)
    if system.unread:
        raise ArgumentError(system.unread)

    def as_junit(given: Mapping[str, str], name: str, verdict: Any, problems: Sequence[str] = ()) -> None:
        if "JUNIT" in given:
            again = typed("check", {word: text for word, text in given.items() if word != "JUNIT"})
            counts, found = verdict.book.results(), verdict.failures
            tree = junit.of_clauses(system.ip, name, counts, found, again, problems)
            junit.write(tree, Path(given["JUNIT"]))

    if (own := captured.of(system)) is not None:

        def of_rows(given: Mapping[str, str], verdict: Any, problems: Sequence[str]) -> None:
            named = next((given[word] for word in ("IN", "ROWS", "TRACE", "CALLS") if word in given), system.ip)
            as_junit(given, Path(named).name, verdict, problems)

        return own.main(argv, of_rows)
    given = parse(argv, known(argv), __doc__ or "", ("JUNIT",))

    def of_trace(files: TraceFiles, verdict: Any) -> None:
        as_junit(given, files.trace.name, verdict)

    with searched(given):
        return check(given, of_trace)


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, of the system that these name."""
    system = system_of(argv)
    if (own := captured.of(system)) is not None:
        return {**own.WORDS, "JUNIT": junit.WORD}
    return {**words(argv), **OPTIONS, **SEARCH, **tolerance_words(system.tolerances, system.ip)}


if __name__ == "__main__":
    main_guard(main)
