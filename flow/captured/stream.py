# SPDX-License-Identifier: Apache-2.0
"""A trace that is longer than memory, judged part by part, by several processes, with the result of the whole.

What a rule says of the message between two parts (`Part` of rvtrace.scoreboards.common.captured) counts once: its
failures are those of the part that ends with it, which knows what comes before and after it.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rvtrace.flow.captured import alone
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.common import native
from rvtrace.scoreboards.common.captured import MOST, PART, Decoded, Part, begun
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.judge import CaptureError
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import budget

if TYPE_CHECKING:
    from rvtrace.scoreboards.diagnosis.search import Chosen

SIZE = PART  # bytes of a part, about
HEAD = PART  # bytes in which it is searched what explains a trace: more than the messages that the search looks at
SEARCHED = 4  # parts in which it is searched what explains a trace, each with that share of the budget of one search
AHEAD = 2  # parts that wait for each process
R = TypeVar("R")


class Found(NamedTuple):
    """What one part adds to the verdict. counts: checked and failed, by clause. read: how it was read, None if as
    claimed.
    """

    part: Part
    counts: dict[str, list[int]]
    failures: list[Failure]
    decoded: Decoded
    judged: float
    read: alone.Known | None


@dataclass(frozen=True)
class Judge:
    """Judges one part of a trace. files: without data. search, known: as `alone` has them."""

    files: TraceFiles
    tolerances: Any
    rerun: str
    search: bool = True
    known: alone.Known | None = None

    def __call__(self, part: Part) -> Found:
        """Its checks and failures."""
        system = self.files.followed
        files = replace(self.files, data=read(self.files, part))
        capture = capture_of(files, part, self.rerun)
        verdict, other = alone.alone(files, capture, self.tolerances, self.search, self.known)
        seen = verdict.read or capture
        first, after = system.own(verdict.decoded, seen, part)
        counts = verdict.book.results()
        before: set[tuple[str, str]] = set()  # failures without a place that the part before has, or that the cut makes
        if part.number and verdict.read is None:
            earlier = replace(files, data=files.data[: part.seen - part.begin])
            again = capture_of(earlier, part, self.rerun)
            book = system.check(again, self.tolerances).book
            before = {(failure.clause, failure.headline) for failure in book.failures if failure.at is None}
            if system.is_unmoved(capture, verdict):
                book = system.check(replace(again, data=None), self.tolerances).book
            for name, count in book.results().items():
                counts[name] = [n - m for n, m in zip(counts.get(name, (0, 0)), count)]
        failures = []
        for failure in verdict.failures:
            if failure.at is None or failure.at < 0:
                own = (failure.clause, failure.headline) not in before
            else:
                own = first <= failure.at and (part.cut is None or failure.at < after)
                if own and part.number:  # what comes before the cut is not known here
                    failure.before = failure.before[-min(failure.at - first + 1, len(failure.before)) :]
            if own:
                failures.append(failure)
            elif verdict.read is not None:
                counts[failure.clause] = [n - 1 for n in counts[failure.clause]]
        decoded = system.own_numbers(verdict.decoded, seen, part, len(files.data))
        judged = max(decoded.whole - decoded.lost, 0) if decoded.messages else 0
        how = None
        if other is not None:
            names = tuple(one.name for one in other.reading.dialects)
            how = alone.Known(other.reading.config, names, other.found, other.share)
        return Found(part, counts, failures, decoded, judged, how)


def capture_of(files: TraceFiles, part: Part, rerun: str) -> Any:
    """The bytes of a part, which are the data of the files, as a capture."""
    data = files.followed.lead(part, files.config) + files.data
    capture = files.system.capture(files.config, files.program, data, None, None, rerun)
    capture.exact = False
    files.followed.place(capture, part)
    return capture


def read(files: TraceFiles, part: Part) -> bytes:
    """The bytes of a part; OSError if the file has become shorter."""
    with files.trace.open("rb") as file:
        data = os.pread(file.fileno(), part.end - part.begin, part.begin)
    if len(data) != part.end - part.begin:
        raise OSError(f"{files.trace} has become shorter while it was read; check it when it is complete")
    return data


def judge(files: TraceFiles, tolerances: Any, rerun: str, processes: int, most: int = MOST) -> tuple[Verdict, str, str]:
    """The verdict of a whole trace; a sentence if it hardly fits its program (alone.problem); what was judged, "" for
    all of it. most: bytes of a part.
    """
    system = files.followed
    for module in system.kernels():
        native.is_compiled(module, files.size)  # once, not in every process
    chosen, head = None, b""
    if system.by_head:
        head = read(files, Part.head(min(files.size, HEAD)))
        chosen = alone.explanation(*_of_head(files, head, rerun), tolerances, goes_on=len(head) < files.size)
        if chosen is not None and chosen.reading.dialects:
            return _head_alone(files, head, tolerances, chosen)
    verdict = Verdict(begun(files.system.plan, rerun, files.config.variant))
    if chosen is not None:
        files = replace(files, config=chosen.capture.config)
    otherwise = ", or give N=1 MEMORY=<more MB>"
    parts = system.parts(files.trace, files.config, files.program, SIZE // system.density, most, otherwise)
    try:
        first = next(parts)
    except CaptureError:  # there is no place to cut: it may be a trace of something else
        verdict, _ = alone.alone(*_of_head(files, head, rerun), tolerances, False)
        if fits := alone.problem(replace(files, data=head), verdict.decoded):
            return verdict, fits, f"bytes 0 to {len(head):,} of {files.size:,}"
        raise
    total: Decoded | None = None
    judged, shown, counts = 0.0, Progress(files.size), dict[str, list[int]]()
    work = Judge(files, tolerances, rerun, not system.by_head)
    with budget.shared(SEARCHED):
        for found in _found(work, chain([first], parts), processes):
            for name, count in found.counts.items():
                counts[name] = [n + m for n, m in zip(counts.get(name, (0, 0)), count)]
            verdict.book.add({}, found.failures)
            judged += found.judged
            total = found.decoded if total is None else total.joined(found.decoded)
            shown.tell(found.part.own, found.failures)
    assert total is not None, "an empty trace"
    verdict.book.add({name: (max(n, bad), bad) for name, (n, bad) in counts.items() if n or bad}, ())
    if chosen is not None:
        chosen.report(verdict.book)
    judged = judged if total.instructions else 0.0
    verdict.book.judged = judged / total.whole if total.whole else None
    verdict.stats |= {
        "judged": judged,
        "instructions": total.whole,
        "messages": total.messages,
        "reported": total.instructions,
        "bytes": files.size,
    }
    return verdict, alone.badly_decoded(files, total), ""


def _of_head(files: TraceFiles, head: bytes, rerun: str) -> tuple[TraceFiles, Any]:
    files = replace(files, data=head)
    return files, capture_of(files, Part.head(0), rerun)


def _head_alone(files: TraceFiles, head: bytes, tolerances: Any, chosen: Chosen) -> tuple[Verdict, str, str]:
    """The verdict of a trace of another layout than the specification's, in which no place to cut is known: its
    beginning is judged.
    """
    part = (
        f"bytes 0 to {len(head):,} of {files.size:,}: a trace that is read otherwise than the specification says is not"
        " judged part by part"
    )
    verdict = alone.as_explained(files.followed, chosen, tolerances)
    return verdict, alone.problem(replace(files, data=head), verdict.decoded), part


def _found(work: Judge, parts: Iterator[Part], processes: int) -> Iterator[Found]:
    """What each part adds. Explanations are looked for in the first SEARCHED parts; what explains most of those that
    need one is taken for the others.
    """
    read: Counter[Any] = Counter()
    for found in in_order(work, islice(parts, SEARCHED if work.search else 0), processes):
        if found.read is not None:
            read[found.read[:2]] += 1
            chosen = read.most_common(1)[0][0]
            if chosen == found.read[:2]:
                work = replace(work, known=found.read)
        yield found
    yield from in_order(replace(work, search=False), parts, processes)


_worker: list[Callable[[Any], Any]] = []


def _begin(work: Callable[[Any], Any]) -> None:
    gc.freeze()  # what was there before a part is not looked through again with each of its packets
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
    """How many bytes are judged, and what fails at once: on stderr, as stdout may be the listing of a trace."""

    def __init__(self, size: int) -> None:
        from rvtrace.flow import progress

        self._size = size
        self._shown = progress.Progress(size, "bytes", bad="clauses failed")
        self._failed: set[str] = set()
        self._shown.__enter__()

    def tell(self, done: int, failures: Iterable[Failure]) -> None:
        """So many bytes are judged; the first failure of each clause is printed."""
        for failure in failures:
            if not failure.cause and failure.clause not in self._failed:
                self._failed.add(failure.clause)
                self._shown.failed += 1
                print(f"FAIL {failure.clause}  {failure.headline}", file=sys.stderr, flush=True)
        self._shown.step(parts=done - self._shown.done)
        if done >= self._size:
            self.close()

    def close(self) -> None:
        """Nothing more is shown."""
        self._shown.close()
