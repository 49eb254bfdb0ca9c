# SPDX-License-Identifier: Apache-2.0
"""Hold what was on the ports of a counter block to the specification, without a simulator: `make check IP=hpm IN=out`.

    python -m rvtrace.flow.captured.hpm OUT=out                       a folder of `make capture IP=hpm`
    python -m rvtrace.flow.captured.hpm ROWS=rows.npz CONFIG=c.json   rows of another device, as models/hpm/rows.py
    describes them

Every value read and every outcome, under its clause; with STATE= (what `counter_o` and the other state ports showed)
every counter, OF bit, LCOFIP and LCOFIE in every cycle. The values of counters.json must be those that the rows read
last. EXACT=0 leaves open what the specification leaves open.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rvtrace.flow.captured.rows import Judged, RowsCheck, loaded, records
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse
from rvtrace.models.hpm.bulk import load_state
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.readout import counters_read
from rvtrace.models.hpm.rows import Rows
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check, plan
from rvtrace.scoreboards.hpm.tolerances import Tolerances

CHECK = RowsCheck(
    "hpm", "the counters", Config, Rows, Tolerances, {"STATE": "state.npz", "COUNTERS_READ": "counters.json"}
)
_KEYS = {"n": int, "csr": str, "width": int, "selector": int, "filters": int, "value": int, "of": int}
WORDS = {
    **CHECK.words,
    "STATE": "what the state ports showed at the start of each row (default OUT/state.npz, if it is there)",
    "COUNTERS_READ": "the counters as they were read last (default OUT/counters.json, if it is there)",
}


def load(path: Path) -> list[dict[str, Any]]:
    """The counters of a counters.json; ArgumentError if it is none."""
    return records(path, _KEYS, "counters", "hpm")


def main(argv: list[str], judged: Judged | None = None) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    config, rows = CHECK.config_of(given), CHECK.rows_of(given)
    if rows.width != config.events:
        raise ArgumentError(
            f"the rows have {rows.width} events and the configuration says EVENTS={config.events}; give those of"
            " one run"
        )
    path = CHECK.path(given, "STATE", needed=False) if CHECK.exact(given) or "STATE" in given else None
    state = loaded(load_state, path, "states", "hpm") if path else None
    if state is not None and len(state.of) != len(rows):
        raise ArgumentError(f"{path} has {len(state.of)} states for {len(rows)} rows; give those of one run")
    capture = HpmCapture(
        config, rows, state, exact=CHECK.exact(given), rerun=CHECK.rerun(given), program=CHECK.program_of(given)
    )
    path = CHECK.path(given, "COUNTERS_READ", needed=False)
    apart = path is not None and load(path) != counters_read(rows, config)
    headline = (
        f"HPM RV{config.xlen}: {int(rows.cycle[-1]) + 1:,} cycles, {rows.accesses:,}"
        f" accesses{'' if state else ', reads only'}"
    )
    wrong = [f"{path} holds other values than the rows read last; give those of one run"] if apart else []
    return CHECK.report(given, headline, check(capture, CHECK.tolerances_of(given)), plan(), wrong, judged)


if __name__ == "__main__":
    main_guard(main)
