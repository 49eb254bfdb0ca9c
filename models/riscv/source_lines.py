# SPDX-License-Identifier: Apache-2.0
"""Source lines of instructions, from the line tables of an ELF file (DWARF) as far as it has any.

A line table names files of the machine on which the program was compiled, and may name any. Their text goes into
listings and pages that are passed on, so that only files below the folders of `allow` are read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from rvtrace.models.common import shown
from rvtrace.models.riscv.elf import bounded

# Only text that is a program's is copied into a page, whatever path the line table names.
SUFFIXES = {".c", ".h", ".s", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".inc", ".rs", ".adb", ".ads", ".go", ".zig"}
LARGEST = 4 << 20  # bytes of a source file
_allowed: list[Path] = []


def allow(folders: Sequence[Path]) -> None:
    """The text of files below these folders may be shown, whatever links lead there."""
    _allowed[:] = [folder.resolve() for folder in folders]


def _usable(file: str) -> Path | None:
    """The file, if its text may be shown: below one of the folders, under its own name or from there."""
    for place in (Path(file), *(folder / file for folder in _allowed if not file.startswith("/"))):
        path = place.resolve()
        if not any(path.is_relative_to(folder) for folder in _allowed) or path.suffix.lower() not in SUFFIXES:
            continue
        if path.is_file() and path.stat().st_size <= LARGEST:
            return path
    return None


class Line(NamedTuple):
    """A line of a file. text: "" where the file cannot be read."""

    file: str
    number: int
    text: str

    def __str__(self) -> str:
        """`sort.c:12  n = 7;`, without the folder."""
        place = f"{PurePosixPath(self.file).name}:{self.number}"
        return f"{place}  {self.text}" if self.text else place


class Span(NamedTuple):
    """Instructions [begin, end) of one line, as a row of a line table has them. end = begin: the line shares the
    instruction at `begin` with another one (`return x + 1;` and the brace after it).
    """

    begin: int
    end: int
    file: str
    number: int


class Lines:
    """Address to `Line`. missing: why there is none, "" if there are some. unread: files whose text is not shown, as
    they are below no folder of `allow`. functions: (address, name) of the symbols
    that are functions.
    """

    def __init__(self, path: Path | None) -> None:
        self.missing = "" if path is not None else "no program was given"
        self.functions: list[tuple[int, str]] = []
        self._starts: list[int] = []
        self._rows: list[tuple[int, str, int] | None] = []  # end of the range, file, line
        self._shared: list[Span] = []
        self._texts: dict[str, list[str]] = {}
        self.unread: set[str] = set()
        if path is not None:
            self._read(path)

    def _read(self, path: Path) -> None:
        from elftools.elf.elffile import ELFFile

        ranges: list[tuple[int, int, str, int]] = []
        try:
            with path.open("rb") as stream:
                elf: Any = ELFFile(stream)
                bounded(elf, path)
                self.functions = _functions(elf)
                if not elf.has_dwarf_info():
                    self.missing = f"{path.name} has no line information; compile it with -g to see source lines"
                    return
                dwarf = elf.get_dwarf_info()
                for unit in dwarf.iter_CUs():
                    program = dwarf.line_program_for_CU(unit)
                    if program is not None:
                        ranges += _ranges(program, _folder(unit))
        except Exception as error:  # pyelftools raises many kinds on bytes it does not expect
            self.missing = f"the line information of {path.name} cannot be read ({error or type(error).__name__})"
            return
        if not ranges:
            self.missing = f"{path.name} has no line information; compile it with -g to see source lines"
            return
        self._shared = sorted({Span(*row) for row in ranges if row[0] == row[1] and row[3]})
        ranges = sorted(row for row in ranges if row[0] < row[1])
        self._starts = [begin for begin, *_ in ranges]
        self._rows = [(end, file, number) for _, end, file, number in ranges]

    def at(self, pc: int) -> Line | None:
        """The line of the instruction at an address."""
        place = bisect_right(self._starts, pc) - 1
        row = self._rows[place] if place >= 0 else None
        if row is None or pc >= row[0]:
            return None
        _, file, number = row
        if not number:
            return None
        texts = self._text(file)
        return Line(file, number, texts[number - 1].strip() if 0 < number <= len(texts) else "")

    def source(self, file: str) -> list[str]:
        """The lines of a file, none if its text is not shown."""
        return [line.rstrip() for line in self._text(file)]

    @property
    def withheld(self) -> str:
        """A sentence about files whose text is not shown, "" if there are none."""
        if not self.unread:
            return ""
        folder = PurePosixPath(min(self.unread)).parent
        return (
            f"the text of {len(self.unread)} source file{'s' if len(self.unread) > 1 else ''} is not shown: only files"
            f" below a folder that you name are read; give SOURCE=<folder>, such as SOURCE={folder}"
        )

    def spans(self) -> Iterator[Span]:
        """All rows, those that cover more than an address first; line 0 is code of no line."""
        for begin, row in zip(self._starts, self._rows):
            if row is not None and row[2] > 0:
                yield Span(begin, *row)
        yield from self._shared

    def _text(self, file: str) -> list[str]:
        if file not in self._texts:
            try:
                path = _usable(file)
                text = path.read_text(errors="replace") if path is not None else ""
                if path is None:
                    self.unread.add(file)
            except (OSError, ValueError):  # a name with a null byte
                text = ""
            self._texts[file] = [shown.line(line.expandtabs()) for line in text.splitlines()]
        return self._texts[file]


def _functions(elf: Any) -> list[tuple[int, str]]:
    table = elf.get_section_by_name(".symtab")
    found = table.iter_symbols() if table is not None else ()
    functions = (one for one in found if one["st_info"]["type"] == "STT_FUNC" and one.name)
    return sorted({(one["st_value"], shown.line(one.name)) for one in functions})


def _folder(unit: Any) -> str:
    found = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return found.value.decode(errors="replace") if found is not None else ""


def _ranges(program: Any, folder: str) -> Iterable[tuple[int, int, str, int]]:
    """(begin, end, file, line) of each row of a line table; end = begin where the next row has the same address."""
    header, names = program.header, {}
    version = header["version"]
    folders, files = header["include_directory"], header["file_entry"]

    def name(number: int) -> str:
        if number not in names:
            entry = files[number if version >= 5 else number - 1]
            at = entry["dir_index"]
            below = (folders[at] if version >= 5 else folders[at - 1] if at else "") or b""
            if not isinstance(below, (bytes, str)):
                below = below["DW_LNCT_path"]
            whole = PurePosixPath(folder, _text(below), _text(entry["name"]))
            names[number] = shown.line(str(whole))
        return names[number]

    last = None
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if last is not None and (state.address > last[0] or not state.end_sequence):
            yield last[0], state.address, name(last[1]), last[2]
        last = None if state.end_sequence else (state.address, state.file, state.line)


def _text(name: bytes | str) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else name
