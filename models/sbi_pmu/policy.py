# SPDX-License-Identifier: Apache-2.0
"""Policies: each point where SBI PMU implementations disagree, as a row of data, and named sets of choices.

    Policy()                                     # strict: the first value of every row
    Policy.named("opensbi")
    Policy.named("strict", empty_set="refuse")

The site shows the table of these rows in docs/reference/sbi-pmu.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class PolicyError(ValueError):
    """A policy, key or value that does not exist; the text names those that do."""


class Row(NamedTuple):
    """One disagreement. key, point: what it is about. values: name -> what it does, strict first. who: value -> who
    does so or relies on it.
    """

    key: str
    point: str
    values: Mapping[str, str]
    who: Mapping[str, str]

    @property
    def strict(self) -> str:
        """The value of the strict policy."""
        return next(iter(self.values))


def _row(key: str, point: str, values: dict[str, str], who: dict[str, str]) -> Row:
    return Row(key, point, MappingProxyType(values), MappingProxyType(who))


ROWS: tuple[Row, ...] = (
    _row(
        "num_counters",
        "value of num_counters where indices have holes",
        {"count": "number of counters", "range": "greatest logical index + 1"},
        {"range": "OpenSBI, KVM; Linux asks counter_get_info for 0 to this value - 1"},
    ),
    _row(
        "reserved_flags",
        "reserved bits of config_flags, start_flags, stop_flags",
        {"refuse": "INVALID_PARAM", "ignore": "as if they were 0"},
        {"ignore": "OpenSBI, KVM"},
    ),
    _row(
        "invalid_in_set",
        "a set with an invalid counter below the greatest index",
        {"refuse": "INVALID_PARAM", "skip": "only indices from the greatest + 1 on are refused; holes are skipped"},
        {"skip": "OpenSBI, KVM"},
    ),
    _row(
        "empty_set",
        "counter_idx_mask is 0",
        {
            "accept": "no counter is invalid: start and stop succeed, config_matching finds none (NOT_SUPPORTED)",
            "base": "the same, but counter_idx_base has to be below the greatest index + 1, else INVALID_PARAM",
            "refuse": "INVALID_PARAM",
        },
        {"accept": "Linux stops an empty set on RV32, and ignores the answer", "base": "OpenSBI", "refuse": "KVM"},
    ),
    _row(
        "set_wraps",
        "a set whose base + position is too great for a register of XLEN bits, or for a mask of XLEN bits",
        {
            "refuse": "INVALID_PARAM",
            "wraps": "base + position is cut to XLEN bits; config_matching finds no hardware counter so",
            "lost": "indices of XLEN and more are left out",
        },
        {"wraps": "current OpenSBI", "lost": "early OpenSBI"},
    ),
    _row(
        "wide_index",
        "counter_idx of more than 32 bits",
        {"refuse": "INVALID_PARAM", "cut": "its low 32 bits count"},
        {"cut": "OpenSBI"},
    ),
    _row(
        "event_data",
        "event_data that is reserved for its event (not 0 where unused, above 48, 56 or 32 bits)",
        {
            "not_supported": "NOT_SUPPORTED: no counter can monitor it",
            "invalid_param": "INVALID_PARAM",
            "ignore": "unused data is ignored, too wide data is cut",
        },
        {"ignore": "OpenSBI, KVM"},
    ),
    _row(
        "unknown_event",
        "config_matching with an event_idx that the chapter of the platform's SBI version does not define",
        {
            "not_supported": "NOT_SUPPORTED: no counter can monitor it",
            "invalid_param": "INVALID_PARAM",
            "except_no_event": "INVALID_PARAM, but NOT_SUPPORTED for NO_EVENT",
            "unchecked": (
                "NOT_SUPPORTED, but every firmware event is there, and SKIP_MATCH that keeps the event of its counter"
                " does not look at it"
            ),
        },
        {"except_no_event": "current OpenSBI", "unchecked": "early OpenSBI"},
    ),
    _row(
        "absent_event",
        "config_matching with a firmware event from 256 on that the platform does not have",
        {"not_supported": "NOT_SUPPORTED", "invalid_param": "INVALID_PARAM"},
        {"invalid_param": "current OpenSBI"},
    ),
    _row(
        "wide_event",
        "event_idx of more than 20 bits",
        {
            "undefined": "the chapter does not define it",
            "cut": "type and code are in its low 20 bits; a hardware event is NOT_SUPPORTED unless these are undefined",
        },
        {"cut": "OpenSBI"},
    ),
    _row(
        "configured",
        "a counter that is configured but not started, in config_matching",
        {
            "last": "it is free, but taken only if no unconfigured one can monitor the event",
            "free": "it is free",
            "busy": "never taken before stop with RESET",
        },
        {"last": "Linux configures several events before it starts the first", "busy": "OpenSBI, KVM"},
    ),
    _row(
        "match_order",
        "which of several counters config_matching takes",
        {
            "lowest": "the lowest index",
            "programmable": "mhpmcounter, lowest index first, then mcycle and minstret",
            "highest": "mhpmcounter, highest index first, then mcycle and minstret",
        },
        {"programmable": "a vendor's OpenSBI, with Sscofpmf: only these can interrupt", "highest": "OpenSBI"},
    ),
    _row(
        "fixed_counter",
        "CPU_CYCLES and INSTRUCTIONS when no counter of the set can monitor them",
        {
            "in_set": "NOT_SUPPORTED",
            "outside": (
                "mcycle or minstret, even outside of the set or started, unless the base is above all hardware"
                " counters; without Sscofpmf always these"
            ),
        },
        {"outside": "OpenSBI"},
    ),
    _row(
        "firmware_base",
        "config_matching of a firmware event where counter_idx_base is not 0",
        {
            "index": "a free firmware counter of the set",
            "position": (
                "if base + position is a firmware counter, position is taken as the index of the one to look at and to"
                " configure"
            ),
        },
        {"position": "current OpenSBI"},
    ),
    _row(
        "config_actions",
        "CLEAR_VALUE and AUTO_START",
        {
            "all": "for every event",
            "general": "for general and firmware events; nothing is done for cache and raw events",
        },
        {"general": "OpenSBI"},
    ),
    _row(
        "skip_match",
        "config_matching with SKIP_MATCH",
        {
            "configure": (
                "the first counter of the set gets the event, started or not; NOT_SUPPORTED if it cannot monitor it"
            ),
            "take": (
                "the same, but NOT_SUPPORTED only if it is of another kind (hardware, firmware): it may be unable to"
                " monitor the event"
            ),
            "keep": (
                "the first counter keeps its event, only CLEAR_VALUE and AUTO_START are done; INVALID_PARAM if it has"
                " none"
            ),
        },
        {"keep": "OpenSBI; KVM demands an event as well (else FAILED), but sets the new one"},
    ),
    _row(
        "skip_first",
        "the first counter of the set, for SKIP_MATCH",
        {"lowest": "that of the lowest bit of the mask", "base": "counter_idx_base, even if the mask does not name it"},
        {"base": "early OpenSBI"},
    ),
    _row(
        "minh",
        "counting in M-mode",
        {"asked": "inhibited with SET_MINH only", "always": "always inhibited"},
        {"always": "OpenSBI, with Sscofpmf"},
    ),
    _row(
        "config_of",
        "OF after config_matching",
        {"clear": "0", "set": "1: no interrupt before start"},
        {"set": "OpenSBI"},
    ),
    _row(
        "unconfigured",
        "start or stop of a counter without event",
        {
            "accept": "it is a valid counter: started, stopped, refused as any other; nothing is counted",
            "skip": "left alone; INVALID_PARAM if the set has no other",
        },
        {"skip": "OpenSBI; KVM, with SUCCESS"},
    ),
    _row(
        "already_started",
        "start of a set with a started counter",
        {
            "refuse": "ALREADY_STARTED, nothing is started",
            "others": "the others are started, the answer is that of the last counter",
        },
        {"others": "OpenSBI; KVM with ALREADY_STARTED"},
    ),
    _row(
        "already_stopped",
        "stop of a set with a stopped counter",
        {
            "refuse": "ALREADY_STOPPED, nothing is stopped",
            "others": "the others are stopped, the answer is that of the last counter",
        },
        {"others": "OpenSBI; KVM with ALREADY_STOPPED; Linux stops all counters so when a hart comes up"},
    ),
    _row(
        "stop_reset",
        "RESET of a counter that is already stopped",
        {"applied": "its event is taken away although the answer is ALREADY_STOPPED", "refused": "nothing changes"},
        {"applied": "OpenSBI, KVM; Linux relies on it in every event_del"},
    ),
    _row(
        "reset_fixed",
        "RESET of mcycle and minstret",
        {"applied": "their event is taken away", "kept": "they keep their event"},
        {"kept": "current OpenSBI"},
    ),
    _row(
        "firmware_started",
        "start of a firmware counter that is started, stop of one that is stopped",
        {"refuse": "as for any counter", "accept": "SUCCESS; a start sets its value"},
        {"accept": "OpenSBI"},
    ),
    _row(
        "init_both",
        "SET_INIT_VALUE together with INIT_SNAPSHOT",
        {
            "refuse": "INVALID_PARAM",
            "value": "initial_value is taken",
            "snapshot": "the snapshot memory is taken, NO_SHMEM without it",
        },
        {"value": "KVM", "snapshot": "current OpenSBI, which has no snapshot memory"},
    ),
    _row(
        "init_many",
        "SET_INIT_VALUE with more than one counter",
        {"all": "all get initial_value", "refuse": "INVALID_PARAM: the note calls it valid for a single counter only"},
        {"all": "OpenSBI, KVM"},
    ),
    _row(
        "start_of",
        "OF of a counter at its start",
        {
            "clear": "becomes 0: the next overflow interrupts",
            "unless_pending": "becomes 0 if LCOFIP is 0",
            "keep": "stays",
        },
        {"unless_pending": "OpenSBI", "clear": "Linux relies on being interrupted again after start"},
    ),
    _row(
        "boot",
        "counters when the SBI implementation comes up",
        {"stopped": "all stopped, without event", "fixed": "mcycle and minstret are started and configured"},
        {"fixed": "OpenSBI"},
    ),
    _row(
        "bitmap",
        "counter_overflow_bitmap",
        {"all": "every overflown counter of base to base + 63", "named": "counters named in the call only"},
        {"named": "KVM, which keeps the bits of others"},
    ),
    _row(
        "firmware_shared",
        "two started firmware counters on one event",
        {"both": "both count", "first": "the lowest index counts"},
        {"first": "current OpenSBI; KVM has one value for each event"},
    ),
    _row(
        "firmware_value",
        "value and state of firmware counters",
        {"counter": "each its own", "event": "one for each event, shared by its counters"},
        {"event": "early OpenSBI"},
    ),
    _row(
        "fw_read_hardware",
        "fw_read of a hardware counter",
        {"refuse": "INVALID_PARAM", "answer": "SUCCESS if it has an event; the value means nothing"},
        {"answer": "early OpenSBI"},
    ),
    _row(
        "firmware_unconfigured",
        "fw_read and fw_read_hi of a firmware counter without event",
        {"value": "its value", "refuse": "INVALID_PARAM"},
        {"refuse": "OpenSBI"},
    ),
    _row(
        "fw_read_hi",
        "fw_read_hi where XLEN is 64",
        {"refuse": "INVALID_PARAM for what is no firmware counter", "zero": "0 for every index"},
        {"zero": "OpenSBI"},
    ),
    _row(
        "shmem_failed",
        "snapshot_set_shmem that fails",
        {"keep": "the memory set before stays", "clear": "none is set any more"},
        {"clear": "KVM, with INVALID_ADDRESS"},
    ),
    _row(
        "shmem_zeroed",
        "snapshot memory in snapshot_set_shmem",
        {"untouched": "not touched", "zeroed": "4096 bytes become 0"},
        {"zeroed": "KVM"},
    ),
    _row(
        "no_entries",
        "event_get_info with num_entries 0",
        {"accept": "SUCCESS, nothing is touched", "refuse": "INVALID_PARAM"},
        {"refuse": "OpenSBI, KVM"},
    ),
    _row(
        "entry_reserved",
        "event_get_info with reserved bits in an event_idx word",
        {"refuse": "INVALID_PARAM, no output is written", "output": "output 0 for this entry"},
        {"output": "OpenSBI, KVM"},
    ),
    _row(
        "info_firmware",
        "event_get_info of a firmware event",
        {"told": "output 1 if a counter can monitor it", "zero": "output 0"},
        {"zero": "OpenSBI"},
    ),
    _row(
        "info_raw",
        "event_get_info of a raw event",
        {"told": "output 1 if a counter can monitor it", "one": "output 1"},
        {"one": "OpenSBI"},
    ),
)
KEYS = {row.key: row for row in ROWS}

NAMED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "strict": {},
        "lenient_flags": {"reserved_flags": "ignore"},
        # as measured: the page OpenSBI comparison
        "opensbi": {
            "num_counters": "range",
            "reserved_flags": "ignore",
            "invalid_in_set": "skip",
            "empty_set": "base",
            "set_wraps": "wraps",
            "wide_index": "cut",
            "event_data": "ignore",
            "unknown_event": "except_no_event",
            "absent_event": "invalid_param",
            "wide_event": "cut",
            "configured": "busy",
            "match_order": "highest",
            "fixed_counter": "outside",
            "firmware_base": "position",
            "config_actions": "general",
            "skip_match": "keep",
            "minh": "always",
            "config_of": "set",
            "unconfigured": "skip",
            "already_started": "others",
            "already_stopped": "others",
            "reset_fixed": "kept",
            "firmware_started": "accept",
            "init_both": "snapshot",
            "init_many": "all",
            "start_of": "unless_pending",
            "boot": "fixed",
            "firmware_shared": "first",
            "firmware_unconfigured": "refuse",
            "fw_read_hi": "zero",
            "no_entries": "refuse",
            "entry_reserved": "output",
            "info_firmware": "zero",
            "info_raw": "one",
        },
        # has no snapshot, fw_read_hi and event_get_info: that is sbi_version=(1, 0) of the platform
        "opensbi_early": {
            "num_counters": "range",
            "reserved_flags": "ignore",
            "invalid_in_set": "skip",
            "set_wraps": "lost",
            "wide_index": "cut",
            "event_data": "ignore",
            "unknown_event": "unchecked",
            "wide_event": "cut",
            "configured": "busy",
            "match_order": "highest",
            "fixed_counter": "outside",
            "config_actions": "general",
            "skip_match": "keep",
            "skip_first": "base",
            "minh": "always",
            "config_of": "set",
            "unconfigured": "skip",
            "already_started": "others",
            "already_stopped": "others",
            "firmware_started": "accept",
            "start_of": "unless_pending",
            "boot": "fixed",
            "firmware_value": "event",
            "fw_read_hardware": "answer",
            "firmware_unconfigured": "refuse",
        },
    }
)


class Policy:
    """One choice for each row: `policy[key]`. PolicyError if a set, key or value does not exist."""

    def __init__(self, name: str = "strict", **choices: str) -> None:
        if name not in NAMED:
            raise PolicyError(f"policy {name} does not exist; give {', '.join(NAMED)}")
        given = {**NAMED[name], **choices}
        for key, value in given.items():
            if key not in KEYS:
                raise PolicyError(f"policy key {key} does not exist; give {', '.join(KEYS)}")
            if value not in KEYS[key].values:
                raise PolicyError(f"policy {key}={value} does not exist; give {key}={' or '.join(KEYS[key].values)}")
        self.name = name
        self.choices: Mapping[str, str] = MappingProxyType({row.key: given.get(row.key, row.strict) for row in ROWS})

    @classmethod
    def named(cls, name: str, **choices: str) -> Policy:
        """A named set, with these keys chosen otherwise."""
        return cls(name, **choices)

    def __getitem__(self, key: str) -> str:
        return self.choices[key]


PLACE = "<!-- the table of the policies -->"  # in docs/reference/sbi-pmu.md


def markdown() -> str:
    """The table of all rows, as the site shows it in sbi-pmu.md."""
    lines = ["| key | point | strict | otherwise | who |", "|---|---|---|---|---|"]
    for row in ROWS:
        strict, *others = [f"`{name}`: {text}" for name, text in row.values.items()]
        who = "; ".join(f"`{value}`: {text}" for value, text in row.who.items())
        lines.append(f"| `{row.key}` | {row.point} | {strict} | {'<br>'.join(others)} | {who} |")
    lines += ["", "| named set | choices other than strict |", "|---|---|"]
    for name, choices in NAMED.items():
        shown = ", ".join(f"`{key}={value}`" for key, value in choices.items() if value != KEYS[key].strict)
        lines.append(f"| `{name}` | {shown or 'none'} |")
    return "\n".join(lines)


def inserted(page: str) -> str:
    """The page with the table in its place. PolicyError if it has no place."""
    if PLACE not in page:
        raise PolicyError(f"the page has no place for the table; put `{PLACE}` where it belongs")
    return page.replace(PLACE, markdown())
