# SPDX-License-Identifier: Apache-2.0
"""Configuration of the adapters and of the core in front of them.

`config.json` is exactly `Config.to_dict()`; a command line writes the options in upper case.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from rvtrace.models.common.options import Options, option, switch
from rvtrace.models.tandem.config import Config as TandemConfig

EVENT_DEPTH = 16  # of the bench


@dataclass(frozen=True)
class Config(Options):
    """One core; ConfigError if it is illegal.

    xlen: MXLEN. channels: of RVFI, and slots of the hart port. flen: width of f registers, 0 without. trap_port: the
    core has one. check_pc: pc_wdata is checked always (2), not after an xRET (1), never (0). mask_by_insn: the masks
    mean something in loads and stores only. zcm: with Zcmp and Zcmt. blocks,
    iretire_width: of the ingress port.
    """

    IP: ClassVar[str] = "adapter"

    xlen: int = option(64, (32, 64))
    channels: int = option(1, (1, 2))
    flen: int = option(0, (0, 32, 64))
    trap_port: int = switch(1)
    check_pc: int = option(2, range(3))
    mask_by_insn: int = switch()
    zcm: int = switch()
    blocks: int = option(1, range(1, 5))
    iretire_width: int = option(7, range(3, 17))

    @cached_property
    def tandem(self) -> TandemConfig:
        """The rows of the hart port."""
        return TandemConfig(xlen=self.xlen, lanes=self.channels)
