# SPDX-License-Identifier: Apache-2.0
"""A hart that runs several programs in its own privileges and contexts, and reports so, for decoder tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rvtrace.models.ntrace.decoder.sources import ImageMap
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv
from tests.ntrace.trace_writer import Writer

if TYPE_CHECKING:
    from typing_extensions import Self  # of the type checker; typing has it from Python 3.11 on

USER, KERNEL = 0x1_0000, 0x8000_0000
U, S, M = int(Priv.U), int(Priv.S), int(Priv.M)


def app(pad: int) -> Program:
    """Programs at one address; `pad` instructions of two bytes make them differ."""
    b = ProgramBuilder(64, USER)
    b.label("start")
    for _ in range(pad):
        b.c_nop()
    b.nop()
    b.c_bnez(8, "start")
    b.ecall()
    return b.build()


def kernel(pad: int = 0) -> Program:
    b = ProgramBuilder(64, KERNEL)
    for _ in range(pad):
        b.c_nop()
    b.nop()
    b.sret()
    return b.build()


def owner(form: int, priv: int, context: int = 0) -> tuple[str, int]:
    return "Ownership", context << 5 | priv << 2 | form


class Hart(Writer):
    """One that runs several programs, each in its own privilege and context."""

    def enter(self, program: Program, priv: int, context: int) -> Self:
        self.program = program
        self.send(*owner(2, priv, context))
        return self

    def turn(self, program: Program, context: int, pad: int, code: Program, loops: int = 2) -> Self:
        """From the kernel into a process, some loops there, and back by ecall."""
        self.jump(USER).enter(program, U, context)
        for turn in range(loops):
            self.step(pad + 1).branch(int(turn < loops - 1))
        return self.trap(KERNEL, 2).enter(code, S, context)

    def tick(self, sync: int, tstamp: int) -> Self:
        """A synchronizing message on linear code, with its time."""
        self.reference = self.pc
        return self.send("ProgTraceSync", sync, self.counts()[0], self.pc >> 1, tstamp=tstamp)

    def boot(self, code: Program, tstamp: int | None = None) -> Self:
        self.send("ProgTraceSync", 5, 0, KERNEL >> 1, tstamp=tstamp)
        self.pc = self.reference = KERNEL
        return self.enter(code, S, 0)


def hart(src: int = 0, **options: Any) -> Hart:
    return Hart(kernel(), src_bits=2, src_id=src, ownership=1, **options)


EDITOR, COMPILER, OS = app(0), app(3), kernel()


def images() -> ImageMap:
    return ImageMap().add(OS, priv=("S", "M")).add(EDITOR, priv="U", context=5).add(COMPILER, priv="U", context=7)
