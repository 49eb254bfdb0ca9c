"""Shared memory of a call: what may be touched, what must be written, and with which contents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from models.sbi_pmu import tables as sbi
from models.sbi_pmu.backend import ReadMem, ValidAddress, WriteMem
from models.sbi_pmu.pmu import SbiRet
from scoreboards.sbi_pmu_logical import Logical
from scoreboards.sbi_pmu_rules import Arguments

if TYPE_CHECKING:
    from scoreboards.sbi_pmu_follow import Follower

_MOST = 4096  # entries of event_get_info that are looked at: far above what any supervisor asks


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
        """Whether the supervisor owns it, as far as was asked: no if any part of it is not its own, yes if all of it is."""
        if (needed := self.needed) is None:
            return all(answer for _, size, answer in self.asked if not size) if self.fid in (sbi.SET_SHMEM, sbi.EVENT_GET_INFO) else None
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
        return [] if self.valid is not True else [word for at in self.entries() if (word := self.f.shadow.word(at, 4)) is not None]

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
        self.f.check(clause, all(at in opened for at in addresses) and not (write and self.fid == sbi.START), shown, "not this", "touched")
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
            slots = {self.slot_address(a, index) + i for index in state.indices(a) for i in range(sbi.VALUE_SIZE)} if write and page else set()
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
                continue  # what it holds is nobody's value
            if one.hardware is not None:
                held = f.shadow.held[one.hardware.number]
                known, right = held.known, held.value
                if f.knobs.inhibited and not f.record.quiet:
                    f.check("SBI.csr.inhibited", known == (1 << 64) - 1 or held.runs, f"value of counter {one.index}", "read behind the stop", "read before")
            f.check("SBI.stop.snapshot", not (value ^ right) & known, f"slot of counter {one.index}", f"{right & known:#x}", f"{value & known:#x}")
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
        f.check("SBI.stop.bitmap", not (got ^ right) & mask, "counter_overflow_bitmap", f"{right & mask:#x}", f"{got & mask:#x}")

    def outputs(self, ret: SbiRet) -> None:
        """The output word of every entry."""
        f = self.f
        for at in self.entries():
            event, data = f.shadow.word(at, 4), f.shadow.word(at + 8, 8)
            if f.step.operations is None:  # the supervisor will see it
                if event is not None and data is not None:
                    f.shadow.writes(at + sbi.OUTPUT_OFFSET, int(f.state.supported(event, data)).to_bytes(sbi.OUTPUT_SIZE, "little"))
                continue
            output = f.shadow.word(at + sbi.OUTPUT_OFFSET, sbi.OUTPUT_SIZE) or 0
            whole = all(byte in self.written for byte in range(at + sbi.OUTPUT_OFFSET, at + sbi.OUTPUT_OFFSET + sbi.OUTPUT_SIZE))
            f.check("SBI.evinfo.whole_word", whole and output >> 1 == 0, "output word", "0x0 or 0x1, all of it written", f"{output:#x}")
            if event is None or data is None:
                f.check("SBI.evinfo.output", False, "entry", "read", "not read")
                continue
            right = int(f.state.supported(event, data))
            f.check("SBI.evinfo.output", output & 1 == right, f"output of event {event:#x}, data {data:#x}", str(right), str(output & 1))
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
                f.check("SBI.failed.memory", not self.written, "memory written", "nothing", f"{len(self.written)} bytes")
        elif self.needed is not None:
            clause = "SBI.shmem.range" if self.fid == sbi.SET_SHMEM else "SBI.evinfo.range"
            shown = f"{self.needed.start:#x} to {self.needed.stop - 1:#x}"
            f.check(clause, self.valid is not None, "memory that was asked for", shown, "not all of it")
