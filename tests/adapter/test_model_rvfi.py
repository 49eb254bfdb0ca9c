# SPDX-License-Identifier: Apache-2.0
"""What RVFI and the trap port show of hand-made runs, and in which cycles."""

from random import Random

import numpy as np
import pytest

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.hart import hart_rows
from rvtrace.models.adapter.memory import access_of, derived_cause
from rvtrace.models.adapter.run import Run, made, walked
from rvtrace.models.adapter.rvfi import to_rvfi
from rvtrace.models.riscv.isa import decode
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.tb.adapter.stimulus.faults import FAULTS
from rvtrace.tb.adapter.stimulus.place import placed
from tests.common.long import some

NOP, ADDI, MRET, ECALL = 0x00000013, 0x00150513, 0x30200073, 0x00000073
BASE, HANDLER = 0x1000, 0x1010


def run_of(*rows: tuple[Kind, int, int], config: Config | None = None) -> Run:
    """A run of (kind, pc, cause) in M-mode through nops, an ecall at 0x1004 and mret at 0x1014."""
    words = [NOP, ECALL, NOP, NOP, ADDI, MRET, NOP]
    program = Program(64, [(BASE, b"".join(word.to_bytes(4, "little") for word in words))])
    kind = np.array([row[0] for row in rows])
    pc = np.array([row[1] for row in rows], np.uint64)
    mret = (kind == Kind.INSN) & (pc == 0x1014)
    retired = Retired.from_columns(
        kind=kind, pc=pc, size=np.where(kind == Kind.INSN, 4, 0), itype=np.where(mret, IType.XRET, 0),
        taken=np.full(len(rows), -1), cause=np.array([row[2] for row in rows]), tval=np.zeros(len(rows)),
        priv=np.full(len(rows), Priv.M), context=np.zeros(len(rows)),
    )  # fmt: skip
    return made(program, retired, config or Config(), Random("1"), debug=False)


TRAPPED = (
    (Kind.INSN, 0x1000, 0), (Kind.EXCEPTION, 0x1004, 11), (Kind.INTERRUPT, HANDLER, 7), (Kind.INSN, HANDLER, 0),
    (Kind.INSN, 0x1014, 0), (Kind.INSN, HANDLER, 0),
)  # fmt: skip


def test_an_exception_is_a_row_and_an_interrupt_is_none() -> None:
    core = to_rvfi(run_of(*TRAPPED), Config(), Random("1"))
    assert [(row["pc_rdata"], row["trap"], row["intr"]) for row in core.rows] == [
        (0x1000, 0, 0), (0x1004, 1, 0), (HANDLER, 0, 1), (0x1014, 0, 0), (HANDLER, 0, 0),
    ]  # fmt: skip
    assert [(event.interrupt, event.cause, event.epc, event.own) for event in core.events] == [
        (0, 11, 0x1004, 1), (1, 7, HANDLER, -1),
    ]  # fmt: skip
    assert core.after == [2, 2], "both traps are after the row of the first"
    orders = [int(row["order"]) for row in core.rows]  # type: ignore[arg-type]
    assert orders == list(range(orders[0], orders[0] + 5))


def test_the_hart_port_has_every_trap() -> None:
    rows, reported = hart_rows(run_of(*TRAPPED), Config())
    assert reported["itype"].tolist() == [0, 1, 2, 0, 3, 0]
    assert rows.pc.tolist() == [0x1004, HANDLER, HANDLER, 0x1014, HANDLER, 0x1014]
    assert rows.have("insn").tolist() == [True, True, False, True, True, True]
    assert rows.have("priv").tolist() == [False, True, True, False, True, False]
    assert rows.csr_addr[1].tolist() == [0x341, 0x342, 0x300, 0x343]
    assert int(rows.csr[2, 1]) == 1 << 63 | 7


def test_without_a_trap_port_two_traps_are_one() -> None:
    config = Config(trap_port=0)
    run = run_of(*TRAPPED, config=config)
    assert run.retired.kind.tolist() == [Kind.INSN, Kind.EXCEPTION, Kind.INSN, Kind.INSN, Kind.INSN]
    assert run.retired.cause.tolist()[1] == 11
    assert not to_rvfi(run, config, Random("1")).events


@pytest.mark.parametrize("channels", (1, 2))
@pytest.mark.parametrize("seed", some(range(8), 2))
def test_every_event_comes_when_it_may(channels: int, seed: int) -> None:
    rng = Random(f"{seed}")
    config = Config(channels=channels)
    core = to_rvfi(walked(config, rng, 400, trap=0.2, back_to_back=0.6), config, rng)
    beats = placed(core, channels, rng, gaps=20, full=seed % 2 == 0)
    at_row = {row: cycle for cycle, beat in beats.items() for _, row in beat.rows}
    at_event = {beat.event: cycle for cycle, beat in beats.items() if beat.event >= 0}
    assert sorted(at_row) == list(range(len(core.rows))) and sorted(at_event) == list(range(len(core.events)))
    assert [at_row[row] for row in range(len(core.rows))] == sorted(at_row.values())
    assert [at_event[e] for e in range(len(core.events))] == sorted(at_event.values())
    for e, (event, after) in enumerate(zip(core.events, core.after)):
        before = after - 2 if event.own >= 0 else after - 1  # the last row before the trap
        assert before < 0 or at_event[e] >= at_row[before]
        if after < len(core.rows):
            first = event.own >= 0 or not e or core.after[e - 1] != after
            assert at_event[e] < at_row[after] + first
    for beat in beats.values():
        assert len({channel for channel, _ in beat.rows}) == len(beat.rows) <= channels
        assert [row for _, row in beat.rows] == sorted(row for _, row in beat.rows)


@pytest.mark.parametrize(
    "raw, size, access",
    [
        (0x00052503, 4, (4, True, False)), (0x00A53023, 4, (8, False, True)), (0x00A5252F, 4, (4, True, True)),
        (0x1005252F, 4, (4, True, False)), (0x18A5252F, 4, (4, False, True)), (0x00053507, 4, (8, True, False)),
        (0x4108, 2, (4, True, False)), (0xC108, 2, (4, False, True)), (0x8108, 2, (1, True, False)),
        (0x8D08, 2, (2, False, True)), (0x0505, 2, (0, False, False)), (0x00000013, 4, (0, False, False)),
        (0x4505, 2, (0, False, False)), (0x4108, 6, (0, False, False)),
    ],
)  # fmt: skip
def test_accesses(raw: int, size: int, access: tuple[int, bool, bool]) -> None:
    assert access_of(raw, size, 64) == access


@pytest.mark.parametrize(
    "raw, priv, address, cause",
    [
        (ECALL, Priv.U, 0, 8), (ECALL, Priv.S, 0, 9), (ECALL, Priv.VS, 0, 10), (ECALL, Priv.M, 0, 11),
        (0x00100073, Priv.M, 0, 3), (0x9002, Priv.M, 0, 3), (0x0000006F, Priv.M, 0, 0), (0x00008067, Priv.M, 0, 0),
        (0x00052503, Priv.M, 1, 4), (0x00052503, Priv.M, 4, 5), (0x00A52023, Priv.M, 2, 6), (0x00A52023, Priv.M, 4, 7),
        (0xFFFFFFFB, Priv.M, 0, 2), (MRET, Priv.U, 0, 2),
    ],
)  # fmt: skip
def test_causes_that_an_instruction_has(raw: int, priv: Priv, address: int, cause: int) -> None:
    assert derived_cause(decode(0x1000, raw, 64), priv, address, 64) == cause


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_changes_what_the_core_shows(name: str) -> None:
    config = Config()
    run = walked(config, Random("7"), 600, trap=0.15, trap_at_target=0.3)
    good, bad = (to_rvfi(run, config, Random("8")) for _ in range(2))
    fault = FAULTS[name](bad, Random("9"))
    assert 1 <= fault.code <= 8
    same = (good.rows, good.events, good.after) == (bad.rows, bad.events, bad.after)
    assert same == (name == "overflow"), "a core that does not stop shows the same"
