# SPDX-License-Identifier: Apache-2.0
"""What the encoder model reads of each cycle: `Beats` checked and turned into items (docs/reference/etrace-profile.md,
"Items"), as columns of the kernel.

A qualified block has up to three items, and item `key` = 3 * block + slot: slot 0 is its first instruction, 1 its last
one (a block of one instruction has only this), 2 its trap. Flags describe an item and what comes before and after
it; an item without flags changes nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder import kernel as k
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import PRIVILEGE, IType, Priv

IMPRECISE, PRECISE, ASYNC = 1, 2, 3  # ctype
DRAFT_CTYPE = np.array([ASYNC, PRECISE, IMPRECISE, 0], np.uint8)  # what the codes of the draft ask for
NOTIFICATION = 3  # in the draft: report the first instruction, but not the context

_CALLS = [IType.UNINFERABLE_CALL, IType.INFERABLE_CALL]
_NO_WORDS = np.zeros(0, np.int64)


class _Reading(NamedTuple):
    """How an encoder reads itype: uninferable discontinuities, returns, and what counts as 0."""

    uninferable: list[int]
    returns: list[int]
    nothing: int


_RATIFIED = _Reading([3, 6, 8, 10, 12, 13, 14], [13], 7)
_DRAFT = _Reading([3, 7, 8, 10, 12, 14], [12, 13], 6)


class EncoderError(ValueError):
    """Beats that do not fit the configuration; the text says what to change."""


class Input(NamedTuple):
    """Columns of the kernel, in its order, as arrays; of Beats, views of its own."""

    steps: np.ndarray
    keys: np.ndarray
    whats: np.ndarray
    entries: np.ndarray
    flags: np.ndarray
    present: np.ndarray
    row_of: np.ndarray
    iaddrs: np.ndarray
    iretires: np.ndarray
    larges: np.ndarray
    itypes: np.ndarray
    causes: np.ndarray
    tvals: np.ndarray
    privs: np.ndarray
    contexts: np.ndarray
    drops: np.ndarray
    enables: np.ndarray
    options: np.ndarray
    times: np.ndarray
    next_row: np.ndarray
    places: np.ndarray
    meter: np.ndarray
    base: np.ndarray

    def buffers(self) -> dict[str, Any]:
        """The columns as Python is fastest with them: what is read in order as lists, else as it is."""
        lists = {"steps", "keys", "whats", "entries"}
        columns = self._asdict().items()
        return {name: column.tolist() if name in lists else memoryview(column) for name, column in columns}

    def arrays(self) -> dict[str, Any]:
        """The columns as compiled code takes them."""
        return {
            name: column.view(np.int64) if column.dtype == np.uint64 else np.require(column, requirements="W")
            for name, column in self._asdict().items()
        }


class _Blocks:
    """The qualified blocks. place: in the flattened beats; row: of Beats; goes_on: whether a block continues the trace
    of the block before; noted: those whose last instruction a trigger reports.
    """

    def __init__(self, beats: Beats, config: Config, switched: np.ndarray) -> None:
        tracing = (beats.enable & beats.inst_tracing & ~(beats.halted | beats.in_reset) & 1).view(bool)
        valid = beats.valid().ravel()
        whole = bool(valid.all())
        every = np.arange(len(valid)) if whole else np.flatnonzero(valid)
        rows = every // beats.lanes if beats.lanes > 1 else every
        qualified, noted = tracing[rows], _triggered(beats, every, rows)
        if config.filter:
            accepted, watched = FilterSettings.parse(config.filter, config.xlen).qualify(beats)
            qualified &= accepted.ravel()[every]
            seen = watched.ravel()[every]
            noted = seen if noted is None else noted | seen
        which = np.flatnonzero(qualified)
        self.count = len(which)
        everyone = len(which) == len(every)
        self.place, self.row = (every, rows) if everyone else (every[which], rows[which])
        self.noted = None if noted is None else noted if everyone else noted[which]
        self.whole = whole and everyone
        cut = np.flatnonzero(~tracing | switched)
        self.goes_on = np.ones(self.count, bool)
        if self.count:
            self.goes_on[0] = False
        if not everyone:
            self.goes_on[1:] = which[1:] - which[:-1] == 1
        # a block that comes after a cut, and the block before does not
        self.goes_on[np.searchsorted(self.row, cut[cut <= self.row[-1]] if self.count else cut[:0])] = False
        self._which, self._rows, self._qualified, self._cuts = which, rows, qualified, cut

    def take(self, column: np.ndarray) -> np.ndarray:
        """A lane field of Beats, by block."""
        return column.ravel() if self.whole else column.ravel()[self.place]

    def segments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(first, end, end_row, next_row): the traces without interruption, blocks first to end-1, in row end_row it
        is seen that one ended; and for each block the row of the next block or of the end of its trace.
        """
        first = np.flatnonzero(~self.goes_on)
        end = np.append(first[1:], self.count)[: len(first)]
        next_row = np.append(self.row[1:], k.NEVER)[: self.count]
        far = np.iinfo(np.int64).max
        after = self._which[end - 1] + 1  # the block after the trace, qualified or not
        last = np.minimum(after, len(self._rows) - 1)
        there = after < len(self._rows)
        unqualified = np.where(there & ~self._qualified[last], self._rows[last], far) if self.count else after
        cut = np.append(self._cuts, far)[np.searchsorted(self._cuts, self.row[end - 1], side="right")]
        end_row = np.minimum(unqualified, cut)
        end_row = np.where(end_row == far, k.NEVER, end_row)
        next_row[end - 1] = end_row
        return first, end, end_row, next_row


def read(beats: Beats, config: Config) -> Input:
    """All that there is to encode; EncoderError if the beats do not fit the configuration."""
    _check(beats, config)
    options = beats.toggle ^ np.uint8(config.ioptions)
    switched = np.zeros(len(options), bool)
    switched[1:] = options[1:] != options[:-1]
    switched[:1] = options[:1] != config.ioptions
    toggles = bool(beats.toggle.any())
    blocks = _Blocks(beats, config, switched)
    first, end, end_row, next_row = blocks.segments()
    flags, present = _flags(beats, config, options if toggles else None, blocks)

    relevant = k.BRANCH | k.NOTIFY | k.TRAP | k.BEFORE | k.LAST | k.NEXT_TRAP | k.NEXT_PPCCD | k.NEXT_ASYNC
    every = int(np.bitwise_or.reduce(options, initial=config.ioptions))
    relevant |= k.CALL | k.RETURN if every & k.IMPLICIT_RETURN else 0
    relevant |= k.SPECIAL if config.inst_sync_mode else 0
    keys = np.flatnonzero(flags & np.uint32(relevant))
    whats = flags[keys]
    meter = base = _NO_WORDS
    if config.inst_sync_mode == k.CYCLES:
        meter = base = beats.cycle[blocks.row].astype(np.int64)
    elif config.inst_sync_mode == k.HALF_WORDS:
        iretire = blocks.take(beats.iretire).astype(np.int64)
        meter = np.cumsum(iretire)
        base = meter - iretire
    iaddrs = beats.iaddr.ravel() >> np.uint64(1)
    entries = _entries(beats, config, keys, blocks, iaddrs) if every & k.BRANCH_PREDICTION else _NO_WORDS
    drops = beats.drop if beats.drop.any() else beats.drop[:0]
    return Input(
        _steps(beats, switched, blocks, (first, end, end_row), keys), keys, whats, entries, flags, present, blocks.row,
        iaddrs, beats.iretire.ravel(), beats.ilastsize.ravel(), beats.itype.ravel(), beats.cause.ravel(),
        beats.tval.ravel(), beats.priv.ravel(), beats.context.ravel(), drops, beats.enable,
        options, beats.tstamp, next_row, blocks.place, meter, base,
    )  # fmt: skip


def _triggered(beats: Beats, every: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """The blocks whose last instruction a trigger reports: the last block with instructions of the beat."""
    if not beats.notify.any():
        return None
    noted = np.zeros(len(every), bool)
    filled = np.flatnonzero(beats.iretire.ravel()[every])
    last = np.append(np.diff(rows[filled]) != 0, True)[: len(filled)]
    noted[filled[last]] = beats.notify[rows[filled[last]]] != 0
    return noted


def _steps(
    beats: Beats, switched: np.ndarray, blocks: _Blocks, segments: tuple[np.ndarray, ...], keys: np.ndarray
) -> np.ndarray:
    """Traces, and rows with another `enable` than the row before or with other options while it is 1, in order.

    In a row, a change of levels comes before the blocks.
    """
    was = np.append(0, beats.enable)[:-1]
    rows = np.flatnonzero((beats.enable != was) | (switched & (beats.enable != 0)))
    changes = np.zeros((len(rows), k.STEP_ROW), np.int64)
    changes[:, 1:4] = np.stack([rows, beats.enable[rows], was[rows]], axis=1)
    first, end, end_row = segments
    traces = np.full((len(first), k.STEP_ROW), k.SEGMENT, np.int64)
    begin_row = blocks.row[first]
    items = np.searchsorted(keys, k.SLOTS * first), np.searchsorted(keys, k.SLOTS * end)
    for index, column in enumerate((first, end, begin_row, end_row, *items), 1):
        traces[:, index] = column
    order = np.argsort(np.append(2 * rows, 2 * begin_row + 1), kind="stable")
    return np.concatenate([changes, traces])[order].ravel()


def _kinds(variant: str) -> np.ndarray:
    """The flags of an instruction by its itype."""
    reading = _DRAFT if variant == "draft_0_026" else _RATIFIED
    kinds = np.zeros(16, np.uint32)
    kinds[IType.XRET :] = k.SPECIAL
    kinds[[IType.NOT_TAKEN, IType.TAKEN]] = k.BRANCH | k.NOT_TAKEN, k.BRANCH
    kinds[reading.uninferable] |= k.UNINFERABLE
    kinds[reading.returns] |= k.RETURN
    kinds[_CALLS] |= k.CALL
    kinds[reading.nothing] = 0
    return kinds


def _flags(beats: Beats, config: Config, toggled: np.ndarray | None, blocks: _Blocks) -> tuple[np.ndarray, np.ndarray]:
    """(flags, present), by slot, from the blocks and their neighbours.

    toggled: the options in force in each row of Beats, None if those of the configuration are. What few blocks have is
    entered where it is: most blocks have only what their itype and that of the block before say.
    """
    n, goes_on = blocks.count, blocks.goes_on
    itype, iretire = blocks.take(beats.itype), blocks.take(beats.iretire)
    kinds = _kinds(config.variant)
    some, several = iretire != 0, iretire > np.where(blocks.take(beats.ilastsize) != 0, np.uint16(2), np.uint16(1))
    trap = (itype == IType.EXCEPTION) | (itype == IType.INTERRUPT)
    traps = np.flatnonzero(trap)
    own = kinds[itype]
    if blocks.noted is not None:
        own[blocks.noted & some] |= np.uint32(k.NOTIFY)
    options = np.uint8(config.ioptions) if toggled is None else toggled[blocks.row]

    # sequential: the instruction right before is in this block or the last of the block before, and traced
    inferred = np.zeros(0, np.int64)
    if config.sijump_p and np.any(options & k.SIJUMP):
        inferred = np.flatnonzero((blocks.take(beats.sijump) != 0) & (options & k.SIJUMP != 0))
        before = np.maximum(inferred - 1, 0)
        good = several[inferred] | (goes_on[inferred] & ~trap[before])
        good &= (itype[inferred] != IType.XRET) & (own[inferred] & k.UNINFERABLE != 0)
        if config.ignores_sijump_of_returns:
            good &= itype[inferred] != IType.RETURN
        inferred = inferred[good]
        own[inferred] |= np.uint32(k.SEQUENTIAL)

    # what the first item of each block has after it; without implicit returns no call is open after a return
    after = np.where(kinds & k.UNINFERABLE, np.uint32(k.AFTER_JUMP), np.uint32(0))
    after |= np.where(kinds & k.RETURN, np.uint32(k.AFTER_RETURN), np.uint32(0))
    after[[IType.EXCEPTION, IType.INTERRUPT]] = k.AFTER_TRAP
    ended = after[itype]
    ended[inferred] &= np.uint32(~k.AFTER_JUMP & 0xFFFF_FFFF)
    start = np.empty(n, np.uint32)
    start[1:] = ended[:-1]
    start[~goes_on] = k.FIRST

    # ppccd and context, which few blocks have
    priv = blocks.take(beats.priv)
    moved = np.flatnonzero(priv[1:] != priv[:-1]) + 1
    end = np.zeros(n, np.uint32)  # what the last item of the block before has after it, by block
    end[moved] = k.NEXT_PPCCD | k.NEXT_PRIVILEGE
    start[moved] |= np.uint32(k.PPCCD)
    if beats.ctype.any() or config.variant == "draft_0_026":
        first_of_cycle = np.ones(n, bool)
        first_of_cycle[1:] = blocks.row[1:] != blocks.row[:-1]
        ctype = np.where(first_of_cycle, beats.ctype[blocks.row], np.uint8(0))
        if config.variant == "draft_0_026":
            changed = goes_on & first_of_cycle & _moved(blocks.take(beats.context), config)
            own_reported = changed & some & (ctype == NOTIFICATION)
            ctype = np.where(changed, DRAFT_CTYPE[ctype & 3], np.uint8(0))
            start[own_reported] |= np.uint32(k.NOTIFY)
        precise = np.flatnonzero(ctype >= PRECISE)
        start[precise] |= np.uint32(k.PPCCD)
        end[precise] |= np.uint32(k.NEXT_PPCCD)
        end[ctype == ASYNC] |= np.uint32(k.NEXT_ASYNC)
        start[some & (ctype == IMPRECISE)] |= np.uint32(k.CONTEXT)
    none = np.flatnonzero(~(goes_on & some))
    start[none] &= np.uint32(~k.PPCCD & 0xFFFF_FFFF)
    end[none] = np.where(goes_on[none], np.uint32(k.NEXT_TRAP), np.uint32(k.LAST))
    end = np.append(end[1:], np.uint32(k.LAST))[:n]  # by the block whose last item it is about

    flags, present = np.zeros((n, k.SLOTS), np.uint32), np.zeros((n, k.SLOTS), np.uint8)
    alone = np.where(several, np.uint32(0), start)
    flags[:, k.HEAD] = start ^ alone
    flags[:, k.TAIL] = own | alone | end
    present[:, k.HEAD], present[:, k.TAIL] = several, some
    if len(traps):
        within = some[traps]
        flags[traps, k.TAIL] = np.where(within, own[traps] | alone[traps] | np.uint32(k.NEXT_TRAP), 0)
        flags[traps, k.TRAP_SLOT] = (
            np.where(within, 0, start[traps]) | end[traps] & np.uint32(k.LAST) | np.uint32(k.TRAP)
        )
        present[traps, k.TRAP_SLOT] = 1
    return flags.ravel(), present.ravel()


def _moved(context: np.ndarray, config: Config) -> np.ndarray:
    """The blocks with another context than the block before: in the draft only these have a ctype."""
    width = 0 if config.nocontext_p else config.context_width_p
    return np.diff(context.astype(np.int64) & ((1 << width) - 1), prepend=k.NEVER) != 0


def _entries(beats: Beats, config: Config, keys: np.ndarray, blocks: _Blocks, iaddrs: np.ndarray) -> np.ndarray:
    """The predictor entry of each of these items, if it is the last instruction of its block."""
    place = blocks.place[keys // k.SLOTS]
    last = (
        iaddrs[place]
        + beats.iretire.ravel()[place]
        - np.where(beats.ilastsize.ravel()[place] != 0, 2, 1).astype(np.uint64)
    )
    return (last >> np.uint64(config.iaddress_lsb_p - 1) & np.uint64((1 << config.bpred_size_p) - 1)).astype(np.int64)


def _check(beats: Beats, config: Config) -> None:
    if beats.lanes > config.blocks_p:
        raise EncoderError(
            f"the beats have {beats.lanes} blocks a cycle, the configuration has BLOCKS_P={config.blocks_p}; give"
            f" BLOCKS_P={beats.lanes}"
        )
    for name, column, bits in (
        ("IRETIRE_WIDTH_P", beats.iretire, config.iretire_width_p),
        ("IADDRESS_WIDTH_P", beats.iaddr, config.iaddress_width_p),
        ("ITYPE_WIDTH_P", beats.itype, config.itype_width_p),
    ):
        most = int(column.max(initial=0))
        if most >> bits:
            raise EncoderError(f"a block with {most:#x} does not fit {name}={bits}; give {name}={most.bit_length()}")
    strange = set(np.unique(beats.priv).tolist()) - {
        p for p, code in PRIVILEGE.items() if not code >> config.privilege_width_p
    }
    if strange:
        names = ", ".join(Priv(p).name if p in PRIVILEGE else str(p) for p in sorted(strange))
        raise EncoderError(
            f"privilege {names} does not fit PRIVILEGE_WIDTH_P={config.privilege_width_p}; give PRIVILEGE_WIDTH_P=3"
        )
    built = k.IMPLICIT_EXCEPTION | k.FULL_ADDRESS | (k.SIJUMP if config.sijump_p else 0)
    built |= k.IMPLICIT_RETURN if config.call_counter_size_p or config.return_stack_size_p else 0
    built |= k.BRANCH_PREDICTION if config.bpred_size_p else 0
    built |= k.JUMP_TARGET_CACHE if config.cache_size_p and config.variant != "draft_0_026" else 0
    strange = int(np.bitwise_or.reduce(beats.toggle, initial=0)) & ~built
    if strange:
        names = ", ".join(name for bit, name in enumerate(OPTIONS) if strange >> bit & 1) or f"bits {strange:#x}"
        raise EncoderError(
            f"toggle changes {names}, which this encoder has not; give its parameter or leave that bit 0"
        )
