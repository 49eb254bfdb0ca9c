# SPDX-License-Identifier: Apache-2.0
"""What the encoder model makes: messages, why each was sent, and their bytes. Objects are made of columns on demand."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder import kernel as k
from rvtrace.models.ntrace.encoder.clauses import CLAUSES
from rvtrace.models.ntrace.layout import Layout
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

    def __init__(self, rows: np.ndarray, data: bytes, config: Config, layout: Layout) -> None:
        self._types, self._cells = TABLES[config.variant].by_code, layout.cells
        self.rows, self.data = rows.reshape(-1, k.CELLS + TABLES[config.variant].width + 2), data
        self.src_bits, self.address_bits = config.source_bits, config.address_bits

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def messages(self) -> list[Message]:
        """Each message."""
        made = []
        for row in self.rows.tolist():
            kind, cells = self._types[row[k.TCODE]], self._cells[row[k.TCODE]]
            given = {key: row[cell] for key, cell in zip(kind.keys, cells) if cell >= 0 and row[cell] != k.ABSENT}
            made.append(Message.of(kind, given))
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
        ends = self.rows[:, -1].tolist()
        return [self.data[begin:end] for begin, end in zip([0, *ends], ends)]
