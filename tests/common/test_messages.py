# SPDX-License-Identifier: Apache-2.0
"""The table class of messages: three formats in small, and tables made of other tables."""

from dataclasses import dataclass, replace

import pytest

from rvtrace.models.common.messages import (
    FLAG,
    SIGNED,
    VARIABLE,
    Coding,
    Field,
    FieldError,
    MessageType,
    Table,
    pack,
    unpack,
)
from tests.common.there import there


@dataclass(frozen=True)
class Options:
    src_bits: int = 0
    timestamp: int = 0
    xlen: int = 32


SRC = Field("SRC", "src_bits")
CODE = Field("R-CODE", 4, codes={0: "count", 2: "repeated"}, vendor=range(8, 16))
DATA = Field("DATA", max_bits=12)
TIMES = Field("TIMES", present=lambda c, v: v["rcode"] == 2)
TSTAMP = Field("TSTAMP", present=lambda c, v: c.timestamp, optional=True)
FULL = MessageType("Full", (SRC, CODE, DATA, TIMES, TSTAMP), {"tcode": 27}, "7.8")
BRANCH = MessageType("Branch", (SRC, Field("I-CNT"), TSTAMP), {"tcode": 3}, "7.2")
TABLE = Table((FULL, BRANCH))


def there_and_back(message: MessageType, values: dict[str, int], config: Options) -> dict[str, int]:
    runs = pack(message.fields, values, config, message.selector["tcode"], 6)
    back = unpack(message.fields, runs, config, at=6)
    assert (back.runs, back.at) == (len(runs), 0)
    return back.values


@pytest.mark.parametrize("config", [Options(), Options(3), Options(0, 1), Options(12, 1)])
@pytest.mark.parametrize("code", [0, 2, 9])
def test_there_and_back(config, code):
    values = {"rcode": code, "data": 0x123}
    values |= {"src": 5} if config.src_bits else {}
    values |= {"times": 77} if code == 2 else {}
    assert there_and_back(FULL, values, config) == values
    if config.timestamp:
        values |= {"tstamp": 1 << 63}
        assert there_and_back(FULL, values, config) == values


def test_runs_of_bits():
    values = {"src": 5, "rcode": 2, "data": 3, "times": 0, "tstamp": 4}
    runs = pack(FULL.fields, values, Options(3, 1), 27, 6)
    assert runs == [(27 | 5 << 6 | 2 << 9 | 3 << 13, 15), (0, 1), (4, 3)]


@pytest.mark.parametrize(
    "runs, reason, key",
    [
        ([(27, 6)], "cut", "rcode"),
        ([(27, 10)], "empty", "data"),
        ([(27 | 2 << 6 | 1 << 10, 12)], "missing", "times"),
        ([(27 | 0x1000 << 10, 24)], "long", "data"),
    ],
)
def test_bits_that_are_no_message(runs, reason, key):
    with pytest.raises(FieldError) as found:
        unpack(FULL.fields, runs, Options(), at=6)
    assert (found.value.reason, found.value.field.key) == (reason, key)


def test_what_is_left_is_for_the_caller():
    assert unpack(BRANCH.fields, [(3 | 1 << 6, 12), (5, 6)], Options(), at=6) == ({"icnt": 1}, 1, 0)


def test_a_value_must_fit():
    with pytest.raises(FieldError, match="R-CODE=16 does not fit its 4 bits"):
        pack(FULL.fields, {"rcode": 16, "data": 0}, Options())


def test_flags_and_signed_numbers():
    fields = (Field("a", 4, coding=SIGNED), Field("b", 1, coding=FLAG), Field("c", 1, coding=FLAG))
    for a in range(-8, 8):
        for b in (0, 1):
            values = {"a": a, "b": b, "c": 1}
            [(number, length)] = pack(fields, values, None)
            assert length == 6 and number >> 4 & 1 == (a < 0) ^ b
            assert unpack(fields, [(number, length)], None).values == values
    assert unpack(fields, [(-1, 1000)], None) == ({"a": -1, "b": 0, "c": 0}, 0, 6)


def test_widths_of_the_configuration_and_of_fields_before():
    fields = (Field("size", 2), Field("data", lambda c, v: 8 << v["size"]), Field("address", "xlen"))
    values = {"size": 2, "data": 0x12345678, "address": 0x87654321}
    assert pack(fields, values, Options()) == [(2 | 0x12345678 << 2 | 0x87654321 << 34, 66)]
    assert unpack(fields, pack(fields, values, Options(xlen=64)), Options(xlen=64)).values == values


def test_text_and_bins():
    assert FULL.text({"rcode": 2, "data": 3, "times": 0}) == "R-CODE=2 (repeated) DATA=3 TIMES=0"
    assert CODE.text(8) == "8 (vendor-defined)" and CODE.text(1) == "1"
    assert CODE.bins == ("0 count", "2 repeated")
    assert Field("x", form="half").text(5) == "0x5 (0xa)" and Field("x", form="hex").text(16) == "0x10"
    hist = Field("x", form=lambda values: "hist" if values["rcode"] else "dec")
    assert hist.text(0b1011, {"rcode": 1}) == "0xb (3 branches: 011)" and hist.text(11, {"rcode": 0}) == "11"
    assert [hist.text(value, {"rcode": 1}) for value in (0, 1)] == ["0", "0x1 (empty)"]
    assert Field("x", show=lambda value, values: f"{value:#x} of {len(values)}").text(16) == "0x10 of 1"


def test_columns_are_shared():
    """Two keys have a column of their own if a message has both; there are as many as the widest message has."""
    assert TABLE.keys == ("src", "rcode", "data", "times", "tstamp", "icnt")
    assert TABLE.width == 5
    for message in TABLE.messages:
        assert len({TABLE.columns[key] for key in message.keys}) == len(message.keys)


def test_selection():
    assert TABLE.select(tcode=27) is FULL and TABLE["Full"] is FULL and TABLE.select(tcode=4) is None
    assert TABLE.by_code == {27: FULL, 3: BRANCH}
    assert "Full" in TABLE and "Empty" not in TABLE
    with pytest.raises(KeyError, match="Branch has the fields src, icnt, tstamp, not hist"):
        BRANCH.field("hist")


def test_fields_as_numbers():
    rows = FULL.resolved(Options(4))
    assert rows is not None
    assert [(r.field.key, r.width, r.most, r.coding, r.by, r.mask) for r in rows] == [
        ("src", 4, 4, "plain", -1, 0),
        ("rcode", 4, 4, "plain", -1, 0),
        ("data", VARIABLE, 12, "plain", -1, 0),
        ("times", VARIABLE, 64, "plain", 1, 1 << 2),
    ]
    limited = replace(DATA, max_bits=lambda c, v: 20 if v["rcode"] == 9 else 12)
    assert there(FULL.with_fields((CODE, limited)).resolved(Options()))[-1].most == 12
    for present in (lambda c, v: v.get("rcode", 0) == 9, lambda c, v: v.get("other", 1)):
        assert FULL.with_fields((CODE, replace(DATA, present=present))).resolved(Options()) is not None
    assert [r.field.key for r in FULL.resolved(Options(0, 1)) or ()] == ["rcode", "data", "times", "tstamp"]


@pytest.mark.parametrize(
    "field",
    [
        Field("x", present=lambda c, v: v["data"] == 1),  # of a long field
        Field("x", present=lambda c, v: v["rcode"] + v["times"]),  # of two
        Field("x", lambda c, v: v["rcode"]),
        Field("x", 4, coding=Coding("other")),
    ],
)
def test_fields_that_only_python_reads(field):
    assert FULL.with_fields((*FULL.fields, field)).resolved(Options()) is None


def test_tables_made_of_tables():
    """What a diagnosis does: a field is absent, longer, moved; the table that it was made of is as before."""
    config = Options(4, 1)
    values = {"src": 3, "rcode": 1, "data": 5, "tstamp": 9}
    absent = TABLE.each(lambda m, f: () if f.key == "src" else (f,))
    assert there_and_back(absent["Full"], values, config) == {k: v for k, v in values.items() if k != "src"}
    longer = TABLE.each(lambda m, f: (replace(f, width=8),) if f.key == "rcode" else (f,))
    assert pack(longer["Full"].fields, values, config)[0][1] == pack(FULL.fields, values, config)[0][1] + 4
    moved = TABLE.with_message(FULL.with_fields((*FULL.fields[1:4], SRC, TSTAMP)))
    assert there_and_back(moved["Full"], values, config) == values and moved["Branch"] is BRANCH
    backwards = Coding("backwards", lambda v, p: int(f"{v:0{p.width}b}"[::-1], 2))
    turned = TABLE.each(lambda m, f: (replace(f, coding=backwards),) if f.key == "rcode" else (f,))
    assert pack(turned["Full"].fields, values, config)[0][0] >> 4 & 15 == 0b1000
    assert TABLE["Full"] is FULL and TABLE.with_message(MessageType("New", ())).messages[-1].name == "New"


def test_an_optional_field_in_the_middle():
    new = Field("NEW", present=lambda c, v: c.xlen == 64, optional=False)
    message = FULL.with_fields((*FULL.fields[:3], new, *FULL.fields[3:]))
    values = {"rcode": 2, "data": 1, "new": 6, "times": 8}
    assert there_and_back(message, values, Options(xlen=64)) == values
    del values["new"]
    assert there_and_back(message, values, Options(xlen=32)) == values
    assert Table((message, BRANCH)).width == 6
