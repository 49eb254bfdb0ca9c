# SPDX-License-Identifier: Apache-2.0
"""What the directed SBI PMU scenarios are made of: the record, their registry, and a supervisor with short names for
its calls.

A scenario is a script of `rvtrace.models.sbi_pmu.calls`, played on the counter model and on RTL alike. It fits every
platform: counters are requested by what they can do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from rvtrace.models.hpm.events import Counts
from rvtrace.models.riscv.csr import CLEAR, HS, READ, VS, VU, U
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call, FirmwareEvent, Peek, Poke, Run, Script, SupervisorCsr
from rvtrace.models.sbi_pmu.client import LCOFIP, SCOUNTOVF, SIP
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.platform import Hardware
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.tb.common.stimulus.scenario import Configs, Scenarios
from rvtrace.tb.sbi_pmu.stimulus.builds import BARE, DEFAULT, GUEST, RV32

__all__ = [
    "ALL",
    "BARE",
    "BASE",
    "DEFAULT",
    "GUEST",
    "RV32",
    "SCENARIOS",
    "SHMEM",
    "SIZE",
    "Supervisor",
    "scenario",
]

ALL: Configs = (DEFAULT, RV32, GUEST, BARE)
BASE, SIZE = 0x8000_0000, 0x10000  # memory of the supervisor
SHMEM, ENTRIES = BASE + 0x1000, BASE + 0x4000
CONFIG, START, STOP = "counter_config_matching", "counter_start", "counter_stop"


class Supervisor:
    """Calls by short names; indices are logical. Every method is a script."""

    def __init__(self, config: Config, rng: Random) -> None:
        self.config, self.rng, self.platform, self.xlen = config, rng, config.platform, config.xlen
        counters = self.platform.counters
        self.hardware = [c for c in counters if isinstance(c, Hardware)]
        self.programmable = [c for c in self.hardware if not c.fixed]
        self.fixed = [c for c in self.hardware if c.fixed]
        self.firmware = [c.index for c in counters if not isinstance(c, Hardware)]
        self.indices = [c.index for c in counters]
        self.holes = [i for i in range(max(self.indices) + 3) if i not in self.indices]
        self.ones = (1 << self.xlen) - 1
        self.raw = sbi.event_idx(sbi.RAW_V2 if self.platform.sbi_version >= (3, 0) else sbi.RAW)

    # Which counters

    def set_of(self, indices: Iterable[int], base: int | None = None) -> dict[str, int]:
        """The set of these indices: from the lowest on, or from a base; those that do not fit are left out."""
        chosen = sorted(indices)
        base = (chosen[0] if chosen else 0) if base is None else base
        mask = sum(1 << index - base for index in chosen if 0 <= index - base < self.xlen)
        return {"counter_idx_base": base, "counter_idx_mask": mask}

    def near(self, indices: Sequence[int]) -> list[int]:
        """Those that one set can name."""
        return [index for index in indices if index - min(indices) < self.xlen]

    def able(self, event: int, data: int = 0) -> list[int]:
        """Indices of hardware counters that can monitor an event."""
        return [c.index for c in self.hardware if c.monitors(event, data)]

    def own_event(self, index: int) -> tuple[int, int]:
        """(event_idx, event_data) that a counter can monitor, another one for each counter where there are enough."""
        for c in self.hardware:
            if c.index == index:
                events = sorted(c.events)
                return (events[index % len(events)], 0) if events else (self.raw, c.raw[0][0])
        return sbi.event_idx(sbi.FIRMWARE, index % len(sbi.FIRMWARE_EVENTS)), 0

    # Calls

    def call(self, function: str, **arguments: int) -> Script[SbiRet]:
        """A call with named arguments."""
        return (yield Call.of(self.xlen, function, **arguments))

    def match(
        self, indices: Sequence[int], event: int, flags: int = 0, data: int = 0, base: int | None = None
    ) -> Script[SbiRet]:
        """config_matching of a set."""
        return (
            yield from self.call(
                CONFIG, **self.set_of(indices, base), config_flags=flags, event_idx=event, event_data=data
            )
        )

    def give(self, index: int, flags: int = 0) -> Script[SbiRet]:
        """A counter gets its own event."""
        event, data = self.own_event(index)
        return (yield from self.match([index], event, flags, data))

    def start(self, indices: Sequence[int], flags: int = 0, value: int = 0, base: int | None = None) -> Script[SbiRet]:
        """counter_start of a set."""
        return (yield from self.call(START, **self.set_of(indices, base), start_flags=flags, initial_value=value))

    def stop(self, indices: Sequence[int], flags: int = 0, base: int | None = None) -> Script[SbiRet]:
        """counter_stop of a set."""
        return (yield from self.call(STOP, **self.set_of(indices, base), stop_flags=flags))

    def shmem(self, address: int | None = SHMEM, **arguments: int) -> Script[SbiRet]:
        """snapshot_set_shmem; None: clear."""
        at = (1 << 2 * self.xlen) - 1 if address is None else address
        return (
            yield from self.call(
                "snapshot_set_shmem", **{"shmem_phys_lo": at & self.ones, "shmem_phys_hi": at >> self.xlen, **arguments}
            )
        )

    def info(self, entries: Sequence[tuple[int, int]], at: int = ENTRIES, **arguments: int) -> Script[SbiRet]:
        """event_get_info of (event_idx word, event_data) entries, and a look at them."""
        words = b"".join(
            event.to_bytes(4, "little") + b"\xa5" * 4 + data.to_bytes(8, "little") for event, data in entries
        )
        yield Poke(at, words)
        given = {
            "shmem_phys_lo": at & self.ones,
            "shmem_phys_hi": at >> self.xlen,
            "num_entries": len(entries),
            **arguments,
        }
        ret = yield from self.call("event_get_info", **given)
        yield Peek(at, len(words))
        return ret

    def slot(self, index: int, base: int, value: int) -> Script[None]:
        """A value into the slot of a counter."""
        yield Poke(
            SHMEM + sbi.VALUES_OFFSET + sbi.VALUE_SIZE * (index - base),
            (value % (1 << 64)).to_bytes(sbi.VALUE_SIZE, "little"),
        )

    # What happens, and what can be seen

    def work(self, times: int = 1) -> Script[None]:
        """Three cycles in every mode; in each of them everything happens so often."""
        most = (1 << self.config.event_bits) - 1
        events = (min(times, most),) * self.config.events
        for priv in (U, HS, *((VU, VS) if self.config.has_h else ())):
            yield Run(priv, Counts(retired=min(times, self.config.retired), events=events), 3)

    def fire(self, code: int, count: int = 1, data: int = 0) -> Script[None]:
        """A firmware event."""
        yield FirmwareEvent(code, count, data)

    def read(self, index: int) -> Script[None]:
        """The value of a counter, all of its bits."""
        for c in self.hardware:
            if c.index == index:
                yield SupervisorCsr(READ, c.csr)
                if self.xlen == 32:
                    yield SupervisorCsr(READ, c.csr + 0x80)
                return
        yield from self.call("counter_fw_read", counter_idx=index)
        yield from self.call("counter_fw_read_hi", counter_idx=index)

    def look(self, indices: Iterable[int], clear: bool = False) -> Script[None]:
        """Values of counters, and who overflowed; clear: LCOFIP as well."""
        for index in indices:
            yield from self.read(index)
        if self.platform.sscofpmf:
            yield SupervisorCsr(READ, SCOUNTOVF)
            yield SupervisorCsr(READ, SIP)
            if clear:
                yield SupervisorCsr(CLEAR, SIP, LCOFIP)

    def tidy(self) -> Script[None]:
        """Everything stopped and given back, one by one."""
        for index in self.indices:
            yield from self.stop([index], sbi.RESET)
            yield from self.stop([index], sbi.RESET)


def _supervised(
    function: Callable[[Supervisor], Script[None]], fresh: bool
) -> Callable[[Config, Random], Script[None]]:
    """The script of a supervisor, which goes on with each answer."""
    return lambda config, rng: function(Supervisor(config, rng))


SCENARIOS = Scenarios(configs=ALL, script=_supervised)
scenario = SCENARIOS.scenario
