# SPDX-License-Identifier: Apache-2.0
"""Tables of the SBI PMU chapter as data: functions, errors, flags, events, layouts. Everybody who checks or calls reads
them here.
"""

from __future__ import annotations

from typing import NamedTuple

EID = 0x504D55

NUM_COUNTERS, GET_INFO, CONFIG_MATCHING, START, STOP, FW_READ, FW_READ_HI, SET_SHMEM, EVENT_GET_INFO = range(9)


class Function(NamedTuple):
    """A row of table PMU Function List. arguments: names in order; wide: those of 64 bits, two registers on RV32.
    errors: its error table.
    """

    fid: int
    name: str
    version: tuple[int, int]
    arguments: tuple[str, ...]
    errors: tuple[str, ...]
    wide: tuple[str, ...] = ()

    def registers(self, xlen: int, values: dict[str, int]) -> tuple[int, ...]:
        """a0 to a5 of a call with these arguments; what is not named is 0. KeyError on a name that the function does
        not have.
        """
        unknown = set(values) - set(self.arguments)
        if unknown:
            raise KeyError(
                f"{self.name} has no argument {sorted(unknown)[0]}; it has {', '.join(self.arguments) or 'none'}"
            )
        out: list[int] = []
        for name in self.arguments:
            value = values.get(name, 0)
            out.append(value & (1 << xlen) - 1)
            if xlen == 32 and name in self.wide:
                out.append(value >> 32 & 0xFFFF_FFFF)
        return tuple(out + [0] * (6 - len(out)))

    def named(self, xlen: int, registers: tuple[int, ...]) -> dict[str, int]:
        """The arguments in registers a0 to a5, as the SBI implementation reads them."""
        out, at = {}, 0
        for name in self.arguments:
            out[name] = registers[at]
            if xlen == 32 and name in self.wide:
                at += 1
                out[name] |= registers[at] << 32
            at += 1
        return out


_SET = ("counter_idx_base", "counter_idx_mask")
_SHMEM = ("shmem_phys_lo", "shmem_phys_hi")
FUNCTIONS: tuple[Function, ...] = (
    Function(0, "num_counters", (0, 3), (), ("SUCCESS",)),
    Function(1, "counter_get_info", (0, 3), ("counter_idx",), ("SUCCESS", "INVALID_PARAM")),
    Function(
        2,
        "counter_config_matching",
        (0, 3),
        (*_SET, "config_flags", "event_idx", "event_data"),
        ("SUCCESS", "INVALID_PARAM", "NOT_SUPPORTED"),
        ("event_data",),
    ),
    Function(
        3,
        "counter_start",
        (0, 3),
        (*_SET, "start_flags", "initial_value"),
        ("SUCCESS", "INVALID_PARAM", "ALREADY_STARTED", "NO_SHMEM"),
        ("initial_value",),
    ),
    Function(
        4, "counter_stop", (0, 3), (*_SET, "stop_flags"), ("SUCCESS", "INVALID_PARAM", "ALREADY_STOPPED", "NO_SHMEM")
    ),
    Function(5, "counter_fw_read", (0, 3), ("counter_idx",), ("SUCCESS", "INVALID_PARAM")),
    Function(6, "counter_fw_read_hi", (2, 0), ("counter_idx",), ("SUCCESS", "INVALID_PARAM")),
    Function(
        7,
        "snapshot_set_shmem",
        (2, 0),
        (*_SHMEM, "flags"),
        ("SUCCESS", "NOT_SUPPORTED", "INVALID_PARAM", "INVALID_ADDRESS", "FAILED"),
    ),
    Function(
        8,
        "event_get_info",
        (3, 0),
        (*_SHMEM, "num_entries", "flags"),
        ("SUCCESS", "NOT_SUPPORTED", "INVALID_PARAM", "INVALID_ADDRESS", "FAILED"),
    ),
)
BY_NAME = {function.name: function for function in FUNCTIONS}

ERRORS = {
    "SUCCESS": 0,
    "FAILED": -1,
    "NOT_SUPPORTED": -2,
    "INVALID_PARAM": -3,
    "DENIED": -4,
    "INVALID_ADDRESS": -5,
    "ALREADY_AVAILABLE": -6,
    "ALREADY_STARTED": -7,
    "ALREADY_STOPPED": -8,
    "NO_SHMEM": -9,
    "INVALID_STATE": -10,
    "BAD_RANGE": -11,
    "TIMEOUT": -12,
    "IO": -13,
    "DENIED_LOCKED": -14,
}  # table Standard SBI Errors of SBI 3.0, whole: other extensions give what no function here gives
ERROR_NAMES = {number: name for name, number in ERRORS.items()}

# config_flags
SKIP_MATCH, CLEAR_VALUE, AUTO_START = 1 << 0, 1 << 1, 1 << 2
SET_VUINH, SET_VSINH, SET_UINH, SET_SINH, SET_MINH = 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7
CONFIG_FLAGS = {
    "SKIP_MATCH": SKIP_MATCH, "CLEAR_VALUE": CLEAR_VALUE, "AUTO_START": AUTO_START, "SET_VUINH": SET_VUINH,
    "SET_VSINH": SET_VSINH, "SET_UINH": SET_UINH, "SET_SINH": SET_SINH, "SET_MINH": SET_MINH,
}  # fmt: skip
# start_flags
SET_INIT_VALUE, INIT_SNAPSHOT = 1 << 0, 1 << 1
START_FLAGS = {"SET_INIT_VALUE": SET_INIT_VALUE, "INIT_SNAPSHOT": INIT_SNAPSHOT}
# stop_flags
RESET, TAKE_SNAPSHOT = 1 << 0, 1 << 1
STOP_FLAGS = {"RESET": RESET, "TAKE_SNAPSHOT": TAKE_SNAPSHOT}
FLAGS = {"config_flags": CONFIG_FLAGS, "start_flags": START_FLAGS, "stop_flags": STOP_FLAGS, "flags": {}}

# Bits of mhpmevent, mcyclecfg and minstretcfg that filters of config_flags set (Sscofpmf, Smcntrpmf).
OF = 1 << 63
FILTER_BITS = {
    "SET_MINH": 1 << 62,
    "SET_SINH": 1 << 61,
    "SET_UINH": 1 << 60,
    "SET_VSINH": 1 << 59,
    "SET_VUINH": 1 << 58,
}

GENERAL, CACHE, RAW, RAW_V2, FIRMWARE = 0, 1, 2, 3, 15  # event_idx.type
TYPES = {GENERAL: "general", CACHE: "cache", RAW: "raw", RAW_V2: "raw v2", FIRMWARE: "firmware"}
RAW_BITS = {RAW: 48, RAW_V2: 56}  # of event_data, where mhpmevent has 64; 32 where it has 32

GENERAL_EVENTS = (
    "NO_EVENT",
    "CPU_CYCLES",
    "INSTRUCTIONS",
    "CACHE_REFERENCES",
    "CACHE_MISSES",
    "BRANCH_INSTRUCTIONS",
    "BRANCH_MISSES",
    "BUS_CYCLES",
    "STALLED_CYCLES_FRONTEND",
    "STALLED_CYCLES_BACKEND",
    "REF_CPU_CYCLES",
)
NO_EVENT, CPU_CYCLES, INSTRUCTIONS = 0, 1, 2
CACHE_IDS = ("L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE")
CACHE_OPS = ("READ", "WRITE", "PREFETCH")
CACHE_RESULTS = ("ACCESS", "MISS")
FIRMWARE_EVENTS = (
    "MISALIGNED_LOAD",
    "MISALIGNED_STORE",
    "ACCESS_LOAD",
    "ACCESS_STORE",
    "ILLEGAL_INSN",
    "SET_TIMER",
    "IPI_SENT",
    "IPI_RECEIVED",
    "FENCE_I_SENT",
    "FENCE_I_RECEIVED",
    "SFENCE_VMA_SENT",
    "SFENCE_VMA_RECEIVED",
    "SFENCE_VMA_ASID_SENT",
    "SFENCE_VMA_ASID_RECEIVED",
    "HFENCE_GVMA_SENT",
    "HFENCE_GVMA_RECEIVED",
    "HFENCE_GVMA_VMID_SENT",
    "HFENCE_GVMA_VMID_RECEIVED",
    "HFENCE_VVMA_SENT",
    "HFENCE_VVMA_RECEIVED",
    "HFENCE_VVMA_ASID_SENT",
    "HFENCE_VVMA_ASID_RECEIVED",
)
FIRMWARE_RESERVED = range(22, 256)
FIRMWARE_SPECIFIC = range(256, 65535)  # implementation specific
FIRMWARE_PLATFORM = 65535
# The chapter of SBI 0.3 and 1.0 has types 0 to 2, and firmware events 0 to 21. Change Log: "Reserved space for SBI
# implementation specific
# firmware events" (2.0-rc1; SBI_PMU_FW_PLATFORM came with it), "new raw event type" (3.0-rc1/rc2).
NEWEST = (3, 0)
LATER = {
    RAW_V2: (3, 0),
    FIRMWARE: (2, 0),
}  # type -> version of what is not of the first chapter: all of raw v2, firmware codes that no table names

# Snapshot shared memory
SHMEM_SIZE = SHMEM_ALIGN = 4096
BITMAP_OFFSET, BITMAP_SIZE = 0, 8
VALUES_OFFSET, VALUE_SIZE, VALUES = 8, 8, 64
# Event info entry: event_idx, output, event_data
ENTRY_SIZE = ENTRY_ALIGN = 16
OUTPUT_OFFSET, OUTPUT_SIZE = 4, 4

# counter_info
INFO_WIDTH_SHIFT, INFO_CSR_MASK = 12, 0xFFF


def event_idx(type_: int, code: int = 0) -> int:
    """event_idx of a type and a code."""
    return type_ << 16 | code


def cache_code(cache: int, op: int, result: int) -> int:
    """event_idx.code of a hardware cache event."""
    return cache << 3 | op << 1 | result


def defined(event: int, version: tuple[int, int]) -> bool:
    """Whether the chapter of an SBI version defines this event_idx (or leaves it to implementation or platform), so
    that a counter could monitor it.

    NO_EVENT, reserved types and codes, and values of more than 20 bits are not defined; nor is what came later than the
    version (`LATER`).
    """
    if not 0 <= event < 1 << 20:
        return False
    type_, code = event >> 16, event & 0xFFFF
    if type_ == GENERAL:
        return 0 < code < len(GENERAL_EVENTS)
    if type_ == CACHE:
        return code >> 3 < len(CACHE_IDS) and (code >> 1 & 3) < len(CACHE_OPS)
    if type_ in RAW_BITS:
        return code == 0 and version >= LATER.get(type_, version)
    if type_ != FIRMWARE or code in FIRMWARE_RESERVED:
        return False
    return code < len(FIRMWARE_EVENTS) or version >= LATER[FIRMWARE]


def event_name(event: int) -> str:
    """For messages: `CPU_CYCLES`, `L1D READ MISS`, `raw`, `firmware IPI_SENT`, or the number."""
    if not defined(event, NEWEST):
        return f"event {event:#x}"
    type_, code = event >> 16, event & 0xFFFF
    if type_ == GENERAL:
        return GENERAL_EVENTS[code]
    if type_ == CACHE:
        return f"{CACHE_IDS[code >> 3]} {CACHE_OPS[code >> 1 & 3]} {CACHE_RESULTS[code & 1]}"
    if type_ == FIRMWARE:
        return f"firmware {FIRMWARE_EVENTS[code] if code < len(FIRMWARE_EVENTS) else code}"
    return TYPES[type_]
