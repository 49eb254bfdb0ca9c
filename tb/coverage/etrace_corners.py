"""Coverage points of E-Trace beside packets: ingress port, corner cases of the algorithm, resources, transport.

Counted by `tb.coverage.etrace_sampling_port` and `tb.coverage.etrace_sampling`; the points of packets are in `tb.coverage.etrace_points`.
"""

from __future__ import annotations

from models.etrace.packets import OPTIONS, VARIANTS
from tb.coverage.ingress import (
    BACKLOGS,
    EFFECTS,
    GAPS,
    IRETIRE_CLASSES,
    ITYPES,
    LEVELS,
    PRIVS,
    SIZES,
    STOP_AFTER,
    TRAP_PLACES,
)
from tb.coverage.model import Point

LANES = ("1 lane", "2 lanes", "4 lanes")
CHAINS = ("1 trap", "2 traps", "3 traps", "4 or more")
CHAIN_PLACES = ("behind an instruction", "at an uninferable jump's target", "first thing traced")
CAUSES = ("enable", "inst_tracing", "halted", "reset", "options", "filter")
LAST = (*STOP_AFTER, "nothing")
ENDS = ("ended_ntr behind a sync", "ended_ntr behind an uninferable jump's target", "ended_ntr behind a notify", "ended_rep behind the last address", "ended_rep behind a trap")
CTYPES = ("unreported", "imprecise", "precise", "asynchronous", "notification")
CONTEXT_PLACES = ("straight code", "branch", "direct jump", "indirect jump", "trap")
RESYNCS = ("packets", "cycles", "half-words")
PENDING = ("nothing", "branches", "returns", "branches and returns")
STATES = ("00 not taken", "01 not taken", "10 taken", "11 taken")
LOOKUPS = ("hit, index sent", "hit, another packet is as short", "hit, a sync follows", "hit, branches counted", "miss, entry empty", "miss, entry of another address")
TERMS = {
    "iaddr": "iaddr", "context": "context", "tval": "tval", "privilege": "priv=", "ecause": "ecause=", "trap": "trap=", "latch": "->", "two filters": "|",
    "watchpoint": "watch=",
}  # fmt: skip
LOSSES = ("trace_lost, then a sync", "trace_lost, then another support packet", "trace_lost is the last packet", "trace_lost twice in one run", "no room, but nothing to lose")
FRAMINGS = ("none", "zeros", "blocks")
FILLS = ("none", "1 byte", "2 to 15 bytes", "16 or more")
PAIRS = ("load in the same block", "load in the block before", "no load right before")
JUMPS = ("jump", "call", "return")

_NEVER_6 = "a 4-bit itype port sends 8 to 14 instead"
_NEVER_7 = "v2_0 has no itype 7; that of draft is counted as 12"
_TRAP_ENDS = "a trap is in the last block of its cycle"
NOT_BEFORE = {
    **{f"ET.alg.first x {what}": "a support packet comes before the first instruction" for what in ("nothing", "an address", "a map*", "another*", "a context*")},
    **{f"ET.alg.{reason} x nothing": "a support packet came before" for reason in ("ppccd", "resync", "trap", "trap_again", "reported")},
    **{f"ET.alg.{reason} x a support*": "the first instruction is told by ET.alg.first" for reason in ("ppccd", "resync")},
    **{f"ET.alg.{reason} x a context*": "the instruction before a trap is told by its address" for reason in ("trap", "trap_again")},
    **{f"ET.alg.reported x {what}": "its trap was told right before" for what in ("an address", "a map*", "a support*", "a context*")},
}  # fmt: skip

POINTS = (
    Point("itype_cg", "itype of the blocks at the ingress port", "each itype has its own place in the algorithm (ET-1)",
          (VARIANTS, ITYPES), ("variant", "itype"),
          {"v2_0 x 7 *": "reserved", "draft* x 6 *": "reserved", "draft* x 13 *": "a hart of ours reports the return that it cannot infer as 12"}),
    Point("itype_pair_cg", "itypes of two blocks that follow each other", "what a block leaves pending is resolved by the next one: each pair is a different hand-over",
          (ITYPES, ITYPES), ("first", "second"), {"6 *": _NEVER_6, "* x 6 *": _NEVER_6, "7 *": _NEVER_7, "* x 7 *": _NEVER_7}),
    Point("lane_pair_cg", "itypes of two blocks in neighbouring lanes of one cycle", "lane 1 sees the state that lane 0 left (ET-17)",
          (LANES[1:], ITYPES, ITYPES), ("lanes", "first", "second"),
          {"* x 6 * x *": _NEVER_6, "* x * x 6 *": _NEVER_6, "* x 7 * x *": _NEVER_7, "* x * x 7 *": _NEVER_7,
           "* x 1 exc* x *": _TRAP_ENDS, "* x 2 int* x *": _TRAP_ENDS}),
    Point("blocks_cg", "blocks in an accepted cycle", "all lanes in use, and some", (LANES, tuple(map(str, range(5)))), ("lanes", "blocks"),
          {"1 lane x [234]": "one lane", "2 lanes x [34]": "two lanes"}),
    Point("made_cg", "packets made by one cycle", "a packer takes one a cycle: the rest must wait, not vanish (ET-17)",
          (LANES, ("0", "1", "2", "3", "4 or more")), ("lanes", "packets")),
    Point("iretire_cg", "half-words retired by a block; widest: within one instruction of the field's end", "0 is a trap before any instruction", (IRETIRE_CLASSES,), ("iretire",)),
    Point("ilastsize_cg", "size of the last instruction of a block, by itype", "the return address and the last address depend on it",
          (ITYPES, SIZES), ("itype", "size"), {"6 *": _NEVER_6, "7 *": _NEVER_7, "3 * x 16 bit": "xRET has 32 bits", "1[45] * x 16 bit": "a jump of 16 bits has no register but a link register or x0"}),
    Point("trap_cg", "where a trap struck", "the trap itself is simple, its neighbourhood is not (ET-2, ET-3, ET-8)",
          (TRAP_PLACES, ("exception", "interrupt")), ("place", "trap")),
    Point("chain_cg", "traps without an instruction between them", "one packet for each trap, never more (ET-2)",
          (CHAIN_PLACES, CHAINS, VARIANTS), ("place", "traps", "variant")),
    Point("privilege_cg", "privilege of two events that follow each other", "traps and returns between all modes (ET-7, ET-10)",
          (PRIVS, PRIVS), ("from", "to"),
          {**{f"{p} x {p}": "no change" for p in PRIVS},
           **{f"{a} x {b}": "no trap or return goes this way" for a, b in (("U", "VU"), ("U", "VS"), ("VU", "U"), ("VS", "U"))}}),
    Point("context_cg", "where a context changed, by how ctype reports it", "precise, imprecise and silent changes, at every kind of place (ET-15); only the draft has notifications",
          (CTYPES, CONTEXT_PLACES), ("ctype", "behind")),
    Point("notify_cg", "instructions that were to be notified", "the request must survive whatever else is told of the instruction (ET-6)",
          (ITYPES, ("trigger", "watchpoint")), ("itype", "by"),
          {"1 exc*": "the instruction before a trap has itype 0", "2 int*": "the instruction before a trap has itype 0", "6 *": _NEVER_6, "7 *": _NEVER_7}),
    Point("stop_cg", "what the last traced block was, by what ended trace", "the last address is told, and whether it was told for that (ET-16)",
          (LAST, CAUSES), ("last block", "cause"), {"nothing x filter": "a filter that accepts nothing ends nothing"}),
    Point("end_cg", "qual_status at the end, by the packet before it", "ended_rep and ended_ntr tell which round of a loop was the last (ET-6, ET-16)",
          (ENDS, VARIANTS), ("end", "variant"), {"ended_ntr behind a notify x draft*": "draft has no notify"}),
    Point("control_cg", "control levels that changed, and what it did to tracing", "enable, trace and halt in every order and in the same cycle",
          (LEVELS, EFFECTS), ("change", "tracing"),
          {f"{level} x {effect}": "this level alone cannot do that"
           for effect, levels in (("starts", ("enable falls", "tracing falls", "halt")), ("stops", ("enable rises", "tracing rises", "resume"))) for level in levels}),
    Point("edge_block_cg", "whether the cycle in which tracing starts or stops also carries a block", "off by one block at the edges is the classic mistake",
          (("starts", "stops"), ("with a block", "without")), ("tracing", "cycle")),
    Point("reconfigured_cg", "options switched while the encoder is enabled", "packets in flight have the old options, the next one the new",
          (OPTIONS, ("on", "off"), ("traced", "not traced")), ("option", "to", "state")),
    Point("resync_cg", "what was pending at a resynchronization", "it is told with the address before the sync (ET-4)",
          (RESYNCS, PENDING), ("inst_sync_mode", "pending")),
    Point("predictor_cg", "outcome of a branch, by the state of its entry", "every transition of the predictor, also of entries that several branches share (ET-11)",
          (STATES, ("taken", "not taken")), ("state", "outcome")),
    Point("cache_cg", "targets looked up in the jump target cache", "the index is sent only where it is right and shorter (ET-12)", (LOOKUPS,), ("lookup",)),
    Point("sijump_cg", "jumps reported as sequentially inferable", "both halves of the pair must be traced and adjacent (ET-13)",
          (JUMPS, PAIRS, ("option on", "option off")), ("jump", "pair", "option")),
    Point("filter_cg", "conditions of the filters in force while some blocks were left out", "each comparison has its own input", (tuple(TERMS),), ("condition",)),
    Point("overflow_cg", "packets lost and what followed", "nothing may be lost silently (ET-16, ET-17)", (LOSSES,), ("case",)),
    Point("stall_cg", "packets waiting while the port stood still, by inst_stall_ena", "stalling must start in time and end again", (("stall", "overflow"), BACKLOGS), ("setting", "backlog")),
    Point("back_pressure_cg", "cycles between two bytes of the transported stream", "a held byte must not change (ready low)", (GAPS,), ("gap",)),
    Point("transport_cg", "encapsulation and framing, with and without timestamps", "each combination is a format of its own",
          (("messaging", "atb"), FRAMINGS, ("timestamp", "no timestamp")), ("encapsulation", "framing", "timestamp")),
    Point("header_cg", "index width and flow of messages", "the header's fields move what follows", (("0", "8", "16"), tuple(map(str, range(4)))), ("index_width", "flow")),
    Point("fill_cg", "bytes left at the end of a block", "a packet may end right at the end of a block", (("64", "128", "256", "512", "1024"), FILLS), ("block_bytes", "fill")),
)  # fmt: skip
