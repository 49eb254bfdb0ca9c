# SPDX-License-Identifier: Apache-2.0
"""What the monitor of the register bus makes of the recorded cycles of PSEL."""

from pathlib import Path

import numpy as np

from rvtrace.scoreboards.tci.registers import Access
from rvtrace.tb.tci.agents import layout
from rvtrace.tb.tci.agents.apb import read_accesses

ADDR, DATA = 0x1004, 0xCAFE
_FLAG = {bits.name: bits.mask for bits in layout.ACCESS_FLAGS}


def recorded(folder: Path, *cycles: tuple[int, str]) -> tuple[list[Access], list[tuple[int, str]]]:
    """What is read of cycles: (number, flags that are set, with spaces between)."""
    table = np.zeros(len(cycles), layout.ACCESS.dtype())
    for row, (cycle, flags) in zip(table, cycles):
        row["cycle"], row["paddr"], row["pwdata"], row["prdata"] = cycle, ADDR, 1, 0 if "prdata" in flags else DATA
        row["flags"] = sum(_FLAG[name] for name in flags.split())
    table.tofile(folder / "apb.bin")
    return read_accesses(folder / "apb.bin")


def test_accesses_back_to_back(tmp_path: Path) -> None:
    """A read that waits, a write in the cycle after it, a read whose data is X."""
    found, problems = recorded(
        tmp_path,
        (5, ""), (6, "penable"), (7, "penable pready"),
        (8, "pwrite"), (9, "penable pwrite pready pslverr prdata_unknown"),
        (20, ""), (21, "penable pready prdata_unknown"),
    )  # fmt: skip
    assert found == [
        Access(7, False, ADDR, DATA), Access(9, True, ADDR, 1, error=True), Access(21, False, ADDR, 0, unknown=True),
    ] and not problems  # fmt: skip


def test_answers_that_are_none(tmp_path: Path) -> None:
    """PREADY that stays low or is X ends an access that is not one; PSLVERR that is X is reported beside one."""
    found, problems = recorded(
        tmp_path,
        (5, ""), (6, "penable"), (7, "penable"), (8, "penable"),
        (9, ""), (10, "penable pready_unknown"),
        (11, ""), (12, "penable pready pslverr_unknown"),
    )  # fmt: skip
    assert found == [Access(12, False, ADDR, DATA)]
    assert problems == [
        (8, "PREADY stayed low for 3 cycles of an access to 0x1004"),
        (10, "PREADY is X in an access to 0x1004"),
        (12, "PSLVERR is X at the end of an access to 0x1004"),
    ]


def test_nothing_recorded(tmp_path: Path) -> None:
    assert read_accesses(tmp_path / "apb.bin") == recorded(tmp_path) == ([], [])
