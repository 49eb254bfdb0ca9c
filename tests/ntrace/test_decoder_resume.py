# SPDX-License-Identifier: Apache-2.0
"""Damaged, cut and overflowing traces: decoding resumes at the next sync and says what was lost (NT-24)."""

import random

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.decoder.decode import Decoder, decode
from rvtrace.models.ntrace.decoder.decoded import DecodedTrace
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])


def long_trace(mode: str, turns: int = 30) -> tuple[Writer, list[int]]:
    """`turns` rounds of loops and jumps with a periodic sync each; where the syncs' bytes begin."""
    w, syncs = Writer(sample_program(), mode=mode).start(MAIN), []
    rng = random.Random(f"resume:{mode}")
    for _ in range(turns):
        w.step(2)
        for _ in range(rng.randrange(1, 50)):
            w.step().branch(1)
        w.step().branch(0).step(2)
        w.jump(0x1010).branch(1)
        syncs.append(len(w.data))
        w.sync()
    return w.stop(), syncs


def same_tail(trace: DecodedTrace, pcs: list[int], index: int) -> None:
    """After instruction `index` of the truth everything was decoded."""
    tail = pcs[index:]
    assert trace.pcs.tolist()[len(trace) - len(tail) :] == tail


@MODES
def test_any_flipped_bit_costs_at_most_up_to_the_second_sync_after_it(mode: str) -> None:
    w, syncs = long_trace(mode)
    whole = w.check()
    after = {e.message.offset: e.index for e in whole.events}  # of a sync: instructions up to its F-ADDR
    found = 0
    rng = random.Random(f"flip:{mode}")
    for _ in range(400):
        position = rng.randrange(syncs[-3])
        data = bytearray(w.data)
        data[position] ^= 1 << rng.randrange(8)
        trace = decode(bytes(data), w.program, w.config)
        second = [s for s in syncs if s > position][1]
        same_tail(trace, w.pcs, after[second])
        found += bool(trace.diagnostics or trace.notes)
        for diagnostic in trace.diagnostics:
            assert diagnostic.offset + diagnostic.lost_bytes <= second
    assert found > 250  # the others read as another possible run, such as a loop with one turn less


@MODES
def test_flipped_mseo_says_how_much_is_lost(mode: str) -> None:
    w, syncs = long_trace(mode)
    messages, _ = unpack(bytes(w.data), w.config)
    at = next(i for i, m in enumerate(messages) if m.offset > syncs[3])
    data = bytearray(w.data)
    data[messages[at].offset] |= 2  # MSEO=10 in its first byte
    trace = decode(bytes(data), w.program, w.config)
    resumed = next(m.offset for m in messages[at + 1 :] if m.type.has_sync)
    between = [m for m in messages[at + 1 :] if m.offset < resumed]
    (found,) = trace.diagnostics
    assert (found.clause, found.offset) == ("NT.3.1.mseo", messages[at].offset)
    assert (found.lost_bytes, found.lost_messages) == (resumed - found.offset, len(between))
    assert f"{found.lost_bytes} bytes" in str(found)
    assert [e.kind for e in trace.events].count("gap") == 1


@MODES
def test_wrapped_buffer(mode: str) -> None:
    """Cut at any byte: no diagnostic, all from the first whole sync on, and the bytes skipped."""
    w, syncs = long_trace(mode, 5)
    whole = w.check()
    after = {e.message.offset: e.index for e in whole.events}  # of a sync: instructions up to its F-ADDR
    messages = {m.offset for m in whole.messages}
    for cut in sorted(messages) + [o + 1 for o in messages if w.data[o + 1] & 3 != 0]:
        if cut > syncs[-1]:
            continue
        trace = decode(bytes(w.data[cut:]), w.program, w.config)
        first = next(m for m in trace.messages if m.type.has_sync)
        assert not trace.diagnostics
        assert trace.skipped_bytes == first.offset
        same_tail(trace, w.pcs, after[first.offset + cut])


@MODES
def test_overflow(mode: str) -> None:
    w = Writer(sample_program(), mode=mode).start(MAIN).step(3).branch(1).send("Error", 0, 4)
    reported = [] if mode == "btm" else [MAIN, 0x1002, 0x1006, 0x100A]
    w.pcs = [] if reported else w.pcs
    w.taken = [] if reported else w.taken
    trace = w.start(0x1010, 7).branch(0).trap(HANDLER).step().stop().check()
    kinds = ["trace_on", "error", "gap", "trap", "trace_off"]
    assert [e.kind for e in trace.events] == kinds
    assert not w.send("Error", 0, 0).decode().diagnostics  # an Error may also be the last message


def test_nothing_but_noise() -> None:
    w = Writer(sample_program()).send("IndirectBranchHist", 0, 1, 2, 1).send("Error", 0, 0)
    assert [e.kind for e in w.decode().events] == ["error"]
    w = Writer(sample_program()).send("IndirectBranchHist", 0, 1, 2, 1)
    assert [(d.clause, d.lost_bytes) for d in w.decode().diagnostics] == [("NT-24", len(w.data))]
    assert not Writer(sample_program()).decode().diagnostics
    zeros = decode(bytes(100_000), w.program, w.config)
    assert len(zeros) == 0 and [d.clause for d in zeros.diagnostics] == ["NT-24"]


def test_skipped_messages_are_noted() -> None:
    w = Writer(sample_program()).start(MAIN).step().send("Ownership", 0xC)
    w.data += bytes([58 << 2, 0x17, 34 << 2, 0x03])  # vendor-defined, and in-circuit trace of other dialects
    trace = w.send("ResourceFull", 9, 1).step(2).stop().check()
    assert [n.clause for n in trace.notes] == ["NT.6.1.tcode"] * 2 + ["NT.7.8.rcode"]


@pytest.mark.parametrize("mode", ["htm", "btm"])
def test_limit(mode: str) -> None:
    """An endless loop in few bytes: kept compactly up to the limit, where decoding stops and says so."""
    w = Writer(sample_program(), mode=mode).start(0x101E)
    for _ in range(1000):
        w.send("ResourceFull", 0, (1 << 22) - 1)
    trace = w.decode(max_instructions=10_000_000)
    assert [d.clause for d in trace.diagnostics] == ["NT-24"] and not trace.complete
    assert trace.diagnostics[0].lost_bytes == len(w.data) - trace.messages[-1].offset
    assert len(trace) == 2 * ((1 << 22) - 1)
    assert np.all(trace.pcs == 0x101E) and np.all(trace.taken == -1)
    assert w.decode(max_instructions=1 << 40).complete


@MODES
def test_pieces_of_any_size(mode: str) -> None:
    w, _ = long_trace(mode, 5)
    rng, decoder, at = random.Random(mode), Decoder(w.program, w.config), 0
    while at < len(w.data):
        size = rng.choice((1, 2, 3, 50))
        decoder.feed(bytes(w.data[at : at + size]))
        at += size
    trace = decoder.finish()
    assert decoder.finish() is trace and trace.pcs.tolist() == w.pcs
    with pytest.raises(ValueError, match="new Decoder"):
        decoder.feed(b"\x00")
