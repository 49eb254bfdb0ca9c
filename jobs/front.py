# SPDX-License-Identifier: Apache-2.0
"""How commands and their words are written for whoever typed one: `make check IN=out`, or `rvtrace check --in out`.

Everything in the code says NAME=value and `make <command>`. Commands that are no target of the Makefile are written
`rvtrace <command> NAME=value`, which the command takes as well. `spoken` turns a sentence into the form of the command
that was used; `written` makes a command that can be pasted.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

FRONT = "RVTRACE_FRONT"  # in the environment: make or rvtrace; simulators and other processes inherit it
# Commands that the Makefile starts as well, and targets that only it has.
TARGETS = (
    "run", "test", "check", "capture", "decode", "view", "new", "core", "mutate", "regress", "cover", "report",
    "doctor", "list", "lint",
)  # fmt: skip
MAKE_ONLY = ("all", "docs", "clean", "help", "venv")
# The words of a command that its values may stand for without a name, in this order.
PLACES = {
    "check": ("IN",), "doctor": ("DUT",), "new": ("KIND",), "compare": ("A", "B"), "report": ("IN",), "view": ("IN",),
    "decode": ("IN",), "capture": ("PROGRAM",), "run": ("PROGRAM",), "core": ("PROGRAM",), "list": ("WHAT",),
    "programs": ("SET",), "test": ("TESTS",), "mutate": ("KIND",), "figures": ("KIND",), "oracle": ("IP",),
}  # fmt: skip

_VALUE = r"'[^']*'|<[^<>]*>|[^\s`]*"
_WORD = re.compile(r"(?<![\w<&?/.'-])([A-Z][A-Z0-9_]*)=(<[^<>]*>|[^\s,;:`)]*)")
_PAIR = re.compile(rf" +([A-Z][A-Z0-9_]*)=({_VALUE})")
_COMMAND = re.compile(rf"`(?:make|rvtrace) ([a-z][a-z-]*)((?: +[A-Z][A-Z0-9_]*=(?:{_VALUE}))*)")

_known: dict[str, bool] = {}  # words of the command that runs: whether each is a switch


def is_make() -> bool:
    """Whether the user typed `make`; so it is as well where nobody typed anything, as in a test."""
    return os.environ.get(FRONT, "make") == "make"


def know(words: Mapping[str, str]) -> None:
    """These are the words of the command that runs, from name to help."""
    _known.update({name: is_switch(what) for name, what in words.items()})


def is_switch(what: str) -> bool:
    """Whether a word is 0 or 1, as its help says by beginning with one of them."""
    return what.startswith(("0: ", "1: "))


def option(name: str) -> str:
    """The option of a word: SYNC_LATE is --sync-late."""
    return "--" + name.lower().replace("_", "-")


def word(option: str) -> str:
    """The word of an option."""
    return option.lstrip("-").upper().replace("-", "_")


def written(command: str, given: Mapping[str, str | Path]) -> str:
    """A command with its words, quoted where a shell needs it: what an error or a report prints to be pasted."""
    if is_make():
        start = ["make", command] if command in TARGETS else ["rvtrace", command]
        return " ".join([*start, *(shlex.quote(f"{name}={value}") for name, value in given.items())])
    quoted = {name: shlex.quote(str(value)) for name, value in given.items()}
    return " ".join(["rvtrace", command, *_options(command, quoted)])


def spoken(text: str) -> str:
    """A sentence whose commands and words are in the form of the command that the user typed."""
    if is_make():
        return text
    text = _COMMAND.sub(_command, text)
    return _WORD.sub(lambda found: _pair(found[1], found[2]) if found[1] in _known else found[0], text)


def _command(found: re.Match[str]) -> str:
    if found[1] in MAKE_ONLY:
        return found[0]
    return " ".join(["`rvtrace", found[1], *_options(found[1], dict(_PAIR.findall(found[2])))])


def _options(command: str, given: Mapping[str, str]) -> list[str]:
    """Words as options, those that have a place first and without their names. given: values, quoted already."""
    left, placed = dict(given), list[str]()
    for name in PLACES.get(command, ()):
        if name not in left or left[name].startswith("-") or "=" in left[name]:
            break
        placed.append(left.pop(name))
    return [*placed, *(_pair(name, value) for name, value in left.items())]


def _pair(name: str, value: str) -> str:
    """A word and its value as an option; value: quoted already."""
    if _known.get(name) and value in ("0", "1"):
        return option(name) if value == "1" else option(f"no-{name}")
    return f"{option(name)} {value}".rstrip()
