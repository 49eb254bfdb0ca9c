# SPDX-License-Identifier: Apache-2.0
"""The reference N-Trace encoder: the messages, and so the bytes, that a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares the profile of
docs/reference/ntrace-profile.md; the section numbers are those of N-Trace 1.0. Each message has the clause under which
the encoder sent it (`CLAUSES`), so that a difference names the requirement.

This module has the configuration as the kernel's state, and its columns. `rvtrace.models.ntrace.encoder.kernel` has the
state machine, `input` reads beats, `output` has what it makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.packing import packed_rows
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder import kernel as k
from rvtrace.models.ntrace.encoder.clauses import CLAUSES
from rvtrace.models.ntrace.encoder.input import EncoderError, Input, read
from rvtrace.models.ntrace.encoder.output import EncodedTrace
from rvtrace.models.ntrace.table import TABLES, VAR
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
        self._state = _state(config, self._with_options)
        what = np.array(self._state[k.WHAT : k.WHAT + 16], np.uint8)
        if config.implicit_return:
            what[[*_POPS, *_PUSHES]] = k.CAREFUL
        self._what = what

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, no pulse, and the levels and drop of the row before.

        EncoderError if the beats have more lanes, longer blocks or wider addresses than the configuration, or
        messages with a TCODE that is not vendor-defined.
        """
        given = read(beats, self.config, self._what, self._with_options)
        if given.small and native.is_compiled(k, len(given.kinds)):
            return self._compiled(given)
        s, rows = list(self._state), [-1] * (_CHUNK * k.MESSAGE_ROW)
        m = (s, rows, [0] * k.LONGEST, *given.lists())
        while k.run(m, len(given.kinds)) == k.FULL:
            rows.extend([-1] * len(rows))
        if self.config.timestamp:
            k.stamp(m)
        data, used = (
            packed_rows(m, s[k.USED], k.MESSAGE_ROW, k.STAMP, k.BEHIND, k.pack_one),
            np.array(rows[: s[k.USED]], object if not given.small else np.int64),
        )
        return EncodedTrace(used, data, self.config)

    def _compiled(self, given: Input) -> EncodedTrace:
        kernel: Any = native.functions(k, True)
        s, columns = np.array(self._state, np.int64), given.arrays()
        rows = np.empty((_CHUNK + len(given.kinds)) * k.MESSAGE_ROW, np.int64)  # what is not used is no memory
        data = np.empty(_CHUNK, np.int8)
        while kernel.run(m := (s, rows, data, *columns), len(given.kinds)) == k.FULL:
            rows = np.concatenate([rows, np.empty_like(rows)])
        if self.config.timestamp:
            kernel.stamp(m)
        data = np.empty(_CHUNK + 16 * int(s[k.USED]) // k.MESSAGE_ROW, np.int8)
        while kernel.pack((s, rows, data, *columns)) == k.FULL:
            data = np.concatenate([data, np.empty_like(data)])
        return EncodedTrace(rows[: s[k.USED]], data[: s[k.PUT]].tobytes(), self.config)


def _state(config: Config, with_options: bool) -> list[int]:
    """The kernel's state at reset, with all that it must know of the configuration."""
    s = [0] * k.SIZE
    s[k.HIST], s[k.OWN], s[k.POPPED] = k.EMPTY_HIST, k.NOWHERE, k.NOWHERE
    s[k.SYNC_MODE], s[k.INTERVAL] = config.inst_sync_mode, config.sync_interval if config.inst_sync_mode else _FAR
    s[k.DUE] = s[k.INTERVAL]
    s[k.MOST] = (1 << config.repeat_bits) - 1  # of HREPEAT and B-CNT
    htm = config.mode == "htm"
    s[k.HTM], s[k.SYNC4], s[k.RC7] = int(htm), int(htm and config.variant == "rc7"), int(config.variant == "rc7")
    s[k.ICNT_TOP], s[k.HIST_TOP] = 1 << config.icnt_bits - 1, 1 << config.hist_bits - 1
    s[k.HIST_BITS], s[k.HALF_MASK] = config.hist_bits, (1 << config.xlen - 1) - 1
    s[k.DIRECT_BECAUSE] = k.C_ALL_JUMPS if config.all_jumps else k.C_DIRECT
    s[k.IMPLICIT], s[k.DEPTH] = config.implicit_return, config.stack_depth
    s[k.REPEATS], s[k.HOLDS] = config.repeat_branch, config.repeated_history
    s[k.OWNED], s[k.HCONTEXT], s[k.OPTIONS] = config.ownership, config.hcontext, int(with_options)
    s[k.SRC_BITS], s[k.SRC] = config.source_bits, config.src_id if config.source_bits else 0
    s[k.ADDRESS_BITS] = config.address_bits
    # Table 4: itype 7 is a jump that all-jumps reports like a taken branch (rc7), else nothing
    taken = [IType.TAKEN, IType.RESERVED] if config.all_jumps and config.variant == "rc7" else [IType.TAKEN]
    for itype in taken:
        s[k.WHAT + itype] = k.TAKEN if htm else k.BRANCHES
    s[k.WHAT + IType.NOT_TAKEN] = k.NOT_TAKEN if htm else k.PLAIN
    codes = {"2_3": (2, 3), "1": (1, 1)}[config.b_type]
    for itype, clause in _INDIRECT_CLAUSE.items():
        s[k.WHAT + itype], s[k.REASONS + itype], s[k.TRAPS + itype] = k.LEAVES, clause, int(itype in _TRAPS)
    s[k.BTYPES + IType.EXCEPTION], s[k.BTYPES + IType.INTERRUPT] = codes
    for itype in range(16):
        s[k.CALLS + itype] = k.POPS * (itype in _POPS) | k.PUSHES * (itype in _PUSHES)
    for tcode, kind in TABLES[config.variant].items():
        for index, spec in enumerate(kind.fields):
            variable = k.ADDRESS if spec.is_address else k.VARIABLE
            s[k.LAYOUTS + tcode * k.LAYOUT_ROW + index] = variable if spec.width == VAR else spec.width
    return s


def encode(beats: Beats, config: Config) -> EncodedTrace:
    """The messages of one run from reset: retired blocks of one hart, as its trace ingress port carries them; see
    `Encoder`.

    EncoderError if the beats do not fit the configuration.
    """
    return Encoder(config).run(beats)
