"""The two sides of a mismatch: what the trace says the hart holds, what the simulator holds, and whose fault a difference is by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from models.riscv.iss_csr import MCAUSE, SCAUSE
from models.riscv.iss_table import STORE
from models.tandem.decoded import Group
from models.tandem.simulator import PC_KEY, PRIV_KEY, Step
from models.tandem.table import FPR_BASE, GPR_BASE
from models.tandem.verdict import Difference, Finding, Verdict
from models.tandem.verifier_compare import COUNTED, Told

if TYPE_CHECKING:
    from models.tandem.verifier import Verifier

TRACE, SIMULATOR = 0, 1
AS_TRACE, AS_FIRST = "the second simulator does what the trace says", "the second simulator does as the first"


class Side(NamedTuple):
    """A piece of state on which the sides differ. key: of a register, or address of memory. held: what both have now, other: what they would have."""

    memory: bool
    key: int
    told: Any
    simulated: Any
    held: Any = None
    other: Any = None

    def holding(self, side: int) -> Side:
        """Both have what this side says."""
        held, other = (self.told, self.simulated) if side == TRACE else (self.simulated, self.told)
        return self._replace(held=held, other=other)


def put(verifier: Verifier, one: Side) -> None:
    """Give both shadow and simulator what is held."""
    if one.memory:
        verifier.set_memory(one.key, one.held)
    elif one.key == PC_KEY:
        verifier.set_pc(one.held)
    elif one.key == PRIV_KEY:
        verifier.set_priv(one.held)
    elif GPR_BASE <= one.key < FPR_BASE:
        verifier.set_register(one.key - GPR_BASE, one.held)
    else:
        verifier.shadow.csr[one.key] = one.held
        verifier.simulator.write(one.key, one.held)


class Watch:
    """A finding that later groups may still decide. holds: the side that both have. until: last section at which the other is tried on purpose."""

    def __init__(self, finding: Finding, sides: list[Side], holds: int, until: int, opinion: str, fixed: bool) -> None:
        self.finding, self.suspects, self.holds, self.until, self.opinion, self.fixed = finding, sides, holds, until, opinion, fixed

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
            finding.reason = "later groups fit what the simulator did, and not what this group says"
        else:
            finding.verdict = Verdict.MODEL if self.opinion == AS_TRACE else Verdict.HART
            finding.reason = "later groups fit only what this group says" + (f"; {self.opinion}" if self.opinion else "")


def suspects(verifier: Verifier, group: Group, told: Told, step: Step, apart: list[Difference]) -> list[Side]:
    """What the sides hold differently behind the group. The shadow is still that before it."""
    shadow, out = verifier.shadow, []
    for one in apart:
        if one.what == "register":
            old = shadow.x[one.key - GPR_BASE]
            mine = one.simulated if one.simulated is not None else old
            out.append(Side(False, one.key, old if one.told is None else one.told, mine))
        elif one.what == "csr":
            if verifier.table.view(one.key, shadow.csr).of not in COUNTED:  # a counter goes on: the next that is told of it says what it is
                out.append(_csr(verifier, one, step))
        elif one.what == "priv" and one.told in (0, 1, 3, None):
            out.append(Side(False, PRIV_KEY, shadow.priv if one.told is None else one.told, one.simulated))
        elif one.what == "pc" and one.told is not None:
            out.append(Side(False, PC_KEY, one.told, one.simulated))
    if any(one.what in ("paddr", "eaddr", "memdata") for one in apart):
        out += _memory(shadow.memory.read, told, step)
    return [one for one in out if one.told != one.simulated]


def _csr(verifier: Verifier, one: Difference, step: Step) -> Side:
    table, state = verifier.table, verifier.shadow.csr
    of = table.view(one.key, state).of
    mine = step.csrs.get(of, state[of])
    if one.how == "omitted":
        return Side(False, of, state[of], mine)
    return Side(False, of, table.told(one.key, one.told, {**state, of: mine})[1], mine)


def _memory(read: Callable[[int, int], bytes], told: Told, step: Step) -> list[Side]:
    """Ranges of memory that either side stored to, and what each side says they hold."""
    mine: list[tuple[int, bytes]] = []
    if step.access == STORE:
        data = step.data.to_bytes(step.bytes, "little")
        for place, count in step.parts or ((step.paddr, step.bytes),):
            mine.append((place, data[:count]))
            data = data[count:]
    theirs: list[tuple[int, bytes]] = []
    address = told.paddr if told.paddr is not None else told.eaddr if told.eaddr is not None else step.paddr if mine else None
    if told.memdata is not None and address is not None:
        theirs = [(address, told.memdata[1].to_bytes(told.memdata[0], "little"))]
    ranges = {(place, len(body)) for place, body in (*mine, *theirs)}
    return [Side(True, place, _laid(read, place, size, theirs), _laid(read, place, size, mine)) for place, size in sorted(ranges)]


def _laid(read: Callable[[int, int], bytes], place: int, size: int, stores: list[tuple[int, bytes]]) -> bytes:
    """Memory of a range behind some stores."""
    out = bytearray(read(place, size))
    for address, body in stores:
        for k, byte in enumerate(body):
            if 0 <= address + k - place < size:
                out[address + k - place] = byte
    return bytes(out)


def blame(group: Group, told: Told, step: Step, apart: list[Difference]) -> tuple[Verdict, str]:
    """Whose fault it is if later groups do not tell (rules 4 and 6 of `models.tandem.verdict`), and why."""
    says_trap = any(address in told.csrs for address in (MCAUSE, SCAUSE)) and told.next_pc is not None and not told.registers
    if says_trap != (step.trap is not None) and any(one.what in ("pc", "csr") for one in apart):
        return Verdict.HART, "one side takes a trap and the other does not"
    reasons = []
    for one in apart:
        reason = _reason(one, told, step)
        if not reason:
            return Verdict.HART, "the group is consistent and differs from the simulator"
        reasons.append(reason)
    return Verdict.TRACE, "; ".join(dict.fromkeys(reasons))


def _reason(one: Difference, told: Told, step: Step) -> str:
    """Why this difference alone shows that the trace is wrong; "" if it does not."""
    if one.how == "omitted":
        return "the group does not say all that its instruction does"
    if one.what == "insn":
        return "its instruction is not what memory holds, and everything else fits that" if one.how == "wrong" else "nothing can be fetched there"
    if one.what == "ppc":
        return "in machine mode an address is its own physical address" if step.priv == 3 else ""
    if one.how in ("extra", "narrower"):
        return "the group tells a change that its instruction cannot make"
    returns = step.trap is not None or step.name in ("mret", "sret")
    if one.what == "priv" and not returns:
        return "only a trap or a return from one changes the privilege"
    if one.what == "priv" and any(cause in told.csrs and one.told != mode for cause, mode in ((MCAUSE, 3), (SCAUSE, 1))):
        return "the CSRs of the trap are those of another privilege"
    return ""
