# SPDX-License-Identifier: Apache-2.0
"""What a value means that depends on the messages before it, or on the program: references, and missing upper bits.

A system calls these message by message; what it sends, and whether that is the whole value, its messages say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from rvtrace.models.riscv.program import Program

Join = Callable[[int, int], int]  # of a reference and a difference, or a value, to the other of the two


class Reference:
    """Values of which some are sent whole, and others as the difference from a reference: addresses, times, counts.

    join: of the device's reference and the difference that it sent, the value. part: of the reference by the
    specification and a value, the difference that is due. whole: of the value as the device knows it, the right one.
    """

    def __init__(self, join: Join, part: Join, whole: Callable[[int], int] = lambda value: value) -> None:
        self._join, self._part, self._whole = join, part, whole
        self._due = self._theirs = 0  # references by the specification, and of the device

    def __call__(self, sent: int, is_whole: bool, whole_due: bool, moves: bool = True) -> int:
        """What is due where this was sent. is_whole: it is the whole value. moves: it is the device's new reference."""
        theirs = sent if is_whole else self._join(self._theirs, sent)
        value = self._whole(theirs)
        due = value if whole_due else self._part(self._due, value)
        self._due = value
        if moves:
            self._theirs = theirs
        return due


def completed(program: Program | None, shift: int, widths: Iterable[int]) -> Callable[[int], int]:
    """Of addresses the whole ones: where there is no code, the upper bits from one of these widths on are those of a
    segment of the program that has code there; the first width that does is taken. shift: bits that are not sent.
    """
    if program is None:
        return lambda address: address
    tried = tuple(widths)
    ends = [at >> shift for base, code in program.segments for at in (base, base + len(code) - 1)]

    def is_code(address: int) -> bool:
        return program.insn(address << shift) is not None

    @cache
    def whole(address: int) -> int:
        if is_code(address):
            return address
        fitting = (width for width in tried if not address >> width)
        full = (top >> width << width | address for width in fitting for top in dict.fromkeys(ends))
        return next(filter(is_code, full), address)

    return whole
