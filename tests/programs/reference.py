# SPDX-License-Identifier: Apache-2.0
"""What each program computes, worked out again in Python: the checksum its recording must end with.

Where Python has the function (sorted, zlib, datetime), that one is used, not a copy of the C code.
"""

import binascii
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cache, reduce
from itertools import count, islice, permutations
from math import gcd, isqrt

import numpy as np

M32 = 0xFFFFFFFF
SEED = 2166136261


def mix(h: int, *values: int) -> int:
    """The checksum step of program.h, once for each value."""
    return reduce(lambda h, v: ((h ^ (v & M32)) * 16777619) & M32, values, h)


def randoms(state: int) -> Iterator[int]:
    """The random sequence of program.h: 24-bit numbers."""
    while True:
        state = (state * 1664525 + 1013904223) & M32
        yield state >> 8


def sort() -> int:
    """Checksum of sort.c."""
    source = randoms(1)
    data = list(islice(source, 160))
    quick, heap = sorted(data), sorted(v ^ 0x5A5A5A for v in data)
    h = SEED
    for pair in zip(quick, heap):
        h = mix(h, *pair)
    for key in (lambda v: v, lambda v: -v, lambda v: (v & 255, v)):
        h = mix(h, *sorted(islice(source, 56), key=key))
    return mix(h, *(sum(v < key for v in quick) for key in islice(source, 32)))


def recursion() -> int:
    """Checksum of recursion.c, by closed forms where there are any."""
    fib = [0, 1]
    while len(fib) < 14:
        fib.append(fib[-1] + fib[-2])
    weight = 0
    for n in range(1, 121):
        weight = weight ^ (n << 4) if n % 2 else weight + n
    moves, pegs = 0, {1: list(range(7, 0, -1)), 2: [], 3: []}
    for disk in (next(d for d in count(1) if step >> (d - 1) & 1) for step in range(1, 128)):
        # An odd disk steps 1 -> 3 -> 2 -> 1, an even one the other way round.
        source = next(p for p, disks in pegs.items() if disk in disks)
        target = (source + 1) % 3 + 1 if disk % 2 else source % 3 + 1
        assert pegs[source][-1] == disk and (not pegs[target] or pegs[target][-1] > disk)
        pegs[target].append(pegs[source].pop())
        moves = mix(moves, disk << 8 | source << 4 | target)
    assert pegs[3] == list(range(7, 0, -1))
    boards = [
        p for p in permutations(range(6)) if len({r + c for r, c in enumerate(p)}) == 6
        and len({r - c for r, c in enumerate(p)}) == 6
    ]  # fmt: skip
    ackermann_2_5 = 2 * 5 + 3
    return mix(SEED, fib[13], ackermann_2_5, 1, weight, moves, *sorted(islice(randoms(7), 64)), len(boards))


def dispatch() -> int:
    """Checksum of dispatch.c."""
    total = 1
    for n in range(60, 0, -1):
        total = (total * 3 + n**3) & M32
    text = (
        "the quick brown fox jumps\nover 13 lazy dogs\nwhile 4 calling birds 271828 times\n"
        "sing the 2nd song of 99 bottles\n"
    )
    tokens = text.split() * 3
    digits = ""  # of each number, as the state machine leaves it: "2nd" is a number whose 'n' starts a new token
    words = numbers = 0
    for token in tokens:
        lead = token[: len(token) - len(token.lstrip("0123456789"))]
        digits += lead
        numbers += bool(lead)
        words += len(lead) < len(token)
    h = mix(SEED, total, words, numbers, 3 * text.count("\n"), int(digits))
    a, b, side = 3, 4, 5
    for i in range(400):
        which, grow = i * 7 % 4, i & 1
        by = i * (1, 1, 2, 3)[which]
        if which % 2 == 0:
            a, b = (a + by, b + 1) if grow else (a, b)
            h = mix(h, a * b)
        else:
            side += by >> 1 if grow else 0
            h = mix(h, side * side)
    h = mix(h, sum(n * n for n in range(1, 201)))
    for _ in range(60):
        h = mix(h, h.bit_count())
    return h


def switch() -> int:
    """Checksum of switch.c."""
    h, source = SEED, randoms(3)
    for _ in range(6):
        h = mix(
            h,
            ((1 + 2) * 3 - 4) ^ 5,
            (65535 * 65535 & M32) % 97 & 255 | 13,
            ((((~123456789 & M32) >> 2) // 1000) % 7) ** 2,
            (12 * 12 + 12) << 2,
            int(not 0) + 1 + int(not 2) + int(not 4096 - 4095),
            99 - (98 + (97 - (96 + 95))) + 777 * 777,
        )
    severities = {
        3: 1, 17: 4, 100: 2, 404: 7, 1000: 3, 5005: 9, 40000: 5, 0x123456: 8, 0x7FFFFFFF: 6, 0: 10, 49: 10,
        51: 11, 0xFFFFFFFF: 11,
    }  # fmt: skip
    h = mix(h, *(list(severities.values())[r % 13] for r in islice(source, 250)))
    for r in islice(source, 250):
        day = date(1896 + (r >> 9) % 240, 1 + (r >> 5) % 12, 1 + r % 28)
        h = mix(h, day.timetuple().tm_yday)
    data = list(islice(source, 40))
    for n in range(1, 41):
        total = 0
        for left, value in zip(range(n, 0, -1), data):
            total = total ^ value if left % 2 else total + value & M32
        h = mix(h, total)
    return h


TEXT = (
    b"It is a truth universally acknowledged, that a single man in possession of a good fortune, "
    b"must be in want of a wife. However little known the feelings or views of such a man may be..."
)


def crc() -> int:
    """Checksum of crc.c."""
    n = len(TEXT)
    copy = bytearray(3) + TEXT[::-1] + bytes(200)
    h = mix(SEED, n, 0, zlib.crc32(TEXT[:96]), zlib.crc32(TEXT), binascii.crc_hqx(TEXT[:64], 0))
    h = mix(h, zlib.adler32(TEXT[::-1]), TEXT[0] - TEXT[-1])
    for word in (b"truth", b"wife", b"a man", b"view", b"absent", b"I"):
        h = mix(h, TEXT.find(word), len(word))
    for i in range(8):
        copy[i : i + 40] = TEXT[2 * i : 2 * i + 40]
        h = mix(h, zlib.crc32(copy[:n]))
    return h


def traps() -> int:
    """Checksum of traps.c: how often each exception occurs in machine mode, and what the tasks see."""
    h = SEED
    for i in range(4):
        h = mix(h, h ^ i)  # the emulated instruction
    illegal, breakpoints, ecalls = 2 + 4, 2 + 2, 4
    h = mix(h, 0, 1, illegal, breakpoints, 0, 1, 0, 1, 0, 0, 0, ecalls, 0, 0, 0, 0)
    h = mix(h, 3 + 1, 3 + 1)  # software and timer interrupts
    sums, pages, source = SEED, SEED, randoms(11)
    for i in range(1, 25):
        divisor = gcd(next(source), next(source))
        sums = mix(sums, divisor ^ i if i % 4 == 0 else divisor)
    for page in range(3):
        cause, touched = (13, 20) if page == 1 else (15, 0)
        pages = mix(pages, cause, 0x80800000 + page * 0x400000 + touched, 3)
        pages = mix(pages, sum(i * i + page for i in range(40)))
    return mix(h, sums, 24 // 6, pages, 0, illegal + 24 // 4, breakpoints)


def life() -> int:
    """Checksum of long/life.c: live cells as a set, primes by trial division, the matrix product by numpy, distances by
    recursion.
    """
    source = randoms(7)
    alive = {(y, x) for y in range(20) for x in range(32) if next(source) % 3 == 0}
    h = SEED
    for _ in range(4):
        around = Counter(
            ((y + i) % 20, (x + j) % 32) for y, x in alive for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
        )
        alive = {cell for cell, n in around.items() if n == 3 or (n == 2 and cell in alive)}
        h = mix(h, len(alive))
    h = mix(h, *(n for n in range(2, 2400) if all(n % k for k in range(2, isqrt(n) + 1))))
    pairs = [(next(source), next(source)) for _ in range(14 * 14)]
    left, right = (np.array([pair[side] for pair in pairs], object).reshape(14, 14) for side in (0, 1))
    h = mix(h, *(left @ right).flat)
    words = "retirement instruction privilege timestamp correlation implicit return history".split()
    return mix(h, *(_distance(words[i], words[j]) for i in range(len(words)) for j in range(i)))


@cache
def _distance(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(_distance(a[1:], b) + 1, _distance(a, b[1:]) + 1, _distance(a[1:], b[1:]) + (a[0] != b[0]))


CHECKSUMS = {f.__name__: f for f in (sort, recursion, dispatch, switch, crc, traps, life)}
