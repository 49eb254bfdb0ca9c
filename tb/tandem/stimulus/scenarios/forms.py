# SPDX-License-Identifier: Apache-2.0
"""Tandem scenarios of forms: next pc by opcode 3 or in full, registers by bits, difference or in full, and what each of
them counts from.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.tb.tandem.stimulus.scenarios.base import ALL, LANES, LONG, NOP, SHORT, ScenarioScript, scenario

STEPS = (0, 1, -1, 2, 126, 127, 128, 129, -127, -128, -129, -130, 255, 256, -255, -256, 1 << 15, -(1 << 15))
_PLACES = (0x1000, 0, 0x7F, 0x80, 0xFF, 0x1234_5678)  # from where


def _edges(s: ScenarioScript, report: Callable[[int], None], full: int) -> None:
    """Steps from everywhere, over 0 too, and bits that are set, cleared and both."""
    for start in (*_PLACES, full, full - 5, full >> 1):
        for step in STEPS:
            report(start & full)
            report(start + step & full)
    for old, new in (
        (0xF00, 0xF0F),
        (0xF00, 0xFFF),
        (0xF00, 0xE0F),
        (0x5500, 0x5500),
        (0x5500, 0x5600),
        (0, 0xFF),
        (0, 0x100),
        (0, 0x1FF),
        (0x80, 0xFF),
        (0xFF, 0),
    ):
        report(old)
        report(new)
    for bit in range(full.bit_length()):
        report(full ^ 1 << bit)
        report(full)
        report(1 << bit ^ 0x300)
        report(0x300)


@scenario("TV.form.or", "TV.form.add", "TV.form.full", "TV.form.same", "TV.form.modulo", "TV.form.lowest",
          "TV.form.highest", "TV.form.beyond", "TV.form.high_bit", "TV.form.cleared", "TV.form.level", "TV.opcode.add",
          "TV.opcode.or", "TV.reported.gpr", "TV.legal.base", "TV-6", configs=ALL)  # fmt: skip
def forms_of_x(s: ScenarioScript) -> None:
    """An x register with every difference around the limits of each form."""
    _edges(s, lambda value: s.insn(gpr=(5, value)), s.full)


@scenario("TV.form.first", "TV.reported.gpr", configs=ALL)
def each_register_has_its_base(s: ScenarioScript) -> None:
    """All x registers one after the other, reported first, then again a little further."""
    for turn in range(3):
        for n in range(32):
            s.insn(gpr=(n, 0x1000 * n + turn * (n + 1)))


@scenario(
    "TV.form.or", "TV.form.add", "TV.form.same", "TV.form.cleared", "TV.opcode.or", "TV.reported.fcsr", configs=ALL
)
def forms_of_fcsr(s: ScenarioScript) -> None:
    """fcsr with every difference, alone and beside an f register."""
    _edges(s, lambda value: s.insn(fcsr=value, fpr=(value & 31, value & (1 << s.config.flen) - 1)), (1 << 32) - 1)


@scenario(
    "TV.form.partial",
    "TV.form.slot",
    "TV.form.slot_base",
    "TV.form.csr",
    "TV.reported.fcsr",
    "TV.reported.csr",
    configs=ALL,
)
def fcsr_by_other_names(s: ScenarioScript) -> None:
    """fcsr reported as a CSR, then by its own port; fflags and frm between, in each slot."""
    for slot in range(t.CSR_SLOTS):
        before = tuple((0x340 + n, n) for n in range(slot))
        for name in (t.FCSR, t.FFLAGS, t.FRM):
            for first in (0x11, 0x60):
                s.insn(fcsr=0x20)
                s.insn(fcsr=0x21)
                s.insn(csr=(*before, (name, first)))
                s.insn(fcsr=first | 2)
                s.insn(fcsr=first | 2)
                s.insn(csr=(*before, (name, first | 2)), fpr=(1, 1))
                s.insn(fcsr=first | 6)


@scenario("TV.form.high_half", "TV.form.modulo", "TV.form.slot", "TV.form.slot_base", "TV.form.or", "TV.form.add",
          "TV.form.full", "TV.form.level", "TV.reported.mcycle", "TV.reported.minstret", "TV.reported.csr",
          configs=ALL)  # fmt: skip
def forms_of_counters(s: ScenarioScript) -> None:
    """mcycle and minstret over the limits of every form and of their halves, also reported as CSRs."""
    starts = (0, 250, (1 << 32) - 3, (1 << 32) - 200, (1 << 40) + 7, (1 << 64) - 2, (1 << 63) - 1)
    for start in starts:
        for step in (0, 1, 3, 127, 128, 129, 255, 256, 1 << 31, 1 << 32, -1, -128, -129):
            value = start + step & (1 << 64) - 1
            s.insn(mcycle=start, minstret=value)
            s.insn(mcycle=value, minstret=start)
            s.quiet(mcycle=start)
        for step in (127, 128, -128, -129, 129):
            value = start + (step << 32) & (1 << 64) - 1
            s.insn(mcycle=start, minstret=start)
            s.insn(mcycle=value, minstret=value)
    for low, high, name in ((t.MCYCLE, t.MCYCLEH, "mcycle"), (t.MINSTRET, t.MINSTRETH, "minstret")):
        for address in (low, high) if s.config.xlen == 32 else (low,):
            for value, slot in product((0x100, 0x101, 0x1FF), range(t.CSR_SLOTS)):
                before: dict[str, Any] = {name: value << 32 | value}
                after: dict[str, Any] = {name: (value + 2) << 32 | value + 3}
                s.insn(**before)
                s.insn(csr=(*((0x340 + n, n) for n in range(slot)), (address, value + 1)))
                s.insn(**after)


@scenario(
    "TV.form.reset",
    "TV.form.first",
    "TV.pc.reset",
    "TV.pc.first",
    "TV.opcode.reset",
    "TV.reported.reset",
    "TV.legal.base",
    "TV.legal.pc_known",
    "TV.legal.reset",
    configs=ALL,
)
def resets(s: ScenarioScript) -> None:
    """A reset between two values of each register that has a base; with the register, with the pc, and with neither."""
    kinds: list[dict[str, Any]] = [{"gpr": (n, 0x100 + n)} for n in (1, 2, 30, 31)] + [
        {"fcsr": 0x21},
        {"mcycle": 0x1_0000_0005},
        {"minstret": 0x1_0000_0009},
    ]
    for parts in kinds:
        for reported in ({}, {"pc": LONG}, {"pc": LONG} | parts, parts):
            s.insn(**parts)
            s.insn(**parts)
            s.row(reset=True, **reported)
            s.insn(SHORT if reported == parts else NOP, **parts)
            s.insn(**parts)


@scenario("TV.form.reset", "TV.pc.reset", configs=LANES)
def resets_beside(s: ScenarioScript) -> None:
    """A reset in one lane, what has a base in the other; both orders."""
    kinds: tuple[dict[str, Any], ...] = ({"gpr": (7, 0x55)}, {"fcsr": 0x55}, {"mcycle": 0x55}, {})
    for n, parts in enumerate(kinds):
        for first in (True, False):
            s.insn(gpr=(7, 0x54), fcsr=0x54, mcycle=0x54)
            reset = TraceData(reset=True, pc=None if n & 1 else s.pc)
            insn = TraceData(insn=NOP, pc=s.pc + 4, **parts)
            s.beside(*((reset, insn) if first else (insn, reset)))
            s.insn(**parts)
            s.insn(**parts)


@scenario("TV.form.lane", "TV.pc.lane", "TV.order.lanes", "TV.order.rows", configs=LANES)
def registers_in_both_lanes(s: ScenarioScript) -> None:
    """The same register in both lanes of a cycle, and another one beside it, with steps that only the right base makes
    short.
    """
    for k in range(40):
        value = 0x10_0000 * k
        kinds: tuple[dict[str, Any], ...] = (
            {"gpr": (3, value)}, {"fcsr": value & 0xFFFF_FFFF}, {"mcycle": value}, {"minstret": value << 20},
        )  # fmt: skip
        for parts in kinds:
            name = next(iter(parts))
            nearby: dict[str, Any] = (
                {name: (3, value + 5)}
                if name == "gpr"
                else {name: parts[name] + 5 & 0xFFFF_FFFF if name == "fcsr" else parts[name] + 5}
            )
            other: dict[str, Any] = {"gpr": (4, value ^ 0x80)} if k & 1 else {}
            s.step()
            s.insn(NOP if k & 2 else SHORT, **parts)
            s.insn(SHORT if k & 2 else NOP, **nearby)
            s.insn(**other)
            last: dict[str, Any] = {"gpr": (3, value + 9)} if name == "gpr" else nearby
            s.insn(**last)
    for k in range(12):  # the older row's register beside another one
        s.step()
        s.insn(gpr=(3, 0x4000 + k))
        s.insn(gpr=(4, 0x9000 + k))
        s.insn(gpr=(4, 0x9004 + k))
        s.insn(gpr=(3, 0x4004 + k))


@scenario("TV.pc.increment", "TV.pc.jump", "TV.pc.length", "TV.pc.other_length", "TV.pc.wrap", "TV.pc.never",
          "TV.pc.gap", "TV.pc.first", "TV-3", "TV.opcode.increment_pc", "TV.id.pc", "TV.reported.pc",
          "TV.legal.increment", "TV.legal.one_pc", configs=ALL)  # fmt: skip
def next_pcs(s: ScenarioScript) -> None:
    """The next pc in sequence and everywhere near, after instructions of both lengths, over the end of the address
    space, and left out for a while.
    """
    for insn in (NOP, SHORT):
        for step in (insn[0], 6 - insn[0], 0, -insn[0], 8, 6, 2, 1 << 12, insn[0] + (1 << 31), insn[0] ^ 1):
            s.insn(insn)
            s.insn(insn, at=s.pc + step)
        for end in (s.full - insn[0] + 1, (1 << 32) - insn[0]):
            s.insn(insn, at=end & s.full)
            s.insn(insn)
            s.insn(insn)
        s.insn(insn)
        for rows in ([{"gpr": (1, 5)}], [{"insn": insn}], [{"insn": insn, "gpr": (0, 1)}, {"csr": ((0x340, 1),)}]):
            for row in rows:
                s.row(**row)
            s.insn(insn)  # what follows the pc last reported, not the instruction before


@scenario("TV.pc.insn", "TV.pc.outside", "TV.reported.pc", "TV.legal.inside", configs=ALL)
def pcs_without_instruction(s: ScenarioScript) -> None:
    """The next pc in sequence where there is no instruction: in a group, at initialization, outside groups."""
    for step in (2, 4):
        s.insn()
        s.row(pc=s.pc + step)
        s.insn()
        s.init(pc=s.pc + step)
        s.insn()
        s.quiet(pc=s.pc + step)
        s.insn()
        s.row(pc=s.pc + step, csr=((0x342, 1 << s.config.xlen - 1),))


@scenario("TV.pc.first", "TV.reported.pc", "TV.form.first", configs=ALL, fresh=True)
def no_reset_first(s: ScenarioScript) -> None:
    """A trace that begins without a reset: nothing is known, everything is reported in full at first, also after 0."""
    s.pc = 0
    for k in range(4):
        s.insn(SHORT if s.config.lanes > 1 else NOP, gpr=(1, k), fcsr=k, mcycle=k)
