# SPDX-License-Identifier: Apache-2.0
"""Compare the SBI PMU models with a reference implementation: the same calls on QEMU with OpenSBI, each difference
explained by a policy row.

    python -m rvtrace.tools.opensbi                                       OpenSBI of the installed Debian, for each XLEN
    that it has python -m rvtrace.tools.opensbi FIRMWARE=<fw_dynamic.bin> XLEN=32     another version, for example
    unpacked from a newer Debian's package python -m rvtrace.tools.opensbi PLAY=0                                only
    the page, from the records in data/opensbi

Installs QEMU, OpenSBI and the RISC-V compiler from Debian if they are missing. Writes
data/opensbi/opensbi-<version>-rv<XLEN>.jsonl.xz (calls and answers, a rvtrace.models.sbi_pmu.record.Record),
data/opensbi/machines.json and docs/reference/opensbi-comparison.md. Exits 1 if the rows of models/sbi_pmu/policy.py do
not explain every difference.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from rvtrace.flow.opensbi.calls import discovery, scenarios
from rvtrace.flow.opensbi.compare import compare, platform_of
from rvtrace.flow.opensbi.machine import GCC, Machine, Versions
from rvtrace.flow.opensbi.page import (
    MACHINES,
    PAGE,
    Recorded,
    examples,
    page,
    record_path,
    recorded_machines,
    result_text,
    scoreboard,
)
from rvtrace.models.sbi_pmu.calls import Action, Run
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.record import Record, Step
from rvtrace.tb.common.arguments import ArgumentError, flag, main_guard, number, parse

WORDS = {
    "FIRMWARE": "an fw_dynamic.bin of OpenSBI (default: Debian's)",
    "XLEN": "32 or 64 (default: both, of Debian's; 64 of FIRMWARE)",
    "PLAY": "0: nothing is played, only the page is written again",
}
PACKAGES = {"qemu-system-riscv64": "qemu-system-misc", GCC: "gcc-riscv64-unknown-elf"}
OPENSBI = "/usr/lib/riscv{xlen}-linux-gnu/opensbi/generic/fw_dynamic.bin"


def install(needs_opensbi: bool) -> None:
    """Installs what is missing from Debian; ArgumentError says what to type if that is not possible."""
    missing = [package for tool, package in PACKAGES.items() if not shutil.which(tool)]
    if needs_opensbi and not Path(OPENSBI.format(xlen=64)).exists():
        missing.append("opensbi")
    if not missing:
        return
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    command = [*root, "apt-get", "install", "-y", "--no-install-recommends", *missing]
    print(" ".join(command))
    try:
        failed = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
    except FileNotFoundError:
        failed = 1
    if failed:
        raise ArgumentError(
            f"{', '.join(missing)} could not be installed; type `sudo apt-get install {' '.join(missing)}`"
        )


def policy_of(versions: Versions) -> str:
    """The named set for a version of OpenSBI: before 1.5 there was no SBI 2.0 and no separate value for each firmware
    counter.
    """
    return "opensbi" if float(versions.sbi) >= 2 else "opensbi_early"


def play(machine: Machine) -> tuple[Record, Versions]:
    """Asks what is there, then plays all scenarios of that platform from reset."""
    tree, asked = machine.device_tree(), discovery(machine.xlen)
    platform = platform_of(
        machine.xlen, tree.events, tree.isa, [Step(a, r) for a, r in zip(asked, machine.play(asked))]
    )
    actions: list[Action] = [*asked, *(action for scenario in scenarios(platform) for action in scenario.actions)]
    results = machine.play(actions)
    assert machine.versions is not None
    record = Record(platform, Policy(policy_of(machine.versions)))
    for action, result in zip(actions, results):
        if isinstance(action, Run):
            record.ran([action])
        else:
            record.steps.append(Step(action, result, None))
    return record, machine.versions


def firmwares(given: dict[str, str]) -> list[tuple[int, Path]]:
    """(XLEN, firmware) of each machine to play."""
    xlen = number(given, "XLEN")
    if xlen not in (0, 32, 64):
        raise ArgumentError(f"XLEN={xlen} is not supported; give XLEN=32 or XLEN=64")
    if "FIRMWARE" in given:
        path = Path(given["FIRMWARE"])
        if not path.is_file():
            raise ArgumentError(f"FIRMWARE={path} is no file; give the fw_dynamic.bin of an OpenSBI")
        return [(xlen or 64, path)]
    found = [(n, Path(OPENSBI.format(xlen=n))) for n in (64, 32) if xlen in (0, n)]
    for n, path in found:
        if not path.exists():
            print(f"RV{n}: this Debian's opensbi has none; give FIRMWARE=<fw_dynamic.bin of a newer one> XLEN={n}")
    return [(n, path) for n, path in found if path.exists()]


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    given = parse(argv, {**WORDS, "SIM": "ignored"}, __doc__ or "")
    known = {recorded.name: recorded for recorded in recorded_machines()}
    changed = {}
    if "PLAY" not in given or flag(given, "PLAY"):
        install("FIRMWARE" not in given)
        for xlen, path in firmwares(given):
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
    PAGE.write_text(page([known[name] for name in sorted(known)]), encoding="utf-8")
    print(f"written: {PAGE}")
    return 0


if __name__ == "__main__":
    main_guard(main)
