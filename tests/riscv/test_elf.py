# SPDX-License-Identifier: Apache-2.0
"""ELF files: there and back, and files that are not a program for us."""

import random
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program, ProgramError
from rvtrace.models.riscv.source_lines import Lines


def small(xlen: int) -> Program:
    """Two segments of code and one of data."""
    builder = ProgramBuilder(xlen, 0x1000, jvt=0x4000)
    builder.label("main")
    builder.cm_jt("far")
    builder.org(0x8000_0000)
    builder.label("far")
    builder.c_j("far")
    return builder.build()


@given(seed=st.integers(0, 1000), xlen=st.sampled_from([32, 64]), zcm=st.booleans())
@settings(max_examples=15, deadline=None)
def test_elf_round_trip(tmp_path_factory, seed, xlen, zcm):
    path = tmp_path_factory.mktemp("elf") / "program.elf"
    program = generate(random.Random(seed), xlen, 150, zcm=zcm)
    program.to_elf(path)
    again = Program.from_elf(path)
    for name in ("xlen", "segments", "data", "entry", "jvt", "zcmp", "zcmt"):
        assert getattr(again, name) == getattr(program, name), name
    symbols = dict(again.symbols)
    symbols.pop("__jvt_base$", None)
    assert symbols == program.symbols


def write(path, change, xlen=64):
    small(xlen).to_elf(path)
    body = bytearray(path.read_bytes())
    path.write_bytes(change(body) or body)
    return path


def patch(offset, value):
    return lambda body: body.__setitem__(slice(offset, offset + len(value)), value)


BAD = {
    "is for Advanced Micro Devices X86-64, not for RISC-V": patch(18, b"\x3e\0"),
    "begins with 23 21 2f 62, not with 7f 45 4c 46": lambda body: b"#!/bin/sh",
    "it is empty": lambda body: body.clear(),
    "is truncated": lambda body: body[: len(body) // 2],
    "is a corrupt ELF file": patch(4, b"\x07"),
    "big-endian": lambda body: patch(5, b"\2")(body) or patch(18, b"\0\xf3")(body),
    "program headers of 0 bytes": patch(54, b"\0\0"),
    "no executable segment": lambda body: [patch(68 + 56 * i, b"\x04")(body) for i in range(3)] and None,
}


@pytest.mark.parametrize("message", BAD)
def test_bad_elf_is_one_sentence_with_a_way_out(tmp_path, message):
    path = write(tmp_path / "bad.elf", BAD[message])
    with pytest.raises(ProgramError, match=message) as error:
        Program.from_elf(path)
    assert str(path) in str(error.value) and ";" in str(error.value) and "\n" not in str(error.value)


def test_missing_file_and_wrong_class(tmp_path):
    with pytest.raises(ProgramError, match=r"cannot be read .No such file"):
        Program.from_elf(tmp_path / "none.elf")
    path = write(tmp_path / "small.elf", lambda body: None, xlen=32)
    with pytest.raises(ProgramError, match="is for riscv32, and riscv64 was asked for"):
        Program.from_elf(path, xlen=64)


@given(data=st.data(), xlen=st.sampled_from([32, 64]))
@settings(max_examples=300, deadline=None)
def test_damaged_elf_gives_a_program_or_a_program_error(tmp_path_factory, data, xlen):
    path = tmp_path_factory.getbasetemp() / "damaged.elf"
    body = bytearray(write(path, lambda body: None, xlen).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.sampled_from([0, 1, 127, 255]))
    path.write_bytes(body[: data.draw(st.integers(0, len(body))) or None])
    try:
        program = Program.from_elf(path)
    except ProgramError as error:
        assert "\n" not in str(error)
    else:
        assert program.segments


def compressed(path, name: str, header: bool, size: int) -> None:
    """Adds a section of so many zeros to an ELF file, compressed in the way of SHF_COMPRESSED or of .zdebug."""
    body = bytearray(path.read_bytes())
    offset, count = struct.unpack_from("<Q", body, 40)[0], struct.unpack_from("<H", body, 60)[0]
    names = struct.unpack_from("<IIQQQQIIQQ", body, offset + 64 * struct.unpack_from("<H", body, 62)[0])
    packed = zlib.compress(bytes(size), 9)
    data = struct.pack("<IIQQ", 1, 0, size, 1) + packed if header else b"ZLIB" + size.to_bytes(8, "big") + packed
    sections = [list(struct.unpack_from("<IIQQQQIIQQ", body, offset + 64 * n)) for n in range(count)]
    texts = bytes(body[names[4] : names[4] + names[5]]) + name.encode() + b"\0"
    at = len(body)
    sections[struct.unpack_from("<H", body, 62)[0]][4:6] = [at, len(texts)]
    sections.append([len(texts) - len(name) - 1, 1, 0x800 * header, 0, at + len(texts), len(data), 0, 0, 1, 0])
    body += texts + data
    struct.pack_into("<Q", body, 40, len(body))
    struct.pack_into("<H", body, 60, count + 1)
    path.write_bytes(bytes(body) + b"".join(struct.pack("<IIQQQQIIQQ", *one) for one in sections))


@pytest.mark.parametrize(("name", "header"), [(".debug_str", True), (".zdebug_str", False)])
def test_a_compressed_section_that_would_fill_the_memory(tmp_path, name, header):
    path = tmp_path / "a.elf"
    small(64).to_elf(path)
    compressed(path, name, header, 1 << 18)
    assert Program.from_elf(path).symbols, "a short one is read"
    small(64).to_elf(path)
    compressed(path, name, header, 64 << 20)
    with pytest.raises(ProgramError, match=f"a compressed section {name} of [0-9,]+ bytes that expands to more than"):
        Program.from_elf(path)
    lines = Lines(path)
    assert "expands to more than" in lines.missing
