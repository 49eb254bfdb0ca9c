# SPDX-License-Identifier: Apache-2.0
"""etrace_encapsulation: random packets of all widths against the bits of chapter 2 of the packet encapsulation 1.0,
written out, and where its synchronization sequences are.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from rvtrace.models.etrace.config import Config
from tests.common.packers import vector
from tests.common.unit_bench import play
from tests.etrace.test_encapsulation import ENCAP, to_bytes, written

SOURCES = ["etrace/etrace_pkg.sv", "etrace/etrace_encapsulation.sv"]
NONE, UNFRAMED, FRAMED = range(3)


class Setting(NamedTuple):
    """The pins; ready and given are chances in percent of the bench."""

    framing: int
    async_freq: int
    flow: int
    timestamp: int
    stamp_bytes: int
    src_bits: int
    src_id: int
    type_bits: int
    ready: int
    given: int

    @property
    def config(self) -> Config:
        """The same as a configuration."""
        return Config(
            **ENCAP, flow=self.flow, timestamp=self.timestamp, timestamp_bytes=self.stamp_bytes,
            src_bits=self.src_bits, src_id=self.src_id, type_bits=self.type_bits,
        )  # fmt: skip


def _setting(rng: Random, framing: int) -> Setting:
    bits, size = rng.randint(0, 16), rng.choice((0, 1, 2, 5, 7, 8))
    freq = rng.randint(1, 5) if framing != NONE else rng.choice((0, 3))
    return Setting(
        framing, freq, rng.randrange(4), rng.randrange(2) if size else 0, size, bits, rng.getrandbits(bits),
        rng.randint(0, 4), rng.choice([100, 80, 30]), rng.choice([100, 50]),
    )  # fmt: skip


def _run(
    rng: Random, s: Setting, count: int, out: Path, width: int = 64
) -> tuple[bytes, list[tuple[bytes, int, int]], list[list[str]]]:
    """The bytes, the packets given (payload, time, type), and the transfers."""
    room = 31 - (s.src_bits % 8 + s.type_bits + 7) // 8
    given = []
    for _ in range(count):
        payload = bytearray(
            rng.getrandbits(8) if rng.random() < 0.4 else 0
            for _ in range(rng.choice([1, 2, 7, rng.randint(1, room), room]))
        )
        payload[-1] |= 1
        given.append((bytes(payload), rng.getrandbits(64), rng.randrange(min(1 << s.type_bits, 3))))
    rows = [
        vector((time, 64), (kind, 2), (len(payload), 5), (int.from_bytes(payload, "little"), 248))
        for payload, time, kind in given
    ]
    parameters = {"StampWidth": width}
    words = [line.split() for line in play("bench_etrace_encapsulation", SOURCES, parameters, rows, out, **s._asdict())]
    wide = [(int(n), bytes.fromhex(data)[::-1]) for _, n, data in words]
    assert all(0 < n <= 8 and not any(data[n:]) for n, data in wide)
    return b"".join(data[:n] for n, data in wide), given, words


def _expected(s: Setting, given: list[tuple[bytes, int, int]], width: int = 64) -> bytes:
    """Packets and sequences as the tables and rules have them."""
    payloads, kinds = [payload for payload, _, _ in given], [kind for _, _, kind in given]
    times = [time & (1 << width) - 1 for _, time, _ in given]
    packets = written(payloads, times, s.config, [s.src_id] * len(given), kinds)
    null_run = 31 + s.stamp_bytes + s.src_bits // 8
    sequence = bytes(null_run) + (b"\x80" if s.framing == UNFRAMED else b"\0")
    out, since = b"", None
    for packet in map(to_bytes, packets):
        if s.framing != NONE and s.async_freq and (since is None or since >= 1 << s.async_freq + 5):
            out, since = out + sequence, 0
        out, since = out + packet, (since or 0) + len(packet)
    return out


@pytest.mark.parametrize("framing", (NONE, UNFRAMED, FRAMED))
def test_random_packets(framing: int, tmp_path: Path) -> None:
    for seed in range(8):
        rng = Random(f"{seed}:{framing}:tests/rtl/etrace_encapsulation")
        s = _setting(rng, framing)
        data, given, words = _run(rng, s, 300, tmp_path)
        assert data == _expected(s, given), s
        if s.ready == s.given == 100:
            assert int(words[-1][0]) - int(words[0][0]) == len(words) - 1


@pytest.mark.parametrize("src_bits, size, type_bits", [(16, 8, 0), (15, 8, 4), (0, 0, 0), (8, 1, 1), (7, 2, 1)])
def test_the_longest_packets(src_bits: int, size: int, type_bits: int, tmp_path: Path) -> None:
    """42 bytes with 31 of payload, 8 of time and 2 of srcID, one after the other, in the longest sequences."""
    rng = Random(f"{src_bits}:{size}:{type_bits}:tests/rtl/etrace_encapsulation/longest")
    s = Setting(UNFRAMED, 1, 3, int(size > 0), size, src_bits, (1 << src_bits) - 1, type_bits, 100, 100)
    data, given, _ = _run(rng, s, 60, tmp_path)
    assert data == _expected(s, given)


def test_a_narrow_time(tmp_path: Path) -> None:
    """Of a time of 16 bits the bytes above are 0."""
    rng = Random("tests/rtl/etrace_encapsulation/narrow")
    s = Setting(NONE, 0, 0, 1, 4, 3, 5, 0, 100, 100)
    data, given, _ = _run(rng, s, 60, tmp_path, width=16)
    assert data == _expected(s, given, width=16)
