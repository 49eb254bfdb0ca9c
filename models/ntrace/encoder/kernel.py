# SPDX-License-Identifier: Apache-2.0
"""The encoder model's inner loops: blocks in, messages as rows of integers, and their bytes.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on columns of integers and of records alone. A function comes after those that it calls. The section numbers are
those of N-Trace 1.0, the steps those of docs/reference/ntrace-profile.md.

Addresses are in half-words (bit 0 is never sent), so that those of RV64 fit a signed integer of 64 bits. What a message
looks like comes from the field table (`rvtrace.models.ntrace.layout`): no number of a column is written here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rvtrace.models.common.records import Record
from rvtrace.models.common.walking import bits
from rvtrace.models.ntrace.layout import FIELD, KIND

# What a block does; from CAREFUL on an option looks at more of it
PLAIN, NOT_TAKEN, TAKEN, LEAVES, BRANCHES, CAREFUL = range(6)
# A row of Beats with another level than before, a pulse or a loss: row, drop, levels, pulses, its blocks
TURN_ROW = 6
# A message: TCODE, clause, row of Beats, row whose time counts; from CELLS on the columns of the table, one that no
# field has, and the offset after its bytes
TCODE, CLAUSE, BEAT, WHEN, CELLS = range(5)
MARGIN = 64  # messages; more than a row of Beats can make
LONGEST = 64  # bytes; more than a message can have
OK, FULL = 0, -1  # what `run` and `pack` answer; full: `rows` or `data` must be longer
NOWHERE = -1
ABSENT = -1

# What changes. rb_: the branch message that is held back; rep_: the HIST that is; used: entries of `rows` that are in
# use, room: those that may be, all of them ABSENT at first, packed: of those that are bytes, put: bytes of those
STATE = Record(
    "State",
    "levels tracing lost ecode row at clock due own icnt hist ref pend pend_at btype because trap start start_because"
    " filtered marks popped used room next_block next_turn deep base"
    " rb_tcode rb_btype rb_icnt rb_hist rb_target rb_count rep_hist rep_count packed put",
)
# The configuration. size: entries of a row of `rows`; _at: the columns of the fields
CONFIG = Record(
    "Config",
    "sync_mode interval most htm sync4 icnt_top hist_top hist_bits direct_because implicit depth repeats holds owned"
    " hcontext options rc7 half_mask src address_bits size"
    " src_at sync_at btype_at icnt_at faddr_at uaddr_at hist_at rcode_at rdata_at hrepeat_at etype_at ecode_at"
    " evcode_at cdf_at bcnt_at process_at data_at tstamp_at",
)
# Of an itype: the kind of a block, B-TYPE, clause, whether it is a trap, what it pops and pushes
ITYPE = Record("Itype", "what btype reason trap calls")
POPS, PUSHES = 1, 2  # in `calls`


class Columns(NamedTuple):
    """What it takes to make messages. rows: those sent. Each call of a function passes all columns of its arguments, so
    what no message needs is in `Blocks`.
    """

    state: Any
    rows: Any
    config: Any


class Blocks(NamedTuple):
    """The input. kinds (what a block does) to owners: of each block. places: the row of Beats of each block; cycles: of
    each row of Beats. turns: what is more than blocks, rows of TURN_ROW. times: the timestamp of each row of Beats.
    flags, owners, cycles and times are empty where no option asks for them. stack: return addresses, a ring. does: by
    itype.
    """

    stack: Any
    does: Any
    kinds: Any
    itypes: Any
    iaddrs: Any
    iretires: Any
    flags: Any
    owners: Any
    places: Any
    cycles: Any
    turns: Any
    times: Any


class Packing(NamedTuple):
    """What it takes to make bytes. data: the bytes. types, fields: what messages look like."""

    state: Any
    rows: Any
    data: Any
    config: Any
    types: Any
    fields: Any


# Of the columns, for the compiler. `data` are bytes: there, uint8 is what is only read.
TYPES = {
    "m": (Columns, STATE, "int64", CONFIG),
    "b": (
        Blocks, "int64", ITYPE, "uint8", "uint8", "int64", "int64", "int64", "int64", "int64", "int64", "int64",
        "int64",
    ),
    "p": (Packing, STATE, "int64", "int8", CONFIG, KIND, FIELD),
}  # fmt: skip

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


# Messages in order, and what is held back before them: a full HIST (9.3) and a branch message (7.11). Every other
# message sends them first, so that a decoder reads what happened in order.


def put(m: Columns, tcode: int, clause: int) -> int:
    """A message after all others, none of whose fields is there yet but SRC; where its row is."""
    s, c, rows = m.state[0], m.config[0], m.rows
    at = s.used
    rows[at] = tcode
    rows[at + CLAUSE] = clause
    rows[at + BEAT] = s.row
    rows[at + WHEN] = s.at
    rows[at + c.src_at] = c.src
    s.used = at + c.size
    if c.sync_mode == 1:
        s.clock += 1
    return at


def hold_nothing(m: Columns) -> None:
    """Neither a branch message nor a HIST is held back."""
    s = m.state[0]
    s.rb_tcode = s.rb_count = s.rep_hist = s.rep_count = 0


def flush(m: Columns, clause: int) -> None:
    """Send what is held back. clause: of the cause, NOWHERE if that is the next message."""
    s, c, rows = m.state[0], m.config[0], m.rows
    branches, hist, count = s.rb_count, s.rep_hist, s.rep_count
    hold_nothing(m)
    if branches:
        row = put(m, REPEAT_BRANCH, C_REPEAT if clause < 0 else clause)
        rows[row + c.bcnt_at] = branches
    elif count == 1:
        row = put(m, RESOURCE_FULL, C_HIST_FULL if clause < 0 else clause)
        rows[row + c.rcode_at], rows[row + c.rdata_at] = RCODE_HIST, hist
    elif count:
        if clause < 0:
            clause = C_REPEATED if bits(hist) == c.hist_bits else C_PATTERN
        row = put(m, RESOURCE_FULL, clause)
        rows[row + c.rcode_at], rows[row + c.rdata_at], rows[row + c.hrepeat_at] = RCODE_REPEATED, hist, count


def send(m: Columns, tcode: int, clause: int) -> int:
    """As `put`, after what is held back."""
    s = m.state[0]
    if s.rb_tcode or s.rep_hist:
        flush(m, NOWHERE)
    return put(m, tcode, clause)


def send_full(m: Columns, clause: int, rcode: int, rdata: int) -> None:
    """ResourceFull (7.8)."""
    c, rows, row = m.config[0], m.rows, send(m, RESOURCE_FULL, clause)
    rows[row + c.rcode_at], rows[row + c.rdata_at] = rcode, rdata


def send_sync(m: Columns, tcode: int, clause: int, code: int, btype: int, icnt: int, faddr: int, hist: int) -> None:
    """A message with SYNC (7.5 to 7.7, 7.10). btype, hist: ABSENT if it has none."""
    c, rows, row = m.config[0], m.rows, send(m, tcode, clause)
    rows[row + c.sync_at], rows[row + c.icnt_at], rows[row + c.faddr_at] = code, icnt, faddr
    if btype != ABSENT:
        rows[row + c.btype_at] = btype
    if hist != ABSENT:
        rows[row + c.hist_at] = hist


def synced(m: Columns) -> None:
    """A synchronizing message was sent: periodic sync begins anew; owner and return stack (NT-5) are forgotten."""
    s, c = m.state[0], m.config[0]
    s.due = s.clock + c.interval
    s.own = NOWHERE
    s.deep = 0


def tell(m: Columns, tcode: int, clause: int, btype: int, uaddr: int, hist: int, target: int, countable: int) -> None:
    """A branch message without SYNC, or one more for RepeatBranch (7.11, NT-6).

    hist: 0 if it has none. countable: it may be left out, because Ownership does not follow it.
    """
    s, c, rows = m.state[0], m.config[0], m.rows
    icnt = s.icnt
    if c.repeats:
        if (
            countable and s.rb_tcode == tcode and s.rb_icnt == icnt and s.rb_target == target
            and s.rb_hist == hist and s.rb_btype == btype
        ):  # fmt: skip
            s.rb_count += 1
            if s.rb_count == c.most:
                s.at = s.row
                flush(m, C_HREPEAT)
            return
        if s.rb_tcode or s.rep_hist:
            flush(m, NOWHERE)
    elif s.rep_hist:
        flush(m, NOWHERE)
    if tcode == DIRECT_BRANCH:
        row = put(m, tcode, clause)
        rows[row + c.icnt_at] = icnt
    else:
        row = put(m, tcode, clause)
        rows[row + c.btype_at], rows[row + c.icnt_at], rows[row + c.uaddr_at] = btype, icnt, uaddr
        if hist:
            rows[row + c.hist_at] = hist
    if c.repeats and uaddr == 0:
        s.rb_tcode, s.rb_btype, s.rb_icnt, s.rb_hist, s.rb_target = tcode, btype, icnt, hist, target


def error_last(m: Columns) -> int:
    """NT-14: after an Error nothing but a synchronizing message may be sent."""
    at = m.state[0].used
    return 1 if at and m.rows[at - m.config[0].size] == ERROR else 0


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
    s = m.state[0]
    flush(m, NOWHERE)
    branches = bits(hist) - 1
    rest = branches % pattern_bits(hist, branches)
    s.rep_hist, s.rep_count = hist >> rest, 1
    return 1 << rest | hist & ((1 << rest) - 1)


def hold_again(m: Columns) -> None:
    """The HIST that is held came once more."""
    s, c = m.state[0], m.config[0]
    s.rep_count += 1
    if s.rep_count == c.most:
        flush(m, C_HREPEAT)


# What interrupts tracing


def begin(m: Columns, code: int, clause: int) -> None:
    """The next block starts the trace."""
    s = m.state[0]
    s.start, s.start_because = code, clause


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
    s = m.state[0]
    s.icnt, s.hist, s.pend, s.start, s.filtered, s.marks, s.deep = 0, EMPTY_HIST, NONE, 0, 0, 0, 0
    hold_nothing(m)


def close_direct(m: Columns, clause: int) -> None:
    """A taken branch that no block followed is a message of its own (NT-13)."""
    s = m.state[0]
    if s.pend == DIRECT:
        s.at = s.pend_at
        row = send(m, DIRECT_BRANCH, clause)
        m.rows[row + m.config[0].icnt_at] = s.icnt
        s.at = s.row
        s.icnt = 0


def correlate(m: Columns, evcode: int, clause: int) -> None:
    """ProgTraceCorrelation, with HIST in HTM only (NT-8)."""
    s, c, rows = m.state[0], m.config[0], m.rows
    if not error_last(m):
        row = send(m, CORRELATION, clause)
        rows[row + c.evcode_at], rows[row + c.cdf_at], rows[row + c.icnt_at] = evcode, c.htm, s.icnt
        if c.htm:
            rows[row + c.hist_at] = s.hist


def stop(m: Columns, evcode: int, clause: int) -> None:
    """Close the trace; what is pending is reported as far as it is known."""
    s = m.state[0]
    close_direct(m, C_NT13)
    if s.pend == INDIRECT:
        clause = C_OPEN_TARGET
    if not s.filtered or evcode != EV_DISABLED:
        correlate(m, evcode, clause)
    forget(m)


def leave(m: Columns) -> None:
    """A filter leaves a block out (4.0)."""
    s = m.state[0]
    if s.start:
        s.start = 0  # a start that was never reported
    elif not s.filtered:
        stop(m, EV_DISABLED, C_NT13)
    s.filtered = 1


def edges(m: Columns, was: int, now: int, traced: int) -> None:
    """Steps 1 to 3 of a beat: the levels changed. traced: whether they let blocks be traced before."""
    s, c = m.state[0], m.config[0]
    rose, fell = now & ~was, was & ~now
    if traced and not s.tracing:
        if rose & HALTED:
            stop(m, EV_DEBUG, C_DEBUG_ENTRY)
        elif rose & LOW_POWER:
            stop(m, EV_LOW_POWER, C_LOW_POWER)
        else:
            stop(m, EV_DISABLED, C_TRACE_OFF)
    elif s.tracing and not traced:
        code = SYNC_ENABLE
        if was & HALTED:
            code = SYNC_DEBUG_EXIT
        elif was & LOW_POWER:
            code = SYNC_POWER
        elif was & IN_RESET:
            code = SYNC_RESET
        begin(m, code, start_clause(code))
    elif s.tracing:
        if rose & IN_RESET and not s.filtered:
            # The hart is reset while it is traced: SYNC=1 at its next block reports how far it came (8.5)
            if s.start:
                begin(m, SYNC_RESET, C_SYNC1)
            else:
                close_direct(m, C_SYNC1)
                s.pend, s.pend_at = RESET, s.row
    elif was & now & ENABLE and not now & INST_TRACING:
        # Table 26: what the hart did while tracing was off
        if rose & HALTED:
            correlate(m, EV_DEBUG, C_STOP_WHILE_OFF)
        elif fell & HALTED and c.rc7:
            correlate(m, EV_DISABLED, C_START_WHILE_OFF)


def pulse(m: Columns, pulses: int) -> None:
    """Steps 5 and 6: marks and vendor-defined messages."""
    s, c, rows = m.state[0], m.config[0], m.rows
    if s.tracing:
        s.marks |= (MARK_EVENT if pulses & NOTIFY else 0) | (MARK_EXTERNAL if pulses & EXT_NOTIFY else 0)
    tcode = pulses >> VENDOR_SHIFT & 0x3F
    if tcode and s.levels & ENABLE and not error_last(m):
        clock = s.clock  # passed through beside the trace: it flushes nothing and is not counted
        row = put(m, tcode, C_VENDOR)
        rows[row + c.data_at] = pulses >> VENDOR_DATA_SHIFT
        s.clock = clock


def lose(m: Columns, sent: int) -> None:
    """A row without room in the queue made messages: all of them, and what was pending, are lost (7.4)."""
    s, c, rows = m.state[0], m.config[0], m.rows
    ecode = ECODE_PROGRAM
    for at in range(sent, s.used, c.size):
        if rows[at] == OWNERSHIP:
            ecode |= ECODE_OWNERSHIP
        elif rows[at] >= FIRST_VENDOR:
            ecode |= ECODE_VENDOR
    for cell in range(sent, s.used):
        rows[cell] = ABSENT
    s.used, s.lost, s.ecode = sent, 1, ecode
    forget(m)


def recover(m: Columns) -> None:
    """There is room again: Error, and tracing goes on with SYNC=7 at the first block (7.4, 8.5)."""
    s, c, rows = m.state[0], m.config[0], m.rows
    s.lost = 0
    if not error_last(m):
        clause = C_ERROR if s.tracing else C_ERROR_ALONE
        if s.ecode != ECODE_PROGRAM:
            clause = C_ECODE
        row = send(m, ERROR, clause)
        rows[row + c.etype_at], rows[row + c.ecode_at] = ETYPE_OVERRUN, s.ecode
    if s.tracing:
        begin(m, SYNC_OVERRUN, C_SYNC7)


# What waited for a block's address (4.1, 4.2)


def sync_here(m: Columns, code: int, iaddr: int, hist: int, clause: int) -> None:
    """A sync message after code that is not a flow change to be reported (8.5): B-TYPE means nothing."""
    s = m.state[0]
    if hist:
        send_sync(m, INDIRECT_HIST_SYNC, clause, code, 0, s.icnt, iaddr, hist)
    else:
        send_sync(m, PROG_SYNC, clause, code, ABSENT, s.icnt, iaddr, ABSENT)
    synced(m)


def mark(m: Columns) -> int:
    """SYNC of the mark, else of the periodic sync, that is served now."""
    s = m.state[0]
    if s.marks & MARK_EVENT:
        s.marks ^= MARK_EVENT
        return SYNC_EVENT
    if s.marks & MARK_EXTERNAL:
        s.marks ^= MARK_EXTERNAL
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
    s, c = m.state[0], m.config[0]
    pend, early = s.pend, NOWHERE
    hist = 0 if s.hist == EMPTY_HIST else s.hist  # an empty HIST is not sent (NT-9, NT-10)
    ref = iaddr
    if pend:
        s.at = s.pend_at
    if s.start:
        send_sync(m, PROG_SYNC, s.start_because, s.start, ABSENT, 0, iaddr, ABSENT)
        synced(m)
        s.start = 0
        early = C_TRAP_AT_START
    elif pend == INDIRECT:
        early = C_BACK_TO_BACK if s.btype else C_NT12
        if s.marks or s.clock >= s.due:
            code = mark(m)
            clause = mark_clause(code, C_SYNC2_INDIRECT)
            if hist:
                send_sync(m, INDIRECT_HIST_SYNC, clause, code, s.btype, s.icnt, iaddr, hist)
            else:
                send_sync(m, INDIRECT_SYNC, clause, code, s.btype, s.icnt, iaddr, ABSENT)
            synced(m)
        else:
            tcode = INDIRECT_HIST if hist else INDIRECT_BRANCH
            tell(m, tcode, s.because, s.btype, iaddr ^ s.ref, hist, iaddr, countable)
    elif pend == DIRECT:
        early = C_NT12
        if s.marks or s.clock >= s.due:
            code = mark(m)
            send_sync(m, DIRECT_SYNC, mark_clause(code, C_SYNC2_DIRECT), code, ABSENT, s.icnt, iaddr, ABSENT)
            synced(m)
        else:
            tell(m, DIRECT_BRANCH, c.direct_because, 0, 0, 0, iaddr, countable)
            ref = s.ref  # the one message without an address leaves the reference as it is
    elif pend == RESET:
        sync_here(m, SYNC_RESET, iaddr, hist, C_SYNC1)
        early = C_TRAP_AT_START
    elif pend == FULL_ICNT:
        sync_here(m, SYNC_ICNT, iaddr, hist, C_SYNC4)
    else:
        code = mark(m)
        sync_here(m, code, iaddr, hist, mark_clause(code, C_LINEAR))
    s.ref = ref
    s.icnt, s.hist, s.pend = 0, EMPTY_HIST, NONE
    s.at = s.row
    return early


def predicted(m: Columns, iaddr: int) -> int:
    """4.1: whether the decoder knows the target of the pending return (9.2); if so, nothing is pending any more."""
    s, c = m.state[0], m.config[0]
    mode = c.implicit
    wrong = s.popped ^ iaddr
    if mode == PARTIAL:
        wrong &= PARTIAL_BITS
    if wrong and mode != COUNTER:
        s.because = C_PARTIAL if mode == PARTIAL else C_WHOLE
        return 0
    s.pend = NONE
    return 1


def full_after_return(m: Columns, iaddr: int) -> None:
    """8.4.4: the return filled I-CNT, and only this block shows that nothing else reports it."""
    s, c = m.state[0], m.config[0]
    if c.sync4 and s.hist != EMPTY_HIST:
        s.pend, s.pend_at = FULL_ICNT, s.row
        resolve(m, iaddr, 1)
    else:
        send_full(m, C_PREDICTED, RCODE_ICNT, s.icnt)
        s.icnt = 0


def own(m: Columns, clause: int, process: int) -> None:
    """Ownership (7.1)."""
    row = send(m, OWNERSHIP, clause)
    m.rows[row + m.config[0].process_at] = process


def tell_owner(m: Columns, owner: int, trap: int) -> None:
    """4.4: Ownership after a sync message (nothing is known), a change, or a trap or its end (7.1)."""
    s, c = m.state[0], m.config[0]
    was = s.own
    s.own = owner
    hcontext, context = owner >> HCONTEXT_SHIFT, owner >> CONTEXT_SHIFT & 0xFFFF_FFFF
    low = (owner & 7) << 2
    changed = -1 if was < 0 else was ^ owner
    clause = C_AFTER_SYNC if was < 0 else C_PROCESS
    if changed >> HCONTEXT_SHIFT and c.hcontext:
        own(m, clause, hcontext << 5 | low | FORMAT_HCONTEXT)
    if changed >> CONTEXT_SHIFT & 0xFFFF_FFFF:
        own(m, clause, context << 5 | low | FORMAT_SCONTEXT)
    elif not changed >> HCONTEXT_SHIFT:
        own(m, C_TRAP if trap else C_PRIV_CHANGE, low | FORMAT_PRIV)


# The block itself (4.5, 4.6)


def use_stack(m: Columns, b: Blocks, itype: int, back: int) -> int:
    """Pop, then push, what this block's last instruction does; the clause of a pop that found nothing, else NOWHERE."""
    s, c = m.state[0], m.config[0]
    clause, does, depth = NOWHERE, b.does[itype].calls, c.depth
    s.popped = NOWHERE
    if does & POPS:
        if s.deep:
            s.deep -= 1
            s.popped = b.stack[(s.base + s.deep) % depth]
        else:
            clause = C_COUNTER if c.implicit == COUNTER else C_NT4
    if does & PUSHES:
        b.stack[(s.base + s.deep) % depth] = back & c.half_mask
        if s.deep < depth:
            s.deep += 1
        else:
            s.base = (s.base + 1) % depth
    return clause


def full(m: Columns) -> None:
    """Sections 8.3.1, 8.4.4 and 7.8."""
    s, c = m.state[0], m.config[0]
    icnt_full, hist_full = s.icnt >= c.icnt_top, s.hist >= c.hist_top
    if icnt_full and c.sync4 and s.hist != EMPTY_HIST:
        s.pend, s.pend_at = FULL_ICNT, s.row
        return
    both = icnt_full and hist_full and not c.holds
    if icnt_full:
        send_full(m, C_BOTH_FULL if both else C_ICNT_FULL, RCODE_ICNT, s.icnt)
        s.icnt = 0
    if hist_full and c.holds:
        s.hist = hold(m, s.hist)
    elif hist_full:
        send_full(m, C_BOTH_FULL if both else C_HIST_FULL, RCODE_HIST, s.hist)
        s.hist = EMPTY_HIST


def count(m: Columns, b: Blocks, itype: int, iretire: int, early: int) -> None:
    """Take the block into I-CNT and HIST, note what it leaves open; report what is full."""
    s, c = m.state[0], m.config[0]
    s.icnt += iretire
    if c.sync_mode == 3:
        s.clock += iretire
    kind = b.does[itype].what
    if kind == LEAVES:
        s.pend, s.pend_at = INDIRECT, s.row
        s.btype, s.because, s.trap = b.does[itype].btype, b.does[itype].reason, b.does[itype].trap
        if early >= 0 and not s.icnt:  # only a trap comes without an instruction
            s.because = early
        return
    if kind == BRANCHES:
        s.pend, s.pend_at = DIRECT, s.row
        return
    if kind:
        s.hist = s.hist << 1 | (kind - NOT_TAKEN)
        if s.hist == s.rep_hist:
            hold_again(m)
            s.hist = EMPTY_HIST
    if s.icnt >= c.icnt_top or s.hist >= c.hist_top:
        full(m)


def block(m: Columns, b: Blocks, i: int) -> None:
    """One block, whatever it does."""
    s, c, iaddr, itype, iretire = m.state[0], m.config[0], b.iaddrs[i], b.itypes[i], b.iretires[i]
    s.row = s.at = b.places[i]
    flags, owner = 0, NOWHERE
    if c.options:
        flags, owner = b.flags[i], b.owners[i]
        if flags & UNQUALIFIED:
            leave(m)
            return
        if s.filtered:
            s.filtered = 0
            begin(m, SYNC_ENABLE, C_FILTERS)
    known = 1 if s.popped >= 0 and s.pend == INDIRECT and predicted(m, iaddr) else 0
    early, trap, clause = NOWHERE, 0, NOWHERE
    if s.pend or s.start or s.marks or s.clock >= s.due:
        if s.pend == INDIRECT:
            trap = s.trap
        early = resolve(m, iaddr, 1 if not c.owned or (owner == s.own and not trap) else 0)
    elif known and s.icnt >= c.icnt_top:
        full_after_return(m, iaddr)
    if c.options:
        if c.owned and (trap or owner != s.own):
            tell_owner(m, owner, trap)
        if c.implicit:
            clause = use_stack(m, b, itype, iaddr + iretire)
        if flags & SEQUENTIAL:
            if s.icnt or flags & PAIRED:
                itype = 0  # 9.1: the instruction that loads the register is in the same message
            else:
                clause = C_SEQUENTIAL
    count(m, b, itype, iretire, early)
    if clause >= 0:
        s.because = clause
    if flags & WATCHED:
        s.marks |= MARK_EVENT


def blocks(m: Columns, b: Blocks, first: int, last: int, most: int) -> int:
    """Traced blocks up to block `last`, or until more than `most` of `rows` is in use; the next one to look at."""
    s, c, kinds, itypes, iretires = m.state[0], m.config[0], b.kinds, b.itypes, b.iretires
    owners, places, cycles = b.owners, b.places, b.cycles
    mode, icnt_top, hist_top, owned = c.sync_mode, c.icnt_top, c.hist_top, c.owned
    waits = s.pend or s.start or s.marks or s.filtered or s.clock >= s.due
    icnt, hist, i = s.icnt, s.hist, first
    while i < last:
        kind = kinds[i]
        if mode >= 2:
            if mode == 2:
                s.clock = cycles[places[i]]
            waits = waits or s.clock >= s.due
        if waits or kind == CAREFUL or (owned and owners[i] != s.own):
            s.icnt, s.hist = icnt, hist
            block(m, b, i)
            icnt, hist = s.icnt, s.hist
            waits = s.pend or s.start or s.marks or s.filtered or s.clock >= s.due
            i += 1
            if s.used > most:
                break
            continue
        # the same, where nothing waits and no option has to know more
        icnt += iretires[i]
        if mode == 3:
            s.clock += iretires[i]
        if kind >= LEAVES:
            if kind == LEAVES:
                itype = itypes[i]
                s.pend, s.btype, s.because, s.trap = (
                    INDIRECT, b.does[itype].btype, b.does[itype].reason, b.does[itype].trap
                )  # fmt: skip
                s.popped = NOWHERE
            else:
                s.pend = DIRECT
            s.pend_at = places[i]
            waits = True
        else:
            if kind:
                hist = hist << 1 | (kind - NOT_TAKEN)
                if hist == s.rep_hist:
                    s.row = s.at = places[i]
                    hold_again(m)
                    hist = EMPTY_HIST
                    waits = s.clock >= s.due
            if icnt >= icnt_top or hist >= hist_top:
                s.row = s.at = places[i]
                s.icnt, s.hist = icnt, hist
                full(m)
                icnt, hist = s.icnt, s.hist
                waits = s.pend or s.clock >= s.due
                if s.used > most:
                    i += 1
                    break
        i += 1
    s.icnt, s.hist = icnt, hist
    return i


# Rows of Beats


def turn(m: Columns, b: Blocks, at: int) -> None:
    """A row with another level, a pulse or a loss: steps 1 to 6 of the profile, and what a full queue does to them."""
    s, c, flags, turns = m.state[0], m.config[0], b.flags, b.turns
    row, drop, levels, pulses, first, last = (
        turns[at], turns[at + 1], turns[at + 2], turns[at + 3], turns[at + 4], turns[at + 5]
    )  # fmt: skip
    s.row = s.at = row
    if c.sync_mode == 2:
        s.clock = b.cycles[row]
    was, traced, sent = s.levels, s.tracing, s.used
    s.levels = levels
    on = levels & (ENABLE | INST_TRACING | HALTED | LOW_POWER) == ENABLE | INST_TRACING
    s.tracing = 1 if on else 0
    if s.lost:
        if c.options:
            while first < last and flags[first] & UNQUALIFIED:
                first += 1
        if drop or (s.tracing and first == last):
            if pulses >> VENDOR_SHIFT & 0x3F and levels & ENABLE:
                s.ecode |= ECODE_VENDOR
            return
        recover(m)
    elif levels != was:
        edges(m, was, levels, traced)
    if s.tracing:
        blocks(m, b, first, last, s.room)
    if pulses:
        pulse(m, pulses)
    if drop and s.used > sent:
        lose(m, sent)


def run(m: Columns, b: Blocks, count_of_blocks: int) -> int:
    """All rows of Beats; OK, or FULL where there must be more room in `rows` to go on."""
    s, c, flags, places, turns = m.state[0], m.config[0], b.flags, b.places, b.turns
    most = s.room - MARGIN * c.size
    while s.used <= most:
        at = s.next_turn
        last = turns[at + 4] if at < len(turns) else count_of_blocks
        if s.next_block < last:
            i = s.next_block
            if s.lost:  # there is room again; what the filters leave out does not show it
                while s.tracing and c.options and i < last and flags[i] & UNQUALIFIED:
                    i += 1
                if i < last:
                    s.row = s.at = places[i]
                    recover(m)
            if not s.tracing:
                i = last
            s.next_block = blocks(m, b, i, last, most) if i < last else last
        elif at < len(turns):
            turn(m, b, at)
            s.next_block = turns[at + 5]
            s.next_turn = at + TURN_ROW
        else:
            return OK
    return FULL


# Times and bytes


def stamp(m: Columns, b: Blocks) -> None:
    """TSTAMP of each message: the time itself, else what it is later than the time last reported (8.7, NT-15)."""
    s, c, rows, times = m.state[0], m.config[0], m.rows, b.times
    reported = 0
    for at in range(0, s.used, c.size):
        time, tcode = times[rows[at + WHEN]], rows[at]
        if tcode == PROG_SYNC or tcode == DIRECT_SYNC or tcode == INDIRECT_SYNC or tcode == INDIRECT_HIST_SYNC:
            reported = time
            rows[at + c.tstamp_at] = time
        else:
            later = time - reported if time > reported else 0
            reported += later
            rows[at + c.tstamp_at] = later


def end_field(p: Packing, at: int, acc: int, nbits: int, value: int, width: int, mseo: int) -> int:
    """Bytes of nbits of acc and a value of so many bits after them; the offset after them.

    All MDO groups but the last have MSEO=00, the last has `mseo`.
    """
    data, left = p.data, nbits + width
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


def pack_one(p: Packing, row: int, at: int) -> int:
    """The bytes of one message from offset `at` on; the offset after them.

    3.1, 3.2; NT-7: a variable field of value 0 on a byte boundary takes one byte.
    """
    c, rows, fields = p.config[0], p.rows, p.fields
    kind = p.types[rows[row]]
    acc, nbits = rows[row], TCODE_BITS
    for index in range(kind.first, kind.first + kind.count):
        field = fields[index]
        value, width = rows[row + field.column], field.width
        if field.by >= 0 and not field.mask >> rows[row + field.by] & 1:
            continue
        if value < 0:
            if field.optional:
                continue
            value = 0
        if width > 0:
            acc |= value << nbits
            nbits += width
            continue
        if field.extends and c.address_bits:
            width = sent_bits(value, c.address_bits)
            value &= (1 << width) - 1
        else:
            width = bits(value) if value else 1
        at = end_field(p, at, acc, nbits, value, width, FIELD_END)
        acc = nbits = 0
    if nbits:
        at = end_field(p, at, 0, 0, acc, nbits, FIELD_END)
    p.data[at - 1] |= MESSAGE_END
    return at


def pack(p: Packing) -> int:
    """The bytes of all messages; OK, or FULL where `data` must be longer to go on."""
    s, c, rows = p.state[0], p.config[0], p.rows
    most = len(p.data) - LONGEST
    while s.packed < s.used:
        if s.put > most:
            return FULL
        s.put = pack_one(p, s.packed, s.put)
        rows[s.packed + c.size - 1] = s.put
        s.packed += c.size
    return OK
