"""The coverage points of CTR: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. Here are those of transfers and records; those of CSRs and state are in
`tb.coverage.ctr_csrs`. How they are counted stands in `tb.coverage.ctr_sampling` and `tb.coverage.ctr_sampling_csrs`; the names here
are the only ones they may count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.ctr.config import DEPTHS, VARIANTS
from models.ctr.records import TYPES
from scoreboards.ctr_reasons import FILTERS
from tb.coverage import ctr_csrs
from tb.coverage.ctr_csrs import MODES
from tb.coverage.model import Counts, Definition, Point

if TYPE_CHECKING:
    from scoreboards.ctr_capture import CtrCapture
    from scoreboards.verdict import Verdict

XLENS = ("RV32", "RV64")
KINDS = tuple(f"{code} {name}" for code, name in TYPES.items())
BECAME = ("recorded", "mode disabled", "inhibited", "no opt-in", "frozen", "freezes", "emulated", "ignored in emulation")
TRAP_PAIRS = ("U to S", "U to M", "S to S", "S to M", "M to M", "VU to VS", "VU to S", "VU to M", "VS to VS", "VS to S", "VS to M")
RETURN_PAIRS = ("S to U", "M to U", "M to S", "M to M", "S to S", "VS to VU", "S to VU", "M to VU", "S to VS", "M to VS", "VS to VS")
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
BEHIND = ("a record", "a pop")
CCE_BITS = tuple(f"{n} CCE bits" for n in range(5))
CCES = tuple(f"CCE {n}" for n in range(16))
CCMS = ("CCM 0", "CCM between", "CCM all ones")
INVALID = ("mctrctl written", "sctrctl written", "sctrctl written in VS", "vsctrctl written", "h half written", "SCTRCLR", "emulation", "CCV is 1")
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
    rules = {f"* x {kind} x {pair} x *": _UPWARD for kind in TRANSITIONS[:2] for pair in PAIRS if pair not in TRAP_PAIRS}
    rules |= {f"* x trap return x {pair} x *": "a trap return never goes to a more privileged mode" for pair in PAIRS if pair not in RETURN_PAIRS}
    for pair in PAIRS:
        if pair.split(" to ")[0] == pair.split(" to ")[1]:
            rules |= {f"* x * x {pair} x {state}": "one mode" for state in ENABLED[1:3]}
    return rules


def _count_rules() -> dict[str, str]:
    return {f"{n} CCE bits x CCE {cce} x *": "it saturates before" for n in range(5) for cce in range(1 << n, 16)}


def _group_rules() -> dict[str, str]:
    rules = {f"{slots} x {n} x *": "more records than transfers" for slots in SLOTS for n in EFFECTS if int(n) > int(slots)}
    return rules | {"* x 0 x wraps": "nothing moves WRPTR"}


POINTS = (
    Point("run_cg", "the implementations run", "an implementation that never ran is not checked, whatever its clauses say",
          (VARIANTS, XLENS, tuple(f"{n} a cycle" for n in range(1, 5))), ("variant", "xlen", "transfers"),
          {**{f"v1_0 x RV32 x {n} a cycle": _NOT_BUILT for n in (2, 3, 4)}, "v1_0 x RV64 x 2 *": _NOT_BUILT,
           **{f"v0_1_4 x RV32 x {n} a cycle": _NOT_BUILT for n in (2, 3, 4)}, **{f"v0_1_4 x RV64 x {n} a cycle": _NOT_BUILT for n in (3, 4)}}),
    Point("type_cg", "transfers by type and mode, and what became of them", "each type has its own filter, each mode its own enable",
          (VARIANTS, KINDS, MODES, BECAME), ("variant", "type", "mode", "became"), _type_rules()),
    Point("filter_cg", "transfers of an enabled mode by the filter of their type", "a filter at the wrong place acts on another type",
          (VARIANTS, tuple(name for _, name in FILTERS.values()), ("V=0", "V=1"), BITS), ("variant", "filter", "world", "bit")),
    Point("transition_cg", "traps and trap returns, by which of their modes are enabled", "the table of section Privilege Mode Transitions, cell by cell (CTR-6)",
          (VARIANTS, TRANSITIONS, PAIRS, ENABLED), ("variant", "transfer", "modes", "enabled"), _transition_rules()),
    Point("external_cg", "external traps, by the opt-ins given, with their filter off and on", "the table of section External Traps, and that no filter matters (CTR-4)",
          (OUTWARD, OPT_INS, TRANSITIONS[:2], BITS), ("modes", "opt-ins", "trap", "filter"),
          {f"{pair} x {some} x *": "it needs one opt-in" for pair in ONE_OPT_IN for some in OPT_INS[1:3]}),
    Point("external_draft_cg", "external traps of the draft, by ETEN and the target's opt-in", "both are needed, and no filter matters (CTR-4, CTR-16)",
          (OUTWARD, ("ETEN 0", "ETEN 1"), ("opt-in 0", "opt-in 1"), TRANSITIONS[:2], BITS), ("modes", "ETEN", "opt-in", "trap", "filter")),
    Point("vtrans_cg", "transfers between V=0 and V=1, by their filter in either register", "one register rules, the other looks the same (CTR-3)",
          (VARIANTS, TRANSITIONS, CROSSING, ("mctrctl 0", "mctrctl 1"), ("vsctrctl 0", "vsctrctl 1")), ("variant", "transfer", "modes", "host", "guest"),
          {**{f"* x {kind} x {pair} x *": _UPWARD for kind in TRANSITIONS[:2] for pair in CROSSING if pair not in TRAP_PAIRS},
           **{f"* x trap return x {pair} x *": "a trap return never goes to a more privileged mode" for pair in CROSSING if pair not in RETURN_PAIRS}}),
    Point("freeze_cg", "breakpoints and counter overflows, by the freeze bit in either register", "which register rules depends on the trap's target (CTR-5)",
          (VARIANTS, EVENTS, TRAP_PAIRS, ("mctrctl 0", "mctrctl 1"), ("vsctrctl 0", "vsctrctl 1")), ("variant", "event", "modes", "host", "guest")),
    Point("cause_cg", "causes of traps while both freeze bits are 1", "other causes, and the same cause of the other kind, freeze nothing",
          (VARIANTS, TRANSITIONS[:2], CAUSES), ("variant", "trap", "cause")),
    Point("debug_cg", "Debug Mode entered and left, with BPFRZ off and on", "entry looks like a breakpoint and is none (CTR-15)",
          (("entered from", "left to"), MODES, BITS), ("way", "mode", "BPFRZ")),
    Point("address_cg", "addresses recorded, by their top bit and their lowest", "the ends of a PC are where bits get lost",
          (XLENS, ("source", "target"), ("top 0", "top 1"), ("bit 1 is 0", "bit 1 is 1")), ("xlen", "address", "top", "low")),
    Point("misp_cg", "records by type and misprediction, with and without the field", "MISP is of branches and jumps alone",
          (("MISP", "no MISP"), KINDS[3:], ("right", "wrong")), ("field", "type", "predicted"), {"no MISP x 4 *": "the build without MISP has no NTBREN"}),
    Point("ras_cg", "what emulation did, where, and whether that entry was valid before", "pop when empty, swap on an invalid entry, wrap (CTR-7)",
          (VARIANTS, ACTIONS, PLACES, ("was valid", "was not valid")), ("variant", "action", "place", "entry")),
    Point("ras_filter_cg", "transfers in emulation with their filter set, and external traps with all opt-ins", "filters and opt-ins are ignored there",
          (VARIANTS, (*KINDS[5:7], *KINDS[9:11], "external trap")), ("variant", "transfer")),
    Point("ras_count_cg", "counts of calls and swaps, by what came before", "three policies, each with its own CCV",
          (POLICIES, BEHIND, ("CCV 0", "CCV 1")), ("policy", "behind", "valid"),
          {"policy 0 x * x CCV 1": "this policy has no valid counts", "policy 1 x a pop x CCV 1": "the parent was popped"}),
    Point("count_cg", "counts recorded, by exponent and mantissa", "every boundary of the encoding, at every width (CTR-1)",
          (CCE_BITS, CCES, CCMS), ("width", "CCE", "CCM"), _count_rules()),
    Point("ccv_cg", "why a record's CCV is 0", "each reason is an event of its own (CTR-2)",
          (VARIANTS, INVALID), ("variant", "reason"),
          {"v1_0 x h half written": "v1_0 has no h registers", "v0_1_4 x SCTRCLR": "the draft has no SCTRCLR"}),
    Point("inactive_cg", "cycles between two records that were not counted", "time elsewhere must not count (CTR-2)",
          (VARIANTS, UNCOUNTED), ("variant", "cycles")),
    Point("wrap_cg", "WRPTR wrapped", "at every depth, in both directions (CTR-7)", (VARIANTS, ("up", "down"), DEPTH_NAMES), ("variant", "way", "depth")),
    Point("closed_cg", "records while state enables are closed, by mode", "recording goes on (CTR-12)",
          (VARIANTS, ("mstateen0.CTR = 0", "hstateen0.CTR = 0"), MODES[1:]), ("variant", "closed", "mode"),
          {"* x hstateen* x [SU]": "hstateen0 says nothing of V=0"}),
    Point("group_cg", "transfers of one cycle, records and pops among them, and whether WRPTR wrapped within", "slots hand over the write pointer (CTR-13)",
          (SLOTS, EFFECTS, ("does not wrap", "wraps")), ("transfers", "effects", "WRPTR"), _group_rules()),
)  # fmt: skip
CTR = Definition("ctr", POINTS + ctr_csrs.POINTS)


def sample(capture: CtrCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `CTR.merge` with those of other runs."""
    from tb.coverage.ctr_sampling import observe

    return CTR.stamped(observe(capture, verdict.encoded))
