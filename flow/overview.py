# SPDX-License-Identifier: Apache-2.0
"""What `make list` prints: programs, devices, and how many scenarios, tests and options there are, or one of these."""

from __future__ import annotations

from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.jobs import words
from rvtrace.jobs import front, systems
from rvtrace.jobs.arguments import ArgumentError, parse, typed
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import ROOT
from rvtrace.models.riscv import recording

WORDS = {
    "WHAT": "scenarios, tests or options: all of them; without it programs, devices and how many there are",
    "IP": f"the system: {' or '.join(systems.NAMES)}",
}


def show(argv: list[str]) -> None:
    """Print them; ArgumentError for a word that is not known."""
    given, system = parse(argv, WORDS, "List what there is."), systems.of(argv)
    every = {"scenarios": _scenarios(system), "tests": _tests(), "options": _options(system)}
    if (what := given.get("WHAT")) is not None:
        if what not in every:
            raise ArgumentError(f"WHAT={what} is not known; give WHAT={' or '.join(every)}")
        print("\n".join(every[what]))
        return
    print("Programs, of RV32 and RV64")
    for name in recording.names():
        sizes = [recording.load(name, xlen) for xlen in (32, 64)]
        print(f"  {name:<14} {' and '.join(f'{len(r.retired):,}' for r in sizes)} instructions and traps")
    print("\nDevices of examples/")
    for path in sorted((ROOT / "examples").glob("*/dut.toml")):
        try:
            dut = Dut.load(path)
            print(f"  {path.parent.name:<18} {dut.title} (IP={dut.ip})")
        except DutError:
            print(f"  {path.parent.name:<18} not finished: {typed('doctor', {'DUT': path.parent.name})}")
    named = {"IP": system.ip} if "IP" in given else {}
    print()
    for kind, lines in every.items():
        about = "of this project" if kind == "tests" else f"of {system.title}"
        print(f"{len(lines):>4} {kind:<10} {about}: {typed('list', {'WHAT': kind, **named})}")


def _scenarios(system: SystemBench) -> list[str]:
    return [f"{name:<34} {scenario.doc}" for name, scenario in sorted(system.scenarios.items())]


def _tests() -> list[str]:
    lines = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        what = path.read_text().partition('"""')[2].partition("\n")[0].rstrip('"')
        lines.append(f"{path.relative_to(ROOT)!s:<46} {what[:100]}")
    return lines


def _options(system: SystemBench) -> list[str]:
    return [front.spoken(f"{name + '=':<20} {what}") for name, what in words(system).items()]
