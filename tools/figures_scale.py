# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures scale INSTRUCTIONS=100000000`: CoreMark of so many instructions through encoder and decoder models
of E-Trace and N-Trace in constant memory, with the speed of each step (rvtrace.flow.programs.scale).
"""

from __future__ import annotations

import sys
import time

from rvtrace.flow.programs.scale import scale
from rvtrace.flow.progress import Progress
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse

WORDS = {
    "INSTRUCTIONS": "retired instructions, default 100000000",
    "XLEN": "32 or 64 (default)",
}
_TITLES = {"etrace": "E-Trace", "ntrace": "N-Trace"}


def main(argv: list[str]) -> int:
    """0 if the decoders found the recorded path; else an error."""
    given = parse(argv, WORDS, "Long runs through the models.")
    wanted, xlen = number(given, "INSTRUCTIONS", 100_000_000, least=1), number(given, "XLEN", 64)
    if xlen not in (32, 64):
        raise ArgumentError(f"XLEN={xlen} is not a register width; give XLEN=32 or XLEN=64")
    begin = time.monotonic()
    with Progress(wanted, "instructions", bad="") as progress:
        of, recording, memory = scale(wanted, xlen, lambda done: progress.step(parts=done - progress.done))
    count = of[0].instructions
    print(
        f"CoreMark RV{xlen}, {count:,} instructions in {time.monotonic() - begin:.1f} s, {memory / 1e6:,.0f} MB at most"
    )
    print(f"      recorded by unicorn         {count / recording / 1e6:7.2f} M instructions/s")
    for side in of:
        for what, seconds in side.seconds.items():
            print(f"      {_TITLES[side.ip]} {what:<19} {count / seconds / 1e6:7.2f} M instructions/s")
        rate = f"{8 * side.size / count:.3f} bits per instruction"
        print(f"      {_TITLES[side.ip]}: {side.size:,} bytes, {rate}, decoded {side.decoded:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
