# SPDX-License-Identifier: Apache-2.0
"""The last transfers of a run, oldest first: single ones, and stretches whose events are made when asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import MANTISSA_BITS, Transfer
from rvtrace.models.ctr.rules import NO_SOURCE, NO_TARGET
from rvtrace.scoreboards.ctr.reasons import Why

REMEMBERED = 4096  # transfers
_TOGETHER = 256  # events of a stretch that are made at once


class Event(NamedTuple):
    """One transfer. place: the physical entry it wrote or popped, -1 without. count: of cycles; all, kept: what it
    would be if inactive cycles were counted, or the counter were not reset. ccv: why CCV is 0, empty if it is 1.
    together: it is not the only transfer of its cycle. edges: changes between cycles that count and others, since the
    record before.
    """

    row: int
    slot: int
    cycle: int
    transfer: Transfer
    why: Why
    place: int = -1
    count: int = 0
    all: int = 0
    kept: int = 0
    ccv: str = ""
    together: bool = False
    edges: int = 0


@dataclass
class Stretch:
    """Transfers of neighbouring rows as columns. transfers: by field of `Transfer`. whys: what `why` indexes.

    records: whether a transfer wrote an entry; count to edges are as in `Event` where it did, and not read elsewhere.
    ccv indexes ccvs. place: -1 without. void: the record has CCV 0.
    """

    row: np.ndarray
    slot: np.ndarray
    cycle: np.ndarray
    transfers: dict[str, np.ndarray]
    whys: list[Why]
    why: np.ndarray
    place: np.ndarray
    records: np.ndarray
    count: np.ndarray
    all: np.ndarray
    kept: np.ndarray
    ccvs: tuple[str, ...]
    ccv: np.ndarray
    together: np.ndarray
    edges: np.ndarray
    void: np.ndarray

    def __len__(self) -> int:
        return len(self.row)

    def event(self, i: int) -> Event:
        """The transfer with this number."""
        return self.events(np.array([i]))[0]

    def events(self, which: np.ndarray) -> list[Event]:
        """The transfers with these numbers."""
        made = self.records[which]

        def column(values: np.ndarray) -> list[int]:
            return np.where(made, values[which], 0).tolist()

        transfers = map(Transfer._make, zip(*(self.transfers[name][which].tolist() for name in Transfer._fields)))
        columns = (
            *(values[which].tolist() for values in (self.row, self.slot, self.cycle)), transfers,
            [self.whys[i] for i in self.why[which].tolist()], self.place[which].tolist(),
            *map(column, (self.count, self.all, self.kept)), [self.ccvs[i] for i in column(self.ccv)],
            (self.together[which] & made).tolist(), column(self.edges),
        )  # fmt: skip
        return list(map(Event._make, zip(*columns)))

    def registers(self, config: Config) -> list[np.ndarray]:
        """ctrsource, ctrtarget and ctrdata of each record, as `Recorder.act` leaves them."""
        action = np.array([why.action for why in self.whys])[self.why]
        t, pcs = self.transfers, np.uint64((1 << config.xlen) - 2)
        source = np.where(action == NO_SOURCE, np.uint64(0), t["source"] & pcs) | np.uint64(1)
        target = np.where(action == NO_TARGET, np.uint64(0), t["target"] & pcs)
        data = (t["type"] & np.uint8(15 if config.has_type else 0)).astype(np.uint64)
        if config.has_cc:
            data |= cc_of(self.count).astype(np.uint64) << np.uint64(16)
            data |= (~self.void).astype(np.uint64) << np.uint64(15)
        return [source, target | (t["misp"] & np.uint8(config.has_misp)).astype(np.uint64), data]


def cc_of(count: np.ndarray) -> np.ndarray:
    """CC of counts that are at most the largest (`rvtrace.models.ctr.records.encode_cc`)."""
    cce = np.maximum(np.frexp(count.astype(float))[1] - MANTISSA_BITS, 0).astype(np.int64)
    below = (1 << MANTISSA_BITS) - 1
    return cce << MANTISSA_BITS | np.where(cce > 0, count >> np.maximum(cce - 1, 0), count) & below


class Log:
    """The last `REMEMBERED` transfers. append: one event more."""

    def __init__(self) -> None:
        self._recent: deque[Event] = deque(maxlen=REMEMBERED)  # after the last stretch
        self._older: list[list[Event] | Stretch] = []
        self.append = self._recent.append

    def extend(self, stretch: Stretch) -> None:
        """So many events more."""
        if not len(stretch):
            return
        if self._recent:
            self._older.append(list(self._recent))
            self._recent.clear()
        self._older.append(stretch)
        held = 0
        for n, part in enumerate(reversed(self._older), 1):
            held += len(part)
            if held >= REMEMBERED:
                del self._older[:-n]
                break

    def __len__(self) -> int:
        return min(REMEMBERED, len(self._recent) + sum(map(len, self._older)))

    def __bool__(self) -> bool:
        return bool(self._recent or self._older)

    def __getitem__(self, at: int) -> Event:
        count = len(self)
        return next(islice(self._newest_first(), -1 - at if at < 0 else count - 1 - at, None))

    def __reversed__(self) -> Iterator[Event]:
        return islice(self._newest_first(), REMEMBERED)

    def _newest_first(self) -> Iterator[Event]:
        yield from reversed(self._recent)
        for part in reversed(self._older):
            if isinstance(part, list):
                yield from reversed(part)
            else:
                end, many = len(part), 1
                while end > 0:  # mostly the first that are looked at are enough
                    yield from reversed(part.events(np.arange(max(end - many, 0), end)))
                    end, many = end - many, min(2 * many, _TOGETHER)

    def last(self, n: int) -> list[Event]:
        """The last n, oldest first."""
        return list(islice(reversed(self), n))[::-1]
