# SPDX-License-Identifier: Apache-2.0
"""etrace_transport: random packets through both encapsulations and all framings, read back from the bytes by the rules
of the payload chapter.
"""

from itertools import product
from random import Random
from typing import NamedTuple

import pytest

from tests.common.packers import vector
from tests.common.unit_bench import play

SOURCES = ["etrace/etrace_pkg.sv", "etrace/etrace_transport.sv"]
NONE, RUN, BLOCKS = 0, 1, 2  # framing
ZEROS = 32


class Sent(NamedTuple):
    """A packet given to the transport."""

    start: int
    time: int
    payload: bytes


class Setting(NamedTuple):
    """The pins; ready and given are chances in percent of the bench."""

    atb: int
    framing: int
    index_bytes: int
    flow: int
    timestamp: int
    block_bits: int
    id: int
    ready: int
    given: int


def _packets(rng: Random, count: int) -> list[Sent]:
    """As the packer gives them: a payload never ends with a byte that could be cut off, but may hold many zeros."""
    sent = []
    for _ in range(count):
        length, start = rng.choice([1, 1, 2, 3, 3, 4, 7, 8, rng.randint(1, 31), 31]), int(rng.random() < 0.15)
        payload = bytearray(rng.getrandbits(8) if rng.random() < 0.4 else 0 for _ in range(length))
        payload[0] |= 3 if start else int(length > 14)  # all longer ones are of format 3
        payload[-1] |= 1
        sent.append(Sent(start, rng.choice([0, 0xFFFF, rng.getrandbits(16)]), bytes(payload)))
    return sent


def _setting(rng: Random, atb: int, framing: int) -> Setting:
    return Setting(
        atb,
        framing,
        rng.randrange(3),
        rng.randrange(4),
        rng.randrange(2),
        rng.choice([6, 6, 7, 10]),
        rng.getrandbits(7),
        rng.choice([100, 80, 30]),
        rng.choice([100, 50]),
    )


def _read(data: bytes, at: int, s: Setting) -> tuple[int, int, bytes]:
    """(offset after it, time, payload) of the packet that starts here; checks every bit of its header."""
    head, at = data[at], at + 1
    length, reported = head & 31, head >> (5 if s.atb else 7) & 1
    assert head >> 6 == 0 if s.atb else head >> 5 & 3 == s.flow
    assert reported == s.timestamp and length
    if not s.atb:
        assert not any(data[at : at + s.index_bytes])
        at += s.index_bytes
    time = int.from_bytes(data[at : at + 2], "little") if reported else 0
    at += 2 * reported
    payload, at = data[at : at + length], at + length
    if s.atb:
        assert not any(data[at : -(-at // 4) * 4])
        at = -(-at // 4) * 4
    assert at <= len(data)
    return at, time, payload


def _check(data: bytes, sent: list[Sent], s: Setting) -> None:
    """The stream holds these packets, and no zeros but where the framing has them."""
    at, block = 0, 1 << s.block_bits
    for packet in sent:
        begin = at + next(n for n, byte in enumerate(data[at:]) if byte)  # a header is never 0
        end, time, payload = _read(data, begin, s)
        assert (time, payload) == (packet.time * s.timestamp, packet.payload)
        if s.framing == BLOCKS:
            gap = begin - at
            assert begin // block == (end - 1) // block, "a packet lies across the border of a block"
            assert gap == 0 or (begin % block == 0 and gap < block and end - begin > gap), (
                "zeros where the packet had room"
            )
        else:
            assert begin - at == (ZEROS if s.framing == RUN and packet.start else 0)
        at = end
    assert at == len(data)


def _join(data: bytes, s: Setting, rng: Random) -> None:
    """From any byte on, what the framing marks as a start is one."""
    starts, at = set(), 0
    while at < len(data):
        if data[at]:
            starts.add(at)
            at = _read(data, at, s)[0]
        else:
            at += 1
    for join in (rng.randrange(len(data)) for _ in range(50)):
        if s.framing == BLOCKS:
            found = next((n for n in range(join, len(data)) if n % (1 << s.block_bits) == 0), None)
        else:
            run = data.find(bytes(ZEROS), join)
            found = None if run < 0 else run + next((n for n, byte in enumerate(data[run:]) if byte), len(data))
        assert found is None or found >= len(data) or found in starts


def _run(sent: list[Sent], s: Setting, out) -> tuple[bytes, list[list[str]]]:
    rows = [
        vector((p.start, 1), (p.time, 16), (len(p.payload), 5), (int.from_bytes(p.payload, "little"), 248))
        for p in sent
    ]
    words = [line.split() for line in play("bench_etrace_transport", SOURCES, {}, rows, out, **s._asdict())]
    assert {(port, at_id) for _, port, _, _, at_id in words} == {("atb", str(s.id)) if s.atb else ("out", "0")}
    wide = [(int(n), bytes.fromhex(data)[::-1]) for _, _, n, data, _ in words]
    assert not any(any(data[n:]) for n, data in wide)
    return b"".join(data if s.atb else data[:n] for n, data in wide), words


@pytest.mark.parametrize("atb, framing", list(product((0, 1), (NONE, RUN, BLOCKS))))
def test_random_packets(atb, framing, tmp_path):
    for seed in range(3):
        rng = Random(f"{seed}:{atb}:{framing}:tests/rtl/etrace_transport")
        s, sent = _setting(rng, atb, framing), _packets(rng, 400)
        data, words = _run(sent, s, tmp_path)
        _check(data, sent, s)
        if framing != NONE:
            _join(data, s, rng)
        if s.atb:  # ATBYTES: the valid bytes of a packet's words are those of the packet, words of zeros are whole
            whole = sum(1 + 2 * s.timestamp + len(p.payload) for p in sent)
            zeros = len(data) - sum(-(-(1 + 2 * s.timestamp + len(p.payload)) // 4) * 4 for p in sent)
            assert sum(int(word[2]) for word in words) == whole + zeros
        if s.ready == s.given == 100:
            assert int(words[-1][0]) - int(words[0][0]) == len(words) - 1


BORDERS = ((0, 26, 191), (0, 27, 192), (0, 28, 351), (1, 24, 192), (1, 25, 192), (1, 26, 352))


@pytest.mark.parametrize("atb, last, length", BORDERS)
def test_block_borders(atb, last, length, tmp_path):
    """Three pairs of packets in blocks of 64 bytes: 34 bytes and a second one that leaves a byte, none, or needs one
    too many.
    """
    s = Setting(atb, BLOCKS, 0, 0, 1, 6, 5, 100, 100)
    sent = [Sent(0, 0x101, bytes([9] * (last if n % 2 else 31))) for n in range(6)]
    data, _ = _run(sent, s, tmp_path)
    _check(data, sent, s)
    assert len(data) == length
