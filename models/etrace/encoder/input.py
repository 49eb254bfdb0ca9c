# SPDX-License-Identifier: Apache-2.0
"""What the encoder model reads of each cycle: `Beats` checked and turned into items (docs/reference/etrace-profile.md,
"Items").

A qualified block has up to three items, and item `key` = 3 * block + slot: slot 0 is its first instruction, 1 its last
one (a block of one instruction has only this), 2 its trap. Flags describe an item and what comes before and after
it; an item without flags changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import PRIVILEGE, IType, Priv

HEAD, TAIL, TRAP_SLOT = range(3)
SLOTS = 3
IMPLICIT_RETURN, IMPLICIT_EXCEPTION, FULL_ADDRESS, JUMP_TARGET_CACHE, BRANCH_PREDICTION, SIJUMP = (
    1 << i for i in range(len(OPTIONS))
)

# Flags of an item. A branch with nothing else to it has BRANCH, or BRANCH and NOT_TAKEN, and so less than QUIET.
NOT_TAKEN, BRANCH, QUIET = 1, 2, 4
SPECIAL = 1 << 2  # a resynchronization may follow it, as it may follow a branch
UNINFERABLE, SEQUENTIAL, RETURN, CALL = (
    1 << 3,
    1 << 4,
    1 << 5,
    1 << 6,
)  # sequential: inferred from the instruction before
NOTIFY, TRAP = 1 << 7, 1 << 8
FIRST, AFTER_TRAP, AFTER_JUMP, AFTER_RETURN, PPCCD = (
    1 << 9,
    1 << 10,
    1 << 11,
    1 << 12,
    1 << 13,
)  # jump: uninferable and not sequential
CONTEXT = 1 << 14  # it changed, and may be reported imprecisely
LAST, NEXT_TRAP, NEXT_PPCCD, NEXT_ASYNC, NEXT_PRIVILEGE = (
    1 << 15,
    1 << 16,
    1 << 17,
    1 << 18,
    1 << 19,
)  # ppccd by ctype 3, by privilege
RESYNC = 1 << 20  # found while encoding
BEFORE = FIRST | AFTER_TRAP | AFTER_JUMP | AFTER_RETURN | PPCCD | CONTEXT

IMPRECISE, PRECISE, ASYNC = 1, 2, 3  # ctype
DRAFT_CTYPE = np.array([ASYNC, PRECISE, IMPRECISE, 0], np.uint8)  # what the codes of the draft ask for
NOTIFICATION = 3  # in the draft: report the first instruction, but not the context
NEVER = -1  # a row that does not come

PACKETS, CYCLES, HALF_WORDS = 1, 2, 3  # inst_sync_mode

_CALLS = [IType.UNINFERABLE_CALL, IType.INFERABLE_CALL]


class _Reading(NamedTuple):
    """How an encoder reads itype: uninferable discontinuities, returns, and what counts as 0."""

    uninferable: list[int]
    returns: list[int]
    nothing: int


_RATIFIED = _Reading([3, 6, 8, 10, 12, 13, 14], [13], 7)
_DRAFT = _Reading([3, 7, 8, 10, 12, 14], [12, 13], 6)


# An item that has to be looked at: key, flags, address, of a branch its predictor entry (else the address after it),
# and the row in which the item next to it is known
Item = tuple[int, int, int, int, int]


class EncoderError(ValueError):
    """Beats that do not fit the configuration; the text says what to change."""


class Segment(NamedTuple):
    """Blocks begin..end-1 of one uninterrupted trace, the first of them in row begin_row; in row end_row it is seen
    that it ended.
    """

    begin: int
    end: int
    begin_row: int
    end_row: int


class Change(NamedTuple):
    """A row with another `enable` than the row before, or with other options while it is 1."""

    row: int
    enable: int
    was_enabled: int


@dataclass
class PortRecord:
    """What there is to encode.

    items: those that matter. flags: of all, shape [blocks, 3]. options: in force, by row. address_mask: bits of an
    address. By qualified block: row_of, next_row (of the item after it), place (in the flattened beats), present (slots
    in use, shape [blocks, 3]), and what resynchronization counts: meter at the items of the block, base if the last
    sync is one of them.
    """

    items: list[Item]
    flags: np.ndarray
    segments: list[Segment]
    changes: list[Change]
    options: list[int]
    beats: Beats
    address_mask: int
    row_of: np.ndarray
    next_row: np.ndarray
    place: np.ndarray
    present: np.ndarray
    meter: np.ndarray
    base: np.ndarray

    def next_key(self, key: int) -> int:
        """The item after this one, whose trace goes on."""
        key += 1
        while not self.present.flat[key]:
            key += 1
        return key

    def plain(self, key: int) -> Item:
        """Any item that is not a branch."""
        block, slot = divmod(key, SLOTS)
        iaddr, iretire, large = (
            int(column.flat[self.place[block]])
            for column in (self.beats.iaddr, self.beats.iretire, self.beats.ilastsize)
        )
        within = slot == HEAD or (slot == TAIL and self.present[block, TRAP_SLOT])
        behind = iaddr + 2 * iretire
        row = int((self.row_of if within else self.next_row)[block])
        address = behind - (2 << large) if slot == TAIL else iaddr
        return key, int(self.flags.flat[key]), address & self.address_mask, behind, row


def read(beats: Beats, config: Config) -> PortRecord:
    """All that there is to encode; EncoderError if the beats do not fit the configuration."""
    _check(beats, config)
    tracing = (beats.enable & beats.inst_tracing & ~(beats.halted | beats.in_reset) & 1).astype(bool)
    options = beats.toggle.astype(np.int64) ^ config.ioptions
    switched = np.diff(options, prepend=config.ioptions) != 0
    every = np.flatnonzero(beats.valid())
    rows = every // beats.lanes if beats.lanes > 1 else every
    qualified, noted = tracing[rows], _triggered(beats, every, rows)
    if config.filter:
        accepted, watched = FilterSettings.parse(config.filter, config.xlen).qualify(beats, placed=False)
        qualified &= accepted.flat[every]
        noted |= watched.flat[every]
    which = np.flatnonzero(qualified)
    place, row_of = every[which], rows[which]

    cut = ~tracing | switched
    goes_on = np.zeros(len(which), bool)  # a block that continues the trace of the block before
    goes_on[1:] = (np.diff(which) == 1) & (np.diff(np.cumsum(cut)[row_of]) == 0)
    segments, next_row = _segments(which, rows, goes_on, qualified, np.flatnonzero(cut))
    flags, present = _flags(beats, config, options[row_of], place, row_of, goes_on, noted[which])

    relevant = BRANCH | NOTIFY | TRAP | BEFORE | LAST | NEXT_TRAP | NEXT_PPCCD | NEXT_ASYNC
    relevant |= CALL | RETURN if (options & IMPLICIT_RETURN).any() else 0
    relevant |= SPECIAL if config.inst_sync_mode else 0
    keys = np.flatnonzero(flags & np.uint32(relevant))
    if config.inst_sync_mode == CYCLES:
        meter = base = beats.cycle[row_of].astype(np.int64)
    else:
        iretire = beats.iretire.flat[place].astype(np.int64)
        meter = np.cumsum(iretire)
        base = meter - iretire
    items = _items(beats, config, keys, flags.flat[keys], place, row_of, next_row, present)
    mask = (1 << config.iaddress_width_p) - 1
    return PortRecord(
        items,
        flags,
        segments,
        _changes(beats, switched),
        options.tolist(),
        beats,
        mask,
        row_of,
        next_row,
        place,
        present,
        meter,
        base,
    )


def _triggered(beats: Beats, every: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The blocks whose last instruction a trigger reports: the last block with instructions of the beat."""
    noted = np.zeros(len(every), bool)
    filled = np.flatnonzero(beats.iretire.flat[every])
    last = np.append(np.diff(rows[filled]) != 0, True)[: len(filled)]
    noted[filled[last]] = beats.notify[rows[filled[last]]] != 0
    return noted


def _segments(
    which: np.ndarray, rows: np.ndarray, goes_on: np.ndarray, qualified: np.ndarray, cuts: np.ndarray
) -> tuple[list[Segment], np.ndarray]:
    """The traces without interruption, and for each block the row of the next block or of the end of its trace."""
    row_of = rows[which]
    begins = np.flatnonzero(~goes_on)
    ends = np.append(begins[1:], len(which))[: len(begins)]
    next_row = np.append(row_of[1:], NEVER)[: len(which)]
    far = np.iinfo(np.int64).max
    after = which[ends - 1] + 1  # the block after the trace, qualified or not
    unqualified = np.where(np.append(qualified, True)[after], far, np.append(rows, far)[after])
    cut = np.append(cuts, far)[np.searchsorted(cuts, row_of[ends - 1], side="right")]
    end_row = np.minimum(unqualified, cut)
    next_row[ends - 1] = np.where(end_row == far, NEVER, end_row)
    columns = (begins, ends, row_of[begins], next_row[ends - 1])
    return [Segment(*row) for row in zip(*(column.tolist() for column in columns))], next_row


def _changes(beats: Beats, switched: np.ndarray) -> list[Change]:
    was = np.append(0, beats.enable)[:-1]
    rows = np.flatnonzero((beats.enable != was) | (switched & (beats.enable != 0)))
    return [Change(*row) for row in zip(*(column.tolist() for column in (rows, beats.enable[rows], was[rows])))]


def _kinds(variant: str) -> np.ndarray:
    """The flags of an instruction by its itype."""
    reading = _DRAFT if variant == "draft_0_026" else _RATIFIED
    kinds = np.zeros(16, np.uint32)
    kinds[IType.XRET :] = SPECIAL
    kinds[[IType.NOT_TAKEN, IType.TAKEN]] = BRANCH | NOT_TAKEN, BRANCH
    kinds[reading.uninferable] |= UNINFERABLE
    kinds[reading.returns] |= RETURN
    kinds[_CALLS] |= CALL
    kinds[reading.nothing] = 0
    return kinds


def _flags(
    beats: Beats,
    config: Config,
    options: np.ndarray,
    place: np.ndarray,
    row_of: np.ndarray,
    goes_on: np.ndarray,
    noted: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(flags, present), each of shape [blocks, 3], from the blocks and their neighbours. options: in force at each
    block.
    """
    itype, iretire = beats.itype.flat[place], beats.iretire.flat[place]
    trap = (itype == IType.EXCEPTION) | (itype == IType.INTERRUPT)
    some, several = iretire != 0, iretire > 1 << beats.ilastsize.flat[place].astype(np.uint16)
    present = np.stack([several, some, trap], axis=1)
    own = np.where(some, _kinds(config.variant)[itype], np.uint32(0)) | _where(noted & some, NOTIFY)

    # sequential: the instruction right before is in this block or the last of the block before, and traced
    if config.sijump_p and (options & SIJUMP).any():
        before = several | (goes_on & ~np.append(False, trap)[:-1])
        inferred = (beats.sijump.flat[place] != 0) & (itype != IType.XRET) & (options & SIJUMP != 0) & before
        if config.ignores_sijump_of_returns:
            inferred &= itype != IType.RETURN
        own |= _where(inferred & (own & UNINFERABLE != 0), SEQUENTIAL)

    # what the first item of each block has after it
    jumps = own & (UNINFERABLE | SEQUENTIAL) == UNINFERABLE
    returns = (own & RETURN != 0) & (options & IMPLICIT_RETURN != 0)
    ended = np.where(trap, np.uint32(AFTER_TRAP), _where(jumps, AFTER_JUMP) | _where(returns, AFTER_RETURN))
    first_of_cycle = np.diff(row_of, prepend=NEVER) != 0
    ctype = np.where(first_of_cycle, beats.ctype[row_of], np.uint8(0))
    told = np.zeros(len(place), bool)
    if config.variant == "draft_0_026":
        moved = goes_on & first_of_cycle & _moved(beats.context.flat[place], config)
        told, ctype = moved & some & (ctype == NOTIFICATION), np.where(moved, DRAFT_CTYPE[ctype], np.uint8(0))
    priv = beats.priv.flat[place]
    privilege = np.diff(priv, prepend=priv[:1]) != 0
    ppccd = goes_on & some & (privilege | (ctype >= PRECISE))
    start = np.where(goes_on, np.append(np.uint32(0), ended)[:-1], np.uint32(FIRST))
    start |= _where(ppccd, PPCCD) | _where(some & (ctype == IMPRECISE), CONTEXT) | _where(told, NOTIFY)

    # what the last item of each block has before it
    following = (
        _where(ppccd, NEXT_PPCCD)
        | _where(ppccd & (ctype == ASYNC), NEXT_ASYNC)
        | _where(ppccd & privilege, NEXT_PRIVILEGE)
    )
    following = np.where(some, following, np.uint32(NEXT_TRAP))
    end = np.append(np.where(goes_on, following, np.uint32(LAST))[1:], np.uint32(LAST))[: len(trap)]

    flags = np.zeros((len(place), SLOTS), np.uint32)
    flags[:, HEAD] = np.where(several, start, 0)
    flags[:, TAIL] = np.where(some, own | np.where(several, 0, start) | np.where(trap, NEXT_TRAP, end), 0)
    flags[:, TRAP_SLOT] = np.where(trap, TRAP | np.where(some, 0, start) | end & LAST, 0)
    return flags, present


def _moved(context: np.ndarray, config: Config) -> np.ndarray:
    """The blocks with another context than the block before: in the draft only these have a ctype."""
    width = 0 if config.nocontext_p else config.context_width_p
    return np.diff(context.astype(np.int64) & ((1 << width) - 1), prepend=NEVER) != 0


def _where(mask: np.ndarray, flag: int) -> np.ndarray:
    return mask.astype(np.uint32) * np.uint32(flag)


def _items(
    beats: Beats,
    config: Config,
    keys: np.ndarray,
    flags: np.ndarray,
    place: np.ndarray,
    row_of: np.ndarray,
    next_row: np.ndarray,
    present: np.ndarray,
) -> list[Item]:
    """The items with these keys."""
    block, slot = keys // SLOTS, keys % SLOTS
    at = place[block]
    address = beats.iaddr.flat[at]
    behind = address + 2 * beats.iretire.flat[at].astype(np.uint64)
    last = behind - (np.uint64(2) << beats.ilastsize.flat[at].astype(np.uint64))
    address = np.where(slot == TAIL, last, address) & np.uint64(
        (1 << config.iaddress_width_p) - 1
    )  # a block may wrap around
    entry = address >> np.uint64(config.iaddress_lsb_p) & np.uint64((1 << config.bpred_size_p) - 1)
    extra = np.where(flags & BRANCH != 0, entry, behind)
    within = (slot == HEAD) | ((slot == TAIL) & present[block, TRAP_SLOT])
    row = np.where(within, row_of[block], next_row[block])
    return list(zip(*(column.tolist() for column in (keys, flags, address, extra, row))))


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
    built = IMPLICIT_EXCEPTION | FULL_ADDRESS | (SIJUMP if config.sijump_p else 0)
    built |= IMPLICIT_RETURN if config.call_counter_size_p or config.return_stack_size_p else 0
    built |= BRANCH_PREDICTION if config.bpred_size_p else 0
    built |= JUMP_TARGET_CACHE if config.cache_size_p and config.variant != "draft_0_026" else 0
    strange = int(np.bitwise_or.reduce(beats.toggle, initial=0)) & ~built
    if strange:
        names = ", ".join(name for bit, name in enumerate(OPTIONS) if strange >> bit & 1) or f"bits {strange:#x}"
        raise EncoderError(
            f"toggle changes {names}, which this encoder has not; give its parameter or leave that bit 0"
        )
