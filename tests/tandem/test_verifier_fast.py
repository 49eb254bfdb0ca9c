# SPDX-License-Identifier: Apache-2.0
"""Instructions that the verifier replays without a step object give the report and the state of those that it does."""

from random import Random

import numpy as np
import pytest

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import MCYCLE, MINSTRET
from rvtrace.models.riscv.iss.hart import Hart, Wanted
from rvtrace.models.riscv.iss.table import LOAD, PLAIN
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.simulator.interface import Reference, reference
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verify import Verifier, plain_columns
from tests.tandem.runs import config_of, sections_of

BASE, DATA = 0x8000_0000, 0x8000_1000
ADDI, LW, ECALL = 0x00150513, 0x0005A603, 0x00000073  # addi a0, a0, 1; lw a2, 0(a1)


def state_of(verifier: Verifier) -> tuple[object, ...]:
    """All that both sides hold."""
    assert isinstance(verifier.simulator, Reference)
    shadow, hart = verifier.replay.shadow, verifier.simulator.hart
    return (
        shadow.x[:32], shadow.csr, shadow.pc, shadow.priv, hart.x[:32], hart.csr, hart.pc, hart.priv,
        list(shadow.memory.copy()), list(hart.memory.copy()),
    )  # fmt: skip


@pytest.mark.parametrize("faults", [0, 3, 12])
@pytest.mark.parametrize(("name", "xlen"), [("crc", 64), ("traps", 64), ("recursion", 32), ("switch", 32)])
def test_the_report_and_the_state_are_the_same(monkeypatch, name: str, xlen: int, faults: int):
    config, random = config_of(xlen), Random(f"{name}:{faults}:fast")
    data = bytearray(b"".join(sections_of(name, config)[:3000]))
    for _ in range(faults):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    decoded, verifiers = decode(bytes(data), config), []
    followed = []
    follow = Hart.follow
    monkeypatch.setattr(Hart, "follow", lambda self, wanted, k, x: followed.append(k) or follow(self, wanted, k, x))
    for fast in (True, False):
        verifier = Verifier(reference(xlen), Profile.of(config, virt(xlen)))
        if not fast:
            monkeypatch.setattr(verifier, "_hart", lambda: None)
        verifier.run(decoded, bytes(data))
        verifiers.append(verifier)
    one, other = verifiers
    assert str(one.report) == str(other.report) and bool(one.report.findings) == bool(faults)
    assert state_of(one) == state_of(other)
    assert len(followed) > 20


def test_what_a_group_does_not_report_is_no_address():
    """-1: a load has a physical address and no effective one, an addition has neither."""
    config = config_of(64)
    rows = [TraceData(reset=True, pc=BASE), TraceData(pc=BASE + 4, insn=(4, ADDI), gpr=(10, 1)),
            TraceData(pc=BASE + 8, insn=(4, LW), gpr=(12, 77), paddr=DATA), FLUSH]  # fmt: skip
    decoded = decode(encode(Rows.from_rows(rows), config).data, config)
    columns = plain_columns(decoded, 1, 3, np.zeros(len(decoded), bool))
    assert columns.plain == [True, True] and (columns.paddr, columns.eaddr) == ([-1, DATA], [-1, -1])


def hart_at(*codes: int) -> Hart:
    """A hart with a few instructions that were executed once, at their start again, a1 at some data."""
    hart = Hart(virt(64))
    hart.memory.write(BASE, b"".join(code.to_bytes(4, "little") for code in codes))
    hart.memory.write(DATA, (77).to_bytes(4, "little"))
    hart.x[11], hart.pc = DATA, BASE
    for _ in codes:
        hart.execute()
    hart.pc, hart.priv = BASE, 3
    hart.x[10] = hart.x[12] = 0
    return hart


def wanted(**changes: int) -> Wanted:
    """addi and lw, the second of them with something else."""
    second = {
        "kind": LOAD, "pc": BASE + 4, "insn": LW, "next_pc": BASE + 8, "rd": 12, "value": 77, "paddr": DATA,
        "eaddr": DATA, **changes,
    }  # fmt: skip
    first = {"kind": PLAIN, "pc": BASE, "insn": ADDI, "next_pc": BASE + 4, "rd": 10, "value": 1}
    return Wanted(*([first.get(name, -1), second[name], -1] for name in Wanted._fields))


def test_both_are_executed_if_they_are_as_wanted():
    hart, x = hart_at(ADDI, LW), [0] * 33
    cycles = hart.csr[MCYCLE]
    assert hart.follow(wanted(), 0, x) == 2
    assert (hart.pc, hart.x[10], hart.x[12], x[10], x[12]) == (BASE + 8, 1, 77, 1, 77)
    assert hart.csr[MCYCLE] == cycles + 2 == hart.csr[MINSTRET]


@pytest.mark.parametrize(
    ("name", "value"),
    [("kind", PLAIN), ("kind", -1), ("pc", BASE), ("insn", ADDI), ("next_pc", BASE), ("rd", 11), ("value", 78),
     ("paddr", DATA + 4), ("eaddr", DATA + 4)],
)  # fmt: skip
def test_what_is_not_as_wanted_is_not_executed(name: str, value: int):
    hart, x = hart_at(ADDI, LW), [0] * 33
    cycles = hart.csr[MCYCLE]
    assert hart.follow(wanted(**{name: value}), 0, x) == 1
    assert (hart.pc, hart.x[10], hart.x[12], x[10], x[12]) == (BASE + 4, 1, 0, 1, 0)
    assert hart.csr[MCYCLE] == cycles + 1


def test_a_trap_and_a_pending_interrupt_are_left_to_a_step():
    hart = hart_at(ADDI, LW)
    hart.x[11] = 0x10  # there is no memory
    assert hart.follow(wanted(), 0, [0] * 33) == 1 and hart.pc == BASE + 4 and hart.x[12] == 0
    hart.interrupt, hart.pc = 7, BASE
    assert hart.follow(wanted(), 0, [0] * 33) == 0 and hart.pc == BASE


def test_a_call_of_the_environment_is_left_to_a_step():
    hart = hart_at(ADDI, ECALL)
    assert hart.follow(wanted(kind=PLAIN, insn=ECALL, rd=0), 0, [0] * 33) == 1 and hart.pc == BASE + 4
