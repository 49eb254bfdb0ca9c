# SPDX-License-Identifier: Apache-2.0
"""ntrace_packer and ntrace_field: random messages of every type against the codec, word by word."""

from random import Random

import pytest

from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import BY_NAME, VENDOR_TCODES, Message, message
from tests.common.packers import vector
from tests.common.unit_bench import play

SOURCES = ["ntrace/ntrace_pkg.sv", "ntrace/ntrace_layout_pkg.sv", "ntrace/ntrace_field.sv", "ntrace/ntrace_packer.sv"]
CONFIGS = [  # Xlen, HistBits, TsWidth, OutBytes, src_bits, ts, extend, ready
    (64, 32, 64, 8, 0, 0, 0, 100),
    (64, 32, 64, 8, 12, 1, 1, 60),
    (64, 32, 64, 1, 6, 1, 0, 50),
    (64, 32, 40, 40, 3, 1, 1, 80),
    (32, 6, 40, 8, 0, 1, 1, 30),
    (32, 4, 8, 4, 5, 0, 1, 70),
    (32, 30, 48, 8, 11, 1, 0, 100),
    (64, 18, 1, 3, 7, 1, 1, 90),
]


def _value(rng: Random, bits: int) -> int:
    """Of any length up to `bits`; often at the edge of an MDO group, often with ones on top."""
    length = rng.choice(
        [0, 1, bits, rng.randint(0, bits), min(bits, 6 * rng.randint(0, 11)), min(bits, 6 * rng.randint(0, 10) + 5)]
    )
    value = rng.choice([(1 << length) >> 1, (1 << length) - 1, rng.getrandbits(length) if length else 0])
    return rng.choice([value, value, ((1 << bits) - 1) ^ value])


def _message(rng: Random, xlen: int, hist_bits: int) -> Message:
    kind = BY_NAME[rng.choice(list(BY_NAME))]
    values: dict[str, int] = {}
    for spec in kind.own:
        bits = spec.bits(Config(), values)
        if bits == VARIABLE:
            limits = {"faddr": xlen - 1, "uaddr": xlen - 1, "hist": hist_bits, "process": 37, "data": 32}
            limits["rdata"] = hist_bits if values.get("rcode") else 22
            values[spec.key] = _value(rng, limits.get(spec.key) or spec.most(Config(), values))
        elif bits:
            of = {"rcode": rng.randrange(3), "cdf": rng.randrange(2)}
            values[spec.key] = of.get(spec.key, rng.getrandbits(bits))
    return Message.of(kind, values)


def _descriptor(rng: Random, message: Message, widths: list[int], now: int) -> int:
    """The fields a message has, the first lowest (ntrace_layout_pkg); the others are noise."""
    place = {
        "sync": 1,
        "etype": 1,
        "rcode": 1,
        "evcode": 1,
        "btype": 2,
        "cdf": 2,
        "faddr": 4,
        "uaddr": 4,
        "hrepeat": 4,
        "hist": 5,
    }
    fields = [rng.getrandbits(width) for width in widths]
    fields[0], fields[6] = message.tcode, now
    for spec in message.type.own:
        value = message.get(spec.key)
        if value is not None:
            fields[place.get(spec.key, 3)] = value
    return vector(*reversed([*zip(fields, widths)]))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: "-".join(map(str, c)))
def test_random_messages(config, tmp_path):
    xlen, hist_bits, ts_width, out_bytes, src_bits, ts, extend, ready = config
    rng = Random(f"{config}:tests/rtl/packer")
    src = rng.getrandbits(src_bits) if src_bits else 0
    widths = [6, 4, 2, 37, xlen - 1, hist_bits, ts_width]
    rows, want, reported, now = [], [], 0, 0
    for _ in range(1200):
        now = (
            _value(rng, ts_width)
            if rng.random() < 0.1
            else max(0, now + rng.choice([0, 1, 3, 70, 5000, -2])) % (1 << ts_width)
        )
        made = _message(rng, xlen, hist_bits)
        rows.append(_descriptor(rng, made, widths, now))
        tstamp = now if made.type.has_sync else max(0, now - reported)
        reported = now if made.type.has_sync else max(now, reported)
        made = made.replaced(src=src, tstamp=tstamp if ts else None)
        want.append(pack(made, src_bits, xlen - 1 if extend else 0))
    noise = rng.getrandbits(12) >> src_bits << src_bits  # of a SRC that is narrower than the register
    parameters = {"Xlen": xlen, "HistBits": hist_bits, "TsWidth": ts_width, "OutBytes": out_bytes}
    lines = play(
        "bench_packer",
        SOURCES,
        parameters,
        rows,
        tmp_path,
        src_bits=src_bits,
        src_id=src | noise,
        ts=ts,
        extend=extend,
        ready=ready,
    )

    reported_words = [line.split()[1:] for line in lines]
    words = [data[n : n + out_bytes] for data in want for n in range(0, len(data), out_bytes)]
    assert reported_words == [[str(len(word)), word[::-1].hex().zfill(2 * out_bytes)] for word in words]
    if ready == 100:  # no cycle without a word, from the first to the last
        assert int(lines[-1].split()[0]) - int(lines[0].split()[0]) == len(lines) - 1
    assert {VENDOR_TCODES[0], VENDOR_TCODES[-1], 2, 27, 30, 33} <= {data[0] >> 2 for data in want}


def test_longest_message(tmp_path):
    """36 bytes (NT-18): all fields of IndirectBranchHistSync at their longest."""
    rng = Random("0:tests/rtl/packer")
    longest = (2, 3, (1 << 22) - 1, (1 << 63) - 1, (1 << 32) - 1)
    made = message("IndirectBranchHistSync", *longest).replaced(src=0xFFF, tstamp=(1 << 64) - 1)
    row = _descriptor(rng, made, [6, 4, 2, 37, 63, 32, 64], (1 << 64) - 1)
    lines = play("bench_packer", SOURCES, {"OutBytes": 36}, [row], tmp_path, src_bits=12, src_id=0xFFF, ts=1)
    assert [line.split()[1:] for line in lines] == [["36", pack(made, 12)[::-1].hex()]]
