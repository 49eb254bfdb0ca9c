# SPDX-License-Identifier: Apache-2.0
"""The RTL package and the documentation page of the counters' register table; `python -m rvtrace.flow.generate` writes
them.
"""

from __future__ import annotations

from rvtrace.flow.generate.registers import FIELDS, address, csr_line, field_row
from rvtrace.flow.generate.source import Source, place, vector
from rvtrace.models.csr.table import Csr, Field
from rvtrace.models.hpm.config import FIRST, LAST, Config
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED, selector_name
from rvtrace.models.hpm.registers import INHIBITS, LCOFI_BIT, csr, csr_file, csrs

ORIGIN = "models/hpm/registers.py"
FULL = Config()


def _arrays() -> dict[str, list[Csr]]:
    """Registers of which there is one for each of the counters 3 to 31, by their name without the number."""
    arrays: dict[str, list[Csr]] = {}
    for found in csrs(FULL):
        if FIRST <= found.number <= LAST:
            arrays.setdefault(found.name.replace(str(found.number), ""), []).append(found)
    return arrays


def _singles() -> list[Csr]:
    return [found for found in csrs(FULL) if not FIRST <= found.number <= LAST]


# --- The RTL package --------------------------------------------------------------------------------


def _package() -> list[str]:
    """Text of `hpm_reg_pkg.sv`: addresses, bits that a write can set, and the place of each field."""
    lines = [
        "",
        f"  localparam int FirstCounter = {FIRST}, LastCounter = {LAST};",
        (
            f"  localparam int SelectNothing = 0, SelectCycles = {CYCLES}, SelectRetired = {RETIRED}, SelectEvents ="
            f" {FIRST_EVENT};"
        ),
        "",
        "  // mhpmevent; the inhibit bits have the same place in mcyclecfg and minstretcfg.",
    ]
    for f in csr(f"mhpmevent{FIRST}", FULL).fields:
        if f.access != "RO":
            lines.append(place(f"{_camel(f.name)}", f))
    filters = sum(1 << bit for bit in INHIBITS.values())
    lines += [
        vector("InhibitsMask", 64, filters),
        "",
        "  // Bit of mip, mie, mideleg and their views; bits of mcountinhibit, mcounteren, scounteren, hcounteren.",
        f"  localparam int LcofiBit = {LCOFI_BIT};",
        "  localparam int CyBit = 0, TmBit = 1, IrBit = 2;",
        "",
        "  // One for each counter.",
    ]
    for name, found in _arrays().items():
        lines.append(vector(f"{_camel(name)}Base", 12, found[0].address - found[0].number))
    lines.append("")
    lines += [address(found) for found in _singles()]
    lines.append("")
    lines += [vector(f"{_camel(f.name)}Mask", 64, f.mask) for f in _singles() if _holds(f)]
    return lines


def _holds(found: Csr) -> bool:
    """Whether it is a register with its own state that can be written."""
    return found.state == found.name and bool(found.mask)


def _camel(name: str) -> str:
    return name.capitalize()


# --- The documentation page -------------------------------------------------------------------------

_INTRO = f"""# Hardware performance counters: the registers

Generated from `{ORIGIN}`.
What the block does with them: [hpm-profile.md](hpm-profile.md).

- Everything is 0 after reset. What is not listed reads 0
  and ignores writes; so does a field that an implementation omits.
- _n_ is {FIRST} to {LAST}. Registers `h` are bits 63:32 of their partners and exist at XLEN 32 only.
- *least mode* is who may access it: M; H is HS (virtual instruction from VS and VU); S is S or HS, and VS,
  which sees the register under *V = 1* instead if there is one;
  U: mcounteren, scounteren and hcounteren open it to what is below M.
- Addresses from 0xc00 up are read-only: a write is an illegal instruction.

| address | register | least mode | bits | V = 1 | |
| --- | --- | --- | --- | --- | --- |
"""


def _page() -> str:
    """The page of the registers."""
    narrow = csr_file(Config(xlen=32))
    rows = [(found.address, csr_line(found, narrow, stateen=False)) for found in _singles()]
    for found in _arrays().values():
        base = found[0].address - found[0].number
        rows.append((found[0].address, _general(csr_line(found[0], narrow, where=f"{base:#05x} + _n_", stateen=False))))
    lines = [_INTRO.rstrip("\n"), *(line for _, line in sorted(rows)), ""]
    shown = [f for f in _singles() if _holds(f)] + [csr("scountovf", FULL)]
    for found in [csr(f"mhpmevent{FIRST}", FULL), csr(f"mhpmcounter{FIRST}", FULL), *shown]:
        array = FIRST <= found.number <= LAST
        title = _general(f"`{found.name}`") if array else f"`{found.name}` ({found.address:#05x})"
        lines += [f"## {title}", "", *FIELDS]
        lines += [_general(text) if array else text for text in _fields(found)]
        lines.append("")
    lines += ["## Selectors", "", "| SELECT | counts |", "| --- | --- |"]
    lines += [f"| {selector} | {selector_name(selector)} |" for selector in range(FIRST_EVENT)]
    lines.append(f"| {FIRST_EVENT} + _k_ | event _k_, `events_i[k]` |")
    return "\n".join(lines).rstrip() + "\n"


def _general(text: str) -> str:
    """A row about counter 3 as one about any counter."""
    for name in ("mhpmcounter", "hpmcounter", "mhpmevent"):
        text = text.replace(f"{name}{FIRST}h`", f"{name}`_n_`h`").replace(f"{name}{FIRST}`", f"{name}`_n_")
        text = text.replace(f"{name}{FIRST}", f"{name} _n_")
    return text.replace(f"counter {FIRST}", "counter _n_").replace("_n_``", "_n_")


def _fields(found: Csr) -> list[str]:
    """One line for each field; the many alike of a register of bits are one."""
    lines, alike = [], [f for f in found.fields if f.name.strip("0123456789") in ("HPM", "OF") and f.name != "OF"]
    for f in found.fields:
        if f not in alike:
            lines.append(field_row(f, _legal))
    if alike:
        stem = alike[0].name.strip("0123456789")
        what = alike[0].what.replace(f"mhpmevent{FIRST}", "mhpmevent _n_")
        row = field_row(alike[0], _legal, name=f"{stem}`_n_`", where="_n_", what=what)
        lines.append(row.replace("_n_``", "_n_"))
    return lines


def _legal(f: Field) -> str:
    return "" if f.access == "RO" else "any" if f.legal.values is None else "by `Selectors`, else 0"


SOURCE = Source(
    ORIGIN,
    "rtl/hpm/hpm_reg_pkg.sv",
    "Registers of the hardware performance counters: CSR addresses, settable bits, fields, selectors.",
    _package,
    (
        "Masks are those of an implementation with every option; h registers are bits 63:32 of their partners.",
        f"An address that ends in Base is that of counter 0 of an array: counter n, {FIRST} to {LAST}, is at Base + n.",
    ),
    "reference/hpm-registers.md",
    _page,
)
