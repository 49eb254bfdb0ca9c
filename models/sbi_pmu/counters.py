# SPDX-License-Identifier: Apache-2.0
"""State of the SBI PMU extension: settings of each logical counter, sets of counters, which counter an event gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.tables import CPU_CYCLES, FIRMWARE, FIRMWARE_PLATFORM, INSTRUCTIONS, RAW_BITS, defined


@dataclass
class Cell:
    """What a counter keeps. value: of a firmware counter only."""

    started: bool = False
    value: int = 0


@dataclass
class Logical:
    """A logical counter. event, data: what it is configured for, or None. cell: `own`, or (policy firmware_value) that
    of its event.
    """

    counter: Hardware | Firmware
    event: int | None = None
    data: int = 0
    own: Cell = field(default_factory=Cell)

    def __post_init__(self) -> None:
        self.cell = self.own

    @property
    def started(self) -> bool:
        """Whether it is started."""
        return self.cell.started

    @started.setter
    def started(self, started: bool) -> None:
        self.cell.started = started

    @property
    def value(self) -> int:
        """Value of a firmware counter."""
        return self.cell.value

    @value.setter
    def value(self, value: int) -> None:
        self.cell.value = value

    @property
    def index(self) -> int:
        """Logical index."""
        return self.counter.index


Named = list[tuple[int, Logical]]  # position in counter_idx_mask, counter


class Counters:
    """All logical counters of a platform."""

    def __init__(self, platform: Platform, policy: Policy) -> None:
        self.platform, self.policy = platform, policy
        self.all = [Logical(counter) for counter in platform.counters]
        self.cells: dict[int, Cell] = {}  # of firmware events that share one
        self.at = {logical.index: logical for logical in self.all}
        self.firmware = [logical for logical in self.all if isinstance(logical.counter, Firmware)]
        self.firmware_mask = (1 << platform.firmware_width) - 1
        self.end = self.all[-1].index + 1 if self.all else 0
        self.last_hardware = max((x.index for x in self.all if isinstance(x.counter, Hardware)), default=-1)

    def named(self, base: int, mask: int) -> Named | None:
        """The set of counter_idx_base and counter_idx_mask, lowest first; None if it is INVALID_PARAM."""
        at, out, ones = self.at, [], (1 << self.platform.xlen) - 1
        skip = self.policy["invalid_in_set"] == "skip"
        if not mask:
            empty = self.policy["empty_set"]
            return None if empty == "refuse" or (empty == "base" and base >= self.end) else []
        if self.policy["set_wraps"] == "lost":
            mask &= ones >> min(base, self.platform.xlen)
        last = base + mask.bit_length() - 1
        if (last & ones if self.policy["set_wraps"] == "wraps" else last) >= self.end:
            return None
        while mask:
            low = mask & -mask
            mask ^= low
            position = low.bit_length() - 1
            logical = at.get(base + position & ones)
            if logical is not None:
                out.append((position, logical))
            elif not skip:
                return None
        return out

    def first(self, named: Named, base: int) -> Logical | None:
        """The counter that SKIP_MATCH takes."""
        if self.policy["skip_first"] == "base":
            return self.at.get(base)
        return named[0][1] if named else None

    def supported(self, event: int, data: int) -> bool:
        """Whether some counter of the platform can monitor the event. data as `data_for` gives it."""
        return any(self.monitors(logical, event, data) for logical in self.all)

    def data_for(self, event: int, data: int) -> int | None:
        """event_data as it counts for a defined event; None if it is reserved (policy event_data)."""
        type_, code = event >> 16, event & 0xFFFF
        if type_ in RAW_BITS:
            kept = data & (1 << self.platform.raw_bits(type_)) - 1
        else:
            kept = data if type_ == FIRMWARE and code == FIRMWARE_PLATFORM else 0
        return kept if kept == data or self.policy["event_data"] == "ignore" else None

    def monitors(self, logical: Logical, event: int, data: int) -> bool:
        """Whether this counter can monitor a defined event."""
        counter = logical.counter
        if event >> 16 != FIRMWARE:
            return isinstance(counter, Hardware) and counter.monitors(event, data)
        if not isinstance(counter, Firmware):
            return False
        return self.policy["unknown_event"] == "unchecked" or self.offers(event, data)

    def takes(self, logical: Logical, event: int, data: int) -> bool:
        """Whether SKIP_MATCH gives this counter the event: if it can monitor it, or (policy skip_match=take) if it is
        of its kind.
        """
        alike = isinstance(logical.counter, Firmware) == (event >> 16 == FIRMWARE) and defined(
            event, self.platform.sbi_version
        )
        return self.monitors(logical, event, data) or (alike and self.policy["skip_match"] == "take")

    def offers(self, event: int, data: int) -> bool:
        """Whether the platform has a firmware event, be there a counter for it or not."""
        code = event & 0xFFFF
        return (
            data in self.platform.firmware_data if code == FIRMWARE_PLATFORM else code in self.platform.firmware_events
        )

    def configure(self, logical: Logical, event: int, data: int) -> None:
        """Gives a counter an event."""
        logical.event, logical.data = event, data
        shared = event >> 16 == FIRMWARE and self.policy["firmware_value"] == "event"
        logical.cell = self.cells.setdefault(event, Cell()) if shared else logical.own

    def release(self, logical: Logical) -> None:
        """Takes its event away."""
        logical.event, logical.data, logical.cell = None, 0, logical.own

    def match(self, named: Named, event: int, data: int, base: int) -> Logical | None:
        """The counter of a set that config_matching takes without SKIP_MATCH."""
        if event >> 16 == FIRMWARE and self.policy["firmware_base"] == "position":
            looked_at = (self.at.get(position) for position, logical in named if isinstance(logical.counter, Firmware))
            return next((logical for logical in looked_at if logical is not None and logical.event is None), None)
        fixed = self._fixed(event) if self.policy["fixed_counter"] == "outside" and base <= self.last_hardware else None
        if fixed is not None and not self.platform.sscofpmf:
            return fixed
        if self.policy["set_wraps"] == "wraps" and event >> 16 != FIRMWARE and base > self.last_hardware:
            return None
        free = [logical for _, logical in named if not logical.started and self.monitors(logical, event, data)]
        configured = self.policy["configured"]
        if configured != "free":
            free = [x for x in free if x.event is None] or (free if configured == "last" else [])
        if not free:
            return fixed
        order = self.policy["match_order"]
        if order == "lowest":
            return free[0]
        programmable = [x for x in free if not (isinstance(x.counter, Hardware) and x.counter.fixed)]
        return (programmable or free)[-1 if order == "highest" and event >> 16 != FIRMWARE else 0]

    def _fixed(self, event: int) -> Logical | None:
        number = {CPU_CYCLES: 0, INSTRUCTIONS: 2}.get(event)
        found = (x for x in self.all if isinstance(x.counter, Hardware) and x.counter.number == number)
        return None if number is None else next(found, None)

    def count_firmware(self, code: int, count: int, data: int) -> None:
        """A firmware event happened count times: started counters on it count, modulo their width."""
        event = FIRMWARE << 16 | code
        for logical in self.firmware:
            if logical.started and logical.event == event and (code != FIRMWARE_PLATFORM or logical.data == data):
                logical.value = logical.value + count & self.firmware_mask
                if self.policy["firmware_shared"] == "first" or self.policy["firmware_value"] == "event":
                    return

    def state(self) -> tuple[tuple[int, int | None, int, bool, int], ...]:
        """Index, event, data, started, value of all, to compare."""
        return tuple((x.index, x.event, x.data, x.started, x.value) for x in self.all)
