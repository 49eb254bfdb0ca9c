# SPDX-License-Identifier: Apache-2.0
"""What a look at the bytes says of a captured trace that is none of this format or program, before anything is decoded
or searched.

    sentence(files)         why this cannot be the trace; empty if it may be
    ends_early(...)         that the rows of a retire stream end before the trace does
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs import systems
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.diagnosis import cheap

LOOKED_AT = cheap.LOOKED_AT
UNLIKE, LIKE = 0.5, 0.95  # shares of the bytes that can be read: most cannot as claimed, nearly all as another format
FEWEST = 256  # bytes: of fewer another format may read most by chance
FAR = 1 << 20  # bytes from the code of a program: no relocated or misread address of it is as far, and like the others
SEVERAL = 3  # addresses that prove something
SHIFTS = (0, 1, 2, -1, -2)  # an address that a device sends in other units is still one of the program
_NAMES = {"ntrace": "N-Trace", "etrace": "E-Trace", "tandem": "tandem trace"}


def sentence(files: TraceFiles) -> str:
    """Why the bytes cannot be a trace of this format and program; empty if they may be."""
    if said := cheap.sentence(files.data):
        return f"{files.trace.name} is no trace: {said}; give the bytes that the encoder sent"
    ip, data = files.system.ip, files.data[:LOOKED_AT]
    if len(data) >= FEWEST and files.trace.suffix != ".hex" and _legible(ip, data, files.config) < UNLIKE:
        others = [other for other in _NAMES if other != ip and _legible(other, data, None) > LIKE]
        if others:
            return (
                f"{files.trace.name} is no {_NAMES[ip]} but {_NAMES[others[0]]}: nearly all of its bytes can be read as"
                f" that, and most cannot as {_NAMES[ip]}; give FORMAT={others[0]}"
            )
    if files.program is not None and elsewhere(_addresses(ip, data, files.config), files.program):
        return (
            f"{files.trace.name} does not fit {files.elf}: none of its addresses is in this program, all are near each"
            " other elsewhere; give the ELF that was traced"
        )
    return ""


def _addresses(ip: str, data: bytes, config: Any) -> Iterator[int]:
    """The full addresses of the first messages or packets."""
    if ip == "ntrace":
        from rvtrace.models.ntrace.codec import unpack

        yield from (address << 1 for m in unpack(data, config)[0] if (address := m.get("faddr")) is not None)
    elif ip == "etrace":
        from rvtrace.models.etrace.decoder.deframe import deframe
        from rvtrace.scoreboards.etrace.layout import read, standard

        layout = standard(config.variant)
        for payload in deframe(data, config)[0]:
            packet = read(payload, layout, config, config.options)
            if packet.name == "start" and not packet.problem:
                yield packet.values["address"] << config.iaddress_lsb_p


def _legible(ip: str, data: bytes, config: Any) -> float:
    """The share of some bytes that have the form of a format, with a configuration or its defaults."""
    config = config or systems.judge(ip).config()
    if ip == "ntrace":
        from rvtrace.models.ntrace.codec import unpack
        from rvtrace.models.ntrace.table import TABLES

        messages, damages = unpack(data, config)
        begins = sorted([*(m.offset for m in messages), *(d.offset for d in damages), len(data)])
        after = dict(zip(begins, begins[1:]))
        known = TABLES[config.variant].by_code
        return sum(after[m.offset] - m.offset for m in messages if m.tcode in known) / len(data)
    if ip == "etrace":
        from rvtrace.models.etrace.decoder.deframe import deframe
        from rvtrace.scoreboards.etrace.layout import read, standard

        payloads, _, _ = deframe(data, config)
        layout = standard(config.variant)
        good = (len(one) for one in payloads if not read(one, layout, config, config.options).problem)
        return sum(good) / max(sum(map(len, payloads)), 1)
    from rvtrace.models.tandem.decoder.scan import PAD, Scanner

    scan = Scanner(config).scan(np.frombuffer(data + bytes(PAD), np.uint8), final=True)
    return float(scan.lengths.sum()) / len(data)


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
    if retired is None or files.system.ip == "tandem" or not instructions or len(decoded) <= instructions:
        return ""
    known = retired.pc[retired.kind == 0][-1:]
    if len(known) and int(decoded.pcs[instructions - 1]) == int(known[0]) and not decoded.diagnostics:
        return (
            f"the retire stream ends early: its last instruction is number {instructions:,} of {len(decoded):,} that"
            f" {files.trace.name} encodes; give all rows"
        )
    return ""
