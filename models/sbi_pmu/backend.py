# SPDX-License-Identifier: Apache-2.0
"""What the SBI implementation asks of the machine: operations, who answers them, and a memory.

The implementation is written as generators that yield operations and get each one's result back. `run` plays a
generator on a backend; a testbench sequence plays the same generator on RTL:

    ret = run(pmu.calling(fid, registers), backend)
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple, Protocol, TypeVar


class ReadCsr(NamedTuple):
    """Read a CSR in M-mode; the result is its value, XLEN bits."""

    address: int


class WriteCsr(NamedTuple):
    """Write a CSR in M-mode; the result is None."""

    address: int
    value: int


class ReadMem(NamedTuple):
    """Read shared memory; the result is bytes. reason: what for, such as `start INIT_SNAPSHOT`."""

    address: int
    size: int
    reason: str


class WriteMem(NamedTuple):
    """Write shared memory."""

    address: int
    data: bytes
    reason: str


class ValidAddress(NamedTuple):
    """Whether supervisor software may read and write all of a physical address range."""

    address: int
    size: int


Operation = ReadCsr | WriteCsr | ReadMem | WriteMem | ValidAddress
T = TypeVar("T")
Steps = Generator[Operation, Any, T]


class Backend(Protocol):
    """A machine: counters' CSRs and physical memory."""

    def read_csr(self, address: int) -> int:
        """Value of a CSR, read in M-mode."""
        ...

    def write_csr(self, address: int, value: int) -> None:
        """Write a CSR in M-mode."""

    def read_mem(self, address: int, size: int, reason: str) -> bytes:
        """Bytes of physical memory."""
        ...

    def write_mem(self, address: int, data: bytes, reason: str) -> None:
        """Change bytes of physical memory."""

    def valid_address(self, address: int, size: int) -> bool:
        """Whether supervisor software may read and write all of this range."""
        ...


def run(steps: Steps[T], backend: Backend) -> T:
    """Plays a generator to its end and returns its result."""
    send = steps.send
    answer: Any = None
    try:
        while True:
            operation = send(answer)
            if isinstance(operation, ReadCsr):
                answer = backend.read_csr(operation.address)
            elif isinstance(operation, WriteCsr):
                answer = backend.write_csr(operation.address, operation.value)
            elif isinstance(operation, ReadMem):
                answer = backend.read_mem(*operation)
            elif isinstance(operation, WriteMem):
                answer = backend.write_mem(*operation)
            else:
                answer = backend.valid_address(*operation)
    except StopIteration as end:
        return end.value


class AccessError(ValueError):
    """An access outside of the memory; the text says where."""


class Memory:
    """Bytes at physical addresses `base` to `base + size - 1`, all of them open to supervisor software."""

    def __init__(self, base: int = 0x8000_0000, size: int = 0x10000) -> None:
        self.base, self.size = base, size
        self.bytes = bytearray(size)

    def valid(self, address: int, size: int) -> bool:
        """Whether the range lies in the memory."""
        return self.base <= address and address + size <= self.base + self.size

    def read(self, address: int, size: int) -> bytes:
        """size bytes from address. AccessError if they are not there."""
        self._inside(address, size)
        return bytes(self.bytes[address - self.base : address - self.base + size])

    def write(self, address: int, data: bytes) -> None:
        """Puts data at address. AccessError if there is none."""
        self._inside(address, len(data))
        self.bytes[address - self.base : address - self.base + len(data)] = data

    def _inside(self, address: int, size: int) -> None:
        if not self.valid(address, size):
            end = self.base + self.size - 1
            raise AccessError(
                f"access to {size} bytes at {address:#x}; memory is {self.base:#x} to {end:#x}, give a greater one"
            )
