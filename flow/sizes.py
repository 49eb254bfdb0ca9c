# SPDX-License-Identifier: Apache-2.0
"""Bits per instruction of every system that makes a trace, over the same programs.

Runs each recorded program with each encoding and with what makes every trace longer (`SystemBench.measured`). Bytes of
E-Trace are counted twice: the payloads alone, which is what the published figures are, and with the transport's header,
without which packets cannot be separated. Tandem trace is counted on the encoder model, whose bytes are those of the
RTL wherever both were run: what loads the program is not part of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from rvtrace.flow.jobs import run_all, trouble
from rvtrace.flow.simulation import SimError
from rvtrace.jobs import sizes as bits
from rvtrace.jobs import systems
from rvtrace.models.riscv import recording
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording

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


def measured(sim: str, out: Path, workers: int) -> tuple[dict[str, bits.Table], dict[str, bits.Table]]:
    """The tables of all systems by title: what is published, and the same with the transport included. SimError if a
    run does not pass.
    """
    shutil.rmtree(out, ignore_errors=True)
    side: dict[str, bits.Table] = {}
    single: dict[str, bits.Table] = {}
    for system in map(systems.bench, systems.NAMES):
        if system.sizes is None:
            continue
        results = run_all(system.measured(), sim, out / system.ip, workers=workers)
        if bad := [result for result in results if result["verdict"] != "PASS"]:
            raise SimError(f"nothing was measured: {trouble(bad[0])}")
        single[system.title] = bits.Table.of(system.sizes, results)
        whole = replace(system.sizes, measure=system.whole)
        side[system.title] = bits.Table.of(whole, results)
    single["Tandem trace"] = side["Tandem trace"] = tandem(recording.names())
    return single, side
