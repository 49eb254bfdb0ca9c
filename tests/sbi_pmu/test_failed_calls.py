# SPDX-License-Identifier: Apache-2.0
"""Point 12, on generated calls: a call that fails changes nothing, but for the RESET of counters that are stopped
already.
"""

import random
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call, FirmwareEvent, Poke, act
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.random_calls import random_calls
from tests.sbi_pmu.machine import Machine

SETS = {
    "counter_idx_base": st.sampled_from((0, 2, 3, 4, 9, 10, 13)),
    "counter_idx_mask": st.sampled_from((1, 2, 3, 0x80, 0x83, 0x281, 0x269D)),
}
SNAPSHOT = 0x8000_2000


def call(xlen: int, fid: int) -> st.SearchStrategy[Call]:
    """A call with arguments near to legal ones."""
    row, word = sbi.FUNCTIONS[fid], st.integers(0, (1 << xlen) - 1)
    known = {
        **SETS,
        "config_flags": st.integers(0, 511),
        "start_flags": st.integers(0, 5),
        "stop_flags": st.integers(0, 5),
        "event_idx": st.sampled_from((1, 2, 3, 4, 5, 0, 0x1_0000, 0x2_0000, 0xF_0006, 0xF_FFFF)),
        "event_data": st.sampled_from((0, 0, 0x105, 0x77, 1 << 60)),
        "shmem_phys_lo": st.sampled_from((SNAPSHOT, SNAPSHOT, 0, (1 << xlen) - 1)),
        "shmem_phys_hi": st.sampled_from((0, 0, (1 << xlen) - 1)),
        "flags": st.sampled_from((0, 0, 1)),
        "num_entries": st.integers(0, 3),
        "counter_idx": st.integers(0, 14),
    }
    values = st.fixed_dictionaries({name: known.get(name, word) for name in row.arguments})
    return values.map(lambda chosen: Call(fid, row.registers(xlen, chosen)))


@pytest.mark.parametrize("xlen", (32, 64))
@settings(max_examples=150)
@given(data=st.data())
def test_a_failed_call_changes_nothing(xlen: int, data: st.DataObject) -> None:
    machine = Machine(xlen)
    for one in data.draw(
        st.lists(st.sampled_from((2, 2, 3, 3, 4, 4, 7, 8)).flatmap(lambda fid: call(xlen, fid)), max_size=25)
    ):
        before, touched = machine.everything(), len(machine.touched)
        ret = machine.monitor.watch(one.fid, one.registers, lambda one=one: machine.pmu.call(*one))
        if not ret.error or (one.fid == sbi.STOP and ret.name == "ALREADY_STOPPED" and one.registers[2] & sbi.RESET):
            continue
        assert machine.everything() == before, one.shown(xlen)
        assert not [address for address, value in machine.touched[touched:] if value is not None], one.shown(xlen)


@pytest.mark.parametrize("xlen", (32, 64))
@settings(max_examples=50)
@given(seed=st.integers(0, 1 << 32))
def test_random_mixes_keep_counters_running_exactly_while_they_are_started(xlen: int, seed: int) -> None:
    machine, platform = Machine(xlen), Platform.example(xlen)
    number = {counter.index: getattr(counter, "number", None) for counter in platform.counters}
    errors = {}
    for action in random_calls(random.Random(f"{seed}:calls"), platform, 100):
        if isinstance(action, (Poke, FirmwareEvent)):
            act(action, machine.pmu, cast(Any, _Memory(machine)))
            continue
        assert isinstance(action, Call)
        before = machine.everything()
        ret = machine.monitor.watch(action.fid, action.registers, lambda action=action: machine.pmu.call(*action))
        errors[ret.name] = errors.get(ret.name, 0) + 1
        row = sbi.FUNCTIONS[action.fid] if action.fid < len(sbi.FUNCTIONS) else None
        assert ret.name in (row.errors if row else ("NOT_SUPPORTED",)), (
            f"{action.shown(xlen)} gave {ret.name}, which its table does not have"
        )
        assert machine.running() == {number[index] for index in machine.started()} - {None}, action.shown(xlen)
        if ret.error and action.fid != sbi.STOP:
            assert machine.everything() == before
    assert len(errors) >= 4, f"a mix that gives only {errors} tests little"


class _Memory:
    def __init__(self, machine: Machine) -> None:
        self.poke = machine.memory.write
