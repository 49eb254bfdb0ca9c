# SPDX-License-Identifier: Apache-2.0
"""The two recorders of `rvtrace programs`: unicorn block by block, and the reference simulator with all effects. They
must agree with each other and with the committed recordings, which were made in another way.
"""

from pathlib import Path as File

import numpy as np
import pytest

from rvtrace.flow.programs import host, record
from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.programs.path import Path, PathError
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.iss.csr import MIE, MIP, MSTATUS, MTVEC
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from tests.common.there import there
from tests.programs.tiny import FROMHOST, TOHOST, store, tiny, write

ODD = ("sort", "recursion", "dispatch", "switch")  # they end with the store of an odd checksum to `result`


def path(program: Program, blocks: int = 1000, turn: int = 0) -> tuple[Retired, Path]:
    """The run as unicorn goes."""
    run = Path(program, TOHOST, FROMHOST, turn)
    return Retired.concat(list(run.parts(blocks))), run


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("name", ODD)
def test_both_record_what_was_recorded_before(name: str, xlen: int) -> None:
    """Rows of both, and effects of the simulator."""
    run = recording.load(name, xlen)
    result = host.symbols(run.program_path)["result"]
    made = record.run(run.program, result)
    assert made.retired.differs(run.retired) is None and made.code & 1
    for column, values in vars(run.retired.effects).items():
        assert np.array_equal(values, getattr(made.retired.effects, column)), column
    followed = Path(run.program, result, result + 8)
    assert Retired.concat(list(followed.parts(777))).differs(run.retired) is None
    assert followed.code == made.code and followed.instructions == len(run.retired)


def test_the_size_of_the_parts_does_not_matter() -> None:
    whole, _ = path(tiny(turns=40, requests=2))
    for blocks in (1, 2, 7, 50):
        parts, _ = path(tiny(turns=40, requests=2), blocks)
        assert parts.differs(whole) is None
    assert record.run(tiny(turns=40), TOHOST).retired.differs(path(tiny(turns=40))[0]) is None


def test_a_counter_shows_retired_instructions() -> None:
    """minstret is read after so many instructions; unicorn's own counter is that of the machine it runs on."""
    for turns in (1, 9):
        program = tiny(turns)
        rows, run = path(program)
        where = int(np.flatnonzero(np.diff(rows.pc.astype(np.int64)) == 4)[-1])
        read = next(row for row in range(len(rows)) if there(program.insn(int(rows.pc[row]))).raw >> 20 == 0xB02)
        made = record.run(program, TOHOST)
        assert where and int(there(made.retired.effects).rd_value[read]) == read == 2 + turns * 6
        assert run._uc.reg_read(run._x[8]) == run._uc.reg_read(run._x[9]) == read


def test_the_host_answers_at_its_turn() -> None:
    """The program waits in a loop until the next multiple; at once, it goes round once."""
    now, _ = path(tiny(requests=1))
    later, _ = path(tiny(requests=1), turn=500)
    waits = [int(np.count_nonzero(rows.taken == 1)) for rows in (now, later)]
    assert len(now) < 50 and 500 <= len(later) < 520 and waits[1] > waits[0] + 200
    twice, _ = path(tiny(requests=2), blocks=3, turn=500)
    assert 1000 <= len(twice) < 1020


@pytest.mark.parametrize("code", [3, 1337 << 1 | 1])
def test_what_the_program_says_at_its_end(code: int) -> None:
    program = tiny(code=code & 0x7FF)
    assert record.run(program, TOHOST).code == path(program)[1].code == code & 0x7FF


def test_a_program_that_does_not_end() -> None:
    program = tiny(code=2)  # an even value is a request
    with pytest.raises(ProgramsError, match="did not end within 1,000 instructions"):
        record.run(program, TOHOST, 1000)
    with pytest.raises(PathError, match="did not end within 1,000 instructions"):
        list(Path(program, TOHOST, FROMHOST).parts(100, 1000))


def test_what_unicorn_cannot_do_is_said() -> None:
    """A trap: unicorn has no entry. Code that no program has."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.ecall()
    with pytest.raises(PathError, match=r"unicorn stopped at 0x.*use the reference simulator"):
        list(Path(b.build(), TOHOST, FROMHOST).parts())


def test_code_that_changes_is_refused() -> None:
    """A trace is followed in a program that stays as it is."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.auipc(5, 0)
    b.addi(6, 0, 0x13)  # nop
    b.raw(16 << 7 | store(5, 6), 4)  # sw x6, 16(x5)
    b.raw(0x0000100F, 4)  # fence.i
    b.addi(7, 0, 1)
    with pytest.raises(ProgramsError, match="changes its own code at 0x80000010"):
        record.run(b.build(), TOHOST)
    b = ProgramBuilder(64, 0x8000_0000)
    b.auipc(5, 1)
    b.raw(0x8067 << 0, 4)  # ret, x1 is 0
    with pytest.raises(ProgramsError, match="did not end"):  # fetch faults for ever
        record.run(b.build(), TOHOST, 100)


def test_traps_and_interrupts_of_its_own_are_recorded() -> None:
    """An ecall, and a software interrupt that the program makes pending in mip, with their CSR writes."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.auipc(5, 0)
    b.addi(6, 5, 64)
    b.csrw(MTVEC, 6)
    b.addi(7, 0, 2)  # SSIP
    b.csrw(MIP, 7)
    b.csrw(MIE, 7)
    b.addi(7, 0, 8)  # mstatus.MIE
    b.csrw(MSTATUS, 7)
    b.nop()
    b.org(0x8000_0040)
    b.ecall()
    with pytest.raises(ProgramsError, match="did not end"):
        record.run(b.build(), TOHOST, 20)
    b.org(0x8000_0080)
    program = b.build()
    made = _until(program, 12)
    kinds = made.kind.tolist()
    assert kinds[8] == Kind.INTERRUPT and made.cause[8] == 1 and made.pc[9] == 0x8000_0040
    assert kinds[9] == Kind.EXCEPTION and made.cause[9] == 11
    effects = made.effects
    assert effects is not None
    rows = [int(csr) for row, csr in zip(effects.csr_row, effects.csr_addr) if row == 8]
    assert rows == [0x300, 0x341, 0x342, 0x343]
    written = [int(csr) for row, csr in zip(effects.csr_row, effects.csr_addr) if row < 8]
    assert written == [MTVEC, MIP, MIE, MSTATUS]


def _until(program: Program, rows: int) -> Retired:
    """The first rows of a program without an end."""
    parts = record._Parts

    class Enough(parts):
        """Stops the recorder by the error of its limit, and keeps what there is."""

        kept: Retired

        def __init__(self) -> None:
            super().__init__()
            Enough.last = self

    record._Parts = Enough
    try:
        with pytest.raises(ProgramsError):
            record.run(program, TOHOST, rows)
    finally:
        record._Parts = parts
    return Enough.last.retired()


def test_symbols_of_a_program(tmp_path: File) -> None:
    elf = write(tiny(), tmp_path / "tiny.rv64.elf")
    assert host.tohost(elf) == (TOHOST, FROMHOST)
    with pytest.raises(ProgramsError, match="has no symbols tohost and fromhost"):
        host.tohost(recording.load("sort", 64).program_path)
    (tmp_path / "text").write_text("no ELF")
    with pytest.raises(ProgramsError, match=r"text is no program"):
        host.symbols(tmp_path / "text")
