# SPDX-License-Identifier: Apache-2.0
"""`make capture IP=<system> PROGRAM=<name>|random OUT=<folder>`: run a program and leave everything another tool needs.

OUT is a new or empty folder, or that of an earlier capture, whose files are removed. It gets trace.bin (the bytes the
RTL sent), program.elf, config.json (every option in force), retired.csv (what the hart did, from trace_on to
trace_off), beats.npz (what crossed the ingress port), and result.json (our own verdict). CTR and the counters send
nothing: of CTR it is entries.json (the entries at the end of the run, read through the CSRs) and entries.txt (the
same with symbols), of the counters counters.json, counters.txt and state.npz, and rows.npz (what was on the ports)
instead of trace.bin and beats.npz.

With DUT= it is your IP that sends them; what crossed the ingress port is left only if it declares our profile, as it is
there to compare every byte.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.dut.run import with_ip
from rvtrace.flow.folders import begin_capture, name_of
from rvtrace.flow.jobs import build_of, line, one, trouble, words
from rvtrace.flow.progress import during
from rvtrace.flow.simulation import build, run
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, parse, typed
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.jobs.names import TRACES
from rvtrace.report.listing import add as add_listing
from rvtrace.report.waves import annotate

DUT = "your IP: name below examples, or folder with a dut.toml"
LOAD = "an ELF file: only the tandem trace that loads it into memory, in OUT=<file>; runs nothing"


def main(argv: list[str]) -> int:
    """0 if the files are there and the run passed, else 1."""
    argv = with_ip(argv)
    system = systems.of(argv)
    given = parse(argv, known(argv), "Run a program and keep the trace.")
    if "OUT" not in given:
        raise ArgumentError("no folder was given for the capture; give OUT=<folder>, such as OUT=out")
    sim = given.get("SIM", "verilator")
    job = one(given)
    system.captured(job)
    design = ROOT / "rtl"
    if "DUT" in given:
        from rvtrace.flow.dut.run import attach

        design = attach(given, system, job)
    out = Path(given["OUT"])
    begin_capture(out, given)
    job.out, job.keep = str(out.resolve()), True
    simulators.find(sim)
    made = build(build_of(job), sim, design, waves=flag(given, "WAVES"))
    work = ROOT / "build" / "capture" / name_of(job)
    with during(f"running {job.name}"):
        (result,) = run(made, [job], work)
    if made.waves:
        shutil.copy(work / f"waves.{made.waves}", out)
    print(line(result))
    if made.waves:
        print("\n".join(annotate(out, out / f"waves.{made.waves}")))
    if result["verdict"] != "PASS":
        print(trouble(result))
    if result["verdict"] != "ERROR":
        add_listing(system.ip, out)
    if job.dut and not job.exact:
        (out / "beats.npz").unlink(missing_ok=True)
    missing = [name for name in system.left if not (out / name).exists()]
    if missing:
        print(f"error: {', '.join(missing)} not written; see {work / 'simulator.log'}", file=sys.stderr)
        return 1
    print(
        f"left {', '.join(system.left)} in {out}; read them with `{typed('decode', {'IN': out})}` and"
        f" `{_checked_with(job, out)}`"
    )
    return 0 if result["verdict"] == "PASS" else 1


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, of the system or IP that these name."""
    return {**words(systems.of(with_ip(argv))), "DUT": DUT, "LOAD": LOAD}


def _checked_with(job: Job, out: Path) -> str:
    """The command that checks the files: those of a device against the specification, with what it declares."""
    if not job.dut or job.exact or job.ip not in TRACES:
        return typed("check", {"IN": out})
    said = {
        name.upper(): str(int(value) if isinstance(value, bool) else value) for name, value in job.tolerances.items()
    }
    return typed("check", {"IN": out, **said})


if __name__ == "__main__":
    sys.exit(main_guard(main))
