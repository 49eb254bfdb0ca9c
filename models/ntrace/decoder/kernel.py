# SPDX-License-Identifier: Apache-2.0
"""The decoder's inner loops: messages out of bytes, and the walk through the program that their counts describe.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on columns of integers and of records alone, and knows no exceptions: what it cannot do it answers with a negative
status, and `rvtrace.models.ntrace.decoder.path` makes tables longer, or a Contradiction, of that. A function comes
after those that it calls.

Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. A node is the
step that begins at an address; its number is its row in `nodes`. All functions take the same `Columns`. What a message
looks like comes from the field table (`rvtrace.models.ntrace.layout`): no number of a column is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rvtrace.models.common.records import Record
from rvtrace.models.common.walking import NOWHERE, PLACE, REPEAT, bits, find, pop, same, save, undo
from rvtrace.models.common.walking import push as push_on
from rvtrace.models.common.walking import repeat as repeat_in
from rvtrace.models.ntrace.layout import FIELD, KIND

# What a walk changes; row 1 of its column is what it was at `keep`, for `restore`. base, deep, touched: of the return
# stack; reference: what U-ADDR is XORed with; repeatable: the message that RepeatBranch would repeat
STATE = Record(
    "State",
    "node last credit counted waiting count begin fresh steps repeats base deep touched reference repeatable messages"
    " time",
)
# What a function asks for or answers beside its status; options, and what the caller knows; the columns of the fields
# that `handle` knows, and the entries of a row of `rows`
WORK = Record(
    "Work",
    "needed amount left where at"
    " bits_report ecall_counts constants address_bits extended_bits has_src src has_time offset limit"
    " src_at tstamp_at btype_at icnt_at uaddr_at hist_at rcode_at rdata_at hrepeat_at row",
)
# A node: what ends it, half-words, instructions, then node, address and step of the way on: not taken, and taken; its
# address; its last instruction: address, half-words; its jump: pops, return address; 9.1: constant if what comes before
# has two half-words, or one
NODE = Record(
    "Node",
    "kind halves number after after_pc step target target_pc taken_step pc last_pc last_halves pops back"
    " loaded loaded_short",
)
CUT = Record("Cut", "key step halves number after")  # part of a step: the node after it


class Columns(NamedTuple):
    """lasts: of each step, its last instruction. steps, repeats: the path walked. rows: messages. calls, log: the
    return stack, and how to undo it; saved: those of two searches for a cycle. Each call of a function passes all of
    them, so what few functions need is in `Reading`.
    """

    state: Any
    work: Any
    nodes: Any
    places: Any
    cuts: Any
    steps: Any
    repeats: Any
    lasts: Any
    rows: Any
    calls: Any
    log: Any
    saved: Any


class Reading(NamedTuple):
    """What it takes to read messages. kinds, fields: what they look like. sources: messages by SRC."""

    work: Any
    rows: Any
    kinds: Any
    fields: Any
    sources: Any


# Of the arguments that are not an integer, for the compiler
TYPES = {
    "m": (
        Columns, STATE, WORK, NODE, PLACE, CUT, "int32", REPEAT, "int64", "int64", "int64", "int64", "int64",
    ),
    "r": (Reading, WORK, "int64", KIND, FIELD, "int64"),
    "data": ("uint8",),
}  # fmt: skip

# Kinds of the last instruction of a step or of a walk: `rvtrace.models.ntrace.decoder.steps.End`
PLAIN, BRANCH, INDIRECT, TRAP, UNMAPPED, CALL, JUMP = range(7)

# What a walk may answer beside those
OK = 0
NEED_NODE, NEED_CUT = -1, -2  # there is none for `needed` and `amount`
NEED_REPEATS, FULL = -3, -4  # `repeats` is full; `steps` or `rows` is
COUNT_GOES_ON, COUNT_EXCEEDED, COUNT_INSIDE, COUNT_UNMAPPED, COUNT_TRAP, COUNT_AFTER_TRAP = range(-15, -9)
SILENT_JUMP, NO_HIST_BIT, HIST_GOES_ON, HIST_ROUND, HIST_NO_BRANCH, NOT_TAKEN_JUMP, NO_TARGET = range(-22, -15)
# What comes after a jump whose target nothing reports (`left`)
LEFT_OTHER, LEFT_COUNT, LEFT_HALVES, LEFT_HIST, LEFT_BITS = range(5)
# What `run` may answer: this, the above, that the message at `at` is not complete, or that it is not for `run`
UNFINISHED, UNUSUAL = -5, -6

DEPTH = 1024  # entries of the return stack; 9.2 allows an encoder 32
OUTER = DEPTH + 1  # in `saved`: where the return stack of the second search begins
PATIENCE = 64  # steps without a decision before a walk looks for a cycle
MOST_TIMES = 1 << 40  # more turns than a decoder may hold instructions: so many reach its limit as well
CUT_SHIFT = 9  # half-words of a step: 32 instructions of 12

# A row of `rows`: TCODE, byte, instructions before it, time; from CELLS on the columns of the table
TCODE, BYTE, FIRST, TIME, CELLS = range(5)
ABSENT = -1
MDO_BITS = 6
MAX_MESSAGE = 64
IDLE = 0xFF
MOST = 0x7FFF_FFFF_FFFF_FFFF
DIRECT_BRANCH, INDIRECT_BRANCH, RESOURCE_FULL, INDIRECT_BRANCH_HIST = 3, 4, 27, 28
ICNT_BITS = 22


copy_state = STATE.copier(__name__)

# A message, or a part of it, can be taken back


def keep(m: Columns) -> None:
    """Remember the state, for `restore`."""
    copy_state(m.state[1], m.state[0])
    m.state[0].touched = 0


def restore(m: Columns) -> None:
    """As it was at the last `keep`."""
    touched = m.state[0].touched
    copy_state(m.state[0], m.state[1])
    undo(m.calls, m.log, touched)


def push(m: Columns, back: int) -> None:
    """A call that returns to `back` (9.2, NT-4, NT-5). Whatever depth and mode the encoder has, its stack is the top of
    this one, which is deeper: a return that an encoder may omit is predicted here as well. What this one knows beyond
    that is never asked for.
    """
    push_on(m.state[0], m.calls, m.log, DEPTH, back)


# Ways on


def node_at(m: Columns, pc: int) -> int:
    """The node at an address; NEED_NODE if there is none yet."""
    w, places = m.work[0], m.places
    at = find(places, pc)
    if at < 0:
        w.needed = pc
        return NEED_NODE
    return places[at].node


def after(m: Columns, node: int) -> int:
    """The node after this one, if it is not taken; NEED_NODE if there is none yet."""
    row = m.nodes[node]
    if row.after < 0:
        found = node_at(m, row.after_pc)
        if found < 0:
            return found
        row.after = found
    return row.after


def target(m: Columns, node: int) -> int:
    """The node after this one, if it is taken; NEED_NODE if there is none yet."""
    row = m.nodes[node]
    if row.target < 0:
        found = node_at(m, row.target_pc)
        if found < 0:
            return found
        row.target = found
    return row.target


def constant(m: Columns, jump: int) -> int:
    """Target of the jump just walked if the instruction before it, in the same count, loads its register (9.1)."""
    s, nodes, steps, lasts = m.state[0], m.nodes, m.steps, m.lasts
    if s.count - s.begin < 2:
        return NOWHERE
    if nodes[jump].number > 1:
        return nodes[jump].loaded
    if s.steps < 2:
        return NOWHERE
    distance = nodes[jump].pc - lasts[steps[s.steps - 2]]
    if distance == 2:
        return nodes[jump].loaded
    return nodes[jump].loaded_short if distance == 1 else NOWHERE


def follow(m: Columns, left: int, amount: int) -> int:
    """The jump that waits goes where the program or the return stack says, because `left` comes after it."""
    s, w, nodes = m.state[0], m.work[0], m.nodes
    jump = s.waiting
    target = constant(m, jump) if w.constants else NOWHERE
    if nodes[jump].pops:
        back = pop(s, m.calls)
        if target < 0:
            target = back
    if target < 0:
        w.where, w.left, w.amount = jump, left, amount
        return NO_TARGET
    if nodes[jump].back >= 0:
        push(m, nodes[jump].back)
    node = node_at(m, target)
    if node < 0:
        return node
    s.node, s.waiting, s.counted = node, NOWHERE, PLAIN
    return OK


def arrive(m: Columns, pc: int) -> int:
    """A message reports where the group that has just ended goes on; a jump at its end does with the return stack what
    it does.
    """
    s, nodes = m.state[0], m.nodes
    node = node_at(m, pc)
    if node < 0:
        return node
    jump = s.waiting
    s.node, s.waiting = node, NOWHERE
    if jump >= 0:
        if nodes[jump].pops:
            pop(s, m.calls)
        if nodes[jump].back >= 0:
            push(m, nodes[jump].back)
    return OK


# Walking: from HIST bits and half-words of I-CNT through the program


def repeat(m: Columns, count: int, turns: int) -> int:
    """What was walked since there were `count` instructions happened `turns` more."""
    return OK if repeat_in(m.state[0], m.repeats, count, turns) else NEED_REPEATS


def walk_again(m: Columns, credit: int, count: int, turns: int) -> int:
    """What was walked since there were `credit` and `count` happened `turns` more."""
    s = m.state[0]
    if s.count > count:
        s.credit -= turns * (credit - s.credit)
        return repeat(m, count, turns)
    return OK


def cut_at(m: Columns, node: int, credit: int) -> int:
    """Where `cuts` says what credit covers of a step; NEED_CUT if nowhere yet."""
    w, cuts = m.work[0], m.cuts
    at = find(cuts, node << CUT_SHIFT | credit)
    if at < 0:
        w.needed, w.amount = node, credit
        return NEED_CUT
    return at


def cut(m: Columns, node: int, credit: int, final: int) -> int:
    """Walk the part of a step that the credit covers."""
    s, w, cuts, steps = m.state[0], m.work[0], m.cuts, m.steps
    at = cut_at(m, node, credit)
    if at < 0:
        return at
    halves, number = cuts[at].halves, cuts[at].number
    if final and halves != credit:
        w.where = cuts[at].after
        return COUNT_INSIDE
    if number:
        if s.steps >= len(steps):
            return FULL
        steps[s.steps] = cuts[at].step
        s.steps += 1
        s.credit -= halves
        s.count += number
        s.node = cuts[at].after
    return OK


def stop(m: Columns, node: int) -> int:
    """A step that ends in a trap: it must be the end of the count."""
    s, w, nodes, steps = m.state[0], m.work[0], m.nodes, m.steps
    w.where = node
    if nodes[node].kind == UNMAPPED:
        return COUNT_UNMAPPED
    if not w.ecall_counts:
        return COUNT_TRAP
    if nodes[node].halves != s.credit:
        w.amount = s.credit - nodes[node].halves
        return COUNT_AFTER_TRAP
    steps[s.steps] = nodes[node].step
    s.steps += 1
    s.count += nodes[node].number
    s.credit = 0
    s.counted, s.last = nodes[node].kind, nodes[node].last_pc
    return OK


def stop_at_branch(m: Columns, node: int, final: int) -> int:
    """HTM: the credit reaches over a branch without a HIST bit."""
    w, nodes = m.work[0], m.nodes
    if final:
        w.where = node
        return NO_HIST_BIT
    if nodes[node].last_pc != nodes[node].pc:
        return cut(m, node, nodes[node].halves - nodes[node].last_halves, 0)
    return OK


def last_branch(m: Columns, node: int, taken: int) -> int:
    """BTM: the count ends in a branch, or a jump that is reported as one."""
    s, w, nodes, cuts, steps = m.state[0], m.work[0], m.nodes, m.cuts, m.steps
    step = nodes[node].taken_step if taken == 1 else nodes[node].step
    if nodes[node].kind == JUMP:
        if taken == 0:
            w.where = node
            return SILENT_JUMP
    elif taken < 0:
        at = cut_at(m, node, nodes[node].halves)
        if at < 0:
            return at
        step = cuts[at].step
    way = target(m, node) if taken == 1 else after(m, node)
    if way < 0:
        return way
    steps[s.steps] = step
    s.steps += 1
    s.count += nodes[node].number
    s.credit, s.node = 0, way
    s.counted, s.last = BRANCH, nodes[node].last_pc
    return OK


def branches(m: Columns, hist: int) -> int:
    """Follow the HIST bits, oldest first, to after the last of their branches."""
    s, w, nodes, steps = m.state[0], m.work[0], m.nodes, m.steps
    if s.counted != PLAIN:
        if s.counted != INDIRECT:
            return HIST_GOES_ON
        status = follow(m, LEFT_HIST, 0)
        if status < 0:
            return status
    node, credit, count, size, room = s.node, s.credit, s.count, s.steps, len(steps)
    for shift in range(bits(hist) - 2, -1, -1):
        kind = nodes[node].kind
        if kind != BRANCH:
            patience = gap = PATIENCE
            turn = NOWHERE
            while kind != BRANCH:
                if kind == JUMP:
                    if not hist >> shift & 1:
                        w.where, s.steps = node, size
                        return NOT_TAKEN_JUMP
                    break
                if node == turn and same(s, m.calls, m.saved):
                    w.where, w.amount, s.steps = node, shift + 1, size
                    return HIST_ROUND
                patience -= 1
                if patience == 0:
                    turn = node
                    save(s, m.calls, m.saved)
                    gap += gap
                    patience = gap
                if size >= room:
                    return FULL
                steps[size] = nodes[node].step
                size += 1
                credit -= nodes[node].halves
                count += nodes[node].number
                if kind == PLAIN or kind == CALL:
                    if kind == CALL:
                        push(m, nodes[node].back)
                    node = after(m, node)
                    if node < 0:
                        return node
                elif kind == INDIRECT:
                    s.count, s.steps, s.waiting, s.last = count, size, node, nodes[node].last_pc
                    status = follow(m, LEFT_BITS, shift + 1)
                    if status < 0:
                        return status
                    node = s.node
                else:
                    w.where, w.amount, s.steps = node, shift + 1, size
                    return HIST_NO_BRANCH
                kind = nodes[node].kind
        if size >= room:
            return FULL
        credit -= nodes[node].halves
        count += nodes[node].number
        if hist >> shift & 1:
            steps[size] = nodes[node].taken_step
            node = target(m, node)
        else:
            steps[size] = nodes[node].step
            node = after(m, node)
        size += 1
        if node < 0:
            return node
    s.node, s.credit, s.count, s.steps = node, credit, count, size
    return OK


def linear(m: Columns, final: int, taken: int) -> int:
    """Walk the credit: to its end if `final`, else as far as it leaves no choice."""
    s, w, nodes, steps = m.state[0], m.work[0], m.nodes, m.steps
    if s.counted != PLAIN and s.credit > 0:
        if s.counted != INDIRECT:
            return COUNT_GOES_ON
        status = follow(m, LEFT_COUNT, 0)
        if status < 0:
            return status
    if final and s.credit < 0:
        return COUNT_EXCEEDED
    patience = gap = PATIENCE
    turn, turn_credit, turn_count = NOWHERE, 0, 0
    room = len(steps)
    while s.credit > 0:
        node, credit = s.node, s.credit
        kind, halves = nodes[node].kind, nodes[node].halves
        if halves > credit:
            return cut(m, node, credit, final)
        if s.steps >= room:
            return FULL
        if kind == BRANCH or kind == JUMP:
            if w.bits_report:
                return stop_at_branch(m, node, final)
            if halves == credit:
                return last_branch(m, node, taken) if final else OK
            if kind == JUMP:
                w.where = node
                return SILENT_JUMP
        elif kind == TRAP or kind == UNMAPPED:
            return stop(m, node)
        steps[s.steps] = nodes[node].step  # BTM: the count goes on without a DirectBranch: not taken
        s.steps += 1
        s.credit = credit - halves
        s.count += nodes[node].number
        if kind == INDIRECT:
            s.waiting, s.last, s.counted = node, nodes[node].last_pc, INDIRECT
            if s.credit == 0:
                return OK
            status = follow(m, LEFT_HALVES, s.credit)
            if status < 0:
                return status
        else:
            if kind == CALL:
                push(m, nodes[node].back)
            node = after(m, node)
            if node < 0:
                return node
            s.node = node
        if s.node == turn and s.credit > 0 and same(s, m.calls, m.saved):
            # a last turn is left for the walk to find its end in
            turns = (s.credit - 1) // (turn_credit - s.credit)
            status = walk_again(m, turn_credit, turn_count, turns)
            if status < 0:
                return status
            turn, patience = NOWHERE, 0
        patience -= 1
        if patience == 0:
            turn, turn_credit, turn_count = s.node, s.credit, s.count
            save(s, m.calls, m.saved)
            gap += gap
            patience = gap
    return OK


# Groups


def begin(m: Columns) -> None:
    """A group begins, unless one is open."""
    s = m.state[0]
    if s.fresh:
        s.fresh, s.begin = 0, s.count


def take_icnt(m: Columns, icnt: int) -> int:
    """I-CNT of a ResourceFull: walk up to the next branch whose direction is not reported."""
    s = m.state[0]
    begin(m)
    s.credit += icnt
    return linear(m, 0, 0)


def take_hist(m: Columns, hist: int, times: int) -> int:
    """HIST of a ResourceFull, `times` over: all its branches have retired."""
    s = m.state[0]
    begin(m)
    times = min(times, MOST_TIMES)
    turn, credit, count, left = NOWHERE, 0, 0, 0
    patience = gap = 1
    while times:
        if s.node == turn and same(s, m.calls, m.saved, OUTER):  # the pattern came back: nothing new can happen
            turns = times // (left - times)
            status = walk_again(m, credit, count, turns)
            if status < 0:
                return status
            times -= turns * (left - times)
            turn = NOWHERE
            patience = 0  # and what is left is less than a turn
            continue
        patience -= 1
        if patience == 0 and s.counted == PLAIN:
            turn, credit, count, left = s.node, s.credit, s.count, times
            save(s, m.calls, m.saved, OUTER)
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
    s = m.state[0]
    begin(m)
    s.credit += icnt
    if hist > 1:
        status = branches(m, hist)
        if status < 0:
            return status
    status = linear(m, 1, taken)
    if status < 0:
        return status
    end = s.counted
    s.credit, s.counted, s.fresh = 0, PLAIN, 1
    return end


# Messages


def read(r: Reading, data: Sequence[int], at: int, end: int, row: int) -> int:
    """Read the message at byte `at` into the row; the byte after it.

    UNFINISHED if it does not end before `end`; UNUSUAL if it is damaged, unknown, custom or has a field that does not
    fit an integer here.
    """
    w, rows, fields = r.work[0], r.rows, r.fields
    byte = 0 + data[at]  # as a signed integer, if compiled
    if byte & 3:
        return UNUSUAL
    tcode = byte >> 2
    kind = r.kinds[tcode]
    if not kind.count:
        return UNUSUAL
    rows[row + TCODE], rows[row + BYTE] = tcode, w.offset + at
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
    for index in range(kind.first, kind.first + kind.count):
        field = fields[index]
        cell, fixed = row + field.column, field.width
        if field.by >= 0 and not field.mask >> rows[row + field.by] & 1:
            rows[cell] = ABSENT
            continue
        if not group:
            if not field.optional:
                return UNUSUAL
            rows[cell] = ABSENT
            continue
        if fixed:
            if width < fixed:
                return UNUSUAL
            rows[cell] = value & (1 << fixed) - 1
            value >>= fixed
            width -= fixed
            continue
        if field.extends and width < w.extended_bits and width > 0 and value >> width - 1:
            value |= (MOST >> 63 - w.extended_bits) & ~((1 << width) - 1)
        if width == 0 or (field.most < 63 and value >> field.most):
            return UNUSUAL
        rows[cell] = value
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
    if group or more or at - first >= MAX_MESSAGE:
        return UNUSUAL
    return at + 1


def handle(m: Columns, row: int) -> int:
    """One message, in its row; negative: not usual, or illegal. What it is then is for `Interpreter` to say."""
    s, w, rows = m.state[0], m.work[0], m.rows
    tcode = rows[row + TCODE]
    if w.has_time and rows[row + w.tstamp_at] >= 0 and s.time >= 0:
        if rows[row + w.tstamp_at] > MOST - s.time:
            return UNUSUAL
        s.time += rows[row + w.tstamp_at]
        rows[row + TIME] = s.time
    if tcode == DIRECT_BRANCH:
        if w.bits_report:
            return UNUSUAL
        status = finish_group(m, rows[row + w.icnt_at], 1, 1)
        if status >= 0 and status != BRANCH:
            return UNUSUAL
        s.repeatable = s.messages - 1
        return status
    if tcode == INDIRECT_BRANCH or (tcode == INDIRECT_BRANCH_HIST and w.bits_report):
        hist, uaddr = rows[row + w.hist_at] if tcode == INDIRECT_BRANCH_HIST else 1, rows[row + w.uaddr_at]
        if rows[row + w.btype_at] or uaddr >> w.address_bits or not hist:
            return UNUSUAL
        status = finish_group(m, rows[row + w.icnt_at], hist, 0)
        if status != INDIRECT:
            return status if status < 0 else UNUSUAL
        s.reference ^= uaddr
        s.repeatable = s.messages - 1
        return arrive(m, s.reference)
    if tcode == RESOURCE_FULL:
        s.repeatable = NOWHERE
        rcode, rdata = rows[row + w.rcode_at], rows[row + w.rdata_at]
        if rcode == 0:
            return UNUSUAL if rdata >> ICNT_BITS else take_icnt(m, rdata)
        times = rows[row + w.hrepeat_at] if rcode == 2 else 1
        if rcode > 2 or not w.bits_report or rdata < 2 or not times:
            return UNUSUAL
        return take_hist(m, rdata, times)
    return UNUSUAL


def run(m: Columns, r: Reading, data: Sequence[int], at: int, end: int) -> int:
    """Take the messages of data[at:end] as long as they are usual and legal; w.at is the first byte not read.

    The flow must be known (State.ON). UNUSUAL: the state is as before the message at w.at.
    """
    s, w, rows = m.state[0], m.work[0], m.rows
    while at < end:
        if data[at] == IDLE:
            at += 1
            continue
        w.at = at
        row = s.messages * w.row
        if row + w.row > len(rows):
            return FULL
        behind = read(r, data, at, end, row)
        if behind < 0:
            return behind
        if w.has_src:
            r.sources[rows[row + w.src_at]] += 1
            if rows[row + w.src_at] != w.src:
                at = behind
                continue
        rows[row + FIRST], rows[row + TIME] = s.count, -1
        keep(m)
        s.messages += 1
        status = handle(m, row)
        if status >= 0 and s.count > w.limit:
            status = UNUSUAL
        if status < 0:
            restore(m)
            if w.has_src:
                r.sources[rows[row + w.src_at]] -= 1
            return status if status >= FULL else UNUSUAL
        at = behind
    w.at = at
    return OK
