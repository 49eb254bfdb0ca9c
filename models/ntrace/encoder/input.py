# SPDX-License-Identifier: Apache-2.0
"""What the encoder model reads of each cycle: `Beats` checked and turned into rows of plain numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import VENDOR_TCODES
from rvtrace.models.riscv.beats import LEVELS, Beats
from rvtrace.models.riscv.retired import IType

# Levels are one number, bit i for LEVELS[i].
ENABLE, INST_TRACING, HALTED, IN_RESET, LOW_POWER = (1 << i for i in range(len(LEVELS)))

# Pulses are one number: notify, ext_notify, then the vendor-defined message.
NOTIFY, EXT_NOTIFY = 1, 2
VENDOR_SHIFT, VENDOR_DATA_SHIFT = 2, 8

# What an option has to know of a block beside itype, iaddr and iretire.
UNQUALIFIED, WATCHED, SEQUENTIAL, PAIRED = 1, 2, 4, 8
CONTEXT_SHIFT, HCONTEXT_SHIFT = 8, 40  # of the owner of a block, privilege lowest

Block = tuple[int, ...]  # itype, iaddr, iretire; with options also flags and owner

_PENDING = (IType.UNINFERABLE_JUMP, IType.UNINFERABLE_CALL, IType.UNINFERABLE_TAIL_CALL, IType.COROUTINE_SWAP,
            IType.RETURN, IType.OTHER_UNINFERABLE_JUMP)  # fmt: skip


class EncoderError(ValueError):
    """Beats that do not fit the configuration; the text says what to change."""


def tracing(levels: int) -> bool:
    """Whether blocks are traced at these levels."""
    return levels & (ENABLE | INST_TRACING | HALTED | LOW_POWER) == ENABLE | INST_TRACING


def vendor_tcode(pulses: int) -> int:
    """TCODE of the vendor-defined message that is handed over, 0 if none is."""
    return pulses >> VENDOR_SHIFT & 0x3F


class Rows(NamedTuple):
    """The rows that matter, as lists of one length: with a block, a pulse, or levels or drop unlike the row before.

    Row i has the blocks[begin[i] : end[i]].
    """

    row: list[int]
    cycle: list[int]
    drop: list[int]
    levels: list[int]
    pulses: list[int]
    begin: list[int]
    end: list[int]


def rows_and_blocks(beats: Beats, config: Config, with_options: bool) -> tuple[Rows, list[Block]]:
    """What there is to encode; with_options: blocks have flags and owner.

    EncoderError if the beats do not fit the configuration.
    """
    _check(beats, config)
    valid = beats.valid()
    levels = _bits([getattr(beats, name) for name in LEVELS])
    pulses = _bits([beats.notify, beats.ext_notify]) | beats.vendor.astype(np.int64) << VENDOR_SHIFT
    pulses |= beats.vendor_data.astype(np.int64) << VENDOR_DATA_SHIFT
    eventful = valid.any(axis=1) | (pulses != 0)
    eventful |= (np.diff(levels, prepend=0) != 0) | (np.diff(beats.drop, prepend=0) != 0)

    columns = [_itype(beats, config), beats.iaddr, beats.iretire]
    if with_options:
        columns += [_flags(beats, config), _owner(beats, config)]
    blocks = list(zip(*(column[valid].tolist() for column in columns)))
    per_row = valid.sum(axis=1)
    end = np.cumsum(per_row)
    where = np.flatnonzero(eventful)
    chosen = (column[where] for column in (beats.cycle, beats.drop, levels, pulses, end - per_row, end))
    return Rows(where.tolist(), *(column.tolist() for column in chosen)), blocks


def _bits(columns: list[np.ndarray]) -> np.ndarray:
    """One number a row: bit i is set where columns[i] is not 0."""
    word = np.zeros(len(columns[0]), np.int64)
    for index, column in enumerate(columns):
        word |= (column != 0).astype(np.int64) << index
    return word


def _itype(beats: Beats, config: Config) -> np.ndarray:
    """Table 4: 7 is a jump that all-jumps reports like a taken branch (rc7), else nothing."""
    seven = IType.TAKEN if config.all_jumps and config.variant == "rc7" else IType.NONE
    return np.where(beats.itype == IType.RESERVED, np.uint8(seven), beats.itype)


def _flags(beats: Beats, config: Config) -> np.ndarray:
    flags = np.zeros(beats.itype.shape, np.int64)
    if config.filter:
        qualified, notify = FilterSettings.parse(config.filter, config.xlen).qualify(beats)
        flags |= np.where(qualified, 0, UNQUALIFIED) | np.where(notify, WATCHED, 0)
    if config.sequential_jump:
        pending = np.isin(_itype(beats, config), _PENDING + (IType.TAKEN,) * (config.mode == "btm"))
        last = np.where(beats.ilastsize != 0, 2, 1)  # half-words of the jump itself
        flags |= np.where(pending & (beats.sijump != 0), SEQUENTIAL, 0)
        flags |= np.where(beats.iretire > last, PAIRED, 0)
    return flags


def _owner(beats: Beats, config: Config) -> np.ndarray:
    """Privilege, scontext and (if it exists) hcontext as one number."""
    owner = beats.priv.astype(np.int64) & 7 | beats.context.astype(np.int64) << CONTEXT_SHIFT
    return owner | beats.hcontext.astype(np.int64) << HCONTEXT_SHIFT if config.hcontext else owner


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
