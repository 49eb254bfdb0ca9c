"""The coverage points of N-Trace: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. How the bins are counted stands in
`tb.coverage.sampling`; the names here are the only ones it may count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.ntrace.config import Config
from models.ntrace.messages import VALUE_NAMES
from tb.coverage import options
from tb.coverage.control import ControlCoverage
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
from tb.coverage.model import Counts, Definition, Point
from tb.system_job import DEFAULTS, params_of

if TYPE_CHECKING:
    from scoreboards.capture import Capture
    from scoreboards.control_capture import SystemCapture

MODES = ("btm", "htm")
VARIANTS = ("v1_0", "rc7")
MESSAGES = (
    "Ownership", "RepeatBranch", "DirectBranch", "DirectBranchSync", "IndirectBranch", "IndirectBranchSync", "IndirectBranchHist",
    "IndirectBranchHistSync", "ProgTraceSync", "ProgTraceCorrelation", "ResourceFull", "Error",
)  # fmt: skip
WITH_SYNC = ("ProgTraceSync", "DirectBranchSync", "IndirectBranchSync", "IndirectBranchHistSync")
WITH_BTYPE = ("IndirectBranch", "IndirectBranchSync", "IndirectBranchHist", "IndirectBranchHistSync")
WITH_ICNT = tuple(m for m in MESSAGES if m not in ("Error", "Ownership", "RepeatBranch"))
WITH_HIST = ("IndirectBranchHist", "IndirectBranchHistSync", "ProgTraceCorrelation", "ResourceFull")
SYNCS = tuple(f"{code} {name}" for code, name in VALUE_NAMES["sync"].items())
BTYPES = tuple(f"{code} {name}" for code, name in VALUE_NAMES["btype"].items())
ICNT_CLASSES = ("0", "1", "2", "small (3 to 15)", "large", "near full", "full mark or more")
HIST_CLASSES = ("0", "1", "2 to 14", "15 to 30", "full")
PENDING = ("straight code", "straight code with history", "taken branch", "indirect jump", "indirect jump with history",
           "trap", "trap with history")  # fmt: skip

_NEVER_7 = "itype 7 is reserved; only rc7 lets all-jumps use it (chapter 2)"
_NEVER_6 = "a 4-bit itype port sends 8 to 14 instead (seed chapter 2)"
_BTM_ONLY = "the message belongs to BTM (7.2, 7.6)"
_HTM_ONLY = "the message has HIST, which BTM does not (7.9, 7.10)"
_NO_LINK = {"rc7 x 10 *": "rc7: tail calls are not possible", "rc7 x 11 *": "rc7: tail calls are not possible"}

POINTS = (
    Point("run_cg", "the configurations run", "a mode that never ran is not checked, whatever its clauses say",
          (MODES, VARIANTS, ("RV32", "RV64"), ("1 lane", "2 lanes")), ("mode", "variant", "xlen", "blocks a cycle")),
    Point("itype_cg", "itype of the blocks at the ingress port", "each itype has its own row in tables 3 and 4",
          (VARIANTS, ITYPES), ("variant", "itype"), {"v1_0 x 7 *": _NEVER_7, "* x 6 *": _NEVER_6, **_NO_LINK}),
    Point("itype_pair_cg", "itypes of two blocks that follow each other",
          "what a block leaves pending is resolved by the next one: each pair is a different hand-over",
          (ITYPES, ITYPES), ("first", "second"),
          {"6 *": _NEVER_6, "* x 6 *": _NEVER_6,
           **{glob: "a port that says 7 says it of every direct jump, and rc7 has no tail calls" for n in ("9 *", "10 *", "11 *", "15 *") for glob in (f"7 * x {n}", f"{n} x 7 *")}}),
    Point("message_cg", "messages sent, by type", "chapter 7 message by message, in each mode and variant",
          (MESSAGES, MODES, VARIANTS), ("message", "mode", "variant"),
          {"DirectBranch x htm *": _BTM_ONLY, "DirectBranchSync x htm *": _BTM_ONLY,
           "IndirectBranchHist x btm *": _HTM_ONLY, "IndirectBranchHistSync x btm *": _HTM_ONLY}),
    Point("sync_cg", "SYNC codes, by message", "each reason to synchronize has its own trigger (table 25)",
          (SYNCS, WITH_SYNC), ("SYNC", "message"),
          {"9 * x [!P]*": "tracing starts with ProgTraceSync", **dict.fromkeys(("1 * x DirectBranchSync", "1 * x IndirectBranchSync"), "the profile tells a reset by ProgTraceSync or IndirectBranchHistSync"),
           "3 * x [!P]*": "tracing starts with ProgTraceSync",
           "5 * x [!P]*": "tracing starts with ProgTraceSync", "7 * x [!P]*": "tracing restarts with ProgTraceSync",
           "4 * x [!I]*": "the profile reports a full I-CNT with HIST by IndirectBranchHistSync",
           "4 * x IndirectBranchSync": "the profile reports a full I-CNT with HIST by IndirectBranchHistSync"}),
    Point("btype_cg", "B-TYPE codes, by message", "a trap reported as a jump sends the decoder the wrong way (NT-11)",
          (BTYPES, WITH_BTYPE), ("B-TYPE", "message")),
    Point("evcode_cg", "ProgTraceCorrelation: EVCODE, closing a trace or as a marker while trace is off",
          "table 26 asks for markers that carry nothing",
          (("0 debug entry", "1 low power", "4 trace disabled"), MODES, ("closing", "marker")),
          ("EVCODE", "mode", "use")),
    Point("rcode_cg", "ResourceFull: RCODE", "counters that wrap silently lose instructions (8.3.1, 8.4.4)",
          (("0 I-CNT", "1 HIST", "2 HIST repeated"), MODES, VARIANTS), ("RCODE", "mode", "variant"),
          {"[12] * x btm *": "BTM has no HIST"}),
    Point("full_together_cg", "I-CNT and HIST full after the same block, or one alone", "the order of the two messages (NT-23)",
          (("I-CNT alone", "HIST alone", "I-CNT then HIST"), VARIANTS), ("which", "variant")),
    Point("icnt_cg", "I-CNT value, by message; near full: the upper half below the full mark 2^(ICNT_BITS-1)",
          "0 and the full mark are where counters are forgotten or cleared twice",
          (WITH_ICNT, ICNT_CLASSES), ("message", "I-CNT"),
          {"DirectBranch* x 0": "the branch itself is counted", "ProgTraceSync x full*": "ResourceFull comes first",
           "ResourceFull x [!f]*": "RCODE=0 is sent at the full mark"}),
    Point("hist_cg", "number of branches in HIST, by message", "empty and full HIST change which message is sent (NT-9, NT-10)",
          (WITH_HIST, HIST_CLASSES), ("message", "branches"),
          {"IndirectBranchHist* x 0": "the profile sends the form without HIST then (NT-10)",
           "IndirectBranchHist x full": "a full HIST is sent before any flow change can be pending",
           "ResourceFull x [01]": "the profile sends RCODE=1 when HIST is full, or a pattern of more than half of it"}),
    Point("hist_length_cg", "number of branches in any HIST, one bin each", "stop bit and boundaries at every length",
          (tuple(map(str, range(32))),), ("branches",)),
    Point("address_cg", "length of an address field in MDO groups of 6 bits",
          "leading zeros are dropped by groups: each length is its own path through the packer (8.1)",
          (("F-ADDR", "U-ADDR"), ("RV32", "RV64"), tuple(map(str, range(1, 12)))), ("field", "xlen", "groups"),
          {f"* x RV32 x {n}": "31 bits fit in 6 groups" for n in range(7, 12)}),
    Point("length_cg", "message length in bytes", "the packer aligns and the queue stores each length differently",
          (tuple(map(str, range(2, 24))),), ("bytes",)),
    Point("trap_cg", "where a trap struck", "the trap itself is simple, its neighbourhood is not (NT-12, table 26)",
          (TRAP_PLACES, ("exception", "interrupt")), ("place", "trap")),
    Point("periodic_cg", "periodic sync (SYNC=2): what was pending when it was sent",
          "the sync takes over the message that was due (NT-20)",
          (("messages", "cycles", "half-words"), PENDING, MODES), ("inst_sync_mode", "pending", "mode"),
          {"* x taken branch x htm": "a branch is history there", "* with history x btm": "BTM has no HIST"}),
    Point("stop_cg", "what the last traced block was when tracing stopped", "a flow change without its target (NT-13)",
          (STOP_AFTER, ("trace off", "debug entry"), MODES), ("last block", "stop", "mode")),
    Point("control_cg", "control levels that changed, and what it did to tracing",
          "enable, trace and halt in every order and in the same cycle (NT-22)",
          (LEVELS, EFFECTS), ("change", "tracing"),
          {f"{level} x {effect}": "this level alone cannot do that"
           for effect, levels in (("starts", ("enable falls", "tracing falls", "halt")),
                                  ("stops", ("enable rises", "tracing rises", "resume"))) for level in levels}),
    Point("edge_block_cg", "whether the cycle in which tracing starts or stops also carries a block",
          "off by one block at the edges is the classic mistake",
          (("starts", "stops"), ("with a block", "without")), ("tracing", "cycle")),
    Point("blocks_cg", "blocks in an accepted cycle", "lane 1 sees the state that lane 0 left",
          (("1 lane", "2 lanes"), ("0 blocks", "1 block", "2 blocks")), ("lanes", "blocks"),
          {"1 lane x 2 blocks": "one lane holds one block"}),
    Point("iretire_cg", "half-words retired by a block; widest: within one instruction of the field's end",
          "I-CNT adds it; 0 is a trap before any instruction", (IRETIRE_CLASSES,), ("iretire",)),
    Point("ilastsize_cg", "size of the last instruction of a block, by itype", "the next address depends on it",
          (ITYPES, SIZES), ("itype", "size"),
          {"6 *": _NEVER_6, "3 * x 16 bit": "xRET has 32 bits"}),
    Point("overflow_cg", "messages lost in an overflow and what followed the Error", "nothing may be lost silently (NT-14)",
          (("Error then SYNC=7", "Error then a later start", "Error is the last message", "two Errors in one run",
            "no room, but no message to lose"), MODES), ("case", "mode")),
    Point("stall_cg", "messages waiting while the port stood still, by inst_stall_ena",
          "stalling must start in time and end again", (("stall", "overflow"), BACKLOGS), ("setting", "backlog")),
    Point("back_pressure_cg", "cycles between two bytes of one message", "a held byte must not change (ready low)",
          (GAPS,), ("gap",)),
    Point("privilege_cg", "privilege of two events that follow each other", "traps and returns between all modes",
          (PRIVS, PRIVS), ("from", "to"),
          {**{f"{p} x {p}": "no change" for p in PRIVS},
           **{f"{a} x {b}": "no trap or return goes this way"
              for a, b in (("U", "VU"), ("U", "VS"), ("VU", "U"), ("VS", "U"))}}),
)  # fmt: skip

_SYSTEM = ControlCoverage(params_of(Config(**DEFAULTS["ntrace"])))  # of trace systems
NTRACE = Definition("ntrace", POINTS + options.POINTS + _SYSTEM.points)
DEFINITIONS = {NTRACE.ip: NTRACE}
merge = NTRACE.merge
percent = NTRACE.percent


def sample(capture: Capture, decoded: Any = None, encoded: Any = None) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `merge` with those of other runs.

    decoded: the decoder's result; encoded: the encoder model's, or None. Without them, or without beats, the points
    that need them stay empty. Time is linear, well under 1 us an instruction.
    """
    from tb.coverage.sampling import observe

    return NTRACE.stamped(observe(capture, decoded, encoded))


def sample_system(capture: SystemCapture) -> Counts:
    """The stamped counts of one run of the trace system."""
    return NTRACE.stamped(_SYSTEM.observe(capture))
