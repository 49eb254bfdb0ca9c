# SPDX-License-Identifier: Apache-2.0
"""A field that is only in the table: packed, decoded, printed, a column, covered, in the viewer and in the diagnosis of
other devices with nothing else changed.
"""

import importlib
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.common import native
from rvtrace.models.common.messages import Field
from rvtrace.models.etrace.codec import pack, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import Decoder, decode
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import TABLES, Packet, options_of
from rvtrace.report import viewer_traces
from rvtrace.report.listing.etrace import packet_line
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.layout import read, standard
from rvtrace.scoreboards.etrace.table import PacketTable, compare_fields
from rvtrace.tb.common.coverage.tally import Tally
from rvtrace.tb.etrace.coverage import points, sampling
from tests.common.compiled import both
from tests.etrace.deviant_runs import FIXED
from tests.etrace.fuzz import LOOP, MAIN, program
from tests.etrace.packet_writer import PacketWriter
from tests.etrace.walks import encode, walk
from tests.ntrace.encoder_stream import OFF, linear, row, to_beats

# Between branch_map and address, where there is an address
GAUGE = Field("gauge", 9, present=lambda config, values: values["branches"] > 0)
CONFIG = Config(iaddress_width_p=64)
VALUES = (0, 5, 0x1FF, 1)


@pytest.fixture(autouse=True)
def gauge(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    table = TABLES["v2_0"]
    kind = table["branch_map"]
    at = kind.keys.index("address")
    changed = kind.with_fields((*kind.fields[:at], GAUGE, *kind.fields[at:]))
    monkeypatch.setitem(TABLES, "v2_0", table.with_message(changed))
    yield
    monkeypatch.undo()
    importlib.reload(points)
    importlib.reload(sampling)


def payloads(branches: str = "TTT") -> list[bytes]:
    """A trace in which each map has another gauge."""
    writer = PacketWriter(program(64), **{k: v for k, v in CONFIG.to_dict().items() if k != "ip"})
    writer.support().start(MAIN)
    found = []
    for value in VALUES:
        writer.at(LOOP + 4, branches)
        packet = unpack(writer.payloads.pop(), CONFIG)
        found.append(pack(Packet(packet.name, packet.values | {"gauge": value}), CONFIG))
    return [*writer.payloads, *found]


def test_it_is_packed_and_unpacked() -> None:
    packet = Packet(
        "branch_map",
        {"format": 1, "branches": 2, "branch_map": 1, "gauge": 0x155, "address": -2, "notify": 0, "updiscon": 0,
         "irreport": 0, "irdepth": None},
    )  # fmt: skip
    data = pack(packet, CONFIG)
    number = int.from_bytes(data, "little")
    assert number & 3 == 1 and number >> 2 & 31 == 2 and number >> 7 & 7 == 1 and number >> 10 & 0x1FF == 0x155
    assert unpack(data, CONFIG) == packet
    with pytest.raises(ValueError, match="branch_map.gauge=512 does not fit its 9 bits"):
        pack(Packet(packet.name, packet.values | {"gauge": 512}), CONFIG)


@both
def test_it_is_decoded(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the loops, to the same instructions: only the support packet and the first are left to other code."""
    left: list[bytes] = []
    original = Decoder._take
    monkeypatch.setattr(Decoder, "_take", lambda self, payload: (left.append(payload), original(self, payload))[1])
    with native.using(compiled):
        trace = decode(payloads(), program(64), CONFIG)
    assert not trace.diagnostics and len(left) == 2
    assert [p.get("gauge") for p in trace.packets if p and p.name == "branch_map"] == list(VALUES)
    assert trace.pcs.tolist() == [MAIN, MAIN + 2, *[LOOP, LOOP + 4] * (3 * len(VALUES))]


def test_an_encoder_without_it_sends_zeros() -> None:
    trace = Encoder(CONFIG).run(to_beats([row(linear(0x1000, 2)), row(levels=OFF)], 1))
    assert trace.payloads == [pack(packet, CONFIG) for packet in trace.packets]


def test_it_is_printed() -> None:
    packet = unpack(payloads()[-2], CONFIG)
    assert "branch_map=0x0 gauge=511 address=" in str(packet)
    assert "gauge=511" in packet_line(0, b"", packet)
    other = Packet(packet.name, packet.values | {"gauge": 2})
    assert ("gauge", "511", "2") in compare_fields(packet, other, 1)


def test_it_is_a_column_and_read_from_damaged_payloads() -> None:
    packets = [unpack(payload, CONFIG) for payload in payloads()]
    assert PacketTable(packets, CONFIG)["gauge"].tolist() == [-1, -1, *VALUES]
    found = read(payloads()[-2], standard("v2_0"), CONFIG, CONFIG.options)
    assert found.values["gauge"] == 0x1FF and not found.problem


def test_it_is_in_the_viewer() -> None:
    packets = [unpack(payload, CONFIG) for payload in payloads()]
    files: Any = SimpleNamespace(config=CONFIG)
    count = np.arange(len(packets), dtype=np.int64)
    messages = viewer_traces._etrace_messages(files, packets, count, count + 1, count, count)
    shown = [field for shape in messages.shapes for field in shape.fields if field.name == "gauge"]
    assert shown == [viewer_traces.FieldShown("gauge", "dec", None)]


def test_it_is_covered() -> None:
    importlib.reload(points)
    importlib.reload(sampling)
    name = "branch_map gauge"
    point = next(p for p in points.ETRACE.points if p.name == "field_bytes_cg")
    assert [bin_ for bin_ in point.reachable if bin_.startswith(name)] == [f"{name} x 1", f"{name} x 2"]
    tally = Tally()
    for payload in payloads():
        sampling._more_fields(tally, unpack(payload, CONFIG))
    assert tally.counts["field_bytes_cg"] == {f"{name} x 1": 3, f"{name} x 2": 1}


def capture(width: int, monkeypatch: pytest.MonkeyPatch) -> EtraceCapture:
    """Of a device whose gauges, each another one, have so many bits; 0: it has none."""
    gauges = (replace(GAUGE, width=width),) if width else ()
    theirs = TABLES["v2_0"].each(lambda _, of: gauges if of.key == "gauge" else (of,))
    what = walk(7, 800, **FIXED)
    trace = encode(what.config, what.beats)
    with monkeypatch.context() as device:
        device.setitem(TABLES, "v2_0", theirs)
        sent = [
            pack(Packet(one.name, one.values | {"gauge": 37 * n % 128}), what.config, options_of(options))
            for n, (one, options) in enumerate(zip(trace.packets, trace.options))
        ]
    return EtraceCapture(what.config, what.program, sent, beats=what.beats, exact=False)


@pytest.mark.parametrize("width", [0, 7, 13])
def test_a_device_without_it_or_with_another_width_is_named(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(capture(9, monkeypatch)).passed
    verdict = check(capture(width, monkeypatch))
    first = next(failure for failure in verdict.failures if not failure.cause)
    says = f"gauge has {width} bits" if width else "gauge is absent"
    assert f"the trace decodes if {says}; by the specification gauge " in first.headline
    assert first.clause == "ET.pay.fields" and verdict.stats["judged"] > 0.9 * verdict.stats["instructions"]
