# SPDX-License-Identifier: Apache-2.0
"""A record followed step by step: every answer, every operation of the SBI implementation and every view of the
supervisor, under its clause.

`Follower` has the values and effects of each function, from its section of the chapter; `MemoryRules` the shared memory
of a call: what may be accessed, what must be written, and with which contents.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from rvtrace.models.riscv.csr import CLEAR
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.backend import Operation, ReadMem, ValidAddress, WriteMem
from rvtrace.models.sbi_pmu.calls import Call, FirmwareEvent, Peek, Poke, SupervisorCsr
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.record import Boot, Record, Step, Work
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.sbi_pmu.effects import Effects
from rvtrace.scoreboards.sbi_pmu.rules import Arguments, Logical, Refusal, State
from rvtrace.scoreboards.sbi_pmu.shadow import MCOUNTEREN, MIDELEG, SCOUNTOVF, SIP, Shadow
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances

_MOST = 4096  # entries of event_get_info that are looked at: far above what any supervisor requests
PLATFORM = sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM)
LOW = 0xFFFF_FFFF
START_WORDS = ("no flag", "SET_INIT_VALUE", "INIT_SNAPSHOT", "both")
STOP_WORDS = ("no flag", "RESET", "TAKE_SNAPSHOT", "both")
_KEPT = 6  # steps that a failure shows
AREAS = {
    sbi.NUM_COUNTERS: "num", sbi.GET_INFO: "info", sbi.CONFIG_MATCHING: "config", sbi.START: "start", sbi.STOP: "stop",
    sbi.FW_READ: "fw_read", sbi.FW_READ_HI: "fw_read_hi", sbi.SET_SHMEM: "shmem", sbi.EVENT_GET_INFO: "evinfo",
}  # fmt: skip


class Follower:
    """Follows a record.

    notes: what occurred, for coverage. met: how often the situation of a numbered point occurred.
    """

    def __init__(self, record: Record, book: ClauseBook, tolerances: Tolerances) -> None:
        self.record, self.book, self.tolerances = record, book, tolerances
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
            elif isinstance(action, SupervisorCsr):
                self._view(action)
            self.last.append(self._shown())

    # Reports

    def check(self, clause: str, right: bool, what: str, expected: str, actual: str) -> None:
        """One check of a clause; after an unexpected answer nothing more of its step is compared."""
        if not self.trusted:
            return
        self.book.check(
            clause,
            right,
            lambda: Failure(
                clause,
                f"{self._shown()}: {what} is wrong",
                self.step.cycle or None,
                table=[(what, expected, actual)],
                before=list(self.last),
                at=self.number,
            ),
        )

    def equal(self, clause: str, what: str, expected: int, actual: int, shown: Callable[[int], str] = hex) -> None:
        """One check that a value is the one expected."""
        self.check(clause, actual == expected, what, shown(expected), shown(actual))

    def _shown(self) -> str:
        action = self.step.action
        text = action.shown(self.xlen) if isinstance(action, Call) else type(action).__name__
        if isinstance(action, SupervisorCsr):
            text += f" {('reads', 'writes', 'sets', 'clears')[action.op]} {action.address:#x}"
        result = self.step.result
        return f"step {self.number}: {text}" + (
            f" gave {result.name}, {result.value:#x}" if isinstance(result, SbiRet) else ""
        )

    def _seen(self, what: str, where: int, held: int, got: int) -> None:
        """Something that is known was read again."""
        clause = f"SBI.view.{what}"
        if what == "value":
            counter = self.shadow.held[where]
            wrong = [name for name, value in counter.other.items() if (value ^ got) % (1 << counter.width) == 0]
            for name in wrong[:1] if held != got else counter.other:
                self.equal(name, f"value of counter {where}", held, got)
            clause = "" if wrong and held != got else clause
            counter.other.clear()
        if clause:
            self.equal(clause, f"{what} at {where:#x}", held, got)

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
            self.equal("SBI.boot.stopped", f"counter {one.index} runs", one.started, held.runs, str)
            if not one.hardware.fixed:
                self.equal("SBI.boot.no_event", f"event of counter {one.index}", 0, held.select)
        have = self.shadow.others.get(MCOUNTEREN, 0)
        self.check("SBI.boot.readable", have & enabled == enabled, "mcounteren", f"{enabled:#x}", f"{have:#x}")
        if self.platform.sscofpmf:
            self.check(
                "SBI.boot.delegated", bool(self.shadow.others.get(MIDELEG, 0) >> 13 & 1), "LCOFI in mideleg", "1", "0"
            )

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
        refusals = self.state.refusals(
            fid, a, self.memory.valid, self.memory.words() if fid == sbi.EVENT_GET_INFO else None
        )
        self._note(fid, a, ret, refusals)
        if self.state.vague(a):
            self.trusted = False
        else:
            self._answer(fid, a, ret, refusals)
        if self.lenient and not self.state.vague(a):
            self.book.check(
                "SBI.policy",
                self.trusted,
                lambda: Failure(
                    "SBI.policy",
                    f"{self._shown()}: not as the policy requires",
                    self.step.cycle or None,
                    at=self.number,
                ),  # fmt: skip
            )
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
                if (
                    not held.select
                    and one.event is not None
                    and self.platform.selector(one.event, one.data, one.hardware.number)
                ):
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
            if fid == sbi.CONFIG_MATCHING and any(
                a["config_flags"] & sbi.CONFIG_FLAGS[name] for name in set(sbi.FILTER_BITS) - self.platform.filters
            ):
                self.check("SBI.config.hints", not ret.error, "error", "SUCCESS", ret.name)
            self.trusted &= not ret.error or opaque
            return
        errors = {refusal.error for refusal in refusals}
        first = refusals[0]
        if len(errors) > 1 and self.tolerances.order:
            self.check(
                "SBI.table.order", ret.name == first.error or ret.name not in errors, "error", first.error, ret.name
            )
        right = ret.name in errors
        for refusal in refusals[:1] if len(errors) > 1 else refusals:
            self.check(refusal.clause, right, "error", first.error, ret.name)
        self.trusted &= right
        if self.tolerances.zero and ret.error:
            self._value("SBI.table.zero", ret, 0)

    def _discipline(self, fid: int, ret: SbiRet, effects: Effects) -> None:
        shadow = self.shadow
        if self.tolerances.csrs:
            self.check(
                "SBI.csr.others",
                not shadow.strange,
                "CSRs touched",
                "those of the platform's counters",
                ", ".join(map(hex, shadow.strange)),
            )
        if fid not in (sbi.CONFIG_MATCHING, sbi.START, sbi.STOP):
            return
        if self.tolerances.inhibited:
            loose = [f"{part} of counter {number}" for number, part in shadow.loose if number not in effects.idle]
            self.check("SBI.csr.inhibited", not loose, "written while it ran", "nothing", ", ".join(loose))
        if self.tolerances.together and fid != sbi.CONFIG_MATCHING and not ret.error:
            self.check(
                "SBI.csr.together", shadow.changes <= 1, "writes that start or stop counters", "1", str(shadow.changes)
            )

    def _note(self, fid: int, a: Arguments, ret: SbiRet, refusals: list[Refusal]) -> None:
        self.notes["answer", fid if 0 <= fid < len(sbi.FUNCTIONS) else -1, ret.name] += 1
        for number, refusal in enumerate(refusals):
            place = "alone" if len(refusals) == 1 else "behind another" if number else "first of several"
            self.notes["refused", refusal.clause, place] += 1
        if fid == sbi.CONFIG_MATCHING:
            self.notes["event", a["event_idx"], not ret.error] += 1

    # Values and effects of each function, from its section of the chapter

    def acts(self, fid: int, a: Arguments, ret: SbiRet, effects: Effects) -> None:
        """Values and effects of a call to a function that is there, with the answer it got."""
        if fid == sbi.CONFIG_MATCHING:
            self._config(a, ret, effects)
        elif fid == sbi.START:
            self._start(a, ret, effects)
        elif fid == sbi.STOP:
            self._stop(a, ret, effects)
        elif fid == sbi.SET_SHMEM:
            self._set_shmem(a, ret)
        elif not ret.error:
            self._gives(fid, a, ret)

    def _value(self, clause: str, ret: SbiRet, value: int) -> None:
        self.equal(clause, "value", value, ret.value)

    def _nothing(self, ret: SbiRet) -> None:
        if self.tolerances.zero and not ret.error:
            self._value("SBI.table.zero", ret, 0)

    # Functions that give something

    def _gives(self, fid: int, a: Arguments, ret: SbiRet) -> None:
        if fid == sbi.NUM_COUNTERS:
            counters = self.state.counters
            number = max(counters, default=-1) + 1 if self.policy["num_counters"] == "range" else len(counters)
            self._value("SBI.num.count", ret, number)
        elif fid == sbi.EVENT_GET_INFO:
            self._nothing(ret)
            self.memory.outputs(ret)
        elif fid == sbi.FW_READ_HI and self.xlen == 64:
            self._value("SBI.fw_read_hi.rv64", ret, 0)
        elif (one := self.state.one(a)) is not None:
            if fid == sbi.GET_INFO:
                self._info(one, ret.value)
            elif one.hardware is None:
                self._fw_read(fid, one, ret)

    def _info(self, one: Logical, info: int) -> None:
        top = self.xlen - 1
        kind = int(one.hardware is None)
        self.equal("SBI.info.type", "type", kind, info >> top, str)
        if one.hardware is None:
            return  # CSR and width are to be ignored
        csr, width = info & sbi.INFO_CSR_MASK, (info >> sbi.INFO_WIDTH_SHIFT & 63) + 1
        self.equal("SBI.info.csr", "CSR", one.hardware.csr, csr)
        self.equal("SBI.info.width", "width", one.hardware.width, width, str)
        self.equal("SBI.info.reserved", "reserved bits", 0, info >> 18 & (1 << top - 18) - 1)

    def _fw_read(self, fid: int, one: Logical, ret: SbiRet) -> None:
        if one.cells is not None and one.event is None:
            return  # values are of events: it has none
        high = fid == sbi.FW_READ_HI
        ones = (1 << self.xlen) - 1

        def shown(value: int) -> int:
            return value >> 32 if high else value & ones

        right, got = shown(one.cell.value), ret.value
        others = {clause: shown(value) for clause, value in one.cell.other.items() if shown(value) != right}
        guilty = [clause for clause, value in others.items() if value == got] if got != right else []
        for clause in guilty[:1] if got != right else others:
            self._value(clause, ret, right)
        if got == right:
            one.cell.other = {clause: value for clause, value in one.cell.other.items() if clause not in others}
        if not guilty:
            self._value("SBI.fw_read_hi.value" if high else "SBI.fw_read.value", ret, right)
        if got != right:
            one.cell.value = one.cell.value & LOW | got << 32 if high else one.cell.value & ~ones | got
            one.cell.other.clear()

    # Firmware events

    def firmware_event(self, action: FirmwareEvent) -> None:
        """Every started firmware counter on the event counts it."""
        event = sbi.event_idx(sbi.FIRMWARE, action.code)
        size = 1 << self.platform.firmware_width
        firmware = [one for one in self.state.counters.values() if one.hardware is None or one.counts_firmware]
        hit = [
            one
            for one in firmware
            if one.started and one.event == event and (event != PLATFORM or one.data == action.data)
        ]
        shared = self.policy["firmware_value"] == "event"
        if shared or self.policy["firmware_shared"] == "first":
            hit = hit[:1]
        self.notes[
            "fired", action.code if action.code < 22 else "platform" if event == PLATFORM else "specific", len(hit)
        ] += 1
        for one in hit if shared else firmware:
            count = one.cell.value + action.count
            if one in hit:
                still = {
                    "SBI.fw.platform" if event == PLATFORM else "SBI.fw.counts",
                    *(["SBI.fw.two"] if one is not hit[0] else []),
                }
                before = {
                    clause: one.cell.other.get(clause, one.cell.value) for clause in sorted(still)
                }  # where it does not count
                one.cell.other = {
                    clause: (value + action.count) % size for clause, value in one.cell.other.items()
                } | before
                one.cell.value = count % size
                if count >= size:
                    one.cell.other["SBI.fw.width"] = count
            elif one.event == event:
                one.cell.other["SBI.fw.platform" if one.started else "SBI.fw.stopped"] = count % size
            elif one.started:
                one.cell.other["SBI.fw.unmapped" if one.event is None else "SBI.fw.other"] = count % size

    # config_matching

    def _config(self, a: Arguments, ret: SbiRet, effects: Effects) -> None:
        if ret.error:
            return
        flags, event = a["config_flags"], self.state.event(a)
        one, named = self.state.counters.get(ret.value), self.state.named(a)
        self.check("SBI.config.value", one is not None, "value", "index of a counter", f"{ret.value:#x}")
        if one is None:
            self.trusted = False
            return
        candidates = self.state.candidates(a)
        skip = bool(flags & sbi.SKIP_MATCH)
        keep = skip and self.policy["skip_match"] == "keep"
        data = self.state.used_data(event, a["event_data"])
        if skip:
            self.check(
                "SBI.config.skip_match",
                one in candidates,
                "counter",
                str([c.index for c in candidates]),
                str(one.index),
            )
        else:
            self._matched(one, named, candidates, event, data)
        self._note_config(a, one)
        if not keep:
            effects.map(one, event, data, flags)
        if event >> 16 not in (sbi.GENERAL, sbi.FIRMWARE) and self.policy["config_actions"] == "general":
            flags &= ~(sbi.CLEAR_VALUE | sbi.AUTO_START)
        want = effects.want(one)
        if flags & sbi.CLEAR_VALUE:
            effects.put(one, 0, "SBI.config.clear_value")
        elif want is not None:
            want.why["value"] = "SBI.config.auto_start" if flags & sbi.AUTO_START else "SBI.config.value_kept"
        else:
            one.cell.other["SBI.config.auto_start" if flags & sbi.AUTO_START else "SBI.config.value_kept"] = 0
        if flags & sbi.AUTO_START and not one.started:
            effects.start(one, "SBI.config.auto_start")
            effects.armed(one)
        elif want is not None:
            want.why["runs"] = "SBI.config.auto_start" if one.started else "SBI.config.not_started"

    def _matched(self, one: Logical, named: list[Logical], candidates: list[Logical], event: int, data: int) -> None:
        """The counter is of the set, was not started, can monitor the event; and the one of the policy."""
        indices = str([c.index for c in candidates])
        outside = one in candidates
        self.check("SBI.config.in_set", one in named or outside, "counter", indices, str(one.index))
        self.check("SBI.config.free", not one.started or outside, "counter", indices, str(one.index))
        able = not self.state.has(event) or outside or self.state.able(one, event, data)
        if event >> 16 == sbi.FIRMWARE:
            self.check("SBI.event.firmware", one.hardware is None or outside, "counter", indices, str(one.index))
        self.check("SBI.config.able", able, "counter", indices, str(one.index))
        if self.tolerances.choice and one in candidates:
            self.equal("SBI.config.choice", "counter", candidates[0].index, one.index, str)

    def _note_config(self, a: Arguments, one: Logical) -> None:
        kind = "firmware" if one.hardware is None else "fixed" if one.hardware.fixed else "programmable"
        self.notes["config", kind, one.started, one.event is not None] += 1
        for name, bit in sbi.CONFIG_FLAGS.items():
            self.notes["flag", name, bool(a["config_flags"] & bit), kind] += 1

    # start and stop

    def _start(self, a: Arguments, ret: SbiRet, effects: Effects) -> None:
        if ret.error and not (ret.name == "ALREADY_STARTED" and self.policy["already_started"] == "others"):
            return
        flags, acted = a["start_flags"], self.state.acted(a)
        self._note_set("start", a, START_WORDS[flags & 3], acted)
        both = flags & sbi.INIT_SNAPSHOT and self.policy["init_both"] == "snapshot"
        for one in [one for one in acted if not one.started or self.state.forgiven(one)]:
            if flags & sbi.SET_INIT_VALUE and not both:
                wide = self.xlen == 32 and a["initial_value"] >> 32
                clause = (
                    "SBI.table.wide" if wide else "SBI.start.init_many" if len(acted) > 1 else "SBI.start.init_value"
                )
                effects.put(one, a["initial_value"], clause)
            elif flags & sbi.INIT_SNAPSHOT:
                value = self.memory.slot(a, one.index)
                self.notes["slot", "read", self.memory.position(a, one.index)] += 1
                self.check(
                    "SBI.start.init_snapshot", value is not None, f"slot of counter {one.index}", "read", "not read"
                )
                effects.put(one, value or 0, "SBI.start.init_snapshot")
            elif (want := effects.want(one)) is not None:
                want.why["value"] = "SBI.start.keep"
            else:
                one.cell.other["SBI.start.keep"] = a["initial_value"]
            effects.start(one, "SBI.start.started")
            effects.arm(one)
        self._nothing(ret)

    def _stop(self, a: Arguments, ret: SbiRet, effects: Effects) -> None:
        others = self.policy["already_stopped"] == "others"
        if ret.error and ret.name != "ALREADY_STOPPED":
            return
        flags, acted = a["stop_flags"], self.state.acted(a)
        running, stopped = [one for one in acted if one.started], [one for one in acted if not one.started]
        again = (
            stopped if self.policy["stop_reset"] == "applied" else [one for one in stopped if self.state.forgiven(one)]
        )
        reset = list(again) if flags & sbi.RESET else []
        if not ret.error or others:
            self._note_set("stop", a, STOP_WORDS[flags & 3], acted)
            for one in running:
                effects.stop(one)
                want = effects.want(one)
                if want is not None and not flags & sbi.RESET:
                    want.why["select"] = "SBI.stop.mapping_kept"
            if flags & sbi.TAKE_SNAPSHOT and self.state.shmem is not None:
                self.memory.snapshot(a, acted, running)
            reset += running if flags & sbi.RESET else []
        kept = self.policy["reset_fixed"] == "kept"
        for one in [one for one in reset if not (kept and one.hardware and one.hardware.fixed)]:
            effects.unmap(one, "SBI.stop.reset_stopped" if one in stopped else "SBI.stop.reset")
        self._nothing(ret)

    def _note_set(self, name: str, a: Arguments, flags: str, acted: list[Logical]) -> None:
        kinds = {one.hardware is None for one in acted}
        kind = "mixed" if len(kinds) > 1 else "none" if not kinds else "firmware" if True in kinds else "hardware"
        size = "none" if not acted else "one" if len(acted) == 1 else "several"
        self.notes["set", name, flags, kind, size, "base 0" if a["counter_idx_base"] == 0 else "base > 0"] += 1

    def _set_shmem(self, a: Arguments, ret: SbiRet) -> None:
        if not ret.error:
            self.notes[
                "shmem", "cleared" if self.state.clears(a) else "set again" if self.state.shmem is not None else "set"
            ] += 1
            self.state.shmem = None if self.state.clears(a) else self.state.address(a)
            self._nothing(ret)
        elif self.policy["shmem_failed"] == "clear" and ret.name == "INVALID_ADDRESS":
            self.state.shmem = None


class MemoryRules:
    """Follows the memory operations of one call after the other."""

    def __init__(self, follower: Follower) -> None:
        self.f = follower
        self.fid, self.a = -1, {}
        self.written: dict[int, int] = {}
        self.asked: list[tuple[int, int, bool]] = []
        self.touched = 0
        self.overflown: dict[int, int | None] = {}  # OF of each counter when the call wrote the bitmap

    def begins(self, fid: int, a: Arguments) -> None:
        """A call begins."""
        self.fid, self.a = fid, a
        self.written, self.asked, self.overflown, self.touched = {}, [], {}, 0

    # Ranges

    @property
    def needed(self) -> range | None:
        """What the supervisor has to own for this call: the page, or the entries; None if it names no memory."""
        state, a = self.f.state, self.a
        if self.fid == sbi.SET_SHMEM and not state.clears(a):
            return range(state.address(a), state.address(a) + sbi.SHMEM_SIZE)
        if self.fid == sbi.EVENT_GET_INFO and a["num_entries"]:
            return range(state.address(a), state.address(a) + sbi.ENTRY_SIZE * a["num_entries"])
        return None

    @property
    def valid(self) -> bool | None:
        """Whether the supervisor owns it, as far as it was checked: no if any part of it is not its own, yes if all of
        it is.
        """
        if (needed := self.needed) is None:
            return (
                all(answer for _, size, answer in self.asked if not size)
                if self.fid in (sbi.SET_SHMEM, sbi.EVENT_GET_INFO)
                else None
            )
        end = needed.start
        for address, size, answer in sorted(self.asked):
            if not answer and address < needed.stop and address + size > needed.start:
                return False
            if answer and address <= end:
                end = max(end, address + size)
        return True if end >= needed.stop else None

    def position(self, a: Arguments, index: int) -> int:
        """Where a counter is in its set (policy set_wraps: an index may have wrapped)."""
        return self.f.state.position(a, index)

    def slot_address(self, a: Arguments, index: int) -> int:
        """Where the value of a counter is."""
        assert self.f.state.shmem is not None
        return self.f.state.shmem + sbi.VALUES_OFFSET + sbi.VALUE_SIZE * self.position(a, index)

    def slot(self, a: Arguments, index: int) -> int | None:
        """Value in the slot of a counter; None if it is not known."""
        return None if self.f.state.shmem is None else self.f.shadow.word(self.slot_address(a, index), sbi.VALUE_SIZE)

    def entries(self) -> range:
        """Addresses of the entries of event_get_info."""
        base = self.f.state.address(self.a)
        return range(base, base + sbi.ENTRY_SIZE * min(self.a["num_entries"], _MOST), sbi.ENTRY_SIZE)

    def words(self) -> list[int]:
        """The event_idx words that are known."""
        return (
            []
            if self.valid is not True
            else [word for at in self.entries() if (word := self.f.shadow.word(at, 4)) is not None]
        )

    # Accesses

    def does(self, operation: ReadMem | WriteMem | ValidAddress, answer: object) -> None:
        """One memory operation of the SBI implementation."""
        if isinstance(operation, ValidAddress):
            self.asked.append((operation.address, operation.size, bool(answer)))
            return
        write = isinstance(operation, WriteMem)
        size = len(operation.data) if isinstance(operation, WriteMem) else operation.size
        addresses = range(operation.address, operation.address + size)
        shown = f"{'write' if write else 'read'} of {size} bytes at {operation.address:#x}"
        self.touched += 1
        clause, opened, may = self._allowed(write)
        self.f.check(
            clause,
            all(at in opened for at in addresses) and not (write and self.fid == sbi.START),
            shown,
            "not this",
            "touched",
        )
        if write and self.fid in (sbi.STOP, sbi.EVENT_GET_INFO):
            clause = "SBI.stop.slots" if self.fid == sbi.STOP else "SBI.evinfo.read_only"
            self.f.check(clause, all(may(at) for at in addresses if at in opened), shown, "not this", "written")
        if isinstance(operation, WriteMem):
            self.written.update(enumerate(operation.data, operation.address))
            if operation.address == self.f.state.shmem:
                self.overflown = {number: held.of for number, held in self.f.shadow.held.items()}

    def _allowed(self, write: bool) -> tuple[str, range, Callable[[int], bool]]:
        """The clause, what a call may touch, and which addresses of it it may write."""
        state, a, shmem = self.f.state, self.a, self.f.state.shmem
        page = range(0) if shmem is None else range(shmem, shmem + sbi.SHMEM_SIZE)
        if self.fid == sbi.START and a["start_flags"] & sbi.INIT_SNAPSHOT:
            return "SBI.mem.start", page, lambda at: False
        if self.fid == sbi.STOP and a["stop_flags"] & sbi.TAKE_SNAPSHOT:
            slots = (
                {self.slot_address(a, index) + i for index in state.indices(a) for i in range(sbi.VALUE_SIZE)}
                if write and page
                else set()
            )
            return "SBI.mem.stop", page, lambda at: at - page.start < sbi.BITMAP_SIZE or at in slots
        if self.fid == sbi.EVENT_GET_INFO:
            entries, output = self.needed or range(0), range(sbi.OUTPUT_OFFSET, sbi.OUTPUT_OFFSET + sbi.OUTPUT_SIZE)
            return "SBI.mem.evinfo", entries, lambda at: (at - entries.start) % sbi.ENTRY_SIZE in output
        zeroed = self.fid == sbi.SET_SHMEM and self.f.policy["shmem_zeroed"] == "zeroed"
        return "SBI.mem.other", self.needed or range(0) if zeroed else range(0), lambda at: True

    # Contents

    def snapshot(self, a: Arguments, named: list[Logical], stopped: list[Logical]) -> None:
        """The slots of the named counters, of which those stopped by this call must be written, and the bitmap."""
        f = self.f
        if f.step.operations is None:
            return
        f.met["SBI.shmem.relative"] += a["counter_idx_base"] > 0
        for one in named:
            address = self.slot_address(a, one.index)
            whole = all(at in self.written for at in range(address, address + sbi.VALUE_SIZE))
            if not whole and one not in stopped:
                continue
            f.check("SBI.stop.snapshot", whole, f"slot of counter {one.index}", "written", "not written")
            f.notes["slot", "written", self.position(a, one.index)] += 1
            value = f.shadow.word(address, sbi.VALUE_SIZE) or 0
            known, right = (1 << 64) - 1, one.cell.value
            if one.hardware is not None and one.counts_firmware:
                continue  # its content is undefined
            if one.hardware is not None:
                held = f.shadow.held[one.hardware.number]
                known, right = held.known, held.value
                if f.tolerances.inhibited and not f.record.quiet:
                    f.check(
                        "SBI.csr.inhibited",
                        known == (1 << 64) - 1 or held.runs,
                        f"value of counter {one.index}",
                        "read after the stop",
                        "read before",
                    )
            f.equal("SBI.stop.snapshot", f"slot of counter {one.index}", right & known, value & known)
        if stopped or not named or self.written:
            self._bitmap(a, named)

    def _bitmap(self, a: Arguments, named: list[Logical]) -> None:
        f, shmem = self.f, self.f.state.shmem
        assert shmem is not None
        whole = all(at in self.written for at in range(shmem, shmem + sbi.BITMAP_SIZE))
        f.check("SBI.stop.bitmap", whole, "counter_overflow_bitmap", "written", "not written")
        got, mask, right = f.shadow.word(shmem, sbi.BITMAP_SIZE) or 0, 0, 0
        for position in range(sbi.VALUES):
            one = f.state.counters.get(a["counter_idx_base"] + position)
            of: int | None = 0
            if f.policy["bitmap"] == "named" and one not in named:
                of = 0
            elif one is not None and one.hardware is not None and not one.hardware.fixed and f.platform.sscofpmf:
                of = self.overflown.get(one.hardware.number)
                f.notes["bitmap", one in named, of] += 1
            mask |= (of is not None) << position
            right |= (of or 0) << position
        f.equal("SBI.stop.bitmap", "counter_overflow_bitmap", right & mask, got & mask)

    def outputs(self, ret: SbiRet) -> None:
        """The output word of every entry."""
        f = self.f
        for at in self.entries():
            event, data = f.shadow.word(at, 4), f.shadow.word(at + 8, 8)
            if f.step.operations is None:  # the supervisor will see it
                if event is not None and data is not None:
                    f.shadow.writes(
                        at + sbi.OUTPUT_OFFSET, int(f.state.supported(event, data)).to_bytes(sbi.OUTPUT_SIZE, "little")
                    )
                continue
            output = f.shadow.word(at + sbi.OUTPUT_OFFSET, sbi.OUTPUT_SIZE) or 0
            whole = all(
                byte in self.written for byte in range(at + sbi.OUTPUT_OFFSET, at + sbi.OUTPUT_OFFSET + sbi.OUTPUT_SIZE)
            )
            f.check(
                "SBI.evinfo.whole_word",
                whole and output >> 1 == 0,
                "output word",
                "0x0 or 0x1, all of it written",
                f"{output:#x}",
            )
            if event is None or data is None:
                f.check("SBI.evinfo.output", False, "entry", "read", "not read")
                continue
            right = int(f.state.supported(event, data))
            f.equal("SBI.evinfo.output", f"output of event {event:#x}, data {data:#x}", right, output & 1, str)
            f.notes["output", event >> 16, right] += 1

    def ends(self, ret: SbiRet) -> None:
        """The call is over."""
        f = self.f
        clause, opened, _ = self._allowed(False)
        if not opened:
            f.check(clause, not self.touched, "accesses of shared memory", "none", str(self.touched))
        if ret.error:
            partly = f.policy["already_stopped"] == "others" and ret.name == "ALREADY_STOPPED"
            if not partly:
                f.check(
                    "SBI.failed.memory", not self.written, "memory written", "nothing", f"{len(self.written)} bytes"
                )
        elif self.needed is not None:
            clause = "SBI.shmem.range" if self.fid == sbi.SET_SHMEM else "SBI.evinfo.range"
            shown = f"{self.needed.start:#x} to {self.needed.stop - 1:#x}"
            f.check(clause, self.valid is not None, "memory whose ownership was checked", shown, "not all of it")
