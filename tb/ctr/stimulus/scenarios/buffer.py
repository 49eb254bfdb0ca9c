# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of the buffer: depths and their changes, entries and selects, the status register."""

from __future__ import annotations

from rvtrace.models.ctr.registers import SELECT
from rvtrace.models.riscv.csr import CLEAR, HS, SET, VS, VU, WRITE, M, U
from rvtrace.tb.ctr.stimulus.scenarios.base import (
    ALL,
    CC0,
    CC1,
    CC2,
    CC3,
    DEEP,
    DEFAULT,
    DRAFT32,
    DRAFT64,
    DRAFTS,
    LEAN,
    NO_S,
    SHALLOW,
    V1,
    ScenarioScript,
    modes,
    scenario,
)
from rvtrace.tb.ctr.stimulus.scenarios.modes import enable
from rvtrace.tb.ctr.stimulus.scenarios.ras import to_depth

ONES = (1 << 64) - 1


def full(s: ScenarioScript, value: int = ONES) -> int:
    """A value of XLEN bits."""
    return value & (1 << s.config.xlen) - 1


def flag(s: ScenarioScript) -> int:
    """FROZEN in the status."""
    return 1 << (15 if s.config.draft else 31)


def fill(s: ScenarioScript, number: int) -> None:
    """So many jumps, one a cycle."""
    for _ in range(number):
        s.go(11, U)


@scenario("CTR.depth.select", "CTR.depth.entries", "CTR.depth.records", "CTR.status.wrptr", "CTR.status.wrap_up",
          "CTR.status.wrap", "CTR.behavior.lost", "CTR.behavior.push", "CTR-10", configs=(*ALL, CC1, CC3))  # fmt: skip
def depths(s: ScenarioScript) -> None:
    """Each depth filled and overrun: all entries, and those at and above the depth, which read 0 and keep nothing."""
    enable(s, *modes(s))
    for depth in s.config.depths:
        to_depth(s, depth)
        s.write(s.status, 0, M)
        fill(s, depth - 1)
        s.look(2)
        fill(s, 1)
        s.look(1)
        fill(s, 3)
        s.look(depth)
        for logical in {depth, depth + 1, (depth + 255) // 2, 255}:
            if depth <= logical < 256:
                s.select(logical)
                for number in ("", "2", "3"):
                    s.write(f"{s.window}ireg{number}", full(s), M)
                    s.read(f"{s.window}ireg{number}", M)
        s.look(2)


@scenario("CTR.depth.grown", "CTR.depth.wrptr", "CTR.depth.select", "CTR-10", configs=(*V1, DRAFT64, DRAFT32))
def depth_changes(s: ScenarioScript) -> None:
    """From every depth to every other, with records before and after the change."""
    enable(s, *modes(s))
    for before in s.config.depths:
        for after in s.config.depths:
            to_depth(s, before)
            fill(s, 5)
            to_depth(s, after)
            s.read(s.status, M)
            for logical in {0, 1, 4, before - 1, before, after - 1}:
                s.read_entry(logical)
            fill(s, 2)
            s.look(3)


@scenario(
    "CTR.depth.warl",
    "CTR.depth.reserved",
    "CTR.depth.undefined",
    "CTR-10",
    configs=(LEAN, CC0, CC1, DEFAULT, *DRAFTS, NO_S, DEEP, SHALLOW),
)
def depth_values(s: ScenarioScript) -> None:
    """Every value of DEPTH written, the unsupported and the reserved ones, over every supported one."""
    enable(s, *modes(s))
    for depth in s.config.depths:
        for code in range(16 if s.config.draft else 8):
            to_depth(s, depth)
            fill(s, 3)
            if s.config.draft:
                s.write(s.control, s.control_word("M", "S", "U") | code << 16, M)
                s.read(s.control, M)
            else:
                s.write("sctrdepth", code, M)
                s.read("sctrdepth", M)
            s.read(s.status, M)
            fill(s, 2)
            s.look(3)
    if not s.config.draft:
        s.write("sctrdepth", full(s, ONES & ~7), M)
        s.read("sctrdepth", M)
        for op, value in ((SET, 1), (CLEAR, 1), (SET, 7), (CLEAR, 7)):
            s.group([], s.access(op, "sctrdepth", value, M))
            s.read("sctrdepth", M)


@scenario(
    "CTR.status.write",
    "CTR.status.upper",
    "CTR.status.undefined",
    "CTR.status.alias",
    "CTR.status.wrap",
    "CTR.status.frozen",
    configs=(*ALL, NO_S),
)
def status_values(s: ScenarioScript) -> None:
    """The status written with all ones and zeros from M, S and VS at every depth: WRPTR modulo the depth, rest 0."""
    for depth in s.config.depths:
        to_depth(s, depth)
        for mode in (m for m in (M, HS, VS) if m in modes(s)):
            name = s.status if mode == M else "sctrstatus"
            for value in (
                ONES,
                0,
                depth - 1,
                depth,
                0xFF,
                0x55,
                flag(s),
                flag(s) | 0xA5,
                1 << 14,
                1 << 13,
                1 << 30,
                1 << 16,
                0x5A5A_5A5A,
            ):
                s.write(name, full(s, value), mode)
                s.read(name, mode)
                s.read(s.status, M)
            s.set(name, 0x0F, mode)
            s.clear(name, flag(s) | 0x05, mode)
            s.read(name, mode)


@scenario("CTR.status.same_cycle", "CTR.status.wrptr", "CTR-13", configs=(DEFAULT, CC2, CC0, DRAFT64, DRAFT32))
def status_in_the_cycle_of_a_record(s: ScenarioScript) -> None:
    """WRPTR and FROZEN written, set and read in the cycle of records: the records come first."""
    enable(s, *modes(s))
    n = s.config.transfers
    for base in (0, 3, s.config.depth - 1, s.config.depth - n):
        for op, value in ((WRITE, 5), (WRITE, flag(s)), (SET, 1), (CLEAR, 1), (0, 0)):
            s.write(s.status, base, M)
            s.together([s.make(11, U) for _ in range(n)], s.access(op, s.status, value, M))
            s.read(s.status, M)
            s.write(s.status, base, M)
            s.group([s.make(11, U)], s.access(op, s.status, value, M))
            s.look(2)
            s.thaw()
            s.go(9, U)
            s.look(2)
    s.select(0)
    for number in ("", "2", "3"):
        s.group([s.make(9, U)], s.access(WRITE, f"{s.window}ireg{number}", 0x4321, M))
        s.look(2)
        s.select(0)
        s.group([s.make(9, U)], s.access(0, f"{s.window}ireg{number}", 0, M))
        s.together([s.make(9, U) for _ in range(n)], s.access(WRITE, f"{s.window}ireg{number}", 0x4321, M))
        s.look(n + 1)
        s.select(0)
        s.together([s.make(9, U) for _ in range(n)], s.access(0, f"{s.window}ireg{number}", 0, M))
        s.together([s.make(9, U) for _ in range(n)], s.access(WRITE, f"{s.window}iselect", SELECT.start + 1, M))
        s.read(f"{s.window}ireg{number}", M)
        s.group([s.make(9, U)], s.access(WRITE, f"{s.window}iselect", SELECT.start, M))
        s.read(f"{s.window}ireg{number}", M)
    if not s.config.draft:
        for group in (1, n):
            for depth in s.config.depths[:2]:
                s.together(
                    [s.make(9, U) for _ in range(group)], s.access(WRITE, "sctrdepth", s.config.depth_code(depth), M)
                )
                s.read("sctrdepth", M)
                s.look(2)


@scenario("CTR.status.wrptr", "CTR.source.hold", "CTR.target.hold", "CTR.data.hold", configs=ALL)
def synthesized(s: ScenarioScript) -> None:
    """Software adds a record and takes one away through WRPTR, and restores entries after it has written the status."""
    enable(s, *modes(s))
    fill(s, 4)
    s.set(s.status, flag(s), M)
    s.write(s.status, 5 | flag(s), M)
    s.select(0)
    for number, value in (("", 0x8765_4321), ("2", 0x1357_9BDF), ("3", 0x2345_800D)):
        s.write(f"{s.window}ireg{number}", value, M)
    s.look(6)
    s.clear(f"{s.window}ireg", 1, M)
    s.write(s.status, 4, M)
    s.look(6)
    fill(s, 1)
    s.look(3)


@scenario("CTR.source.hold", "CTR.target.hold", "CTR.data.hold", "CTR.data.undefined", "CTR.data.unimplemented",
          "CTR.target.no_misp", "CTR.cycle.impl", "CTR.entry.ireg456", "CTR.entry.same", "CTR.entry.select",
          "CTR.entry.virtual", "CTR.discovery.entries", configs=(*ALL, NO_S))  # fmt: skip
def entry_values(s: ScenarioScript) -> None:
    """Every register of an entry written with everything, nothing, single bits, set and cleared; read through every
    window; ireg4 to ireg6.
    """
    c = s.config
    windows = [("m", M)] * c.draft + [("s", HS)] * c.has_s + [("vs", M), ("s", VS)] * c.has_h
    last = c.depth - 1
    for number, (window, mode) in enumerate(windows):
        for logical in (0, 7, last):
            s.select(logical, window, mode)
            for part in ("", "2", "3"):
                for value in (
                    ONES,
                    0,
                    0x5555_5555_5555_5555,
                    0xAAAA_AAAA_AAAA_AAAA,
                    *((1 << bit for bit in range(c.xlen)) if logical == 7 and not number else ()),
                ):
                    s.write(f"{window}ireg{part}", full(s, value), mode)
                    s.read(f"{window}ireg{part}", mode)
                s.set(f"{window}ireg{part}", full(s, 0x0F0F_0F0F_0F0F_0F0F), mode)
                s.clear(f"{window}ireg{part}", full(s, 0x00FF_00FF_00FF_00FF), mode)
                s.set(f"{window}ireg{part}", 0, mode)
            for part in ("4", "5", "6"):
                s.write(f"{window}ireg{part}", full(s), mode)
                s.read(f"{window}ireg{part}", mode)
                s.set(f"{window}ireg{part}", full(s), mode)
                s.clear(f"{window}ireg{part}", full(s), mode)
            s.set(f"{window}ireg", 1, mode)
            for other, reader in windows:
                s.select(logical, other, reader)
                s.select(3, window if other != window else other, mode if other != window else reader)
                s.select(logical, other, reader)
                for part in ("", "2", "3"):
                    s.read(f"{other}ireg{part}", reader)
    for window, mode in windows:
        s.select(1, window, mode)
        s.read(f"{window}iselect", mode)
        s.read(f"{window}ireg", mode)
        s.write(f"{window}ireg3", full(s, 0x0003_8009), mode)
        for value in (0, 0x1FF, 0x200, 0x2FF, 0x300, 0x1200, full(s), SELECT.start | 1 << (c.xlen - 1)):
            s.write(f"{window}iselect", value, mode)
            s.read(f"{window}iselect", mode)
            s.read(f"{window}ireg3", mode)
        s.set(f"{window}iselect", 0x0F, mode)
        s.clear(f"{window}iselect", 0xF0, mode)
        s.read(f"{window}iselect", mode)


@scenario("CTR.entry.virtual", "CTR.entry.select", "CTR.entry.same", configs=(DEFAULT, DRAFT64))
def three_selects(s: ScenarioScript) -> None:
    """Every window selects another entry; each shows its own."""
    enable(s, *modes(s))
    fill(s, 12)
    s.look(0)
    for window, logical in (("m", 2), ("s", 5), ("vs", 9)):
        if window == "s" and not s.config.has_s or window == "vs" and not s.config.has_h:
            continue
        s.select(logical, window)
    for window, mode in (
        *([("m", M)] if s.config.draft else []),
        *([("s", M)] if s.config.has_s else []),
        ("vs", M),
        ("s", HS),
        ("vs", HS),
        ("s", VS),
    ):
        if window == "vs" and not s.config.has_h or mode not in modes(s):
            continue
        for part in ("", "2", "3"):
            s.read(f"{window}ireg{part}", mode)


@scenario("CTR.behavior.push", "CTR.status.wrap_up", "CTR-13", configs=(DEFAULT, CC2, DRAFT64))
def groups_that_wrap(s: ScenarioScript) -> None:
    """Transfers of one cycle are recorded in order, also where WRPTR wraps within the cycle and where some are not
    recorded.
    """
    enable(s, M, U, *([VU] if VU in modes(s) else []), ctl=("TKBRINH",))
    n = s.config.transfers
    for base in range(s.config.depth - n - 1, s.config.depth):
        for types in ((11,) * n, (5, 11) * n, (11, 5) * n, (9, 4, 11, 5)):
            s.write(s.status, base, M)
            s.together([s.make(type_, U) for type_ in types[:n]])
            s.look(n + 1)
    for way in ([(1, U, M), (11, M, M), (3, M, U), (9, U, U)], [(11, U, U), (1, U, HS), (9, HS, HS), (3, HS, U)]):
        if HS in way[2] and HS not in modes(s):
            continue
        s.together([s.make(type_, from_, to, 8) for type_, from_, to in way])
        s.look(5)
