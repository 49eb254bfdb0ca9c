# SPDX-License-Identifier: Apache-2.0
"""The models of E-Trace as `rvtrace figures speed` measures them."""

from __future__ import annotations

from rvtrace.jobs.measured import Models
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import framing
from rvtrace.models.etrace.decoder import kernel as decoder_kernel
from rvtrace.models.etrace.decoder.decode import decode_bytes
from rvtrace.models.etrace.encoder import kernel as encoder_kernel
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.tb.etrace.stimulus.stimulus import stimulus

_OPTIONS = dict.fromkeys(("implicit_return", "jump_target_cache", "branch_prediction", "sijump"), 1)
_NAMED = {"": {}, "options": _OPTIONS}
MODELS = Models(
    Config, stimulus,
    Encoder, encoder_kernel, _NAMED,
    decode_bytes, (decoder_kernel, framing),
    tuple((program, options, name) for program in ("sort", "crc", "dispatch") for name, options in _NAMED.items()),
)  # fmt: skip
