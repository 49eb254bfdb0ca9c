# SPDX-License-Identifier: Apache-2.0
"""`make sizes`: bits per instruction of every system that makes a trace, over the same programs, side by side; as
Markdown, for the README.

Runs each recorded program with each encoding and with what makes every trace longer (tools/systems/*.py). Bytes of
E-Trace are counted twice: the payloads alone, which is what the published figures are, and with the transport's header,
without which packets cannot be separated. Tandem trace is counted on the encoder model, whose bytes are those of the
RTL wherever both were run: what loads the program is not part of it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.jobs import RESULTS, run_all, trouble
from rvtrace.flow.simulation import SimError
from rvtrace.models.riscv import recording
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.tb import systems
from rvtrace.tb.common import sizes as bits
from rvtrace.tb.common.arguments import main_guard, number, parse

WORDS = {
    "SIM": "verilator (default) or icarus",
    "N": "processes, default the number of cores",
    "OUT": "folder of the results",
}

_IMPLIED = {"implied_end": 1}
TANDEM = bits.Sizes(
    methods=(
        bits.Method("full pc", {"incremental": 0}),
        bits.Method("pc by steps", {}),
        bits.Method("and implied end", _IMPLIED),
        bits.Method("all by steps", {"incremental": 2}),
        bits.Method("all by steps and implied end", {"incremental": 2} | _IMPLIED),
        bits.Method(
            "pc and instruction alone, by steps, implied end",
            {"absent": ["gpr", "csr", "priv", "paddr", "eaddr", "memdata"]} | _IMPLIED,
        ),
    ),
    extras={"none": {}},
    free=frozenset({"ip", "xlen", "mlen"}),
    default=Config().to_dict(),
    about="",
)


def tandem(names: Iterable[str]) -> bits.Table:
    """The table of tandem trace: each of these recorded programs (RV64) from its reset on, with each of the methods."""
    results = []
    for name in names:
        run = recording.load(name, bits.XLEN)
        rows = from_recording(run, load=False)
        for method in TANDEM.methods:
            config = Config.from_dict({"xlen": bits.XLEN, **method.options})
            stats = {"bytes": len(encode(rows, config).data), "instructions": len(run.retired)}
            results.append({"source": f"program:{name}", "config": config.to_dict(), "verdict": "PASS", "stats": stats})
    return bits.Table.of(TANDEM, results)


def main(argv: list[str]) -> int:
    """0 if all runs passed."""
    given = parse(argv, WORDS, "Bits per instruction of all systems.")
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    out = Path(given.get("OUT", RESULTS / "sizes"))
    shutil.rmtree(out, ignore_errors=True)
    side, single = {}, {}
    for system in map(systems.find, systems.NAMES):
        if system.sizes is None:
            continue
        results = run_all(
            system.measured(), sim, out / system.ip, lambda result: None, number(given, "N", os.cpu_count() or 1)
        )
        if bad := [result for result in results if result["verdict"] != "PASS"]:
            raise SimError(f"nothing was measured: {trouble(bad[0])}")
        single[system.title] = bits.Table.of(system.sizes, results)
        whole = replace(system.sizes, measure=system.whole)
        side[system.title] = bits.Table.of(whole, results)
    single["Tandem trace"] = side["Tandem trace"] = tandem(recording.names())
    for title, table in single.items():
        print(f"{title}, bits per instruction\n\n{table.markdown()}\n")
    print(f"Side by side, transport included\n\n{bits.beside(side)}\n")
    means = [single["Tandem trace"].mean(m) for m in range(len(TANDEM.methods))]
    print(
        "Tandem trace, mean in bytes: "
        + ", ".join(f"{method.name} {mean[0] / 8:.2f}" for method, mean in zip(TANDEM.methods, means) if mean)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
