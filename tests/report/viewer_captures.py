# SPDX-License-Identifier: Apache-2.0
"""A recorded program as a capture with privilege, context and time, for the tests of the viewer."""

import json

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.tb.common.stimulus.stimulus import traced


def capture(folder, name):
    """A recorded program encoded by the N-Trace model, as a folder; what retired."""
    made = recording.load(name, 64)
    retired = traced(made.retired, made.program)
    config = Config(ownership=1, timestamp=1)
    beats = to_beats(retired, lanes=config.blocks)
    beats.enable[1:] = 1
    beats.tstamp[:] = 100 + 3 * np.arange(len(beats.tstamp))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trace.bin").write_bytes(Encoder(config).run(beats).data)
    made.program.to_elf(folder / "program.elf")
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    return retired
