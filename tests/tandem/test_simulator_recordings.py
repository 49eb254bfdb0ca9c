# SPDX-License-Identifier: Apache-2.0
"""The reference simulator does what every recorded program did: pc, registers, memory, CSRs and traps of each row."""

from collections import defaultdict

import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import MIP
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.riscv.iss.table import STORE
from rvtrace.models.riscv.retired import Kind
from tests.common.there import there

DEVICES = 0x80000000  # everything below it is not RAM


def hart_of(run: recording.Recording) -> Hart:
    hart = Hart(virt(run.xlen))
    for base, body in (*run.program.segments, *run.program.data):
        hart.memory.write(base, body)
    hart.x[:32] = run.initial.tolist()
    hart.pc = int(run.retired.pc[0])
    return hart


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("name", recording.names())
def test_every_effect(name: str, xlen: int) -> None:
    run = recording.load(name, xlen)
    hart, retired, effects = hart_of(run), run.retired, there(run.retired.effects)
    csrs = defaultdict(dict)
    for row, address, value in zip(effects.csr_row.tolist(), effects.csr_addr.tolist(), effects.csr_value.tolist()):
        csrs[row][address] = value
    of_row = (retired.kind, retired.pc, retired.size, retired.cause, retired.priv)
    of_effect = (effects.rd, effects.rd_value, effects.mem_addr, effects.mem_size, effects.mem_store, effects.mem_value)
    for row, values in enumerate(zip(*(column.tolist() for column in (*of_row, *of_effect)))):
        kind, pc, size, cause, priv, rd, value, address, count, store, data = values
        if count and not store and address < DEVICES:
            hart.memory.store(address, data, count)
        hart.interrupt = cause if kind == Kind.INTERRUPT else -1
        assert (hart.priv, hart.pc) == (priv, pc), f"row {row}"
        step = hart.execute()
        where = f"row {row} at {pc:#x}, {step.name}"
        if kind == Kind.INSN:
            assert step.trap is None and step.size == size, where
            assert (step.rd, step.rd and step.value) == (rd, value), where
            assert (step.access == STORE, bool(step.access)) == (bool(store), bool(count)), where
            assert not count or (step.eaddr, step.bytes) == (address, count), where
            assert not store or step.data == data, where
        else:
            assert step.trap == (int(kind == Kind.INTERRUPT), cause), where
        assert {hart.table.view(one, hart.csr).of for one in csrs[row]} == set(step.csrs), where
        for one, reported in csrs.pop(row).items():
            ignored = 0x888 if one == MIP else 0  # devices move these bits
            assert not (hart.read_csr(one) ^ reported) & ~ignored, (
                f"{where}: CSR {one:#x} is {hart.read_csr(one):#x}, recorded {reported:#x}"
            )
