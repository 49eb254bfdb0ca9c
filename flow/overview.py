# SPDX-License-Identifier: Apache-2.0
"""What `make list` prints: programs, scenarios, tests, DUTs, options."""

from __future__ import annotations

from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.jobs import words
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import parse, typed
from rvtrace.jobs.builds import ROOT
from rvtrace.models.riscv import recording


def show(argv: list[str]) -> None:
    """Print them; ArgumentError for a word that is not known."""
    system = systems.of(argv)
    parse(argv, {"IP": f"the system: {' or '.join(systems.NAMES)}", "SIM": "ignored"}, "List what there is.")
    print("Programs (PROGRAM=<name> XLEN=32|64, and PROGRAM=random SEED=<n>)")
    for name in recording.names():
        sizes = [recording.load(name, xlen) for xlen in (32, 64)]
        print(f"  {name:<12} {' '.join(f'RV{r.xlen}: {len(r.retired)} rows' for r in sizes)}")
    print(f"\nScenarios of {system.title} (IP={system.ip} SCENARIO=<name>)")
    for name, scenario in sorted(system.scenarios.items()):
        print(f"  {name:<34} {scenario.doc}")
    print("\nTests (make test TESTS=<file> K=<part of a name>)")
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        what = path.read_text().partition('"""')[2].partition("\n")[0].rstrip('"')
        print(f"  {path.relative_to(ROOT)!s:<46} {what[:100]}")
    print("\nDUTs in the testbench (make check DUT=<name>)")
    for path in sorted((ROOT / "examples").glob("*/dut.toml")):
        try:
            dut = Dut.load(path)
            print(f"  {path.parent.name:<14} {dut.title} (IP={dut.ip})")
        except DutError:
            print(f"  {path.parent.name:<14} not finished: {typed('make doctor', {'DUT': path.parent.name})}")
    print("\nOptions (NAME=value)")
    for name, what in words(system).items():
        print(f"  {name:<18} {what}")
