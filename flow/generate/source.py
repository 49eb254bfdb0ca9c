# SPDX-License-Identifier: Apache-2.0
"""What the generated files of all register tables share: the package around its declarations, declarations, cells of
the pages' tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rvtrace.models.csr.table import Field

COMMAND = "python -m rvtrace.flow.generate"


@dataclass(frozen=True)
class Source:
    """One table and what is generated from it.

    origin: the module with the table. package: path of the generated file. title: its first line. notes: comment lines
    after it. body: the declarations. page, text: a page of the documentation below docs, which docs/hooks.py adds to
    the site; "" and None if there is none.
    """

    origin: str
    package: str
    title: str
    body: Callable[[], list[str]]
    notes: tuple[str, ...] = ()
    page: str = ""
    text: Callable[[], str] | None = None

    def files(self) -> dict[str, str]:
        """Path to text of each generated file."""
        return {self.package: self.package_text()}

    def package_text(self) -> str:
        """The SystemVerilog package, named as its file."""
        name = self.package.rpartition("/")[2].removesuffix(".sv")
        notes = ["//", *(f"// {note}" for note in self.notes)] if self.notes else []
        head = [
            f"// {self.title}",
            "// SPDX-License-Identifier: Apache-2.0",
            f"// Generated from {self.origin}; do not edit, type `{COMMAND}`.",
        ]
        return "\n".join([*head, *notes, f"package {name};", *self.body(), "", "endpackage", ""])


def vector(name: str, width: int, value: int) -> str:
    """A constant of some bits, in hexadecimal."""
    return f"  localparam logic [{width - 1}:0] {name} = {width}'h{value:0{(width + 3) // 4}X};"


def place(name: str, field: Field) -> str:
    """Where a field is in its register."""
    return f"  localparam int {name}Lsb = {field.lsb}, {name}Width = {field.width};"


def bits(field: Field) -> str:
    """The bits of a field, as 7:4 or 3."""
    return f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1 else str(field.lsb)


def access(field: Field) -> str:
    """How software may access a field, and whether hardware changes it."""
    return field.access + (", changes" if field.volatile else "")
