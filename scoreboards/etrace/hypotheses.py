# SPDX-License-Identifier: Apache-2.0
"""Which parameters explain the packets of an E-Trace encoder that cannot be decoded with those claimed."""

from __future__ import annotations

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import DecodedTrace, decode
from rvtrace.scoreboards.common.hypotheses import Explanation, Variation, explain, variations
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
LOOKED_AT = 300  # packets from the first that could not be decoded


def assumed(capture: EtraceCapture, decoded: DecodedTrace) -> tuple[list[Explanation], float]:
    """The configurations that explain a capture, and the share of it that cannot be decoded as claimed.

    decoded: with the parameters claimed.
    """
    lost = [d for d in decoded.diagnostics if d.lost_packets]
    if sum(d.lost_packets for d in lost) < FEW:
        return [], 0.0
    part = capture.packets[: lost[0].packet + LOOKED_AT]

    def undecoded(config: Config) -> float:
        """Packets lost or wrong, of those looked at."""
        trace = decode(part, capture.program, config)
        bad = sum(d.lost_packets + 1 for d in trace.diagnostics)
        return min(bad / len(part), 1.0) if len(trace) else 1.0

    return explain(capture.config, undecoded, lambda config: variations(config, OPTIONS)), undecoded(capture.config)
