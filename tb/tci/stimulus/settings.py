# SPDX-License-Identifier: Apache-2.0
"""A configuration of an encoder as the fields of its registers: register to field to value; Active is implied."""

from __future__ import annotations

from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.tci.encoder_rows import ETRACE

__all__ = ["ETRACE", "etrace_settings", "ntrace_settings"]

CORE_TIME = 3  # trTsMode


def ntrace_settings(config: NtraceConfig) -> dict[str, dict[str, int]]:
    """Those of an N-Trace encoder."""
    return {
        "trTeInstFeatures": {
            "trTeInstEnSequentialJump": config.sequential_jump,
            "trTeInstEnImplicitReturn": int(config.implicit_return > 0),
            "trTeInstImplicitReturnMode": config.implicit_return,
            "trTeInstEnRepeatedHistory": config.repeated_history,
            "trTeInstEnAllJumps": config.all_jumps,
            "trTeInstExtendAddrMSB": config.extend_addr_msb,
            "trTeSrcID": config.src_id,
            "trTeSrcBits": config.src_bits,
        },
        "trTsControl": {
            "trTsActive": config.timestamp,
            "trTsCount": config.timestamp,
            "trTsMode": config.ts_mode * config.timestamp,
            "trTsPrescale": config.ts_prescale * config.timestamp,
            "trTsRunInDebug": config.ts_run_in_debug * config.timestamp,
            "trTsEnable": config.timestamp,
        },
        "trTeVendorControl": {
            "trTeVendorRepeatBranch": config.repeat_branch,
            "trTeVendorBTypeOne": int(config.b_type == "1"),
            "trTeVendorRc7": int(config.variant == "rc7"),
            "trTeVendorHcontext": config.hcontext,
        },
        "trTeControl": {
            "trTeActive": 1,
            "trTeInstMode": config.inst_mode,
            "trTeContext": config.ownership,
            "trTeInstStallEna": config.inst_stall_ena,
            "trTeInhibitSrc": config.inhibit_src,
            "trTeInstSyncMode": config.inst_sync_mode,
            "trTeInstSyncMax": config.inst_sync_max,
            "trTeFormat": 1,
        },
    }


def etrace_settings(config: EtraceConfig, source: int) -> dict[str, dict[str, int]]:
    """Those of an E-Trace encoder whose packets carry the number `source` as their index, if they have one."""
    return {
        "trTeInstFeatures": {
            "trTeInstNoAddrDiff": config.full_address,
            "trTeInstNoTrapAddr": config.implicit_exception,
            "trTeInstEnSequentialJump": config.sijump,
            "trTeInstEnImplicitReturn": config.implicit_return,
            "trTeInstEnBranchPrediction": config.branch_prediction,
            "trTeInstEnJumpTargetCache": config.jump_target_cache,
            "trTeSrcID": source if config.index_width else 0,
            "trTeSrcBits": config.index_width,
        },
        "trTsControl": {
            "trTsActive": config.timestamp,
            "trTsCount": config.timestamp,
            "trTsMode": CORE_TIME * config.timestamp,
            "trTsEnable": config.timestamp,
        },
        "trTeVendorControl": {
            "trTeVendorDraft": int(config.variant == "draft_0_026"),
            "trTeVendorZeros": int(config.framing == "zeros"),
        },
        "trTeControl": {
            "trTeActive": 1,
            "trTeInstMode": 6,
            "trTeContext": int(not config.nocontext_p),
            "trTeInstStallEna": config.inst_stall_ena,
            "trTeInstSyncMode": config.inst_sync_mode,
            "trTeInstSyncMax": config.inst_sync_max,
            "trTeFormat": 0,
        },
    }
