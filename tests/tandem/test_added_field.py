# SPDX-License-Identifier: Apache-2.0
"""A field that is only in the table: packed, decoded, printed, a column, covered, in the viewer and in the diagnosis of
other devices with nothing else changed.
"""

import importlib
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.common.messages import Field
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import Decoder, decode
from rvtrace.models.tandem.decoder.listing import listing
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import FLUSH, Rows
from rvtrace.report import viewer_tandem
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.table import ItemTable
from rvtrace.tb.tandem.coverage import points, sampling
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS
from tests.common.compiled import both
from tests.tandem.captures import captured
from tests.tandem.rows import CONFIGS, random_rows

# Between the parts of an item, where the registers have 64 bits
GAUGE = Field("gauge", 16, present=lambda config, values: config.xlen == 64, show=lambda value, _: f"{value:#x}")
AFTER = {"register": "address", "add": "address", "or": "address", "state": "id", "request": "size", "insn32": ""}
CONFIG, NARROW = Config(incremental=2), Config(xlen=32)
GROUP = [
    it.Begin(), it.State(table.PC, 0x80000004, more=(("gauge", 1),)), it.Instruction(4, 0x13, more=(("gauge", 2),)),
    it.Register(0x100A, 5, more=(("gauge", 0x1234),)), it.OrRegister(0x100A, 2, more=(("gauge", 3),)),
    it.AddRegister(0x100A, -1, more=(("gauge", 0xFFFF),)), it.State(table.PRIV, 3, more=(("gauge", 0),)),
    it.Request(0x80001000, table.STORE, 2, 0xABCD, more=(("gauge", 7),)), it.Response(2, 0), it.End(),
]  # fmt: skip


@pytest.fixture(autouse=True)
def gauge(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    items = table.TABLES[table.VERSION]
    for name, before in AFTER.items():
        item = items[name]
        at = item.keys.index(before) + 1 if before else 0
        items = items.with_message(item.with_fields((*item.fields[:at], GAUGE, *item.fields[at:])))
    monkeypatch.setitem(table.TABLES, table.VERSION, items)
    yield
    monkeypatch.undo()
    importlib.reload(points)
    importlib.reload(sampling)


def gauges(items: list[it.Item]) -> list[int]:
    return [dict(item.more)["gauge"] for item in items if item.more]


def test_it_is_packed_and_unpacked() -> None:
    data = it.pack(GROUP, CONFIG)
    assert bytes([table.REGISTER, 0x0A, 0x10, 0x34, 0x12, 5, 0, 0, 0, 0, 0, 0, 0]) in data
    found = [item for _, item in it.items(data, CONFIG)]
    assert found == GROUP and gauges(found) == [1, 2, 0x1234, 3, 0xFFFF, 0, 7]
    with pytest.raises(it.ItemError, match="gauge=0x10000 of .* does not fit 16 bits"):
        it.pack([it.Register(0x100A, 5, more=(("gauge", 1 << 16),))], CONFIG)
    assert not gauges([item for _, item in it.items(it.pack([it.Register(0x100A, 5)], NARROW), NARROW)])


@both
def test_it_is_decoded(compiled: bool) -> None:
    with native.using(compiled):
        decoder = Decoder(CONFIG)
        decoded = decoder.feed(it.pack(GROUP * 3, CONFIG))
        rest = decoder.finish()
    groups = [*decoded.groups(), *rest.groups()]
    assert {one.name for one in decoded.diagnostics + rest.diagnostics} == {"repeated_state"} and len(groups) == 3
    for group in groups:
        assert (group.insn, group.size) == (0x13, 4) and (*group.changes,) == (
            (table.STATE_KEY + table.PC, 0x80000004), (0x100A, 5), (0x100A, 7), (0x100A, 6),
            (table.STATE_KEY + table.PRIV, 3),
        )  # fmt: skip
        (memory,) = group.memory
        assert (memory.address, memory.op, memory.size, memory.data, memory.result) == (0x80001000, 1, 2, 0xABCD, 0)


@pytest.mark.parametrize("config", CONFIGS[:6], ids=str)
def test_an_encoder_without_it_sends_zeros(config: Config) -> None:
    data = encode(Rows.from_rows([*random_rows(f"added:{config}", 60, config), FLUSH]), config).data
    found = [item for _, item in it.items(data, config)]
    assert set(gauges(found)) == ({0} if config.xlen == 64 else set())
    assert {one.name for one in decode(data, config).diagnostics} <= {"repeated_state"}


def test_it_is_printed() -> None:
    assert str(GROUP[3]) == "full register x10 data=0x5 gauge=0x1234"
    data = it.pack(GROUP, CONFIG)
    text = "\n".join(listing(decode(data, CONFIG), data, CONFIG))
    assert "a0 (x10)             0x5  gauge=0x1234" in text and "0x6  -1  gauge=0xffff" in text


def test_it_is_a_column() -> None:
    items = ItemTable(it.pack(GROUP, CONFIG), CONFIG)
    assert items.column("gauge").tolist() == [-1, 1, 2, 0x1234, 3, 0xFFFF, 0, 7, -1]
    assert items.address.tolist() == [-1, -1, -1, 0x100A, 0x100A, 0x100A, -1, -1, -1]
    assert items.address_value[7] == 0x80001000 and items.answer[7] == 2


def test_it_is_in_the_viewer() -> None:
    data = it.pack(GROUP, CONFIG)
    files: Any = SimpleNamespace(config=CONFIG, data=data)
    decoded = decode(data, CONFIG)
    zeros = np.zeros(len(decoded), np.int64)
    messages = viewer_tandem._messages(files, decoded, zeros, zeros)
    names = [field.name for shape in messages.shapes for field in shape.fields]
    values = dict(zip(range(len(messages.values)), messages.values.tolist()))
    assert names.count("gauge") == 5 and [values[5 + n] for n in range(5)] == [1, 0x1234, 3, 0xFFFF, 0]


def test_it_is_covered() -> None:
    importlib.reload(points)
    importlib.reload(sampling)
    point = next(one for one in points.TANDEM.points if one.name == "item_cg")
    assert any(name.startswith("register gauge") for name in point.reachable)
    items, decoded = ItemTable(it.pack(GROUP, CONFIG), CONFIG), decode(b"", CONFIG)
    capture: Any = SimpleNamespace(config=CONFIG, marks=[])
    seen: Any = SimpleNamespace(items=items, expected=None, report=None)
    counts = sampling.observe(capture, seen, decoded)["item_cg"]
    assert {name.split(" x ")[0] for name in counts if "gauge" in name} == {f"{name} gauge" for name in AFTER}


@pytest.mark.parametrize("width", [0, 8, 32])
def test_a_device_without_it_or_with_another_width_is_named(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = SCENARIOS["parts_in_pairs"].build(CONFIG, Random(1))
    assert check(captured(rows, CONFIG, encode(rows, CONFIG).data, exact=False)).passed
    gauges = (replace(GAUGE, width=width),) if width else ()
    theirs = table.TABLES[table.VERSION].each(lambda _, of: gauges if of.key == "gauge" else (of,))
    with monkeypatch.context() as device:
        device.setitem(table.TABLES, table.VERSION, theirs)
        sent = encode(rows, CONFIG).data
    verdict = check(captured(rows, CONFIG, sent, exact=False))
    causes = [failure for failure in verdict.failures if not failure.cause]
    says = f"gauge has {width} bits" if width else "gauge is absent"
    assert causes[0].headline.startswith(f"{says}; gauge ") and causes[0].clause == "TV.legal.length"
    assert {failure.clause for failure in causes} == {"TV.legal.length"}
    assert verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]
