# SPDX-License-Identifier: Apache-2.0
"""The decoder of a tandem trace: bytes in, sections with what each changes out, and what was wrong
(docs/reference/tandem-profile.md).

    decode(data, config)                                                      all at once
    decoder = Decoder(config); decoder.feed(data); ...; decoder.finish()      as it comes: each call gives what is
    complete

However the bytes are cut, the parts together are the same. It reads the format alone: any encoder's choices are
accepted.
"""

from __future__ import annotations

import numpy as np
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.diagnostics import MAX_DIAGNOSTICS, TEXTS, Diagnostic
from rvtrace.models.tandem.decoder.scan import PAD, Scan, Scanner
from rvtrace.models.tandem.decoder.sections import Known, sections
from rvtrace.models.tandem.table import BEGIN, END

CHUNK = 1 << 18  # bytes worked on at a time


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
