# SPDX-License-Identifier: Apache-2.0
"""Small programs written by hand, what a hart does with them as rows, and the verifier's report on rows that a test
changed.
"""

from functools import cache
from typing import Any

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.iss.config import HartConfig, virt
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_simulator import from_simulator
from rvtrace.models.tandem.simulator.interface import Reference, reference
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier
from tests.tandem.runs import config_of, loaded

BASE, DATA = 0x80000000, 0x80001000


def assembled(*words: int, xlen: int = 64) -> Program:
    """These instructions from BASE on, and some no-operations after them."""
    builder = ProgramBuilder(xlen, BASE)
    for word in words:
        builder.raw(word, 4 if word & 3 == 3 else 2)
    for _ in range(12):
        builder.nop()
    return builder.build()


def steps_of(program: Program, count: int, prepare: Any = None) -> list[TraceData]:
    """Rows of the first instructions; prepare: called with the simulator before."""
    simulator: Reference = loaded(reference(program.xlen), program)
    if prepare:
        prepare(simulator)
    return list(from_simulator(simulator, count, program))[:-1]


@cache
def declared(xlen: int = 64) -> HartConfig:
    """The hart of these programs, with what it holds after reset, which is its own."""
    table = CsrTable(virt(xlen))
    csrs = {name: table.reset[address] for address, name in table.names.items() if address in table.reset}
    return virt(xlen, reset=csrs | {f"x{n}": 0 for n in range(1, 32)})


def report_on(rows: list[TraceData], xlen: int = 64, **choices: Any) -> Report:
    """The verifier's report on these rows."""
    config = config_of(xlen)
    data = encode(Rows.from_rows([*rows, FLUSH]), config).data
    profile = Profile.of(config, declared(xlen), **choices)
    return Verifier(reference(xlen), profile).run(decode(data, config), data)


def index(rows: list[TraceData], word: int) -> int:
    """The row of this instruction."""
    return next(k for k, row in enumerate(rows) if row.insn and row.insn[1] == word)


def li(rd: int, value: int) -> list[int]:
    """lui and addi: a number below 2**31 in a register (sign-extended on RV64 from bit 31)."""
    high = value + 0x800 >> 12 & 0xFFFFF
    return [high << 12 | rd << 7 | 0x37, (value & 0xFFF) << 20 | rd << 15 | rd << 7 | 0x1B]
