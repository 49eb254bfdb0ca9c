# SPDX-License-Identifier: Apache-2.0
"""A tandem trace that is longer than memory: decoded, checked and replayed in parts, with the result of the whole.

    judge(files, tolerances, profile, pc, rerun)      the verdict of `make check`
    replay(source, reported -> verifier, ...)             one pass, or two

The shadow state runs through the whole trace, so one process works on it from its start to its end. How it is replayed
depends on what the trace reports anywhere (Reported): that is taken from its first HEAD bytes. If the rest reports
something else, the trace is replayed from its start when all of it is known.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.alone import problem
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.flow.captured.stream import Progress
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder import decode as decoding
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.alone import Codes, Reported, verifier_of
from rvtrace.scoreboards.tandem.check import plan
from rvtrace.scoreboards.tandem.layout import Quirk, corrected, explained
from rvtrace.scoreboards.tandem.stream import Stream
from rvtrace.scoreboards.tandem.tolerances import Tolerances

CHUNK = 1 << 18  # bytes that are read at once
HEAD = 1 << 20  # bytes from which it is taken what a trace reports
FIRST = 1 << 20  # bytes in which it is searched what explains those that cannot be followed

LONG = 4 * CHUNK  # bytes of a trace whose progress is shown
PartDone = Callable[[decoding.Part, Window], None]
Tell = Callable[[int, "Report | None"], None]


def is_long(files: TraceFiles) -> bool:
    """Whether it takes so long that it is shown how far it is."""
    return files.size > LONG


@dataclass(frozen=True)
class Source:
    """A trace file, as its bytes would be without the quirks of its encoder."""

    path: Path
    config: Config
    quirks: tuple[tuple[Config, Quirk], ...] = ()

    def parts(self) -> Iterator[decoding.Part]:
        """From the start."""
        chunks = _chunks(self.path)
        for config, quirk in self.quirks:
            chunks = corrected(chunks, config, quirk)
        return decoding.decode_parts(chunks, self.config)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            yield data


def windows(parts: Iterator[decoding.Part]) -> Iterator[tuple[decoding.Part, Window]]:
    """The parts, each with its bytes and those of the next one."""
    window, held = Window(), next(parts)
    window.append(held.data)
    for part in chain(parts, (None,)):
        if part is not None:
            window.append(part.data)
        yield held, window
        window.drop(held.done, held.broken)
        held = part or held


def replay(
    source: Source,
    make: Callable[[Reported], Verifier | None],
    look: PartDone,
    tell: Tell,
    program: Program | None = None,
) -> tuple[Reported, Verifier | None]:
    """Look at all parts, in order, and replay them; what the trace reports, and the verifier.

    make: the verifier of a trace that reports so much, None if it cannot be replayed. program: which the trace
    may bring with it. look: gets each part once. tell: gets how many bytes are done, and the report so far.
    """
    parts, reported, head, seen = source.parts(), Reported(program), [], 0
    for part in parts:
        head.append(part)
        reported.feed(part.decoded)
        seen += len(part.data)
        if seen >= HEAD:
            break
    facts, verifier, count = reported.facts, make(reported), len(head)
    void = False
    for n, (part, window) in enumerate(windows(chain(_emptied(head), parts))):
        if n >= count:
            reported.feed(part.decoded)
        look(part, window)
        if reported.facts != facts and not void:
            void, verifier = True, None
            print(
                f"from byte {part.done:#x} on the trace reports what it did not before; it is replayed from its start"
                " when all of it was read",
                file=sys.stderr,
            )
        if verifier is not None:
            verifier.feed(part.decoded, window, part.final)
        tell(part.done, verifier and verifier.report)
    if void and (verifier := make(reported)) is not None:
        for part, window in windows(source.parts()):
            verifier.feed(part.decoded, window, part.final)
            tell(part.done, verifier.report)
    return reported, verifier


def _emptied(parts: list[Any]) -> Iterator[Any]:
    """The parts, of which none is held any more."""
    while parts:
        yield parts.pop(0)


class Teller:
    """Progress of a long trace, of which every byte is worked on once, or twice."""

    def __init__(self, size: int) -> None:
        self._size, self._progress, self._last = size, Progress(size), 0

    def __call__(self, done: int, failures: list[Failure]) -> None:
        """So many bytes are done."""
        if done < self._last:
            self._progress.close()
            self._progress = Progress(self._size)
        self._last = done
        self._progress.tell(max(1, min(done, self._size - 1)), failures)

    def end(self) -> None:
        """All bytes are done."""
        self._progress.tell(self._size, ())


def judge(
    files: TraceFiles, tolerances: Tolerances, profile: Profile, pc: int | None, rerun: str
) -> tuple[Verdict, str]:
    """The verdict of a whole trace, and a sentence if it hardly fits its program. files: without data."""
    assert files.program is not None
    with files.trace.open("rb") as file:
        first = file.read(FIRST)
    capture = files.system.capture(files.config, files.program, first, None, None, rerun)
    capture.exact = False
    found = explained(capture)
    stream, codes = Stream(plan(), found, tolerances), Codes(files.program)
    teller = Teller(files.size)

    def look(part: decoding.Part, window: Window) -> None:
        stream.feed(part, window)
        codes.feed(part.decoded)

    def make(reported: Reported) -> Verifier | None:
        return verifier_of(stream.capture, tolerances, profile, pc, reported)

    source = Source(files.trace, stream.capture.config, found.quirks)
    _, verifier = replay(source, make, look, lambda done, report: teller(done, stream.new(report)), files.program)
    teller.end()
    report = verifier and verifier.report
    verdict = Verdict(stream.book(report, verifier and verifier.profile))
    verdict.decoded = codes
    unverified = min(report.unverified, stream.instructions) if report else 0
    verdict.stats |= {
        "instructions": stream.instructions,
        "judged": stream.instructions - max(unverified, stream.broken),
        "reported": stream.instructions,
        "messages": stream.items,
        "bytes": stream.size,
    }
    return verdict, problem(files, codes)
