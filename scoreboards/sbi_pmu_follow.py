"""A record followed step by step: every answer, every operation of the SBI implementation and every view of the supervisor, under its clause."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

from models.riscv.csr import CLEAR
from models.sbi_pmu import tables as sbi
from models.sbi_pmu.backend import Operation, ReadMem, ValidAddress, WriteMem
from models.sbi_pmu.calls import Call, FirmwareEvent, Peek, Poke, SupervisorCsr
from models.sbi_pmu.pmu import SbiRet
from models.sbi_pmu.policy import Policy
from models.sbi_pmu.record import Boot, Record, Step, Work
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.sbi_pmu_effects import Effects
from scoreboards.sbi_pmu_knobs import Knobs
from scoreboards.sbi_pmu_memory import MemoryRules
from scoreboards.sbi_pmu_outcomes import Outcomes
from scoreboards.sbi_pmu_rules import Arguments, Refusal, State
from scoreboards.sbi_pmu_shadow import MCOUNTEREN, MIDELEG, SCOUNTOVF, SIP, Shadow

_KEPT = 6  # steps that a failure shows


class Follower(Outcomes):
    """Follows a record. notes: what occurred, for coverage. met: how often the situation of a numbered point occurred."""

    def __init__(self, record: Record, book: ClauseBook, knobs: Knobs) -> None:
        self.record, self.book, self.knobs = record, book, knobs
        self.platform, self.policy, self.xlen = record.platform, record.policy, record.xlen
        self.lenient = self.policy.choices != Policy().choices
        self.state = State(self.platform, self.policy)
        self.shadow = Shadow(self.platform, record.quiet, self._seen)
        self.memory = MemoryRules(self)
        self.notes: Counter[tuple[Any, ...]] = Counter()
        self.met: Counter[str] = Counter()
        self.last: deque[str] = deque(maxlen=_KEPT)
        self.step: Step = Step(Boot())
        self.number = 0
        self.trusted = True  # False once the record has shown something unexpected in this step

    def follow(self) -> None:
        """Every step."""
        for number, step in enumerate(self.record.steps):
            self.number, self.step, self.trusted = number, step, True
            action = step.action
            if isinstance(action, Call):
                self._call(action, self.step.result)
            elif isinstance(action, Boot):
                self._boot()
            elif isinstance(action, Work):
                self.shadow.works(action)
            elif isinstance(action, FirmwareEvent):
                self.firmware_event(action)
            elif isinstance(action, Peek):
                self.shadow.reads(action.address, step.result)
            elif isinstance(action, Poke):
                self.shadow.writes(action.address, action.data)
            else:
                self._view(action)
            self.last.append(self._shown())

    # Reports

    def check(self, clause: str, right: bool, what: str, expected: str, actual: str) -> None:
        """One check of a clause; after an unexpected answer nothing more of its step is compared."""
        if not self.trusted:
            return
        self.book.check(clause, right, lambda: Failure(
            clause, f"{self._shown()}: {what} is wrong", self.step.cycle or None, table=[(what, expected, actual)], before=list(self.last)))  # fmt: skip

    def _shown(self) -> str:
        action = self.step.action
        text = action.shown(self.xlen) if isinstance(action, Call) else type(action).__name__
        if isinstance(action, SupervisorCsr):
            text += f" {('reads', 'writes', 'sets', 'clears')[action.op]} {action.address:#x}"
        result = self.step.result
        return f"step {self.number}: {text}" + (f" gave {result.name}, {result.value:#x}" if isinstance(result, SbiRet) else "")

    def _seen(self, what: str, where: int, held: int, got: int) -> None:
        """Something that is known was read again."""
        clause = f"SBI.view.{what}"
        if what == "value":
            counter = self.shadow.held[where]
            wrong = [name for name, value in counter.other.items() if (value ^ got) % (1 << counter.width) == 0]
            for name in (wrong[:1] if held != got else counter.other):
                self.check(name, held == got, f"value of counter {where}", f"{held:#x}", f"{got:#x}")
            clause = "" if wrong and held != got else clause
            counter.other.clear()
        if clause:
            self.check(clause, held == got, f"{what} at {where:#x}", f"{held:#x}", f"{got:#x}")

    # Steps

    def _operations(self) -> tuple[tuple[Operation, Any], ...]:
        return self.step.operations or ()

    def _boot(self) -> None:
        if self.step.operations is None:
            return
        for operation, answer in self._operations():
            self.shadow.does(operation, answer)
        enabled = sum(1 << number for number in self.shadow.held)
        for one in self.state.counters.values():
            if one.hardware is None:
                continue
            held = self.shadow.held[one.hardware.number]
            self.check("SBI.boot.stopped", held.runs == one.started, f"counter {one.index} runs", str(one.started), str(held.runs))
            if not one.hardware.fixed:
                self.check("SBI.boot.no_event", held.select == 0, f"event of counter {one.index}", "0x0", f"{held.select:#x}")
        have = self.shadow.others.get(MCOUNTEREN, 0)
        self.check("SBI.boot.readable", have & enabled == enabled, "mcounteren", f"{enabled:#x}", f"{have:#x}")
        if self.platform.sscofpmf:
            self.check("SBI.boot.delegated", bool(self.shadow.others.get(MIDELEG, 0) >> 13 & 1), "LCOFI in mideleg", "1", "0")

    def _view(self, action: SupervisorCsr) -> None:
        self.shadow.passes()
        if self.step.result is None:
            return  # refused, which is for the hart's privileged specification to judge
        self.shadow.read(action.address, self.step.result)
        if view := self._looked(action):
            self.notes["view", view] += 1
        if action.op and action.address == SIP and self.platform.sscofpmf:
            bit, value = self.shadow.lcofip or 0, action.value >> 13 & 1
            self.shadow.lcofip = (bit, value, bit | value, bit & ~value)[action.op]

    def _looked(self, action: SupervisorCsr) -> str:
        if action.address in range(0xC00, 0xCA0):
            return "counter, high half" if action.address & 0x80 else "counter, low half"
        cleared = action.op == CLEAR and action.value >> 13 & 1
        return {SCOUNTOVF: "scountovf", SIP: "sip cleared" if cleared else "sip"}.get(action.address, "")

    # Calls

    def _call(self, call: Call, ret: SbiRet) -> None:
        fid = call.fid
        known = 0 <= fid < len(sbi.FUNCTIONS)
        a: Arguments = sbi.FUNCTIONS[fid].named(self.xlen, (*call.registers, *(0,) * 6)[:6]) if known else {}
        a = self.state.heeded(a)
        self.shadow.begins()
        self.shadow.passes()
        effects = Effects(self.state, self.shadow)
        self.memory.begins(fid, a)
        for operation, answer in self._operations():
            self.shadow.does(operation, answer)
            if isinstance(operation, ReadMem | WriteMem | ValidAddress):
                self.memory.does(operation, answer)
        refusals = self.state.refusals(fid, a, self.memory.valid, self.memory.words() if fid == sbi.EVENT_GET_INFO else None)
        self._note(fid, a, ret, refusals)
        if self.state.vague(a):
            self.trusted = False
        else:
            self._answer(fid, a, ret, refusals)
        if self.lenient and not self.state.vague(a):
            self.book.check("SBI.policy", self.trusted, lambda: Failure("SBI.policy", f"{self._shown()}: not what the policy says", self.step.cycle or None))
        if known and self.platform.has(fid):
            self.acts(fid, a, ret, effects)
        if self.step.operations is None:
            self.shadow.forgets()
            return
        self.memory.ends(ret)
        name = "SBI.failed.unchanged" if ret.error else "SBI.others.untouched"
        effects.compare(name, self.check)
        self._discipline(fid, ret, effects)
        if not self.trusted:
            self._adopt()

    def _adopt(self) -> None:
        """Go on from what is there."""
        for one in self.state.counters.values():
            if one.hardware is not None and not one.counts_firmware:
                held = self.shadow.held[one.hardware.number]
                one.cell.started = held.runs
                if not held.select and one.event is not None and self.platform.selector(one.event, one.data, one.hardware.number):
                    one.event = None  # who selects nothing has none, unless that is its event's selector

    def _answer(self, fid: int, a: Arguments, ret: SbiRet, refusals: list[Refusal]) -> None:
        name = sbi.FUNCTIONS[fid].name if 0 <= fid < len(sbi.FUNCTIONS) else ""
        if name and self.platform.has(fid):
            row = sbi.FUNCTIONS[fid].errors
            self.check("SBI.table.errors", ret.name in row, "error", " or ".join(row), ret.name)
            absent = ret.name == "NOT_SUPPORTED" and not any(refusal.error == ret.name for refusal in refusals)
            self.check("SBI.table.fid", not absent, "function", "there", "not there")
        if not refusals:
            clears = fid == sbi.SET_SHMEM and self.state.clears(a)
            clause = "SBI.shmem.clear" if clears else f"SBI.{AREAS[fid]}.success"
            opaque = ret.name == "INVALID_ADDRESS" and self.memory.valid is None and self.step.operations is None
            self.check(clause, not ret.error or opaque, "error", "SUCCESS", ret.name)
            if fid == sbi.CONFIG_MATCHING and any(a["config_flags"] & sbi.CONFIG_FLAGS[name] for name in set(sbi.FILTER_BITS) - self.platform.filters):
                self.check("SBI.config.hints", not ret.error, "error", "SUCCESS", ret.name)
            self.trusted &= not ret.error or opaque
            return
        errors = {refusal.error for refusal in refusals}
        first = refusals[0]
        if len(errors) > 1 and self.knobs.order:
            self.check("SBI.table.order", ret.name == first.error or ret.name not in errors, "error", first.error, ret.name)
        right = ret.name in errors
        for refusal in refusals[:1] if len(errors) > 1 else refusals:
            self.check(refusal.clause, right, "error", first.error, ret.name)
        self.trusted &= right
        if self.knobs.zero and ret.error:
            self.check("SBI.table.zero", ret.value == 0, "value", "0x0", f"{ret.value:#x}")

    def _discipline(self, fid: int, ret: SbiRet, effects: Effects) -> None:
        shadow = self.shadow
        if self.knobs.csrs:
            self.check("SBI.csr.others", not shadow.strange, "CSRs touched", "those of the platform's counters", ", ".join(map(hex, shadow.strange)))
        if fid not in (sbi.CONFIG_MATCHING, sbi.START, sbi.STOP):
            return
        if self.knobs.inhibited:
            loose = [f"{part} of counter {number}" for number, part in shadow.loose if number not in effects.idle]
            self.check("SBI.csr.inhibited", not loose, "written while it ran", "nothing", ", ".join(loose))
        if self.knobs.together and fid != sbi.CONFIG_MATCHING and not ret.error:
            self.check("SBI.csr.together", shadow.changes <= 1, "writes that start or stop counters", "1", str(shadow.changes))

    def _note(self, fid: int, a: Arguments, ret: SbiRet, refusals: list[Refusal]) -> None:
        self.notes["answer", fid if 0 <= fid < len(sbi.FUNCTIONS) else -1, ret.name] += 1
        for number, refusal in enumerate(refusals):
            place = "alone" if len(refusals) == 1 else "behind another" if number else "first of several"
            self.notes["refused", refusal.clause, place] += 1
        if fid == sbi.CONFIG_MATCHING:
            self.notes["event", a["event_idx"], not ret.error] += 1


AREAS = {
    sbi.NUM_COUNTERS: "num", sbi.GET_INFO: "info", sbi.CONFIG_MATCHING: "config", sbi.START: "start", sbi.STOP: "stop",
    sbi.FW_READ: "fw_read", sbi.FW_READ_HI: "fw_read_hi", sbi.SET_SHMEM: "shmem", sbi.EVENT_GET_INFO: "evinfo",
}  # fmt: skip
