# SPDX-License-Identifier: Apache-2.0
"""Text that comes from files, as it may be printed: a terminal obeys control characters, and a line break in a name
makes a line that nobody wrote. They are shown escaped instead, as `\\x1b`.
"""

from __future__ import annotations

import re
from typing import Any

# C0, DEL, C1, line and paragraph separators, and what changes the direction of the text after it.
_BREAKS = "\t\n\r"
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_IN_TEXT = re.compile(f"[{_CONTROL}]")
_IN_LINE = re.compile(f"[{_BREAKS}{_CONTROL}]")


def line(text: str) -> str:
    """A name or a value, on one line."""
    return _IN_LINE.sub(_escaped, text)


def text(of: str) -> str:
    """Lines of text: tabs and line breaks stay."""
    return _IN_TEXT.sub(_escaped, of) if _IN_TEXT.search(of) else of


def values(of: Any) -> Any:
    """What JSON or TOML holds, with every text of it on one line."""
    if isinstance(of, str):
        return line(of)
    if isinstance(of, list):
        return [values(one) for one in of]
    if isinstance(of, dict):
        return {line(key): values(value) for key, value in of.items()}
    return of


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]
