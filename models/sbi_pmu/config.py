"""Configuration of a whole system: the counter block, the platform that the SBI implementation makes of it, and its policy.

`config.json` of a capture holds exactly `Config.to_dict()`; a command line writes the options in upper case: those of
models/hpm/config.py, and `GAP=60 FIRMWARE=70+71+90 FIRMWARE_WIDTH=48 POLICY=opensbi,minh=asked`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from models.hpm.config import Config as HpmConfig
from models.hpm.config import ConfigError
from models.sbi_pmu.backend_hpm import platform_of
from models.sbi_pmu.platform import Platform, PlatformError
from models.sbi_pmu.policy import Policy, PolicyError
from models.sbi_pmu.tables import FIRMWARE_EVENTS

OWN_EVENT, OWN_DATA = 256, 0x77  # a firmware event of the SBI implementation, and one of the platform, that every system has (to be monitored from SBI 2.0 on)
_BLOCK = frozenset(f.name for f in fields(HpmConfig))


@dataclass(frozen=True)
class Config(HpmConfig):
    """One system; ConfigError on construction if it is illegal. The options of the counter block come first.

    gap: logical index of a hardware counter minus its number. firmware: logical indices of the firmware counters ("none": none),
    firmware_width: their bits. sbi: SBI version, ten times (20: 2.0; later functions and events are not there). snapshot, event_info: whether the optional functions are there.
    policy: name of a set, then changes: "opensbi,minh=asked".
    """

    gap: int = 0
    firmware: tuple[int, ...] = (40, 41, 43)
    firmware_width: int = 64
    sbi: int = 30
    snapshot: int = 1
    event_info: int = 1
    policy: str = "strict"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.has_s:
            raise ConfigError("HAS_S=0 leaves no supervisor to call the SBI implementation; give HAS_S=1")
        try:
            self.policies, self.platform  # noqa: B018 - they are made to see whether they can be
        except (PolicyError, PlatformError) as error:
            raise ConfigError(str(error)) from None

    @property
    def hpm(self) -> HpmConfig:
        """The counter block alone."""
        return HpmConfig(**{name: getattr(self, name) for name in _BLOCK})

    @property
    def policies(self) -> Policy:
        """The policy as data. PolicyError if it does not exist."""
        name, *changes = self.policy.split(",")
        choices = {}
        for change in changes:
            key, equals, value = change.partition("=")
            if not equals:
                raise PolicyError(f"POLICY={self.policy} has {change} in it; write key=value behind the name of a set")
            choices[key] = value
        return Policy(name, **choices)

    @property
    def platform(self) -> Platform:
        """What the SBI implementation offers. PlatformError if it cannot be."""
        return platform_of(
            self.hpm, self.firmware, self.gap, firmware_width=self.firmware_width, sbi_version=divmod(self.sbi, 10), snapshot=bool(self.snapshot),
            event_info=bool(self.event_info), firmware_events=frozenset({*range(len(FIRMWARE_EVENTS)), OWN_EVENT}), firmware_data=frozenset({OWN_DATA}),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {**super().to_dict(), "ip": "sbi_pmu", "firmware": list(self.firmware)}

    def words(self) -> dict[str, str]:
        """The options that differ from the default, by name, as a command line has them."""
        own = {f.name: getattr(self, f.name) for f in fields(Config) if f.name not in _BLOCK and getattr(self, f.name) != f.default}
        return super().words() | {name: "+".join(map(str, value)) or "none" if name == "firmware" else str(value) for name, value in own.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text. ConfigError names an unknown option."""
        unknown = set(values) - {f.name for f in fields(cls)} - {"ip"}
        if unknown:
            name = sorted(unknown)[0]
            raise ConfigError(f"unknown option {name.upper()}={values[name]}; known are {', '.join(f.name.upper() for f in fields(cls))}")
        block = HpmConfig.from_dict({name: value for name, value in values.items() if name in _BLOCK or name == "ip"})
        given = {name: _own(name, value) for name, value in values.items() if name not in _BLOCK and name != "ip"}
        return cls(**{**asdict(block), **given})


def _own(name: str, value: Any) -> Any:
    if name == "policy":
        return str(value)
    try:
        if name == "firmware":
            return tuple(int(str(item), 0) for item in (value.split("+") if isinstance(value, str) else value) if item not in ("", "none"))
        return int(str(value), 0)
    except ValueError:
        raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}={'40+41' if name == 'firmware' else 1}") from None
