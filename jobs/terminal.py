# SPDX-License-Identifier: Apache-2.0
"""What a command prints: control characters of names and values that come from files do not reach the terminal."""

from __future__ import annotations

import locale
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO, cast

from rvtrace.models.common import shown


class TextError(ValueError):
    """A word of a command line with control characters; the text shows them escaped."""


class Escaped:
    """A stream that shows control characters escaped. raw: the stream itself, for what draws with them."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write lines of text."""
        return self.raw.write(shown.text(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write lines of text."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw(stream: TextIO) -> TextIO:
    """The stream below, for a line that changes."""
    return stream.raw if isinstance(stream, Escaped) else stream


@contextmanager
def guarded() -> Iterator[None]:
    """Within it whatever is printed is shown escaped; a character that the terminal's encoding lacks is, too."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if hasattr(stream, "reconfigure"):
            cast(Any, stream).reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = (cast(TextIO, Escaped(raw(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def check(given: Mapping[str, str]) -> None:
    """TextError if a word has control characters: the name of a file could print whatever it likes; or if files are not
    read as UTF-8.
    """
    encoding = locale.getpreferredencoding(False)
    if encoding.lower().replace("-", "") != "utf8":
        raise TextError(f"files are read as {encoding} in this environment; set PYTHONUTF8=1, or LC_ALL=C.UTF-8")
    for name, value in given.items():
        if shown.line(value) != value:
            raise TextError(
                f"{name}={shown.line(value)} has control characters; rename the file, or give another value"
            )
