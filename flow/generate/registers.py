# SPDX-License-Identifier: Apache-2.0
"""What a register table gives to every generator: constants of the RTL package, tables of the page; and both of a whole
group of CSRs that has nothing special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rvtrace.flow.generate.source import COMMAND, Source, access, bits, place, vector
from rvtrace.models.csr.file import CsrFile
from rvtrace.models.csr.table import Csr, Field, Register

FIELDS = ["| bits | field | access | legal | |", "| --- | --- | --- | --- | --- |"]
Legal = Callable[[Field], str]


def camel(name: str) -> str:
    """mctrctl -> Mctrctl."""
    return name[0].upper() + name[1:]


def address(csr: Csr, prefix: str = "") -> str:
    """The number of a CSR as a constant."""
    return vector(f"{prefix}{camel(csr.name)}Addr", 12, csr.address)


def constants(register: Register, prefix: str = "", *, fields: bool = True) -> list[str]:
    """Settable bits of a register, and the place of each field."""
    name = prefix + camel(register.name)
    places = [place(f"{name}{f.name.capitalize()}", f) for f in register.fields] if fields else []
    return [vector(f"{name}Mask", 64, register.mask), *places]


def legal(f: Field) -> str:
    """Legal values of a field, in words."""
    if f.access not in ("RW", "WARL"):
        return ""
    return "any" if f.legal.values is None else ", ".join(map(str, f.legal.values))


def field_row(f: Field, legal: Legal = legal, *, name: str = "", where: str = "", what: str = "") -> str:
    """A field as a line of its register's table."""
    shown = name or f.name
    return f"| {where or bits(f)} | `{shown}` | {access(f)} | {legal(f)} | {what or f.what} |"


def field_table(register: Register, title: str, legal: Legal = legal) -> list[str]:
    """The fields of a register under a title."""
    return [f"### {title}", "", *FIELDS, *(field_row(f, legal) for f in register.fields), ""]


def csr_line(csr: Csr, narrow: CsrFile | None, *, where: str = "", stateen: bool = True) -> str:
    """A CSR as a line of a group's table. narrow: the group at MXLEN 32, where a register of XLEN bits has another
    width.
    """
    other = narrow.named.get(csr.name) if narrow else None
    width = "XLEN" if other is not None and other.width != csr.width else str(csr.width)
    virtual = f"`{csr.virtual}`" if csr.virtual else ""
    closed = f" {csr.stateen} |" if stateen else ""
    what = csr.what + (", at XLEN 32" if csr.high else "")
    where = where or f"{csr.address:#05x}"
    return f"| {where} | `{csr.name}` | {csr.level} | {width} | {virtual} |{closed} {what} |"


def csr_table(csrs: Iterable[Csr], narrow: CsrFile | None = None) -> list[str]:
    """The table of a group of CSRs."""
    head = [
        "| address | register | least mode | bits | V = 1 | closed by | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    return [*head, *(csr_line(one, narrow) for one in csrs)]


def group(file: CsrFile, origin: str, package: str, page: str, title: str) -> Source:
    """Package and page of a group of CSRs, by its table alone."""

    def own() -> list[Register]:
        held: list[Register] = [c for c in file.csrs if c.state == c.name and c.fields and not c.high]
        return held + [register for one in file.indirect for register in one.registers]

    def body() -> list[str]:
        lines = ["", *(address(csr) for csr in file.csrs)]
        for register in own():
            lines += ["", *constants(register)]
        return lines

    def text() -> str:
        lines = [f"# {title}", "", f"Generated from `{origin}` by `{COMMAND}`; edit the table, not this page.", ""]
        lines += [*csr_table(file.csrs), ""]
        for register in own():
            lines += field_table(register, f"`{register.name}`")
        return "\n".join(lines).rstrip() + "\n"

    return Source(origin, package, f"{title}: CSR addresses, settable bits, fields.", body, (), page, text)
