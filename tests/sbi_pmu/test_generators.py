# SPDX-License-Identifier: Apache-2.0
"""The same calls played operation by operation, as a sequence on RTL does; and every named policy on random mixes."""

import random

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.backend import ReadCsr, ReadMem, ValidAddress, WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.backend_hpm import HpmBackend, platform_of
from rvtrace.models.sbi_pmu.calls import Call, act
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.pmu import SbiPmu
from rvtrace.models.sbi_pmu.policy import NAMED, Policy
from rvtrace.models.sbi_pmu.random_calls import random_calls
from tests.sbi_pmu.machine import SNAPSHOT


def operations(pmu: SbiPmu, steps: object, answers: list[object]) -> list[object]:
    """The operations of a generator that gets these answers, and its result last."""
    out: list[object] = []
    given = iter(answers)
    try:
        operation = next(steps)  # type: ignore[call-overload]
        while True:
            out.append(operation)
            operation = steps.send(next(given))  # type: ignore[attr-defined]
    except StopIteration as end:
        return [*out, end.value]


def test_operations_of_a_start_and_a_stop_with_snapshots() -> None:
    pmu = SbiPmu(Platform.example())
    operations(pmu, pmu.booting(), [0] * 100)
    shmem = operations(pmu, pmu.calling(sbi.SET_SHMEM, (SNAPSHOT, 0, 0)), [True])
    assert shmem == [ValidAddress(SNAPSHOT, 4096), (0, 0)]
    start = operations(
        pmu,
        pmu.calling(sbi.START, (3, 1, sbi.INIT_SNAPSHOT)),
        [(77).to_bytes(8, "little"), None, 1 << 63 | 5, None, 0x7D, None],
    )
    assert start == [
        ReadMem(SNAPSHOT + 8, 8, "start INIT_SNAPSHOT"),
        WriteCsr(0xB03, 77),
        ReadCsr(0x323),
        WriteCsr(0x323, 5),
        ReadCsr(0x320),
        WriteCsr(0x320, 0x75),
        (0, 0),
    ]
    answers = [0x75, None, 80, None, 1 << 63, 0, 0, 0, None]
    stop = operations(pmu, pmu.calling(sbi.STOP, (3, 1, sbi.TAKE_SNAPSHOT)), answers)
    assert stop == [
        ReadCsr(0x320),
        WriteCsr(0x320, 0x7D),
        ReadCsr(0xB03),
        WriteMem(SNAPSHOT + 8, (80).to_bytes(8, "little"), "stop TAKE_SNAPSHOT"),
        ReadCsr(0x323),
        ReadCsr(0x324),
        ReadCsr(0x325),
        ReadCsr(0x326),
        WriteMem(SNAPSHOT, (1).to_bytes(8, "little"), "stop TAKE_SNAPSHOT"),
        (0, 0),
    ]


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_named_policy_keeps_to_the_error_tables(xlen: int, name: str) -> None:
    backend = HpmBackend(Hpm(Config(xlen=xlen)))
    pmu = SbiPmu(platform_of(backend.hpm.config), backend, Policy(name))
    answers: set[str] = set()
    for action in random_calls(random.Random(f"{name}:calls"), pmu.platform, 500):
        ret = act(action, pmu, backend)
        if isinstance(action, Call) and action.fid < len(sbi.FUNCTIONS):
            assert ret.name in sbi.FUNCTIONS[action.fid].errors, f"{action.shown(xlen)} gave {ret.name}"
            assert ret.error == 0 or ret.value == 0
            answers.add(ret.name)
    assert {"SUCCESS", "INVALID_PARAM", "NOT_SUPPORTED", "ALREADY_STARTED", "ALREADY_STOPPED"} <= answers
