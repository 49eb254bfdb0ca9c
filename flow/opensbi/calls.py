# SPDX-License-Identifier: Apache-2.0
"""The calls that are compared with OpenSBI: short scenarios about each function, flag, error and open point of the
chapter, then random mixes.

    discovery(64)                      # actions that ask what is there
    scenarios(platform)                # Scenario(name, what, actions): depend on the platform only, and on no answer

Every scenario ends with all counters stopped and reset, so that a difference in one says nothing about the next.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from rvtrace.flow.opensbi import config_matching as config
from rvtrace.flow.opensbi import counting
from rvtrace.flow.opensbi.machine import ALONG, MEMORY, STIMULI
from rvtrace.flow.opensbi.script import Listing
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Action, Call, FirmwareEvent
from rvtrace.models.sbi_pmu.platform import Hardware, Platform
from rvtrace.models.sbi_pmu.random_calls import random_calls

INDICES = 40  # logical indices that discovery asks for
RANDOM_CALLS, RANDOM_SEEDS = 300, 4


class Scenario(NamedTuple):
    """Actions about one thing. what: one line for the page. cleaning: numbers of those that only stop and reset
    counters before or after.
    """

    name: str
    what: str
    actions: tuple[Action, ...]
    cleaning: frozenset[int] = frozenset()


def discovery(xlen: int) -> list[Action]:
    """num_counters, counter_get_info of every index that could be, and calls that only report whether optional
    functions exist.
    """
    ones = (1 << xlen) - 1
    out: list[Action] = [Call.of(xlen, "num_counters")]
    out += [
        Call.of(xlen, "counter_get_info", counter_idx=index) for index in (*range(INDICES), 63, 64, 1 << xlen - 1, ones)
    ]
    out += [Call.of(xlen, "counter_fw_read_hi", counter_idx=ones), Call.of(xlen, "snapshot_set_shmem", flags=1)]
    out += [Call.of(xlen, "event_get_info", flags=1)]
    return out + [Call(fid, (0,) * 6) for fid in (9, 10, 0x7FFF_FFFF)]


DIRECTED: tuple[Callable[[Listing], None], ...] = (
    counting.boot,
    counting.overflow,
    config.events,
    config.event_data,
    config.config_flags,
    config.other_flags,
    config.order,
    config.sets,
    config.configured,
    config.actions,
    config.skip_match,
    config.firmware_base,
    counting.start,
    counting.stop,
    counting.fixed,
    counting.counting,
    counting.fw_read,
    counting.firmware_counting,
    counting.firmware_states,
    counting.shared_memory,
)


def scenarios(platform: Platform) -> Iterator[Scenario]:
    """All scenarios for a platform, in the order in which they are played."""
    for write in DIRECTED:
        listed = Listing(platform)
        if write is not counting.boot:
            listed.reset()
        write(listed)
        listed.reset()
        yield Scenario(write.__name__, write.__doc__ or "", tuple(listed.actions), frozenset(listed.cleaning))
    for seed in range(1, RANDOM_SEEDS + 1):
        listed = Listing(platform)
        mix = random_calls(random.Random(f"{seed}:witness"), platform, RANDOM_CALLS, (MEMORY, 0x10000))
        listed.actions += [action for action in mix if playable(action, platform)]
        listed.reset()
        yield Scenario(
            f"random_{seed}",
            f"random mix of calls, legal and illegal, seed {seed}",
            tuple(listed.actions),
            frozenset(listed.cleaning),
        )


def playable(action: Action, platform: Platform) -> bool:
    """Whether the machine can play this without harm (the page OpenSBI comparison): events that can be made,
    no call that lets OpenSBI leave its own arrays or shift by XLEN or more, no value from which a counter of TLB misses
    overflows: QEMU 7.2 does not survive that with -icount."""
    if isinstance(action, FirmwareEvent):
        return action.code in STIMULI and action.code + 1 not in ALONG and action.count < 10
    if not isinstance(action, Call) or action.fid not in (sbi.CONFIG_MATCHING, sbi.START, sbi.STOP, sbi.EVENT_GET_INFO):
        return True
    a = sbi.FUNCTIONS[action.fid].named(platform.xlen, action.registers)
    if action.fid == sbi.EVENT_GET_INFO:
        return a["num_entries"] < 1000  # more only takes time
    early = platform.sbi_version < (2, 0)
    if early and a["counter_idx_base"] >= platform.xlen:
        return False
    if action.fid == sbi.STOP:
        return True
    if action.fid == sbi.START:
        return not a["initial_value"] >> 62
    firmware = a["event_idx"] >> 16 & 15 == sbi.FIRMWARE
    if early and firmware and a["event_idx"] & 0xFFFF >= len(sbi.FIRMWARE_EVENTS):
        return False
    base, mask = a["counter_idx_base"], a["counter_idx_mask"]
    if a["config_flags"] & sbi.SKIP_MATCH:
        first = base if early else base + (mask & -mask).bit_length() - 1
        kinds = {c.index: not isinstance(c, Hardware) for c in platform.counters}
        return bool(mask) and kinds.get(first) is firmware
    return not firmware or base == 0
