# SPDX-License-Identifier: Apache-2.0
"""event_get_info (FID 8): reads the entries in shared memory, then writes the output word of each."""

from __future__ import annotations

from rvtrace.models.sbi_pmu.answers import INVALID_ADDRESS, INVALID_PARAM, OK, SbiRet
from rvtrace.models.sbi_pmu.backend import ReadMem, Steps, ValidAddress, WriteMem
from rvtrace.models.sbi_pmu.counters import Counters
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.tables import (
    ENTRY_ALIGN,
    ENTRY_SIZE,
    FIRMWARE,
    OUTPUT_OFFSET,
    OUTPUT_SIZE,
    RAW_BITS,
    defined,
)


def event_get_info(platform: Platform, policy: Policy, counters: Counters, registers: tuple[int, ...]) -> Steps[SbiRet]:
    """The call, on a platform that has it. registers: a0 to a5."""
    low, high, entries, flags = registers[:4]
    if flags or low % ENTRY_ALIGN or (not entries and policy["no_entries"] == "refuse"):
        return INVALID_PARAM
    address = low | high << platform.xlen
    if not (yield ValidAddress(address, ENTRY_SIZE * entries)):
        return INVALID_ADDRESS
    outputs = []
    for at in range(address, address + ENTRY_SIZE * entries, ENTRY_SIZE):
        entry = yield ReadMem(at, ENTRY_SIZE, "event_get_info")
        event = int.from_bytes(entry[:4], "little")
        if event >> 20 and policy["entry_reserved"] == "refuse":
            return INVALID_PARAM
        outputs.append((at, _supported(policy, counters, event, int.from_bytes(entry[8:], "little"))))
    for at, output in outputs:  # only now: a refused call writes nothing
        yield WriteMem(at + OUTPUT_OFFSET, int(output).to_bytes(OUTPUT_SIZE, "little"), "event_get_info")
    return OK


def _supported(policy: Policy, counters: Counters, event: int, data: int) -> bool:
    if not defined(event, counters.platform.sbi_version) or (
        event >> 16 == FIRMWARE and policy["info_firmware"] == "zero"
    ):
        return False
    if event >> 16 in RAW_BITS and policy["info_raw"] == "one":
        return True
    if event >> 16 not in (*RAW_BITS, FIRMWARE):
        data = 0  # the entry's event_data is valid for these types only
    kept = counters.data_for(event, data)
    return kept is not None and counters.supported(event, kept)
