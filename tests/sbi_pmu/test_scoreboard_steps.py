# SPDX-License-Identifier: Apache-2.0
"""One step of a good record changed: boot, counters that no call names, entries of event_get_info, and what is noted
for coverage.
"""

import random
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import pytest

from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.backend import ReadCsr, ReadMem, ValidAddress, WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.calls import Call, Peek, Poke
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.record import Boot, Record, Step, Work
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.causes import COUNTERS
from rvtrace.scoreboards.sbi_pmu.check import check, check_record
from rvtrace.scoreboards.sbi_pmu.rules import State
from rvtrace.tb.hpm.stimulus.script import Script
from rvtrace.tb.sbi_pmu.stimulus.play import Hart, on_model
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import ENTRIES, SHMEM, Supervisor
from tests.hpm.devices import captured

Calls = Callable[[Supervisor], Generator[Any, Any, None]]
MCOUNTINHIBIT, MIDELEG = 0x320, 0x303


def recorded(calls: Calls, **options: object) -> Record:
    hart = Hart(config := Config.from_dict({"counters": "3+4", "firmware": "1+40"} | options))
    on_model(hart.playing(calls(Supervisor(config, random.Random(0)))), Hpm(config.hpm), [])
    assert not hart.problems and check_record(hart.record).passed
    return hart.record


def changed(record: Record, number: int, **fields: Any) -> Verdict:
    """Of the record with another step."""
    steps = list(record.steps)
    steps[number] = steps[number]._replace(**fields)
    return check_record(replace(record, steps=steps))


def call(record: Record, name: str, which: int = 0) -> int:
    """Number of a step."""
    fid = sbi.BY_NAME[name].fid
    found = [k for k, one in enumerate(record.steps) if isinstance(one.action, Call) and one.action.fid == fid]
    return found[which]


def nothing(s: Supervisor) -> Generator[Any, Any, None]:
    yield from s.call("num_counters")


def two_starts(s: Supervisor) -> Generator[Any, Any, None]:
    """Counters 3 and 40 run."""
    yield from s.match([3], 3)
    yield from s.match([40], 0xF_0005)
    yield from s.start([3])
    yield from s.start([40])


# --- Boot -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 2, 3, 4])
def test_each_counter_is_stopped_at_boot(number: int) -> None:
    """Also one whose index is above that of a firmware counter, which is 1 here."""
    record = recorded(nothing)
    operations = (*(record.steps[0].operations or ()), (WriteCsr(MCOUNTINHIBIT, 0b11101 & ~(1 << number)), None))
    failed = changed(record, 0, operations=operations).book.failed
    assert "SBI.boot.stopped" in failed


def test_the_interrupt_is_delegated_at_boot() -> None:
    record = recorded(nothing)
    operations = record.steps[0].operations or ()
    without = tuple(done for done in operations if not (isinstance(done[0], WriteCsr) and done[0].address == MIDELEG))
    assert len(without) < len(operations)
    assert changed(record, 0, operations=without).book.failed == ["SBI.boot.delegated"]


# --- Counters ---------------------------------------------------------------------------------------------------------


def test_a_counter_that_another_call_stops() -> None:
    """The start of firmware counter 40 stops counter 3, and changes nothing else of it."""
    record = recorded(two_starts)
    number = call(record, "counter_start", 1)
    failed = changed(record, number, operations=((WriteCsr(MCOUNTINHIBIT, 0b11101), None),)).book.failed
    assert "SBI.others.untouched" in failed


def test_what_mcountinhibit_reads() -> None:
    """Bit 3 is 1 before the start of counter 3; a read of 0 is wrong."""
    record = recorded(two_starts)
    number = call(record, "counter_start")
    operations = list(record.steps[number].operations or ())
    at = next(k for k, (operation, _) in enumerate(operations) if operation == ReadCsr(MCOUNTINHIBIT))
    operations[at] = operations[at][0], int(operations[at][1]) & ~(1 << 3)
    assert "SBI.view.inhibit" in changed(record, number, operations=tuple(operations)).book.failed


def test_the_step_of_a_failure_of_the_counter_block() -> None:
    """mcycle is wrong after cycle 5, which is in the step that begins in cycle 3."""
    config = HpmConfig.from_dict({"counters": "+3", "events": 1})
    script = Script(config)
    for _ in range(10):
        script.step()
    capture = captured(script.rows(), config)
    assert capture.state is not None
    capture.state.counters[6:, 0] += 1
    record = Record(Platform.example(), steps=[Step(Boot(), None, None, 0), Step(Work(), None, (), 3),
                                               Step(Work(), None, (), 9)])  # fmt: skip
    found = [one for one in check(SbiPmuCapture(None, record, None, capture)).failures if one.clause == COUNTERS]
    assert [(one.cycle, one.at) for one in found] == [(5, 1)]


# --- Memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entries", [[(0, 0), (3, 0)], [(3, 0), (0, 0)]])
def test_every_entry_that_the_supervisor_sees(entries: list[tuple[int, int]]) -> None:
    """Nobody saw the operations. Event 3 is there, event 0 is not: an output that is the other way round is wrong."""

    def calls(s: Supervisor) -> Generator[Any, Any, None]:
        yield from s.info(entries)

    record = recorded(calls)
    record.steps[:] = [step._replace(operations=None) for step in record.steps]
    assert check_record(record).passed
    number = next(k for k, step in enumerate(record.steps) if isinstance(step.action, Peek))
    for at in (4, 20):
        seen = bytearray(record.steps[number].result)
        seen[at] ^= 1
        assert changed(record, number, result=bytes(seen)).book.failed == ["SBI.view.memory"]


def test_how_often_memory_was_touched() -> None:
    record = recorded(nothing)
    more = ((WriteMem(SHMEM, b"1", ""), None), (WriteMem(SHMEM, b"2", ""), None))
    failures = changed(record, call(record, "num_counters"), operations=more).failures
    assert [("accesses of shared memory", "none", "2")] in [list(one.table) for one in failures]


# --- Notes ------------------------------------------------------------------------------------------------------------


def test_what_is_noted_of_refusals_and_configurations() -> None:
    """Counter 3 is configured twice; a start has two reasons to be refused, and another one."""

    def calls(s: Supervisor) -> Generator[Any, Any, None]:
        yield from s.match([3], 3)
        yield from s.match([3], 4)
        yield from s.start([3], 1 << 5, base=2)
        yield from s.call("counter_start", counter_idx_base=77, counter_idx_mask=1, start_flags=1 << 5)
        yield from s.call("counter_start", counter_idx_base=77, counter_idx_mask=1)

    notes = check_record(recorded(calls)).encoded.notes
    assert {key[1:]: times for key, times in notes.items() if key[0] == "config"} == {
        ("programmable", False, False): 1, ("programmable", False, True): 1,
    }  # fmt: skip
    assert {key[1:]: times for key, times in notes.items() if key[0] == "refused"} == {
        ("SBI.start.reserved_flags", "alone"): 1, ("SBI.start.reserved_flags", "first of several"): 1,
        ("SBI.start.invalid_set", "behind another"): 1, ("SBI.start.invalid_set", "alone"): 1,
    }  # fmt: skip


def test_a_policy_is_checked_in_every_call() -> None:
    """Two calls under a policy that is not strict, none under the strict one; a wrong answer fails."""

    def calls(s: Supervisor) -> Generator[Any, Any, None]:
        yield from s.call("num_counters")
        yield from s.call("counter_get_info", counter_idx=3)

    record = recorded(calls, policy="lenient_flags")
    assert check_record(record).book.results()["SBI.policy"] == [2, 0]
    assert check_record(recorded(calls)).book.results().get("SBI.policy", [0, 0]) == [0, 0]
    wrong = changed(record, call(record, "counter_get_info"), result=SbiRet(-3))
    assert wrong.book.results()["SBI.policy"] == [2, 1]


# --- Arguments and policies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("xlen", "value", "csr", "clause"),
    [
        (32, 7, 0xB03, "SBI.start.init_value"),
        (32, 1 << 40, 0xB83, "SBI.table.wide"),
        (64, 7, 0xB03, "SBI.start.init_value"),
        (64, 1 << 40, 0xB03, "SBI.start.init_value"),
    ],
)
def test_initial_values_of_two_registers(xlen: int, value: int, csr: int, clause: str) -> None:
    """RV32 has two registers for initial_value: what is lost of more than 32 bits is a matter of these."""

    def calls(s: Supervisor) -> Generator[Any, Any, None]:
        yield from s.match([3], 3)
        yield from s.start([3], sbi.SET_INIT_VALUE, value)

    record = recorded(calls, xlen=xlen)
    number = call(record, "counter_start")
    operations = record.steps[number].operations or ()
    lost = tuple(done for done in operations if not (isinstance(done[0], WriteCsr) and done[0].address == csr))
    assert len(lost) == len(operations) - 1
    failed = set(changed(record, number, operations=lost).book.failed)
    assert failed & {"SBI.start.init_value", "SBI.table.wide"} == {clause}


@pytest.mark.parametrize(
    ("choices", "event", "vague"),
    [
        ({"firmware_base": "position"}, 0xF_0005, True),
        ({"firmware_base": "position"}, 1, False),
        ({"firmware_value": "event"}, 0xF_0005, True),
        ({"firmware_base": "position", "configured": "busy"}, 0xF_0005, False),
        ({}, 0xF_0005, False),
    ],
)
def test_what_is_not_known_of_firmware_counters(choices: dict[str, str], event: int, vague: bool) -> None:
    """What OpenSBI does with them is known only where configured counters are busy."""
    state = State(Platform.example(), Policy("strict", **choices))
    assert state.vague({"event_idx": event, "counter_idx_base": 0, "counter_idx_mask": 1}) == vague


def test_several_reasons_to_refuse() -> None:
    """Reasons with one error are all checked. With two errors the order is checked, and the first reason alone."""

    def calls(s: Supervisor) -> Generator[Any, Any, None]:
        yield from s.call("counter_start", counter_idx_base=77, counter_idx_mask=1, start_flags=1 << 5)

    found = check_record(recorded(calls)).book.results()
    assert found["SBI.start.reserved_flags"] == found["SBI.start.invalid_set"] == [1, 0]
    assert "SBI.table.order" not in {clause for clause, (checked, _) in found.items() if checked}

    def two(s: Supervisor) -> Generator[Any, Any, None]:
        yield from s.match([3], 3)
        yield from s.start([3], 1 << 5 | sbi.INIT_SNAPSHOT)

    found = check_record(recorded(two)).book.results()
    assert found["SBI.table.order"] == found["SBI.start.reserved_flags"] == [1, 0]
    assert found.get("SBI.start.no_shmem", [0, 0])[0] == 0


def test_a_counter_is_written_while_it_runs() -> None:
    record = recorded(two_starts)
    number = call(record, "counter_start")
    operations = (*(record.steps[number].operations or ()), (WriteCsr(0xB03, 0), None))
    assert "SBI.csr.inhibited" in changed(record, number, operations=operations).book.failed


# --- Entries of event_get_info ----------------------------------------------------------------------------------------


def two_entries(s: Supervisor) -> Generator[Any, Any, None]:
    """Event 3 is there, event 0 is not."""
    yield from s.info([(3, 0), (0, 0)], ENTRIES)


def test_the_output_of_each_entry() -> None:
    record = recorded(two_entries)
    number = call(record, "event_get_info")
    operations = list(record.steps[number].operations or ())
    for entry, right in ((0, 1), (1, 0)):
        at = next(k for k, (one, _) in enumerate(operations)
                  if isinstance(one, WriteMem) and one.address == ENTRIES + 16 * entry + 4)  # fmt: skip
        wrong = WriteMem(ENTRIES + 16 * entry + 4, (1 - right).to_bytes(4, "little"), "")
        verdict = changed(record, number, operations=(*operations[:at], (wrong, None), *operations[at + 1 :]))
        assert verdict.book.results()["SBI.evinfo.output"] == [2, 1]


def test_an_entry_that_was_not_read() -> None:
    """The supervisor wrote the second entry only, and the implementation read it only: the first has no output."""
    record = recorded(two_entries)
    number = call(record, "event_get_info")
    poke = next(k for k, step in enumerate(record.steps) if isinstance(step.action, Poke))
    whole = record.steps[poke].action
    assert isinstance(whole, Poke)
    record.steps[poke] = record.steps[poke]._replace(action=Poke(ENTRIES + 16, whole.data[16:]))
    operations = tuple(done for done in record.steps[number].operations or () if not isinstance(done[0], ReadMem))
    verdict = changed(record, number, operations=operations)
    assert verdict.book.results()["SBI.evinfo.output"] == [2, 1]


def test_memory_beside_the_entries_may_be_anybodys() -> None:
    """The answer about the 16 bytes before them, or after them, says nothing about the call."""
    record = recorded(two_entries)
    number = call(record, "event_get_info")
    for address in (ENTRIES - 16, ENTRIES + 32):
        asked = (ValidAddress(address, 16), False), *(record.steps[number].operations or ())
        assert changed(record, number, operations=asked).passed
    asked = (ValidAddress(ENTRIES + 16, 16), False), *(record.steps[number].operations or ())
    assert "SBI.evinfo.address" in changed(record, number, operations=asked).book.failed
