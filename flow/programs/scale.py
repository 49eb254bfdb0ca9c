# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures scale`: CoreMark of so many instructions through the encoder and decoder models, in memory that does
not grow.

unicorn records the path in parts; both encoders carry their state from part to part (`rvtrace.flow.programs.streams`).
What lies between two synchronizations is decoded as soon as it is complete, compared with the recorded path, and
dropped.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.flow.programs import compile as compiler
from rvtrace.flow.programs import host, package
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.programs.path import Path as Run
from rvtrace.flow.programs.sets import coremark
from rvtrace.flow.programs.streams import EtraceStream, NtraceStream, Piece, beats_of, joined
from rvtrace.models.common import native
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.decoder.decode import decode as etrace_decode
from rvtrace.models.ntrace.config import Config as NtraceConfig
from rvtrace.models.ntrace.decoder.decode import decode as ntrace_decode
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired

BLOCKS = 1 << 17  # of a part: 650,000 instructions of CoreMark
PER_ITERATION = {32: 290_000, 64: 350_000}  # instructions, at least
SYNC = {"inst_sync_mode": 1, "inst_sync_max": 6}  # every 1024 packets or messages
OPTIONS: dict[str, dict[str, Any]] = {
    "etrace": {"implicit_return": 1, "branch_prediction": 1, "jump_target_cache": 1},
    "ntrace": {"mode": "htm", "implicit_return": 3, "repeated_history": 1},
}


@dataclass
class Side:
    """One system: what it made so far, and what is not decoded yet.

    overlap: instructions that a synchronization reports, which the one before has reported as well. seconds: by what
    was done.
    """

    ip: str
    program: Program
    config: Any
    stream: Any
    overlap: int
    instructions: int = 0
    decoded: int = 0
    size: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: {"blocks": 0.0, "encoder": 0.0, "decoder": 0.0})
    _pending: Piece | None = None
    _path: list[np.ndarray] = field(default_factory=list)

    def take(self, part: Retired, first: bool, last: bool) -> None:
        """Encode a part, decode what is complete; ProgramsError if the decoder finds another path."""
        begin = time.process_time()
        beats = beats_of(part, self.program, self.config, first, last)
        blocks = time.process_time()
        piece = self.stream.feed(beats, last)
        encoded = time.process_time()
        self.instructions, self.size = self.instructions + len(part), self.size + len(piece.data)
        self._path.append(part.pc)
        self._pending = piece if self._pending is None else joined([self._pending, piece])
        self._decode(last)
        for what, seconds in zip(self.seconds, (blocks - begin, encoded - blocks, time.process_time() - encoded)):
            self.seconds[what] += seconds

    def _decode(self, last: bool) -> None:
        """From the first message that is left to the last synchronization, or to the end."""
        piece = self._pending
        assert piece is not None
        if not last and (len(piece.syncs) < 2):
            return
        upto = len(piece.ends) if last else int(piece.syncs[-1]) + 1
        end = int(piece.ends[upto - 1]) if upto else 0
        found = self._pcs(piece.data[:end], piece.ends[:upto])
        path = np.concatenate(self._path)
        count = len(found) if last else len(found) - self.overlap
        wrong = len(found) > len(path) or not np.array_equal(found, path[: len(found)])
        if wrong or (last and count != len(path)):
            raise ProgramsError(
                f"{self.ip}: after {self.decoded:,} instructions the decoder finds another path than was recorded;"
                " this is an error of ours"
            )
        self.decoded += count
        self._path = [path[count:]]
        if not last:  # the synchronization is the first of what follows
            begin = int(piece.ends[upto - 2]) if upto > 1 else 0
            kept = piece.syncs[piece.syncs >= upto - 1] - (upto - 1)
            self._pending = Piece(piece.data[begin:], piece.ends[upto - 1 :] - begin, kept)

    def _pcs(self, data: bytes, ends: np.ndarray) -> np.ndarray:
        if self.ip == "ntrace":
            return np.asarray(ntrace_decode(data, self.program, self.config).pcs, np.uint64)
        places = ends.tolist()
        payloads = [data[begin:end] for begin, end in zip([0, *places], places)]
        return np.asarray(etrace_decode(payloads, self.program, self.config).pcs, np.uint64)


def sides(program: Program) -> list[Side]:
    """Both systems with all options and periodic synchronization."""
    econfig = EtraceConfig.from_dict({"iaddress_width_p": program.xlen, **OPTIONS["etrace"], **SYNC})
    nconfig = NtraceConfig.from_dict({"xlen": program.xlen, **OPTIONS["ntrace"], **SYNC})
    return [
        Side("etrace", program, econfig, EtraceStream(econfig), 1),
        Side("ntrace", program, nconfig, NtraceStream(nconfig), 0),
    ]


def through(parts: Iterator[Retired], of: list[Side], tell: Callable[[int], None] = lambda instructions: None) -> float:
    """All parts through all systems; CPU seconds that making the parts took."""
    with native.using(True):
        begin, recording = time.process_time(), 0.0
        held, first = next(parts, None), True
        while held is not None:
            following = next(parts, None)
            recording += time.process_time() - begin
            for side in of:
                side.take(held, first, following is None)
            tell(of[0].instructions)
            held, first, begin = following, False, time.process_time()
    return recording


def scale(
    instructions: int, xlen: int, tell: Callable[[int], None] = lambda instructions: None
) -> tuple[list[Side], float, int]:
    """CoreMark of at least so many instructions; the systems, CPU seconds of recording, the most memory in bytes."""
    gcc, vendor = compiler.compiler(), package.vendor()
    iterations = -(-instructions // PER_ITERATION[xlen])
    with tempfile.TemporaryDirectory() as scratch:
        elf = Path(scratch) / "coremark.elf"
        compiler.compile_program(gcc, coremark(xlen, iterations), vendor, elf)
        program = Program.from_elf(elf)
        run = Run(program, *host.tohost(elf))
        of = sides(program)
        seconds = through(run.parts(BLOCKS, 1 << 40), of, tell)
    if run.code != 1:
        raise ProgramsError(f"CoreMark ended with {run.code:#x} in place of 1, so its result is wrong")
    return of, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
