# SPDX-License-Identifier: Apache-2.0
"""Replays a recorded machine's calls on models/sbi_pmu: which answers differ, and which row of the policies explains
them.

    compared = compare(record, Policy("opensbi"))
    compared.unexplained          # steps that the policy does not foresee
    compared.rows                 # policy row -> steps whose answer it makes

A row makes a step if the answer changes when this row alone is made strict; what needs more than one row goes to the
first that changes it when one row after the other is made strict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rvtrace.flow.opensbi.machine import FIRMWARE, RAM, RAM_SIZE
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.backend_hpm import HpmBackend
from rvtrace.models.sbi_pmu.calls import Call, SupervisorCsr, act
from rvtrace.models.sbi_pmu.client import LCOFIP, SCOUNTOVF, SIP
from rvtrace.models.sbi_pmu.monitor import MonitoredMemory
from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform
from rvtrace.models.sbi_pmu.pmu import SbiPmu, SbiRet
from rvtrace.models.sbi_pmu.policy import KEYS, Policy
from rvtrace.models.sbi_pmu.record import Boot, Record, Step, Work

_COUNTERS = range(0xC00, 0xCA0)
_KEPT = 24  # bits of a counter that hold how far it came; those above hold the value it was started with


def backend_of(platform: Platform) -> tuple[Platform, HpmBackend]:
    """A counter model with the counters of this platform, and the platform with its selectors; memory is the RAM after
    the firmware.
    """
    hardware = [c for c in platform.counters if isinstance(c, Hardware)]
    events = sorted({event for c in hardware for event in c.events})
    selectors = {event: n for n, event in enumerate(events, 1)}  # events 1 and 2 are selectors 1 and 2
    widths = {c.number: c.width for c in hardware}
    config = Config(
        xlen=platform.xlen,
        counters=sum(1 << c.number for c in hardware if not c.fixed),
        widths=tuple(widths.get(n, 64) for n in range(32)),
        has_sscofpmf=int(platform.sscofpmf),
        has_smcntrpmf=int(platform.smcntrpmf),
    )
    memory = MonitoredMemory(RAM + FIRMWARE, RAM_SIZE - FIRMWARE)
    return replace(platform, selectors=selectors), HpmBackend(Hpm(config), memory)


def replay(record: Record, policy: Policy) -> list[Any]:
    """What models/sbi_pmu gives for the steps of a record."""
    platform, backend = backend_of(record.platform)
    pmu = SbiPmu(platform, backend, policy)
    results: list[Any] = []
    for action, *_ in record.steps:
        if isinstance(action, Work):
            backend.run(action.counts[0][0], Counts(cycle=1, retired=1, events=(1,) * 8), action.cycles)
        results.append(None if isinstance(action, Work | Boot) else act(action, pmu, backend))
        backend.memory.accesses.clear()
    return results


class Equal:
    """Whether two results of a step say the same, step by step in order.

    Of calls that failed, and of fw_read of a hardware counter, only the error counts. Counters run at the speed of the
    machine: of their values the upper bits count, and whether they changed since the read before the hart ran. Of sip
    LCOFIP counts, of scountovf those counters that were configured, and only what is read. machine: how many reads were
    as QEMU 7.2 gives them, and not as hardware does: of a stopped counter what it counted is in the first read only,
    then comes the value that was written last.
    """

    def __init__(self, platform: Platform) -> None:
        self.xlen = platform.xlen
        self.hardware = {c.index: 1 << c.number for c in platform.counters if isinstance(c, Hardware)}
        self.configured = 0
        self.before: dict[int, tuple[int, int]] = {}
        self.machine = 0

    def step(self, step: Step, expected: Any) -> bool:
        """The result of this step against what was expected."""
        action, got = step.action, step.result
        if isinstance(action, Call):
            self.before.clear()
            if action.fid == sbi.CONFIG_MATCHING and not got.error and action.registers[3] >> 16 != sbi.FIRMWARE:
                self.configured |= self.hardware.get(got.value, 0)
            meant = got.error == 0 and not (action.fid == sbi.FW_READ and action.registers[0] in self.hardware)
            return got.error == expected.error and (not meant or got.value == expected.value)
        if not isinstance(action, SupervisorCsr):
            return got == expected
        if action.op:
            return True
        if action.address == SIP:
            return not (got ^ expected) & LCOFIP
        if action.address == SCOUNTOVF:
            return not (got ^ expected) & self.configured
        return action.address not in _COUNTERS or self._counter(action.address, got, expected)

    def _counter(self, address: int, got: int, expected: int) -> bool:
        before = self.before.get(address, (got, expected))
        self.before[address] = (got, expected)
        low = 0 if address & 0x80 else _KEPT
        stopped = expected == before[1]
        self.machine += stopped and got < before[0]
        return got >> low == expected >> low and (got <= before[0] if stopped else got != before[0])


@dataclass
class Compared:
    """A record against the models. strict: steps that the strict policy answers otherwise; rows: policy key -> those it
    makes.

    expected: results of the strict policy; foreseen: of the policy of the record.
    """

    record: Record
    policy: Policy
    expected: Sequence[Any]
    foreseen: Sequence[Any]
    strict: list[int]
    unexplained: list[int]
    rows: dict[str, list[int]] = field(default_factory=dict)


def compare(record: Record, policy: Policy) -> Compared:
    """Plays the record with the strict policy, with this one, and with each of its rows made strict."""
    expected, foreseen = replay(record, Policy()), replay(record, policy)
    strict, unexplained = differing(record, expected), differing(record, foreseen)
    compared = Compared(record, policy, expected, foreseen, strict, unexplained)
    chosen = [key for key, value in policy.choices.items() if value != KEYS[key].strict]
    explained = set(strict) - set(unexplained)
    left = set(explained)
    for key in chosen:
        made = explained & changed(record, foreseen, policy, key)
        if made:
            compared.rows[key] = sorted(made)
            left -= made
    gone: list[str] = []
    while left and chosen:
        gone.append(chosen.pop(0))
        made = left & changed(record, foreseen, policy, *gone)
        if made:
            compared.rows[gone[-1]] = sorted({*compared.rows.get(gone[-1], []), *made})
            left -= made
    return compared


def changed(record: Record, foreseen: Sequence[Any], policy: Policy, *keys: str) -> set[int]:
    """Steps whose results are other than foreseen by the policy when these rows of it are made strict."""
    choices = {key: value for key, value in policy.choices.items() if key not in keys}
    return set(differing(record_of(record, foreseen), replay(record, Policy(**choices))))


def record_of(record: Record, results: Sequence[Any]) -> Record:
    """The same steps with these results."""
    steps = [step._replace(result=result) for step, result in zip(record.steps, results)]
    return replace(record, steps=steps)


def differing(record: Record, expected: Sequence[Any]) -> list[int]:
    """Numbers of the steps whose results are not as expected."""
    equal = Equal(record.platform)
    return [n for n, (step, result) in enumerate(zip(record.steps, expected)) if not equal.step(step, result)]


def platform_of(xlen: int, events: Mapping[int, int], isa: str, steps: Sequence[Step]) -> Platform:
    """The platform as discovered. events: event_idx -> counters that can monitor it, from the device tree, with its ISA
    string.

    steps: those of rvtrace.flow.opensbi.calls.discovery.
    """
    counters: list[Hardware | Firmware] = []
    there: dict[int, SbiRet] = {}
    width = 64
    for action, ret, *_ in steps:
        assert isinstance(action, Call)
        there[action.fid] = ret
        if action.fid != sbi.GET_INFO or ret.error or action.registers[0] >= 1 << 31:
            continue
        index = action.registers[0]
        if ret.value >> xlen - 1:
            counters.append(Firmware(index))
            width = (ret.value >> sbi.INFO_WIDTH_SHIFT & 63) + 1
            continue
        number = (ret.value & sbi.INFO_CSR_MASK) - 0xC00
        can = {event for event, mask in events.items() if mask >> number & 1}
        counters.append(Hardware(index, number, (ret.value >> sbi.INFO_WIDTH_SHIFT & 63) + 1, frozenset(can)))

    def answers(fid: int) -> bool:
        return there[fid].name != "NOT_SUPPORTED"

    version = (
        (3, 0)
        if answers(sbi.EVENT_GET_INFO)
        else (2, 0)
        if answers(sbi.FW_READ_HI) or answers(sbi.SET_SHMEM)
        else (1, 0)
    )
    return Platform(
        xlen=xlen, counters=tuple(counters), firmware_width=width, sbi_version=version, snapshot=answers(sbi.SET_SHMEM),
        event_info=answers(sbi.EVENT_GET_INFO), sscofpmf="sscofpmf" in isa, smcntrpmf="smcntrpmf" in isa,
    )  # fmt: skip
