# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the ingress port and of the output that are the same for both encoders.

`why` differs: it names the rulings of the system.
"""

from __future__ import annotations

from rvtrace.jobs.coverage import Point
from rvtrace.tb.common.coverage.ingress import BACKLOGS, EFFECTS, IRETIRE_CLASSES, LEVELS, PRIVS, TRAP_PLACES

TERMS = {  # kinds of filter conditions, and how `Config.filter` writes them
    "iaddr": "iaddr",
    "context": "context",
    "tval": "tval",
    "privilege": "priv=",
    "ecause": "ecause=",
    "trap": "trap=",
    "latch": "->",
    "latch set at first": "=->",
    "mask": "/",
    "two filters": "|",
    "cause in the second filter": "|ecause=",
    "trap in the second filter": "|trap=",
    "watchpoint": "watch=",
}

EDGE_BLOCK = Point(
    "edge_block_cg",
    "whether the cycle in which tracing starts or stops also carries a block",
    "off by one block at the edges is the classic mistake",
    {"tracing": ("starts", "stops"), "cycle": ("with a block", "without")},
)


def iretire(why: str) -> Point:
    """How many half-words a block retires."""
    return Point(
        "iretire_cg",
        "half-words retired by a block; widest: within one instruction of the field's end",
        why,
        {"iretire": IRETIRE_CLASSES},
    )


def trap(why: str) -> Point:
    """Where traps strike."""
    return Point("trap_cg", "where a trap struck", why, {"place": TRAP_PLACES, "trap": ("exception", "interrupt")})


def privilege(why: str) -> Point:
    """Changes of privilege."""
    return Point(
        "privilege_cg",
        "privilege of two events that follow each other",
        why,
        {"from": PRIVS, "to": PRIVS},
        {
            **{f"{p} x {p}": "no change" for p in PRIVS},
            **{
                f"{a} x {b}": "no trap or return goes this way"
                for a, b in (("U", "VU"), ("U", "VS"), ("VU", "U"), ("VS", "U"))
            },
        },
    )


def control(why: str) -> Point:
    """Changes of the control levels."""
    return Point(
        "control_cg",
        "control levels that changed, and what it did to tracing",
        why,
        {"change": LEVELS, "tracing": EFFECTS},
        {
            f"{level} x {effect}": "this level alone cannot do that"
            for effect, levels in (
                ("starts", ("enable falls", "tracing falls", "halt")),
                ("stops", ("enable rises", "tracing rises", "resume")),
            )
            for level in levels
        },
    )


def stall(units: str) -> Point:
    """What waits while the port is stalled. units: what the encoder sends."""
    return Point(
        "stall_cg",
        f"{units} waiting while the port was stalled, by inst_stall_ena",
        "stalling must start in time and end again",
        {"setting": ("stall", "overflow"), "backlog": BACKLOGS},
    )
