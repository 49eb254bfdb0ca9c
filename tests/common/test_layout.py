# SPDX-License-Identifier: Apache-2.0
"""Row layouts: the numpy type and the generated SystemVerilog package have each field at the same place."""

from __future__ import annotations

import re

import pytest

from rvtrace.flow.generate.rows import SOURCES, RowSource
from rvtrace.jobs.builds import ROOT
from rvtrace.tb.common.layout import Bits, Field, Layout, Slots, Zero


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_fields_have_one_place(source: RowSource) -> None:
    text = source.files()[f"{source.stem}_row_pkg.sv"]
    places = {name.lower(): int(at) for name, at in re.findall(r"localparam int (\w+)At = (\d+)", text)}
    for layout in (*source.more, *(layout for layout, _ in source.modules)):
        fixed = layout.dtype(dict.fromkeys(source.parameters, 1)).fields or {}
        for field in layout.fields:
            if not isinstance(field, Zero):
                assert places[f"{layout.name}{field.name.replace('_', '')}"] == 8 * fixed[field.name][1]
            if isinstance(field, Slots):
                assert field.dtype().itemsize * 8 == field.size
            if isinstance(field, (Field, Slots)) and getattr(field, "elements", None) not in (None, 1):
                break  # what follows depends on a parameter


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_every_generated_module_is_compiled(source: RowSource) -> None:
    listed = (ROOT / source.stem).with_name("files.f").read_text().split()
    assert set(source.files()) <= set(listed)
    assert listed.index(f"{source.stem}_row_pkg.sv") < min(
        listed.index(name) for name in source.files() if not name.endswith("_pkg.sv")
    )


def test_elements_are_rounded_up() -> None:
    layout = Layout("row", (Field("events", "u1", 2, elements="N", multiple=4), Field("of", "<u4", 32)))
    assert layout.dtype({"N": 5}).itemsize == 12
    assert Bits("action", 10, 4).mask == 0x3C00
