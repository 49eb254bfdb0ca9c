"""Hold what was on the ports of a CTR block to the specification, without a simulator: `make check IP=ctr OUT=out`.

    python -m tools.ctr_check OUT=out                       a folder of `make capture IP=ctr`
    python -m tools.ctr_check ROWS=rows.npz CONFIG=c.json   rows of another device, as models/ctr/rows.py describes them

Every value read and every outcome, under its clause; the entries of entries.json must be those that the rows read last. EXACT=0 leaves
open what the specification leaves open.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path

from models.ctr.config import Config
from models.ctr.rows import Rows
from models.riscv.program import Program
from scoreboards.ctr import check, plan
from scoreboards.ctr_capture import CtrCapture
from scoreboards.ctr_knobs import Knobs
from tb.sequences.ctr_software import entries_read
from tools import ctr_entries
from tools.arguments import ArgumentError, existing_file, flag, main_guard, parse
from tools.check import table

FILES = {"ROWS": "rows.npz", "CONFIG": "config.json", "ELF": "program.elf", "ENTRIES": "entries.json"}
WORDS = {
    "IP": "ctr", "OUT": "folder of `make capture IP=ctr`", "ROWS": "what was on the ports (default OUT/rows.npz)",
    "CONFIG": "the implementation's options (default OUT/config.json)", "ELF": "the program, for addresses in messages (default OUT/program.elf)",
    "ENTRIES": "the entries that were read last (default OUT/entries.json, if it is there)",
    "EXACT": "0: do not hold the device to docs/ctr-profile.md, only to the specification", "QUIET": "1: no clause table",
    **{f.name.upper(): "tolerance, see scoreboards/ctr_knobs.py" for f in fields(Knobs)},
}  # fmt: skip


def _path(given: Mapping[str, str], word: str, needed: bool = True) -> Path | None:
    """The file of a word, or of OUT; None if it is not needed and not there."""
    if word not in given and "OUT" not in given:
        if needed:
            raise ArgumentError(f"no {FILES[word]} was named; give {word}=<file>, or OUT=<folder> of `make capture IP=ctr`")
        return None
    path = Path(given[word]) if word in given else Path(given["OUT"]) / FILES[word]
    return existing_file(given, word, path) if needed or word in given or path.exists() else None


def _capture(given: Mapping[str, str]) -> CtrCapture:
    path, elf = _path(given, "CONFIG"), _path(given, "ELF", needed=False)
    assert path is not None
    try:
        options = json.loads(path.read_text())
        if options.get("ip") != "ctr":
            raise ValueError(f"it is of ip {options.get('ip')!r}")
        config = Config.from_dict(options)
    except (ValueError, AttributeError) as error:
        raise ArgumentError(f"{path} is no configuration of CTR ({error}); `make capture IP=ctr` writes one") from None
    path = _path(given, "ROWS")
    assert path is not None
    try:
        rows = Rows.load(path)
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile):
        raise ArgumentError(f"{path} is no file of rows; capture again with `make capture IP=ctr`") from None
    if not rows.accesses:
        raise ArgumentError(f"{path} holds no access, so there is nothing to check; give rows in which the CSRs were read")
    if rows.slots != config.transfers:
        raise ArgumentError(f"the rows have {rows.slots} transfers in a cycle and the configuration says TRANSFERS={config.transfers}; give those of one run")
    rerun = " ".join(["make check", *(f"{name}={value}" for name, value in given.items())])
    return CtrCapture(config, rows, exact=flag({"EXACT": "1"} | dict(given), "EXACT"), rerun=rerun, program=Program.from_elf(elf) if elf else None)


def _knobs(given: Mapping[str, str], exact: bool) -> Knobs:
    base = Knobs() if exact else Knobs.free()
    chosen = {}
    for f in fields(Knobs):
        if (text := given.get(f.name.upper())) is not None:
            kind = type(getattr(base, f.name))
            try:
                chosen[f.name] = text if kind is str else kind(int(text, 0))
            except ValueError:
                raise ArgumentError(f"{f.name.upper()}={text} is not a number; give one, such as {f.name.upper()}=1") from None
    return replace(base, **chosen)


def main(argv: list[str]) -> int:
    """0 if nothing failed, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    capture = _capture(given)
    verdict = check(capture, _knobs(given, capture.exact))
    results = verdict.book.results()
    config = capture.config
    print(f"CTR {config.variant} RV{config.xlen}: {capture.rows.transfers:,} transfers, {capture.rows.accesses:,} accesses{', exact' if capture.exact else ''}")
    if not flag(given, "QUIET"):
        print("\n".join(table(verdict, plan())))
    for failure in verdict.failures:
        print(f"\n{failure.text()}")
    path = _path(given, "ENTRIES", needed=False)
    apart = path is not None and ctr_entries.load(path) != [record.to_dict() for record in entries_read(capture.rows, config)]
    if apart:
        print(f"error: {path} holds other entries than the rows read last; give those of one run", file=sys.stderr)
    checks, failed = (sum(counts[i] for counts in results.values()) for i in (0, 1))
    print(f"\n{'FAIL' if failed or apart else 'PASS'}  {failed:,} of {checks:,} checks failed, {len(results)} clauses")
    return 1 if failed or apart or not checks else 0


if __name__ == "__main__":
    main_guard(main)
