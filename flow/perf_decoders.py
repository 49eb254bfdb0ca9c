# SPDX-License-Identifier: Apache-2.0
"""How fast long N-Trace traces are decoded, by Python and compiled, in one run: a part of `make perf`."""

from __future__ import annotations

import time

from rvtrace.models.common import native
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.program import Program
from rvtrace.tb.common.job import Job
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus

MEASURED = (("sort", "htm"), ("crc", "htm"), ("dispatch", "htm"), ("sort", "btm"))
LENGTH = 3_000_000  # instructions: the trace of a program is repeated to so many
WANTED = 25.0  # M instructions a second on one core, with the PCs as one array at the end
TIMES = 3


def long_trace(program: str, mode: str) -> tuple[bytes, Program, Config]:
    """The trace of a program over and over; each starts with a synchronizing message and ends with trace off."""
    config, what = Config(mode=mode), stimulus(Job("perf", f"program:{program}", {"mode": mode}))
    count = int((what.retired.kind == 0).sum())
    return Encoder(config).run(what.beats).data * -(-LENGTH // count), what.program, config


def rate(data: bytes, program: Program, config: Config, compiled: bool, times: int) -> float:
    """M instructions a second, the best of so many times."""
    best = 0.0
    with native.using(compiled):
        for _ in range(times):
            begin = time.process_time()  # what others do on the machine does not count
            trace = decode(data, program, config)
            count = len(trace.pcs)
            best = max(best, count / (time.process_time() - begin) / 1e6)
            assert not trace.diagnostics and count >= LENGTH, "the trace was not decoded"
    return best


def ntrace_decoders() -> bool:
    """Print the table; whether each trace is decoded as fast as is promised."""
    if native.compiled(kernel) is None:
        print("decoder compiled: Numba is not installed; Python runs the same source")
        return True
    print(f"decoder on traces of {LENGTH:,} instructions, one core; M instructions/s")
    print(f"      {'':<16}{'Python':>9}{'compiled':>10}{'ratio':>8}")
    kept = True
    for program, mode in MEASURED:
        trace = long_trace(program, mode)
        slow, fast = rate(*trace, compiled=False, times=1), rate(*trace, compiled=True, times=TIMES)
        good = fast >= WANTED
        kept &= good
        name = f"{program} {mode.upper()}"
        print(
            f"  {'ok ' if good else 'LOW'} {name:<16}{slow:>9.2f}{fast:>10.1f}{fast / slow:>8.1f} (at least {WANTED:g})"
        )
    return kept
