# SPDX-License-Identifier: Apache-2.0
"""PROGRAM=<an ELF file>: a program of the user's, recorded on the reference simulator when it is first asked for.

    recorded(Path("app.elf"))       the recording, below build/programs

The recording is kept by the bytes of the file. The program is bare metal, in the 64 MiB from 0x80000000 on, and ends
with an odd value in `tohost`, as riscv-tests do, or with a jump to itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from pathlib import Path

from rvtrace.flow.programs import record
from rvtrace.flow.programs.host import symbols
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.progress import during
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program

LIMIT = 5_000_000  # instructions; the simulator takes some 100,000 in a second
_MAGIC = b"\x7fELF"


def is_elf(name: str) -> bool:
    """Whether this names an ELF file, and not a program that is recorded already."""
    path = Path(name)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def recorded(elf: Path) -> Path:
    """The .rec file of a program; ProgramsError if it cannot be recorded, with the place where it stopped."""
    body = elf.read_bytes()
    program = Program.from_elf(elf)
    folder = recording.BUILT / f"own-{hashlib.sha256(body).hexdigest()[:16]}"
    rec = folder / f"{elf.name.removesuffix('.elf').split('.rv')[0]}.rv{program.xlen}.rec"
    if rec.is_file():
        return rec
    with during(f"recording {elf.name} on the reference simulator"):
        try:
            run = record.run(program, symbols(elf).get("tohost", -1), LIMIT)
        except ProgramsError as error:
            raise ProgramsError(
                f"{elf} cannot be recorded: {error}; it must be bare metal for RV{program.xlen}IMAC at 0x80000000, and"
                " end with an odd value in tohost or a jump to itself"
            ) from None
    recording.BUILT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=recording.BUILT, prefix=".own-") as place:
        half = Path(place) / "whole" / rec.name
        half.parent.mkdir()
        shutil.copy(elf, half.with_suffix(".elf"))
        recording.save(half, half.with_suffix(".elf"), run.retired, run.initial)
        with contextlib.suppress(OSError):  # another process was first
            half.parent.rename(folder)
    return rec
