# SPDX-License-Identifier: Apache-2.0
"""Tandem scenarios of a hart: traps and interrupts, initialization, instructions with several transactions, CSRs."""

from __future__ import annotations

from itertools import product

from rvtrace.models.tandem import table as t
from rvtrace.tb.tandem.stimulus.scenarios.base import ALL, LONG, NOP, SHORT, ScenarioScript, scenario


@scenario("TV-7", "TV.reported.priv", "TV.reported.csr", "TV.id.priv", configs=ALL)
def traps(s: ScenarioScript) -> None:
    """Exceptions with their instruction, fetches that failed and interrupts without one, into M and S; and the way
    back.
    """
    interrupt = 1 << s.config.xlen - 1
    for supervisor, (cause, insn) in product(
        (False, True),
        ((2, NOP), (2, (2, 0)), (8, (4, 0x73)), (12, None), (1, None), (interrupt | 7, None), (interrupt | 5, None)),
    ):
        s.insn()
        s.trap(cause, insn, supervisor)
        s.insn()
        s.row(insn=(4, 0x10200073 if supervisor else 0x30200073), pc=LONG, csr=((0x300, 0x80),), priv=0)


@scenario(
    "TV.group.outside",
    "TV-8",
    "TV.reported.outside",
    "TV.reported.mtime",
    "TV.reported.mcycle",
    "TV.reported.minstret",
    configs=ALL,
)
def what_changes_by_itself(s: ScenarioScript) -> None:
    """mip, mtime and counters outside groups: before, between and after groups, several times, and in both lanes."""
    s.quiet(csr=((0x344, 0x80),))
    for k in range(10):
        s.quiet(mtime=1000 * k)
        s.quiet(mcycle=17 * k, minstret=k)
        s.insn()
        s.quiet(csr=((0x344, 0x80 >> k),))
        s.quiet(csr=((0x344, k),), mtime=k)
        if k & 1:
            s.insn(SHORT)
            s.flush()


@scenario("TV.opcode.init", "TV.reported.init", "TV.legal.init", "TV.legal.update", configs=ALL)
def initialization(s: ScenarioScript) -> None:
    """State initialization of registers, CSRs, memory with and without response, privilege and pc, before a program and
    within one.
    """
    for turn in range(2):
        for n in range(1, 32):
            s.init(gpr=(n, s.number(64) & s.full))
        for n in range(3):
            s.init(fpr=(n, n), csr=((0x300 + n, n),))
        for size, result in product(range(4), (None, t.SUCCESS, t.FAILURE)):
            parts = {} if result is None else {"response": (result, 0)}
            s.init(request=(t.STORE, size, 8 * s.number(20), s.number(64)), **parts)
        s.init(priv=turn, fcsr=1, mcycle=5, minstret=6, mtime=7)
        s.init(pc=LONG + 0x100)
        s.insn(gpr=(31, 1))


@scenario(
    "TV.memory.apart", "TV.reported.request", "TV.reported.response", "TV.request.data", "TV-2", "TV-8", configs=ALL
)
def several_transactions(s: ScenarioScript) -> None:
    """Instructions with two and three bus transactions: those before the last are outside groups, right before."""
    for k in range(8):
        load, store = (
            (t.LOAD, k % 4, s.number(s.config.mlen), 0),
            (t.STORE, k % 4, s.number(s.config.mlen), s.number(64)),
        )
        s.quiet(request=(t.FETCH, 2, s.pc & s.address, 0), response=(0, s.number(32)))
        s.quiet(request=load, response=(k & 1, s.number(64)))
        s.insn(
            (4, 0x2F),
            gpr=(5, s.number(64) & s.full),
            paddr=load[2],
            memdata=(k % 4, store[3]),
            request=store,
            response=(0, 0),
        )
        s.insn((4, 0x3), request=load)
        s.insn((4, 0x3), request=load, response=(0, s.full))


@scenario("TV.form.csr", "TV.reported.csr", "TV.register.csr", "TV.order.parts", configs=ALL)
def csr_slots(s: ScenarioScript) -> None:
    """One to four CSRs in a row, the same CSR again with nearby values: always in full."""
    for k, count in product(range(6), range(1, t.CSR_SLOTS + 1)):
        s.insn(csr=tuple((0x340 + (k + n) % 4, 0x1000 * n + k) for n in range(count)))
        s.quiet(csr=tuple((0xFFF - n, s.full - k) for n in range(count)))


@scenario("TV.order.rows", "TV.order.lost", "TV.pc.increment", "TV.port.causal", configs=ALL)
def group_every_cycle(s: ScenarioScript) -> None:
    """Integer instructions without a pause: a group in each cycle, in each lane."""
    for k in range(200):
        s.insn(SHORT if k % 3 else NOP, gpr=(1 + k % 31, k * 3))
