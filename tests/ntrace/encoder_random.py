# SPDX-License-Identifier: Apache-2.0
"""Random configurations of the encoder model, and beats in which everything that an ingress port can say happens."""

from collections.abc import Iterator
from random import Random

from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import LEVELS, Beats
from rvtrace.models.riscv.retired import IType
from tests.ntrace.encoder_stream import Block

FLAGS = ("inhibit_src", "timestamp", "ownership", "hcontext", "extend_addr_msb", "repeated_history", "repeat_branch",
         "sequential_jump", "all_jumps")  # fmt: skip
FILTERS = ("", "", "iaddr=0x1000..0x1fff", "priv=M+S|context=1", "iaddr=0x1000->0x1100;watch=0x1008",
           "ecause=1+3&priv=M", "trap=interrupt|tval<4", "iaddr!=0x1040..0x1080")  # fmt: skip
UNINFERABLE = (6, 8, 10, 12, 13, 14)
CALLS = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)
BODIES = ((5,), (4, 5), (5, 4, 4), (4, 4, 5, 5, 5), (14,), (4, 14), (1,))  # itypes of loops; 1 is a trap on itself


def config_of(rng: Random) -> Config:
    """Any configuration, mostly with small counters."""
    small = {"icnt_bits": rng.choice((6, 9)), "hist_bits": rng.randrange(4, 8), "iretire_bits": 4,
             "repeat_bits": rng.randrange(2, 5)}  # fmt: skip
    return Config(
        variant=rng.choice(("v1_0", "rc7")), mode=rng.choice(("btm", "htm")), xlen=rng.choice((32, 64)),
        b_type=rng.choice(("1", "2_3")), inst_sync_mode=rng.randrange(4), inst_sync_max=rng.choice((0, 1, 2, 6)),
        blocks=rng.choice((1, 2)), src_bits=4, src_id=rng.randrange(16), implicit_return=rng.randrange(4),
        stack_depth=rng.randrange(1, 4), filter=rng.choice(FILTERS), **{name: rng.randrange(2) for name in FLAGS},
        **(small if rng.random() < 0.7 else {}),
    )  # fmt: skip


def blocks_of(rng: Random, xlen: int) -> Iterator[Block]:
    """A walk without end: blocks of all kinds, calls with their returns, loops."""
    pc, calls, strange = 0x1000, [], rng.choice((0, 0.05))

    def block(itype: int, size: int) -> Block:
        """A block at pc; now and then of another process."""
        priv, context, hcontext = (
            (rng.choice((0, 1, 3, 4, 5)), 1, rng.randrange(2)) if rng.random() < strange else (3, 0, 0)
        )
        sijump = itype in UNINFERABLE and rng.random() < 0.3
        return Block(
            itype, pc, size, rng.randrange(2), sijump, rng.randrange(5), rng.randrange(9), priv, context, hcontext
        )

    while True:
        if rng.random() < 0.1:
            start, body, sizes = pc, rng.choice(BODIES), [rng.randrange(1, 4) for _ in range(5)]
            for turn in range(rng.randrange(60)):
                index = turn % len(body)
                pc = start + 0x20 * index
                yield block(body[index], 0 if body == (1,) else sizes[index])
            pc = start
        itype = rng.choice((0, 4, 5, 5, 9, 13, rng.randrange(16)))
        size = rng.randrange(0 if itype in (1, 2) else 1, 12)
        yield block(itype, size)
        if itype in CALLS:
            calls.append(pc + 2 * size)
        if itype == IType.RETURN and calls and rng.random() < 0.8:
            pc = calls.pop()
        elif itype in (IType.NONE, IType.NOT_TAKEN):
            pc += 2 * size
        else:
            pc = rng.choice((0x1000, 0x1040, pc ^ 0x800, rng.randrange(0, 1 << xlen - 1, 2)))
        pc &= (1 << xlen - 1) - 2


def beats_of(rng: Random, config: Config | EtraceConfig, count: int, lossy: bool) -> Beats:
    """Cycles with some blocks each, levels, pulses and times; tracing is off in the last one."""
    beats = Beats.empty(count, config.blocks)
    beats.cycle[:] = [cycle + rng.choice((0, 0, 0, 5)) for cycle in range(0, 10 * count, 10)]
    blocks, events = blocks_of(rng, config.xlen), rng.choice((0.01, 0.06))
    levels, drop, time = [1, 1, 0, 0, 0], 0, rng.randrange(1 << 20)
    for row in range(count):
        if row == count - 1:
            levels, drop = [1, 0, 0, 0, 0], 0
        elif rng.random() < events:
            on = rng.random() < 0.6
            levels = [1, 1, 0, 0, 0] if on else [rng.random() < bias for bias in (0.9, 0.7, 0.2, 0.2, 0.2)]
        drop ^= lossy and rng.random() < 0.1 and row < count - 1
        time += rng.randrange(100)
        for name, value in zip((*LEVELS, "drop", "tstamp"), (*levels, drop, time)):
            getattr(beats, name)[row] = value
        if rng.random() < events:
            beats.notify[row], beats.ext_notify[row] = rng.randrange(2), rng.randrange(2)
            beats.vendor[row], beats.vendor_data[row] = rng.choice((0, 56, 62)), rng.randrange(1 << 32)
        for lane in range(0 if any(levels[2:]) else rng.randrange(config.blocks + 1)):
            for name, value in next(blocks)._asdict().items():
                getattr(beats, name)[row, lane] = value
    return beats
