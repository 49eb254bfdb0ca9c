# SPDX-License-Identifier: Apache-2.0
"""The programs that a core can run: those of data/programs as RV32, those written for cores, or any ELF file.

A program starts at its entry and is over when it reaches its symbol `halt`, or has stored an odd number to `tohost`, as
those of riscv-tests do. It lies in the 8 MiB from 0x80000000 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from rvtrace.flow.cores.description import RAM, Core, CoreError
from rvtrace.flow.programs.host import symbols
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program

CORES = recording.DIRECTORY / "cores"  # written for cores without S-mode, in place of those of the same name
DEFAULT = ("crc", "traps")
PROGRAM_CYCLES = 2_000_000  # cycles
_TRAPS = ("traps",)  # need the standard trap CSRs


@dataclass(frozen=True)
class Chosen:
    """A program. name: of results. path: its ELF file. program: that file, read. tohost: where it stores an odd number
    when it is over; 0: nowhere.
    """

    name: str
    path: Path
    program: Program
    tohost: int = 0

    @property
    def halt(self) -> int:
        """Where it is over; 0: nowhere."""
        return self.program.symbols.get("halt", 0)


def names() -> list[str]:
    """The programs that can be named."""
    found = {path.name.split(".")[0] for folder in (recording.DIRECTORY, CORES) for path in folder.glob("*.rv32.elf")}
    return sorted(found)


def choose(text: str, core: Core) -> Chosen:
    """A program by name or path; CoreError if there is none, or it is none for this core."""
    path = Path(text)
    if path.suffix != ".elf":
        if text not in names():
            near = get_close_matches(text, names(), 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise CoreError(f"there is no program {text!r}; {hint}give one of {', '.join(names())}, or an ELF file")
        special = CORES / f"{text}.rv32.elf"
        path = special if special.exists() else recording.DIRECTORY / f"{text}.rv32.elf"
        if text in _TRAPS and not core.traps:
            raise CoreError(
                f"{core.title} has no trap CSRs of the privileged architecture, which {text} is about; give another"
                " program"
            )
    return fitting(Chosen(path.name.split(".")[0], path, Program.from_elf(path), tohost(path)), core)


def tohost(path: Path) -> int:
    """The address of the symbol in an ELF file; 0 if it has none."""
    return symbols(path).get("tohost", 0)


def fitting(chosen: Chosen, core: Core) -> Chosen:
    """The program; CoreError if the core or its memory cannot take it."""
    program, path = chosen.program, chosen.path
    if program.xlen != core.hart.xlen:
        raise CoreError(
            f"{path} is an RV{program.xlen} program and {core.title} is RV{core.hart.xlen}; build it for that"
        )
    if not chosen.halt and not chosen.tohost:
        raise CoreError(f"{path} has no symbol halt or tohost, where the run ends; link it with data/programs/start.S")
    ((base, size),) = RAM
    for at, body in (*program.segments, *program.data):
        if at < base or at + len(body) > base + size:
            raise CoreError(
                f"{path} has {len(body)} bytes at {at:#x}, outside the memory of the bench ({base:#x} to"
                f" {base + size - 1:#x}); link it with data/programs/link.ld"
            )
    if not core.hart.compressed and (at := _compressed(program)) is not None:
        raise CoreError(f"{path} has a 16-bit instruction at {at:#x} and {core.title} has none; build it without C")
    return chosen


def _compressed(program: Program) -> int | None:
    """The first instruction of 16 bits, from the entry on as far as it goes in sequence."""
    pc = program.entry
    while (insn := program.insn(pc)) is not None:
        if insn.size == 2:
            return pc
        if insn.flow == Flow.INFERABLE and insn.target == pc:
            return None
        pc += insn.size
    return None
