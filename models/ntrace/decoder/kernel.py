# SPDX-License-Identifier: Apache-2.0
"""The decoder's inner loops: messages out of bytes, and the walk through the program that their counts describe.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on columns of integers alone, lists or arrays, and knows no exceptions: what it cannot do it answers with a
negative status, and `rvtrace.models.ntrace.decoder.path` makes tables longer, or a Contradiction, of that. A function
comes after those that it calls.

Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. A node is the
step that begins at an address; its number is where its row begins in `nodes`. All functions take the same columns:

    s       the state, return stacks, field table and messages by SRC, by the indices below
    nodes   rows of NODE_ROW: the steps of the program      places  address to node
    cuts    parts of steps                                  lasts   of each step, its last instruction
    steps, repeats: the path walked                         rows    messages, rows of MESSAGE_ROW
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Column = Any  # of integers: a list or an array
Columns = tuple[Column, ...]
# Of arguments that are not an integer, and of the columns, for the compiler
TYPES = {
    "m": ("int64", "int64", "int64", "int64", "int32", "int64", "int64", "int64"),
    "table": ("int64",),
    "data": ("uint8",),
}

# Kinds of the last instruction of a step or of a walk: `rvtrace.models.ntrace.decoder.steps.End`
PLAIN, BRANCH, INDIRECT, TRAP, UNMAPPED, CALL, JUMP = range(7)

# What a walk may answer beside those
OK = 0
NEED_NODE, NEED_CUT = -1, -2  # there is none for s[NEEDED] and s[AMOUNT]
NEED_REPEATS, FULL = -3, -4  # `repeats` is full; `steps` or `rows` is
COUNT_GOES_ON, COUNT_EXCEEDED, COUNT_INSIDE, COUNT_UNMAPPED, COUNT_TRAP, COUNT_AFTER_TRAP = range(-15, -9)
SILENT_JUMP, NO_HIST_BIT, HIST_GOES_ON, HIST_ROUND, HIST_NO_BRANCH, NOT_TAKEN_JUMP, NO_TARGET = range(-22, -15)
# What comes after a jump whose target nothing reports (s[LEFT])
LEFT_OTHER, LEFT_COUNT, LEFT_HALVES, LEFT_HIST, LEFT_BITS = range(5)
# What `run` may answer: this, the above, that the message at s[AT] is not complete, or that it is not for `run`
UNFINISHED, UNUSUAL = -5, -6

DEPTH = 1024  # entries of the return stack; 9.2 allows an encoder 32
PATIENCE = 64  # steps without a decision before a walk looks for a cycle
NOWHERE = -1
MOST_TIMES = 1 << 40  # more turns than a decoder may hold instructions: so many reach its limit as well
LAYOUT_ROW = 32  # number of fields, then of each: width, most bits, is an address, is there if value [i] is [v]
FIELD_ROW = 5

# State. What comes before KEPT is restored where a message is taken back.
(
    NODE, LAST, CREDIT, COUNTED, WAITING, COUNT, BEGIN, FRESH, STEPS, REPEATS, BASE, DEEP, REFERENCE, REPEATABLE,
    MESSAGES, NOW, KEPT,
) = range(17)  # fmt: skip
TOUCHED, NEEDED, AMOUNT, LEFT, WHERE, AT = range(2 * KEPT, 2 * KEPT + 6)
# Options, and what the caller knows
BITS_TELL, ECALL_COUNTS, CONSTANTS, ADDRESS_BITS, EXTENDED_BITS = range(2 * KEPT + 6, 2 * KEPT + 11)
SRC_BITS, SRC, HAS_TIME, OFFSET, LIMIT = range(2 * KEPT + 11, 2 * KEPT + 16)
CALLS = 2 * KEPT + 16  # the return stack; what it was at `keep`, if TOUCHED (-1: all of it, else its last changes)
BACKUP = CALLS + DEPTH
LOGGED = 64  # changes
SAVED, OUTER = BACKUP + 2 * DEPTH, BACKUP + 3 * DEPTH + 1  # the return stacks of two searches for a cycle
LAYOUTS = OUTER + DEPTH + 1
SOURCES = LAYOUTS + 64 * LAYOUT_ROW  # one for each SRC there can be

# A node: what ends it, half-words, instructions, then node, address and step of the way on: not taken, and taken; its
# address; its last instruction: address, half-words; its jump: pops, return address; 9.1: constant if what comes before
# has two half-words, or one
(
    KIND, HALVES, NUMBER, AFTER, AFTER_PC, STEP, TARGET, TARGET_PC, TAKEN_STEP, PC, LAST_PC, LAST_HALVES, POPS, BACK,
    LOADED, LOADED_SHORT,
) = range(16)  # fmt: skip
NODE_ROW = 16
CUT_ROW = 8  # key, step, half-words, instructions, node after it
PLACE_ROW = 2  # address, node
REPEAT_ROW = 3  # before this step, so many instructions come so many times more
CUT_SHIFT = 9  # half-words of a step: 32 instructions of 12

# A message: TCODE, byte, SRC, TSTAMP (-1: none), number of values, values; instructions before it, time
TCODE, BYTE, SOURCE, STAMP, VALUES, VALUE = range(6)
FIRST, TIME = 10, 11
MESSAGE_ROW = 12
MDO_BITS = 6
MAX_MESSAGE = 64
IDLE = 0xFF
MOST = 0x7FFF_FFFF_FFFF_FFFF
DIRECT_BRANCH, INDIRECT_BRANCH, RESOURCE_FULL, INDIRECT_BRANCH_HIST = 3, 4, 27, 28
RESERVED_RCODE = 3
ICNT_BITS = 22


def place(key: int, row: int, most: int) -> int:
    """Where the search for a key begins; `most` is the last index of its table."""
    return (((key ^ key >> 24) & 0xFFFFFF) * 0x9E3779B1 >> 16) * row & most


def find(table: Column, key: int, row: int) -> int:
    """Where the row of `key` is in a table, whose rows are a power of two; -1 if nowhere."""
    most = len(table) - 1
    at = place(key, row, most)
    while table[at] != key:
        if table[at] < 0:
            return -1
        at = at + row & most
    return at


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


# A message, or a part of it, can be taken back


def keep(m: Columns) -> None:
    """Remember the state, for `restore`."""
    s = m[0]
    for index in range(KEPT):
        s[KEPT + index] = s[index]
    s[TOUCHED] = 0


def restore(m: Columns) -> None:
    """As it was at the last `keep`."""
    s = m[0]
    for index in range(KEPT):
        s[index] = s[KEPT + index]
    if s[TOUCHED] < 0:
        for index in range(DEPTH):
            s[CALLS + index] = s[BACKUP + index]
    for index in range(s[TOUCHED] - 1, -1, -1):
        s[CALLS + s[BACKUP + 2 * index]] = s[BACKUP + 2 * index + 1]


# The return stack (9.2, NT-4, NT-5): a ring, so that a push onto a full one drops the oldest entry. Whatever depth and
# mode the encoder has, its stack is the top of this one, which is deeper: a return that an encoder may omit is
# predicted here as well. What this one knows beyond that is never asked for.


def push(m: Columns, back: int) -> None:
    """A call that returns to `back`."""
    s = m[0]
    touched, slot = s[TOUCHED], (s[BASE] + s[DEEP]) % DEPTH
    if touched == LOGGED:  # what `restore` needs is then the whole stack
        for index in range(DEPTH):
            s[BACKUP + DEPTH + index] = s[CALLS + index]
        for index in range(touched - 1, -1, -1):
            s[BACKUP + DEPTH + s[BACKUP + 2 * index]] = s[BACKUP + 2 * index + 1]
        for index in range(DEPTH):
            s[BACKUP + index] = s[BACKUP + DEPTH + index]
        s[TOUCHED] = -1
    elif touched >= 0:
        s[BACKUP + 2 * touched], s[BACKUP + 2 * touched + 1] = slot, s[CALLS + slot]
        s[TOUCHED] = touched + 1
    s[CALLS + slot] = back
    if s[DEEP] < DEPTH:
        s[DEEP] += 1
    else:
        s[BASE] += 1


def pop(m: Columns) -> int:
    """Where a return goes, NOWHERE if no call is known."""
    s = m[0]
    if not s[DEEP]:
        return NOWHERE
    s[DEEP] -= 1
    return s[CALLS + (s[BASE] + s[DEEP]) % DEPTH]


def save(m: Columns, to: int) -> None:
    """Copy the stack to s[to], after its depth."""
    s = m[0]
    s[to] = s[DEEP]
    for index in range(s[DEEP]):
        s[to + 1 + index] = s[CALLS + (s[BASE] + index) % DEPTH]


def same(m: Columns, to: int) -> int:
    """Whether the stack is as it was when it was saved there."""
    s = m[0]
    if s[DEEP] != s[to]:
        return 0
    for index in range(s[DEEP]):
        if s[CALLS + (s[BASE] + index) % DEPTH] != s[to + 1 + index]:
            return 0
    return 1


# Ways on


def node_at(m: Columns, pc: int) -> int:
    """The node at an address; NEED_NODE if there is none yet."""
    s, places = m[0], m[2]
    at = find(places, pc, PLACE_ROW)
    if at < 0:
        s[NEEDED] = pc
        return NEED_NODE
    return places[at + 1]


def leads(m: Columns, node: int, way: int) -> int:
    """The node after this one, `way` AFTER or TARGET; NEED_NODE if there is none yet."""
    nodes = m[1]
    found = nodes[node + way]
    if found < 0:
        found = node_at(m, nodes[node + way + 1])
        if found >= 0:
            nodes[node + way] = found
    return found


def constant(m: Columns, jump: int) -> int:
    """Target of the jump just walked if the instruction before it, in the same count, loads its register (9.1)."""
    s, nodes, steps, lasts = m[0], m[1], m[4], m[6]
    if s[COUNT] - s[BEGIN] < 2:
        return NOWHERE
    if nodes[jump + NUMBER] > 1:
        return nodes[jump + LOADED]
    if s[STEPS] < 2:
        return NOWHERE
    distance = nodes[jump + PC] - lasts[steps[s[STEPS] - 2]]
    if distance == 2:
        return nodes[jump + LOADED]
    return nodes[jump + LOADED_SHORT] if distance == 1 else NOWHERE


def follow(m: Columns, left: int, amount: int) -> int:
    """The jump that waits goes where the program or the return stack says, because `left` comes after it."""
    s, nodes = m[0], m[1]
    jump = s[WAITING]
    target = constant(m, jump) if s[CONSTANTS] else NOWHERE
    if nodes[jump + POPS]:
        back = pop(m)
        if target < 0:
            target = back
    if target < 0:
        s[WHERE], s[LEFT], s[AMOUNT] = jump, left, amount
        return NO_TARGET
    if nodes[jump + BACK] >= 0:
        push(m, nodes[jump + BACK])
    node = node_at(m, target)
    if node < 0:
        return node
    s[NODE], s[WAITING], s[COUNTED] = node, NOWHERE, PLAIN
    return OK


def arrive(m: Columns, pc: int) -> int:
    """A message reports where the group that has just ended goes on; a jump at its end does with the return stack what
    it does.
    """
    s, nodes = m[0], m[1]
    node = node_at(m, pc)
    if node < 0:
        return node
    jump = s[WAITING]
    s[NODE], s[WAITING] = node, NOWHERE
    if jump >= 0:
        if nodes[jump + POPS]:
            pop(m)
        if nodes[jump + BACK] >= 0:
            push(m, nodes[jump + BACK])
    return OK


# Walking: from HIST bits and half-words of I-CNT through the program


def repeat(m: Columns, count: int, turns: int) -> int:
    """What was walked since there were `count` instructions happened `turns` more."""
    s, repeats = m[0], m[5]
    if turns and s[COUNT] > count:
        at = s[REPEATS]
        if at + REPEAT_ROW > len(repeats):
            return NEED_REPEATS
        repeats[at], repeats[at + 1], repeats[at + 2] = s[STEPS], s[COUNT] - count, turns
        s[REPEATS] = at + REPEAT_ROW
        s[COUNT] += turns * (s[COUNT] - count)
    return OK


def walk_again(m: Columns, credit: int, count: int, turns: int) -> int:
    """What was walked since there were `credit` and `count` happened `turns` more."""
    s = m[0]
    if s[COUNT] > count:
        s[CREDIT] -= turns * (credit - s[CREDIT])
        return repeat(m, count, turns)
    return OK


def cut_at(m: Columns, node: int, credit: int) -> int:
    """Where `cuts` says what credit covers of a step; NEED_CUT if nowhere yet."""
    s, cuts = m[0], m[3]
    at = find(cuts, node << CUT_SHIFT | credit, CUT_ROW)
    if at < 0:
        s[NEEDED], s[AMOUNT] = node, credit
        return NEED_CUT
    return at


def cut(m: Columns, node: int, credit: int, final: int) -> int:
    """Walk the part of a step that the credit covers."""
    s, cuts, steps = m[0], m[3], m[4]
    at = cut_at(m, node, credit)
    if at < 0:
        return at
    halves, number = cuts[at + 2], cuts[at + 3]
    if final and halves != credit:
        s[WHERE] = cuts[at + 4]
        return COUNT_INSIDE
    if number:
        if s[STEPS] >= len(steps):
            return FULL
        steps[s[STEPS]] = cuts[at + 1]
        s[STEPS] += 1
        s[CREDIT] -= halves
        s[COUNT] += number
        s[NODE] = cuts[at + 4]
    return OK


def stop(m: Columns, node: int) -> int:
    """A step that ends in a trap: it must be the end of the count."""
    s, nodes, steps = m[0], m[1], m[4]
    s[WHERE] = node
    if nodes[node + KIND] == UNMAPPED:
        return COUNT_UNMAPPED
    if not s[ECALL_COUNTS]:
        return COUNT_TRAP
    if nodes[node + HALVES] != s[CREDIT]:
        s[AMOUNT] = s[CREDIT] - nodes[node + HALVES]
        return COUNT_AFTER_TRAP
    steps[s[STEPS]] = nodes[node + STEP]
    s[STEPS] += 1
    s[COUNT] += nodes[node + NUMBER]
    s[CREDIT] = 0
    s[COUNTED], s[LAST] = nodes[node + KIND], nodes[node + LAST_PC]
    return OK


def stop_at_branch(m: Columns, node: int, final: int) -> int:
    """HTM: the credit reaches over a branch without a HIST bit."""
    s, nodes = m[0], m[1]
    if final:
        s[WHERE] = node
        return NO_HIST_BIT
    if nodes[node + LAST_PC] != nodes[node + PC]:
        return cut(m, node, nodes[node + HALVES] - nodes[node + LAST_HALVES], 0)
    return OK


def last_branch(m: Columns, node: int, taken: int) -> int:
    """BTM: the count ends in a branch, or a jump that is reported as one."""
    s, nodes, cuts, steps = m[0], m[1], m[3], m[4]
    step = nodes[node + TAKEN_STEP] if taken == 1 else nodes[node + STEP]
    if nodes[node + KIND] == JUMP:
        if taken == 0:
            s[WHERE] = node
            return SILENT_JUMP
    elif taken < 0:
        at = cut_at(m, node, nodes[node + HALVES])
        if at < 0:
            return at
        step = cuts[at + 1]
    after = leads(m, node, TARGET if taken == 1 else AFTER)
    if after < 0:
        return after
    steps[s[STEPS]] = step
    s[STEPS] += 1
    s[COUNT] += nodes[node + NUMBER]
    s[CREDIT], s[NODE] = 0, after
    s[COUNTED], s[LAST] = BRANCH, nodes[node + LAST_PC]
    return OK


def branches(m: Columns, hist: int) -> int:
    """Follow the HIST bits, oldest first, to after the last of their branches."""
    s, nodes, steps = m[0], m[1], m[4]
    if s[COUNTED] != PLAIN:
        if s[COUNTED] != INDIRECT:
            return HIST_GOES_ON
        status = follow(m, LEFT_HIST, 0)
        if status < 0:
            return status
    node, credit, count, size, room = s[NODE], s[CREDIT], s[COUNT], s[STEPS], len(steps)
    for shift in range(bits(hist) - 2, -1, -1):
        kind = nodes[node + KIND]
        if kind != BRANCH:
            patience = gap = PATIENCE
            turn = NOWHERE
            while kind != BRANCH:
                if kind == JUMP:
                    if not hist >> shift & 1:
                        s[WHERE], s[STEPS] = node, size
                        return NOT_TAKEN_JUMP
                    break
                if node == turn and same(m, SAVED):
                    s[WHERE], s[AMOUNT], s[STEPS] = node, shift + 1, size
                    return HIST_ROUND
                patience -= 1
                if patience == 0:
                    turn = node
                    save(m, SAVED)
                    gap += gap
                    patience = gap
                if size >= room:
                    return FULL
                steps[size] = nodes[node + STEP]
                size += 1
                credit -= nodes[node + HALVES]
                count += nodes[node + NUMBER]
                if kind == PLAIN or kind == CALL:
                    if kind == CALL:
                        push(m, nodes[node + BACK])
                    node = leads(m, node, AFTER)
                    if node < 0:
                        return node
                elif kind == INDIRECT:
                    s[COUNT], s[STEPS], s[WAITING], s[LAST] = count, size, node, nodes[node + LAST_PC]
                    status = follow(m, LEFT_BITS, shift + 1)
                    if status < 0:
                        return status
                    node = s[NODE]
                else:
                    s[WHERE], s[AMOUNT], s[STEPS] = node, shift + 1, size
                    return HIST_NO_BRANCH
                kind = nodes[node + KIND]
        if size >= room:
            return FULL
        credit -= nodes[node + HALVES]
        count += nodes[node + NUMBER]
        if hist >> shift & 1:
            steps[size] = nodes[node + TAKEN_STEP]
            node = leads(m, node, TARGET)
        else:
            steps[size] = nodes[node + STEP]
            node = leads(m, node, AFTER)
        size += 1
        if node < 0:
            return node
    s[NODE], s[CREDIT], s[COUNT], s[STEPS] = node, credit, count, size
    return OK


def linear(m: Columns, final: int, taken: int) -> int:
    """Walk the credit: to its end if `final`, else as far as it leaves no choice."""
    s, nodes, steps = m[0], m[1], m[4]
    if s[COUNTED] != PLAIN and s[CREDIT] > 0:
        if s[COUNTED] != INDIRECT:
            return COUNT_GOES_ON
        status = follow(m, LEFT_COUNT, 0)
        if status < 0:
            return status
    if final and s[CREDIT] < 0:
        return COUNT_EXCEEDED
    patience = gap = PATIENCE
    turn, turn_credit, turn_count = NOWHERE, 0, 0
    room = len(steps)
    while s[CREDIT] > 0:
        node, credit = s[NODE], s[CREDIT]
        kind, halves = nodes[node + KIND], nodes[node + HALVES]
        if halves > credit:
            return cut(m, node, credit, final)
        if s[STEPS] >= room:
            return FULL
        if kind == BRANCH or kind == JUMP:
            if s[BITS_TELL]:
                return stop_at_branch(m, node, final)
            if halves == credit:
                return last_branch(m, node, taken) if final else OK
            if kind == JUMP:
                s[WHERE] = node
                return SILENT_JUMP
        elif kind == TRAP or kind == UNMAPPED:
            return stop(m, node)
        steps[s[STEPS]] = nodes[node + STEP]  # BTM: the count goes on without a DirectBranch: not taken
        s[STEPS] += 1
        s[CREDIT] = credit - halves
        s[COUNT] += nodes[node + NUMBER]
        if kind == INDIRECT:
            s[WAITING], s[LAST], s[COUNTED] = node, nodes[node + LAST_PC], INDIRECT
            if s[CREDIT] == 0:
                return OK
            status = follow(m, LEFT_HALVES, s[CREDIT])
            if status < 0:
                return status
        else:
            if kind == CALL:
                push(m, nodes[node + BACK])
            node = leads(m, node, AFTER)
            if node < 0:
                return node
            s[NODE] = node
        if s[NODE] == turn and s[CREDIT] > 0 and same(m, SAVED):
            # a last turn is left for the walk to find its end in
            turns = (s[CREDIT] - 1) // (turn_credit - s[CREDIT])
            status = walk_again(m, turn_credit, turn_count, turns)
            if status < 0:
                return status
            turn, patience = NOWHERE, 0
        patience -= 1
        if patience == 0:
            turn, turn_credit, turn_count = s[NODE], s[CREDIT], s[COUNT]
            save(m, SAVED)
            gap += gap
            patience = gap
    return OK


# Groups


def begin(m: Columns) -> None:
    """A group begins, unless one is open."""
    s = m[0]
    if s[FRESH]:
        s[FRESH], s[BEGIN] = 0, s[COUNT]


def take_icnt(m: Columns, icnt: int) -> int:
    """I-CNT of a ResourceFull: walk up to the next branch whose direction is not reported."""
    s = m[0]
    begin(m)
    s[CREDIT] += icnt
    return linear(m, 0, 0)


def take_hist(m: Columns, hist: int, times: int) -> int:
    """HIST of a ResourceFull, `times` over: all its branches have retired."""
    s = m[0]
    begin(m)
    times = min(times, MOST_TIMES)
    turn, credit, count, left = NOWHERE, 0, 0, 0
    patience = gap = 1
    while times:
        if s[NODE] == turn and same(m, OUTER):  # the pattern came back: nothing new can happen
            turns = times // (left - times)
            status = walk_again(m, credit, count, turns)
            if status < 0:
                return status
            times -= turns * (left - times)
            turn = NOWHERE
            patience = 0  # and what is left is less than a turn
            continue
        patience -= 1
        if patience == 0 and s[COUNTED] == PLAIN:
            turn, credit, count, left = s[NODE], s[CREDIT], s[COUNT], times
            save(m, OUTER)
            gap += gap
            patience = gap
        status = branches(m, hist)
        if status < 0:
            return status
        times -= 1
    return OK


def finish_group(m: Columns, icnt: int, hist: int, taken: int) -> int:
    """Walk what is left of the group; the kind of its last instruction.

    taken: direction of a last branch that has no HIST bit: 1, 0 or -1 (unknown, the node is then that of 0).
    """
    s = m[0]
    begin(m)
    s[CREDIT] += icnt
    if hist > 1:
        status = branches(m, hist)
        if status < 0:
            return status
    status = linear(m, 1, taken)
    if status < 0:
        return status
    end = s[COUNTED]
    s[CREDIT], s[COUNTED], s[FRESH] = 0, PLAIN, 1
    return end


# Messages


def read(m: Columns, data: Sequence[int], at: int, end: int, row: int) -> int:
    """Read the message at byte `at` into the row; the byte after it.

    UNFINISHED if it does not end before `end`; UNUSUAL if it is damaged, unknown, custom or has a field that does not
    fit an integer here.
    """
    s, rows = m[0], m[7]
    byte = 0 + data[at]  # as a signed integer, if compiled
    if byte & 3:
        return UNUSUAL
    tcode = byte >> 2
    layout = tcode * LAYOUT_ROW
    fields = s[LAYOUTS + layout]
    if not fields:
        return UNUSUAL
    rows[row + TCODE], rows[row + BYTE], rows[row + STAMP] = tcode, s[OFFSET] + at, -1
    first = at
    value, width = byte >> 2, MDO_BITS  # the first group, with TCODE and SRC
    while True:
        at += 1
        if at >= end:
            return UNFINISHED
        byte = 0 + data[at]
        if byte & 3 == 2:
            return UNUSUAL
        if width < 60:
            value |= (byte >> 2) << width
        elif byte >> 2:
            return UNUSUAL
        width += MDO_BITS
        if byte & 1:
            break
    group, more = True, byte & 3 == 1
    value >>= MDO_BITS
    width -= MDO_BITS
    if width < s[SRC_BITS]:
        return UNUSUAL
    rows[row + SOURCE] = value & (1 << s[SRC_BITS]) - 1
    value >>= s[SRC_BITS]
    width -= s[SRC_BITS]
    count = 0
    if tcode == RESOURCE_FULL and value & 15 >= RESERVED_RCODE:
        return UNUSUAL
    for field in range(fields):
        spec = layout + 1 + field * FIELD_ROW
        if s[LAYOUTS + spec + 3] >= 0 and rows[row + VALUE + s[LAYOUTS + spec + 3]] != s[LAYOUTS + spec + 4]:
            continue
        if not group:
            return UNUSUAL
        fixed = s[LAYOUTS + spec]
        if fixed:
            if width < fixed:
                return UNUSUAL
            rows[row + VALUE + count] = value & (1 << fixed) - 1
            count += 1
            value >>= fixed
            width -= fixed
            continue
        if s[LAYOUTS + spec + 2] and width < s[EXTENDED_BITS] and width > 0 and value >> width - 1:
            value |= (MOST >> 63 - s[EXTENDED_BITS]) & ~((1 << width) - 1)
        if width == 0 or (s[LAYOUTS + spec + 1] < 63 and value >> s[LAYOUTS + spec + 1]):
            return UNUSUAL
        rows[row + VALUE + count] = value
        count += 1
        group = more
        value = width = 0
        if more:
            while True:
                at += 1
                if at >= end:
                    return UNFINISHED
                byte = 0 + data[at]
                if byte & 3 == 2:
                    return UNUSUAL
                if width < 60:
                    value |= (byte >> 2) << width
                elif width == 60:
                    if byte >> 5:
                        return UNUSUAL
                    value |= (byte >> 2) << width
                elif byte >> 2:
                    return UNUSUAL
                width += MDO_BITS
                if byte & 1:
                    break
            more = byte & 3 == 1
    rows[row + VALUES] = count
    if group and s[HAS_TIME]:
        rows[row + STAMP] = value
        group = more
    if group or more or at - first >= MAX_MESSAGE:
        return UNUSUAL
    return at + 1


def handle(m: Columns, row: int) -> int:
    """One message, in its row; negative: not usual, or illegal. What it is then is for `Interpreter` to say."""
    s, rows = m[0], m[7]
    tcode, value = rows[row + TCODE], row + VALUE
    if s[HAS_TIME] and rows[row + STAMP] >= 0 and s[NOW] >= 0:
        if rows[row + STAMP] > MOST - s[NOW]:
            return UNUSUAL
        s[NOW] += rows[row + STAMP]
        rows[row + TIME] = s[NOW]
    if tcode == DIRECT_BRANCH:
        if s[BITS_TELL]:
            return UNUSUAL
        status = finish_group(m, rows[value], 1, 1)
        if status >= 0 and status != BRANCH:
            return UNUSUAL
        s[REPEATABLE] = s[MESSAGES] - 1
        return status
    if tcode == INDIRECT_BRANCH or (tcode == INDIRECT_BRANCH_HIST and s[BITS_TELL]):
        hist = rows[value + 3] if tcode == INDIRECT_BRANCH_HIST else 1
        if rows[value] or rows[value + 2] >> s[ADDRESS_BITS] or not hist:
            return UNUSUAL
        status = finish_group(m, rows[value + 1], hist, 0)
        if status != INDIRECT:
            return status if status < 0 else UNUSUAL
        s[REFERENCE] ^= rows[value + 2]
        s[REPEATABLE] = s[MESSAGES] - 1
        return arrive(m, s[REFERENCE])
    if tcode == RESOURCE_FULL:
        s[REPEATABLE] = NOWHERE
        rdata = rows[value + 1]
        if rows[value] == 0:
            return UNUSUAL if rdata >> ICNT_BITS else take_icnt(m, rdata)
        times = rows[value + 2] if rows[value] == 2 else 1
        if not s[BITS_TELL] or rdata < 2 or not times:
            return UNUSUAL
        return take_hist(m, rdata, times)
    return UNUSUAL


def run(m: Columns, data: Sequence[int], at: int, end: int) -> int:
    """Take the messages of data[at:end] as long as they are usual and legal; s[AT] is the first byte not read.

    The flow must be known (State.ON). UNUSUAL: the state is as before the message at s[AT].
    """
    s, rows = m[0], m[7]
    while at < end:
        if data[at] == IDLE:
            at += 1
            continue
        s[AT] = at
        row = s[MESSAGES] * MESSAGE_ROW
        if row + MESSAGE_ROW > len(rows):
            return FULL
        after = read(m, data, at, end, row)
        if after < 0:
            return after
        if s[SRC_BITS]:
            s[SOURCES + rows[row + SOURCE]] += 1
            if rows[row + SOURCE] != s[SRC]:
                at = after
                continue
        rows[row + FIRST], rows[row + TIME] = s[COUNT], -1
        keep(m)
        s[MESSAGES] += 1
        status = handle(m, row)
        if status >= 0 and s[COUNT] > s[LIMIT]:
            status = UNUSUAL
        if status < 0:
            restore(m)
            if s[SRC_BITS]:
                s[SOURCES + rows[row + SOURCE]] -= 1
            return status if status >= FULL else UNUSUAL
        at = after
    s[AT] = at
    return OK
