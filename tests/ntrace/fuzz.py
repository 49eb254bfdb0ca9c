# SPDX-License-Identifier: Apache-2.0
"""Hostile bytes for the decoder: noise, messages made of extreme fields, and good traces damaged in every way.

`fuzz(seed, total)` decodes `total` bytes of them and holds every result to what is true of any decode.
"""

import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from rvtrace.models.common.messages import VARIABLE, Field
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import Decoder
from rvtrace.models.ntrace.decoder.decoded import CLAUSES, DecodedTrace
from rvtrace.models.ntrace.table import BY_NAME, Message
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

EVERYTHING: dict[str, Any] = dict.fromkeys(
    ("timestamp", "ownership", "hcontext", "extend_addr_msb", "repeated_history", "repeat_branch", "sequential_jump"), 1
) | {"implicit_return": 3, "src_bits": 3, "src_id": 5}  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {},
    {"implicit_return": 1},
    EVERYTHING,
    EVERYTHING | {"all_jumps": 1, "src_bits": 12},
]
CONFIGS = [
    Config(mode=mode, variant=variant, xlen=xlen, **options)
    for options in OPTIONS for mode in ("htm", "btm") for variant in ("v1_0", "rc7") for xlen in (32, 64)
]  # fmt: skip
LIMIT = 200_000  # instructions of one stream
EXPAND = 20_000  # PCs are made for streams up to this many
CALLER, RECURSION, LOADS = 0x6000, 0x6100, 0x6200
PLACES = (MAIN, 0x1006, 0x1010, 0x101A, 0x101C, 0x101E, HANDLER, CALLER, RECURSION, RECURSION + 4, LOADS, 0x8000)


@cache
def program(xlen: int) -> Program:
    """The sample program, and after it calls without end, a recursion without branches, and loads before jumps."""
    sample, b = sample_program(xlen), ProgramBuilder(xlen, CALLER)
    for _ in range(20):
        b.jal(1, RECURSION + 4)
    b.c_j(CALLER)
    b.org(RECURSION)
    b.jal(1, RECURSION)
    b.c_jr(1)
    b.org(LOADS)
    b.lui(6, CALLER >> 12)
    b.jalr(1, 6)
    b.auipc(6, 0)
    b.jalr(0, 6, -8)
    b.csrw(0x5A8, 10)
    b.c_jalr(5)
    return Program(xlen, [*sample.segments, *b.build().segments], sample.labels, sample.entry)


@cache
def good_writer(config: Config) -> Writer:
    """A walk with everything the configuration has."""
    rng = random.Random(f"fuzz:{config.mode}:{config.variant}:{config.xlen}")
    w = Writer(program(config.xlen), config, chatty=True).start(MAIN)
    while len(w.data) < 4000:
        if w.pc in (0x1014, 0x101E):
            w.trap(HANDLER) if w.pc == 0x1014 else w.stop().start(rng.choice((MAIN, CALLER)), 3)
        w.wander(rng, 1, HANDLER, [MAIN, 0x1006, 0x1010, 0x101A, LOADS, CALLER])
    return w.stop()


def good_trace(config: Config) -> bytes:
    return bytes(good_writer(config).data)


def noise(rng: random.Random, config: Config, size: int) -> bytes:
    """Random bytes; MSEO may be biased so that messages have a chance."""
    bias = rng.choice((None, (0,), (3,), (0, 0, 1, 3), (0, 0, 0, 0, 0, 0, 0, 3), (0, 1)))
    data = rng.randbytes(size)
    return data if bias is None else bytes(byte & ~3 | rng.choice(bias) for byte in data)


def _value(rng: random.Random, spec: Field, bits: int, config: Config) -> int:
    key = spec.key
    if spec.is_address and rng.random() < 0.9:
        address = rng.choice((*PLACES, rng.randrange(MAIN, 0x1020, 2)))
        return (address ^ rng.choice((0, MAIN, HANDLER)) if key == "uaddr" else address) >> 1
    top = (1 << bits) - 1
    if key in ("icnt", "hist", "rdata", "bcnt", "hrepeat") and rng.random() < 0.7:
        return min(rng.choice((0, 1, 2, 3, 5, 6, 7, 9)), top)
    return rng.choice(
        (
            0,
            1,
            top,
            top - 1,
            1 << bits - 1,
            rng.getrandbits(bits),
            rng.getrandbits(rng.randrange(1, bits + 1)),
        )
    )


def extreme(rng: random.Random, config: Config, size: int) -> bytes:
    """Well-formed messages whose fields are small, huge or random."""
    kinds, data = list(BY_NAME.values()), bytearray()
    favourite = rng.choice(kinds)
    while len(data) < size:
        kind = favourite if rng.random() < 0.4 else rng.choice(kinds)
        values: dict[str, int | None] = {}
        for spec in kind.own:
            bits = spec.bits(config, values)
            if bits:
                bits = spec.most(config, values) if bits == VARIABLE else bits
                values[spec.key] = _value(rng, spec, bits, config)
        tstamp = rng.choice((None, 0, 5, rng.getrandbits(64), rng.getrandbits(70))) if config.timestamp else None
        source = config.src_id if rng.random() < 0.9 else 0
        width = 0 if max(value or 0 for value in values.values()) >> config.address_bits else config.address_bits
        data += pack(Message.of(kind, {**values, "src": source, "tstamp": tstamp}), config.source_bits, width)
    return bytes(data[:size])


def mutated(rng: random.Random, config: Config, size: int) -> bytes:
    """A good trace with bits flipped, bytes cut, doubled, swapped, replaced or spliced with another trace."""
    data = bytearray(good_trace(config)[:size])
    for _ in range(rng.choice((1, 1, 2, 10, 100))):
        at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        to = min(to, at + rng.choice((1, 2, 5, 50)))
        what = rng.randrange(6)
        if what == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[at:to]
        elif what == 2:
            data[at:at] = data[at:to] * rng.randrange(1, 4)
        elif what == 3:
            data[at:to] = rng.randbytes(to - at)
        elif what == 4:
            data[at:at] = extreme(rng, config, rng.randrange(1, 30))
        else:
            data[at:at] = good_trace(rng.choice(CONFIGS))[at : at + 40]
    return bytes(data)


SOURCES: tuple[Callable[[random.Random, Config, int], bytes], ...] = (noise, extreme, mutated, mutated)


def streams(seed: int, total: int) -> Iterator[tuple[Config, bytes, random.Random]]:
    """Streams of 1 byte to 64 KB, `total` bytes together."""
    rng, done = random.Random(f"{seed}:fuzz"), 0
    while done < total:
        config = rng.choice(CONFIGS)
        data = rng.choice(SOURCES)(rng, config, min(total - done, 1 << rng.randrange(17)) or 1)
        done += len(data)
        yield config, data, rng


def decode_in_pieces(data: bytes, config: Config, rng: random.Random, limit: int = LIMIT) -> DecodedTrace:
    decoder, at = Decoder(program(config.xlen), config, limit), 0
    while at < len(data):
        size = rng.choice((1, 7, 1000, 1 << 20))
        decoder.feed(data[at : at + size])
        at += size
    return decoder.finish()


def check(trace: DecodedTrace, data: bytes, config: Config, limit: int = LIMIT) -> None:
    """What is true of any decode."""
    assert len(trace) <= limit
    assert len(trace.first_pc) == len(trace.messages)
    assert np.all(np.diff(trace.first_pc) >= 0) and all(trace.first_pc[-1:] <= len(trace))
    places = [e.index for e in trace.events]
    assert places == sorted(places) and all(place <= len(trace) for place in places)
    end = 0
    for found in trace.diagnostics:
        assert found.clause in CLAUSES and found.text
        assert end <= found.offset <= found.offset + found.lost_bytes <= len(data)
        assert 0 <= found.lost_messages <= len(trace.messages)
        end = found.offset
    assert 0 <= trace.skipped_bytes <= len(data)
    assert trace.complete or trace.diagnostics[-1].clause == "NT-24"
    assert len(trace.time) == len(trace.priv) == len(trace.context) == len(trace.messages)
    assert all(0 <= reading.index <= len(trace) for reading in trace.readings)
    if len(trace) <= EXPAND:
        code = program(config.xlen).code
        assert len(trace.pcs) == len(trace.taken) == len(trace) == len(trace.instruction_contexts()["priv"])
        assert all(code[pc] is not None for pc in set(trace.pcs.tolist()))


def fuzz(seed: int, total: int) -> Counter[str]:
    """Decode `total` hostile bytes; counts of what was met, "seconds", and "megabytes" of growth."""
    begin, met, before = time.perf_counter(), Counter(), peak_megabytes()
    for config, data, rng in streams(seed, total):
        trace = decode_in_pieces(data, config, rng)
        check(trace, data, config)
        met.update(d.clause for d in trace.diagnostics)
        met.update({"streams": 1, "bytes": len(data), "messages": len(trace.messages), "instructions": len(trace)})
    met["seconds"] = round(time.perf_counter() - begin)
    met["megabytes"] = peak_megabytes() - before
    return met


def peak_megabytes() -> int:
    """Most memory this process has ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
