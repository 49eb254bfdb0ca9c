"""Knobs: what the texts leave open a free device may do, and the reference may not."""

from __future__ import annotations

from typing import Any

import pytest

from models.etrace.packets import Packet
from scoreboards.etrace_knobs import Knobs
from tests.scoreboards.etrace_stories import Change, Sent, doctored, story


def changed(name: str, of: dict[str, Any], **values: Any) -> Change:
    """Set fields of the first packet of a format that has the fields `of`."""
    return lambda sent: sent.set(sent.find(name, **of), **values)


def pad(encoded: Any) -> list[bytes]:
    return [p + (b"\xff" if p[-1] >> 7 else b"\0") if len(p) < 3 and p[0] & 3 in (1, 2) else p for p in encoded.payloads]


FREE: dict[str, tuple[str, dict[str, Any], Change]] = {  # what a free device may do, and the reference may not
    "map_filled": ("map_lengths", {}, changed("branch_map", {"branches": 2}, branch_map=4)),
    "support_first": ("stops", {}, lambda sent: sent.delete(0)),
    "support_extra": ("uninferable_jumps", {}, lambda sent: sent.repeat(0)),
    "context_repeated": ("uninferable_jumps", {}, lambda sent: sent.insert(
        3, Packet("context", {"format": 3, "subformat": 2, "privilege": 3, "context": 0}))),
    "undefined_zero": ("traps_at_target", {}, lambda sent: sent.set(sent.find("trap", thaddr=0, interrupt=1), address=5)),
    "branch_bit": ("traps_at_target", {}, lambda sent: sent.set(sent.find("trap", thaddr=0), branch=0)),
    "ended_code": ("stops", {}, lambda sent: sent.set(sent.find("support", qual_status=3), qual_status=1)),
}  # fmt: skip


@pytest.mark.parametrize("knob", FREE)
def test_knob(knob: str) -> None:
    name, options, change = FREE[knob]
    assert not doctored(name, options, change).passed
    free = doctored(name, options, change, knobs=Knobs.free())
    assert free.passed, free.failures[0].text()
    one = doctored(name, options, change, knobs=Knobs(**{knob: getattr(Knobs.free(), knob)}))
    assert one.passed or knob in ("support_first", "map_filled")


def test_padding_is_free() -> None:
    packets = pad(story("stops")[3])
    assert doctored("stops", {}, packets=packets).book.failed == ["ET.pay.compression"]
    assert doctored("stops", {}, packets=packets, knobs=Knobs(payload_padded=True)).passed


@pytest.mark.parametrize(("how", "clause"), [("never", "ET-4"), ("either", None)])
def test_flush_before_a_resync(how: str, clause: str | None) -> None:
    failed = doctored("resync_with_branches", {"inst_sync_mode": 3}, knobs=Knobs(resync_flush_address=how)).book.failed
    assert failed == ([clause] if clause else [])


def test_always_ended_rep() -> None:
    """A device that knows about qualification early has ended_rep only; ended_ntr is then a failure."""
    assert "ET-16" in doctored("stops", {}, knobs=Knobs(ended_code="rep")).book.failed


def test_depth_where_it_is_not_needed() -> None:
    """irdepth at an address that no return makes ambiguous: right, but more than ET-14 asks for."""
    options = {"implicit_return": 1}

    def depth(number: int) -> Change:
        def change(sent: Sent) -> None:
            sent.set(next(i for i, r in enumerate(sent.reasons) if r == "ET.alg.before_trap" and not sent.packets[i].get("irreport")), irreport=1,
                     irdepth=number)  # fmt: skip

        return change

    right = [n for n in range(17) if doctored("trap_at_depths", options, depth(n), knobs=Knobs(irreport_extra=True)).passed]
    assert len(right) == 1
    assert doctored("trap_at_depths", options, depth(right[0])).book.failed == ["ET-14"]
