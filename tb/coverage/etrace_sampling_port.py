"""How the E-Trace points of the ingress port and of the retire stream are counted: whole arrays at a time, from the beats the monitor saw.

Names of points and bins are those of `tb.coverage.etrace_corners`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from models.etrace.packets import OPTIONS, VARIANTS
from models.ntrace.filters import FilterSettings
from models.riscv.beats import Beats
from models.riscv.retired import IType, Kind, Retired
from tb.coverage import etrace_corners as c
from tb.coverage import ingress
from tb.coverage.tally import Tally

if TYPE_CHECKING:
    from scoreboards.etrace_capture import EtraceCapture

_TRAP = (IType.EXCEPTION, IType.INTERRUPT)
_AS_V2 = np.arange(16)  # the codes of draft as those of v2_0
_AS_V2[[IType.RESERVED, IType.COROUTINE_SWAP]] = IType.COROUTINE_SWAP, IType.RETURN
_LANES = {1: 0, 2: 1, 4: 2}
_REPORTS = {VARIANTS[0]: np.arange(4), VARIANTS[1]: np.array([3, 2, 1, 4])}  # ctype to the rows of CTYPES


class _Port:
    """The beats of a run with what the points need of them. itype: as v2_0 codes it; block: mask of the traced blocks."""

    def __init__(self, capture: EtraceCapture) -> None:
        b, config = capture.beats, capture.config
        assert b is not None
        self.beats, self.config, self.lanes = b, config, _LANES[b.lanes]
        self.on = (b.enable & b.inst_tracing & ~b.halted & ~b.in_reset & 1).astype(bool)
        self.valid = b.valid()
        self.block = self.valid & self.on[:, None]
        self.itype = (_AS_V2 if config.variant == VARIANTS[1] else np.arange(16))[b.itype & 15].astype(np.int64)
        self.told, self.watched = self.block, np.zeros_like(self.block)
        if config.filter:
            qualified, self.watched = FilterSettings.parse(config.filter, config.xlen).qualify(b, placed=False)
            self.told = self.block & qualified
        self.wide = config.itype_width_p == 4  # else the codes of jumps say nothing


def sample_port(tally: Tally, capture: EtraceCapture, encoded: Any) -> None:
    """All points of the port and of the stream that this run can tell about."""
    if capture.beats is None or not len(capture.beats):
        return
    port = _Port(capture)
    _blocks(tally, port)
    ingress.controls(tally, port.beats, port.on)
    _stops(tally, port)
    _contexts(tally, port)
    _notified(tally, port)
    _reconfigured(tally, port)
    _filters(tally, port)
    _jumps(tally, capture, port)
    if encoded is not None:
        made = np.bincount(np.asarray(encoded.beat, dtype=np.int64), minlength=len(port.beats))
        tally.array("made_cg", (c.LANES, port.lanes), (("0", "1", "2", "3", "4 or more"), np.minimum(made, 4)))
    retired = capture.retired
    if len(retired):
        on = ingress.traced(retired.kind)
        ingress.privileges(tally, retired)
        ingress.traps(tally, _as_v2(retired, capture.config.variant), on)
        _chains(tally, _as_v2(retired, capture.config.variant), on, capture.config.variant)


def _as_v2(retired: Retired, variant: str) -> Retired:
    result = retired.select(slice(None))
    if variant == VARIANTS[1]:
        result.itype = _AS_V2[retired.itype & 15].astype(np.uint8)
    return result


def _blocks(tally: Tally, port: _Port) -> None:
    """itypes, pairs of them, lanes, lengths."""
    b, block = port.beats, port.block
    variant = VARIANTS.index(port.config.variant)
    tally.array("itype_cg", (VARIANTS, variant), (ingress.ITYPES, b.itype[block].astype(np.int64)))
    tally.array("blocks_cg", (c.LANES, port.lanes), (tuple(map(str, range(5))), port.valid.sum(axis=1)))
    if port.wide:
        code = port.itype[block]
        tally.array("itype_pair_cg", (ingress.ITYPES, code[:-1]), (ingress.ITYPES, code[1:]))
        ingress.blocks(tally, b, block & ~np.isin(port.itype, [IType.UNINFERABLE_JUMP, IType.RESERVED]), (1 << port.config.iretire_width_p) - 2, port.itype)
        for lane in range(1, b.lanes):
            both = block[:, lane]
            tally.array("lane_pair_cg", (c.LANES[1:], port.lanes - 1), (ingress.ITYPES, port.itype[both, lane - 1]), (ingress.ITYPES, port.itype[both, lane]))


def _last(port: _Port, blocks: np.ndarray) -> np.ndarray:
    """For each row the index into c.LAST of the last of these blocks before it, since tracing began; "nothing" if there is none."""
    b, n = port.beats, len(port.beats)
    code, trap = np.full(n, -1), np.isin(port.itype, _TRAP)
    choices = [trap, port.itype == IType.NOT_TAKEN, port.itype == IType.TAKEN, ingress.DIRECT_JUMP[port.itype], ingress.INDIRECT[port.itype]]
    what = np.select(choices, [5, 1, 2, 3, 4], 0)
    busy = blocks.any(axis=1)
    lane = b.lanes - 1 - np.argmax(blocks[:, ::-1], axis=1)
    code[busy] = what[busy, lane[busy]]
    row = np.maximum.accumulate(np.where(busy, np.arange(n), -1))
    before = np.concatenate([[-1], row[:-1]])
    began = np.maximum.accumulate(np.where(port.on & ~np.concatenate([[False], port.on[:-1]]), np.arange(n), -1))
    began = np.concatenate([[-1], began[:-1]])
    return np.where((before >= 0) & (before >= began), code[np.maximum(before, 0)], len(c.LAST) - 1)


def _stops(tally: Tally, port: _Port) -> None:
    """What ended trace, and behind what."""
    b, on = port.beats, port.on
    was = np.concatenate([[False], on[:-1]])
    ended = np.flatnonzero(was & ~on)
    last = _last(port, port.told)
    low = [b.enable[ended] == 0, b.inst_tracing[ended] == 0, b.halted[ended] == 1, b.in_reset[ended] == 1]
    cause = np.select(low, [0, 1, 2, 3])
    tally.array("stop_cg", (c.LAST, last[ended]), (c.CAUSES, cause))
    changed = np.flatnonzero(np.concatenate([[False], b.toggle[1:] != b.toggle[:-1]]) & was & on)
    tally.array("stop_cg", (c.LAST, last[changed]), (c.CAUSES, 4))
    if port.config.filter:
        rows, lanes = np.nonzero(port.block)
        kept, code = port.told[rows, lanes], port.itype[rows, lanes]
        epoch = np.cumsum(on != was)[rows]
        edge = np.flatnonzero(kept[:-1] & ~kept[1:] & (epoch[:-1] == epoch[1:]))
        choices = [np.isin(code, _TRAP), code == IType.NOT_TAKEN, code == IType.TAKEN, ingress.DIRECT_JUMP[code], ingress.INDIRECT[code]]
        tally.array("stop_cg", (c.LAST, np.select(choices, [5, 1, 2, 3, 4], 0)[edge]), (c.CAUSES, 5))


def _contexts(tally: Tally, port: _Port) -> None:
    """Changes of context between traced blocks, by what came right before."""
    b = port.beats
    rows = np.flatnonzero(port.block[:, 0])
    if len(rows) < 2:
        return
    last = _last(port, port.block)[rows]
    moved = np.flatnonzero(np.diff(b.context[rows, 0].astype(np.int64)) != 0) + 1
    places = np.array([0, 1, 1, 2, 3, 4, -1])[last[moved]]
    tally.array("context_cg", (c.CTYPES, _REPORTS[port.config.variant][b.ctype[rows[moved]] & 3]), (c.CONTEXT_PLACES, places))


def _notified(tally: Tally, port: _Port) -> None:
    """The instructions that a trigger or a watchpoint asked for."""
    b = port.beats
    if not port.wide:
        return
    code = np.where(np.isin(port.itype, _TRAP), 0, port.itype)
    retires = port.told & (b.iretire > 0)
    rows = np.flatnonzero((b.notify > 0) & retires.any(axis=1))
    lane = b.lanes - 1 - np.argmax(retires[rows, ::-1], axis=1)
    by = ("trigger", "watchpoint")
    tally.array("notify_cg", (ingress.ITYPES, code[rows, lane]), (by, 0))
    tally.array("notify_cg", (ingress.ITYPES, code[port.watched & retires]), (by, 1))


def _reconfigured(tally: Tally, port: _Port) -> None:
    """Options that changed while the encoder was enabled."""
    b = port.beats
    changed = np.flatnonzero((b.toggle[1:] != b.toggle[:-1]) & (b.enable[1:] > 0) & (b.enable[:-1] > 0)) + 1
    for bit, option in enumerate(OPTIONS):
        now = (b.toggle ^ port.config.ioptions)[changed] >> bit & 1
        rows = changed[(b.toggle[changed] ^ b.toggle[changed - 1]) >> bit & 1 == 1]
        now = (b.toggle[rows] ^ port.config.ioptions) >> bit & 1
        tally.array("reconfigured_cg", ((option,), 0), (("off", "on"), now.astype(np.int64)), (("not traced", "traced"), port.on[rows - 1].astype(np.int64)))


def _filters(tally: Tally, port: _Port) -> None:
    """Conditions that were in force, and left blocks out."""
    text = port.config.filter
    if text and port.told.any() and (port.block & ~port.told).any():
        for name, sign in c.TERMS.items():
            if sign in text:
                tally.one("filter_cg", name)
    elif "watch=" in text and (port.watched & port.told).any():
        tally.one("filter_cg", "watchpoint")


def _jumps(tally: Tally, capture: EtraceCapture, port: _Port) -> None:
    """Jumps that the hart reports as sequentially inferable, and whether their load was seen."""
    b: Beats = port.beats
    marked = port.told & (b.sijump > 0)
    if not marked.any():
        return
    rows, lanes = np.nonzero(port.block)
    told = port.told[rows, lanes]
    jump = (b.sijump[rows, lanes] > 0) & told
    code = port.itype[rows, lanes]
    long = b.iretire[rows, lanes] > 1 + b.ilastsize[rows, lanes].astype(np.int64)
    ends = b.iaddr[rows, lanes] + 2 * b.iretire[rows, lanes].astype(np.uint64)
    epoch = np.cumsum(port.on != np.concatenate([[False], port.on[:-1]]))[rows]
    follows = np.concatenate([[False], (ends[:-1] == b.iaddr[rows, lanes][1:]) & told[:-1] & (code[:-1] == 0) & (epoch[:-1] == epoch[1:])])
    pair = np.where(long, 0, np.where(follows, 1, 2))
    what = np.select([code == IType.UNINFERABLE_CALL, code == IType.RETURN], [1, 2], 0)
    option = 1 << OPTIONS.index("sijump")
    on = (b.toggle[rows] ^ port.config.ioptions) & option > 0
    tally.array("sijump_cg", (c.JUMPS, what[jump]), (c.PAIRS, pair[jump]), (("option off", "option on"), on[jump].astype(np.int64)))


def _chains(tally: Tally, r: Retired, on: np.ndarray, variant: str) -> None:
    """Traps with nothing between them."""
    trap = np.isin(r.kind, (Kind.EXCEPTION, Kind.INTERRUPT)) & on
    first = np.flatnonzero(trap & ~np.concatenate([[False], trap[:-1]]))
    if not len(first):
        return
    stop = np.flatnonzero(trap & ~np.concatenate([trap[1:], [False]]))
    before = np.maximum(first - 1, 0)
    insn = (first > 0) & (r.kind[before] == Kind.INSN) & on[before]
    jumped = insn & ingress.INDIRECT[r.itype[before] & 15]
    place = np.where(jumped, 1, np.where(insn, 0, 2))
    tally.array("chain_cg", (c.CHAIN_PLACES, place), (c.CHAINS, np.minimum(stop - first, 3)), (VARIANTS, VARIANTS.index(variant)))
