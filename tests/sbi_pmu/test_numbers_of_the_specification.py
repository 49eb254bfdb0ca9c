# SPDX-License-Identifier: Apache-2.0
"""Numbers of the SBI PMU chapter read a second time, from the chapter and not from its tables as data.

Implementation, client, checks and the comparison with OpenSBI all import models/sbi_pmu/tables.py; a slip there would
be theirs as well. What is expected here was written down from the text of SBI 3.0 (and from the Change Log, where
versions differ), each with its section.
"""

import pytest

from rvtrace.models.riscv.csr import HS, VS, VU, M, U
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform
from rvtrace.models.sbi_pmu.pmu import SbiPmu
from rvtrace.scoreboards.sbi_pmu import shadow

# Section Function Listing: name, SBI version, FID; arguments from the prototypes of the functions; errors from their
# tables
SET, SHMEM, INDEX = "counter_idx_base counter_idx_mask ", "shmem_phys_lo shmem_phys_hi ", "counter_idx"
SHMEM_ERRORS = "SUCCESS NOT_SUPPORTED INVALID_PARAM INVALID_ADDRESS FAILED"
FUNCTIONS = [
    ("num_counters", (0, 3), 0, "", "SUCCESS"),  # "always returns SBI_SUCCESS"
    ("counter_get_info", (0, 3), 1, INDEX, "SUCCESS INVALID_PARAM"),
    (
        "counter_config_matching",
        (0, 3),
        2,
        SET + "config_flags event_idx event_data",
        "SUCCESS INVALID_PARAM NOT_SUPPORTED",
    ),
    ("counter_start", (0, 3), 3, SET + "start_flags initial_value", "SUCCESS INVALID_PARAM ALREADY_STARTED NO_SHMEM"),
    ("counter_stop", (0, 3), 4, SET + "stop_flags", "SUCCESS INVALID_PARAM ALREADY_STOPPED NO_SHMEM"),
    ("counter_fw_read", (0, 3), 5, INDEX, "SUCCESS INVALID_PARAM"),
    ("counter_fw_read_hi", (2, 0), 6, INDEX, "SUCCESS INVALID_PARAM"),
    ("snapshot_set_shmem", (2, 0), 7, SHMEM + "flags", SHMEM_ERRORS),
    ("event_get_info", (3, 0), 8, SHMEM + "num_entries flags", SHMEM_ERRORS),
]
# Binary Encoding, table Standard SBI Errors; no function here gives the last three.
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
}
# Table PMU Hardware Events
GENERAL = {
    "NO_EVENT": 0,
    "CPU_CYCLES": 1,
    "INSTRUCTIONS": 2,
    "CACHE_REFERENCES": 3,
    "CACHE_MISSES": 4,
    "BRANCH_INSTRUCTIONS": 5,
    "BRANCH_MISSES": 6,
    "BUS_CYCLES": 7,
    "STALLED_CYCLES_FRONTEND": 8,
    "STALLED_CYCLES_BACKEND": 9,
    "REF_CPU_CYCLES": 10,
}
# Tables PMU Cache Event ID, Operation ID, Operation Result ID
CACHES = {"L1D": 0, "L1I": 1, "LL": 2, "DTLB": 3, "ITLB": 4, "BPU": 5, "NODE": 6}
OPS, RESULTS = {"READ": 0, "WRITE": 1, "PREFETCH": 2}, {"ACCESS": 0, "MISS": 1}
# Table PMU Firmware Events
FIRMWARE = {
    "MISALIGNED_LOAD": 0,
    "MISALIGNED_STORE": 1,
    "ACCESS_LOAD": 2,
    "ACCESS_STORE": 3,
    "ILLEGAL_INSN": 4,
    "SET_TIMER": 5,
    "IPI_SENT": 6,
    "IPI_RECEIVED": 7,
    "FENCE_I_SENT": 8,
    "FENCE_I_RECEIVED": 9,
    "SFENCE_VMA_SENT": 10,
    "SFENCE_VMA_RECEIVED": 11,
    "SFENCE_VMA_ASID_SENT": 12,
    "SFENCE_VMA_ASID_RECEIVED": 13,
    "HFENCE_GVMA_SENT": 14,
    "HFENCE_GVMA_RECEIVED": 15,
    "HFENCE_GVMA_VMID_SENT": 16,
    "HFENCE_GVMA_VMID_RECEIVED": 17,
    "HFENCE_VVMA_SENT": 18,
    "HFENCE_VVMA_RECEIVED": 19,
    "HFENCE_VVMA_ASID_SENT": 20,
    "HFENCE_VVMA_ASID_RECEIVED": 21,
}


def test_functions() -> None:
    assert sbi.EID == 0x504D55 == int.from_bytes(b"PMU", "big")  # chapter title
    found = [(f.name, f.version, f.fid, " ".join(f.arguments), set(f.errors)) for f in sbi.FUNCTIONS]
    assert found == [
        (name, version, fid, arguments, set(errors.split())) for name, version, fid, arguments, errors in FUNCTIONS
    ]
    fids = (
        sbi.NUM_COUNTERS, sbi.GET_INFO, sbi.CONFIG_MATCHING, sbi.START, sbi.STOP, sbi.FW_READ, sbi.FW_READ_HI,
        sbi.SET_SHMEM, sbi.EVENT_GET_INFO,
    )  # fmt: skip
    assert fids == tuple(range(9))


def test_registers_of_64_bit_arguments() -> None:
    # Binary Encoding: "2*XLEN bits wide are passed in a pair of argument registers, with the low-order XLEN bits in the
    # lower-numbered"
    wide = 0x1122_3344_5566_7788
    match = {"counter_idx_base": 1, "counter_idx_mask": 2, "config_flags": 3, "event_idx": 4, "event_data": wide}
    start = {"counter_idx_base": 1, "counter_idx_mask": 2, "start_flags": 3, "initial_value": wide}
    assert Call.of(64, "counter_config_matching", **match) == (2, (1, 2, 3, 4, wide, 0))
    assert Call.of(32, "counter_config_matching", **match) == (2, (1, 2, 3, 4, 0x5566_7788, 0x1122_3344))
    assert Call.of(64, "counter_start", **start) == (3, (1, 2, 3, wide, 0, 0))
    assert Call.of(32, "counter_start", **start) == (3, (1, 2, 3, 0x5566_7788, 0x1122_3344, 0))


def test_errors() -> None:
    assert sbi.ERRORS == ERRORS


def test_flags() -> None:
    # tables PMU Counter Config Match Flags, Start Flags, Stop Flags: bits
    config = {
        "SKIP_MATCH": 0,
        "CLEAR_VALUE": 1,
        "AUTO_START": 2,
        "SET_VUINH": 3,
        "SET_VSINH": 4,
        "SET_UINH": 5,
        "SET_SINH": 6,
        "SET_MINH": 7,
    }
    assert {name: 1 << bit for name, bit in config.items()} == sbi.CONFIG_FLAGS
    assert sbi.START_FLAGS == {"SET_INIT_VALUE": 1 << 0, "INIT_SNAPSHOT": 1 << 1}
    assert sbi.STOP_FLAGS == {"RESET": 1 << 0, "TAKE_SNAPSHOT": 1 << 1}
    modes = {
        "SET_MINH": (62, M),
        "SET_SINH": (61, HS),
        "SET_UINH": (60, U),
        "SET_VSINH": (59, VS),
        "SET_VUINH": (58, VU),
    }  # Sscofpmf
    assert {name: 1 << bit for name, (bit, _) in modes.items()} == sbi.FILTER_BITS and sbi.OF == 1 << 63
    assert {name: mode for name, (_, mode) in modes.items()} == shadow.MODES  # "inhibited in VU-mode", ... "in M-mode"


def test_event_names_and_codes() -> None:
    caches = ((sbi.CACHE_IDS, CACHES), (sbi.CACHE_OPS, OPS), (sbi.CACHE_RESULTS, RESULTS))
    for found, want in ((sbi.GENERAL_EVENTS, GENERAL), *caches, (sbi.FIRMWARE_EVENTS, FIRMWARE)):
        assert {name: code for code, name in enumerate(found)} == want
    assert (sbi.NO_EVENT, sbi.CPU_CYCLES, sbi.INSTRUCTIONS) == (0, 1, 2)
    # table of event types, and event_idx[19:16] = type, event_idx[15:0] = code
    assert (sbi.GENERAL, sbi.CACHE, sbi.RAW, sbi.RAW_V2, sbi.FIRMWARE) == (0, 1, 2, 3, 15)
    assert sbi.event_idx(0xF, 0xFFFF) == 0xF_FFFF and sbi.event_idx(3) == 0x3_0000
    assert (
        sbi.cache_code(0x1FFF, 0, 0) == 0xFFF8 and sbi.cache_code(0, 3, 0) == 0b110 and sbi.cache_code(0, 0, 1) == 1
    )  # [15:3], [2:1], [0:0]
    assert sbi.RAW_BITS == {2: 48, 3: 56}  # mhpmeventX [0:47] and [0:55]
    assert (range(22, 255 + 1), range(256, 65534 + 1), 65535) == (
        sbi.FIRMWARE_RESERVED,
        sbi.FIRMWARE_SPECIFIC,
        sbi.FIRMWARE_PLATFORM,
    )


# Change Log: 2.0-rc1 "Reserved space for SBI implementation specific firmware events", 3.0-rc1/rc2 "new raw event
# type"; SBI 1.0 ends at code 21
@pytest.mark.parametrize(("version", "later"), [((0, 3), 0), ((1, 0), 0), ((2, 0), 1), ((3, 0), 2)])
def test_which_event_idx_are_defined(version: tuple[int, int], later: int) -> None:
    want = {
        *range(1, 11),
        0x2_0000,
        *range(0xF_0000, 0xF_0016),
        *((), range(0xF_0100, 0x10_0000), range(0xF_0100, 0x10_0000))[later],
    }
    want |= {0x1_0000 + 8 * cache + 2 * op + result for cache in range(7) for op in range(3) for result in range(2)} | (
        {0x3_0000} if later == 2 else set()
    )
    codes = {
        *range(0x240),
        *range(0xFE00, 0x1_0000),
        *(near & 0xFFFF for bit in range(16) for near in range((1 << bit) - 2, (1 << bit) + 3)),
    }
    asked = {type_ << 16 | code for type_ in range(16) for code in codes}
    assert {event for event in asked if sbi.defined(event, version)} == want & asked
    # "a 20 bits wide number"
    assert not any(sbi.defined(event | 1 << bit, version) for event in (1, 0x2_0000, 0xF_0000) for bit in range(20, 64))


def test_shared_memory() -> None:
    # table SBI PMU Snapshot shared memory layout: offset 0 size 8, offset 8 size 512 of 64-bit values, offset 0x208
    # size 3576 reserved
    assert (sbi.BITMAP_OFFSET, sbi.BITMAP_SIZE, sbi.VALUES_OFFSET, sbi.VALUE_SIZE, sbi.VALUE_SIZE * sbi.VALUES) == (
        0,
        8,
        8,
        8,
        512,
    )
    assert sbi.SHMEM_SIZE == sbi.SHMEM_ALIGN == 4096 == 0x208 + 3576 and sbi.VALUES_OFFSET + 512 == 0x208
    # Get PMU Event info: 16-byte aligned, (16 * num_entries) bytes; word 0 event_idx, word 1 output, words 2-3
    # event_data
    assert (sbi.ENTRY_SIZE, sbi.ENTRY_ALIGN, sbi.OUTPUT_OFFSET, sbi.OUTPUT_SIZE) == (16, 16, 4, 4)


@pytest.mark.parametrize("xlen", [32, 64])
def test_counter_info(xlen: int) -> None:
    # counter_info[11:0] = CSR, [17:12] = width - 1, [XLEN-1] = type; the CSRs are cycle, instret and hpmcounterN
    # (introduction)
    given = {0: (0, 64, 0xC00), 1: (2, 64, 0xC02), 2: (3, 1, 0xC03), 3: (31, 40, 0xC1F), 4: (9, 64, 0xC09)}
    counters = (*(Hardware(index, number, width) for index, (number, width, _) in given.items()), Firmware(5))
    pmu = SbiPmu(Platform(xlen=xlen, counters=counters))
    steps = [pmu.calling(1, (index,)) for index in range(6)]
    values = []
    for step in steps:
        with pytest.raises(StopIteration) as end:
            next(step)
        values.append(end.value.value.value)
    assert values[:5] == [address + 4096 * (width - 1) for _, width, address in given.values()]
    assert values[5] >> xlen - 1 == 1 and values[5] >> 18 & (1 << xlen - 19) - 1 == 0  # type 1; [XLEN-2:18] reserved
    assert (sbi.INFO_WIDTH_SHIFT, sbi.INFO_CSR_MASK) == (12, 0xFFF)
