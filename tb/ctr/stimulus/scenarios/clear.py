# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of clears: SCTRCLR and CLR from everywhere, at every depth, and what they leave alone."""

from __future__ import annotations

from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.riscv.csr import CLEAR, HS, SET, VS, WRITE, M, U
from rvtrace.tb.ctr.stimulus.scenarios.base import (
    CC0,
    CC2,
    DEFAULT,
    DRAFT32,
    DRAFT64,
    V1,
    ScenarioScript,
    modes,
    scenario,
)
from rvtrace.tb.ctr.stimulus.scenarios.buffer import fill, flag
from rvtrace.tb.ctr.stimulus.scenarios.modes import enable
from rvtrace.tb.ctr.stimulus.scenarios.ras import to_depth


@scenario(
    "CTR.clear.entries",
    "CTR.clear.depths",
    "CTR.clear.keeps",
    "CTR.clear.done",
    "CTR.clear.illegal",
    "CTR.clear.virtual",
    "CTR-14",
    configs=V1,
)
def sctrclr(s: ScenarioScript) -> None:
    """SCTRCLR from every mode: all entries of all depths are 0, status and control registers stay."""
    if s.config.draft:  # an instruction that does not exist
        fill(s, 5)
        for mode in modes(s):
            s.sctrclr(mode)
            s.look(3)
        return
    for frozen in (0, 1):
        for mode in modes(s):
            enable(s, *modes(s))
            to_depth(s, s.config.depths[-1])
            fill(s, s.config.depths[-1] + 5)
            to_depth(s, s.config.depths[0])
            s.read(s.status, M)
            fill(s, 5)
            if frozen:
                s.set(s.status, flag(s), M)
            s.look(2)
            s.sctrclr(mode)
            s.look(3)
            s.registers()
            if mode in (M, HS, VS):
                for depth in s.config.depths:
                    to_depth(s, depth)
                    for logical in {0, 1, depth // 2, depth - 1, depth - 2}:
                        s.read_entry(logical)
                s.read("sctrdepth", M)
            s.thaw()
            fill(s, 2)
            s.look(3)


@scenario("CTR.clear.entries", "CTR-14", "CTR-13", configs=(DEFAULT, CC2, CC0))
def sctrclr_in_the_cycle_of_a_record(s: ScenarioScript) -> None:
    """The records of SCTRCLR's cycle are cleared with the others; the next one follows after them."""
    enable(s, *modes(s))
    for number in range(1, s.config.transfers + 1):
        fill(s, 3)
        s.together([s.make(9, U) for _ in range(number)], s.access(SCTRCLR, 0, 0, M))
        s.look(4)
        fill(s, 1)
        s.look(3)


@scenario(
    "CTR.clear.entries",
    "CTR.clear.depths",
    "CTR.clear.status",
    "CTR.clear.reads0",
    "CTR.vsctl.clr",
    "CTR-14",
    configs=(DRAFT64, DRAFT32),
)
def clr(s: ScenarioScript) -> None:
    """CLR of the draft: the entries of the depths before and after the write are 0, and the status; through
    vsctrcontrol with V = 1 only.
    """
    c = s.config
    bit = c.bit("CLR")
    on = s.control_word("M", "S", "U")
    names = [
        (s.control, M),
        *([(s.s_control, HS)] if c.has_s else []),
        *([(s.vs_control, M), (s.vs_control, HS), (s.s_control, VS)] if c.has_h else []),
    ]
    for name, mode in names:
        for before in c.depths:
            for number, after in enumerate((before, before, c.depths[0], c.depths[-1])):
                if name == s.s_control and mode == VS and after != before:
                    continue
                s.write_control(on | c.depth_code(c.depths[-1]) << 16)
                fill(s, c.depths[-1])
                s.write_control(on | c.depth_code(before) << 16)
                s.write(s.status, 0, M)
                fill(s, before + 3)
                if number:
                    s.set(s.status, flag(s), M)
                s.look(2)
                low = on if mode == M else on & ~c.bit("M")
                s.group([], s.access(WRITE, name, low | bit | c.depth_code(after) << 16, mode))
                s.look(2)
                for logical in {2, min(before, after) - 1, after - 1}:
                    s.read_entry(logical)
                s.registers()
                s.write_control(on | c.depth_code(c.depths[-1]) << 16)
                for logical in {0, 1, c.depths[0], c.depths[-1] - 1}:
                    s.read_entry(logical)
                s.thaw()
                fill(s, 2)
                s.look(3)
    s.group([s.make(9, U)], s.access(SET, s.control, bit, M))
    s.look(2)
    s.group([], s.access(CLEAR, s.control, bit, M))
    s.look(1)
