# SPDX-License-Identifier: Apache-2.0
"""Physical memory of the instruction set simulator: pages allocated by writes, ranges that exist, devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rvtrace.models.riscv.iss.config import Range

PAGE = 12
PAGE_SIZE = 1 << PAGE
_OFFSET = PAGE_SIZE - 1
LINE = 6  # instructions are kept track of by lines of 64 bytes: programs have data immediately after their code
RAM, DEVICE, NOTHING = 0, 1, 2


class Memory:
    """Bytes by physical address, 0 where nothing was written.

    pages: page number to 4096 bytes. code: numbers of lines that instructions were taken from; on_code is called when
    one is written. journal: None, or a list that gets (address, bytes before) of every `write`.
    """

    def __init__(self, ram: Iterable[Range] = (), devices: Iterable[Range] = ()) -> None:
        self.pages: dict[int, bytearray] = {}
        self.code: set[int] = set()
        self.on_code = lambda: None
        self.journal: list[tuple[int, bytes]] | None = None
        self._ram, self._devices = tuple(ram), tuple(devices)

    def what(self, address: int, size: int) -> int:
        """RAM, DEVICE or NOTHING; an access that leaves a range is to nothing."""
        for base, length in self._devices:
            if base <= address and address + size <= base + length:
                return DEVICE
        if not self._ram:
            return RAM
        return (
            RAM if any(base <= address and address + size <= base + length for base, length in self._ram) else NOTHING
        )

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes from `address` on, whatever is there."""
        offset = address & _OFFSET
        if offset + size <= PAGE_SIZE:
            page = self.pages.get(address >> PAGE)
            return bytes(size) if page is None else bytes(page[offset : offset + size])
        parts = []
        while size:
            count = min(size, PAGE_SIZE - (address & _OFFSET))
            parts.append(self.read(address, count))
            address, size = address + count, size - count
        return b"".join(parts)

    def write(self, address: int, data: bytes) -> None:
        """Put bytes to `address` and after."""
        if self.journal is not None:
            self.journal.append((address, self.read(address, len(data))))
        at = 0
        while at < len(data):
            number, offset = (address + at) >> PAGE, (address + at) & _OFFSET
            count = min(len(data) - at, PAGE_SIZE - offset)
            self.page(number)[offset : offset + count] = data[at : at + count]
            at += count
        if self.code and not self.code.isdisjoint(range(address >> LINE, (address + len(data) - 1 >> LINE) + 1)):
            self.on_code()

    def page(self, number: int) -> bytearray:
        """A page to write to."""
        page = self.pages.get(number)
        if page is None:
            page = self.pages[number] = bytearray(PAGE_SIZE)
        return page

    def load(self, address: int, size: int) -> int:
        """A little-endian number."""
        return int.from_bytes(self.read(address, size), "little")

    def store(self, address: int, value: int, size: int) -> None:
        """The same the other way round."""
        self.write(address, value.to_bytes(size, "little"))

    def copy(self) -> Iterator[tuple[int, bytes]]:
        """(address, bytes) of every page there is."""
        for number, page in sorted(self.pages.items()):
            yield number << PAGE, bytes(page)

    def clear(self) -> None:
        """All bytes 0 again."""
        self.pages.clear()
        self.on_code()


class ReadOnly:
    """A memory that can be looked at: what a page table walk reads, without the accessed bits that it would set."""

    def __init__(self, memory: Memory) -> None:
        self.what, self.load = memory.what, memory.load

    def store(self, address: int, value: int, size: int) -> None:
        """Nothing."""
