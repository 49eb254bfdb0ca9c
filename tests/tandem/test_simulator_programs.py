# SPDX-License-Identifier: Apache-2.0
"""Random programs, executed by the reference simulator and by unicorn side by side, registers and memory compared
after each instruction.
"""

import random

import pytest

from rvtrace.models.riscv.iss.table import ROWS
from rvtrace.models.tandem.simulator.interface import PC_KEY
from rvtrace.models.tandem.table import GPR_BASE
from tests.tandem.pairs import CODE, DATA, Pair

pytest.importorskip("unicorn")
LENGTH, STEPS = 250, 900
POINTER = 31  # x31 stays: it points to the data


def program(rng: random.Random, xlen: int) -> bytes:
    """Computations, accesses around x31, branches and jumps a few instructions back or forth."""
    rows = [
        row for row in ROWS if row.kind != 3 and row.key[0] not in (0x6F, 0x67, 0x0F) and (xlen == 64 or not row.rv64)
    ]
    out = bytearray()
    while len(out) < 4 * LENGTH:
        row = rng.choice(rows)
        opcode, *rest = row.key
        rd, rs1, rs2 = rng.randrange(31), rng.randrange(32), rng.randrange(32)
        raw = opcode | rd << 7 | rs1 << 15 | rs2 << 20 | rng.getrandbits(7) << 25
        if rest:
            raw = raw & ~(7 << 12) | rest[0] << 12
        if len(rest) > 1:
            raw = raw & ~(127 << 25) | rest[1] << (27 if opcode == 0x2F else 25)
        if opcode in (0x03, 0x23):
            raw = raw & ~(0xE << 28 | 31 << 15) | POINTER << 15  # offsets below 512
        elif opcode == 0x2F:
            raw = raw & ~(31 << 15) | POINTER << 15
        elif opcode == 0x63:  # 8 bytes on
            raw = raw & ~(0xFE000F80) | 4 << 8
        elif opcode in (0x33, 0x3B, 0x13, 0x1B) and rng.random() < 0.2:
            for _ in range(2):  # two, so that branches find an instruction
                out += (0x4001 | rd << 7 | rng.randrange(32) << 2).to_bytes(2, "little")  # c.li
        out += raw.to_bytes(4, "little")
    return bytes(out)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("xlen", (32, 64))
def test_random_programs(xlen: int, seed: int) -> None:
    pair, rng = Pair(xlen), random.Random(f"{seed}:programs{xlen}")
    pair.state(rng, (POINTER,))
    body = program(rng, xlen)
    for simulator in (pair.one, pair.other):
        simulator.write_memory(CODE, body)
        simulator.write(PC_KEY, CODE)
        simulator.write(GPR_BASE + POINTER, DATA + 1024)
    done = 0
    for _ in range(STEPS):
        pc = pair.one.read(PC_KEY)
        if pc >= CODE + len(body) - 8:
            break
        opinion, apart = pair.run()
        step = pair.one.hart.step
        assert opinion and not apart, f"{step.name} {step.insn:#x} at {pc:#x}: {apart or 'unicorn refuses it'}"
        done += 1
    assert done > LENGTH // 2
