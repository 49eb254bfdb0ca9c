"""What each function gives and does when it is not refused, read from its section of the chapter."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from models.sbi_pmu import tables as sbi
from models.sbi_pmu.calls import FirmwareEvent
from models.sbi_pmu.pmu import SbiRet
from scoreboards.sbi_pmu_effects import Effects
from scoreboards.sbi_pmu_logical import Logical
from scoreboards.sbi_pmu_rules import Arguments, State
from scoreboards.sbi_pmu_shadow import Shadow

if TYPE_CHECKING:
    from models.sbi_pmu.platform import Platform
    from models.sbi_pmu.policy import Policy
    from scoreboards.sbi_pmu_knobs import Knobs
    from scoreboards.sbi_pmu_memory import MemoryRules

PLATFORM = sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM)


class Outcomes:
    """Values and effects of calls; the follower is built on it."""

    platform: Platform
    policy: Policy
    knobs: Knobs
    state: State
    shadow: Shadow
    memory: MemoryRules
    notes: Counter[tuple[Any, ...]]
    xlen: int
    trusted: bool

    def check(self, clause: str, right: bool, what: str, expected: str, actual: str) -> None:
        """One check of a clause."""
        raise NotImplementedError

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
        self.check(clause, ret.value == value, "value", f"{value:#x}", f"{ret.value:#x}")

    def _nothing(self, ret: SbiRet) -> None:
        if self.knobs.zero and not ret.error:
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
        self.check("SBI.info.type", info >> top == kind, "type", str(kind), str(info >> top))
        if one.hardware is None:
            return  # CSR and width are to be ignored
        csr, width = info & sbi.INFO_CSR_MASK, (info >> sbi.INFO_WIDTH_SHIFT & 63) + 1
        self.check("SBI.info.csr", csr == one.hardware.csr, "CSR", f"{one.hardware.csr:#x}", f"{csr:#x}")
        self.check("SBI.info.width", width == one.hardware.width, "width", str(one.hardware.width), str(width))
        rest = info >> 18 & (1 << top - 18) - 1
        self.check("SBI.info.reserved", rest == 0, "reserved bits", "0x0", f"{rest:#x}")

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
        hit = [one for one in firmware if one.started and one.event == event and (event != PLATFORM or one.data == action.data)]
        shared = self.policy["firmware_value"] == "event"
        if shared or self.policy["firmware_shared"] == "first":
            hit = hit[:1]
        self.notes["fired", action.code if action.code < 22 else "platform" if event == PLATFORM else "specific", len(hit)] += 1
        for one in hit if shared else firmware:
            count = one.cell.value + action.count
            if one in hit:
                still = {"SBI.fw.platform" if event == PLATFORM else "SBI.fw.counts", *(["SBI.fw.two"] if one is not hit[0] else [])}
                before = {clause: one.cell.other.get(clause, one.cell.value) for clause in sorted(still)}  # where it does not count
                one.cell.other = {clause: (value + action.count) % size for clause, value in one.cell.other.items()} | before
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
            self.check("SBI.config.skip_match", one in candidates, "counter", str([c.index for c in candidates]), str(one.index))
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
        if self.knobs.choice and one in candidates:
            self.check("SBI.config.choice", one is candidates[0], "counter", str(candidates[0].index), str(one.index))

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
                clause = "SBI.table.wide" if wide else "SBI.start.init_many" if len(acted) > 1 else "SBI.start.init_value"
                effects.put(one, a["initial_value"], clause)
            elif flags & sbi.INIT_SNAPSHOT:
                value = self.memory.slot(a, one.index)
                self.notes["slot", "read", self.memory.position(a, one.index)] += 1
                self.check("SBI.start.init_snapshot", value is not None, f"slot of counter {one.index}", "read", "not read")
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
        again = stopped if self.policy["stop_reset"] == "applied" else [one for one in stopped if self.state.forgiven(one)]
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
            self.notes["shmem", "cleared" if self.state.clears(a) else "set again" if self.state.shmem is not None else "set"] += 1
            self.state.shmem = None if self.state.clears(a) else self.state.address(a)
            self._nothing(ret)
        elif self.policy["shmem_failed"] == "clear" and ret.name == "INVALID_ADDRESS":
            self.state.shmem = None


LOW = 0xFFFF_FFFF
START_WORDS = ("no flag", "SET_INIT_VALUE", "INIT_SNAPSHOT", "both")
STOP_WORDS = ("no flag", "RESET", "TAKE_SNAPSHOT", "both")
