# SPDX-License-Identifier: Apache-2.0
"""Program in, registers programmed, trace read back, decoded: the whole way in one command (rvtrace.flow.readback):
`make run IP=tci PROGRAM=sort`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rvtrace.flow.jobs import RESULTS
from rvtrace.flow.readback import read_back
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse
from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv import recording
from rvtrace.tb.tci.job import TS_WIDTH, TciJob

WORDS = {
    "IP": f"{' or '.join(systems.PARTS)}: the trace system",
    "PROGRAM": "a recorded program by name, default sort; random for generated ones",
    "SIM": "verilator (default) or icarus",
    "SEED": "of every random choice, default 1",
    "SIZE": "instructions of a random walk",
    "LINES": "instructions to print of each hart, default 8",
    "OUT": "folder of the results",
    **systems.judge("ntrace").words,
}


def main(argv: list[str]) -> int:
    """0 if every clause passed, else 1."""
    given = parse(argv, WORDS, "Run a program, program the trace system, read the trace back, decode it.", ("OUT",))
    program, sim = given.get("PROGRAM", "sort"), given.get("SIM", "verilator")
    if program != "random" and not recording.is_recorded(program):
        raise ArgumentError(
            f"PROGRAM={program} is not recorded; give PROGRAM={' or PROGRAM='.join((*recording.names(), 'random'))}"
        )
    out = Path(given.get("OUT", RESULTS / "readback"))
    config = Config.from_dict({"ts_width": TS_WIDTH, "inst_stall_ena": 1} | systems.judge("ntrace").options(given))
    job = TciJob(
        "readback", "tci:read_back", config.to_dict(), number(given, "SEED", 1), sim=sim, program=program, keep=True
    )
    if "SIZE" in given:
        job.size = number(given, "SIZE")
    return 0 if read_back(job, sim, out, number(given, "LINES", 8)) else 1


if __name__ == "__main__":
    sys.exit(main_guard(main))
