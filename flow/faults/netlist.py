# SPDX-License-Identifier: Apache-2.0
"""Whether two netlists of Yosys (`write_json`) have the same structure: the same cells, connected in the same way, up
to the names of wires and cells. That is far faster than induction, and enough where a change makes no difference of
hardware, such as a range of the same width.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_Bit = int | str  # a number of a net, or "0", "1", "x", "z"


def same_structure(gold: Path, gate: Path) -> bool:
    """Whether the modules `gold` and `gate` of two files of these names have outputs of the same classes."""
    halves = [_Half(json.loads(path.read_text())["modules"][path.stem]) for path in (gold, gate)]
    if any(half.initialized for half in halves):
        return False
    # Classes get finer until their number stays: then two bits of a class come from cells of one type whose inputs are
    # of the same classes, registers included, so that they are equal if they were.
    numbers: dict[Any, int] = {}
    for half in halves:
        half.begin(numbers)
    found = 0
    while len(numbers) > found:
        found, numbers = len(numbers), {}
        for half in halves:
            half.refine(numbers)
    return halves[0].outputs == halves[1].outputs


class _Half:
    def __init__(self, module: Mapping[str, Any]) -> None:
        self._ports: Mapping[str, Any] = module["ports"]
        self._cells: list[Mapping[str, Any]] = list(module["cells"].values())
        self._kinds = [(cell["type"], json.dumps(cell["parameters"], sort_keys=True)) for cell in self._cells]
        self._nets: list[Mapping[str, Any]] = list(module["netnames"].values())
        self._class: dict[_Bit, int] = {}

    @property
    def initialized(self) -> bool:
        """Whether a register has a value before the reset, which is no part of the structure."""
        return any("init" in net["attributes"] for net in self._nets)

    def begin(self, numbers: dict[Any, int]) -> None:
        """The classes by what is known without the inputs of a cell."""
        self._class = {bit: numbers.setdefault(what, len(numbers)) for bit, what in self._driven(numbers)}

    def refine(self, numbers: dict[Any, int]) -> None:
        """One step: classes by those of the inputs."""
        self._class = {
            bit: numbers.setdefault((self._class[bit], what), len(numbers)) for bit, what in self._driven(numbers)
        }

    @property
    def outputs(self) -> dict[str, list[object]]:
        """The classes of the bits of each output."""
        return {
            name: [self._of(bit) for bit in port["bits"]]
            for name, port in self._ports.items()
            if port["direction"] != "input"
        }

    def _of(self, bit: _Bit) -> object:
        """The class of a net, or a constant as it is; a net that nothing drives is like no other."""
        return bit if isinstance(bit, str) else self._class.get(bit, ("undriven", id(self), bit))

    def _driven(self, numbers: dict[Any, int]) -> Iterator[tuple[_Bit, Any]]:
        for name, port in self._ports.items():
            if port["direction"] == "input":
                yield from ((bit, (name, place)) for place, bit in enumerate(port["bits"]))
        for kind, cell in zip(self._kinds, self._cells):
            directions, nets = cell["port_directions"], cell["connections"]
            reads = tuple(
                (port, tuple(map(self._of, nets[port]))) if self._class else port
                for port in sorted(nets)
                if directions[port] == "input"
            )
            number = numbers.setdefault((kind, reads), len(numbers))
            for port in sorted(nets):
                if directions[port] == "output":
                    yield from ((bit, (number, port, place)) for place, bit in enumerate(nets[port]))
