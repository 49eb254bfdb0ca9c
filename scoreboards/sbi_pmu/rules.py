# SPDX-License-Identifier: Apache-2.0
"""The chapter's rules about answers: the state that a supervisor knows of, and why a call has to be refused.

A reason to refuse is an error with the clause that requires it, in the order of docs/reference/sbi-pmu.md; no reason
means SUCCESS. Policies (models/sbi_pmu/policy.py) say what is done where implementations disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform
from rvtrace.models.sbi_pmu.policy import Policy

Version = tuple[int, int]
NEWEST: Version = (3, 0)
_FIRST: Version = (0, 3)


class Row(NamedTuple):
    """event_idx.type, its codes that are neither reserved nor NO_EVENT, and the SBI version that brought them."""

    type: int
    codes: Container[int]
    since: Version = _FIRST


_CACHE_CODES = frozenset(cache << 3 | op << 1 | result for cache in range(7) for op in range(3) for result in range(2))
ROWS = (
    Row(0, range(1, 11)),
    Row(1, _CACHE_CODES),
    Row(2, (0,)),
    Row(3, (0,), (3, 0)),  # Change Log, 3.0-rc1/rc2: "new raw event type"
    Row(15, range(22)),  # the whole table of 0.3 and 1.0
    Row(
        15, range(256, 65536), (2, 0)
    ),  # Change Log, 2.0-rc1: space for the implementation's own; with it 65535 for the platform's
)


def there(event: int, version: Version) -> bool:
    """Whether the chapter of this SBI version has the event_idx.

    A value of more than 20 bits has no type of the table.
    """
    return any(row.type == event >> 16 and event & 0xFFFF in row.codes and version >= row.since for row in ROWS)


def absent(event: int) -> str:
    """The clause by which an event_idx is not there."""
    if there(event, NEWEST):
        return "SBI.event.version"
    if event == 0:
        return "SBI.event.no_event"
    return {2: "SBI.event.raw_code", 3: "SBI.event.raw_code", 15: "SBI.event.firmware"}.get(
        event >> 16, "SBI.event.undefined"
    )


@dataclass
class Cell:
    """What counts: a counter, or (policy firmware_value=event) a firmware event.

    value: of a firmware counter; what a hardware counter holds is in the shadow. other: clause -> value if it had been
    broken since the last read.
    """

    started: bool = False
    value: int = 0
    other: dict[str, int] = field(default_factory=dict)


@dataclass
class Logical:
    """A logical counter as the supervisor's calls made it. cells: of firmware events, where counters share them."""

    counter: Hardware | Firmware
    own: Cell
    event: int | None = None
    data: int = 0
    cells: dict[int, Cell] | None = None

    @property
    def cell(self) -> Cell:
        """Its own, or that of its event."""
        if self.cells is None or self.event is None or not self.counts_firmware:
            return self.own
        return self.cells.setdefault(self.event, Cell())

    @property
    def started(self) -> bool:
        """Whether it was started, and not stopped since."""
        return self.cell.started

    @property
    def index(self) -> int:
        """Logical index."""
        return self.counter.index

    @property
    def counts_firmware(self) -> bool:
        """Whether its event is firmware's; policy firmware_base=position gives such events to hardware counters, which
        then stop.
        """
        return self.event is not None and self.event >> 16 == sbi.FIRMWARE

    def alike(self, event: int) -> bool:
        """Whether counter and event are both firmware's, or both hardware's."""
        return (self.hardware is None) == (event >> 16 == sbi.FIRMWARE)

    @property
    def hardware(self) -> Hardware | None:
        """The hardware counter; None of a firmware counter."""
        return self.counter if isinstance(self.counter, Hardware) else None


Arguments = dict[str, int]


class Refusal(NamedTuple):
    """One reason: name of the error, clause."""

    error: str
    clause: str


@dataclass
class State:
    """All counters by index, and the snapshot memory.

    valid: whether the supervisor owns a range, None if not known.
    """

    platform: Platform
    policy: Policy
    counters: dict[int, Logical] = field(default_factory=dict)
    shmem: int | None = None
    cells: dict[int, Cell] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for counter in self.platform.counters:
            fixed = self.policy["boot"] == "fixed" and isinstance(counter, Hardware) and counter.fixed
            event = min(counter.events, default=None) if isinstance(counter, Hardware) and fixed else None
            cells = self.cells if self.policy["firmware_value"] == "event" else None
            self.counters[counter.index] = Logical(counter, Cell(fixed), event, 0, cells)

    # Sets

    def indices(self, a: Arguments) -> list[int]:
        """Every index of a set: base + position, without wrapping."""
        xlen, kind = self.platform.xlen, self.policy["set_wraps"]
        indices = [a["counter_idx_base"] + i for i in range(xlen) if a["counter_idx_mask"] >> i & 1]
        if kind == "lost":
            return [index for index in indices if index < xlen]
        return [index % (1 << xlen) for index in indices] if kind == "wraps" else indices

    def position(self, a: Arguments, index: int) -> int:
        """Position of an index in the mask of its set."""
        return (index - a["counter_idx_base"]) % (1 << self.platform.xlen)

    def vague(self, a: Arguments) -> bool:
        """Whether the policy does not say what becomes of a call: indices that get lost may be refused as well, and
        what OpenSBI does with firmware counters is known only where configured counters are busy.
        """
        odd = self.policy["configured"] != "busy" and (
            self.policy["firmware_base"] == "position" or self.policy["firmware_value"] == "event"
        )
        if odd and a.get("event_idx", 0) >> 16 & 15 == sbi.FIRMWARE:
            return True
        if self.policy["set_wraps"] != "lost" or "counter_idx_mask" not in a:
            return False
        return a["counter_idx_base"] + a["counter_idx_mask"].bit_length() > self.platform.xlen

    def wraps(self, a: Arguments) -> bool:
        """Whether an index of a set is too great for a register."""
        return a["counter_idx_base"] + a["counter_idx_mask"].bit_length() > 1 << self.platform.xlen

    def one(self, a: Arguments) -> Logical | None:
        """The counter that a call names by its index."""
        index = a["counter_idx"]
        return self.counters.get(index & 0xFFFF_FFFF if self.policy["wide_index"] == "cut" else index)

    def named(self, a: Arguments) -> list[Logical]:
        """The counters of a set, lowest index first."""
        return [self.counters[index] for index in self.indices(a) if index in self.counters]

    def acted(self, a: Arguments) -> list[Logical]:
        """Those that start and stop act on."""
        named = self.named(a)
        return [one for one in named if one.event is not None] if self.policy["unconfigured"] == "skip" else named

    def _set(self, a: Arguments, name: str) -> Iterator[Refusal]:
        greatest = max(self.counters, default=-1)
        wrong = [index for index in self.indices(a) if index not in self.counters]
        if self.policy["invalid_in_set"] == "skip":
            last = (
                self.indices(a)[-1:] if self.policy["set_wraps"] == "wraps" else wrong
            )  # who cuts looks at the last one
            wrong = [index for index in last if index > greatest]
        far = self.policy["empty_set"] == "base" and a["counter_idx_base"] > greatest
        if wrong or (not a["counter_idx_mask"] and (far or self.policy["empty_set"] == "refuse")):
            yield Refusal("INVALID_PARAM", f"SBI.{name}.invalid_set" if wrong else "SBI.policy")

    def flags_of(self, word: str) -> int:
        """Flags that are not reserved: those of snapshots came with SBI 2.0."""
        later = {"start_flags": sbi.INIT_SNAPSHOT, "stop_flags": sbi.TAKE_SNAPSHOT}.get(word, 0)
        return sum(sbi.FLAGS[word].values()) & ~(later if self.platform.sbi_version < (2, 0) else 0)

    def heeded(self, a: Arguments) -> Arguments:
        """The arguments without flags that are reserved and ignored."""
        if self.policy["reserved_flags"] == "refuse":
            return a
        return {
            name: value & self.flags_of(name) if name in ("config_flags", "start_flags", "stop_flags") else value
            for name, value in a.items()
        }

    def _flags(self, a: Arguments, word: str, name: str) -> Iterator[Refusal]:
        if a[word] & ~self.flags_of(word) and self.policy["reserved_flags"] == "refuse":
            yield Refusal("INVALID_PARAM", f"SBI.{name}.reserved_flags")

    # Events

    def event(self, a: Arguments) -> int:
        """The event_idx that counts."""
        return a["event_idx"] & 0xF_FFFF if self.policy["wide_event"] == "cut" else a["event_idx"]

    def has(self, event: int) -> bool:
        """Whether the chapter, as of the platform's SBI version, has this event_idx."""
        return there(event, self.platform.sbi_version)

    def reserved_data(self, event: int, data: int) -> bool:
        """Whether event_data is not what its event may have."""
        type_ = event >> 16
        if type_ in sbi.RAW_BITS:
            return bool(data >> self.platform.raw_bits(type_))
        return data != 0 and event != sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM)

    def used_data(self, event: int, data: int) -> int:
        """What counts of event_data."""
        if self.policy["event_data"] != "ignore":
            return data
        type_ = event >> 16
        if type_ in sbi.RAW_BITS:
            return data & (1 << self.platform.raw_bits(type_)) - 1
        return data if event == sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM) else 0

    def able(self, logical: Logical, event: int, data: int) -> bool:
        """Whether a counter can monitor an event that is defined."""
        if event >> 16 != sbi.FIRMWARE:
            return logical.hardware is not None and logical.hardware.monitors(event, data)
        if logical.hardware is not None:
            return False
        code = event & 0xFFFF
        if self.policy["unknown_event"] == "unchecked":
            return True
        return (
            data in self.platform.firmware_data
            if code == sbi.FIRMWARE_PLATFORM
            else code in self.platform.firmware_events
        )

    def supported(self, event: int, data: int) -> bool:
        """What event_get_info reports: some counter can monitor it, free or not."""
        data = self.used_data(event, data) if event >> 16 in (*sbi.RAW_BITS, sbi.FIRMWARE) else 0
        reserved = self.policy["event_data"] != "ignore" and self.reserved_data(event, data)
        reserved |= self.policy["info_firmware"] == "zero" and event >> 16 == sbi.FIRMWARE
        if self.policy["info_raw"] == "one" and event >> 16 in sbi.RAW_BITS and self.has(event):
            return True
        return self.has(event) and not reserved and any(self.able(one, event, data) for one in self.counters.values())

    # config_matching

    def candidates(self, a: Arguments) -> list[Logical]:
        """Every counter that config_matching may take, the one of the policy first."""
        named, event = self.named(a), self.event(a)
        data = self.used_data(event, a["event_data"])
        if a["config_flags"] & sbi.SKIP_MATCH:
            base = self.counters.get(a["counter_idx_base"])
            first = ([base] if base else []) if self.policy["skip_first"] == "base" else named[:1]
            if self.policy["skip_match"] == "keep":
                return [one for one in first if one.event is not None]
            return [
                one
                for one in first
                if self.able(one, event, data) or (self.policy["skip_match"] == "take" and one.alike(event))
            ]
        busy = self.policy["configured"] == "busy"
        if self.policy["firmware_base"] == "position" and event >> 16 == sbi.FIRMWARE and a["counter_idx_base"]:
            return [one for one in self._positions(a, named) if one.event is None]
        if (outside := self._outside(event, a)) and not self.platform.sscofpmf:
            return outside
        if self.policy["set_wraps"] == "wraps" and self.wraps(a):
            named = [one for one in named if one.hardware is None]
        free = [
            one
            for one in named
            if not one.started and not (busy and one.event is not None) and self.able(one, event, data)
        ]
        return sorted(free, key=self._order) or outside

    def _order(self, one: Logical) -> tuple[int, int, int]:
        kind, hardware = self.policy["match_order"], one.hardware
        late = self.policy["configured"] == "last" and one.event is not None
        if kind == "lowest" or hardware is None:
            return int(late), 0, one.index
        return int(late), int(hardware.fixed), -one.index if kind == "highest" and not hardware.fixed else one.index

    def _positions(self, a: Arguments, named: list[Logical]) -> list[Logical]:
        """For each firmware counter of a set the one whose index is its position."""
        positions = [self.position(a, one.index) for one in named if one.hardware is None]
        return [self.counters[position] for position in positions if position in self.counters]

    def _outside(self, event: int, a: Arguments) -> list[Logical]:
        behind = a["counter_idx_base"] > max((one.index for one in self.counters.values() if one.hardware), default=-1)
        if self.policy["fixed_counter"] != "outside" or behind:
            return []
        return [
            one
            for one in self.counters.values()
            if one.hardware is not None and one.hardware.fixed and event in one.hardware.events
        ]

    def _config(self, a: Arguments) -> Iterator[Refusal]:
        event, keep = self.event(a), bool(a["config_flags"] & sbi.SKIP_MATCH) and self.policy["skip_match"] == "keep"
        yield from self._flags(a, "config_flags", "config")
        yield from self._set(a, "config")
        kind = self.policy["unknown_event"]
        if keep and kind == "unchecked":
            if not self.candidates(a):
                yield Refusal("INVALID_PARAM", "SBI.config.skip_match")
        elif not self.has(event) and not (kind == "unchecked" and event >> 16 == sbi.FIRMWARE):
            invalid = kind == "invalid_param" or (kind == "except_no_event" and event != 0)
            yield Refusal("INVALID_PARAM" if invalid else "NOT_SUPPORTED", absent(event))
        elif self.reserved_data(event, a["event_data"]) and self.policy["event_data"] != "ignore":
            code = {sbi.RAW: "raw_width", sbi.RAW_V2: "raw_v2_width"}.get(event >> 16, "unused_data")
            yield Refusal(
                "INVALID_PARAM" if self.policy["event_data"] == "invalid_param" else "NOT_SUPPORTED",
                f"SBI.event.{code}",
            )
        elif self.policy["absent_event"] == "invalid_param" and self._absent(
            event, self.used_data(event, a["event_data"])
        ):
            yield Refusal("INVALID_PARAM", "SBI.policy")
        elif a["event_idx"] >> 20 and not keep and event >> 16 != sbi.FIRMWARE:
            yield Refusal("NOT_SUPPORTED", "SBI.policy")
        elif not self.candidates(a):
            yield (
                Refusal("INVALID_PARAM", "SBI.config.skip_match")
                if keep
                else Refusal("NOT_SUPPORTED", self._why_none(a))
            )

    def _absent(self, event: int, data: int) -> bool:
        """Whether this is a firmware event from 256 on that the platform does not have."""
        code = event & 0xFFFF
        offered = (
            data in self.platform.firmware_data
            if code == sbi.FIRMWARE_PLATFORM
            else code in self.platform.firmware_events
        )
        return event >> 16 == sbi.FIRMWARE and code >= sbi.FIRMWARE_SPECIFIC.start and not offered

    def _why_none(self, a: Arguments) -> str:
        """Which part of "from the set, not started, able to count it" leaves none."""
        event, data = self.event(a), self.used_data(self.event(a), a["event_data"])
        able = [one for one in self.counters.values() if self.able(one, event, data)]
        if not able:
            return "SBI.config.not_supported"
        if a["config_flags"] & sbi.SKIP_MATCH:
            return "SBI.config.skip_match"
        named = self.named(a)
        inside = [one for one in able if one in named]
        return "SBI.config.free" if inside else "SBI.config.in_set"

    # start and stop

    def _start(self, a: Arguments) -> Iterator[Refusal]:
        flags, both = a["start_flags"], sbi.SET_INIT_VALUE | sbi.INIT_SNAPSHOT
        yield from self._flags(a, "start_flags", "start")
        if flags & both == both and self.policy["init_both"] == "refuse":
            yield Refusal("INVALID_PARAM", "SBI.start.exclusive")
        yield from self._set(a, "start")
        acted = self.acted(a)
        value = flags & sbi.SET_INIT_VALUE and not (
            flags & sbi.INIT_SNAPSHOT and self.policy["init_both"] == "snapshot"
        )
        if self.policy["init_many"] == "refuse" and value and len(self.named(a)) > 1:
            yield Refusal("INVALID_PARAM", "SBI.policy")
        value = flags & sbi.SET_INIT_VALUE and self.policy["init_both"] == "value"
        if flags & sbi.INIT_SNAPSHOT and not value and self.shmem is None:
            yield Refusal("NO_SHMEM", "SBI.start.no_shmem")
        if not acted and self.policy["unconfigured"] == "skip":
            yield Refusal("INVALID_PARAM", "SBI.policy")
        told = acted if self.policy["already_started"] == "refuse" else acted[-1:]
        if any(one.started and not self.forgiven(one) for one in told):
            yield Refusal("ALREADY_STARTED", "SBI.start.already_started")

    def _stop(self, a: Arguments) -> Iterator[Refusal]:
        yield from self._flags(a, "stop_flags", "stop")
        yield from self._set(a, "stop")
        acted = self.acted(a)
        if a["stop_flags"] & sbi.TAKE_SNAPSHOT and self.shmem is None:
            yield Refusal("NO_SHMEM", "SBI.stop.no_shmem")
        if not acted and self.policy["unconfigured"] == "skip":
            yield Refusal("INVALID_PARAM", "SBI.policy")
        told = acted if self.policy["already_stopped"] == "refuse" else acted[-1:]
        if any(not one.started and not self.forgiven(one) for one in told):
            yield Refusal("ALREADY_STOPPED", "SBI.stop.already_stopped")

    def forgiven(self, one: Logical) -> bool:
        """Whether it may be started again, or stopped again."""
        return one.counts_firmware and self.policy["firmware_started"] == "accept"

    # The other functions

    def _none(self, a: Arguments) -> Iterator[Refusal]:
        yield from ()

    def _info(self, a: Arguments) -> Iterator[Refusal]:
        if self.one(a) is None:
            yield Refusal("INVALID_PARAM", "SBI.info.invalid")

    def _firmware(self, a: Arguments, name: str) -> Iterator[Refusal]:
        one = self.one(a)
        if one is not None and one.hardware is not None and self.policy["fw_read_hardware"] == "answer":
            if one.event is None:
                yield Refusal("INVALID_PARAM", "SBI.policy")
        elif one is None or one.hardware is not None:
            yield Refusal("INVALID_PARAM", f"SBI.{name}.invalid" if one is None else f"SBI.{name}.hardware")
        elif one.event is None and self.policy["firmware_unconfigured"] == "refuse":
            yield Refusal("INVALID_PARAM", "SBI.policy")

    def _fw_read(self, a: Arguments) -> Iterator[Refusal]:
        yield from self._firmware(a, "fw_read")

    def _fw_read_hi(self, a: Arguments) -> Iterator[Refusal]:
        if self.platform.xlen == 32 or self.policy["fw_read_hi"] == "refuse":
            yield from self._firmware(a, "fw_read_hi")

    def address(self, a: Arguments) -> int:
        """Physical address of a call's memory."""
        return a["shmem_phys_lo"] | a["shmem_phys_hi"] << self.platform.xlen

    def clears(self, a: Arguments) -> bool:
        """Whether set_shmem takes the memory away: both registers all-ones."""
        return self.address(a) == (1 << 2 * self.platform.xlen) - 1

    def _shmem(self, a: Arguments, valid: bool | None) -> Iterator[Refusal]:
        if not self.platform.snapshot:
            yield Refusal("NOT_SUPPORTED", "SBI.shmem.not_supported")
            return
        if a["flags"]:
            yield Refusal("INVALID_PARAM", "SBI.shmem.flags")
        if not self.clears(a):
            if a["shmem_phys_lo"] % sbi.SHMEM_ALIGN:
                yield Refusal("INVALID_PARAM", "SBI.shmem.align")
            if valid is False:
                yield Refusal("INVALID_ADDRESS", "SBI.shmem.address")

    def _event_info(self, a: Arguments, valid: bool | None, words: list[int] | None) -> Iterator[Refusal]:
        if not self.platform.event_info:
            yield Refusal("NOT_SUPPORTED", "SBI.evinfo.not_supported")
            return
        if a["flags"]:
            yield Refusal("INVALID_PARAM", "SBI.evinfo.flags")
        if a["shmem_phys_lo"] % sbi.ENTRY_ALIGN:
            yield Refusal("INVALID_PARAM", "SBI.evinfo.align")
        if not a["num_entries"] and self.policy["no_entries"] == "refuse":
            yield Refusal("INVALID_PARAM", "SBI.policy")
        if valid is False:
            yield Refusal("INVALID_ADDRESS", "SBI.evinfo.address")
        elif self.policy["entry_reserved"] == "refuse" and any(word >> 20 for word in words or ()):
            yield Refusal("INVALID_PARAM", "SBI.evinfo.entry_reserved")

    def refusals(
        self, fid: int, a: Arguments, valid: bool | None = None, words: list[int] | None = None
    ) -> list[Refusal]:
        """Every reason to refuse a call.

        valid: whether the supervisor owns the memory that it names; words: event_idx words of event_get_info.
        """
        if not 0 <= fid < len(sbi.FUNCTIONS):
            return [Refusal("NOT_SUPPORTED", "SBI.table.unknown")]
        if not self.platform.has(fid):
            return [Refusal("NOT_SUPPORTED", "SBI.table.version")]
        if fid == sbi.SET_SHMEM:
            return list(self._shmem(a, valid))
        if fid == sbi.EVENT_GET_INFO:
            return list(self._event_info(a, valid, words))
        rules: dict[int, Callable[[Arguments], Iterator[Refusal]]] = {
            sbi.NUM_COUNTERS: self._none,
            sbi.GET_INFO: self._info,
            sbi.CONFIG_MATCHING: self._config,
            sbi.START: self._start,
            sbi.STOP: self._stop,
            sbi.FW_READ: self._fw_read,
            sbi.FW_READ_HI: self._fw_read_hi,
        }
        return list(rules[fid](a))
