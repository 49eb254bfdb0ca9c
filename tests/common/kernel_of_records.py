# SPDX-License-Identifier: Apache-2.0
"""A kernel for the tests of records: a walk over nodes with calls, as Python and compiled."""

from __future__ import annotations  # compiled code reads them as text

from typing import Any, NamedTuple

from rvtrace.models.common.records import Block, Record
from rvtrace.models.common.walking import PLACE, REPEAT, find, pop, push, repeat, same, save, undo

STATE = Record("State", "node count base deep touched steps repeats")
NODE = Record("Node", "number after back")
BLOCK = Block("Block", state=STATE, states=(STATE, 3), calls=8)


class Columns(NamedTuple):
    state: Any
    nodes: Any
    places: Any
    repeats: Any
    calls: Any
    log: Any
    saved: Any


TYPES = {"m": (Columns, STATE, NODE, PLACE, REPEAT, "int64", "int64", "int64"), "b": (BLOCK,)}
copy = STATE.copier(__name__)


def keep(m: Columns) -> None:
    copy(m.state[1], m.state[0])
    m.state[0].touched = 0


def restore(m: Columns) -> None:
    touched = m.state[0].touched
    copy(m.state[0], m.state[1])
    undo(m.calls, m.log, touched)


def call(m: Columns, back: int) -> None:
    push(m.state[0], m.calls, m.log, len(m.calls), back)


def back(m: Columns) -> int:
    return pop(m.state[0], m.calls)


def remember(m: Columns) -> None:
    save(m.state[0], m.calls, m.saved)


def is_same(m: Columns) -> int:
    return same(m.state[0], m.calls, m.saved)


def run(m: Columns, turns: int) -> int:
    """Walk so many nodes; those with `back` call it."""
    s = m.state[0]
    for _ in range(turns):
        node = m.nodes[s.node]
        s.count += node.number
        if node.back >= 0:
            call(m, node.back)
        s.node = node.after
    return s.count


def turn(m: Columns, count: int, turns: int) -> int:
    return repeat(m.state[0], m.repeats, count, turns)


def at(m: Columns, key: int) -> int:
    found = find(m.places, key)
    return m.places[found].node if found >= 0 else -1


def in_block(b: Any, at: int) -> int:
    """Change each part of a block; how long its column is."""
    d = b[0]
    d.state.count += 1
    copy(d.states[at], d.state)
    d.calls[at] = d.states[at].count + 1
    return len(d.calls)
