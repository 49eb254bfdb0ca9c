# SPDX-License-Identifier: Apache-2.0
"""The reference N-Trace encoder: the messages, and so the bytes, that a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares the profile of
docs/reference/ntrace-profile.md; the section numbers are those of N-Trace 1.0. Each message has the clause under which
the encoder sent it (`CLAUSES`), so that a difference names the requirement.

This module has the configuration as the kernel's state, and its columns. `rvtrace.models.ntrace.encoder.kernel` has the
state machine, `input` reads beats, `output` has what it makes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.messages import Table
from rvtrace.models.common.packing import packed_rows
from rvtrace.models.common.records import as_object
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder import kernel as k
from rvtrace.models.ntrace.encoder.clauses import CLAUSES
from rvtrace.models.ntrace.encoder.input import EncoderError, Input, read
from rvtrace.models.ntrace.encoder.output import EncodedTrace
from rvtrace.models.ntrace.layout import layout
from rvtrace.models.ntrace.table import TABLES
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType

_FAR = 1 << 62  # a periodic sync that does not come
_CHUNK = 1 << 10  # messages for which there is room at first
_POPS = (IType.COROUTINE_SWAP, IType.RETURN)
_PUSHES = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)
_TRAPS = (IType.EXCEPTION, IType.INTERRUPT, IType.XRET)
_INDIRECT_CLAUSE = {
    IType.EXCEPTION: k.C_EXCEPTION,
    IType.INTERRUPT: k.C_INTERRUPT,
    IType.XRET: k.C_XRET,
    IType.UNINFERABLE_JUMP: k.C_JUMP,
    IType.UNINFERABLE_CALL: k.C_CALL,
    IType.UNINFERABLE_TAIL_CALL: k.C_JUMP,
    IType.COROUTINE_SWAP: k.C_SWAP,
    IType.RETURN: k.C_RETURN,
    IType.OTHER_UNINFERABLE_JUMP: k.C_JUMP,
}
__all__ = ["CLAUSES", "EncodedTrace", "Encoder", "EncoderError", "encode"]


class Encoder:
    """The state machine of docs/reference/ntrace-profile.md; each `run` starts from reset."""

    def __init__(self, config: Config) -> None:
        self.config = config
        # Options that look at more of a block than its kind, address and length.
        self._with_options = bool(config.implicit_return or config.sequential_jump or config.ownership or config.filter)
        table = TABLES[config.variant]
        self._known = _known(config, self._with_options, table)
        self._layout, self._size = layout(table, config, k.CELLS), _size(table)

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, no pulse, and the levels and drop of the row before.

        EncoderError if the beats have more lanes, longer blocks or wider addresses than the configuration, or
        messages with a TCODE that is not vendor-defined.
        """
        given = read(beats, self.config, self._known.what, self._with_options)
        if given.small and native.is_compiled(k, len(given.kinds)):
            return self._compiled(given)
        state, rows, layout = k.STATE.rows(1, 0), [k.ABSENT] * (_CHUNK * self._size), self._layout
        s = self._begin(state[0], len(rows))
        known = self._known
        m = as_object(k.Columns(state, rows, known.options))
        b = as_object(k.Blocks([0] * self.config.stack_depth, known.itypes, *given.lists()))
        while k.run(m, b, len(given.kinds)) == k.FULL:
            rows.extend([k.ABSENT] * len(rows))
            s.room = len(rows)
        if self.config.timestamp:
            k.stamp(m, b)
        p = k.Packing(state, rows, [0] * k.LONGEST, known.options, layout.kinds, layout.fields)
        data = packed_rows(p, s.used, self._size, k.CELLS, self._size - 1, k.pack_one)
        used = np.array(rows[: s.used], object if not given.small else np.int64)
        return EncodedTrace(used, data, self.config, layout)

    def _compiled(self, given: Input) -> EncodedTrace:
        return Parts(self).encode(given)

    def _begin(self, s: Any, room: int) -> Any:
        """The state at reset, with so much room for rows."""
        s.room = room
        s.hist, s.own, s.popped = k.EMPTY_HIST, k.NOWHERE, k.NOWHERE
        s.due = self.config.sync_interval if self.config.inst_sync_mode else _FAR
        return s


class Parts:
    """The compiled encoder on a run that comes in parts: its state is carried on from part to part.

    Only for a configuration that does not look at the time of a beat: each part begins with cycle 0.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._of, self._kernel = encoder, native.functions(k, True)
        self._state = np.zeros(1, k.STATE.dtype)
        self._s = encoder._begin(k.STATE.at(self._state, 0), 0)
        self._stack = np.zeros(encoder.config.stack_depth, np.int64)

    def feed(self, beats: Beats) -> EncodedTrace:
        """What the next beats make, with positions from the start of this part."""
        of = self._of
        return self.encode(read(beats, of.config, of._known.what, of._with_options))

    def encode(self, given: Input) -> EncodedTrace:
        """The same of blocks that are read."""
        of, s, kernel = self._of, self._s, self._kernel
        s.next_block = s.next_turn = s.used = s.put = s.packed = 0
        s.room = _CHUNK * of._size
        # what is not used of rows is no memory
        rows = np.empty((_CHUNK + len(given.kinds)) * of._size, np.int64)
        rows[: s.room] = k.ABSENT
        config, itypes = of._known.arrays
        b = k.Blocks(self._stack, itypes, *given.arrays())
        while kernel.run(k.Columns(self._state, rows, config), b, len(given.kinds)) == k.FULL:
            if s.room == len(rows):
                rows = np.concatenate([rows, np.empty_like(rows)])
            rows[s.room : 2 * s.room] = k.ABSENT
            s.room = min(2 * s.room, len(rows))
        if of.config.timestamp:
            kernel.stamp(k.Columns(self._state, rows, config), b)
        data = np.empty(_CHUNK + 16 * s.used // of._size, np.int8)
        while kernel.pack(k.Packing(self._state, rows, data, config, *of._layout.arrays)) == k.FULL:
            data = np.concatenate([data, np.empty_like(data)])
        return EncodedTrace(rows[: s.used], data[: s.put].tobytes(), of.config, of._layout)


class _Known(NamedTuple):
    """What does not change from run to run: rows of CONFIG, one, and of ITYPE; the same as arrays; what a block does by
    itype, CAREFUL where an option looks at more of it.
    """

    options: list[Any]
    itypes: list[Any]
    arrays: tuple[np.ndarray, np.ndarray]
    what: np.ndarray


@lru_cache(maxsize=64)
def _known(config: Config, with_options: bool, table: Table) -> _Known:
    options, itypes = [_options(config, with_options, table)], _itypes(config)
    what = np.array([one.what for one in itypes], np.uint8)
    if config.implicit_return:
        what[[*_POPS, *_PUSHES]] = k.CAREFUL
    return _Known(options, itypes, (k.CONFIG.array(options), k.ITYPE.array(itypes)), what)


def _options(config: Config, with_options: bool, table: Table) -> Any:
    """The configuration as the kernel has it. A field that the table does not have is in the column that none has."""
    htm = config.mode == "htm"
    columns = {name: name.removesuffix("_at") for name in k.CONFIG.names if name.endswith("_at")}
    return k.CONFIG.one(
        0, sync_mode=config.inst_sync_mode, interval=config.sync_interval if config.inst_sync_mode else _FAR,
        most=(1 << config.repeat_bits) - 1,  # of HREPEAT and B-CNT
        htm=int(htm), sync4=int(htm and config.variant == "rc7"), rc7=int(config.variant == "rc7"),
        icnt_top=1 << config.icnt_bits - 1, hist_top=1 << config.hist_bits - 1, hist_bits=config.hist_bits,
        half_mask=(1 << config.xlen - 1) - 1, direct_because=k.C_ALL_JUMPS if config.all_jumps else k.C_DIRECT,
        implicit=config.implicit_return, depth=config.stack_depth, repeats=config.repeat_branch,
        holds=config.repeated_history, owned=config.ownership, hcontext=config.hcontext, options=int(with_options),
        src=config.src_id if config.source_bits else 0, address_bits=config.address_bits, size=_size(table),
        **{name: k.CELLS + table.columns.get(key, table.width) for name, key in columns.items()},
    )  # fmt: skip


def _size(table: Table) -> int:
    """Entries of a row of the kernel."""
    return k.CELLS + table.width + 2


def _itypes(config: Config) -> list[Any]:
    """What the kernel knows of each itype."""
    found, htm = k.ITYPE.rows(16, 0), config.mode == "htm"
    # Table 4: itype 7 is a jump that all-jumps reports like a taken branch (rc7), else nothing
    taken = [IType.TAKEN, IType.RESERVED] if config.all_jumps and config.variant == "rc7" else [IType.TAKEN]
    for itype in taken:
        found[itype].what = k.TAKEN if htm else k.BRANCHES
    found[IType.NOT_TAKEN].what = k.NOT_TAKEN if htm else k.PLAIN
    for itype, clause in _INDIRECT_CLAUSE.items():
        found[itype].what, found[itype].reason, found[itype].trap = k.LEAVES, clause, int(itype in _TRAPS)
    codes = {"2_3": (2, 3), "1": (1, 1)}[config.b_type]
    found[IType.EXCEPTION].btype, found[IType.INTERRUPT].btype = codes
    for itype in range(16):
        found[itype].calls = k.POPS * (itype in _POPS) | k.PUSHES * (itype in _PUSHES)
    return found


def encode(beats: Beats, config: Config) -> EncodedTrace:
    """The messages of one run from reset: retired blocks of one hart, as its trace ingress port carries them; see
    `Encoder`.

    EncoderError if the beats do not fit the configuration.
    """
    return Encoder(config).run(beats)
