# SPDX-License-Identifier: Apache-2.0
"""The table, the configuration and the profile page say the same, and what the specification says."""

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
