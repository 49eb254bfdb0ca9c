# SPDX-License-Identifier: Apache-2.0
"""The distinct instructions of a trace: what the viewer shows of each once, however often it retired."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.program import NO_TARGET, Program
from rvtrace.models.riscv.source_lines import Lines
from rvtrace.report.viewer_calls import Code
from rvtrace.report.viewer_csrs import named

VARIANT = "v2_0"  # itypes of the specification that has all of them


class Codes:
    """Instructions, numbered in the order in which they are added; those of N-Trace and E-Trace by address."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.insns: list[Insn] = []
        named = sorted((address, name) for name, address in program.labels)
        self._starts = [address for address, _ in named]
        self.functions: list[tuple[int, str]] = named  # address, name

    def add(self, insn: Insn) -> None:
        """One more."""
        self.insns.append(insn)

    def add_all(self, pcs: np.ndarray) -> None:
        """Those of the program at these addresses; of what is in no program, four bytes of nothing."""
        for pc in pcs.tolist():
            self.add(self.program.insn(pc) or Insn(pc, 0, 4, Flow.SEQUENTIAL))

    def function(self, pc: int) -> int:
        """Number of the symbol at or before an address, -1 if there is none in its segment."""
        if self.program.symbol(pc) == f"{pc:#x}":
            return -1
        return bisect_right(self._starts, pc) - 1

    def columns(self) -> Code:
        """As arrays."""
        insns = self.insns
        return Code(
            np.array([i.pc for i in insns], np.uint64),
            np.array([i.size for i in insns], np.int64),
            np.array([int(isa.itype(i, VARIANT)) for i in insns], np.int64),
            np.array([int(i.flow) for i in insns], np.int64),
            np.array([NO_TARGET if i.target is None else i.target for i in insns], np.uint64),
            np.array([self.function(i.pc) for i in insns], np.int64),
        )

    def table(self, elf: Path | None) -> tuple[dict[str, Any], str]:
        """What the page needs: for each its text and source line, and the source files with the text that may be shown;
        and why there are no source lines, or no text of them, or "".
        """
        lines, known = Lines(elf), dict[tuple[str, int], int]()
        sources: list[list[Any]] = []
        numbers = []
        for insn in self.insns:
            line = lines.at(insn.pc)
            if line is None:
                numbers.append(-1)
                continue
            key = (line.file, line.number)
            if key not in known:
                known[key] = len(sources)
                sources.append([line.file, line.number, line.text])
            numbers.append(known[key])
        xlen = self.program.xlen
        texts = [named(isa.disassemble(insn, self.program), insn, xlen) for insn in self.insns]
        files = {file: lines.source(file) for file in sorted({file for file, *_ in sources})}
        return {"text": texts, "line": numbers, "lines": sources, "files": files}, lines.missing or lines.withheld
