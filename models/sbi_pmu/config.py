# SPDX-License-Identifier: Apache-2.0
"""Configuration of a counter block with its SBI implementation: counters, platform and policy.

`config.json` of a capture is exactly `Config.to_dict()`; a command line writes the options in upper case: those of
models/hpm/config.py, and `GAP=60 FIRMWARE=70+71+90 FIRMWARE_WIDTH=48 POLICY=opensbi,minh=asked`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

from rvtrace.models.common.options import ConfigError, cut, items, number, option, shown, switch
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.sbi_pmu.backend_hpm import platform_of
from rvtrace.models.sbi_pmu.platform import Platform, PlatformError
from rvtrace.models.sbi_pmu.policy import Policy, PolicyError
from rvtrace.models.sbi_pmu.tables import FIRMWARE_EVENTS

# A firmware event of the SBI implementation, and one of the platform, that every system has (monitored from SBI 2.0
# on).
OWN_EVENT, OWN_DATA = 256, 0x77
MOST_INDICES = 4096  # logical counter indices are below this: far more than the 64 of Linux
RECORDED = ("S", "U", "LCOFIFRZ")  # bits that the supervisor sets in sctrctl
DEPTHS = (16, 32)  # of the control transfer records
_BLOCK = frozenset(f.name for f in fields(HpmConfig))


@dataclass(frozen=True)
class Config(HpmConfig):
    """One system; ConfigError if it is illegal. The options of the counter block come first.

    gap: logical index of a hardware counter minus its number. firmware: logical indices of the firmware counters
    ("none": none), firmware_width: their bits. sbi: ten times the SBI version (20: 2.0; later functions and events do
    not exist). snapshot, event_info: whether the optional functions exist.
    policy: name of a set, then changes: "opensbi,minh=asked". records: entries of the control transfer records that the
    supervisor reads at each counter overflow (0: the hart has none); transfers: most of them per cycle.
    """

    IP: ClassVar[str] = "sbi_pmu"

    gap: int = option(0, range(-31, MOST_INDICES))
    firmware: tuple[int, ...] = (40, 41, 43)
    firmware_width: int = option(64, range(1, 65))
    sbi: int = option(30, range(3, 100))
    snapshot: int = switch(1)
    event_info: int = switch(1)
    policy: str = "strict"
    records: int = option(0, (0, *DEPTHS))
    transfers: int = option(2, range(1, 5))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.has_s:
            raise ConfigError("HAS_S=0: without a supervisor nothing calls the SBI implementation; give HAS_S=1")
        if self.records and not self.has_sscofpmf:
            raise ConfigError(
                f"RECORDS={self.records} needs the interrupt of Sscofpmf; give HAS_SSCOFPMF=1, or RECORDS=0"
            )
        if self.records and self.transfers > self.retired:
            raise ConfigError(
                f"TRANSFERS={self.transfers} with RECORDS={self.records}: each transfer is an instruction, and"
                f" RETIRED={self.retired} retire in a cycle; give RETIRED={self.transfers} or more"
            )
        if wrong := [index for index in self.firmware if not 0 <= index < MOST_INDICES]:
            raise ConfigError(f"{shown('firmware', wrong[0])} is not supported; give FIRMWARE=0 to {MOST_INDICES - 1}")
        try:
            _ = self.policies, self.platform  # made to find out whether they are legal
        except (PolicyError, PlatformError) as error:
            raise ConfigError(cut(error, 250)) from None

    @cached_property
    def hpm(self) -> HpmConfig:
        """The counter block alone."""
        return HpmConfig(**{name: getattr(self, name) for name in _BLOCK})

    @cached_property
    def ctr(self) -> CtrConfig:
        """The control transfer records alone."""
        kind = CtrConfig(xlen=self.xlen)
        ctl = sum(kind.bit(name) for name in RECORDED)
        return CtrConfig(xlen=self.xlen, transfers=self.transfers, depths=DEPTHS, depth=self.records, ctl=ctl)

    @property
    def policies(self) -> Policy:
        """The policy as data; PolicyError if it does not exist."""
        name, *changes = self.policy.split(",")
        choices = {}
        for change in changes:
            key, equals, value = change.partition("=")
            if not equals:
                raise PolicyError(
                    f"{shown('policy', self.policy)} contains {change}; write key=value after the name of a set"
                )
            choices[key] = value
        return Policy(name, **choices)

    @cached_property
    def platform(self) -> Platform:
        """The counters and events that the SBI implementation offers; PlatformError if they contradict each other."""
        return platform_of(
            self.hpm,
            self.firmware,
            self.gap,
            firmware_width=self.firmware_width,
            sbi_version=divmod(self.sbi, 10),
            snapshot=bool(self.snapshot),
            event_info=bool(self.event_info),
            firmware_events=frozenset({*range(len(FIRMWARE_EVENTS)), OWN_EVENT}),
            firmware_data=frozenset({OWN_DATA}),
        )

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """FIRMWARE is a list of numbers, or "none"."""
        if name == "firmware":
            return tuple(number(name, item, example="40+41") for item in items(name, "" if value == "none" else value))
        return super().parse(name, value, given)

    def words(self) -> dict[str, str]:
        """The options that differ from the defaults, as text for a command line; `from_dict` reads them."""
        own = {f.name: getattr(self, f.name) for f in fields(Config) if f.name not in _BLOCK}
        usual = {f.name: f.default for f in fields(Config)}
        return super().words() | {
            name: "+".join(map(str, value)) or "none" if name == "firmware" else str(value)
            for name, value in own.items()
            if value != usual[name]
        }
