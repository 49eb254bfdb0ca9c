# SPDX-License-Identifier: Apache-2.0
"""Which parameters explain the packets of an E-Trace encoder that cannot be decoded with those claimed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import DecodedTrace, decode
from rvtrace.scoreboards.common.hypotheses import Reading, Variation, variations
from rvtrace.scoreboards.etrace.capture import EtraceCapture

OPTIONS = (
    Variation("iaddress_lsb_p", "ET.pay.differential"),
    Variation("full_address", "ET.opt.full_address"),
    Variation("privilege_width_p", "ET.pay.privilege"),
    Variation("nocontext_p", "ET.pay.context"),
    Variation("context_width_p", "ET.pay.context"),
    Variation("notime_p", "ET.pay.time"),
    Variation("time_width_p", "ET.pay.time"),
    Variation("ecause_width_p", "ET.pay.ecause"),
    Variation("notval_p", "ET.pay.tval"),
    Variation("return_stack_size_p", "ET.pay.irdepth"),
    Variation("call_counter_size_p", "ET.pay.irdepth"),
    Variation("f0s_width_p", "ET.pay.branch_count"),
    Variation("cache_size_p", "ET.opt.cache"),
    Variation("bpred_size_p", "ET.opt.predictor"),
    Variation("ioptions_n", "ET.pay.ioptions"),
    Variation("encoder_mode_n", "ET.pay.support"),
    Variation("implicit_return", "ET.opt.implicit_return"),
    Variation("branch_prediction", "ET.opt.prediction"),
    Variation("jump_target_cache", "ET.opt.cache"),
    Variation("implicit_exception", "ET.opt.implicit_exception"),
)
FEW = 3  # packets that are wrong by themselves rather than by a parameter
WIDE = 3000  # packets of which the share lost is measured
LOOKED_AT = 300  # packets from the first that could not be decoded


class Packets:
    """One capture as hypotheses see it."""

    dialects = ()

    def __init__(self, capture: EtraceCapture) -> None:
        self._capture, self._measured = capture, {}

    def others(self, config: Config) -> Iterator[tuple[Variation, Config]]:
        """Every parameter that gives packets their layout, with every other value."""
        return variations(config, OPTIONS)

    def follows(self, trace: DecodedTrace) -> bool:
        """Whether a trace that was decoded as claimed has nothing to explain."""
        return sum(d.lost_packets for d in trace.diagnostics) < FEW

    def window(self, reading: Reading[Config]) -> int | None:
        """Packets up to some after the first that is lost."""
        lost = [d for d in decode(self._capture.packets, self._capture.program, reading.config).diagnostics]
        lost = [d for d in lost if d.lost_packets]
        return None if sum(d.lost_packets for d in lost) < FEW else lost[0].packet + LOOKED_AT

    def near(self, reading: Reading[Config], window: int) -> float:
        """Packets lost or wrong, of the first ones."""
        part = self._capture.packets[:window]
        trace = decode(part, self._capture.program, reading.config)
        bad = sum(d.lost_packets + 1 for d in trace.diagnostics)
        return min(bad / len(part), 1.0) if len(trace) else 1.0

    def lost(self, reading: Reading[Config]) -> float:
        """The same for a large part of the trace."""
        if reading not in self._measured:
            self._measured[reading] = self.near(reading, WIDE)
        return self._measured[reading]


def as_read(capture: EtraceCapture, reading: Reading[Config]) -> EtraceCapture:
    """The capture with the parameters of a reading."""
    return replace(capture, config=reading.config)
