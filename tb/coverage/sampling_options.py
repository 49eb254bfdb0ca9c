"""How the points of `tb.coverage.options` are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from models.ntrace.filters import FilterSettings
from models.riscv.retired import IType, Kind
from tb.coverage import options as o
from tb.coverage.tally import Tally

if TYPE_CHECKING:
    from scoreboards.capture import Capture

_INDIRECT = np.isin(np.arange(16), [3, 6, 8, 10, 12, 13, 14])
_DIRECT_JUMP = np.isin(np.arange(16), [9, 11, 15])
_TOLD = {"NT-4": 1, "NT.9.2.implicit_return": 2, "NT.9.2.mode_counter": 1, "NT.9.2.mode_partial": 2, "NT.9.2.mode_full": 2}


def sample_options(tally: Tally, capture: Capture, decoded: Any, encoded: Any) -> None:
    """All points of the options that this run can tell about."""
    messages = decoded.messages
    _switches(tally, capture, messages)
    _fields(tally, capture, messages)
    _codes(tally, capture, decoded)
    if capture.beats is not None and len(capture.beats):
        _events(tally, capture)
        _filters(tally, capture)
        if encoded is not None and not capture.beats.drop.any():
            _returns(tally, capture, encoded)
    if encoded is not None:
        for clause, hits in Counter(encoded.reasons).items():
            if clause in o.CLAUSES:
                tally.one("ruling_cg", clause, hits=hits)


def _kind(name: str) -> str:
    return "Vendor" if name.startswith("Vendor") else name


def _switches(tally: Tally, capture: Capture, messages: list[Any]) -> None:
    config = capture.config
    on = [name for name, rule in o.SWITCHES.items() if rule(config)]
    for first, second in combinations(on, 2):
        tally.one("option_pair_cg", first, second)
    for name, hits in Counter(_kind(m.type.name) for m in messages).items():
        if name in o.ALL_MESSAGES:
            tally.one("src_cg", str(config.source_bits), name, hits=hits)
            for switch in on:
                tally.one("option_message_cg", name, switch, hits=hits)


def _fields(tally: Tally, capture: Capture, messages: list[Any]) -> None:
    """Lengths of the variable fields, from the bytes: each ends at a byte with MSEO 01 or 11."""
    config, raw = capture.config, np.frombuffer(capture.data, dtype=np.uint8)
    ends = np.flatnonzero(raw & 1)
    starts = np.array([m.offset for m in messages], dtype=np.int64)
    first_end = np.searchsorted(ends, starts)
    groups = np.diff(ends, prepend=-1)
    lengths: dict[str, list[int]] = {}
    extended: Counter[tuple[int, int, int]] = Counter()
    clock = ("external", "internal system", "internal core")[config.ts_mode - 1]
    divided = 0 if config.ts_mode == 1 else config.ts_prescale
    for message, start, end in zip(messages, starts.tolist(), first_end.tolist()):
        begin = start
        for name, is_address in _variable(message):
            if end >= len(ends):
                break
            size = int(ends[end]) - begin + 1 if begin == start else int(groups[end])
            begin = -1
            lengths.setdefault(name, []).append(size)
            if is_address and config.extend_addr_msb:
                extended[int(name == "U-ADDR"), size, int(raw[ends[end]] >> 7)] += 1
            end += 1
        if message.tstamp is not None and config.timestamp:
            what = 0 if message.type.has_sync else 1 + (message.tstamp > 0)
            tally.one("tstamp_cg", clock, ("1", "4", "16", "64")[divided], ("absolute", "difference 0", "difference")[what])
        if message.type.name.startswith("Vendor") and message.values:
            tally.one("vendor_cg", str(message.type.tcode), str(max(2, min(8, lengths["DATA"][-1]))))
    for name, sizes in lengths.items():
        counts = np.bincount(np.minimum(sizes, o.FIELDS[name]))
        for size in np.flatnonzero(counts):
            tally.one("field_length_cg", name, str(size), hits=int(counts[size]))
    for (field, size, top), hits in extended.items():
        if size < 12:
            tally.one("extend_cg", ("F-ADDR", "U-ADDR")[field], f"RV{config.xlen}", str(size), str(top), hits=hits)


def _variable(message: Any) -> list[tuple[str, bool]]:
    """(name, is an address) of the variable fields a message has, in order, TSTAMP included."""
    fields = [(f.name, f.is_address) for f, _ in zip(message.type.fields, message.values) if not f.width]
    return fields + [("TSTAMP", False)] * (message.tstamp is not None)


def pending(capture: Capture, decoded: Any, codes: tuple[int, ...]) -> Iterator[tuple[int, str]]:
    """(SYNC, what was pending) of each sync message with one of these codes.

    B-TYPE tells traps, the program tells jumps from straight code.
    """
    messages = decoded.messages
    rows = [i for i, m in enumerate(messages) if m.type.has_sync and m.get("sync") in codes]
    # pcs before the message that follows = everything this message told.
    ends = np.append(np.asarray(decoded.first_pc), len(decoded.pcs))[[i + 1 for i in rows]] if rows else np.zeros(0, int)
    known = ends > 0
    last = decoded.pcs[np.maximum(ends - 1, 0)] if len(decoded.pcs) else np.zeros(len(rows), np.uint64)
    indirect = known & _INDIRECT[capture.program.columns(last).itype[capture.config.variant] & 15]
    for i, jumped in zip(rows, indirect.tolist()):
        message = messages[i]
        history = " with history" if (message.get("hist") or 1) > 1 else ""
        if message.type.name == "DirectBranchSync":
            what = "taken branch"
        else:
            what = ("trap" if message.get("btype") else "indirect jump" if jumped else "straight code") + history
        yield message.get("sync"), what


def _codes(tally: Tally, capture: Capture, decoded: Any) -> None:
    """Ownership, counts of repeats, ECODE, markers."""
    config, before, synced, trap = capture.config, None, False, False
    largest = (1 << config.repeat_bits) - 1
    for message in decoded.messages:
        name = message.type.name
        if name == "Ownership":
            form = {0: 0, 2: 1, 3: 2}.get(message.values[0] & 3)
            if form is not None:
                tally.one("ownership_cg", o.FORMATS[form], o.OWNED[0 if synced else 1 if trap else 2])
            continue
        if name == "RepeatBranch" and before is not None:
            what = {"DirectBranch": 0, "IndirectBranch": 1, "IndirectBranchHist": 2}.get(before.type.name, 1)
            what = 3 if before.get("btype") else 2 if what == 2 and (before.get("hist") or 1) > 1 else min(what, 1)
            tally.one("repeat_cg", _repeats(message.values[0], largest), o.REPEATED[what])
        elif message.get("rcode") == 2 and config.hist_bits == 32:
            branches = str(message.get("rdata").bit_length() - 1)
            times = _repeats(message.get("hrepeat") or 0, largest)
            if branches in o.PATTERNS and times in o.REPEATS[1:]:
                tally.one("history_cg", times, branches)
        elif name == "Error":
            code = {4: 0, 12: 1, 0x84: 2, 0x8C: 3}.get(message.get("ecode"))
            if code is not None:
                tally.one("ecode_cg", o.ECODES[code])
        synced, trap = message.type.has_sync, bool(message.get("btype")) or name.startswith("IndirectBranch")
        before = message
    for sync, what in pending(capture, decoded, (0, 6)):
        tally.one("marker_cg", "6 watchpoint" if sync else "0 external", what, config.mode)
    for _, what in pending(capture, decoded, (1,)):
        tally.one("reset_cg", what, config.mode)


def _repeats(count: int, largest: int) -> str:
    if count >= largest:
        return o.REPEATS[4]
    return o.REPEATS[0 if count == 1 else 1 if count == 2 else 2 if count < 16 else 3]


def _tracing(capture: Capture) -> np.ndarray:
    b = capture.beats
    return (b.enable & b.inst_tracing & ~b.halted & ~b.low_power & 1).astype(bool)


def _events(tally: Tally, capture: Capture) -> None:
    """What happened in which state: the state is that of the row before."""
    b = capture.beats
    on = np.concatenate([[False], _tracing(capture)[:-1]])
    left_out = np.zeros(len(b), dtype=bool)
    if capture.config.filter:
        qualified, _ = FilterSettings.parse(capture.config.filter, capture.config.xlen).qualify(b)
        busy = b.valid().any(axis=1)
        row = np.maximum.accumulate(np.where(busy, np.arange(len(b)), -1))
        left_out = np.concatenate([[False], ((row >= 0) & ~qualified[np.maximum(row, 0)].any(axis=1))[:-1]])
    state = np.where(~on, 2, np.where(left_out, 1, 0))
    rises = [np.diff(level.astype(np.int8), prepend=np.int8(0)) == 1 for level in (b.in_reset, b.low_power)]
    for index, rows in enumerate((*rises, b.notify > 0, b.ext_notify > 0, b.vendor > 0)):
        tally.array("event_cg", (o.EVENTS, index), (o.STATES, state[rows]))


def _filters(tally: Tally, capture: Capture) -> None:
    """Which conditions were in force, and what the last qualified block was."""
    config, b = capture.config, capture.beats
    if not config.filter:
        return
    qualified, _ = FilterSettings.parse(capture.config.filter, capture.config.xlen).qualify(b)
    lanes = b.valid() & _tracing(capture)[:, None]
    kept, itype = qualified[lanes], b.itype[lanes]
    if not kept.all() and kept.any():
        for name, sign in o.TERMS.items():
            if sign in config.filter:
                tally.one("filter_cg", name, config.mode)
    last = itype[:-1][kept[:-1] & ~kept[1:]].astype(np.int64)
    trap = (last == Kind.EXCEPTION) | (last == Kind.INTERRUPT)
    what = np.select([trap, last == IType.NOT_TAKEN, last == IType.TAKEN, _DIRECT_JUMP[last], _INDIRECT[last]], [5, 1, 2, 3, 4], 0)
    tally.array("filter_edge_cg", (o.LEFT_AFTER, what), (o.MODES, o.MODES.index(config.mode)))


def _told(clauses: dict[str, int], encoded: Any, first: np.ndarray, ends_in: np.ndarray) -> np.ndarray:
    """For each block the number of the clause under which it was told, 0 if none was.

    A message that tells a flow change is made by a block behind it: the first one not told yet of those that end in it
    and stand before a block of that row. first: number of the first block of each row, and one more.
    """
    told = np.zeros(len(ends_in), dtype=np.int64)
    for reason, row in zip(encoded.reasons, encoded.beat):
        number = clauses.get(reason)
        if number:
            for k in range(max(int(first[row]) - 1, 0), max(int(first[row + 1]) - 1, int(first[row]))):
                if ends_in[k] and not told[k]:
                    told[k] = number
                    break
    return told


def _returns(tally: Tally, capture: Capture, encoded: Any) -> None:
    """Returns and sequential jumps, and what the encoder made of each."""
    config, b = capture.config, capture.beats
    if not (config.implicit_return or config.sequential_jump):
        return
    lanes = b.valid() & _tracing(capture)[:, None]
    itype = b.itype[lanes]
    first = np.concatenate([[0], np.cumsum(lanes.sum(axis=1))])
    marked = (b.sijump[lanes] > 0) & bool(config.sequential_jump)
    if config.implicit_return:
        pops = np.isin(itype, (IType.RETURN, IType.COROUTINE_SWAP)) & ~marked
        by_sync = {"NT.8.5.sync2_indirect": 3, "NT.8.5.sync0": 3, "NT.8.5.sync6": 3, "NT.7.12.open_target": 3, "NT-12": 3, "NT-13": 3}
        told = _told(_TOLD | by_sync, encoded, first, pops)[pops]
        names = ("return", "co-routine swap")
        tally.array("return_cg", (o.STACKS, config.implicit_return - 1), (names, itype[pops] == IType.COROUTINE_SWAP),
                    (o.RETURNS, np.where(told == 3, -1, told)))  # fmt: skip
    if config.sequential_jump:
        alone = b.iretire[lanes][marked] == 1 + b.ilastsize[lanes][marked]
        told = _told({"NT.9.1.sequential_jump": 1}, encoded, first, marked)[marked]
        jump = np.select([itype[marked] == 8, itype[marked] == 13, itype[marked] == 12], [1, 2, 3], 0)
        names = ("uninferable jump", "uninferable call", "return", "co-routine swap")
        tally.array("sequential_cg", (names, jump), (("load in the same block", "jump alone in its block"), alone),
                    (("inferred", "told"), told))  # fmt: skip
