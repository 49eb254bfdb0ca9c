# SPDX-License-Identifier: Apache-2.0
"""Program in, registers programmed, trace read back, decoded: the whole way in one command.

    python -m rvtrace.tools.readback PROGRAM=sort SIM=verilator

Two harts run the program. A tool programs the trace system over its register bus as the specification prescribes, lets
them run, disables everything in order, and reads the trace from the RAM sink through its registers. What is printed:
the register writes, the trace that came back, and the beginning of what it decodes to.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rvtrace.flow.jobs import RESULTS, run_all, trouble
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.models.ntrace.decoder.sources import decode_sources
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.tci.registers import COMPONENT_BYTES, component
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, main_guard, number, parse
from rvtrace.tb.tci.job import TS_WIDTH, TciJob
from rvtrace.tb.tci.stimulus.tool import kind_of

WORDS = {
    "PROGRAM": "a recorded program by name, default sort; random for generated ones",
    "SIM": "verilator (default) or icarus",
    "SEED": "of every random choice, default 1",
    "SIZE": "instructions of a random walk",
    "LINES": "instructions to print of each hart, default 8",
    "OUT": "folder of the results",
    **systems.find("ntrace").words,
}


def main(argv: list[str]) -> int:
    """0 if every clause passed, else 1."""
    given = parse(argv, WORDS, "Run a program, program the trace system, read the trace back, decode it.")
    program, sim = given.get("PROGRAM", "sort"), given.get("SIM", "verilator")
    if program != "random" and program not in recording.names():
        raise ArgumentError(
            f"PROGRAM={program} is not recorded; give PROGRAM={' or PROGRAM='.join((*recording.names(), 'random'))}"
        )
    out = Path(given.get("OUT", RESULTS / "readback"))
    config = Config.from_dict({"ts_width": TS_WIDTH, "inst_stall_ena": 1} | systems.find("ntrace").options(given))
    job = TciJob(
        "readback", "tci:read_back", config.to_dict(), number(given, "SEED", 1), sim=sim, program=program, keep=True
    )
    if "SIZE" in given:
        job.size = number(given, "SIZE")
    (result,) = run_all([job], sim, out, lambda result: None)
    if result["verdict"] == "ERROR":
        print(trouble(result))
        return 1
    here = Path(job.out)
    _writes(json.loads((here / "writes.json").read_text()))
    data = (here / "trace.bin").read_bytes()
    _bytes(data)
    harts = {}
    for path in sorted(here.glob("config*.json")):
        hart = path.stem.removeprefix("config")
        setting = Config.from_dict(json.loads(path.read_text()))
        harts[setting.src_id] = (Program.from_elf(here / f"program{hart}.elf"), setting)
    for src, trace in decode_sources(data, harts).items():
        _decoded(src, trace, harts[src][0], number(given, "LINES", 8))
    checks = sum(checked for checked, _ in result["clauses"].values())
    print(
        f"{result['verdict']}: {checks} checks of {len(result['clauses'])} clauses,"
        f" {result['stats']['seconds']['total']:.1f} s with {sim}"
    )
    if result["verdict"] != "PASS":
        print(trouble(result))
    return int(result["verdict"] != "PASS")


def _writes(log: list[tuple[str, str, int, str]]) -> None:
    print("Registers written, in order:")
    for name, register, value, why in log:
        kind = component(kind_of(name))
        base = int(name.removeprefix(kind_of(name)) or 0) * COMPONENT_BYTES if kind.name == "encoder" else kind.bases[0]
        print(f"  {base + kind.register(register).offset:#06x}  {value:08x}  {name} {register}: {why or 'all off'}")


def _bytes(data: bytes) -> None:
    print(f"\nTrace read back through trRamRP and trRamData: {len(data)} bytes, which begin")
    for at in range(0, min(len(data), 48), 16):
        print(f"  {at:04x}  {data[at : at + 16].hex(' ')}")


def _decoded(src: int, trace: DecodedTrace, program: Program, lines: int) -> None:
    print(f"\nSource {src}: {len(trace.messages)} messages, {len(trace)} instructions")
    for message in [m for m in trace.messages if m.src == src][:4]:
        print(f"  {message}")
    for pc in trace.pcs[:lines].tolist():
        print(f"  {program.where(pc)}")
    if len(trace) > lines:
        print(f"  ... and {len(trace) - lines} more, the last at {program.where(int(trace.pcs[-1]))}")


if __name__ == "__main__":
    sys.exit(main_guard(main))
