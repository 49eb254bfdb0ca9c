# SPDX-License-Identifier: Apache-2.0
"""Hold a tandem trace to the specification, without a simulator of the RTL: `make check IP=tandem IN=out`.

    python -m rvtrace.flow.captured.tandem OUT=out                                  a folder of `make capture IP=tandem`
    python -m rvtrace.flow.captured.tandem TRACE=t.bin CONFIG=c.json ELF=p.elf      the trace of another encoder

With the rows of the port (rows.npz, as models/tandem/trace_data.py describes them) byte for byte, unless EXACT=0, and
by what a decoder recovers; every item is checked against the format, and with the program the trace is replayed (see
`make check REPLAY=1`).
"""

from __future__ import annotations

from rvtrace.flow.captured.rows import Judged, RowsCheck, loaded
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import check, plan
from rvtrace.scoreboards.tandem.tolerances import Tolerances

CHECK = RowsCheck("tandem", "tandem trace", Config, Rows, Tolerances, {"TRACE": "trace.bin"})
WORDS = {**CHECK.words, "TRACE": "the bytes of the encoder (default OUT/trace.bin)"}


def main(argv: list[str], judged: Judged | None = None) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    config, trace, path = CHECK.config_of(given), CHECK.path(given, "TRACE"), CHECK.path(given, "ROWS", needed=False)
    assert trace is not None
    data = trace.read_bytes()
    if not data:
        raise ArgumentError(f"{trace} is empty; capture it again, an encoder sends something when trace starts")
    rows = loaded(Rows.load, path, "rows", "tandem") if path else None
    if rows is None:
        if given.get("EXACT") == "1":
            raise ArgumentError("EXACT=1 needs what was on the ports (rows.npz); give ROWS=<file>, or omit EXACT=1")
        given["EXACT"] = "0"
    program = CHECK.program_of(given)
    if program is not None and program.xlen != config.xlen:
        raise ArgumentError(
            f"the program is for RV{program.xlen} and the configuration says XLEN={config.xlen}; give those of one run"
        )
    capture = TandemCapture(config, rows, data, exact=CHECK.exact(given), rerun=CHECK.rerun(given), program=program)
    verdict = check(capture, CHECK.tolerances_of(given))
    stats = verdict.stats
    headline = (
        f"tandem trace RV{config.xlen}: {int(stats['bytes']):,} bytes, {int(stats['groups']):,} groups,"
        f" {int(stats['instructions']):,} instructions"
    )
    return CHECK.report(given, headline, verdict, plan(), judged=judged)


if __name__ == "__main__":
    main_guard(main)
