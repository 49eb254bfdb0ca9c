# SPDX-License-Identifier: Apache-2.0
"""The pin interface seen from the probe: bytes from the samples of TRC_DATA, and the rules of idle and calibration.

Trace Control Interface 1.0, chapter Trace PIB Sink; N-Trace, PIB Idle Cycles Explained. A sample is taken at every edge
of TRC_CLK, rising or falling. Bits go out least significant first; idle is all ones and may last any number of samples.
A message begins with the first sample that is not all ones (its first byte has MSEO=00) and has no gap; after its last
byte (MSEO=11) there is idle, or at once the next message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rvtrace.models.tci.grammar import NTRACE, Grammar

MODES = {8: 1, 9: 2, 10: 4, 11: 8, 12: 16}  # trPibMode to data pins
CALIBRATION = {
    1: bytes.fromhex("aa5500ff"), 2: bytes.fromhex("6666cc33"), 4: bytes.fromhex("5a5af00f"),
    8: bytes.fromhex("aa5500ff"), 16: bytes.fromhex("aaaa55550000ffff"),
}  # fmt: skip
"""The pattern that trPibCalibrate repeats, by width."""


@dataclass
class Receiver:
    """A trace probe for one width (1, 2, 4, 8 or 16 pins).

    data: the bytes of messages, idle left out. idle_before: for each message the idle bits right before it; starts: the
    number of the sample with which it begins. With 1, 2 and 4 pins the first boundary is known only after `align` idle
    bits, and `blind` counts the samples until then. grammar: that of the messages; idle is all ones in N-Trace, low in
    E-Trace, which therefore needs 8 pins or 16: there a byte that is not 0 is a header. Inside an N-Trace message up to
    13 ones may appear in a row (MDO=111111, MSEO=11, MDO=x11111), so fewer than 14 prove nothing.
    """

    width: int
    align: int = 14
    data: bytearray = field(default_factory=bytearray)
    idle_before: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    blind: int = 0
    grammar: Grammar = NTRACE
    _open: bytearray = field(default_factory=bytearray)
    _seen: int = 0
    _byte: int = 0
    _bits: int = 0
    _idle: int = 0
    _inside: bool = False
    _synced: bool = False

    def __post_init__(self) -> None:
        self._synced = self.width >= 8

    def feed(self, samples: Iterable[int]) -> None:
        """Take samples, one for each edge of the trace clock."""
        quiet = idle_sample(min(self.width, 8), self.grammar)
        ones = (1 << min(self.width, 8)) - 1
        for sample in samples:
            for part in (sample & 0xFF, sample >> 8 & 0xFF) if self.width == 16 else (sample & ones,):
                self._part(part, quiet)
            self._seen += 1

    def _part(self, part: int, quiet: int) -> None:
        if not self._synced:
            self.blind += 1
            self._idle = self._idle + self.width if part == quiet else 0
            self._synced = self._idle >= self.align
            return
        if not self._inside:
            if part == quiet:
                self._idle += min(self.width, 8)
                return
            self._inside = True
            self.idle_before.append(self._idle)
            self.starts.append(self._seen)
            self._idle = 0
        self._byte |= part << self._bits
        self._bits += min(self.width, 8)
        if self._bits == 8:
            self.data.append(self._byte)
            self._open.append(self._byte)
            self._inside = not self.grammar.ends(bytes(self._open))
            if not self._inside:
                self._open.clear()
            self._byte = self._bits = 0

    @property
    def open(self) -> bool:
        """Whether the samples end inside a message."""
        return self._inside


def idle_sample(width: int, grammar: Grammar = NTRACE) -> int:
    """The pins while there is no message."""
    return (grammar.idle * 0x101) & ((1 << width) - 1)


def samples(data: bytes, width: int, grammar: Grammar = NTRACE) -> list[int]:
    """The samples that carry bytes; with 16 pins an odd one is followed by idle."""
    if width == 16:
        data = data + bytes([grammar.idle]) * (len(data) % 2)
        return [low | high << 8 for low, high in zip(data[::2], data[1::2])]
    mask = (1 << width) - 1
    return [byte >> shift & mask for byte in data for shift in range(0, 8, width)]


def longest_run_without_idle(idle_before: Iterable[int]) -> int:
    """Messages in a row of which none but the first has an idle byte before it: the probe's longest wait to align."""
    longest = run = 0
    for bits in idle_before:
        run = 1 if bits >= 8 else run + 1
        longest = max(longest, run)
    return longest
