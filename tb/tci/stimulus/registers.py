# SPDX-License-Identifier: Apache-2.0
"""Register traffic made from the register table: every register, every access kind, and what is between the registers.

`program` is a list of steps that the environment plays over APB; what must come back is decided by
scoreboards/tci/registers.py from what the bus monitor saw. Components stay disabled, so that no trace flows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from rvtrace.models.csr.table import Register
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.register_model import Place, RegisterModel
from rvtrace.models.tci.registers import COMPONENT_BYTES

MASK = 0xFFFF_FFFF
_ENABLE = 2  # bit 1 of every tr??Control


class Step(NamedTuple):
    """An access. kind: "write", "read", or "poll" until the bits of `mask` equal those of `data`."""

    kind: str
    addr: int
    data: int = 0
    mask: int = MASK


def program(params: Params, rng: random.Random) -> list[Step]:
    """Everything, in a random order where the order is free."""
    places = list(RegisterModel(params))
    steps: list[Step] = []
    for place in places:
        steps += _inactive(place, rng)
    for place in rng.sample(places, len(places)):
        steps += _activate(place)
    for place in places:
        steps += _unimplemented(place, rng)
        for register in rng.sample(place.kind.registers, len(place.kind.registers)):
            steps += _values(place, register, rng)
    for memory in (0x10, 0x00, 0x10):  # trRamMode decides about the addresses
        steps += _addresses(next(p for p in places if p.kind.name == "ram_sink"), memory, rng)
    steps += _crosstalk(places, rng)
    steps += _outside(places, rng)
    for place in rng.sample(places, len(places)):
        steps += [*_deactivate(place, rng), *_activate(place), *_deactivate(place, rng)]
    return steps


def _reads(place: Place) -> list[Step]:
    return [Step("read", place.base + register.offset) for register in place.kind.registers]


def _inactive(place: Place, rng: random.Random) -> Iterator[Step]:
    """Reset values, and writes that must do nothing: Active stays 0."""
    yield from _reads(place)
    for register in place.kind.registers:
        yield Step(
            "write", place.base + register.offset, rng.getrandbits(32) & (MASK - 1 if not register.offset else MASK)
        )
    yield from _reads(place)


def _activate(place: Place) -> list[Step]:
    """The prescribed reset: write 0, poll 0, write 1, poll 1. Then every reset value."""
    control = place.base
    return [
        Step("write", control, 0), Step("poll", control, 0, 1), Step("write", control, 1), Step("poll", control, 1, 1),
        *_reads(place),
    ]  # fmt: skip


def _deactivate(place: Place, rng: random.Random) -> list[Step]:
    """Active is cleared, whatever else the write says; everything is back at its reset value."""
    control = place.base
    return [Step("write", control, rng.getrandbits(32) & (MASK - 1)), Step("poll", control, 0, 1), *_reads(place)]


def _legal(register: Register, value: int) -> int:
    """Keep a component active and disabled while its control register is written."""
    return value & (MASK ^ _ENABLE) | 1 if register.offset == 0 else value


def _values(place: Place, register: Register, rng: random.Random) -> Iterator[Step]:
    """Every bit 0 and 1, every value of small fields, random words; a read after each write."""
    address = place.base + register.offset
    values = [0, MASK, 0x5555_5555, 0xAAAA_AAAA, *(rng.getrandbits(32) for _ in range(6))]
    for one in register.fields:
        if one.width <= 4:
            values += [one.put(rng.getrandbits(32), value) for value in range(1 << one.width)]
        values.append(one.put(0, (1 << one.width) - 1))
    if register.name == "trTsControl":  # its own Active bit decides about the others
        values += [value | 1 for value in values] + [value | 1 for value in values]
    for value in values:
        value = _legal(register, value)
        if register.name == "trTsControl":
            value &= ~2  # a running counter is the business of other tests
        yield Step("write", address, value)
        yield Step("read", address)
        if register.name == "trRamControl" and value & 0x10 or register.name == "trRamWPLow":
            yield Step("read", address)


def _addresses(place: Place, memory: int, rng: random.Random) -> Iterator[Step]:
    """The RAM sink's address registers in one of its memories; the mode is set first, as the specification asks of
    tools.
    """
    yield Step("write", place.base, 1 | memory)
    yield Step("read", place.base)
    for offset in range(0x10, 0x30, 4):
        for value in (0, MASK, rng.getrandbits(32), rng.getrandbits(32)):
            yield Step("write", place.base + offset, value)
            yield Step("read", place.base + offset)


def _unimplemented(place: Place, rng: random.Random) -> Iterator[Step]:
    """Offsets without a register, while those that have one are full of ones; a write must leave no trace."""
    for register in place.kind.registers:
        yield Step(
            "write",
            place.base + register.offset,
            _legal(register, MASK) & (MASK - 2 if register.name == "trTsControl" else MASK),
        )
    used = {register.offset for register in place.kind.registers}
    near = {offset + step for offset in used for step in (-4, 4)} & set(range(0, COMPONENT_BYTES, 4))
    far = set(rng.sample(range(0, COMPONENT_BYTES, 4), 24)) | {COMPONENT_BYTES - 4}
    for offset in sorted((near | far) - used):
        yield Step("read", place.base + offset)
        yield Step("write", place.base + offset, MASK)
        yield Step("read", place.base + offset)
    yield from _reads(place)


def _crosstalk(places: list[Place], rng: random.Random) -> list[Step]:
    """Another value in every register, then all are read: no two share bits."""
    targets = [
        (place, register) for place in places for register in place.kind.registers if register.name != "trTsControl"
    ]
    targets = sorted(targets, key=lambda target: target[1].offset)  # control registers first: they decide about others
    writes = [Step("write", p.base + r.offset, _legal(r, rng.getrandbits(32))) for p, r in targets]
    reads = [Step("read", p.base + r.offset) for p, r in targets]
    return writes + rng.sample(reads, len(reads))


def _outside(places: list[Place], rng: random.Random) -> Iterator[Step]:
    """Addresses of no component read 0."""
    bases = {place.base for place in places}
    for page in sorted(set(range(0, 0x10000, COMPONENT_BYTES)) - bases):
        address = page + 4 * rng.randrange(COMPONENT_BYTES // 4)
        yield Step("write", address, MASK)
        yield Step("read", address)
