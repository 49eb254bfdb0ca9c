# SPDX-License-Identifier: Apache-2.0
"""What a test of a user says: its log, beside its result, and the line of its file in which an exception was raised."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from rvtrace.jobs.results import TEST_LOG

_QUIET = ("", "cocotb")  # loggers that show warnings only in other jobs


class _Both:
    """A stream that writes to another one as well."""

    def __init__(self, stream: TextIO, file: TextIO) -> None:
        self._stream, self._file = stream, file

    def write(self, text: str) -> int:
        self._file.write(text)
        return self._stream.write(text)

    def flush(self) -> None:
        self._file.flush()
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def kept(out: Path) -> Iterator[None]:
    """Within it all that is printed or, from INFO on, logged is also written to a file in the folder of a job."""
    streams = sys.stdout, sys.stderr
    levels = [(logger, logger.level) for logger in map(logging.getLogger, _QUIET)]
    roots = [one for one in logging.getLogger().handlers if isinstance(one, logging.StreamHandler)]
    with (out / TEST_LOG).open("w", buffering=1, errors="backslashreplace") as file:
        both = {stream: cast(TextIO, _Both(stream, file)) for stream in streams}
        sys.stdout, sys.stderr = (both[stream] for stream in streams)
        before = [(one, one.stream) for one in roots if one.stream in both]
        for one, stream in before:
            one.setStream(both[stream])
        for logger, level in levels:
            logger.setLevel(min(level or logging.INFO, logging.INFO))
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams
            for one, stream in before:
                one.setStream(stream)
            for logger, level in levels:
                logger.setLevel(level)


def place_of(error: BaseException, test: Path, shown: str) -> str:
    """The last line of the user's file on the way to an exception: file:line in function: text. "" if there is none."""
    if isinstance(error, SyntaxError) and error.filename == str(test):
        return f"{shown}:{error.lineno}: {(error.text or '').strip()}"
    frames = [one for one in traceback.extract_tb(error.__traceback__) if Path(one.filename) == test]
    if not frames:
        return ""
    return f"{shown}:{frames[-1].lineno} in {frames[-1].name}: {(frames[-1].line or '').strip()}"
