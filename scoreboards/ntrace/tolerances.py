# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal encoders differ, what a check accepts. The defaults are the reference encoder's choices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tolerances:
    """Where a device may differ from the reference.

    sync_late, sync_early: how far, in the unit of inst_sync_mode, a periodic sync may be off (NT-20). marker_late:
    instructions a marker (SYNC 0, 6) may appear after its place; markers_optional: the device has none. tstamp_on_all:
    every message has TSTAMP, not only those with SYNC (8.7). event_time: a device that does not declare the profile has
    TSTAMP of the event itself, not only in order (8.7). ownership_at_traps: Ownership follows every trap and xRET, not
    only those that change the privilege (7.1). repeat_any_target: RepeatBranch may follow a message with U-ADDR other
    than 0, where the readings differ (NT-6). strict_reported_call: the call of a suppressed return must be in an
    earlier message (NT-5, 9.2). sync_keeps_stack: rc7: SYNC 0, 4 and 6 may leave the call stack as it is (table 25).
    address_padded: addresses may take more MDO groups than they need where MSBs may be skipped (8.2).
    start_codes_optional: a start after reset or sleep may be reported as SYNC=5, and a reset of a traced hart not at
    all (table 25). vendor_codes: the device may send those that tables 15, 19, 23 and 25 leave to vendors: ETYPE, RCODE
    and EVCODE 8 to 15, SYNC 14 and 15.
    """

    sync_late: int = 4
    sync_early: int = 0
    marker_late: int = 0
    markers_optional: bool = False
    tstamp_on_all: bool = True
    event_time: bool = False
    ownership_at_traps: bool = True
    repeat_any_target: bool = False
    strict_reported_call: bool = False
    sync_keeps_stack: bool = False
    address_padded: bool = False
    start_codes_optional: bool = False
    vendor_codes: bool = False

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            marker_late=64, markers_optional=True, tstamp_on_all=False, ownership_at_traps=False, sync_keeps_stack=True,
            address_padded=True, start_codes_optional=True, vendor_codes=True,
        )  # fmt: skip
