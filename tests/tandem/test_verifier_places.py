# SPDX-License-Identifier: Apache-2.0
"""What the verifier compares beside registers and accesses: the physical address of the next pc, and state of floating
point that nothing may change.
"""

from typing import Any

import pytest

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.riscv.iss.translate import A, R, U, V, X
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.simulator.interface import PPC_KEY, Reference, Simulator, reference
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report, Verdict
from rvtrace.models.tandem.verifier.verify import Verifier
from tests.common.there import there
from tests.tandem.hand import assembled, steps_of
from tests.tandem.test_simulator_paging import BASE, DATA, MODES, VIRTUAL, Machine


def report(rows: list[TraceData], simulator: Simulator | None = None, **options: Any) -> Report:
    """Of a trace with f registers."""
    config = Config(**options)
    data = encode(Rows.from_rows([*rows, FLUSH]), config).data
    return Verifier(simulator or reference(64), Profile.of(config, virt(64))).run(decode(data, config), data)


def changed(rows: list[TraceData], **parts: object) -> list[TraceData]:
    """With more reported by the row before the last but two."""
    return [*rows[:-3], rows[-3]._replace(**parts), *rows[-2:]]


def located() -> list[TraceData]:
    """A program in machine mode, every row with the physical address of its next pc."""
    return [row._replace(ppc=row.pc) if row.insn else row for row in steps_of(assembled(*[0x13] * 3), 8)]


def test_the_physical_pc_in_machine_mode_is_the_pc() -> None:
    rows = located()
    assert report(rows).ok
    found = report(changed(rows, ppc=there(rows[-3].pc) ^ 4)).findings
    assert [(one.verdict, [apart.what for apart in one.differences]) for one in found] == [(Verdict.TRACE, ["ppc"])]


def test_a_wrong_pc_is_reported_once() -> None:
    """Its physical address says the same again."""
    rows = located()
    found = report(changed(rows, pc=there(rows[-3].pc) + 64, ppc=there(rows[-3].pc) + 64)).findings
    assert [[apart.what for apart in one.differences] for one in found] == [["pc"]]


def test_where_it_is_absent_it_is_not_compared() -> None:
    rows = located()
    data = encode(Rows.from_rows([*changed(rows, ppc=0), FLUSH]), Config()).data
    assert Verifier(reference(64), Profile.of(Config(absent=("ppc",)), virt(64))).run(decode(data, Config()), data).ok


class Silent(Reference):
    """A simulator that does not say where instructions are."""

    def read(self, key: int) -> int:
        if key == PPC_KEY:
            raise KeyError(key)
        return super().read(key)


def test_a_simulator_that_does_not_know_it_is_not_asked() -> None:
    rows = located()
    reported = report(changed(rows, ppc=0), Silent(Hart(virt(64))))
    assert (
        reported.ok
        and sum(reported.skipped.values()) == sum(row.ppc is not None for row in rows)
        and "8 changes of physical pc" in str(reported)
    )


@pytest.mark.parametrize("xlen,mode", MODES)
def test_of_a_translated_pc_the_page_table_says_it(xlen: int, mode: int) -> None:
    """And looking changes nothing: no accessed bit, no translation that is kept."""
    machine = Machine(xlen, mode, update_ad=True)
    entry = machine.map(VIRTUAL, DATA, V | R | X)
    simulator, memory = Reference(machine.hart), machine.hart.memory
    for pc, place in ((BASE + 8, BASE + 8), (VIRTUAL + 0x124, DATA + 0x124)):
        machine.hart.pc = pc
        assert simulator.read(PPC_KEY) == place
    assert not memory.load(entry, machine.scheme.size) & A
    memory.store(entry, (BASE >> 12) << 10 | V | R | X, machine.scheme.size)
    assert simulator.read(PPC_KEY) == BASE + 0x124
    memory.store(entry, (BASE >> 12) << 10 | V | R | X | U, machine.scheme.size)
    with pytest.raises(KeyError):  # nothing can be fetched there
        simulator.read(PPC_KEY)


@pytest.mark.parametrize("parts", [{"fpr": (5, 1)}, {"fcsr": 1}, {"csr": ((1, 1),)}, {"csr": ((2, 0),)}])
def test_no_instruction_of_the_simulator_changes_floating_point_state(parts: dict) -> None:
    rows = steps_of(assembled(), 8)
    report_on_step, alone = report(changed(rows, **parts)), report([*rows[:-2], TraceData(**parts), *rows[-2:]])
    for reported in (report_on_step, alone):
        assert [(one.verdict, [apart.what for apart in one.differences]) for one in reported.findings] == [
            (Verdict.TRACE, ["fpr"])
        ], str(reported)


def test_bus_transactions_are_counted() -> None:
    """Chapter 3 makes no assumptions on them: whatever they say is no mismatch,
    and what loads memory is none of them.
    """
    rows = steps_of(assembled(), 8)
    seen = changed(rows, request=(1, 3, BASE, 5), response=(0, 0))
    reported = report([*seen[:-2], TraceData(group=False, request=(13, 2, BASE, 0), response=(0, 99)), *seen[-2:]])
    assert (
        reported.ok
        and reported.transactions == 2
        and "not compared: 2 bus transactions" in str(reported)
        and report(rows).transactions == 0
    )


def test_initialization_of_floating_point_state_is_counted() -> None:
    rows = steps_of(assembled(), 8)
    reported = report([*rows[:-2], TraceData(init=True, fpr=(5, 1)), *rows[-2:]])
    assert reported.ok and reported.skipped == {"floating-point state": 1}
