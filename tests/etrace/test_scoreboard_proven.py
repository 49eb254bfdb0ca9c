# SPDX-License-Identifier: Apache-2.0
"""What the lossless comparison proves on a device that is no copy of the reference counts for the clause that says it,
up to the first difference, and fails with it.
"""

from typing import Any

import pytest

from rvtrace.models.etrace.table import Packet
from rvtrace.scoreboards.etrace.check import plan
from rvtrace.scoreboards.etrace.proven import PROOFS
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import Change, Sent, doctored

RETURNS = {"implicit_return": 1}
MEETS: dict[str, tuple[str, dict[str, Any]]] = {
    "ET.pay.map_length": ("map_lengths", {}),
    "ET.pay.map_bits": ("map_lengths", {}),
    "ET.pay.full_map": ("map_lengths", {}),
    "ET.pay.branch_count": ("counts_around_31", {"branch_prediction": 1}),
    "ET.pay.differential": ("uninferable_jumps", {}),
    "ET.alg.trap": ("trap_kinds", {}),
    "ET.alg.trap_again": ("back_to_back_traps", {}),
    "ET.alg.updiscon": ("uninferable_jumps", {}),
    "ET.alg.last": ("stops", {}),
    "ET.alg.full_map": ("map_lengths", {}),
    "ET.alg.mispredicted": ("counts_around_31", {"branch_prediction": 1}),
    "ET.alg.count_full": ("greatest_count", {"branch_prediction": 1, "bcount_bits": 6}),
    "ET.opt.misreturn": ("wrong_return", RETURNS),
    "ET-2": ("back_to_back_traps", {}),
    "ET-12": ("cache_fills", {"jump_target_cache": 1}),
}
ELSEWHERE = {"ET.pay.ienable": ("stops", {}), "ET.alg.reported": ("trap_first", {})}  # lossless.py counts them


def counts(name: str, options: dict[str, Any], change: Change | None = None) -> dict[str, list[int]]:
    """Of a device without the profile."""
    return doctored(name, options, change, tolerances=Tolerances.free()).book.results()


def no_address(sent: Sent) -> None:
    """The target of an uninferable jump is not reported."""
    sent.delete(sent.find("address"))


def another_handler(sent: Sent) -> None:
    sent.set(sent.find("trap", thaddr=1), address=0x4000_2002)


def not_the_first_trap(sent: Sent) -> None:
    """Of two traps at one instruction the first is not reported."""
    sent.delete(sent.find("trap", thaddr=0))


def no_handler(sent: Sent) -> None:
    """After a packet with thaddr=0 the first instruction of the handler has an address, and no packet 3.0."""
    names = [packet.name for packet in sent.packets]
    at = next(i for i, p in enumerate(sent.packets) if p.get("thaddr") == 0 and names[i + 1] == "start")
    flags = {"format": 2, "notify": 0, "updiscon": 0, "irreport": 0, "irdepth": None}
    sent.packets[at + 1] = Packet("address", {**flags, "address": sent.packets[at + 1].values["address"]})


def no_end(sent: Sent) -> None:
    for _ in range(6):
        sent.delete(len(sent.packets) - 1)


BROKEN: dict[str, tuple[str, dict[str, Any], Change]] = {
    "ET.alg.updiscon": ("uninferable_jumps", {}, no_address),
    "ET.alg.trap": ("trap_kinds", {}, another_handler),
    "ET.alg.trap_again": ("back_to_back_traps", {}, not_the_first_trap),
    "ET-2": ("back_to_back_traps", {}, not_the_first_trap),
    "ET.alg.last": ("stops", {}, no_end),
    "ET.alg.reported": ("trap_first", {"full_address": 1}, no_handler),
}


def test_no_sentence_is_left_to_the_reference() -> None:
    """What the specification demands of every device is not checked by comparison with ours alone."""
    every = plan().clauses.values()
    left = [c.id for c in every if c.level == "shall" and c.checks and {*c.checks} <= {"exact", "decoder"}]
    assert left == []


def test_every_proof_is_met() -> None:
    assert MEETS.keys() == PROOFS.keys()


@pytest.mark.parametrize("clause", [*MEETS, *ELSEWHERE])
def test_proven(clause: str) -> None:
    name, options = (MEETS | ELSEWHERE)[clause]
    checked, failed = counts(name, options)[clause]
    assert checked > 0 and failed == 0


@pytest.mark.parametrize("clause", BROKEN)
def test_disproven(clause: str) -> None:
    assert counts(*BROKEN[clause])[clause][1] > 0


def test_disproven_is_a_consequence() -> None:
    """The comparison is the cause; the clause of the encoding follows from it."""
    verdict = doctored("uninferable_jumps", {}, no_address, tolerances=Tolerances.free())
    assert verdict.book.causes == ["ET.bt.uninferable"]
    assert {f.cause for f in verdict.failures if f.clause == "ET.alg.updiscon"} == {"ET.bt.uninferable"}


def test_nothing_is_proven_after_a_difference() -> None:
    whole = counts("uninferable_jumps", {})["ET.alg.updiscon"]
    broken = counts("uninferable_jumps", {}, no_address)["ET.alg.updiscon"]
    assert whole[0] > broken[0] > broken[1] == 1
