# SPDX-License-Identifier: Apache-2.0
"""The reference simulator and unicorn do the same: every instruction of the table on random state, every 16-bit
encoding.
"""

import random

import pytest

from rvtrace.models.riscv.iss.table import OTHER, ROWS, Row
from tests.tandem.pairs import Pair

pytest.importorskip("unicorn")
PRIVILEGED = ("fence.i", "ecall", "ebreak", "sret", "mret", "wfi")
TURNS = 12


def word(row: Row, rng: random.Random, xlen: int) -> int:
    """Random bits of this instruction."""
    opcode, *rest = row.key
    raw = rng.getrandbits(32) & ~0x7F | opcode
    if rest:
        raw = raw & ~(7 << 12) | rest[0] << 12
    if opcode == 0x2F:
        raw = raw & ~(31 << 27) | rest[1] << 27
        raw = raw & ~(31 << 20) if len(rest) > 2 else raw
    elif len(rest) > 1:
        raw = raw & ~(127 << 25) | rest[1] << 25
        if row.format == "H" and xlen == 64:
            raw |= rng.randrange(2) << 25
    if row.extension == "a" or opcode in (0x03, 0x23):
        rs1, rd = rng.randrange(1, 32), rng.randrange(32)
        raw = raw & ~(31 << 15) | rs1 << 15
        if opcode == 0x23:  # rs2 is any
            return raw
        raw = raw & ~(31 << 7) | rd << 7
    return raw


def pointed(raw: int) -> tuple[int, ...]:
    return (raw >> 15 & 31,)


@pytest.mark.parametrize("xlen", (32, 64))
def test_every_instruction_of_the_table(xlen: int) -> None:
    pair, rng, reported = Pair(xlen), random.Random(f"1:table{xlen}"), set()
    for row in ROWS:
        if row.name in PRIVILEGED or row.format == "C" or (row.rv64 and xlen == 32):
            continue
        for _ in range(TURNS):
            raw = word(row, rng, xlen)
            memory = row.extension == "a" or row.key[0] in (0x03, 0x23)
            pair.state(rng, pointed(raw) if memory else ())
            pair.place(raw, 4)
            opinion, apart = pair.run()
            assert not apart, f"{row.name} {raw:#010x}: {apart}"
            reported |= {row.name} if opinion else set()
    missing = {r.name for r in ROWS if r.kind != OTHER and (xlen == 64 or not r.rv64)} - reported - set(PRIVILEGED)
    assert not missing


def reserved(raw: int, xlen: int) -> bool:
    """What unicorn executes although our hart may not: floating point, and encodings that the manual reserves (tables
    16.5 to 16.7).
    """
    quadrant, funct3, arithmetic = raw & 3, raw >> 13, raw & 0xE003 == 0x8001
    if quadrant != 1:
        long_shift = xlen == 32 and quadrant == 2 and funct3 == 0 and raw >> 12 & 1
        return funct3 in ((1, 5) if xlen == 64 else (1, 3, 5, 7)) or (quadrant, funct3) == (0, 4) or bool(long_shift)
    if arithmetic and raw >> 12 & 1:
        return xlen == 32 and raw >> 10 & 3 != 2 or raw >> 10 & 3 == 3 and bool(raw >> 6 & 1)
    return False


@pytest.mark.parametrize("xlen", (32, 64))
def test_every_16_bit_encoding(xlen: int) -> None:
    """Some of all, chosen at random: what one has as illegal the other must not execute."""
    pair, rng = Pair(xlen), random.Random(f"1:compressed{xlen}")
    executed, since = 0, 32
    for raw in rng.sample([raw for raw in range(0x10000) if raw & 3 != 3], 6000):
        since += 1
        if since >= 32:
            pair.state(rng, (2, *range(8, 16)))
            since = 0
        pair.place(raw, 2)
        if reserved(raw, xlen):
            step = pair.one.execute()
            assert step.trap == (0, 2), f"{raw:#06x} is {step.name}"
            continue
        opinion, apart = pair.run()
        assert not apart, f"{raw:#06x}: {apart}"
        executed += opinion
        if not opinion:
            since = 32
            step = pair.one.execute()
            assert step.access or (step.trap and step.trap[1] in (2, 3, 5, 7)), (
                f"{raw:#06x} is {step.name}, unicorn does not execute it"
            )
    assert executed > 3000
