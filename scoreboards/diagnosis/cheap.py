# SPDX-License-Identifier: Apache-2.0
"""What can be said at once of bytes that are no trace, before anything is searched."""

from __future__ import annotations

LOOKED_AT = 4096  # bytes: one page says it
FEWEST = 32  # bytes; of a trace so many are not printable by chance: (97 / 256) ** 32 is 3e-14
_TEXT = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\n\r")


def sentence(data: bytes) -> str:
    """Why bytes cannot be a trace of any format; empty if they can."""
    if not data:
        return "there are no bytes"
    seen = data[:LOOKED_AT]
    if len(seen) >= FEWEST and _TEXT.issuperset(seen):
        return "it is a text, not the bytes of an encoder"
    return ""
