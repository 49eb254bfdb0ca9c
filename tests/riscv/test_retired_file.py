# SPDX-License-Identifier: Apache-2.0
"""retired.csv with numbers that no column can hold: one sentence with file, line and column."""

import pytest

from rvtrace.models.riscv.retired import CSV_HEADER, Retired, RetiredError

ROW = {"kind": "insn", "pc": "0x80000000", "size": "4", "itype": "0", "taken": "", "cause": "0x0", "tval": "0x0",
       "priv": "M", "context": "0x0"}  # fmt: skip
WIDE, LONG = "0x10000000000000000", "99999999999999999999"
BAD = [
    *(("pc", value) for value in (WIDE, "-1")), *(("size", value) for value in ("-4", "256", LONG)),
    *(("itype", value) for value in ("16", "-1", LONG)), *(("taken", value) for value in ("2", "-2")),
    *((name, value) for name in ("cause", "tval", "context") for value in (WIDE, "-0x1")),
]  # fmt: skip


def write(path, *rows):
    lines = [",".join(CSV_HEADER), *(",".join({**ROW, **row}.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("column", "value"), BAD)
def test_a_number_out_of_range(tmp_path, column, value):
    path = write(tmp_path / "retired.csv", {}, {column: value}, {})
    with pytest.raises(RetiredError) as said:
        Retired.from_csv(path)
    text = str(said.value)
    assert text.startswith(f"{path} line 3: {column} ") and "is out of range; give " in text


def test_the_largest_numbers_are_read(tmp_path):
    largest = dict.fromkeys(("pc", "cause", "tval", "context"), "0xffffffffffffffff")
    found = Retired.from_csv(write(tmp_path / "retired.csv", largest | {"itype": "15", "taken": "1"}))
    assert found.pc.tolist() == [2**64 - 1] and found.itype.tolist() == [15] and found.taken.tolist() == [1]
