# SPDX-License-Identifier: Apache-2.0
"""The SBI PMU extension: all nine functions, as generators of backend operations.

    pmu = SbiPmu(Platform.example(), backend)                # strict
    pmu.call(CONFIG_MATCHING, (0, 0x8, AUTO_START, 1, 0))    # SbiRet(error=0, value=3)
    ret = yield from pmu.calling(fid, registers)             # the same code in somebody else's hands

A call takes registers a0 to a5 (those left out are 0); 64-bit arguments are two registers on RV32, low first. Checks
come in the order: function, flags, set of counters, shared memory, state; the first that fails is the answer, and its
value is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rvtrace.models.sbi_pmu.answers import (
    ALREADY_STARTED,
    ALREADY_STOPPED,
    INVALID_ADDRESS,
    INVALID_PARAM,
    NO_SHMEM,
    NOT_SUPPORTED,
    OK,
    SbiRet,
)
from rvtrace.models.sbi_pmu.backend import Backend, ReadMem, Steps, ValidAddress, WriteMem, run
from rvtrace.models.sbi_pmu.counters import Counters, Logical, Named
from rvtrace.models.sbi_pmu.event_info import event_get_info
from rvtrace.models.sbi_pmu.hardware import HardwareCounters
from rvtrace.models.sbi_pmu.platform import Hardware, Platform
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.tables import (
    AUTO_START,
    BITMAP_OFFSET,
    BITMAP_SIZE,
    CLEAR_VALUE,
    CPU_CYCLES,
    FIRMWARE,
    FIRMWARE_SPECIFIC,
    FUNCTIONS,
    GENERAL,
    INFO_WIDTH_SHIFT,
    INIT_SNAPSHOT,
    INSTRUCTIONS,
    NO_EVENT,
    RESET,
    SET_INIT_VALUE,
    SET_SHMEM,
    SHMEM_ALIGN,
    SHMEM_SIZE,
    SKIP_MATCH,
    TAKE_SNAPSHOT,
    VALUE_SIZE,
    VALUES,
    VALUES_OFFSET,
    defined,
)

_PAD = (0,) * 6


class SbiPmu:
    """The SBI implementation of one hart. backend may be left out if only `booting` and `calling` are used."""

    def __init__(self, platform: Platform, backend: Backend | None = None, policy: Policy | None = None) -> None:
        self.platform, self.backend = platform, backend
        self.policy = policy or Policy()
        self.hardware = HardwareCounters(platform, self.policy)
        self.counters = Counters(platform, self.policy)
        self.shmem: int | None = None  # address of the snapshot memory
        self._ones = (1 << platform.xlen) - 1
        self._lenient = self.policy["reserved_flags"] == "ignore"
        self._flags = (
            2 if platform.sbi_version >= FUNCTIONS[SET_SHMEM].version else 1
        )  # of start and stop; those of snapshots came later
        self._functions: tuple[Callable[[tuple[int, ...]], Steps[SbiRet]], ...] = (
            self._num_counters,
            self._get_info,
            self._config_matching,
            self._start,
            self._stop,
            self._fw_read,
            self._fw_read_hi,
            self._set_shmem,
            self._event_info,
        )
        if backend is not None:
            run(self.booting(), backend)

    def call(self, fid: int, registers: Sequence[int] = ()) -> SbiRet:
        """An ecall, on the backend given at construction."""
        assert self.backend is not None, "SbiPmu has no backend; give one at construction, or play calling()"
        return run(self.calling(fid, registers), self.backend)

    def booting(self) -> Steps[None]:
        """What the SBI implementation does before its first call: all counters stopped, without event (policy boot)."""
        yield from self.hardware.boot()
        if self.policy["boot"] == "fixed":
            for logical in self.counters.all:
                counter = logical.counter
                if isinstance(counter, Hardware) and counter.fixed:
                    logical.event, logical.started = (CPU_CYCLES if counter.number == 0 else INSTRUCTIONS), True
                    yield from self.hardware.release([counter])

    def calling(self, fid: int, registers: Sequence[int] = ()) -> Steps[SbiRet]:
        """An ecall: a6 and a0 to a5. NOT_SUPPORTED if the platform does not have the function."""
        if not 0 <= fid < len(self._functions) or not self.platform.has(fid):
            return NOT_SUPPORTED
        return (yield from self._functions[fid]((*registers, *_PAD)[:6]))

    def firmware_event(self, code: int, count: int = 1, data: int = 0) -> None:
        """A firmware event (event_idx.code) happened count times. data: the encoding of a SBI_PMU_FW_PLATFORM event."""
        self.counters.count_firmware(code, count, data)

    def state(self) -> tuple[object, ...]:
        """All state kept here, to compare; counters' values are the backend's."""
        return (self.shmem, self.counters.state())

    def _wide(self, registers: tuple[int, ...], at: int) -> int:
        return registers[at] | registers[at + 1] << 32 if self.platform.xlen == 32 else registers[at]

    def _reserved(self, flags: int, bits: int) -> bool:
        return bool(flags >> bits) and not self._lenient

    def _index(self, index: int) -> int:
        return index & 0xFFFF_FFFF if self.policy["wide_index"] == "cut" else index

    # FID 0, 1: discovery

    def _num_counters(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        yield from ()
        return SbiRet(0, self.counters.end if self.policy["num_counters"] == "range" else len(self.counters.all))

    def _get_info(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        yield from ()
        logical = self.counters.at.get(self._index(registers[0]))
        if logical is None:
            return INVALID_PARAM
        counter = logical.counter
        if isinstance(counter, Hardware):
            return SbiRet(0, counter.csr | counter.width - 1 << INFO_WIDTH_SHIFT)
        return SbiRet(0, 1 << self.platform.xlen - 1 | self.platform.firmware_width - 1 << INFO_WIDTH_SHIFT)

    # FID 2: find and configure a matching counter

    def _config_matching(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        base, mask, flags, event = registers[:4]
        data: int | None = self._wide(registers, 4)
        policy, counters = self.policy, self.counters
        if self._reserved(flags, 8):
            return INVALID_PARAM
        named = counters.named(base, mask)
        if named is None:
            return INVALID_PARAM
        wide = event >> 20 and policy["wide_event"] == "cut"
        event &= 0xF_FFFF if wide else self._ones
        keep = bool(flags & SKIP_MATCH) and policy["skip_match"] == "keep"
        unchecked = policy["unknown_event"] == "unchecked" and (event >> 16 == FIRMWARE or keep)
        if not defined(event, self.platform.sbi_version) and not unchecked:
            unknown = policy["unknown_event"]
            refused = unknown == "invalid_param" or (unknown == "except_no_event" and event != NO_EVENT)
            return INVALID_PARAM if refused else NOT_SUPPORTED
        if wide and event >> 16 != FIRMWARE and not keep:
            return NOT_SUPPORTED
        data = counters.data_for(event, data)
        if data is None:
            return INVALID_PARAM if policy["event_data"] == "invalid_param" else NOT_SUPPORTED
        if (
            policy["absent_event"] == "invalid_param"
            and event >= FIRMWARE << 16 | FIRMWARE_SPECIFIC.start
            and not counters.offers(event, data)
        ):
            return INVALID_PARAM
        if flags & SKIP_MATCH:
            chosen = counters.first(named, base)
            if keep and (chosen is None or chosen.event is None):
                return INVALID_PARAM
            if not keep and chosen is not None and not counters.takes(chosen, event, data):
                chosen = None
        else:
            chosen = counters.match(named, event, data, base)
        if chosen is None:
            return NOT_SUPPORTED
        yield from self._configure(chosen, event, data, flags, keep)
        return SbiRet(0, chosen.index)

    def _configure(self, logical: Logical, event: int, data: int, flags: int, keep: bool) -> Steps[None]:
        counter = logical.counter
        if not keep:
            self.counters.configure(logical, event, data)
        if self.policy["config_actions"] == "general" and event >> 16 not in (GENERAL, FIRMWARE):
            flags &= ~(CLEAR_VALUE | AUTO_START)
        if not isinstance(counter, Hardware) or (event >> 16 == FIRMWARE and not keep):
            if flags & CLEAR_VALUE:
                logical.value = 0
            logical.started |= bool(flags & AUTO_START)
            return
        running = logical.started
        if running:  # SKIP_MATCH: neither counts nor overflows while it is half set up
            yield from self.hardware.inhibit([counter])
        if not keep:
            yield from self.hardware.configure(counter, event, data, flags)
        if flags & CLEAR_VALUE:
            yield from self.hardware.put(counter, 0)
        if flags & AUTO_START and not running:
            yield from self.hardware.arm([counter])
            logical.started = True
        if logical.started:
            yield from self.hardware.release([counter])

    # FID 3, 4: start and stop

    def _start(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        base, mask, flags = registers[:3]
        policy = self.policy
        if self._reserved(flags, self._flags):
            return INVALID_PARAM
        flags &= (1 << self._flags) - 1
        if flags & SET_INIT_VALUE and flags & INIT_SNAPSHOT:
            if policy["init_both"] == "refuse":
                return INVALID_PARAM
            flags &= ~(INIT_SNAPSHOT if policy["init_both"] == "value" else SET_INIT_VALUE)
        named = self.counters.named(base, mask)
        if named is None or (flags & SET_INIT_VALUE and len(named) > 1 and policy["init_many"] == "refuse"):
            return INVALID_PARAM
        if flags & INIT_SNAPSHOT and self.shmem is None:
            return NO_SHMEM
        named = self._configured(named)
        if named is None:
            return INVALID_PARAM
        answer = OK
        started = [self._refuses(logical, True) for _, logical in named]
        if any(started):
            if policy["already_started"] == "refuse":
                return ALREADY_STARTED
            answer = ALREADY_STARTED if started[-1] else OK
            named = [named[n] for n, refused in enumerate(started) if not refused]
        yield from self._put_values(named, flags, self._wide(registers, 3))
        hardware = [logical.counter for _, logical in named if isinstance(logical.counter, Hardware)]
        for _, logical in named:
            logical.started = True
        if hardware:
            yield from self.hardware.arm(hardware)
            yield from self.hardware.release(hardware)
        return answer

    def _put_values(self, named: Named, flags: int, initial: int) -> Steps[None]:
        if not flags & (SET_INIT_VALUE | INIT_SNAPSHOT):
            return
        for position, logical in named:
            value = initial
            if flags & INIT_SNAPSHOT:
                assert self.shmem is not None
                at = self.shmem + VALUES_OFFSET + VALUE_SIZE * position
                value = int.from_bytes((yield ReadMem(at, VALUE_SIZE, "start INIT_SNAPSHOT")), "little")
            if isinstance(logical.counter, Hardware):
                yield from self.hardware.put(logical.counter, value)
            else:
                logical.value = value & self.counters.firmware_mask

    def _refuses(self, logical: Logical, started: bool) -> bool:
        """Whether a counter is started (or stopped) so that start (stop) refuses it."""
        accepted = (
            self.policy["firmware_started"] == "accept"
            and logical.event is not None
            and logical.event >> 16 == FIRMWARE
        )
        return logical.started == started and not accepted

    def _configured(self, named: Named) -> Named | None:
        """Those of a set that start and stop look at (policy unconfigured); None if that is INVALID_PARAM."""
        if self.policy["unconfigured"] == "accept":
            return named
        return [(position, logical) for position, logical in named if logical.event is not None] or None

    def _stop(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        base, mask, flags = registers[:3]
        policy = self.policy
        if self._reserved(flags, self._flags):
            return INVALID_PARAM
        flags &= (1 << self._flags) - 1
        named = self.counters.named(base, mask)
        if named is None:
            return INVALID_PARAM
        if flags & TAKE_SNAPSHOT and self.shmem is None:
            return NO_SHMEM
        named = self._configured(named)
        if named is None:
            return INVALID_PARAM
        stopped = [logical for _, logical in named if self._refuses(logical, False)]
        running = [(position, logical) for position, logical in named if not self._refuses(logical, False)]
        refused = bool(stopped) and policy["already_stopped"] == "refuse"
        resting = [logical for _, logical in named if not logical.started] if refused else stopped
        answer = ALREADY_STOPPED if refused or (named and self._refuses(named[-1][1], False)) else OK
        if not refused:
            yield from self._halt(running)
            if flags & TAKE_SNAPSHOT and (running or not stopped):
                yield from self._snapshot(base, named, running)
        if flags & RESET:
            gone = resting if policy["stop_reset"] == "applied" else []
            for logical in gone + ([] if refused else [logical for _, logical in running]):
                yield from self._reset(logical)
        return answer

    def _halt(self, running: Named) -> Steps[None]:
        hardware = [logical.counter for _, logical in running if isinstance(logical.counter, Hardware)]
        if hardware:
            yield from self.hardware.inhibit(hardware)
        for _, logical in running:
            logical.started = False

    def _reset(self, logical: Logical) -> Steps[None]:
        if isinstance(logical.counter, Hardware) and logical.counter.fixed and self.policy["reset_fixed"] == "kept":
            return
        self.counters.release(logical)
        if isinstance(logical.counter, Hardware):
            yield from self.hardware.reset(logical.counter)

    def _snapshot(self, base: int, named: Named, stopped: Named) -> Steps[None]:
        """Values of the stopped ones of the named counters, and the bitmap, into the shared memory."""
        assert self.shmem is not None
        reason = "stop TAKE_SNAPSHOT"
        for position, logical in stopped:
            value = logical.value
            if isinstance(logical.counter, Hardware):
                value = yield from self.hardware.value(logical.counter)
            yield WriteMem(
                self.shmem + VALUES_OFFSET + VALUE_SIZE * position, value.to_bytes(VALUE_SIZE, "little"), reason
            )
        if self.policy["bitmap"] == "all":
            asked = [(x.index - base, x) for x in self.counters.all if 0 <= x.index - base < VALUES]
        else:
            asked = named
        bitmap = 0
        for position, logical in asked:
            if isinstance(logical.counter, Hardware) and (yield from self.hardware.overflown(logical.counter)):
                bitmap |= 1 << position
        yield WriteMem(self.shmem + BITMAP_OFFSET, bitmap.to_bytes(BITMAP_SIZE, "little"), reason)

    # FID 5, 6: firmware counters

    def _firmware(self, index: int) -> int | None:
        logical = self.counters.at.get(self._index(index))
        if logical is None:
            return None
        if isinstance(logical.counter, Hardware):
            return 0 if self.policy["fw_read_hardware"] == "answer" and logical.event is not None else None
        if logical.event is None and self.policy["firmware_unconfigured"] == "refuse":
            return None
        return logical.value

    def _fw_read(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        yield from ()
        value = self._firmware(registers[0])
        return INVALID_PARAM if value is None else SbiRet(0, value & self._ones)

    def _fw_read_hi(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        yield from ()
        if self.platform.xlen > 32 and self.policy["fw_read_hi"] == "zero":
            return OK
        value = self._firmware(registers[0])
        return INVALID_PARAM if value is None else SbiRet(0, value >> 32 if self.platform.xlen == 32 else 0)

    # FID 7, 8: shared memory

    def _event_info(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        if not self.platform.event_info:
            return NOT_SUPPORTED
        return (yield from event_get_info(self.platform, self.policy, self.counters, registers))

    def _set_shmem(self, registers: tuple[int, ...]) -> Steps[SbiRet]:
        low, high, flags = registers[:3]
        if not self.platform.snapshot:
            return NOT_SUPPORTED
        if flags:
            return INVALID_PARAM
        if low == high == self._ones:
            self.shmem = None
            return OK
        if low % SHMEM_ALIGN:
            return INVALID_PARAM
        address = low | high << self.platform.xlen
        if not (yield ValidAddress(address, SHMEM_SIZE)):
            if self.policy["shmem_failed"] == "clear":
                self.shmem = None
            return INVALID_ADDRESS
        if self.policy["shmem_zeroed"] == "zeroed":
            yield WriteMem(address, bytes(SHMEM_SIZE), "snapshot_set_shmem")
        self.shmem = address
        return OK
