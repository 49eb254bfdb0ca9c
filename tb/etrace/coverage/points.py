# SPDX-License-Identifier: Apache-2.0
"""The coverage points of E-Trace: what runs must have exercised before a PASS means much.

Each point says what a bin is and why an empty one matters: first those of packets and fields, then those of the ingress
port and of corner cases. The bins are counted in `rvtrace.tb.etrace.coverage.sampling`; the names here are the only
ones it may count.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import Counts, Definition, Point
from rvtrace.models.etrace.config import ENCAP_FRAMINGS, EXAMPLE_FRAMINGS, Config
from rvtrace.models.etrace.encoder.encode import CLAUSES
from rvtrace.models.etrace.table import MAP_LENGTHS, OPTIONS, QUAL_STATUS, TABLES, VARIANTS
from rvtrace.tb.common.coverage import port_points
from rvtrace.tb.common.coverage.ingress import GAPS, ITYPES, SIZES, STOP_AFTER
from rvtrace.tb.tci.coverage.points import ControlCoverage
from rvtrace.tb.tci.job import DEFAULTS, params_of

if TYPE_CHECKING:
    from rvtrace.scoreboards.tci.capture import TciCapture


COUNTS = ("branch count", "branch count, address", "branch count, address of a failed branch")
KINDS = (
    *COUNTS,
    "jump target index",
    "branch map, no address",
    "branch map, address",
    "address",
    "start",
    "trap",
    "context",
    "support",
)
XLENS = ("RV32", "RV64")
BRANCHES = (*map(str, range(1, 32)), "31 without address")
LENGTHS = tuple(f"{variant} {length} bits" for variant, lengths in MAP_LENGTHS.items() for length in lengths)
PATTERNS = ("all taken", "none taken", "mixed")
BYTES = tuple(map(str, range(1, 23)))  # 22: trap with tval in the builds that are run
ADDRESS_BYTES = tuple(map(str, range(1, 9)))
WITH_ADDRESS = ("branch count", "branch map", "address")
SIGNS = ("positive", "negative")
FLAGS = ("none", "notify", "updiscon", "irreport", "notify and irreport", "updiscon and irreport")
FIELDS = {"context in 3.0 and 3.1": 4, "context in 3.2": 4, "tval": 8, "start address": 8, "trap address": 8, "time": 5}
# Fields whose values have points of their own, or are in FIELDS; any other one of the table is counted by its bytes
POINTED = {
    "subformat", "branch", "branches", "branch_map", "branch_count", "branch_fmt", "no_mispred", "index", "address",
    "notify", "updiscon", "irreport", "irdepth", "privilege", "time", "context", "ecause", "interrupt", "thaddr",
    "tval", "ienable", "encoder_mode", "qual_status", "ioptions", "denable", "dloss", "doptions",
}  # fmt: skip
MORE_FIELDS = {  # name: packet, key, bytes
    f"{of.name} {field.key}": (of.name, field.key, (field.width + 7) // 8 if isinstance(field.width, int) else 8)
    for table in TABLES.values()
    for of in table.messages
    for field in of.fields
    if field.key not in POINTED
}
FIELDS |= {name: most for name, (_, _, most) in MORE_FIELDS.items()}
COUNT_CLASSES = ("0", "1 to 15", "16 to 255", "256 to 4095", "4096 or more", "greatest")
COUNT_LIMITS = (1, 16, 256, 4096)
DEPTHS = tuple(map(str, range(17)))
DEEP = ("stack of 16", "stack of 2", "counter up to 3")
BRANCH_BITS = ("not a branch", "taken", "not taken")
BEFORE_SYNC = ("nothing", "an address", "a map or count", "a support packet", "another sync", "a context packet")
SYNCS = tuple(
    c for c in ("ET.alg.first", "ET.alg.ppccd", "ET.alg.resync", "ET.alg.trap", "ET.alg.trap_again", "ET.alg.reported")
)

_DRAFT_COUNTS = "draft: the address comes in a separate packet"
_V2_ONLY = "draft reports a trap once, at its handler"
_NO_STACK = "draft has a counter only, and no anchors"


LANES = ("1 lane", "2 lanes", "4 lanes")
CHAINS = ("1 trap", "2 traps", "3 traps", "4 or more")
CHAIN_PLACES = ("behind an instruction", "at an uninferable jump's target", "first thing traced")
CAUSES = ("enable", "inst_tracing", "halted", "reset", "options", "filter")
LAST = (*STOP_AFTER, "nothing")
ENDS = (
    "ended_ntr behind a sync",
    "ended_ntr behind an uninferable jump's target",
    "ended_ntr behind a notify",
    "ended_rep behind the last address",
    "ended_rep behind a trap",
)
CTYPES = ("unreported", "imprecise", "precise", "asynchronous", "notification")
CONTEXT_PLACES = ("straight code", "branch", "direct jump", "indirect jump", "trap")
RESYNCS = ("packets", "cycles", "half-words")
PENDING = ("nothing", "branches", "returns", "branches and returns")
STATES = ("00 not taken", "01 not taken", "10 taken", "11 taken")
LOOKUPS = (
    "hit, index sent",
    "hit, another packet is as short",
    "hit, a sync follows",
    "hit, branches counted",
    "miss, entry empty",
    "miss, entry of another address",
)
LOSSES = (
    "trace_lost, then a sync",
    "trace_lost, then another support packet",
    "trace_lost is the last packet",
    "trace_lost twice in one run",
    "no room, but nothing to lose",
)
SOURCES = ("no srcID", "1 to 7 bits", "8 bits", "9 to 15 bits", "16 bits")
TYPES = ("no type", "a type of 1 bit", "a type of 2 to 4 bits")
STAMPS = ("0", "1", "2", "3 to 7", "8")  # bytes
FILLS = ("none", "1 byte", "2 to 15 bytes", "16 or more")
PAIRS = ("load in the same block", "load in the block before", "no load right before")
JUMPS = ("jump", "call", "return")

_NEVER_6 = "a 4-bit itype port sends 8 to 14 instead"
_NEVER_7 = "v2_0 has no itype 7; that of draft is counted as 12"
_TRAP_ENDS = "a trap is in the last block of its cycle"
NOT_BEFORE = {
    **{
        f"ET.alg.first x {what}": "a support packet comes before the first instruction"
        for what in ("nothing", "an address", "a map*", "another*", "a context*")
    },
    **{
        f"ET.alg.{reason} x nothing": "a support packet came before"
        for reason in ("ppccd", "resync", "trap", "trap_again", "reported")
    },
    **{
        f"ET.alg.{reason} x a support*": "the first instruction is reported by ET.alg.first"
        for reason in ("ppccd", "resync")
    },
    **{
        f"ET.alg.{reason} x a context*": "the instruction before a trap is reported by its address"
        for reason in ("trap", "trap_again")
    },
    **{
        f"ET.alg.reported x {what}": "its trap was reported immediately before"
        for what in ("an address", "a map*", "a support*", "a context*")
    },
}

CORNER_POINTS = (
    Point(
        "itype_cg",
        "itype of the blocks at the ingress port",
        "each itype has its own place in the algorithm (ET-1)",
        {"variant": VARIANTS, "itype": ITYPES},
        {
            "v2_0 x 7 *": "reserved",
            "draft* x 6 *": "reserved",
            "draft* x 13 *": "a hart of ours reports the return that it cannot infer as 12",
        },
    ),
    Point(
        "itype_pair_cg",
        "itypes of two blocks that follow each other",
        "what a block leaves pending is resolved by the next one: each pair is a different hand-over",
        {"first": ITYPES, "second": ITYPES},
        {"6 *": _NEVER_6, "* x 6 *": _NEVER_6, "7 *": _NEVER_7, "* x 7 *": _NEVER_7},
    ),
    Point(
        "lane_pair_cg",
        "itypes of two blocks in neighbouring lanes of one cycle",
        "lane 1 sees the state that lane 0 left (ET-17)",
        {"lanes": LANES[1:], "first": ITYPES, "second": ITYPES},
        {
            "* x 6 * x *": _NEVER_6,
            "* x * x 6 *": _NEVER_6,
            "* x 7 * x *": _NEVER_7,
            "* x * x 7 *": _NEVER_7,
            "* x 1 exc* x *": _TRAP_ENDS,
            "* x 2 int* x *": _TRAP_ENDS,
        },
    ),
    Point(
        "blocks_cg",
        "blocks in an accepted cycle",
        "all lanes in use, and some",
        {"lanes": LANES, "blocks": tuple(map(str, range(5)))},
        {"1 lane x [234]": "one lane", "2 lanes x [34]": "two lanes"},
    ),
    Point(
        "made_cg",
        "packets made by one cycle",
        "a packer takes one a cycle: the rest must wait, not vanish (ET-17)",
        {"lanes": LANES, "packets": ("0", "1", "2", "3", "4 or more")},
    ),
    port_points.iretire("0 is a trap before any instruction"),
    Point(
        "ilastsize_cg",
        "size of the last instruction of a block, by itype",
        "the return address and the last address depend on it",
        {"itype": ITYPES, "size": SIZES},
        {
            "6 *": _NEVER_6,
            "7 *": _NEVER_7,
            "3 * x 16 bit": "xRET has 32 bits",
            "1[45] * x 16 bit": "a jump of 16 bits has no register but a link register or x0",
        },
    ),
    port_points.trap("the trap itself is simple, its neighbourhood is not (ET-2, ET-3, ET-8)"),
    Point(
        "chain_cg",
        "traps without an instruction between them",
        "one packet for each trap, never more (ET-2)",
        {"place": CHAIN_PLACES, "traps": CHAINS, "variant": VARIANTS},
    ),
    port_points.privilege("traps and returns between all modes (ET-7, ET-10)"),
    Point(
        "context_cg",
        "where a context changed, by how ctype reports it",
        "precise, imprecise and silent changes, at every kind of place (ET-15); only the draft has notifications",
        {"ctype": CTYPES, "place": CONTEXT_PLACES},
    ),
    Point(
        "notify_cg",
        "instructions that were to be notified",
        "the request must survive whatever else is reported of the instruction (ET-6)",
        {"itype": ITYPES, "by": ("trigger", "watchpoint")},
        {
            "1 exc*": "the instruction before a trap has itype 0",
            "2 int*": "the instruction before a trap has itype 0",
            "6 *": _NEVER_6,
            "7 *": _NEVER_7,
        },
    ),
    Point(
        "stop_cg",
        "what the last traced block was, by what ended trace",
        "the last address is reported, and whether the end was the reason (ET-16)",
        {"last block": LAST, "cause": CAUSES},
        {"nothing x filter": "a filter that accepts nothing ends nothing"},
    ),
    Point(
        "end_cg",
        "qual_status at the end, by the packet before it",
        "ended_rep and ended_ntr show which round of a loop was the last (ET-6, ET-16)",
        {"end": ENDS, "variant": VARIANTS},
        {"ended_ntr behind a notify x draft*": "draft has no notify"},
    ),
    port_points.control("enable, trace and halt in every order and in the same cycle"),
    port_points.EDGE_BLOCK,
    Point(
        "reconfigured_cg",
        "options switched while the encoder is enabled",
        "packets in flight have the old options, the next one the new",
        {"option": OPTIONS, "to": ("on", "off"), "state": ("traced", "not traced")},
    ),
    Point(
        "resync_cg",
        "what was pending at a resynchronization",
        "it is reported with the address before the sync (ET-4)",
        {"inst_sync_mode": RESYNCS, "pending": PENDING},
    ),
    Point(
        "predictor_cg",
        "outcome of a branch, by the state of its entry",
        "every transition of the predictor, also of entries that several branches share (ET-11)",
        {"state": STATES, "outcome": ("taken", "not taken")},
    ),
    Point(
        "cache_cg",
        "targets looked up in the jump target cache",
        "the index is sent only where it is right and shorter (ET-12)",
        {"lookup": LOOKUPS},
    ),
    Point(
        "sijump_cg",
        "jumps reported as sequentially inferable",
        "both halves of the pair must be traced and adjacent (ET-13)",
        {"jump": JUMPS, "pair": PAIRS, "option": ("option on", "option off")},
    ),
    Point(
        "filter_cg",
        "conditions of the filters in force while some blocks were left out",
        "each comparison has its own input",
        {"condition": tuple(port_points.TERMS)},
    ),
    Point(
        "overflow_cg",
        "packets lost and what followed",
        "nothing may be lost silently (ET-16, ET-17)",
        {"case": LOSSES},
    ),
    port_points.stall("packets"),
    Point(
        "back_pressure_cg",
        "cycles between two bytes of the transported stream",
        "a held byte must not change (ready low)",
        {"gap": GAPS},
    ),
    Point(
        "transport_cg",
        "encapsulation and framing, with and without timestamps",
        "each combination is a separate format",
        {
            "encapsulation": ("messaging", "atb"),
            "framing": EXAMPLE_FRAMINGS,
            "timestamp": ("timestamp", "no timestamp"),
        },
    ),
    Point(
        "encapsulation_cg",
        "streams in the packet encapsulation 1.0, by framing and flow",
        "synchronization and flow change every byte",
        {"framing": ("none", *ENCAP_FRAMINGS), "flow": tuple(map(str, range(4)))},
    ),
    Point(
        "source_cg",
        "widths of srcID and type",
        "a payload then begins at another bit, in another byte",
        {"source": SOURCES, "type": TYPES},
    ),
    Point(
        "stamp_cg",
        "bytes of a timestamp, present or not",
        "T counts in the length of a synchronization sequence even where no packet has a timestamp",
        {"bytes": STAMPS, "timestamp": ("timestamp", "no timestamp")},
        {"0 x timestamp": "without bytes there is no timestamp"},
    ),
    Point(
        "padding_cg",
        "bits of padding in the last byte",
        "they must not leak what was there before",
        {"bits": tuple(map(str, range(8)))},
    ),
    Point(
        "interval_cg",
        "synchronization sequences by async_freq",
        "a receiver joins at one of them",
        {"framing": ENCAP_FRAMINGS, "sequences": ("one", "two", "three or more")},
    ),
    Point(
        "header_cg",
        "index width and flow of messages",
        "the header's fields move what follows",
        {"index_width": ("0", "8", "16"), "flow": tuple(map(str, range(4)))},
    ),
    Point(
        "fill_cg",
        "bytes left at the end of a block",
        "a packet may end right at the end of a block",
        {"block_bytes": ("64", "128", "256", "512", "1024"), "fill": FILLS},
    ),
)

POINTS = (
    Point(
        "run_cg",
        "the configurations run",
        "a variant or width that never ran is not checked, whatever its clauses say",
        {"variant": VARIANTS, "xlen": XLENS, "blocks a cycle": ("1 block", "2 blocks", "4 blocks")},
        {"* x RV64 x 4*": "the build with four blocks has 32 bits"},
    ),
    Point(
        "packet_cg",
        "packets sent, by kind",
        "every format and subformat, in each variant",
        {"packet": KINDS, "variant": VARIANTS},
        {f"{COUNTS[2]} x draft*": _DRAFT_COUNTS, "jump target* x draft*": "draft has no jump target cache"},
    ),
    Point(
        "packet_option_cg",
        "packets sent while an option is on",
        "an option must do its work in every packet, and leave the others alone",
        {"packet": KINDS, "option": OPTIONS},
    ),
    Point(
        "option_pair_cg",
        "two options on in one run",
        "options share state: branches pending, the address sent last, what a sync resets",
        {"options": tuple(f"{a} and {b}" for a, b in combinations(OPTIONS, 2)), "variant": VARIANTS},
        {"*jump_target_cache* x draft*": "draft has no jump target cache"},
    ),
    Point(
        "ruling_cg",
        "rules of the encoder by which a packet was sent",
        "each rule of the algorithm, in each variant",
        {"clause": tuple(CLAUSES), "variant": VARIANTS},
        {
            "ET.alg.trap_again x draft*": _V2_ONLY,
            "ET.alg.reported x draft*": _V2_ONLY,
            "ET.opt.misreturn x draft*": _NO_STACK,
            "ET.opt.anchor x draft*": _NO_STACK,
        },
    ),
    Point(
        "branches_cg",
        "number of branches in format 1",
        "each length of branch_map begins and ends at one of them (ET-5)",
        {"branches": BRANCHES, "variant": VARIANTS},
    ),
    Point(
        "map_cg",
        "content of branch_map, by length",
        "sign-based compression goes on into the map, and unused bits are 0",
        {"length": LENGTHS, "branches": PATTERNS},
        {"* 1 bits x mixed": "one bit"},
    ),
    Point(
        "length_cg",
        "payload length in bytes",
        "packer, queue and transport treat each length on its own (ET.pay.type_length)",
        {"bytes": BYTES, "variant": VARIANTS},
    ),
    Point(
        "difference_cg",
        "bytes that an address difference needs",
        "compression must keep a bit of sign at every length (ET-18)",
        {"packet": WITH_ADDRESS[1:], "sign": SIGNS, "xlen": XLENS, "bytes": ADDRESS_BYTES},
        {f"* x RV32 x {n}": "31 bits" for n in ADDRESS_BYTES[4:]},
    ),
    Point(
        "full_address_cg",
        "bytes that an address needs with full_address",
        "the same for addresses, whose top bit is a sign to the packer",
        {"packet": WITH_ADDRESS[1:], "xlen": XLENS, "bytes": ADDRESS_BYTES},
        {f"* x RV32 x {n}": "31 bits" for n in ADDRESS_BYTES[4:]},
    ),
    Point(
        "field_bytes_cg",
        "bytes that a field needs",
        "its value does not move the fields after it; only the last field is compressed",
        {"field": tuple(FIELDS), "bytes": ADDRESS_BYTES},
        {f"{name} x {n}": "the field is shorter" for name, most in FIELDS.items() for n in ADDRESS_BYTES[most:]},
    ),
    Point(
        "count_cg",
        "branch_count, by what is reported with it",
        "31 is the threshold; the greatest count must be sent before it overflows (ET-11)",
        {"count": COUNT_CLASSES, "packet": COUNTS, "variant": VARIANTS},
        {
            f"* x {COUNTS[2]} x draft*": _DRAFT_COUNTS,
            f"greatest x {COUNTS[0]} x *": (
                "the greatest count is sent at once, with an address in v2_0 and no_mispred in draft"
            ),
            f"greatest x {COUNTS[2]} x *": "the greatest count is sent at once, and a branch that fails comes later",
            **{
                f"4096 or more x {what} x *": "simulations this long are run for the count alone" for what in COUNTS[1:]
            },
        },
    ),
    Point(
        "index_cg",
        "index of the jump target cache",
        "entries of the cache are distinguished by the address bits above the lsb (ET-12)",
        {"index": tuple(map(str, range(32)))},
    ),
    Point(
        "depth_cg",
        "irdepth, by the reason to report it",
        "the decoder stops at the reported depth (ET-14)",
        {
            "stack": DEEP,
            "depth": DEPTHS,
            "for": ("a mispredicted return", "the last address before a sync or on request"),
        },
        {
            "* x 0 x a mis*": "a return is predicted where there is an entry",
            "counter* x a mis*": "a counter believes every return",
            **{
                f"{which} x the last*": "a return follows the last call, so the stack is not full"
                for which in ("stack of 16 x 16", "stack of 2 x 2", "counter up to 3 x 3")
            },
            **{f"stack of 2 x {n} x *": "2 entries" for n in DEPTHS[3:]},
            **{f"counter* x {n} x *": "2 bits" for n in DEPTHS[4:]},
        },
    ),
    Point(
        "flag_cg",
        "status bits after an address, by its top bit",
        "each is the XOR with the bit before: all of the chain, from both values of the top bit",
        {"flags": FLAGS, "packet": WITH_ADDRESS, "top bit of the address": ("0", "1")},
    ),
    Point(
        "support_cg",
        "qual_status and ienable",
        "start, stop, loss and reconfiguration (ET-16)",
        {"qual_status": QUAL_STATUS, "ienable": ("0", "1"), "variant": VARIANTS},
    ),
    Point(
        "branch_bit_cg",
        "the branch bit of a sync",
        "the outcome of a branch at a sync is nowhere else in the trace (ET-9)",
        {"packet": ("start", "trap"), "instruction": BRANCH_BITS, "variant": VARIANTS},
    ),
    Point(
        "trap_packet_cg",
        "what format 3.1 reports",
        "handler, EPC or nothing; tval or not; the address left out or not (ET-2)",
        {
            "variant": VARIANTS,
            "address": ("thaddr 1", "thaddr 0"),
            "trap": ("exception", "interrupt"),
            "option": ("explicit", "implicit exceptions"),
        },
        {"draft* x thaddr 0 x *": _V2_ONLY},
    ),
    Point(
        "sync_cg",
        "reasons for a sync, by the packet before it",
        "what is pending must be reported before a sync, and only then (ET-4)",
        {"reason": SYNCS, "before": BEFORE_SYNC},
        NOT_BEFORE,
    ),
)

_SYSTEM = ControlCoverage(params_of(Config(**DEFAULTS["etrace"])))  # of trace systems: the default build's registers
ETRACE = Definition("etrace", POINTS + CORNER_POINTS + _SYSTEM.points)


def sample_tci(capture: TciCapture) -> Counts:
    """The stamped counts of one run of the trace system."""
    return ETRACE.stamped(_SYSTEM.observe(capture))
