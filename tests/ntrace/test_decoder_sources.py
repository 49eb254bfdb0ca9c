# SPDX-License-Identifier: Apache-2.0
"""Several harts in one stream (11.2), and a process that moves between them (11.3)."""

import random
from collections.abc import Sequence

import pytest

from rvtrace.models.ntrace.decoder.decode import DecoderError
from rvtrace.models.ntrace.decoder.sources import decode_sources, stays
from tests.ntrace.hart_writer import COMPILER, EDITOR, OS, USER, S, U, hart, images
from tests.ntrace.trace_writer import MAIN, Writer, sample_program


def interleaved(harts: Sequence[Writer]) -> bytes:
    """Whole messages of all of them, in any order between the harts."""
    rng, streams = random.Random("funnel"), []
    for w in harts:
        data, messages, begin = bytes(w.data), [], 0
        for end, byte in enumerate(data, 1):
            if byte & 3 == 3:
                messages.append(data[begin:end])
                begin = end
        streams.append(messages)
    merged = bytearray()
    while any(streams):
        merged += rng.choice([s for s in streams if s]).pop(0)
    return bytes(merged)


def test_a_process_moves_between_harts() -> None:
    """The compiler runs on hart 0, then on hart 2; its context finds its image on both."""
    a, b = hart(0, timestamp=1).boot(OS, 100), hart(2, timestamp=1).boot(OS, 50)
    a.step().turn(COMPILER, 7, 3, OS).step().turn(EDITOR, 5, 0, OS).stop()
    b.step().turn(EDITOR, 5, 0, OS).tick(2, 900).enter(OS, S, 5)
    b.step().turn(COMPILER, 7, 3, OS).stop()
    shared = images()
    traces = decode_sources(interleaved([a, b]), {0: (shared, a.config), 2: (shared, b.config)})
    for w, src in ((a, 0), (b, 2)):
        assert [str(d) for d in traces[src].diagnostics] == []
        assert traces[src].pcs.tolist() == w.pcs
        assert {m.src for m in traces[src].messages} == {src} and set(traces[src].sources) == {0, 2}
    where = stays(traces, 7, U)
    assert [(stay.src, stay.time) for stay in where] == [(0, 100), (2, 900)]
    assert all(traces[s.src].pcs[s.begin] == USER for s in where)


def test_each_source_is_decoded_alone() -> None:
    """A loss of one is no loss of the other; only damaged bytes, which may have been anybody's, are."""
    a, b = (Writer(sample_program(), src_bits=2, src_id=src).start(MAIN) for src in (1, 3))
    a.step().send("IndirectBranchHist", 0, 1, 0, 1)  # a contradiction
    b.step(3).branch(1).stop()
    traces = decode_sources(interleaved([a, b]), {1: (a.program, a.config), 3: (b.program, b.config)})
    assert [d.clause for d in traces[1].diagnostics] == ["NT.10.indirect"] and not traces[3].diagnostics
    assert traces[3].pcs.tolist() == b.pcs
    data = interleaved([a, b]) + b"\x02\x03"
    traces = decode_sources(data, {1: (a.program, a.config), 3: (b.program, b.config)})
    assert "NT.3.1.mseo" in {d.clause for d in traces[3].diagnostics}


def test_what_cannot_be_one_stream() -> None:
    a, b = Writer(sample_program(), src_bits=2).config, Writer(sample_program(), src_bits=3).config
    with pytest.raises(DecoderError, match="SRC_BITS=2 and 3"):
        decode_sources(b"", {0: (sample_program(), a), 1: (sample_program(), b)})
    with pytest.raises(DecoderError, match="SRC_BITS=3"):
        decode_sources(b"", {4: (sample_program(), a)})
    with pytest.raises(DecoderError, match="give"):
        decode_sources(b"", {})
