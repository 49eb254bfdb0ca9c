# SPDX-License-Identifier: Apache-2.0
"""The decoder's inner loops: fields out of payloads, and the walk through the program that packets of formats 0 to 2
and 3.0 describe.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on records and columns of integers alone (`rvtrace.models.common.records`) and knows no exceptions: what it cannot
do it answers with a negative status, and `rvtrace.models.etrace.decoder.path` makes columns longer, or a Contradiction,
of that. A function comes after those that it calls.

All branches reported before the instruction that a packet reports precede it, and the way between is inferred, so the
first place that fits is as good as a later one unless flags or the packet after it select one (`seek`; sections
updiscon and irxx). An address that was met by inference is there for the sake of the packet after it (`go_on`).

Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. A node is the
step that begins at an address.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rvtrace.models.common.records import Block, Record
from rvtrace.models.common.walking import NOWHERE, PLACE, REPEAT, copy, copy_ring, find, load, pop, push, same, save
from rvtrace.models.common.walking import repeat as repeat_in
from rvtrace.models.etrace.layout import DIFFERENCE, FLAG, FORMATS, KIND, PART
from rvtrace.models.etrace.table import FORMAT_BITS

# Kinds of the last instruction of a step: `rvtrace.models.etrace.decoder.steps.End`
PLAIN, BRANCH, CALL, INDIRECT, TRAP, UNMAPPED = range(6)

# How a walk came to the instruction reported
JUMP, INFERRED, HERE = range(3)
FILL, KEEP, CLEAR = range(3)  # CACHE_RETURNS of the configuration, by their place
# How the hart could have come to the same place again
LOOP, RETURN, JUMPED = 1, 2, 3

# What a function may answer beside those
OK = 0
NEED_NODE, NEED_REPEATS, FULL = -1, -2, -3  # there is none for `needed`; `repeats` is full; another column is
UNUSUAL, LIMITED = -4, -5  # the packet `at` is not for `run`; more instructions than `limit` in one packet
UNTAKEN = -6  # likewise, and nothing of it was taken
CONTRADICTIONS = -10  # the highest of those below
(
    TRAPS, NOT_ARRIVED, NO_OUTCOME, WRONG_DEPTH, NO_START, BRANCH_FIRST, LEADS_NOWHERE, GOES_ROUND, TOO_FAR,
    LEFT_AT_START, LEFT_UNMAPPED, LEFT_ROUND, UNINFERABLE, EMPTY_ENTRY, NOT_A_BRANCH, BAD_FORMAT,
) = range(CONTRADICTIONS, CONTRADICTIONS - 16, -1)  # fmt: skip
# What was walked (`part`): towards an address, by branches alone, by the predictor
TO_ADDRESS, ONLY_BRANCHES, BY_PREDICTION = range(3)

NEVER = -2  # where no walk is
UNREPORTED, AS_PREDICTED, MISPREDICTED = -1, 2, 3  # of an outcome, beside 0 and 1
HOLE = 0  # the node of all addresses without an instruction
HOLES_KNOWN = 8
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
FALLBACK, GOING_ON, LOOKING, RESUMING = range(4)  # of `walks`: places to go back to
WALKS = 4
TURN_SEEK, TURN_BRANCH, TURN_PREDICT = range(WALKS, WALKS + 3)  # return stacks of searches for a cycle, beside those
STACKS = WALKS + 3
STACK_ROW = DEPTH + 1  # of `stacks`: a depth, and addresses
AFTER, TARGET, SECOND = range(3)  # ways on from a node: not taken, taken, after its first instruction
WAYS = 3
PACKET_ROW = 3  # where a payload begins, bytes, offset of the packet in the stream
# Fields of a packet, by their place in `values`; then its format, and whether an address is reported, or an index
KEYS = (
    "address", "index", "branches", "branch_map", "branch_count", "branch_fmt", "no_mispred", "notify", "updiscon",
    "irreport", "irdepth", "branch", "privilege", "context", "time",
)  # fmt: skip
(
    ADDRESS, INDEX, BRANCHES, BRANCH_MAP, BRANCH_COUNT, BRANCH_FMT, NO_MISPRED, NOTIFY, UPDISCON, IRREPORT, IRDEPTH,
    BRANCH_BIT, PRIVILEGE, CONTEXT, TIME,
) = range(15)  # fmt: skip
FORMAT, REPORTED = 15, 16
CELLS = (*KEYS, "format", "reported")
CELLS_MOST = 64  # with the fields of which only the table knows
BY_ADDRESS, BY_INDEX = 1, 2
ABSENT = -1
ABSENT_KEYS = ("branch_count", "branch_fmt", "irdepth", "privilege", "context", "time")  # ABSENT, where others are 0
NO_KIND = -1
NOTIFIED, BY_RETURN, BEFORE, LATER, SYNCED, HOW_OFTEN, OTHER = range(7)  # kinds of events


# What a walk without branches changes, beside the return stack. steps, repeats: rows of these columns. count:
# instructions; pc: the last one; next, node: the address after it, and its node, NOWHERE if it is not known; pending:
# the node of a call or jump that is not left yet. returned: a return was the last step; ret_open: one was since the
# last packet or branch, since: since the search for an address began. base, deep, touched: of the return stack
WALK = Record("Walk", "steps repeats count pc next node pending returned ret_open since base deep touched")
# What a packet changes beside the walk. wasted: steps that were undone; last: address; at_branch: the last packet ended
# in a branch without its address; met: the goal that was met by inference, if `tentative`
TRACE = Record(
    "Trace",
    "wasted doubtful last at_branch adjacent bare tentative met_address met_taken met_irdepth met_depths"
    " events packets",
)
# What a function answers beside its status, and what else it changes. seam: instructions before the last interruption;
# again: how the instruction of the last 3.0 may have been met before; privilege, context: reported last; left: the last
# uninferable jump that was left by its reported target is a return
STATE = Record("State", "needed amount where at part seam again privilege context next_hole left")
# The configuration, the options in force, and the limit of instructions. compares: the encoder has a return stack
OPTIONS = Record(
    "Options",
    "implicit predicts constants caches full_address draft compares depths most_calls shift entry_mask cache_mask"
    " max_count limit address_bits subformat_bits cells cache_returns cache_syncs",
)
# The instruction a packet reports. taken: outcome, if it is a branch. inferable: it may be met without an uninferable
# jump; fallback: and if it must not be, that is better than nothing. irdepth: entries of the return stack there, -1 if
# not reported; depths: whether an encoder reports it where it matters. sync: of a synchronization packet. not_next:
# more than one instruction lies ahead. begin, found: node and place in it that would do.
GOAL = Record("Goal", "address node taken inferable fallback irdepth depths sync not_next begin found")
# A step. kind: what ends it; number: of instructions, which are in `code` from `start` on, the first n of them have the
# number step - number + n; pops, back: of a jump, the return address; loaded: of a sijump, where it leads if what comes
# before has two half-words, or one
NODE = Record("Node", "kind number start last_pc step pops back loaded loaded_short returns")
# Where a node leads: node (NOWHERE: it was not looked for), address (NOWHERE: after a jump), step
WAY = Record("Way", "node pc step")
EVENT = Record("Event", "kind index packet again")  # of OTHER, `again` is its place in a list


# What has a fixed length. walk, trace: the present ones, and what they were at `keep`. stacks: copies of the return
# stack, STACK_ROW each. calls, entries, cache: return stack, predictor and jump targets, and what they were at `keep`.
# holes: the addresses last found to have no instruction. trained: next state of a predictor entry by state and outcome.
# values: of the fields of a packet; absent: what they are without it
DECODER = Block(
    "Decoder", walk=WALK, kept_walk=WALK, trace=TRACE, kept_trace=TRACE, state=STATE, options=OPTIONS, goal=GOAL,
    values=CELLS_MOST, absent=CELLS_MOST, holes=HOLES_KNOWN, trained=8, walks=(WALK, WALKS), calls=DEPTH,
    entries=TABLE, cache=TABLE, stacks=STACKS * STACK_ROW, kept_calls=DEPTH, kept_entries=TABLE, kept_cache=TABLE,
)  # fmt: skip


class Columns(NamedTuple):
    """What a walk takes. decoder: DECODER, one row. ways: WAYS for each node. code: addresses of the instructions of
    all steps. steps, repeats: the path walked. tails: of each step, its last instruction and that before.

    A call passes each column of its own, with its length and more, so whatever does not grow is in `decoder`.
    """

    decoder: Any
    nodes: Any
    ways: Any
    places: Any
    events: Any
    repeats: Any
    steps: Any
    code: Any
    tails: Any


class Reading(NamedTuple):
    """What it takes to read packets. firsts: of each packet, the instructions before it. kinds, parts, widths: what
    they look like (`rvtrace.models.etrace.layout`).
    """

    decoder: Any
    firsts: Any
    kinds: Any
    parts: Any
    widths: Any


# Of the arguments that are not an integer, for the compiler
TYPES = {
    "m": (Columns, DECODER, NODE, WAY, PLACE, EVENT, REPEAT, "int32", "int64", "int64"),
    "r": (Reading, DECODER, "int64", KIND, PART, "int64"),
    "data": ("uint8",), "packets": ("int64",),
}  # fmt: skip
# What most packets call once or twice
INLINED = ("place_in", "walk", "land", "ended", "follow", "leave", "seek_on", "read", "flow")
copy_walk, copy_trace = WALK.copier(__name__), TRACE.copier(__name__)


# Packets, or parts of one, can be taken back


def keep(m: Columns) -> None:
    """Remember what packets change, for `restore`."""
    d = m.decoder[0]
    o = d.options
    copy_walk(d.kept_walk, d.walk)
    copy_trace(d.kept_trace, d.trace)
    copy_ring(d.walk, d.calls, d.kept_calls)
    if o.predicts:
        copy(d.entries, d.kept_entries, o.entry_mask + 1)
    if o.caches:
        copy(d.cache, d.kept_cache, o.cache_mask + 1)


def restore(m: Columns) -> None:
    """As it was at the last `keep`."""
    d = m.decoder[0]
    o = d.options
    copy_walk(d.walk, d.kept_walk)
    copy_trace(d.trace, d.kept_trace)
    copy_ring(d.walk, d.kept_calls, d.calls)
    if o.predicts:
        copy(d.kept_entries, d.entries, o.entry_mask + 1)
    if o.caches:
        copy(d.kept_cache, d.cache, o.cache_mask + 1)


def call(m: Columns, back: int) -> None:
    """A call that returns to `back`."""
    d = m.decoder[0]
    w = d.walk
    push(w, d.calls, d.calls, d.options.most_calls, back)  # not logged: `keep` copies
    w.ret_open = w.since = 0


def stay(m: Columns, at: int) -> None:
    """Remember as walk `at` all that a walk without branches changes."""
    d = m.decoder[0]
    copy_walk(d.walks[at], d.walk)
    save(d.walk, d.calls, d.stacks, at * STACK_ROW)


def back_to(m: Columns, at: int) -> None:
    """As if the walk since `stay` had not been."""
    d = m.decoder[0]
    d.trace.wasted += d.walk.steps - d.walks[at].steps
    copy_walk(d.walk, d.walks[at])
    load(d.walk, d.calls, d.stacks, at * STACK_ROW)


# Ways on


def node_at(m: Columns, pc: int) -> int:
    """The node at an address; NEED_NODE if it is not known yet."""
    d = m.decoder[0]
    s, places = d.state, m.places
    at = find(places, pc)
    if at >= 0:
        return places[at].node
    for index in range(HOLES_KNOWN):
        if d.holes[index] == pc:
            return HOLE
    s.needed = pc
    return NEED_NODE


def leads(m: Columns, way: int) -> int:
    """The node after this one, `way`: where AFTER or TARGET of that is; NEED_NODE if it is not known yet."""
    ways = m.ways
    found = ways[way].node
    if found < 0:
        found = node_at(m, ways[way].pc)
        if found >= 0:
            ways[way].node = found
    return found


def here(m: Columns) -> int:
    """The node at `next`; NEED_NODE if it is not known yet."""
    w = m.decoder[0].walk
    if w.node < 0:
        found = node_at(m, w.next)
        if found < 0:
            return found
        w.node = found
    return w.node


def is_branch(m: Columns, node: int) -> int:
    """Whether the first instruction of a node is a branch."""
    return 1 if m.nodes[node].kind == BRANCH and m.nodes[node].number == 1 else 0


def constant(m: Columns, jump: int) -> int:
    """Target of the jump just walked if the instruction before it, with nothing between, loads its register."""
    d = m.decoder[0]
    w, s, nodes, steps, tails = d.walk, d.state, m.nodes, m.steps, m.tails
    if w.count - s.seam < 2 or (nodes[jump].loaded < 0 and nodes[jump].loaded_short < 0):
        return NOWHERE
    before = tails[2 * steps[w.steps - 1] + 1]
    if before < 0:
        if w.steps < 2:
            return NOWHERE
        before = tails[2 * steps[w.steps - 2]]
    distance = nodes[jump].last_pc - before
    if distance == 2:
        return nodes[jump].loaded
    return nodes[jump].loaded_short if distance == 1 else NOWHERE


def infer(m: Columns) -> int:
    """Leave the call or jump that is pending if its target is known: `next` is; 0 if it is uninferable."""
    d = m.decoder[0]
    w, o, nodes = d.walk, d.options, m.nodes
    jump = w.pending
    if nodes[jump].kind == CALL:
        call(m, nodes[jump].back)
        w.next, w.node, w.pending = m.ways[WAYS * jump].pc, m.ways[WAYS * jump].node, NOWHERE
        return 1
    if nodes[jump].kind != INDIRECT:
        return TRAPS
    target = constant(m, jump) if o.constants else NOWHERE
    if nodes[jump].pops and w.deep:
        back = pop(w, d.calls)
        if target < 0 or target == back:
            w.returned = w.ret_open = w.since = 1
            target = back
    elif target < 0:
        return 0
    if nodes[jump].back >= 0:
        call(m, nodes[jump].back)
    w.next, w.node, w.pending = target, NOWHERE, NOWHERE
    return 1


def expected(m: Columns) -> int:
    """The address that would be next, with nothing changed; NOWHERE if it is not known."""
    w = m.decoder[0].walk
    if w.pending < 0:
        return w.next
    if m.nodes[w.pending].kind == TRAP:
        return NOWHERE
    stay(m, LOOKING)
    status = infer(m)
    target = w.next
    back_to(m, LOOKING)
    return target if status > 0 else NOWHERE


# Steps


def land(m: Columns, node: int, pc: int, step: int, number: int) -> int:
    """Walk the part of a step, so many instructions, that ends in the one at pc: no branch, and `node` begins there. It
    is not left yet.
    """
    w, steps, way = m.decoder[0].walk, m.steps, m.ways[WAYS * node + SECOND]
    size = w.steps
    if size >= len(steps):
        return FULL
    steps[size] = step
    w.steps = size + 1
    w.count += number
    w.pc, w.returned, w.pending = pc, 0, NOWHERE
    w.next, w.node = way.pc, way.node
    if w.next < 0:
        w.pending = node
    elif w.node < 0:
        found = leads(m, WAYS * node + SECOND)
        if found < 0:
            return found
        w.node = found
    return OK


def walk(m: Columns, node: int) -> int:
    """Walk a step that does not end in a branch; if it ends in a jump, that is pending then."""
    w, nodes, steps = m.decoder[0].walk, m.nodes, m.steps
    size = w.steps
    if size >= len(steps):
        return FULL
    steps[size] = nodes[node].step
    w.steps = size + 1
    w.count += nodes[node].number
    w.pc, w.returned = nodes[node].last_pc, 0
    if nodes[node].kind == PLAIN:
        w.next, w.node = m.ways[WAYS * node].pc, m.ways[WAYS * node].node
    else:
        w.next, w.node, w.pending = NOWHERE, NOWHERE, node
    return OK


def prediction(m: Columns, pc: int) -> int:
    """The outcome expected of the branch at pc, as 0 or 1."""
    d = m.decoder[0]
    o = d.options
    return d.entries[pc >> o.shift & o.entry_mask] >> 1


def train(m: Columns, pc: int, taken: int) -> None:
    """The predictor learns the outcome of a branch."""
    d = m.decoder[0]
    o = d.options
    if o.predicts:
        entry = pc >> o.shift & o.entry_mask
        d.entries[entry] = d.trained[2 * d.entries[entry] + taken]


def branch(m: Columns, node: int, taken: int) -> int:
    """Walk a step that ends in a branch."""
    w, nodes, steps = m.decoder[0].walk, m.nodes, m.steps
    size = w.steps
    if size >= len(steps):
        return FULL
    way = m.ways[WAYS * node + (TARGET if taken == 1 else AFTER)]
    steps[size] = way.step
    w.steps = size + 1
    w.count += nodes[node].number
    w.pc, w.next, w.node, w.pending = nodes[node].last_pc, way.pc, way.node, NOWHERE
    w.returned = w.ret_open = w.since = 0
    train(m, w.pc, taken)
    return OK


def arrive(m: Columns, node: int, pc: int, taken: int) -> int:
    """The instruction at pc, where `node` begins, retires. taken: of a branch."""
    s, nodes = m.decoder[0].state, m.nodes
    if nodes[node].kind == UNMAPPED:
        s.where = pc
        return NOT_ARRIVED
    if nodes[node].kind == BRANCH and nodes[node].number == 1:
        return branch(m, node, 1 if taken == 1 else 0)
    return land(m, node, pc, nodes[node].step - nodes[node].number + 1, 1)


# Walking branches


def to_branch(m: Columns, branches: int) -> int:
    """Walk to the step that ends in the next branch; its node."""
    d = m.decoder[0]
    w, s, nodes, steps = d.walk, d.state, m.nodes, m.steps
    node, pc, count, size, room = here(m), w.next, w.count, w.steps, len(steps)
    turn, gap, done = NEVER, PATIENCE, 0
    while done < WALK_LIMIT:
        if node < 0:
            return node
        kind = nodes[node].kind
        if kind == BRANCH:
            w.next, w.node, w.count, w.steps = pc, node, count, size
            return node
        if done == gap or node == turn:
            if node == turn and same(w, d.calls, d.stacks, TURN_BRANCH * STACK_ROW):
                break
            if done == gap:
                turn = node
                save(w, d.calls, d.stacks, TURN_BRANCH * STACK_ROW)
                gap += gap
        if kind == UNMAPPED:
            s.where, s.amount, w.count, w.steps = pc, branches, count, size
            return LEFT_UNMAPPED
        if size >= room:
            return FULL
        steps[size] = nodes[node].step
        size += 1
        count += nodes[node].number
        if kind == CALL:
            call(m, nodes[node].back)
        if kind == PLAIN or kind == CALL:
            pc = m.ways[WAYS * node].pc
            node = leads(m, WAYS * node)
        else:
            w.count, w.steps, w.pc, w.pending, s.amount = count, size, nodes[node].last_pc, node, branches
            if kind == TRAP:
                return UNINFERABLE
            status = infer(m)
            if status <= 0:
                return UNINFERABLE if status == 0 else status
            node, pc = here(m), w.next
        done += 1
    s.where, s.amount, w.count, w.steps = pc, branches, count, size
    return LEFT_ROUND


def next_branch(m: Columns, way: int, branches: int) -> int:
    """The node of the next branch, after the branch that was left by `way`; NOWHERE: from where the walk is."""
    w = m.decoder[0].walk
    if way >= 0:
        node = leads(m, way)
        if node < 0:
            return node
        w.next, w.node = m.ways[way].pc, node
    return to_branch(m, branches)


def begin(m: Columns, branches: int) -> int:
    """Branches follow: the call or jump that was last is left."""
    d = m.decoder[0]
    w, s = d.walk, d.state
    s.amount = branches
    if w.pending >= 0:
        status = infer(m)
        if status <= 0:
            return UNINFERABLE if status == 0 else status
    if w.next < 0:
        return LEFT_AT_START
    return here(m)


def ended(m: Columns, way: int, taken: int) -> int:
    """The last instruction walked is a branch, left by `way`."""
    w = m.decoder[0].walk
    node = leads(m, way)
    if node < 0:
        return node
    w.pc = m.nodes[way // WAYS].last_pc
    w.next, w.node, w.pending = m.ways[way].pc, node, NOWHERE
    w.returned = w.ret_open = w.since = 0
    return OK


def follow(m: Columns, bits: int, branches: int) -> int:
    """Walk that many branches by their bits (1: not taken), the oldest lowest, to the last of them."""
    d = m.decoder[0]
    if not branches:
        return OK
    w, o, nodes, ways, steps = d.walk, d.options, m.nodes, m.ways, m.steps
    entries, trained, node = d.entries, d.trained, w.node
    if node < 0:  # nothing is known of it yet
        node = begin(m, branches)
        if node < 0:
            return node
    count, size, way = w.count, w.steps, NOWHERE
    learns, shift, mask = o.predicts, o.shift, o.entry_mask
    if size + branches > len(steps):
        return FULL
    last = 1 - (bits >> branches - 1 & 1)
    for left in range(branches, 0, -1):
        if nodes[node].kind != BRANCH:  # of NOWHERE it is the last node, which is none
            w.count, w.steps = count, size
            node = next_branch(m, way, left)
            if node < 0:
                return node
            count, size = w.count, w.steps
            if size + left > len(steps):
                return FULL
        count += nodes[node].number
        if learns:
            entry = nodes[node].last_pc >> shift & mask
            entries[entry] = trained[1 + 2 * entries[entry] - (bits & 1)]
        way = WAYS * node if bits & 1 else WAYS * node + TARGET
        bits >>= 1
        steps[size] = ways[way].step
        size += 1
        node = ways[way].node
    w.count, w.steps = count, size
    return ended(m, way, last)


def repeat(m: Columns, count: int, turns: int) -> int:
    """What was walked since there were `count` instructions happened `turns` more."""
    return OK if repeat_in(m.decoder[0].walk, m.repeats, count, turns) else NEED_REPEATS


def predict(m: Columns, branches: int) -> int:
    """Walk that many branches as the predictor says, to the last of them."""
    d = m.decoder[0]
    if not branches:
        return OK
    w, o, nodes, ways, steps = d.walk, d.options, m.nodes, m.ways, m.steps
    entries, trained = d.entries, d.trained
    node = begin(m, branches)
    if node < 0:
        return node
    shift, mask, count, size = o.shift, o.entry_mask, w.count, w.steps
    changes, left, state, way = 0, branches, 0, NOWHERE
    turn, was, left_then, count_then = NEVER, 0, 0, 0
    patience = gap = PATIENCE
    while left:
        if node == turn and was == changes and same(w, d.calls, d.stacks, TURN_PREDICT * STACK_ROW):
            turns = left // (left_then - left)  # everything is as it was: it goes on like this
            w.count, w.steps = count, size
            status = repeat(m, count_then, turns)
            if status < 0:
                return status
            count, turn = w.count, NEVER
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
            save(w, d.calls, d.stacks, TURN_PREDICT * STACK_ROW)
            gap += gap
            patience = gap
            if count > o.limit:
                return LIMITED
        if nodes[node].kind != BRANCH:  # of NOWHERE it is the last node, which is none
            w.count, w.steps = count, size
            node = next_branch(m, way, left)
            if node < 0:
                return node
            count, size = w.count, w.steps
        if size >= len(steps):
            return FULL
        count += nodes[node].number
        entry = nodes[node].last_pc >> shift & mask
        state = entries[entry]
        way = WAYS * node + (state >> 1)
        steps[size] = ways[way].step
        size += 1
        new = trained[2 * state + (state >> 1)]
        if new != state:
            entries[entry] = new
            changes += 1
        node = ways[way].node
        left -= 1
    w.count, w.steps = count, size
    return ended(m, way, state >> 1)


def mispredict(m: Columns) -> int:
    """Walk to the next branch, which goes against its prediction."""
    node = begin(m, 1)
    if node >= 0:
        node = to_branch(m, 1)
    if node < 0:
        return node
    return branch(m, node, 1 - prediction(m, m.nodes[node].last_pc))


# Walking to an instruction


def outcome(m: Columns) -> int:
    """Of the branch that is reported."""
    g = m.decoder[0].goal
    if g.taken < 0:
        return NO_OUTCOME
    if g.taken > 1:
        expects = prediction(m, g.address)
        return 1 - expects if g.taken == MISPREDICTED else expects
    return g.taken


def place_in(m: Columns, node: int) -> int:
    """How many instructions of a step come before the one reported; -1 if that is not in it."""
    g, nodes, code = m.decoder[0].goal, m.nodes, m.code
    number, start, address = nodes[node].number, nodes[node].start, g.address
    if nodes[node].kind != PLAIN:  # the step from the one reported then ends where this one does
        found = number - nodes[g.node].number
        return found if 0 <= found < number and code[start + found] == address else -1
    for found in range(number):
        if code[start + found] == address:
            return found
    return -1


def fits(m: Columns, found: int, start: int) -> int:
    """Whether the goal, `found` instructions after `next`, is the one that is meant; `start` of them when it began."""
    d = m.decoder[0]
    w, g = d.walk, d.goal
    if g.sync:
        return 0 if g.not_next and w.count == start and not found else 1
    if g.irdepth >= 0:
        return 1 if w.deep == g.irdepth else 0
    if not g.depths or not w.since:
        return 1
    # "If the reported address is the instruction following a return": depth 0 is not reported
    return 1 if w.returned and not found and not w.deep else 0


def is_explicit(m: Columns) -> int:
    """Whether the return that is pending, for which the stack has an entry, went elsewhere, and the goal is where."""
    d = m.decoder[0]
    w, o, g = d.walk, d.options, d.goal
    if not o.compares or not w.deep or (o.constants and constant(m, w.pending) >= 0):
        return 0
    if g.sync:  # returns before it are reported, so this one is the last instruction
        return 1 if d.calls[w.base + w.deep - 1 & DEPTH - 1] != g.address else 0
    return 1 if g.irdepth == w.deep else 0


def stop(m: Columns, node: int, found: int) -> int:
    """The goal is the end of the walk, so many instructions into this step."""
    g, nodes = m.decoder[0].goal, m.nodes
    if is_branch(m, g.node):
        taken = outcome(m)
        return branch(m, node, taken) if taken >= 0 else taken
    return land(m, g.node, g.address, nodes[node].step - nodes[node].number + found + 1, found + 1)


def leave(m: Columns) -> int:
    """The jump that is pending led to the goal: JUMP; or it was inferred: INFERRED, and the walk goes on."""
    d = m.decoder[0]
    w, s, o, g, nodes = d.walk, d.state, d.options, d.goal, m.nodes
    jump, explicit, taken = w.pending, 0, UNREPORTED
    if nodes[jump].kind != INDIRECT or o.constants or nodes[jump].pops:
        if nodes[jump].pops:
            explicit = is_explicit(m)
        if not explicit:
            status = infer(m)
            if status:
                return status if status < 0 else INFERRED
    depth = w.deep
    if depth and nodes[jump].pops:
        w.deep -= 1
    if nodes[jump].back >= 0:
        call(m, nodes[jump].back)
    if g.irdepth >= 0 and not explicit and g.irdepth != depth and g.irdepth != w.deep:
        s.amount = depth
        return WRONG_DEPTH
    if is_branch(m, g.node):
        taken = outcome(m)
        if taken < 0:
            return taken
    s.left = nodes[jump].returns
    status = arrive(m, g.node, g.address, taken)
    return status if status < 0 else JUMP


def seek_on(m: Columns) -> int:
    """Walk to the goal; `begin` and `found` are of a place on the way that would do."""
    d = m.decoder[0]
    w, s, g, nodes = d.walk, d.state, d.goal, m.nodes
    patience = gap = SEEK_PATIENCE
    turn, start = NOWHERE, w.count
    while True:
        if w.pending >= 0:
            status = leave(m)
            if status != INFERRED:
                return status
        node = w.node
        if node < 0:
            if w.next < 0:
                return NO_START
            node = here(m)
            if node < 0:
                return node
        found = place_in(m, node)
        if found >= 0:
            if g.inferable and fits(m, found, start):
                status = stop(m, node, found)
                return status if status < 0 else INFERRED
            if g.begin < 0 and g.fallback:
                g.begin, g.found = node, found
                stay(m, FALLBACK)
        kind = nodes[node].kind
        if kind == BRANCH:
            s.where = nodes[node].last_pc
            return BRANCH_FIRST
        s.where = w.next
        if kind == UNMAPPED:
            return LEADS_NOWHERE
        if node == turn and same(w, d.calls, d.stacks, TURN_SEEK * STACK_ROW):
            return GOES_ROUND
        patience -= 1
        if patience == 0:
            turn = node
            save(w, d.calls, d.stacks, TURN_SEEK * STACK_ROW)
            gap += gap
            patience = gap
            if gap > WALK_LIMIT:
                s.where = w.pc
                return TOO_FAR
        status = walk(m, node)
        if status < 0:
            return status


def seek(m: Columns) -> int:
    """Walk to the goal without a branch before it; how it was reached."""
    d = m.decoder[0]
    w, t, g = d.walk, d.trace, d.goal
    t.doubtful, w.since, g.begin = 0, 0, NOWHERE
    status = seek_on(m)
    if status <= CONTRADICTIONS and g.begin >= 0:
        back_to(m, FALLBACK)
        status = stop(m, g.begin, g.found)
        if status < 0:
            return status
        t.doubtful = 1
        return INFERRED
    return status


def look_again(m: Columns, jumps: int) -> int:
    """How the hart could have come from the goal to it once more with nothing reported: LOOP, RETURN, JUMPED, or 0.

    jumps: the target of one uninferable jump would not have been reported. The walk is left where it ended.
    """
    w, nodes = m.decoder[0].walk, m.nodes
    returns, start = 0, w.count
    for _ in range(LOOK_AHEAD):
        if w.pending >= 0:
            if nodes[w.pending].pops:
                returns = 1
            status = infer(m)
            if status <= 0:
                return JUMPED if status == 0 and jumps else 0
        if w.next < 0:
            return 0
        node = here(m)
        if node < 0:
            return node
        found = place_in(m, node)
        if found >= 0 and fits(m, found, start):
            return RETURN if returns else LOOP
        if nodes[node].kind == BRANCH or nodes[node].kind == UNMAPPED:
            return 0
        status = walk(m, node)
        if status < 0:
            return status
    return 0


def again(m: Columns, jumps: int) -> int:
    """`look_again`, with nothing changed."""
    t = m.decoder[0].trace
    wasted = t.wasted
    stay(m, LOOKING)
    status = look_again(m, jumps)
    if status >= 0:
        back_to(m, LOOKING)
        t.wasted = wasted
    return status


# Packets


def store(m: Columns, address: int) -> None:
    """The target of an uninferable jump was reported: the cache keeps it, of a return as the configuration says."""
    d = m.decoder[0]
    o = d.options
    if not o.caches:
        return
    if not d.state.left or o.cache_returns == FILL:
        d.cache[address >> o.shift & o.cache_mask] = address
    elif o.cache_returns == CLEAR:
        d.cache[address >> o.shift & o.cache_mask] = NOWHERE if o.implicit else address


def event(m: Columns, kind: int, again: int) -> int:
    """Something happened at the last instruction."""
    d = m.decoder[0]
    w, t, events = d.walk, d.trace, m.events
    at = t.events
    if at >= len(events):
        return FULL
    made = events[at]
    made.kind, made.index, made.packet, made.again = kind, w.count - 1, t.packets - 1, again
    t.events = at + 1
    return OK


def go_on(m: Columns) -> int:
    """The address met by inference was the target of an uninferable jump: walk on to it."""
    d = m.decoder[0]
    t, o, g = d.trace, d.options, d.goal
    t.tentative = 0
    g.address, g.taken, g.irdepth, g.depths = t.met_address, t.met_taken, t.met_irdepth, t.met_depths
    g.inferable = g.fallback = g.sync = g.not_next = 0
    g.node = node_at(m, g.address)
    if g.node < 0:
        return g.node
    stay(m, GOING_ON)
    status = seek(m)
    if status <= CONTRADICTIONS:  # an encoder that reports more than it must
        back_to(m, GOING_ON)
        return OK
    if status < 0:
        return status
    store(m, g.address)
    return event(m, BEFORE, 0) if o.draft else OK


def only_branches(m: Columns) -> int:
    """A packet that reports no address."""
    d = m.decoder[0]
    t, s, o, v = d.trace, d.state, d.options, d.values
    if v[BRANCH_COUNT] < 0:
        s.part = ONLY_BRANCHES
        status = follow(m, v[BRANCH_MAP], MAX_BRANCHES)
    else:
        if v[BRANCH_FMT] == 1 and not o.draft:
            return BAD_FORMAT
        s.part = BY_PREDICTION
        status = predict(m, v[BRANCH_COUNT] + MAX_BRANCHES)
        if status < 0:
            return status
        s.part = TO_ADDRESS
        if not v[NO_MISPRED]:
            status = mispredict(m)
    t.at_branch, t.adjacent = 1, -1
    return status


def reached(m: Columns, how: int, at_branch: int) -> int:
    """The instruction reported is the last one now."""
    d = m.decoder[0]
    w, t, o, g, v = d.walk, d.trace, d.options, d.goal, d.values
    if how == JUMP:
        store(m, g.address)
        t.adjacent = 1 if v[UPDISCON] else -1 if o.draft else 0
    else:
        t.bare = 1 if o.draft and v[FORMAT] == 2 and not at_branch and not w.ret_open else 0
        full = v[BRANCH_COUNT] >= 0 and v[BRANCH_COUNT] + MAX_BRANCHES == o.max_count
        t.adjacent = -1 if o.draft or v[NOTIFY] or full else 1
        if t.doubtful and how == INFERRED:
            status = event(m, BY_RETURN, RETURN)
            if status < 0:
                return status
        if not v[NOTIFY] and not is_branch(m, g.node):
            t.tentative = 1
            t.met_address, t.met_taken, t.met_irdepth, t.met_depths = g.address, g.taken, g.irdepth, g.depths
    if v[NOTIFY]:
        return event(m, NOTIFIED, 0)
    return OK


def flow(m: Columns) -> int:
    """A packet of formats 0 to 2, whose fields are in `values`."""
    d = m.decoder[0]
    w, t, s, o, g, v = d.walk, d.trace, d.state, d.options, d.goal, d.values
    s.part = TO_ADDRESS
    if t.tentative:
        status = go_on(m)
        if status < 0:
            return status
    at_branch = t.at_branch
    t.at_branch = 0
    if v[REPORTED] == BY_ADDRESS:
        t.last = (v[ADDRESS] if o.full_address else t.last + v[ADDRESS]) & (MOST >> 63 - o.address_bits)
        address = t.last << o.shift
    elif v[REPORTED] == BY_INDEX:
        address = d.cache[v[INDEX]]
        if address < 0:
            s.amount = v[INDEX]
            return EMPTY_ENTRY
        t.last = address >> o.shift
    else:
        return only_branches(m)
    node = node_at(m, address)
    if node < 0:
        return node
    branches, branching, taken = v[BRANCHES], is_branch(m, node), UNREPORTED
    g.address, g.node = address, node
    if v[BRANCH_COUNT] >= 0:
        fails = 1 if v[BRANCH_FMT] == 3 else 0
        if fails and not branching:
            return NOT_A_BRANCH
        s.part = BY_PREDICTION
        status = predict(m, v[BRANCH_COUNT] + MAX_BRANCHES - (branching if not fails else 0))
        if status < 0:
            return status
        s.part = TO_ADDRESS
        if fails:
            taken = MISPREDICTED
        elif branching:
            taken = AS_PREDICTED
    elif branches:
        status = follow(m, v[BRANCH_MAP], branches - branching)
        if status < 0:
            return status
        if branching:
            taken = 1 - (v[BRANCH_MAP] >> branches - 1 & 1)
    if branching and at_branch and taken < 0 and w.pc == address:
        return reached(m, HERE, at_branch)
    g.taken, g.irdepth, g.depths = taken, v[IRDEPTH], o.depths
    g.inferable = g.fallback = 0 if v[REPORTED] == BY_INDEX or v[UPDISCON] else 1
    g.sync = g.not_next = 0
    status = seek(m)
    return status if status < 0 else reached(m, status, at_branch)


def settle(m: Columns) -> int:
    """The address met by inference, if there is one, was meant that time."""
    d = m.decoder[0]
    t, o, g = d.trace, d.options, d.goal
    if not t.tentative:
        return OK
    t.tentative = 0
    g.address, g.taken, g.irdepth, g.depths = t.met_address, t.met_taken, t.met_irdepth, t.met_depths
    g.sync = g.not_next = 0
    g.node = node_at(m, g.address)
    if g.node < 0:
        return g.node
    how = again(m, o.draft)
    return event(m, LATER, how) if how > 0 else how


def seek_sync(m: Columns, address: int, taken: int, unchanged: int, fallback: int, not_next: int) -> int:
    """Walk to the instruction of a 3.0; how it was reached."""
    g = m.decoder[0].goal
    g.node = node_at(m, address)
    if g.node < 0:
        return g.node
    g.address, g.taken, g.irdepth, g.depths, g.sync = address, taken, -1, 0, 1
    g.inferable, g.fallback, g.not_next = unchanged, fallback, not_next
    return seek(m)


def walk_to(m: Columns, address: int, taken: int, unchanged: int) -> int:
    """Up to the instruction of a 3.0, which trace goes through. unchanged: the privilege is that of before."""
    d = m.decoder[0]
    w, t, s, o, g, nodes = d.walk, d.trace, d.state, d.options, d.goal, m.nodes
    s.again, not_next = 0, 1 if t.adjacent == 0 else 0
    if t.tentative:
        jump, ahead, returns, to_jump = w.pending, expected(m), 0, 0
        if jump >= 0:
            returns = nodes[jump].pops
            to_jump = 1 if nodes[jump].kind == INDIRECT and unchanged else 0
        if (t.bare and not to_jump) or (ahead >= 0 and ahead != address and not returns):
            # it would be followed at once: so it was reported for the sake of a jump
            stay(m, RESUMING)
            events = t.events
            status = go_on(m)
            if status >= 0:
                status = seek_sync(m, address, taken, unchanged, 0, 0 if o.draft else 1)
            if status > CONTRADICTIONS:
                return status
            back_to(m, RESUMING)
            t.events, t.tentative = events, 1
        status = settle(m)
        if status < 0:
            return status
    adjacent, start = t.adjacent, w.count
    how = seek_sync(m, address, taken, unchanged, 1, not_next)
    if how == INFERRED and (adjacent != 1 or w.count != start + 1):
        g.not_next = 0
        found = again(m, 1)
        if found < 0:
            return found
        s.again = JUMPED if t.doubtful and not found else found
    return how


def synchronize(m: Columns, taken: int, jumped: int) -> None:
    """What every synchronization packet does. taken: outcome of the instruction it reports, if that is a branch;
    jumped: that is the target of an uninferable jump.
    """
    d = m.decoder[0]
    w, t, o = d.walk, d.trace, d.options
    w.deep = w.returned = w.ret_open = w.since = t.tentative = t.at_branch = 0
    t.adjacent = -1
    for entry in range(o.entry_mask + 1):
        d.entries[entry] = WEAKLY_NOT_TAKEN
    for entry in range(o.cache_mask + 1):
        d.cache[entry] = NOWHERE
    if jumped and o.cache_syncs:
        store(m, w.pc)
    if taken >= 0:
        train(m, w.pc, taken)


def start(m: Columns) -> int:
    """A 3.0 with the privilege and context of before."""
    d = m.decoder[0]
    w, t, s, o, v = d.walk, d.trace, d.state, d.options, d.values
    t.last = v[ADDRESS]
    taken = 1 - v[BRANCH_BIT]
    how = walk_to(m, t.last << o.shift, taken, 1)
    if how < 0:
        return how
    node = node_at(m, w.pc)
    if node < 0:
        return node
    synchronize(m, taken if is_branch(m, node) else UNREPORTED, 1 if how == JUMP else 0)
    status = event(m, SYNCED, 0)
    return event(m, HOW_OFTEN, s.again) if status >= 0 and s.again else status


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


def kind_of(r: Reading, first: int) -> int:
    """The number in `kinds` of a packet with this first byte."""
    o, form = r.decoder[0].options, first & 3
    if form == 1 or form == 2:
        return FORMATS * form
    if form == 3:
        return FORMATS * form + (first >> 2 & 3)
    sub = first >> 2 & (1 << o.subformat_bits) - 1 if o.subformat_bits else 0 if o.predicts else 1
    if (sub == 0 and o.predicts) or (sub == 1 and o.caches):
        return sub
    return NO_KIND


def usual(r: Reading, number: int) -> int:
    """Whether `run` takes a packet: formats 0 to 2, and a 3.0 that changes nothing."""
    s, v = r.decoder[0].state, r.decoder[0].values
    if number < FORMATS * 3:
        return OK
    if number > FORMATS * 3 or v[TIME] != ABSENT or v[PRIVILEGE] != s.privilege:
        return UNUSUAL
    return OK if v[CONTEXT] == ABSENT or v[CONTEXT] == s.context else UNUSUAL


def read(r: Reading, data: Sequence[int], start: int, size: int) -> int:
    """Take the fields of a payload into `values`, as the table has them; UNUSUAL if it is not for `run`, or damaged."""
    if size < 1 or size > MAX_PAYLOAD:
        return UNUSUAL
    number = kind_of(r, 0 + data[start])
    if number == NO_KIND:
        return UNUSUAL
    d, kind, parts = r.decoder[0], r.kinds[number], r.parts
    if not kind.count:
        return UNUSUAL
    v, absent, signed = d.values, d.absent, 0 if d.options.full_address else 1
    for index in range(d.options.cells):
        v[index] = absent[index]
    value, short = 0, 0  # bits of the payload from SHORT_BITS on are not in `value`
    if size <= SHORT:  # all of it, with its last bit before it without end
        short, value = SHORT_BITS, 0 + data[start]
        for index in range(1, size):
            value |= data[start + index] << 8 * index
        if value >> 8 * size - 1:
            value -= 1 << 8 * size
    at, end, reported = FORMAT_BITS, 8 * size, 0
    for index in range(kind.first, kind.first + kind.count):
        part = parts[index]
        cell, width, coding = part.cell, part.width, part.coding
        if part.by >= 0 and not part.mask >> max(v[part.by], 0) & 1:
            continue
        if part.widths >= 0:
            width = r.widths[part.widths + v[part.cell_of_width]]
            if not width:
                continue
        last = at + width >= end
        if at < short:
            found, before = value >> at, value >> at - 1 & 1
            if not (signed and last and coding == DIFFERENCE):  # whose sign is the last bit sent
                found &= MOST >> 63 - width
        else:
            found, before = bits_at(data, start, size, at, width), 0
            if coding == FLAG:
                before = bits_at(data, start, size, at - 1, 1)
        if coding == FLAG:
            found ^= before
        elif coding == DIFFERENCE and signed and found >> width - 1 == 1:
            found = found - (1 << width - 1) - (1 << width - 1)  # in two parts: it may have 63 bits
        v[cell] = found
        at += width
        if cell == ADDRESS:
            reported = BY_ADDRESS
        elif cell == INDEX:
            reported = BY_INDEX
        if part.rest and last and not v[IRREPORT]:
            break  # nothing after it is reported
    v[FORMAT], v[REPORTED] = number // FORMATS, reported
    if not v[IRREPORT]:
        v[IRDEPTH] = ABSENT
    if size > at + 7 >> 3:
        return UNUSUAL
    if end > at:
        rest = bits_at(data, start, size, at - 1, end - at + 1)
        if rest and rest != (1 << end - at + 1) - 1:
            return UNUSUAL
    return usual(r, number)


def take(m: Columns, r: Reading, data: Sequence[int], packets: Any, at: int, end: int) -> int:
    """Take the packets from `at` to `end` as long as they are usual and legal; s.at is the first that is not."""
    d = m.decoder[0]
    w, t, s, o, v, firsts = d.walk, d.trace, d.state, d.options, d.values, r.firsts
    room = len(firsts)
    for index in range(at, end):
        s.at = index
        begins, size = packets[PACKET_ROW * index], packets[PACKET_ROW * index + 1]
        if read(r, data, begins, size) < 0:
            return UNTAKEN
        number = t.packets
        if number >= room:
            return FULL
        firsts[number] = w.count
        t.packets = number + 1
        status = flow(m) if v[FORMAT] < 3 else start(m)
        if status < 0:
            return status
        if w.count + t.wasted * WASTE > o.limit:
            return UNUSUAL
    s.at = end
    return OK


def run(m: Columns, r: Reading, data: Sequence[int], packets: Any, at: int, end: int) -> int:
    """Take packets, rows of PACKET_ROW, as long as they are usual and legal; s.at is the first that is not.

    UNUSUAL, NEED_NODE, NEED_REPEATS or FULL: the state is as before that one. The flow must be known (State.TRACING).
    """
    s = m.decoder[0].state
    while at < end:
        stop_at = min(end, at + WINDOW)
        keep(m)
        status = take(m, r, data, packets, at, stop_at)
        if status == UNTAKEN:
            return UNUSUAL
        if status < 0:
            bad = s.at
            restore(m)
            take(m, r, data, packets, at, bad)  # once more, without it
            s.at = bad
            return status if status >= FULL else UNUSUAL
        at = stop_at
    s.at = at
    return OK
