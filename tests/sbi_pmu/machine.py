# SPDX-License-Identifier: Apache-2.0
"""What the tests of the SBI PMU extension use: a machine of plain CSRs that never count, with a monitored memory,
and calls by name.

    machine = Machine(32)
    machine.call("counter_start", 3, 0b11, initial_value=1 << 40)     # SbiRet, memory accesses checked
    machine.csr(0xB83)

Counters are those of Platform.example: 0 mcycle, 2 minstret, 3 and 4 and 7 and 9 mhpmcounter3 to 6, 10, 12 and 13
firmware.
"""

from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.monitor import Monitor, MonitoredMemory
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.pmu import SbiPmu, SbiRet
from rvtrace.models.sbi_pmu.policy import Policy

BASE = 0x8000_0000
SNAPSHOT = BASE + 0x2000


class Machine:
    """CSRs are a dictionary; every access is kept in `touched` as (address, value written or None)."""

    def __init__(
        self, xlen: int = 64, policy: str = "strict", platform: Platform | None = None, **choices: str
    ) -> None:
        self.xlen = xlen
        self.memory = MonitoredMemory(BASE, 0x10000)
        self.read_mem, self.write_mem, self.valid_address = (
            self.memory.read_mem,
            self.memory.write_mem,
            self.memory.valid,
        )
        self.monitor = Monitor(xlen, self.memory)
        self.csrs: dict[int, int] = {}
        self.touched: list[tuple[int, int | None]] = []
        self.pmu = SbiPmu(platform or Platform.example(xlen), self, Policy(policy, **choices))

    def read_csr(self, address: int) -> int:
        self.touched.append((address, None))
        return self.csrs.get(address, 0)

    def write_csr(self, address: int, value: int) -> None:
        assert 0 <= value < 1 << self.xlen, f"{value:#x} does not fit into CSR {address:#x}"
        self.touched.append((address, value))
        self.csrs[address] = value

    def call(self, function: str, *counters: int, **arguments: int) -> SbiRet:
        """A call by name, its memory accesses checked. counters: counter_idx_base and counter_idx_mask."""
        arguments |= zip(("counter_idx_base", "counter_idx_mask"), counters)
        call = Call.of(self.xlen, function, **arguments)
        return self.monitor.watch(call.fid, call.registers, lambda: self.pmu.call(*call))

    def error(self, function: str, *counters: int, **arguments: int) -> str:
        """Name of the error of a call that has to fail with value 0 and change nothing."""
        before = self.everything()
        ret = self.call(function, *counters, **arguments)
        assert ret.error and ret.value == 0, f"{function} gave {ret}"
        assert self.everything() == before, f"{function} failed with {ret.name} but changed something"
        return ret.name

    def ok(self, function: str, *counters: int, **arguments: int) -> int:
        """Value of a call that has to succeed."""
        ret = self.call(function, *counters, **arguments)
        assert ret.error == 0, f"{function} gave {ret.name}"
        return ret.value

    def everything(self) -> tuple[object, ...]:
        """All state there is, to compare."""
        return (dict(self.csrs), self.pmu.state(), bytes(self.memory.bytes))

    def config(self, index: int, event: int, flags: int = 0, data: int = 0) -> int:
        """config_matching of one counter."""
        return self.ok("counter_config_matching", index, 1, config_flags=flags, event_idx=event, event_data=data)

    def counter(self, number: int) -> int:
        """mcycle, minstret or mhpmcounter by number, both halves."""
        return self._halves(0xB00 + number, 0xB80 + number)

    def set_counter(self, number: int, value: int) -> None:
        """As if it had counted."""
        self._put(0xB00 + number, 0xB80 + number, value)

    def event(self, number: int) -> int:
        """mhpmevent by number, both halves."""
        return self._halves(0x320 + number, 0x720 + number)

    def overflow(self, number: int) -> None:
        """As if the counter had wrapped: OF."""
        self._put(0x320 + number, 0x720 + number, self.event(number) | 1 << 63)

    def running(self) -> set[int]:
        """Numbers of the platform's hardware counters that mcountinhibit lets count."""
        return {n for n in (0, 2, 3, 4, 5, 6) if not self.csrs[0x320] >> n & 1}

    def started(self) -> set[int]:
        """Logical indices of started counters."""
        return {logical.index for logical in self.pmu.counters.all if logical.started}

    def snapshot(self) -> None:
        """Sets the snapshot memory at SNAPSHOT."""
        self.ok("snapshot_set_shmem", shmem_phys_lo=SNAPSHOT)

    def word(self, address: int, size: int = 8) -> int:
        """A little-endian word of memory."""
        return int.from_bytes(self.memory.read(address, size), "little")

    def _halves(self, low: int, high: int) -> int:
        return self.csrs.get(low, 0) | (self.csrs.get(high, 0) << 32 if self.xlen == 32 else 0)

    def _put(self, low: int, high: int, value: int) -> None:
        if self.xlen == 32:
            self.csrs[high] = value >> 32
        self.csrs[low] = value & (1 << self.xlen) - 1
