# SPDX-License-Identifier: Apache-2.0
"""A waiver of a DUT, from [[waiver]] of dut.toml: a clause that may fail until a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Waiver:
    """A failure that its owner accepts. expires: the last day on which it is valid."""

    clause: str
    reason: str
    owner: str
    expires: date
