# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal E-Trace encoders differ, what a check accepts.

The defaults are the reference encoder's choices. `PERMITTED` has for each one the sentence that leaves the choice open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PERMITTED: Mapping[str, str] = {
    "payload_padded": (
        'Packets: "At the very minimum this should be applied to the address field of format 1 and 2 packets, but'
        ' ideally will be applied to the whole packet, regardless of format."'
    ),
    "map_filled": 'Format 1: "branch_map is 15 bits long, and the 12 LSBs are valid."',
    "resync_flush_address": (
        'Resynchronisation: "it is necessary to output a format 1 packet for the preceding instruction if there are any'
        ' unreported branches"; there are two of them, and the chapter is informative (ET-4).'
    ),
    "resync_late": 'Resynchronisation: "The exact mechanism for determining this is not specified".',
    "resync_times": (
        'Resynchronisation: "options might be to count the number of te_inst packets emitted, or the number of clock'
        ' cycles elapsed"; but "there must be regular synchronization points within the trace", and trTeInstSyncMax is'
        ' "the maximum interval".'
    ),
    "resync_early": 'Resynchronisation: "The exact mechanism for determining this is not specified".',
    "resync_extra": (
        'Synchronization: "there must be regular synchronization points"; "The frequency of synchronization is a'
        ' trade-off between robustness and trace bandwidth."'
    ),
    "first_trap": (
        'Format 3 subformat 0: "It is sent for the first traced instruction (unless that instruction also happens to be'
        ' the first in a trap handler)".'
    ),
    "irreport_extra": (
        'Format 2 irreport and irdepth: "the encoder must report the current stack depth or call count unless": where'
        " it need not, it is not forbidden (ET-14)."
    ),
    "cache_always": (
        'Format 0: "the encoder may still choose to output the differential address using format 1 or 2 if the'
        ' resulting packet is shorter."'
    ),
    "anchors": (
        'Format 2 irreport and irdepth: "this cannot be guaranteed for recursive functions, as the reported address'
        ' will occur multiple times"; what an encoder does about it is left to it (ET-14).'
    ),
    "ended_code": (
        'Format 3 subformat 3 qual_status: "If the encoder implementation does have early access to the filtering'
        ' results [...] loss of qualification should always be indicated using ended_rep."'
    ),
    "context_order": ('Format 3 subformat 2: "output when the context value changes and can be reported imprecisely".'),
    "context_repeated": 'Format 3 subformat 2: "This packet contains only the context and/or the timestamp".',
    "branch_bit": (
        'Format 3 subformat 1: the branch bit is that of the instruction at address, which with thaddr=0 "is undefined'
        ' for other exceptions and interrupts"; draft: "Has no meaning if this instruction is not a branch."'
    ),
    "support_extra": (
        'Format 3 subformat 3: "This packet provides supporting information to aid the decoder. It must be issued:"'
        ' says when at least; qual_status "No change to filter qualification".'
    ),
    "support_first": (
        'Format 3 subformat 3: "When trace is enabled, and before the first sync packet [...] This could be as late as'
        ' when trTeInstTracing becomes 1".'
    ),
    "data_trace": (
        'Format 3 subformat 3: denable "Indicates if the data trace is enabled (if supported)", dloss "One of more data'
        ' trace packets lost (if supported)".'
    ),
    "undefined_zero": (
        'Format 3 subformat 1: "When set to 0, address points to the EPC for an exception at the target of an updiscon,'
        ' and is undefined for other exceptions and interrupts."'
    ),
    "undefined_epc": (
        'Format 3 subformat 1: "When set to 0, address points to the EPC for an exception at the target of an updiscon,'
        ' and is undefined for other exceptions and interrupts."'
    ),
}


@dataclass
class Tolerances:
    """Where a device may differ from the reference (docs/reference/etrace-profile.md).

    payload_padded: payloads may be longer than sign-based compression makes them, up to the whole packet ("ideally").
    map_filled: bits of branch_map above `branches` may be anything. resync_flush_address: "always": branches before a
    resync are reported with an address (ET-4); "never": without one; "either". resync_late, resync_early: how far, in
    the unit of inst_sync_mode, a resync may be off. resync_times: a resync is due after so many intervals (more than
    one: and as many packets), because what is counted is left to the encoder. resync_extra: synchronization packets
    may appear anywhere.
    first_trap: a trace whose first event is a trap may begin with 3.1 for its handler, not with thaddr=0 (ET-3).
    irreport_extra: irdepth may be reported where it is not needed (ET-14). cache_always: format 0.1 may be used where
    it is not shorter (ET-12). anchors: calls may be reported with the notify flag to close an open return (profile,
    rule 4). ended_code: "rule": ended_ntr exactly where the last packet was due anyway (ET-16); "rep": always
    ended_rep; "either". context_order: a 3.2 appears before the packet of the next instruction; False: anywhere up to
    the next change. context_repeated: a context may be reported again without a change. branch_bit: the branch bit is 1
    where nothing says what it is: no branch, thaddr=0. support_extra: support packets with no_change may appear
    anywhere, and the end of trace may be two of them, the second with ienable=0. support_first: the first packet of all
    is a support packet; False: one comes between enabling and the first synchronization packet (v2_0). data_trace:
    data trace may be reported, and packets of type 1 be sent, which are counted and not judged. undefined_zero:
    an address that means nothing (thaddr=0 of an interrupt) is 0. undefined_epc: where the specification leaves the
    address of a packet with thaddr=0 undefined, it is the EPC of the exception that follows.
    """

    payload_padded: bool = False
    map_filled: bool = False
    resync_flush_address: str = "always"
    resync_late: int = 0
    resync_times: int = 1
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
    data_trace: bool = False
    undefined_zero: bool = True
    undefined_epc: bool = True

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            payload_padded=True,
            map_filled=True,
            resync_flush_address="either",
            resync_times=4,
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
            data_trace=True,
            undefined_zero=False,
            undefined_epc=False,
        )
