# SPDX-License-Identifier: Apache-2.0
"""Check an IP in the testbench, or what was captured of one, against the specification: `make check`.

    make check DUT=examples/acme_btm                          your RTL (check_dut.py)
    make check IN=out                                         a folder of `make capture`
    make check IP=etrace TRACE=t.bin ELF=app.elf RETIRED=r.csv     files of another encoder (check_trace.py)
    make check IN=out EXACT=1                                 also byte for byte, in the terminal (check_capture.py)
    make check IP=tandem IN=out REPLAY=1                      only the replay of tandem trace (check_replay.py)

What is given decides which it is. Exits 0 if everything holds, 1 if a clause failed, and 2 if a file or a word cannot
be used.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from rvtrace.flow.captured.files import system_of
from rvtrace.jobs.arguments import ArgumentError, main_guard
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.names import TRACES

DESCRIPTION = "dut.toml"  # a folder with one is an IP
SHIPPED = ROOT / "examples"
# What makes it another check, beside the words of each.
WAYS = {
    "DUT": "your IP in the testbench: name below examples, or folder with a dut.toml",
    "EXACT": "1: a capture of our testbench, also byte for byte against the reference profile; in the terminal",
    "REPLAY": "1: of tandem trace, only replay it and say of each mismatch who is at fault; in the terminal",
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    module, words = chosen(argv)
    return module.main(words)


def known(argv: list[str]) -> dict[str, str]:
    """The words that go with these."""
    module, words = chosen(argv)
    return {**WAYS, **module.known(words)}


def chosen(argv: list[str]) -> tuple[ModuleType, list[str]]:
    """The module that checks what these words give, and its words."""
    argv = [word for word in argv if word not in ("REPLAY=", "REPLAY=0")]
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    folder = Path(given.get("IN") or ".")
    named = not folder.exists() and (SHIPPED / folder / DESCRIPTION).is_file()
    if given.get("IN") and "DUT" not in given and (named or (folder / DESCRIPTION).is_file()):
        argv = [*(word for word in argv if not word.startswith("IN=")), f"DUT={given['IN']}"]
        given["DUT"] = given.pop("IN")
    if given.get("DUT"):
        from rvtrace.tools import check_dut

        return check_dut, argv
    if given.get("IN") and folder.is_file():
        argv = [f"TRACE={given['IN']}" if word.startswith("IN=") else word for word in argv]
    if given.get("IN") and not folder.exists():
        raise ArgumentError(
            f"there is no {given['IN']}; give IN=<folder of `make capture`>, TRACE=<file>, or DUT=<your IP>"
        )
    if given.get("REPLAY") == "1":
        from rvtrace.tools import check_replay

        return check_replay, [word for word in argv if not word.startswith("REPLAY=")]
    if given.get("EXACT") == "1" or given.get("BEATS") or system_of(argv).ip not in TRACES:
        from rvtrace.tools import check_capture

        return check_capture, argv
    from rvtrace.tools import check_trace

    return check_trace, [word for word in argv if word not in ("EXACT=", "EXACT=0")]


if __name__ == "__main__":
    sys.exit(main_guard(main))
