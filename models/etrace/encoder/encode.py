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
        given = read(beats, self.config)
        if native.is_compiled(k, len(given.row_of)):
            return self._compiled(given, beats.tstamp)
        known, rows = known_columns(self.config), [0] * (_CHUNK * k.PACKET_ROW)
        m = k.Columns(rows=rows, data=[0] * k.LONGEST, **known, **given.buffers())
        while k.run(m) == k.FULL:
            rows.extend([0] * len(rows))
        used = m.state[0].used
        body = packed_rows(m, used, k.PACKET_ROW, k.VALUE, k.BEHIND, k.pack_one)
        return EncodedTrace(rows[:used], body, beats.tstamp, self.config)

    def _compiled(self, given: Input, tstamp: np.ndarray) -> EncodedTrace:
        kernel: Any = native.functions(k, True)
        rows = np.empty((_CHUNK + len(given.row_of)) * k.PACKET_ROW, np.int64)  # what is not used is no memory
        m = k.Columns(rows=rows, data=np.empty(_CHUNK, np.int8), **known_arrays(self.config), **given.arrays())
        while kernel.run(m) == k.FULL:
            m = m._replace(rows=np.concatenate([m.rows, np.empty_like(m.rows)]))
        s = k.STATE.at(m.state, 0)
        m = m._replace(data=np.empty(_CHUNK + 16 * s.used // k.PACKET_ROW, np.int8))
        while kernel.pack(m) == k.FULL:
            m = m._replace(data=np.concatenate([m.data, np.empty_like(m.data)]))
        return EncodedTrace(m.rows[: s.used], m.data[: s.put].tobytes(), tstamp, self.config)


def known_columns(config: Config) -> dict[str, Any]:
    """The kernel's columns at reset that do not depend on beats, and are as long as they need to be."""
    codes = [0] * 8
    for priv, code in PRIVILEGE.items():
        codes[priv] = code
    sent = [config.sent_ioptions(on) if config.ioptions_layout else on for on in range(1 << len(OPTIONS))]
    return {
        "state": [_state()], "setup": [_setup(config)], "table": [0] * (1 << config.bpred_size_p),
        "cache": [k.NEVER] * (k.CACHE_ROW << config.cache_size_p), "layouts": layout_rows(config),
        "privileges": codes, "sent": sent, "stack": [0] * k.STACK_SIZE,
    }  # fmt: skip


def known_arrays(config: Config) -> dict[str, Any]:
    """The same for compiled functions."""
    kinds = {"state": k.STATE, "setup": k.SETUP}
    return {
        name: kinds[name].array(column) if name in kinds else np.array(column, np.int64)
        for name, column in known_columns(config).items()
    }


def _state() -> Any:
    never = dict.fromkeys(("right", "counted", "counted_own", "resumed", "ended", "touched"), k.NEVER)
    # what the tables hold at first was entered before this turn
    return k.STATE.one(0, forced=k.FAR, due=k.FAR, turn=k.WEAK + 3, **never)


def _setup(config: Config) -> Any:
    counter = config.call_counter_size_p > 0
    bits = config.iaddress_width_p - config.iaddress_lsb_p
    return k.SETUP.one(
        0, drafted=int(config.variant == "draft_0_026"), counter=int(counter),
        depth=(1 << config.call_counter_size_p) - 1 if counter else 1 << config.return_stack_size_p,
        lsb=config.iaddress_lsb_p - 1, address_mask=(1 << bits) - 1, address_half=1 << bits - 1,
        half_mask=(1 << config.iaddress_width_p - 1) - 1, byte_mask=_ones(config.iaddress_width_p),
        cause_mask=_ones(config.ecause_width_p), time_mask=_ones(config.time_width_p),
        context_mask=_ones(config.context_width_p), cache_mask=_ones(config.cache_size_p),
        most_packets=config.sync_interval if config.inst_sync_mode == k.PACKETS else k.FAR,
        sync_mode=config.inst_sync_mode, sync_interval=config.sync_interval, max_pbc=config.max_pbc,
    )  # fmt: skip


def _ones(bits: int) -> int:
    """So many ones as a signed number of 64 bits."""
    return -1 if bits == 64 else (1 << bits) - 1


def encode(beats: Beats, config: Config) -> EncodedTrace:
    """The packets of one run from reset: retired blocks of one hart, as its trace ingress port carries them; see
    `Encoder`.

    EncoderError if the beats do not fit the configuration.
    """
    return Encoder(config).run(beats)
