# SPDX-License-Identifier: Apache-2.0
"""What the listings of all systems share."""

from __future__ import annotations

from rvtrace.models.riscv.program import Program

INDENT = " " * 4


class Lines:
    """One listing line for each (pc, taken), made once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[int, int], str] = {}

    def __call__(self, pc: int, taken: int) -> str:
        key = (pc, taken)
        line = self._known.get(key)
        if line is None:
            mark = ("  [not taken]", "  [taken]", "")[taken]
            line = self._known[key] = f"{INDENT}{self._program.where(pc)}{mark}\n"
        return line
