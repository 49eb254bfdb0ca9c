# SPDX-License-Identifier: Apache-2.0
"""The transport check turns red under the right clause: one byte,
word or packet of a good stream is changed at a time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import Verdict, check
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.scoreboards.etrace.transport import split
from tests.etrace.checked_scenarios import scenario_run

Edit = Callable[[bytearray, list], object]
MESSAGES = {"encapsulation": "messaging", "framing": "none"}
ATB = {"encapsulation": "atb", "framing": "none"}
FORMS = [{"encapsulation": e, "framing": f, "timestamp": t, "block_bytes": 64, "index_width": w, "flow": 2}
         for e in ("messaging", "atb") for f in ("none", "zeros", "blocks") for t, w in ((0, 0), (1, 16))]  # fmt: skip


def carried(options: dict[str, Any], edit: Edit | None = None, exact: bool = True, **capture: Any) -> Verdict:
    """The verdict on a stream; edit: changes its bytes, given where its packets are."""
    config, program, beats, encoded = scenario_run("transports", tuple(sorted(options.items())))
    data = bytearray(encoded.data)
    if edit is not None:
        edit(data, list(split(encoded.data, EtraceCapture(config, program))))
    given = {"packets": encoded.payloads, "data": bytes(data), "beats": beats, "exact": exact} | capture
    return check(EtraceCapture(config, program, **given), Tolerances())


@pytest.mark.parametrize("options", FORMS, ids=lambda o: f"{o['encapsulation']}-{o['framing']}-{o['timestamp']}")
@pytest.mark.parametrize("exact", [True, False])
def test_every_form_passes(options: dict[str, Any], exact: bool) -> None:
    verdict = carried(options, exact=exact)
    assert verdict.passed, verdict.failures[0].text()
    results = verdict.book.results()
    assert results[f"ET.tra.{options['encapsulation']}"][0] > 100
    if exact or options["framing"] != "none":
        assert results[{"none": "ET.tra.framing"}.get(options["framing"], f"ET.tra.{options['framing']}")][0] > 2
    assert ("ET.tra.join" in results) == (options["framing"] != "none")


OTHER = {
    "length_of": "packet",
    "index_of": "packets",
    "index_width": 8,
    "framing": "zeros",
    "zero_run": 50,
    "zero_every": 9,
}


def test_a_transport_that_a_user_describes() -> None:
    """Lengths of packets, indices that count, runs of 50 zeros before each ninth packet."""
    options = MESSAGES | OTHER
    verdict = carried(options, exact=False)
    assert verdict.passed, verdict.failures[0].text()
    results = verdict.book.results()
    assert results["ET.tra.index"][0] > 100 and results["ET.tra.zeros"][0] > 10 and results["ET.tra.join"][0] == 3
    lost = carried(options, bit("offset", 1, 1), exact=False)
    assert lost.book.failed == ["ET.tra.index"]


def unstamped(data: bytearray, chunks: list) -> None:
    """Every second packet without its timestamp."""
    for chunk in reversed(chunks[::2]):
        data[chunk.offset] &= 0x7F
        del data[chunk.behind - len(chunk.payload) - 2 : chunk.behind - len(chunk.payload)]


def index(data: bytearray, chunks: list) -> None:
    """A funnel on the way makes the index of every packet 5."""
    for chunk in chunks:
        data[chunk.offset + 1] = 5


def nulls(count: int, places: slice) -> Edit:
    """Zero bytes before some packets."""

    def edit(data: bytearray, chunks: list) -> None:
        for chunk in reversed(chunks[places]):
            data[chunk.offset : chunk.offset] = bytes(count)

    return edit


CHOICES: list[tuple[str, dict[str, Any], Edit]] = [
    ("ET.tra.index", {"index_width": 8}, index),
    ("ET.tra.timestamp", {"timestamp": 1}, unstamped),
    ("ET.tra.zeros", {"framing": "zeros"}, nulls(8, slice(None))),
    ("ET.tra.zeros", {"framing": "zeros"}, nulls(32, slice(3, None, 10))),
    ("ET.tra.framing", {}, nulls(1, slice(5, None, 7))),
]


@pytest.mark.parametrize(("clause", "options", "edit"), CHOICES)
def test_what_the_text_leaves_open_is_judged_for_our_profile_only(clause: str, options: dict, edit: Edit) -> None:
    verdict = carried(options, edit, exact=False)
    assert verdict.passed, verdict.failures[0].text()
    assert clause in carried(options, edit, exact=True).book.failed


def bit(field: str, offset: int, value: int) -> Edit:
    """XOR a byte of the tenth packet, counted from its header or from after it."""

    def edit(data: bytearray, chunks: list) -> None:
        data[getattr(chunks[10], field) + offset] ^= value

    return edit


def insert(count: int, before: int = 10) -> Edit:
    """Zero bytes before a packet."""

    def edit(data: bytearray, chunks: list) -> None:
        data[chunks[before].offset : chunks[before].offset] = bytes(count)

    return edit


CASES: dict[str, tuple[str, dict[str, Any], Edit]] = {
    "flow": ("ET.tra.messaging", MESSAGES | {"flow": 1}, bit("offset", 0, 0x40)),
    "a payload": ("ET.tra.messaging", MESSAGES, bit("behind", -1, 1)),
    "no length": (
        "ET.tra.messaging",
        MESSAGES | {"flow": 1},
        lambda data, chunks: data.__setitem__(chunks[10].offset, 0x20),
    ),
    "cut off": ("ET.tra.messaging", MESSAGES, lambda data, chunks: data.pop()),
    "index": ("ET.tra.index", MESSAGES | {"index_width": 8}, bit("offset", 1, 1)),
    "timestamp": ("ET.tra.timestamp", MESSAGES | {"timestamp": 1}, bit("offset", 1, 1)),
    "padding in no framing": ("ET.tra.framing", MESSAGES, insert(3)),
    "upper header bits": ("ET.tra.atb", ATB, bit("offset", 0, 0x80)),
    "filled word": (
        "ET.tra.atb",
        ATB,
        lambda data, chunks: data.__setitem__(next(c.behind for c in chunks if c.behind % 4), 1),
    ),
    "a zero too many": ("ET.tra.zeros", MESSAGES | {"framing": "zeros"}, insert(1, 12)),
    "a zero missing": (
        "ET.tra.zeros",
        MESSAGES | {"framing": "zeros"},
        lambda data, chunks: data.pop(chunks[1].offset - 1),
    ),
    "a block too short": ("ET.tra.blocks", MESSAGES | {"framing": "blocks", "block_bytes": 64}, insert(1)),
    "a gap too long": ("ET.tra.blocks", MESSAGES | {"framing": "blocks", "block_bytes": 64}, insert(64)),
}


@pytest.mark.parametrize("case", CASES)
def test_red_under_its_clause(case: str) -> None:
    clause, options, edit = CASES[case]
    assert carried(options).passed
    assert carried(options, edit).failures[0].clause == clause


def test_atb_signals() -> None:
    """ATBYTES of each word and ATID."""
    config, program, _, encoded = scenario_run("transports", tuple(sorted(ATB.items())))
    chunks = split(encoded.data, EtraceCapture(config, program))
    valid = np.full(len(encoded.data) // 4, 3)
    for chunk in chunks:
        valid[(chunk.behind - 1) // 4] = (chunk.behind - 1) % 4
    ids = np.full(len(valid), 0x15)
    assert carried(ATB, atb_bytes=valid, atb_id=ids, atid=0x15).passed
    assert carried(ATB, atb_bytes=valid, atb_id=ids, atid=0x16).book.failed == ["ET.tra.atb"]
    valid[3] ^= 1
    assert carried(ATB, atb_bytes=valid).book.failed == ["ET.tra.atb"]


def test_a_packet_that_was_not_transported() -> None:
    config, _, _, encoded = scenario_run("transports", tuple(sorted(MESSAGES.items())))
    starts = [p.name == "start" for p in encoded.packets]
    data = encapsulate(encoded.payloads[:-1], starts[:-1], encoded.time16[:-1], config)
    failure = carried(MESSAGES, data=data).failures[0]
    assert failure.clause == "ET.tra.messaging" and failure.table[0][2] == "none"


def test_a_receiver_that_joins_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """ET.tra.join compares with every packet after the boundary: a receiver that takes one more fails."""
    from rvtrace.scoreboards.etrace import transport as etrace_transport

    whole = etrace_transport.deframe
    monkeypatch.setattr(etrace_transport, "deframe", lambda data, config, joined=False: whole(data, config))
    assert carried(MESSAGES | {"framing": "zeros", "index_width": 8}).book.failed == ["ET.tra.join"]
