# SPDX-License-Identifier: Apache-2.0
"""How fast long traces are decoded, by Python and compiled, in one run: a part of `rvtrace figures speed`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from rvtrace.flow.perf_figures import Figures
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.jobs.measured import Models
from rvtrace.models.common import native
from rvtrace.models.riscv.program import Program

LENGTH = 3_000_000  # instructions: the trace of a program is repeated to so many
WANTED = 25.0  # M instructions a second on one core, with the PCs as one array at the end
TIMES = 3


def _models(ip: str) -> Models:
    found = systems.bench(ip).models
    assert found is not None
    return found


def long_trace(ip: str, program: str, settings: Mapping[str, Any]) -> tuple[bytes, Program, Any]:
    """The trace of a program over and over; each starts with a synchronizing message and ends with trace off."""
    measured = _models(ip)
    config = measured.config(**settings)
    what = measured.stimulus(Job("perf", f"program:{program}", dict(settings), ip=ip))
    count = int((what.retired.kind == 0).sum())
    return measured.encoder(config).run(what.beats).data * -(-LENGTH // count), what.program, config


def rate(ip: str, data: bytes, program: Program, config: Any, compiled: bool, times: int) -> float:
    """M instructions a second, the best of so many times."""
    best = 0.0
    with native.using(compiled):
        for _ in range(times):
            begin = time.process_time()  # what others do on the machine does not count
            trace = _models(ip).decode(data, program, config)
            count = len(trace.pcs)
            best = max(best, count / (time.process_time() - begin) / 1e6)
            assert not trace.diagnostics and count >= LENGTH, "the trace was not decoded"
    return best


def decoders(figures: Figures) -> bool:
    """Print the table of a trace system, if it has one; whether each trace is decoded as fast as is promised."""
    ip = figures.ip
    if systems.bench(ip).models is None:
        return True
    if any(native.compiled(kernel) is None for kernel in _models(ip).decoder_kernels):
        print("decoder compiled: Numba is not installed; Python runs the same source")
        return True
    print(f"decoder on traces of {LENGTH:,} instructions, one core; M instructions/s")
    print(f"      {'':<18}{'Python':>9}{'compiled':>10}{'ratio':>8}")
    kept = True
    for program, settings, called in _models(ip).decoded:
        trace = long_trace(ip, program, settings)
        slow, fast = rate(ip, *trace, compiled=False, times=1), rate(ip, *trace, compiled=True, times=TIMES)
        name = f"{program} {called}".strip()
        text = f"{name:<18}{slow:>9.2f}{fast:>10.1f}{fast / slow:>8.1f}"
        kept &= figures.row(f"decoder, {name}, compiled", fast, WANTED, text)
    return kept
