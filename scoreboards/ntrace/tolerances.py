# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal encoders differ, what a check accepts. The defaults are the reference encoder's choices.

`PERMITTED` has for each one the sentence that leaves the choice open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PERMITTED: Mapping[str, str] = {
    "sync_late": '8.5: "Periodic Synchronization (SYNC=2) messages may not be precise".',
    "sync_early": (
        'trTeInstSyncMax: "The maximum interval [...] between instruction trace synchronization messages"; 8.5:'
        ' "messages may not be precise" (NT-20).'
    ),
    "sync_delayed": (
        '8.5, case 6: "messages which may be generated delayed after the periodic event"; "Next available ...Branch...'
        ' message upgraded to ...Branch...Sync counterpart".'
    ),
    "marker_late": '8.5, case 4: "Next available ...Branch... message upgraded to ...Branch...Sync counterpart".',
    "markers_optional": 'Table 25, SYNC 0 and 6: "Required: No": for a device that declares to have none.',
    "tstamp_on_all": '8.7: "It is permitted that some non-synchronization messages are not reporting timestamp".',
    "event_time": '8.7: "If the above is not possible, timestamps should be at least reported in a consistent way".',
    "ownership_at_traps": (
        '7.1: "At entry and returns to/from exceptions and interrupts (as these are usually changing privilege modes)":'
        " where none changes, the reason does not hold."
    ),
    "repeat_any_target": '7.11 has several readings (NT-6): "the target" is that of the message, or its U-ADDR.',
    "strict_reported_call": (
        '9.2: "if the associated call has already been reported in an earlier message. The encoder must ensure that'
        ' this is the case."; what ensures it is that "the count is non-zero (i.e. the associated call was already'
        ' reported in an earlier message)" (NT-5).'
    ),
    "sync_keeps_stack": 'Table 25 (rc7), SYNC 0, 4 and 6: "encoder state is not reset".',
    "address_padded": (
        '8.2: "Simple implementations may not implement an enable bit and always send full address"; the extension'
        " needs only the last bit sent to be right."
    ),
    "start_codes_optional": 'Table 25, SYNC 1 and 9: "Required: No".',
    "vendor_codes": 'Tables 15, 19, 23 and 25: "Reserved for vendor specific encodings."',
    "empty_windows": 'Table 23, EVCODE 4 and 1: "Program Trace Disabled (hart is still running). Optional."',
}


@dataclass
class Tolerances:
    """Where a device may differ from the reference.

    sync_late, sync_early: how far, in the unit of inst_sync_mode, a periodic sync may be off (NT-20). marker_late:
    instructions a marker (SYNC 0, 6) may appear after its place, and one message may then report several;
    markers_optional: the device has none. tstamp_on_all:
    every message has TSTAMP, not only those with SYNC (8.7). event_time: a device that does not declare the profile has
    TSTAMP of the event itself, not only in order (8.7). ownership_at_traps: Ownership follows every trap and xRET, not
    only those that change the privilege (7.1). repeat_any_target: RepeatBranch may follow a message with U-ADDR other
    than 0, where the readings differ (NT-6). strict_reported_call: the call of a suppressed return must be in an
    earlier message (NT-5, 9.2). sync_keeps_stack: rc7: SYNC 0, 4 and 6 may leave the call stack as it is (table 25).
    address_padded: addresses may take more MDO groups than they need where MSBs may be skipped (8.2).
    start_codes_optional: a start after reset or sleep may be reported as SYNC=5, and a reset of a traced hart not at
    all (table 25). vendor_codes: the device may send those that tables 15, 19, 23 and 25 leave to vendors: ETYPE, RCODE
    and EVCODE 8 to 15, SYNC 14 and 15. sync_delayed: a periodic sync may wait for the next branch message.
    empty_windows: trace that stops before anything was traced need not report its end (EVCODE 4 and 1).
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
    sync_delayed: bool = False
    empty_windows: bool = False

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            sync_late=16, sync_early=1 << 62, sync_delayed=True, marker_late=1 << 16, tstamp_on_all=False,
            ownership_at_traps=False, sync_keeps_stack=True, address_padded=True, start_codes_optional=True,
            vendor_codes=True, empty_windows=True,
        )  # fmt: skip
