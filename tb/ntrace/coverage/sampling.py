# SPDX-License-Identifier: Apache-2.0
"""How the N-Trace coverage points are counted: whole arrays at a time, from what the monitors saw.

Each function looks at one kind of evidence (retire stream, ingress beats, messages, output cycles) and counts its
points into a `Tally`. Names of points and bins are those of `rvtrace.tb.ntrace.coverage.points`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rvtrace.jobs.coverage import Counts
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.riscv.retired import IType, Kind
from rvtrace.scoreboards.ntrace.table import (
    ABSENT,
    TC_CORRELATION,
    TC_DIRECT,
    TC_DIRECT_SYNC,
    TC_ERROR,
    TC_FULL,
    TC_HIST,
    TC_HIST_SYNC,
    TC_INDIRECT,
    TC_INDIRECT_SYNC,
    TC_OWNERSHIP,
    TC_REPEAT,
    MessageTable,
)
from rvtrace.tb.common.coverage import ingress
from rvtrace.tb.common.coverage.port_points import TERMS
from rvtrace.tb.common.coverage.tally import Tally, bit_length, classes
from rvtrace.tb.ntrace.coverage import points as p

if TYPE_CHECKING:
    from rvtrace.models.ntrace.config import Config
    from rvtrace.models.ntrace.table import MessageType
    from rvtrace.models.riscv.beats import Beats
    from rvtrace.scoreboards.ntrace.capture import NtraceCapture


def sample(capture: NtraceCapture, decoded: Any = None, encoded: Any = None) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `merge` with those of other runs.

    decoded: the decoder's result; encoded: the encoder model's, or None. Without them, or without beats, the points
    that need them stay empty. Time is linear, well under 1 us an instruction.
    """
    return p.NTRACE.stamped(observe(capture, decoded, encoded))


def observe(capture: NtraceCapture, decoded: Any = None, encoded: Any = None) -> Counts:
    """Counts of all points of one run, not yet stamped."""
    tally = Tally()
    config = capture.config
    lanes = config.blocks if capture.beats is None else capture.beats.lanes
    tally.one("run_cg", config.mode, config.variant, f"RV{config.xlen}", f"{lanes} lane" + "s" * (lanes > 1))
    _stream(tally, capture)
    if capture.beats is not None:
        _beats(tally, capture)
    if decoded is not None:
        table = MessageTable(decoded.log if hasattr(decoded, "log") else decoded.messages)
        _messages(tally, capture, table)
        _periodic(tally, capture, decoded, table)
        if capture.out_cycle is not None:
            _output(tally, capture, table, encoded)
        sample_options(tally, capture, decoded, encoded, table)
    return tally.counts


def _stream(tally: Tally, capture: NtraceCapture) -> None:
    """Points of the retire stream: traps, stops, privilege; itypes too when no beats were seen."""
    r = capture.retired
    if not len(r):
        return
    kind, on = r.kind, ingress.traced(r.kind)
    if capture.beats is None:
        code = np.where(kind == Kind.INSN, r.itype, np.where(kind <= Kind.INTERRUPT, kind, 16))[
            on & (kind < Kind.TRACE_ON)
        ]
        ingress.itypes(tally, code.astype(np.int64), p.VARIANTS, capture.config.variant)
    ingress.privileges(tally, r)
    ingress.traps(tally, r, on)
    stop = np.flatnonzero(((kind == Kind.TRACE_OFF) | (kind == Kind.DEBUG_ENTRY)) & on)
    stop = stop[(stop > 0)]
    stop = stop[kind[stop - 1] < Kind.TRACE_ON]
    tally.array(
        "stop_cg",
        (p.STOP_AFTER, ingress.kind_before(r, stop)),
        (("trace off", "debug entry"), kind[stop] == Kind.DEBUG_ENTRY),
        (p.MODES, p.MODES.index(capture.config.mode)),
    )


def _beats(tally: Tally, capture: NtraceCapture) -> None:
    """Points of the ingress port: blocks and control levels."""
    b, config = capture.beats, capture.config
    assert b is not None
    tracing = (b.enable & b.inst_tracing & (1 - b.halted)).astype(bool)
    valid = b.valid()
    block = valid & tracing[:, None]
    ingress.itypes(tally, b.itype[block].astype(np.int64), p.VARIANTS, config.variant)
    ingress.blocks(tally, b, block, (1 << config.iretire_bits) - 2)
    lanes, held = min(b.lanes, 2) - 1, np.minimum(valid.sum(axis=1), 2)
    tally.array("blocks_cg", (("1 lane", "2 lanes"), lanes), (("0 blocks", "1 block", "2 blocks"), held))
    ingress.controls(tally, b, tracing)


def _groups(table: MessageTable) -> Iterator[tuple[MessageType, np.ndarray]]:
    """The types that were sent, each with the numbers of its messages."""
    order = np.argsort(table.tcode, kind="stable")
    tcodes, first = np.unique(table.tcode[order], return_index=True)
    for _, numbers in zip(tcodes, np.split(order, first[1:])):
        yield table.messages[int(numbers[0])].type, numbers


def _messages(tally: Tally, capture: NtraceCapture, table: MessageTable) -> None:
    """Points of the bytes sent: types, codes, field values and lengths."""
    config = capture.config
    mode = (p.MODES, p.MODES.index(config.mode))
    variant = (p.VARIANTS, p.VARIANTS.index(config.variant))
    mark = 1 << (config.icnt_bits - 1)
    for type_, numbers in _groups(table):
        name = type_.name
        if name not in p.MESSAGES:
            continue
        tally.array("message_cg", (p.MESSAGES, np.full(len(numbers), p.MESSAGES.index(name))), mode, variant)
        columns = {f.key: table[f.key][numbers] for f in type_.own}
        columns = {key: column for key, column in columns.items() if (column != ABSENT).all()}
        if "sync" in columns:
            syncs = {int(text.split()[0]): i for i, text in enumerate(p.SYNCS)}
            codes = np.array([syncs.get(code, -1) for code in range(16)])[columns["sync"]]
            tally.array("sync_cg", (p.SYNCS, codes), (p.WITH_SYNC, p.WITH_SYNC.index(name)))
        if "btype" in columns:
            tally.array("btype_cg", (p.BTYPES, columns["btype"]), (p.WITH_BTYPE, p.WITH_BTYPE.index(name)))
        if "rcode" in columns:
            rcode = np.where(columns["rcode"] < 3, columns["rcode"], -1)
            tally.array("rcode_cg", (("0 I-CNT", "1 HIST", "2 HIST repeated"), rcode), mode, variant)
            columns["icnt"] = columns["rdata"][rcode == 0]
            columns["hist"] = columns["rdata"][rcode == 1]
        if "icnt" in columns:
            value = columns["icnt"]
            small = np.where(value < mark // 2, classes(value, 1, 2, 3, 16), np.where(value < mark, 5, 6))
            tally.array(
                "icnt_cg", (p.WITH_ICNT, p.WITH_ICNT.index(name)), (p.ICNT_CLASSES, np.where(value < 3, value, small))
            )
        if "hist" in columns:
            branches = bit_length(columns["hist"]) - 1
            full = np.where(branches >= config.hist_bits - 1, 4, classes(branches, 1, 2, 15))
            tally.array(
                "hist_cg", (p.WITH_HIST, p.WITH_HIST.index(name)), (p.HIST_CLASSES, np.where(branches < 0, -1, full))
            )
            tally.array("hist_length_cg", (tuple(map(str, range(32))), np.minimum(branches, 31)))
        for index, field in enumerate(("faddr", "uaddr")):
            if field in columns:
                groups = np.maximum(1, -(-bit_length(columns[field]) // 6))
                tally.array("address_cg", (("F-ADDR", "U-ADDR"), index), (("RV32", "RV64"), int(config.xlen == 64)),
                            (tuple(map(str, range(1, 12))), groups - 1))  # fmt: skip
    _sequences(tally, capture, table)


def _sequences(tally: Tally, capture: NtraceCapture, table: MessageTable) -> None:
    """Points about neighbours: correlations, full counters together, overflow, message lengths."""
    mode, variant, n = capture.config.mode, capture.config.variant, len(table)
    numbers, rcode, sync = np.arange(n), table["rcode"], table["sync"]
    stops = table.is_a(TC_CORRELATION, TC_ERROR)
    opened, closed = (np.maximum.accumulate(np.where(mask, numbers, -1)) for mask in (sync != ABSENT, stops))
    evcodes = {0: "0 debug entry", 1: "1 low power", 4: "4 trace disabled"}
    errors = 0
    for i in np.flatnonzero(stops).tolist():
        if table.tcode[i] == TC_CORRELATION:
            if (evcode := evcodes.get(int(table["evcode"][i]))) is not None:
                is_open = i > 0 and opened[i - 1] > closed[i - 1]
                tally.one("evcode_cg", evcode, mode, "closing" if is_open else "marker")
            continue
        errors += 1
        last, code = i + 1 == n, sync[min(i + 1, n - 1)]
        case = "is the last message" if last else "then SYNC=7" if code == 7 else "then a later start"
        tally.one("overflow_cg", f"Error {case}", mode)
        if errors == 2:
            tally.one("overflow_cg", "two Errors in one run", mode)
    full = table.is_a(TC_FULL)
    counts, histories = full & (rcode == 0), full & (rcode == 1)
    follows = np.append(rcode[1:] == 1, False)[:n]
    alone = np.append(True, rcode[:-1] != 0)[:n]
    for mask, what in (
        (counts & follows, "I-CNT then HIST"), (counts & ~follows, "I-CNT alone"), (histories & alone, "HIST alone"),
    ):  # fmt: skip
        if hits := int(np.count_nonzero(mask)):
            tally.one("full_together_cg", what, variant, hits=hits)
    if capture.beats is not None and (capture.beats.drop > 0).any() and not errors:
        tally.one("overflow_cg", "no room, but no message to lose", mode)
    length = np.diff(table.offset, append=len(capture.data)) - 2
    tally.array("length_cg", (tuple(map(str, range(2, 24))), np.where((length >= 0) & (length < 22), length, -1)))


def _periodic(tally: Tally, capture: NtraceCapture, decoded: Any, table: MessageTable) -> None:
    """What each SYNC=2 interrupted."""
    config = capture.config
    if config.inst_sync_mode:
        unit = ("messages", "cycles", "half-words")[config.inst_sync_mode - 1]
        for _, what in pending(capture, decoded, table, (2,)):
            tally.one("periodic_cg", unit, what, config.mode)


def _output(tally: Tally, capture: NtraceCapture, table: MessageTable, encoded: Any) -> None:
    """Points of the byte port over time: gaps within messages, messages waiting while the ingress port was stalled."""
    cycle = np.asarray(capture.out_cycle).astype(np.int64)
    begin = table.offset
    ingress.gaps(tally, cycle, begin)
    if capture.beats is None or encoded is None or len(encoded.beat) != len(begin) or not len(begin):
        return
    ingress.backlog(
        tally,
        capture.beats,
        np.asarray(encoded.beat),
        cycle[np.append(begin[1:], len(cycle)) - 1],
        bool(capture.config.inst_stall_ena),
    )


_INDIRECT = np.isin(np.arange(16), [3, 6, 8, 10, 12, 13, 14])
_DIRECT_JUMP = np.isin(np.arange(16), [9, 11, 15])
_REPORTED = {
    "NT-4": 1,
    "NT.9.2.implicit_return": 2,
    "NT.9.2.mode_counter": 1,
    "NT.9.2.mode_partial": 2,
    "NT.9.2.mode_full": 2,
}


def sample_options(tally: Tally, capture: NtraceCapture, decoded: Any, encoded: Any, table: MessageTable) -> None:
    """All points of the options that this run can hit."""
    _switches(tally, capture, table)
    _fields(tally, capture, table)
    _codes(tally, capture, decoded, table)
    config, beats = capture.config, capture.beats
    if beats is not None and len(beats):
        _events(tally, config, beats)
        _filters(tally, config, beats)
        if encoded is not None and not beats.drop.any():
            _returns(tally, config, beats, encoded)
    if encoded is not None:
        for clause, hits in Counter(encoded.reasons).items():
            if clause in p.CLAUSES:
                tally.one("ruling_cg", clause, hits=hits)


def _kind(name: str) -> str:
    return "Vendor" if name.startswith("Vendor") else name


def _switches(tally: Tally, capture: NtraceCapture, table: MessageTable) -> None:
    config = capture.config
    on = [name for name, rule in p.SWITCHES.items() if rule(config)]
    for first, second in combinations(on, 2):
        tally.one("option_pair_cg", first, second)
    for type_, numbers in _groups(table):
        name = _kind(type_.name)
        if name in p.ALL_MESSAGES:
            tally.one("src_cg", str(config.source_bits), name, hits=len(numbers))
            for switch in on:
                tally.one("option_message_cg", name, switch, hits=len(numbers))


def _fields(tally: Tally, capture: NtraceCapture, table: MessageTable) -> None:
    """Lengths of the variable fields, from the bytes: each ends at a byte with MSEO 01 or 11."""
    config, raw = capture.config, np.frombuffer(capture.data, dtype=np.uint8)
    ends = np.flatnonzero(raw & 1)
    first_end = np.searchsorted(ends, table.offset)
    groups = np.diff(ends, prepend=-1)
    clock = ("external", "internal system", "internal core")[config.ts_mode - 1]
    divided = ("1", "4", "16", "64")[0 if config.ts_mode == 1 else config.ts_prescale]
    for type_, members in _groups(table):
        for f in type_.fields:
            if f in p.CODED:
                codes = dict(zip(f.codes, f.bins))
                for code, hits in Counter(table[f.key][members].tolist()).items():
                    if code in codes:
                        tally.one("code_cg", f"{f.name} {codes[code]}", hits=hits)
        stamps = members[table.timed[members]]
        if len(stamps) and config.timestamp:
            later = int(np.count_nonzero(table.tstamp[stamps]))
            whats = (("absolute", len(stamps)),) if type_.has_sync else (
                ("difference 0", len(stamps) - later), ("difference", later))  # fmt: skip
            for what, hits in whats:
                if hits:
                    tally.one("tstamp_cg", clock, divided, what, hits=hits)
        variable = [f for f in type_.fields if f.width == VARIABLE]
        shape = sum((table[f.key][members] != ABSENT).astype(np.int64) << n for n, f in enumerate(variable))
        for one in np.unique(shape).tolist():
            numbers = members[shape == one]
            for place, f in enumerate(f for n, f in enumerate(variable) if one >> n & 1):
                name = f.name
                end = first_end[numbers] + place
                there, end = end < len(ends), end[end < len(ends)]
                sizes = groups[end] if place else ends[end] - table.offset[numbers[there]] + 1
                counts = np.bincount(np.minimum(sizes, p.FIELDS[name]))
                for size in np.flatnonzero(counts):
                    tally.one("field_length_cg", name, str(size), hits=int(counts[size]))
                if f.is_address and config.extend_addr_msb:
                    what = (("F-ADDR", "U-ADDR"), int(name == "U-ADDR")), ((f"RV{config.xlen}",), 0)
                    axes = (_SIZES, np.where(sizes < len(_SIZES), sizes, -1)), (("0", "1"), raw[ends[end]] >> 7)
                    tally.array("extend_cg", *what, *axes)
                if name == "DATA" and type_.name.startswith("Vendor"):
                    wide = np.bincount(np.clip(sizes, 2, 8))
                    for size in np.flatnonzero(wide):
                        tally.one("vendor_cg", str(type_.tcode), str(size), hits=int(wide[size]))


_SIZES = tuple(map(str, range(12)))  # bytes of an address


def pending(
    capture: NtraceCapture, decoded: Any, table: MessageTable, codes: tuple[int, ...]
) -> Iterator[tuple[int, str]]:
    """(SYNC, what was pending) of each sync message with one of these codes.

    B-TYPE shows traps; the program distinguishes jumps from straight code.
    """
    rows = np.flatnonzero(np.isin(table["sync"], codes))
    # pcs before the message that follows = everything this message reported.
    ends = np.append(np.asarray(decoded.first_pc), len(decoded.pcs))[rows + 1] if len(rows) else np.zeros(0, int)
    known = ends > 0
    last = decoded.pcs[np.maximum(ends - 1, 0)] if len(decoded.pcs) else np.zeros(len(rows), np.uint64)
    indirect = known & _INDIRECT[capture.program.columns(last).itype[capture.config.variant] & 15]
    for i, jumped in zip(rows.tolist(), indirect.tolist()):
        history = " with history" if table["hist"][i] > 1 else ""
        if table.tcode[i] == TC_DIRECT_SYNC:
            what = "taken branch"
        else:
            what = ("trap" if table["btype"][i] > 0 else "indirect jump" if jumped else "straight code") + history
        yield int(table["sync"][i]), what


def _codes(tally: Tally, capture: NtraceCapture, decoded: Any, table: MessageTable) -> None:
    """Ownership, counts of repeats, ECODE, markers."""
    config, largest = capture.config, (1 << capture.config.repeat_bits) - 1
    tcode, rcode, owned = table.tcode, table["rcode"], table.tcode == TC_OWNERSHIP
    last = np.maximum.accumulate(np.where(owned, -1, np.arange(len(table))))
    before = np.concatenate([[-1], last[:-1]])[: len(table)]  # the message before that is no Ownership, -1 if none
    for i in np.flatnonzero(owned | table.is_a(TC_REPEAT, TC_ERROR) | (rcode == 2)).tolist():
        b = int(before[i])
        if tcode[i] == TC_OWNERSHIP:
            synced, trap = b >= 0 and table["sync"][b] != ABSENT, b >= 0 and _traps(table, b)
            form = {0: 0, 2: 1, 3: 2}.get(int(table["process"][i]) & 3)
            if form is not None:
                tally.one("ownership_cg", p.FORMATS[form], p.OWNED[0 if synced else 1 if trap else 2])
        elif tcode[i] == TC_REPEAT and b >= 0:
            what = {TC_DIRECT: 0, TC_INDIRECT: 1, TC_HIST: 2}.get(int(tcode[b]), 1)
            what = 3 if table["btype"][b] > 0 else 2 if what == 2 and table["hist"][b] > 1 else min(what, 1)
            tally.one("repeat_cg", _repeats(int(table["bcnt"][i]), largest), p.REPEATED[what])
        elif rcode[i] == 2 and config.hist_bits == 32:
            branches = str(int(table["rdata"][i]).bit_length() - 1)
            times = _repeats(max(int(table["hrepeat"][i]), 0), largest)
            if branches in p.PATTERNS and times in p.REPEATS[1:]:
                tally.one("history_cg", times, branches)
        elif tcode[i] == TC_ERROR:
            code = {4: 0, 12: 1, 0x84: 2, 0x8C: 3}.get(int(table["ecode"][i]))
            if code is not None:
                tally.one("ecode_cg", p.ECODES[code])
    for sync, what in pending(capture, decoded, table, (0, 6)):
        tally.one("marker_cg", "6 watchpoint" if sync else "0 external", what, config.mode)
    for _, what in pending(capture, decoded, table, (1,)):
        tally.one("reset_cg", what, config.mode)


def _traps(table: MessageTable, i: int) -> bool:
    """Whether a message may report a trap."""
    return table["btype"][i] > 0 or table.tcode[i] in (TC_INDIRECT, TC_INDIRECT_SYNC, TC_HIST, TC_HIST_SYNC)


def _repeats(count: int, largest: int) -> str:
    if count >= largest:
        return p.REPEATS[4]
    return p.REPEATS[0 if count == 1 else 1 if count == 2 else 2 if count < 16 else 3]


def _tracing(b: Beats) -> np.ndarray:
    return (b.enable & b.inst_tracing & ~b.halted & ~b.low_power & 1).astype(bool)


def _events(tally: Tally, config: Config, b: Beats) -> None:
    """What happened in which state: the state is that of the row before."""
    on = np.concatenate([[False], _tracing(b)[:-1]])
    left_out = np.zeros(len(b), dtype=bool)
    if config.filter:
        qualified, _ = FilterSettings.parse(config.filter, config.xlen).qualify(b)
        busy = b.valid().any(axis=1)
        row = np.maximum.accumulate(np.where(busy, np.arange(len(b)), -1))
        left_out = np.concatenate([[False], ((row >= 0) & ~qualified[np.maximum(row, 0)].any(axis=1))[:-1]])
    state = np.where(~on, 2, np.where(left_out, 1, 0))
    rises = [np.diff(level.astype(np.int8), prepend=np.int8(0)) == 1 for level in (b.in_reset, b.low_power)]
    for index, rows in enumerate((*rises, b.notify > 0, b.ext_notify > 0, b.vendor > 0)):
        tally.array("event_cg", (p.EVENTS, index), (p.STATES, state[rows]))


def _filters(tally: Tally, config: Config, b: Beats) -> None:
    """Which conditions were in force, and what the last qualified block was."""
    if not config.filter:
        return
    qualified, _ = FilterSettings.parse(config.filter, config.xlen).qualify(b)
    lanes = b.valid() & _tracing(b)[:, None]
    kept, itype = qualified[lanes], b.itype[lanes]
    if not kept.all() and kept.any():
        for name, sign in TERMS.items():
            if sign in config.filter:
                tally.one("filter_cg", name, config.mode)
    last = itype[:-1][kept[:-1] & ~kept[1:]].astype(np.int64)
    trap = (last == Kind.EXCEPTION) | (last == Kind.INTERRUPT)
    what = np.select(
        [trap, last == IType.NOT_TAKEN, last == IType.TAKEN, _DIRECT_JUMP[last], _INDIRECT[last]], [5, 1, 2, 3, 4], 0
    )
    tally.array("filter_edge_cg", (p.LEFT_AFTER, what), (p.MODES, p.MODES.index(config.mode)))


def _reported(clauses: dict[str, int], encoded: Any, first: np.ndarray, ends_in: np.ndarray) -> np.ndarray:
    """For each block the number of the clause under which it was reported, 0 if none was.

    A message that reports a flow change is made by a later block. It reports the first flow change not reported yet
    among those that precede a block of that row. first: number of the first block of each row, and one more.
    """
    reported = np.zeros(len(ends_in), dtype=np.int64)
    for reason, row in zip(encoded.reasons, encoded.beat):
        number = clauses.get(reason)
        if number:
            for k in range(max(int(first[row]) - 1, 0), max(int(first[row + 1]) - 1, int(first[row]))):
                if ends_in[k] and not reported[k]:
                    reported[k] = number
                    break
    return reported


def _returns(tally: Tally, config: Config, b: Beats, encoded: Any) -> None:
    """Returns and sequential jumps, and what the encoder made of each."""
    if not (config.implicit_return or config.sequential_jump):
        return
    lanes = b.valid() & _tracing(b)[:, None]
    itype = b.itype[lanes]
    first = np.concatenate([[0], np.cumsum(lanes.sum(axis=1))])
    marked = (b.sijump[lanes] > 0) & bool(config.sequential_jump)
    if config.implicit_return:
        pops = np.isin(itype, (IType.RETURN, IType.COROUTINE_SWAP)) & ~marked
        by_sync = {
            "NT.8.5.sync2_indirect": 3,
            "NT.8.5.sync0": 3,
            "NT.8.5.sync6": 3,
            "NT.7.12.open_target": 3,
            "NT-12": 3,
            "NT-13": 3,
        }
        reported = _reported(_REPORTED | by_sync, encoded, first, pops)[pops]
        names = ("return", "co-routine swap")
        tally.array("return_cg", (p.STACKS, config.implicit_return - 1), (names, itype[pops] == IType.COROUTINE_SWAP),
                    (p.RETURNS, np.where(reported == 3, -1, reported)))  # fmt: skip
    if config.sequential_jump:
        alone = b.iretire[lanes][marked] == 1 + b.ilastsize[lanes][marked]
        reported = _reported({"NT.9.1.sequential_jump": 1}, encoded, first, marked)[marked]
        jump = np.select([itype[marked] == 8, itype[marked] == 13, itype[marked] == 12], [1, 2, 3], 0)
        names = ("uninferable jump", "uninferable call", "return", "co-routine swap")
        tally.array("sequential_cg", (names, jump), (("load in the same block", "jump alone in its block"), alone),
                    (("inferred", "told"), reported))  # fmt: skip
