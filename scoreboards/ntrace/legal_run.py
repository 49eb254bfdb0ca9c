# SPDX-License-Identifier: Apache-2.0
"""One run of the legal check: the messages of a capture, and what is damaged between them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.common.places import Rules
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.tolerances import Tolerances


@dataclass
class Legal(Rules):
    """`rule` counts a clause over many messages and reports the violations.

    lost: of each damaged part of the stream the message after it, in order.
    """

    config: Config
    table: t.MessageTable
    tolerances: Tolerances = field(default_factory=Tolerances)
    lost: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def joined(self) -> np.ndarray:
        """Mask of the messages that directly follow the one before: no bytes between them are damaged."""
        mask = np.ones(len(self.table), dtype=bool)
        mask[self.lost[self.lost < len(self.table)]] = False
        return mask

    @property
    def followed(self) -> np.ndarray:
        """Mask of the messages that the one after them, if any, directly follows."""
        ends = not len(self.lost) or int(self.lost[-1]) < len(self.table)
        return np.append(self.joined[1:], ends)
