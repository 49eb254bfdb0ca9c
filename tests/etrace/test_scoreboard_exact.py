# SPDX-License-Identifier: Apache-2.0
"""The exact check turns red under the right clause: one packet of a good stream is left out, or one field changed."""

from typing import Any

import pytest

from rvtrace.models.etrace.codec import bits, compress
from rvtrace.models.etrace.table import Packet
from rvtrace.scoreboards.etrace.exact import FIELD_CLAUSE
from tests.etrace.checked_scenarios import Change, Sent, doctored

DRAFT = {"variant": "draft_0_026"}
PREDICT = {"branch_prediction": 1}
RETURNS = {"implicit_return": 1}
REASONS: dict[str, tuple[str, dict[str, Any]]] = {  # a scenario in which the clause makes a packet
    "ET.alg.first": ("stops", {}),
    "ET.alg.ppccd": ("contexts", {"ctype": "2"}),
    "ET.alg.resync": ("resync_with_branches", {"inst_sync_mode": 3}),
    "ET.alg.trap": ("trap_kinds", {}),
    "ET.alg.trap_again": ("back_to_back_traps", {}),
    "ET.alg.reported": ("traps_at_target", {}),
    "ET.alg.updiscon": ("uninferable_jumps", {}),
    "ET.alg.notify": ("notify_kinds", {}),
    "ET.alg.before_trap": ("trap_kinds", {}),
    "ET.alg.last": ("stops", {}),
    "ET.alg.before_sync": ("resync_with_branches", {"inst_sync_mode": 3}),
    "ET.alg.full_map": ("map_lengths", {}),
    "ET.alg.mispredicted": ("counts_around_31", PREDICT),
    "ET.alg.context": ("contexts", {"ctype": "1"}),
    "ET.alg.count_full": ("counts_around_31", PREDICT | {"bcount_bits": 3}),
    "ET.alg.enable": ("disables", {}),
    "ET.alg.disable": ("level_walk", {}),
    "ET.alg.ended": ("stops", {}),
    "ET.alg.reconfigured": ("reconfigured", {}),
    "ET.opt.misreturn": ("wrong_return", RETURNS),
    "ET.opt.anchor": ("anchors", RETURNS),
}


@pytest.mark.parametrize("clause", REASONS)
def test_missing_packet(clause: str) -> None:
    name, options = REASONS[clause]

    def leave_out(sent: Sent) -> None:
        sent.delete(sent.reasons.index(clause))

    good = doctored(name, options, exact=True)
    assert good.passed and good.book.results()[clause][0] > 0
    assert doctored(name, options, leave_out, exact=True).failures[0].clause == clause


def changed(name: str, which: int = 0, of: dict[str, Any] | None = None, **values: Any) -> Change:
    """Set fields of the which-th packet of a format that has the fields `of`."""

    def change(sent: Sent) -> None:
        sent.set(sent.find(name, which, **(of or {})), **values)

    return change


FIELDS: dict[str, tuple[str, dict[str, Any], Change]] = {
    "ET.pay.map_length": ("map_lengths", {}, changed("branch_map", of={"branches": 3}, branches=2)),
    "ET.pay.map_bits": ("map_lengths", {}, changed("branch_map", of={"branches": 3}, branch_map=5)),
    "ET.pay.full_map": ("full_map_at_target", {}, changed("branch_map", of={"branches": 31}, branches=0)),
    "ET.pay.branch_count": ("counts_around_31", PREDICT, changed("branch_count", branch_count=9)),
    "ET.pay.branch_fmt": ("count_ends_in_branch", PREDICT, changed("branch_count", of={"branch_fmt": 3}, branch_fmt=2)),
    "ET.pay.differential": ("uninferable_jumps", {}, changed("address", address=0x30)),
    "ET.pay.notify": ("notify_kinds", {}, changed("address", of={"notify": 1}, notify=0)),
    "ET.pay.updiscon": ("updiscon_flag", {}, changed("address", of={"updiscon": 1}, updiscon=0)),
    "ET.pay.irreport": ("notify_at_depths", RETURNS, changed("address", of={"irreport": 1}, irreport=0, irdepth=None)),
    "ET.pay.irdepth": ("notify_at_depths", RETURNS, changed("address", of={"irreport": 1}, irdepth=7)),
    "ET.pay.start": ("stops", {}, changed("start", address=0x4000_0100)),
    "ET.pay.trap": ("trap_kinds", {}, changed("trap", of={"thaddr": 1}, address=0x4000_0100)),
    "ET.pay.branch_bit": ("handler_starts", {}, changed("start", branch=0)),
    "ET.pay.privilege": ("xret_kinds", {}, changed("start", privilege=1)),
    "ET.pay.time": ("time_and_privilege", {"notime_p": 0}, changed("start", time=3)),
    "ET.pay.context": ("contexts", {"ctype": "2"}, changed("start", context=3)),
    "ET.pay.ecause": ("causes", {}, changed("trap", ecause=33)),
    "ET.pay.thaddr": ("back_to_back_traps", {}, changed("trap", of={"thaddr": 0}, address=0x123)),
    "ET.pay.tval": ("causes", {}, changed("trap", of={"interrupt": 0}, tval=0x99)),
    "ET.pay.support": ("stops", {}, changed("support", encoder_mode=1)),
    "ET.pay.ienable": ("disables", {}, changed("support", ienable=0)),
    "ET.pay.ioptions": ("stops", {}, changed("support", 1, ioptions=16)),
    "ET.pay.qual_status": ("stops", {}, changed("support", 1, qual_status=0)),
    "ET.opt.cache": ("cache_fills", {"jump_target_cache": 1}, changed("jump_target", index=9)),
    "ET.opt.full_address": ("uninferable_jumps", {"full_address": 1}, changed("address", address=0x30)),
}


@pytest.mark.parametrize("clause", FIELDS)
def test_changed_field(clause: str) -> None:
    name, options, change = FIELDS[clause]
    good = doctored(name, options, exact=True)
    assert good.passed and good.book.results()[clause][0] > 0
    assert doctored(name, options, change, exact=True).failures[0].clause == clause


def test_every_field_has_a_case() -> None:
    assert set(FIELD_CLAUSE.values()) <= set(FIELDS)


ADDRESS = Packet("address", {"format": 2, "address": 4, "notify": 0, "updiscon": 0, "irreport": 0, "irdepth": None})
OTHER: dict[str, tuple[str, dict[str, Any], Change]] = {
    "ET.opt.implicit_return": ("nested_calls", RETURNS, lambda sent: sent.insert(3, ADDRESS)),
    "ET.opt.sijump": ("sequential_jumps", {"sijump": 1}, lambda sent: sent.insert(2, ADDRESS)),
    "ET.opt.prediction": (
        "counts_around_31",
        PREDICT,
        lambda sent: sent.packets.__setitem__(
            sent.find("branch_count"), Packet("branch_map", {"format": 1, "branches": 0, "branch_map": 5})
        ),
    ),
    "ET.opt.cache_shorter": (
        "cache_shorter",
        {"jump_target_cache": 1},
        lambda sent: sent.packets.__setitem__(
            sent.find("address"),
            Packet(
                "jump_target", {"format": 0, "subformat": 1, "index": 3, "branches": 0, "irreport": 0, "irdepth": None}
            ),
        ),
    ),
}


@pytest.mark.parametrize("clause", OTHER)
def test_another_packet(clause: str) -> None:
    name, options, change = OTHER[clause]
    assert doctored(name, options, exact=True).book.results()[clause][0] > 0
    assert doctored(name, options, change, exact=True).failures[0].clause == clause


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_padded_payload_and_wrong_marks(variant: str) -> None:
    """A payload with a byte too many; a start that is not marked as one; a time that is not the item's."""
    options = {"variant": variant, "call_counter_size_p": 0}
    good = doctored("stops", options, exact=True)
    padded = [p + (b"\xff" if p[-1] >> 7 else b"\0") if i == 4 else p for i, p in enumerate(good.encoded.payloads)]
    assert doctored("stops", options, exact=True, packets=padded).failures[0].clause == "ET.pay.compression"
    starts = [p.name == "start" for p in good.encoded.packets]
    assert doctored("stops", options, exact=True, start=starts, time16=good.encoded.time16).passed
    assert doctored("stops", options, exact=True, start=[not s for s in starts]).book.failed == ["ET.tra.zeros"]
    late = [t + 1 for t in good.encoded.time16]
    assert "ET.tra.timestamp" not in doctored("stops", options, exact=True, time16=late).book.results(), (
        "nobody sees a time that is not sent"
    )
    assert doctored("stops", options | {"timestamp": 1}, exact=True, time16=late).book.failed == ["ET.tra.timestamp"]


def test_packets_missing_close_together() -> None:
    """All anchors are left out, several in a row: the first is still known to be missing."""

    def leave_out(sent: Sent) -> None:
        while "ET.opt.anchor" in sent.reasons:
            sent.delete(sent.reasons.index("ET.opt.anchor"))

    assert doctored("anchors", RETURNS, leave_out, exact=True).failures[0].clause == "ET.opt.anchor"


def test_map_of_another_length() -> None:
    """Seven branches in a map of 15: all after it is elsewhere, and it is not the address that is wrong."""
    good = doctored("map_lengths", {}, exact=True)
    at = next(i for i, p in enumerate(good.encoded.packets) if p.get("branches") == 7)
    payload, length = bits(good.encoded.packets[at], good.encoded.config)
    longer = compress(payload & 0x3FFF | payload >> 14 << 22, length + 8)
    packets = [longer if i == at else p for i, p in enumerate(good.encoded.payloads)]
    assert doctored("map_lengths", {}, exact=True, packets=packets).failures[0].clause == "ET.pay.map_length"


def test_failure_text() -> None:
    """Cycle, PC, fields side by side, the packets before, and the command that repeats the run."""
    text = doctored(*FIELDS["ET.pay.tval"], exact=True, rerun="make run IP=etrace").failures[0].text()
    assert [
        part
        for part in ("FAIL ET.pay.tval", "cycle", "pc ", "expected", "0x99 <", "before", "rerun     make run IP=etrace")
        if part not in text
    ] == []
