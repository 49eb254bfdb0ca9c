"""Hold the record of an SBI PMU run to the chapter, without a simulator: `make check IP=sbi_pmu OUT=out`.

    python -m tools.sbi_pmu_check OUT=out              a folder of `make capture IP=sbi_pmu`
    python -m tools.sbi_pmu_check CALLS=calls.jsonl    a record of any firmware; docs/sbi-pmu.md has the format

Every answer, every access of the firmware that is on record, every view of the supervisor, under its clause. The policy is the record's.
EXACT=0 leaves open what the chapter leaves open.
"""

from __future__ import annotations

from models.hpm.rows import Rows
from models.sbi_pmu.calls import Call
from models.sbi_pmu.config import Config
from scoreboards.sbi_pmu import plan
from scoreboards.sbi_pmu_capture import SbiPmuCapture
from scoreboards.sbi_pmu_knobs import Knobs
from scoreboards.sbi_pmu_run import check_run
from tools.arguments import ArgumentError, main_guard, parse
from tools.rows_check import RowsCheck
from tools.sbi_pmu_calls import record_of

CHECK = RowsCheck("sbi_pmu", "the SBI PMU extension", Config, Rows, Knobs, {"CALLS": "calls.jsonl"})
WORDS = {
    **{word: text for word, text in CHECK.words.items() if word not in ("ROWS", "CONFIG", "ELF")}, "CALLS": "a record (default OUT/calls.jsonl)",
    "EXACT": "0: do not hold the firmware to docs/sbi-pmu.md, only to the chapter and the policy on record",
}  # fmt: skip


def main(argv: list[str]) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    record = record_of(given)
    calls = sum(isinstance(step.action, Call) for step in record.steps)
    if not calls:
        raise ArgumentError("the record has no call, so there is nothing to check; give one in which a supervisor called the SBI implementation")
    capture = SbiPmuCapture(None, record, exact=CHECK.exact(given), rerun=CHECK.rerun(given))
    headline = f"SBI PMU RV{record.xlen}, policy {record.policy.name}: {calls:,} calls"
    return CHECK.report(given, headline, check_run(capture, CHECK.knobs_of(given)), plan())


if __name__ == "__main__":
    main_guard(main)
