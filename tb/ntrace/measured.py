# SPDX-License-Identifier: Apache-2.0
"""The models of N-Trace as `rvtrace figures speed` measures them."""

from __future__ import annotations

from rvtrace.jobs.measured import Models
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as decoder_kernel
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder import kernel as encoder_kernel
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus

HTM, BTM = {"mode": "htm"}, {"mode": "btm"}
_OPTIONS = {
    "implicit_return": 3, "repeated_history": 1, "repeat_branch": 1, "sequential_jump": 1, "ownership": 1,
    "inst_sync_mode": 1, "inst_sync_max": 4, "timestamp": 1,
}  # fmt: skip
MODELS = Models(
    Config, stimulus,
    Encoder, encoder_kernel,
    {"HTM": HTM, "HTM, options": HTM | _OPTIONS, "BTM": BTM, "BTM, options": BTM | _OPTIONS},
    decode, (decoder_kernel,),
    (("sort", HTM, "HTM"), ("crc", HTM, "HTM"), ("dispatch", HTM, "HTM"), ("sort", BTM, "BTM")),
)  # fmt: skip
