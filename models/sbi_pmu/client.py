# SPDX-License-Identifier: Apache-2.0
"""A supervisor that uses the SBI PMU extension as perf drivers do: discovery, events, overflow handler, snapshots.

client = Client(xlen=64, shmem=0x8000_1000)
play(client.boot(), pmu, backend)
index = play(client.add(event_idx=1, period=1000), pmu, backend)
...                                          # the counter overflows, LCOFI is taken
overflown = play(client.overflow(), pmu, backend)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call, Peek, Poke, Script, SupervisorCsr, demand

SIP, SCOUNTOVF = 0x144, 0xDA0
LCOFIP = 1 << 13
_READ, _CLEAR = 0, 3


@dataclass
class Used:
    """A counter in use. period: events to the next overflow, 0 without sampling. count: events counted so far. start:
    value it was started with.
    """

    event: int
    data: int
    period: int = 0
    start: int = 0
    count: int = 0


@dataclass
class Client:
    """One hart's supervisor. shmem: address of a page for snapshots, or None to do without. limit: indices that
    discovery looks at.

    found: counter_info of every counter, by logical index. used: counters with an event.
    """

    xlen: int
    shmem: int | None = None
    limit: int = 64
    found: dict[int, int] = field(default_factory=dict)
    used: dict[int, Used] = field(default_factory=dict)

    def _call(self, function: str, *accepted: str, **arguments: int) -> Script[int]:
        ret = yield from demand(self.xlen, Call.of(self.xlen, function, **arguments), *accepted)
        return ret.value

    def firmware(self, index: int) -> bool:
        """Whether a found counter is a firmware counter."""
        return bool(self.found[index] >> self.xlen - 1)

    def width(self, index: int) -> int:
        """Bits of a found counter."""
        return (self.found[index] >> sbi.INFO_WIDTH_SHIFT & 63) + 1

    def csr(self, index: int) -> int:
        """CSR of a found hardware counter."""
        return self.found[index] & sbi.INFO_CSR_MASK

    # Discovery and start of a hart

    def discover(self) -> Script[dict[int, int]]:
        """All counters: logical indices may have holes, so it asks on until it has as many as num_counters says."""
        number = yield from self._call("num_counters")
        for index in range(max(number, self.limit)):
            if len(self.found) == number:
                break
            ret = yield Call.of(self.xlen, "counter_get_info", counter_idx=index)
            if not ret.error:
                self.found[index] = ret.value
        return self.found

    def boot(self) -> Script[dict[int, int]]:
        """Discovery, all counters stopped and reset whatever they did, snapshot memory set if the SBI implementation
        has it.
        """
        yield from self.discover()
        for base, mask in self._sets(self.found):
            yield Call.of(self.xlen, "counter_stop", counter_idx_base=base, counter_idx_mask=mask, stop_flags=sbi.RESET)
        if self.shmem is not None:
            ret = yield self._shmem(self.shmem)
            if ret.error:
                self.shmem = None
        return self.found

    def close(self) -> Script[None]:
        """Everything stopped and given back, no snapshot memory any more."""
        for index in list(self.used):
            yield from self.remove(index)
        if self.shmem is not None:
            yield self._shmem((1 << 2 * self.xlen) - 1)
            self.shmem = None

    def _shmem(self, address: int) -> Call:
        return Call.of(self.xlen, "snapshot_set_shmem", shmem_phys_lo=address, shmem_phys_hi=address >> self.xlen)

    def _sets(self, indices: Iterable[int]) -> list[tuple[int, int]]:
        """(base, mask) of these indices: one set for each XLEN of them."""
        out: dict[int, int] = {}
        for index in sorted(indices):
            out[index // self.xlen * self.xlen] = out.get(index // self.xlen * self.xlen, 0) | 1 << index % self.xlen
        return list(out.items())

    def events(self, events: list[tuple[int, int]], at: int) -> Script[list[bool]]:
        """Which of these (event_idx, event_data) exist: event_get_info with entries at a 16-byte aligned address."""
        entries = (e.to_bytes(4, "little") + b"\xff" * 4 + data.to_bytes(8, "little") for e, data in events)
        yield Poke(at, b"".join(entries))
        yield from self._call(
            "event_get_info", shmem_phys_lo=at, shmem_phys_hi=at >> self.xlen, num_entries=len(events)
        )
        answer = yield Peek(at, sbi.ENTRY_SIZE * len(events))
        outputs = (
            answer[i + sbi.OUTPUT_OFFSET : i + sbi.OUTPUT_OFFSET + sbi.OUTPUT_SIZE]
            for i in range(0, len(answer), sbi.ENTRY_SIZE)
        )
        return [int.from_bytes(output, "little") == 1 for output in outputs]

    # Events

    def add(
        self, event_idx: int, event_data: int = 0, period: int = 0, flags: int = 0, start: bool = True
    ) -> Script[int]:
        """A counter for an event: its index. period: it starts this many events before its overflow; else at 0.
        ClientError if there is none.
        """
        sets = self._sets(index for index in self.found if index not in self.used) or [(0, 0)]
        for base, mask in sets:  # more than XLEN indices are more than one set
            call = Call.of(
                self.xlen,
                "counter_config_matching",
                counter_idx_base=base,
                counter_idx_mask=mask,
                config_flags=flags,
                event_idx=event_idx,
                event_data=event_data,
            )
            accepted = ("NOT_SUPPORTED",) if (base, mask) != sets[-1] else ()
            ret = yield from demand(self.xlen, call, *accepted)
            if not ret.error:
                break
        index = ret.value
        used = self.used[index] = Used(event_idx, event_data, period)
        used.start = -period % (1 << self.width(index))
        if start:
            yield from self.start(index)
        return index

    def start(self, index: int) -> Script[None]:
        """Starts a counter from its value, alone."""
        yield from self._call(
            "counter_start",
            counter_idx_base=index,
            counter_idx_mask=1,
            start_flags=sbi.SET_INIT_VALUE,
            initial_value=self.used[index].start,
        )

    def remove(self, index: int) -> Script[Used]:
        """Stops a counter (which may be stopped already) and gives it back; what it counted is in the result."""
        yield from self._call("counter_stop", "ALREADY_STOPPED", counter_idx_base=index, counter_idx_mask=1)
        self._counted(index, (yield from self.read(index)))
        yield from self._call(
            "counter_stop", "ALREADY_STOPPED", counter_idx_base=index, counter_idx_mask=1, stop_flags=sbi.RESET
        )
        return self.used.pop(index)

    def read(self, index: int) -> Script[int]:
        """Value of a counter: fw_read (and fw_read_hi), or its CSRs; on RV32 a running one until both high halves
        agree.
        """
        if self.firmware(index):
            low = yield from self._call("counter_fw_read", counter_idx=index)
            high = yield from self._call("counter_fw_read_hi", "NOT_SUPPORTED", counter_idx=index)  # came with SBI 2.0
            return low | high << 32
        if self.xlen == 64:
            return (yield SupervisorCsr(_READ, self.csr(index)))
        while True:
            high = yield SupervisorCsr(_READ, self.csr(index) + 0x80)
            low = yield SupervisorCsr(_READ, self.csr(index))
            if high == (yield SupervisorCsr(_READ, self.csr(index) + 0x80)):
                return low | high << 32

    def _counted(self, index: int, value: int) -> None:
        used = self.used[index]
        used.count += (value - used.start) % (1 << self.width(index))
        used.start = value

    # Overflow

    def overflow(self) -> Script[list[int]]:
        """The handler: stop all hardware counters, who overflowed, clear LCOFIP, count, start all again; the overflown
        indices.
        """
        hardware = [index for index in self.used if not self.firmware(index)]
        overflown: list[int] = []
        for base, mask in self._sets(hardware):
            flags = 0 if self.shmem is None else sbi.TAKE_SNAPSHOT
            yield from self._call("counter_stop", counter_idx_base=base, counter_idx_mask=mask, stop_flags=flags)
            overflown += yield from self._overflown([i for i in hardware if i // self.xlen * self.xlen == base], base)
        yield SupervisorCsr(_CLEAR, SIP, LCOFIP)
        for index in overflown:
            if self.used[index].period:
                self.used[index].start = -self.used[index].period % (1 << self.width(index))
        for base, mask in self._sets(hardware):
            yield from self._restart([i for i in hardware if i // self.xlen * self.xlen == base], base, mask)
        return overflown

    def _overflown(self, indices: list[int], base: int) -> Script[list[int]]:
        """Counts what stopped counters have, from the snapshot or their CSRs; those of them that overflowed."""
        if self.shmem is None:
            bits = yield SupervisorCsr(_READ, SCOUNTOVF)
            for index in indices:
                self._counted(index, (yield from self.read(index)))
            return [index for index in indices if bits >> (self.csr(index) & 31) & 1]
        bits = int.from_bytes((yield Peek(self.shmem + sbi.BITMAP_OFFSET, sbi.BITMAP_SIZE)), "little")
        for index in indices:
            slot = yield Peek(self._slot(index - base), sbi.VALUE_SIZE)
            self._counted(index, int.from_bytes(slot, "little"))
        return [index for index in indices if bits >> (index - base) & 1]

    def _slot(self, position: int) -> int:
        assert self.shmem is not None
        return self.shmem + sbi.VALUES_OFFSET + sbi.VALUE_SIZE * position

    def _restart(self, indices: list[int], base: int, mask: int) -> Script[None]:
        """With snapshot memory all in one call; without one call for each."""
        if self.shmem is None:
            for index in indices:
                yield from self.start(index)
            return
        for index in indices:
            yield Poke(self._slot(index - base), self.used[index].start.to_bytes(sbi.VALUE_SIZE, "little"))
        yield from self._call(
            "counter_start", counter_idx_base=base, counter_idx_mask=mask, start_flags=sbi.INIT_SNAPSHOT
        )
