# SPDX-License-Identifier: Apache-2.0
"""Configuration of a hart with counters, an SBI implementation and control transfer records.

`config.json` is exactly `Config.to_dict()`; a command line writes the options in upper case.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from rvtrace.models.common.options import Options, option
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.sbi_pmu.config import Config as SbiPmuConfig

DEPTHS = (16, 32)
RECORDED = ("S", "U", "LCOFIFRZ")  # bits that the supervisor sets in sctrctl


@dataclass(frozen=True)
class Config(Options):
    """One hart; ConfigError if it is illegal.

    xlen: MXLEN. transfers: most control transfers per cycle. depth: entries that software asks for. width: bits of
    mhpmcounter n.
    """

    IP: ClassVar[str] = "loop"

    xlen: int = option(64, (32, 64))
    transfers: int = option(2, range(1, 5))
    depth: int = option(16, DEPTHS)
    width: int = option(64, range(32, 65))

    @cached_property
    def sbi(self) -> SbiPmuConfig:
        """Counter block, platform and policy (strict)."""
        return SbiPmuConfig(xlen=self.xlen, retired=8, widths=(self.width,), counters=0x7F8)

    @cached_property
    def hpm(self) -> HpmConfig:
        """The counter block alone."""
        return self.sbi.hpm

    @cached_property
    def ctr(self) -> CtrConfig:
        """The control transfer records."""
        kind = CtrConfig(xlen=self.xlen)
        ctl = sum(kind.bit(name) for name in RECORDED)
        return CtrConfig(xlen=self.xlen, transfers=self.transfers, depths=DEPTHS, depth=self.depth, ctl=ctl)
