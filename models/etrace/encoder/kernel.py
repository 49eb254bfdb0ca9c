# SPDX-License-Identifier: Apache-2.0
"""The encoder model's inner loops: items in, packets as rows of integers, and their payloads.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on records and columns of integers alone, lists, buffers or arrays. A function comes after those that it calls.
What it does is docs/reference/etrace-profile.md, whose words it uses.

An item is a block's first instruction, its last one, or its trap; `rvtrace.models.etrace.encoder.input` has keys, slots
and flags. Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. All
functions take the same columns:

    state, setup: one record each, what changes and the configuration
    privileges, sent: by privilege its code; by options the field ioptions
    stack   the return stack
    rows    the packets sent, rows of PACKET_ROW                data    their payloads
    table   the predictor, one entry for each branch            cache   the jump target cache, rows of CACHE_ROW
    layouts the fields of packets, rows of LAYOUT_ROW           steps   what there is to do, rows of STEP_ROW
    keys, whats, entries: of items that matter, key, flags, predictor entry
    flags, present: of each slot
    row_of, next_row, places: of each qualified block, its row of Beats, that of the item after it, its place in Beats
    meter, base: of each qualified block, what resynchronization counts, if it is not packets
    iaddrs, iretires, larges, itypes, causes, tvals, privs, contexts: of each place in Beats
    drops, enables, options, times: of each row of Beats
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rvtrace.models.common.records import Record
from rvtrace.models.common.walking import pop, push

# What changes. row, item_row: of Beats, the present one and that of the item; options: in force; count: packets since a
# sync. forced, forced_flags: the next item that matters, and why. map: of the branches not sent yet; right: predicted
# branches. deep, base, touched: of the return stack. turn: what the tables hold counts from here on. used: entries of
# `rows`; packed, put: how far payloads are made
STATE = Record(
    "State",
    "row item_row options count last_sent forced forced_flags cause_of interrupted tval_of level_of reported branches"
    " branch_map right ret_open popped_depth popped_top due deep base touched predicting turn counted counted_own"
    " resumed ended losing used next_step next_item running packed put returns",
)
# The configuration
SETUP = Record(
    "Setup",
    "drafted counter depth lsb address_mask address_half half_mask byte_mask cause_mask time_mask context_mask"
    " cache_mask most_packets sync_mode sync_interval max_pbc",
)


class Columns(NamedTuple):
    """What all functions take, as above."""

    state: Any
    rows: Any
    data: Any
    table: Any
    cache: Any
    layouts: Any
    setup: Any
    privileges: Any
    sent: Any
    stack: Any
    steps: Any
    keys: Any
    whats: Any
    entries: Any
    flags: Any
    present: Any
    row_of: Any
    iaddrs: Any
    iretires: Any
    larges: Any
    itypes: Any
    causes: Any
    tvals: Any
    privs: Any
    contexts: Any
    drops: Any
    enables: Any
    options: Any
    times: Any
    next_row: Any
    places: Any
    meter: Any
    base: Any


# Of the columns, for the compiler. `data` are bytes: there, uint8 is what is only read.
TYPES = {
    "m": (
        Columns, STATE, "int64", "int8", "int64", "int64", "int64", SETUP, "int64", "int64", "int64", "int64", "int64",
        "uint32", "int64", "uint32", "uint8", "int64", "int64", "uint16", "uint8", "uint8", "uint8", "int64", "uint8",
        "uint32", "uint8", "uint8", "uint8", "int64", "int64", "int64", "int64", "int64",
    ),
    "column": ("int64",),
}  # fmt: skip

# A packet: its layout, clause, row of Beats, row whose time counts, options in force, values; the offset after it
CLAUSE, BEAT, ITEM, OPTIONS_OF, VALUE = 1, 2, 3, 4, 5
BEHIND = 17
PACKET_ROW = 18
MARGIN = 64 * PACKET_ROW  # more than a step can make before it looks for room
LONGEST = 64  # bytes; more than a payload can have
OK, FULL = 0, -1  # what `run` and `pack` answer; full: `rows` or `data` must be longer
NEVER = -1  # a row that does not come
FAR = 1 << 62  # an item that does not come

# Values, by layout: of packets that report an address or branches, of syncs, of support packets
(
    ADDRESS, NOTIFIES, UPDISCON, IRREPORT, IRDEPTH, NUMBER, BRANCH_MAP, BRANCH_COUNT, BRANCH_FMT, NO_MISPRED, INDEX,
    IRETS,
) = range(12)  # fmt: skip
BRANCH_BIT, PRIVILEGE, TIME, CONTEXT_OF, ECAUSE, INTERRUPT, THADDR, TVAL = range(1, 9)
IENABLE, QUAL_STATUS, IOPTIONS, ZERO = range(4)

# Layouts. Of a trap: 1 for an interrupt, 2 for thaddr, 4 with implicit_exception
L_ADDRESS, L_START, L_CONTEXT, L_SUPPORT, L_TRAP, L_COUNT, L_TARGET, L_MAP, L_DRAFT_COUNT = (
    0, 1, 2, 3, 4, 12, 16, 48, 80
)  # fmt: skip
NUMBER_OF_LAYOUTS = 81
LAYOUT_ROW = 40  # number of fields, then of each: value, bits, kind
FIELD_ROW = 3
PLAIN, FLAG, FILLED, CHOICE, FIXED = range(5)  # kinds of fields; choice: ioptions; fixed: `value` is the value itself

STEP_ROW = 7  # is a segment: first block, block after it, first row, row of its end, first item, item after it
CHANGE, SEGMENT = range(2)  # of a change: row, enable, whether it was enabled
CACHE_ROW = 2  # address, when it was entered

STACK_SIZE = 256  # entries of `stack`
# Items: slots, and flags as `rvtrace.models.etrace.encoder.input` makes them
HEAD, TAIL, TRAP_SLOT = range(3)
SLOTS = 3
# A branch with nothing else to it has BRANCH, or BRANCH and NOT_TAKEN, and so less than QUIET.
NOT_TAKEN, BRANCH, QUIET = 1, 2, 4
SPECIAL = 1 << 2  # a resynchronization may follow it, as it may follow a branch
UNINFERABLE, SEQUENTIAL, RETURN, CALL = 1 << 3, 1 << 4, 1 << 5, 1 << 6  # sequential: inferred from the one before
NOTIFY, TRAP = 1 << 7, 1 << 8
# after a jump: uninferable and not sequential
FIRST, AFTER_TRAP, AFTER_JUMP, AFTER_RETURN, PPCCD = 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13
CONTEXT = 1 << 14  # it changed, and may be reported imprecisely
# ppccd by ctype 3, by privilege
LAST, NEXT_TRAP, NEXT_PPCCD, NEXT_ASYNC, NEXT_PRIVILEGE = 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19
RESYNC = 1 << 20  # found while encoding
BEFORE = FIRST | AFTER_TRAP | AFTER_JUMP | AFTER_RETURN | PPCCD | CONTEXT

IMPLICIT_RETURN, IMPLICIT_EXCEPTION, FULL_ADDRESS, JUMP_TARGET_CACHE, BRANCH_PREDICTION, SIJUMP = 1, 2, 4, 8, 16, 32
PACKETS, CYCLES, HALF_WORDS = 1, 2, 3  # inst_sync_mode
NO_CHANGE, ENDED_REP, TRACE_LOST, ENDED_NTR = range(4)  # qual_status
INTERRUPT_ITYPE = 2
MAX_BRANCHES = 31
WEAK = 1  # a predictor entry after a sync: not taken, may change at once

# Clauses, in the order of `rvtrace.models.etrace.encoder.clauses.CLAUSES`
(
    C_FIRST, C_PPCCD, C_RESYNC, C_TRAP, C_TRAP_AGAIN, C_REPORTED, C_UPDISCON, C_NOTIFY, C_BEFORE_TRAP, C_LAST,
    C_BEFORE_SYNC, C_FULL_MAP, C_MISPREDICTED, C_COUNT_FULL, C_CONTEXT, C_ENABLE, C_DISABLE, C_ENDED, C_RECONFIGURED,
    C_LOST, C_MISRETURN, C_ANCHOR,
) = range(22)  # fmt: skip


def trained(state: int, outcome: int) -> int:
    """A predictor entry after an outcome: its upper bit predicts, the lower one is the last outcome."""
    if state == 0:
        return outcome
    if state == 3:
        return 2 + outcome
    return 3 if outcome else 0


def lower(column: Any, first: int, last: int, value: int) -> int:
    """The first of some entries, in rising order, that is not below a value."""
    while first < last:
        middle = (first + last) >> 1
        if column[middle] < value:
            first = middle + 1
        else:
            last = middle
    return first


# Payloads


def pack_one(m: Columns, row: int, at: int) -> int:
    """The payload of one packet from offset `at` on; the offset after it.

    Fields LSB first; a flag is the XOR with the bit before it; then the fewest bytes that sign-extend to all of it.
    """
    rows, data, layouts = m.rows, m.data, m.layouts
    field, first = rows[row] * LAYOUT_ROW, at
    byte = fill = before = 0
    for _ in range(layouts[field]):
        value, left, kind = layouts[field + 1], layouts[field + 2], layouts[field + 3]
        field += FIELD_ROW
        if kind != FIXED:
            value = rows[row + VALUE + value]
            if kind == FLAG:
                value ^= before
            elif kind == FILLED:
                if not rows[row + VALUE + IRREPORT]:
                    value = -before
            elif kind == CHOICE:
                value = m.sent[value]
        while left:
            byte |= value << fill
            room = 8 - fill
            if room > left:
                fill += left
                byte &= (1 << fill) - 1
                before = byte >> fill - 1
                left = 0
            else:
                byte &= 0xFF
                data[at] = byte
                before = byte >> 7
                at += 1
                byte = fill = 0
                value >>= room
                left -= room
    sign = 0xFF if before else 0
    if fill:
        data[at] = (byte | sign << fill) & 0xFF
        at += 1
    while at - first > 1 and data[at - 1] & 0xFF == sign and data[at - 2] & 0x80 == sign & 0x80:
        at -= 1
    return at


def pack(m: Columns) -> int:
    """The payloads of all packets; OK, or FULL where `data` must be longer to go on."""
    s, rows = m.state[0], m.rows
    most = len(m.data) - LONGEST
    while s.packed < s.used:
        if s.put > most:
            return FULL
        s.put = pack_one(m, s.packed, s.put)
        rows[s.packed + BEHIND] = s.put
        s.packed += PACKET_ROW
    return OK


# Packets


def put(m: Columns, layout: int, clause: int) -> None:
    """A packet whose values are there already, after all others. In a row without room for it this one is lost, and
    what comes after it.
    """
    s, rows, drops = m.state[0], m.rows, m.drops
    if s.losing:
        return
    if len(drops) and drops[s.row]:
        s.losing = 1
        return
    at = s.used
    rows[at], rows[at + CLAUSE], rows[at + BEAT], rows[at + ITEM] = layout, clause, s.row, s.item_row
    rows[at + OPTIONS_OF] = s.options
    s.used = at + PACKET_ROW
    s.count += 1


def support(m: Columns, ienable: int, qual_status: int, clause: int) -> None:
    """A support packet: resynchronization counts all others."""
    s, rows, at = m.state[0], m.rows, m.state[0].used + VALUE
    s.item_row = s.row
    count = s.count
    rows[at + IENABLE], rows[at + QUAL_STATUS], rows[at + IOPTIONS], rows[at + ZERO] = (
        ienable, qual_status, s.options, 0
    )  # fmt: skip
    put(m, L_SUPPORT, clause)
    s.count = count


def clear(m: Columns) -> None:
    """What each packet with branches or an address resets. right: branches since, NEVER if not all were predicted."""
    s = m.state[0]
    s.branches = s.branch_map = s.returns = 0
    s.right = 0 if s.predicting else NEVER


def forget(m: Columns) -> None:
    """What a sync resets. What predictor and cache had before does not count: it was entered in another turn."""
    s = m.state[0]
    s.predicting = 1 if s.options & BRANCH_PREDICTION else 0
    s.turn += 4
    s.deep = s.popped_depth = s.ret_open = s.count = 0
    s.due = FAR
    clear(m)


def state_of(m: Columns, entry: int) -> int:
    """What the predictor has for a branch."""
    state = m.table[entry] - m.state[0].turn
    return WEAK if state < 0 else state


def owner(m: Columns, place: int) -> None:
    """Privilege, time and context of an item, in the next packet."""
    s, c, rows, at = m.state[0], m.setup[0], m.rows, m.state[0].used + VALUE
    rows[at + PRIVILEGE] = m.privileges[m.privs[place]]
    rows[at + TIME] = m.times[s.item_row] & c.time_mask
    rows[at + CONTEXT_OF] = m.contexts[place] & c.context_mask


def send_sync(
    m: Columns, layout: int, clause: int, key: int, place: int, branch: int, address: int, level: int
) -> None:  # fmt: skip
    """Packet 3.0 or 3.1, whose trap is there already. level: the privilege that it reports."""
    s, c, rows, at = m.state[0], m.setup[0], m.rows, m.state[0].used + VALUE
    rows[at + ADDRESS], rows[at + BRANCH_BIT] = address, branch
    owner(m, place)
    rows[at + PRIVILEGE] = m.privileges[level]
    put(m, layout, clause)
    forget(m)
    if c.sync_mode > PACKETS:
        meter, due = m.meter, m.base[key // SLOTS] + c.sync_interval
        s.due = SLOTS * lower(meter, 0, len(meter), due)


def send_trap(
    m: Columns, clause: int, key: int, place: int, branch: int, thaddr: int, address: int, ecause: int, interrupt: int,
    tval: int, level: int,
) -> None:  # fmt: skip
    """Packet 3.1."""
    s, rows, at = m.state[0], m.rows, m.state[0].used + VALUE
    rows[at + ECAUSE], rows[at + INTERRUPT], rows[at + THADDR], rows[at + TVAL] = ecause, interrupt, thaddr, tval
    layout = L_TRAP + interrupt + 2 * thaddr + (4 if s.options & IMPLICIT_EXCEPTION else 0)
    send_sync(m, layout, clause, key, place, branch, address, level)


def values(
    m: Columns, address: int, notify: int, updiscon: int, depth: int, number: int, branch_map: int, fmt: int,
    no_mispred: int, index: int,
) -> None:  # fmt: skip
    """What a packet with an address or branches may report, in the next packet. depth: irdepth, NEVER if it says
    nothing.
    """
    s, rows, at = m.state[0], m.rows, m.state[0].used + VALUE
    rows[at] = address
    rows[at + NOTIFIES] = notify
    rows[at + UPDISCON] = updiscon
    rows[at + IRREPORT] = 1 if depth >= 0 else 0
    rows[at + IRDEPTH] = depth
    rows[at + NUMBER] = number
    rows[at + BRANCH_MAP] = branch_map
    rows[at + BRANCH_COUNT] = s.right - MAX_BRANCHES
    rows[at + BRANCH_FMT] = fmt
    rows[at + NO_MISPRED] = no_mispred
    rows[at + INDEX] = index
    rows[at + IRETS] = s.returns if s.ret_open else 0


def send_count(m: Columns, no_mispred: int, clause: int) -> None:
    """Predicted branches without an address."""
    c = m.setup[0]
    if c.drafted:
        values(m, 0, 0, 0, NEVER, 0, 0, 1, no_mispred, 0)
        put(m, L_DRAFT_COUNT, clause)
    else:
        values(m, 0, 0, 0, NEVER, 0, 0, 0, 0, 0)
        put(m, L_COUNT, clause)


def shorter(m: Columns, one: int, other: int) -> int:
    """Whether the next packet has fewer bytes in the first of two layouts."""
    rows, at = m.rows, m.state[0].used
    put_at = m.state[0].put
    rows[at] = one
    first = pack_one(m, at, put_at)
    rows[at] = other
    return 1 if first < pack_one(m, at, put_at) else 0


def tell(
    m: Columns, address: int, clause: int, failed: int, notify: int, updiscon: int, depth: int, caches: int
) -> None:
    """**address** of the profile. depth: irdepth, NEVER if it says nothing."""
    s, c, cache = m.state[0], m.setup[0], m.cache
    shifted = address >> c.lsb
    difference = shifted
    if not s.options & FULL_ADDRESS:
        difference = shifted - s.last_sent & c.address_mask
        if difference >= c.address_half:
            difference = difference - c.address_half - c.address_half
    s.last_sent = shifted
    if c.drafted or not s.options & IMPLICIT_RETURN:
        depth = NEVER
    number, branch_map, index = s.branches, s.branch_map, shifted & c.cache_mask
    cached = False
    if caches and s.options & JUMP_TARGET_CACHE:
        at = index * CACHE_ROW
        cached = cache[at] == shifted and cache[at + 1] == s.turn and not updiscon
        cache[at], cache[at + 1] = shifted, s.turn
    if c.drafted and s.counted >= 0:
        right, own = s.right, s.counted_own
        s.right = s.counted
        values(m, 0, 0, 0, NEVER, 0, 0, 1, 1, 0)
        put(m, L_DRAFT_COUNT, clause)
        s.right = right
        if own >= 0:
            number, branch_map = 1, own
        values(m, difference, notify, updiscon, depth, number, branch_map, 0, 0, 0)
        put(m, L_MAP + number if own >= 0 else L_ADDRESS, clause)
    elif s.right >= MAX_BRANCHES and not c.drafted:
        fmt = 3 if failed else 2
        values(m, difference, notify, updiscon, depth, 0, 0, fmt, 0, 0)
        put(m, L_COUNT + fmt, clause)
    else:
        layout = L_MAP + number if number else L_ADDRESS
        values(m, difference, notify, updiscon, depth, number, branch_map, 0, 0, index)
        if cached and shorter(m, L_TARGET + number, layout):
            layout = L_TARGET + number
        put(m, layout, clause)
    clear(m)


# Items


def next_key(m: Columns, key: int) -> int:
    """The item after this one, whose trace goes on."""
    present = m.present
    key += 1
    while not present[key]:
        key += 1
    return key


def row_after(m: Columns, key: int) -> int:
    """The row in which the item next to this one is known."""
    block, slot = key // SLOTS, key % SLOTS
    within = slot == HEAD or (slot == TAIL and m.present[SLOTS * block + TRAP_SLOT])
    return m.row_of[block] if within else m.next_row[block]


def address_of(m: Columns, key: int, place: int) -> int:
    """The address of an item."""
    if key % SLOTS != TAIL:
        return m.iaddrs[place]
    return m.iaddrs[place] + m.iretires[place] - (1 << m.larges[place]) & m.setup[0].half_mask


def entry_of(m: Columns, address: int) -> int:
    """The predictor's entry of a branch."""
    return address >> m.setup[0].lsb & len(m.table) - 1


def implicit(m: Columns, address: int, flags: int, place: int) -> int:
    """Whether the return before went where a decoder expects it; an interrupt does not report where it went."""
    s, c = m.state[0], m.setup[0]
    if s.popped_depth == 0:
        return 0
    if c.counter or (flags & TRAP and m.itypes[place] == INTERRUPT_ITYPE):
        return 1
    return 1 if s.popped_top == address else 0


def enter(m: Columns, flags: int, entry: int) -> int:
    """Put a branch into map or count, and train the predictor. Returns whether it ends a count of 31 or more."""
    s = m.state[0]
    outcome, failed = ~flags & NOT_TAKEN, 0
    s.ret_open = 0
    if s.predicting:
        state = state_of(m, entry)
        m.table[entry] = s.turn + trained(state, outcome)
        if s.right >= 0 and state >> 1 == outcome:
            s.right += 1
        elif s.right >= MAX_BRANCHES:
            failed = 1
        else:
            s.right = NEVER
    if s.branches < MAX_BRANCHES:
        s.branch_map |= (flags & NOT_TAKEN) << s.branches
        s.branches += 1
    return failed


def sync_instruction(m: Columns, key: int, flags: int, address: int, place: int) -> None:
    """Rules 1 and 2."""
    s, c = m.state[0], m.setup[0]
    taken = 1 if flags & BRANCH and not flags & NOT_TAKEN else 0
    not_taken = 1 if flags & BRANCH and flags & NOT_TAKEN else 0
    branch = not_taken if c.drafted else 1 - taken
    shifted = address >> c.lsb
    if flags & AFTER_TRAP and (c.drafted or not s.reported):
        send_trap(m, C_TRAP, key, place, branch, 1, shifted, s.cause_of, s.interrupted, s.tval_of, m.privs[place])
    else:
        clause = C_RESYNC
        if flags & AFTER_TRAP:
            clause = C_REPORTED
        elif flags & FIRST:
            clause = C_FIRST
        elif flags & PPCCD:
            clause = C_PPCCD
        send_sync(m, L_START, clause, key, place, branch, shifted, m.privs[place])
    s.last_sent = shifted
    if flags & BRANCH and s.predicting:
        m.table[entry_of(m, address)] = s.turn + trained(WEAK, taken)


def why(m: Columns, flags: int, resync_next: int, jumps: int, anchor: int) -> int:
    """The clause of rule 4, NEVER if it does not apply. jumps: somewhere that a decoder cannot infer."""
    s = m.state[0]
    if flags & NOTIFY:
        return C_NOTIFY
    if flags & NEXT_TRAP:
        return C_BEFORE_TRAP
    if flags & LAST:
        return C_LAST
    if flags & NEXT_ASYNC:
        return C_BEFORE_SYNC
    unclear = s.branches or s.ret_open or (jumps and not flags & NEXT_PRIVILEGE)
    if unclear and (flags & NEXT_PPCCD or resync_next):
        return C_BEFORE_SYNC
    return C_ANCHOR if anchor else NEVER


def other(m: Columns, key: int, flags: int, address: int, place: int) -> int:
    """Rules 3 to 5. Returns whether the trace may end after it without having said so (ended_ntr)."""
    s, c = m.state[0], m.setup[0]
    before = s.right if s.right > 0 else 0
    own = flags & NOT_TAKEN if flags & BRANCH else NEVER
    failed = enter(m, flags, entry_of(m, address)) if flags & BRANCH else 0
    s.counted, s.counted_own = before if before >= MAX_BRANCHES else NEVER, own
    resync_next = 1 if key >= s.due and flags & (SPECIAL | BRANCH) and not flags & (NEXT_TRAP | LAST) else 0
    if resync_next:
        s.forced, s.forced_flags = next_key(m, key), RESYNC
    if flags & CONTEXT:
        owner(m, place)
        put(m, L_CONTEXT, C_CONTEXT)
    if flags & AFTER_JUMP:
        updiscon = 1 if flags & (NEXT_TRAP | NEXT_PPCCD) or resync_next else 0
        depth = s.popped_depth if flags & AFTER_RETURN else 0
        tell(m, address, C_MISRETURN if depth else C_UPDISCON, failed, 0, updiscon, depth if depth else NEVER, 1)
        return 1 - updiscon
    jumps = 1 if flags & (UNINFERABLE | SEQUENTIAL) == UNINFERABLE else 0
    anchor = 1 if flags & CALL and s.ret_open and not jumps and not c.drafted else 0
    clause = why(m, flags, resync_next, jumps, anchor)
    if clause >= 0:
        notify = 1 if anchor or flags & NOTIFY else 0
        tell(m, address, clause, failed, notify, 0, s.deep if s.ret_open else NEVER, 0)
        return notify if not c.drafted else 0
    if failed:
        send_count(m, 0, C_MISPREDICTED)
        clear(m)
    elif s.right == c.max_pbc:
        if c.drafted:
            send_count(m, 1, C_COUNT_FULL)
            clear(m)
        else:
            tell(m, address, C_COUNT_FULL, failed, 0, 0, NEVER, 0)
    elif s.branches == MAX_BRANCHES and s.right < 0:
        values(m, 0, 0, 0, NEVER, 0, s.branch_map, 0, 0, 0)
        put(m, L_MAP, C_FULL_MAP)
        clear(m)
    return 0


def trap(m: Columns, key: int, flags: int, address: int, place: int) -> None:
    """X with prev, next. With thaddr=0 the privilege is that in which the reported trap happened: "the privilege level
    prior to any change" (ET-7).
    """
    s, c, level = m.state[0], m.setup[0], m.privs[place]
    interrupt = 1 if m.itypes[place] == INTERRUPT_ITYPE else 0
    ecause, tval = m.causes[place] & c.cause_mask, m.tvals[place] & c.byte_mask
    where = 0 if interrupt else address >> c.lsb
    if flags & AFTER_TRAP:
        again, s.reported = s.reported, 0
        if not again and not c.drafted:
            send_trap(m, C_TRAP_AGAIN, key, place, 1, 0, where, s.cause_of, s.interrupted, s.tval_of, s.level_of)
    else:
        s.reported = 1 if flags & (FIRST | AFTER_JUMP) else 0
        if s.reported and not c.drafted:
            send_trap(m, C_TRAP_AGAIN, key, place, 1, 0, where, ecause, interrupt, tval, level)
    s.cause_of, s.interrupted, s.tval_of, s.level_of = ecause, interrupt, tval, level


def item(m: Columns, key: int, flags: int, row: int) -> None:
    """One item, whatever it does."""
    s, c, block = m.state[0], m.setup[0], key // SLOTS
    place = m.places[block]
    address = address_of(m, key, place)
    s.row, s.item_row = row, m.row_of[block]
    if flags & AFTER_RETURN and implicit(m, address, flags, place):
        flags &= ~AFTER_JUMP
        s.returns = s.returns + 1 if s.ret_open else 1  # since the last packet or branch
        s.ret_open = 1
    ntr = 0
    if flags & TRAP:
        trap(m, key, flags, address, place)
    else:
        if flags & (AFTER_TRAP | FIRST | PPCCD | RESYNC):
            sync_instruction(m, key, flags, address, place)
            ntr = 1
        else:
            ntr = other(m, key, flags, address, place)
        if flags & RETURN:
            s.popped_depth, s.popped_top = s.deep, 0
            if s.deep:
                s.popped_top = pop(s, m.stack)
        elif flags & CALL and s.options & IMPLICIT_RETURN:
            push(s, m.stack, m.stack, c.depth, m.iaddrs[place] + m.iretires[place] & c.half_mask)
            s.ret_open = 0
    if s.count >= c.most_packets and key < s.due:
        s.due = key + 1
    if flags & LAST:
        support(m, m.enables[row], ENDED_NTR if ntr else ENDED_REP, C_ENDED)


def force(m: Columns, key: int) -> int:
    """The flags to be added to this item; an item before it that needed some is dealt with."""
    s, forced, flags = m.state[0], m.state[0].forced, m.state[0].forced_flags
    s.forced = FAR
    if forced == key:
        return flags
    item(m, forced, m.flags[forced] | flags, row_after(m, forced))
    return 0


def follow(m: Columns, last: int, most: int) -> int:
    """Items up to item `last` in order; FULL where more than `most` of `rows` is in use.

    Most are branches that only fill the map or the count, and are dealt with here.
    """
    s, c, table, keys, whats, entries = m.state[0], m.setup[0], m.table, m.keys, m.whats, m.entries
    limit, i = c.max_pbc - 1, s.next_item
    while i < last:
        if s.used > most:
            s.next_item = i
            return FULL
        branches, branch_map, right, turn = s.branches, s.branch_map, s.right, s.turn
        predicting, soon = s.predicting, s.due
        if s.forced < soon:
            soon = s.forced
        state, entry, first = 0, 0, i
        while i < last:
            flags = whats[i]
            if flags >= QUIET or keys[i] >= soon:
                break
            if predicting:
                entry = entries[i]
                state = table[entry] - turn
                if state < 0:
                    state = WEAK
                outcome = ~flags & NOT_TAKEN
                hit = right >= 0 and state >> 1 == outcome
                if branches >= MAX_BRANCHES - 1 and not (hit and right < limit):
                    break
                table[entry] = turn + trained(state, outcome)
                right = right + 1 if hit else NEVER
            elif branches >= MAX_BRANCHES - 1:
                break
            if branches < MAX_BRANCHES:
                branch_map |= (flags & NOT_TAKEN) << branches
                branches += 1
            i += 1
        if i > first:
            s.branches, s.branch_map, s.right, s.ret_open = branches, branch_map, right, 0
        if i == last:
            break
        key, flags = keys[i], whats[i]
        i += 1
        if key >= s.forced:
            flags |= force(m, key)
            if s.losing:
                break
        row = row_after(m, key)
        if row != NEVER:
            item(m, key, flags, row)
            if s.losing:
                break
    s.next_item = i
    return OK


# Traces, changes, losses


def restart(m: Columns, begin: int) -> None:
    """Begin a trace at a block that was in the middle of one."""
    s, keys, i = m.state[0], m.keys, m.state[0].next_item
    key = next_key(m, SLOTS * begin - 1)
    flags = m.flags[key]
    if i < len(keys) and keys[i] == key:
        s.next_item = i + 1
    flags = flags & ~BEFORE | FIRST
    if key % SLOTS == TAIL and flags & SEQUENTIAL:  # what made it sequential is not traced
        flags ^= SEQUENTIAL
        if not flags & LAST:
            s.forced, s.forced_flags = next_key(m, key), AFTER_JUMP
    row = row_after(m, key)
    if row != NEVER:
        item(m, key, flags, row)


def recover(m: Columns) -> None:
    """The packets of this row are lost, and all up to the next row with room: there a support packet reports it."""
    s, rows, drops = m.state[0], m.rows, m.drops
    row = s.row
    while s.used and rows[s.used - PACKET_ROW + BEAT] == row:
        s.used -= PACKET_ROW
    s.forced, s.losing = FAR, 0
    while row < len(drops) and drops[row]:
        row += 1
    s.resumed = row if row < len(drops) else FAR
    if row < len(drops):
        s.row, s.options = row, m.options[row]
        support(m, m.enables[row], TRACE_LOST, C_LOST)


def change(m: Columns, at: int) -> None:
    """`enable` or the options change; the trace has ended."""
    s, steps = m.state[0], m.steps
    row, enable, was_enabled = steps[at + 1], steps[at + 2], steps[at + 3]
    if row <= s.resumed or (not enable and s.ended == row):
        return
    s.row, s.options = row, m.options[row]
    if not enable:
        support(m, enable, NO_CHANGE, C_DISABLE)
    else:
        support(m, enable, NO_CHANGE, C_RECONFIGURED if was_enabled else C_ENABLE)
    if s.losing:
        recover(m)


def segment(m: Columns, at: int, most: int) -> int:
    """One trace, or what is left of it after a loss; FULL where `rows` must be longer to go on."""
    s, steps, row_of, keys = m.state[0], m.steps, m.row_of, m.keys
    first, end, begin_row, end_row, first_item, last_item = (
        steps[at + 1], steps[at + 2], steps[at + 3], steps[at + 4], steps[at + 5], steps[at + 6]
    )  # fmt: skip
    while True:
        if not s.running:
            begin = first
            if s.resumed > row_of[first]:
                begin = lower(row_of, first, end, s.resumed)
            if begin >= end:
                return OK
            s.options, s.next_item = m.options[begin_row], first_item
            if begin > first:
                s.next_item = lower(keys, first_item, last_item, SLOTS * begin)
                restart(m, begin)
            s.running = 1
        if not s.losing and follow(m, last_item, most) == FULL:
            return FULL
        s.running = 0
        if not s.losing:
            s.ended = end_row
            return OK
        recover(m)


def run(m: Columns) -> int:
    """All there is to do; OK, or FULL where `rows` must be longer to go on."""
    s, steps = m.state[0], m.steps
    most = len(m.rows) - MARGIN
    while s.next_step < len(steps):
        if s.used > most:
            return FULL
        if steps[s.next_step] == CHANGE:
            change(m, s.next_step)
        elif segment(m, s.next_step, most) == FULL:
            return FULL
        s.next_step += STEP_ROW
    return OK
