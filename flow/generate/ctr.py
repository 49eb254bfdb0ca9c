# SPDX-License-Identifier: Apache-2.0
"""RTL package and documentation page of the CTR register table; `python -m rvtrace.flow.generate` writes them."""

from __future__ import annotations

from rvtrace.flow.generate.registers import address, constants, csr_table, field_table
from rvtrace.flow.generate.source import Source, vector
from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import CTR_BIT, DEPTH_CODES, SELECT, csr_file, csrs, entries, required

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
        "  // Bit of mstateen0 and hstateen0; iselect values.",
        f"  localparam int CtrBit = {CTR_BIT['v1_0']}, DraftCtrBit = {CTR_BIT['v0_1_4']};",
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
            lines += ["", address(found, prefix), *([] if found.high else _registers(found, prefix))]
    return lines


def _registers(found: Csr, prefix: str) -> list[str]:
    """Settable bits of one register; of one that holds its own state also the fields (views of it have the same
    places).
    """
    return constants(found, prefix, fields=found.state == found.name and not found.name.startswith("vs"))


# --- The documentation page -------------------------------------------------------------------------

_INTRO = f"""# Control transfer records: the registers

Generated from `{ORIGIN}`.
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
    """The page of the registers."""
    lines = [_INTRO]
    for config in (RATIFIED, DRAFT):
        narrow = csr_file(Config(variant=config.variant, xlen=32))
        lines += [f"## {config.variant}", "", *csr_table(csrs(config), narrow), ""]
        for found in csrs(config):
            if found.fields and not found.high and not found.name.endswith("select"):
                lines += field_table(found, f"`{found.name}` ({found.address:#05x})")
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
        lines += field_table(found, f"`{found.name}` (`ireg{found.address if found.address > 1 else ''}`)")
    return "\n".join(lines).rstrip() + "\n"


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
    "reference/ctr-registers.md",
    _page,
)
