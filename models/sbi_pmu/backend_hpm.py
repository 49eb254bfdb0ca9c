# SPDX-License-Identifier: Apache-2.0
"""The counter model as a backend: SBI PMU calls on models/hpm, and the platform that fits a configuration of it.

    backend = HpmBackend(Hpm(Config(xlen=32)))
    pmu = SbiPmu(platform_of(backend.hpm.config), backend)

Each CSR access of the SBI implementation is a cycle in M-mode, as it is on the ports of rtl/hpm. `counts` says what
happens in these cycles: nothing by default, not even a cycle, so that a call costs no count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import DONE, HS, PRIVILEGES, READ, WRITE, Access, M
from rvtrace.models.sbi_pmu.backend import AccessError
from rvtrace.models.sbi_pmu.monitor import MonitoredMemory
from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform
from rvtrace.models.sbi_pmu.tables import CACHE, CPU_CYCLES, INSTRUCTIONS, cache_code, event_idx

_STILL = Counts(cycle=0)

# Selector (docs/reference/hpm-profile.md: 1 cycles, 2 instructions, 3 + k external event k) of each general and cache
# event.
SELECTORS: Mapping[int, int] = {
    **{code: code for code in range(1, 11)},
    event_idx(CACHE, cache_code(0, 0, 0)): 3,
    event_idx(CACHE, cache_code(0, 0, 1)): 4,
    event_idx(CACHE, cache_code(1, 0, 1)): 9,
    event_idx(CACHE, cache_code(3, 1, 1)): 10,
}


class HpmBackend:
    """CSRs of a counter model, and a monitored memory. counts: what happens in a cycle with an access."""

    def __init__(
        self, hpm: Hpm, memory: MonitoredMemory | None = None, counts: Callable[[], Counts] | None = None
    ) -> None:
        self.hpm = hpm
        self.memory = memory or MonitoredMemory()
        self.counts = counts or (lambda: _STILL)
        self.read_mem, self.write_mem, self.valid_address = (
            self.memory.read_mem,
            self.memory.write_mem,
            self.memory.valid,
        )

    def read_csr(self, address: int) -> int:
        """Value of a CSR. AccessError if the configuration does not have it."""
        return self._access(READ, address, 0)

    def write_csr(self, address: int, value: int) -> None:
        """Write a CSR. AccessError if the configuration does not have it."""
        self._access(WRITE, address, value)

    def supervisor_csr(self, op: int, address: int, value: int = 0) -> int:
        """An access of the supervisor, in S-mode. AccessError if it is refused."""
        return self._access(op, address, value, HS)

    def run(self, priv: int, counts: Counts, cycles: int = 1) -> None:
        """The hart runs software: so many cycles, in each of which this happens."""
        for _ in range(cycles):
            self.hpm.cycle(priv, counts)

    def peek(self, address: int, size: int) -> bytes:
        """The supervisor reads memory."""
        return self.memory.read(address, size)

    def poke(self, address: int, data: bytes) -> None:
        """The supervisor writes memory."""
        self.memory.write(address, data)

    def _access(self, op: int, address: int, value: int, priv: int = M) -> int:
        answer = self.hpm.cycle(priv, self.counts(), Access(op, address, value, priv))
        assert answer is not None
        if answer.outcome != DONE:
            raise AccessError(
                f"access to CSR {address:#x} was refused in mode {PRIVILEGES[priv]}; make the platform with"
                " platform_of(config)"
            )
        return answer.rdata


def platform_of(config: Config, firmware: tuple[int, ...] = (40, 41, 43), gap: int = 0, **options: object) -> Platform:
    """The platform that a counter block is: its counters at their own numbers + gap (so that 1 is a hole), firmware
    counters at these indices.

    A counter monitors the general and cache events of SELECTORS that it can count, and every selector as a separate raw
    event.
    """
    fixed = {0: CPU_CYCLES, 2: INSTRUCTIONS}
    counters: list[Hardware | Firmware] = [Firmware(index) for index in firmware]
    for n in range(32):
        if not config.has(n) or not config.inhibit >> n & 1:
            continue
        can = [selector for selector in range(1, 64) if config.selectors[n] >> selector & 1]
        events = frozenset(
            {fixed[n]} if n in fixed else {event for event, selector in SELECTORS.items() if selector in can}
        )
        raw = () if n in fixed else tuple((selector, (1 << 64) - 1) for selector in can)
        counters.append(Hardware(n + gap, n, config.widths[n], events, raw))
    names = {
        "SET_MINH": 1,
        "SET_SINH": config.has_s,
        "SET_UINH": config.has_u,
        "SET_VSINH": config.has_h,
        "SET_VUINH": config.has_h,
    }
    given: dict[str, object] = {
        "counters": tuple(counters),
        "selectors": SELECTORS,
        "sscofpmf": bool(config.has_sscofpmf),
        "smcntrpmf": bool(config.has_smcntrpmf),
        "filters": frozenset(name for name, there in names.items() if there),
        **options,
    }
    return Platform(xlen=config.xlen, **given)  # type: ignore[arg-type]
