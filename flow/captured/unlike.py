# SPDX-License-Identifier: Apache-2.0
"""What a look at the bytes says of a captured trace that is none of this format or program, before anything is decoded
or searched.

    sentence(files)         why this cannot be the trace; empty if it may be
    ends_early(...)         that the rows of a retire stream end before the trace does
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs import systems
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.common.judge import Judge
from rvtrace.scoreboards.diagnosis import cheap

LOOKED_AT = cheap.LOOKED_AT
UNLIKE = 0.5  # share of the bytes that can be read as claimed: most cannot
# Share that can be read as another format, in the best of its readings (`Judge.readings`): of 50 random walks of random
# configurations at least 0.67 as their own format, and at most 0.32 as any other one.
LIKE = 0.6
COMPARED = 1024  # bytes that are read as other formats: all readings of all formats take less than 0.1 s
FEWEST = 256  # bytes: of fewer another format may read most by chance
FAR = 1 << 20  # bytes from the code of a program: no relocated or misread address of it is as far, and like the others
SEVERAL = 3  # addresses that prove something
SHIFTS = (0, 1, 2, -1, -2)  # an address that a device sends in other units is still one of the program


def sentence(files: TraceFiles) -> str:
    """Why the bytes cannot be a trace of this format and program; empty if they may be."""
    if said := cheap.sentence(files.data):
        return f"{files.trace.name} is no trace: {said}; give the bytes that the encoder sent"
    judge, data = systems.judge(files.system.ip), files.data[:LOOKED_AT]
    if len(data) >= FEWEST and files.trace.suffix != ".hex" and judge.legible(data, files.config) < UNLIKE:
        others = (systems.judge(name) for name in systems.NAMES if name != judge.ip)
        like, other = max(((resembles(one, data[:COMPARED]), one) for one in others), key=lambda pair: pair[0])
        if like > LIKE:
            return (
                f"{files.trace.name} is no {judge.title} but {other.title}: most of its bytes can be read as that, and"
                f" most cannot as {judge.title}; give IP={other.ip}"
            )
    if files.program is not None and elsewhere(judge.addresses(data, files.config), files.program):
        return (
            f"{files.trace.name} does not fit {files.elf}: none of its addresses is in this program, all are near each"
            " other elsewhere; give the ELF that was traced"
        )
    return ""


def resembles(judge: Judge, data: bytes) -> float:
    """The share of bytes that can be read as a format, whatever its options are."""
    return max((judge.legible(data, reading) for reading in judge.readings()), default=0.0)


def elsewhere(addresses: Iterable[int], program: Program) -> bool:
    """Whether full addresses that a trace has are all of one other program: near each other, and far from this one."""
    found = np.unique(np.array(list(addresses), np.uint64))
    if len(found) < SEVERAL or int(found[-1] - found[0]) >= FAR or found[0] < FAR:
        return False
    for shift in SHIFTS:
        moved = found << np.uint64(shift) if shift >= 0 else found >> np.uint64(-shift)
        if (program.columns(moved).size > 0).any():
            return False
    return True


def ends_early(files: TraceFiles, decoded: Any, retired: Retired | None, instructions: int) -> str:
    """A sentence if the trace encodes all rows of a retire stream, and goes on; else an empty text."""
    if retired is None or not files.system.follows_program or not instructions or len(decoded) <= instructions:
        return ""
    known = retired.pc[retired.kind == 0][-1:]
    if len(known) and int(decoded.pcs[instructions - 1]) == int(known[0]) and not decoded.diagnostics:
        return (
            f"the retire stream ends early: its last instruction is number {instructions:,} of {len(decoded):,} that"
            f" {files.trace.name} encodes; give all rows"
        )
    return ""
