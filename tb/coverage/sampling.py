"""How the N-Trace coverage points are counted: whole arrays at a time, from what the monitors saw.

Each function looks at one kind of evidence (retire stream, ingress beats, messages, output cycles) and counts its
points into a `Tally`. Names of points and bins are those of `tb.coverage.points`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from models.riscv.retired import IType, Kind, Priv, Retired
from tb.coverage import points as p
from tb.coverage.model import Counts
from tb.coverage.sampling_options import pending, sample_options
from tb.coverage.tally import Tally, bit_length, classes

if TYPE_CHECKING:
    from models.ntrace.messages import Message
    from scoreboards.capture import Capture

_TRAPS = (Kind.EXCEPTION, Kind.INTERRUPT)
_INDIRECT = np.isin(np.arange(16), [3, 6, 8, 10, 12, 13, 14])
_DIRECT_JUMP = np.isin(np.arange(16), [9, 11, 15])
_PRIV_INDEX = np.full(256, -1)
_PRIV_INDEX[[int(v) for v in Priv]] = np.arange(len(Priv))


def observe(capture: Capture, decoded: Any = None, encoded: Any = None) -> Counts:
    """Counts of all points of one run, not yet stamped."""
    tally = Tally()
    config = capture.config
    lanes = config.blocks if capture.beats is None else capture.beats.lanes
    tally.one("run_cg", config.mode, config.variant, f"RV{config.xlen}", f"{lanes} lane" + "s" * (lanes > 1))
    _stream(tally, capture)
    if capture.beats is not None:
        _beats(tally, capture)
    if decoded is not None:
        _messages(tally, capture, decoded.messages)
        _periodic(tally, capture, decoded)
        if capture.out_cycle is not None:
            _output(tally, capture, decoded.messages, encoded)
        sample_options(tally, capture, decoded, encoded)
    return tally.counts


def _traced(kind: np.ndarray) -> np.ndarray:
    """Whether tracing was on when each row of the stream happened (that of a control row: before it)."""
    on = np.ones(len(kind) + 1, dtype=bool)
    for rise, fall in ((Kind.TRACE_ON, Kind.TRACE_OFF), (Kind.DEBUG_EXIT, Kind.DEBUG_ENTRY)):
        rows = np.flatnonzero((kind == rise) | (kind == fall))
        if len(rows):
            level = np.concatenate([[kind[rows[0]] == fall], kind[rows] == rise])
            on &= np.repeat(level, np.diff(np.concatenate([[0], rows + 1, [len(on)]])))
    return on[:-1]


def _stream(tally: Tally, capture: Capture) -> None:
    """Points of the retire stream: traps, stops, privilege; itypes too when no beats were seen."""
    r, variant = capture.retired, capture.config.variant
    if not len(r):
        return
    kind, on = r.kind, _traced(r.kind)
    if capture.beats is None:
        code = np.where(kind == Kind.INSN, r.itype, np.where(kind <= Kind.INTERRUPT, kind, 16))[on & (kind < Kind.TRACE_ON)]
        _itypes(tally, code.astype(np.int64), variant)
    moved = np.flatnonzero((r.priv[1:] != r.priv[:-1]) & (kind[1:] < Kind.TRACE_ON) & (kind[:-1] < Kind.TRACE_ON))
    tally.array("privilege_cg", (p.PRIVS, _PRIV_INDEX[r.priv[moved]]), (p.PRIVS, _PRIV_INDEX[r.priv[moved + 1]]))
    trap = np.flatnonzero((kind <= Kind.INTERRUPT) & (kind != Kind.INSN) & on)
    for place, mask in _trap_places(r, on, trap):
        which = kind[trap[mask]] - 1
        tally.array("trap_cg", (p.TRAP_PLACES, p.TRAP_PLACES.index(place)), (("exception", "interrupt"), which))
    stop = np.flatnonzero(((kind == Kind.TRACE_OFF) | (kind == Kind.DEBUG_ENTRY)) & on)
    stop = stop[(stop > 0)]
    stop = stop[kind[stop - 1] < Kind.TRACE_ON]
    tally.array("stop_cg", (p.STOP_AFTER, _kind_before(r, stop)), (("trace off", "debug entry"), kind[stop] == Kind.DEBUG_ENTRY),
                (p.MODES, p.MODES.index(capture.config.mode)))  # fmt: skip


def _kind_before(r: Retired, rows: np.ndarray) -> np.ndarray:
    """Index into STOP_AFTER of the row before each row: what was pending."""
    code, kind = r.itype[rows - 1], r.kind[rows - 1]
    choices = [kind != Kind.INSN, code == IType.NOT_TAKEN, code == IType.TAKEN, _DIRECT_JUMP[code], _INDIRECT[code]]
    return np.select(choices, [5, 1, 2, 3, 4], 0)


def _trap_places(r: Retired, on: np.ndarray, trap: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """For each place a mask over the traps; a trap can be in several."""
    before = np.maximum(trap - 1, 0)
    insn = (r.kind[before] == Kind.INSN) & (trap > 0) & on[before]
    code = np.where(insn, r.itype[before], 16)
    after = np.minimum(trap + 1, len(r) - 1)
    _, first_at, number = np.unique(r.pc[trap], return_index=True, return_inverse=True)
    # ecall and ebreak of rc7 retire with itype 1 and stand on straight code.
    masks = [
        (trap == 0) | (r.kind[before] >= Kind.TRACE_ON), (code == IType.NONE) | (code == IType.EXCEPTION),
        code == IType.NOT_TAKEN, code == IType.TAKEN, np.append(_DIRECT_JUMP, False)[code],
        np.isin(code, [6, 8, 10, 12, 14]), code == IType.RETURN, code == IType.XRET,
        (trap > 0) & np.isin(r.kind[before], _TRAPS), first_at[number] != np.arange(len(trap)),
        (r.kind[after] == Kind.TRACE_OFF) | (r.kind[after] == Kind.DEBUG_ENTRY),
    ]  # fmt: skip
    return list(zip(p.TRAP_PLACES, masks))


def _itypes(tally: Tally, code: np.ndarray, variant: str) -> None:
    tally.array("itype_cg", (p.VARIANTS, p.VARIANTS.index(variant)), (p.ITYPES, code))
    tally.array("itype_pair_cg", (p.ITYPES, code[:-1]), (p.ITYPES, code[1:]))


def _beats(tally: Tally, capture: Capture) -> None:
    """Points of the ingress port: blocks and control levels."""
    b, config = capture.beats, capture.config
    assert b is not None
    tracing = (b.enable & b.inst_tracing & (1 - b.halted)).astype(bool)
    valid = b.valid()
    block = valid & tracing[:, None]
    itype = b.itype[block].astype(np.int64)
    _itypes(tally, itype, config.variant)
    iretire = b.iretire[block].astype(np.int64)
    widest = (1 << config.iretire_bits) - 2
    size = np.where(iretire >= widest, 5, classes(iretire, 1, 2, 3, 16))
    tally.array("iretire_cg", (p.IRETIRE_CLASSES, size))
    last = np.where(iretire > 0, b.ilastsize[block].astype(np.int64), -1)
    tally.array("ilastsize_cg", (p.ITYPES, itype), (("16 bit", "32 bit"), last))
    lanes = min(b.lanes, 2) - 1
    blocks = np.minimum(valid.sum(axis=1), 2)
    tally.array("blocks_cg", (("1 lane", "2 lanes"), lanes), (("0 blocks", "1 block", "2 blocks"), blocks))
    if len(b) == 0:
        return
    was = np.concatenate([[False], tracing[:-1]])  # after reset all levels are 0
    changes = [np.diff(level.astype(np.int8), prepend=np.int8(0)) for level in (b.enable, b.inst_tracing, b.halted)]
    many = sum(np.abs(c) for c in changes)
    level = np.select([many > 1] + [c == way for c in changes for way in (1, -1)], [6, 0, 1, 2, 3, 4, 5], -1)
    effect = np.where(tracing & ~was, 0, np.where(was & ~tracing, 1, 2))
    tally.array("control_cg", (p.LEVELS, level), (p.EFFECTS, effect))
    edge = np.where(tracing != was, effect, -1)
    tally.array("edge_block_cg", (("starts", "stops"), edge), (("with a block", "without"), ~valid.any(axis=1)))


def _messages(tally: Tally, capture: Capture, messages: list[Message]) -> None:
    """Points of the bytes sent: types, codes, field values and lengths."""
    config = capture.config
    mode = (p.MODES, p.MODES.index(config.mode))
    variant = (p.VARIANTS, p.VARIANTS.index(config.variant))
    mark = 1 << (config.icnt_bits - 1)
    by_name: dict[str, list[Message]] = {}
    for message in messages:
        by_name.setdefault(message.type.name, []).append(message)
    for name, group in by_name.items():
        if name not in p.MESSAGES:
            continue
        tally.array("message_cg", (p.MESSAGES, np.full(len(group), p.MESSAGES.index(name))), mode, variant)
        columns = _columns(group)
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
            tally.array("icnt_cg", (p.WITH_ICNT, p.WITH_ICNT.index(name)), (p.ICNT_CLASSES, np.where(value < 3, value, small)))
        if "hist" in columns:
            branches = bit_length(columns["hist"]) - 1
            full = np.where(branches >= config.hist_bits - 1, 4, classes(branches, 1, 2, 15))
            tally.array("hist_cg", (p.WITH_HIST, p.WITH_HIST.index(name)), (p.HIST_CLASSES, np.where(branches < 0, -1, full)))
            tally.array("hist_length_cg", (tuple(map(str, range(32))), np.minimum(branches, 31)))
        for index, field in enumerate(("faddr", "uaddr")):
            if field in columns:
                groups = np.maximum(1, -(-bit_length(columns[field]) // 6))
                tally.array("address_cg", (("F-ADDR", "U-ADDR"), index), (("RV32", "RV64"), int(config.xlen == 64)),
                            (tuple(map(str, range(1, 12))), groups - 1))  # fmt: skip
    _sequences(tally, capture, messages)


def _columns(group: list[Message]) -> dict[str, np.ndarray]:
    """The fields that all messages of one type have, as arrays."""
    width = min(len(m.values) for m in group)
    table = zip(*(m.values[:width] for m in group))
    return {key: np.array(column, dtype=np.uint64).astype(np.int64) for key, column in zip(group[0].type.keys, table)}


def _sequences(tally: Tally, capture: Capture, messages: list[Message]) -> None:
    """Points about neighbours: correlations, full counters together, overflow, message lengths."""
    mode, variant = capture.config.mode, capture.config.variant
    open_trace, errors, before = False, 0, None
    evcodes = {0: "0 debug entry", 1: "1 low power", 4: "4 trace disabled"}
    for message, following in pairwise([*messages, None]):
        name = message.type.name
        if name == "ProgTraceCorrelation":
            if (evcode := evcodes.get(message.get("evcode"))) is not None:
                tally.one("evcode_cg", evcode, mode, "closing" if open_trace else "marker")
            open_trace = False
        elif name == "Error":
            open_trace, errors = False, errors + 1
            sync = following.get("sync") if following is not None else None
            case = "is the last message" if following is None else "then SYNC=7" if sync == 7 else "then a later start"
            tally.one("overflow_cg", f"Error {case}", mode)
            if errors == 2:
                tally.one("overflow_cg", "two Errors in one run", mode)
        elif name == "ResourceFull":
            if message.get("rcode") == 0:
                both = following is not None and following.get("rcode") == 1
                tally.one("full_together_cg", "I-CNT then HIST" if both else "I-CNT alone", variant)
            elif message.get("rcode") == 1 and (before is None or before.get("rcode") != 0):
                tally.one("full_together_cg", "HIST alone", variant)
        open_trace = open_trace or message.type.has_sync
        before = message
    if capture.beats is not None and (capture.beats.drop > 0).any() and not errors:
        tally.one("overflow_cg", "no room, but no message to lose", mode)
    offsets = np.array([m.offset for m in messages] + [len(capture.data)])
    length = np.diff(offsets) - 2
    tally.array("length_cg", (tuple(map(str, range(2, 24))), np.where((length >= 0) & (length < 22), length, -1)))


def _periodic(tally: Tally, capture: Capture, decoded: Any) -> None:
    """What each SYNC=2 interrupted."""
    config = capture.config
    if config.inst_sync_mode:
        unit = ("messages", "cycles", "half-words")[config.inst_sync_mode - 1]
        for _, what in pending(capture, decoded, (2,)):
            tally.one("periodic_cg", unit, what, config.mode)


def _output(tally: Tally, capture: Capture, messages: list[Message], encoded: Any) -> None:
    """Points of the byte port over time: gaps within messages, messages waiting while the ingress port stood still."""
    cycle = np.asarray(capture.out_cycle).astype(np.int64)
    begin = np.array([m.offset for m in messages], dtype=np.int64)
    inside = np.ones(len(cycle), dtype=bool)
    inside[begin] = False
    gap = np.diff(cycle)[inside[1:]] - 1
    tally.array("back_pressure_cg", (p.GAPS, np.where(gap < 0, 0, classes(gap, 1, 2, 16))))
    if capture.beats is None or encoded is None or len(encoded.beat) != len(begin) or not len(begin):
        return
    accepted = capture.beats.cycle.astype(np.int64)
    still = np.flatnonzero(np.diff(accepted) > 1)
    made = np.searchsorted(np.asarray(encoded.beat), still, side="right")
    last_byte = cycle[np.append(begin[1:], len(cycle)) - 1]
    waiting = made - np.searchsorted(last_byte, accepted[still] + 1, side="right")
    setting = int(not capture.config.inst_stall_ena)
    tally.array("stall_cg", (("stall", "overflow"), setting), (p.BACKLOGS, classes(waiting, 2, 4, 8)))
