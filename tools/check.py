# SPDX-License-Identifier: Apache-2.0
"""Check your RTL in the testbench, `make check DUT=<name or folder>`, or a capture without a simulator, `make check
OUT=out`.

    python -m rvtrace.tools.check OUT=out                                        a folder of `make capture`
    python -m rvtrace.tools.check TRACE=t.bin ELF=p.elf CONFIG=c.json RETIRED=r.csv   files of a vendor's encoder

Lossless and legal always; exact against the reference profile (docs/reference/<ip>-profile.md) if the ingress beats
(beats.npz) are there. Prints each clause that was checked and every failure; exits 1 if a clause failed.
docs/how-to/attach-your-ip.md describes the files.
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
    "RETIRED": "what the hart retired (default OUT/retired.csv)",
    "BEATS": "what crossed the ingress port, from our own benches (default OUT/beats.npz if it is there)",
    "EXACT": "1: also byte for byte, needs BEATS; 0: not, even if they are there",
    "JUNIT": junit.WORD,
    "QUIET": "1: no clause table",
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    if any(word.startswith("DUT=") and word != "DUT=" for word in argv):
        from rvtrace.tools.check_dut import main as check_dut

        return check_dut(argv)
    system = system_of(argv)
    if system.unread:
        raise ArgumentError(system.unread)

    def as_junit(given: Mapping[str, str], name: str, verdict: Any, problems: Sequence[str] = ()) -> None:
        if "JUNIT" in given:
            again = typed("make check", {word: text for word, text in given.items() if word != "JUNIT"})
            counts, found = verdict.book.results(), verdict.failures
            tree = junit.of_clauses(system.ip, name, counts, found, again, problems)
            junit.write(tree, Path(given["JUNIT"]))

    if (own := captured.of(system)) is not None:

        def of_rows(given: Mapping[str, str], verdict: Any, problems: Sequence[str]) -> None:
            named = next((given[word] for word in ("OUT", "ROWS", "TRACE", "CALLS") if word in given), system.ip)
            as_junit(given, Path(named).name, verdict, problems)

        return own.main(argv, of_rows)
    given = parse(
        argv, {**words(argv), **OPTIONS, **SEARCH, **tolerance_words(system.tolerances, system.ip)}, __doc__ or "",
        ("JUNIT",),
    )  # fmt: skip

    def of_trace(files: TraceFiles, verdict: Any) -> None:
        as_junit(given, files.trace.name, verdict)

    with searched(given):
        return check(given, of_trace)


if __name__ == "__main__":
    main_guard(main)
