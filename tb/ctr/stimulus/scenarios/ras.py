# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of RAS emulation: calls, returns and swaps, what is ignored, and how cycles are counted across pops."""

from __future__ import annotations

from rvtrace.models.riscv.csr import HS, VS, VU, WRITE, M, U
from rvtrace.scoreboards.ctr.reasons import FILTERS
from rvtrace.tb.ctr.stimulus.scenarios.base import (
    CC0,
    CC2,
    DEFAULT,
    DRAFT32,
    DRAFT64,
    WIDE,
    ScenarioScript,
    modes,
    scenario,
)
from rvtrace.tb.ctr.stimulus.scenarios.modes import TRAPS, enable, there

FULL = (DEFAULT, CC2, CC0, DRAFT64, DRAFT32)
CALLS, RETURN, SWAP = (8, 9), 13, 12


def to_depth(s: ScenarioScript, depth: int, *names: str) -> None:
    """M-mode selects a depth; all modes stay enabled, with more fields in mctrctl."""
    code, word = s.config.depth_code(depth), s.control_word("M", "S", "U", *names)
    if s.config.draft:
        s.write_control(word | code << 16)
    else:
        s.write_control(word)
        s.write("sctrdepth", code, M)
        s.read(s.status, M)


def emulate(s: ScenarioScript, *names: str) -> None:
    """All modes enabled, RAS emulation in both worlds, with more fields in both registers."""
    enable(s, *modes(s), ctl=("RASEMU", *names), vsctl=("RASEMU", *names))


@scenario("CTR.ras.call", "CTR.ras.return", "CTR.ras.swap", "CTR.ras.enable", "CTR-7", configs=FULL)
def call_stack(s: ScenarioScript) -> None:
    """Calls, returns and swaps in every mode: what entry 0 shows after each of them."""
    for mode in modes(s):
        emulate(s)
        for type_ in (8, 9, 13, 9, 8, 12, 13, 9, 12, 12, 13, 13):
            s.go(type_, mode)
            s.look(4)
            s.read_entry(s.config.depth - 1)


@scenario("CTR.ras.return", "CTR.ras.swap", "CTR.status.wrap_down", "CTR.status.wrap", "CTR-7", configs=FULL)
def empty_stack(s: ScenarioScript) -> None:
    """Returns with nothing to pop, and swaps on an invalid entry; WRPTR wraps down and up again."""
    emulate(s)
    s.go(RETURN, U)
    s.look(3)
    for type_ in (SWAP, RETURN, RETURN, SWAP, 9):
        s.go(type_, U)
        s.look(4)
    s.write(s.status, 0, M)
    for type_ in (RETURN, 8, 8, RETURN, RETURN, RETURN, 9):
        s.go(type_, M)
        s.look(2)
    for depth in s.config.depths:
        to_depth(s, depth, "RASEMU")
        for base in (0, 1, depth - 1):
            for types in ((RETURN, 8, 8), (SWAP, SWAP, RETURN, SWAP), (9, RETURN, SWAP)):
                s.write(s.status, base, M)
                for type_ in types:
                    s.go(type_, M)
                s.look(3)
                s.read_entry(depth - 1)


@scenario("CTR.ras.return", "CTR-7", "CTR-13", configs=FULL)
def popped_and_read(s: ScenarioScript) -> None:
    """An entry is read in the very cycle in which a return pops it, and in which it is popped and pushed again."""
    emulate(s)
    last = s.config.depth - 1
    for logical, types in (
        (last, (RETURN,)),
        (0, (RETURN, 8)),
        (last, (8, RETURN)),
        (last - 1, (RETURN, RETURN)),
        (0, (RETURN,)),
        (last, (RETURN,)),
    ):
        for type_ in (8, 9, 8):
            s.go(type_, M)
        s.select(logical)
        s.together([s.make(type_, M) for type_ in types], s.reading(f"{s.window}ireg", M))
        s.read(f"{s.window}ireg", M)


@scenario("CTR.status.wrap_up", "CTR.status.wrap_down", "CTR.ras.return", "CTR.behavior.lost", "CTR-7", configs=FULL)
def deep_stack(s: ScenarioScript) -> None:
    """More calls than entries, then more returns than calls: the oldest are lost."""
    emulate(s)
    depth = s.config.depth
    for _ in range(depth + 3):
        s.go(9, U)
    s.look(3)
    s.look(3, depth - 3)
    for _ in range(depth - 2):
        s.go(RETURN, U)
    s.look(4)
    for _ in range(8):
        s.go(RETURN, U)
    s.look(3)
    s.go(9, U)
    s.look(3)


@scenario("CTR.ras.inhibited", "CTR.ras.filters", "CTR.ras.te", "CTR-7", configs=FULL)
def ignored(s: ScenarioScript) -> None:
    """Every other type does nothing; filters and external trap enables are ignored."""
    every = tuple(f.name for f in _filter_fields(s))
    for names in ((), every, ("NTBREN", "MTE", "STE", "ETEN")):
        emulate(s, *names)
        for mode in modes(s):
            for type_ in (9, 4, 5, 10, 11, 14, 15, 8, 12, 13):
                s.go(type_, mode)
                s.look(2)
    for from_, to in (pair for pair in TRAPS if there(s, *pair)):
        for on in ((from_,), (to,), (from_, to)):
            enable(s, *dict.fromkeys(on), ctl=("RASEMU", "MTE", "STE", "ETEN"), vsctl=("RASEMU", "STE", "ETEN"))
            for type_, way in ((1, (from_, to)), (2, (from_, to)), (3, (to, from_))):
                s.go(type_, *way, cause=8)
            s.look(1)


def _filter_fields(s: ScenarioScript) -> list:
    from rvtrace.models.ctr.registers import control_fields

    bits = {bit for bit, _ in FILTERS.values()}
    return [f for f in control_fields(s.config.variant) if f.lsb in bits and f.lsb != 35]


@scenario("CTR.ctl.u", "CTR.vsctl.u", "CTR.ras.call", configs=FULL)
def emulation_in_disabled_modes(s: ScenarioScript) -> None:
    """Calls and returns in modes that are not enabled leave the stack alone."""
    for mode in modes(s):
        enable(s, *(m for m in modes(s) if m != mode), ctl=("RASEMU",), vsctl=("RASEMU",))
        other = M if mode != M else U
        for type_ in (9, 9, 13, 12, 8):
            s.go(9, other)
            s.go(type_, mode)
            s.look(3)


@scenario("CTR.vtrans.others", "CTR.csr.active", "CTR-3", configs=(DEFAULT, CC2, DRAFT64))
def emulation_in_one_world(s: ScenarioScript) -> None:
    """RAS emulation with V = 1 or V = 0 alone; traps and returns between the two."""
    for ctl, vsctl in (((), ("RASEMU",)), (("RASEMU",), ())):
        enable(s, *modes(s), ctl=ctl, vsctl=vsctl)
        for mode in (one for one in (U, VU, HS, VS, M) if there(s, one)):
            for type_ in (9, 11, 13):
                s.go(type_, mode)
            s.look(3)
        for from_, to in ((VU, HS), (VS, M), (VU, M), (VS, HS)) if s.config.has_h else ((U, M),):
            s.go(1, from_, to, 8)
            s.go(3, to, from_)
            s.look(2)


@scenario("CTR.ras.cc", "CTR.cycle.elapsed", "CTR-7", configs=(DEFAULT, CC0, CC2, WIDE, DRAFT64, DRAFT32))
def counts_across_pops(s: ScenarioScript) -> None:
    """Calls after calls, after pops and after swaps, some cycles apart: which count they have, and whether it
    is valid.
    """
    emulate(s)
    for types in ((9, 9, 13, 9), (8, 9, 13, 13, 9), (9, 12, 9), (9, 13, 12, 9), (13, 13, 9), (9, 9, 9, 13, 13, 9, 9)):
        for type_ in types:
            s.idle(s.rng.randrange(2, 40))
            s.go(type_, U)
        s.look(5)
        s.machine("M", "S", "U", "RASEMU")


@scenario("CTR.ras.cc", "CTR.cycle.saturate", "CTR-1", "CTR-7", configs=(CC2, CC0, WIDE))
def popped_counts(s: ScenarioScript) -> None:
    """Entries that software wrote are popped: their counts are added up, valid or not, to saturation."""
    emulate(s)
    top = 0xFFF | ((1 << s.config.cce_bits) - 1) << 12
    for cc in (0, 1, 4094, 4095, 0x1000, 0x1FFF, 0x2001, top - 1, top):
        for valid, v in ((1, 1), (1, 0), (0, 1)):
            s.go(9, U)
            s.select(0)
            s.group([], s.access(WRITE, f"{s.window}ireg3", (cc & top) << 16 | valid << 15 | 9, M))
            s.group([], s.access(WRITE, f"{s.window}ireg", v | 0x4000, M))
            s.go(9, U)
            s.go(13, U)
            s.idle(3)
            s.go(13, U)
            s.idle(2)
            s.go(9, U)
            s.look(2)
            s.go(9, U)
            s.look(2)


@scenario("CTR.ras.return", "CTR.ras.cc", "CTR-13", configs=(DEFAULT, CC2, WIDE, DRAFT64))
def groups_of_calls(s: ScenarioScript) -> None:
    """Calls, returns and swaps that retire in one cycle."""
    emulate(s)
    for types in (
        (9, 13),
        (13, 9),
        (9, 9),
        (13, 13),
        (12, 9),
        (9, 12),
        (13, 12),
        (9, 13, 9),
        (9, 9, 13, 13),
        (13, 9, 13, 12),
        (8, 12, 13, 9),
    ):
        for base in (0, s.config.depth - 1, 1):
            s.write(s.status, base, M)
            s.go(9, U)
            s.idle(7)
            s.together([s.make(type_, U) for type_ in types])
            s.idle(3)
            s.go(9, VU if there(s, VU) else U)
            s.look(6)
    s.guest("S", "U")
    s.together([s.make(9, HS), s.make(13, HS)] if HS in modes(s) else [s.make(9, M)])
    s.together([s.make(9, VS), s.make(13, VS)] if VS in modes(s) else [s.make(9, M)])
    s.look(3)


@scenario("CTR.ras.return", "CTR.ras.cc", "CTR.cycle.encode", "CTR-1", "CTR-7", "CTR-13",
          configs=(WIDE, CC2))  # fmt: skip
def stack_popped_at_once(s: ScenarioScript) -> None:
    """As many returns in one cycle as there are slots, of calls with different counts; and a count up to the largest in
    the record of the last slot.
    """
    emulate(s)
    slots = s.config.transfers
    for number in range(2, slots + 1):
        for base in range(slots):
            s.write(s.status, base, M)
            s.go(9, U)
            for place in range(slots + 1):
                s.idle(3 * 4**place)
                s.go(9, U)
            s.together([s.make(RETURN, U) for _ in range(number)])
            s.idle(5)
            s.go(9, U)
            s.look(3)
    for cce in range(1 << s.config.cce_bits):
        s.go(9, U)
        s.select(0)
        s.group([], s.access(WRITE, f"{s.window}ireg3", cce << 28 | 0xA5A << 16 | 0x8000, M))
        s.go(9, U)
        s.go(RETURN, U)
        s.go(RETURN, U)
        s.together([s.make(11 if slot < slots - 1 else 9, U) for slot in range(slots)])
        s.look(2)
