# SPDX-License-Identifier: Apache-2.0
"""Timestamps (8.7, NT-15) and sources (3.2, NT-17)."""

from typing import Any

import pytest

from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

ON = ("ProgTraceSync", 5, 0, MAIN >> 1)
LOOP = ("ProgTraceSync", 5, 0, 0x1006 >> 1)
OFF = ("ProgTraceCorrelation", 4, 1, 0, 1)


def writer(**options: Any) -> Writer:
    return Writer(sample_program(), timestamp=1, **options)


def test_absolute_and_relative() -> None:
    """Absolute with SYNC, else added to the time last reported; a message without it adds nothing."""
    w = writer().send(*ON, tstamp=1000).send("ResourceFull", 0, 1, tstamp=7).send("ResourceFull", 0, 2)
    w.send("ProgTraceSync", 2, 0, 0x1006 >> 1, tstamp=2000).send("IndirectBranch", 3, 0, 0, tstamp=0)
    trace = w.send(*OFF, tstamp=5).decode()
    assert not trace.diagnostics
    assert trace.time == [1000, 1007, -1, 2000, 2000, 2005]
    assert [trace.time_at(index) for index in (0, 1)] == [1000, 1007]


@pytest.mark.parametrize("rcode, values", [(0, (3,)), (1, (0b11,)), (2, (0b11, 4))])
@pytest.mark.parametrize("tstamp", [None, 9])
def test_rcode_not_position_says_whether_hrepeat_is_there(
    rcode: int, values: tuple[int, ...], tstamp: int | None
) -> None:
    """NT-15: the field after RDATA is TSTAMP, unless RCODE=2."""
    w = writer(repeated_history=1).send(*LOOP, tstamp=100).send("ResourceFull", rcode, *values, tstamp=tstamp)
    hrepeat = trace_of(w).messages[1].get("hrepeat")
    assert hrepeat == (4 if rcode == 2 else None)
    assert trace_of(w).time == [100, -1 if tstamp is None else 109]


def trace_of(w: Writer):
    trace = w.decode()
    assert not trace.diagnostics
    return trace


def test_error_is_relative_and_its_sync_absolute() -> None:
    """NT-14."""
    w = writer().send(*ON, tstamp=50).send("Error", 0, 4, tstamp=5).send("ProgTraceSync", 7, 0, MAIN >> 1, tstamp=70)
    assert trace_of(w.send(*OFF, tstamp=1)).time == [50, 55, 70, 71]


def test_time_of_64_bits() -> None:
    top = (1 << 64) - 1
    assert trace_of(writer().send(*ON, tstamp=top)).time == [top]


def test_no_time_before_the_first_sync_and_after_lost_bytes() -> None:
    w = writer().send(*OFF, tstamp=3).send(*ON, tstamp=50).send("IndirectBranch", 3, 0, 0, tstamp=4)
    w.data += b"\x02\x03"
    w.send("IndirectBranch", 3, 0, 0, tstamp=4).send("ProgTraceSync", 2, 0, MAIN >> 1, tstamp=90).send(*OFF, tstamp=1)
    trace = w.decode()
    assert [d.clause for d in trace.diagnostics] == ["NT.3.1.mseo"]
    assert trace.time == [-1, 50, 54, -1, 90, 91]


@pytest.mark.parametrize("clause, stamps", [
    ("NT.8.7.absolute", (10, None)), ("NT.8.7.monotonic", (10, 9)), ("NT.6.2.max_field", (10, 1 << 64)),
])  # fmt: skip
def test_wrong_time(clause: str, stamps: tuple[int, int | None]) -> None:
    w = writer().send(*ON, tstamp=stamps[0]).send("ProgTraceSync", 2, 0, MAIN >> 1, tstamp=stamps[1]).send(*OFF)
    assert [(d.clause, d.lost_bytes) for d in w.decode().diagnostics] == [(clause, 0)]


def test_relative_time_beyond_64_bits() -> None:
    w = writer().send(*ON, tstamp=(1 << 64) - 1).send(*OFF, tstamp=1)
    assert [d.clause for d in w.decode().diagnostics] == ["NT.8.7.monotonic"]


# SRC


@pytest.mark.parametrize("bits", [1, 4, 6, 7, 12])
@pytest.mark.parametrize("timestamp", [0, 1])
def test_source_of_any_width(bits: int, timestamp: int) -> None:
    """NT-17: directly after TCODE, 0 to 12 bits; the fields after it are where they end up."""
    top = (1 << bits) - 1
    stamp = {"tstamp": 1} if timestamp else {}
    w = Writer(sample_program(), src_bits=bits, src_id=top, timestamp=timestamp).send(*ON, **stamp)
    w.send("IndirectBranchHist", 2, 1, (HANDLER ^ MAIN) >> 1, 1).send(
        "IndirectBranchHistSync", 2, 0, 3, MAIN >> 1, 1, **stamp
    )
    trace = w.send("Error", 0, 4).decode()
    assert not trace.diagnostics and trace.pcs.tolist() == [MAIN, HANDLER, HANDLER + 2]
    assert {m.src for m in trace.messages} == {top} and trace.sources == {top: 4}


def test_other_sources_are_passed_over() -> None:
    w = Writer(sample_program(), src_bits=3, src_id=5).start(MAIN).step()
    w.send(*OFF, src=2).send("Error", 0, 4, src=7)
    trace = w.step().stop().check()
    assert trace.sources == {5: 2, 2: 1, 7: 1} and len(trace.messages) == 2


def test_a_message_of_another_source_that_lacks_fields_is_damage() -> None:
    """IndirectBranch of SRC=2 ends after I-CNT, without U-ADDR: whose bytes these are is then not known either."""
    w = Writer(sample_program(), src_bits=3, src_id=5, timestamp=1).send(*ON, tstamp=10)
    whole = Writer(sample_program(), src_bits=3, src_id=5).send("IndirectBranch", 0, 1, 0x40, src=2).data
    w.data += bytes([whole[0], whole[1] | 3])  # MSEO=11 in place of 01
    found = w.decode().diagnostics
    assert whole[1] & 3 == 1 and [d.clause for d in found] == ["NT.7.3.fields"]


def test_inhibited_source() -> None:
    Writer(sample_program(), src_bits=3, inhibit_src=1).start(MAIN).step().stop().check()


def test_no_message_of_this_source() -> None:
    w = Writer(sample_program(), src_bits=3, src_id=5).send(*ON, src=2).send(*OFF, src=1)
    (found,) = w.decode().diagnostics
    assert (found.clause, found.lost_bytes) == ("NT.3.2.src", len(w.data))
    assert "SRC=5" in found.text and "1, 2" in found.text
