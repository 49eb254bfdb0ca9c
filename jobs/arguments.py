# SPDX-License-Identifier: Apache-2.0
"""What every tool shares about its command line: VAR=value words, as make variables, and errors as one sentence.

def main(argv: list[str]) -> int:
    given = parse(argv, {"OUT": "folder of a capture"})
    ...
if __name__ == "__main__":
    main_guard(main)
"""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from rvtrace.jobs import front, outputs, terminal

# Smallest and largest value of the numbers that commands share.
LIMITS: dict[str, tuple[int, int]] = {
    "SEED": (0, 2**63 - 1),
    "FIRST": (0, 2**63 - 1),
    "SEEDS": (0, 1_000_000),
    "SIZE": (1, 10_000_000),
    "N": (1, 10_000),
    "PROCESSES": (1, 10_000),
    "LINES": (0, 1_000_000),
    "LIMIT": (1, 10**12),
    "WAIT": (0, 86_400),
    "SEARCH": (0, 86_400),
}
WIDEST = (-(2**63), 2**64 - 1)  # of numbers without a row there: addresses and counts


class ArgumentError(ValueError):
    """A command line that cannot be used; the text says what was found and what to type."""


def short(path: Path) -> str:
    """A path as people type it: from here, if it is below."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def typed(command: str, given: Mapping[str, str | Path]) -> str:
    """A command with its words in the form of the one that was used, quoted where a shell needs it: what an error or a
    report prints to be pasted.
    """
    return front.written(command, given)


def parse(argv: list[str], known: Mapping[str, str], about: str = "", writes: Collection[str] = ()) -> dict[str, str]:
    """The words given, as a dict from name to text; names that were not given, or given empty, are absent.

    known: name to one line of help. writes: those that name what is written (outputs.py). `help`, `-h` and `--help`
    print the help and end the program. ArgumentError for any other word without `=`, an unknown name, or a name given
    twice with different values; OutputError for what must not be written.
    """
    given: dict[str, str] = {}
    front.know(known)
    for word in argv:
        if word in ("help", "-h", "--help"):
            print(usage(known, about))
            raise SystemExit(0)
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ArgumentError(_unknown(word, name, bool(equals), known))
        if value and given.setdefault(name, value) != value:
            raise ArgumentError(f"{name} is given twice, as {given[name]} and {value}; give it once")
    terminal.check(given)
    outputs.check(given, writes)
    return given


def _unknown(word: str, name: str, has_value: bool, known: Mapping[str, str]) -> str:
    names = ", ".join(known) or "none"
    if name in known:
        return f"{word} has no value; write {word}=value"
    near = get_close_matches(name.upper(), known, 1)
    hint = f"did you mean {near[0]}{'=' + word.partition('=')[2] if has_value else ''}? " if near else ""
    return f"unknown word {word}; {hint}known are {names} (as NAME=value)"


def usage(known: Mapping[str, str], about: str = "") -> str:
    """The help text: one line for each known name."""
    width = max((len(name) for name in known), default=0) + 1
    lines = [about] if about else []
    return "\n".join(lines + [f"  {name + '=':<{width}}  {what}" for name, what in known.items()])


def flag(given: Mapping[str, str], name: str) -> bool:
    """Whether a switch such as `MESSAGES=1` is on; absent is off. ArgumentError for anything but 0 or 1."""
    value = given.get(name, "0")
    if value not in ("0", "1"):
        raise ArgumentError(f"{name}={value} is not a switch; give {name}=1 or {name}=0")
    return value == "1"


def number(given: Mapping[str, str], name: str, default: int = 0, least: int | None = None) -> int:
    """The value of a numeric word, decimal or 0x; ArgumentError if it is not a number or out of the range of `LIMITS`.

    least: overrides the smallest value.
    """
    value = given.get(name)
    if value is None:
        return default
    try:
        found = int(value, 0)
    except ValueError:
        raise ArgumentError(f"{name}={value} is not a number; give one, such as {name}={default}") from None
    low, high = LIMITS.get(name, WIDEST)
    low = low if least is None else least
    if not low <= found <= high:
        raise ArgumentError(f"{name}={value} is out of range; give {name}={low} to {high}")
    return found


def json_of(text: str) -> Any:
    """The value of a JSON text; ValueError if it is not JSON, or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def existing_file(given: Mapping[str, str], name: str, path: str | Path) -> Path:
    """`path` if it is a readable, regular file; else ArgumentError, naming the word that should point to one."""
    path = Path(path)
    if path.is_file():
        return path
    if path.is_dir():
        found = f"{path} is a folder"
    elif path.exists():
        found = f"{path} is not a regular file"
    else:
        found = f"{path} does not exist"
    where = "the folder given by IN should hold it" if name not in given and "IN" in given else "a file is needed"
    raise ArgumentError(f"{found}; {where}, give {name}=<file> (`make capture` leaves one)")


def main_guard(func: Callable[[list[str]], int | None]) -> NoReturn:
    """Run `func(sys.argv[1:])` and exit with its result.

    A ValueError (each of our error classes is one) or OSError ends as one line `error: sentence` on stderr and exit
    code 2; KeyboardInterrupt as 130, a closed pipe as 141, both silent. TRACEBACK=1 in the environment shows where an
    error came from.
    """
    with terminal.guarded():
        code = _ended(func)
    sys.exit(code)


def _ended(func: Callable[[list[str]], int | None]) -> int:
    """The exit code of a command."""
    try:
        code = func(sys.argv[1:]) or 0
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        close_stdout()
        code = 141
    except (ValueError, OSError, RecursionError, OverflowError) as error:
        if os.environ.get("TRACEBACK") == "1":
            raise
        try:
            sys.stdout.flush()
        except OSError:  # the error may be that of stdout
            close_stdout()
        print(f"error: {front.spoken(sentence(error))}", file=sys.stderr)
        code = 2
    return code


def sentence(error: Exception) -> str:
    """The text of an error in one line."""
    if isinstance(error, RecursionError):
        return "the input is nested too deeply; give a file as our tools write it"
    if isinstance(error, OverflowError):  # of a reader that has no range of its own
        return f"a number of the input is out of range ({error}); give numbers of at most 64 bits"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"no space is left on the disk for {error.filename or written_by(error)}; free some, or name another folder"
        )
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}; check the path and its permissions"
    return " ".join(str(error).split()) or type(error).__name__


def written_by(error: BaseException) -> str:
    """The file that was being written when an error came, as far as the frames of its traceback show; else the standard
    output.
    """
    found = "the standard output"
    trace = error.__traceback__
    while trace is not None:
        here = trace.tb_frame.f_locals
        names = [value for value in here.values() if isinstance(value, io.IOBase) and isinstance(_name(value), str)]
        if isinstance(here.get("self"), Path):
            found = str(here["self"])
        elif names:
            found = _name(names[-1])
        trace = trace.tb_next
    return found


def _name(stream: Any) -> Any:
    return getattr(stream, "name", None)


def close_stdout() -> None:
    """Point stdout at nothing after its reader went away, so that the exit does not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
