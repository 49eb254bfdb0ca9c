# SPDX-License-Identifier: Apache-2.0
"""Configuration of a tandem trace: what encoder, decoder and verifier must agree on, and the choices of our encoder.

`config.json` of a capture is exactly `Config.to_dict()`; a command line writes the options in upper case
(`XLEN=32 MLEN=34 ABSENT=paddr,eaddr`). Options: docs/reference/tandem-profile.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rvtrace.models.common.options import ConfigError, Options, items, legal_text, option, shown, switch
from rvtrace.models.tandem.table import ABSENT_NAMES

NO_INCREMENT, INCREMENT, INCREMENT_ALL = range(3)


@dataclass(frozen=True)
class Config(Options):
    """One implementation; ConfigError if it is illegal.

    xlen: 32 or 64. flen: 0 (no f registers), 32 or 64. mlen: 64 on RV64; on RV32 34 (sent as 5 bytes) with Sv32, else
    32; 0: 64 or 32. compressed: the hart has 16-bit instructions. lanes: groups taken per cycle. incremental: 0 never,
    1 of pc and fcsr, 2 of every register that has a base (docs/reference/tandem-profile.md). implied_end: end group is
    omitted where a begin group follows. absent: names of parts that this implementation does not trace.
    response_data_on_failure: a response that reports a failure has data as well (TV-2).
    """

    IP: ClassVar[str] = "tandem"

    xlen: int = option(64, (32, 64))
    flen: int = option(64, (0, 32, 64))
    mlen: int = option(0, (0, 32, 34, 64))
    compressed: int = switch(1)
    lanes: int = option(1, (1, 2))
    incremental: int = option(INCREMENT, (0, 1, 2))
    implied_end: int = switch()
    absent: tuple[str, ...] = ()
    response_data_on_failure: int = switch()

    def __post_init__(self) -> None:
        super().__post_init__()
        widths = (64,) if self.xlen == 64 else (32, 34)
        if self.mlen == 0:
            object.__setattr__(self, "mlen", widths[0])
        if self.mlen not in widths:
            raise ConfigError(f"MLEN={self.mlen} does not fit XLEN={self.xlen}; give MLEN={legal_text(widths)}")
        wrong = [name for name in self.absent if name not in ABSENT_NAMES]
        if wrong:
            raise ConfigError(
                f"{shown('absent', wrong[0])} is not a part of a trace; give some of {','.join(ABSENT_NAMES)}"
            )
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
        """Whether a part of this name (one of ABSENT_NAMES) is in the trace: f registers and fcsr need FLEN, a response
        its request.
        """
        if name in ("fpr", "fcsr") and not self.flen:
            return False
        if name == "response" and "request" in self.absent:
            return False
        return name not in self.absent

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """ABSENT is a list of names."""
        return tuple(map(str, items(name, value))) if name == "absent" else super().parse(name, value, given)
