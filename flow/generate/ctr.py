# SPDX-License-Identifier: Apache-2.0
"""RTL package and documentation page of the CTR register table; `python -m rvtrace.flow.generate` writes them."""

from __future__ import annotations

from rvtrace.flow.generate.source import COMMAND, Source, access, bits, place, vector
from rvtrace.models.csr.table import Csr, Field
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, DEPTH_CODES, SELECT, csrs, entries, required

ORIGIN = "models/ctr/registers.py"
RATIFIED, DRAFT = Config(), Config(variant="v0_1_4")


def _common() -> list[Csr]:
    """What both variants have at the same address, with the same fields."""
    theirs = {(c.address, c.name, c.fields) for c in csrs(DRAFT)}
    return [c for c in csrs(RATIFIED) if (c.address, c.name, c.fields) in theirs and "stateen0" not in c.name]


def _own(config: Config) -> list[Csr]:
    """What one variant has for itself."""
    shared = {c.name for c in _common()}
    return [c for c in csrs(config) if c.name not in shared and "stateen0" not in c.name]


# --- The RTL package --------------------------------------------------------------------------------


def _package() -> list[str]:
    """Text of `ctr_reg_pkg.sv`: addresses, settable bits, and the place of each field."""
    lines = [
        "",
        "  // Smcsrind/Sscsrind, and the state enables.",
    ]
    for found in _common():
        lines.append(_address(found, ""))
    for found in csrs(RATIFIED):
        if "stateen0" in found.name:
            lines.append(_address(found, ""))
    lines += [
        f"  localparam int CsrindBit = {CSRIND_BIT}, CtrBit = {CTR_BIT['v1_0']}, DraftCtrBit = {CTR_BIT['v0_1_4']};",
        f"  localparam logic [11:0] SelectFirst = 12'h{SELECT.start:03X}, SelectLast = 12'h{SELECT.stop - 1:03X};",
        "",
        "  // An entry: ireg, ireg2, ireg3.",
    ]
    for found in entries(RATIFIED):
        lines += _registers(found, "")
    for config, prefix in ((RATIFIED, ""), (DRAFT, "Draft")):
        lines += [
            "",
            f"  // {config.variant}. DEPTH: "
            + ", ".join(f"{c} is {d}" for c, d in DEPTH_CODES[config.variant].items())
            + ".",
        ]
        lines.append(vector(f"{prefix}Required", 64, required(config.variant)))
        for found in _own(config):
            lines += ["", _address(found, prefix), *([] if found.high else _registers(found, prefix))]
    return lines


def _camel(name: str) -> str:
    return name[0].upper() + name[1:]


def _address(found: Csr, prefix: str) -> str:
    return vector(f"{prefix}{_camel(found.name)}Addr", 12, found.address)


def _registers(found: Csr, prefix: str) -> list[str]:
    """Settable bits of one register; of one that holds its own state also the fields (views of it have the same
    places).
    """
    name = prefix + _camel(found.name)
    lines = [vector(f"{name}Mask", 64, found.mask)]
    if found.state in ("", found.name) and not found.name.startswith("vs"):
        for f in found.fields:
            lines.append(place(f"{name}{f.name.capitalize()}", f))
    return lines


# --- The documentation page -------------------------------------------------------------------------

_INTRO = f"""# Control transfer records: the registers

Generated from `{ORIGIN}` by `{COMMAND}`; edit the table, not this page.
What the block does with them: [ctr-profile.md](ctr-profile.md).

- Two variants: `v1_0`, the ratified Smctr/Ssctr, and `v0_1_4`, the draft of 2023-09.
- Everything is 0 after reset, DEPTH the least supported depth. What is not listed reads 0
  and ignores writes; so does a field that an implementation omits.
- *least mode* is who may access it: M; H is HS (virtual instruction from VS and VU); S is S or HS, and VS,
  which sees the register under *V = 1* instead.
- *closed by* names the bit of mstateen0, and with V = 1 of hstateen0, that must be 1 below M;
  the `sireg*` and `vsireg*` of an entry need CTR as well.
"""


def _page() -> str:
    """Text of `docs/reference/ctr-registers.md`."""
    lines = [_INTRO]
    for config in (RATIFIED, DRAFT):
        lines += [f"## {config.variant}", "", "| address | register | least mode | bits | V = 1 | closed by | |",
                  "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
        lines += [_line(found) for found in csrs(config)]
        lines.append("")
        for found in csrs(config):
            if found.fields and not found.high and not found.name.endswith("select"):
                lines += _fields(found, f"`{found.name}` ({found.address:#05x})")
        if config.draft:
            lines += ["The registers `h` are bits 63:32 of their partners, at XLEN 32.", ""]
    lines += [
        "## Entries",
        "",
        (
            "`ireg`, `ireg2` and `ireg3` give these for the logical entry iselect - 0x200; `ireg4` to `ireg6` are"
            " read-only 0. PC is PC[31:1] on RV32."
        ),
        "",
    ]
    for found in entries(RATIFIED):
        lines += _fields(found, f"`{found.name}` (`ireg{found.address if found.address > 1 else ''}`)")
    return "\n".join(lines).rstrip() + "\n"


def _line(found: Csr) -> str:
    what = found.what + (", at XLEN 32" if found.high else "")
    width = "XLEN" if found.width == 64 and not found.name.endswith("ctl") else str(found.width)
    virtual = f"`{found.virtual}`" if found.virtual else ""
    return f"| {found.address:#05x} | `{found.name}` | {found.level} | {width} | {virtual} | {found.stateen} | {what} |"


def _fields(found: Csr, title: str) -> list[str]:
    lines = [f"### {title}", "", "| bits | field | access | legal | |", "| --- | --- | --- | --- | --- |"]
    return [*lines, *(_row(f) for f in found.fields), ""]


def _row(f: Field) -> str:
    legal = "" if f.access in ("RO", "W1") else "any" if f.legal.values is None else ", ".join(map(str, f.legal.values))
    return f"| {bits(f)} | `{f.name}` | {access(f)} | {legal} | {f.what} |"


SOURCE = Source(
    ORIGIN,
    "rtl/ctr/ctr_reg_pkg.sv",
    "Registers of control transfer records: CSR addresses, settable bits, fields. Names of the draft begin with Draft.",
    _package,
    (
        (
            "Masks are those of an implementation with every option at XLEN 64; h registers are bits 63:32 of their"
            " partners."
        ),
        "The s and vs control registers have their fields where the machine register has them.",
    ),
    "docs/reference/ctr-registers.md",
    _page,
)
