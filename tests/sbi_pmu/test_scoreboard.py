# SPDX-License-Identifier: Apache-2.0
"""The SBI PMU scoreboard: good records pass, whoever the firmware is; one step changed, and its own clause says so."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import HS
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.backend import WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.calls import Call, FirmwareEvent, Peek, Run, SupervisorCsr
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.policy import NAMED
from rvtrace.models.sbi_pmu.record import Record, Step
from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.check import check, check_record
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances
from rvtrace.tb.sbi_pmu.stimulus.play import Hart, on_model
from rvtrace.tb.sbi_pmu.stimulus.random_rows import random_supervisor
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import SHMEM, Supervisor

ROOT = Path(__file__).resolve().parents[2]


def call_sequence(s: Supervisor) -> Any:
    """Two hardware counters and a firmware counter set up, started, overflown, stopped with a snapshot."""
    yield from s.call("num_counters")
    yield from s.call("counter_get_info", counter_idx=3)
    yield from s.shmem()
    yield from s.match([3], 3, sbi.CLEAR_VALUE | sbi.SET_UINH)
    yield from s.match([4], 4)
    yield from s.match([40], 0xF_0005)
    yield from s.start([3], sbi.SET_INIT_VALUE, (1 << 64) - 2)
    yield from s.start([4], sbi.SET_INIT_VALUE, 7)
    yield from s.start([40])
    yield Run(HS, Counts(events=(2, 1)), 3)
    yield FirmwareEvent(5, 3)
    yield from s.look([3, 4, 40])
    yield from s.stop([3, 4], sbi.TAKE_SNAPSHOT)
    yield Peek(SHMEM, 64)
    yield from s.stop([3])
    yield from s.info([(3, 0), (0, 0)])


def recorded(xlen: int) -> Record:
    hart = Hart(config := Config.from_dict({"xlen": xlen}))
    on_model(hart.playing(call_sequence(Supervisor(config, random.Random(0)))), Hpm(config.hpm), [])
    assert not hart.problems
    return hart.record


def changed(record: Record, wanted: Callable[[Step], bool], change: Callable[[Step], Step]) -> set[str]:
    """The clauses that fail when the first step that is wanted is another one; the record itself is good."""
    assert check_record(record).passed
    number = next(i for i, step in enumerate(record.steps) if wanted(step))
    steps = [*record.steps[:number], change(record.steps[number]), *record.steps[number + 1 :]]
    return set(check_record(replace(record, steps=steps)).book.failed)


def called(name: str) -> Callable[[Step], bool]:
    return lambda step: isinstance(step.action, Call) and step.action.fid == sbi.BY_NAME[name].fid


def answers(error: int, value: int = 0) -> Callable[[Step], Step]:
    return lambda step: step._replace(result=SbiRet(error, value))


def without(kind: type, address: int | None = None) -> Callable[[Step], Step]:
    return lambda step: step._replace(
        operations=tuple(
            done
            for done in step.operations or ()
            if not (isinstance(done[0], kind) and address in (None, done[0].address))
        )
    )


def with_more(*operations: Any) -> Callable[[Step], Step]:
    return lambda step: step._replace(
        operations=(*(step.operations or ()), *((operation, None) for operation in operations))
    )


CHANGES = {
    "SBI.num.count": (called("num_counters"), answers(0, 9)),
    "SBI.info.width": (called("counter_get_info"), answers(0, 0xC03)),
    "SBI.config.success": (called("counter_config_matching"), answers(-2)),
    "SBI.config.in_set": (called("counter_config_matching"), answers(0, 5)),
    "SBI.event.general": (called("counter_config_matching"), with_more(WriteCsr(0x323, 9))),
    "SBI.table.errors": (called("counter_start"), answers(-8)),
    "SBI.start.started": (called("counter_start"), without(WriteCsr, 0x320)),
    "SBI.start.init_value": (
        lambda step: called("counter_start")(step) and step.action.registers[0] == 4,
        without(WriteCsr, 0xB04),
    ),
    "SBI.others.untouched": (called("counter_start"), with_more(WriteCsr(0xB04, 1))),
    "SBI.csr.others": (called("counter_start"), with_more(WriteCsr(0x340, 1))),
    "SBI.mem.other": (called("num_counters"), with_more(WriteMem(SHMEM, b"1", ""))),
    "SBI.stop.snapshot": (called("counter_stop"), without(WriteMem)),
    "SBI.stop.slots": (called("counter_stop"), with_more(WriteMem(SHMEM + 64, bytes(8), ""))),
    "SBI.table.zero": (called("counter_stop"), answers(0, 5)),
    "SBI.evinfo.whole_word": (called("event_get_info"), without(WriteMem)),
    "SBI.fw_read.success": (called("counter_fw_read"), answers(-3)),
    "SBI.fw.counts": (called("counter_fw_read"), answers(0, 0)),
    "SBI.fw_read.value": (called("counter_fw_read"), answers(0, 99)),
    "SBI.view.memory": (
        lambda step: isinstance(step.action, Peek),
        lambda step: step._replace(result=bytes(len(step.result))),
    ),
    "SBI.view.counts": (lambda step: step.action == SupervisorCsr(0, 0xC04), lambda step: step._replace(result=7)),
    "SBI.view.overflow": (lambda step: step.action == SupervisorCsr(0, 0xDA0), lambda step: step._replace(result=0)),
    "SBI.view.lcofi": (lambda step: step.action == SupervisorCsr(0, 0x144), lambda step: step._replace(result=0)),
}


@pytest.mark.parametrize("clause", CHANGES)
def test_one_step_changed_fails_its_clause(clause: str, xlen: int) -> None:
    assert clause in changed(recorded(xlen), *CHANGES[clause])


def test_a_stopped_counter_that_is_stopped_is_refused() -> None:
    record = recorded(64)
    last = [step for step in record.steps if called("counter_stop")(step)][-1]
    assert changed(record, lambda step: step is last, answers(0)) == {"SBI.stop.already_stopped"}


@pytest.mark.parametrize(("xlen", "busy"), [(32, False), (32, True), (64, False), (64, True)])
@pytest.mark.parametrize("policy", sorted(NAMED))
def test_random_supervisors_pass_under_every_named_policy(xlen: int, busy: bool, policy: str) -> None:
    config = Config.from_dict({"xlen": xlen, "policy": policy, "counters": "3+4+5+9", "firmware": "20+21+30"})
    hart = Hart(config, random.Random("1:cycles") if busy else None)
    on_model(hart.playing(random_supervisor(config, random.Random(f"{policy}:{xlen}"), 300)), Hpm(config.hpm), [])
    verdict = check_record(hart.record)
    assert verdict.passed and verdict.stats["calls"] >= 300, verdict.failures[0].text()


@pytest.mark.parametrize("path", sorted((ROOT / "data" / "opensbi").glob("*.jsonl.xz")), ids=lambda path: path.stem)
def test_other_firmware_passes_by_its_answers_alone(path: Path) -> None:
    """What OpenSBI answered, under the policy of its version: nobody saw its operations."""
    verdict = check_record(Record.load(path), Tolerances.free())
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.book.results()["SBI.policy"][0] > 3000


def test_tolerances_leave_open_what_is_not_the_chapters() -> None:
    record = recorded(64)
    number = next(i for i, step in enumerate(record.steps) if called("counter_start")(step))
    steps = list(record.steps)
    steps[number] = with_more(WriteCsr(0x340, 5))(answers(0, 7)(steps[number]))
    loud = check_record(replace(record, steps=steps))
    assert set(loud.book.failed) == {"SBI.table.zero", "SBI.csr.others"}
    assert check_record(replace(record, steps=steps), Tolerances.free()).passed


def test_the_run_around_the_record() -> None:
    """Problems of the run, of the memory's monitor, and another record on the counter model."""
    record, other = recorded(64), recorded(64)
    other.steps[-1] = other.steps[-1]._replace(cycle=1)
    verdict = check(SbiPmuCapture(None, record, other, None, ["an output was X"], ["a byte was touched"]))
    assert set(verdict.book.failed) == {"SBI.run.same", "SBI.run.memory", "SBI.view.unknown"}
    assert check(SbiPmuCapture(None, record, recorded(64))).passed
