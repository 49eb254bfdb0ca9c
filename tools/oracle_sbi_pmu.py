# SPDX-License-Identifier: Apache-2.0
"""Compare the SBI PMU models with a reference implementation: the same calls on QEMU with OpenSBI, each difference
explained by a policy row.

    rvtrace oracle sbi_pmu                                         OpenSBI of the installed Debian, for each XLEN it has
    rvtrace oracle sbi_pmu FIRMWARE=<fw_dynamic.bin> XLEN=32       another version, unpacked from a newer package
    rvtrace oracle sbi_pmu PLAY=0                                  nothing is played: the records in data/opensbi

Installs QEMU, OpenSBI and the RISC-V compiler from Debian if they are missing. Writes
data/opensbi/opensbi-<version>-rv<XLEN>.jsonl.xz (calls and answers, a rvtrace.models.sbi_pmu.record.Record),
data/opensbi/machines.json, of which docs/hooks.py makes a page. Exits 1 if the rows of models/sbi_pmu/policy.py do not
explain every difference.
"""

from __future__ import annotations

import json

from rvtrace.flow.opensbi.compare import compare
from rvtrace.flow.opensbi.machine import Machine
from rvtrace.flow.opensbi.page import (
    MACHINES,
    Recorded,
    examples,
    record_path,
    recorded_machines,
    result_text,
    scoreboard,
)
from rvtrace.flow.opensbi.play import firmwares, install, play
from rvtrace.flow.progress import during
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, parse

WORDS = {
    "IP": "sbi_pmu, of which there is an oracle",
    "FIRMWARE": "an fw_dynamic.bin of OpenSBI (default: Debian's)",
    "XLEN": "32 or 64 (default: both, of Debian's; 64 of FIRMWARE)",
    "PLAY": "0: nothing is played, the records that are there are compared again",
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    given = parse(argv, WORDS, __doc__ or "")
    if given.get("IP", "sbi_pmu") != "sbi_pmu":
        raise ArgumentError(f"IP={given['IP']} has no oracle; give IP=sbi_pmu")
    known = {recorded.name: recorded for recorded in recorded_machines()}
    changed = {}
    if "PLAY" not in given or flag(given, "PLAY"):
        install("FIRMWARE" not in given)
        for xlen, path in firmwares(given):
            with during(f"OpenSBI RV{xlen} on QEMU"):
                record, versions = play(Machine(xlen, path))
            name = f"opensbi-{versions.opensbi}-rv{xlen}"
            changed[name] = Recorded(name, versions, record, {})
            if name in known:
                same = record.steps == known[name].record.steps
                print(f"{name}: {'the same answers as' if same else 'answers that differ from'} the committed record")
    for name, recorded in (changed or known).copy().items():
        compared = compare(recorded.record, recorded.record.policy)
        known[name] = recorded._replace(rows=examples(compared.rows, recorded.cleaning()))
        print(
            f"{'FAIL' if compared.unexplained else 'PASS'}  {name}: {recorded.calls} calls,"
            f" {len(set(compared.strict) - recorded.cleaning())} answers differ from strict,"
            f" {len(compared.unexplained)} not explained by policy {compared.policy.name}"
        )
        for n in compared.unexplained[:10]:
            print(
                f"      {recorded.shown(n)}: {result_text(recorded.record.steps[n].result)}, expected"
                f" {result_text(compared.foreseen[n])}"
            )
        failures = scoreboard(recorded).failures
        for failure in failures[:10]:
            print(failure.text())
        if compared.unexplained or failures:
            return 1
    for name, recorded in changed.items():
        recorded.record.save(record_path(name))
    MACHINES.write_text(json.dumps([known[name].entry() for name in sorted(known)], indent=1) + "\n", encoding="utf-8")
    print(f"written: {MACHINES}")
    return 0


if __name__ == "__main__":
    main_guard(main)
