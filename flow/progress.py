# SPDX-License-Identifier: Apache-2.0
"""What long work shows of itself: how much is done, how much of it failed, and when it will probably end.

    with Progress(44, "runs") as progress:
        progress.step(failed=False)              # as each ends
    with during("building ntrace_tb", 34.0):     # what takes time now, and how long it took last time
        ...

On a terminal it is a last line that changes; away from one a line every `EVERY` seconds. What takes less than `AFTER`
seconds shows nothing. It is written to stderr: what is printed on stdout is the result.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TextIO, cast

from tqdm import tqdm

from rvtrace.jobs import terminal
from rvtrace.models.common import shown

AFTER = 5.0  # seconds before anything is shown
EVERY = 20.0  # seconds between two lines, away from a terminal
_LIVE = 0.5  # seconds between two states of the line that changes
_NOW = 2  # activities that a line names


class Progress:
    """Work of which the number of parts is known. unit: what is counted. done, failed: of an earlier run. bad: what
    those that failed are called, "" if none can. even: the parts take about the same time, so that the end can be
    estimated. before, first: seconds that all of it took the last time, None if nobody knows, which are what is said
    until this share of the parts is done: the first may say little, as they wait for builds. now: more words about
    what takes time, asked for when a line is written.
    """

    def __init__(
        self,
        total: int,
        unit: str = "runs",
        *,
        done: int = 0,
        failed: int = 0,
        bad: str = "failed",
        even: bool = True,
        before: float | None = None,
        first: float = 0.0,
        now: Callable[[], str] = lambda: "",
    ) -> None:
        self.total, self.unit, self.done, self.failed = total, unit, done, failed
        self._bad, self._even, self._now, self._before, self._took = bad, even, now, done, before
        self._first = first
        self.begun = time.monotonic()

    def __enter__(self) -> Progress:
        self.begun = time.monotonic()
        _DISPLAY.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """It is not shown any more."""
        _DISPLAY.remove(self)

    def step(self, failed: bool = False, parts: int = 1) -> None:
        """So many more parts are done."""
        self.done += parts
        self.failed += failed

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.begun

    @property
    def left(self) -> float | None:
        """Seconds until it will probably end; None if nothing is known of it."""
        new = self.done - self._before
        if new < self._first * (self.total - self._before):
            left = (self._took or 0) - self.seconds
            return left if left > 0 else None
        return self.seconds / new * max(0, self.total - self.done) if new > 0 and self._even else None

    def line(self) -> str:
        """How far it is."""
        numbers = [self.done, self.total]
        shown = map(tqdm.format_sizeof, numbers) if self.unit == "bytes" else map(str, numbers)
        words = [f"{' of '.join(shown)} {self.unit}"]
        if self._bad:
            words.append(f"{self.failed} {self._bad}")
        words.append(clock(self.seconds))
        if self.done < self.total and (left := self.left) is not None:
            words.append(f"about {clock(left)} left")
        now = self._now()
        return ", ".join(words) + (f"; {now}" if now else "")


@dataclass(eq=False)
class _Activity:
    text: str
    expected: float | None
    begun: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        spent = f"{self.text} {clock(time.monotonic() - self.begun)}"
        return spent + (f" of about {clock(self.expected)}" if self.expected else "")


@contextmanager
def during(text: str, expected: float | None = None) -> Iterator[None]:
    """What takes time now, also beside others in other threads. expected: seconds that it probably takes."""
    one = _Activity(text, expected)
    _DISPLAY.add(one)
    try:
        yield
    finally:
        _DISPLAY.remove(one)


@contextmanager
def counting(total: int, unit: str = "runs") -> Iterator[Callable[[bool], None]]:
    """What is called with each part that ends, and whether it failed: of the progress that is shown already, else of
    one that begins here.
    """
    outer = _DISPLAY.shown()
    if outer is not None:
        yield outer.step
        return
    with Progress(total, unit) as own:
        yield own.step


def write_to(stream: TextIO) -> None:
    """Show progress there instead of on what is stderr when it begins."""
    _DISPLAY.target = stream


def say(text: str) -> None:
    """A line that stays, where progress is shown."""
    with _DISPLAY.lock:
        _DISPLAY.clear()
        print(text, file=_DISPLAY.target or sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """A time as people read it: 0:07, 12:40, 1:05:00."""
    text = tqdm.format_interval(max(0, round(seconds)))
    return text[1:] if text.startswith("0") else text


class _Line(tqdm):
    """tqdm without its thread: the display below refreshes the line."""

    monitor_interval = 0


class _Through:
    """A stream of the terminal: what is printed takes the place of the line that changes, and stays."""

    def __init__(self, stream: TextIO, display: _Display) -> None:
        self._stream, self._display = stream, display

    def write(self, text: str) -> int:
        with self._display.lock:
            self._display.clear()
            self._display.at_start = text.endswith("\n") if text else self._display.at_start
            return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Display:
    """The one place where progress is written: a thread as long as there is something to show."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.target: TextIO | None = None
        self.at_start = True  # nothing is printed in the line of the cursor
        self._counts: list[Progress] = []
        self._doing: list[_Activity] = []
        self._over = threading.Event()
        self._said = 0.0
        self._bar: _Line | None = None
        self._stream: TextIO = sys.stderr
        self._streams: tuple[TextIO, TextIO] | None = None

    def shown(self) -> Progress | None:
        """The one that counts now."""
        with self.lock:
            return self._counts[-1] if self._counts else None

    def add(self, what: Progress | _Activity) -> None:
        with self.lock:
            if not self._counts and not self._doing:
                self._begin()
            self._list_of(what).append(what)

    def remove(self, what: Progress | _Activity) -> None:
        with self.lock:
            shown = self._list_of(what)
            if what not in shown:
                return
            shown.remove(what)
            if not self._counts and not self._doing:
                self._end()

    def _list_of(self, what: Progress | _Activity) -> list[Any]:
        return self._counts if isinstance(what, Progress) else self._doing

    def clear(self) -> None:
        """Remove the line that changes, if it is there."""
        if self._bar is not None:
            self._bar.close()  # with leave=False the line is gone
            self._bar = None

    def _begin(self) -> None:
        self._stream, self._said, self.at_start = self.target or sys.stderr, 0.0, True
        live = self._stream.isatty()
        if live:
            self._streams = sys.stdout, sys.stderr
            if sys.stdout.isatty():
                sys.stdout = cast(TextIO, _Through(sys.stdout, self))
            sys.stderr = cast(TextIO, _Through(sys.stderr, self))
        self._over = threading.Event()
        threading.Thread(target=self._run, args=(self._over, live, time.monotonic()), daemon=True).start()

    def _end(self) -> None:
        self._over.set()
        self.clear()
        if self._streams is not None:
            sys.stdout, sys.stderr = self._streams
            self._streams = None

    def _run(self, over: threading.Event, live: bool, begun: float) -> None:
        while not over.wait(min(_LIVE, AFTER)):
            with self.lock:
                now = time.monotonic()
                if over.is_set() or now - begun < AFTER:
                    continue
                if live:
                    self._draw()
                elif now - self._said >= EVERY:
                    self._said = now
                    print(self._line(), file=self._stream, flush=True)

    def _line(self) -> str:
        words = [self._counts[-1].line()] if self._counts else []
        doing = [one.line() for one in self._doing]
        more = f" and {len(doing) - _NOW} more" if len(doing) > _NOW else ""
        words += [", ".join(doing[:_NOW]) + more] if doing else []
        return shown.line("; ".join(words))

    def _draw(self) -> None:
        if not self.at_start:
            return
        count = self._counts[-1] if self._counts else None
        if self._bar is None:
            self._bar = _Line(
                total=count.total if count else None,
                file=terminal.raw(self._stream),
                leave=False,
                dynamic_ncols=True,
                smoothing=0,
                bar_format="{desc}",
            )
        self._bar.total = count.total if count else None
        self._bar.bar_format = "{bar:12} {desc}" if count and count.total else "{desc}"
        self._bar.n = min(count.done, count.total) if count else 0
        # tqdm cuts the line at the width of the terminal; the text must not hold what its format would take for a field
        self._bar.set_description_str(self._line().replace("{", "(").replace("}", ")"), refresh=True)


_DISPLAY = _Display()
