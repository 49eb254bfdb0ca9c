# SPDX-License-Identifier: Apache-2.0
"""N-Trace: Nexus messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.common.foreign import Foreign
from rvtrace.scoreboards.common.judge import Judge
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.ntrace.capture import NtraceCapture

FOREIGN = Foreign(
    first={"mode": ["htm", "btm"], "xlen": [64], "inst_stall_ena": [0, 1]},
    examples=(
        'blk_valid = "enable_i && |ing_iretire_i"      stalled = "!out_ready_i"      test_mode = 0      bus ='
        ' "{ing_iaddr_i, ing_itype_i}"',
        'ing_ready_o = "!stall"   out_data_o = "beat[63:0]"   drop_o = 0',
    ),
    others=("ts_mode", "ts_prescale", "ts_run_in_debug", "src_id"),
    ports={
        "notify": "notify_i", "ext_notify": "ext_notify_i", "vendor": "vendor_tcode_i", "in_reset": "in_reset_i",
        "low_power": "low_power_i",
    },
    pulses=("ing_itype_i", "ing_iretire_i", "notify_i", "ext_notify_i", "vendor_tcode_i"),
    levels=("enable_i", "inst_tracing_i", "halted_i", "in_reset_i", "low_power_i"),
    blocks=True,
)  # fmt: skip


class NtraceJudge(Judge):
    """The N-Trace encoder, and the trace system around it."""

    ip, title, config, tolerances = "ntrace", "N-Trace", Config, Tolerances
    foreign = FOREIGN
    forms = ("variant", "timestamp")
    parts = ("tci",)
    follows_program = True

    def described(self, config: Config) -> str:
        """Variant, mode and width."""
        return f"{config.variant} {config.mode.upper()} RV{config.xlen}"

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> NtraceCapture:
        """One of files."""
        from rvtrace.scoreboards.ntrace.capture import NtraceCapture

        return NtraceCapture(config, program, data, beats, retired, rerun=rerun)

    def legible(self, data: bytes, config: Config | None = None) -> float:
        """The share of known messages."""
        from rvtrace.models.ntrace.codec import unpack
        from rvtrace.models.ntrace.table import TABLES

        config = config or Config()
        messages, damages = unpack(data, config)
        begins = sorted([*(m.offset for m in messages), *(d.offset for d in damages), len(data)])
        after = dict(zip(begins, begins[1:]))
        known = TABLES[config.variant].by_code
        return sum(after[m.offset] - m.offset for m in messages if m.tcode in known) / len(data)

    def addresses(self, data: bytes, config: Config) -> Iterator[int]:
        """F-ADDR of synchronizing messages."""
        from rvtrace.models.ntrace.codec import unpack

        yield from (address << 1 for m in unpack(data, config)[0] if (address := m.get("faddr")) is not None)

    def check(self, capture: NtraceCapture, tolerances: Tolerances) -> Verdict:
        """Exact, lossless and legal."""
        from rvtrace.scoreboards.ntrace.check import check

        return check(capture, tolerances)


JUDGE = NtraceJudge()
