# SPDX-License-Identifier: Apache-2.0
"""Whether values of JSON are of the types that a dataclass declares: bool, int, str, tuples and mappings of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_origin, get_type_hints

_WIDEST = 1 << 64
_WORDS = {bool: "true or false", int: "a number of at most 64 bits", str: "a text"}


def wrong(of: type, values: Mapping[str, Any]) -> str:
    """What is wrong with the first value whose type is not that of the field of the same name; "" if nothing is."""
    hints = get_type_hints(of)
    for name, value in values.items():
        if name in hints and not _fits(value, hints[name]):
            return f"{name} is {value!r:.60}; give {_said(hints[name])}"
    return ""


def _fits(value: Any, hint: Any) -> bool:
    kind, inner = get_origin(hint), get_args(hint)
    if kind is tuple:
        if isinstance(value, dict) and len(inner) == 2 and inner[1] is Ellipsis:  # pairs may be an object
            value = list(value.items())
        if not isinstance(value, (list, tuple)):
            return False
        if inner[1:] == (Ellipsis,):
            return all(_fits(one, inner[0]) for one in value)
        return len(value) == len(inner) and all(map(_fits, value, inner))
    if kind is not None and issubclass(kind, Mapping):
        return isinstance(value, dict) and all(
            _fits(key, inner[0]) and _fits(one, inner[1]) for key, one in value.items()
        )
    if hint in _WORDS:
        return type(value) is hint and (hint is not int or -_WIDEST < value < _WIDEST)
    return True  # a class, which checks its own values


def _said(hint: Any) -> str:
    kind, inner = get_origin(hint), get_args(hint)
    if kind is tuple:
        if inner[1:] == (Ellipsis,):
            return f"a list, of which each is {_said(inner[0])}"
        return f"a list of {len(inner)}: {', '.join(map(_said, inner))}"
    if kind is not None:
        return f"an object, of which each value is {_said(inner[1])}"
    return _WORDS.get(hint, "an object")
