# SPDX-License-Identifier: Apache-2.0
"""The two sides of a mismatch: what each holds after it, who is at fault by the group alone, and the opinion of a
second simulator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rvtrace.models.riscv.iss.csr import MCAUSE, SCAUSE
from rvtrace.models.riscv.iss.table import STORE
from rvtrace.models.tandem.decoder.decoded import Group
from rvtrace.models.tandem.simulator.interface import PC_KEY, PRIV_KEY, PartialSimulator, Step
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE
from rvtrace.models.tandem.verifier.compare import COUNTED, Changes, Comparer
from rvtrace.models.tandem.verifier.state import Replay
from rvtrace.models.tandem.verifier.verdict import Difference, Finding, Verdict

TRACE, SIMULATOR = 0, 1
AS_TRACE, AS_FIRST = "the second simulator agrees with the trace", "the second simulator agrees with the first"


class Side(NamedTuple):
    """A piece of state on which the sides differ. key: of a register, or address of memory. held: what both have now,
    other: what they would have.
    """

    memory: bool
    key: int
    reported: Any
    simulated: Any
    held: Any = None
    other: Any = None

    def holding(self, side: int) -> Side:
        """Both have the value of this side."""
        held, other = (self.reported, self.simulated) if side == TRACE else (self.simulated, self.reported)
        return self._replace(held=held, other=other)


def put(replay: Replay, one: Side) -> None:
    """Give both shadow and simulator what is held."""
    if one.memory:
        replay.set_memory(one.key, one.held)
    elif one.key == PC_KEY:
        replay.set_pc(one.held)
    elif one.key == PRIV_KEY:
        replay.set_priv(one.held)
    elif GPR_BASE <= one.key < FPR_BASE:
        replay.set_register(one.key - GPR_BASE, one.held)
    else:
        replay.shadow.csr[one.key] = one.held
        replay.simulator.write(one.key, one.held)


class Watch:
    """A finding that later groups may still decide. holds: the side that both have. until: last section at which the
    other is tried on purpose.
    """

    def __init__(self, finding: Finding, sides: list[Side], holds: int, until: int, opinion: str, fixed: bool) -> None:
        self.finding, self.suspects, self.holds, self.until, self.opinion, self.fixed = (
            finding,
            sides,
            holds,
            until,
            opinion,
            fixed,
        )

    def swap(self, give: Callable[[Side], None]) -> None:
        """Both get the other side's state."""
        self.holds = SIMULATOR if self.holds == TRACE else TRACE
        self.suspects = [one.holding(self.holds) for one in self.suspects]
        for one in self.suspects:
            give(one)

    def rule(self) -> None:
        """The verdict as long as later groups say nothing."""
        finding = self.finding
        if self.fixed or finding.verdict == Verdict.TRACE:
            return
        finding.verdict = Verdict.MODEL if self.opinion == AS_TRACE else Verdict.HART
        finding.confirmed = bool(self.opinion)
        finding.reason += f"; {self.opinion}" if self.opinion else ""

    def decide(self, side: int) -> None:
        """Later groups fit this side only."""
        finding = self.finding
        finding.confirmed = True
        if self.fixed:
            return
        if side == SIMULATOR:
            finding.verdict = Verdict.TRACE
            finding.reason = "later groups match the simulator and contradict this group"
        else:
            finding.verdict = Verdict.MODEL if self.opinion == AS_TRACE else Verdict.HART
            finding.reason = "later groups match only this group" + (f"; {self.opinion}" if self.opinion else "")


def suspects(replay: Replay, group: Group, reported: Changes, step: Step, apart: list[Difference]) -> list[Side]:
    """The state in which the sides differ after the group. The shadow is still that before it."""
    shadow, out = replay.shadow, []
    for one in apart:
        if one.what == "register":
            old = shadow.x[one.key - GPR_BASE]
            mine = one.simulated if one.simulated is not None else old
            out.append(Side(False, one.key, old if one.reported is None else one.reported, mine))
        elif one.what == "csr":
            if (
                replay.table.view(one.key, shadow.csr).of not in COUNTED
            ):  # a counter runs on: its next reported value decides
                out.append(_csr(replay, one, step))
        elif one.what == "priv" and one.reported in (0, 1, 3, None):
            out.append(Side(False, PRIV_KEY, shadow.priv if one.reported is None else one.reported, one.simulated))
        elif one.what == "pc" and one.reported is not None:
            out.append(Side(False, PC_KEY, one.reported, one.simulated))
    if any(one.what in ("paddr", "eaddr", "memdata") for one in apart):
        out += _memory(shadow.memory.read, reported, step)
    return [one for one in out if one.reported != one.simulated]


def _csr(replay: Replay, one: Difference, step: Step) -> Side:
    table, state = replay.table, replay.shadow.csr
    of = table.view(one.key, state).of
    mine = step.csrs.get(of, state[of])
    if one.how == "omitted":
        return Side(False, of, state[of], mine)
    assert one.reported is not None  # only what is omitted has none
    return Side(False, of, table.told(one.key, one.reported, {**state, of: mine})[1], mine)


def _memory(read: Callable[[int, int], bytes], reported: Changes, step: Step) -> list[Side]:
    """Ranges of memory that either side stored to, and what they hold by each side."""
    mine: list[tuple[int, bytes]] = []
    if step.access == STORE:
        data = step.data.to_bytes(step.bytes, "little")
        for place, count in step.parts or ((step.paddr, step.bytes),):
            mine.append((place, data[:count]))
            data = data[count:]
    theirs: list[tuple[int, bytes]] = []
    address = (
        reported.paddr
        if reported.paddr is not None
        else reported.eaddr
        if reported.eaddr is not None
        else step.paddr
        if mine
        else None
    )
    if reported.memdata is not None and address is not None:
        theirs = [(address, reported.memdata[1].to_bytes(reported.memdata[0], "little"))]
    ranges = {(place, len(body)) for place, body in (*mine, *theirs)}
    return [
        Side(True, place, _laid(read, place, size, theirs), _laid(read, place, size, mine))
        for place, size in sorted(ranges)
    ]


def _laid(read: Callable[[int, int], bytes], place: int, size: int, stores: list[tuple[int, bytes]]) -> bytes:
    """Memory of a range after some stores."""
    out = bytearray(read(place, size))
    for address, body in stores:
        for k, byte in enumerate(body):
            if 0 <= address + k - place < size:
                out[address + k - place] = byte
    return bytes(out)


def blame(group: Group, reported: Changes, step: Step, apart: list[Difference]) -> tuple[Verdict, str]:
    """Who is at fault if later groups do not decide (rules 4 and 6 of `rvtrace.models.tandem.verifier.verdict`), and
    why.
    """
    says_trap = (
        any(address in reported.csrs for address in (MCAUSE, SCAUSE))
        and reported.next_pc is not None
        and not reported.registers
    )
    if says_trap != (step.trap is not None) and any(one.what in ("pc", "csr") for one in apart):
        return Verdict.HART, "one side takes a trap and the other does not"
    reasons = []
    for one in apart:
        reason = _reason(one, reported, step)
        if not reason:
            return Verdict.HART, "the group is consistent and differs from the simulator"
        reasons.append(reason)
    return Verdict.TRACE, "; ".join(dict.fromkeys(reasons))


def _reason(one: Difference, reported: Changes, step: Step) -> str:
    """Why this difference alone shows that the trace is wrong; "" if it does not."""
    if one.how == "omitted":
        return "the group does not report every effect of its instruction"
    if one.what == "insn":
        return (
            "its instruction is not the one in memory, and everything else matches that one"
            if one.how == "wrong"
            else "no instruction can be fetched at this address"
        )
    if one.what == "ppc":
        return "in machine mode an address is its own physical address" if step.priv == 3 else ""
    if one.how in ("extra", "narrower"):
        return "the group reports a change that its instruction cannot make"
    returns = step.trap is not None or step.name in ("mret", "sret")
    if one.what == "priv" and not returns:
        return "only a trap or a return from one changes the privilege"
    if one.what == "priv" and any(
        cause in reported.csrs and one.reported != mode for cause, mode in ((MCAUSE, 3), (SCAUSE, 1))
    ):
        return "the CSRs of the trap are those of another privilege"
    return ""


# --- the second simulator


def ask(second: PartialSimulator, replay: Replay, group: Group, reported: Changes, step: Step) -> str:
    """`AS_TRACE`, `AS_FIRST`, or "" where it does neither or does not know. The shadow is that before the group; `step`
    is the first's.
    """
    shadow = replay.shadow
    shadow.copy_to(second)
    asked = second.execute() if not second.exact else None
    comparer = Comparer(second, shadow, replay.profile)
    comparer.pending_reported = replay.comparer.pending_reported
    try:
        if second.exact:
            asked, apart = comparer.attempt(group, reported)
        elif asked is None or reported.csrs:
            return ""
        else:
            apart = [one for one in comparer.compare(group, reported, asked) if not _unseen(one, replay)]
    except KeyError:
        return ""
    if not apart:
        return AS_TRACE
    return AS_FIRST if _same(asked, step, replay) else ""


def _unseen(one: Difference, replay: Replay) -> bool:
    """A simulator that reports only changed registers omits one that got the value it had."""
    return one.what == "register" and one.how == "extra" and replay.shadow.x[one.key - GPR_BASE] == one.reported


def _same(one: Step, other: Step, replay: Replay) -> bool:
    """Whether two steps lead to the same state."""
    x = replay.shadow.x
    after = [[step.value if step.rd == n else x[n] for n in range(1, 32)] for step in (one, other)]
    stores = [(step.paddr, step.bytes, step.data) if step.access == STORE else None for step in (one, other)]
    return after[0] == after[1] and stores[0] == stores[1] and (one.next_pc, one.priv) == (other.next_pc, other.priv)
