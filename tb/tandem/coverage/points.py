# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the tandem trace: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. They are counted in
`rvtrace.tb.tandem.coverage.sampling`; the names here are the only ones it may count.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import Definition, Point
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.places import KNOWN

if TYPE_CHECKING:
    pass

WIDTHS = ("RV64", "RV32 34", "RV32 32")
# What an implementation chooses. All 36 together are built by tests/tandem/test_sim_implementations.py; here each two
# are.
CHOICES = (
    WIDTHS,
    ("1 lane", "2 lanes"),
    ("Incremental 0", "Incremental 1", "Incremental 2"),
    ("ImpliedEnd 0", "ImpliedEnd 1"),
)
CHOSEN = tuple(f"{a}, {b}" for one, other in combinations(CHOICES, 2) for a in one for b in other)
PARTS = tuple(part.name for part in t.PARTS[2:])
WHERE = ("group", "outside", "init", "reset")
# Fields that have no point of their own: item and key, by name
MORE_FIELDS = {
    f"{item.name} {field.key}": (item.selector["opcode"], field.key)
    for item in t.TABLES[t.VERSION].messages
    for field in item.fields
    if field.key not in KNOWN
}
ITEMS = (*(opcode.name for opcode in t.OPCODES), *MORE_FIELDS)
IDS = tuple(state.name for state in t.STATES)
BASED = ("x", "fcsr", "mcycle", "mcycleh", "minstret", "minstreth")
FORMS = (
    "set",
    "same",
    "difference",
    "-128",
    "127",
    "over 0",
    "full",
    "first",
    "behind reset",
    "beyond by 1",
    "bit above 7",
    "bit cleared",
)
FROM = ("itself", "CSR slot", "lane before")
PCS = (
    "in sequence",
    "over the end",
    "not in sequence",
    "other length",
    "first",
    "behind reset",
    "without instruction",
    "outside groups",
    "behind rows without pc",
)
LENGTHS = ("16 bits", "32 bits", "none")
OPS = tuple(operation.name for operation in t.OPERATIONS)
SIZES = tuple(str(bits) for bits in t.SIZES)
ANSWERS = ("none", "success", "failure")
KINDS = ("instruction", "trap", "reset", "init", "other group", "outside", "flush", "nothing", "illegal")
ILLEGAL = (
    "reset outside",
    "init outside",
    "insn outside",
    "init with insn",
    "init with reset",
    "reset with insn",
    "response alone",
    "operation",
    "flush with more",
)
ROW_BYTES = ("1 to 4", "5 to 16", "17 to 32", "33 to 64", "65 to 128", "129 and more")
WORD_BYTES = ("1", "2 to 7", "8 to 15", "16 to 31", "32 and more")
WAITS = ("none", "1 to 3", "4 to 15", "16 and more")
SPECIAL = ("fflags", "frm", "fcsr", "mcycle", "mcycleh", "minstret", "minstreth", "other")
SLOTS = tuple(str(n) for n in range(t.CSR_SLOTS))
REPLAYED = ("traps", "address spaces or modes", "interrupts")

ABSENT = tuple(t.ABSENT_NAMES)
_GROUP_ONLY = "legal in a group only"
_ONE = "with one part alone it is no pair"


def _pairs() -> dict[str, str]:
    """Pairs that no legal row has, or that are in the other order."""
    rules = {f"{a} x {b}": "the pair is in the other order" for n, a in enumerate(PARTS) for b in PARTS[:n]}
    rules |= {f"{a} x {a}": _ONE for a in PARTS}
    return rules | {"init x insn": "not legal", "reset x init": "not legal", "reset x insn": "not legal"}


POINTS = (
    Point(
        "config_cg",
        "the implementations run: each two choices of addresses, lanes, incremental forms and implied ends",
        "what never ran is not checked, whatever its clauses say; and a choice that is right alone may not be beside"
        " another",
        {"choices": CHOSEN},
    ),
    Point(
        "fp_cg",
        "width of f registers",
        "each has its own length of item 4",
        {"xlen": ("RV32", "RV64"), "flen": ("0", "32", "64")},
    ),
    Point(
        "absent_cg",
        "parts that are not traced, and whether rows have them nevertheless",
        "a part that is left out must leave nothing else out (3.2)",
        {"part": ABSENT, "is": ("traced", "absent", "absent and there")},
    ),
    Point(
        "part_cg",
        "parts by where they are reported",
        "each part has its own path to the bytes",
        {"part": PARTS, "where": WHERE},
        {
            **{f"{part} x outside": _GROUP_ONLY for part in ("reset", "init", "insn")},
            "insn x init": "not legal",
            "insn x reset": "not legal",
            "reset x init": "not legal",
            "init x reset": "not legal",
            "reset x group": "that of a reset",
            "init x group": "that of an initialization",
        },
    ),
    Point(
        "pair_cg",
        "two parts in one row",
        "items after each other at every distance",
        {"first": PARTS, "then": PARTS},
        _pairs(),
    ),
    Point(
        "item_cg",
        "items by width of the implementation",
        "an item's length depends on it",
        {"item": ITEMS, "width": WIDTHS},
    ),
    Point(
        "id_cg",
        "additional state by width of the implementation",
        "an identifier's length depends on it",
        {"identifier": IDS, "width": WIDTHS},
    ),
    Point(
        "x_cg",
        "x registers reported, by form",
        "each has a separate base",
        {"register": tuple(f"x{n}" for n in range(1, 32)), "form": ("full", "difference", "set")},
    ),
    Point(
        "form_cg",
        "forms of registers that can have short ones, by what decides",
        "each limit of a form is one off elsewhere (TV-6)",
        {"register": BASED, "because": FORMS},
    ),
    Point(
        "base_cg",
        "where the base of a short form comes from",
        "the value last reported, by whichever item",
        {"register": BASED, "base": FROM},
        {"x x CSR slot": "x registers are no CSRs"},
    ),
    Point(
        "slot_cg",
        "CSRs that encoders know, by slot",
        "a slot that is ignored leaves a wrong base",
        {"CSR": SPECIAL, "slot": SLOTS},
    ),
    Point(
        "pc_cg",
        "next pcs by what decides and by the instruction",
        "when opcode 3 is right (TV-3)",
        {"pc": PCS, "instruction": LENGTHS},
        {
            **{
                f"{pc} x none": "opcode 3 needs an instruction"
                for pc in ("in sequence", "over the end", "not in sequence", "other length", "behind rows without pc")
            },
            **{f"without instruction x {n}": "it has none" for n in LENGTHS[:2]},
            **{f"outside groups x {n}": _GROUP_ONLY for n in LENGTHS[:2]},
            "behind reset x none": "opcode 3 needs an instruction",
        },
    ),
    Point(
        "request_cg",
        "memory operations by size and answer",
        "which of them have data (TV-2)",
        {"operation": OPS, "bits": SIZES, "answer": ANSWERS},
    ),
    Point(
        "store_cg",
        "store data by size and by the addresses beside it",
        "the data of a store has its own lengths",
        {"bits": SIZES, "addresses": ("no address", "physical", "effective", "both")},
    ),
    Point(
        "next_cg",
        "kinds of rows after each other",
        "what an end that is kept back meets (TV-4)",
        {"row": KINDS, "next row": KINDS},
    ),
    Point(
        "lane_cg",
        "kinds of rows beside each other",
        "lane 1 must see what lane 0 did",
        {"lane 0": KINDS, "lane 1": KINDS},
    ),
    Point(
        "illegal_cg",
        "rows that are refused, by why and by lane",
        "nothing is sent for them",
        {"because": ILLEGAL, "lane": ("lane 0", "lane 1")},
    ),
    Point("bytes_cg", "bytes of a row", "the longest row must fit", {"bytes": ROW_BYTES, "width": WIDTHS}),
    Point("word_cg", "bytes of a word that leaves", "words begin and end anywhere in rows", {"bytes": WORD_BYTES}),
    Point("wait_cg", "cycles between two rows taken", "rows wait, or come without a pause", {"cycles": WAITS}),
    Point(
        "verify_cg",
        "what a program that was replayed did",
        "the verifier sees what happens only",
        {"xlen": ("RV32", "RV64"), "happens": REPLAYED},
    ),
)
TANDEM = Definition("tandem", POINTS)
