# SPDX-License-Identifier: Apache-2.0
"""Deviations made from a toy table: what a device with each sends, written as bits by hand, is read with its table as
what the specification means.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from rvtrace.models.common.messages import FLAG, VARIABLE, Field, MessageType, Table, unpack
from rvtrace.scoreboards.diagnosis import operators as o

KIND = Field("KIND", 2, codes={0: "none", 1: "exception", 2: "interrupt"}, clause="T.kind")
WIDE = Field("WIDE", lambda config, values: config, clause="T.wide")
ADDRESS = Field("ADDRESS", 6, is_address=True, clause="T.address")
MARK = Field("MARK", 1, coding=FLAG, clause="T.mark")
LAST = Field("LAST", 1, meaning="1 at the end")
ONLY = Field("ONLY", 3, present=lambda config, values: values.get("kind") == 2, when="for interrupts")
COUNT, MAP = Field("COUNT", VARIABLE, clause="T.count"), Field("MAP", VARIABLE)
FIXED = MessageType("Fixed", (KIND, WIDE, ADDRESS, MARK, LAST, ONLY), {"tcode": 1})
FREE = MessageType("Free", (KIND, COUNT, MAP), {"tcode": 2})
OTHER = MessageType("Other", (KIND,), {"tcode": 2, "sub": 0})
TABLE = Table((FIXED, FREE))
PROBES = ({"kind": 2}, {"kind": 0})


def part(*messages: MessageType, **given: Any) -> o.Part:
    return o.Part(messages or TABLE.messages, 4, PROBES, clause="T.form", order="T.order", **given)


def everything(of: o.Part) -> Iterator[o.Deviation]:
    yield from chain(o.absent(of), o.widths(of), o.presence(of), o.moved(of), o.exchanged(of), o.extra(of))
    yield from chain(o.extra(of, after=True), o.appended(of), o.polarity(of), o.order_of_bits(of), o.codes(of))
    yield from chain(o.offset(of), o.unshifted(of, 1), o.unshifted(of, 1, wide=True))
    yield from chain(o.overshifted(of, 1, (1, 2, -2)), o.early(of, "kind"), o.recoded(of), o.constant(of, {"last": 1}))
    yield from o.selectors(TABLE, "tcode", "T.form")


ALL = {deviation.name: deviation for deviation in everything(part())}


def read(name: str, message: str, *runs: str) -> dict[str, int | None]:
    """Bits in the order in which they are sent, as the table of a deviation has them."""
    fields = ALL[name].change(TABLE)[message].fields
    numbers = [(int(run.replace(" ", "")[::-1], 2), len(run.replace(" ", ""))) for run in runs]
    found = unpack(fields, numbers, 4)
    assert (found.runs, found.at) in ((len(runs), 0), (len(runs) - 1, numbers[-1][1])), "bits are left"
    return {key: value for key, value in found.values.items() if key != o.JUNK}


# A message of an interrupt: KIND=2, WIDE=5, ADDRESS=0b000110, MARK=1 (differs from 0), LAST=0, ONLY=3
RIGHT = {"kind": 2, "wide": 5, "address": 6, "mark": 1, "last": 0, "only": 3}
SENT = "01 1010 011000 1 0 110"


@pytest.mark.parametrize(
    ("name", "bits", "other"),
    [
        ("wide_absent", "01 011000 1 0 110", {"wide": None}),
        ("wide_width_6", "01 101000 011000 1 0 110", {}),
        ("kind_width_3", "010 1010 011000 1 0 110", {}),
        ("last_before_kind", "0 01 1010 011000 1 110", {}),
        ("last_last", "01 1010 011000 1 110 0", {}),
        ("exchanged_kind_address", "011000 1010 01 0 0 110", {}),  # the flag is after a 1
        ("extra_2_before_address", "01 1010 11 011000 1 0 110", {}),
        ("extra_1_after_kind", "01 1 1010 011000 1 0 110", {}),
        ("mark_inverted", "01 1010 011000 0 0 110", {}),
        ("mark_plain", "01 1010 011000 1 0 110", {}),
        ("last_inverted", "01 1010 011000 1 1 110", {}),
        ("msb_first", "10 0101 000110 1 0 011", {}),
        ("address_reversed", "01 1010 000110 1 0 110", {}),
        ("kind_1_2", "10 1010 011000 1 0 110", {}),
        ("wide_1", "01 0010 011000 1 0 110", {}),
        ("wide_-1", "01 0110 011000 1 0 110", {}),
        ("address_bytes", "01 1010 001100 1 0 110", {}),
        ("address_bytes_wide", "01 1010 0011000 1 0 110", {}),
        ("address_shifted_1", "01 1010 110000 1 0 110", {}),
        ("address_shifted_-2", "01 1010 000110 1 0 110", {}),
        ("address_early", "01 011000 1010 1 0 110", {}),
        ("kind_inverted", "10 1010 011000 1 0 110", {}),
        ("kind_one_more", "11 1010 011000 1 0 110", {}),
        ("last_constant", "01 1010 011000 1 0 110", {"last": 1}),
    ],
)  # fmt: skip
def test_it_is_read_as_it_is_meant(name: str, bits: str, other: dict[str, int | None]) -> None:
    wanted = {key: value for key, value in (RIGHT | other).items() if value is not None}
    assert read(name, "Fixed", bits) == wanted


def test_presence() -> None:
    exception = "10 1010 011000 1 0"
    without = {key: value for key, value in RIGHT.items() if key != "only"} | {"kind": 1}
    assert read("only_always_Fixed", "Fixed", f"{exception} 110") == RIGHT | {"kind": 1}
    assert read("only_otherwise_Fixed", "Fixed", f"{exception} 110") == RIGHT | {"kind": 1}
    assert read("only_otherwise_Fixed", "Fixed", SENT[: -len(" 110")]) == without | {"kind": 2}
    assert ALL["only_always_Fixed"].says == "ONLY is present not only for interrupts in Fixed"
    assert ALL["only_always_Fixed"].due == "ONLY is present for interrupts"


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("count_width_8", ("01 10100000 1011",)),
        ("exchanged_count_map", ("01 1011", "101")),
        ("map_before_kind", ("1011", "01 101")),
        ("extra_1_after_count", ("01 101", "1 1011")),
        ("count_reversed", ("01 101", "1011")),
        ("appended", ("01 101", "1011", "11")),
    ],
)
def test_fields_of_variable_length(name: str, runs: tuple[str, ...]) -> None:
    assert read(name, "Free", *runs) == {"kind": 2, "count": 5, "map": 13}


def test_selectors() -> None:
    changed = ALL["tcodes_1_2"].change(TABLE)
    assert [(m.name, m.selector) for m in changed.messages] == [("Fixed", {"tcode": 2}), ("Free", {"tcode": 1})]
    table = Table((FREE, OTHER, MessageType("Third", (), {"tcode": 2, "sub": 1})))
    (one,) = o.selectors(table, "sub", "T.form", {"tcode": 2})
    assert one.says == "subs 0 and 1 of tcode 2 are exchanged (Other and Third)"
    assert [m.selector.get("sub") for m in one.change(table).messages] == [None, 1, 0]
    (free,) = (d for d in o.reselected(TABLE, "tcode", "T.form", [0, 3, 6], "TCODE") if d.name == "tcode_6_is_2")
    assert [m.selector for m in free.change(TABLE).messages] == [{"tcode": 1}, {"tcode": 6}]
    assert (free.says, free.due) == ("Free has TCODE=6", "Free has TCODE=2")


def test_addresses_of_a_part_alone_have_other_units() -> None:
    second = Field("SECOND", 6, is_address=True)
    table = Table((MessageType("Two", (ADDRESS, second)),))
    (one,) = o.unshifted(part(*table.messages).without("second"), 1)
    address, unchanged = one.change(table)["Two"].fields
    assert unchanged is second and address != ADDRESS


def test_words_and_clauses_are_those_of_the_table() -> None:
    assert ALL["wide_absent"].clause == "T.wide" and ALL["last_absent"].clause == "T.form"
    assert ALL["last_last"].clause == "T.order"
    assert ALL["last_inverted"].due == "LAST is 1 at the end"
    assert ALL["kind_1_2"].due == "KIND is 0 for none, 1 for exception, 2 for interrupt"
    assert ALL["count_width_8"].says == "COUNT has a fixed length of 8 bits"
    assert ALL["wide_width_6"].says == "WIDE has 6 bits" and ALL["wide_width_6"].due == "WIDE has 4 bits"
    some = {d.name: d for d in everything(part(FIXED, words=" in Fixed", id="fixed"))}
    assert some["wide_absent_fixed"].says == "WIDE is absent in Fixed"
    assert some["wide_absent_fixed"].change(TABLE)["Free"] is FREE


def test_names_are_unique_and_every_change_changes_something() -> None:
    names = [deviation.name for deviation in everything(part())]
    assert len(names) == len(set(names)) > 100
    for deviation in everything(part()):
        assert deviation.change(TABLE) != TABLE, deviation.name
        assert deviation.says and deviation.due and deviation.clause and deviation.group
    assert "kind_before_wide" not in names and "only_last" not in names  # they are there


def test_of_equal_tables_the_first_is_tried() -> None:
    tried = [d.name for d in everything(part(FREE))]
    kept = [d.name for d in o.distinct(everything(part(FREE)), TABLE, 4, PROBES)]
    assert "count_before_kind" in kept and "exchanged_kind_count" not in kept
    assert kept == [name for name in tried if name in kept]  # in their order


def test_changes_compose() -> None:
    table = ALL["wide_absent"].change(ALL["kind_width_3"].change(TABLE))
    found = unpack(table["Fixed"].fields, [(int("0100110001 0110"[::-1].replace(" ", ""), 2), 14)], 4)
    assert found.values == {"kind": 2, "address": 6, "mark": 1, "last": 0, "only": 3}


def test_a_width_that_an_option_gives_is_not_tried_twice() -> None:
    names = {d.name for d in o.widths(part(), others=[6])}
    assert "wide_width_6" not in names and "wide_width_5" in names


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("byte_before", b"\x00\x12\x34"),
        ("byte_after", b"\x12\x34\x00"),
        ("bits_reversed", b"\x48\x2c"),
        ("bytes_reversed", b"\x34\x12"),
        ("payload_reversed", b"\x2c\x48"),
        ("bits_before_4", b"\x20\x41\x03"),
    ],
)
def test_bytes_of_a_payload(name: str, sent: bytes) -> None:
    change = next(one.change for one in o.of_payload("its kind") if one.name == name)
    assert change(sent).rstrip(b"\x00") == b"\x12\x34"
