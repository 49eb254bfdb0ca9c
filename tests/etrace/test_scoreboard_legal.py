# SPDX-License-Identifier: Apache-2.0
"""The legal check and what the decoder finds turn red under the right clause; tolerances let a free device do what the
texts leave open.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.table import Packet
from rvtrace.models.riscv.beats import Beats
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import Change, Sent, doctored, scenario_run

RETURNS, DRAFT = {"implicit_return": 1}, {"variant": "draft_0_026", "call_counter_size_p": 0}
TAIL = {"notify": 0, "updiscon": 0, "irreport": 0, "irdepth": None}


def changed(name: str, which: int = 0, of: dict[str, Any] | None = None, **values: Any) -> Change:
    """Set fields of the which-th packet of a format that has the fields `of`."""
    return lambda sent: sent.set(sent.find(name, which, **(of or {})), **values)


def move(name: str, by: int, **of: Any) -> Change:
    """Exchange a packet with another one."""

    def change(sent: Sent) -> None:
        index = sent.find(name, **of)
        sent.packets[index], sent.packets[index + by] = sent.packets[index + by], sent.packets[index]

    return change


def fewer_branches(sent: Sent) -> None:
    """A map before a trap that has two branches less than lie before the address with its depth."""
    index = next(
        i
        for i, p in enumerate(sent.packets)
        if p.name == "branch_map" and p.get("irdepth") and p.values["branches"] > 17
    )
    sent.set(index, branches=17)


def instead(at: Callable[[Sent], int], name: str, **values: Any) -> Change:
    """Another packet in the place of one."""
    return lambda sent: sent.packets.__setitem__(at(sent), Packet(name, values))


PREDICTED, CACHED = {"branch_prediction": 1}, {"jump_target_cache": 1}
# clause: scenario, options, change
CASES: dict[str, tuple[str, dict[str, Any], Change]] = {
    "ET.pay.map_bits": ("map_lengths", {}, changed("branch_map", of={"branches": 2}, branch_map=4)),
    "ET.pay.branch_fmt": ("counts_around_31", PREDICTED, changed("branch_count", of={"branch_fmt": 0}, branch_fmt=1)),
    "ET.pay.privilege": ("stops", {}, changed("start", privilege=7)),
    "ET.pay.irreport": ("uninferable_jumps", {}, changed("address", irreport=1, irdepth=0)),
    "ET.pay.irdepth": ("notify_at_depths", RETURNS, changed("address", of={"irreport": 1}, irdepth=31)),
    "ET.pay.start": ("stops", {}, changed("start", address=4)),
    "ET.pay.trap": ("trap_kinds", {}, changed("trap", of={"thaddr": 1}, address=4)),
    "ET.pay.branch_bit": ("stops", {}, changed("start", branch=0)),
    "ET.pay.thaddr": ("traps_at_target", {}, lambda sent: sent.insert(
        sent.find("trap", thaddr=0) + 1, Packet("address", {"format": 2, "address": 2} | TAIL))),
    "ET.pay.updiscon": ("uninferable_jumps", {}, changed("address", updiscon=1)),
    "ET.alg.before_trap": ("trap_kinds", DRAFT, instead(
        lambda sent: sent.find("trap") - 1, "branch_map", format=1, branches=0, branch_fmt=0, branch_map=5)),
    "ET.alg.first": ("stops", {}, lambda sent: [sent.delete(0) for _ in range(2)]),
    "ET.alg.enable": ("stops", {}, lambda sent: sent.delete(0)),
    "ET-16": ("stops", {}, lambda sent: sent.delete(sent.find("start", 1))),
    "ET.pay.support": ("stops", {}, changed("support", denable=1)),
    "ET.pay.ioptions": ("stops", {"ioptions_n": 8}, changed("support", ioptions=64)),
    "ET.pay.qual_status": ("stops", {}, lambda sent: sent.repeat(sent.find("support", qual_status=1))),
    "ET.opt.prediction": ("uninferable_jumps", DRAFT, instead(
        lambda sent: 5, "branch_map", format=1, branches=0, branch_fmt=1, branch_count=1, no_mispred=1)),
    "ET.opt.cache_shorter": ("cache_shorter", CACHED, instead(
        lambda sent: shorter(sent),
        "jump_target", format=0, subformat=1, index=0, branches=0, irreport=0, irdepth=None)),
    # what the decoder alone can find
    "ET-2": ("nested_calls", RETURNS, instead(
        lambda sent: 1,
        "trap", format=3, subformat=1, branch=1, privilege=3, context=0, ecause=8, interrupt=0, thaddr=0,
        address=0x400000, tval=0)),
    "ET-4": ("full_map_at_event", {}, lambda sent: sent.set(sent.reasons.index("ET.alg.ppccd"), address=0x600001F8)),
    "ET-12": ("cache_fills", CACHED, lambda sent: sent.insert(2, deepcopy(sent.packets[sent.find("jump_target")]))),
    "ET-14": ("trap_at_depths", RETURNS, fewer_branches),
    "ET.alg.last": ("count_before_context", {**PREDICTED, "ctype": "2"}, instead(
        lambda sent: sent.reasons.index("ET.alg.before_trap"),
        "branch_count", format=0, subformat=0, branch_count=16578, branch_fmt=0)),
    "ET.pay.differential": ("uninferable_jumps", {}, changed("address", address=-0x3000_0000)),
    "ET.pay.map_length": ("map_lengths", {}, changed("branch_map", of={"branches": 4}, branches=7)),
    "ET.bt.bounds": ("count_ends_in_branch", PREDICTED, changed(
        "branch_count", of={"branch_fmt": 2}, branch_count=1 << 27)),
}  # fmt: skip


def shorter(sent: Sent) -> int:
    """An address of one byte that the cache has as well."""
    return next(i for i, p in enumerate(sent.packets) if i > 9 and p.name == "address" and abs(p.get("address")) < 8)


@pytest.mark.parametrize("clause", CASES)
def test_red_under_its_clause(clause: str) -> None:
    name, options, change = CASES[clause]
    good = doctored(name, options)
    assert good.passed, good.failures[0].text()
    assert clause in doctored(name, options, change).book.failed


@pytest.mark.parametrize(("clause", "raw"), [
    ("ET.pay.type_length", b""), ("ET.pay.type_length", bytes(32)),
    ("ET.pay.fields", bytes([2, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
    ("ET.pay.fields", b"\x00\x04"), ("ET.pay.compression", bytes([0x1F, 0])),
])  # fmt: skip
def test_payload_that_is_none(clause: str, raw: bytes) -> None:
    config, program, beats, encoded = scenario_run("stops")
    for place in (0, 5):
        packets = [raw if i == place else p for i, p in enumerate(encoded.payloads)]
        assert (
            clause in check(EtraceCapture(config, program, packets, beats=beats, exact=False), Tolerances()).book.failed
        )


def test_type_and_monitors() -> None:
    types = np.zeros(len(scenario_run("stops")[3].payloads), np.int64)
    assert doctored("stops", {}, types=types, packet_cycle=types).book.results()["ET.ing.port"] == [1, 0]
    types[3] = 1
    assert doctored("stops", {}, types=types).book.failed == ["ET.pay.type_length"]
    assert doctored("stops", {}, problems=["pkt_payload_o is X at cycle 5"]).book.failed == ["ET.ing.port"]
    assert doctored("stops", {}, problems=["empty_o is still 0 after 1000 cycles"]).book.failed == ["ET.ing.empty"]
    # what is X is the port's failure, empty_o too; and so is a handshake that is broken
    assert doctored("stops", {}, problems=["cycle 5: empty_o is X"]).book.failed == ["ET.ing.port"]
    assert doctored("stops", {}, problems=["cycle 5: valid falls before ready"]).book.failed == ["ET.ing.port"]
    # no packet, where nothing was traced
    nothing: dict[str, Any] = {"packets": [], "beats": Beats.empty(3, 1)}
    assert doctored("stops", {}, problems=["empty_o is still 0"], **nothing).book.failed == ["ET.ing.empty"]
