# SPDX-License-Identifier: Apache-2.0
"""Hold what was on the ports of a CTR block to the specification, without a simulator: `make check IP=ctr IN=out`.

    python -m rvtrace.flow.captured.ctr OUT=out                       a folder of `make capture IP=ctr`
    python -m rvtrace.flow.captured.ctr ROWS=rows.npz CONFIG=c.json   rows of another device, as models/ctr/rows.py
    describes them

Every value read and every outcome, under its clause; the entries of entries.json must be those that the rows read last.
EXACT=0 leaves open what the specification leaves open.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rvtrace.flow.captured.rows import Judged, RowsCheck, records
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.rows import Rows, entries_read
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check, plan
from rvtrace.scoreboards.ctr.tolerances import Tolerances

CHECK = RowsCheck("ctr", "CTR", Config, Rows, Tolerances, {"ENTRIES": "entries.json"})
_KEYS = {"source": str, "target": str, "type": int, "valid": bool, "ccv": bool}
WORDS = {**CHECK.words, "ENTRIES": "the entries that were read last (default OUT/entries.json, if it is there)"}


def load(path: Path) -> list[dict[str, Any]]:
    """The entries of an entries.json; ArgumentError if it is none."""
    entries = records(path, _KEYS, "entries", "ctr")
    try:
        for n, entry in enumerate(entries):
            _ = int(entry["source"], 16), int(entry["target"], 16)
            if entry["cc"] is not None and not isinstance(entry["cc"], int):
                raise ValueError(f"cc of entry {n} is {entry['cc']!r}")
    except (ValueError, KeyError) as error:
        raise ArgumentError(f"{path} is no list of entries ({error}); `make capture IP=ctr` writes one") from None
    return entries


def main(argv: list[str], judged: Judged | None = None) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    config, rows = CHECK.config_of(given), CHECK.rows_of(given)
    if rows.slots != config.transfers:
        raise ArgumentError(
            f"the rows have {rows.slots} transfers in a cycle and the configuration says TRANSFERS={config.transfers};"
            " give those of one run"
        )
    capture = CtrCapture(
        config, rows, exact=CHECK.exact(given), rerun=CHECK.rerun(given), program=CHECK.program_of(given)
    )
    path = CHECK.path(given, "ENTRIES", needed=False)
    apart = path is not None and load(path) != [record.to_dict() for record in entries_read(rows, config)]
    headline = f"CTR {config.variant} RV{config.xlen}: {rows.transfers:,} transfers, {rows.accesses:,} accesses"
    wrong = [f"{path} holds other entries than the rows read last; give those of one run"] if apart else []
    return CHECK.report(given, headline, check(capture, CHECK.tolerances_of(given)), plan(), wrong, judged)


if __name__ == "__main__":
    main_guard(main)
