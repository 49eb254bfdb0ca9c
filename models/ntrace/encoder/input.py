# SPDX-License-Identifier: Apache-2.0
"""What the encoder model reads of each cycle: `Beats` checked and turned into the columns of the kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder import kernel as k
from rvtrace.models.ntrace.table import VENDOR_TCODES
from rvtrace.models.riscv.beats import LEVELS, Beats
from rvtrace.models.riscv.retired import IType

_INDIRECT = (IType.UNINFERABLE_JUMP, IType.UNINFERABLE_CALL, IType.UNINFERABLE_TAIL_CALL, IType.COROUTINE_SWAP,
             IType.RETURN, IType.OTHER_UNINFERABLE_JUMP)  # fmt: skip
_NO_WORDS = np.zeros(0, np.int64)


class EncoderError(ValueError):
    """Beats that do not fit the configuration; the text says what to change."""


class Input(NamedTuple):
    """Columns of the kernel, as arrays. small: whether all of them fit signed integers of 64 bits.

    places: of each block its row of Beats. kinds: what it does, by itype and options.
    """

    kinds: np.ndarray
    itypes: np.ndarray
    iaddrs: np.ndarray
    iretires: np.ndarray
    flags: np.ndarray
    owners: np.ndarray
    places: np.ndarray
    cycles: np.ndarray
    turns: np.ndarray
    times: np.ndarray
    small: bool

    def lists(self) -> tuple[Any, ...]:
        """The columns as Python is fastest with them."""
        return tuple(column.tolist() for column in self[:-1])

    def arrays(self) -> tuple[Any, ...]:
        """The columns as compiled code takes them."""
        return tuple(np.require(column.view(np.int64) if column.itemsize == 8 else column, requirements=["C", "W"])
                     for column in self[:-1])  # fmt: skip


def read(beats: Beats, config: Config, what: np.ndarray, with_options: bool) -> Input:
    """What there is to encode. what: kind of a block by itype; with_options: blocks have flags and owner.

    EncoderError if the beats do not fit the configuration.
    """
    _check(beats, config)
    valid = beats.valid()
    whole = bool(valid.all())
    places = np.arange(len(beats), dtype=np.int64)
    if whole and beats.lanes > 1:
        places = np.repeat(places, beats.lanes)
    elif not whole:
        chosen = np.flatnonzero(valid)
        places = chosen // beats.lanes if beats.lanes > 1 else chosen

    def taken(column: np.ndarray) -> np.ndarray:
        return column.ravel() if whole else column.ravel()[chosen]

    itypes, flags, owners = taken(beats.itype), _NO_WORDS, _NO_WORDS
    kinds = what[itypes]
    if with_options:
        flags, owners = taken(_flags(beats, config)), taken(_owner(beats, config))
        kinds[flags & (k.UNQUALIFIED | k.WATCHED | k.SEQUENTIAL) != 0] = k.CAREFUL
    cycles = beats.cycle if config.inst_sync_mode == 2 else beats.cycle[:0]
    times = beats.tstamp if config.timestamp else beats.tstamp[:0]
    return Input(
        kinds, itypes, taken(beats.iaddr) >> np.uint64(1), taken(beats.iretire).astype(np.int64), flags, owners, places,
        cycles, _turns(beats, places), times, not any(int(c.max(initial=0)) >> 63 for c in (cycles, times)),
    )  # fmt: skip


def _turns(beats: Beats, places: np.ndarray) -> np.ndarray:
    """The rows with a pulse, a loss, or another level than the row before, as the kernel takes them."""
    levels = np.zeros(len(beats), np.uint8)
    for index, name in enumerate(LEVELS):
        levels |= (getattr(beats, name) != 0).view(np.uint8) << np.uint8(index)
    special = (beats.notify | beats.ext_notify | beats.vendor | beats.drop) != 0
    special |= beats.vendor_data != 0
    special[1:] |= (levels[1:] != levels[:-1]) | (beats.drop[1:] != beats.drop[:-1])
    if len(special):
        special[0] |= bool(levels[0])
    rows = np.flatnonzero(special)
    pulses = (beats.notify[rows] != 0) * k.NOTIFY | (beats.ext_notify[rows] != 0) * k.EXT_NOTIFY
    pulses |= beats.vendor[rows].astype(np.int64) << k.VENDOR_SHIFT
    pulses |= beats.vendor_data[rows].astype(np.int64) << k.VENDOR_DATA_SHIFT
    begin, end = (np.searchsorted(places, rows, side) for side in ("left", "right"))
    columns = (rows, beats.drop[rows], levels[rows], pulses, begin, end)
    return np.stack([column.astype(np.int64) for column in columns], axis=1).ravel()


def _flags(beats: Beats, config: Config) -> np.ndarray:
    flags = np.zeros(beats.itype.shape, np.int64)
    if config.filter:
        qualified, notify = FilterSettings.parse(config.filter, config.xlen).qualify(beats)
        flags |= np.where(qualified, 0, k.UNQUALIFIED) | np.where(notify, k.WATCHED, 0)
    if config.sequential_jump:
        through = np.zeros(16, bool)  # a register; of the others the port's table has sijump ignored
        through[list(_INDIRECT)] = True
        last = np.where(beats.ilastsize != 0, 2, 1)  # half-words of the jump itself
        flags |= np.where(through[beats.itype] & (beats.sijump != 0), k.SEQUENTIAL, 0)
        flags |= np.where(beats.iretire > last, k.PAIRED, 0)
    return flags


def _owner(beats: Beats, config: Config) -> np.ndarray:
    """Privilege, scontext and (if it exists) hcontext as one number."""
    owner = beats.priv.astype(np.int64) & 7 | beats.context.astype(np.int64) << k.CONTEXT_SHIFT
    return owner | beats.hcontext.astype(np.int64) << k.HCONTEXT_SHIFT if config.hcontext else owner


def _check(beats: Beats, config: Config) -> None:
    if beats.lanes > config.blocks:
        raise EncoderError(
            f"the beats have {beats.lanes} blocks a cycle, the configuration has BLOCKS={config.blocks}; "
            f"give BLOCKS={beats.lanes}"
        )
    longest = int(beats.iretire.max(initial=0))
    if longest >> config.iretire_bits:
        raise EncoderError(
            f"a block of {longest} half-words does not fit IRETIRE_BITS={config.iretire_bits}; "
            f"give IRETIRE_BITS={longest.bit_length()}"
        )
    highest = int(beats.iaddr.max(initial=0))
    if highest >> config.xlen:
        raise EncoderError(f"a block at {highest:#x} does not fit XLEN={config.xlen}; give XLEN=64")
    strange = beats.vendor[(beats.vendor != 0) & ~np.isin(beats.vendor, VENDOR_TCODES)]
    if len(strange):
        raise EncoderError(
            f"a vendor-defined message with TCODE {strange[0]} was handed over, needed 0 or "
            f"{VENDOR_TCODES.start} to {VENDOR_TCODES.stop - 1}; give one of these TCODEs"
        )
