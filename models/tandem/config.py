"""Configuration of a tandem trace: what encoder, decoder and verifier must agree on, and the choices of our encoder.

`config.json` of a capture holds exactly `Config.to_dict()`; a command line writes the options in upper case
(`XLEN=32 MLEN=34 ABSENT=paddr,eaddr`). Options: docs/tandem-profile.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from models.riscv.options import demand_legal
from models.tandem.table import ABSENT_NAMES

NO_INCREMENT, INCREMENT, INCREMENT_ALL = range(3)


class ConfigError(ValueError):
    """A configuration that is not legal; the text says what is."""


@dataclass(frozen=True)
class Config:
    """One implementation; ConfigError on construction if it is illegal.

    xlen: 32 or 64. flen: 0 (no f registers), 32 or 64. mlen: 64 on RV64; on RV32 34 (sent as 5 bytes) with Sv32, else 32;
    0: 64 or 32. compressed: the hart has 16-bit instructions. lanes: groups taken in a cycle. incremental: 0 never,
    1 of pc and fcsr, 2 of every register that has a base (docs/tandem-profile.md). implied_end: end group is left out
    where a begin group follows. absent: names of parts that this implementation does not trace.
    response_data_on_failure: a response that tells a failure has data nevertheless (TV-2).
    """

    xlen: int = 64
    flen: int = 64
    mlen: int = 0
    compressed: int = 1
    lanes: int = 1
    incremental: int = INCREMENT
    implied_end: int = 0
    absent: tuple[str, ...] = ()
    response_data_on_failure: int = 0

    def __post_init__(self) -> None:
        demand_legal(self, _LEGAL, ConfigError)
        widths = (64,) if self.xlen == 64 else (32, 34)
        if self.mlen == 0:
            object.__setattr__(self, "mlen", widths[0])
        if self.mlen not in widths:
            shown = " or ".join(map(str, widths))
            raise ConfigError(f"MLEN={self.mlen} does not fit XLEN={self.xlen}; give MLEN={shown}")
        wrong = [name for name in self.absent if name not in ABSENT_NAMES]
        if wrong:
            raise ConfigError(f"ABSENT names {wrong[0]}, which no trace has; give some of {','.join(ABSENT_NAMES)}")
        object.__setattr__(self, "absent", tuple(name for name in ABSENT_NAMES if name in self.absent))

    @property
    def mlen_bytes(self) -> int:
        """Bytes of an address: MLEN rounded up."""
        return (self.mlen + 7) // 8

    @property
    def mlen_bits(self) -> int:
        """Bits of an address as it is sent."""
        return 8 * self.mlen_bytes

    def traces(self, name: str) -> bool:
        """Whether a part of this name (one of ABSENT_NAMES) is in the trace: f registers and fcsr need FLEN, a response its request."""
        if name in ("fpr", "fcsr") and not self.flen:
            return False
        if name == "response" and "request" in self.absent:
            return False
        return name not in self.absent

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {"ip": "tandem", **asdict(self), "absent": list(self.absent)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text, lists comma-separated. ConfigError names an unknown option."""
        known = {f.name for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in values.items():
            if name == "ip":
                continue
            if name not in known:
                raise ConfigError(f"unknown option {name.upper()}={value}; known are {', '.join(n.upper() for n in sorted(known))}")
            given[name] = _names(value) if name == "absent" else _number(name, value)
        return cls(**given)


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(item for item in value.replace("+", ",").split(",") if item)
    return tuple(value)


def _number(name: str, value: Any) -> int:
    try:
        return int(value) if isinstance(value, int) else int(str(value), 0)
    except ValueError:
        raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}=0") from None


_LEGAL: dict[str, tuple[int, ...]] = {
    "xlen": (32, 64), "flen": (0, 32, 64), "lanes": (1, 2), "incremental": (0, 1, 2),
    **dict.fromkeys(("compressed", "implied_end", "response_data_on_failure"), (0, 1)),
}  # fmt: skip
