# SPDX-License-Identifier: Apache-2.0
"""ELF files of programs: what `rvtrace.models.riscv.program` reads from them and writes to them.

Flags, attributes and the jump table's symbol are those of the RISC-V ELF psABI.
"""

from __future__ import annotations

import re
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from rvtrace.models.common import shown

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile  # a tenth of the start of a command: imported when a file is read

JVT_SYMBOL = "__jvt_base$"
_SYMBOL_FORMAT = {32: "<IIIBBH", 64: "<IBBHQQ"}
_ENTRY_SIZES = {32: (32, 40), 64: (56, 64)}  # program header, section header
_EF_RVC, _EF_FLOAT_DOUBLE, _EF_FLOAT_MASK = 1, 4, 6
_EM_RISCV, _PT_LOAD, _PF_X = 243, 1, 1
_SHT_RISCV_ATTRIBUTES, _SHF_ALLOC, _SHF_EXEC = 0x70000003, 2, 4
_STT_NOTYPE, _STT_FUNC, _SHN_UNDEF, _SHN_ABS = 0, 2, 0, 0xFFF1
# A compressed section becomes at most so many times as long, and a megabyte. Those of compilers become 3 to 10 times as
# long; zeros 1,000 times, so that a file of megabytes would take the memory of the machine.
_EXPANDS, _FREE = 64, 1 << 20
_WAY_OUT = "give an ELF file linked for riscv32 or riscv64"


class ElfError(ValueError):
    """A file that is not a usable ELF file; the text states what was found, what was needed and what to do."""


class ElfFile(NamedTuple):
    """The parts of an ELF file that a program is made of.

    xlen: 32 or 64. code, data: (address, bytes) of the executable segments, and of the others. symbols: (name,
    address). jvt: the value of the symbol `__jvt_base$`, 0 without it. zcmp, zcmt: the architecture attribute names the
    extension; without that attribute zcmp is true unless the file is for the double-precision ABI (which needs c.fsdsp,
    the same encodings).
    """

    xlen: int
    code: list[tuple[int, bytes]]
    data: list[tuple[int, bytes]]
    symbols: list[tuple[str, int]]
    entry: int
    jvt: int
    zcmp: bool
    zcmt: bool


def read(path: str | Path, xlen: int | None = None) -> ElfFile:
    """The parts of an ELF file; ElfError, whatever the bytes. xlen: refuse another class."""
    opened = False
    try:
        with open(path, "rb") as stream:
            magic, opened = stream.read(4), True
            if magic != b"\x7fELF":
                what = "is empty" if not magic else f"begins with {magic.hex(' ')}, not with 7f 45 4c 46"
                raise ElfError(f"{path} is not an ELF file: it {what}; {_WAY_OUT}")
            return _read(stream, path, xlen)
    except ElfError:
        raise
    except Exception as error:  # pyelftools raises many kinds on bytes it does not expect
        if isinstance(error, OSError) and not opened:
            raise ElfError(f"{path} cannot be read ({error.strerror}); {_WAY_OUT}") from None
        reason = str(error) or type(error).__name__
        raise ElfError(f"{path} is a corrupt ELF file ({reason}); build it again or copy it again") from None


def _read(stream: BinaryIO, path: str | Path, wanted: int | None) -> ElfFile:
    from elftools.elf.descriptions import describe_e_machine
    from elftools.elf.elffile import ELFFile

    elf = ELFFile(stream)
    size = stream.seek(0, 2)
    machine, bits = elf["e_machine"], elf.elfclass
    if machine != "EM_RISCV":
        found = describe_e_machine(machine) if isinstance(machine, str) else f"machine number {machine}"
        found = "no machine" if machine == "EM_NONE" else found
        raise ElfError(f"{path} is for {found}, not for RISC-V; {_WAY_OUT}")
    if not elf.little_endian:
        raise ElfError(f"{path} is for big-endian RISC-V, which is not supported; {_WAY_OUT}, little-endian")
    if wanted not in (None, bits):
        raise ElfError(f"{path} is for riscv{bits}, and riscv{wanted} was asked for; set XLEN={bits} or rebuild it")
    headers = (("program", "e_phoff", "e_phentsize", elf.num_segments(), 0),
               ("section", "e_shoff", "e_shentsize", elf.num_sections(), 1))  # fmt: skip
    for what, offset, entry_size, count, column in headers:  # before pyelftools loops over whatever they say
        if count and elf[entry_size] != _ENTRY_SIZES[bits][column]:
            raise ElfError(f"{path} is a corrupt ELF file: {what} headers of {elf[entry_size]} bytes; build it again")
        _inside(path, f"its {count} {what} headers", elf[offset], count * elf[entry_size], size)

    bounded(elf, path)
    code, data = [], []
    for segment in elf.iter_segments():
        if segment["p_type"] != "PT_LOAD" or not segment["p_filesz"]:
            continue
        _inside(path, f"the segment at {segment['p_vaddr']:#x}", segment["p_offset"], segment["p_filesz"], size)
        (code if segment["p_flags"] & _PF_X else data).append((segment["p_vaddr"], segment.data()))
    if not code:
        way = "link it" if elf["e_type"] == "ET_REL" else "link it with its code in an executable segment"
        raise ElfError(f"{path} has no executable segment ({elf['e_type']}); {way}")

    symbols, table_base, arch = [], None, None
    for section in elf.iter_sections():
        if section["sh_type"] == "SHT_SYMTAB":
            found, base = _symbols(section, elf.get_section(section["sh_link"]), bits, code)
            symbols += found
            table_base = base if table_base is None else table_base
        elif section["sh_type"] in ("SHT_RISCV_ATTRIBUTES", _SHT_RISCV_ATTRIBUTES):
            match = re.search(rb"rv(?:32|64)[a-z0-9_]+", section.data())
            arch = match[0].decode() if match else arch
    plain = elf["e_flags"] & _EF_FLOAT_MASK != _EF_FLOAT_DOUBLE
    zcmp = plain if arch is None else "_zcmp" in arch
    zcmt = arch is not None and "_zcmt" in arch
    return ElfFile(bits, code, data, symbols, elf["e_entry"], table_base or 0, zcmp, zcmt)


def bounded(elf: ELFFile, path: str | Path) -> None:
    """ElfError if a compressed section is much longer than those that compilers write."""
    for section in elf.iter_sections():
        stored = section["sh_size"]
        most = _EXPANDS * stored + _FREE
        if section.compressed:
            size = section.data_size
        elif section.name.startswith(".zdebug") and section["sh_type"] != "SHT_NOBITS":
            size = len(zlib.decompressobj().decompress(section.data()[12:], most + 1))  # after ZLIB and the size
        else:
            continue
        if size > most:
            name = shown.line(section.name)
            raise ElfError(
                f"{path} has a compressed section {name} of {stored:,} bytes that expands to more than {most:,};"
                " decompress it with `objcopy --decompress-debug-sections`, or remove it"
            )


def _inside(path: str | Path, what: str, offset: int, length: int, size: int) -> None:
    if length and offset + length > size:
        raise ElfError(
            f"{path} is truncated: {what} should end at byte {offset + length}, the file has {size}; "
            "build it again or copy it again"
        )


def _symbols(
    section: Any, strings: Any, bits: int, code: list[tuple[int, bytes]]
) -> tuple[list[tuple[str, int]], int | None]:
    """Functions and labels in code (of two at one address the function), and the jump table's base."""
    form = struct.Struct(_SYMBOL_FORMAT[bits])
    table, names = section.data(), strings.data()
    found: dict[int, tuple[bool, str]] = {}
    base = None
    for row in form.iter_unpack(table[: len(table) - len(table) % form.size]):
        name_at, value, info, index = (
            (row[0], row[4], row[1], row[3]) if bits == 64 else (row[0], row[1], row[3], row[5])
        )
        name = names[name_at : min(names.find(b"\0", name_at) % (len(names) + 1), name_at + 4096)].decode(
            "utf-8", "replace"
        )
        if name == JVT_SYMBOL:
            base = value
        if (
            info & 15 not in (_STT_NOTYPE, _STT_FUNC)
            or index == _SHN_UNDEF
            or not name
            or name[0] == "$"
            or name[:2] == ".L"
        ):
            continue
        if not any(start <= value < start + len(body) for start, body in code):
            continue
        is_function = info & 15 == _STT_FUNC
        if value not in found or is_function > found[value][0]:
            found[value] = (is_function, shown.line(name))
    return [(name, value) for value, (_, name) in found.items()], base


def _attributes(program: ElfFile) -> bytes:
    """The .riscv.attributes section with the architecture string."""
    arch = f"rv{program.xlen}i2p0_m2p0_a2p0_c2p0_zicsr2p0"
    if not (program.zcmp or program.zcmt):
        arch = f"rv{program.xlen}i2p0_m2p0_a2p0_f2p0_d2p0_c2p0_zicsr2p0"
    arch += "_zcmp1p0" * program.zcmp + "_zcmt1p0" * program.zcmt
    tags = b"\x05" + arch.encode() + b"\0"
    file_tags = b"\x01" + struct.pack("<I", 5 + len(tags)) + tags
    vendor = b"riscv\0"
    return b"A" + struct.pack("<I", 4 + len(vendor) + len(file_tags)) + vendor + file_tags


def write(program: ElfFile, path: str | Path) -> None:
    """Write an executable: one PT_LOAD and one section per segment, symbols, attributes.

    Each symbol in code becomes a function that extends to the next one. OSError if the file cannot be written.
    """
    wide = program.xlen == 64
    header_size, symbol_form = (64 if wide else 52), struct.Struct(_SYMBOL_FORMAT[program.xlen])
    segment_size, section_size = _ENTRY_SIZES[program.xlen]
    loads = [(base, body, True) for base, body in program.code] + [(base, body, False) for base, body in program.data]
    image = bytearray(header_size + segment_size * len(loads))
    names = bytearray(b"\0")
    sections = [(0,) * 10]

    def place(body: bytes, residue: int = 0) -> int:
        image.extend(bytes((residue - len(image)) % 8))
        image.extend(body)
        return len(image) - len(body)

    def section(
        name: str, kind: int, flags: int, address: int, body: bytes,
        link: int = 0, info: int = 0, align: int = 1, entry: int = 0,
    ) -> int:  # fmt: skip
        offset = place(body, address)
        sections.append((len(names), kind, flags, address, offset, len(body), link, info, align, entry))
        names.extend(name.encode() + b"\0")
        return offset

    segment_headers = bytearray()
    counts = {True: 0, False: 0}
    for base, body, executable in loads:
        stem = ".text" if executable else ".rodata"
        name = f"{stem}.{counts[executable]}" if counts[executable] else stem
        counts[executable] += 1
        offset = section(name, 1, _SHF_ALLOC | (_SHF_EXEC if executable else 0), base, body, align=2)
        flags, length = (5 if executable else 4), len(body)
        if wide:
            segment_headers += struct.pack("<IIQQQQQQ", _PT_LOAD, flags, offset, base, base, length, length, 8)
        else:
            segment_headers += struct.pack("<IIIIIIII", _PT_LOAD, offset, base, base, length, length, flags, 8)
    image[header_size : header_size + len(segment_headers)] = segment_headers
    section(".riscv.attributes", _SHT_RISCV_ATTRIBUTES, 0, 0, _attributes(program))

    table, strings = bytearray(symbol_form.size), bytearray(b"\0")
    pairs = program.symbols + ([(JVT_SYMBOL, program.jvt)] if program.jvt else [])
    addresses = sorted({address for _, address in pairs})
    following = dict(pairwise(addresses))
    for name, address in pairs:
        home = next((i for i, (base, body, _) in enumerate(loads, 1) if base <= address < base + len(body)), _SHN_ABS)
        is_code = home <= len(program.code)
        end = loads[home - 1][0] + len(loads[home - 1][1]) if is_code else address
        length, info = (
            min(following.get(address, end), end) - address,
            0x10 | (_STT_FUNC if is_code else _STT_NOTYPE),
        )
        row = (len(strings), info, 0, home, address, length) if wide else (len(strings), address, length, info, 0, home)
        table += symbol_form.pack(*row)
        strings += name.encode() + b"\0"
    link = len(sections) + 1
    section(".symtab", 2, 0, 0, bytes(table), link=link, info=1, align=8, entry=symbol_form.size)
    section(".strtab", 3, 0, 0, bytes(strings))
    names_offset = place(bytes(names) + b".shstrtab\0")
    sections.append((len(names), 3, 0, 0, names_offset, len(names) + 10, 0, 0, 1, 0))
    section_form = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    assert struct.calcsize(section_form) == section_size
    section_offset = place(b"".join(struct.pack(section_form, *row) for row in sections))
    flags = _EF_RVC | (0 if program.zcmp or program.zcmt else _EF_FLOAT_DOUBLE)
    identity = b"\x7fELF" + bytes((2 if wide else 1, 1, 1)) + bytes(9)
    header = (2, _EM_RISCV, 1, program.entry, header_size, section_offset, flags, header_size, segment_size)
    header += (len(loads), section_size, len(sections), len(sections) - 1)
    image[:header_size] = identity + struct.pack("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", *header)
    Path(path).write_bytes(image)
