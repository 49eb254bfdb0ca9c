# SPDX-License-Identifier: Apache-2.0
"""What the decoders' kernels share: hash tables, a return stack that can be taken back, and turns of a loop.

Functions for kernels (`rvtrace.models.common.native`): Python runs them as they are, and Numba compiles them together
with the kernel that imports them. `s` is a record of the kernel's state with the fields that a function names; other
columns are lists or arrays.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.common.records import Record

NOWHERE = -1
LOGGED = 64  # changes of a return stack that its log holds; after more of them it is kept whole
PLACE = Record("Place", "key node")  # an address and the step that begins there
REPEAT = Record("Repeat", "steps count turns")  # before this step, so many instructions come so many times more


def bits(value: int) -> int:
    """Bits of a value below 2**63."""
    count = 0
    if value >> 32:
        count, value = 32, value >> 32
    if value >> 16:
        count, value = count + 16, value >> 16
    if value >> 8:
        count, value = count + 8, value >> 8
    while value:
        count, value = count + 1, value >> 1
    return count


def copy(of: Any, to: Any, size: int) -> None:
    """The first entries of a column."""
    for index in range(size):
        to[index] = of[index]


# Hash tables: rows with a field `key`, -1 where there is none; their number is a power of two


def place(key: int, most: int) -> int:
    """Where the search for a key begins; `most` is the last index of its table."""
    return (((key ^ key >> 24) & 0xFFFFFF) * 0x9E3779B1 >> 16) & most


def find(table: Any, key: int) -> int:
    """Where the row of `key` is in a table; -1 if nowhere."""
    most = len(table) - 1
    at = (((key ^ key >> 24) & 0xFFFFFF) * 0x9E3779B1 >> 16) & most  # `place`, without the call
    while table[at].key != key:
        if table[at].key < 0:
            return -1
        at = at + 1 & most
    return at


# The return stack: a ring, a power of two long, of which `s.deep` entries from `s.base` on are in use, so that a push
# onto a full one drops the oldest entry. `log` has what it takes to undo what happened since `s.touched` was 0: pairs
# of slot and entry, or, if `s.touched` is -1, the whole ring. It has room for two rings, and a ring at least 2 * LOGGED
# entries. Where `s.touched` is always -1, nothing is logged.


def push(s: Any, calls: Any, log: Any, most: int, back: int) -> None:
    """A call that returns to `back`; the stack holds `most`."""
    size = len(calls)
    touched, slot = s.touched, s.base + s.deep & size - 1
    if touched == LOGGED:  # what `undo` needs is then the whole stack
        for index in range(size):
            log[size + index] = calls[index]
        for index in range(touched - 1, -1, -1):
            log[size + log[2 * index]] = log[2 * index + 1]
        for index in range(size):
            log[index] = log[size + index]
        s.touched = -1
    elif touched >= 0:
        log[2 * touched], log[2 * touched + 1] = slot, calls[slot]
        s.touched = touched + 1
    calls[slot] = back
    if s.deep < most:
        s.deep += 1
    else:
        s.base += 1


def undo(calls: Any, log: Any, touched: int) -> None:
    """The entries as they were when `touched` was 0. `base` and `deep` are the caller's to restore."""
    if touched < 0:
        for index in range(len(calls)):
            calls[index] = log[index]
    for index in range(touched - 1, -1, -1):
        calls[log[2 * index]] = log[2 * index + 1]


def pop(s: Any, calls: Any) -> int:
    """Where a return goes, NOWHERE if no call is known."""
    if not s.deep:
        return NOWHERE
    s.deep -= 1
    return calls[s.base + s.deep & len(calls) - 1]


def save(s: Any, calls: Any, to: Any, at: int = 0) -> None:
    """Copy the stack to `to`, after its depth, from entry `at` on."""
    last = len(calls) - 1
    to[at] = s.deep
    for index in range(s.deep):
        to[at + 1 + index] = calls[s.base + index & last]


def load(s: Any, calls: Any, of: Any, at: int = 0) -> None:
    """The stack that was saved there."""
    last = len(calls) - 1
    s.deep = of[at]
    for index in range(s.deep):
        calls[s.base + index & last] = of[at + 1 + index]


def same(s: Any, calls: Any, to: Any, at: int = 0) -> int:
    """Whether the stack is as it was when it was saved there."""
    last = len(calls) - 1
    if s.deep != to[at]:
        return 0
    for index in range(s.deep):
        if calls[s.base + index & last] != to[at + 1 + index]:
            return 0
    return 1


def copy_ring(s: Any, calls: Any, to: Any) -> None:
    """Copy the entries of the stack, each to its own place in another column as long as `calls`."""
    last = len(calls) - 1
    for index in range(s.deep):
        slot = s.base + index & last
        to[slot] = calls[slot]


# Turns of a loop


def repeat(s: Any, repeats: Any, count: int, turns: int) -> int:
    """What was walked since there were `count` instructions happened `turns` more; 0 if `repeats` has no room."""
    if turns and s.count > count:
        if s.repeats >= len(repeats):
            return 0
        row = repeats[s.repeats]
        row.steps, row.count, row.turns = s.steps, s.count - count, turns
        s.repeats += 1
        s.count += turns * (s.count - count)
    return 1
