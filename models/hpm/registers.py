# SPDX-License-Identifier: Apache-2.0
"""The register table of the hardware performance counters, ready to use: CSRs, their fields, and what a write leaves.

One table for everybody: `flow/generate/hpm.py` writes the RTL package and the documentation page from it, model and
testbench take addresses, fields and legal values from it.

    csrs(config)                  the CSRs that exist in one implementation, by address
    csr("mhpmevent3", config)     one of them, by name or address
    found.warl(value)             what a write of `value` leaves in the register

Source: privileged specification, chapters Machine-Level, Supervisor-Level and Hypervisor CSRs, Sscofpmf, Smcntrpmf,
Shlcofideleg; choices: docs/reference/hpm-profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rvtrace.models.hpm.config import FIRST, LAST, Config
from rvtrace.models.tci.layout import ControlError, Field, bits, fixed, one_of, row

__all__ = ["Csr", "LCOFI_BIT", "OF_BIT", "SELECT_MASK", "INHIBITS", "csr", "csrs", "read_only"]

LCOFI_BIT, OF_BIT = 13, 63
SELECT_MASK = (1 << 56) - 1
INHIBITS = {"MINH": 62, "SINH": 61, "UINH": 60, "VSINH": 59, "VUINH": 58}
_MODES = {"MINH": "M-mode", "SINH": "S-mode (HS)", "UINH": "U-mode", "VSINH": "VS-mode", "VUINH": "VU-mode"}
_ENABLES = {0: "CY", 1: "TM", 2: "IR"}


@dataclass(frozen=True)
class Csr:
    """One CSR: address, name, fields from bit 0 up (of an h register those of the whole 64 bits).

    level: least privilege that may access it: M, H (HS), S, or U: a counter that the enables open. width: in bits.
    state: the register that holds what it shows (itself, or of a view the other). virtual: the CSR that replaces it
    if V = 1 (empty: itself). number: of a counter, its event and its views; -1 of others. high: it is bits 63:32 of
    `state` and exists at XLEN 32 only.
    """

    address: int
    name: str
    level: str
    width: int
    what: str
    section: str
    fields: tuple[Field, ...] = ()
    state: str = ""
    virtual: str = ""
    number: int = -1
    high: bool = False

    @property
    def read_only(self) -> bool:
        """Whether a write to its address is illegal."""
        return read_only(self.address)

    @property
    def mask(self) -> int:
        """Bits of its 64 that some write can set."""
        out = 0
        for f in self.fields:
            if f.access != "RO":
                values = (f.legal.mask,) if f.legal.values is None else f.legal.values
                for value in values:
                    out |= f.put(0, value)
        return out

    def warl(self, value: int) -> int:
        """What a write of these 64 bits leaves in a register that holds its own state."""
        out = 0
        for f in self.fields:
            out |= f.put(0, f.legal(f.get(value)))
        return out

    def field(self, name: str) -> Field:
        """One field by name; ControlError if there is none."""
        for f in self.fields:
            if f.name == name:
                return f
        raise ControlError(
            f"{self.name} has no field {name}; it has {', '.join(f.name for f in self.fields) or 'none'}"
        )


def read_only(address: int) -> bool:
    """Whether the two uppermost bits of a CSR address say read-only."""
    return address >> 10 == 3


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


def _pair(low: Csr, high_address: int) -> list[Csr]:
    """A register of 64 bits and its h register."""
    high = Csr(
        high_address,
        f"{low.name}h",
        low.level,
        32,
        "bits 63:32",
        low.section,
        low.fields,
        low.state,
        low.virtual,
        low.number,
        True,
    )
    return [low, high]


def _counters(config: Config) -> list[Csr]:
    section, found = "Hardware Performance Monitor", []
    for n in (0, 2, *range(FIRST, LAST + 1)):
        name = {0: "mcycle", 2: "minstret"}.get(n, f"mhpmcounter{n}")
        what = {0: "cycles", 2: "instructions retired"}.get(n, f"counter {n}")
        found += _pair(Csr(0xB00 + n, name, "M", 64, what, section, _count(config, n), name, number=n), 0xB80 + n)
        view = Csr(
            0xC00 + n,
            name[1:],
            "U",
            64,
            f"view of {name}",
            "Zicntr and Zihpm",
            _shown(_count(config, n)),
            name,
            number=n,
        )
        found += _pair(view, 0xC80 + n)
    for n in range(FIRST, LAST + 1):
        event = Csr(
            0x320 + n,
            f"mhpmevent{n}",
            "M",
            64,
            f"what counter {n} counts",
            section,
            _event(config, n),
            f"mhpmevent{n}",
            number=n,
        )
        found += _pair(event, 0x720 + n) if config.has_sscofpmf else [event]
    return found


def _shown(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(Field(f.name, f.lsb, f.width, "RO", f.what, 0, f.legal, f.volatile) for f in fields)


def _time() -> list[Csr]:
    clock = (row("time", "63:0", "RO", "the real-time clock; with V = 1 plus htimedelta", volatile=True),)
    found = _pair(Csr(0xC01, "time", "U", 64, "real-time clock", "Zicntr and Zihpm", clock, "time", number=1), 0xC81)
    delta = (row("delta", "63:0", "WARL", "added to time in VS-mode and VU-mode", undefined=True),)
    return found + _pair(
        Csr(0x605, "htimedelta", "H", 64, "time delta", "Hypervisor Time Delta", delta, "htimedelta"), 0x615
    )


def _control(config: Config) -> list[Csr]:
    machine, smcntrpmf = "Machine-Level CSRs", []
    stop = tuple(f for f in _enable(config.inhibit, "the counter does not count") if f.name != "TM")
    found = [Csr(0x320, "mcountinhibit", "M", 32, "stops counters", "Machine Counter-Inhibit", stop, "mcountinhibit")]
    for name, level, address, whom in (
        ("mcounteren", "M", 0x306, "S-mode, or U-mode if there is no S-mode,"),
        ("scounteren", "S", 0x106, "U-mode (VU-mode)"),
        ("hcounteren", "H", 0x606, "VS-mode and VU-mode"),
    ):
        enable = _enable(config.enables, f"{whom} may read the counter")
        found.append(Csr(address, name, level, 32, "opens counters", "Counter-Enable", enable, name))
    if config.has_smcntrpmf:
        for name, address, what in (("mcyclecfg", 0x321, "mcycle"), ("minstretcfg", 0x322, "minstret")):
            smcntrpmf += _pair(
                Csr(address, name, "M", 64, f"filters of {what}", "Smcntrpmf", _filters(config, 1), name),
                address + 0x400,
            )
    if config.has_s and config.has_sscofpmf:
        found.append(
            Csr(0xDA0, "scountovf", "S", 32, "OF bits of all counters", "Sscofpmf", _overflowed(config), "scountovf")
        )
    pending, enabled = (
        _lcofi(config, "LCOFIP", "counter overflow interrupt pending"),
        _lcofi(config, "LCOFIE", "it is enabled"),
    )
    delegated, w = "counter overflow interrupts go to ", config.xlen
    found += [
        Csr(0x344, "mip", "M", w, "interrupts pending", machine, pending, "mip"),
        Csr(0x304, "mie", "M", w, "interrupts enabled", machine, enabled, "mie"),
        Csr(
            0x303,
            "mideleg",
            "M",
            w,
            "delegation to HS",
            machine,
            _lcofi(config, "LCOFI", delegated + "S-mode (HS)"),
            "mideleg",
        ),
        Csr(
            0x144,
            "sip",
            "S",
            w,
            "view of mip",
            "Supervisor Interrupt Registers",
            pending,
            "mip",
            "vsip" if config.has_h else "",
        ),
        Csr(
            0x104,
            "sie",
            "S",
            w,
            "view of mie",
            "Supervisor Interrupt Registers",
            enabled,
            "mie",
            "vsie" if config.has_h else "",
        ),
        Csr(
            0x603,
            "hideleg",
            "H",
            w,
            "delegation to VS",
            "Shlcofideleg",
            _lcofi(config, "LCOFI", delegated + "VS-mode", config.has_shlcofideleg),
            "hideleg",
        ),
        Csr(0x244, "vsip", "H", w, "view of mip", "Shlcofideleg", pending, "mip"),
        Csr(0x204, "vsie", "H", w, "view of mie", "Shlcofideleg", enabled, "mie"),
    ]
    return found + smcntrpmf


@lru_cache
def csrs(config: Config) -> tuple[Csr, ...]:
    """The CSRs of one implementation, by address (also those that exist at XLEN 32 only: `high`)."""
    gone = {"H": not config.has_h, "S": not config.has_s, "M": False, "U": False}
    without = {"mcounteren": not config.has_u, "mideleg": not config.has_s}
    kept = (c for c in _counters(config) + _time() + _control(config) if not gone[c.level] and not without.get(c.name))
    return tuple(sorted(kept, key=lambda c: c.address))


def csr(name_or_address: str | int, config: Config) -> Csr:
    """One CSR by name or address; ControlError if this implementation has none."""
    for found in csrs(config):
        if name_or_address in (found.name, found.address):
            return found
    shown = name_or_address if isinstance(name_or_address, str) else f"{name_or_address:#05x}"
    raise ControlError(f"there is no CSR {shown} in this implementation; its counters are mask {config.counters:#x}")
