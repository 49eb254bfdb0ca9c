# SPDX-License-Identifier: Apache-2.0
"""A trace that is longer than memory, judged part by part, by several processes, with the result of the whole.

What a rule says of the message between two parts (parts.py) counts once: its failures are those of the part that ends
with it, which knows what comes before and after it.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from rvtrace.flow.captured import alone
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.flow.captured.parts import Part, ntrace_parts
from rvtrace.models.common import native
from rvtrace.models.ntrace.decoder import kernel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.hypotheses import Chosen, Explained, Reading
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ntrace.dialects import DIALECTS

STREAMED = ("ntrace",)  # traces that can be cut
QUIET = 5.0  # seconds between two lines of progress, away from a terminal
SEARCHED = 16  # parts in which it is searched what explains a trace that does not decode as claimed
AHEAD = 2  # parts that wait for each process
R = TypeVar("R")


class Found(NamedTuple):
    """What one part adds to the verdict. counts: checked and failed, by clause. read: how it was read (configuration,
    dialects by name, deviations, share), None if as claimed.
    """

    part: Part
    counts: dict[str, list[int]]
    failures: list[Failure]
    decoded: alone.Decoded
    judged: float
    read: tuple[Any, tuple[str, ...], tuple[Explained, ...], float] | None


@dataclass(frozen=True)
class Judge:
    """Judges one part of a trace. files: without data. search, known: as `alone` has them."""

    files: TraceFiles
    tolerances: Any
    rerun: str
    search: bool = True
    known: Chosen | None = None

    def __call__(self, part: Part) -> Found:
        """Its checks and failures."""
        files = replace(self.files, data=read(self.files, part))
        capture = self._capture(files.data, part.begin)
        verdict, other = alone.alone(files, capture, self.tolerances, self.search, self.known)
        seen = verdict.read or capture
        log = verdict.decoded.log
        first, after = (
            bisect_left(log, at, key=lambda message: seen.sent_at(message.offset))
            for at in (part.begin + part.skip, part.own)
        )
        counts = {name: list(count) for name, count in verdict.book.results().items()}
        failures = []
        for failure in verdict.failures:
            if failure.at is None or failure.at < 0 or first <= failure.at < after:
                failures.append(failure)
            else:  # the part before, or the next one, has it too
                counts[failure.clause] = [n - 1 for n in counts[failure.clause]]
        if part.cut is not None and verdict.read is None:
            again = self._capture(files.data[part.cut - part.begin :], part.cut)
            for name, (checked, _) in alone.counts(again, self.tolerances).items():
                if name in counts:
                    counts[name][0] = max(counts[name][0] - checked, counts[name][1])
        decoded = self._decoded(part, files, verdict, seen, first, after)
        judged = max(decoded.whole - decoded.lost, 0) if len(log) else 0
        how = None
        if other is not None:
            how = (other.reading.config, tuple(one.name for one in other.reading.dialects), other.found, other.share)
        return Found(part, counts, failures, decoded, judged, how)

    def _capture(self, data: bytes, begin: int) -> Any:
        files = self.files
        capture = files.system.capture(files.config, files.program, data, None, None, self.rerun)
        capture.exact, capture.base = False, begin
        return capture

    def _decoded(self, part: Part, files: TraceFiles, verdict: Verdict, seen: Any, first: int, after: int) -> Any:
        trace = verdict.decoded
        found = [d for d in trace.diagnostics if part.begin + part.skip <= seen.sent_at(d.offset) < part.own]
        return alone.numbers(files, verdict)._replace(
            instructions=_reported(trace, after),
            messages=after - first,
            whole=part.own - part.begin - part.skip,
            lost=sum(min(d.lost_bytes, part.own - seen.sent_at(d.offset)) for d in found),
            found=len(found),
            first=(found[0].clause, found[0].text, bisect_left(trace.log, found[0].offset, key=_offset))
            if found
            else None,
        )


def _offset(message: Any) -> int:
    return int(message.offset)


def _reported(trace: Any, message: int) -> int:
    """Instructions that the messages before one report."""
    return int(trace.first_pc[message]) if message < len(trace.first_pc) else len(trace)


def read(files: TraceFiles, part: Part) -> bytes:
    """The bytes of a part; OSError if the file has become shorter."""
    with files.trace.open("rb") as file:
        data = os.pread(file.fileno(), part.end - part.begin, part.begin)
    if len(data) != part.end - part.begin:
        raise OSError(f"{files.trace} has become shorter while it was read; check it when it is complete")
    return data


def judge(files: TraceFiles, tolerances: Any, rerun: str, processes: int, begin: int = 0) -> tuple[Verdict, str]:
    """The verdict of a whole trace, and a sentence if it hardly fits its program (alone.problem)."""
    native.is_compiled(kernel, files.size)  # once, not in every process
    work = Judge(files, tolerances, rerun)
    plan = files.system.plan
    verdict = Verdict(ClauseBook(plan, rerun, files.config.variant))
    for name, clause in (plan.clauses if plan else {}).items():
        if clause.through:
            verdict.book.met(name, 0)
    total: alone.Decoded | None = None
    judged, progress = 0.0, Progress(files.size)
    for found in _found(work, ntrace_parts(files.trace, files.config, begin=begin), processes):
        verdict.book.add(found.counts, found.failures)
        judged += found.judged
        total = found.decoded if total is None else total.joined(found.decoded)
        progress.tell(found.part.own, found.failures)
    assert total is not None, "an empty trace"
    verdict.book.judged = judged / total.whole
    verdict.stats |= {
        "judged": judged,
        "instructions": total.whole,
        "messages": total.messages,
        "told": total.instructions,
        "bytes": total.whole,
    }
    return verdict, alone.badly_decoded(files, total)


def _found(work: Judge, parts: Iterator[Part], processes: int) -> Iterator[Found]:
    """What each part adds. Explanations are looked for in the first SEARCHED parts; what explains most of those that
    need one is taken for the others.
    """
    read: Counter[Any] = Counter()
    for found in in_order(work, islice(parts, SEARCHED), processes):
        if found.read is not None:
            read[found.read[:2]] += 1
            chosen = read.most_common(1)[0][0]
            if chosen == found.read[:2]:
                config, names, deviations, share = found.read
                dialects = tuple(one for one in DIALECTS if one.name in names)
                work = replace(work, known=Chosen(None, deviations, share, Reading(config, dialects)))
        yield found
    yield from in_order(replace(work, search=False), parts, processes)


_worker: list[Callable[[Any], Any]] = []


def _begin(work: Callable[[Any], Any]) -> None:
    _worker[:] = [work]


def _call(part: Part) -> Any:
    return _worker[0](part)


def in_order(work: Callable[[Part], R], parts: Iterable[Part], processes: int) -> Iterator[R]:
    """The results of all parts in their order; a few parts are worked on ahead."""
    if processes == 1:
        yield from map(work, parts)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _begin, (work,)) as pool:
        waiting: deque[Future[R]] = deque()
        for part in parts:
            waiting.append(pool.submit(_call, part))
            if len(waiting) > AHEAD * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Progress:
    """How far it is, on stderr: a line that changes on a terminal, else a line now and then; what fails at once."""

    def __init__(self, size: int) -> None:
        self._size, self._begin, self._last = size, time.monotonic(), time.monotonic()
        self._live = sys.stderr.isatty()
        self._failed: set[str] = set()

    def tell(self, done: int, failures: Iterable[Failure]) -> None:
        """So many bytes are judged; the first failure of each clause is printed."""
        clear = "\r\033[K" if self._live else ""
        for failure in failures:
            if not failure.cause and failure.clause not in self._failed:
                self._failed.add(failure.clause)
                print(f"{clear}FAIL {failure.clause}  {failure.headline}", file=sys.stderr, flush=True)
        now = time.monotonic()
        if now - self._last < (0.2 if self._live else QUIET) and done < self._size:
            return
        self._last = now
        spent = now - self._begin
        left = spent / done * (self._size - done)
        text = f"{done / 1e6:,.1f} of {self._size / 1e6:,.1f} MB, {len(self._failed)} clauses failed, {spent:.0f} s"
        text += f", about {left:.0f} s to go" if done < self._size else ""
        print(f"{clear}{text}", end="" if self._live and done < self._size else "\n", file=sys.stderr, flush=True)
