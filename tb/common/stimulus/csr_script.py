# SPDX-License-Identifier: Apache-2.0
"""CSR accesses of a script: what the scripts of all blocks with a CSR port have in common.

CSRs are named as in the block's register table, or by address; an access is made at the hart's mode unless `mode` says
another.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.riscv.csr import CLEAR, READ, SET, WRITE, Access, M


class CsrScript:
    """Rows in the making. config: of the block. priv: the hart's mode now. cycle: the one that comes next."""

    def __init__(self, config: Any, priv: int = M) -> None:
        self.config, self.priv, self.cycle = config, priv, 0

    def address(self, name: str) -> int:
        """Address of a CSR by its name; ControlError if this implementation has none of that name."""
        raise NotImplementedError

    def put(self, access: Access | None, **more: Any) -> None:
        """A cycle with this access. more: what else is in it, as the block's script has it."""
        raise NotImplementedError

    def at(self, priv: int) -> None:
        """The hart is in another mode from here on, though nothing says how it came there."""
        self.priv = priv

    def access(self, op: int, name: str | int, value: int = 0, mode: int | None = None, xlen32: int = 0) -> Access:
        """An access, to be put into a cycle; ControlError if this implementation has no CSR of that name."""
        address = name if isinstance(name, int) else self.address(name)
        return Access(op, address, value, self.priv if mode is None else mode, xlen32)

    def reading(self, name: str | int, mode: int | None = None, xlen32: int = 0) -> Access:
        """A read, to be put into a cycle."""
        return self.access(READ, name, 0, mode, xlen32)

    def read(self, name: str | int, mode: int | None = None, xlen32: int = 0, **more: Any) -> None:
        """A cycle with a read."""
        self.put(self.access(READ, name, 0, mode, xlen32), **more)

    def write(self, name: str | int, value: int, mode: int | None = None, xlen32: int = 0, **more: Any) -> None:
        """A cycle with a write."""
        self.put(self.access(WRITE, name, value, mode, xlen32), **more)

    def set(self, name: str | int, value: int, mode: int | None = None, xlen32: int = 0, **more: Any) -> None:
        """A cycle with a set."""
        self.put(self.access(SET, name, value, mode, xlen32), **more)

    def clear(self, name: str | int, value: int, mode: int | None = None, xlen32: int = 0, **more: Any) -> None:
        """A cycle with a clear."""
        self.put(self.access(CLEAR, name, value, mode, xlen32), **more)
