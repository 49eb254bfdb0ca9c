# SPDX-License-Identifier: Apache-2.0
"""Two checkouts side by side: the same runs in both, and every difference between their results.

python tools/same_results.py ../before . --ips ntrace,ctr --seeds 100

It runs `make IP=<system>` (programs, walks, all scenarios) and `make regress` in each of the two, unless their results
are already there, and compares verdict, clauses (checked, failed), coverage, failures and counts of each result.json by
the name of the run. With --captures it compares what `make check` says of each capture in a folder, whose name begins
with its format. It is for changes that must not change a result. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SYSTEMS = ("subsystem", "ntrace", "etrace", "tandem", "ctr", "hpm", "sbi_pmu", "adapter")
COMPARED = ("verdict", "clauses", "coverage", "failures", "stats", "error")
# Of a failure: its headline and table are compared, but not its text, which has the command that repeats it; no times.
IGNORED = ("rerun", "text", "seconds", "parts", "exact", "written", "version")
SECONDS = 60  # of CPU for one capture; most take 3


def main() -> int:
    """0 if nothing differs."""
    words = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    words.add_argument("before", type=Path)
    words.add_argument("now", type=Path)
    words.add_argument("--ips", default=",".join(SYSTEMS), help="systems, joined by commas")
    words.add_argument("--seeds", type=int, default=100, help="seeds of `make regress` for each system, default 100")
    words.add_argument("--sim", default="verilator")
    words.add_argument("--captures", type=Path, help="folder of folders, each a capture that `make check` takes")
    given = words.parse_args()
    trees = (given.before.resolve(), given.now.resolve())
    differences = compared = 0
    for ip in filter(None, given.ips.split(",")):
        for kind, command in runs(ip, given.sim, given.seeds):
            before, now = (results(tree, kind, command) for tree in trees)
            compared += len(before.keys() & now.keys())
            for line in compare(before, now):
                print(f"{ip} {kind.parts[0]}: {line}", flush=True)
                differences += 1
    for capture in sorted(given.captures.iterdir()) if given.captures else ():
        old, new = (checked(tree, capture) for tree in trees)
        compared += 1
        if old != new:
            print(f"{capture.name}: {first_difference(old, new)}", flush=True)
            differences += 1
    print(f"{compared} results compared; {differences} differences")
    return int(bool(differences) or not compared)


def runs(ip: str, sim: str, seeds: int) -> Iterator[tuple[Path, list[str]]]:
    """Folders below build/results, and the command that fills each."""
    yield Path("main") / f"{ip}-{sim}-seed1", ["make", f"IP={ip}", f"SIM={sim}"]
    if seeds:
        out = Path("same") / f"{ip}-{sim}-{seeds}"
        command = ["make", "regress", f"IP={ip}", f"SIM={sim}", f"SEEDS={seeds}", "REPORT=0"]
        yield out, [*command, f"OUT=build/results/{out}"]


def results(tree: Path, folder: Path, command: list[str]) -> dict[str, dict[str, Any]]:
    """What the runs of a folder found, by the name of the run; made first if it is not there."""
    place = tree / "build" / "results" / folder
    if not (place / "complete").exists():
        print(f"{tree.name}: {' '.join(command)}", file=sys.stderr, flush=True)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "PYTHON"))}
        done = subprocess.run(command, cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode not in (0, 1, 2) or not place.is_dir():
            sys.exit(f"error: `{' '.join(command)}` in {tree} ended with {done.returncode}:\n{done.stdout[-2000:]}")
        (place / "complete").touch()
    found = {}
    for path in sorted(place.rglob("result.json")):
        result = json.loads(path.read_text())
        found[str(path.parent.relative_to(place))] = {name: pruned(result.get(name)) for name in COMPARED}
    return found


def checked(tree: Path, capture: Path) -> Any:
    """What `make check` says of a capture: its compliance.json, or its last line if it wrote none."""
    place = tree / "build" / "results" / "same" / "captures" / capture.name
    packets = capture / "packets.hex"
    words = [f"IP={capture.name.partition('-')[0]}", f"TRACE={packets}" if packets.exists() else f"IN={capture}"]
    for word, name in {"ELF": "program.elf", "CONFIG": "config.json", "RETIRED": "retired.csv"}.items():
        if packets.exists() and (capture / name).exists():
            words.append(f"{word}={capture / name}")
    if not (place / "said").exists():
        place.mkdir(parents=True, exist_ok=True)
        command = [".venv/bin/python", "-m", "rvtrace.tools.check", *words, f"OUT={place}", "NAME=capture"]
        limited = ["bash", "-c", f'ulimit -t {SECONDS}; exec "$@"', "-", *command]
        done = subprocess.run(limited, cwd=tree, capture_output=True, text=True)
        said = f"{done.returncode} {(done.stdout + done.stderr).strip().splitlines()[-1:]}"
        (place / "said").write_text(said)
    report = place / "compliance.json"
    return pruned(json.loads(report.read_text())) if report.exists() else (place / "said").read_text()


def pruned(value: Any) -> Any:
    """A value without what differs between two runs of the same tree."""
    if isinstance(value, dict):
        return {name: pruned(inner) for name, inner in value.items() if name not in IGNORED}
    return [pruned(inner) for inner in value] if isinstance(value, list) else value


def compare(before: dict[str, dict[str, Any]], now: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A line for each run that is missing or differs."""
    for name in sorted(before.keys() ^ now.keys()):
        yield f"{name}: only {'before' if name in before else 'now'}"
    for name in sorted(before.keys() & now.keys()):
        for part in COMPARED:
            old, new = before[name][part], now[name][part]
            if old != new:
                yield f"{name}: {part}: {first_difference(old, new)}"


def first_difference(old: Any, new: Any) -> str:
    """Where two values differ first, in a few words."""
    if isinstance(old, dict) and isinstance(new, dict):
        key = next(key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key))
        return f"{key}: {first_difference(old.get(key), new.get(key))}"
    if isinstance(old, list) and isinstance(new, list):
        for place, (left, right) in enumerate(zip(old, new)):
            if left != right:
                return f"[{place}] {first_difference(left, right)}"
        return f"{len(old)} entries before, {len(new)} now"
    return f"{old!r:.120} before, {new!r:.120} now"


if __name__ == "__main__":
    sys.exit(main())
