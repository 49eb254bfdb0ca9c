# SPDX-License-Identifier: Apache-2.0
"""Beats written by hand, one row per clock cycle, and what the encoder model makes of them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.riscv.beats import LEVELS, Beats
from rvtrace.models.riscv.retired import IType, Priv

# Control levels: enable, inst_tracing, halted, in_reset, low_power; those left out are 0
RESET = (0, 0, 0)
ON = (1, 1, 0)
OFF = (1, 0, 0)
DEBUG = (1, 1, 1)
DEBUG_OFF = (1, 0, 1)
HART_RESET = (1, 1, 0, 1)
SLEEP = (1, 1, 0, 0, 1)


class Block(NamedTuple):
    """One lane: the fields of the ingress port, in M-mode if nothing is said."""

    itype: int
    iaddr: int
    iretire: int
    ilastsize: int = 1
    sijump: int = 0
    cause: int = 0
    tval: int = 0
    priv: int = Priv.M
    context: int = 0
    hcontext: int = 0


class Row(NamedTuple):
    """One accepted cycle. cycle: None for the one after the row before. pulses: of Beats,
    and tstamp (else the cycle).
    """

    blocks: tuple[Block, ...]
    levels: tuple[int, ...]
    drop: int
    cycle: int | None
    pulses: dict[str, int]


def row(*blocks: Block, levels: tuple[int, ...] = ON, drop: int = 0, cycle: int | None = None, **pulses: int) -> Row:
    """A cycle with these blocks, lane 0 first."""
    return Row(blocks, levels, drop, cycle, pulses)


def linear(iaddr: int, iretire: int) -> Block:
    """Instructions without a change of flow."""
    return Block(IType.NONE, iaddr, iretire)


def taken(iaddr: int, iretire: int) -> Block:
    """A block that ends with a taken branch."""
    return Block(IType.TAKEN, iaddr, iretire)


def not_taken(iaddr: int, iretire: int) -> Block:
    """A block that ends with a branch not taken."""
    return Block(IType.NOT_TAKEN, iaddr, iretire)


def jump(iaddr: int, iretire: int) -> Block:
    """A block that ends with an uninferable jump."""
    return Block(IType.OTHER_UNINFERABLE_JUMP, iaddr, iretire)


def exception(iaddr: int, iretire: int = 0) -> Block:
    """An exception after iretire half-words."""
    return Block(IType.EXCEPTION, iaddr, iretire)


def interrupt(iaddr: int, iretire: int = 0) -> Block:
    """An interrupt after iretire half-words."""
    return Block(IType.INTERRUPT, iaddr, iretire)


def ret(iaddr: int, iretire: int) -> Block:
    """A block that ends with a return."""
    return Block(IType.RETURN, iaddr, iretire)


def call(iaddr: int, iretire: int) -> Block:
    """A block that ends with a direct call."""
    return Block(IType.INFERABLE_CALL, iaddr, iretire)


def to_beats(rows: Sequence[Row | Block], lanes: int = 1) -> Beats:
    """The rows as arrays; a block alone is a row of it."""
    beats = Beats.empty(len(rows), lanes)
    cycle = -1
    for index, one in enumerate(rows):
        blocks, levels, drop, at, pulses = row(one) if isinstance(one, Block) else one
        cycle = cycle + 1 if at is None else at
        beats.cycle[index], beats.tstamp[index], beats.drop[index] = cycle, cycle, drop
        for name, level in zip(LEVELS, levels):
            getattr(beats, name)[index] = level
        for name, value in pulses.items():
            getattr(beats, name)[index] = value
        for lane, block in enumerate(blocks):
            for name, value in block._asdict().items():
                getattr(beats, name)[index, lane] = value
    return beats


def encode(rows: Sequence[Row | Block], **config: Any) -> EncodedTrace:
    """The trace of the rows after a first cycle of reset levels."""
    lanes = config.get("blocks", 1)
    return Encoder(Config(**config)).run(to_beats([row(levels=RESET), *rows], lanes))


def plain(trace: EncodedTrace) -> list[tuple]:
    """The messages as (name, field values...)."""
    return [(m.name, *m.body) for m in trace.messages]


def explained(trace: EncodedTrace) -> list[tuple]:
    """The messages as (clause, name, field values...)."""
    return [(clause, m.name, *m.body) for clause, m in zip(trace.reasons, trace.messages)]


def sends(rows: Sequence[Row | Block], expected: list[Any], **config: Any) -> EncodedTrace:
    """The trace of the rows, which is checked: its messages are (name, field values...), before them the clause where
    it is of interest; `...` is any one message.
    """
    trace = encode(rows, **config)
    made = explained(trace)
    assert len(made) == len(expected), made
    seen = [wanted if wanted is ... else one[wanted[0] == one[1] :] for one, wanted in zip(made, expected)]
    assert seen == expected
    return trace


def each(blocks: Iterable[Block], **kwargs: Any) -> list[Row]:
    """One row per block."""
    return [row(block, **kwargs) for block in blocks]
