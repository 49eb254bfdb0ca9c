"""Configuration of a hart with counters, an SBI implementation and control transfer records.

`config.json` holds exactly `Config.to_dict()`; a command line writes the options in upper case.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from models.ctr.config import Config as CtrConfig
from models.hpm.config import Config as HpmConfig
from models.hpm.config import ConfigError
from models.riscv.options import demand_legal
from models.sbi_pmu.config import Config as SbiPmuConfig

DEPTHS = (16, 32)
RECORDED = ("S", "U", "LCOFIFRZ")  # what the supervisor sets in sctrctl
_LEGAL = {"xlen": (32, 64), "transfers": range(1, 5), "depth": DEPTHS, "width": range(32, 65)}


@dataclass(frozen=True)
class Config:
    """One hart; ConfigError on construction if it is illegal. xlen: MXLEN. transfers: most in a cycle. depth: entries that software asks for. width: bits of mhpmcounter n."""

    xlen: int = 64
    transfers: int = 2
    depth: int = 16
    width: int = 64

    def __post_init__(self) -> None:
        demand_legal(self, _LEGAL, ConfigError)

    @property
    def sbi(self) -> SbiPmuConfig:
        """Counter block, platform and policy (strict)."""
        return SbiPmuConfig(xlen=self.xlen, retired=8, widths=(self.width,), counters=0x7F8)

    @property
    def hpm(self) -> HpmConfig:
        """The counter block alone."""
        return self.sbi.hpm

    @property
    def ctr(self) -> CtrConfig:
        """The control transfer records."""
        kind = CtrConfig(xlen=self.xlen)
        ctl = sum(kind.bit(name) for name in RECORDED)
        return CtrConfig(xlen=self.xlen, transfers=self.transfers, depths=DEPTHS, depth=self.depth, ctl=ctl)

    def to_dict(self) -> dict[str, Any]:
        """What `config.json` holds."""
        return {"ip": "loop", **asdict(self)}

    def words(self) -> dict[str, str]:
        """The options that differ from the default, by name, as a command line has them."""
        return {f.name: str(getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Config:
        """From `config.json` or command line; numbers may be text. ConfigError names an unknown option."""
        known, given = {f.name for f in fields(cls)}, {}
        for name, value in values.items():
            if name == "ip":
                continue
            if name not in known:
                raise ConfigError(f"unknown option {name.upper()}={value}; known are {', '.join(sorted(known)).upper()}")
            try:
                given[name] = int(str(value), 0)
            except ValueError:
                raise ConfigError(f"{name.upper()}={value} is not a number; give one, such as {name.upper()}={getattr(cls(), name)}") from None
        return cls(**given)
