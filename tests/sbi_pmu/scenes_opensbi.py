# SPDX-License-Identifier: Apache-2.0
"""Scenes of test_policies.py: the rows that only a run of OpenSBI showed (the page OpenSBI comparison)."""

from collections.abc import Callable

from rvtrace.models.sbi_pmu import tables as sbi
from tests.sbi_pmu.machine import BASE, Machine

MATCH, START, STOP = "counter_config_matching", "counter_start", "counter_stop"
Scene = tuple[Callable[[Machine], object], dict[str, object]]


def name(machine: Machine, function: str, *counters: int, **arguments: int) -> str:
    return machine.call(function, *counters, **arguments).name


def matched(machine: Machine, base: int, mask: int, event: int, flags: int = 0, data: int = 0) -> object:
    ret = machine.call(MATCH, base, mask, config_flags=flags, event_idx=event, event_data=data)
    return ret.value if not ret.error else ret.name


def set_wraps(m: Machine) -> object:
    m.config(3, 3)
    first = name(m, START, (1 << m.xlen) - 1, 1 << 4)
    m.call(STOP, 3, 1)
    return first, name(m, START, 3, 1 | 1 << m.xlen - 1)


def config_actions(m: Machine) -> object:
    m.config(3, 0x1_0000, sbi.AUTO_START)
    m.config(4, 3, sbi.AUTO_START)
    return m.started()


def skip_first(m: Machine) -> object:
    m.config(3, 3)
    m.config(4, 3)
    return matched(m, 3, 0b10, 4, sbi.SKIP_MATCH)


def reset_fixed(m: Machine) -> object:
    m.config(0, 1)
    m.call(STOP, 0, 1, stop_flags=sbi.RESET)
    return m.pmu.counters.at[0].event


def firmware_started(m: Machine) -> object:
    m.config(10, 0xF_0000, sbi.AUTO_START)
    got = name(m, START, 10, 1, start_flags=sbi.SET_INIT_VALUE, initial_value=7)
    value = m.ok("counter_fw_read", counter_idx=10)
    return got, value, [name(m, STOP, 10, 1) for _ in range(2)]


def firmware_value(m: Machine) -> object:
    m.config(10, 0xF_0001, sbi.AUTO_START)
    m.config(12, 0xF_0001)
    m.pmu.firmware_event(1)
    return [m.ok("counter_fw_read", counter_idx=index) for index in (10, 12)]


def hardware_read(m: Machine, function: str) -> object:
    m.config(3, 3)
    return name(m, function, counter_idx=3), name(m, "counter_fw_read", counter_idx=4)


def info(m: Machine, event: int, data: int) -> object:
    m.memory.write(BASE, event.to_bytes(8, "little") + data.to_bytes(8, "little"))
    m.ok("event_get_info", shmem_phys_lo=BASE, num_entries=1)
    return m.word(BASE + 4, 4)


RV64 = {"wide_index", "fw_read_hi"}  # what RV32 does not have
SCENES: dict[str, Scene] = {
    "set_wraps": (
        set_wraps,
        {"refuse": ("INVALID_PARAM",) * 2, "wraps": ("SUCCESS", "INVALID_PARAM"), "lost": ("INVALID_PARAM", "SUCCESS")},
    ),
    "wide_index": (
        lambda m: name(m, "counter_get_info", counter_idx=1 << 32 | 3),
        {"refuse": "INVALID_PARAM", "cut": "SUCCESS"},
    ),
    "unknown_event": (
        lambda m: (matched(m, 3, 1, 11), matched(m, 3, 1, 0), matched(m, 10, 1, 0xF_0016)),
        {
            "not_supported": ("NOT_SUPPORTED",) * 3,
            "invalid_param": ("INVALID_PARAM",) * 3,
            "except_no_event": ("INVALID_PARAM", "NOT_SUPPORTED", "INVALID_PARAM"),
            "unchecked": ("NOT_SUPPORTED", "NOT_SUPPORTED", 10),
        },
    ),
    "absent_event": (
        lambda m: matched(m, 10, 1, 0xF_0101),
        {"not_supported": "NOT_SUPPORTED", "invalid_param": "INVALID_PARAM"},
    ),
    "wide_event": (
        lambda m: (matched(m, 10, 1, 0x1F_0000), matched(m, 3, 1, 0x10_0003)),
        {"undefined": ("NOT_SUPPORTED",) * 2, "cut": (10, "NOT_SUPPORTED")},
    ),
    "firmware_base": (lambda m: matched(m, 10, 0b1000, 0xF_0000), {"index": 13, "position": 3}),
    "config_actions": (config_actions, {"all": {3, 4}, "general": {4}}),
    "skip_first": (skip_first, {"lowest": 4, "base": 3}),
    "reset_fixed": (reset_fixed, {"applied": None, "kept": 1}),
    "firmware_started": (
        firmware_started,
        {
            "refuse": ("ALREADY_STARTED", 0, ["SUCCESS", "ALREADY_STOPPED"]),
            "accept": ("SUCCESS", 7, ["SUCCESS", "SUCCESS"]),
        },
    ),
    "firmware_value": (firmware_value, {"counter": [1, 0], "event": [1, 1]}),
    "fw_read_hardware": (
        lambda m: hardware_read(m, "counter_fw_read"),
        {"refuse": ("INVALID_PARAM", "INVALID_PARAM"), "answer": ("SUCCESS", "INVALID_PARAM")},
    ),
    "fw_read_hi": (
        lambda m: hardware_read(m, "counter_fw_read_hi"),
        {"refuse": ("INVALID_PARAM", "INVALID_PARAM"), "zero": ("SUCCESS", "INVALID_PARAM")},
    ),
    "info_firmware": (lambda m: info(m, 0xF_0000, 0), {"told": 1, "zero": 0}),
    "info_raw": (lambda m: info(m, 0x2_0000, 1), {"told": 0, "one": 1}),
}
