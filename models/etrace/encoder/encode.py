# SPDX-License-Identifier: Apache-2.0
"""The reference E-Trace encoder: which packets, and so which bytes, a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares docs/reference/etrace-profile.md. Each
packet comes with the clause that made the encoder send it (`CLAUSES`), so that a difference names the rule that was
broken.

This module has the configuration as the kernel's state, and its columns. `rvtrace.models.etrace.encoder.kernel` has the
state machine, `input` reads beats, `output` has what it makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rvtrace.models.common import native
from rvtrace.models.common.packing import packed_rows
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder import kernel as k
from rvtrace.models.etrace.encoder.clauses import CLAUSES
from rvtrace.models.etrace.encoder.input import EncoderError, Input, read
from rvtrace.models.etrace.encoder.output import EncodedTrace, layout_rows
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import PRIVILEGE

_CHUNK = 1 << 10  # packets for which there is room at first
__all__ = ["CLAUSES", "EncodedTrace", "Encoder", "EncoderError", "encode"]


class Encoder:
    """The state machine of docs/reference/etrace-profile.md; each `run` starts from reset."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, no pulse, and the levels and drop of the row before.

        EncoderError if the beats do not fit the configuration.
        """
        given, config = read(beats, self.config), self.config
        s = _state(config)
        tables = [0] * (1 << config.bpred_size_p), [k.NEVER] * (k.CACHE_ROW << config.cache_size_p)
        if native.is_compiled(k, len(given.row_of)):
            return self._compiled(given, s, tables, beats.tstamp)
        rows = [0] * (_CHUNK * k.PACKET_ROW)
        m = (s, rows, [0] * k.LONGEST, *tables, layout_rows(config), *given.buffers())
        while k.run(m) == k.FULL:
            rows.extend([0] * len(rows))
        body = packed_rows(m, s[k.USED], k.PACKET_ROW, k.VALUE, k.BEHIND, k.pack_one)
        return EncodedTrace(rows[: s[k.USED]], body, beats.tstamp, config)

    def _compiled(
        self, given: Input, state: list[int], tables: tuple[list[int], ...], tstamp: np.ndarray
    ) -> EncodedTrace:
        kernel: Any = native.functions(k, True)
        s = np.array(
            [value - (value >> 63 << 64) if value > 0 else value for value in state], np.int64
        )  # 64 ones are -1
        fixed = [np.array(column, np.int64) for column in (*tables, layout_rows(self.config))]
        columns, data = given.arrays(), np.empty(_CHUNK, np.int8)
        rows = np.empty((_CHUNK + len(given.row_of)) * k.PACKET_ROW, np.int64)  # what is not used is no memory
        while kernel.run(m := (s, rows, data, *fixed, *columns)) == k.FULL:
            rows = np.concatenate([rows, np.empty_like(rows)])
        data = np.empty(_CHUNK + 16 * int(s[k.USED]) // k.PACKET_ROW, np.int8)
        while kernel.pack((s, rows, data, *m[3:])) == k.FULL:
            data = np.concatenate([data, np.empty_like(data)])
        return EncodedTrace(rows[: s[k.USED]], data[: s[k.PUT]].tobytes(), tstamp, self.config)


def _state(config: Config) -> list[int]:
    """The kernel's state at reset, with all that it must know of the configuration."""
    s = [0] * k.SIZE
    s[k.FORCED] = s[k.DUE] = k.FAR
    s[k.RIGHT] = s[k.COUNTED] = s[k.COUNTED_OWN] = s[k.RESUMED] = s[k.ENDED] = k.NEVER
    s[k.TURN] = k.WEAK + 3  # what the tables hold at first was entered before
    counter = config.call_counter_size_p > 0
    s[k.DRAFTED], s[k.COUNTER] = int(config.variant == "draft_0_026"), int(counter)
    s[k.DEPTH] = (1 << config.call_counter_size_p) - 1 if counter else 1 << config.return_stack_size_p
    bits = config.iaddress_width_p - config.iaddress_lsb_p
    s[k.LSB], s[k.ADDRESS_MASK], s[k.ADDRESS_HALF] = config.iaddress_lsb_p - 1, (1 << bits) - 1, 1 << bits - 1
    s[k.HALF_MASK], s[k.BYTE_MASK] = (1 << config.iaddress_width_p - 1) - 1, (1 << config.iaddress_width_p) - 1
    s[k.CAUSE_MASK], s[k.TIME_MASK] = (1 << config.ecause_width_p) - 1, (1 << config.time_width_p) - 1
    s[k.CONTEXT_MASK], s[k.CACHE_MASK] = (1 << config.context_width_p) - 1, (1 << config.cache_size_p) - 1
    s[k.MOST_PACKETS] = config.sync_interval if config.inst_sync_mode == k.PACKETS else k.FAR
    s[k.SYNC_MODE], s[k.SYNC_INTERVAL], s[k.MAX_PBC] = config.inst_sync_mode, config.sync_interval, config.max_pbc
    for priv, code in PRIVILEGE.items():
        s[k.PRIVILEGES + priv] = code
    for options in range(1 << len(OPTIONS)):
        s[k.SENT + options] = config.sent_ioptions(options) if config.ioptions_layout else options
    return s


def encode(beats: Beats, config: Config) -> EncodedTrace:
    """The packets of one run from reset: retired blocks of one hart, as its trace ingress port carries them; see
    `Encoder`.

    EncoderError if the beats do not fit the configuration.
    """
    return Encoder(config).run(beats)
