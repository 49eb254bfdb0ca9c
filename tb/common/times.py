# SPDX-License-Identifier: Apache-2.0
"""What a run leaves beside its waveform, so that others find its cycles there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from cocotb import simtime

from rvtrace.jobs.job import TIMES, WAVES


def leave_times(out: Path, began: int, period: int, sent: Any = None) -> None:
    """times.npz, if there is a waveform: the simulator's time at which cycle 0 begins, the period of the clock, the
    unit of both (a power of ten of a second), and the cycle of each byte that was sent.
    """
    if os.environ.get(WAVES):
        np.savez(
            out / TIMES,
            began=began,
            period=period,
            unit=simtime.time_precision,
            sent=np.zeros(0, np.int64) if sent is None else np.asarray(sent, np.int64),
        )
