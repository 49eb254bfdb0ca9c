# SPDX-License-Identifier: Apache-2.0
"""CTR records and counters in the forms of Linux perf: branch stacks and a call graph as `perf script` prints them, and
`perf stat`.

branch_stack(entries)   one sample of `perf script -F brstack`: FROM/TO/EVENT/INTX/ABORT/CYCLES/TYPE/SPEC, the youngest
                        record first (perf-script(1))
call_graph(...)         one sample of `perf script -F comm,pid,cpu,time,event,ip,sym,dso`, the innermost frame first
stat(counters, name)    `perf stat`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rvtrace.models.ctr import records
from rvtrace.models.hpm.events import CYCLES, RETIRED
from rvtrace.models.riscv.program import Program
from rvtrace.report.listing.ctr import call_sites
from rvtrace.report.listing.hpm import counted

Entry = Mapping[str, Any]
# Types of perf (tools/perf/util/branch.c) by type of a record. SYSCALL would say more of an exception than the record.
TYPES = {
    records.EXCEPTION: "-", records.INTERRUPT: "IRQ", records.TRAP_RETURN: "ERET", records.NOT_TAKEN: "COND",
    records.TAKEN: "COND", records.INDIRECT_CALL: "IND_CALL", records.DIRECT_CALL: "CALL", records.INDIRECT_JUMP: "IND",
    records.DIRECT_JUMP: "UNCOND", records.SWAP: "IND", records.RETURN: "RET", records.INDIRECT_LINK: "IND",
    records.DIRECT_LINK: "UNCOND",
}  # fmt: skip


def branch_stack(entries: Sequence[Entry]) -> str:
    """A line; "" of a buffer without a valid record. Whether a branch was predicted is not in entries.json: EVENT is
    N for a branch that was not taken, else "-" (not known). CYCLES is 0, as perf has it, where the record has no count.
    """
    return " ".join(
        f"{int(e['source'], 16):#x}/{int(e['target'], 16):#x}/{'N' if e['type'] == records.NOT_TAKEN else '-'}/-/-/"
        f"{e['cc'] or 0}/{TYPES.get(e['type'], '-')}/-"
        for e in entries
        if e["valid"]
    )


def call_graph(entries: Sequence[Entry], program: Program | None, emulated: bool, name: str) -> str:
    """A sample; without symbols perf prints [unknown]."""
    places = [int(address, 16) for address, _ in call_sites(entries, emulated)]
    lines = [f"{name}     0 [000]     0.000000:          1 branches: "]
    for address in reversed(places):
        symbol = program.symbol(address) if program is not None else f"{address:#x}"
        lines.append(f"\t{address:>16x} {'[unknown]' if symbol == f'{address:#x}' else symbol} ({name})")
    return "\n".join(lines) + "\n" if places else ""


def stat(counters: Sequence[Mapping[str, Any]], name: str) -> str:
    """A table; instructions per cycle where both were counted without a filter."""
    whole = {c["selector"]: c["value"] for c in counters if not c["filters"]}
    cycles, instructions = whole.get(CYCLES), whole.get(RETIRED)
    lines = [f" Performance counter stats for '{name}':", ""]
    for counter in counters:
        line = f"{counter['value']:>18,}      {counted(counter):<24}"
        if counter["selector"] == RETIRED and cycles and instructions is not None and not counter["filters"]:
            line += f"  #  {instructions / cycles:6.2f}  insn per cycle"
        line += "  (overflowed)" if counter["of"] else ""
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"
