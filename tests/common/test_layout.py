# SPDX-License-Identifier: Apache-2.0
"""Row layouts: the numpy type and the generated SystemVerilog package have each field at the same place."""

import re
from pathlib import Path

import pytest

from rvtrace.flow.generate import rows
from rvtrace.jobs import names
from rvtrace.jobs.builds import ROOT
from rvtrace.tb.common.layout import Bits, Field, Layout, Slots, Zero

FILES = rows.files()
BENCHES = [Path(path).name.removesuffix("_rows.sv") for path in FILES]


@pytest.mark.parametrize("bench", BENCHES)
def test_fields_have_one_place(bench: str) -> None:
    places = {name.lower(): int(at) for name, at in re.findall(r"localparam int (\w+)At = (\d+)", rows.text_of(bench))}
    described = names.rows_of(bench)
    for layout in (*described.more, *(layout for layout, _ in described.modules)):
        fixed = layout.dtype(dict.fromkeys(described.parameters, 1)).fields or {}
        for field in layout.fields:
            if not isinstance(field, Zero):
                assert places[f"{layout.name}{field.name.replace('_', '')}"] == 8 * fixed[field.name][1]
            if isinstance(field, Slots):
                assert field.dtype().itemsize * 8 == field.size
            if isinstance(field, (Field, Slots)) and getattr(field, "elements", None) not in (None, 1):
                break  # what follows depends on a parameter


@pytest.mark.parametrize("bench", BENCHES)
def test_every_generated_module_is_used(bench: str) -> None:
    hdl = ROOT / "tb" / bench / "hdl"
    assert f"{rows.FOLDER}/{bench}_rows.sv" in (hdl / "files.f").read_text().split()
    benches = "".join(path.read_text() for path in hdl.glob("*.sv"))
    for name in re.findall(r"^module (\w+)", rows.text_of(bench), re.M):
        assert re.search(rf"^ *{name} ", benches, re.M), name


def test_a_list_of_sources_writes_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROOT", tmp_path)
    written, other = (tmp_path / path for path in FILES[:2])
    for _ in range(2):  # the second time over an older text
        rows.write(["rtl/ctr/ctr.sv", FILES[0]])
        assert written.read_text() == rows.text_of(BENCHES[0]) and not other.exists()
        at = written.stat().st_mtime_ns
        rows.write([FILES[0]])
        assert written.stat().st_mtime_ns == at, "written again, though nothing changed"
        written.write_text("older")
    assert list(written.parent.iterdir()) == [written]


def test_elements_are_rounded_up() -> None:
    layout = Layout("row", (Field("events", "u1", 2, elements="N", multiple=4), Field("of", "<u4", 32)))
    assert layout.dtype({"N": 5}).itemsize == 12
    assert Bits("action", 10, 4).mask == 0x3C00
