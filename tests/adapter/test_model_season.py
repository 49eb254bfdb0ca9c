# SPDX-License-Identifier: Apache-2.0
"""Which instructions of a program are exchanged for loads, stores and atomics, and for which ones (unprivileged manual:
A, F, D, C, Zcb).
"""

from collections import Counter
from random import Random

import numpy as np
import pytest

from rvtrace.models.adapter.season import seasoned
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program

BASE, N = 0x1000, 4000
ADDI, C_ADDI = 0x00150513, 0x0505
FUNCT5 = {0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28}  # amoadd, amoswap, lr, sc, amoxor, amoor, amoand, min, max, minu, maxu


def halves(xlen: int, word: int, size: int, zcmp: bool = False) -> list[int]:
    """What became of N times the same instruction."""
    program = Program(xlen, [(BASE, word.to_bytes(size, "little") * N)], zcmp=zcmp)
    out = seasoned(program, np.arange(BASE, BASE + size * N, size, dtype=np.uint64), Random(f"{xlen}:{word}"))
    ((base, body),) = out.segments
    assert base == BASE and len(body) == size * N
    for address in range(BASE, BASE + size * N, size):
        after = out.insn(address)
        assert after is not None and after.size == size
        assert after.flow == Flow.SEQUENTIAL or after.raw == word
    return [int.from_bytes(body[at : at + size], "little") for at in range(0, len(body), size)]


@pytest.mark.parametrize("xlen", (32, 64))
def test_instructions_of_four_bytes(xlen: int) -> None:
    words = [word for word in halves(xlen, ADDI, 4) if word != ADDI]
    assert 0.55 < len(words) / N < 0.65
    wide = xlen == 64
    wanted = {
        0x03: {0, 1, 2, 4, 5} | ({3, 6} if wide else set()), 0x23: {0, 1, 2} | ({3} if wide else set()),
        0x07: {2, 3}, 0x27: {2, 3}, 0x2F: {2} | ({3} if wide else set()),
    }  # fmt: skip
    funct3: dict[int, set[int]] = {}
    for word in words:
        funct3.setdefault(word & 0x7F, set()).add(word >> 12 & 7)
    assert funct3 == wanted
    assert all(0.16 < count / len(words) < 0.24 for count in Counter(word & 0x7F for word in words).values())
    assert {word >> 7 & 31 for word in words} == set(range(1, 32))
    for kind in wanted:
        assert {word >> 20 & 31 for word in words if word & 0x7F == kind} == set(range(32))
    assert {word >> 15 & 31 for word in words} == {word >> 20 & 31 for word in words} == set(range(32))
    atomics = [word for word in words if word & 0x7F == 0x2F]
    assert {word >> 27 for word in atomics} == FUNCT5 and not any(word >> 25 & 3 for word in atomics)
    assert {word >> 25 for word in words if word & 0x7F != 0x2F} == set(range(128))


@pytest.mark.parametrize("zcmp", (False, True))
@pytest.mark.parametrize("xlen", (32, 64))
def test_instructions_of_two_bytes(xlen: int, zcmp: bool) -> None:
    words = [word for word in halves(xlen, C_ADDI, 2, zcmp) if word != C_ADDI]
    assert 0.55 < len(words) / N < 0.65
    kinds: dict[tuple[int, int], list[int]] = {}
    for word in words:
        kinds.setdefault((word & 3, word >> 13), []).append(word)
    of_stack = {(2, funct3) for funct3 in (1, 2, 3, *(() if zcmp else (5,)), 6, 7)}  # cm.push is in place of c.fsdsp
    wanted = {(0, funct3) for funct3 in range(1, 8)} | of_stack | ({(1, 1)} if xlen == 64 else set())
    assert set(kinds) == wanted

    def share(of: set[tuple[int, int]]) -> float:
        return sum(len(kinds.get(kind, ())) for kind in of) / len(words)

    rest = 0.8 if xlen == 64 else 1.0
    assert abs(share({(1, 1)}) - (1 - rest)) < 0.03
    assert abs(share({(0, funct3) for funct3 in range(8)}) - rest / 2) < 0.04
    assert abs(share({(0, 4)}) - rest / 8) < 0.03
    zcb = kinds[0, 4]
    assert {word >> 10 & 7 for word in zcb} == set(range(4)) and all(word >> 7 & 1 for word in zcb)
    assert np.bitwise_or.reduce(zcb) & 0x3FF == 0x3FC and np.bitwise_and.reduce(zcb) & 0x3FF == 0x80
    for kind, found in kinds.items():
        if kind == (1, 1):  # c.addiw
            assert {word >> 7 & 31 for word in found} == set(range(1, 32)) and not any(word >> 12 & 1 for word in found)
            assert {word >> 2 & 31 for word in found} == set(range(32))
        elif kind != (0, 4):
            assert np.bitwise_or.reduce(found) & 0x1FFC == 0x1FFC and np.bitwise_and.reduce(found) & 0x1FFC == 0x80


@pytest.mark.parametrize(
    ("word", "size", "exchanged"),
    [
        (0x00052503, 4, True), (ADDI, 4, True), (0x0015051B, 4, True), (0x00A52023, 4, True), (0x00A50533, 4, True),
        (0x00A5053B, 4, True), (0x00000537, 4, False), (0x00000517, 4, False), (0x34051073, 4, False),
        (0x0000000F, 4, False), (0x00A5252F, 4, False), (0x00A50463, 4, False), (0x0080006F, 4, False),
        (0x00050067, 4, False), (0x00000073, 4, False), (0x00052507, 4, False),
        (C_ADDI, 2, True), (0x8105, 2, True), (0x4108, 2, True), (0x0808, 2, True),  # c.srli, c.lw, c.addi4spn
        (0x4505, 2, False), (0x6505, 2, False), (0x2505, 2, False),  # c.li, c.lui, c.addiw
        (0x0506, 2, False), (0x952E, 2, False), (0x4502, 2, False),  # c.slli, c.add, c.lwsp
        (0xA011, 2, False), (0xC111, 2, False), (0x8502, 2, False), (0x9002, 2, False),  # c.j, c.beqz, c.jr, c.ebreak
    ],
)  # fmt: skip
def test_only_what_no_jump_needs_is_exchanged(word: int, size: int, exchanged: bool) -> None:
    assert any(one != word for one in halves(64, word, size)) == exchanged


def test_only_at_the_addresses_given_and_in_the_segment_of_each() -> None:
    """An address outside of both comes first, and one twice."""
    body = ADDI.to_bytes(4, "little") * 64
    program = Program(64, [(BASE, body), (BASE + 512, body)], {"main": BASE}, BASE + 4, zcmp=False, zcmt=True)
    pcs = np.array([0x10, *range(BASE, BASE + 256, 8), BASE + 512, BASE + 512], np.uint64)
    changed: set[int] = set()
    for seed in range(12):
        out = seasoned(program, pcs, Random(f"{seed}"))
        assert [(base, len(part)) for base, part in out.segments] == [(BASE, 256), (BASE + 512, 256)]
        assert (out.xlen, out.labels, out.entry, out.zcmp, out.zcmt) == (64, [("main", BASE)], BASE + 4, False, True)
        for base, part in out.segments:
            changed |= {base + at for at in range(0, 256, 4) if part[at : at + 4] != body[:4]}
    assert changed == {*range(BASE, BASE + 256, 8), BASE + 512}
    assert program.segments[0][1] == body, "the program itself stays"
