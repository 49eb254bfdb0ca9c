"""Coverage points of the options of N-Trace: SRC, TSTAMP, Ownership, chapter 9, triggers, filters, resets.

Counted by `tb.coverage.sampling_options`; the points of the base encoder are in `tb.coverage.points`.
"""

from __future__ import annotations

from models.ntrace.encoder import CLAUSES
from tb.coverage.model import Point

MODES = ("btm", "htm")
XLENS = ("RV32", "RV64")
ALL_MESSAGES = (
    "Ownership", "DirectBranch", "IndirectBranch", "Error", "ProgTraceSync", "DirectBranchSync", "IndirectBranchSync", "ResourceFull",
    "IndirectBranchHist", "IndirectBranchHistSync", "RepeatBranch", "ProgTraceCorrelation", "Vendor",
)  # fmt: skip
SWITCHES = {
    "source": lambda c: c.source_bits > 0, "source inhibited": lambda c: c.src_bits > 0 and c.inhibit_src, "timestamp": lambda c: c.timestamp,
    "ownership": lambda c: c.ownership and not c.hcontext, "ownership with hcontext": lambda c: c.ownership and c.hcontext,
    "extended addresses": lambda c: c.extend_addr_msb, "return counter": lambda c: c.implicit_return == 1,
    "return stack, partial": lambda c: c.implicit_return == 2, "return stack, full": lambda c: c.implicit_return == 3,
    "repeated history": lambda c: c.repeated_history, "RepeatBranch": lambda c: c.repeat_branch,
    "sequential jump": lambda c: c.sequential_jump, "all jumps": lambda c: c.all_jumps, "filter": lambda c: bool(c.filter),
}  # fmt: skip
FIELDS = {
    "I-CNT": 5, "F-ADDR": 11, "U-ADDR": 11, "HIST": 6, "RDATA": 7, "HREPEAT": 3, "B-CNT": 4, "PROCESS": 9, "TSTAMP": 11, "ECODE": 4, "DATA": 8,
}  # fmt: skip
SRC_WIDTHS = tuple(map(str, range(13)))
FORMATS = ("0 V or PRV", "2 scontext", "3 hcontext")
OWNED = ("after a sync", "at a trap or xRET", "a change on linear code")
STACKS = ("counter", "partial", "full")
RETURNS = ("predicted", "told: stack empty", "told: another address")
REPEATS = ("1", "2", "3 to 15", "16 or more", "largest count")
REPEATED = ("taken branch", "indirect jump", "indirect jump with history", "trap")
PATTERNS = ("22", "24", "26", "27", "28", "30", "31")
PENDING = ("straight code", "straight code with history", "taken branch", "indirect jump", "indirect jump with history", "trap", "trap with history")
STATES = ("traced", "left out by the filter", "trace off")
EVENTS = ("reset", "sleep", "debug trigger", "external trigger", "vendor message")
LEFT_AFTER = ("straight code", "branch not taken", "taken branch", "direct jump", "indirect jump", "trap")
TERMS = {
    "iaddr": "iaddr", "context": "context", "tval": "tval", "privilege": "priv=", "ecause": "ecause=", "trap": "trap=", "latch": "->",
    "two filters": "|", "watchpoint": "watch=",
}  # fmt: skip
ECODES = ("4", "4+8 Ownership", "4+0x80 vendor", "all three")

_BTM_ONLY = "the message belongs to BTM (7.2, 7.6)"
_HTM_ONLY = "the message has HIST, which BTM does not (7.9, 7.10)"

POINTS = (
    Point("option_message_cg", "messages sent while an option is on", "an option must do its work in every message, not only in the first",
          (ALL_MESSAGES, tuple(SWITCHES)), ("message", "option")),
    Point("option_pair_cg", "two options on in one run", "options share state: the return stack and the held history, SRC and every field behind it",
          (tuple(SWITCHES), tuple(SWITCHES)), ("option", "option"),
          {**{f"{a} x {b}": "each pair counts once" for i, a in enumerate(SWITCHES) for b in tuple(SWITCHES)[: i + 1]},
           "source x source inhibited": "one or the other", "ownership x ownership with hcontext": "one or the other",
           "return counter x return stack*": "one or the other", "return counter x all jumps": "the counter would miss the direct calls, whose returns then go wrong", "return stack, partial x return stack, full": "one or the other"}),
    Point("src_cg", "width of SRC, by message", "every width shifts all that follows within the first bytes (NT-17)",
          (SRC_WIDTHS, ALL_MESSAGES), ("bits", "message")),
    Point("field_length_cg", "length of a variable field in MDO groups, the shared first byte included", "each length is its own path through the packer (3.1)",
          (tuple(FIELDS), tuple(map(str, range(1, 12)))), ("field", "groups"),
          {**{f"{name} x {n}": "longer than the field can be" for name, most in FIELDS.items() for n in range(most + 1, 12)},
           **{f"{name} x 1": "TCODE fills the first group" for name in ("I-CNT", "RDATA", "B-CNT", "PROCESS", "ECODE", "DATA")},
           "ECODE x 2": "bit 2 is always set, behind ETYPE", "RDATA x 2": "a count is full when it is told, behind RCODE"}),
    Point("tstamp_cg", "TSTAMP by clock source and prescale", "each source has its own clock (8.7)",
          (("external", "internal system", "internal core"), ("1", "4", "16", "64"), ("absolute", "difference 0", "difference")),
          ("clock", "divided by", "TSTAMP"), {"external x 4*": "the prescaler is not in this path", "external x 16*": "the prescaler is not in this path",
                                               "external x 64*": "the prescaler is not in this path"}),
    Point("ownership_cg", "Ownership by FORMAT and reason", "who runs must be known after every sync and every change (7.1)",
          (FORMATS, OWNED), ("FORMAT", "reason"), {"0 * x after a sync": "a sync is followed by the context", "0 * x a change*": "only traps and xRETs change the privilege"}),
    Point("return_cg", "returns and co-routine swaps with implicit return on", "a return wrongly left out sends the decoder the wrong way (NT-4, NT-5)",
          (STACKS, ("return", "co-routine swap"), RETURNS), ("mode", "instruction", "outcome"),
          {"counter x * x told: another address": "a counter does not compare addresses; its programs are well-behaved"}),
    Point("history_cg", "HREPEAT, and the branches in the repeated HIST; widths of the default build", "counts and patterns at their ends (9.3)",
          (REPEATS[1:], PATTERNS), ("HREPEAT", "branches"), {"largest count x *": "2^18 - 1 repeats take millions of branches; the small build reaches its own largest count"}),
    Point("repeat_cg", "RepeatBranch: B-CNT, and what is repeated", "a count that is off by one loses or invents a loop (NT-6)",
          (REPEATS, REPEATED), ("B-CNT", "repeated")),
    Point("marker_cg", "SYNC 0 and 6: what was pending when it was sent", "a marker takes over the message that was due (8.5)",
          (("0 external", "6 watchpoint"), PENDING, MODES), ("SYNC", "pending", "mode"),
          {"* x taken branch x htm": "a branch is history there", "* with history x btm": "BTM has no HIST"}),
    Point("event_cg", "what happened to the hart, and what the trace was doing", "events come in every state, and some leave nothing behind (NT-22)",
          (EVENTS, STATES), ("event", "state")),
    Point("reset_cg", "SYNC 1: what was pending when the hart was reset", "the counts before the reset must not be lost (table 25)",
          (PENDING, MODES), ("pending", "mode"), {"*straight code with history x btm": "BTM has no HIST", "*jump with history x btm": "BTM has no HIST",
           "taken branch *": "its own message goes first", "trap*": "a trap without a handler is not told"}),
    Point("filter_cg", "kinds of filter conditions that were in force while blocks were left out", "each condition has its own comparator (chapter 4)",
          (tuple(TERMS), MODES), ("condition", "mode")),
    Point("filter_edge_cg", "what the last qualified block was when the filter closed", "a flow change without its target (NT-13)",
          (LEFT_AFTER, MODES), ("last block", "mode")),
    Point("sequential_cg", "sequentially inferable jumps at the port", "the load and the jump must be counted together (9.1)",
          (("uninferable jump", "uninferable call", "return", "co-routine swap"), ("load in the same block", "jump alone in its block"), ("inferred", "told")),
          ("jump", "place", "outcome"), {"* x load in the same block x told": "the pair is in one count"}),
    Point("extend_cg", "extended addresses: MDO groups and the top bit sent", "one group too few turns a user address into a kernel one (8.2)",
          (("F-ADDR", "U-ADDR"), XLENS, tuple(map(str, range(1, 12))), ("0", "1")), ("field", "xlen", "groups", "top bit"),
          {**{f"* x RV32 x {n} x *": "31 bits fit in 6 groups" for n in range(7, 12)}, "* x RV32 x 6 x 1": "bit 31 of the sixth group is not there",
           "* x RV64 x 11 x 1": "63 bits do not fill the last group"}),
    Point("vendor_cg", "vendor-defined messages by TCODE and length of DATA", "they share the queue and must not disturb the flow (6.1)",
          (tuple(map(str, range(56, 63))), tuple(map(str, range(2, 9)))), ("TCODE", "groups")),
    Point("ecode_cg", "ECODE of Error", "what was lost must be told (7.4)", (ECODES,), ("ECODE",)),
    Point("ruling_cg", "rules of the encoder by which a message was sent (docs/clauses.md)", "table 26, the rulings and every corner case of the specification",
          (tuple(CLAUSES),), ("clause",), {"NT.7.1.priv_change": "only traps and xRETs change the privilege, and these have NT.7.1.trap"}),
)  # fmt: skip
