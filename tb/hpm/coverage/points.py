# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the counters: what runs must have exercised before a PASS means much.

Each point says what a bin is and why an empty one matters. The points of CSR accesses are made from the register table;
registers that differ by their number only are one. The bins are counted in `rvtrace.tb.hpm.coverage.sampling`; the
names here are the only ones it may count.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import Definition, Point
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import csr_file, csrs
from rvtrace.tb.common.coverage.registers import CSR_OPS, ENDS, MODE_NAMES, outcome_rules

if TYPE_CHECKING:
    pass


XLENS = ("RV32", "RV64")
MODES = ("M", "S", "U", "VS", "VU")
VIEWS = ("cycle", "time", "instret", "hpmcounter")
UNKNOWN = ("h at XLEN 64", "without S", "without H", "without an extension", "any other")
_NUMBER = re.compile(r"\d+")


def family(name: str) -> str:
    """A CSR's name without number: those are one register of many."""
    return _NUMBER.sub("", name)


@cache
def full() -> dict[str, Csr]:
    """One CSR of each name without number, of everything there is."""
    return {family(c.name): c for c in csrs(Config())}


def _csr_rules() -> dict[str, str]:
    found = {name: (csr_file(Config()), csr) for name, csr in full().items()}
    return outcome_rules(found, "no setting of the enables gives that", all_xlens=False)


CSR_POINTS = (
    Point(
        "csr_cg",
        "accesses by register, mode and outcome",
        "the access table, row by row (HPM-8)",
        {"register": tuple(full()), "mode": tuple(MODE_NAMES.values()), "outcome": ENDS},
        _csr_rules(),
    ),
    Point(
        "op_cg",
        "accesses that were done from M-mode, by register and operation",
        "set and clear are separate paths",
        {"register": tuple(full()), "operation": CSR_OPS},
        {f"{name} x {op}": "read-only" for name, csr in full().items() if csr.read_only for op in CSR_OPS[1:2]},
    ),
    Point(
        "enable_cg",
        "views of counters read by mode, and by the three enables",
        "which enables a mode asks, and which refusal comes first (HPM-8)",
        {
            "view": VIEWS,
            "half": ("low", "high"),
            "mode": MODES,
            "mcounteren": ("m 0", "m 1"),
            "scounteren": ("s 0", "s 1"),
            "hcounteren": ("h 0", "h 1"),
        },
    ),
    Point(
        "unknown_cg",
        "addresses that are not there",
        "nothing answers there",
        {"address": UNKNOWN, "mode": ("from M", "from below")},
    ),
    Point(
        "ovf_cg",
        "bits of scountovf read, by mode, OF and enables",
        "it is masked below M-mode (HPM-2)",
        {"mode": ("M", "S", "VS"), "OF": ("OF 0", "OF 1"), "mcounteren": ("m 0", "m 1"), "hcounteren": ("h 0", "h 1")},
    ),
    Point(
        "time_cg",
        "time read, by mode and htimedelta",
        "it is added with V = 1 only",
        {"mode": MODES, "htimedelta": ("0", "positive", "negative")},
    ),
    Point(
        "narrow_cg",
        "accesses at XLEN 32 on a 64-bit hart",
        "half a register is read and written",
        {"register": tuple(full()), "access": ("read", "written")},
        {f"{name} x written": "read-only" for name, csr in full().items() if csr.read_only},
    ),
)


NUMBERS = tuple(f"counter {n}" for n in range(32) if n != 1)
DID = (
    "counted",
    "several at once",
    "low half carried",
    "wrapped",
    "written",
    "written while it counted",
    "OF set",
    "requested",
)
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
SETTINGS = (
    "inhibit on",
    "inhibit off",
    "selector",
    "filter on",
    "filter off",
    "mcyclecfg on",
    "mcyclecfg off",
    "minstretcfg on",
    "minstretcfg off",
)
WHEN = ("counts in that cycle", "counts in the next")

_MUTANTS = "of such an implementation only the mutants are run"
_FIXED = "mcycle and minstret have no OF"
_NARROW = "no increment is so large"
_ONE_ACCESS = "one access in a cycle"


def _pair_rules() -> dict[str, str]:
    access = [kind for kind in COLLIDING if kind != "overflow"]
    rules = {f"{a} x {b} x the same cycle": _ONE_ACCESS for a in access for b in access}
    rules |= {f"{a} x overflow x the same cycle": "counted as overflow with the access" for a in access}
    return rules | {
        "overflow x overflow x the same cycle": "one counter overflows once in a cycle",
        "overflow x counter write x the same cycle": "a counter that is written does not overflow (HPM-4)",
    }


POINTS = (
    Point(
        "run_cg",
        "the implementations run",
        "an implementation that never ran is not checked, whatever its clauses say",
        {"xlen": XLENS, "modes": ("M", "M U", "M S U", "M S U VS VU")},
        {**{f"{xlen} x M": _MUTANTS for xlen in XLENS}, "RV32 x M S U": _MUTANTS, "RV64 x M U": _MUTANTS},
    ),
    Point(
        "extension_cg",
        "implementations with and without each extension",
        "without one its fields and registers are not there",
        {"extension": ("Sscofpmf", "Smcntrpmf", "Shlcofideleg"), "there": BITS},
    ),
    Point(
        "counter_cg",
        "what each counter did",
        "every counter is wired on its own",
        {"counter": NUMBERS, "did": DID},
        {
            "counter 0 x several*": "mcycle counts one a cycle",
            **{f"counter {n} x {did}": _FIXED for n in (0, 2) for did in DID[6:]},
        },
    ),
    Point(
        "width_cg",
        "wraps of programmable counters by width and by how far",
        "a wrap at another bit, or one that is missed",
        {"bits": WIDTHS, "wraps": WRAPS},
        {f"{width} x more than once": _NARROW for width in WIDTHS[2:]},
    ),
    Point(
        "mode_cg",
        "what a counter's selector named happened, by kind of counter, mode, and what became of it",
        "each kind has its own path to the filters",
        {"kind": KINDS, "mode": PRIVS, "became": BECAME},
        {
            "nothing x *": "it names nothing",
            **{f"* x {mode} x stopped": "stopcount is of Debug Mode" for mode in MODES},
        },
    ),
    Point(
        "filter_cg",
        "events in each mode by the mode's filter and by the others'",
        "a filter of the wrong mode",
        {"counter": ("mcycle", "minstret", "event"), "mode": PRIVS, "own": BITS, "others": ("none", "some", "all")},
    ),
    Point(
        "amount_cg",
        "increments of one cycle",
        "several in a cycle all count (HPM-5)",
        {"increment": AMOUNTS, "of": ("instructions", "events")},
        {"255 x instructions": "at most 8 retire"},
    ),
    Point(
        "several_cg",
        "how many counters count in a cycle, and how many different events happen",
        "each counter takes its own (HPM-5)",
        {"counters": HOW_MANY, "events": ("0", *HOW_MANY)},
    ),
    Point(
        "pair_cg",
        "collisions of one counter: what happens in a cycle, and in the same, the next or the one after",
        "all pairs, all orders (HPM-7)",
        {"first": COLLIDING, "then": COLLIDING, "distance": DISTANCES},
        _pair_rules(),
    ),
    Point(
        "write_cg",
        "writes of a counter by half, operation and what it would have done",
        "the written value wins, whole (HPM-4, HPM-6)",
        {"half": HALVES, "operation": OPS, "meanwhile": MEANWHILE},
    ),
    Point(
        "others_cg",
        "writes of a counter by how many others count in that cycle",
        "no other counter loses its event (HPM-4)",
        {"others": ("0", *HOW_MANY)},
    ),
    Point(
        "of_cg",
        "OF before a cycle, as written in it, and whether its counter overflows",
        "which one wins, and which one requests an interrupt (HPM-1)",
        {
            "before": ("OF 0", "OF 1"),
            "written": ("not written", "0 written", "1 written"),
            "overflow": ("no overflow", "overflow"),
        },
    ),
    Point(
        "lcofip_cg",
        "LCOFIP before a cycle, as written in it, and whether a request is made",
        "no request is lost (HPM-1, HPM-7)",
        {
            "before": ("LCOFIP 0", "LCOFIP 1"),
            "written": ("not written", "0 written", "1 written"),
            "request": ("no request", "request"),
        },
    ),
    Point(
        "request_cg",
        "how many counters overflow in a cycle, by how many of their OF bits are 1",
        "one of them may ask while others must not",
        {"overflows": ("1", "2", "3 and more"), "OF 1": ("none", "some", "all")},
        {"1 x some": "it is one"},
    ),
    Point(
        "next_cg",
        "settings that change, by what their counter sees in that cycle and the next",
        "they rule from the next cycle on, not earlier, not later (HPM-7)",
        {"setting": SETTINGS, "events": WHEN},
    ),
    Point(
        "idle_cg",
        "cycles in WFI, by what happens",
        "cycles stop, events do not",
        {"happens": ("nothing", "instructions", "events")},
    ),
)
HPM = Definition("hpm", POINTS + CSR_POINTS)
