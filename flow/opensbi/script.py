# SPDX-License-Identifier: Apache-2.0
"""How scenarios of the comparison with OpenSBI are written: a listing of actions, by name.

listing = Listing(platform)
listing.config(1, 1, base=3)       # config_matching, start, stop with the arguments that matter
listing.actions
"""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.flow.opensbi.machine import ALONG
from rvtrace.models.hpm.events import Counts
from rvtrace.models.riscv.csr import HS
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Action, Call, FirmwareEvent, Run, SupervisorCsr
from rvtrace.models.sbi_pmu.platform import Hardware, Platform

EACH = Counts(cycle=1, retired=1, events=(1,) * 8)  # a cycle of `Run`, as the models see it
HIGH = 0x1234_5600_0000  # initial values far from where any other counter is


def mask_of(indices: Iterable[int]) -> int:
    return sum(1 << index for index in indices)


class Listing:
    """Writes the actions of one scenario by name."""

    def __init__(self, platform: Platform) -> None:
        self.platform, self.xlen = platform, platform.xlen
        self.ones = (1 << self.xlen) - 1
        hardware = [c for c in platform.counters if isinstance(c, Hardware)]
        self.hardware = [c.index for c in hardware if not c.fixed]
        self.fixed = [c.index for c in hardware if c.fixed]
        self.firmware = [c.index for c in platform.counters if not isinstance(c, Hardware)]
        self.indices = [c.index for c in platform.counters]
        self.events = sorted({event for c in hardware for event in c.events})
        self.hw_mask, self.fw_mask = mask_of(self.hardware), mask_of(self.firmware)
        self.early = platform.sbi_version < (2, 0)
        self.actions: list[Action] = []
        self.cleaning: set[int] = set()  # numbers of actions that only clean up

    def call(self, function: str, **arguments: int) -> None:
        self.actions.append(
            Call.of(
                self.xlen, function, **{name: value & self._ones(function, name) for name, value in arguments.items()}
            )
        )

    def _ones(self, function: str, name: str) -> int:
        return (1 << 64) - 1 if name in sbi.BY_NAME[function].wide else self.ones

    def config(self, event: int, mask: int, flags: int = 0, data: int = 0, base: int = 0) -> None:
        self.call(
            "counter_config_matching",
            counter_idx_base=base,
            counter_idx_mask=mask,
            config_flags=flags,
            event_idx=event,
            event_data=data,
        )

    def start(self, mask: int, flags: int = 0, value: int = 0, base: int = 0) -> None:
        self.call("counter_start", counter_idx_base=base, counter_idx_mask=mask, start_flags=flags, initial_value=value)

    def stop(self, mask: int, flags: int = 0, base: int = 0) -> None:
        self.call("counter_stop", counter_idx_base=base, counter_idx_mask=mask, stop_flags=flags)

    def reset(self, *indices: int) -> None:
        """Each counter (or all) stopped and reset by a separate call: no answer and no state of one depends on
        another.
        """
        for index in indices or self.indices:
            self.cleaning.add(len(self.actions))
            self.stop(1, sbi.RESET, base=index)

    def reset_ends(self) -> None:
        """The same for the counters that config_matching takes first, from whatever end it looks."""
        self.reset(*self.fixed, self.hardware[0], self.hardware[-1], self.firmware[0], self.firmware[-1])

    def firmware_event(self, code: int, count: int = 1) -> None:
        """An event, and what the hart gets itself along with it."""
        self.actions.append(FirmwareEvent(code, count))
        self.actions += [FirmwareEvent(along, count) for along, sent in ALONG.items() if sent == code]

    def run(self, cycles: int = 32) -> None:
        self.actions.append(Run(HS, EACH, cycles))

    def csr(self, op: int, address: int, value: int = 0) -> None:
        self.actions.append(SupervisorCsr(op, address, value))

    def value(self, index: int) -> None:
        """Reads a hardware counter, the high half first on RV32."""
        csr = next(c.csr for c in self.platform.counters if isinstance(c, Hardware) and c.index == index)
        if self.xlen == 32:
            self.csr(0, csr + 0x80)
        self.csr(0, csr)

    def values(self, index: int) -> None:
        """Reads a hardware counter, lets the hart run, and reads it again: counts it?"""
        self.value(index)
        self.run()
        self.value(index)
