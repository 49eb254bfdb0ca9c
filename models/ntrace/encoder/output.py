# SPDX-License-Identifier: Apache-2.0
"""What the encoder model makes: messages, why each was sent, and their bytes. Objects are made of columns on demand."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder import kernel as k
from rvtrace.models.ntrace.encoder.clauses import CLAUSES
from rvtrace.models.ntrace.table import TABLES, Message

_CLAUSES = tuple(CLAUSES)


@lru_cache(maxsize=1 << 16)
def pattern(hist: int) -> tuple[int, int]:
    """(pattern, rest) of a full HIST, each with its stop bit (9.3): whole periods of the oldest branches, and the rest.

    The period is the smallest of at most half the branches after which every branch repeats; without one it is all of
    them.
    """
    branches = hist.bit_length() - 1
    rest = branches % k.pattern_bits(hist, branches)
    return hist >> rest, 1 << rest | hist & ((1 << rest) - 1)


class EncodedTrace:
    """The messages of one run.

    rows: of the kernel, one for each message. data: the bytes of the whole stream, without idle bytes. src_bits,
    address_bits: how SRC and addresses are sent (`rvtrace.models.ntrace.codec.pack`).
    """

    def __init__(self, rows: np.ndarray, data: bytes, config: Config) -> None:
        self.rows, self.data = rows.reshape(-1, k.MESSAGE_ROW), data
        self.src_bits, self.address_bits = config.source_bits, config.address_bits
        self._types = TABLES[config.variant]
        self._src = config.src_id if config.source_bits else 0
        self._timed = bool(config.timestamp)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def messages(self) -> list[Message]:
        """Each message."""
        made = []
        for row in self.rows.tolist():
            stamp = row[k.STAMP] & 0xFFFF_FFFF_FFFF_FFFF if self._timed else None
            values = tuple(row[k.VALUE : k.VALUE + row[k.VALUES]])
            made.append(Message(self._types[row[k.TCODE]], values, -1, self._src, stamp))
        return made

    @cached_property
    def reasons(self) -> list[str]:
        """The clause under which each message was sent."""
        return [_CLAUSES[clause] for clause in self.rows[:, k.CLAUSE].tolist()]

    @cached_property
    def beat(self) -> list[int]:
        """The row of Beats in which each message was made."""
        return self.rows[:, k.BEAT].tolist()

    @cached_property
    def packed(self) -> list[bytes]:
        """The bytes of each message."""
        ends = self.rows[:, k.BEHIND].tolist()
        return [self.data[begin:end] for begin, end in zip([0, *ends], ends)]
