# SPDX-License-Identifier: Apache-2.0
"""The clauses under which the encoder model sends its packets: id and what it says, in one line each."""

from __future__ import annotations

CLAUSES: dict[str, str] = {
    "ET.alg.first": "the first instruction traced is reported by 3.0",
    "ET.alg.ppccd": (
        "privilege changed, or context changed and is reported precisely: 3.0 at the first instruction there"
    ),
    "ET.alg.resync": "the resynchronization interval is over: 3.0 at the next instruction",
    "ET.alg.trap": "a trap is reported by 3.1 at the first instruction of its handler",
    "ET.alg.trap_again": (
        "a trap that another one follows at once, or at an address that is not known: 3.1 with thaddr 0"
    ),
    "ET.alg.reported": "the handler of a trap that was reported with thaddr 0: 3.0 at its first instruction",
    "ET.alg.updiscon": "the instruction after an uninferable discontinuity is reported by its address",
    "ET.alg.notify": "a trigger or watchpoint asked for this address",
    "ET.alg.before_trap": "the last instruction before a trap is reported by its address",
    "ET.alg.last": "the last instruction traced is reported by its address",
    "ET.alg.before_sync": (
        "branches (or returns) before a 3.0 are reported with the address of the instruction before it"
    ),
    "ET.alg.full_map": "31 branches, not all of them predicted: format 1 without address",
    "ET.alg.mispredicted": "31 or more predicted branches, and the next one was not: a branch count without address",
    "ET.alg.count_full": "the branch count is at its greatest",
    "ET.alg.context": "a change of context that may be reported imprecisely: 3.2",
    "ET.alg.enable": "the encoder is enabled: support",
    "ET.alg.disable": "the encoder is disabled and nothing was being traced: support",
    "ET.alg.ended": "tracing ended: support with ended_rep or ended_ntr",
    "ET.alg.reconfigured": "the options change: support",
    "ET.alg.lost": "packets were lost: support with trace_lost",
    "ET.opt.misreturn": (
        "a return did not go where the top of the return stack says: its target is reported, with irdepth"
    ),
    "ET.opt.anchor": (
        "a call after implicit returns and no branch: its address is reported, so that no later address is ambiguous"
    ),
}
