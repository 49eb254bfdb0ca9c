# SPDX-License-Identifier: Apache-2.0
"""Program in, registers programmed, trace read back, decoded: the whole way in one run.

Two harts run the program. A tool programs the trace system over its register bus as the specification prescribes, lets
them run, disables everything in order, and reads the trace from the RAM sink through its registers. What is printed:
the register writes, the trace that came back, and the beginning of what it decodes to.
"""

from __future__ import annotations

import json
from pathlib import Path

from rvtrace.flow.jobs import run_all, trouble
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.models.ntrace.decoder.sources import decode_sources
from rvtrace.models.riscv.program import Program
from rvtrace.models.tci.registers import COMPONENT_BYTES, component
from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus.tool import kind_of


def read_back(job: TciJob, sim: str, out: Path, lines: int) -> bool:
    """Run the job and print what came of it, of each hart the first `lines` instructions; whether it passed."""
    (result,) = run_all([job], sim, out)
    if result["verdict"] == "ERROR":
        print(trouble(result))
        return False
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
        _decoded(src, trace, harts[src][0], lines)
    checks = sum(checked for checked, _ in result["clauses"].values())
    print(
        f"{result['verdict']}: {checks} checks of {len(result['clauses'])} clauses,"
        f" {result['stats']['seconds']['total']:.1f} s with {sim}"
    )
    if result["verdict"] != "PASS":
        print(trouble(result))
    return bool(result["verdict"] == "PASS")


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
