# SPDX-License-Identifier: Apache-2.0
"""The command `rvtrace`: what needs neither a simulator nor a checkout, with the same NAME=value words as `make`.

rvtrace check-trace FORMAT=ntrace TRACE=trace.bin ELF=program.elf
rvtrace decode OUT=out
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches

from rvtrace.jobs.arguments import ArgumentError, main_guard

Main = Callable[[list[str]], int]


def _check_trace() -> Main:
    from rvtrace.tools.check_trace import main

    return main


def _decode() -> Main:
    from rvtrace.tools.decode import main

    return main


def _view() -> Main:
    from rvtrace.tools.view import main

    return main


def _verify() -> Main:
    from rvtrace.tools.verify import main

    return main


def _compare() -> Main:
    from rvtrace.tools.compare import main

    return main


def _elf_to_trace() -> Main:
    from rvtrace.tools.elf_to_trace import main

    return main


# How a command is loaded, only when it is the one to run; and what it does.
COMMANDS: dict[str, tuple[Callable[[], Main], str]] = {
    "check-trace": (_check_trace, "check a captured trace against the specification and write a compliance report"),
    "decode": (_decode, "print a trace as messages and instructions, CTR entries as a call path, counters"),
    "view": (_view, "a captured trace as one HTML page to look into"),
    "verify": (_verify, "replay a tandem trace on an instruction set simulator"),
    "compare": (_compare, "what changed between two compliance reports"),
    "elf-to-trace": (_elf_to_trace, "the tandem trace that loads a program into memory"),
}


def usage() -> str:
    """The help text: a line for each command."""
    width = max(map(len, COMMANDS))
    lines = ["rvtrace <command> NAME=value ...; `rvtrace <command> --help` lists the words of a command.", ""]
    lines += [f"  {name:<{width}}  {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join([*lines, "", "Simulations need a checkout of the project; type `make help` there."])


def run(argv: list[str]) -> int:
    """Run a command; ArgumentError if it is not one of ours."""
    if not argv or argv[0] in ("help", "-h", "--help"):
        print(usage())
        return 0 if argv else 2
    name, *words = argv
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ArgumentError(
            f"rvtrace has no command {name}; {hint}it has {', '.join(COMMANDS)}; "
            "what runs simulations is started with `make` in a checkout of the project"
        )
    return COMMANDS[name][0]()(words)


def main() -> None:
    """The entry point: runs `sys.argv` and exits."""
    main_guard(run)


if __name__ == "__main__":
    sys.exit(main())
