# SPDX-License-Identifier: Apache-2.0
"""The decoder of a tandem trace: bytes in, sections with what each changes out, and what was wrong
(docs/reference/tandem-profile.md).

    decode(data, config)                                                      all at once
    decoder = Decoder(config); decoder.feed(data); ...; decoder.finish()      as it comes: each call gives what is
    complete

    for part in decode_parts(chunks, config): part.decoded, part.items        the same, of a file longer than memory

However the bytes are cut, the parts together are the same. It reads the format alone: any encoder's choices are
accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.diagnostics import MAX_DIAGNOSTICS, TEXTS, Diagnostic
from rvtrace.models.tandem.decoder.scan import PAD, Scan, Scanner
from rvtrace.models.tandem.decoder.sections import Known, sections
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.models.tandem.table import BEGIN, END

CHUNK = 1 << 18  # bytes worked on at a time


def _no_items(base: int) -> Items:
    return Items(base, np.zeros(PAD, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.uint8))


class Items(NamedTuple):
    """The items of a part. bytes: where they are, with PAD more after them; base: offset of the first of these in the
    trace. starts, in `bytes`, and lengths: of all items, a request with its response.
    """

    base: int
    bytes: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray


class Part(NamedTuple):
    """Some bytes of a trace, and the sections that are complete with them. done: offset of the first byte that no
    section so far has. broken: where the bytes begin that cannot be followed and have not ended yet, else None; found:
    offset of the diagnostic that will say so. final: whether it is the last one.
    """

    data: bytes
    decoded: Decoded
    items: Items
    done: int
    broken: int | None
    found: int | None
    final: bool


def decode_parts(chunks: Iterable[bytes], config: Config) -> Iterator[Part]:
    """A trace that comes in chunks; the last part has no bytes of its own."""
    decoder = Decoder(config)
    for chunk in chunks:
        yield decoder.part(chunk)
    yield decoder.part(None)


def decode(data: bytes, config: Config) -> Decoded:
    """A whole trace."""
    decoder, view = Decoder(config), memoryview(data)
    parts = [decoder.feed(view[at : at + CHUNK]) for at in range(0, len(data), CHUNK)]
    return Decoded.concat([*parts, decoder.finish()])


class Decoder:
    """Decode bytes as they come. Memory: one group (at most `scan.MAX_GROUP`) and the bytes of one call."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._scanner = Scanner(config)
        self._buffer = bytearray()
        self._waiting = 0  # bytes that were not enough last time
        self._known = Known()
        self._broken: tuple[Diagnostic, int] | None = (
            None  # from this offset bytes cannot be decoded: reported when their number is known
        )
        self._kept = 0
        self._items = _no_items(0)

    def fork(self) -> Decoder:
        """Another decoder that goes on from here."""
        other = copy(self)
        other._buffer, other._scanner = bytearray(self._buffer), copy(self._scanner)
        other._known = replace(self._known, registers=dict(self._known.registers), missed=set(self._known.missed))
        other._items = _no_items(0)
        return other

    def held(self) -> Window:
        """The bytes that it still works on, by their offsets in the trace."""
        return Window(self._known.base, self._buffer)

    def part(self, data: bytes | None) -> Part:
        """What `feed` gives, or `finish` for None, with its items."""
        self._items = _no_items(self._known.base)
        decoded = self.finish() if data is None else self.feed(data)
        found, broken = (None, None) if self._broken is None else (self._broken[0].offset, self._broken[1])
        return Part(data or b"", decoded, self._items, self._known.base, broken, found, data is None)

    def feed(self, data: bytes | memoryview) -> Decoded:
        """Sections that are complete with these bytes. (A group that grows is looked at again when it has doubled.)"""
        self._buffer += data
        if len(self._buffer) <= 2 * self._waiting:
            return Decoded.empty()
        return self._work(final=False)

    def finish(self) -> Decoded:
        """What is left when no more bytes come."""
        return self._work(final=True)

    def _work(self, final: bool) -> Decoded:
        padded = np.frombuffer(bytes(self._buffer) + bytes(PAD), np.uint8)
        scan = self._scanner.scan(padded, final, seek=self._broken is not None)
        count, keep = self._complete(padded, scan, final)
        cut = scan._replace(starts=scan.starts[:count], lengths=scan.lengths[:count])
        begin = self._known.base
        found: list[Diagnostic] = []
        if self._broken is not None and scan.resumed >= 0:
            found.append(self._skipped(begin + scan.resumed))
        decoded, places = sections(padded, cut, self._known, self.config, final)
        for at, (group, pc, earlier) in zip(scan.breaks, places):
            told = earlier or Diagnostic(at.name, begin + at.offset, group, pc, TEXTS[at.name].format(value=at.value))
            self._broken = told, begin + at.offset
            if at.resume >= 0:
                found.append(self._skipped(begin + at.resume))
        if final and self._broken is not None:
            found.append(self._skipped(begin + len(self._buffer)))
        self._items = Items(begin, padded, cut.starts, cut.lengths)
        self._known.base += keep
        del self._buffer[:keep]
        self._waiting = len(self._buffer)
        return self._keep(decoded, sorted(found + decoded.diagnostics, key=lambda one: one.offset))

    @staticmethod
    def _complete(padded: np.ndarray, scan: Scan, final: bool) -> tuple[int, int]:
        """How many items belong to complete sections, and how many bytes are done with."""
        count = len(scan.starts)
        if final:
            return count, len(padded) - PAD
        since = scan.breaks[-1].item if scan.breaks else 0
        codes = padded[scan.starts[since:]]
        marks = np.flatnonzero((codes == BEGIN) | (codes == END))
        if len(marks) and codes[marks[-1]] == BEGIN:
            count = since + int(marks[-1])
            return count, int(scan.starts[count])
        return count, scan.end

    def _skipped(self, resume: int) -> Diagnostic:
        """The diagnostic of broken bytes, now that they end."""
        assert self._broken is not None
        (told, offset), self._broken = self._broken, None
        return told._replace(skipped=resume - offset)

    def _keep(self, decoded: Decoded, found: list[Diagnostic]) -> Decoded:
        room = MAX_DIAGNOSTICS - self._kept
        decoded.diagnostics, decoded.lost = found[:room], max(0, len(found) - room)
        self._kept += len(decoded.diagnostics)
        return decoded
