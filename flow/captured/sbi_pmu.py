# SPDX-License-Identifier: Apache-2.0
"""Hold the record of an SBI PMU run to the chapter, without a simulator: `make check IP=sbi_pmu IN=out`.

    python -m rvtrace.flow.captured.sbi_pmu OUT=out              a folder of `make capture IP=sbi_pmu`
    python -m rvtrace.flow.captured.sbi_pmu CALLS=calls.jsonl    a record of any firmware; docs/reference/sbi-pmu.md has
    the format

Every answer, every access of the firmware that is on record, every view of the supervisor, under its clause. The policy
is the record's. EXACT=0 leaves open what the chapter leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rvtrace.flow.captured.rows import Judged, RowsCheck
from rvtrace.jobs.arguments import ArgumentError, existing_file, main_guard, parse
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.check import check, plan
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances

CHECK = RowsCheck("sbi_pmu", "the SBI PMU extension", Config, Rows, Tolerances, {"CALLS": "calls.jsonl"})
WORDS = {
    **{word: text for word, text in CHECK.words.items() if word not in ("ROWS", "CONFIG", "ELF")},
    "CALLS": "a record (default OUT/calls.jsonl)",
    "EXACT": (
        "0: do not check the firmware against docs/reference/sbi-pmu.md, only against the chapter and the policy on"
        " record"
    ),
}


def record_of(given: Mapping[str, str]) -> Record:
    """The record that the words name. ArgumentError, or RecordError if it is damaged."""
    if "CALLS" not in given and "IN" not in given:
        raise ArgumentError("no record was named; give CALLS=<file>, or IN=<folder> of `make capture IP=sbi_pmu`")
    path = Path(given["CALLS"]) if "CALLS" in given else Path(given["IN"]) / "calls.jsonl"
    return Record.load(existing_file(given, "CALLS", path))


def main(argv: list[str], judged: Judged | None = None) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    record = record_of(given)
    calls = sum(isinstance(step.action, Call) for step in record.steps)
    if not calls:
        raise ArgumentError(
            "the record has no call, so there is nothing to check; give one in which a supervisor called the SBI"
            " implementation"
        )
    capture = SbiPmuCapture(None, record, exact=CHECK.exact(given), rerun=CHECK.rerun(given))
    headline = f"SBI PMU RV{record.xlen}, policy {record.policy.name}: {calls:,} calls"
    return CHECK.report(given, headline, check(capture, CHECK.tolerances_of(given)), plan(), judged=judged)


if __name__ == "__main__":
    main_guard(main)
