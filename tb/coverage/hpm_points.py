"""The coverage points of the counters: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. Here are those of counting, writes and overflow; those of accesses are in
`tb.coverage.hpm_csrs`. How they are counted stands in `tb.coverage.hpm_sampling`; the names here are the only ones it may count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb.coverage import hpm_csrs
from tb.coverage.hpm_csrs import MODES, XLENS
from tb.coverage.model import Counts, Definition, Point

if TYPE_CHECKING:
    from scoreboards.hpm_capture import HpmCapture
    from scoreboards.verdict import Verdict

NUMBERS = tuple(f"counter {n}" for n in range(32) if n != 1)
DID = ("counted", "several at once", "low half carried", "wrapped", "written", "written while it counted", "OF set", "requested")
WIDTHS = ("1", "2 to 7", "8 to 31", "32", "33 to 63", "64")
WRAPS = ("to 0", "beyond 0", "more than once")
KINDS = ("mcycle", "minstret", "nothing", "cycles", "instructions", "first event", "last event", "other event")
PRIVS = (*MODES, "Debug")
BECAME = ("counts", "filtered", "inhibited", "stopped")
BITS = ("0", "1")
AMOUNTS = ("1", "2", "3", "4 to 7", "8 to 254", "255")
HOW_MANY = ("1", "2", "3 to 7", "8 to 31")
COLLIDING = ("inhibit", "counter write", "event write", "overflow", "LCOFIP write", "OF clear")
DISTANCES = ("the same cycle", "the next cycle", "two cycles on")
HALVES = ("low half", "high half", "whole")
OPS = ("write", "set", "clear")
MEANWHILE = ("nothing counted", "it would count", "it would carry", "it would wrap")
SETTINGS = ("inhibit on", "inhibit off", "selector", "filter on", "filter off", "mcyclecfg on", "mcyclecfg off", "minstretcfg on", "minstretcfg off")
WHEN = ("counts in that cycle", "counts in the next")

_PLANTS = "of such an implementation only the planted bugs are run"
_FIXED = "mcycle and minstret have no OF"
_NARROW = "no increment is so large"
_ONE_ACCESS = "one access in a cycle"


def _pair_rules() -> dict[str, str]:
    access = [kind for kind in COLLIDING if kind != "overflow"]
    rules = {f"{a} x {b} x the same cycle": _ONE_ACCESS for a in access for b in access}
    rules |= {f"{a} x overflow x the same cycle": "counted as overflow with the access" for a in access}
    return rules | {"overflow x overflow x the same cycle": "one counter overflows once in a cycle",
                    "overflow x counter write x the same cycle": "a counter that is written does not overflow (HPM-4)"}  # fmt: skip


POINTS = (
    Point("run_cg", "the implementations run", "an implementation that never ran is not checked, whatever its clauses say",
          (XLENS, ("M", "M U", "M S U", "M S U VS VU")), ("xlen", "modes"),
          {**{f"{xlen} x M": _PLANTS for xlen in XLENS}, "RV32 x M S U": _PLANTS, "RV64 x M U": _PLANTS}),
    Point("extension_cg", "implementations with and without each extension", "without one its fields and registers are not there",
          (("Sscofpmf", "Smcntrpmf", "Shlcofideleg"), BITS), ("extension", "there")),
    Point("counter_cg", "what each counter did", "every counter is wired on its own",
          (NUMBERS, DID), ("counter", "did"),
          {"counter 0 x several*": "mcycle counts one a cycle", **{f"counter {n} x {did}": _FIXED for n in (0, 2) for did in DID[6:]}}),
    Point("width_cg", "wraps of programmable counters by width and by how far", "a wrap at another bit, or one that is missed",
          (WIDTHS, WRAPS), ("bits", "wraps"), {f"{width} x more than once": _NARROW for width in WIDTHS[2:]}),
    Point("mode_cg", "what a counter's selector named happened, by kind of counter, mode, and what became of it", "each kind has its own path to the filters",
          (KINDS, PRIVS, BECAME), ("kind", "mode", "became"),
          {"nothing x *": "it names nothing", **{f"* x {mode} x stopped": "stopcount is of Debug Mode" for mode in MODES}}),
    Point("filter_cg", "events in each mode by the mode's filter and by the others'", "a filter of the wrong mode",
          (("mcycle", "minstret", "event"), PRIVS, BITS, ("none", "some", "all")), ("counter", "mode", "own", "others")),
    Point("amount_cg", "increments of one cycle", "several in a cycle all count (HPM-5)", (AMOUNTS, ("instructions", "events")), ("increment", "of"),
          {"255 x instructions": "at most 8 retire"}),
    Point("several_cg", "how many counters count in a cycle, and how many different events happen", "each counter takes its own (HPM-5)",
          (HOW_MANY, ("0", *HOW_MANY)), ("counters", "events")),
    Point("pair_cg", "collisions of one counter: what happens in a cycle, and in the same, the next or the one after", "all pairs, all orders (HPM-7)",
          (COLLIDING, COLLIDING, DISTANCES), ("first", "then", "distance"), _pair_rules()),
    Point("write_cg", "writes of a counter by half, operation and what it would have done", "the written value wins, whole (HPM-4, HPM-6)",
          (HALVES, OPS, MEANWHILE), ("half", "operation", "meanwhile")),
    Point("others_cg", "writes of a counter by how many others count in that cycle", "no other counter loses its event (HPM-4)",
          (("0", *HOW_MANY),), ("others",)),
    Point("of_cg", "OF before a cycle, as written in it, and whether its counter overflows", "who wins, and who asks for an interrupt (HPM-1)",
          (("OF 0", "OF 1"), ("not written", "0 written", "1 written"), ("no overflow", "overflow")), ("before", "written", "overflow")),
    Point("lcofip_cg", "LCOFIP before a cycle, as written in it, and whether a request is made", "no request is lost (HPM-1, HPM-7)",
          (("LCOFIP 0", "LCOFIP 1"), ("not written", "0 written", "1 written"), ("no request", "request")), ("before", "written", "request")),
    Point("request_cg", "how many counters overflow in a cycle, by how many of their OF bits are 1", "one of them may ask while others must not",
          (("1", "2", "3 and more"), ("none", "some", "all")), ("overflows", "OF 1"), {"1 x some": "it is one"}),
    Point("next_cg", "settings that change, by what their counter sees in that cycle and the next", "they rule from the next cycle on, not earlier, not later (HPM-7)",
          (SETTINGS, WHEN), ("setting", "events")),
    Point("idle_cg", "cycles in WFI, by what happens", "cycles stop, events do not", (("nothing", "instructions", "events"),), ("happens",)),
)  # fmt: skip
HPM = Definition("hpm", POINTS + hpm_csrs.POINTS)


def sample(capture: HpmCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `HPM.merge` with those of other runs."""
    from tb.coverage.hpm_sampling import observe

    return HPM.stamped(observe(capture, verdict.encoded))
