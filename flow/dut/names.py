# SPDX-License-Identifier: Apache-2.0
"""The names in an expression of a map: which there are, and the expression with some of them replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches

# What is no name of a signal: members in assignment patterns, numbers, system functions, members, scopes, macros, text.
_TOKEN = re.compile(
    r"(?<=[{,])\s*[A-Za-z_]\w*\s*:(?!:)|\d*\s*'[sS]?[bodhBODH][\s_]*[0-9a-fA-FxXzZ?_]+|'[01xXzZ]|\$\w+|\w+\s*::\s*\w+|\.\s*[A-Za-z_]\w*|`\w+|\"[^\"]*\"|\d[\w.]*|(?P<name>[A-Za-z_][\w$]*)"
)
_KEYWORDS = frozenset({"inside", "signed", "unsigned", "logic", "bit", "int", "tagged"})
_UNSIZED = re.compile(r"(?<![\w'$.])\d+(?![\w']|\s*')")


def near(name: str, known: Iterable[str]) -> str:
    """The beginning of a hint: the known name that is most like another one, in whatever case; "" if there is none."""
    by_lower = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), list(by_lower), 1)
    return f"did you mean {by_lower[found[0]]}? " if found else ""


def names(expression: str) -> list[str]:
    """The names of signals and parameters, each once, in their order."""
    found = (match["name"] for match in _TOKEN.finditer(expression))
    return list(dict.fromkeys(name for name in found if name and name not in _KEYWORDS))


def renamed(expression: str, to: Callable[[str], str]) -> str:
    """The expression with every name replaced by what `to` gives for it."""
    return _TOKEN.sub(
        lambda match: to(match["name"]) if match["name"] and match["name"] not in _KEYWORDS else match[0], expression
    )


def sized(expression: str) -> bool:
    """Whether its width is one that somebody chose: not that of a number without a width (outside brackets and
    repetitions).
    """
    text = re.sub(r"\{\s*\d+\s*\{", "{{", expression)
    before = ""
    while before != text:
        before, text = text, re.sub(r"\[[^\[\]]*\]", "", text)
    bare = re.sub(r"\d+\s*'[sS]?[bodhBODH][\s_]*[0-9a-fA-FxXzZ?_]+", "", text)
    return not _UNSIZED.search(bare)
