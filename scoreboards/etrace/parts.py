# SPDX-License-Identifier: Apache-2.0
"""A long E-Trace as parts (`rvtrace.scoreboards.common.captured`): from a synchronization packet to another one.

Each of them empties return stack, counter and jump target cache, and resets the predictor, and reports its address in
full: a decoder may begin there, and goes on as if it had decoded what comes before. What survives it is given to the
part: the options that the last support packet reports, the packet's number, and its place in block and word. Not every
synchronization packet will do (`_may_begin`). Where packets are is found by reading the stream from its beginning, with
bytes that are no packet, and only where packets follow each other is it cut.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

import numpy as np

from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import framing as f
from rvtrace.models.etrace.decoder.deframe import WORD, Deframer, Frames
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.table import PRIVILEGE_NAMES
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.common.captured import AFTER, MOST, PART, Part
from rvtrace.scoreboards.common.judge import CaptureError

READ = 256 << 10  # bytes that are read at once
TAIL = 32 << 10  # bytes that the last part has at least: where a receiver joins (ET.tra.join) is judged in them
START, TRAP, CONTEXT, SUPPORT = 3, 7, 11, 15  # format and subformat


def parts(
    path: Path, config: Config, program: Program | None, size: int = PART, most: int = MOST, otherwise: str = ""
) -> Iterator[Part]:
    """The parts of an E-Trace of one encoder; longer than `size` where synchronization packets are rare. program: as
    in `_may_begin`. most: bytes of a part; CaptureError if one would have more, with what else can be done.
    """
    total = os.path.getsize(path)
    deframer, part, support = Deframer(config), Part(0, 0, 0, None, total, total), b""
    packets = 0  # before the present piece
    with path.open("rb") as file:
        while data := file.read(READ):
            for piece in deframer.pieces(data):
                if not isinstance(piece, Frames):
                    continue
                rows = np.asarray(piece.rows, np.int64).reshape(-1, f.ROW)
                heads, ends = np.frombuffer(piece.data, np.uint8)[rows[:, 0]] & 15, piece.ends()
                supports = [(-1, support)]
                for row in np.flatnonzero(heads == SUPPORT).tolist():
                    if _is_readable(payload := _payload(piece, rows[row]), config):
                        supports.append((row, payload))
                places = _candidates(rows, heads, config)
                offsets, n = rows[places, 2], 0
                while (n := max(n, int(np.searchsorted(offsets, part.begin + size)))) < len(places):
                    at, offset, n = int(places[n]), int(offsets[n]), n + 1
                    if offset + TAIL > total or not _may_begin(_payload(piece, rows[at]), config, program):
                        continue
                    known = supports[bisect_left(supports, at, key=itemgetter(0)) - 1][1]
                    own, end = (int(ends[row]) for row in (at, at + AFTER))
                    yield part._replace(cut=offset, own=own, end=end, after=packets + at + 1)
                    part = Part(
                        part.number + 1, offset, own - offset, None, total, total, end, packets + at, None, known
                    )
                packets += len(rows)
                support = supports[-1][1]
            if file.tell() - part.begin > most + 2 * size:
                raise CaptureError(
                    f"{path} has no synchronization packet at which it could be cut in the"
                    f" {file.tell() - part.begin:,} bytes from byte {part.begin:,} on; switch periodic synchronization"
                    f" on and capture again, or check ELF= and CONFIG={otherwise}"
                )
    yield part


def _candidates(rows: np.ndarray, heads: np.ndarray, config: Config) -> np.ndarray:
    """Synchronization packets that AFTER others follow, the first of them no context."""
    places = np.flatnonzero((heads[:-1] == START) | (heads[:-1] == TRAP)) if len(heads) > AFTER else np.arange(0)
    places = places[(places + AFTER < len(heads)) & (heads[np.minimum(places + 1, len(heads) - 1)] != CONTEXT)]
    if config.encapsulation == "atb":
        places = places[rows[places, 2] % WORD == 0]
    return places


def _payload(piece: Frames, row: np.ndarray) -> bytes:
    begin, size = int(row[0]), int(row[1])
    return bytes(piece.data[begin : begin + size])


def _is_readable(payload: bytes, config: Config) -> bool:
    try:
        unpack(payload, config)
    except PacketError:
        return False
    return True


def _may_begin(payload: bytes, config: Config, program: Program | None) -> bool:
    """Whether a decoder that begins with this packet goes on as one that decoded everything before it.

    It reports an instruction of the program, if that is known, which is no uninferable jump: whether the target of that
    can be inferred (sijump) depends on the instruction before it.
    """
    try:
        packet = unpack(payload, config)
    except PacketError:
        return False
    address = packet.get("address")
    if address is None or not packet.is_sync or not packet.get("thaddr", 1):
        return False
    if packet.get("privilege", 0) not in PRIVILEGE_NAMES:
        return False
    insn = None if program is None else program.code[address << config.iaddress_lsb_p]
    return program is None or (insn is not None and insn.flow is not Flow.UNINFERABLE)


def lead(part: Part, config: Config) -> bytes:
    """What is put before the bytes of a part, so that they are a trace of their own: the support packet in force, and
    zeros up to the part's place in its word or block.
    """
    if not part.number:
        return b""
    found = encapsulate([part.support], [False], [0], config) if part.support else b""
    if config.framing == "blocks":
        return found + bytes((part.begin - len(found)) % config.block_bytes)
    return found
