# SPDX-License-Identifier: Apache-2.0
"""The memory-loading trace of a program: state initialization groups with the stores that put it into memory.

    trace = elf_to_trace("program.elf", Config(xlen=64))

Each group stores one naturally aligned unit, as wide as a register where it can. There are no responses (the
specification leaves them out freely). The last group gives the pc the program's entry.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config, ConfigError
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.table import HAS, STORE
from rvtrace.models.tandem.trace_data import Rows, TraceData


def elf_to_trace(path: str | Path, config: Config) -> bytes:
    """The trace of an ELF file; ProgramError or ConfigError in a sentence."""
    program = Program.from_elf(path)
    if program.xlen != config.xlen:
        raise ConfigError(f"{path} is an RV{program.xlen} program; give XLEN={program.xlen}")
    if not config.traces("request"):
        raise ConfigError("a memory-loading trace is made of requests; take request out of ABSENT")
    return encode(loading_rows(program), config).data


def loading_rows(program: Program) -> Rows:
    """Memory, then the entry; the trace is complete after them."""
    return Rows.concat(
        [
            memory_rows(program),
            Rows.from_rows([TraceData(init=True, pc=program.entry), TraceData(group=False, flush=True)]),
        ]
    )


def memory_rows(program: Program) -> Rows:
    """The stores of all segments, by address."""
    parts = [_stores(base, body, program.xlen // 8) for base, body in sorted([*program.segments, *program.data])]
    return Rows.concat(parts)


def _stores(base: int, body: bytes, width: int) -> Rows:
    """Units of `width` bytes, and narrower ones where a segment begins or ends between."""
    edges, at, end = [], base, base + len(body)
    while at < end and (at % width or end - at < width):
        edges.append(at)
        at += _unit(at, end, width)
    wide = (end - at) // width
    tail = at + wide * width
    middle = np.arange(wide, dtype=np.uint64) * np.uint64(width) + np.uint64(at)
    behind = []
    while tail < end:
        behind.append(tail)
        tail += _unit(tail, end, width)
    address = np.concatenate((np.array(edges, np.uint64), middle, np.array(behind, np.uint64)))
    size = np.array(
        [_unit(one, end, width) for one in edges] + [width] * wide + [_unit(one, end, width) for one in behind],
        np.int64,
    )
    units = np.frombuffer(body[at - base : at - base + wide * width], f"<u{width}").astype(np.uint64)
    small = [int.from_bytes(body[one - base : one - base + _unit(one, end, width)], "little") for one in edges + behind]
    data = np.concatenate((np.array(small[: len(edges)], np.uint64), units, np.array(small[len(edges) :], np.uint64)))
    has = np.full(len(address), HAS["group"] | HAS["init"] | HAS["request"])
    return Rows(
        len(address),
        has=has,
        req_op=np.full(len(address), STORE),
        req_size=np.log2(size).astype(np.uint8),
        req_addr=address,
        req_data=data,
    )


def _unit(at: int, end: int, width: int) -> int:
    """Bytes of the widest aligned unit at this address."""
    size = width
    while at % size or end - at < size:
        size //= 2
    return size
