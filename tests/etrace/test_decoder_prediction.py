# SPDX-License-Identifier: Apache-2.0
"""The branch predictor and its counts (branch prediction mode, ET-11)."""

from typing import Any

import pytest

from tests.etrace.packet_writer import ENDED_NTR, ENDED_REP, PacketWriter
from tests.etrace.test_decoder_branches import HANDLER, INNER, LOOP, OUTER, VARIANTS, program, walked, writer

PREDICT: dict[str, Any] = {"branch_prediction": 1}


@VARIANTS
@pytest.mark.parametrize("more", [0, 1, 40])
def test_a_count_and_a_failed_branch(variant: str, more: int) -> None:
    """From 01 the first branch is taken against the prediction, then all are as expected until one is not."""
    w = writer(variant, **PREDICT).at(INNER, "T").count(31 + more, fails=True)
    assert w.support(ENDED_NTR).decode().pcs.tolist() == walked("T" * (32 + more) + "N")


def test_states_of_the_predictor() -> None:
    """01 fails to 11, 11 fails to 10, 10 holds to 11 and fails to 00; 00 fails to 01:
    it takes two to change the mind.
    """
    w = PacketWriter(program(), **PREDICT).support().start(INNER, branch=0)  # INNER: 01 -> 11, the sync's own
    w.count(31, fails=True)  # 11 -> 10
    w.at(OUTER, "T").count(31, fails=True)  # 10 still says taken: -> 11, and at the end -> 10
    w.at(OUTER, "T").at(INNER, "N")  # 10 -> 00, and OUTER is at 11
    w.at(OUTER, "T").count(31, INNER).support(ENDED_REP)  # now they go in turns
    taken = w.good().taken
    assert taken[taken >= 0].tolist() == [1] + 2 * ([1] * 31 + [0, 1]) + [0, 1] + 15 * [0, 1] + [0]


@pytest.mark.parametrize("fails", [False, True])
def test_a_count_with_the_address_of_a_branch(fails: bool) -> None:
    """branch_fmt 10: it is the last of the count; 11: it comes after them and failed (ET-11)."""
    w = writer(**PREDICT).at(INNER, "T").count(35, INNER, fails).support(ENDED_REP)
    assert w.pcs() == walked("T" * 36 + "N" * fails)


def test_a_count_with_an_address_after_the_branches() -> None:
    w = writer(**PREDICT).at(INNER, "T").count(33, LOOP).trap(HANDLER)
    assert w.pcs() == [*walked("T" * 34), LOOP, HANDLER]
    w = writer(**PREDICT).at(INNER, "T").count(33, OUTER, fails=True).decode()
    assert [d.clause for d in w.diagnostics] == ["ET.pay.map_length"]  # INNER is the branch that comes first


@pytest.mark.parametrize("fails", [False, True])
def test_draft_count_then_address(fails: bool) -> None:
    """The address of the branch at which the count ended adds nothing; one after it does."""
    w = writer("draft_0_026", **PREDICT).at(INNER, "T").count(35, fails=fails)
    way = walked("T" * 36 + "N" * fails)
    assert w.at(INNER).trap(HANDLER).pcs() == [*way, HANDLER]
    w = writer("draft_0_026", **PREDICT).at(INNER, "T").count(35).at(LOOP).trap(HANDLER)
    assert w.pcs() == [*walked("T" * 36), LOOP, HANDLER]


def test_the_greatest_count() -> None:
    """It is reported with an address, which needs no updiscon to be final; the next packet goes on from it."""
    w = (
        writer(**PREDICT, bcount_bits=2)
        .at(INNER, "T")
        .count(34, INNER)
        .count(31, fails=True)
        .at(OUTER, "T")
        .support(ENDED_REP)
    )
    assert w.pcs() == [*walked("T" * 66 + "N"), OUTER]


def test_billions_of_branches_are_no_loop_of_the_decoder() -> None:
    trace = writer(**PREDICT).at(INNER, "T").count(2_000_000, LOOP).support(ENDED_REP).good()
    assert len(trace) == 2 * 2_000_001 + 1 and trace.complete
    endless = writer(**PREDICT).at(INNER, "T").count(1 << 32, LOOP).support(ENDED_REP).decode()
    assert [d.clause for d in endless.diagnostics] == ["ET.bt.bounds"] and not endless.complete


@pytest.mark.parametrize("sync", [False, True])
def test_predictor_starts_anew_at_each_sync(sync: bool) -> None:
    """After a 3.0 the first prediction is not taken again, so that the way leads to JUMP."""
    w = writer(**PREDICT).at(INNER, "T" * 5)
    w = (w.start(LOOP) if sync else w).count(31, INNER).support(ENDED_REP)
    assert [d.clause for d in w.decode().diagnostics] == ["ET.opt.prediction"] * sync
