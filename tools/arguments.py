"""What every tool shares about its command line: VAR=value words, as make variables, and errors as one sentence.

    def main(argv: list[str]) -> int:
        given = parse(argv, {"OUT": "folder of a capture"})
        ...
    if __name__ == "__main__":
        main_guard(main)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn


class ArgumentError(ValueError):
    """A command line that cannot be used; the text says what was found and what to type."""


def short(path: Path) -> str:
    """A path as people type it: from here, if it is below."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def parse(argv: list[str], known: Mapping[str, str], about: str = "") -> dict[str, str]:
    """The words given, as a dict from name to text; names that were not given, or given empty, are absent.

    known: name to one line of help. `help`, `-h` and `--help` print that help and end the program. ArgumentError
    for any other word without `=`, an unknown name, or a name given twice with different values.
    """
    given: dict[str, str] = {}
    for word in argv:
        if word in ("help", "-h", "--help"):
            print(usage(known, about))
            raise SystemExit(0)
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ArgumentError(_unknown(word, name, bool(equals), known))
        if value and given.setdefault(name, value) != value:
            raise ArgumentError(f"{name} is given twice, as {given[name]} and {value}; give it once")
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


def number(given: Mapping[str, str], name: str, default: int = 0) -> int:
    """The value of a numeric word, decimal or 0x; ArgumentError if it is not a number."""
    value = given.get(name)
    if value is None:
        return default
    try:
        return int(value, 0)
    except ValueError:
        raise ArgumentError(f"{name}={value} is not a number; give one, such as {name}={default}") from None


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
    where = "the folder given by OUT should hold it" if name not in given and "OUT" in given else "a file is needed"
    raise ArgumentError(f"{found}; {where}, give {name}=<file> (`make capture` leaves one)")


def main_guard(func: Callable[[list[str]], int | None]) -> NoReturn:
    """Run `func(sys.argv[1:])` and exit with its result.

    A ValueError (each of our error classes is one) or OSError ends as one line `error: sentence` on stderr and exit
    code 2; KeyboardInterrupt as 130, a closed pipe as 141, both silent. TRACEBACK=1 in the environment shows where an
    error came from.
    """
    try:
        code = func(sys.argv[1:]) or 0
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        close_stdout()
        code = 141
    except (ValueError, OSError) as error:
        if os.environ.get("TRACEBACK") == "1":
            raise
        sys.stdout.flush()
        print(f"error: {sentence(error)}", file=sys.stderr)
        code = 2
    sys.exit(code)


def sentence(error: Exception) -> str:
    """The text of an error in one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}; check the path and its permissions"
    return " ".join(str(error).split()) or type(error).__name__


def close_stdout() -> None:
    """Point stdout at nothing after its reader went away, so that the exit does not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
