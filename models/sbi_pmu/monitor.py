# SPDX-License-Identifier: Apache-2.0
"""A memory that remembers every access, and what one call may touch: the rule, read from the chapter and not from the
implementation.

memory = MonitoredMemory()
backend = ...read_mem=memory.read_mem, write_mem=memory.write_mem, valid_address=memory.valid
monitor = Monitor(platform.xlen, memory)
ret = monitor.watch(fid, registers, lambda: pmu.call(fid, registers))     # raises TouchError
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.backend import Memory
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.policy import Policy

# Policies under which the rule holds: it is the strict reading.
HOLDS: Mapping[str, str] = MappingProxyType(
    {"already_stopped": "refuse", "invalid_in_set": "refuse", "shmem_zeroed": "untouched", "unconfigured": "accept"}
)


class Access(NamedTuple):
    """One access. data: what was read, or written. reason: what the SBI implementation said it was for."""

    write: bool
    address: int
    data: bytes
    reason: str

    def __str__(self) -> str:
        verb = "write" if self.write else "read"
        return f"{verb} of {len(self.data)} bytes at {self.address:#x} ({self.reason})"


class TouchError(ValueError):
    """Shared memory was touched where or when it must not be, or was not written where it must be."""


class MonitoredMemory(Memory):
    """A memory for a backend: it keeps all accesses of the SBI implementation in `accesses`. `read` and `write` are the
    supervisor's own.
    """

    def __init__(self, base: int = 0x8000_0000, size: int = 0x10000) -> None:
        super().__init__(base, size)
        self.accesses: list[Access] = []

    def read_mem(self, address: int, size: int, reason: str) -> bytes:
        """A read of the SBI implementation."""
        data = self.read(address, size)
        self.accesses.append(Access(False, address, data, reason))
        return data

    def write_mem(self, address: int, data: bytes, reason: str) -> None:
        """A write of the SBI implementation."""
        self.write(address, data)
        self.accesses.append(Access(True, address, data, reason))


class Allowed(NamedTuple):
    """What one call may do to memory: (first, last + 1) ranges that it may read, and those that it may write, and must
    if it succeeds.
    """

    reads: tuple[tuple[int, int], ...] = ()
    writes: tuple[tuple[int, int], ...] = ()


class Monitor:
    """Follows the snapshot address from the calls and their answers, and checks each call's accesses against the
    chapter.
    """

    def __init__(self, xlen: int, memory: MonitoredMemory | None = None) -> None:
        self.xlen, self.memory = xlen, memory
        self.shmem: int | None = None

    def allowed(self, fid: int, registers: Sequence[int]) -> Allowed:
        """What this call may touch, if it succeeds; a call that fails may write nothing."""
        if not 0 <= fid < len(sbi.FUNCTIONS):
            return Allowed()
        a = sbi.FUNCTIONS[fid].named(self.xlen, (*registers, *(0,) * 6)[:6])
        if fid == sbi.EVENT_GET_INFO:
            base = a["shmem_phys_lo"] | a["shmem_phys_hi"] << self.xlen
            entries = range(base, base + sbi.ENTRY_SIZE * a["num_entries"], sbi.ENTRY_SIZE)
            outputs = tuple((at + sbi.OUTPUT_OFFSET, at + sbi.OUTPUT_OFFSET + sbi.OUTPUT_SIZE) for at in entries)
            return Allowed(((base, entries.stop),), outputs)
        snapshot = (fid == sbi.START and a["start_flags"] & sbi.INIT_SNAPSHOT) or (
            fid == sbi.STOP and a["stop_flags"] & sbi.TAKE_SNAPSHOT
        )
        if self.shmem is None or not snapshot:
            return Allowed()
        first = self.shmem + sbi.VALUES_OFFSET
        named = [i for i in range(self.xlen) if a["counter_idx_mask"] >> i & 1]
        slots = tuple((first + sbi.VALUE_SIZE * i, first + sbi.VALUE_SIZE * (i + 1)) for i in named)
        bitmap = (self.shmem + sbi.BITMAP_OFFSET, self.shmem + sbi.BITMAP_OFFSET + sbi.BITMAP_SIZE)
        if fid == sbi.START:
            return Allowed(slots)
        return Allowed((bitmap, *slots), (bitmap, *slots))

    def check(self, fid: int, registers: Sequence[int], ret: SbiRet, accesses: Sequence[Access]) -> None:
        """Whether a call with this answer may have done these accesses. TouchError names the first that may not be."""
        if ret.error and not accesses:
            return
        allowed = self.allowed(fid, registers)
        name = sbi.FUNCTIONS[fid].name if 0 <= fid < len(sbi.FUNCTIONS) else f"function {fid}"
        written: set[int] = set()
        for access in accesses:
            ranges = allowed.writes if access.write else allowed.reads
            end = access.address + len(access.data)
            if not any(first <= access.address and end <= last for first, last in ranges):
                raise TouchError(f"{name} did a {access}; it may touch {_shown(ranges)} only")
            if access.write and ret.error:
                raise TouchError(f"{name} failed with {ret.name}, yet did a {access}; a failed call writes nothing")
            if access.write:
                written.update(range(access.address, end))
        for first, last in allowed.writes if not ret.error else ():
            if not written.issuperset(range(first, last)):
                raise TouchError(f"{name} succeeded but did not write {_shown(((first, last),))}")
        self._follow(fid, registers, ret)

    def watch(self, fid: int, registers: Sequence[int], call: Callable[[], SbiRet]) -> SbiRet:
        """Runs a call on the memory given at construction and checks what it touched."""
        assert self.memory is not None, "Monitor has no memory; give one at construction, or use check()"
        self.memory.accesses.clear()
        before = bytes(self.memory.bytes)
        ret = call()
        self.check(fid, registers, ret, self.memory.accesses)
        if not any(access.write for access in self.memory.accesses) and before != self.memory.bytes:
            raise TouchError(f"memory changed in function {fid} without an access")
        return ret

    def _follow(self, fid: int, registers: Sequence[int], ret: SbiRet) -> None:
        if fid != sbi.SET_SHMEM or ret.error:
            return
        low, high = (*registers, 0, 0)[:2]
        ones = (1 << self.xlen) - 1
        self.shmem = None if low == high == ones else low | high << self.xlen


class WatchedMemory(MonitoredMemory):
    """A memory that sees for itself what each call changed, whatever the SBI implementation says it did.

    problems: sentences about calls that touched what they may not. done: every access so far, in order.
    """

    def __init__(self, xlen: int, policy: Policy) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.done: list[Access] = []
        self._monitor = Monitor(xlen, self) if all(policy[key] == value for key, value in HOLDS.items()) else None
        self._before = b""

    def begin(self) -> None:
        """A call begins."""
        self.accesses.clear()
        self._before = bytes(self.bytes)

    def end(self, fid: int, registers: Sequence[int], ret: SbiRet) -> None:
        """The call ended with this answer: was every access allowed, and is every byte that changed written by one?"""
        self.done += self.accesses
        if self._monitor is not None:
            try:
                self._monitor.check(fid, registers, ret, self.accesses)
            except TouchError as error:
                self.problems.append(str(error))
        expected = bytearray(self._before)
        for access in self.accesses:
            if access.write:
                expected[access.address - self.base : access.address - self.base + len(access.data)] = access.data
        if expected != self.bytes:
            at = next(i for i, (wanted, found) in enumerate(zip(expected, self.bytes)) if wanted != found)
            self.problems.append(f"function {fid} changed the byte at {self.base + at:#x} without an access")


def _shown(ranges: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"{first:#x} to {last - 1:#x}" for first, last in ranges) or "nothing"
