# SPDX-License-Identifier: Apache-2.0
"""Messages in a stream: where they end, and what a reader finds that joins in the middle."""

from hypothesis import given
from hypothesis import strategies as st

from rvtrace.models.tci.funnel import messages
from rvtrace.models.tci.grammar import ETRACE, NTRACE, EtraceGrammar
from rvtrace.models.tci.pin_sink import Receiver, samples
from rvtrace.models.tci.ram_sink import RamSink


@st.composite
def packets(draw, index: int = 1) -> bytes:
    """A packet in the encapsulation messaging: header, index, timestamp, payload."""
    length, stamp = draw(st.integers(1, 31)), draw(st.booleans())
    header = length | stamp << 7 | draw(st.integers(0, 3)) << 5
    return bytes([header]) + draw(st.binary(min_size=index + 2 * stamp + length, max_size=index + 2 * stamp + length))


PACKETS = st.lists(packets(), min_size=1, max_size=8)


def test_a_packet_by_hand():
    packet = bytes([0x83, 7, 0xAA, 0xBB, 1, 2, 3])  # a timestamp, source 7, three bytes of payload
    assert ETRACE.size(packet[0]) == 7 and ETRACE.source(packet) == 7
    assert ETRACE.ends(bytes(32) + packet) and not ETRACE.ends(bytes(32) + packet[:-1]) and not ETRACE.ends(bytes(32))
    assert EtraceGrammar(0).split(b"\x01\x05\x00\x02\x06") == [b"\x01\x05"], "an open packet at the end is left out"


@given(PACKETS, st.lists(st.integers(0, 40), min_size=9, max_size=9))
def test_zeros_between_packets_mean_nothing(parts, gaps):
    assert ETRACE.split(b"".join(packet + bytes(gap) for packet, gap in zip(parts, gaps))) == parts


@given(st.binary(max_size=80), PACKETS)
def test_a_reader_that_joins_finds_all_after_a_run_of_zeros(before, parts):
    tail = before.rstrip(b"\0") + bytes(32) + b"".join(parts)
    found = ETRACE.split(tail, joined=True)
    assert found[-len(parts) :] == parts and (found == parts or bytes(32) in before)


@given(PACKETS)
def test_the_words_of_a_port_become_packets(parts):
    words, cycle = [], 0
    for number, packet in enumerate(parts):
        sent = [bytes(8)] * 4 * (number % 2) + [packet[at : at + 8] for at in range(0, len(packet), 8)]
        words += [(cycle + i, cycle + i, piece) for i, piece in enumerate(sent)]
        cycle += len(sent)
    assert [sent.data.lstrip(b"\0") for sent in messages(words, ETRACE)] == parts


@given(PACKETS, st.sampled_from([8, 16]), st.integers(0, 5))
def test_a_probe_on_eight_or_sixteen_pins_needs_no_idle(parts, width, idle):
    receiver = Receiver(width, grammar=ETRACE)
    for packet in parts:
        receiver.feed(samples(packet, width, ETRACE) + [0] * idle)
    assert bytes(receiver.data) == b"".join(parts) and not receiver.open


def test_the_last_word_is_filled_with_what_is_no_header():
    sink = RamSink(0, 0xC, idle=ETRACE.idle)
    sink.feed(b"\x01\x01\x05\x01\x01")
    sink.flush()
    assert sink.image() == b"\x01\x01\x05\x01\x01\0\0\0"
    assert NTRACE.ends(b"\x24\x03") and not NTRACE.ends(b"\x24")
