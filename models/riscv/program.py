# SPDX-License-Identifier: Apache-2.0
"""A program: memory image, symbols, and its instructions by address.

Walks, inputs of encoders, decoders and failure messages all use it. The format of ELF files is in
`rvtrace.models.riscv.elf`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.models.riscv import elf, isa
from rvtrace.models.riscv.isa import Insn, MaybeNone
from rvtrace.models.riscv.source_lines import Lines

Segment = tuple[int, bytes]
Given = tuple[int, bytes | bytearray]
NO_TARGET = 0xFFFF_FFFF_FFFF_FFFF  # odd, so no instruction is there


class ProgramError(ValueError):
    """A program that cannot be used; the text says what was found, what was needed and what to do."""


@dataclass
class Columns:
    """What a program says about many addresses, as arrays of the number of addresses.

    size: bytes, 0 outside the program. flow: a `Flow`. target: of a direct branch or jump, else NO_TARGET.
    itype: by variant; of a branch the one when not taken.
    """

    size: np.ndarray
    flow: np.ndarray
    target: np.ndarray
    itype: dict[str, np.ndarray]


class _Code(dict[int, Insn | MaybeNone]):
    """Address to instruction, decoded at first use; addresses without one give None and are not kept."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program

    def __missing__(self, pc: int) -> Insn | None:
        insn = self._program._decode(pc)
        if insn is not None:
            self[pc] = insn
        return insn


class Program:
    """Executable segments, data segments, symbols and an entry point.

    xlen: 32 or 64. segments, data: (address, bytes) pairs, executable and not; they must not overlap.
    symbols: name to address, or (name, address) pairs. jvt: base address of the Zcmt jump table, 0 if none.
    zcmp, zcmt: whether the program uses these extensions in place of c.fsdsp; zcmt defaults to jvt != 0.
    code: dict from pc to Insn for hot loops (`code[pc]` is None outside). labels: all (name, address) pairs;
    symbols: the first address of each name.
    Raises ProgramError.
    """

    def __init__(
        self,
        xlen: int,
        segments: Iterable[Given],
        symbols: Mapping[str, int] | Iterable[tuple[str, int]] = (),
        entry: int = 0,
        jvt: int = 0,
        data: Iterable[Given] = (),
        zcmp: bool = True,
        zcmt: bool | None = None,
    ) -> None:
        if xlen not in (32, 64):
            raise ProgramError(f"a program of {xlen} bits was asked for; xlen must be 32 or 64")
        self.xlen = xlen
        self.segments = _merge(segments, xlen)
        self.data = _merge(data, xlen)
        self.entry, self.jvt = entry, jvt
        self.zcmp, self.zcmt = zcmp, bool(jvt) if zcmt is None else zcmt
        pairs: list[Any] = list(symbols.items() if isinstance(symbols, Mapping) else symbols)
        self.labels: list[tuple[str, int]] = pairs
        self.symbols: dict[str, int] = dict(reversed(self.labels))
        self._bases = [base for base, _ in self.segments]
        ordered = sorted((address, name) for name, address in self.labels)
        self._symbol_addresses = [address for address, _ in ordered]
        self._symbol_names = [name for _, name in ordered]
        self.code = _Code(self)
        self._columns: _Dense | None = None
        self._elf: Path | None = None
        self._lines: Lines | None = None

    def __repr__(self) -> str:
        size = sum(len(body) for _, body in self.segments)
        return f"Program(rv{self.xlen}, {size} bytes in {len(self.segments)} segments, entry {self.entry:#x})"

    def insn(self, pc: int) -> Insn | None:
        """The instruction at pc, None outside executable memory or at an odd address."""
        return self.code[pc]

    def _decode(self, pc: int) -> Insn | None:
        index = bisect_right(self._bases, pc) - 1
        if index < 0 or pc & 1:
            return None
        base, body = self.segments[index]
        offset = pc - base
        parcel = body[offset : offset + 2]
        if len(parcel) < 2:
            return None
        size = isa.size_of(int.from_bytes(parcel, "little"))
        raw = body[offset : offset + size]
        if len(raw) < size:
            return None
        return isa.decode(
            pc,
            int.from_bytes(raw, "little"),
            self.xlen,
            zcmp=self.zcmp,
            zcmt=self.zcmt,
            entry=self._table_entry,
        )

    def read(self, address: int, count: int) -> bytes | None:
        """Bytes of memory, code or data; None unless all of them lie in one segment."""
        for base, body in (*self.segments, *self.data):
            if base <= address and address + count <= base + len(body):
                return body[address - base : address - base + count]
        return None

    def _table_entry(self, index: int) -> int | None:
        width = self.xlen // 8
        entry = self.read((self.jvt & ~0x3F) + index * width, width) if self.jvt else None
        return None if entry is None else int.from_bytes(entry, "little")

    def symbol(self, pc: int) -> str:
        """`main+0x10`, `main`, or the address in hex if no symbol comes before it in its segment."""
        index = bisect_right(self._bases, pc) - 1
        nearest = bisect_right(self._symbol_addresses, pc) - 1
        if nearest < 0 or index < 0 or pc >= self._bases[index] + len(self.segments[index][1]):
            return f"{pc:#x}"
        address = self._symbol_addresses[nearest]
        if address < self._bases[index]:
            return f"{pc:#x}"
        name = self._symbol_names[nearest]
        return name if address == pc else f"{name}+{pc - address:#x}"

    def place(self, pc: int) -> str:
        """`0x80000010 <main+0x10>`, or the address alone where there is no symbol."""
        name = self.symbol(pc)
        return name if name == f"{pc:#x}" else f"{pc:#x} <{name}>"

    def where(self, pc: int) -> str:
        """`0x80000010 <main+0x10>: beq a0, a1, ...`, or that there is no instruction; then its source line, as far as
        the ELF file has line information.
        """
        insn = self.insn(pc)
        text = "no instruction in the program" if insn is None else isa.disassemble(insn, self)
        return f"{self.place(pc)}: {text}{self.source(pc)}"

    @property
    def lines(self) -> Lines:
        """The line table of the ELF file that the program was read from, read at first use."""
        if self._lines is None:
            self._lines = Lines(self._elf)
        return self._lines

    def source(self, pc: int) -> str:
        """`  ; sort.c:12  n = 7;`, to be appended to a line about an instruction; "" where it is not known."""
        line = self.lines.at(pc)
        return "" if line is None else f"  ; {line}"

    def columns(self, pcs: np.ndarray) -> Columns:
        """What the program says about each of the addresses, fast for many of them."""
        if self._columns is None:
            self._columns = _Dense(self)
        return self._columns.look_up(np.asarray(pcs, dtype=np.uint64))

    @classmethod
    def from_elf(cls, path: str | Path, jvt: int | None = None, xlen: int | None = None) -> Program:
        """The program of an ELF file: its executable segments as code, the others as data; ProgramError, whatever the
        bytes.

        jvt: base of the Zcmt jump table, by default the value of the symbol `__jvt_base$`. xlen: refuse another class.
        """
        try:
            found = elf.read(path, xlen)
            base = found.jvt if jvt is None else jvt
        except elf.ElfError as error:
            raise ProgramError(str(error)) from None
        try:
            made = cls(
                found.xlen,
                found.code,
                found.symbols,
                found.entry,
                base,
                found.data,
                found.zcmp,
                bool(base) or found.zcmt,
            )
            made._elf = Path(path).resolve()
            return made
        except ProgramError as error:
            raise ProgramError(f"{path}: {error}") from None

    def to_elf(self, path: str | Path) -> None:
        """Write an ELF file that other tools read; OSError if the file cannot be written."""
        file = elf.ElfFile(self.xlen, self.segments, self.data, self.labels, self.entry, self.jvt, self.zcmp, self.zcmt)
        elf.write(file, path)


def _merge(segments: Iterable[Given], xlen: int) -> list[Segment]:
    """Segments by address, adjacent ones joined: an instruction may span the two."""
    merged: list[Segment] = []
    for base, body in sorted((base, bytes(body)) for base, body in segments if len(body)):
        if base < 0 or base + len(body) > 1 << xlen:
            raise ProgramError(
                f"a segment of {len(body)} bytes at {base:#x} does not fit in {xlen}-bit addresses; "
                "give the program's own xlen"
            )
        end = merged[-1][0] + len(merged[-1][1]) if merged else -1
        if base < end:
            raise ProgramError(f"the segment at {base:#x} overlaps the one that ends at {end:#x}; give each byte once")
        if base == end:
            merged[-1] = (merged[-1][0], merged[-1][1] + body)
        else:
            merged.append((base, body))
    return merged


class _Dense:
    """One table entry per half-word of code, filled where somebody looked; the last entry is "outside"."""

    def __init__(self, program: Program) -> None:
        self._program = program
        lengths = [len(body) + 1 >> 1 for _, body in program.segments]
        self._bases = np.array([base for base, _ in program.segments], dtype=np.uint64)
        self._lengths = np.array(lengths, dtype=np.uint64)
        self._starts = np.cumsum([0, *lengths]).astype(np.uint64)
        n = sum(lengths) + 1
        self._known = np.zeros(n, dtype=bool)
        self._known[-1] = True
        self._size = np.zeros(n, dtype=np.uint8)
        self._flow = np.zeros(n, dtype=np.uint8)
        self._target = np.full(n, NO_TARGET, dtype=np.uint64)
        self._itype = {variant: np.zeros(n, dtype=np.uint8) for variant in isa.VARIANTS}

    def _index(self, pcs: np.ndarray) -> np.ndarray:
        outside = np.uint64(len(self._known) - 1)
        if not len(self._bases):
            return np.full(len(pcs), outside)
        if len(self._bases) == 1:
            segment = np.zeros(len(pcs), dtype=np.intp)
        else:
            segment = np.maximum(np.searchsorted(self._bases, pcs, side="right"), 1) - 1
        halves = (pcs - self._bases[segment]) >> np.uint64(1)  # wraps to a huge number below the first segment
        inside = (halves < self._lengths[segment]) & (pcs & np.uint64(1) == 0)
        return np.where(inside, halves + self._starts[segment], outside)

    def look_up(self, pcs: np.ndarray) -> Columns:
        index = self._index(pcs).astype(np.intp)
        unknown = ~self._known[index]
        if unknown.any():
            for slot, first in zip(*np.unique(index[unknown], return_index=True)):
                self._fill(int(slot), self._program.insn(int(pcs[unknown][first])))
        return Columns(
            self._size[index],
            self._flow[index],
            self._target[index],
            {v: t[index] for v, t in self._itype.items()},
        )

    def _fill(self, slot: int, insn: Insn | None) -> None:
        self._known[slot] = True
        if insn is None:
            return
        self._size[slot], self._flow[slot] = insn.size, insn.flow
        if insn.target is not None:
            self._target[slot] = insn.target
        for variant, table in self._itype.items():
            table[slot] = isa.itype(insn, variant)
