# SPDX-License-Identifier: Apache-2.0
"""Each contradiction is found, reported under its clause, and ends at the next synchronizing message."""

import pytest

from rvtrace.models.ntrace.decoder.decode import CLAUSES, DecoderError, decode
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

ON = ("ProgTraceSync", 5, 0, MAIN >> 1)
LOOP = ("ProgTraceSync", 5, 0, 0x1006 >> 1)
OFF = {"htm": ("ProgTraceCorrelation", 4, 1, 0, 1), "btm": ("ProgTraceCorrelation", 4, 0, 0)}
ERROR = ("Error", 0, 0)


def to(target: int, reference: int = MAIN) -> int:
    return (target ^ reference) >> 1


# clause, mode, messages; the last one, or the last two, are wrong. None of these makes the decoder resume by itself.
WRONG = [
    ("NT.8.4.count", "htm", [ON, ("IndirectBranchHist", 2, 2, to(HANDLER), 1)]),
    ("NT.8.4.count", "btm", [ON, ("ResourceFull", 0, 2), ("ProgTraceCorrelation", 4, 0, 0)]),
    ("NT.8.4.count", "htm", [LOOP, ("ProgTraceCorrelation", 4, 1, 1, 0b11)]),
    ("NT.8.3.hist", "htm", [ON, ("ProgTraceCorrelation", 4, 1, 6, 1)]),
    ("NT.8.3.hist", "htm", [("ProgTraceSync", 5, 0, 0x101A >> 1), ("ResourceFull", 1, 0b10)]),
    ("NT.8.3.hist", "htm", [("ProgTraceSync", 5, 0, 0x101E >> 1), ("ResourceFull", 1, 0b10)]),
    (
        "NT.8.3.hist",
        "htm",
        [("ProgTraceSync", 5, 0, 0x101C >> 1), ("ResourceFull", 0, 1), ("ResourceFull", 1, 2)],
    ),
    ("NT.8.3.stop_bit", "htm", [ON, ("IndirectBranchHist", 2, 1, to(HANDLER), 0)]),
    ("NT.8.3.stop_bit", "htm", [ON, ("ResourceFull", 1, 0)]),
    ("NT.11.pcs", "htm", [("ProgTraceSync", 5, 0, 0x8000), ("ProgTraceCorrelation", 4, 1, 1, 1)]),
    ("NT.11.pcs", "btm", [ON, ("IndirectBranch", 2, 0, to(0x8000)), ("DirectBranch", 9)]),
    ("NT.10.indirect", "btm", [("ProgTraceSync", 5, 0, 0x101A >> 1), ("ProgTraceCorrelation", 4, 0, 3)]),
    (
        "NT.10.indirect",
        "btm",
        [("ProgTraceSync", 5, 0, 0x101C >> 1), ("ResourceFull", 0, 1), ("ResourceFull", 0, 1)],
    ),
    ("NT.10.indirect", "htm", [ON, ("IndirectBranch", 0, 1, to(HANDLER))]),
    ("NT.10.indirect", "htm", [ON, ("IndirectBranch", 0, 0, to(HANDLER))]),
    ("NT.10.branches", "btm", [ON, ("DirectBranch", 3)]),
    ("NT.10.branches", "btm", [ON, ("DirectBranch", 0)]),
    ("NT-12", "htm", [("ProgTraceSync", 5, 0, 0x101C >> 1), ("IndirectBranch", 2, 1, to(HANDLER, 0x101C))]),
    ("NT.8.1.xlen", "htm", [ON, ("IndirectBranch", 2, 1, 1 << 31)]),
    ("NT.8.1.xlen", "htm", [ON, ("ProgTraceSync", 2, 0, 1 << 31)]),
    ("NT.7.2.btm_only", "htm", [ON, ("DirectBranch", 6)]),
    ("NT.7.9.htm_only", "btm", [ON, ("IndirectBranchHist", 2, 1, to(HANDLER), 1)]),
    ("NT.7.8.btm", "btm", [LOOP, ("ResourceFull", 1, 3)]),
    ("NT.7.12.cdf", "htm", [ON, ("ProgTraceCorrelation", 4, 0, 1)]),
    ("NT.7.12.cdf", "btm", [ON, ("ProgTraceCorrelation", 4, 1, 1, 1)]),
    ("NT.7.12.cdf", "btm", [ON, ("ProgTraceCorrelation", 4, 2, 1)]),
    ("NT.7.12.stop", "htm", [ON, OFF["htm"], ("IndirectBranchHist", 2, 0, 0, 1)]),
    ("NT.8.6.stop_while_off", "btm", [ON, OFF["btm"], ("ProgTraceCorrelation", 0, 0, 1)]),
    ("NT-14", "htm", [ON, ERROR, OFF["htm"]]),
    ("NT-14", "btm", [ON, ERROR, ERROR]),
    ("NT-6", "htm", [LOOP, ("ResourceFull", 2, 3, 0)]),
    ("NT-6", "btm", [LOOP, ("DirectBranch", 3), ("RepeatBranch", 0)]),
    ("NT-6", "btm", [LOOP, ("RepeatBranch", 1)]),
    ("NT-6", "btm", [LOOP, ("DirectBranch", 3), ("ResourceFull", 0, 3), ("RepeatBranch", 1)]),
    ("NT.6.2.max_field", "htm", [ON, ("ResourceFull", 0, 1 << 22)]),
    (
        "NT.8.4.icnt",
        "htm",
        [("ProgTraceSync", 5, 0, 0x1014 >> 1), ("IndirectBranch", 2, 2, to(HANDLER, 0x1014))],
    ),
]


@pytest.mark.parametrize("clause, mode, messages", WRONG)
def test_contradiction(clause: str, mode: str, messages: list[tuple]) -> None:
    w = Writer(sample_program(32), mode=mode)
    for each in messages[:-1]:
        w.send(*each)
    wrong = len(w.data)
    w.send(*messages[-1])
    w.data += b"\xff\xff"
    before = len(w.data)
    w.start(0x1010, 7).branch(0).stop()
    trace = w.decode()
    (found,) = trace.diagnostics
    assert found.clause == clause and clause in CLAUSES
    assert (found.offset, found.lost_bytes, found.lost_messages) == (wrong, before - wrong, 1)
    kinds = [e.kind for e in trace.events]
    assert kinds[-2:] == ["gap", "trace_off"] and trace.pcs.tolist()[-1:] == [0x1010]
    assert all(e.index <= len(trace) for e in trace.events)


# Wrong synchronizing messages: decoding resumes with them, so nothing further is lost.
WRONG_SYNC = [
    ("NT.8.1.faddr", "htm", ("ProgTraceSync", 2, 1, 0x1006 >> 1)),
    ("NT.8.1.faddr", "htm", ("IndirectBranchSync", 2, 0, 1, 0x1006 >> 1)),
    ("NT.8.1.faddr", "btm", ("DirectBranchSync", 2, 6, 0x1000 >> 1)),
    ("NT.8.5.sync7", "htm", ("ProgTraceSync", 7, 0, 0x1006 >> 1)),
    ("NT.7.12.stop", "btm", ("ProgTraceSync", 3, 0, 0x1006 >> 1)),
    ("NT.8.4.count", "btm", ("ProgTraceSync", 2, 2, 0x1006 >> 1)),
    ("NT.7.9.htm_only", "btm", ("IndirectBranchHistSync", 2, 0, 1, 0x1002 >> 1, 1)),
    ("NT.7.2.btm_only", "htm", ("DirectBranchSync", 2, 6, 0x1006 >> 1)),
]


@pytest.mark.parametrize("clause, mode, wrong", WRONG_SYNC)
def test_contradicting_sync(clause: str, mode: str, wrong: tuple) -> None:
    w = Writer(sample_program(), mode=mode).send(*ON).send(*wrong)
    w.pc = w.reference = wrong[4 if "Indirect" in wrong[0] else 3] << 1
    trace = w.step().stop().decode()
    assert [(d.clause, d.lost_bytes) for d in trace.diagnostics] == [(clause, 0)]
    assert trace.pcs.tolist() == w.pcs
    assert "gap" in [e.kind for e in trace.events]


@pytest.mark.parametrize("by_address", [False, True])
def test_contradicting_sync_to_an_address_without_code(by_address: bool) -> None:
    """A hart traps at an address without code, so that decoding resumes there too. A check that decodes by address
    takes the address for the wrong field, and waits for the next synchronizing message.
    """
    w = Writer(sample_program()).send(*ON).send("ProgTraceSync", 2, 1, 0x8000 >> 1)
    wrong = len(w.data)
    w.pc = w.reference = 0x8000
    w.trap(HANDLER).step().stop()
    trace = decode(bytes(w.data), w.program, w.config, by_address=by_address)
    (found,) = trace.diagnostics
    assert found.clause == "NT.8.1.faddr"
    traps = [(e.epc, e.target) for e in trace.events if e.kind == "trap"]
    if by_address:
        assert found.offset + found.lost_bytes == len(w.data) > wrong and not traps
    else:
        assert found.lost_bytes == 0 and traps == [(0x8000, HANDLER)] and trace.pcs.tolist() == [HANDLER]


# Illegal, but nothing is lost by it
ODD = [
    ("NT.7.8.hist_bits", "htm", [ON, ("ResourceFull", 1, 1), OFF["htm"]]),
    ("NT.7.5.icnt", "htm", [("ProgTraceSync", 5, 3, MAIN >> 1), OFF["htm"]]),
    ("NT.8.5.start_message", "btm", [ON, OFF["btm"], ("IndirectBranchSync", 5, 0, 0, MAIN >> 1)]),
    ("NT.8.5.sync7", "btm", [ON, OFF["btm"], ("ProgTraceSync", 7, 0, MAIN >> 1)]),
    (
        "NT-11",
        "htm",
        [ON, ("IndirectBranch", 1, 0, 0), ("IndirectBranch", 2, 0, 0), ("IndirectBranch", 3, 0, 0)],
    ),
]


@pytest.mark.parametrize("clause, mode, messages", ODD)
def test_odd(clause: str, mode: str, messages: list[tuple]) -> None:
    w = Writer(sample_program(), mode=mode)
    for each in messages:
        w.send(*each)
    (found,) = w.decode().diagnostics
    assert (found.clause, found.lost_bytes) == (clause, 0)


def test_interrupt_at_ecall() -> None:
    """rc7: after a counted ecall comes its exception, not an interrupt."""
    w = Writer(sample_program(), variant="rc7").start(0x1014).send("IndirectBranch", 3, 2, to(HANDLER, 0x1014))
    assert [d.clause for d in w.decode().diagnostics] == ["NT.6.2.btype"]


def test_program_of_another_width() -> None:
    with pytest.raises(DecoderError, match=r"RV32.*RV64.*XLEN=32"):
        decode(b"", sample_program(32), Writer(sample_program(64)).config)
