# SPDX-License-Identifier: Apache-2.0
"""How fast long traces are decoded, by Python and compiled, in one run: a part of `make perf`."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from rvtrace.flow.perf_figures import Figures
from rvtrace.jobs.job import Job
from rvtrace.models.common import native
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.decoder import framing
from rvtrace.models.etrace.decoder import kernel as etrace_kernel
from rvtrace.models.etrace.decoder.decode import decode_bytes
from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.decoder import kernel as ntrace_kernel
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder.encode import Encoder as NtraceEncoder
from rvtrace.models.riscv.program import Program
from rvtrace.tb.etrace.stimulus.stimulus import stimulus as etrace_stimulus
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus as ntrace_stimulus

LENGTH = 3_000_000  # instructions: the trace of a program is repeated to so many
WANTED = 25.0  # M instructions a second on one core, with the PCs as one array at the end
TIMES = 3
HTM, BTM = {"mode": "htm"}, {"mode": "btm"}
OPTIONS: dict[str, Any] = dict.fromkeys(("implicit_return", "jump_target_cache", "branch_prediction", "sijump"), 1)


class Measured(NamedTuple):
    """What is measured of one trace system. kernels: what is compiled. encoder: of a configuration; its `run` gives
    `data`. decode: of bytes, program and configuration. traces: program, settings, and what they are called.
    """

    kernels: tuple[ModuleType, ...]
    config: Callable[..., Any]
    stimulus: Callable[[Job], Any]
    encoder: Callable[[Any], Any]
    decode: Callable[[bytes, Program, Any], Any]
    traces: tuple[tuple[str, dict[str, Any], str], ...]


MEASURED = {
    "ntrace": Measured(
        (ntrace_kernel,), NtraceConfig, ntrace_stimulus, NtraceEncoder, decode,
        (("sort", HTM, "HTM"), ("crc", HTM, "HTM"), ("dispatch", HTM, "HTM"), ("sort", BTM, "BTM")),
    ),
    "etrace": Measured(
        (etrace_kernel, framing), EtraceConfig, etrace_stimulus, EtraceEncoder, decode_bytes,
        tuple(
            (program, settings, name)
            for program in ("sort", "crc", "dispatch")
            for settings, name in (({}, ""), (OPTIONS, "options"))
        ),
    ),
}  # fmt: skip


def long_trace(ip: str, program: str, settings: dict[str, Any]) -> tuple[bytes, Program, Any]:
    """The trace of a program over and over; each starts with a synchronizing message and ends with trace off."""
    measured = MEASURED[ip]
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
            trace = MEASURED[ip].decode(data, program, config)
            count = len(trace.pcs)
            best = max(best, count / (time.process_time() - begin) / 1e6)
            assert not trace.diagnostics and count >= LENGTH, "the trace was not decoded"
    return best


def decoders(figures: Figures) -> bool:
    """Print the table of a trace system, if it has one; whether each trace is decoded as fast as is promised."""
    ip = figures.ip
    if ip not in MEASURED:
        return True
    if any(native.compiled(kernel) is None for kernel in MEASURED[ip].kernels):
        print("decoder compiled: Numba is not installed; Python runs the same source")
        return True
    print(f"decoder on traces of {LENGTH:,} instructions, one core; M instructions/s")
    print(f"      {'':<18}{'Python':>9}{'compiled':>10}{'ratio':>8}")
    kept = True
    for program, settings, called in MEASURED[ip].traces:
        trace = long_trace(ip, program, settings)
        slow, fast = rate(ip, *trace, compiled=False, times=1), rate(ip, *trace, compiled=True, times=TIMES)
        name = f"{program} {called}".strip()
        text = f"{name:<18}{slow:>9.2f}{fast:>10.1f}{fast / slow:>8.1f}"
        kept &= figures.row(f"decoder, {name}, compiled", fast, WANTED, text)
    return kept
