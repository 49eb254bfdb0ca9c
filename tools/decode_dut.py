# SPDX-License-Identifier: Apache-2.0
"""`make decode DUT=acme PROGRAM=sort`: run your IP, keep what it sent as files (as `make capture DUT=` does), and print
it as messages and instructions.
"""

from __future__ import annotations

from pathlib import Path

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.run import with_ip
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, short
from rvtrace.jobs.builds import ROOT
from rvtrace.tools import capture


def captured(argv: list[str], options: dict[str, str]) -> list[str]:
    """Run the IP that DUT= names; the words with which `make decode` reads what it sent. options: words of decode
    alone.
    """
    words = with_ip(argv)
    own = [word for word in words if word.partition("=")[0] in options]
    given = dict(word.split("=", 1) for word in words if "=" in word)
    dut = Dut.load(given["DUT"])
    if unread := systems.judge(dut.ip).unread:
        raise ArgumentError(unread)
    out = Path(given.get("OUT") or ROOT / "build" / "capture" / dut.name)
    capture.main([word for word in words if word not in own and not word.startswith("OUT=")] + [f"OUT={short(out)}"])
    return [f"IN={short(out)}", *own]


def known(argv: list[str]) -> dict[str, str]:
    """The words of such a run."""
    return capture.known(argv)
