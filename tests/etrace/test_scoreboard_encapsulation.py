# SPDX-License-Identifier: Apache-2.0
"""The check of the packet encapsulation 1.0 turns red under the right clause: a byte, a null packet or a setting of a
good stream is changed at a time; what the text leaves open passes on a device that does not declare the profile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import Verdict, check
from rvtrace.scoreboards.etrace.encapsulation import Normal, packets_in
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import scenario_run

Edit = Callable[[bytearray, list[Normal]], object]
PLAIN: dict[str, Any] = {"encapsulation": "encap_1_0", "flow": 2}
SOURCED = PLAIN | {"src_bits": 12, "src_id": 0xABC, "type_bits": 1}
STAMPED = PLAIN | {"timestamp_bytes": 3, "timestamp": 1}
SYNCED = PLAIN | {"framing": "unframed", "async_freq": 2}
FRAMED = SYNCED | {"framing": "framed"}
FORMS = [PLAIN, SOURCED, STAMPED, SYNCED, FRAMED, SOURCED | STAMPED | SYNCED | {"timestamp": 0}]


def carried(options: dict[str, Any], edit: Edit | None = None, exact: bool = True, **capture: Any) -> Verdict:
    """The verdict on a stream of an encoder's own port; edit: changes its bytes, given where its packets are."""
    config, program, beats, encoded = scenario_run("encapsulations", tuple(sorted(options.items())))
    data = bytearray(encoded.data)
    if edit is not None:
        edit(data, packets_in(encoded.data, config, str)[0])
    cycles = np.asarray(beats.cycle)[np.asarray(encoded.beat)]
    given = {"packets": encoded.payloads, "data": bytes(data), "beats": beats, "exact": exact, "packet_cycle": cycles}
    return check(EtraceCapture(config, program, **(given | capture)), Tolerances())


@pytest.mark.parametrize("options", FORMS, ids=lambda o: "-".join(f"{k}{v}" for k, v in o.items())[14:])
@pytest.mark.parametrize("exact", [True, False])
def test_every_form_passes(options: dict[str, Any], exact: bool) -> None:
    verdict = carried(options, exact=exact)
    assert verdict.passed, verdict.failures[0].text()
    results = verdict.book.results()
    due = {"header", "length", "extend"}
    due |= {"srcid", "type", "padding"} if "src_bits" in options else set()
    due |= {"timestamp"} if options.get("timestamp") else set()
    due |= {"sync", "join"} if "framing" in options else set()
    due |= {"null_flow", "alignment"} if options.get("framing") == "unframed" else set()
    if exact:
        due |= {"flow", "interval" if "framing" in options else "null"}
    assert {c for c in results if c.startswith("ET.enc.")} == {f"ET.enc.{name}" for name in due}
    assert all(results[f"ET.enc.{name}"][0] > 3 for name in due)
    assert not any(clause.startswith("ET.tra.") for clause in results if clause != "ET.tra.rate")


def at(offset: int, value: int) -> Edit:
    """XOR a byte of the tenth packet."""

    def edit(data: bytearray, packets: list[Normal]) -> None:
        data[packets[10].offset + offset] ^= value

    return edit


def nulls(edit_run: Callable[[bytes], bytes]) -> Edit:
    """Another run of null packets before the second packet that has one."""

    def edit(data: bytearray, packets: list[Normal]) -> None:
        packet = [p for p in packets if p.nulls][1]
        data[packet.offset - packet.zeros : packet.offset] = edit_run(packet.nulls)

    return edit


def insert(run: bytes) -> Edit:
    """Null packets where there is none."""

    def edit(data: bytearray, packets: list[Normal]) -> None:
        packet = [p for p in packets[10:] if not p.nulls][0]
        data[packet.offset : packet.offset] = run

    return edit


CASES: dict[str, tuple[str, dict[str, Any], Edit]] = {
    "flow": ("ET.enc.flow", PLAIN, at(0, 0x20)),
    "extend without bytes": ("ET.enc.extend", PLAIN, at(0, 0x80)),
    "srcID": ("ET.enc.srcid", SOURCED, at(1, 1)),
    "srcID above its whole bytes": ("ET.enc.srcid", SOURCED, at(2, 8)),
    "type": ("ET.enc.type", SOURCED, at(2, 0x10)),
    "padding": ("ET.enc.padding", SOURCED, lambda data, packets: data.__setitem__(
        packets[10].behind - 1, data[packets[10].behind - 1] ^ 0x80)),
    "a payload": ("ET.enc.header", PLAIN, at(1, 0x10)),
    "a length": ("ET.enc.length", PLAIN, at(0, 1)),
    "timestamp": ("ET.enc.timestamp", STAMPED, at(2, 1)),
    "cut off": ("ET.enc.header", PLAIN, lambda data, packets: data.pop()),
    "a null packet": ("ET.enc.null", PLAIN, insert(b"\0")),
    "no alignment": ("ET.enc.alignment", SYNCED, nulls(lambda run: run[:-1] + b"\0")),
    "alignment inside": ("ET.enc.alignment", SYNCED, nulls(lambda run: run[:3] + b"\x80" + run[4:])),
    "flow of a null packet": ("ET.enc.null_flow", SYNCED, nulls(lambda run: b"\x20" + run[1:])),
    "a sequence too short": ("ET.enc.sync", SYNCED, nulls(lambda run: run[1:])),
    "a framed sequence too short": ("ET.enc.sync", FRAMED, nulls(lambda run: run[1:])),
    "a sequence too long": ("ET.enc.interval", FRAMED, nulls(lambda run: run + b"\0")),
    "no sequence": ("ET.enc.sync", FRAMED, nulls(lambda run: b"")),
    "a sequence that is not due": ("ET.enc.interval", FRAMED, insert(bytes(32))),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_red_under_its_clause(case: str) -> None:
    clause, options, edit = CASES[case]
    assert carried(options).passed
    assert carried(options, edit).failures[0].clause == clause


FREE: dict[str, tuple[dict[str, Any], Edit]] = {
    "flow": (PLAIN, at(0, 0x20)),
    "null packets of any flow": (PLAIN, insert(b"\0\x80\x20")),
    "a framed run": (FRAMED, insert(bytes(3))),
    "null packets before a packet": (SYNCED, insert(b"\0\0\x80")),
    "every (N+1)th is alignment": (SYNCED, insert((bytes(31) + b"\x80") * 3)),
    "padding of ones": (SOURCED, lambda data, packets: [
        data.__setitem__(p.behind - 1, data[p.behind - 1] | 0xFF << 8 - p.spare & 0xFF) for p in packets
    ]),
}  # fmt: skip


@pytest.mark.parametrize("case", FREE)
def test_what_the_text_leaves_open_is_judged_for_our_profile_only(case: str) -> None:
    options, edit = FREE[case]
    verdict = carried(options, edit, exact=False)
    assert verdict.passed, verdict.failures[0].text()
    assert not carried(options, edit).passed


def leaked(data: bytearray, packets: list[Normal]) -> None:
    """Padding is what is left of earlier packets in a buffer that is not cleared."""
    buffer = bytearray(64)
    for p in packets:
        size = p.behind - p.offset
        keep = 0xFF << 8 - p.spare & 0xFF
        data[p.behind - 1] = data[p.behind - 1] & ~keep & 0xFF | buffer[size - 1] & keep
        buffer[:size] = data[p.offset : p.behind]


def test_padding_that_leaks() -> None:
    """ "They must not leak information": of a foreign device too."""
    verdict = carried(SOURCED, leaked, exact=False)
    assert verdict.book.failed == ["ET.enc.padding"]
    assert "is what an earlier packet had at its place" in verdict.failures[0].text()


def test_timestamps_on_some_packets() -> None:
    """extend is a bit of each packet: 'optionally included'."""

    def edit(data: bytearray, packets: list[Normal]) -> None:
        for p in reversed(packets[::3]):
            data[p.offset] &= 0x7F
            del data[p.offset + 1 : p.offset + 4]

    verdict = carried(STAMPED, edit, exact=False)
    assert verdict.passed, verdict.failures[0].text()
    assert carried(STAMPED, edit).book.failed == ["ET.enc.extend"]


def test_a_captured_stream_of_several_sources() -> None:
    """The packets of another source are no failure in a file, and no packet of this encoder."""
    config, program, beats, encoded = scenario_run("encapsulations", tuple(sorted(SOURCED.items())))
    other = Config.from_dict(SOURCED | {"src_id": 5})
    data, foreign = bytearray(encoded.data), encapsulate([b"\x1f", b"\x02"], [False] * 2, [0] * 2, other)
    packets, _ = packets_in(encoded.data, config, str)
    for place in (40, 20, 3):
        data[packets[place].offset : packets[place].offset] = foreign
    capture = EtraceCapture(config, program, encoded.payloads, data=bytes(data), beats=beats, exact=False)
    verdict = check(capture, Tolerances())
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.book.results()["ET.enc.srcid"] == [len(packets), 0]


def test_a_receiver_that_joins_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """ET.enc.join compares with every packet after the sequence: a receiver that takes one more fails."""
    from rvtrace.scoreboards.etrace import encapsulation

    whole = encapsulation.deframe
    monkeypatch.setattr(encapsulation, "deframe", lambda data, config, joined=False: whole(data, config))
    assert carried(FRAMED | {"src_bits": 8}).book.failed == ["ET.enc.join"]
