# SPDX-License-Identifier: Apache-2.0
"""Two netlists of the same structure, and those that look alike."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.faults.netlist import same_structure

IN = {"direction": "input", "bits": [2]}


def cell(kind: str, inputs: Mapping[str, int], output: int, **parameters: str) -> dict[str, Any]:
    """One of a single output bit."""
    nets = {**{name: [bit] for name, bit in inputs.items()}, "Y": [output]}
    directions = {name: "output" if name == "Y" else "input" for name in nets}
    return {"type": kind, "parameters": parameters, "port_directions": directions, "connections": nets}


def toggling(first: int, enable: str = "$xor", polarity: str = "1") -> dict[str, Any]:
    """A register in a loop with a gate, of which net `first` is the register."""
    other = first + 1
    return {
        "ports": {"clk": IN, "a": {"direction": "input", "bits": [3]}, "q": {"direction": "output", "bits": [first]}},
        "cells": {
            f"$ff${first}": cell("$dff", {"C": 2, "D": other}, first, CLK_POLARITY=polarity),
            f"$x${first}": cell(enable, {"A": 3, "B": first}, other),
        },
        "netnames": {"q": {"bits": [first], "attributes": {}}},
    }


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (toggling(7), True),
        (toggling(4, enable="$or"), False),
        (toggling(4, polarity="0"), False),
        ({**toggling(4), "ports": {**toggling(4)["ports"], "q": {"direction": "output", "bits": [5]}}}, False),
        ({**toggling(4), "ports": {**toggling(4)["ports"], "q": {"direction": "output", "bits": ["0"]}}}, False),
        ({**toggling(4), "ports": {**toggling(4)["ports"], "q": {"direction": "output", "bits": [9]}}}, False),
        ({**toggling(4), "netnames": {"q": {"bits": [4], "attributes": {"init": "1"}}}}, False),
    ],
    ids=("other names", "another gate", "another edge", "in front of the register", "stuck", "undriven", "initialized"),
)
def test_the_structure_is_the_same_up_to_names(tmp_path: Path, other: dict[str, Any], same: bool) -> None:
    for name, module in (("gold", toggling(4)), ("gate", other)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"modules": {name: module}}))
    assert same_structure(tmp_path / "gold.json", tmp_path / "gate.json") == same
