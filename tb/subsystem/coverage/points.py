# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the subsystem: what all trace sources must have reported before their agreement means much.

They are counted in `rvtrace.tb.subsystem.coverage.sampling`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import Definition, Point
from rvtrace.models.ctr.records import TYPES
from rvtrace.models.subsystem.events import EVENTS

if TYPE_CHECKING:
    pass

XLENS, RETIRES = ("RV64", "RV32"), ("1 a cycle", "2 a cycle")
OPTIONS = (
    "mode btm",
    "mode htm",
    *(
        f"{name} {value}"
        for name in (
            "repeated_history",
            "ownership",
            "implicit_return",
            "branch_prediction",
            "jump_target_cache",
            "full_address",
            "timestamp",
        )
        for value in (0, 1)
    ),
    *(f"ntrace_returns {n}" for n in range(4)),
    *(f"sync_mode {n}" for n in range(4)),
    *(f"incremental {n}" for n in range(3)),
)
KINDS = (
    "plain",
    "exception",
    "interrupt",
    "trap return",
    "not-taken branch",
    "taken branch",
    "indirect call",
    "direct call",
    "indirect jump",
    "direct jump",
    "co-routine swap",
    "return",
    "other indirect jump",
    "other direct jump",
)
SLOTS = ("alone", "first of two", "second of two")
PRIVS = ("U", "S", "M", "VU", "VS")
FULL = ("none", "some", "all")
FILTERS = ("everything", "some modes", "some types")
COUNTED = ("nothing", "1 to 15", "16 and more")
SELECTED = ("nothing", "cycles", "instructions", *(name.replace("_", " ") for name in EVENTS))
WHERE = (
    "before the first event",
    "behind a transfer",
    "behind a trap",
    "behind something else",
    "behind the last event",
)
CYCLES = ("none", "1", "2 to 15", "16 to 4095", "4096 and more")
_ONE = "with one instruction a cycle, each is alone"
_ENDS = "a trap ends its cycle"

INHIBITS = ("M", "S", "U", "VS", "VU")
INHIBITED_COUNTS = ("instructions", "cycles", "an event")
FROZEN = ("breakpoint", "counter overflow")
ANSWERS = ("done", "illegal instruction", "virtual instruction")
OWNERS = ("counters", "records", "neither")
ROWS = ("outside groups", "transaction", "not legal")
_NOBODY = "a register that nobody has is illegal"

POINTS = (
    Point(
        "build_cg",
        "runs by XLEN and instructions a cycle",
        "every unit has other widths and lanes",
        {"xlen": XLENS, "retire": RETIRES},
    ),
    Point(
        "option_cg",
        "options of the trace sources, each by value",
        "trace sources agree with every setting",
        {"option": OPTIONS},
    ),
    Point(
        "kind_cg",
        "what all sources reported alike, by its place in the cycle",
        "units that split a cycle differently lose one of two",
        {"kind": KINDS, "slot": SLOTS},
        {"exception x first of two": _ENDS, "interrupt x first of two": _ENDS},
    ),
    Point(
        "priv_cg",
        "privilege in which instructions ran, by XLEN",
        "each format has its own code of it",
        {"xlen": XLENS, "privilege": PRIVS},
    ),
    Point(
        "entry_cg",
        "entries read, by type of transfer",
        "each type is made from another itype",
        {"type": tuple(TYPES.values()), "xlen": XLENS},
        {"not-taken branch x RV32": "RV32 has no upper half of mctrctl, where NTBREN is"},
    ),
    Point(
        "full_cg",
        "snapshots by depth and entries that were valid",
        "entries that wrapped, entries of before",
        {"depth": ("16", "32"), "valid": FULL},
    ),
    Point(
        "filter_cg",
        "what was recorded, by what was left out",
        "the retire stream must be filtered as the records are",
        {"filter": FILTERS},
    ),
    Point("elapsed_cg", "cycles of the entries read", "CC has a mantissa and an exponent", {"cycles": CYCLES}),
    Point(
        "missed_cg",
        "entries read, by whether they were mispredicted",
        "a bit that is always 0 agrees too",
        {"entry": ("predicted", "mispredicted")},
    ),
    Point(
        "count_cg",
        "selectors, by what they counted between two snapshots",
        "counts must be non-zero",
        {"selector": SELECTED, "counted": COUNTED},
        {
            "nothing x 1 to 15": "it counts nothing",
            "nothing x 16 and more": "it counts nothing",
        },
    ),
    Point(
        "inhibit_cg",
        "modes in which a counter did not count while the hart was in them, by what it counts",
        "the mode of the hart decides about counters alone",
        {"mode": INHIBITS, "counted": INHIBITED_COUNTS},
    ),
    Point(
        "freeze_cg",
        "what froze the records, by XLEN",
        "the cause of a trap decides about records alone",
        {"by": FROZEN, "xlen": XLENS},
    ),
    Point(
        "access_cg",
        "CSR accesses by who has the register and how they ended",
        "the hart gets one of two answers",
        {"owner": OWNERS, "outcome": ANSWERS},
        {"neither x done": _NOBODY, "neither x virtual instruction": _NOBODY},
    ),
    Point(
        "row_cg",
        "rows that the tandem trace alone takes, by slot",
        "they stand between slots that other units take",
        {"row": ROWS, "slot": SLOTS},
    ),
    Point("snapshot_cg", "where software looked", "what has just happened must be in it", {"place": WHERE}),
    Point(
        "item_cg",
        "counters that the tandem trace reported, by XLEN and slot",
        "values for two rows of a cycle",
        {"item": ("mcycle", "minstret"), "xlen": XLENS, "slot": ("slot 0", "slot 1")},
    ),
    Point(
        "stopped_cg",
        "whether the hart waited in some cycles",
        "mcycle is stopped then, timestamps and the cycles of records do not",
        {"waits": ("never", "sometimes")},
    ),
    Point(
        "program_cg",
        "programs with their effects and walks, by XLEN",
        "compiled and random code",
        {"what": ("program", "walk"), "xlen": XLENS},
    ),
)
SUBSYSTEM = Definition("subsystem", POINTS)
