# SPDX-License-Identifier: Apache-2.0
"""How fast the encoder models take long runs, by Python and compiled, in one run: a part of `make perf`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from rvtrace.flow.perf_figures import Figures
from rvtrace.jobs.job import Job
from rvtrace.models.common import native
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.encoder import encode as etrace
from rvtrace.models.etrace.encoder import kernel as etrace_kernel
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.encoder import encode as ntrace
from rvtrace.models.ntrace.encoder import kernel as ntrace_kernel
from rvtrace.models.riscv.beats import Beats
from rvtrace.tb.etrace.stimulus.stimulus import stimulus as etrace_stimulus
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus as ntrace_stimulus

PROGRAMS = ("sort", "crc", "dispatch")
LENGTH = 3_000_000  # instructions: the beats of a program are repeated to so many
SHORT = 300_000  # the same for Python
WANTED = 20.0  # M instructions a second on one core, from beats to bytes
TIMES = 3
_EVERYTHING = {"implicit_return": 3, "repeated_history": 1, "repeat_branch": 1, "sequential_jump": 1, "ownership": 1,
               "inst_sync_mode": 1, "inst_sync_max": 4, "timestamp": 1}  # fmt: skip


class Model(NamedTuple):
    """An encoder model. named: what the table calls a set of options, and the options."""

    kernel: Any
    config: Callable[..., Any]
    encoder: Callable[[Any], Any]
    stimulus: Callable[[Job], Any]
    named: dict[str, dict[str, Any]]


MODELS = {
    "ntrace": Model(
        ntrace_kernel, NtraceConfig, ntrace.Encoder, ntrace_stimulus,
        {"HTM": {"mode": "htm"}, "HTM, options": {"mode": "htm"} | _EVERYTHING, "BTM": {"mode": "btm"},
         "BTM, options": {"mode": "btm"} | _EVERYTHING},
    ),
    "etrace": Model(
        etrace_kernel, EtraceConfig, etrace.Encoder, etrace_stimulus,
        {"": {}, "options": {"implicit_return": 1, "branch_prediction": 1, "jump_target_cache": 1, "sijump": 1}},
    ),
}  # fmt: skip


def rate(model: Model, config: Any, beats: Beats, count: int, compiled: bool, times: int) -> float:
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
    if ip not in MODELS:
        return True
    model = MODELS[ip]
    if native.compiled(model.kernel) is None:
        print("encoder model compiled: Numba is not installed; Python runs the same source")
        return True
    print(f"encoder model on runs of {LENGTH:,} instructions, one core; M instructions/s")
    print(f"      {'':<24}{'Python':>9}{'compiled':>10}{'ratio':>8}")
    kept = True
    for program in PROGRAMS:
        for name, options in model.named.items():
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
