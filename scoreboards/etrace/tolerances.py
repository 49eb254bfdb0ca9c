# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal E-Trace encoders differ, what a check accepts.

The defaults are the reference encoder's choices.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tolerances:
    """Where a device may differ from the reference (docs/reference/etrace-profile.md).

    payload_padded: payloads may be longer than sign-based compression makes them, up to the whole packet ("ideally").
    map_filled: bits of branch_map above `branches` may be anything. resync_flush_address: "always": branches before a
    resync are reported with an address (ET-4); "never": without one; "either". resync_late, resync_early: how far, in
    the unit of inst_sync_mode, a resync may be off. resync_extra: synchronization packets may appear anywhere.
    first_trap: a trace whose first event is a trap may begin with 3.1 for its handler, not with thaddr=0 (ET-3).
    irreport_extra: irdepth may be reported where it is not needed (ET-14). cache_always: format 0.1 may be used where
    it is not shorter (ET-12). anchors: calls may be reported with the notify flag to close an open return (profile,
    rule 4). ended_code: "rule": ended_ntr exactly where the last packet was due anyway (ET-16); "rep": always
    ended_rep; "either". context_order: a 3.2 appears before the packet of the next instruction; False: anywhere up to
    the next change. context_repeated: a context may be reported again without a change. branch_bit: the branch bit is 1
    where nothing says what it is: no branch, thaddr=0. support_extra: support packets with no_change may appear
    anywhere. support_first: the first packet is a support packet. undefined_zero: an address that means nothing
    (thaddr=0 of an interrupt) is 0.
    """

    payload_padded: bool = False
    map_filled: bool = False
    resync_flush_address: str = "always"
    resync_late: int = 0
    resync_early: int = 0
    resync_extra: bool = False
    first_trap: bool = False
    irreport_extra: bool = False
    cache_always: bool = False
    anchors: bool = True
    ended_code: str = "rule"
    context_order: bool = True
    context_repeated: bool = False
    branch_bit: bool = True
    support_extra: bool = False
    support_first: bool = True
    undefined_zero: bool = True

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            payload_padded=True,
            map_filled=True,
            resync_flush_address="either",
            resync_late=1 << 16,
            resync_early=1 << 62,
            resync_extra=True,
            first_trap=True,
            irreport_extra=True,
            cache_always=True,
            anchors=True,
            ended_code="either",
            context_order=False,
            context_repeated=True,
            branch_bit=False,
            support_extra=True,
            support_first=False,
            undefined_zero=False,
        )
