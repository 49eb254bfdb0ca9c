# SPDX-License-Identifier: Apache-2.0
"""`make new KIND=goals IP=ntrace OUT=goals.toml`: a file for GOALS= of `make check` and `make report`.

It has each chapter of the system's clause plan as a group whose clauses have to hold; set goal, owner and milestone of
each, and remove or join groups.
"""

from __future__ import annotations

from pathlib import Path

from rvtrace.jobs import files, front, systems
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse, short
from rvtrace.report import goals

WORDS = {"IP": f"whose clauses: {', '.join(systems.NAMES)}", "OUT": "file to write, default goals.toml"}


def main(argv: list[str]) -> int:
    """0; ArgumentError if the file is there or the system is not known."""
    given = parse(argv, WORDS, __doc__ or "", ("OUT",))
    if given.get("IP") not in systems.NAMES:
        raise ArgumentError(f"IP={given.get('IP', '')} is no system; give IP= one of {', '.join(systems.NAMES)}")
    path = Path(given.get("OUT", "goals.toml")).expanduser()
    if path.exists():
        raise ArgumentError(f"{path} is there already; edit it, or give another OUT=")
    files.write(path, goals.template(given["IP"]))
    print(f"{short(path)}: each chapter has to hold whole; set goal, owner and milestone")
    front.know({"GOALS": goals.WORD})
    print(front.spoken(f"next: give GOALS={short(path)} to `make check` or `make report`"))
    return 0


if __name__ == "__main__":
    main_guard(main)
