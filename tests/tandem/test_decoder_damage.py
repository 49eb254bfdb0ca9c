# SPDX-License-Identifier: Apache-2.0
"""What a decoder knows where a trace begins, ends or is damaged: the pc, and what is reported once."""

from collections import Counter

import pytest

from rvtrace.models.tandem.decoder.decode import Decoder, decode
from rvtrace.models.tandem.decoder.scan import _Resync
from rvtrace.models.tandem.encoder.items import (
    AddRegister,
    Begin,
    End,
    Instruction,
    Item,
    Register,
    Request,
    Reset,
    Response,
    State,
    pack,
)
from tests.tandem.test_decoder_diagnostics import CONFIG, GOOD, NOP, PREFIX, START


@pytest.mark.parametrize(
    "prefix", [[], [Begin(), Reset(), End()], [Begin(), State(10, 8), Reset(), End(), Begin(), Reset(), End()]]
)
def test_increment_without_pc(prefix: list[Item]) -> None:
    """Reported once, until there is a pc; then pcs are right."""
    data = pack([*prefix, *GOOD, *GOOD, Begin(), NOP, State(10, 0x80), End(), *GOOD], CONFIG)
    decoded = decode(data, CONFIG)
    assert [(found.name, found.offset, found.pc) for found in decoded.diagnostics] == [
        ("increment_without_pc", len(pack(prefix, CONFIG)), None)
    ]
    groups = list(decoded.groups())
    assert [group.next_pc for group in groups[-4:]] == [None, None, 0x80, 0x84] and groups[-4].changes == [(0x1005, 9)]
    again = decode(data + pack([Begin(), Reset(), End(), *GOOD], CONFIG), CONFIG)
    assert [found.name for found in again.diagnostics] == ["increment_without_pc"] * 2


@pytest.mark.parametrize("cut", range(1, len(pack(GOOD, CONFIG))))
def test_truncated(cut: int) -> None:
    """Bytes that end within a group: one diagnostic, the group is marked, what it reported is kept."""
    whole = pack([*PREFIX, *GOOD], CONFIG)
    decoded = decode(whole[:-cut], CONFIG)
    (found,) = decoded.diagnostics
    assert (found.name, found.group, found.pc) == ("truncated", 1, START)
    assert decoded.group(1).broken and not decoded.group(0).broken


@pytest.mark.parametrize(
    "item", [State(10, 0x80), Register(0x300, 1), AddRegister(0x1005, 1), Request(0x40, 1, 2, 7)], ids=str
)
def test_of_an_item_without_its_end_nothing_else_is_wrong(item: Item) -> None:
    """However few of its bytes are there."""
    before, own = pack([*PREFIX, *GOOD, Begin(), NOP], CONFIG), len(pack([item], CONFIG))
    whole = pack([*PREFIX, *GOOD, Begin(), NOP, item], CONFIG)
    for there in range(1, own):
        (found,) = decode(whole[: len(before) + there], CONFIG).diagnostics
        assert (found.name, found.offset, found.skipped) == ("truncated", len(before), there)


@pytest.mark.parametrize("answer", [[], [Response(2, 0)]], ids=["request", "response"])
def test_a_section_is_given_when_its_end_is_there(answer: list[Item]) -> None:
    """What follows a request may be its response; one byte is enough to know that there is none."""
    data = pack([*PREFIX, Begin(), Request(0x40, 1, 2, 7), *answer, End()], CONFIG)
    assert len(Decoder(CONFIG).feed(data)) == 2 and len(Decoder(CONFIG).feed(data[:-1])) == 1


def test_bytes_that_lead_nowhere_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is linear: many begin groups in data lead along the same items to bytes that cannot be followed."""
    asked: Counter[int] = Counter()
    open_ = _Resync._open

    def counted(self: _Resync, at: int) -> bool | None:
        asked[at] += 1
        return open_(self, at)

    monkeypatch.setattr(_Resync, "_open", counted)
    begins = pack([Instruction(2, 0x0301)] * 300, CONFIG)  # opcode 16, begin group, increment pc
    decoded = decode(b"\xff" + begins + b"\xff" + pack(PREFIX, CONFIG), CONFIG)
    (found,) = decoded.diagnostics
    assert found.skipped == len(begins) + 2 and asked[len(begins) + 1] == max(asked.values()) == 1


def test_pc_after_damage() -> None:
    """Bytes that were skipped may have reported anything: no pc until the next full one, and nothing is reported
    again.
    """
    data = (
        pack([*PREFIX, *GOOD], CONFIG)
        + b"\x01\xff"
        + pack([*GOOD, *GOOD, Begin(), NOP, State(10, 0x40), End(), *GOOD], CONFIG)
    )
    decoded = decode(data, CONFIG)
    assert [found.name for found in decoded.diagnostics] == ["unknown_opcode"]
    assert [group.pc for group in decoded.groups()] == [None, START, START + 4, None, None, None, 0x40]
    assert [group.broken for group in decoded.groups()] == [False, False, True, False, False, False, False]


def test_trace_that_begins_with_noise() -> None:
    """What was before is not known, and that is reported once."""
    decoded = decode(b"\xff" + pack([*GOOD, *GOOD, Begin(), NOP, State(10, 0x40), End(), *GOOD], CONFIG), CONFIG)
    (found,) = decoded.diagnostics
    assert found[:4] == ("unknown_opcode", 0, -1, None) and found.skipped == 1
    assert [group.pc for group in decoded.groups()] == [None, None, None, 0x40]


def test_truncated_data_is_no_group() -> None:
    """An item that lacks its end is not searched for begin groups."""
    whole = pack([*PREFIX, Begin(), NOP, Register(0x1005, 0x12030301), End()], CONFIG)
    decoded = decode(whole[:-2], CONFIG)
    (found,) = decoded.diagnostics
    assert found.name == "truncated" and found.skipped == 6 and len(decoded) == 2


def test_text_names_the_byte() -> None:
    """What was found, in numbers."""
    for after, says in (
        ("08 00000080 4e", "0x4e"),
        ("0c", "opcode 12"),
        ("07 0b", "identifier 11"),
        ("04 4010", "0x1040"),
        ("08 00000080 20 09 22", "0x22"),
    ):
        (found,) = decode(pack(PREFIX, CONFIG) + b"\x01" + bytes.fromhex(after), CONFIG).diagnostics
        assert says in found.text
