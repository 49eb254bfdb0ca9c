# SPDX-License-Identifier: Apache-2.0
"""The coverage points of N-Trace: what runs must have exercised before a PASS means much.

Each point says what a bin is and why an empty one matters: first those of the base encoder, then those of its options
(SRC, TSTAMP, Ownership, chapter 9, triggers, filters, resets). The bins are counted in
`rvtrace.tb.ntrace.coverage.sampling`; the names here are the only ones it may count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import Counts, Definition, Point
from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import CLAUSES
from rvtrace.models.ntrace.table import TABLES, VENDOR_TCODES
from rvtrace.tb.common.coverage import port_points
from rvtrace.tb.common.coverage.ingress import GAPS, ITYPES, SIZES, STOP_AFTER
from rvtrace.tb.tci.coverage.points import ControlCoverage
from rvtrace.tb.tci.job import DEFAULTS, params_of

if TYPE_CHECKING:
    from rvtrace.scoreboards.tci.capture import TciCapture


V1_0 = TABLES["v1_0"]
MODES = ("btm", "htm")
VARIANTS = ("v1_0", "rc7")
_KEYS = {kind.name: {*kind.keys} for kind in V1_0.messages}
MESSAGES = tuple(name for name in _KEYS if not name.startswith("Vendor"))
WITH_SYNC = tuple(name for name, keys in _KEYS.items() if "sync" in keys)
WITH_BTYPE = tuple(name for name, keys in _KEYS.items() if "btype" in keys)
WITH_ICNT = tuple(name for name in MESSAGES if {"icnt", "rdata"} & _KEYS[name])
WITH_HIST = tuple(name for name in MESSAGES if {"hist", "rdata"} & _KEYS[name])
SYNCS, BTYPES = V1_0.fields["sync"].bins, V1_0.fields["btype"].bins
ICNT_CLASSES = ("0", "1", "2", "small (3 to 15)", "large", "near full", "full mark or more")
HIST_CLASSES = ("0", "1", "2 to 14", "15 to 30", "full")
PENDING = ("straight code", "straight code with history", "taken branch", "indirect jump", "indirect jump with history",
           "trap", "trap with history")  # fmt: skip

_NEVER_7 = "itype 7 is reserved; only rc7 lets all-jumps use it (chapter 2)"
_NEVER_6 = "a 4-bit itype port sends 8 to 14 instead (seed chapter 2)"
_BTM_ONLY = "the message belongs to BTM (7.2, 7.6)"
_HTM_ONLY = "the message has HIST, which BTM does not (7.9, 7.10)"
_NO_LINK = {"rc7 x 10 *": "rc7: tail calls are not possible", "rc7 x 11 *": "rc7: tail calls are not possible"}


XLENS = ("RV32", "RV64")
ALL_MESSAGES = (*MESSAGES, "Vendor")
SWITCHES = {
    "source": lambda c: c.source_bits > 0,
    "source inhibited": lambda c: c.src_bits > 0 and c.inhibit_src,
    "timestamp": lambda c: c.timestamp,
    "ownership": lambda c: c.ownership and not c.hcontext,
    "ownership with hcontext": lambda c: c.ownership and c.hcontext,
    "extended addresses": lambda c: c.extend_addr_msb,
    "return counter": lambda c: c.implicit_return == 1,
    "return stack, partial": lambda c: c.implicit_return == 2,
    "return stack, full": lambda c: c.implicit_return == 3,
    "repeated history": lambda c: c.repeated_history,
    "RepeatBranch": lambda c: c.repeat_branch,
    "sequential jump": lambda c: c.sequential_jump,
    "all jumps": lambda c: c.all_jumps,
    "filter": lambda c: bool(c.filter),
}
# The last bin of a variable field: it is so many MDO groups long, or longer
_LONGEST = {
    "I-CNT": 5, "F-ADDR": 11, "U-ADDR": 11, "HIST": 6, "RDATA": 7, "HREPEAT": 3, "B-CNT": 4, "PROCESS": 9, "TSTAMP": 11,
    "ECODE": 4, "DATA": 8,
}  # fmt: skip
_VARIABLE = [f.name for f in V1_0.fields.values() if f.width == VARIABLE]
FIELDS = _LONGEST | {name: 11 for name in _VARIABLE if name not in _LONGEST}
# Fields with codes that no point of their own counts
_COUNTED = ("sync", "btype", "rcode", "etype", "evcode")
CODED = tuple(f for f in V1_0.fields.values() if f.codes and f.key not in _COUNTED)
SRC_WIDTHS = tuple(map(str, range(13)))
FORMATS = ("0 V or PRV", "2 scontext", "3 hcontext")
OWNED = ("after a sync", "at a trap or xRET", "a change on linear code")
STACKS = ("counter", "partial", "full")
RETURNS = ("predicted", "told: stack empty", "told: another address")
REPEATS = ("1", "2", "3 to 15", "16 or more", "largest count")
REPEATED = ("taken branch", "indirect jump", "indirect jump with history", "trap")
PATTERNS = ("22", "24", "26", "27", "28", "30", "31")
STATES = ("traced", "left out by the filter", "trace off")
EVENTS = ("reset", "sleep", "debug trigger", "external trigger", "vendor message")
LEFT_AFTER = ("straight code", "branch not taken", "taken branch", "direct jump", "indirect jump", "trap")
ECODES = ("4", "4+8 Ownership", "4+0x80 vendor", "all three")


OPTION_POINTS = (
    Point(
        "option_message_cg",
        "messages sent while an option is on",
        "an option must do its work in every message, not only in the first",
        {"message": ALL_MESSAGES, "option": tuple(SWITCHES)},
    ),
    Point(
        "option_pair_cg",
        "two options on in one run",
        "options share state: the return stack and the held history, SRC and every field after it",
        {"option": tuple(SWITCHES), "other option": tuple(SWITCHES)},
        {
            **{f"{a} x {b}": "each pair counts once" for i, a in enumerate(SWITCHES) for b in tuple(SWITCHES)[: i + 1]},
            "source x source inhibited": "one or the other",
            "ownership x ownership with hcontext": "one or the other",
            "return counter x return stack*": "one or the other",
            "return counter x all jumps": "the counter would miss the direct calls, whose returns then go wrong",
            "return stack, partial x return stack, full": "one or the other",
        },
    ),
    Point(
        "src_cg",
        "width of SRC, by message",
        "every width shifts all that follows within the first bytes (NT-17)",
        {"bits": SRC_WIDTHS, "message": ALL_MESSAGES},
    ),
    Point(
        "field_length_cg",
        "length of a variable field in MDO groups, the shared first byte included",
        "each length is its own path through the packer (3.1)",
        {"field": tuple(FIELDS), "groups": tuple(map(str, range(1, 12)))},
        {
            **{
                f"{name} x {n}": "longer than the field can be"
                for name, most in FIELDS.items()
                for n in range(most + 1, 12)
            },
            **{
                f"{name} x 1": "TCODE fills the first group"
                for name in ("I-CNT", "RDATA", "B-CNT", "PROCESS", "ECODE", "DATA")
            },
            "ECODE x 2": "bit 2 is always set, after ETYPE",
            "RDATA x 2": "a count is full when it is reported, after RCODE",
        },
    ),
    Point(
        "tstamp_cg",
        "TSTAMP by clock source and prescale",
        "each source has its own clock (8.7)",
        {
            "clock": ("external", "internal system", "internal core"),
            "divided by": ("1", "4", "16", "64"),
            "TSTAMP": ("absolute", "difference 0", "difference"),
        },
        {
            "external x 4*": "the prescaler is not in this path",
            "external x 16*": "the prescaler is not in this path",
            "external x 64*": "the prescaler is not in this path",
        },
    ),
    Point(
        "ownership_cg",
        "Ownership by FORMAT and reason",
        "who runs must be known after every sync and every change (7.1)",
        {"FORMAT": FORMATS, "reason": OWNED},
        {
            "0 * x after a sync": "a sync is followed by the context",
            "0 * x a change*": "only traps and xRETs change the privilege",
        },
    ),
    Point(
        "return_cg",
        "returns and co-routine swaps with implicit return on",
        "a return wrongly left out sends the decoder the wrong way (NT-4, NT-5)",
        {"mode": STACKS, "instruction": ("return", "co-routine swap"), "outcome": RETURNS},
        {"counter x * x told: another address": "a counter does not compare addresses; its programs are well-behaved"},
    ),
    Point(
        "history_cg",
        "HREPEAT, and the branches in the repeated HIST; widths of the default build",
        "counts and patterns at their ends (9.3)",
        {"HREPEAT": REPEATS[1:], "branches": PATTERNS},
        {
            "largest count x *": (
                "2^18 - 1 repeats take millions of branches; the small build reaches its own largest count"
            )
        },
    ),
    Point(
        "repeat_cg",
        "RepeatBranch: B-CNT, and what is repeated",
        "a count that is off by one loses or invents a loop (NT-6)",
        {"B-CNT": REPEATS, "repeated": REPEATED},
    ),
    Point(
        "marker_cg",
        "SYNC 0 and 6: what was pending when it was sent",
        "a marker takes over the message that was due (8.5)",
        {"SYNC": ("0 external", "6 watchpoint"), "pending": PENDING, "mode": MODES},
        {"* x taken branch x htm": "a branch is history there", "* with history x btm": "BTM has no HIST"},
    ),
    Point(
        "event_cg",
        "what happened to the hart, and what the trace was doing",
        "events come in every state, and some leave nothing in the trace (NT-22)",
        {"event": EVENTS, "state": STATES},
    ),
    Point(
        "reset_cg",
        "SYNC 1: what was pending when the hart was reset",
        "the counts before the reset must not be lost (table 25)",
        {"pending": PENDING, "mode": MODES},
        {
            "*straight code with history x btm": "BTM has no HIST",
            "*jump with history x btm": "BTM has no HIST",
            "taken branch *": "its own message goes first",
            "trap*": "a trap without a handler is not reported",
        },
    ),
    Point(
        "filter_cg",
        "kinds of filter conditions that were in force while blocks were left out",
        "each condition has its own comparator (chapter 4)",
        {"condition": tuple(port_points.TERMS), "mode": MODES},
    ),
    Point(
        "filter_edge_cg",
        "what the last qualified block was when the filter closed",
        "a flow change without its target (NT-13)",
        {"last block": LEFT_AFTER, "mode": MODES},
    ),
    Point(
        "sequential_cg",
        "sequentially inferable jumps at the port",
        "the load and the jump must be counted together (9.1)",
        {
            "jump": ("uninferable jump", "uninferable call", "return", "co-routine swap"),
            "place": ("load in the same block", "jump alone in its block"),
            "outcome": ("inferred", "told"),
        },
        {"* x load in the same block x told": "the pair is in one count"},
    ),
    Point(
        "extend_cg",
        "extended addresses: MDO groups and the top bit sent",
        "one group too few turns a user address into a kernel one (8.2)",
        {"field": ("F-ADDR", "U-ADDR"), "xlen": XLENS, "groups": tuple(map(str, range(1, 12))), "top bit": ("0", "1")},
        {
            **{f"* x RV32 x {n} x *": "31 bits fit in 6 groups" for n in range(7, 12)},
            "* x RV32 x 6 x 1": "bit 31 of the sixth group is not there",
            "* x RV64 x 11 x 1": "63 bits do not fill the last group",
        },
    ),
    Point(
        "vendor_cg",
        "vendor-defined messages by TCODE and length of DATA",
        "they share the queue and must not disturb the flow (6.1)",
        {"TCODE": tuple(map(str, VENDOR_TCODES)), "groups": tuple(map(str, range(2, 9)))},
    ),
    Point("ecode_cg", "ECODE of Error", "what was lost must be reported (7.4)", {"ECODE": ECODES}),
    Point(
        "ruling_cg",
        "rules of the encoder by which a message was sent (docs/how-to/add-a-clause.md)",
        "table 26, the rulings and every corner case of the specification",
        {"clause": tuple(CLAUSES)},
        {"NT.7.1.priv_change": "only traps and xRETs change the privilege, and these have NT.7.1.trap"},
    ),
)
if CODED:
    OPTION_POINTS += (
        Point(
            "code_cg",
            "codes of the fields that no other point counts",
            "each code is a case of its own",
            {"code": tuple(f"{f.name} {text}" for f in CODED for text in f.bins)},
        ),
    )

POINTS = (
    Point(
        "run_cg",
        "the configurations run",
        "a mode that never ran is not checked, whatever its clauses say",
        {"mode": MODES, "variant": VARIANTS, "xlen": ("RV32", "RV64"), "blocks a cycle": ("1 lane", "2 lanes")},
    ),
    Point(
        "itype_cg",
        "itype of the blocks at the ingress port",
        "each itype has its own row in tables 3 and 4",
        {"variant": VARIANTS, "itype": ITYPES},
        {"v1_0 x 7 *": _NEVER_7, "* x 6 *": _NEVER_6, **_NO_LINK},
    ),
    Point(
        "itype_pair_cg",
        "itypes of two blocks that follow each other",
        "what a block leaves pending is resolved by the next one: each pair is a different hand-over",
        {"first": ITYPES, "second": ITYPES},
        {
            "6 *": _NEVER_6,
            "* x 6 *": _NEVER_6,
            **{
                glob: "a port that says 7 says it of every direct jump, and rc7 has no tail calls"
                for n in ("9 *", "10 *", "11 *", "15 *")
                for glob in (f"7 * x {n}", f"{n} x 7 *")
            },
        },
    ),
    Point(
        "message_cg",
        "messages sent, by type",
        "chapter 7 message by message, in each mode and variant",
        {"message": MESSAGES, "mode": MODES, "variant": VARIANTS},
        {
            "DirectBranch x htm *": _BTM_ONLY,
            "DirectBranchSync x htm *": _BTM_ONLY,
            "IndirectBranchHist x btm *": _HTM_ONLY,
            "IndirectBranchHistSync x btm *": _HTM_ONLY,
        },
    ),
    Point(
        "sync_cg",
        "SYNC codes, by message",
        "each reason to synchronize has its own trigger (table 25)",
        {"SYNC": SYNCS, "message": WITH_SYNC},
        {
            "9 * x [!P]*": "tracing starts with ProgTraceSync",
            **dict.fromkeys(
                ("1 * x DirectBranchSync", "1 * x IndirectBranchSync"),
                "the profile reports a reset by ProgTraceSync or IndirectBranchHistSync",
            ),
            "3 * x [!P]*": "tracing starts with ProgTraceSync",
            "5 * x [!P]*": "tracing starts with ProgTraceSync",
            "7 * x [!P]*": "tracing restarts with ProgTraceSync",
            "4 * x [!I]*": "the profile reports a full I-CNT with HIST by IndirectBranchHistSync",
            "4 * x IndirectBranchSync": "the profile reports a full I-CNT with HIST by IndirectBranchHistSync",
        },
    ),
    Point(
        "btype_cg",
        "B-TYPE codes, by message",
        "a trap reported as a jump sends the decoder the wrong way (NT-11)",
        {"B-TYPE": BTYPES, "message": WITH_BTYPE},
    ),
    Point(
        "evcode_cg",
        "ProgTraceCorrelation: EVCODE, closing a trace or as a marker while trace is off",
        "table 26 requires markers that carry nothing",
        {"EVCODE": ("0 debug entry", "1 low power", "4 trace disabled"), "mode": MODES, "use": ("closing", "marker")},
    ),
    Point(
        "rcode_cg",
        "ResourceFull: RCODE",
        "counters that wrap silently lose instructions (8.3.1, 8.4.4)",
        {"RCODE": ("0 I-CNT", "1 HIST", "2 HIST repeated"), "mode": MODES, "variant": VARIANTS},
        {"[12] * x btm *": "BTM has no HIST"},
    ),
    Point(
        "full_together_cg",
        "I-CNT and HIST full after the same block, or one alone",
        "the order of the two messages (NT-23)",
        {"which": ("I-CNT alone", "HIST alone", "I-CNT then HIST"), "variant": VARIANTS},
    ),
    Point(
        "icnt_cg",
        "I-CNT value, by message; near full: the upper half below the full mark 2^(ICNT_BITS-1)",
        "0 and the full mark are where counters are forgotten or cleared twice",
        {"message": WITH_ICNT, "I-CNT": ICNT_CLASSES},
        {
            "DirectBranch* x 0": "the branch itself is counted",
            "ProgTraceSync x full*": "ResourceFull comes first",
            "ResourceFull x [!f]*": "RCODE=0 is sent at the full mark",
        },
    ),
    Point(
        "hist_cg",
        "number of branches in HIST, by message",
        "empty and full HIST change which message is sent (NT-9, NT-10)",
        {"message": WITH_HIST, "branches": HIST_CLASSES},
        {
            "IndirectBranchHist* x 0": "the profile sends the form without HIST then (NT-10)",
            "IndirectBranchHist x full": "a full HIST is sent before any flow change can be pending",
            "ResourceFull x [01]": "the profile sends RCODE=1 when HIST is full, or a pattern of more than half of it",
        },
    ),
    Point(
        "hist_length_cg",
        "number of branches in any HIST, one bin each",
        "stop bit and boundaries at every length",
        {"branches": tuple(map(str, range(32)))},
    ),
    Point(
        "address_cg",
        "length of an address field in MDO groups of 6 bits",
        "leading zeros are dropped by groups: each length is its own path through the packer (8.1)",
        {"field": ("F-ADDR", "U-ADDR"), "xlen": ("RV32", "RV64"), "groups": tuple(map(str, range(1, 12)))},
        {f"* x RV32 x {n}": "31 bits fit in 6 groups" for n in range(7, 12)},
    ),
    Point(
        "length_cg",
        "message length in bytes",
        "the packer aligns and the queue stores each length differently",
        {"bytes": tuple(map(str, range(2, 24)))},
    ),
    port_points.trap("the trap itself is simple, its neighbourhood is not (NT-12, table 26)"),
    Point(
        "periodic_cg",
        "periodic sync (SYNC=2): what was pending when it was sent",
        "the sync takes over the message that was due (NT-20)",
        {"inst_sync_mode": ("messages", "cycles", "half-words"), "pending": PENDING, "mode": MODES},
        {"* x taken branch x htm": "a branch is history there", "* with history x btm": "BTM has no HIST"},
    ),
    Point(
        "stop_cg",
        "what the last traced block was when tracing stopped",
        "a flow change without its target (NT-13)",
        {"last block": STOP_AFTER, "stop": ("trace off", "debug entry"), "mode": MODES},
    ),
    port_points.control("enable, trace and halt in every order and in the same cycle (NT-22)"),
    port_points.EDGE_BLOCK,
    Point(
        "blocks_cg",
        "blocks in an accepted cycle",
        "lane 1 sees the state that lane 0 left",
        {"lanes": ("1 lane", "2 lanes"), "blocks": ("0 blocks", "1 block", "2 blocks")},
        {"1 lane x 2 blocks": "one lane holds one block"},
    ),
    port_points.iretire("I-CNT adds it; 0 is a trap before any instruction"),
    Point(
        "ilastsize_cg",
        "size of the last instruction of a block, by itype",
        "the next address depends on it",
        {"itype": ITYPES, "size": SIZES},
        {"6 *": _NEVER_6, "3 * x 16 bit": "xRET has 32 bits"},
    ),
    Point(
        "overflow_cg",
        "messages lost in an overflow and what followed the Error",
        "nothing may be lost silently (NT-14)",
        {
            "case": (
                "Error then SYNC=7",
                "Error then a later start",
                "Error is the last message",
                "two Errors in one run",
                "no room, but no message to lose",
            ),
            "mode": MODES,
        },
    ),
    port_points.stall("messages"),
    Point(
        "back_pressure_cg",
        "cycles between two bytes of one message",
        "a held byte must not change (ready low)",
        {"gap": GAPS},
    ),
    port_points.privilege("traps and returns between all modes"),
)

_SYSTEM = ControlCoverage(params_of(Config(**DEFAULTS["ntrace"])))  # of trace systems
NTRACE = Definition("ntrace", POINTS + OPTION_POINTS + _SYSTEM.points)


def sample_tci(capture: TciCapture) -> Counts:
    """The stamped counts of one run of the trace system."""
    return NTRACE.stamped(_SYSTEM.observe(capture))
