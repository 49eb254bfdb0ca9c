# SPDX-License-Identifier: Apache-2.0
"""The register table of the hardware performance counters, ready to use: CSRs, their fields, and what a write leaves.

One table for everybody (`rvtrace.models.csr`): `flow/generate` writes the RTL package and the documentation page from
it, model and testbench take addresses, fields, legal values and rules of access from it.

    csrs(config)                  the CSRs that exist in one implementation, by address
    csr("mhpmevent3", config)     one of them, by name or address
    csr_file(config)              all of it, with who may access it
    found.warl(value)             what a write of `value` leaves in the register

Source: privileged specification, chapters Machine-Level, Supervisor-Level and Hypervisor CSRs, Sscofpmf, Smcntrpmf,
Shlcofideleg; choices: docs/reference/hpm-profile.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rvtrace.models.csr.file import CsrFile
from rvtrace.models.csr.table import ControlError, Csr, Field, bits, fixed, found, one_of, pair, read_only, row
from rvtrace.models.hpm.config import FIRST, LAST, Config

__all__ = ["ControlError", "Csr", "LCOFI_BIT", "OF_BIT", "SELECT_MASK", "INHIBITS", "csr", "csr_file", "csrs",
           "read_only"]  # fmt: skip

LCOFI_BIT, OF_BIT = 13, 63
SELECT_MASK = (1 << 56) - 1
INHIBITS = {"MINH": 62, "SINH": 61, "UINH": 60, "VSINH": 59, "VUINH": 58}
_MODES = {"MINH": "M-mode", "SINH": "S-mode (HS)", "UINH": "U-mode", "VSINH": "VS-mode", "VUINH": "VU-mode"}
_ENABLES = {0: "CY", 1: "TM", 2: "IR"}


# --- Fields -----------------------------------------------------------------------------------------


def _count(config: Config, n: int) -> tuple[Field, ...]:
    if not config.has(n):
        return (row("count", "63:0", "RO", "not implemented", undefined=False),)
    width = config.widths[n]
    return (row("count", f"{width - 1}:0", "WARL", "the count", volatile=True, undefined=True),)


def _filters(config: Config, present: int) -> tuple[Field, ...]:
    """MINH to VUINH, from bit 58 up."""
    return tuple(
        row(
            name,
            str(bit),
            "WARL",
            f"do not count in {_MODES[name]}",
            legal=bits(present & config.inhibits >> bit & 1),
            undefined=True,
        )
        for name, bit in reversed(INHIBITS.items())
    )


def _event(config: Config, n: int) -> tuple[Field, ...]:
    if not config.has(n):
        return (row("SELECT", "55:0", "RO", "not implemented", undefined=False),)
    known = tuple(config.code(e) for e in range(config.selectors[n].bit_length()) if config.selectors[n] >> e & 1)
    return (
        row(
            "SELECT",
            "55:0",
            "WARL",
            "what is counted; what the counter cannot count becomes 0",
            legal=one_of(known, 0),
            undefined=True,
        ),
        row("WPRI", "57:56", "RO", "", undefined=False),
        *_filters(config, config.has_sscofpmf),
        row(
            "OF",
            str(OF_BIT),
            "WARL",
            "the counter overflowed; as 1 it disables the interrupt",
            legal=bits(config.has_sscofpmf),
            volatile=True,
            undefined=True,
        ),
    )


def _enable(present: int, what: str) -> tuple[Field, ...]:
    """A bit for each counter, from bit 0 up."""
    return tuple(
        row(_ENABLES.get(n, f"HPM{n}"), str(n), "WARL", what, legal=bits(present >> n & 1), undefined=True)
        for n in range(32)
    )


def _overflowed(config: Config) -> tuple[Field, ...]:
    return tuple(row(f"OF{n}", str(n), "RO", f"OF of mhpmevent{n}", legal=bits(int(config.has(n))), volatile=True)
                 for n in range(FIRST, LAST + 1))  # fmt: skip


def _lcofi(config: Config, name: str, what: str, present: int = 1) -> tuple[Field, ...]:
    legal = bits(1) if present and config.has_sscofpmf else fixed(0)
    return (row(name, str(LCOFI_BIT), "WARL", what, legal=legal, volatile=name == "LCOFIP", undefined=True),)


# --- Registers --------------------------------------------------------------------------------------


def _counters(config: Config) -> list[Csr]:
    section, views, made = "Hardware Performance Monitor", "Zicntr and Zihpm", []
    for n in (0, 2, *range(FIRST, LAST + 1)):
        name = {0: "mcycle", 2: "minstret"}.get(n, f"mhpmcounter{n}")
        what = {0: "cycles", 2: "instructions retired"}.get(n, f"counter {n}")
        made += pair(Csr(0xB00 + n, name, what, section, _count(config, n), width=64, number=n), 0xB80 + n)
        view = Csr(0xC00 + n, name[1:], f"view of {name}", views, _shown(_count(config, n)), width=64, level="U",
                   state=name, number=n)  # fmt: skip
        made += pair(view, 0xC80 + n)
    for n in range(FIRST, LAST + 1):
        event = Csr(0x320 + n, f"mhpmevent{n}", f"what counter {n} counts", section, _event(config, n), width=64,
                    number=n)  # fmt: skip
        made += pair(event, 0x720 + n) if config.has_sscofpmf else [event]
    return made


def _shown(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(replace(f, access="RO", reset=0, cases=(), undefined=True) for f in fields)


def _time() -> list[Csr]:
    clock = (row("time", "63:0", "RO", "the real-time clock; with V = 1 plus htimedelta", volatile=True),)
    delta = (row("delta", "63:0", "WARL", "added to time in VS-mode and VU-mode", undefined=True),)
    return [
        *pair(Csr(0xC01, "time", "real-time clock", "Zicntr and Zihpm", clock, width=64, level="U", number=1), 0xC81),
        *pair(Csr(0x605, "htimedelta", "time delta", "Hypervisor Time Delta", delta, width=64, level="H"), 0x615),
    ]


def _control(config: Config) -> list[Csr]:
    """Enables, inhibits and filters."""
    stop = tuple(f for f in _enable(config.inhibit, "the counter does not count") if f.name != "TM")
    made = [Csr(0x320, "mcountinhibit", "stops counters", "Machine Counter-Inhibit", stop)]
    for name, level, address, whom in (
        ("mcounteren", "M", 0x306, "S-mode, or U-mode if there is no S-mode,"),
        ("scounteren", "S", 0x106, "U-mode (VU-mode)"),
        ("hcounteren", "H", 0x606, "VS-mode and VU-mode"),
    ):
        enable = _enable(config.enables, f"{whom} may read the counter")
        made.append(Csr(address, name, "opens counters", "Counter-Enable", enable, level=level))
    if config.has_smcntrpmf:
        for name, address, what in (("mcyclecfg", 0x321, "mcycle"), ("minstretcfg", 0x322, "minstret")):
            made += pair(Csr(address, name, f"filters of {what}", "Smcntrpmf", _filters(config, 1), width=64),
                         address + 0x400)  # fmt: skip
    if config.has_s and config.has_sscofpmf:
        made.append(Csr(0xDA0, "scountovf", "OF bits of all counters", "Sscofpmf", _overflowed(config), level="S"))
    return made


def _interrupts(config: Config) -> list[Csr]:
    """Bit 13 of the interrupt registers: the counter overflow interrupt."""
    machine, supervisor, guest = "Machine-Level CSRs", "Supervisor Interrupt Registers", "Shlcofideleg"
    pending = _lcofi(config, "LCOFIP", "counter overflow interrupt pending")
    enabled = _lcofi(config, "LCOFIE", "it is enabled")
    delegated = "counter overflow interrupts go to "
    to_s = _lcofi(config, "LCOFI", delegated + "S-mode (HS)")
    to_vs = _lcofi(config, "LCOFI", delegated + "VS-mode", config.has_shlcofideleg)
    rows = (
        (0x344, "mip", "interrupts pending", machine, pending, "M", ""),
        (0x304, "mie", "interrupts enabled", machine, enabled, "M", ""),
        (0x303, "mideleg", "delegation to HS", machine, to_s, "M", ""),
        (0x144, "sip", "view of mip", supervisor, pending, "S", "mip"),
        (0x104, "sie", "view of mie", supervisor, enabled, "S", "mie"),
        (0x603, "hideleg", "delegation to VS", guest, to_vs, "H", ""),
        (0x244, "vsip", "view of mip", guest, pending, "H", "mip"),
        (0x204, "vsie", "view of mie", guest, enabled, "H", "mie"),
    )
    return [
        Csr(address, name, what, section, fields, width=config.xlen, level=level, state=state,
            virtual=f"v{name}" if level == "S" and config.has_h else "")
        for address, name, what, section, fields, level, state in rows
    ]  # fmt: skip


@lru_cache
def csr_file(config: Config) -> CsrFile:
    """The CSRs of one implementation (also those that exist at XLEN 32 only: `high`), and who may access them."""
    gone = {"H": not config.has_h, "S": not config.has_s}
    without = {"mcounteren": not config.has_u, "mideleg": not config.has_s}
    made = _counters(config) + _time() + _control(config) + _interrupts(config)
    kept = tuple(c for c in made if not gone.get(c.level) and not without.get(c.name))
    return CsrFile(config.xlen, kept, has_s=bool(config.has_s))


def csrs(config: Config) -> tuple[Csr, ...]:
    """The CSRs of one implementation, by address."""
    return csr_file(config).csrs


def csr(name_or_address: str | int, config: Config) -> Csr:
    """One CSR by name or address; ControlError if this implementation has none."""
    return found(csrs(config), name_or_address, "this implementation", f"its counters are mask {config.counters:#x}")
