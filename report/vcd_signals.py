# SPDX-License-Identifier: Apache-2.0
"""The signals of a testbench's top module in a waveform of a simulator, as they change: of a VCD, or of an FST where
fst2vcd (Debian: gtkwave) is there.

    with Signals.open(path) as signals:
        signals.names        name to (bits, kind)
        signals.changes()    (time, name, value), in the order of time
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

AROUND = ("TOP", "$rootio")  # Verilator's scopes around the top module, with its ports once more
CLOCK = "clk_o"  # of every testbench
LARGEST = 1 << 30  # bytes of a VCD that is read


class Signals:
    """missing: why there are none, "" if there are. top: the module. unit: power of ten of a second."""

    def __init__(self, lines: IO[str] | None, missing: str = "") -> None:
        self.missing, self.top, self.unit = missing, "", -9
        self.names: dict[str, int] = {}
        self._of: dict[str, list[str]] = {}  # names by identifier code
        self._lines = lines
        if lines is not None:
            self._header(lines)

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path) -> Iterator[Signals]:
        """Of a file, which is read once, from its begin to its end."""
        if path.suffix == ".vcd":
            if path.stat().st_size > LARGEST:
                yield cls(None, f"{path.name} has more than {LARGEST >> 20} MB, so that its signals are not copied")
                return
            with path.open(errors="replace") as lines:
                yield cls(lines)
            return
        tool = shutil.which("fst2vcd")
        if tool is None:
            yield cls(None, f"there is no fst2vcd, which reads {path.name}; type `sudo apt-get install gtkwave`")
            return
        command = [tool, "-f", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                yield cls(process.stdout)
            finally:
                process.kill()

    def _header(self, lines: IO[str]) -> None:
        found: dict[str, list[tuple[str, str, int]]] = defaultdict(list)  # name, code and bits by module
        scopes: list[str] = []
        words: list[str] = []
        for line in lines:
            words += line.split()
            if words and words[-1] != "$end":
                continue
            if words[:1] == ["$timescale"]:
                self.unit = _unit("".join(words[1:-1]))
            elif words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                own = [scope for scope in scopes if scope not in AROUND]
                if len(own) == 1 and words[1] not in ("parameter", "real"):
                    found[own[0]].append((words[4].partition("[")[0], words[3], int(words[2])))
            elif words[:1] == ["$enddefinitions"]:
                break
            words = []
        self._choose(found)

    def _choose(self, found: dict[str, list[tuple[str, str, int]]]) -> None:
        """Of the modules on top, Verilator's packages among them, that with the clock, else the largest."""
        clocked = [name for name, some in found.items() if any(name == CLOCK for name, _, _ in some)]
        self.top = max(clocked or found, key=lambda name: len(found[name]), default="")
        for name, code, size in found.get(self.top, ()):
            if name not in self.names:
                self.names[name] = size
                self._of.setdefault(code, []).append(name)

    def changes(self) -> Iterator[tuple[int, str, str]]:
        """Values in binary digits."""
        time = 0
        for line in self._lines or ():
            first = line[:1]
            if first == "#":
                time = int(line[1:])
            elif first in "bB":
                value, code = line[1:].split()
                for name in self._of.get(code, ()):
                    yield time, name, value
            elif first in "01xXzZ":
                for name in self._of.get(line[1:].strip(), ()):
                    yield time, name, first


def _unit(text: str) -> int:
    """-9 of "1ns", -11 of "10ps"."""
    digits = "".join(c for c in text if c.isdigit())
    return {"s": 0, "ms": -3, "us": -6, "ns": -9, "ps": -12, "fs": -15}[text[len(digits) :]] + len(digits) - 1
