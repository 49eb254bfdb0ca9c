# SPDX-License-Identifier: Apache-2.0
"""The register table of control transfer records, ready to use: CSRs of both variants, their fields, and what a write
leaves.

One table for everybody: `flow/generate/ctr.py` writes the RTL package and the documentation page from it, model and
testbench take addresses, fields and legal values from it.

    csrs(config)              the CSRs that exist in one implementation, by address
    csr("sctrctl", config)    one of them, by name or address
    entries(config)           ctrsource, ctrtarget, ctrdata: what sireg, sireg2, sireg3 give for one entry
    control_fields(variant)   the fields of mctrctl (v1_0) or mctrcontrol (v0_1_4)

Source: chapters CSRs, Entry Registers and State Enable Access Control of both texts, Smcsrind/Sscsrind, Smstateen;
choices: docs/reference/ctr-profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.fields import DEPTH_CODES, control_fields, either, optional, required
from rvtrace.models.tci.layout import ControlError, Field, Legal, bits, fixed, row

__all__ = ["Csr", "DEPTH_CODES", "SELECT", "control_fields", "csr", "csrs", "entries", "mask", "optional", "required"]

SELECT = range(0x200, 0x300)  # iselect values of logical entries 0 to 255
CSRIND_BIT = 60  # mstateen0, hstateen0
CTR_BIT = {"v1_0": 54, "v0_1_4": 55}


@dataclass(frozen=True)
class Csr:
    """One CSR, or one entry register: address (of an entry register the number of its ireg), name, fields from bit 0
    up.

    level: least privilege that may access it: M, H (HS; also every VS CSR) or S. width: in bits. state: the register
    that holds what it shows (itself, or of an alias the other). virtual: the CSR that replaces it if V = 1 (empty:
    itself). stateen: field of mstateen0 and hstateen0 that closes it (CTR, CSRIND or none). rv32: it is bits 63:32 of
    `state` and exists at XLEN 32 only. variants: where it is.
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
    stateen: str = ""
    rv32: bool = False
    variants: tuple[str, ...] = ("v1_0", "v0_1_4")

    @property
    def mask(self) -> int:
        """Bits that some write can set."""
        return mask(self.fields)

    def field(self, name: str) -> Field:
        """One field by name; ControlError if there is none."""
        for f in self.fields:
            if f.name == name:
                return f
        raise ControlError(f"{self.name} has no field {name}; it has {', '.join(f.name for f in self.fields)}")


def mask(fields: tuple[Field, ...]) -> int:
    """Bits of a register that some write can set."""
    settable = [f for f in fields if f.access != "RO"]
    return either(tuple(f.put(0, f.legal.mask if f.legal.values is None else either(f.legal.values)) for f in settable))


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
    wrptr = row(
        "WRPTR",
        "7:0",
        "WARL",
        "physical entry to be written next, modulo depth",
        legal=bits(max(config.depths) - 1),
        volatile=True,
    )
    if config.draft:
        return (wrptr,
                row("WRAP", "14", "WARL", "WRPTR has wrapped", volatile=True),
                row("FROZEN", "15", "WARL", "nothing is recorded", volatile=True))  # fmt: skip
    return (wrptr, row("FROZEN", "31", "WARL", "nothing is recorded", volatile=True))


def _stateen(config: Config, level: str) -> tuple[Field, ...]:
    ands = "; reads 0 while mstateen0 has 0" if level == "H" else ""
    return (
        row("CTR", str(CTR_BIT[config.variant]), "WARL", f"CTR state is open to lower modes{ands}", undefined=False),
        row("CSRIND", str(CSRIND_BIT), "WARL", f"siselect, sireg*, vsiselect, vsireg* are open{ands}", undefined=False),
    )


@lru_cache
def entries(config: Config) -> tuple[Csr, ...]:
    """The three registers of an entry; `address` is the number of the ireg that gives it (1, 2, 3)."""
    pc = row("PC", f"{config.xlen - 1}:1", "WARL", "address without its bit 0", volatile=True)
    cc, section = config.has_cc, "Entry Registers"
    return (
        Csr(
            1,
            "ctrsource",
            "S",
            config.xlen,
            "source of the transfer",
            section,
            (row("V", "0", "WARL", "the entry is valid", volatile=True), pc),
        ),
        Csr(
            2,
            "ctrtarget",
            "S",
            config.xlen,
            "target of the transfer",
            section,
            (
                row(
                    "MISP",
                    "0",
                    "WARL",
                    "target or direction was mispredicted",
                    legal=bits(config.has_misp),
                    volatile=True,
                ),
                pc,
            ),
        ),
        Csr(
            3,
            "ctrdata",
            "S",
            64 if config.xlen == 64 or not config.draft else 32,
            "metadata of the transfer",
            section,
            (
                row("TYPE", "3:0", "WARL", "itype of the transfer", legal=bits(15 * config.has_type), volatile=True),
                row("CCV", "15", "WARL", "CC is valid", legal=bits(cc), volatile=True),
                row("CCM", "27:16", "WARL", "mantissa of the elapsed cycles", legal=bits(0xFFF * cc), volatile=True),
                row(
                    "CCE",
                    "31:28",
                    "WARL",
                    "exponent of the elapsed cycles",
                    legal=bits(((1 << config.cce_bits) - 1) * cc),
                    volatile=True,
                ),
            ),
        ),
    )


_IREGS = ((1, ""), (2, "2"), (3, "3"), (5, "4"), (6, "5"), (7, "6"))


def _indirect(config: Config, prefix: str, level: str, base: int) -> list[Csr]:
    """iselect and its six ireg aliases of one level."""
    section, w = "Smcsrind/Sscsrind", config.xlen
    virtual = "v" if prefix == "s" and config.has_h else ""
    stateen = "" if prefix == "m" else "CSRIND"
    select = row("select", f"{w - 1}:0", "WARL", "0x200 to 0x2FF: logical entry 0 to 255", undefined=True)
    found = [Csr(base, f"{prefix}iselect", level, w, "selects what the ireg aliases give", section, (select,),
                 f"{prefix}iselect", virtual and f"v{prefix}iselect", stateen)]  # fmt: skip
    for offset, number in _IREGS:
        part = entries(config)[offset - 1].name if offset < 4 else ""
        part = "" if prefix == "m" and not config.draft else part
        what = f"{part} of the selected entry" if part else "read-only 0 for an entry"
        what = "illegal: selects nothing" if prefix == "m" and not config.draft else what
        name = f"{prefix}ireg{number}"
        found.append(Csr(base + offset, name, level, w, what, section, (), part, virtual and f"v{name}", stateen))
    return found


def _all(config: Config) -> list[Csr]:
    v10, draft, ctr, control = ("v1_0",), ("v0_1_4",), "CTR", "CSRs"
    status, depth = _status(config), (row("DEPTH", "2:0", "WARL", "entries: 16 << DEPTH", legal=_depth(config)),)
    m, s, vs = (_control(config, kind) for kind in ("m", "s", "vs"))
    low, high = (lambda f: tuple(x for x in f if config.xlen == 64 or x.lsb < 32)), (lambda f: tuple(
        Field(x.name, x.lsb - 32, x.width, x.access, x.what, x.reset, x.legal) for x in f if x.lsb >= 32))  # fmt: skip
    found = [
        Csr(0x34E, "mctrctl", "M", 64, "machine control", control, m, "mctrctl", variants=v10),
        Csr(
            0x14E,
            "sctrctl",
            "S",
            64,
            "supervisor view of mctrctl",
            control,
            s,
            "mctrctl",
            "vsctrctl",
            ctr,
            variants=v10,
        ),
        Csr(0x24E, "vsctrctl", "H", 64, "control while V = 1", control, vs, "vsctrctl", "", ctr, variants=v10),
        Csr(0x14F, "sctrstatus", "S", 32, "status", control, status, "sctrstatus", "", ctr, variants=v10),
        Csr(
            0x15F, "sctrdepth", "S", 32, "depth; not for VS and VU", control, depth, "sctrdepth", "", ctr, variants=v10
        ),
        Csr(0x381, "mctrcontrol", "M", config.xlen, "machine control", control, low(m), "mctrcontrol", variants=draft),
        Csr(0x382, "mctrcontrolh", "M", 32, "bits 63:32", control, high(m), "mctrcontrol", rv32=True, variants=draft),
        Csr(0x383, "mctrstatus", "M", 32, "status", control, status, "mctrstatus", variants=draft),
        Csr(
            0x181,
            "sctrcontrol",
            "S",
            config.xlen,
            "supervisor view of mctrcontrol",
            control,
            low(s),
            "mctrcontrol",
            "vsctrcontrol",
            ctr,
            variants=draft,
        ),
        Csr(
            0x182,
            "sctrcontrolh",
            "S",
            32,
            "bits 63:32",
            control,
            high(s),
            "mctrcontrol",
            "vsctrcontrolh",
            ctr,
            True,
            draft,
        ),
        Csr(
            0x183, "sctrstatus", "S", 32, "alias of mctrstatus", control, status, "mctrstatus", "", ctr, variants=draft
        ),
        Csr(
            0x281,
            "vsctrcontrol",
            "H",
            config.xlen,
            "control while V = 1",
            control,
            low(vs),
            "vsctrcontrol",
            "",
            ctr,
            variants=draft,
        ),
        Csr(0x282, "vsctrcontrolh", "H", 32, "bits 63:32", control, high(vs), "vsctrcontrol", "", ctr, True, draft),
    ]
    for prefix, level, base in (("m", "M", 0x350), ("s", "S", 0x150), ("vs", "H", 0x250)):
        found += _indirect(config, prefix, level, base)
    for name, level, address in (("mstateen0", "M", 0x30C), ("hstateen0", "H", 0x60C)):
        fields, section = _stateen(config, level), "State Enable Access Control"
        found += [
            Csr(address, name, level, config.xlen, "state enable", section, low(fields), name),
            Csr(address + 0x10, f"{name}h", level, 32, "bits 63:32", section, high(fields), name, rv32=True),
        ]
    return found


@lru_cache
def csrs(config: Config) -> tuple[Csr, ...]:
    """The CSRs of one implementation, by address (also those that exist at XLEN 32 only: `rv32`)."""
    gone = {"S": not config.has_s, "H": not config.has_h, "M": False}
    kept = (c for c in _all(config) if config.variant in c.variants and not gone[c.level])
    return tuple(sorted((c for c in kept if config.has_stateen or "stateen0" not in c.name), key=lambda c: c.address))


def csr(name_or_address: str | int, config: Config) -> Csr:
    """One CSR by name or address; ControlError if this implementation has none."""
    for found in csrs(config):
        if name_or_address in (found.name, found.address):
            return found
    shown = name_or_address if isinstance(name_or_address, str) else f"{name_or_address:#05x}"
    raise ControlError(
        f"there is no CSR {shown} in {config.variant}; there are {', '.join(c.name for c in csrs(config))}"
    )
