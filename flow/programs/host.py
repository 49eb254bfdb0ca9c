# SPDX-License-Identifier: Apache-2.0
"""Where a program talks to its host, and other symbols of data, which `Program` does not have."""

from __future__ import annotations

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from rvtrace.flow.programs.package import ProgramsError


def symbols(elf: Path) -> dict[str, int]:
    """All symbols of a program by name; ProgramsError if it is none."""
    try:
        with elf.open("rb") as file:
            table = ELFFile(file).get_section_by_name(".symtab")
            return {one.name: int(one["st_value"]) for one in table.iter_symbols()} if table else {}  # pyright: ignore
    except (OSError, ELFError) as error:
        raise ProgramsError(f"{elf} is no program ({error}); build it again with `rvtrace programs`") from None


def tohost(elf: Path) -> tuple[int, int]:
    """Addresses of tohost and fromhost; ProgramsError if the program has none."""
    found = symbols(elf)
    if "tohost" not in found or "fromhost" not in found:
        raise ProgramsError(
            f"{elf} has no symbols tohost and fromhost, so nobody sees where it ends; link it with them"
        )
    return found["tohost"], found["fromhost"]
