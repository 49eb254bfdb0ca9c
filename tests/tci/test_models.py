# SPDX-License-Identifier: Apache-2.0
"""The models of RAM sink, funnel and pin sink against what the specification's sentences say,
by hand and by property.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rvtrace.models.tci.funnel import Sent, by_source, merged, messages, overtaken, source, split
from rvtrace.models.tci.pin_sink import MODES, Receiver, longest_run_without_idle, samples
from rvtrace.models.tci.ram_sink import RamSink, RamSinkError, ReadPort, read_trace, spans
from tests.common.packers import mdo_groups, mdo_message

LAST = st.integers(0, 62).map(lambda mdo: bytes([mdo << 2 | 3]))  # 0xFF would be idle in front of an open boundary
MESSAGE = st.tuples(
    st.integers(0, 63).map(lambda mdo: bytes([mdo << 2])),
    st.lists(st.integers(0, 63).flatmap(lambda mdo: st.sampled_from([mdo << 2, mdo << 2 | 1])), max_size=12).map(bytes),
    st.one_of(LAST, st.just(b"\xff")),
).map(b"".join)


def test_words_are_filled_from_the_least_significant_byte():
    sink = RamSink(0, 0xC)
    assert sink.feed(bytes(range(1, 7))) == 6
    assert sink.writes == [(0, 0x04030201)] and sink.wp == 4 and not sink.empty
    sink.flush()
    assert sink.writes[1] == (4, 0xFFFF0605) and sink.empty
    sink.flush()
    assert len(sink.writes) == 2, "a flush without bytes writes nothing"
    assert sink.image() == bytes(range(1, 7)) + b"\xff\xff"


def test_wrap_goes_on_at_the_start_and_the_oldest_word_is_at_the_write_pointer():
    sink = RamSink(0x100, 0x108)
    sink.feed(bytes(range(16)))
    assert sink.wrapped and sink.wp == 0x104 and sink.memory[0x100] == 0x0F0E0D0C
    assert sink.image() == bytes(range(4, 16))


def test_stop_on_wrap_keeps_the_first_words():
    sink = RamSink(0, 4, stop_on_wrap=True)
    assert sink.feed(bytes(range(12))) == 8
    sink.flush()
    assert sink.stopped and sink.wrapped and sink.wp == 0
    assert sink.image() == bytes(range(8))


@given(st.binary(max_size=200), st.integers(1, 9), st.integers(0, 8))
def test_image_is_the_end_of_what_was_fed(data, words, first):
    start, limit = 0x40, 0x40 + 4 * (words - 1)
    sink = RamSink(start, limit, wp=start + 4 * (first % words))
    sink.feed(data)
    sink.flush()
    padded = data + b"\xff" * (-len(data) % 4)
    skipped = 4 * (first % words)
    image = sink.image()
    if sink.wrapped:
        assert len(image) == sink.size and padded.endswith(image[-min(len(padded), sink.size) :])
    else:
        assert image[skipped:] == padded


def test_addresses_that_are_no_buffer():
    for start, limit, wp in ((2, 8, 4), (8, 4, 8), (0, 8, 12)):
        with pytest.raises(RamSinkError):
            RamSink(start, limit, wp)


def test_read_port_wraps_after_the_limit():
    port = ReadPort(0, 8, 4)
    reads = port.addresses()
    assert [next(reads) for _ in range(5)] == [4, 8, 0, 4, 8]


def test_two_ranges_after_a_wrap():
    assert spans(0, 0xC, 4, True) == [(4, 0x10), (0, 4)]
    assert spans(0, 0xC, 0, True) == [(0, 0x10)]
    assert spans(0, 0xC, 0, False) == []
    assert read_trace(0, 0xC, 8, False, lambda address: address) == bytes([0, 0, 0, 0, 4, 0, 0, 0])


def test_transfers_become_messages():
    whole = bytes([0x24, 0x15, 0x00, 0x83])
    got = messages([(3, 5, whole[:2]), (6, 6, whole[2:]), (7, 9, b"\x84")])
    assert got == [Sent(whole, 3, 5, 6)]


@given(st.lists(st.tuples(MESSAGE, st.integers(0, 3))))
def test_split_finds_messages_between_any_idle_bytes(parts):
    assert split(b"".join(message + b"\xff" * idle for message, idle in parts)) == [message for message, _ in parts]


@given(
    st.integers(0, 63),
    st.integers(0, 12).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, (1 << bits) - 1))),
)
def test_source_follows_the_tcode(tcode, field):
    bits, src = field
    raw = tcode | src << 6
    message = mdo_message([[*mdo_groups(raw, -(-(6 + max(bits, 1)) // 6)), 0]])
    assert source(message, bits) == src
    assert by_source(b"\xff" + message, bits) == {src: message}


def test_merged_in_the_order_of_the_first_transfer():
    one = [Sent(b"a\x03", 0, 1, 2), Sent(b"b\x03", 3, 5, 6)]
    two = [Sent(b"c\x03", 1, 3, 4)]
    assert merged([one, two]) == b"a\x03c\x03b\x03"


def test_overtaken_counts_messages_of_others_that_began_while_one_waited():
    busy = [Sent(b"\x03", cycle, cycle, cycle) for cycle in range(10)]
    starved = [Sent(b"\x07", 2, 7, 7)]
    assert overtaken([busy, starved]) == [(1, starved[0], 0, 4)]
    assert overtaken([busy, [Sent(b"\x07", 2, 3, 3)]]) == []


@given(st.sampled_from([1, 2, 4, 8, 16]), st.lists(st.tuples(MESSAGE, st.integers(0, 20)), min_size=1))
def test_receiver_needs_no_more_than_the_idle_at_the_beginning(width, parts):
    ones = (1 << width) - 1
    stream = [ones] * 14
    for message, idle in parts:
        if width == 16:  # bytes in pairs; a message may begin in either half
            continue
        stream += samples(message, width) + [ones] * idle
    if width == 16:
        stream += samples(b"".join(message + b"\xff" * idle for message, idle in parts), 16)
    receiver = Receiver(width)
    receiver.feed(stream)
    assert bytes(receiver.data) == b"".join(message for message, _ in parts) and not receiver.open
    assert len(receiver.idle_before) == len(parts)


@pytest.mark.parametrize(("width", "idle", "starts"), [(8, 3, [3, 9]), (4, 4, [4, 14])])
def test_where_messages_start(width: int, idle: int, starts: list[int]) -> None:
    """The number of the sample: two messages of four bytes with two samples of idle between them."""
    quiet, message = (1 << width) - 1, samples(b"\x00\x04\x08\x0b", width)
    receiver = Receiver(width)
    receiver.feed([quiet] * idle + message + [quiet] * 2 + message)
    assert receiver.starts == starts and len(receiver.data) == 8


@pytest.mark.parametrize("width", MODES.values())
def test_samples_are_least_significant_bits_first(width):
    assert samples(b"\x24\x03", width)[0] == {1: 0, 2: 0, 4: 4, 8: 0x24, 16: 0x0324}[width]


def test_longest_run_without_idle():
    assert longest_run_without_idle([100, 0, 7, 8, 0]) == 3
