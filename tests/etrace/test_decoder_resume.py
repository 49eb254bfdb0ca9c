# SPDX-License-Identifier: Apache-2.0
"""Starts, ends, losses, options that change, damaged packets: what is reported about them and where decoding continues
(ET-15, ET-16).
"""

import pytest

from rvtrace.models.etrace.decoder.decode import Decoder, DecoderError
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_NTR, ENDED_REP, TRACE_LOST, PacketWriter
from tests.etrace.test_decoder_branches import INNER, JUMP, LOOP, OUTER, program

UNKNOWN = -1


def writer(**options: object) -> PacketWriter:
    return PacketWriter(program(), **options).support().start(LOOP)


def kinds(w: PacketWriter) -> list[tuple[str, int]]:
    return [(e.kind, e.index) for e in w.good().events]


def test_start_and_end() -> None:
    w = writer().at(INNER, "N").support(ENDED_REP).support(ienable=0).support().start(JUMP).support(ENDED_NTR)
    assert w.pcs() == [LOOP, INNER, JUMP]
    assert kinds(w) == [
        ("support", 0),
        ("sync", 0),
        ("support", 2),
        ("support", 2),
        ("support", 2),
        ("sync", 2),
        ("support", 3),
    ]
    assert [e.text for e in w.good().of("support")] == ["no_change", "ended_rep", "no_change", "no_change", "ended_ntr"]


def test_joined_in_the_middle() -> None:
    """What comes before the first sync is passed over without complaint; nothing else at all is none."""
    w = PacketWriter(program()).full("T" * 31).at(INNER, "T").context(3).start(LOOP).at(INNER, "N").support(ENDED_REP)
    assert w.pcs() == [LOOP, INNER]
    assert w.good().skipped == 2
    never = PacketWriter(program()).full("T" * 31).at(INNER, "T").decode()
    assert [(d.packet, d.clause, d.lost_packets) for d in never.diagnostics] == [(0, "ET.alg.first", 2)]
    assert PacketWriter(program()).good().pcs.tolist() == []


def test_a_start_without_a_sync() -> None:
    trace = PacketWriter(program()).support().at(INNER, "T").at(INNER, "T").start(LOOP).decode()
    assert [(d.packet, d.clause, d.lost_packets) for d in trace.diagnostics] == [(1, "ET-16", 2)]
    assert trace.pcs.tolist() == [LOOP]


def test_a_loss() -> None:
    w = writer().at(INNER, "N").support(TRACE_LOST).start(OUTER, branch=1).at(JUMP).support(ENDED_REP)
    assert w.pcs() == [LOOP, INNER, OUTER, JUMP]


def test_a_damaged_packet_gives_one_diagnostic_and_decoding_resumes_at_the_next_sync() -> None:
    w = writer().at(INNER, "T").at(INNER, "T").at(INNER, "T").start(OUTER).at(JUMP).support(ENDED_REP)
    w.payloads[3] = w.payloads[3] + b"\x55" * 12
    trace = w.decode()
    assert [(d.packet, d.clause, d.lost_packets) for d in trace.diagnostics] == [(3, "ET.pay.fields", 2)]
    assert trace.packets[3] is None and len(trace.packets) == len(w.payloads) == len(trace.first_pc)
    assert trace.pcs.tolist() == [LOOP, INNER, OUTER, JUMP]


@pytest.mark.parametrize("payload", [b"", bytes(32), b"\x03" * 32])
def test_payloads_of_impossible_length(payload: bytes) -> None:
    w = writer()
    w.payloads.append(payload)
    trace = w.start(OUTER).decode()
    assert [d.clause for d in trace.diagnostics] == ["ET.pay.type_length"]
    assert trace.pcs.tolist() == [LOOP, OUTER]


def test_a_sync_that_contradicts_starts_anew() -> None:
    """The branch at INNER was not reported (ET-4)."""
    trace = writer().start(OUTER).at(JUMP).support(ENDED_REP).decode()
    assert [(d.packet, d.clause) for d in trace.diagnostics] == [(2, "ET-4")]
    assert trace.pcs.tolist() == [LOOP, OUTER, JUMP]


def test_a_context_change_may_be_a_discontinuity() -> None:
    """ctype 3: the hart goes on elsewhere, and reports a new context with it."""
    w = writer().at(INNER, "N").start(JUMP, context=7).support(ENDED_NTR)
    assert w.pcs() == [LOOP, INNER, JUMP]
    assert w.good().context.tolist() == [UNKNOWN, 0, 0, 7, 7]


def test_an_address_outside_the_program() -> None:
    trace = writer().start(0x999000).start(OUTER).decode()
    assert [d.clause for d in trace.diagnostics] == ["ET-4"]
    assert trace.pcs.tolist() == [LOOP, OUTER]
    nowhere = PacketWriter(program()).support().start(0x999000).at(INNER).decode()
    assert [d.clause for d in nowhere.diagnostics] == ["ET.pay.start"]


def test_the_last_instruction_is_reported() -> None:
    for w in (writer().full("T" * 31).support(ENDED_REP), writer().full("T" * 31).trap(LOOP)):
        assert [d.clause for d in w.decode().diagnostics] == ["ET.alg.last"]


def test_options_change() -> None:
    """A support packet reports them; what follows is read with them."""
    w = writer().at(INNER, "T").support(ENDED_REP).support(full_address=1, branch_prediction=1).start(LOOP)
    w = (
        w.at(INNER, "T")
        .count(31, LOOP)
        .support(ENDED_REP)
        .support(full_address=0)
        .start(JUMP)
        .at(OUTER, "N")
        .support(ENDED_REP)
    )
    trace = w.good()
    assert len(trace) == 2 + 2 + 2 * 31 + 1 + 1 + 1
    assert trace.options[:2] == [0, 0] and trace.options[4:6] == [0, 0b010100] and trace.options[-1] == 0b010000


def test_options_change_without_an_end() -> None:
    """An encoder may go on tracing: the path is not broken."""
    w = writer().at(INNER, "T").support(full_address=1).at(INNER, "T").support(ENDED_REP)
    assert w.pcs() == [LOOP, INNER, LOOP, INNER]


def test_context_and_time() -> None:
    """ET-15: as reported last, for each packet."""
    w = PacketWriter(program(), notime_p=0, time_width_p=64)
    w.support().start(LOOP, context=5, time=2**63 + 1).context(6, privilege=0, time=2**64 - 1).at(INNER, "N").support(
        ENDED_REP
    )
    trace = w.good()
    assert trace.context.tolist() == [UNKNOWN, 5, 6, 6, 6]
    assert trace.priv.tolist() == [UNKNOWN, 3, 0, 0, 0]
    assert trace.time == [UNKNOWN, 2**63 + 1, 2**64 - 1, 2**64 - 1, 2**64 - 1]
    assert [e.index for e in trace.of("context")] == [1]


def test_reserved_values() -> None:
    trace = writer().context(0, privilege=7).at(INNER, "N").support(ENDED_REP).decode()
    assert [d.clause for d in trace.diagnostics] == ["ET.pay.privilege"]
    assert trace.pcs.tolist() == [LOOP, INNER]
    w = PacketWriter(program(), branch_prediction=1).support().start(LOOP)
    w.add("branch_count", branch_count=0, branch_fmt=1)
    assert [d.clause for d in w.decode().diagnostics] == ["ET.opt.prediction"]


def test_a_decoder_is_used_once_and_for_its_own_width() -> None:
    w = writer()
    decoder = Decoder(w.program, w.config)
    assert decoder.finish() is decoder.finish()
    with pytest.raises(DecoderError, match="make a new Decoder"):
        decoder.feed(b"\x03")
    with pytest.raises(DecoderError, match="IADDRESS_WIDTH_P=32"):
        Decoder(Program(32, w.program.segments), w.config)
