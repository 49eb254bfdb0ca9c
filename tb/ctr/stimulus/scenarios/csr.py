# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of CSRs: every address from every mode, state enables, what each field keeps, views of each other, XLEN
32.
"""

from __future__ import annotations

from itertools import product

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, csrs
from rvtrace.models.riscv.csr import CLEAR, DEBUG, HS, READ, SET, VS, VU, WRITE, Access, M, U
from rvtrace.tb.ctr.stimulus.scenarios.base import (
    ALL,
    CC2,
    DEFAULT,
    DRAFT32,
    DRAFT64,
    LEAN,
    NO_S,
    ScenarioScript,
    modes,
    scenario,
)
from rvtrace.tb.ctr.stimulus.software import Software

ONES = (1 << 64) - 1
EVERY = (DEFAULT, LEAN, DRAFT64, DRAFT32, NO_S)


def anyone(s: ScenarioScript) -> tuple[int, ...]:
    """All modes, Debug Mode included."""
    return (*modes(s), DEBUG)


def full(s: ScenarioScript, value: int = ONES) -> int:
    """A value of XLEN bits."""
    return value & (1 << s.config.xlen) - 1


@scenario("CTR.csr.address", "CTR.csr.exists", "CTR.csr.privilege", "CTR.csr.virtual", "CTR.csr.rv32h",
          "CTR.csr.refused", "CTR.depth.virtual", "CTR.entry.mireg", "CTR.sctl.no_s", "CTR.vsctl.no_h",
          "CTR.clear.illegal", "CTR.clear.virtual", "CTR.clear.done", "CTR.entry.range", configs=EVERY)  # fmt: skip
def addresses(s: ScenarioScript) -> None:
    """Every CSR of both variants and its neighbours, read and written from every mode, all state enables open; an entry
    is selected.
    """
    known = {
        c.address
        for variant in ("v1_0", "v0_1_4")
        for xlen in (32, 64)
        for c in csrs(Config(variant=variant, xlen=xlen))
    }
    for window in ("m", "s", "vs"):
        if window == "m" or (window == "s" and s.config.has_s) or (window == "vs" and s.config.has_h):
            s.select(1, window)
    for mode in anyone(s):
        for address in sorted(known | {a + d for a in known for d in (-1, 1)}):
            for xlen32 in (0, 1):
                s.group([], Access(READ, address, 0, mode, xlen32))
        s.group([], Access(SCTRCLR, 0, 0, mode))
    for mode in (m for m in anyone(s) if m not in (M, DEBUG)):
        for address in sorted(known):
            name = {c.address: c.name for c in csrs(s.config)}.get(address, "")
            if "select" not in name and "stateen" not in name:
                s.group([], Access(WRITE, address, full(s, 0x5A5A_0F0F_5A5A_0F0F), mode))
        s.registers()
        s.read(s.status, M)
    for address in range(0, 0x1000, 37):
        s.group([], Access(READ, address, 0, M))


@scenario("CTR.stateen.open", "CTR.stateen.closed", "CTR.stateen.iregs", "CTR.stateen.clear", "CTR.stateen.hopen",
          "CTR.stateen.hclosed", "CTR.stateen.csrind", "CTR.stateen.hcsrind", "CTR.stateen.order",
          "CTR.stateen.machine", "CTR.stateen.hscope", "CTR.stateen.hillegal", "CTR.stateen.hzero", "CTR.stateen.bit",
          "CTR.depth.virtual", "CTR.entry.outside", "CTR.entry.range", "CTR-12",
          configs=(DEFAULT, CC2, DRAFT64, DRAFT32), needs=("has_stateen",))  # fmt: skip
def state_enables(s: ScenarioScript) -> None:
    """All sixteen settings of the two state enables, with an entry selected and without: every CSR of CTR from every
    mode, and SCTRCLR.
    """
    ctr, ind = 1 << CTR_BIT[s.config.variant], 1 << CSRIND_BIT
    kept = [c for c in csrs(s.config) if "stateen" not in c.name and c.level != "M"] + [
        c for c in csrs(s.config) if c.name == s.control or c.name.startswith("mireg")
    ]
    for select in (0x200, 0x1FF):
        s.open()
        for window in ("m", *(["s"] if s.config.has_s else []), *(["vs"] if s.config.has_h else [])):
            s.write(f"{window}iselect", select, M)
        for number in range(16 if s.config.has_h else 4):
            s.open()
            if s.config.has_h:
                s.wide("hstateen0", ctr * (number >> 2 & 1) | ind * (number >> 3))
            s.wide("mstateen0", ctr * (number & 1) | ind * (number >> 1 & 1))
            for mode in anyone(s):
                for c in kept:
                    s.group([], Access(READ, c.address, 0, mode, int(c.high)))
                s.group([], Access(SCTRCLR, 0, 0, mode))
            for name in ("mstateen0", "hstateen0") if s.config.has_h else ("mstateen0",):
                s.read(name, M)
                if s.config.xlen == 32:
                    s.read(f"{name}h", M)


@scenario(
    "CTR.stateen.records",
    "CTR.stateen.hrecords",
    configs=(DEFAULT, CC2, DRAFT64, DRAFT32),
    needs=("has_stateen",),
)
def recording_while_closed(s: ScenarioScript) -> None:
    """Transfers are recorded though the state enables are closed; entries are read in M-mode."""
    s.machine("M", "S", "U")
    s.guest("S", "U")
    ctr = 1 << CTR_BIT[s.config.variant]
    for m_open, h_open in ((0, 1), (1, 0), (0, 0), (1, 1)):
        s.open()
        if s.config.has_h:
            s.wide("hstateen0", ctr * h_open)
        s.wide("mstateen0", ctr * m_open)
        for mode in modes(s):
            for type_ in (9, 5, 13):
                s.go(type_, mode)
            s.look(3)
    for mode in modes(s):
        s.machine("M", "S", "U", "RASEMU")
        s.go(9, mode)
        s.go(13, mode)
        s.look(1)


@scenario(
    "CTR.stateen.hzero",
    "CTR.stateen.bit",
    "CTR.stateen.csrind",
    "CTR.stateen.undefined",
    configs=(DEFAULT, DRAFT64, DRAFT32),
    needs=("has_stateen",),
)
def state_enable_values(s: ScenarioScript) -> None:
    """mstateen0 and hstateen0 written with everything and nothing, bit by bit, in either order; hstateen0 shows what
    mstateen0 lets through.
    """
    ctr, ind = 1 << CTR_BIT[s.config.variant], 1 << CSRIND_BIT
    names = ("mstateen0", "hstateen0") if s.config.has_h else ("mstateen0",)
    for m_value, h_value in product((0, ctr, ind, ctr | ind, ONES, ONES & ~ctr & ~ind), repeat=2):
        for order in (names, names[::-1]):
            for name in order:
                s.wide(name, m_value if name[0] == "m" else h_value)
            for name in names:
                s.read(name, M)
                s.read(f"{name}h", M, 1)
                s.read(name, M, 1)


@scenario("CTR.ctl.keep", "CTR.ctl.required", "CTR.ctl.unimplemented", "CTR.ctl.undefined", "CTR.csr.custom",
          "CTR.csr.setclear", "CTR.vsctl.keep", "CTR.vsctl.match", "CTR.vsctl.depth", "CTR.clear.reads0",
          "CTR.csr.rv32h", configs=ALL)  # fmt: skip
def control_values(s: ScenarioScript) -> None:
    """Every bit of the control registers set alone, cleared alone, set and cleared by mask."""
    bits = [1 << n for n in range(64) if s.config.xlen == 64 or s.config.draft or n < 32]
    for write, read in ((s.machine, s.control), (s.guest, s.vs_control)):
        if read == s.vs_control and not s.config.has_h:
            continue
        names = [read, f"{read}h"] if s.config.draft and s.config.xlen == 32 else [read]
        s.machine()
        for value in (ONES, 0, *bits):
            write(value & ~s.config.bit("CLR"))
            for name in names:
                s.read(name, M)
        for name in names:
            for op, value in (
                (SET, ONES),
                (CLEAR, 0xFF00_FF00_FF00_FF00),
                (SET, 0x1234_5678_9ABC_DEF0),
                (CLEAR, 0),
                (SET, 0),
                (CLEAR, ONES),
            ):
                s.group([], s.access(op, name, full(s, value), M))
                s.read(name, M)


@scenario("CTR.sctl.preserve", "CTR.sctl.zero", "CTR.sctl.subset", "CTR.csr.setclear", "CTR-11", configs=ALL)
def supervisor_view(s: ScenarioScript) -> None:
    """The supervisor's view of the machine register: M and MTE are hidden and stay, all else is shared."""
    if not s.config.has_s:
        return
    names = [s.s_control, f"{s.s_control}h"] if s.config.draft and s.config.xlen == 32 else [s.s_control]
    for held in ((), ("M",), ("MTE", "M"), ("MTE", "STE", "S", "U", "RASEMU", "EXCINH")):
        for mode in (M, HS):
            for name in names:
                for op, value in (
                    (WRITE, 0),
                    (WRITE, ONES & ~s.config.bit("CLR")),
                    (SET, ONES),
                    (CLEAR, ONES),
                    (WRITE, 0x0000_A5A5_0000_1402),
                    (SET, 1 << 2 | 1),
                    (CLEAR, 1 << 9 | 1 << 8),
                ):
                    s.machine(*held)
                    s.group([], s.access(op, name, full(s, value), mode))
                    s.read(name, mode)
                    s.registers()
    s.machine("M", "S", "U")
    s.write(s.s_control, full(s, s.word("S", "U")), HS)
    s.go(9, M)
    s.look(1)


@scenario(
    "CTR.vsctl.substitute",
    "CTR.vsctl.depth",
    "CTR.entry.virtual",
    "CTR.csr.address",
    configs=(DEFAULT, CC2, DRAFT64),
    needs=("has_h",),
)
def substitution(s: ScenarioScript) -> None:
    """In VS-mode the supervisor's control register and select are the guest's; in HS-mode they are not."""
    for mine, guest in ((0x1804, 0x0183), (0, 3), (7, 0)):
        s.machine(mine)
        s.guest(guest)
        for mode, value in ((HS, 0x0082), (VS, 0x1801), (VS, 0), (HS, 3), (VS, ONES & ~s.config.bit("CLR"))):
            for op in (WRITE, SET, CLEAR):
                s.group([], s.access(op, s.s_control, value | s.word(), mode))
                s.read(s.s_control, HS)
                s.read(s.s_control, VS)
                s.registers()
        for mode, value in ((HS, 0x201), (VS, 0x233), (HS, 0x2FF), (VS, 0x200)):
            s.write("siselect", value, mode)
            for reader in (HS, VS):
                s.read("siselect", reader)
            s.read("vsiselect", M)
            s.read("siselect", M)


@scenario("CTR.csr.refused", "CTR.csr.privilege", "CTR.csr.virtual", configs=(DEFAULT, LEAN, DRAFT64, DRAFT32))
def refused_writes(s: ScenarioScript) -> None:
    """What is refused changes nothing: writes, sets and clears from every mode that may not."""
    targets = [s.control, s.vs_control] if s.config.has_h else [s.control]
    targets += [
        s.status,
        *(["sctrdepth"] if not s.config.draft else []),
        *(["vsiselect"] if s.config.has_h else []),
        "siselect" if s.config.has_s else "miselect",
    ]
    s.machine("U")
    s.go(9, U)
    s.go(9, U)
    for name in targets:
        for mode in (U, VU, VS, HS):
            if mode not in modes(s):
                continue
            if mode == HS and name not in (s.control, "miselect", "mctrstatus"):
                continue
            if mode == VS and name in ("sctrstatus", "siselect"):
                continue
            for op, value in ((WRITE, 0x1843), (SET, 0x1804), (CLEAR, 0xFFFF)):
                s.group([], s.access(op, name, value, mode))
                s.read(name, M)
    s.look(2)


@scenario("CTR.csr.xlen32", "CTR.entry.xlen", "CTR.csr.rv32h", "CTR-15", configs=(DEFAULT, CC2, DRAFT64))
def narrow_views(s: ScenarioScript) -> None:
    """Accesses at XLEN 32 on a 64-bit hart: halves of control registers, state enables, selects and entries."""
    if s.config.xlen == 32:  # every access is one at XLEN 32
        return
    there = {c.name for c in csrs(s.config)}
    value = 0x0000_1234_0000_1893 & ~s.config.bit("CLR")
    for name in (one for one in (s.control, s.s_control, s.vs_control) if one in there):
        high = f"{name}h" if s.config.draft else name
        for op, low in ((WRITE, 0x0803), (SET, 0x1800), (CLEAR, 0xFFFF), (WRITE, 0)):
            s.write_control(value | s.word(), name)
            s.group([], s.access(op, name, low, M, 1))
            s.read(name, M)
            s.read(name, M, 1)
            s.group([], s.access(op, high, low, M, 1))
            s.read(high, M, 1)
            s.read(name, M)
    for select in (0x200, 0x8000_0205, 0x7FFF_FFFF, 1 << 31, 1 << 63 | 0x203, 1 << 40 | 0x204):
        for wide in (0, 1):
            for name in sorted(there & {"siselect", "vsiselect"}):
                s.write(name, select if not wide else select & 0xFFFFFFFF, M, wide)
                for xlen32 in (0, 1):
                    s.read(name, M, xlen32)
                    s.read(f"{name[:-6]}reg", M, xlen32)
    s.select(0)
    for number in ("", "2", "3"):
        for first in (0, 1):
            s.write(f"{s.window}ireg{number}", ONES, M, first)
            for xlen32 in (0, 1):
                s.read(f"{s.window}ireg{number}", M, xlen32)
        s.write(f"{s.window}ireg{number}", ONES, M)
        s.set(f"{s.window}ireg{number}", 0x10, M, 1)
        s.read(f"{s.window}ireg{number}", M)
        s.set(f"{s.window}ireg{number}", 0x10, M)
        s.clear(f"{s.window}ireg{number}", 0x1F, M, 1)
        s.read(f"{s.window}ireg{number}", M)
    for op in (WRITE, SET, CLEAR, READ):
        for name in (s.status, "mstateen0", "mstateen0h", "hstateen0", "hstateen0h", "siselect", "vsiselect"):
            if name not in there:
                continue
            s.group([], s.access(op, name, 0xFFFF_FFFF if op == SET else 0x0040_0203, M, 1))
            s.read(name, M, 1)
            if not name.endswith("h"):
                s.read(name, M)


@scenario("CTR.csr.reset", configs=(*ALL, NO_S), fresh=True)
def reset_values(s: ScenarioScript) -> None:
    """Everything read after reset, before anything is written but selects and state enables."""
    s.registers()
    for name in ("mstateen0", "hstateen0") * s.config.has_stateen:
        if name[0] == "m" or s.config.has_h:
            s.read(name, M)
    if not s.config.draft:
        s.read("sctrdepth", M)
    s.open()
    s.look(s.config.depths[0], 0)


@scenario("CTR.discovery.least", "CTR.discovery.greatest", "CTR.discovery.fields", "CTR.discovery.entries",
          "CTR.depth.select", "CTR.ctl.unimplemented", "CTR.data.unimplemented", "CTR.target.no_misp",
          configs=(*ALL, NO_S))  # fmt: skip
def discovery(s: ScenarioScript) -> None:
    """What software does to find out depths and fields."""
    for access in Software(s.config).discover():
        s.group([], access)
