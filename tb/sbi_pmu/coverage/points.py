# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the SBI PMU extension: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. They are counted in
`rvtrace.tb.sbi_pmu.coverage.sampling`; the names here are the only ones it may count.
"""

from __future__ import annotations

from rvtrace.jobs.coverage import Definition, Point
from rvtrace.models.riscv.csr import HS, U
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.config import DEPTHS
from rvtrace.models.sbi_pmu.policy import ROWS
from rvtrace.scoreboards.sbi_pmu.follow import START_WORDS, STOP_WORDS

XLENS = ("RV32", "RV64")
MODES = {U: "user", HS: "kernel"}  # of what a supervisor samples
SAMPLED_EVENTS = {5: "branches", 6: "misses"}
RECORDS = tuple(map(str, DEPTHS))
HISTORIES = ("fewer than entries", "more than entries")
FUNCTIONS = (*(function.name for function in sbi.FUNCTIONS), "no such function")
ERRORS = (
    "SUCCESS",
    "NOT_SUPPORTED",
    "INVALID_PARAM",
    "INVALID_ADDRESS",
    "ALREADY_STARTED",
    "ALREADY_STOPPED",
    "NO_SHMEM",
    "FAILED",
)
REFUSALS = (
    "SBI.config.reserved_flags",
    "SBI.config.invalid_set",
    "SBI.event.no_event",
    "SBI.event.undefined",
    "SBI.event.raw_code",
    "SBI.event.firmware",
    "SBI.event.version",
    "SBI.event.unused_data",
    "SBI.event.raw_width",
    "SBI.event.raw_v2_width",
    "SBI.config.not_supported",
    "SBI.config.skip_match",
    "SBI.config.in_set",
    "SBI.config.free",
    "SBI.start.reserved_flags",
    "SBI.start.exclusive",
    "SBI.start.invalid_set",
    "SBI.start.no_shmem",
    "SBI.start.already_started",
    "SBI.stop.reserved_flags",
    "SBI.stop.invalid_set",
    "SBI.stop.no_shmem",
    "SBI.stop.already_stopped",
    "SBI.info.invalid",
    "SBI.fw_read.invalid",
    "SBI.fw_read.hardware",
    "SBI.fw_read_hi.invalid",
    "SBI.fw_read_hi.hardware",
    "SBI.shmem.not_supported",
    "SBI.shmem.flags",
    "SBI.shmem.align",
    "SBI.shmem.address",
    "SBI.evinfo.not_supported",
    "SBI.evinfo.flags",
    "SBI.evinfo.align",
    "SBI.evinfo.address",
    "SBI.evinfo.entry_reserved",
    "SBI.table.unknown",
    "SBI.table.version",
)
KINDS = ("programmable", "fixed", "firmware")
BITS = ("0", "1")
GENERAL = sbi.GENERAL_EVENTS
CACHE = tuple(
    f"{cache} {op} {result}" for cache in sbi.CACHE_IDS for op in sbi.CACHE_OPS for result in sbi.CACHE_RESULTS
)
TYPES = tuple(sbi.TYPES.values())
FIRMWARE = (*sbi.FIRMWARE_EVENTS, "specific", "platform")
SETS = ("hardware", "firmware", "mixed")
SIZES = ("one", "several")
BASES = ("base 0", "base > 0")
POSITIONS = ("0", "1 to 31", "32 to 63")
VIEWS = ("counter, low half", "counter, high half", "scountovf", "sip", "sip cleared")
CHOICES = tuple(f"{row.key}={value}" for row in ROWS for value in row.values)

_LATER = "functions of SBI 0.3 are always there"
_ONE_KIND = "one counter is of one kind"


def _answers() -> dict[str, str]:
    rules = {"* x FAILED": "our implementation has no reason to give it"}
    for function in sbi.FUNCTIONS:
        for error in ERRORS[:-1]:
            if error in function.errors or (error == "NOT_SUPPORTED" and function.version > (0, 3)):
                continue
            rules[f"{function.name} x {error}"] = _LATER if error == "NOT_SUPPORTED" else "not in its table of errors"
    return rules | {
        f"no such function x {error}": "it is NOT_SUPPORTED" for error in ERRORS[:-1] if error != "NOT_SUPPORTED"
    }


def _sets(words: tuple[str, ...]) -> dict[str, str]:
    return {f"{word} x mixed x one x *": _ONE_KIND for word in words}


POINTS = (
    Point(
        "run_cg",
        "the systems run",
        "a system that never ran is not checked, whatever its clauses say",
        {
            "xlen": XLENS,
            "extension": ("Sscofpmf", "no Sscofpmf"),
            "activity": ("accesses cost nothing", "events in every cycle"),
        },
        {"RV64 x no Sscofpmf x *": "no such implementation is simulated"},
    ),
    Point(
        "answer_cg",
        "answers of each function",
        "each row of the tables of errors",
        {"function": FUNCTIONS, "error": ERRORS},
        _answers(),
    ),
    Point(
        "refusal_cg",
        "reasons to refuse a call, seen alone or with others",
        "a reason that never occurs is not checked",
        {"reason": REFUSALS, "place": ("alone", "first of several", "behind another")},
        {
            **{
                f"{name} x behind another": "it is checked first"
                for name in (
                    "SBI.config.reserved_flags",
                    "SBI.start.reserved_flags",
                    "SBI.stop.reserved_flags",
                    "SBI.shmem.flags",
                    "SBI.evinfo.flags",
                )
            },
            **{
                f"{name} x [!a]*": "no other reason is looked for"
                for name in (
                    "SBI.info.invalid",
                    "SBI.fw_read*",
                    "SBI.shmem.not_supported",
                    "SBI.evinfo.not_supported",
                    "SBI.table.*",
                )
            },
            "SBI.config.not_supported x first of several": "it is checked last",
            "SBI.*.already_* x first of several": "it is checked last",
            "SBI.shmem.address x first of several": "it is checked last",
            "SBI.evinfo.address x first of several": "it is checked last",
            "SBI.evinfo.entry_reserved x first of several": "it is checked last",
            **{
                f"SBI.{name} x behind another": "memory is checked last, and not after another reason"
                for name in ("shmem.address", "evinfo.address", "evinfo.entry_reserved")
            },
            "SBI.shmem.align x first of several": "only the address could follow",
            "SBI.event.* x first of several": "it is checked last",
            "SBI.config.skip_match x first of several": "it is checked last",
            "SBI.config.in_set x first of several": "it is checked last",
            "SBI.config.free x first of several": "it is checked last",
        },
    ),
    Point(
        "config_flag_cg",
        "flags of config_matching by kind of counter",
        "fixed counters have other registers, firmware counters none",
        {"flag": tuple(sbi.CONFIG_FLAGS), "value": BITS, "counter": KINDS},
    ),
    Point(
        "config_state_cg",
        "counters that got an event, by what they were doing",
        "SKIP_MATCH takes counters that run, and ones with an event",
        {"counter": KINDS, "state": ("stopped", "started"), "event": ("without event", "with event")},
    ),
    Point("general_cg", "general events requested", "each row of the table", {"event": GENERAL}),
    Point("cache_cg", "cache events requested", "each row of three tables", {"event": CACHE}),
    Point(
        "type_cg",
        "events requested by type, and the result",
        "each type has its own rules for code and data",
        {"type": TYPES, "became": ("configured", "refused")},
    ),
    Point(
        "firmware_cg",
        "firmware events that happened, by how many counters counted them",
        "point 6, and each row of the table",
        {"event": FIRMWARE, "counters": ("none", "one", "several")},
    ),
    Point(
        "start_cg",
        "sets started, by flags",
        "values come from three places, for both kinds of counter",
        {"flags": START_WORDS[:3], "counters": SETS, "how many": SIZES, "base": BASES},
        _sets(START_WORDS[:3]),
    ),
    Point(
        "stop_cg",
        "sets stopped, by flags",
        "snapshots are relative to the base",
        {"flags": STOP_WORDS, "counters": SETS, "how many": SIZES, "base": BASES},
        _sets(STOP_WORDS),
    ),
    Point(
        "slot_cg",
        "slots of the snapshot memory used, by their place",
        "an array of 64, named by a mask of XLEN bits",
        {"xlen": XLENS, "access": ("read", "written"), "slot": POSITIONS},
        {"RV32 x * x 32 to 63": "the mask has 32 bits"},
    ),
    Point(
        "bitmap_cg",
        "counters in the bitmap's window, by whether the call names them and their OF",
        "all logical overflown counters are reported, named or not",
        {"counter": ("named", "not named"), "OF": BITS},
    ),
    Point(
        "shmem_cg",
        "what snapshot_set_shmem did",
        "set for the first time, moved, taken away",
        {"did": ("set", "set again", "cleared")},
    ),
    Point(
        "output_cg",
        "outputs of event_get_info by type",
        "each type has its own rules",
        {"type": TYPES, "output": BITS},
    ),
    Point(
        "view_cg",
        "what the supervisor read",
        "values, overflows and the interrupt as software sees them",
        {"xlen": XLENS, "view": VIEWS},
        {"RV64 x counter, high half": "there is none"},
    ),
    Point("policy_cg", "choices of the policy", "a choice that was never made is not checked", {"choice": CHOICES}),
    Point(
        "overflow_cg",
        "overflows by XLEN, and the mode that LCOFI interrupted",
        "the trap and the filters differ",
        {"xlen": XLENS, "mode": tuple(MODES.values())},
    ),
    Point(
        "filter_cg",
        "counters that overflowed, by what they count and where",
        "each selector and each inhibit bit",
        {"event": tuple(SAMPLED_EVENTS.values()), "filter": ("all", "user", "kernel")},
    ),  # fmt: skip
    Point(
        "many_cg",
        "counters that overflowed before the handler stopped them",
        "one interrupt for two counters",
        {"counters": ("one", "two")},
    ),
    Point("width_cg", "widths of the counter that overflowed", "an overflow is at the width", {"bits": ("64", "less")}),
    Point(
        "records_cg",
        "records that were read frozen, by depth and how many transfers had retired",
        "entries that wrapped, and entries of before",
        {"depth": RECORDS, "transfers": HISTORIES},
    ),  # fmt: skip
    Point(
        "slots_cg",
        "transfers in the cycle in which LCOFI was seen",
        "what retires beside the interrupt is recorded",
        {"transfers": ("none", "one", "more")},
    ),
)
SBI_PMU = Definition("sbi_pmu", POINTS)
