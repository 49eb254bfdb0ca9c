# SPDX-License-Identifier: Apache-2.0
"""The RTL package of the tandem trace: numbers of the format's table; `python -m rvtrace.flow.generate` writes it."""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.flow.generate.source import Source, vector
from rvtrace.models.tandem import table
from rvtrace.models.tandem.table import CSR_SLOTS, OPCODES, OPERATIONS, PARTS, REGISTER_CLASSES, STATES

ORIGIN = "models/tandem/table.py"
CSRS = ("FFLAGS", "FRM", "FCSR", "MCYCLE", "MCYCLEH", "MINSTRET", "MINSTRETH")
_FORMS = {"Full": table.REGISTER, "Add": table.ADD, "Or": table.OR}
_FORM_BITS = 2  # the bits above are the same in all three
assert len({code >> _FORM_BITS for code in _FORMS.values()}) == 1


def _package() -> list[str]:
    """Text of `tandem_table_pkg.sv`: opcodes, identifiers, register addresses, operations, and the parts of a row."""
    lines = [
        "",
        "  // Opcodes.",
        *_aligned((f"logic [7:0] Op{_camel(one.name)}", f"8'h{one.code:02X}", one.meaning) for one in OPCODES),
        "",
        "  // Form of a register: what distinguishes the three opcodes.",
        f"  localparam int FormBits = {_FORM_BITS};",
        *(
            f"  localparam logic [{_FORM_BITS - 1}:0] Form{name} = {_FORM_BITS}'d{code % (1 << _FORM_BITS)};"
            for name, code in _FORMS.items()
        ),
        "",
        "  // Identifiers of additional state.",
        *_aligned((f"logic [7:0] Id{_camel(one.name)}", f"8'h{one.id:02X}", one.meaning) for one in STATES),
        "",
        "  // Register addresses: the first of each class, and the CSRs of which an encoder knows more.",
        *(vector(f"{_camel(one.name)}Base", 16, one.first) for one in REGISTER_CLASSES),
        *(vector(f"{_camel(name.lower())}Addr", 12, getattr(table, name)) for name in CSRS),
        "",
        "  // Memory operations: the last there is; bit n: operation n has data in its request, in its response.",
        f"  localparam logic [3:0]  LastOperation = 4'd{len(OPERATIONS) - 1};",
        vector("RequestData  ", 16, _mask("request_data")),
        vector("ResponseData ", 16, _mask("response_data")),
        "",
        "  // Parts of a row: bits of in_has_i and of Absent, in the order in which they are sent.",
        f"  localparam int Parts = {len(PARTS)}, CsrSlots = {CSR_SLOTS};",
        *_aligned((f"int {_camel(part.name)}", str(bit), part.meaning) for bit, part in enumerate(PARTS)),
    ]
    return lines


def _aligned(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    """Declarations (name, value, comment) with their parts below each other."""
    found = list(rows)
    name, value = (max(len(row[k]) for row in found) for k in (0, 1))
    return [f"  localparam {row[0]:{name}} = {row[1] + ';':{value + 1}}  // {row[2]}" for row in found]


def _camel(name: str) -> str:
    """increment_pc -> IncrementPc."""
    return "".join(word.capitalize() for word in name.split("_"))


def _mask(which: str) -> int:
    return sum(1 << op for op, operation in enumerate(OPERATIONS) if getattr(operation, which))


SOURCE = Source(
    ORIGIN,
    "rtl/tandem/tandem_table_pkg.sv",
    "Tandem trace: opcodes, identifiers, register addresses, memory operations, and the parts of a row.",
    _package,
)
