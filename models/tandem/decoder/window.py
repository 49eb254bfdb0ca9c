# SPDX-License-Identifier: Apache-2.0
"""The bytes of a long trace, of which only some are held: indexed by their offsets in the whole trace."""

from __future__ import annotations

from bisect import bisect_right
from typing import overload

PINNED = 64  # bytes that are kept of a place that is looked at later


class Window:
    """`append` what comes, `drop` what is done with; `window[offset]` and `window[first:last]` as of the whole bytes.

    Slices end where the bytes that were appended end. IndexError for what was dropped. first: offset of the bytes that
    it begins with.
    """

    def __init__(self, first: int = 0, data: bytes | bytearray = b"") -> None:
        self._bytes = bytearray(data)
        self._first = first
        self._pinned = (0, b"")

    def __len__(self) -> int:
        return self._first + len(self._bytes)

    @property
    def held(self) -> int:
        """Bytes in memory."""
        return len(self._bytes) + len(self._pinned[1])

    def append(self, data: bytes) -> None:
        """The bytes that follow."""
        self._bytes += data

    def drop(self, before: int, pinned: int | None = None) -> None:
        """Forget the bytes before an offset, but for the first that follow `pinned`."""
        if pinned is not None and pinned < before and self._pinned[0] + len(self._pinned[1]) < pinned + PINNED:
            if len(self) < pinned + PINNED:
                before = min(before, pinned)
            else:
                self._pinned = pinned, self[pinned : pinned + PINNED]
        count = min(before, len(self)) - self._first
        if count > 0:
            del self._bytes[:count]
            self._first += count

    @overload
    def __getitem__(self, key: int) -> int: ...

    @overload
    def __getitem__(self, key: slice) -> bytes: ...

    def __getitem__(self, key: int | slice) -> int | bytes:
        if isinstance(key, slice):
            first, last, _ = key.indices(len(self))
            base, body = (self._first, self._bytes) if first >= self._first else self._pinned
            if first < base or (base != self._first and last > base + len(body)):
                raise IndexError(f"the bytes from {first:#x} on are no longer held")
            return bytes(body[first - base : max(last - base, first - base)])
        if key < self._first:
            return self[key : key + 1][0]
        return self._bytes[key - self._first]


class Pieces:
    """Bytes of some places of a trace, by offset: `pieces[offset]`, `pieces[first:last]` within one piece."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._bytes: list[bytes] = []

    @property
    def held(self) -> int:
        """Bytes in memory."""
        return sum(map(len, self._bytes))

    def append(self, first: int, data: bytes) -> None:
        """A piece after the others."""
        self._first.append(first)
        self._bytes.append(data)

    def drop(self, before: int) -> None:
        """Forget the pieces that end at an offset, or before it."""
        count = sum(first + len(data) <= before for first, data in zip(self._first, self._bytes))
        del self._first[:count], self._bytes[:count]

    @overload
    def __getitem__(self, key: int) -> int: ...

    @overload
    def __getitem__(self, key: slice) -> bytes: ...

    def __getitem__(self, key: int | slice) -> int | bytes:
        at = key.start if isinstance(key, slice) else key
        k = bisect_right(self._first, at) - 1
        if k < 0:
            raise IndexError(f"the byte at {at:#x} is no longer held")
        base, data = self._first[k], self._bytes[k]
        return data[at - base : key.stop - base] if isinstance(key, slice) else data[at - base]
