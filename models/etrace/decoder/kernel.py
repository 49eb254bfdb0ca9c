# SPDX-License-Identifier: Apache-2.0
"""The decoder's inner loops: fields out of payloads, and the walk through the program that packets of formats 0 to 2
and 3.0 describe.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on columns of integers alone, lists or arrays, and knows no exceptions: what it cannot do it answers with a
negative status, and `rvtrace.models.etrace.decoder.path` makes tables longer, or a Contradiction, of that. A function
comes after those that it calls.

All branches reported before the instruction that a packet reports precede it, and the way between is inferred, so the
first place that fits is as good as a later one unless flags or the packet after it select one (`seek`; sections
updiscon and irxx). An address that was met by inference is there for the sake of the packet after it (`go_on`).

Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. A node is the
step that begins at an address; its number is where its row begins in `nodes`. All functions take the same columns:

    s       the state, return stack, predictor, jump target cache, and fields of a packet, by the indices below
    nodes   rows of NODE_ROW: the steps of the program      places  address to node
    code    addresses of the instructions of all steps      tails   of each step, its last instruction and that before
    steps, repeats: the path walked                         firsts  of each packet, the instructions before it
    events  rows of EVENT_ROW
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Column = Any  # of integers: a list or an array
Columns = tuple[Column, ...]
# Of arguments that are not an integer, and of the columns, for the compiler
TYPES = {
    "m": ("int64", "int64", "int64", "int64", "int32", "int64", "int64", "int64", "int64"),
    "table": ("int64",), "data": ("uint8",), "packets": ("int64",),
}  # fmt: skip

# Kinds of the last instruction of a step: `rvtrace.models.etrace.decoder.steps.End`
PLAIN, BRANCH, CALL, INDIRECT, TRAP, UNMAPPED = range(6)

# How a walk came to the instruction reported
JUMP, INFERRED, HERE = range(3)
# How the hart could have come to the same place again
LOOP, RETURN, JUMPED = 1, 2, 3

# What a function may answer beside those
OK = 0
NEED_NODE, NEED_REPEATS, FULL = -1, -2, -3  # there is none for s[NEEDED]; `repeats` is full; another column is
UNUSUAL, LIMITED = -4, -5  # the packet at s[AT] is not for `run`; more instructions than s[LIMIT] in one packet
UNTAKEN = -6  # likewise, and nothing of it was taken
CONTRADICTIONS = -10  # the highest of those below
(
    TRAPS, NOT_ARRIVED, NO_OUTCOME, WRONG_DEPTH, NO_START, BRANCH_FIRST, LEADS_NOWHERE, GOES_ROUND, TOO_FAR,
    LEFT_AT_START, LEFT_UNMAPPED, LEFT_ROUND, UNINFERABLE, EMPTY_ENTRY, NOT_A_BRANCH, BAD_FORMAT,
) = range(CONTRADICTIONS, CONTRADICTIONS - 16, -1)  # fmt: skip
# What was walked (s[PART]): towards an address, by branches alone, by the predictor
TO_ADDRESS, ONLY_BRANCHES, BY_PREDICTION = range(3)

NOWHERE = -1
NEVER = -2  # where no walk is
UNREPORTED, AS_PREDICTED, MISPREDICTED = -1, 2, 3  # of an outcome, beside 0 and 1
HOLE = 0  # the node of all addresses without an instruction
WALK_LIMIT = 1 << 15  # steps without a decision
PATIENCE = 16  # branches before a walk by prediction looks for a cycle
SEEK_PATIENCE = 64  # steps before a walk looks for a cycle
LOOK_AHEAD = 256  # steps in which a second place is looked for
WINDOW = 64  # packets that are taken back together
WASTE = 8  # what contradictions undid counts for so much of it, so that hostile bytes cannot take hours
MAX_BRANCHES = 31
MAX_PAYLOAD = 31
WEAKLY_NOT_TAKEN = 1
MOST = 0x7FFF_FFFF_FFFF_FFFF
SHORT, SHORT_BITS = 7, 56  # bytes of a payload that fits an integer with its sign, and bits

DEPTH = 256  # entries of the return stack; the largest counter has 255
TABLE = 1024  # entries of the largest predictor, and of the largest jump target cache
# State. PLACE is what a walk without branches changes, beside the return stack; KEPT what a packet changes.
(
    STEPS, REPEATS, COUNT, PC, NEXT, NODE, PENDING, RETURNED, RET_OPEN, SINCE, PLACE,
) = range(11)  # fmt: skip
(
    BASE, DEEP, WASTED, DOUBTFUL, LAST, AT_BRANCH, ADJACENT, BARE, TENTATIVE, T_ADDRESS, T_TAKEN, T_IRDEPTH, T_DEPTHS,
    EVENTS, PACKETS, KEPT,
) = range(PLACE, PLACE + 16)  # fmt: skip
NEEDED, AMOUNT, WHERE, AT, PART, SEAM = range(2 * KEPT, 2 * KEPT + 6)
# Options, and what the caller knows
(
    IMPLICIT, PREDICTS, CONSTANTS, CACHES, FULL_ADDRESS, DRAFT, COMPARES, DEPTHS, MOST_CALLS, SHIFT, ENTRY_MASK,
    CACHE_MASK, MAX_COUNT, LIMIT, ADDRESS_BITS, INDEX_BITS, DEPTH_BITS, SUBFORMAT_BITS, PRIVILEGE_BITS,
) = range(2 * KEPT + 6, 2 * KEPT + 25)  # fmt: skip
# The instruction a packet reports. TAKEN: outcome, if it is a branch. INFERABLE: it may be met without an uninferable
# jump; FALLBACK: and if it must not be, that is better than nothing. IRDEPTH: entries of the return stack there, -1 if
# not reported; DEPTHS: whether an encoder reports it where it matters. SYNC: of a synchronization packet. NOT_NEXT:
# more than one instruction lies ahead. F_BEGIN, F_FOUND: node and place in it that would do.
(
    G_ADDRESS, G_NODE, G_TAKEN, G_INFERABLE, G_FALLBACK, G_IRDEPTH, G_DEPTHS, G_SYNC, G_NOT_NEXT, F_BEGIN, F_FOUND,
) = range(2 * KEPT + 25, 2 * KEPT + 36)  # fmt: skip
# Fields of a packet. REPORTED: whether there is an ADDRESS, or an INDEX; COUNTED, BRANCH_FORMAT: -1 without
(
    FORMAT, REPORTED, ADDRESS, INDEX, BRANCHES, BITS, COUNTED, BRANCH_FORMAT, NO_MISPRED, NOTIFY, UPDISCON, IRDEPTH,
) = range(2 * KEPT + 36, 2 * KEPT + 48)  # fmt: skip
BY_ADDRESS, BY_INDEX = 1, 2
# What a 3.0 may have; PRIVILEGE and CONTEXT were reported last; AGAIN: how the last one may have been met before
CONTEXT_BITS, HAS_TIME, PRIVILEGE, CONTEXT, AGAIN = range(2 * KEPT + 48, 2 * KEPT + 53)
HOLES = 2 * KEPT + 53  # the addresses last found to have no instruction
HOLES_KNOWN = 8
NEXT_HOLE = HOLES + HOLES_KNOWN
TRAINED = NEXT_HOLE + 1  # next state of a predictor entry by state and outcome
MAP_LENGTHS = TRAINED + 8  # bits of branch_map by branches
CALLS = MAP_LENGTHS + 32  # the return stack
ENTRIES = CALLS + DEPTH  # the predictor
CACHE = ENTRIES + TABLE
BACKUP = DEPTH + 2 * TABLE  # so far after each of them is what it was at `keep`
TURN_SEEK = CALLS + 2 * BACKUP  # return stacks of searches for a cycle
TURN_BRANCH = TURN_SEEK + DEPTH + 1
TURN_PREDICT = TURN_BRANCH + DEPTH + 1
FALLBACK = TURN_PREDICT + DEPTH + 1  # places to go back to
GOING_ON = FALLBACK + PLACE + DEPTH + 1
LOOKING = GOING_ON + PLACE + DEPTH + 1
RESUMING = LOOKING + PLACE + DEPTH + 1
SIZE = RESUMING + PLACE + DEPTH + 1

# A node: what ends it, instructions, where they are in `code`, its last one; node, address and step of the way on: not
# taken, and taken; node and address after its first instruction (NOWHERE if that is a jump). The first n instructions
# of a step have the number STEP - NUMBER + n. Of a jump: pops, return address; sijump: where it leads if what comes
# before has two half-words, or one
(
    KIND, NUMBER, START, LAST_PC, AFTER, AFTER_PC, STEP, TARGET, TARGET_PC, TAKEN_STEP, SECOND, SECOND_PC, POPS, BACK,
    LOADED, LOADED_SHORT,
) = range(16)  # fmt: skip
NODE_ROW = 16
PLACE_ROW = 2  # address, node
REPEAT_ROW = 3  # before this step, so many instructions come so many times more
PACKET_ROW = 3  # where a payload begins, bytes, offset of the packet in the stream
EVENT_ROW = 4  # what, instruction, packet, and LOOP, RETURN or JUMPED; of OTHER its place in a list
NOTIFIED, BY_RETURN, BEFORE, LATER, SYNCED, HOW_OFTEN, OTHER = range(7)


def place(key: int, row: int, most: int) -> int:
    """Where the search for a key begins; `most` is the last index of its table."""
    return (((key ^ key >> 24) & 0xFFFFFF) * 0x9E3779B1 >> 16) * row & most


def find(table: Column, key: int, row: int) -> int:
    """Where the row of `key` is in a table, whose rows are a power of two; -1 if nowhere."""
    most = len(table) - 1
    at = (((key ^ key >> 24) & 0xFFFFFF) * 0x9E3779B1 >> 16) * row & most  # `place`, without the call
    while table[at] != key:
        if table[at] < 0:
            return -1
        at = at + row & most
    return at


# Packets, or parts of one, can be taken back


def keep(m: Columns) -> None:
    """Remember the state, for `restore`."""
    s = m[0]
    for index in range(KEPT):
        s[KEPT + index] = s[index]
    for index in range(s[DEEP]):
        slot = CALLS + (s[BASE] + index) % DEPTH
        s[slot + BACKUP] = s[slot]
    if s[PREDICTS]:
        for slot in range(ENTRIES, ENTRIES + s[ENTRY_MASK] + 1):
            s[slot + BACKUP] = s[slot]
    if s[CACHES]:
        for slot in range(CACHE, CACHE + s[CACHE_MASK] + 1):
            s[slot + BACKUP] = s[slot]


def restore(m: Columns) -> None:
    """As it was at the last `keep`."""
    s = m[0]
    for index in range(KEPT):
        s[index] = s[KEPT + index]
    for index in range(s[DEEP]):
        slot = CALLS + (s[BASE] + index) % DEPTH
        s[slot] = s[slot + BACKUP]
    if s[PREDICTS]:
        for slot in range(ENTRIES, ENTRIES + s[ENTRY_MASK] + 1):
            s[slot] = s[slot + BACKUP]
    if s[CACHES]:
        for slot in range(CACHE, CACHE + s[CACHE_MASK] + 1):
            s[slot] = s[slot + BACKUP]


# The return stack: a ring, so that a call beyond MOST_CALLS drops the oldest entry


def push(m: Columns, back: int) -> None:
    """A call that returns to `back`."""
    s = m[0]
    s[CALLS + (s[BASE] + s[DEEP]) % DEPTH] = back
    if s[DEEP] < s[MOST_CALLS]:
        s[DEEP] += 1
    else:
        s[BASE] += 1
    s[RET_OPEN] = s[SINCE] = 0


def pop(m: Columns) -> int:
    """Where a return goes; there is an entry."""
    s = m[0]
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


def stay(m: Columns, to: int) -> None:
    """Remember at s[to] all that a walk without branches changes."""
    s = m[0]
    for index in range(PLACE):
        s[to + index] = s[index]
    save(m, to + PLACE)


def back_to(m: Columns, to: int) -> None:
    """As if the walk since `stay` had not been."""
    s = m[0]
    s[WASTED] += s[STEPS] - s[to + STEPS]
    for index in range(PLACE):
        s[index] = s[to + index]
    s[DEEP] = s[to + PLACE]
    for index in range(s[DEEP]):
        s[CALLS + (s[BASE] + index) % DEPTH] = s[to + PLACE + 1 + index]


# Ways on


def node_at(m: Columns, pc: int) -> int:
    """The node at an address; NEED_NODE if it is not known yet."""
    s, places = m[0], m[2]
    at = find(places, pc, PLACE_ROW)
    if at >= 0:
        return places[at + 1]
    for index in range(HOLES_KNOWN):
        if s[HOLES + index] == pc:
            return HOLE
    s[NEEDED] = pc
    return NEED_NODE


def leads(m: Columns, way: int) -> int:
    """The node after this one, `way`: where AFTER or TARGET of that is; NEED_NODE if it is not known yet."""
    nodes = m[1]
    found = nodes[way]
    if found < 0:
        found = node_at(m, nodes[way + 1])
        if found >= 0:
            nodes[way] = found
    return found


def here(m: Columns) -> int:
    """The node at s[NEXT]; NEED_NODE if it is not known yet."""
    s = m[0]
    if s[NODE] < 0:
        found = node_at(m, s[NEXT])
        if found < 0:
            return found
        s[NODE] = found
    return s[NODE]


def is_branch(m: Columns, node: int) -> int:
    """Whether the first instruction of a node is a branch."""
    return 1 if m[1][node + KIND] == BRANCH and m[1][node + NUMBER] == 1 else 0


def constant(m: Columns, jump: int) -> int:
    """Target of the jump just walked if the instruction before it, with nothing between, loads its register."""
    s, nodes, steps, tails = m[0], m[1], m[4], m[6]
    if s[COUNT] - s[SEAM] < 2 or (nodes[jump + LOADED] < 0 and nodes[jump + LOADED_SHORT] < 0):
        return NOWHERE
    before = tails[2 * steps[s[STEPS] - 1] + 1]
    if before < 0:
        if s[STEPS] < 2:
            return NOWHERE
        before = tails[2 * steps[s[STEPS] - 2]]
    distance = nodes[jump + LAST_PC] - before
    if distance == 2:
        return nodes[jump + LOADED]
    return nodes[jump + LOADED_SHORT] if distance == 1 else NOWHERE


def infer(m: Columns) -> int:
    """Leave the call or jump that is pending if its target is known: NEXT is; 0 if it is uninferable."""
    s, nodes = m[0], m[1]
    jump = s[PENDING]
    if nodes[jump + KIND] == CALL:
        push(m, nodes[jump + BACK])
        s[NEXT], s[NODE], s[PENDING] = nodes[jump + AFTER_PC], nodes[jump + AFTER], NOWHERE
        return 1
    if nodes[jump + KIND] != INDIRECT:
        return TRAPS
    target = constant(m, jump) if s[CONSTANTS] else NOWHERE
    if nodes[jump + POPS] and s[DEEP]:
        back = pop(m)
        if target < 0 or target == back:
            s[RETURNED] = s[RET_OPEN] = s[SINCE] = 1
            target = back
    elif target < 0:
        return 0
    if nodes[jump + BACK] >= 0:
        push(m, nodes[jump + BACK])
    s[NEXT], s[NODE], s[PENDING] = target, NOWHERE, NOWHERE
    return 1


def expected(m: Columns) -> int:
    """The address that would be next, with nothing changed; NOWHERE if it is not known."""
    s = m[0]
    if s[PENDING] < 0:
        return s[NEXT]
    if m[1][s[PENDING] + KIND] == TRAP:
        return NOWHERE
    stay(m, LOOKING)
    status = infer(m)
    target = s[NEXT]
    back_to(m, LOOKING)
    return target if status > 0 else NOWHERE


# Steps


def land(m: Columns, node: int, pc: int, step: int, number: int) -> int:
    """Walk the part of a step, so many instructions, that ends in the one at pc: no branch, and `node` begins there. It
    is not left yet.
    """
    s, nodes, steps = m[0], m[1], m[4]
    size = s[STEPS]
    if size >= len(steps):
        return FULL
    steps[size] = step
    s[STEPS] = size + 1
    s[COUNT] += number
    s[PC], s[RETURNED], s[PENDING] = pc, 0, NOWHERE
    s[NEXT], s[NODE] = nodes[node + SECOND_PC], nodes[node + SECOND]
    if s[NEXT] < 0:
        s[PENDING] = node
    elif s[NODE] < 0:
        found = leads(m, node + SECOND)
        if found < 0:
            return found
        s[NODE] = found
    return OK


def walk(m: Columns, node: int) -> int:
    """Walk a step that does not end in a branch; if it ends in a jump, that is pending then."""
    s, nodes, steps = m[0], m[1], m[4]
    size = s[STEPS]
    if size >= len(steps):
        return FULL
    steps[size] = nodes[node + STEP]
    s[STEPS] = size + 1
    s[COUNT] += nodes[node + NUMBER]
    s[PC], s[RETURNED] = nodes[node + LAST_PC], 0
    if nodes[node + KIND] == PLAIN:
        s[NEXT], s[NODE] = nodes[node + AFTER_PC], nodes[node + AFTER]
    else:
        s[NEXT], s[NODE], s[PENDING] = NOWHERE, NOWHERE, node
    return OK


def prediction(m: Columns, pc: int) -> int:
    """The outcome expected of the branch at pc, as 0 or 1."""
    s = m[0]
    return s[ENTRIES + (pc >> s[SHIFT] & s[ENTRY_MASK])] >> 1


def train(m: Columns, pc: int, taken: int) -> None:
    """The predictor learns the outcome of a branch."""
    s = m[0]
    if s[PREDICTS]:
        entry = ENTRIES + (pc >> s[SHIFT] & s[ENTRY_MASK])
        s[entry] = s[TRAINED + 2 * s[entry] + taken]


def branch(m: Columns, node: int, taken: int) -> int:
    """Walk a step that ends in a branch."""
    s, nodes, steps = m[0], m[1], m[4]
    size = s[STEPS]
    if size >= len(steps):
        return FULL
    way = node + TARGET if taken == 1 else node + AFTER
    steps[size] = nodes[way + 2]
    s[STEPS] = size + 1
    s[COUNT] += nodes[node + NUMBER]
    s[PC], s[NEXT], s[NODE], s[PENDING] = nodes[node + LAST_PC], nodes[way + 1], nodes[way], NOWHERE
    s[RETURNED] = s[RET_OPEN] = s[SINCE] = 0
    train(m, s[PC], taken)
    return OK


def arrive(m: Columns, node: int, pc: int, taken: int) -> int:
    """The instruction at pc, where `node` begins, retires. taken: of a branch."""
    s, nodes = m[0], m[1]
    if nodes[node + KIND] == UNMAPPED:
        s[WHERE] = pc
        return NOT_ARRIVED
    if nodes[node + KIND] == BRANCH and nodes[node + NUMBER] == 1:
        return branch(m, node, 1 if taken == 1 else 0)
    return land(m, node, pc, nodes[node + STEP] - nodes[node + NUMBER] + 1, 1)


# Walking branches


def to_branch(m: Columns, branches: int) -> int:
    """Walk to the step that ends in the next branch; its node."""
    s, nodes, steps = m[0], m[1], m[4]
    node, pc, count, size, room = here(m), s[NEXT], s[COUNT], s[STEPS], len(steps)
    turn, gap, done = NEVER, PATIENCE, 0
    while done < WALK_LIMIT:
        if node < 0:
            return node
        kind = nodes[node + KIND]
        if kind == BRANCH:
            s[NEXT], s[NODE], s[COUNT], s[STEPS] = pc, node, count, size
            return node
        if done == gap or node == turn:
            if node == turn and same(m, TURN_BRANCH):
                break
            if done == gap:
                turn = node
                save(m, TURN_BRANCH)
                gap += gap
        if kind == UNMAPPED:
            s[WHERE], s[AMOUNT], s[COUNT], s[STEPS] = pc, branches, count, size
            return LEFT_UNMAPPED
        if size >= room:
            return FULL
        steps[size] = nodes[node + STEP]
        size += 1
        count += nodes[node + NUMBER]
        if kind == CALL:
            push(m, nodes[node + BACK])
        if kind == PLAIN or kind == CALL:
            pc = nodes[node + AFTER_PC]
            node = leads(m, node + AFTER)
        else:
            s[COUNT], s[STEPS], s[PC], s[PENDING], s[AMOUNT] = count, size, nodes[node + LAST_PC], node, branches
            if kind == TRAP:
                return UNINFERABLE
            status = infer(m)
            if status <= 0:
                return UNINFERABLE if status == 0 else status
            node, pc = here(m), s[NEXT]
        done += 1
    s[WHERE], s[AMOUNT], s[COUNT], s[STEPS] = pc, branches, count, size
    return LEFT_ROUND


def next_branch(m: Columns, way: int, branches: int) -> int:
    """The node of the next branch, after the branch that was left by `way`; NOWHERE: from where the walk is."""
    s, nodes = m[0], m[1]
    if way >= 0:
        node = leads(m, way)
        if node < 0:
            return node
        s[NEXT], s[NODE] = nodes[way + 1], node
    return to_branch(m, branches)


def begin(m: Columns, branches: int) -> int:
    """Branches follow: the call or jump that was last is left."""
    s = m[0]
    s[AMOUNT] = branches
    if s[PENDING] >= 0:
        status = infer(m)
        if status <= 0:
            return UNINFERABLE if status == 0 else status
    if s[NEXT] < 0:
        return LEFT_AT_START
    return here(m)


def ended(m: Columns, way: int, taken: int) -> int:
    """The last instruction walked is a branch, left by `way`."""
    s, nodes = m[0], m[1]
    node = leads(m, way)
    if node < 0:
        return node
    s[PC] = nodes[way - (TARGET if taken else AFTER) + LAST_PC]
    s[NEXT], s[NODE], s[PENDING] = nodes[way + 1], node, NOWHERE
    s[RETURNED] = s[RET_OPEN] = s[SINCE] = 0
    return OK


def follow(m: Columns, bits: int, branches: int) -> int:
    """Walk that many branches by their bits (1: not taken), the oldest lowest, to the last of them."""
    if not branches:
        return OK
    s, nodes, steps = m[0], m[1], m[4]
    node = s[NODE]
    if node < 0:  # nothing is known of it yet
        node = begin(m, branches)
        if node < 0:
            return node
    count, size, way = s[COUNT], s[STEPS], NOWHERE
    learns, shift, mask = s[PREDICTS], s[SHIFT], s[ENTRY_MASK]
    if size + branches > len(steps):
        return FULL
    last = 1 - (bits >> branches - 1 & 1)
    for left in range(branches, 0, -1):
        if nodes[node] != BRANCH:  # KIND; of NOWHERE it is the last entry, which is none
            s[COUNT], s[STEPS] = count, size
            node = next_branch(m, way, left)
            if node < 0:
                return node
            count, size = s[COUNT], s[STEPS]
            if size + left > len(steps):
                return FULL
        count += nodes[node + NUMBER]
        if learns:
            entry = ENTRIES + (nodes[node + LAST_PC] >> shift & mask)
            s[entry] = s[TRAINED + 1 + 2 * s[entry] - (bits & 1)]
        way = node + AFTER if bits & 1 else node + TARGET
        bits >>= 1
        steps[size] = nodes[way + 2]
        size += 1
        node = nodes[way]
    s[COUNT], s[STEPS] = count, size
    return ended(m, way, last)


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


def predict(m: Columns, branches: int) -> int:
    """Walk that many branches as the predictor says, to the last of them."""
    if not branches:
        return OK
    s, nodes, steps = m[0], m[1], m[4]
    node = begin(m, branches)
    if node < 0:
        return node
    shift, mask, count, size = s[SHIFT], s[ENTRY_MASK], s[COUNT], s[STEPS]
    changes, left, state, way = 0, branches, 0, NOWHERE
    turn, was, left_then, count_then = NEVER, 0, 0, 0
    patience = gap = PATIENCE
    while left:
        if node == turn and was == changes and same(m, TURN_PREDICT):
            turns = left // (left_then - left)  # everything is as it was: it goes on like this
            s[COUNT], s[STEPS] = count, size
            status = repeat(m, count_then, turns)
            if status < 0:
                return status
            count, turn = s[COUNT], NEVER
            left -= turns * (left_then - left)
            patience = left + 1
            continue
        patience -= 1
        if patience == 0:
            if node < 0:
                node = leads(m, way)
                if node < 0:
                    return node
            turn, was, left_then, count_then = node, changes, left, count
            save(m, TURN_PREDICT)
            gap += gap
            patience = gap
            if count > s[LIMIT]:
                return LIMITED
        if nodes[node] != BRANCH:  # KIND; of NOWHERE it is the last entry, which is none
            s[COUNT], s[STEPS] = count, size
            node = next_branch(m, way, left)
            if node < 0:
                return node
            count, size = s[COUNT], s[STEPS]
        if size >= len(steps):
            return FULL
        count += nodes[node + NUMBER]
        entry = ENTRIES + (nodes[node + LAST_PC] >> shift & mask)
        state = s[entry]
        way = node + TARGET if state >> 1 else node + AFTER
        steps[size] = nodes[way + 2]
        size += 1
        new = s[TRAINED + 2 * state + (state >> 1)]
        if new != state:
            s[entry] = new
            changes += 1
        node = nodes[way]
        left -= 1
    s[COUNT], s[STEPS] = count, size
    return ended(m, way, state >> 1)


def mispredict(m: Columns) -> int:
    """Walk to the next branch, which goes against its prediction."""
    node = begin(m, 1)
    if node >= 0:
        node = to_branch(m, 1)
    if node < 0:
        return node
    return branch(m, node, 1 - prediction(m, m[1][node + LAST_PC]))


# Walking to an instruction


def outcome(m: Columns) -> int:
    """Of the branch that is reported."""
    s = m[0]
    if s[G_TAKEN] < 0:
        return NO_OUTCOME
    if s[G_TAKEN] > 1:
        expects = prediction(m, s[G_ADDRESS])
        return 1 - expects if s[G_TAKEN] == MISPREDICTED else expects
    return s[G_TAKEN]


def place_in(m: Columns, node: int) -> int:
    """How many instructions of a step come before the one reported; -1 if that is not in it."""
    s, nodes, code = m[0], m[1], m[3]
    number, start, address = nodes[node + NUMBER], nodes[node + START], s[G_ADDRESS]
    if nodes[node + KIND] != PLAIN:  # the step from the one reported then ends where this one does
        found = number - nodes[s[G_NODE] + NUMBER]
        return found if 0 <= found < number and code[start + found] == address else -1
    for found in range(number):
        if code[start + found] == address:
            return found
    return -1


def fits(m: Columns, found: int, start: int) -> int:
    """Whether the goal, `found` instructions after NEXT, is the one that is meant; `start` of them when it began."""
    s = m[0]
    if s[G_SYNC]:
        return 0 if s[G_NOT_NEXT] and s[COUNT] == start and not found else 1
    if s[G_IRDEPTH] >= 0:
        return 1 if s[DEEP] == s[G_IRDEPTH] else 0
    if not s[G_DEPTHS] or not s[SINCE]:
        return 1
    # "If the reported address is the instruction following a return": depth 0 is not reported
    return 1 if s[RETURNED] and not found and not s[DEEP] else 0


def is_explicit(m: Columns) -> int:
    """Whether the return that is pending, for which the stack has an entry, went elsewhere, and the goal is where."""
    s = m[0]
    if not s[COMPARES] or not s[DEEP] or (s[CONSTANTS] and constant(m, s[PENDING]) >= 0):
        return 0
    if s[G_SYNC]:  # returns before it are reported, so this one is the last instruction
        return 1 if s[CALLS + (s[BASE] + s[DEEP] - 1) % DEPTH] != s[G_ADDRESS] else 0
    return 1 if s[G_IRDEPTH] == s[DEEP] else 0


def stop(m: Columns, node: int, found: int) -> int:
    """The goal is the end of the walk, so many instructions into this step."""
    s, nodes = m[0], m[1]
    if is_branch(m, s[G_NODE]):
        taken = outcome(m)
        return branch(m, node, taken) if taken >= 0 else taken
    return land(m, s[G_NODE], s[G_ADDRESS], nodes[node + STEP] - nodes[node + NUMBER] + found + 1, found + 1)


def leave(m: Columns) -> int:
    """The jump that is pending led to the goal: JUMP; or it was inferred: INFERRED, and the walk goes on."""
    s, nodes = m[0], m[1]
    jump, explicit, taken = s[PENDING], 0, UNREPORTED
    if nodes[jump + KIND] != INDIRECT or s[CONSTANTS] or nodes[jump + POPS]:
        if nodes[jump + POPS]:
            explicit = is_explicit(m)
        if not explicit:
            status = infer(m)
            if status:
                return status if status < 0 else INFERRED
    depth = s[DEEP]
    if depth and nodes[jump + POPS]:
        s[DEEP] -= 1
    if nodes[jump + BACK] >= 0:
        push(m, nodes[jump + BACK])
    if s[G_IRDEPTH] >= 0 and not explicit and s[G_IRDEPTH] != depth and s[G_IRDEPTH] != s[DEEP]:
        s[AMOUNT] = depth
        return WRONG_DEPTH
    if is_branch(m, s[G_NODE]):
        taken = outcome(m)
        if taken < 0:
            return taken
    status = arrive(m, s[G_NODE], s[G_ADDRESS], taken)
    return status if status < 0 else JUMP


def seek_on(m: Columns) -> int:
    """Walk to the goal; F_BEGIN and F_FOUND tell of a place on the way that would do."""
    s, nodes = m[0], m[1]
    patience = gap = SEEK_PATIENCE
    turn, start = NOWHERE, s[COUNT]
    while True:
        if s[PENDING] >= 0:
            status = leave(m)
            if status != INFERRED:
                return status
        node = s[NODE]
        if node < 0:
            if s[NEXT] < 0:
                return NO_START
            node = here(m)
            if node < 0:
                return node
        found = place_in(m, node)
        if found >= 0:
            if s[G_INFERABLE] and fits(m, found, start):
                status = stop(m, node, found)
                return status if status < 0 else INFERRED
            if s[F_BEGIN] < 0 and s[G_FALLBACK]:
                s[F_BEGIN], s[F_FOUND] = node, found
                stay(m, FALLBACK)
        kind = nodes[node + KIND]
        if kind == BRANCH:
            s[WHERE] = nodes[node + LAST_PC]
            return BRANCH_FIRST
        s[WHERE] = s[NEXT]
        if kind == UNMAPPED:
            return LEADS_NOWHERE
        if node == turn and same(m, TURN_SEEK):
            return GOES_ROUND
        patience -= 1
        if patience == 0:
            turn = node
            save(m, TURN_SEEK)
            gap += gap
            patience = gap
            if gap > WALK_LIMIT:
                s[WHERE] = s[PC]
                return TOO_FAR
        status = walk(m, node)
        if status < 0:
            return status


def seek(m: Columns) -> int:
    """Walk to the goal without a branch before it; how it was reached."""
    s = m[0]
    s[DOUBTFUL], s[SINCE], s[F_BEGIN] = 0, 0, NOWHERE
    status = seek_on(m)
    if status <= CONTRADICTIONS and s[F_BEGIN] >= 0:
        back_to(m, FALLBACK)
        status = stop(m, s[F_BEGIN], s[F_FOUND])
        if status < 0:
            return status
        s[DOUBTFUL] = 1
        return INFERRED
    return status


def look_again(m: Columns, jumps: int) -> int:
    """How the hart could have come from the goal to it once more with nothing reported: LOOP, RETURN, JUMPED, or 0.

    jumps: the target of one uninferable jump would not have been reported. The walk is left where it ended.
    """
    s, nodes = m[0], m[1]
    returns, start = 0, s[COUNT]
    for _ in range(LOOK_AHEAD):
        if s[PENDING] >= 0:
            if nodes[s[PENDING] + POPS]:
                returns = 1
            status = infer(m)
            if status <= 0:
                return JUMPED if status == 0 and jumps else 0
        if s[NEXT] < 0:
            return 0
        node = here(m)
        if node < 0:
            return node
        found = place_in(m, node)
        if found >= 0 and fits(m, found, start):
            return RETURN if returns else LOOP
        if nodes[node + KIND] == BRANCH or nodes[node + KIND] == UNMAPPED:
            return 0
        status = walk(m, node)
        if status < 0:
            return status
    return 0


def again(m: Columns, jumps: int) -> int:
    """`look_again`, with nothing changed."""
    s = m[0]
    wasted = s[WASTED]
    stay(m, LOOKING)
    status = look_again(m, jumps)
    if status >= 0:
        back_to(m, LOOKING)
        s[WASTED] = wasted
    return status


# Packets


def store(m: Columns, address: int) -> None:
    """The target of an uninferable jump was reported: the cache keeps it."""
    s = m[0]
    if s[CACHES]:
        s[CACHE + (address >> s[SHIFT] & s[CACHE_MASK])] = address


def event(m: Columns, kind: int, again: int) -> int:
    """Something happened at the last instruction."""
    s, events = m[0], m[8]
    at = s[EVENTS]
    if at + EVENT_ROW > len(events):
        return FULL
    events[at], events[at + 1], events[at + 2], events[at + 3] = kind, s[COUNT] - 1, s[PACKETS] - 1, again
    s[EVENTS] = at + EVENT_ROW
    return OK


def go_on(m: Columns) -> int:
    """The address met by inference was the target of an uninferable jump: walk on to it."""
    s = m[0]
    s[TENTATIVE] = 0
    s[G_ADDRESS], s[G_TAKEN], s[G_IRDEPTH], s[G_DEPTHS] = s[T_ADDRESS], s[T_TAKEN], s[T_IRDEPTH], s[T_DEPTHS]
    s[G_INFERABLE] = s[G_FALLBACK] = s[G_SYNC] = s[G_NOT_NEXT] = 0
    s[G_NODE] = node_at(m, s[G_ADDRESS])
    if s[G_NODE] < 0:
        return s[G_NODE]
    stay(m, GOING_ON)
    status = seek(m)
    if status <= CONTRADICTIONS:  # an encoder that reports more than it must
        back_to(m, GOING_ON)
        return OK
    if status < 0:
        return status
    store(m, s[G_ADDRESS])
    return event(m, BEFORE, 0) if s[DRAFT] else OK


def only_branches(m: Columns) -> int:
    """A packet that reports no address."""
    s = m[0]
    if s[COUNTED] < 0:
        s[PART] = ONLY_BRANCHES
        status = follow(m, s[BITS], MAX_BRANCHES)
    else:
        if s[BRANCH_FORMAT] == 1 and not s[DRAFT]:
            return BAD_FORMAT
        s[PART] = BY_PREDICTION
        status = predict(m, s[COUNTED] + MAX_BRANCHES)
        if status < 0:
            return status
        s[PART] = TO_ADDRESS
        if not s[NO_MISPRED]:
            status = mispredict(m)
    s[AT_BRANCH], s[ADJACENT] = 1, -1
    return status


def reached(m: Columns, how: int, at_branch: int) -> int:
    """The instruction reported is the last one now."""
    s = m[0]
    if how == JUMP:
        store(m, s[G_ADDRESS])
        s[ADJACENT] = 1 if s[UPDISCON] else -1 if s[DRAFT] else 0
    else:
        s[BARE] = 1 if s[DRAFT] and s[FORMAT] == 2 and not at_branch and not s[RET_OPEN] else 0
        full = s[COUNTED] >= 0 and s[COUNTED] + MAX_BRANCHES == s[MAX_COUNT]
        s[ADJACENT] = -1 if s[DRAFT] or s[NOTIFY] or full else 1
        if s[DOUBTFUL] and how == INFERRED:
            status = event(m, BY_RETURN, RETURN)
            if status < 0:
                return status
        if not s[NOTIFY] and not is_branch(m, s[G_NODE]):
            s[TENTATIVE] = 1
            s[T_ADDRESS], s[T_TAKEN], s[T_IRDEPTH], s[T_DEPTHS] = s[G_ADDRESS], s[G_TAKEN], s[G_IRDEPTH], s[G_DEPTHS]
    if s[NOTIFY]:
        return event(m, NOTIFIED, 0)
    return OK


def flow(m: Columns) -> int:
    """A packet of formats 0 to 2, whose fields are in the state."""
    s = m[0]
    s[PART] = TO_ADDRESS
    if s[TENTATIVE]:
        status = go_on(m)
        if status < 0:
            return status
    at_branch = s[AT_BRANCH]
    s[AT_BRANCH] = 0
    if s[REPORTED] == BY_ADDRESS:
        s[LAST] = (s[ADDRESS] if s[FULL_ADDRESS] else s[LAST] + s[ADDRESS]) & (MOST >> 63 - s[ADDRESS_BITS])
        address = s[LAST] << s[SHIFT]
    elif s[REPORTED] == BY_INDEX:
        address = s[CACHE + s[INDEX]]
        if address < 0:
            s[AMOUNT] = s[INDEX]
            return EMPTY_ENTRY
        s[LAST] = address >> s[SHIFT]
    else:
        return only_branches(m)
    node = node_at(m, address)
    if node < 0:
        return node
    branches, branching, taken = s[BRANCHES], is_branch(m, node), UNREPORTED
    s[G_ADDRESS], s[G_NODE] = address, node
    if s[COUNTED] >= 0:
        fails = 1 if s[BRANCH_FORMAT] == 3 else 0
        if fails and not branching:
            return NOT_A_BRANCH
        s[PART] = BY_PREDICTION
        status = predict(m, s[COUNTED] + MAX_BRANCHES - (branching if not fails else 0))
        if status < 0:
            return status
        s[PART] = TO_ADDRESS
        if fails:
            taken = MISPREDICTED
        elif branching:
            taken = AS_PREDICTED
    elif branches:
        status = follow(m, s[BITS], branches - branching)
        if status < 0:
            return status
        if branching:
            taken = 1 - (s[BITS] >> branches - 1 & 1)
    if branching and at_branch and taken < 0 and s[PC] == address:
        return reached(m, HERE, at_branch)
    s[G_TAKEN], s[G_IRDEPTH], s[G_DEPTHS] = taken, s[IRDEPTH], s[DEPTHS]
    s[G_INFERABLE] = s[G_FALLBACK] = 0 if s[REPORTED] == BY_INDEX or s[UPDISCON] else 1
    s[G_SYNC] = s[G_NOT_NEXT] = 0
    status = seek(m)
    return status if status < 0 else reached(m, status, at_branch)


def settle(m: Columns) -> int:
    """The address met by inference, if there is one, was meant that time."""
    s = m[0]
    if not s[TENTATIVE]:
        return OK
    s[TENTATIVE] = 0
    s[G_ADDRESS], s[G_TAKEN], s[G_IRDEPTH], s[G_DEPTHS] = s[T_ADDRESS], s[T_TAKEN], s[T_IRDEPTH], s[T_DEPTHS]
    s[G_SYNC] = s[G_NOT_NEXT] = 0
    s[G_NODE] = node_at(m, s[G_ADDRESS])
    if s[G_NODE] < 0:
        return s[G_NODE]
    how = again(m, s[DRAFT])
    return event(m, LATER, how) if how > 0 else how


def seek_sync(m: Columns, address: int, taken: int, unchanged: int, fallback: int, not_next: int) -> int:
    """Walk to the instruction of a 3.0; how it was reached."""
    s = m[0]
    s[G_NODE] = node_at(m, address)
    if s[G_NODE] < 0:
        return s[G_NODE]
    s[G_ADDRESS], s[G_TAKEN], s[G_IRDEPTH], s[G_DEPTHS], s[G_SYNC] = address, taken, -1, 0, 1
    s[G_INFERABLE], s[G_FALLBACK], s[G_NOT_NEXT] = unchanged, fallback, not_next
    return seek(m)


def walk_to(m: Columns, address: int, taken: int, unchanged: int) -> int:
    """Up to the instruction of a 3.0, which trace goes through. unchanged: the privilege is that of before."""
    s, nodes = m[0], m[1]
    s[AGAIN], not_next = 0, 1 if s[ADJACENT] == 0 else 0
    if s[TENTATIVE]:
        jump, ahead, returns, to_jump = s[PENDING], expected(m), 0, 0
        if jump >= 0:
            returns = nodes[jump + POPS]
            to_jump = 1 if nodes[jump + KIND] == INDIRECT and unchanged else 0
        if (s[BARE] and not to_jump) or (ahead >= 0 and ahead != address and not returns):
            # it would be followed at once: so it was reported for the sake of a jump
            stay(m, RESUMING)
            events = s[EVENTS]
            status = go_on(m)
            if status >= 0:
                status = seek_sync(m, address, taken, unchanged, 0, 0 if s[DRAFT] else 1)
            if status > CONTRADICTIONS:
                return status
            back_to(m, RESUMING)
            s[EVENTS], s[TENTATIVE] = events, 1
        status = settle(m)
        if status < 0:
            return status
    adjacent, start = s[ADJACENT], s[COUNT]
    how = seek_sync(m, address, taken, unchanged, 1, not_next)
    if how == INFERRED and (adjacent != 1 or s[COUNT] != start + 1):
        s[G_NOT_NEXT] = 0
        found = again(m, 1)
        if found < 0:
            return found
        s[AGAIN] = JUMPED if s[DOUBTFUL] and not found else found
    return how


def synchronize(m: Columns, taken: int) -> None:
    """What every synchronization packet does. taken: outcome of the instruction it reports, if that is a branch."""
    s = m[0]
    s[DEEP] = s[RETURNED] = s[RET_OPEN] = s[SINCE] = s[TENTATIVE] = s[AT_BRANCH] = 0
    s[ADJACENT] = -1
    for entry in range(ENTRIES, ENTRIES + s[ENTRY_MASK] + 1):
        s[entry] = WEAKLY_NOT_TAKEN
    for entry in range(CACHE, CACHE + s[CACHE_MASK] + 1):
        s[entry] = NOWHERE
    if taken >= 0:
        train(m, s[PC], taken)


def start(m: Columns) -> int:
    """A 3.0 with the privilege and context of before: the outcome in BITS, the address in ADDRESS."""
    s = m[0]
    s[LAST] = s[ADDRESS]
    status = walk_to(m, s[LAST] << s[SHIFT], s[BITS], 1)
    if status < 0:
        return status
    node = node_at(m, s[PC])
    if node < 0:
        return node
    synchronize(m, s[BITS] if is_branch(m, node) else UNREPORTED)
    status = event(m, SYNCED, 0)
    return event(m, HOW_OFTEN, s[AGAIN]) if status >= 0 and s[AGAIN] else status


def bits_at(data: Sequence[int], start: int, size: int, at: int, number: int) -> int:
    """So many bits of a payload, from bit `at`; its last bit goes on without end."""
    value, got, index = 0, 0, at >> 3
    more = 255 if data[start + size - 1] >> 7 else 0
    while got < number:
        byte = (0 + data[start + index] if index < size else more) >> (at & 7 if not got else 0)
        value |= byte << got
        got += 8 - (at & 7 if not got else 0)
        index += 1
    return value & (MOST >> 63 - number)


def read(m: Columns, data: Sequence[int], start: int, size: int) -> int:
    """Take the fields of a payload of formats 0 to 2 into the state; UNUSUAL if it is another, or damaged."""
    if size < 1 or size > MAX_PAYLOAD:
        return UNUSUAL
    s, first, value = m[0], 0 + data[start], 0
    form, branches = first & 3, first >> 2 & 31
    if size <= SHORT:  # all of it, with its last bit before it without end
        value = first
        for index in range(1, size):
            value |= data[start + index] << 8 * index
        if value >> 8 * size - 1:
            value -= 1 << 8 * size
    reported, counted, length, draft = BY_ADDRESS, -1, 0, s[DRAFT]
    s[FORMAT], s[BRANCH_FORMAT], s[NO_MISPRED] = form, -1, 0
    at = 2
    if form == 2:
        branches = 0
    elif form == 1:
        at = 7
        if not branches:
            reported = 0
            length = MAX_BRANCHES
            if draft:
                s[BRANCH_FORMAT] = bits_at(data, start, size, 7, 1)
                at = 8
                if s[BRANCH_FORMAT]:
                    length = 0
                    counted = bits_at(data, start, size, 8, 16)
                    s[NO_MISPRED] = bits_at(data, start, size, 24, 1)
                    at = 25
    elif form == 3 or draft:
        return UNUSUAL
    else:
        branches = 0
        sub = bits_at(data, start, size, 2, s[SUBFORMAT_BITS]) if s[SUBFORMAT_BITS] else 0 if s[PREDICTS] else 1
        at += s[SUBFORMAT_BITS]
        if sub == 0 and s[PREDICTS]:
            counted, s[BRANCH_FORMAT] = bits_at(data, start, size, at, 32), bits_at(data, start, size, at + 32, 2)
            at += 34
            if s[BRANCH_FORMAT] < 2:
                reported = 0
        elif sub == 1 and s[CACHES] and s[INDEX_BITS]:
            reported = BY_INDEX
            s[INDEX] = bits_at(data, start, size, at, s[INDEX_BITS])
            at += s[INDEX_BITS]
            branches = bits_at(data, start, size, at, 5)
            at += 5
        else:
            return UNUSUAL
    if branches:
        length = s[MAP_LENGTHS + branches]
    s[REPORTED], s[COUNTED], s[BRANCHES], s[BITS] = reported, counted, branches, 0
    if length:
        if size <= SHORT and at < SHORT_BITS:
            s[BITS] = value >> at & (1 << length) - 1
        else:
            s[BITS] = bits_at(data, start, size, at, length)
        at += length
    s[NOTIFY], s[UPDISCON], s[IRDEPTH] = 0, 0, -1
    if reported:
        width = s[ADDRESS_BITS]
        if reported == BY_ADDRESS:
            if size <= SHORT and at < SHORT_BITS and 8 * size <= at + width:  # nothing comes after it
                s[ADDRESS] = value >> at & (MOST >> 63 - width) if s[FULL_ADDRESS] else value >> at
                return OK
            address = bits_at(data, start, size, at, width)
            at += width
            if not s[FULL_ADDRESS] and address >> width - 1:
                address = address - (1 << width - 1) - (1 << width - 1)  # in two parts: it may have 63 bits
            s[ADDRESS] = address
        if not draft:
            flags, depth = 1 if reported == BY_INDEX else 3, s[DEPTH_BITS]
            tail = bits_at(data, start, size, at - 1, 1 + flags + depth)  # each is sent as the XOR with the bit before
            differs = tail ^ tail >> 1
            if flags == 3:
                s[NOTIFY], s[UPDISCON] = differs & 1, differs >> 1 & 1
            if differs >> flags - 1 & 1 and depth:
                s[IRDEPTH] = tail >> flags + 1 & (1 << depth) - 1
            at += flags + depth
    if size > at + 7 >> 3:
        return UNUSUAL
    if 8 * size > at:
        rest = bits_at(data, start, size, at - 1, 8 * size - at + 1)
        if rest and rest != (1 << 8 * size - at + 1) - 1:
            return UNUSUAL
    return OK


def read_start(m: Columns, data: Sequence[int], start: int, size: int) -> int:
    """Take the fields of a 3.0 into the state; UNUSUAL if it is another packet, damaged, or changes more."""
    s = m[0]
    if size < 1 or size > MAX_PAYLOAD or data[start] & 15 != 3 or s[HAS_TIME]:
        return UNUSUAL
    privileges, contexts, width = s[PRIVILEGE_BITS], s[CONTEXT_BITS], s[ADDRESS_BITS]
    branch, privilege, context = 4, 5, 5 + privileges
    if s[DRAFT]:
        context, privilege, branch = 4, 4 + contexts, 4 + contexts + privileges
    if bits_at(data, start, size, privilege, privileges) != s[PRIVILEGE]:
        return UNUSUAL
    if contexts and bits_at(data, start, size, context, contexts) != s[CONTEXT]:
        return UNUSUAL
    at = 5 + privileges + contexts
    if 8 * size > at + width + 7 or (8 * size > at + width and bits_at(data, start, size, at + width - 1, 9) % 511):
        return UNUSUAL
    s[FORMAT], s[BITS], s[ADDRESS] = 3, 1 - bits_at(data, start, size, branch, 1), bits_at(data, start, size, at, width)
    return OK


def take(m: Columns, data: Sequence[int], packets: Column, at: int, end: int) -> int:
    """Take the packets from `at` to `end` as long as they are usual and legal; s[AT] is the first that is not."""
    s, firsts = m[0], m[7]
    room = len(firsts)
    for index in range(at, end):
        s[AT] = index
        begins, size = packets[PACKET_ROW * index], packets[PACKET_ROW * index + 1]
        if read(m, data, begins, size) < 0 and read_start(m, data, begins, size) < 0:
            return UNTAKEN
        number = s[PACKETS]
        if number >= room:
            return FULL
        firsts[number] = s[COUNT]
        s[PACKETS] = number + 1
        status = flow(m) if s[FORMAT] < 3 else start(m)
        if status < 0:
            return status
        if s[COUNT] + s[WASTED] * WASTE > s[LIMIT]:
            return UNUSUAL
    s[AT] = end
    return OK


def run(m: Columns, data: Sequence[int], packets: Column, at: int, end: int) -> int:
    """Take packets, rows of PACKET_ROW, as long as they are usual and legal; s[AT] is the first that is not.

    UNUSUAL, NEED_NODE, NEED_REPEATS or FULL: the state is as before that one. The flow must be known (State.TRACING).
    """
    s = m[0]
    while at < end:
        stop_at = min(end, at + WINDOW)
        keep(m)
        status = take(m, data, packets, at, stop_at)
        if status == UNTAKEN:
            return UNUSUAL
        if status < 0:
            bad = s[AT]
            restore(m)
            take(m, data, packets, at, bad)  # once more, without it
            s[AT] = bad
            return status if status >= FULL else UNUSUAL
        at = stop_at
    s[AT] = at
    return OK
