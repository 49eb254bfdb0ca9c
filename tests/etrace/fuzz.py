# SPDX-License-Identifier: Apache-2.0
"""Hostile bytes for the E-Trace decoder: noise, packets made of extreme fields, and good traces damaged in every way.

`fuzz(seed, total)` decodes `total` bytes of them and holds every result to what is true of any decode.
"""

import random
import resource
import time
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import Decoder, decode_bytes
from rvtrace.models.etrace.decoder.decoded import CLAUSES, DecodedTrace
from rvtrace.models.etrace.table import FILLED, TABLES, Packet
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import PacketWriter

MAIN, LOOP, FAR, IDLE, RECURSION, LOADS, HANDLER = 0x1000, 0x1006, 0x101A, 0x101E, 0x2000, 0x2100, 0x4000
PLACES = (
    MAIN, LOOP, 0x100A, 0x100C, 0x1010, FAR, 0x101C, IDLE, RECURSION, RECURSION + 4, LOADS, LOADS + 4, HANDLER,
    HANDLER + 2, 0x9000,
)  # fmt: skip
ON: dict[str, Any] = dict.fromkeys(("implicit_return", "branch_prediction", "sijump"), 1)
VECTORS = ((0, 2, HANDLER), (1, 2, HANDLER))
CONFIGS = [
    Config.from_dict({"variant": variant, "iaddress_width_p": xlen, "trap_vectors": VECTORS, **options})
    for xlen in (32, 64)
    for variant, options in (
        ("v2_0", {}),
        ("v2_0", ON | {"jump_target_cache": 1}),
        ("v2_0", {"full_address": 1, "implicit_exception": 1, "notime_p": 0}),
        ("v2_0", ON | {"return_stack_size_p": 0, "call_counter_size_p": 8, "f0s_width_p": 2, "context_width_p": 0}),
        ("draft_0_026", {}),
        ("draft_0_026", ON),
        ("draft_0_026", ON | {"call_counter_size_p": 1, "implicit_exception": 1}),
    )
]
LIMIT = 200_000  # instructions of one stream
EXPAND = 20_000  # PCs are made for streams up to this many


@cache
def program(xlen: int) -> Program:
    """A bit of everything: loops with and without branches, calls without end, a recursion, loads before jumps."""
    b = ProgramBuilder(xlen, MAIN)
    b.label("main")
    b.c_nop()
    b.nop()
    b.label("loop")
    b.nop()  # LOOP
    b.c_bnez(8, "loop")
    b.jal(1, "far")
    b.bne(1, 2, "main")  # 0x1010
    b.ecall()
    b.c_jr(1)
    b.label("far")
    b.c_nop()  # FAR
    b.c_jr(1)
    b.c_j(IDLE)  # IDLE
    b.org(RECURSION)
    b.jal(1, RECURSION)
    b.c_jr(1)
    for _ in range(20):
        b.jal(1, "far")
    b.c_j(RECURSION + 6)
    b.org(LOADS)
    b.lui(6, RECURSION >> 12)
    b.jalr(1, 6)
    b.auipc(6, 0)
    b.jalr(0, 6, -8)
    b.c_jalr(5)
    b.org(HANDLER)
    b.c_nop()
    b.mret()
    return b.build()


@cache
def good_payloads(config: Config) -> tuple[bytes, ...]:
    """A trace without a fault, of most packets there are."""
    w = PacketWriter(program(config.iaddress_width_p), **{k: v for k, v in config.to_dict().items() if k != "ip"})
    for _ in range(8):
        w.support().start(MAIN).at(LOOP + 4, "TTT").at(LOOP).at(LOOP + 4, "N").context(3)
        w.at(FAR).trap(HANDLER, interrupt=1).start(FAR, privilege=1).at(LOOP + 4, "T").at(LOOP + 4, "N")
        w.at(0x1010, "T", irdepth=0).at(LOOP).trap(HANDLER).at(HANDLER + 2).support(1)
    return tuple(w.payloads)


def extreme(rng: random.Random, config: Config, options: dict[str, int]) -> bytes:
    """A packet whose fields are the least, the most, places of the program, or anything."""
    layout = rng.choice(TABLES[config.variant].messages)
    values: dict[str, Any] = dict(layout.selector)
    known = {"options": options, **values}
    for one in layout.fields:
        name, n = one.key, one.bits(config, known)
        if not n or name in layout.selector:
            continue
        most = (1 << n) - 1
        value = rng.choice(
            (
                0,
                0,
                1,
                most,
                rng.getrandbits(n),
                rng.choice(PLACES) >> config.iaddress_lsb_p & most,
                rng.randrange(64) & most,
            )
        )
        if rng.random() < 0.9:
            value = {"ioptions": config.ioptions, "privilege": 3, "encoder_mode": 0, "ienable": 1}.get(name, value)
        known[name] = values[name] = value if one.coding is not FILLED or known["irreport"] else None
    return pack(Packet(layout.name, values), config, options)


def hostile(rng: random.Random, config: Config, total: int) -> list[bytes]:
    """Payloads of about `total` bytes."""
    payloads: list[bytes] = []
    good = good_payloads(config)
    size = 0
    while size < total:
        dice = rng.random()
        if dice < 0.5:
            begin = rng.randrange(len(good))
            more = list(good[begin : begin + rng.randint(1, 12)])
            if rng.random() < 0.5:
                place = rng.randrange(len(more))
                damaged = bytearray(more[place])
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
                more[place] = bytes(damaged)
        elif dice < 0.9:
            more = [extreme(rng, config, config.options) for _ in range(8)]
        else:
            more = [rng.randbytes(rng.randint(1, 31)) for _ in range(3)]
        payloads += more
        size += sum(map(len, more))
    return payloads


def check(trace: DecodedTrace, config: Config, fed: int | None = None) -> None:
    """What is true of any decode."""
    n = len(trace)
    assert fed is None or not trace.complete or len(trace.packets) == fed
    columns = (trace.first_pc, trace.priv, trace.context, trace.time, trace.options)
    assert {len(column) for column in columns} == {len(trace.packets)}
    assert n <= LIMIT and (np.diff(trace.first_pc) >= 0).all() and (trace.first_pc <= n).all()
    last = 0
    for event in trace.events:
        at_instruction = event.kind in ("sync", "notify", "ambiguous")
        assert last <= event.index + at_instruction <= n and 0 <= event.packet < len(trace.packets)
        last = event.index
    for diagnostic in trace.diagnostics:
        assert diagnostic.clause in CLAUSES and diagnostic.text and 0 <= diagnostic.packet <= len(trace.packets)
        assert diagnostic.packet + diagnostic.lost_packets <= len(trace.packets)
    if n <= EXPAND:
        pcs = trace.pcs.tolist()
        code = program(config.iaddress_width_p).code
        assert len(pcs) == len(trace.taken) == n and all(code[pc] is not None for pc in set(pcs))
        branches = np.array([bool(code[pc].flow == 1) for pc in pcs], dtype=bool)
        assert ((trace.taken >= 0) == branches).all()


def fuzz(seed: int, total: int) -> Counter[str]:
    """Decode `total` hostile bytes; what was met, `bytes`, `seconds` and `megabytes` the process grew by."""
    rng = random.Random(f"etrace-fuzz:{seed}")
    met: Counter[str] = Counter()
    begin, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while met["bytes"] < total:
        config = rng.choice(CONFIGS)
        payloads = hostile(rng, config, 4000)
        decoder = Decoder(program(config.iaddress_width_p), config, LIMIT)
        for payload in payloads:
            decoder.feed(payload)
        trace = decoder.finish()
        check(trace, config, len(payloads))
        met["bytes"] += sum(map(len, payloads))
        met["instructions"] += len(trace)
        met.update(diagnostic.clause for diagnostic in trace.diagnostics)
        met.update(event.kind for event in trace.events)
        check(
            decode_bytes(b"".join(payloads), program(config.iaddress_width_p), config, LIMIT, rng.random() < 0.5),
            config,
        )
    met["seconds"] = int(time.process_time() - begin)
    met["megabytes"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    return met


__all__ = ["CONFIGS", "check", "fuzz", "good_payloads", "hostile", "program"]
