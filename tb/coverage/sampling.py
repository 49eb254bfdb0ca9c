"""How the N-Trace coverage points are counted: whole arrays at a time, from what the monitors saw.

Each function looks at one kind of evidence (retire stream, ingress beats, messages, output cycles) and counts its
points into a `Tally`. Names of points and bins are those of `tb.coverage.points`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from models.riscv.retired import Kind
from tb.coverage import ingress
from tb.coverage import points as p
from tb.coverage.model import Counts
from tb.coverage.sampling_options import pending, sample_options
from tb.coverage.tally import Tally, bit_length, classes

if TYPE_CHECKING:
    from models.ntrace.messages import Message
    from scoreboards.capture import Capture


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


def _stream(tally: Tally, capture: Capture) -> None:
    """Points of the retire stream: traps, stops, privilege; itypes too when no beats were seen."""
    r = capture.retired
    if not len(r):
        return
    kind, on = r.kind, ingress.traced(r.kind)
    if capture.beats is None:
        code = np.where(kind == Kind.INSN, r.itype, np.where(kind <= Kind.INTERRUPT, kind, 16))[on & (kind < Kind.TRACE_ON)]
        ingress.itypes(tally, code.astype(np.int64), p.VARIANTS, capture.config.variant)
    ingress.privileges(tally, r)
    ingress.traps(tally, r, on)
    stop = np.flatnonzero(((kind == Kind.TRACE_OFF) | (kind == Kind.DEBUG_ENTRY)) & on)
    stop = stop[(stop > 0)]
    stop = stop[kind[stop - 1] < Kind.TRACE_ON]
    tally.array("stop_cg", (p.STOP_AFTER, ingress.kind_before(r, stop)), (("trace off", "debug entry"), kind[stop] == Kind.DEBUG_ENTRY),
                (p.MODES, p.MODES.index(capture.config.mode)))  # fmt: skip


def _beats(tally: Tally, capture: Capture) -> None:
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
    ingress.gaps(tally, cycle, begin)
    if capture.beats is None or encoded is None or len(encoded.beat) != len(begin) or not len(begin):
        return
    ingress.backlog(tally, capture.beats, np.asarray(encoded.beat), cycle[np.append(begin[1:], len(cycle)) - 1], bool(capture.config.inst_stall_ena))
