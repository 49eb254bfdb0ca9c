# SPDX-License-Identifier: Apache-2.0
"""The command `rvtrace`: what needs neither a simulator nor a checkout, with the same NAME=value words as `make`.

rvtrace check-trace FORMAT=ntrace TRACE=trace.bin ELF=program.elf
rvtrace decode OUT=out
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module

from rvtrace.jobs.arguments import ArgumentError, main_guard

COMMANDS = {
    "check-trace": ("check_trace", "check a captured trace against the specification and write a compliance report"),
    "decode": ("decode", "print a trace as messages and instructions, CTR entries as a call path, counters"),
    "view": ("view", "a captured trace as one HTML page to look into"),
    "verify": ("verify", "replay a tandem trace on an instruction set simulator"),
    "compare": ("compare", "what changed between two compliance reports"),
    "elf-to-trace": ("elf_to_trace", "the tandem trace that loads a program into memory"),
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
    return import_module(f"rvtrace.tools.{COMMANDS[name][0]}").main(words)


def main() -> None:
    """The entry point: runs `sys.argv` and exits."""
    main_guard(run)


if __name__ == "__main__":
    sys.exit(main())
