# SPDX-License-Identifier: Apache-2.0
"""`make regress`: many random seeds of all systems, each with its own configuration, walk and drive, on shared builds.

Results are on disk as soon as they are known; the same command again goes on where it was stopped or killed, unless
sources or words changed. CLUSTER= hands the seeds to a queueing system (flow/regress/cluster.py). Ends in buckets of
failures and the report.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from rvtrace.flow import failing_page, simulators
from rvtrace.flow.regress import buckets, history
from rvtrace.flow.regress.folder import default, hold
from rvtrace.flow.regress.run import demand_possible, regress
from rvtrace.flow.regress.seeds import jobs_of, systems_of
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import main_guard, parse
from rvtrace.jobs.builds import ROOT
from rvtrace.report import junit, page
from rvtrace.report.results import collect
from rvtrace.report.viewer_failing import write
from rvtrace.report.waves import annotate

WORDS = {
    "IP": f"all (default), or systems joined by commas: {', '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "SEEDS": "how many, default 50; the systems share them",
    "FIRST": "the first seed of each system, default 1",
    "SIZE": "instructions of each walk, default 20000",
    "N": "simulators at a time, default the number of cores; on a cluster its jobs, default 4",
    "OUT": "folder of the results, default one below build/results/regress for each configuration",
    "DRIVE": "bulk or pins for every seed of the systems that can be driven so, default as chosen at random",
    "FRESH": "1: begin anew, even if the same regression was begun before",
    "JUNIT": junit.WORD,
    "REPORT": "0: no report at the end",
    "WAVES": "fail: run the first seed of each bucket of failures again with a waveform",
    "CLUSTER": "local (default), slurm, lsf, sge or pbs: who runs the seeds",
    "QUEUE": "the cluster's queue or partition, default its own",
    "WALLTIME": "of each cluster job, as the cluster writes it, default half an hour; one that ends is replaced",
    "MEMORY": "of each cluster job, default 2GB",
    "WAIT": "minutes to wait for the cluster's first job, default 60",
}
_INTERRUPTED = 130  # exit code of what Ctrl-C ended


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, and of the systems that IP= names."""
    return WORDS | {word: what for system in systems_of(argv) for word, what in system.words.items()}


def main(argv: list[str]) -> int:
    """0 if every seed passed, else 1; 130 if it was stopped."""
    failing_page.made_by(write)
    chosen = systems_of(argv)
    given = parse(argv, known(argv), "Run random seeds.", ("OUT", "JUNIT"))
    demand_possible(given, chosen, WORDS)
    sim = given.get("SIM", "verilator")
    out = Path(given["OUT"]).resolve() if "OUT" in given else default(given, sim)
    simulators.find(sim)
    jobs = jobs_of(given, chosen)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with hold(out):
        bad = regress(jobs, sim, out, given)
        if bad is None:
            return _INTERRUPTED
        annotate_buckets(out)
        reported = _reported(given, out, [Path(job.out) for job in jobs])
    return 0 if reported and not bad else 1


def _reported(given: dict[str, str], out: Path, only: list[Path]) -> bool:
    """Whether the report, if one is wanted, says PASS."""
    junit_file = given.get("JUNIT")
    if given.get("REPORT") != "0":
        where = out / "report" if "OUT" in given else page.OUT / "regress" / out.name  # not where that of `make` is
        return page.write(out, where, only=only, junit_file=junit_file, regressions=history.place(given, out))
    if junit_file is not None:
        junit.write(junit.of_results(*collect(out, only)), Path(junit_file))
    return True


def annotate_buckets(out: Path) -> None:
    """What the traces mean, beside the waveforms of WAVES=fail."""
    for bucket in json.loads((out / buckets.FILE).read_text()):
        if "waveform" in bucket:
            wave = ROOT / bucket["waveform"]
            print("\n".join(annotate(wave.parent, wave)), flush=True)


if __name__ == "__main__":
    sys.exit(main_guard(main))
