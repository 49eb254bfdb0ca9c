# SPDX-License-Identifier: Apache-2.0
"""Entries for reading: call paths of calls, returns, traps and RAS emulation, and files that are none."""

import json
from typing import Any

import pytest

from rvtrace.flow.captured.ctr import load
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.ctr.config import Config
from rvtrace.report.listing.ctr import call_path, listing, path_line, table


def entries(*oldest_first: tuple[int, int, int]) -> list[dict[str, Any]]:
    """(type, source, target) of valid entries; the youngest gets number 0."""
    return [
        {"source": f"{source:#x}", "target": f"{target:#x}", "type": type_, "valid": True, "cc": 7, "ccv": True}
        for type_, source, target in reversed(oldest_first)
    ]


@pytest.mark.parametrize(
    ("transfers", "path"),
    [
        ([], []),
        ([(5, 0x10, 0x20)], ["0x20"]),
        ([(9, 0x10, 0x100), (8, 0x110, 0x200)], ["0x10", "0x110", "0x200"]),
        ([(9, 0x10, 0x100), (8, 0x110, 0x200), (13, 0x210, 0x114), (5, 0x118, 0x130)], ["0x10", "0x130"]),
        (
            [(13, 0x210, 0x114), (9, 0x120, 0x300)],
            ["0x120", "0x300"],
        ),  # returned from what was called before the oldest entry
        ([(9, 0x10, 0x100), (1, 0x104, 0x800), (9, 0x810, 0x900)], ["0x10", "0x104 (exception)", "0x810", "0x900"]),
        (
            [(9, 0x10, 0x100), (2, 0x104, 0x800), (9, 0x810, 0x900), (3, 0x904, 0x104)],
            ["0x10", "0x104"],
        ),  # xRET leaves the handler's calls too
        ([(9, 0x10, 0x100), (12, 0x110, 0x200)], ["0x110", "0x200"]),
        ([(1, 0x104, 0x800), (13, 0x810, 0x20)], ["0x20"]),
    ],
)
def test_paths_of_all_transfers(transfers, path):
    assert call_path(entries(*transfers), None, False) == path


def test_in_ras_emulation_what_is_valid_is_the_path():
    found = entries((9, 0x10, 0x100), (8, 0x110, 0x200), (9, 0x210, 0x300))
    found[0]["valid"] = False  # it returned
    assert call_path(found, None, True) == ["0x10", "0x110", "0x200"]
    assert "(returned)" in table(found, None)[1] and "(returned)" not in table(found, None)[2]
    assert "RAS emulation" in listing(found, Config(ctl=0x87), None, "x") and "2 of 3 entries valid" in listing(
        found, Config(), None, "x"
    )


def test_a_deep_path_is_cut_in_the_middle():
    line = path_line([f"f{n}" for n in range(100)])
    assert line.startswith("f0 > f1 > (76 more) > f78") and line.endswith("f99")
    assert path_line([]) == "nothing was recorded" == table([], None)[0]


@pytest.mark.parametrize(
    "text", ["", "{}x", "[1]", '[{"source": 1}]', json.dumps([{**entries((9, 0, 0))[0], "cc": "7"}])]
)
def test_what_is_no_list_of_entries(tmp_path, text):
    (tmp_path / "entries.json").write_text(text)
    with pytest.raises(ArgumentError, match="no list of entries"):
        load(tmp_path / "entries.json")
