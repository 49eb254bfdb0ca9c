# SPDX-License-Identifier: Apache-2.0
"""How fast the encoder models take long runs, by Python and compiled, in one run: a part of `rvtrace figures speed`."""

from __future__ import annotations

import time
from typing import Any

from rvtrace.flow.perf_figures import Figures
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.jobs.measured import Models
from rvtrace.models.common import native
from rvtrace.models.riscv.beats import Beats

PROGRAMS = ("sort", "crc", "dispatch")
LENGTH = 3_000_000  # instructions: the beats of a program are repeated to so many
SHORT = 300_000  # the same for Python
WANTED = 20.0  # M instructions a second on one core, from beats to bytes
TIMES = 3


def rate(model: Models, config: Any, beats: Beats, count: int, compiled: bool, times: int) -> float:
    """M instructions a second, the best of so many times."""
    best = 0.0
    with native.using(compiled):
        for _ in range(times):
            begin = time.process_time()  # what others do on the machine does not count
            data = model.encoder(config).run(beats).data
            best = max(best, count / (time.process_time() - begin) / 1e6)
            assert data, "nothing was encoded"
    return best


def encoders(figures: Figures) -> bool:
    """Print the table of a system, if it has one; whether each run is encoded as fast as is promised."""
    ip = figures.ip
    model = systems.bench(ip).models
    if model is None:
        return True
    if native.compiled(model.encoder_kernel) is None:
        print("encoder model compiled: Numba is not installed; Python runs the same source")
        return True
    print(f"encoder model on runs of {LENGTH:,} instructions, one core; M instructions/s")
    print(f"      {'':<24}{'Python':>9}{'compiled':>10}{'ratio':>8}")
    kept = True
    for program in PROGRAMS:
        for name, options in model.encoded.items():
            what = model.stimulus(Job("perf", f"program:{program}", dict(options), ip=ip))
            count = int((what.retired.kind == 0).sum())
            config, rates = model.config(**options), []
            for length, compiled, times in ((SHORT, False, 1), (LENGTH, True, TIMES)):
                repeats = -(-length // count)
                beats = Beats.concat([what.beats] * repeats)
                rates.append(rate(model, config, beats, count * repeats, compiled, times))
            slow, fast = rates
            called = f"{program} {name}".strip()
            text = f"{called:<24}{slow:>9.2f}{fast:>10.1f}{fast / slow:>8.1f}"
            kept &= figures.row(f"encoder model, {called}, compiled", fast, WANTED, text)
    return kept
