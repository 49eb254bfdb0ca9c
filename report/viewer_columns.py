# SPDX-License-Identifier: Apache-2.0
"""Arrays as text of a page: numbers one after the other, compressed, in base64.

A column is {"t": type of an element, "n": elements, "d": 1 if each is the difference to the one before, "z": text}. The
elements are little endian, their bytes by significance (all lowest first), which compresses better; `zlib` made the
text's bytes, and DecompressionStream("deflate") of a browser reads them.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

LEVEL = 6  # of compression: 9 takes three times as long for two percent
_SIGNED = (np.int8, np.int16, np.int32)
_UNSIGNED = (np.uint8, np.uint16, np.uint32)


def packed(values: Any, delta: bool = False) -> dict[str, Any]:
    """A column of integers in the fewest bytes that hold them all; ValueError above 32 bits.

    delta: keep differences (of positions and other numbers that grow).
    """
    numbers = np.asarray(values, dtype=np.int64)
    if delta and len(numbers):
        numbers = np.concatenate((numbers[:1], np.diff(numbers)))
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    for kind in _SIGNED if low < 0 else _UNSIGNED:
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            column = numbers.astype(kind)
            break
    else:
        raise ValueError(f"a column holds numbers of 32 bits, not {low} to {high}; pack it with `halves`")
    size = column.dtype.itemsize
    planes = column.astype(column.dtype.newbyteorder("<")).view(np.uint8).reshape(-1, size).T.tobytes()
    return {
        "t": f"{column.dtype.kind}{size}",
        "n": len(column),
        "d": int(delta),
        "z": base64.b64encode(zlib.compress(planes, LEVEL)).decode(),
    }


def halves(values: Any) -> list[dict[str, Any]]:
    """A column of 64-bit numbers as two: bits 31:0 and bits 63:32."""
    numbers = np.asarray(values).astype(np.uint64, copy=False)
    return [packed(numbers & np.uint64(0xFFFF_FFFF)), packed(numbers >> np.uint64(32))]


def unpacked(column: dict[str, Any]) -> np.ndarray:
    """int64: what went into `packed`."""
    kind = np.dtype(column["t"])
    planes = np.frombuffer(zlib.decompress(base64.b64decode(column["z"])), np.uint8)
    numbers = np.ascontiguousarray(planes.reshape(kind.itemsize, -1).T).reshape(-1).view(kind.newbyteorder("<"))
    numbers = numbers[: column["n"]].astype(np.int64)
    return np.cumsum(numbers) if column["d"] else numbers


def joined(columns: list[dict[str, Any]]) -> np.ndarray:
    """uint64: what went into `halves`."""
    low, high = (unpacked(column).astype(np.uint64) for column in columns)
    return low | high << np.uint64(32)
