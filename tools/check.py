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

from pathlib import Path
from typing import Any

from rvtrace.flow import captured
from rvtrace.flow.captured.files import TraceFiles, system_of, words
from rvtrace.flow.captured.trace import check
from rvtrace.flow.captured.verdict import tolerance_words
from rvtrace.report import junit
from rvtrace.tb.common.arguments import ArgumentError, main_guard, parse, typed

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
    if (own := captured.of(system.ip)) is not None:
        return own.main(argv)
    given = parse(argv, {**words(argv), **OPTIONS, **tolerance_words(system.tolerances, system.ip)}, __doc__ or "")

    def judged(files: TraceFiles, verdict: Any) -> None:
        if "JUNIT" in given:
            again = typed("make check", {name: text for name, text in given.items() if name != "JUNIT"})
            counts, found = verdict.book.results(), verdict.failures
            junit.write(junit.of_clauses(system.ip, files.trace.name, counts, found, again), Path(given["JUNIT"]))

    return check(given, judged)


if __name__ == "__main__":
    main_guard(main)
