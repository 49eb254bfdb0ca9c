# SPDX-License-Identifier: Apache-2.0
"""Tolerances: what the texts leave open a free device may do, and the reference may not."""

from __future__ import annotations

from typing import Any

import pytest
from rvtrace.models.etrace.table import Packet
from rvtrace.scoreboards.etrace.tolerances import Tolerances

from tests.etrace.checked_scenarios import Change, Sent, doctored, scenario_run


def changed(name: str, of: dict[str, Any], **values: Any) -> Change:
    """Set fields of the first packet of a format that has the fields `of`."""
    return lambda sent: sent.set(sent.find(name, **of), **values)


def pad(encoded: Any) -> list[bytes]:
    return [
        p + (b"\xff" if p[-1] >> 7 else b"\0") if len(p) < 3 and p[0] & 3 in (1, 2) else p for p in encoded.payloads
    ]


FREE: dict[str, tuple[str, dict[str, Any], Change]] = {  # what a free device may do, and the reference may not
    "map_filled": ("map_lengths", {}, changed("branch_map", {"branches": 2}, branch_map=4)),
    "support_first": ("stops", {}, lambda sent: sent.delete(0)),
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
