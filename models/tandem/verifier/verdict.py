# SPDX-License-Identifier: Apache-2.0
"""What the verifier reports: differences, whose fault a finding is and why, and the report over a whole trace.

**The verdict.** A finding is one place where trace and simulator differ. Who is at fault is decided by the first of
these rules that holds:

1. *trace*: the bytes break the format (a diagnostic of the decoder is in the group).
2. *trace*: a group that was dropped, sent twice or swapped with its neighbour explains it, and the groups after it
match. 3. *trace*: later groups match the simulator and contradict the group: the hart held the right state, and the
trace reported another.
   The opposite, later groups that match only this group, makes it the hart's or the model's fault, whatever 4 and 5
   say.
4. *trace*: the group contradicts its own instruction (a register that this instruction does not have as destination,
store data of another width, a CSR
   or a privilege that this instruction cannot change), omits what such an instruction always does (register, address,
   store data, pc left out), or has other instruction bits than memory holds while everything else matches those in
   memory.
5. *model*: the second simulator, put into the state before the group, agrees with the trace.
6. *hart*: the trace is consistent and differs from the simulator; a second simulator, if there is one, agrees with the
first or has no opinion.

`confirmed`: later groups decided (3), or that the second simulator did (5, 6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from rvtrace.models.riscv.isa import X_NAMES
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.tandem.simulator.interface import PC_KEY, PRIV_KEY
from rvtrace.models.tandem.table import BY_ID, FPR_BASE, GPR_BASE, PRIVILEGES, STATE_KEY


class Verdict(str, Enum):
    """Who is at fault."""

    MODEL = "model"
    HART = "hart"
    TRACE = "trace"


class Difference(NamedTuple):
    """how: wrong, omitted, extra or narrower. what: insn, register, csr, priv, pc, paddr, eaddr, memdata, ppc or fpr (f
    register, fcsr). key: of the state.

    reported, simulated: values, None where that side has none.
    """

    how: str
    what: str
    key: int
    reported: int | None
    simulated: int | None

    def row(self, table: CsrTable) -> tuple[str, str, str]:
        """Name, what the simulator has, what the trace says; "" where a side has nothing."""
        values = (self.simulated, self.reported)
        mine, told = ("" if value is None else _number(self.key, value) for value in values)
        return state_name(self.key, table), mine, told

    def text(self, table: CsrTable) -> str:
        """`a0 (x10): trace 0x5, simulator 0x4`."""
        name = state_name(self.key, table)
        if self.how == "omitted":
            return f"{name}: not in the trace, simulator {_number(self.key, self.simulated)}"
        if self.how == "extra":
            reported = _number(self.key, self.reported)
            return f"{name}: trace {reported}, not changed by the simulator"
        return f"{name}: trace {_number(self.key, self.reported)}, simulator {_number(self.key, self.simulated)}"


def state_name(key: int, table: CsrTable) -> str:
    """Name of a register or of additional state."""
    if GPR_BASE <= key < FPR_BASE:
        return f"{X_NAMES[key - GPR_BASE]} (x{key - GPR_BASE})"
    if FPR_BASE <= key < FPR_BASE + 32:
        return f"f{key - FPR_BASE}"
    if key < GPR_BASE:
        return table.names.get(key, f"CSR {key:#05x}")
    if key == INSN_KEY:
        return "instruction"
    state = BY_ID.get(key - STATE_KEY)
    return {PC_KEY: "next pc"}.get(key, state.meaning if state else f"state {key:#x}")


def _number(key: int, value: int | None) -> str:
    if value is None:
        return "nothing"
    return PRIVILEGES.get(value, str(value)) if key == PRIV_KEY else f"{value:#x}"


INSN_KEY = STATE_KEY + 0x200
SHOWN = 10  # equal findings that are printed in full


@dataclass
class Finding:
    """One report. kind: what explains it (difference, diagnostic, dropped, duplicated, swapped, instruction bits,
    lost).

    section, group, offset: where in the trace; pc: of the instruction. text: the instruction. differences: of that
    group. reason: of the verdict, in words. confirmed: see above. until: last section that belongs to it.
    """

    kind: str
    section: int
    group: int
    offset: int
    pc: int | None
    text: str
    differences: list[Difference]
    verdict: Verdict
    reason: str
    names: list[str] = field(default_factory=list)
    confirmed: bool = False
    until: int = -1

    @property
    def form(self) -> tuple[object, ...]:
        """What it has in common with findings that are equal but for place and values."""
        return self.kind, self.verdict, *self.names, *((one.how, one.what) for one in self.differences)

    def lines(self, table: CsrTable) -> list[str]:
        """As text: place, differences, who is at fault, why."""
        pc = "pc unknown" if self.pc is None else f"pc {self.pc:#x}"
        head = f"group {self.group} (offset {self.offset:#x}, {pc}{', ' + self.text if self.text else ''}): {self.kind}"
        reported = [f"  {difference.text(table)}" for difference in self.differences]
        return [head, *reported, f"  at fault: {self.verdict.value} ({self.reason})"]


@dataclass
class Report:
    """The result of a run. groups, instructions: in the trace; matched: instructions that match. skipped: changes of
    state that the simulator does not have,

    by name; unverified: sections that could not be compared, because a gap left pc or state unknown; transactions: of
    the bus, outside state initialization. stopped: None, or the groups that were compared when there were as many
    findings as the verifier was to stop after.
    """

    table: CsrTable
    findings: list[Finding] = field(default_factory=list)
    groups: int = 0
    instructions: int = 0
    matched: int = 0
    unverified: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    suppressed: int = 0
    transactions: int = 0
    stopped: int | None = None

    @property
    def ok(self) -> bool:
        """Whether there is no finding and something was compared. What could not be compared is no mismatch."""
        return not self.findings and self.matched > 0

    def count(self, verdict: Verdict) -> int:
        """Findings with this verdict."""
        return sum(finding.verdict == verdict for finding in self.findings)

    def __str__(self) -> str:
        lines: list[str] = []
        alike: dict[tuple[object, ...], list[Finding]] = {}
        for finding in self.findings:
            same = alike.setdefault(finding.form, [])
            same.append(finding)
            lines += finding.lines(self.table) if len(same) <= SHOWN else ()
        lines += [f"and {len(same) - SHOWN:,} more findings like that of group {same[0].group}, up to group"
                  f" {same[-1].group}" for same in alike.values() if len(same) > SHOWN]  # fmt: skip
        if self.suppressed:
            lines.append(f"and {self.suppressed} more findings")
        counts = ", ".join(f"{self.count(verdict)} {verdict.value}" for verdict in Verdict)
        lines.append(
            f"{self.groups} groups, {self.matched} of {self.instructions} instructions match; at fault: {counts}"
        )
        if self.stopped is not None:
            lines.append(f"stopped after {self.stopped} groups with {len(self.findings)} findings")
        if self.unverified:
            lines.append(f"{self.unverified} sections were not compared: after a gap neither pc nor state is known")
        lines += [
            f"not compared: {count} changes of {name}, which the simulator does not have"
            for name, count in self.skipped.items()
        ]
        if self.transactions:
            lines.append(
                f"not compared: {self.transactions} bus transactions; which ones an instruction makes is the"
                " implementation's choice"
            )
        return "\n".join(lines)
