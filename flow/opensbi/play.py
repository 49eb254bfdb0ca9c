# SPDX-License-Identifier: Apache-2.0
"""The calls played on QEMU with an OpenSBI: what must be installed, which firmware, and the record of the answers."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rvtrace.flow.opensbi.calls import discovery, scenarios
from rvtrace.flow.opensbi.compare import platform_of
from rvtrace.flow.opensbi.machine import GCC, Machine, Versions
from rvtrace.jobs.arguments import ArgumentError, number
from rvtrace.models.sbi_pmu.calls import Action, Run
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.record import Record, Step

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


def firmwares(given: Mapping[str, str]) -> list[tuple[int, Path]]:
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
