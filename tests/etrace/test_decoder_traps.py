# SPDX-License-Identifier: Apache-2.0
"""Traps (format 3.1, ET-2, ET-3, ET-7, ET-9): where they happened, what they report, and where their handlers
are.
"""

import pytest

from rvtrace.models.etrace.decoder.decoded import Event
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_REP, PacketWriter

MAIN, BRANCH, BACK, JUMP, CALLED, ECALL = 0x1000, 0x1004, 0x1008, 0x100C, 0x2000, 0x2004
HANDLER, MRET, SECOND, BRANCHES = 0x4000, 0x4004, 0x5000, 0x6000
USER, MACHINE = 0, 3


def program() -> Program:
    b = ProgramBuilder(64, MAIN)
    b.nop()
    b.beq(1, 2, MAIN)  # BRANCH
    b.nop()  # BACK
    b.jalr(0, 6)  # JUMP
    b.org(CALLED)
    b.nop()
    b.ecall()
    b.nop()
    b.org(HANDLER)
    b.nop()
    b.mret()
    b.org(SECOND)
    b.nop()
    b.org(BRANCHES)
    b.beq(1, 2, BRANCHES)
    return b.build()


def writer(**options: object) -> PacketWriter:
    return PacketWriter(program(), **options).support().start(MAIN)


def traps(w: PacketWriter) -> list[Event]:
    return w.good().of("trap")


def trap_list(w: PacketWriter) -> list[tuple]:
    """(index, ecause, interrupt, epc, handler) of each trap."""
    return [(e.index, e.ecause, e.interrupt, e.epc, e.handler) for e in traps(w)]


def test_an_exception_after_an_instruction() -> None:
    w = writer().at(BACK, "N").trap(HANDLER, ecause=5, tval=0x1234).at(MRET).support(ENDED_REP)
    assert w.pcs() == [MAIN, BRANCH, BACK, HANDLER, MRET]
    assert trap_list(w) == [(3, 5, 0, JUMP, HANDLER)]
    assert traps(w)[0].tval == 0x1234


def test_after_a_branch_the_epc_is_where_it_leads() -> None:
    assert trap_list(writer().at(BRANCH, "T").trap(HANDLER)) == [(2, 2, 0, MAIN, HANDLER)]
    assert trap_list(writer().at(BRANCH, "N").trap(HANDLER)) == [(2, 2, 0, BACK, HANDLER)]


def test_an_interrupt_has_no_tval() -> None:
    trap = traps(writer().at(BACK, "N").trap(HANDLER, ecause=7, interrupt=1))[0]
    assert (trap.epc, trap.interrupt, trap.tval) == (JUMP, 1, None)


def test_the_first_instruction_traps_having_retired() -> None:
    """ET-3: its sync first, then the trap, with nothing between."""
    w = writer().trap(HANDLER)
    assert w.pcs() == [MAIN, HANDLER]
    assert trap_list(w) == [(1, 2, 0, BRANCH, HANDLER)]


def test_the_first_instruction_traps_instead() -> None:
    """Nothing retired: thaddr 0, and the address is its own."""
    w = PacketWriter(program()).support().trap(BACK, thaddr=0, ecause=12).start(HANDLER).at(MRET).support(ENDED_REP)
    assert w.pcs() == [HANDLER, MRET]
    assert trap_list(w) == [(0, 12, 0, BACK, HANDLER)]


def test_an_exception_at_an_uninferable_target() -> None:
    """thaddr 0 reports the EPC, the 3.0 after it the handler."""
    w = writer().at(JUMP, "N").trap(CALLED, thaddr=0, ecause=12).start(HANDLER)
    assert w.pcs() == [MAIN, BRANCH, BACK, JUMP, HANDLER]
    assert trap_list(w) == [(4, 12, 0, CALLED, HANDLER)]


def test_an_interrupt_at_an_uninferable_target_has_an_unknown_epc() -> None:
    w = writer().at(JUMP, "N").trap(0, thaddr=0, ecause=7, interrupt=1).start(HANDLER)
    assert trap_list(w) == [(4, 7, 1, None, HANDLER)]


def test_back_to_back() -> None:
    """The first is reported with thaddr 0; its address is the EPC of the second."""
    w = writer().at(BACK, "N").trap(HANDLER, thaddr=0, ecause=2).trap(SECOND, ecause=12)
    assert w.pcs() == [MAIN, BRANCH, BACK, SECOND]
    assert trap_list(w) == [(3, 2, 0, JUMP, None), (3, 12, 0, HANDLER, SECOND)]


def test_three_in_a_row_the_last_an_interrupt() -> None:
    w = writer().at(BACK, "N").trap(HANDLER, thaddr=0).trap(0, thaddr=0, ecause=12).trap(SECOND, ecause=7, interrupt=1)
    assert trap_list(w) == [(3, 2, 0, JUMP, None), (3, 12, 0, HANDLER, None), (3, 7, 1, None, SECOND)]


def test_back_to_back_at_an_uninferable_target() -> None:
    """ET-2: two packets for two traps. The first reports its own EPC, so that of the second is not reported."""
    w = writer().at(JUMP, "N").trap(CALLED, thaddr=0, ecause=12).trap(SECOND, ecause=1)
    assert w.pcs() == [MAIN, BRANCH, BACK, JUMP, SECOND]
    assert trap_list(w) == [(4, 12, 0, CALLED, None), (4, 1, 0, None, SECOND)]


def test_trace_ends_before_anything_of_the_handler() -> None:
    w = writer().at(JUMP, "N").trap(CALLED, thaddr=0).support(ENDED_REP).start(MAIN)
    assert w.pcs() == [MAIN, BRANCH, BACK, JUMP, MAIN]
    assert trap_list(w) == [(4, 2, 0, CALLED, None)]


def test_an_ecall_that_retires_is_its_own_epc() -> None:
    """Some harts retire it; most do not, and then it is what would be next."""
    retired = writer().at(CALLED, "N").at(ECALL).trap(HANDLER, ecause=11)
    assert trap_list(retired) == [(6, 11, 0, ECALL, HANDLER)]
    assert trap_list(writer().at(CALLED, "N", updiscon=1).trap(HANDLER, ecause=11)) == [(5, 11, 0, ECALL, HANDLER)]


@pytest.mark.parametrize(("branch", "after"), [(0, BRANCHES), (1, BRANCHES + 4)])
def test_the_handler_begins_with_a_branch(branch: int, after: int) -> None:
    """ET-9: its outcome is in the packet (0: taken), not in a map."""
    trace = writer().at(BACK, "N").trap(BRANCHES, branch=branch).trap(HANDLER).good()
    assert trace.taken.tolist() == [-1, 0, -1, 1 - branch, -1]
    assert [e.epc for e in trace.of("trap")] == [JUMP, after]


def test_nothing_follows_an_ecall_but_its_handler() -> None:
    w = writer().at(CALLED, "N").at(ECALL + 4).support(ENDED_REP)
    assert [d.clause for d in w.decode().diagnostics] == ["ET.bt.traps"]


def test_return_from_a_trap_to_another_privilege() -> None:
    """An xRET leads to where the 3.0 says, not to where the code passed the same address before (ET-10)."""
    w = writer().at(BACK, "N").trap(HANDLER).start(BACK, privilege=USER).at(JUMP).support(ENDED_REP)
    assert w.pcs() == [MAIN, BRANCH, BACK, HANDLER, MRET, BACK, JUMP]
    assert w.good().priv.tolist() == [-1, MACHINE, MACHINE, MACHINE, USER, USER, USER]
