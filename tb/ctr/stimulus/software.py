# SPDX-License-Identifier: Apache-2.0
"""What software does with control transfer records: set up, discover, profile, save and restore, as steps of a script.

Chapters CSRs (discovery of depths and fields) and Non-normative text about context switches of both texts.
"""

from __future__ import annotations

from collections.abc import Iterator

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, DEPTH_CODES, SELECT, csr
from rvtrace.models.riscv.csr import CLEAR, READ, SET, WRITE, Access, M
from rvtrace.tb.ctr.stimulus.script import Script

_ONES = (1 << 64) - 1


class Software:
    """Lists of accesses of one implementation. mode: in which they are made; window: the iselect and ireg they use."""

    def __init__(self, config: Config, mode: int = M, window: str | None = None) -> None:
        self.config, self.mode = config, mode
        self.names = Script(config)
        self.window = self.names.window if window is None else window

    def _do(self, op: int, name: str, value: int = 0) -> Access:
        return Access(op, csr(name, self.config).address, value & (1 << self.config.xlen) - 1, self.mode)

    def _halves(self, name: str) -> list[str]:
        """A control register, with its `h` half where there is one."""
        return [f"{name}h", name] if self.config.xlen == 32 and self.config.draft else [name]

    def _control(self) -> str:
        return self.names.control if self.mode == M else self.names.s_control

    def _status(self) -> str:
        return self.names.status if self.mode == M else "sctrstatus"

    @property
    def _frozen(self) -> int:
        return 1 << (15 if self.config.draft else 31)

    def set_up(self) -> Iterator[Access]:
        """State enables open, depth, control registers as the configuration says; nothing is recorded before."""
        c = self.config
        if c.has_stateen:
            yield from self._open("mstateen0")
            if c.has_h:
                yield from self._open("hstateen0")
        if not c.draft:
            yield self._do(WRITE, "sctrdepth", c.depth_code(c.depth))
        yield self._do(CLEAR, self.names.status, self._frozen)  # what FROZEN is after reset no text says
        if c.has_h:
            yield from self.whole(self.names.vs_control, c.vsctl)
        yield from self.whole(self.names.control, c.ctl)

    def _open(self, name: str) -> Iterator[Access]:
        value = 1 << CSRIND_BIT | 1 << CTR_BIT[self.config.variant]
        if self.config.xlen == 32:
            yield self._do(SET, f"{name}h", value >> 32)
        else:
            yield self._do(SET, name, value)

    def whole(self, name: str, value: int) -> Iterator[Access]:
        """A write of a whole control register, in both halves where there are two."""
        for half in self._halves(name):
            yield self._do(WRITE, half, value >> 32 if half.endswith("h") else value)

    def read_state(self) -> Iterator[Access]:
        """Status, depth and control register."""
        yield self._do(READ, self._status())
        if not self.config.draft:
            yield self._do(READ, "sctrdepth")
        for half in self._halves(self._control()):
            yield self._do(READ, half)

    def entries(self, depth: int | None = None, first: int = 0) -> Iterator[Access]:
        """Every logical entry from `first` on, all three registers of each."""
        for logical in range(first, self.config.depth if depth is None else depth):
            yield self._do(WRITE, f"{self.window}iselect", SELECT.start + logical)
            for number in ("", "2", "3"):
                yield self._do(READ, f"{self.window}ireg{number}")

    def profile(self, depth: int | None = None) -> Iterator[Access]:
        """Freeze, read status and all entries, let go on: what a profiler's interrupt handler does."""
        yield self._do(SET, self._status(), self._frozen)
        yield from self.read_state()
        yield from self.entries(depth)
        yield self._do(CLEAR, self._status(), self._frozen)

    def discover(self) -> Iterator[Access]:
        """Depths and fields: write what might be there and see what stays; then everything as it was set up."""
        names = [self.names.control, *([self.names.vs_control] if self.config.has_h else [])]
        if self.config.draft:
            for code in (0, 15):
                yield self._do(WRITE, self.names.control, code << 16)
                yield self._do(READ, self.names.control)
        else:
            for code in (*DEPTH_CODES["v1_0"], 7):
                yield self._do(WRITE, "sctrdepth", code)
                yield self._do(READ, "sctrdepth")
        for name in names:
            for half in self._halves(name):
                for value in (_ONES & ~(self.config.bit("CLR") if not half.endswith("h") else 0), 0):
                    yield self._do(WRITE, half, value)
                    yield self._do(READ, half)
        yield self._do(WRITE, f"{self.window}iselect", SELECT.start)
        for number in ("", "2", "3", "4", "5", "6"):
            yield self._do(WRITE, f"{self.window}ireg{number}", _ONES)
            yield self._do(READ, f"{self.window}ireg{number}")
        yield from self.set_up()

    def switch(
        self, kept: list[tuple[int, int, int]], depth: int | None = None, control: int | None = None
    ) -> Iterator[Access]:
        """A change of context: everything of the one that goes is read, the entries cleared, those of the one that
        comes written.

        kept: source, target, data of its logical entries. The oldest is written first, as the text recommends.
        """
        depth = self.config.depth if depth is None else depth
        yield from self.read_state()
        yield from self.entries(depth)
        yield from self.wipe()
        yield self._do(WRITE, self._status(), 0)
        for logical, values in reversed(list(enumerate(kept[:depth]))):
            yield self._do(WRITE, f"{self.window}iselect", SELECT.start + logical)
            for number, value in zip(("", "2", "3"), values):
                yield self._do(WRITE, f"{self.window}ireg{number}", value)
        if control is not None:
            yield from self.whole(self._control(), control)
        yield from self.entries(depth)

    def wipe(self) -> Iterator[Access]:
        """Every entry 0."""
        if self.config.draft:
            yield self._do(SET, self._control(), self.config.bit("CLR"))
        else:
            yield Access(SCTRCLR, 0, 0, self.mode)
