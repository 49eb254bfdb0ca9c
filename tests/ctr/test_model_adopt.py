# SPDX-License-Identifier: Apache-2.0
"""After a change of depth: what the specification leaves open, is taken over from the device if it is legal, and known
again (CTR-10).
"""

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.riscv.csr import READ, SET, WRITE, Access, M

SOURCE, DATA, STATUS, DEPTH, SELECT = 0x151, 0x153, 0x14F, 0x15F, 0x150


def jump(n: int) -> Transfer:
    """Jump number n, from n * 16."""
    return Transfer(11, n * 16, 0x8000 + n * 16, 0, M, M)


def changed(*, exact: bool = False, **options: object) -> Ctr:
    """Four records at depth 16, then depth 32; M enabled."""
    ctr = Ctr(Config(depths=(16, 32), has_stateen=0, **options), exact=exact)  # type: ignore[arg-type]
    ctr.access(Access(WRITE, 0x34E, 4))
    for n in range(1, 5):
        ctr.retire(M, [jump(n)])
    ctr.access(Access(WRITE, DEPTH, 1))
    ctr.access(Access(WRITE, SELECT, 0x200))
    return ctr


def test_our_own_block_leaves_nothing_open() -> None:
    ctr = changed(exact=True)
    assert ctr.peek(Access(READ, STATUS)) == (0, 0, 0)
    assert ctr.peek(Access(READ, SOURCE)).open == 0 and not ctr.recorder.open


def test_what_is_open_after_a_change() -> None:
    ctr = changed()
    assert ctr.peek(Access(READ, STATUS)).open == 0xFF  # WRPTR, not FROZEN
    assert ctr.peek(Access(READ, SOURCE)).open == (1 << 64) - 1
    assert ctr.peek(Access(READ, DATA)).open == 0xFFFF800F  # only bits that are there
    assert ctr.peek(Access(READ, DEPTH)) == (1, 0, 0) and ctr.peek(Access(READ, 0x34E)).open == 0
    ctr.access(Access(WRITE, SELECT, 0x220))
    assert ctr.peek(Access(READ, SOURCE)) == (0, 0, 0)  # at or above the depth: 0


def test_entries_are_adopted_once() -> None:
    ctr = changed()
    assert ctr.cycle(M, [], Access(READ, SOURCE), 0x1235) == (0x1235, 0) and ctr.problem == ""
    assert ctr.peek(Access(READ, SOURCE)) == (0x1235, 0, 0)
    assert ctr.cycle(M, [], Access(READ, SOURCE), 0x7777) == (0x1235, 0)  # now the check has to complain


def test_records_and_writes_make_entries_known() -> None:
    ctr = changed()
    ctr.retire(M, [jump(9)])
    assert ctr.peek(Access(READ, SOURCE)) == (0x91, 0, 0)
    ctr.access(Access(WRITE, SELECT, 0x201))
    assert ctr.peek(Access(READ, SOURCE)).open
    assert ctr.cycle(M, [], Access(SET, SOURCE, 2), 0x50) == (0x50, 0)  # a set works on what was read
    assert ctr.peek(Access(READ, SOURCE)) == (0x52, 0, 0)
    ctr.access(Access(WRITE, DATA, 4))
    assert ctr.peek(Access(READ, DATA)) == (4, 0, 0)
    ctr.access(Access(SCTRCLR))
    ctr.access(Access(WRITE, SELECT, 0x210))
    assert ctr.peek(Access(READ, SOURCE)) == (0, 0, 0)


def test_wrptr_is_adopted_with_the_entries_where_they_were() -> None:
    ctr = changed()
    ctr.retire(M, [jump(7), jump(8)])
    assert ctr.cycle(M, [], Access(READ, STATUS), 29) == (29, 0) and ctr.problem == ""
    assert [ctr.entry(x).source for x in range(2)] == [0x80, 0x70] and ctr.recorder.physical(0) == 28
    ctr.retire(M, [jump(1), jump(2), jump(3), jump(4)])
    assert ctr.peek(Access(READ, STATUS)) == (1, 0, 0)
    assert [ctr.entry(x).source for x in (0, 4, 5)] == [0x40, 0x80, 0x70]


def test_a_wrptr_at_the_depth_is_a_problem() -> None:
    ctr = changed()
    ctr.cycle(M, [], Access(READ, STATUS), 32)
    assert "WRPTR is 32" in ctr.problem and ctr.peek(Access(READ, STATUS)).open
    ctr.cycle(M, [], Access(READ, STATUS), 31)
    assert ctr.problem == ""


def test_a_written_wrptr_leaves_open_where_the_records_are() -> None:
    ctr = changed()
    ctr.retire(M, [jump(7)])
    ctr.access(Access(WRITE, STATUS, 3))
    assert ctr.peek(Access(READ, STATUS)) == (3, 0, 0) and ctr.peek(Access(READ, SOURCE)).open == (1 << 64) - 1


def test_an_unsupported_depth_may_leave_any_supported_one() -> None:
    for read, problem in ((1, ""), (0, ""), (2, "DEPTH is 2")):
        ctr = changed()
        ctr.retire(M, [jump(5)])
        ctr.access(Access(WRITE, DEPTH, 4))
        assert ctr.peek(Access(READ, DEPTH)).open == 7
        ctr.cycle(M, [], Access(READ, DEPTH), read)
        assert ctr.problem.startswith(problem) and bool(ctr.problem) == bool(problem)
        if read == 1:  # no change: what was known is known
            assert ctr.peek(Access(READ, SOURCE)) == (0x51, 0, 0)
        if read == 0:
            assert ctr.state.depth == 16 and ctr.peek(Access(READ, SOURCE)).open


def test_a_popped_count_that_is_open_leaves_the_next_one_open() -> None:
    ctr = changed(ras_policy=2)
    ctr.access(Access(WRITE, 0x34E, 4 | 1 << 7))
    ctr.retire(M, [Transfer(13, 2, 4, 0, M, M), Transfer(9, 0x50, 0x60, 0, M, M)])
    assert ctr.peek(Access(READ, SOURCE)) == (0x51, 0, 0)
    answer = ctr.peek(Access(READ, DATA))
    assert answer.open == 0xFFFF8000 and answer.rdata & 15 == 9
    assert ctr.cycle(M, [], Access(READ, DATA), 0x12348009) == (0x12348009, 0)
