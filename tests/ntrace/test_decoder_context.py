# SPDX-License-Identifier: Apache-2.0
"""Ownership (7.1): privilege, scontext and hcontext of every message and instruction."""

import pytest

from rvtrace.models.ntrace.decoder.context import Context
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer

SCONTEXT, HCONTEXT = 0x5A8, 0x6A8
MODES = pytest.mark.parametrize("mode", ["btm", "htm"])


def process(form: int, priv: int, context: int = 0) -> int:
    return context << 5 | priv << 2 | form


def program() -> Program:
    b = ProgramBuilder(64, MAIN)
    b.c_nop()
    b.csrw(SCONTEXT, 10)  # 0x1002
    b.c_nop()
    b.csrw(HCONTEXT, 10)  # 0x1008
    b.csrw(SCONTEXT, 11)  # 0x100c
    b.c_nop()
    b.bne(1, 2, MAIN)  # 0x1012
    b.c_nop()
    b.org(HANDLER)
    b.c_nop()
    b.mret()
    return b.build()


@pytest.mark.parametrize("value, priv, context", [(0x3B2, Priv.VU, 0x1D), (0xC, Priv.M, None)])
def test_examples_of_7_1(value: int, priv: int, context: int | None) -> None:
    w = Writer(program(), ownership=1).start(MAIN).send("Ownership", value).step().stop()
    trace = w.check()
    assert trace.context_at(0) == Context(int(priv), context, None)
    (event,) = [e for e in trace.events if e.kind == "ownership"]
    assert (event.priv, event.context, event.hcontext, event.index) == (int(priv), context, None, 0)
    assert trace.priv.tolist() == [-1, priv, priv]
    assert trace.context.tolist() == [-1, *[-1 if context is None else context] * 2]
    assert not trace.notes


@MODES
def test_sync_trap_and_return(mode: str) -> None:
    """After a sync hcontext and scontext, at trap and xRET the privilege: all at once, where the flow goes on."""
    w = Writer(program(), mode=mode, ownership=1, hcontext=1).start(MAIN)
    w.send("Ownership", process(3, Priv.VU, 0x11)).send("Ownership", process(2, Priv.VU, 5)).step()
    w.trap(HANDLER, 3).send("Ownership", process(0, Priv.M)).step().jump(MAIN).send("Ownership", process(0, Priv.VU))
    w.step().sync().send("Ownership", process(3, Priv.VU, 0x11)).send("Ownership", process(2, Priv.VU, 5)).step().stop()
    trace = w.check()
    user, machine = Context(int(Priv.VU), 5, 0x11), Context(int(Priv.M), 5, 0x11)
    assert [trace.context_at(i) for i in range(5)] == [user, machine, machine, user, user]
    columns = trace.instruction_contexts()
    assert columns["priv"].tolist() == [4, 3, 3, 4, 4]
    assert columns["context"].tolist() == [5] * 5 and columns["hcontext"].tolist() == [0x11] * 5
    assert trace.hcontext.tolist()[:3] == [-1, 0x11, 0x11]


@MODES
def test_csr_writes_say_where_a_context_changed(mode: str) -> None:
    """Ownership has no I-CNT: the instructions that write the CSRs are in the count that is reported later."""
    w = Writer(program(), mode=mode, ownership=1, hcontext=1).start(MAIN)
    w.send("Ownership", process(3, Priv.S, 1)).send("Ownership", process(2, Priv.S, 1)).step(2)
    w.send("Ownership", process(2, Priv.S, 2)).step(2).full_icnt()
    w.send("Ownership", process(3, Priv.S, 9)).step().send("Ownership", process(2, Priv.S, 3)).step().branch(
        0
    ).step().stop()
    trace = w.check()
    columns = trace.instruction_contexts()
    assert columns["context"].tolist() == [1, 1, 2, 2, 2, 3, 3, 3]
    assert columns["hcontext"].tolist() == [1, 1, 1, 1, 9, 9, 9, 9]


def test_context_that_no_instruction_wrote() -> None:
    """It is taken where it was reported."""
    w = Writer(program(), ownership=1).start(0x1010).send("Ownership", process(2, Priv.S, 1)).step().full_icnt()
    trace = w.send("Ownership", process(2, Priv.S, 2)).branch(0).step().stop().check()
    assert trace.instruction_contexts()["context"].tolist() == [1, 2, 2]


def test_restart_forgets() -> None:
    """After a gap nobody knows the context until it is reported again."""
    w = Writer(program(), ownership=1).start(MAIN).send("Ownership", process(2, Priv.S, 1)).step().stop()
    trace = w.start(MAIN).step().send("Ownership", process(0, Priv.S)).stop().check()
    assert trace.context.tolist() == [-1, 1, 1, -1, -1, -1]
    assert trace.priv.tolist() == [-1, 1, 1, -1, 1, 1]


@pytest.mark.parametrize("value, text", [
    (process(1, Priv.S), "FORMAT=1"), (process(0, 2), "V=0 PRV=10"), (process(2, 7, 1), "V=1 PRV=11"),
    (process(0, Priv.M, 5), "CONTEXT=0x5"),
    (process(2, Priv.S, 1 << 32), "more than 32 bits"),
])  # fmt: skip
def test_reserved_process(value: int, text: str) -> None:
    w = Writer(program(), ownership=1).start(MAIN).step().send("Ownership", value).step().stop()
    trace = w.decode()
    (found,) = trace.diagnostics
    assert found.clause == "NT.7.1.process" and text in found.text and found.lost_bytes == 0
    assert trace.pcs.tolist() == w.pcs


def test_ownership_after_error() -> None:
    """NT-14: a synchronizing message comes first."""
    w = (
        Writer(program(), ownership=1)
        .start(MAIN)
        .send("Error", 0, 8)
        .send("Ownership", process(0, Priv.M))
        .start(MAIN, 7)
        .step()
        .stop()
    )
    assert [d.clause for d in w.decode().diagnostics] == ["NT-14"]


def test_long_contexts() -> None:
    """scontext of 32 bits: table 11 has no limit, the field has 37 bits."""
    w = Writer(program(), ownership=1).start(MAIN).send("Ownership", process(2, Priv.S, 0xFFFF_FFFF)).step().stop()
    assert w.check().context_at(0).context == 0xFFFF_FFFF
