# SPDX-License-Identifier: Apache-2.0
"""The encoder model's inner loops: blocks in, messages as rows of integers, and their bytes.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on columns of integers alone, lists or arrays. A function comes after those that it calls. The section numbers are
those of N-Trace 1.0, the steps those of docs/reference/ntrace-profile.md.

Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. All functions
take the same columns:

    s       the state, return stack, configuration and field table, by the indices below
    rows    the messages sent, rows of MESSAGE_ROW          data    their bytes
    kinds   what a block does, of those below               itypes, iaddrs, iretires, flags, owners: of each block
    places  the row of Beats of each block                  cycles  the cycle of each row of Beats
    turns   what is more than blocks, rows of TURN_ROW      times   the timestamp of each row of Beats

`flags`, `owners`, `cycles` and `times` are empty where no option asks for them.
"""

from __future__ import annotations

from typing import Any

Columns = tuple[Any, ...]  # of integers: lists or arrays
# Of the columns, for the compiler. `data` are bytes: there, uint8 is what is only read.
TYPES = {
    "m": ("int64", "int64", "int8", "uint8", "uint8", "int64", "int64", "int64", "int64", "int64", "int64", "int64",
          "int64"),
}  # fmt: skip

# What a block does; from CAREFUL on an option looks at more of it
PLAIN, NOT_TAKEN, TAKEN, LEAVES, BRANCHES, CAREFUL = range(6)
# A row of Beats with another level than before, a pulse or a loss: row, drop, levels, pulses, its blocks
TURN_ROW = 6
# A message: TCODE, clause, row of Beats, row whose time counts, TSTAMP (-1: none), number of values, values; the offset
# after its bytes
TCODE, CLAUSE, BEAT, WHEN, STAMP, VALUES, VALUE = range(7)
BEHIND = 11
MESSAGE_ROW = 12
MARGIN = 64 * MESSAGE_ROW  # more than a row of Beats can make
LONGEST = 64  # bytes; more than a message can have
OK, FULL = 0, -1  # what `run` and `pack` answer; full: `rows` or `data` must be longer
NOWHERE = -1

# State
(
    LEVELS, TRACING, LOST, ECODE, ROW, AT, CLOCK, DUE, OWN, ICNT, HIST, REF, PEND, PEND_AT, BTYPE, BECAUSE, TRAP, START,
    START_BECAUSE, FILTERED, MARKS, POPPED, USED, NEXT_BLOCK, NEXT_TURN, DEEP, BASE,
    RB_TCODE, RB_BTYPE, RB_ICNT, RB_HIST, RB_TARGET, RB_COUNT, REP_HIST, REP_COUNT, PACKED, PUT,
) = range(37)  # fmt: skip
# Configuration
(
    SYNC_MODE, INTERVAL, MOST, HTM, SYNC4, ICNT_TOP, HIST_TOP, HIST_BITS, DIRECT_BECAUSE, IMPLICIT, DEPTH, REPEATS,
    HOLDS, OWNED, HCONTEXT, OPTIONS, RC7, HALF_MASK, SRC_BITS, SRC, ADDRESS_BITS,
) = range(40, 61)  # fmt: skip
STACK = 64  # return addresses: a ring of DEPTH entries
WHAT, BTYPES, REASONS, TRAPS, CALLS = (
    96,
    112,
    128,
    144,
    160,
)  # by itype: kind, B-TYPE, clause, is a trap, pops and pushes
LAYOUTS = 176  # by TCODE: of each field its width, VARIABLE or ADDRESS
LAYOUT_ROW = 8
SIZE = LAYOUTS + 64 * LAYOUT_ROW
VARIABLE, ADDRESS = 0, -1
POPS, PUSHES = 1, 2  # in CALLS

# Of the input: levels, pulses, flags and owner as `rvtrace.models.ntrace.encoder.input` makes them
ENABLE, INST_TRACING, HALTED, IN_RESET, LOW_POWER = 1, 2, 4, 8, 16
NOTIFY, EXT_NOTIFY = 1, 2
VENDOR_SHIFT, VENDOR_DATA_SHIFT = 2, 8
UNQUALIFIED, WATCHED, SEQUENTIAL, PAIRED = 1, 2, 4, 8
CONTEXT_SHIFT, HCONTEXT_SHIFT = 8, 40

# The numbers of the specification
OWNERSHIP, DIRECT_BRANCH, INDIRECT_BRANCH, ERROR, PROG_SYNC, DIRECT_SYNC, INDIRECT_SYNC = 2, 3, 4, 8, 9, 11, 12
RESOURCE_FULL, INDIRECT_HIST, INDIRECT_HIST_SYNC, REPEAT_BRANCH, CORRELATION, FIRST_VENDOR = 27, 28, 29, 30, 33, 56
SYNC_EXTERNAL, SYNC_RESET, SYNC_PERIODIC, SYNC_DEBUG_EXIT, SYNC_ICNT, SYNC_ENABLE = range(6)
SYNC_EVENT, SYNC_OVERRUN, SYNC_POWER = 6, 7, 9
EV_DEBUG, EV_LOW_POWER, EV_DISABLED = 0, 1, 4
FORMAT_PRIV, FORMAT_SCONTEXT, FORMAT_HCONTEXT = 0, 2, 3  # of PROCESS, table 12
RCODE_ICNT, RCODE_HIST, RCODE_REPEATED = 0, 1, 2
ETYPE_OVERRUN, ECODE_PROGRAM, ECODE_OWNERSHIP, ECODE_VENDOR = 0, 4, 8, 0x80
COUNTER, PARTIAL, WHOLE = 1, 2, 3  # trTeInstImplicitReturnMode
PARTIAL_BITS = 0x3FF  # of a return address, that mode 2 keeps
TCODE_BITS, MDO_BITS, MDO = 6, 6, 0x3F
FIELD_END, MESSAGE_END = 1, 3  # MSEO
EMPTY_HIST = 1  # the stop bit alone

# What the next block will complete; NONE must be falsy.
NONE, INDIRECT, DIRECT, FULL_ICNT, RESET = range(5)
# Marks that wait for a block.
MARK_EVENT, MARK_EXTERNAL = 1, 2

# Clauses, in the order of `rvtrace.models.ntrace.encoder.clauses.CLAUSES`
(
    C_EXCEPTION, C_INTERRUPT, C_XRET, C_JUMP, C_CALL, C_SWAP, C_RETURN, C_ALL_JUMPS, C_FILTERS, C_VENDOR, C_AFTER_SYNC,
    C_PRIV_CHANGE, C_PROCESS, C_TRAP, C_DIRECT, C_ERROR, C_ERROR_ALONE, C_ECODE, C_BOTH_FULL, C_REPEAT, C_DEBUG_ENTRY,
    C_LOW_POWER, C_TRACE_OFF, C_OPEN_TARGET, C_HIST_FULL, C_ICNT_FULL, C_PREDICTED, C_SYNC4, C_SYNC0, C_SYNC1,
    C_LINEAR, C_SYNC2_DIRECT, C_SYNC2_INDIRECT, C_SYNC3, C_SYNC5, C_SYNC6, C_SYNC7, C_SYNC9, C_BACK_TO_BACK,
    C_TRAP_AT_START, C_STOP_WHILE_OFF, C_START_WHILE_OFF, C_SEQUENTIAL, C_COUNTER, C_PARTIAL, C_WHOLE, C_REPEATED,
    C_PATTERN, C_NT4, C_NT12, C_NT13, C_HREPEAT,
) = range(52)  # fmt: skip


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


# Messages in order, and what is held back before them: a full HIST (9.3) and a branch message (7.11). Every other
# message sends them first, so that a decoder reads what happened in order.


def put(m: Columns, tcode: int, clause: int, count: int, a: int, b: int, c: int, d: int, e: int) -> None:
    """A message of so many values, after all others."""
    s, rows = m[0], m[1]
    at = s[USED]
    rows[at] = tcode
    rows[at + CLAUSE] = clause
    rows[at + BEAT] = s[ROW]
    rows[at + WHEN] = s[AT]
    rows[at + STAMP] = NOWHERE
    rows[at + VALUES] = count
    rows[at + VALUE] = a
    rows[at + VALUE + 1] = b
    rows[at + VALUE + 2] = c
    rows[at + VALUE + 3] = d
    rows[at + VALUE + 4] = e
    s[USED] = at + MESSAGE_ROW
    if s[SYNC_MODE] == 1:
        s[CLOCK] += 1


def hold_nothing(m: Columns) -> None:
    """Neither a branch message nor a HIST is held back."""
    s = m[0]
    s[RB_TCODE] = s[RB_COUNT] = s[REP_HIST] = s[REP_COUNT] = 0


def flush(m: Columns, clause: int) -> None:
    """Send what is held back. clause: of the cause, NOWHERE if that is the next message."""
    s = m[0]
    branches, hist, count = s[RB_COUNT], s[REP_HIST], s[REP_COUNT]
    hold_nothing(m)
    if branches:
        put(m, REPEAT_BRANCH, C_REPEAT if clause < 0 else clause, 1, branches, 0, 0, 0, 0)
    elif count == 1:
        put(m, RESOURCE_FULL, C_HIST_FULL if clause < 0 else clause, 2, RCODE_HIST, hist, 0, 0, 0)
    elif count:
        if clause < 0:
            clause = C_REPEATED if bits(hist) == s[HIST_BITS] else C_PATTERN
        put(m, RESOURCE_FULL, clause, 3, RCODE_REPEATED, hist, count, 0, 0)


def send(m: Columns, tcode: int, clause: int, count: int, a: int, b: int, c: int, d: int, e: int) -> None:
    """A message, after what is held back."""
    s = m[0]
    if s[RB_TCODE] or s[REP_HIST]:
        flush(m, NOWHERE)
    put(m, tcode, clause, count, a, b, c, d, e)


def synced(m: Columns) -> None:
    """A synchronizing message was sent: periodic sync begins anew; owner and return stack (NT-5) are forgotten."""
    s = m[0]
    s[DUE] = s[CLOCK] + s[INTERVAL]
    s[OWN] = NOWHERE
    s[DEEP] = 0


def tell(m: Columns, tcode: int, clause: int, btype: int, uaddr: int, hist: int, target: int, countable: int) -> None:
    """A branch message without SYNC, or one more for RepeatBranch (7.11, NT-6).

    hist: 0 if it has none. countable: it may be left out, because Ownership does not follow it.
    """
    s = m[0]
    icnt = s[ICNT]
    if s[REPEATS]:
        if (
            countable and s[RB_TCODE] == tcode and s[RB_ICNT] == icnt and s[RB_TARGET] == target
            and s[RB_HIST] == hist and s[RB_BTYPE] == btype
        ):  # fmt: skip
            s[RB_COUNT] += 1
            if s[RB_COUNT] == s[MOST]:
                s[AT] = s[ROW]
                flush(m, C_HREPEAT)
            return
        if s[RB_TCODE] or s[REP_HIST]:
            flush(m, NOWHERE)
    elif s[REP_HIST]:
        flush(m, NOWHERE)
    if tcode == DIRECT_BRANCH:
        put(m, tcode, clause, 1, icnt, 0, 0, 0, 0)
    else:
        put(m, tcode, clause, 4 if hist else 3, btype, icnt, uaddr, hist, 0)
    if s[REPEATS] and uaddr == 0:
        s[RB_TCODE], s[RB_BTYPE], s[RB_ICNT], s[RB_HIST], s[RB_TARGET] = tcode, btype, icnt, hist, target


def error_last(m: Columns) -> int:
    """NT-14: after an Error nothing but a synchronizing message may be sent."""
    at = m[0][USED]
    return 1 if at and m[1][at - MESSAGE_ROW] == ERROR else 0


def pattern_bits(hist: int, branches: int) -> int:
    """The smallest number of branches, at most half of them, after which every branch of a HIST repeats; without one
    all of them (9.3).
    """
    body = hist ^ 1 << branches
    for period in range(1, branches // 2 + 1):
        if body >> period == body & ((1 << branches - period) - 1):
            return period
    return branches


def hold(m: Columns, hist: int) -> int:
    """Take whole patterns of a full HIST; returns the HIST that stays (9.3)."""
    s = m[0]
    flush(m, NOWHERE)
    branches = bits(hist) - 1
    rest = branches % pattern_bits(hist, branches)
    s[REP_HIST], s[REP_COUNT] = hist >> rest, 1
    return 1 << rest | hist & ((1 << rest) - 1)


def hold_again(m: Columns) -> None:
    """The HIST that is held came once more."""
    s = m[0]
    s[REP_COUNT] += 1
    if s[REP_COUNT] == s[MOST]:
        flush(m, C_HREPEAT)


# What interrupts tracing


def begin(m: Columns, code: int, clause: int) -> None:
    """The next block starts the trace."""
    s = m[0]
    s[START], s[START_BECAUSE] = code, clause


def start_clause(code: int) -> int:
    """The clause of a start with this SYNC."""
    if code == SYNC_ENABLE:
        return C_SYNC5
    if code == SYNC_DEBUG_EXIT:
        return C_SYNC3
    if code == SYNC_OVERRUN:
        return C_SYNC7
    return C_SYNC1 if code == SYNC_RESET else C_SYNC9


def forget(m: Columns) -> None:
    """Tracing is interrupted: a start will report where it continues."""
    s = m[0]
    s[ICNT], s[HIST], s[PEND], s[START], s[FILTERED], s[MARKS], s[DEEP] = 0, EMPTY_HIST, NONE, 0, 0, 0, 0
    hold_nothing(m)


def close_direct(m: Columns, clause: int) -> None:
    """A taken branch that no block followed is a message of its own (NT-13)."""
    s = m[0]
    if s[PEND] == DIRECT:
        s[AT] = s[PEND_AT]
        send(m, DIRECT_BRANCH, clause, 1, s[ICNT], 0, 0, 0, 0)
        s[AT] = s[ROW]
        s[ICNT] = 0


def correlate(m: Columns, evcode: int, clause: int) -> None:
    """ProgTraceCorrelation, with HIST in HTM only (NT-8)."""
    s = m[0]
    if not error_last(m):
        if s[HTM]:
            send(m, CORRELATION, clause, 4, evcode, 1, s[ICNT], s[HIST], 0)
        else:
            send(m, CORRELATION, clause, 3, evcode, 0, s[ICNT], 0, 0)


def stop(m: Columns, evcode: int, clause: int) -> None:
    """Close the trace; what is pending is reported as far as it is known."""
    s = m[0]
    close_direct(m, C_NT13)
    if s[PEND] == INDIRECT:
        clause = C_OPEN_TARGET
    if not s[FILTERED] or evcode != EV_DISABLED:
        correlate(m, evcode, clause)
    forget(m)


def leave(m: Columns) -> None:
    """A filter leaves a block out (4.0)."""
    s = m[0]
    if s[START]:
        s[START] = 0  # a start that was never reported
    elif not s[FILTERED]:
        stop(m, EV_DISABLED, C_NT13)
    s[FILTERED] = 1


def edges(m: Columns, was: int, now: int, traced: int) -> None:
    """Steps 1 to 3 of a beat: the levels changed. traced: whether they let blocks be traced before."""
    s = m[0]
    rose, fell = now & ~was, was & ~now
    if traced and not s[TRACING]:
        if rose & HALTED:
            stop(m, EV_DEBUG, C_DEBUG_ENTRY)
        elif rose & LOW_POWER:
            stop(m, EV_LOW_POWER, C_LOW_POWER)
        else:
            stop(m, EV_DISABLED, C_TRACE_OFF)
    elif s[TRACING] and not traced:
        code = SYNC_ENABLE
        if was & HALTED:
            code = SYNC_DEBUG_EXIT
        elif was & LOW_POWER:
            code = SYNC_POWER
        elif was & IN_RESET:
            code = SYNC_RESET
        begin(m, code, start_clause(code))
    elif s[TRACING]:
        if rose & IN_RESET and not s[FILTERED]:
            # The hart is reset while it is traced: SYNC=1 at its next block reports how far it came (8.5)
            if s[START]:
                begin(m, SYNC_RESET, C_SYNC1)
            else:
                close_direct(m, C_SYNC1)
                s[PEND], s[PEND_AT] = RESET, s[ROW]
    elif was & now & ENABLE and not now & INST_TRACING:
        # Table 26: what the hart did while tracing was off
        if rose & HALTED:
            correlate(m, EV_DEBUG, C_STOP_WHILE_OFF)
        elif fell & HALTED and s[RC7]:
            correlate(m, EV_DISABLED, C_START_WHILE_OFF)


def pulse(m: Columns, pulses: int) -> None:
    """Steps 5 and 6: marks and vendor-defined messages."""
    s = m[0]
    if s[TRACING]:
        s[MARKS] |= (MARK_EVENT if pulses & NOTIFY else 0) | (MARK_EXTERNAL if pulses & EXT_NOTIFY else 0)
    tcode = pulses >> VENDOR_SHIFT & 0x3F
    if tcode and s[LEVELS] & ENABLE and not error_last(m):
        clock = s[CLOCK]  # passed through beside the trace: it flushes nothing and is not counted
        put(m, tcode, C_VENDOR, 1, pulses >> VENDOR_DATA_SHIFT, 0, 0, 0, 0)
        s[CLOCK] = clock


def lose(m: Columns, sent: int) -> None:
    """A row without room in the queue made messages: all of them, and what was pending, are lost (7.4)."""
    s, rows = m[0], m[1]
    ecode = ECODE_PROGRAM
    for at in range(sent, s[USED], MESSAGE_ROW):
        if rows[at] == OWNERSHIP:
            ecode |= ECODE_OWNERSHIP
        elif rows[at] >= FIRST_VENDOR:
            ecode |= ECODE_VENDOR
    s[USED], s[LOST], s[ECODE] = sent, 1, ecode
    forget(m)


def recover(m: Columns) -> None:
    """There is room again: Error, and tracing goes on with SYNC=7 at the first block (7.4, 8.5)."""
    s = m[0]
    s[LOST] = 0
    if not error_last(m):
        clause = C_ERROR if s[TRACING] else C_ERROR_ALONE
        if s[ECODE] != ECODE_PROGRAM:
            clause = C_ECODE
        send(m, ERROR, clause, 2, ETYPE_OVERRUN, s[ECODE], 0, 0, 0)
    if s[TRACING]:
        begin(m, SYNC_OVERRUN, C_SYNC7)


# What waited for a block's address (4.1, 4.2)


def sync_here(m: Columns, code: int, iaddr: int, hist: int, clause: int) -> None:
    """A sync message after code that is not a flow change to be reported (8.5): B-TYPE means nothing."""
    s = m[0]
    if hist:
        send(m, INDIRECT_HIST_SYNC, clause, 5, code, 0, s[ICNT], iaddr, hist)
    else:
        send(m, PROG_SYNC, clause, 3, code, s[ICNT], iaddr, 0, 0)
    synced(m)


def mark(m: Columns) -> int:
    """SYNC of the mark, else of the periodic sync, that is served now."""
    s = m[0]
    if s[MARKS] & MARK_EVENT:
        s[MARKS] ^= MARK_EVENT
        return SYNC_EVENT
    if s[MARKS] & MARK_EXTERNAL:
        s[MARKS] ^= MARK_EXTERNAL
        return SYNC_EXTERNAL
    return SYNC_PERIODIC


def mark_clause(code: int, periodic: int) -> int:
    """Its clause; `periodic` that of a periodic sync."""
    if code == SYNC_EVENT:
        return C_SYNC6
    return C_SYNC0 if code == SYNC_EXTERNAL else periodic


def resolve(m: Columns, iaddr: int, countable: int) -> int:
    """4.2: one message (sections 7.2 to 7.10); empties I-CNT and HIST.

    countable: RepeatBranch may count it. Returns the clause of a trap before the block's first instruction, NOWHERE
    if that is an ordinary trap.
    """
    s = m[0]
    pend, early = s[PEND], NOWHERE
    hist = 0 if s[HIST] == EMPTY_HIST else s[HIST]  # an empty HIST is not sent (NT-9, NT-10)
    ref = iaddr
    if pend:
        s[AT] = s[PEND_AT]
    if s[START]:
        send(m, PROG_SYNC, s[START_BECAUSE], 3, s[START], 0, iaddr, 0, 0)
        synced(m)
        s[START] = 0
        early = C_TRAP_AT_START
    elif pend == INDIRECT:
        early = C_BACK_TO_BACK if s[BTYPE] else C_NT12
        if s[MARKS] or s[CLOCK] >= s[DUE]:
            code = mark(m)
            clause = mark_clause(code, C_SYNC2_INDIRECT)
            if hist:
                send(m, INDIRECT_HIST_SYNC, clause, 5, code, s[BTYPE], s[ICNT], iaddr, hist)
            else:
                send(m, INDIRECT_SYNC, clause, 4, code, s[BTYPE], s[ICNT], iaddr, 0)
            synced(m)
        else:
            tcode = INDIRECT_HIST if hist else INDIRECT_BRANCH
            tell(m, tcode, s[BECAUSE], s[BTYPE], iaddr ^ s[REF], hist, iaddr, countable)
    elif pend == DIRECT:
        early = C_NT12
        if s[MARKS] or s[CLOCK] >= s[DUE]:
            code = mark(m)
            send(m, DIRECT_SYNC, mark_clause(code, C_SYNC2_DIRECT), 3, code, s[ICNT], iaddr, 0, 0)
            synced(m)
        else:
            tell(m, DIRECT_BRANCH, s[DIRECT_BECAUSE], 0, 0, 0, iaddr, countable)
            ref = s[REF]  # the one message without an address leaves the reference as it is
    elif pend == RESET:
        sync_here(m, SYNC_RESET, iaddr, hist, C_SYNC1)
        early = C_TRAP_AT_START
    elif pend == FULL_ICNT:
        sync_here(m, SYNC_ICNT, iaddr, hist, C_SYNC4)
    else:
        code = mark(m)
        sync_here(m, code, iaddr, hist, mark_clause(code, C_LINEAR))
    s[REF] = ref
    s[ICNT], s[HIST], s[PEND] = 0, EMPTY_HIST, NONE
    s[AT] = s[ROW]
    return early


def predicted(m: Columns, iaddr: int) -> int:
    """4.1: whether the decoder knows the target of the pending return (9.2); if so, nothing is pending any more."""
    s = m[0]
    mode = s[IMPLICIT]
    wrong = s[POPPED] ^ iaddr
    if mode == PARTIAL:
        wrong &= PARTIAL_BITS
    if wrong and mode != COUNTER:
        s[BECAUSE] = C_PARTIAL if mode == PARTIAL else C_WHOLE
        return 0
    s[PEND] = NONE
    return 1


def full_after_return(m: Columns, iaddr: int) -> None:
    """8.4.4: the return filled I-CNT, and only this block shows that nothing else reports it."""
    s = m[0]
    if s[SYNC4] and s[HIST] != EMPTY_HIST:
        s[PEND], s[PEND_AT] = FULL_ICNT, s[ROW]
        resolve(m, iaddr, 1)
    else:
        send(m, RESOURCE_FULL, C_PREDICTED, 2, RCODE_ICNT, s[ICNT], 0, 0, 0)
        s[ICNT] = 0


def tell_owner(m: Columns, owner: int, trap: int) -> None:
    """4.4: Ownership after a sync message (nothing is known), a change, or a trap or its end (7.1)."""
    s = m[0]
    was = s[OWN]
    s[OWN] = owner
    hcontext, context = owner >> HCONTEXT_SHIFT, owner >> CONTEXT_SHIFT & 0xFFFF_FFFF
    low = (owner & 7) << 2
    changed = -1 if was < 0 else was ^ owner
    clause = C_AFTER_SYNC if was < 0 else C_PROCESS
    if changed >> HCONTEXT_SHIFT and s[HCONTEXT]:
        send(m, OWNERSHIP, clause, 1, hcontext << 5 | low | FORMAT_HCONTEXT, 0, 0, 0, 0)
    if changed >> CONTEXT_SHIFT & 0xFFFF_FFFF:
        send(m, OWNERSHIP, clause, 1, context << 5 | low | FORMAT_SCONTEXT, 0, 0, 0, 0)
    elif not changed >> HCONTEXT_SHIFT:
        send(m, OWNERSHIP, C_TRAP if trap else C_PRIV_CHANGE, 1, low | FORMAT_PRIV, 0, 0, 0, 0)


# The block itself (4.5, 4.6)


def use_stack(m: Columns, itype: int, back: int) -> int:
    """Pop, then push, what this block's last instruction does; the clause of a pop that found nothing, else NOWHERE."""
    s = m[0]
    clause, does, depth = NOWHERE, s[CALLS + itype], s[DEPTH]
    s[POPPED] = NOWHERE
    if does & POPS:
        if s[DEEP]:
            s[DEEP] -= 1
            s[POPPED] = s[STACK + (s[BASE] + s[DEEP]) % depth]
        else:
            clause = C_COUNTER if s[IMPLICIT] == COUNTER else C_NT4
    if does & PUSHES:
        s[STACK + (s[BASE] + s[DEEP]) % depth] = back & s[HALF_MASK]
        if s[DEEP] < depth:
            s[DEEP] += 1
        else:
            s[BASE] = (s[BASE] + 1) % depth
    return clause


def full(m: Columns) -> None:
    """Sections 8.3.1, 8.4.4 and 7.8."""
    s = m[0]
    icnt_full, hist_full = s[ICNT] >= s[ICNT_TOP], s[HIST] >= s[HIST_TOP]
    if icnt_full and s[SYNC4] and s[HIST] != EMPTY_HIST:
        s[PEND], s[PEND_AT] = FULL_ICNT, s[ROW]
        return
    both = icnt_full and hist_full and not s[HOLDS]
    if icnt_full:
        send(m, RESOURCE_FULL, C_BOTH_FULL if both else C_ICNT_FULL, 2, RCODE_ICNT, s[ICNT], 0, 0, 0)
        s[ICNT] = 0
    if hist_full and s[HOLDS]:
        s[HIST] = hold(m, s[HIST])
    elif hist_full:
        send(m, RESOURCE_FULL, C_BOTH_FULL if both else C_HIST_FULL, 2, RCODE_HIST, s[HIST], 0, 0, 0)
        s[HIST] = EMPTY_HIST


def count(m: Columns, itype: int, iretire: int, early: int) -> None:
    """Take the block into I-CNT and HIST, note what it leaves open; report what is full."""
    s = m[0]
    s[ICNT] += iretire
    if s[SYNC_MODE] == 3:
        s[CLOCK] += iretire
    kind = s[WHAT + itype]
    if kind == LEAVES:
        s[PEND], s[PEND_AT] = INDIRECT, s[ROW]
        s[BTYPE], s[BECAUSE], s[TRAP] = s[BTYPES + itype], s[REASONS + itype], s[TRAPS + itype]
        if early >= 0 and not s[ICNT]:  # only a trap comes without an instruction
            s[BECAUSE] = early
        return
    if kind == BRANCHES:
        s[PEND], s[PEND_AT] = DIRECT, s[ROW]
        return
    if kind:
        s[HIST] = s[HIST] << 1 | (kind - NOT_TAKEN)
        if s[HIST] == s[REP_HIST]:
            hold_again(m)
            s[HIST] = EMPTY_HIST
    if s[ICNT] >= s[ICNT_TOP] or s[HIST] >= s[HIST_TOP]:
        full(m)


def block(m: Columns, i: int) -> None:
    """One block, whatever it does."""
    s, iaddr, itype, iretire = m[0], m[5][i], m[4][i], m[6][i]
    s[ROW] = s[AT] = m[9][i]
    flags, owner = 0, NOWHERE
    if s[OPTIONS]:
        flags, owner = m[7][i], m[8][i]
        if flags & UNQUALIFIED:
            leave(m)
            return
        if s[FILTERED]:
            s[FILTERED] = 0
            begin(m, SYNC_ENABLE, C_FILTERS)
    known = 1 if s[POPPED] >= 0 and s[PEND] == INDIRECT and predicted(m, iaddr) else 0
    early, trap, clause = NOWHERE, 0, NOWHERE
    if s[PEND] or s[START] or s[MARKS] or s[CLOCK] >= s[DUE]:
        if s[PEND] == INDIRECT:
            trap = s[TRAP]
        early = resolve(m, iaddr, 1 if not s[OWNED] or (owner == s[OWN] and not trap) else 0)
    elif known and s[ICNT] >= s[ICNT_TOP]:
        full_after_return(m, iaddr)
    if s[OPTIONS]:
        if s[OWNED] and (trap or owner != s[OWN]):
            tell_owner(m, owner, trap)
        if s[IMPLICIT]:
            clause = use_stack(m, itype, iaddr + iretire)
        if flags & SEQUENTIAL:
            if s[ICNT] or flags & PAIRED:
                itype = 0  # 9.1: the instruction that loads the register is in the same message
            else:
                clause = C_SEQUENTIAL
    count(m, itype, iretire, early)
    if clause >= 0:
        s[BECAUSE] = clause
    if flags & WATCHED:
        s[MARKS] |= MARK_EVENT


def blocks(m: Columns, first: int, last: int, most: int) -> int:
    """Traced blocks up to block `last`, or until more than `most` of `rows` is in use; the next one to look at."""
    s, kinds, itypes, iretires, owners, places, cycles = m[0], m[3], m[4], m[6], m[8], m[9], m[10]
    mode, icnt_top, hist_top, owned = s[SYNC_MODE], s[ICNT_TOP], s[HIST_TOP], s[OWNED]
    waits = s[PEND] or s[START] or s[MARKS] or s[FILTERED] or s[CLOCK] >= s[DUE]
    icnt, hist, i = s[ICNT], s[HIST], first
    while i < last:
        kind = kinds[i]
        if mode >= 2:
            if mode == 2:
                s[CLOCK] = cycles[places[i]]
            waits = waits or s[CLOCK] >= s[DUE]
        if waits or kind == CAREFUL or (owned and owners[i] != s[OWN]):
            s[ICNT], s[HIST] = icnt, hist
            block(m, i)
            icnt, hist = s[ICNT], s[HIST]
            waits = s[PEND] or s[START] or s[MARKS] or s[FILTERED] or s[CLOCK] >= s[DUE]
            i += 1
            if s[USED] > most:
                break
            continue
        # the same, where nothing waits and no option has to know more
        icnt += iretires[i]
        if mode == 3:
            s[CLOCK] += iretires[i]
        if kind >= LEAVES:
            if kind == LEAVES:
                itype = itypes[i]
                s[PEND], s[BTYPE], s[BECAUSE], s[TRAP] = (
                    INDIRECT, s[BTYPES + itype], s[REASONS + itype], s[TRAPS + itype]
                )  # fmt: skip
                s[POPPED] = NOWHERE
            else:
                s[PEND] = DIRECT
            s[PEND_AT] = places[i]
            waits = True
        else:
            if kind:
                hist = hist << 1 | (kind - NOT_TAKEN)
                if hist == s[REP_HIST]:
                    s[ROW] = s[AT] = places[i]
                    hold_again(m)
                    hist = EMPTY_HIST
                    waits = s[CLOCK] >= s[DUE]
            if icnt >= icnt_top or hist >= hist_top:
                s[ROW] = s[AT] = places[i]
                s[ICNT], s[HIST] = icnt, hist
                full(m)
                icnt, hist = s[ICNT], s[HIST]
                waits = s[PEND] or s[CLOCK] >= s[DUE]
                if s[USED] > most:
                    i += 1
                    break
        i += 1
    s[ICNT], s[HIST] = icnt, hist
    return i


# Rows of Beats


def turn(m: Columns, at: int) -> None:
    """A row with another level, a pulse or a loss: steps 1 to 6 of the profile, and what a full queue does to them."""
    s, flags, turns = m[0], m[7], m[11]
    row, drop, levels, pulses, first, last = (
        turns[at], turns[at + 1], turns[at + 2], turns[at + 3], turns[at + 4], turns[at + 5]
    )  # fmt: skip
    s[ROW] = s[AT] = row
    if s[SYNC_MODE] == 2:
        s[CLOCK] = m[10][row]
    was, traced, sent = s[LEVELS], s[TRACING], s[USED]
    s[LEVELS] = levels
    on = levels & (ENABLE | INST_TRACING | HALTED | LOW_POWER) == ENABLE | INST_TRACING
    s[TRACING] = 1 if on else 0
    if s[LOST]:
        if s[OPTIONS]:
            while first < last and flags[first] & UNQUALIFIED:
                first += 1
        if drop or (s[TRACING] and first == last):
            if pulses >> VENDOR_SHIFT & 0x3F and levels & ENABLE:
                s[ECODE] |= ECODE_VENDOR
            return
        recover(m)
    elif levels != was:
        edges(m, was, levels, traced)
    if s[TRACING]:
        blocks(m, first, last, len(m[1]))
    if pulses:
        pulse(m, pulses)
    if drop and s[USED] > sent:
        lose(m, sent)


def run(m: Columns, count_of_blocks: int) -> int:
    """All rows of Beats; OK, or FULL where `rows` must be longer to go on."""
    s, flags, places, turns = m[0], m[7], m[9], m[11]
    most = len(m[1]) - MARGIN
    while s[USED] <= most:
        at = s[NEXT_TURN]
        last = turns[at + 4] if at < len(turns) else count_of_blocks
        if s[NEXT_BLOCK] < last:
            i = s[NEXT_BLOCK]
            if s[LOST]:  # there is room again; what the filters leave out does not show it
                while s[TRACING] and s[OPTIONS] and i < last and flags[i] & UNQUALIFIED:
                    i += 1
                if i < last:
                    s[ROW] = s[AT] = places[i]
                    recover(m)
            if not s[TRACING]:
                i = last
            s[NEXT_BLOCK] = blocks(m, i, last, most) if i < last else last
        elif at < len(turns):
            turn(m, at)
            s[NEXT_BLOCK] = turns[at + 5]
            s[NEXT_TURN] = at + TURN_ROW
        else:
            return OK
    return FULL


# Times and bytes


def stamp(m: Columns) -> None:
    """TSTAMP of each message: the time itself, else what it is later than the time last reported (8.7, NT-15)."""
    s, rows, times = m[0], m[1], m[12]
    reported = 0
    for at in range(0, s[USED], MESSAGE_ROW):
        time, tcode = times[rows[at + WHEN]], rows[at]
        if tcode == PROG_SYNC or tcode == DIRECT_SYNC or tcode == INDIRECT_SYNC or tcode == INDIRECT_HIST_SYNC:
            reported = time
            rows[at + STAMP] = time
        else:
            later = time - reported if time > reported else 0
            reported += later
            rows[at + STAMP] = later


def end_field(m: Columns, at: int, acc: int, nbits: int, value: int, width: int, mseo: int) -> int:
    """Bytes of nbits of acc and a value of so many bits after them; the offset after them.

    All MDO groups but the last have MSEO=00, the last has `mseo`.
    """
    data, left = m[2], nbits + width
    while left > MDO_BITS:
        if nbits < MDO_BITS:
            acc |= (value & MDO) << nbits
            value >>= MDO_BITS
            nbits += MDO_BITS
        data[at] = (acc & MDO) << 2
        acc >>= MDO_BITS
        nbits -= MDO_BITS
        left -= MDO_BITS
        at += 1
    data[at] = (acc | value << nbits) << 2 | mseo
    return at + 1


def sent_bits(value: int, most: int) -> int:
    """The fewest whole MDO groups whose last bit extends to an address of so many bits (8.2)."""
    for width in range(MDO_BITS, most, MDO_BITS):
        top = value >> width - 1
        if top == 0 or top == (1 << most - width + 1) - 1:
            return width
    return most


def pack_one(m: Columns, row: int, at: int) -> int:
    """The bytes of one message from offset `at` on; the offset after them.

    3.1, 3.2; NT-7: a variable field of value 0 on a byte boundary takes one byte.
    """
    s, rows = m[0], m[1]
    layout, number, time = LAYOUTS + rows[row] * LAYOUT_ROW, rows[row + VALUES], rows[row + STAMP]
    acc, nbits = rows[row] | s[SRC] << TCODE_BITS, TCODE_BITS + s[SRC_BITS]
    for index in range(number):
        value, width = rows[row + VALUE + index], s[layout + index]
        if width > 0:
            acc |= value << nbits
            nbits += width
            continue
        if width == ADDRESS and s[ADDRESS_BITS]:
            width = sent_bits(value, s[ADDRESS_BITS])
            value &= (1 << width) - 1
        else:
            width = bits(value) if value else 1
        at = end_field(m, at, acc, nbits, value, width, MESSAGE_END if index == number - 1 and time < 0 else FIELD_END)
        acc = nbits = 0
    if time >= 0:
        at = end_field(m, at, 0, 0, time, bits(time) if time else 1, MESSAGE_END)
    return at


def pack(m: Columns) -> int:
    """The bytes of all messages; OK, or FULL where `data` must be longer to go on."""
    s, rows = m[0], m[1]
    most = len(m[2]) - LONGEST
    while s[PACKED] < s[USED]:
        if s[PUT] > most:
            return FULL
        s[PUT] = pack_one(m, s[PACKED], s[PUT])
        rows[s[PACKED] + BEHIND] = s[PUT]
        s[PACKED] += MESSAGE_ROW
    return OK
