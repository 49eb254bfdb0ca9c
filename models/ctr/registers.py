# SPDX-License-Identifier: Apache-2.0
"""The register table of control transfer records, ready to use: CSRs of both variants, their fields, and what a write
leaves.

One table for everybody (`rvtrace.models.csr`): `flow/generate` writes the RTL package and the documentation page from
it, model and testbench take addresses, fields, legal values and rules of access from it.

    csrs(config)              the CSRs that exist in one implementation, by address
    csr("sctrctl", config)    one of them, by name or address
    entries(config)           ctrsource, ctrtarget, ctrdata: what sireg, sireg2, sireg3 give for one entry
    csr_file(config)          all of it, with who may access it
    control_fields(variant)   the fields of mctrctl (v1_0) or mctrcontrol (v0_1_4)

Source: chapters CSRs, Entry Registers and State Enable Access Control of both texts, Smcsrind/Sscsrind, Smstateen;
choices: docs/reference/ctr-profile.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from rvtrace.models.csr.file import CsrFile, Indirect
from rvtrace.models.csr.standard import CSRIND_BIT, indirect_csrs, lower, state_enables, upper
from rvtrace.models.csr.table import ControlError, Csr, Field, Legal, bits, fixed, found, pair, row, settable
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.fields import DEPTH_CODES, control_fields, optional, required

__all__ = ["CSRIND_BIT", "CTR_BIT", "ControlError", "Csr", "DEPTH_CODES", "SELECT", "control_fields", "csr", "csr_file",
           "csrs", "entries", "optional", "required", "settable"]  # fmt: skip

SELECT = range(0x200, 0x300)  # iselect values of logical entries 0 to 255
CTR_BIT = {"v1_0": 54, "v0_1_4": 55}


# --- The control registers --------------------------------------------------------------------------


def _control(config: Config, kind: str) -> tuple[Field, ...]:
    """Fields of the m, s or vs control register with what this implementation has of them."""
    hidden = () if kind == "m" else ("M", "MTE")
    out = []
    for f in control_fields(config.variant):
        name = {"S": "VS", "U": "VU", "STE": "VSTE"}.get(f.name, f.name) if kind == "vs" and config.draft else f.name
        access, what, legal = f.access, f.what, bits((config.fields & f.mask) >> f.lsb)
        if f.name in hidden:
            if kind == "vs":
                continue
            access, what, legal = "RO", "read-only 0; a write leaves the field of the machine register", fixed(0)
        elif f.name == "CLR":
            legal = bits(1)
        elif f.name == "DEPTH":
            access = "RO" if kind == "vs" else access
            legal = _depth(config)
        elif f.access == "RO":
            legal = fixed(0)
        elif kind == "vs":
            what = (
                what.replace("S-mode (HS)", "VS-mode")
                .replace("U-mode", "VU-mode")
                .replace("S-mode lets", "VS-mode lets")
            )
        out.append(Field(name, f.lsb, f.width, access, what, 0, legal, undefined=f.undefined))
    return tuple(out)


def _depth(config: Config) -> Legal:
    """Supported codes of DEPTH. What an unsupported one leaves depends on more: `otherwise` is unused."""
    codes = tuple(code for code, depth in DEPTH_CODES[config.variant].items() if depth in config.depths)
    return Legal(0, codes, codes[0])


# --- The other registers ----------------------------------------------------------------------------


def _status(config: Config) -> tuple[Field, ...]:
    wrptr = row("WRPTR", "7:0", "WARL", "physical entry to be written next, modulo depth",
                legal=bits(max(config.depths) - 1), volatile=True)  # fmt: skip
    wrap = row("WRAP", "14", "WARL", "WRPTR has wrapped", volatile=True)
    frozen = row("FROZEN", "15" if config.draft else "31", "WARL", "nothing is recorded", volatile=True)
    return (wrptr, wrap, frozen) if config.draft else (wrptr, frozen)


@lru_cache
def entries(config: Config) -> tuple[Csr, ...]:
    """The three registers of an entry; `address` is the number of the ireg that gives it (1, 2, 3)."""
    cc, section, xlen = config.has_cc, "Entry Registers", config.xlen

    def part(name: str, where: str, what: str, mask: int) -> Field:
        return row(name, where, "WARL", what, legal=bits(mask), volatile=True)

    pc = row("PC", f"{xlen - 1}:1", "WARL", "address without its bit 0", volatile=True)
    valid = part("V", "0", "the entry is valid", 1)
    misp = part("MISP", "0", "target or direction was mispredicted", config.has_misp)
    data = (part("TYPE", "3:0", "itype of the transfer", 15 * config.has_type),
            part("CCV", "15", "CC is valid", cc),
            part("CCM", "27:16", "mantissa of the elapsed cycles", 0xFFF * cc),
            part("CCE", "31:28", "exponent of the elapsed cycles", ((1 << config.cce_bits) - 1) * cc))  # fmt: skip
    return (
        Csr(1, "ctrsource", "source of the transfer", section, (valid, pc), width=xlen, level="S"),
        Csr(2, "ctrtarget", "target of the transfer", section, (misp, pc), width=xlen, level="S"),
        Csr(3, "ctrdata", "metadata of the transfer", section, data,
            width=64 if xlen == 64 or not config.draft else 32, level="S"),
    )  # fmt: skip


def _controls(config: Config) -> list[Csr]:
    """The registers of Smctr and Ssctr but entries."""
    xlen, section = config.xlen, "CSRs"
    m, s, vs = (_control(config, kind) for kind in ("m", "s", "vs"))

    def one(address: int, name: str, what: str, fields: tuple[Field, ...], width: int, level: str, **more: Any) -> Csr:
        stateen = "" if level == "M" else "CTR"
        return Csr(address, name, what, section, fields, width=width, level=level, stateen=stateen, **more)

    if not config.draft:
        depth = row("DEPTH", "2:0", "WARL", "entries: 16 << DEPTH", legal=_depth(config))
        return [
            one(0x34E, "mctrctl", "machine control", m, 64, "M"),
            one(0x14E, "sctrctl", "supervisor view of mctrctl", s, 64, "S", state="mctrctl", virtual="vsctrctl"),
            one(0x24E, "vsctrctl", "control while V = 1", vs, 64, "H"),
            one(0x14F, "sctrstatus", "status", _status(config), 32, "S"),
            replace(one(0x15F, "sctrdepth", "depth; not for VS and VU", (depth,), 32, "S"), guest=False),
        ]
    view, status = "supervisor view of mctrcontrol", _status(config)
    made = [
        one(0x383, "mctrstatus", "status", status, 32, "M"),
        one(0x183, "sctrstatus", "alias of mctrstatus", status, 32, "S", state="mctrstatus"),
    ]
    for low, fields in (
        (one(0x381, "mctrcontrol", "machine control", lower(m, xlen), xlen, "M"), m),
        (one(0x181, "sctrcontrol", view, lower(s, xlen), xlen, "S", state="mctrcontrol", virtual="vsctrcontrol"), s),
        (one(0x281, "vsctrcontrol", "control while V = 1", lower(vs, xlen), xlen, "H"), vs),
    ):
        made += pair(low, low.address + 1, upper(fields))
    return made


@lru_cache
def csr_file(config: Config) -> CsrFile:
    """The CSRs of one implementation (also those that exist at XLEN 32 only: `high`), and who may access them."""
    entry = Indirect(SELECT, entries(config), "CTR", ("m", "s", "vs") if config.draft else ("s", "vs"))
    gates = {"CTR": (CTR_BIT[config.variant], "CTR state is open to lower modes"),
             "CSRIND": (CSRIND_BIT, "siselect, sireg*, vsiselect, vsireg* are open")}  # fmt: skip
    made = _controls(config) + indirect_csrs(config.xlen, "0x200 to 0x2FF: logical entry 0 to 255", entry, config.has_h)
    if config.has_stateen:
        made += state_enables(config.xlen, gates)
    gone = {"S": not config.has_s, "H": not config.has_h}
    stateen = {name: bit for name, (bit, _) in gates.items()} if config.has_stateen else {}
    return CsrFile(config.xlen, tuple(c for c in made if not gone.get(c.level)), (entry,), stateen)


def csrs(config: Config) -> tuple[Csr, ...]:
    """The CSRs of one implementation, by address."""
    return csr_file(config).csrs


def csr(name_or_address: str | int, config: Config) -> Csr:
    """One CSR by name or address; ControlError if this implementation has none."""
    return found(csrs(config), name_or_address, config.variant)
