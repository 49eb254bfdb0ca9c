"""The coverage points of E-Trace: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. Here are those of packets and fields; those of the ingress port and of
corner cases are in `tb.coverage.etrace_corners`. How the bins are counted stands in `tb.coverage.etrace_sampling` and
`tb.coverage.etrace_sampling_port`; the names here are the only ones they may count.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from models.etrace.config import Config
from models.etrace.encoder import CLAUSES
from models.etrace.packets import MAP_LENGTHS, OPTIONS, QUAL_STATUS, VARIANTS
from tb.coverage import etrace_corners
from tb.coverage.control import ControlCoverage
from tb.coverage.model import Counts, Definition, Point
from tb.system_job import DEFAULTS, params_of

if TYPE_CHECKING:
    from scoreboards.control_capture import SystemCapture
    from scoreboards.etrace_capture import EtraceCapture

COUNTS = ("branch count", "branch count, address", "branch count, address of a failed branch")
KINDS = (*COUNTS, "jump target index", "branch map, no address", "branch map, address", "address", "start", "trap", "context", "support")
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
COUNT_CLASSES = ("0", "1 to 15", "16 to 255", "256 to 4095", "4096 or more", "greatest")
COUNT_LIMITS = (1, 16, 256, 4096)
DEPTHS = tuple(map(str, range(17)))
DEEP = ("stack of 16", "stack of 2", "counter up to 3")
BRANCH_BITS = ("not a branch", "taken", "not taken")
BEFORE_SYNC = ("nothing", "an address", "a map or count", "a support packet", "another sync", "a context packet")
SYNCS = tuple(c for c in ("ET.alg.first", "ET.alg.ppccd", "ET.alg.resync", "ET.alg.trap", "ET.alg.trap_again", "ET.alg.reported"))

_DRAFT_COUNTS = "draft: the address comes in a packet of its own"
_V2_ONLY = "draft tells a trap once, at its handler"
_NO_STACK = "draft has a counter only, and no anchors"

POINTS = (
    Point("run_cg", "the configurations run", "a variant or width that never ran is not checked, whatever its clauses say",
          (VARIANTS, XLENS, ("1 block", "2 blocks", "4 blocks")), ("variant", "xlen", "blocks a cycle"),
          {"* x RV64 x 4*": "the build with four blocks has 32 bits"}),
    Point("packet_cg", "packets sent, by kind", "every format and subformat, in each variant",
          (KINDS, VARIANTS), ("packet", "variant"),
          {f"{COUNTS[2]} x draft*": _DRAFT_COUNTS, "jump target* x draft*": "draft has no jump target cache"}),
    Point("packet_option_cg", "packets sent while an option is on", "an option must do its work in every packet, and leave the others alone",
          (KINDS, OPTIONS), ("packet", "option")),
    Point("option_pair_cg", "two options on in one run", "options share state: branches pending, the address sent last, what a sync resets",
          (tuple(f"{a} and {b}" for a, b in combinations(OPTIONS, 2)), VARIANTS), ("options", "variant"),
          {"*jump_target_cache* x draft*": "draft has no jump target cache"}),
    Point("ruling_cg", "rules of the encoder by which a packet was sent", "each rule of the algorithm, in each variant",
          (tuple(CLAUSES), VARIANTS), ("clause", "variant"),
          {"ET.alg.trap_again x draft*": _V2_ONLY, "ET.alg.reported x draft*": _V2_ONLY, "ET.opt.misreturn x draft*": _NO_STACK, "ET.opt.anchor x draft*": _NO_STACK}),
    Point("branches_cg", "number of branches in format 1", "each length of branch_map begins and ends at one of them (ET-5)",
          (BRANCHES, VARIANTS), ("branches", "variant")),
    Point("map_cg", "content of branch_map, by length", "sign-based compression goes on into the map, and unused bits are 0",
          (LENGTHS, PATTERNS), ("length", "branches"), {"* 1 bits x mixed": "one bit"}),
    Point("length_cg", "payload length in bytes", "packer, queue and transport treat each length on its own (ET.pay.type_length)",
          (BYTES, VARIANTS), ("bytes", "variant")),
    Point("difference_cg", "bytes that an address difference needs", "compression must keep a bit of sign at every length (ET-18)",
          (WITH_ADDRESS[1:], SIGNS, XLENS, ADDRESS_BYTES), ("packet", "sign", "xlen", "bytes"),
          {f"* x RV32 x {n}": "31 bits" for n in ADDRESS_BYTES[4:]}),
    Point("full_address_cg", "bytes that an address needs with full_address", "the same for addresses, whose top bit is a sign to the packer",
          (WITH_ADDRESS[1:], XLENS, ADDRESS_BYTES), ("packet", "xlen", "bytes"), {f"* x RV32 x {n}": "31 bits" for n in ADDRESS_BYTES[4:]}),
    Point("field_bytes_cg", "bytes that a field needs", "the fields behind it move with none of them, and the last one is compressed",
          (tuple(FIELDS), ADDRESS_BYTES), ("field", "bytes"),
          {f"{name} x {n}": "the field is shorter" for name, most in FIELDS.items() for n in ADDRESS_BYTES[most:]}),
    Point("count_cg", "branch_count, by what is told with it", "31 is the threshold; the greatest count must be sent before it overflows (ET-11)",
          (COUNT_CLASSES, COUNTS, VARIANTS), ("count", "packet", "variant"),
          {f"* x {COUNTS[2]} x draft*": _DRAFT_COUNTS, f"greatest x {COUNTS[0]} x *": "the greatest count is sent at once, with an address in v2_0 and no_mispred in draft",
           f"greatest x {COUNTS[2]} x *": "the greatest count is sent at once, and a branch that fails comes later",
           **{f"4096 or more x {what} x *": "simulations this long are run for the count alone" for what in COUNTS[1:]}}),
    Point("index_cg", "index of the jump target cache", "entries of the cache are told apart by the address bits above the lsb (ET-12)",
          (tuple(map(str, range(32))),), ("index",)),
    Point("depth_cg", "irdepth, by what it is told for", "the decoder stops at the depth it is told (ET-14)",
          (DEEP, DEPTHS, ("a mispredicted return", "the last address before a sync or on request")), ("stack", "depth", "for"),
          {"* x 0 x a mis*": "a return is predicted where there is an entry", "counter* x a mis*": "a counter believes every return",
           **{f"{which} x the last*": "a return is behind the last call, so the stack is not full" for which in ("stack of 16 x 16", "stack of 2 x 2", "counter up to 3 x 3")},
           **{f"stack of 2 x {n} x *": "2 entries" for n in DEPTHS[3:]}, **{f"counter* x {n} x *": "2 bits" for n in DEPTHS[4:]}}),
    Point("flag_cg", "status bits behind an address, by its top bit", "each is the XOR with the bit before: all of the chain, from both values of the top bit",
          (FLAGS, WITH_ADDRESS, ("0", "1")), ("flags", "packet", "top bit of the address")),
    Point("support_cg", "qual_status and ienable", "start, stop, loss and reconfiguration (ET-16)",
          (QUAL_STATUS, ("0", "1"), VARIANTS), ("qual_status", "ienable", "variant")),
    Point("branch_bit_cg", "the branch bit of a sync", "the outcome of a branch at a sync stands nowhere else (ET-9)",
          (("start", "trap"), BRANCH_BITS, VARIANTS), ("packet", "instruction", "variant")),
    Point("trap_packet_cg", "what format 3.1 tells", "handler, EPC or nothing; tval or not; the address left out or not (ET-2)",
          (VARIANTS, ("thaddr 1", "thaddr 0"), ("exception", "interrupt"), ("explicit", "implicit exceptions")), ("variant", "address", "trap", "option"),
          {"draft* x thaddr 0 x *": _V2_ONLY}),
    Point("sync_cg", "reasons for a sync, by the packet before it", "what is pending must be told before a sync, and only then (ET-4)",
          (SYNCS, BEFORE_SYNC), ("reason", "before"), etrace_corners.NOT_BEFORE),
)  # fmt: skip

_SYSTEM = ControlCoverage(params_of(Config(**DEFAULTS["etrace"])))  # of trace systems: the default build's registers
ETRACE = Definition("etrace", POINTS + etrace_corners.POINTS + _SYSTEM.points)


def sample(capture: EtraceCapture, decoded: Any = None, encoded: Any = None) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `merge` with those of other runs.

    decoded: the decoder's result; encoded: the encoder model's. Without one of them, or without beats, the points that need it stay empty.
    """
    from tb.coverage.etrace_sampling import observe

    return ETRACE.stamped(observe(capture, decoded, encoded))


def sample_system(capture: SystemCapture) -> Counts:
    """The stamped counts of one run of the trace system."""
    return ETRACE.stamped(_SYSTEM.observe(capture))
