# SPDX-License-Identifier: Apache-2.0
"""Tolerances: what the texts leave open a free device may do, and the reference may not."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.table import Packet
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.tolerances import PERMITTED, Tolerances
from tests.etrace.checked_scenarios import Change, Sent, doctored, scenario_run

FREE_OF_CHOICE = Tolerances.free()


def changed(name: str, of: dict[str, Any], **values: Any) -> Change:
    """Set fields of the first packet of a format that has the fields `of`."""
    return lambda sent: sent.set(sent.find(name, **of), **values)


def pad(encoded: Any) -> list[bytes]:
    return [
        p + (b"\xff" if p[-1] >> 7 else b"\0") if len(p) < 3 and p[0] & 3 in (1, 2) else p for p in encoded.payloads
    ]


FREE: dict[str, tuple[str, dict[str, Any], Change]] = {  # what a free device may do, and the reference may not
    "map_filled": ("map_lengths", {}, changed("branch_map", {"branches": 2}, branch_map=4)),
    "support_first": (
        "stops",
        {},
        lambda sent: sent.insert(0, Packet("support", {**sent.packets[0].values, "ienable": 0})),
    ),
    "support_extra": ("uninferable_jumps", {}, lambda sent: sent.repeat(0)),
    "context_repeated": (
        "uninferable_jumps",
        {},
        lambda sent: sent.insert(3, Packet("context", {"format": 3, "subformat": 2, "privilege": 3, "context": 0})),
    ),
    "undefined_zero": (
        "traps_at_target",
        {},
        lambda sent: sent.set(sent.find("trap", thaddr=0, interrupt=1), address=5),
    ),
    "undefined_epc": (
        "back_to_back_traps",
        {},
        lambda sent: sent.set(sent.find("trap", thaddr=0), address=5),
    ),
    "branch_bit": ("traps_at_target", {}, lambda sent: sent.set(sent.find("trap", thaddr=0), branch=0)),
    "ended_code": ("stops", {}, lambda sent: sent.set(sent.find("support", qual_status=3), qual_status=1)),
}


@pytest.mark.parametrize("tolerance", FREE)
def test_tolerance(tolerance: str) -> None:
    name, options, change = FREE[tolerance]
    assert not doctored(name, options, change).passed
    free = doctored(name, options, change, tolerances=Tolerances.free())
    assert free.passed, free.failures[0].text()
    one = doctored(name, options, change, tolerances=Tolerances(**{tolerance: getattr(Tolerances.free(), tolerance)}))
    assert one.passed or tolerance in ("support_first", "map_filled")


def test_padding_is_free() -> None:
    packets = pad(scenario_run("stops")[3])
    assert doctored("stops", {}, packets=packets).book.failed == ["ET.pay.compression"]
    assert doctored("stops", {}, packets=packets, tolerances=Tolerances(payload_padded=True)).passed


@pytest.mark.parametrize(("how", "clause"), [("never", "ET-4"), ("either", None)])
def test_flush_before_a_resync(how: str, clause: str | None) -> None:
    failed = doctored(
        "resync_with_branches", {"inst_sync_mode": 3}, tolerances=Tolerances(resync_flush_address=how)
    ).book.failed
    assert failed == ([clause] if clause else [])


def test_always_ended_rep() -> None:
    """A device that knows about qualification early has ended_rep only; ended_ntr is then a failure."""
    assert "ET-16" in doctored("stops", {}, tolerances=Tolerances(ended_code="rep")).book.failed


def test_depth_where_it_is_not_needed() -> None:
    """irdepth at an address that no return makes ambiguous: right, but more than ET-14 asks for."""
    options = {"implicit_return": 1}

    def depth(number: int) -> Change:
        def change(sent: Sent) -> None:
            sent.set(
                next(
                    i
                    for i, r in enumerate(sent.reasons)
                    if r == "ET.alg.before_trap" and not sent.packets[i].get("irreport")
                ),
                irreport=1,
                irdepth=number,
            )

        return change

    right = [
        n
        for n in range(17)
        if doctored("trap_at_depths", options, depth(n), tolerances=Tolerances(irreport_extra=True)).passed
    ]
    assert len(right) == 1
    assert doctored("trap_at_depths", options, depth(right[0])).book.failed == ["ET-14"]


def test_each_has_the_sentence_that_permits_it() -> None:
    """A choice that no sentence leaves open is none: its tolerance must be closed, or not be there."""
    assert set(PERMITTED) == {f.name for f in fields(Tolerances)}
    assert all('"' in sentence or "ET-" in sentence for sentence in PERMITTED.values())


# Support packets of a free device


def free_failed(name: str, change: Change | None = None, **options: Any) -> list[str]:
    """The clauses that a device without the reference profile fails."""
    return doctored(name, options, change, tolerances=FREE_OF_CHOICE).book.failed


def test_support_before_the_first_synchronization_is_required() -> None:
    """ "It must be issued when trace is enabled, and before the first sync packet"; the draft does not say so."""
    assert free_failed("stops", lambda sent: sent.delete(0)) == ["ET.alg.enable"]
    assert free_failed("stops", lambda sent: sent.set(0, ienable=0)) == ["ET.alg.enable", "ET.pay.ienable"]
    assert free_failed("stops", lambda sent: sent.delete(0), variant="draft_0_026") == []


def test_support_after_options_changed_is_required() -> None:
    def forget(sent: Sent) -> None:
        sent.delete(sent.find("support", 0, "ET.alg.reconfigured"))

    assert free_failed("reconfigured") == []
    assert "ET.alg.reconfigured" in free_failed("reconfigured", forget)


def ended(sent: Sent) -> int:
    """The end of trace by which the encoder is disabled."""
    return sent.find("support", 0, "ET.alg.ended", ienable=0)


def test_end_and_disable_may_be_two_packets() -> None:
    """The end of trace still with ienable=1, then the support packet that reports ienable=0; without that, nothing
    reports that the encoder was disabled.
    """

    def two(sent: Sent) -> None:
        at = ended(sent)
        sent.insert(at + 1, Packet("support", {**sent.packets[at].values, "qual_status": 0}))
        sent.set(at, ienable=1)

    assert free_failed("disables") == []
    assert free_failed("disables", two) == []
    assert free_failed("disables", lambda sent: sent.set(ended(sent), ienable=1)) == ["ET.pay.ienable"]
    assert doctored("disables", {}, two).book.failed != []


def test_address_that_is_undefined_is_no_epc() -> None:
    """The EPC at the target of an uninferable jump is defined, also for a free device."""

    def wrong(sent: Sent) -> None:
        at = next(i for i, p in enumerate(sent.packets) if p.get("thaddr") == 0 and p.get("interrupt") == 0)
        sent.set(at, address=sent.packets[at].values["address"] ^ 1)

    assert "ET.bt.epc" in free_failed("traps_at_target", wrong)


def disabled_at_ends(again: bool) -> Change:
    """Every end has ienable=0. again: before the next synchronization packet a support packet has ienable=1."""

    def change(sent: Sent) -> None:
        ends = [i for i, p in enumerate(sent.packets) if p.name == "support" and p.get("qual_status")]
        for at in reversed(ends):
            sent.set(at, ienable=0)
            if again and at + 1 < len(sent.packets):
                sent.insert(at + 1, Packet("support", {**sent.packets[at].values, "qual_status": 0, "ienable": 1}))

    return change


def test_encoder_that_both_controls_enable() -> None:
    """ienable=0 while trTeInstTracing is 0, and 1 again before trace starts; a hart that halts disables nothing."""
    assert free_failed("trap_last", disabled_at_ends(again=True)) == []
    assert "ET.alg.enable" in free_failed("trap_last", disabled_at_ends(again=False))
    assert "ET.pay.ienable" in free_failed("loop_ended", disabled_at_ends(again=True))
    assert doctored("trap_last", {}, disabled_at_ends(again=True)).book.failed != []


def supports(sent: Sent) -> list[int]:
    """The places of the support packets."""
    return [at for at, packet in enumerate(sent.packets) if packet.name == "support"]


def test_data_trace_is_skipped_and_counted() -> None:
    """denable=1 and packets of type 1 are what an encoder with data trace sends; ours has none. Without data trace none
    of it can have been lost.
    """

    def reported(sent: Sent) -> None:
        for at in supports(sent):
            sent.set(at, denable=1)

    assert free_failed("stops", reported) == []
    assert "ET.pay.support" in doctored("stops", {}, reported).book.failed
    config, program, beats, encoded = scenario_run("stops", ())
    packets, types = list(encoded.payloads), [0] * len(encoded.payloads)
    for at in (1, 5, 5):
        packets.insert(at, b"\x2a\x01")
        types.insert(at, 1)
    capture = EtraceCapture(config, program, packets, types=np.array(types), beats=beats, exact=False)
    verdict = check(capture)
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.notes == ("3 packets of data trace (type 1) were skipped: data trace is not judged",)
    assert not check(replace(capture, exact=True)).passed
    assert free_failed("stops", lambda sent: [sent.set(at, dloss=1) for at in supports(sent)]) == ["ET.pay.support"]
    assert free_failed("stops", lambda sent: [sent.set(at, dloss=1, denable=1) for at in supports(sent)]) == []
    types[2] = 2
    assert "ET.pay.type_length" in check(replace(capture, types=np.array(types))).book.failed
