# SPDX-License-Identifier: Apache-2.0
"""The coverage points of CTR: what runs must have exercised before a PASS means much.

Each point says what a bin is and why an empty one matters. Register points are made from the register table; outcomes
that no access can have are found by asking the rules with every setting. The bins are counted in
`rvtrace.tb.ctr.coverage.sampling`; the names here are the only ones it may count.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import CROSS, Definition, Point
from rvtrace.models.ctr.config import DEPTHS, VARIANTS, Config
from rvtrace.models.ctr.records import TYPES
from rvtrace.models.ctr.registers import csr_file, csrs
from rvtrace.models.riscv.csr import DONE
from rvtrace.scoreboards.ctr.reasons import FILTERS
from rvtrace.tb.common.coverage.registers import CSR_OPS, ENDS, MODE_NAMES, outcome_rules

if TYPE_CHECKING:
    pass


MODES = ("M", "S", "U", "VS", "VU")
OPS = CSR_OPS
VALUES = ("0", "1")
VIEWS = ("m", "s", "vs", "s in VS")
WHATS = (
    "control",
    "status",
    "depth",
    "guest control",
    "select",
    "guest select",
    "entry",
    "no entry",
    "guest entry",
    "guest no entry",
    "SCTRCLR",
)
SETTINGS = tuple(f"m {m} h {h}" for m in ("-", "C", "I", "CI") for h in ("-", "C", "I", "CI"))
PARTS = ("ctrsource", "ctrtarget", "ctrdata")
CSR_KINDS = ("reset", "record", "popped", "write", "narrow", "clear", "depth")
AT = ("0", "1", "between", "last", "at the depth", "255")
NAMES = tuple(map(str, DEPTHS))
UNKNOWN = ("the other variant's", "h at XLEN 64", "without S", "without H", "any other", "SCTRCLR of the draft")
NARROW = ("control", "guest control", "status", "state enable", "select", *PARTS)
SELECTS = ("an entry", "below", "above", "high bits set")
TOGETHER = (
    "status written",
    "status set",
    "status cleared",
    "status read",
    "control written",
    "entry written",
    "entry read",
    "select written",
    "depth written",
    "SCTRCLR",
)
CLEARS = ("SCTRCLR", "CLR by m", "CLR by s", "CLR by vs, V=0", "CLR by vs, V=1")
CODES = tuple(f"v1_0 {n}" for n in range(8)) + tuple(f"v0_1_4 {n}" for n in range(16))


@cache
def full(variant: str) -> Config:
    """Everything there is."""
    return Config(variant=variant)


def registers() -> tuple[str, ...]:
    """`variant name` of every CSR."""
    return tuple(f"{variant} {c.name}" for variant in VARIANTS for c in csrs(full(variant)))


def _csr_rules() -> dict[str, str]:
    found = {f"{v} {c.name}": (csr_file(full(v)), c) for v in VARIANTS for c in csrs(full(v))}
    return outcome_rules(found, "no setting of state enables and selects gives that")


def _op_rules() -> dict[str, str]:
    return {f"v1_0 mireg* x {op}": "mireg selects nothing in v1_0" for op in OPS}


def fields() -> Iterator[tuple[str, str, str, int]]:
    """variant, view, field, highest value of every bit field of the control registers, as each view shows it."""
    for variant in VARIANTS:
        for c in csrs(full(variant)):
            if c.high or not ("ctrctl" in c.name or "ctrcontrol" in c.name):
                continue
            view = "vs" if c.name[0] == "v" else c.name[0]
            for f in c.fields:
                if f.width == 1:
                    most = int(f.access != "RO" and f.access != "W1" and f.legal.mask != 0)
                    yield variant, view, f.name, most
                    if view == "s":
                        yield variant, "s in VS", f.name, most


def _field_bins() -> tuple[str, ...]:
    return tuple(
        CROSS.join((variant, view, name, value))
        for variant, view, name, most in fields()
        for value in VALUES[: most + 1]
    )


def _stateen_rules() -> dict[str, str]:
    rules = {f"* x {setting} x *": "a bit of hstateen0 is 0 where mstateen0's is" for setting in SETTINGS
             if set(setting.split()[3]) - set(setting.split()[1]) - {"-"}}  # fmt: skip
    return rules | {
        "v0_1_4 x * x depth x *": "the draft has no sctrdepth",
        "v0_1_4 x * x SCTRCLR x *": "the draft has no SCTRCLR",
    }


CSR_POINTS = (
    Point(
        "csr_cg",
        "accesses by register and mode, and how they ended",
        "each register has its own rule of access (CTR-12)",
        {"register": registers(), "mode": tuple(MODE_NAMES.values()), "outcome": ENDS},
        _csr_rules(),
    ),
    Point(
        "op_cg",
        "accesses that were done, by register and operation",
        "set and clear are separate paths",
        {"register": registers(), "operation": OPS},
        _op_rules(),
    ),
    Point(
        "unknown_cg",
        "addresses that are not there",
        "nothing answers there",
        {"address": UNKNOWN, "mode": ("from M", "from below")},
    ),
    Point(
        "control_cg",
        "values read of control register fields, through each view",
        "each field is kept, or is 0 (CTR-11)",
        {"field": _field_bins()},
    ),
    Point(
        "left_out_cg",
        "values read of fields that are not implemented",
        "they are 0 although ones were written",
        {"variant": VARIANTS, "view": ("m", "s", "vs")},
        {"v0_1_4 x *s": "where a build of the draft leaves fields out, there is no S-mode"},
    ),
    Point(
        "preserve_cg",
        "writes through the supervisor's view, by what M and MTE were",
        "they stay (CTR-11)",
        {"variant": VARIANTS, "operation": OPS[1:], "M": ("M 0", "M 1"), "MTE": ("MTE 0", "MTE 1")},
    ),
    Point(
        "stateen_cg",
        "settings of the state enables (C: CTR, I: bit 60), by what was accessed from where",
        "which refusal comes first (CTR-12)",
        {"variant": VARIANTS, "enables": SETTINGS, "access": WHATS, "mode": MODES},
        _stateen_rules(),
    ),
    Point(
        "stateen_value_cg",
        "bits of the state enables read",
        "hstateen0 is 0 where mstateen0 is",
        {
            "variant": VARIANTS,
            "bit": ("mstateen0.CTR", "mstateen0[60]", "hstateen0.CTR", "hstateen0[60]"),
            "value": VALUES,
        },
    ),
    Point(
        "depth_cg",
        "changes of depth",
        "up, down and none, with records before (CTR-10)",
        {"variant": VARIANTS, "from": NAMES, "to": NAMES},
    ),
    Point(
        "depth_value_cg",
        "values of DEPTH written, where they are supported and where not",
        "discovery, reserved codes, WARL (CTR-10)",
        {"code": CODES, "support": ("supported", "not supported")},
        {
            **{f"v1_0 {n} x supported": "reserved" for n in (5, 6, 7)},
            **{f"v0_1_4 {n} x supported": "no depth has this code" for n in range(16) if n not in (0, 1, 3, 7, 15)},
        },
    ),
    Point(
        "entry_cg",
        "logical entries read, by depth",
        "the ends of the buffer, and what is beyond (CTR-10)",
        {"variant": VARIANTS, "depth": NAMES, "entry": AT},
        {"* x 256 x at the depth": "there is no such entry", "* x 256 x 255": "that is the last"},
    ),
    Point(
        "origin_cg",
        "entry registers read, by where their content comes from",
        "reset, records, software and clears each write differently",
        {"register": PARTS, "from": CSR_KINDS},
    ),
    Point(
        "select_cg",
        "accesses through a window, by what its iselect selects",
        "entries are 0x200 to 0x2FF",
        {"window": ("mireg", "sireg", "vsireg", "sireg in VS"), "iselect": SELECTS},
    ),
    Point(
        "window_cg",
        "entry registers read through each window",
        "all show the same entries",
        {"window": ("mireg", "sireg", "vsireg", "sireg in VS"), "register": PARTS},
    ),
    Point(
        "narrow_cg",
        "accesses at XLEN 32 on a 64-bit hart",
        "half a register is written (CTR-15)",
        {"register": NARROW, "operation": OPS},
    ),
    Point(
        "status_cg",
        "the status written, by WRPTR, FROZEN and mode",
        "WRPTR is modulo the depth",
        {
            "variant": VARIANTS,
            "mode": ("M", "S", "VS"),
            "WRPTR": ("WRPTR below", "WRPTR at or above the depth"),
            "FROZEN": ("FROZEN 0", "FROZEN 1"),
        },
    ),
    Point(
        "together_cg",
        "accesses in the cycle of records",
        "the records come first (CTR-13)",
        {"access": TOGETHER, "records": ("one", "several")},
    ),
    Point(
        "clear_cg",
        "clears, by mode and FROZEN",
        "what they leave alone (CTR-14)",
        {"clear": CLEARS, "mode": ("M", "S", "VS"), "FROZEN": ("FROZEN 0", "FROZEN 1")},
        {
            "CLR by m x [SV]*": "mctrcontrol is M-mode's",
            "CLR by s x VS *": "that is vsctrcontrol",
            "CLR by vs, V=0 x VS *": "V is 1",
            "CLR by vs, V=1 x [MS] *": "V is 0",
        },
    ),
)
assert DONE == 0


XLENS = ("RV32", "RV64")
KINDS = tuple(f"{code} {name}" for code, name in TYPES.items())
BECAME = (
    "recorded",
    "mode disabled",
    "inhibited",
    "no opt-in",
    "frozen",
    "freezes",
    "emulated",
    "ignored in emulation",
)
TRAP_PAIRS = (
    "U to S",
    "U to M",
    "S to S",
    "S to M",
    "M to M",
    "VU to VS",
    "VU to S",
    "VU to M",
    "VS to VS",
    "VS to S",
    "VS to M",
)
RETURN_PAIRS = (
    "S to U",
    "M to U",
    "M to S",
    "M to M",
    "S to S",
    "VS to VU",
    "S to VU",
    "M to VU",
    "S to VS",
    "M to VS",
    "VS to VS",
)
PAIRS = tuple(dict.fromkeys(TRAP_PAIRS + RETURN_PAIRS))
CROSSING = tuple(pair for pair in PAIRS if pair.startswith("V") != pair.split(" to ")[1].startswith("V"))
OUTWARD = tuple(pair for pair in TRAP_PAIRS if pair.split(" to ")[0] != pair.split(" to ")[1])
TRANSITIONS = ("exception", "interrupt", "trap return")
ENABLED = ("neither", "source", "target", "both")
OPT_INS = ("none", "target alone", "some between", "all")
ONE_OPT_IN = ("U to S", "S to M", "VU to VS", "VS to S")
EVENTS = ("breakpoint", "LCOFI")
BITS = ("0", "1")
CAUSES = ("3", "13", "0", "1 to 15", "16 and more")
ACTIONS = ("indirect call", "direct call", "return", "swap")
PLACES = ("entry 0", "between", "last entry")
POLICIES = ("policy 0", "policy 1", "policy 2")
AFTER = ("a record", "a pop")
CCE_BITS = tuple(f"{n} CCE bits" for n in range(5))
CCES = tuple(f"CCE {n}" for n in range(16))
CCMS = ("CCM 0", "CCM between", "CCM all ones")
INVALID = (
    "mctrctl written",
    "sctrctl written",
    "sctrctl written in VS",
    "vsctrctl written",
    "h half written",
    "SCTRCLR",
    "emulation",
    "CCV is 1",
)
UNCOUNTED = ("none", "disabled mode", "frozen", "Debug Mode")
DEPTH_NAMES = tuple(map(str, DEPTHS))
SLOTS = ("1", "2", "3", "4")
EFFECTS = ("0", "1", "2", "3", "4")
EMULATED = ("8", "9", "12", "13")

_UPWARD = "a trap never goes to a less privileged mode"
_NO_RETURN = "there is no trap return in this mode"
_NOT_BUILT = "no such implementation is simulated"
_POPS = {kind: "emulation acts on calls, swaps and returns alone" for kind in KINDS if kind.split()[0] not in EMULATED}


def _type_rules() -> dict[str, str]:
    rules = {f"* x 3 * x {mode} x *": _NO_RETURN for mode in ("U", "VU")}
    for kind in KINDS:
        number = kind.split()[0]
        if number in EMULATED:
            rules[f"* x {kind} x * x ignored in emulation"] = "emulation does something with it"
        else:
            rules[f"* x {kind} x * x emulated"] = _POPS[kind]
        if number not in ("1", "2"):
            rules[f"* x {kind} x * x no opt-in"] = "only traps are external"
            rules[f"* x {kind} x * x freezes"] = "only traps freeze"
        rules["* x [12] * x M x no opt-in"] = "a trap from M goes to M"
    return rules


def _transition_rules() -> dict[str, str]:
    rules = {
        f"* x {kind} x {pair} x *": _UPWARD for kind in TRANSITIONS[:2] for pair in PAIRS if pair not in TRAP_PAIRS
    }
    rules |= {
        f"* x trap return x {pair} x *": "a trap return never goes to a more privileged mode"
        for pair in PAIRS
        if pair not in RETURN_PAIRS
    }
    for pair in PAIRS:
        if pair.split(" to ")[0] == pair.split(" to ")[1]:
            rules |= {f"* x * x {pair} x {state}": "one mode" for state in ENABLED[1:3]}
    return rules


def _count_rules() -> dict[str, str]:
    return {f"{n} CCE bits x CCE {cce} x *": "it saturates before" for n in range(5) for cce in range(1 << n, 16)}


def _group_rules() -> dict[str, str]:
    rules = {
        f"{slots} x {n} x *": "more records than transfers" for slots in SLOTS for n in EFFECTS if int(n) > int(slots)
    }
    return rules | {"* x 0 x wraps": "nothing moves WRPTR"}


POINTS = (
    Point(
        "run_cg",
        "the implementations run",
        "an implementation that never ran is not checked, whatever its clauses say",
        {"variant": VARIANTS, "xlen": XLENS, "transfers": tuple(f"{n} a cycle" for n in range(1, 5))},
        {
            **{f"v1_0 x RV32 x {n} a cycle": _NOT_BUILT for n in (2, 3, 4)},
            "v1_0 x RV64 x 2 *": _NOT_BUILT,
            **{f"v0_1_4 x RV32 x {n} a cycle": _NOT_BUILT for n in (2, 3, 4)},
            **{f"v0_1_4 x RV64 x {n} a cycle": _NOT_BUILT for n in (3, 4)},
        },
    ),
    Point(
        "type_cg",
        "transfers by type and mode, and what became of them",
        "each type has its own filter, each mode its own enable",
        {"variant": VARIANTS, "type": KINDS, "mode": MODES, "became": BECAME},
        _type_rules(),
    ),
    Point(
        "filter_cg",
        "transfers of an enabled mode by the filter of their type",
        "a filter at the wrong place acts on another type",
        {
            "variant": VARIANTS,
            "filter": tuple(name for _, name in FILTERS.values()),
            "world": ("V=0", "V=1"),
            "bit": BITS,
        },
    ),
    Point(
        "transition_cg",
        "traps and trap returns, by which of their modes are enabled",
        "the table of section Privilege Mode Transitions, cell by cell (CTR-6)",
        {"variant": VARIANTS, "transfer": TRANSITIONS, "modes": PAIRS, "enabled": ENABLED},
        _transition_rules(),
    ),
    Point(
        "external_cg",
        "external traps, by the opt-ins given, with their filter off and on",
        "the table of section External Traps, and that no filter matters (CTR-4)",
        {"modes": OUTWARD, "opt-ins": OPT_INS, "trap": TRANSITIONS[:2], "filter": BITS},
        {f"{pair} x {some} x *": "it needs one opt-in" for pair in ONE_OPT_IN for some in OPT_INS[1:3]},
    ),
    Point(
        "external_draft_cg",
        "external traps of the draft, by ETEN and the target's opt-in",
        "both are needed, and no filter matters (CTR-4, CTR-16)",
        {
            "modes": OUTWARD,
            "ETEN": ("ETEN 0", "ETEN 1"),
            "opt-in": ("opt-in 0", "opt-in 1"),
            "trap": TRANSITIONS[:2],
            "filter": BITS,
        },
    ),
    Point(
        "vtrans_cg",
        "transfers between V=0 and V=1, by their filter in either register",
        "one register rules, the other looks the same (CTR-3)",
        {
            "variant": VARIANTS,
            "transfer": TRANSITIONS,
            "modes": CROSSING,
            "host": ("mctrctl 0", "mctrctl 1"),
            "guest": ("vsctrctl 0", "vsctrctl 1"),
        },
        {
            **{
                f"* x {kind} x {pair} x *": _UPWARD
                for kind in TRANSITIONS[:2]
                for pair in CROSSING
                if pair not in TRAP_PAIRS
            },
            **{
                f"* x trap return x {pair} x *": "a trap return never goes to a more privileged mode"
                for pair in CROSSING
                if pair not in RETURN_PAIRS
            },
        },
    ),
    Point(
        "freeze_cg",
        "breakpoints and counter overflows, by the freeze bit in either register",
        "which register rules depends on the trap's target (CTR-5)",
        {
            "variant": VARIANTS,
            "event": EVENTS,
            "modes": TRAP_PAIRS,
            "host": ("mctrctl 0", "mctrctl 1"),
            "guest": ("vsctrctl 0", "vsctrctl 1"),
        },
    ),
    Point(
        "cause_cg",
        "causes of traps while both freeze bits are 1",
        "other causes, and the same cause of the other kind, freeze nothing",
        {"variant": VARIANTS, "trap": TRANSITIONS[:2], "cause": CAUSES},
    ),
    Point(
        "debug_cg",
        "Debug Mode entered and left, with BPFRZ off and on",
        "entry looks like a breakpoint and is none (CTR-15)",
        {"way": ("entered from", "left to"), "mode": MODES, "BPFRZ": BITS},
    ),
    Point(
        "address_cg",
        "addresses recorded, by their top bit and their lowest",
        "the ends of a PC are where bits get lost",
        {
            "xlen": XLENS,
            "address": ("source", "target"),
            "top": ("top 0", "top 1"),
            "low": ("bit 1 is 0", "bit 1 is 1"),
        },
    ),
    Point(
        "misp_cg",
        "records by type and misprediction, with and without the field",
        "MISP is of branches and jumps alone",
        {"field": ("MISP", "no MISP"), "type": KINDS[3:], "predicted": ("right", "wrong")},
        {"no MISP x 4 *": "the build without MISP has no NTBREN"},
    ),
    Point(
        "ras_cg",
        "what emulation did, where, and whether that entry was valid before",
        "pop when empty, swap on an invalid entry, wrap (CTR-7)",
        {"variant": VARIANTS, "action": ACTIONS, "place": PLACES, "entry": ("was valid", "was not valid")},
    ),
    Point(
        "ras_filter_cg",
        "transfers in emulation with their filter set, and external traps with all opt-ins",
        "filters and opt-ins are ignored there",
        {"variant": VARIANTS, "transfer": (*KINDS[5:7], *KINDS[9:11], "external trap")},
    ),
    Point(
        "ras_count_cg",
        "counts of calls and swaps, by what came before",
        "three policies, each with its own CCV",
        {"policy": POLICIES, "after": AFTER, "valid": ("CCV 0", "CCV 1")},
        {
            "policy 0 x * x CCV 1": "this policy has no valid counts",
            "policy 1 x a pop x CCV 1": "the parent was popped",
        },
    ),
    Point(
        "count_cg",
        "counts recorded, by exponent and mantissa",
        "every boundary of the encoding, at every width (CTR-1)",
        {"width": CCE_BITS, "CCE": CCES, "CCM": CCMS},
        _count_rules(),
    ),
    Point(
        "ccv_cg",
        "why a record's CCV is 0",
        "each reason is a separate event (CTR-2)",
        {"variant": VARIANTS, "reason": INVALID},
        {"v1_0 x h half written": "v1_0 has no h registers", "v0_1_4 x SCTRCLR": "the draft has no SCTRCLR"},
    ),
    Point(
        "inactive_cg",
        "cycles between two records that were not counted",
        "time elsewhere must not count (CTR-2)",
        {"variant": VARIANTS, "cycles": UNCOUNTED},
    ),
    Point(
        "wrap_cg",
        "WRPTR wrapped",
        "at every depth, in both directions (CTR-7)",
        {"variant": VARIANTS, "way": ("up", "down"), "depth": DEPTH_NAMES},
    ),
    Point(
        "closed_cg",
        "records while state enables are closed, by mode",
        "recording goes on (CTR-12)",
        {"variant": VARIANTS, "closed": ("mstateen0.CTR = 0", "hstateen0.CTR = 0"), "mode": MODES[1:]},
        {"* x hstateen* x [SU]": "hstateen0 says nothing of V=0"},
    ),
    Point(
        "group_cg",
        "transfers of one cycle, records and pops among them, and whether WRPTR wrapped within",
        "slots hand over the write pointer (CTR-13)",
        {"transfers": SLOTS, "effects": EFFECTS, "WRPTR": ("does not wrap", "wraps")},
        _group_rules(),
    ),
)
CTR = Definition("ctr", POINTS + CSR_POINTS)
