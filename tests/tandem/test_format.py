# SPDX-License-Identifier: Apache-2.0
"""The table, the configuration and the profile page say the same, and what the specification says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config, ConfigError
from rvtrace.models.tandem.decoder.diagnostics import TEXTS
from rvtrace.models.tandem.trace_data import DTYPES, Rows, RowsError, TraceData

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "tandem-profile.md").read_text()


def test_rows_declare_their_columns() -> None:
    """`Rows` sets its columns by name; the annotations tell type checkers and readers which there are."""
    assert set(Rows.__annotations__) == set(DTYPES)


def test_payload_lengths() -> None:
    """Chapter 2: bits after the opcode, for RV64 with 64-bit f registers."""
    config = Config(xlen=64, flen=32)
    fixed = {1: 0, 2: 0, 3: 0, 5: 24, 6: 24, 10: 0, 11: 0, 16: 16, 17: 32}
    assert set(fixed) | {4, 7, 8, 9} == set(table.BY_CODE)
    for code, length in fixed.items():
        assert sum(field.bits(config, {}) for field in table.BY_CODE[code].fields) == length

    def bits(code: int, **values: int) -> int:
        return sum(field.bits(config, values) for field in table.BY_CODE[code].fields)

    assert [bits(4, address=address) for address in (0, 0xFFF, 0x1000, 0x101F, 0x1020, 0x103F)] == [
        80,
        80,
        80,
        80,
        48,
        48,
    ]
    assert [table.register_width(config, address) for address in (0x1040, 0x1FFF, 0x8000)] == [0, 0, 0]
    assert [bits(7, id=identifier) - 8 for identifier in range(1, 11)] == [8, 64, 64, 8, 16, 32, 64, 64, 64, 64]
    store, load, swap = ({"op": op, "size": 3, "result": 0} for op in (1, 0, 4))
    assert [bits(8, **values) - 64 for values in (store, load, swap)] == [8 + 64, 8, 8 + 64]
    assert [bits(9, **values) for values in (store, load, swap, load | {"result": 1})] == [8, 72, 72, 8]
    assert {bits(9, op=0, size=size, result=0) for size in range(4)} == {16, 24, 40, 72}


def test_operations() -> None:
    """TV-2: requests of stores, sc and amos have data; responses of loads, lr, sc, amos and fetches that succeeded."""
    names = "load store lr sc amoswap amoadd amoxor amoand amoor amomin amomax amominu amomaxu fetch".split()
    assert [operation.name for operation in table.OPERATIONS] == names
    assert [operation.name for operation in table.OPERATIONS if not operation.request_data] == ["load", "lr", "fetch"]
    assert [operation.name for operation in table.OPERATIONS if not operation.response_data] == ["store"]


@pytest.mark.parametrize(("xlen", "mlen", "size"), [(64, 64, 8), (32, 32, 4), (32, 34, 5)])
def test_addresses(xlen: int, mlen: int, size: int) -> None:
    """MLEN is rounded up to bytes."""
    config = Config(xlen=xlen, mlen=mlen)
    assert {table.state_width(config, identifier) for identifier in (2, 3, 9)} == {8 * size}
    assert table.state_width(config, 10) == xlen


def test_configuration() -> None:
    """There and back; what is not legal is refused in a sentence that says what is."""
    config = Config(xlen=32, mlen=34, flen=0, absent=("eaddr", "paddr"), lanes=2, incremental=2)
    assert config.absent == ("paddr", "eaddr") and Config.from_dict(config.to_dict()) == config
    assert Config.from_dict({"ip": "tandem", "xlen": "32", "absent": "eaddr,paddr"}).absent == ("paddr", "eaddr")
    assert Config(xlen=32).mlen == 32 and Config().mlen == 64
    assert (
        not Config(flen=0).traces("fcsr")
        and not Config(absent=("request",)).traces("response")
        and Config().traces("csr")
    )
    wrong: dict[str, Any]
    for wrong, says in (
        ({"xlen": 128}, "XLEN=32 or 64"),
        ({"mlen": 34}, "MLEN=64"),
        ({"xlen": 32, "mlen": 64}, "MLEN=32 or 34"),
        ({"absent": ("x",)}, "give some of pc,ppc"),
        ({"lanes": 3}, "LANES=1 or 2"),
        ({"incremental": 3}, "INCREMENTAL=0 or 1 or 2"),
    ):
        with pytest.raises(ConfigError, match=says):
            Config(**wrong)
    for given, says in (({"colour": 1}, "unknown option COLOUR"), ({"xlen": "many"}, "XLEN=many is not a number")):
        with pytest.raises(ConfigError, match=says):
            Config.from_dict(given)


def test_page_has_the_parts_of_the_port() -> None:
    """Every part with its bit and every port, in the order of the table."""
    ports = PAGE[PAGE.index("| bit | part |") :].split("\n\n")[0]
    rows = re.findall(r"^\| (\d[\d-]*) \| ([a-z0-9-]+)", ports, re.M)
    bits = {name.split("-")[0]: int(number.split("-")[0]) for number, name in rows}
    assert {name: bit for name, bit in table.BIT.items() if not re.fullmatch("csr[123]", name)} == bits
    for column in table.COLUMNS:
        assert f"`{column.name}`" in PAGE
    assert f"`in_has_i` [{len(table.PARTS)}]" in PAGE


def test_page_has_the_diagnostics() -> None:
    """Each with its name."""
    after = PAGE[PAGE.index("| diagnostic |") :]
    assert set(re.findall(r"`([a-z0-9_]+)`", after)) - {"init"} == set(TEXTS)


def test_rows_refuse() -> None:
    """Columns that no port has, or of another shape; five CSRs."""
    with pytest.raises(RowsError, match="no column colour"):
        Rows(3, colour=[1, 2, 3])
    with pytest.raises(RowsError, match="shape"):
        Rows(3, pc=[1, 2])
    with pytest.raises(RowsError, match="has 5 CSRs; give at most 4"):
        Rows.from_rows([TraceData(csr=((1, 1),) * 5)])
    assert set(DTYPES) == {"cycle", "has"} | {column.name for column in table.COLUMNS}


def test_rows_on_disk(tmp_path: Path) -> None:
    """There and back."""
    rows = Rows.from_rows([TraceData(pc=4, insn=(2, 1), csr=((0x300, 7),)), TraceData(group=False, mtime=1 << 63)])
    rows.save(tmp_path / "rows.npz")
    assert list(Rows.load(tmp_path / "rows.npz")) == list(rows)
    assert len(Rows.concat([])) == 0 and Rows.concat([rows, rows]).cycle.tolist() == [0, 1, 2, 3]
