"""Hold what was on the ports of a CTR block to the specification, without a simulator: `make check IP=ctr OUT=out`.

    python -m tools.ctr_check OUT=out                       a folder of `make capture IP=ctr`
    python -m tools.ctr_check ROWS=rows.npz CONFIG=c.json   rows of another device, as models/ctr/rows.py describes them

Every value read and every outcome, under its clause; the entries of entries.json must be those that the rows read last. EXACT=0 leaves
open what the specification leaves open.
"""

from __future__ import annotations

from models.ctr.config import Config
from models.ctr.rows import Rows
from scoreboards.ctr import check, plan
from scoreboards.ctr_capture import CtrCapture
from scoreboards.ctr_knobs import Knobs
from tb.sequences.ctr_software import entries_read
from tools import ctr_entries
from tools.arguments import ArgumentError, main_guard, parse
from tools.rows_check import RowsCheck

CHECK = RowsCheck("ctr", "CTR", Config, Rows, Knobs, {"ENTRIES": "entries.json"})
WORDS = {**CHECK.words, "ENTRIES": "the entries that were read last (default OUT/entries.json, if it is there)"}


def main(argv: list[str]) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    config, rows = CHECK.config_of(given), CHECK.rows_of(given)
    if rows.slots != config.transfers:
        raise ArgumentError(f"the rows have {rows.slots} transfers in a cycle and the configuration says TRANSFERS={config.transfers}; give those of one run")
    capture = CtrCapture(config, rows, exact=CHECK.exact(given), rerun=CHECK.rerun(given), program=CHECK.program_of(given))
    path = CHECK.path(given, "ENTRIES", needed=False)
    apart = path is not None and ctr_entries.load(path) != [record.to_dict() for record in entries_read(rows, config)]
    headline = f"CTR {config.variant} RV{config.xlen}: {rows.transfers:,} transfers, {rows.accesses:,} accesses"
    told = [f"{path} holds other entries than the rows read last; give those of one run"] if apart else []
    return CHECK.report(given, headline, check(capture, CHECK.knobs_of(given)), plan(), told)


if __name__ == "__main__":
    main_guard(main)
