# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of row layouts: a package with the place of each field, modules that split a row into ports, and
modules that join ports to a row. One file for each testbench, below `build/`: every build that lists it writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from rvtrace.flow.generate.source import vector
from rvtrace.jobs import names
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.files import replace
from rvtrace.tb.common.layout import DRIVE, JOIN, Field, Layout, Rows, Slots, Zero

FOLDER, _ENDING = "build/rows", "_rows.sv"
_PACKAGE_END = ("", "  /* verilator lint_on UNUSEDPARAM */", "", "endpackage")


def files() -> list[str]:
    """Of all testbenches, from the root of the checkout."""
    benches = (path.parents[1].name for path in (ROOT / "tb").glob("*/agents/layout.py"))
    return [f"{FOLDER}/{bench}{_ENDING}" for bench in sorted(benches) if bench != "common"]


def write(paths: Iterable[str]) -> None:
    """Write the files that are among these and are missing or differ."""
    for path in paths:
        if path.startswith(f"{FOLDER}/"):
            replace(ROOT / path, text_of(Path(path).name.removesuffix(_ENDING)))


@cache
def text_of(bench: str) -> str:
    """The file of a testbench: package and modules."""
    rows = names.rows_of(bench)
    head = [
        f"// Rows of the files of {bench}_tb: the place of each field, modules that split rows and that join them.",
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated from tb/{bench}/agents/layout.py at every build.",
        "",
        "/* verilator lint_off DECLFILENAME */  // one file for all",
        "",
    ]
    modules = [line for layout, direction in rows.modules for line in ("", *_module(bench, rows, layout, direction))]
    return "\n".join([*head, *_package(bench, rows), *modules, ""])


# --- The package ---------------------------------------------------------------------------------------------


def _package(bench: str, rows: Rows) -> list[str]:
    lines = [
        f"package {bench}_row_pkg;",
        "",
        "  /* verilator lint_off UNUSEDPARAM */  // every place has its name",
    ]
    known: set[str] = set()
    named = {layout.name: layout for layout in (*rows.more, *(layout for layout, _ in rows.modules))}
    for layout in named.values():
        lines += ["", f"  // Lowest bit and bits of each field of a row of kind {layout.name}."]
        lines += _places(layout)
        for slots in (field for field in layout.fields if isinstance(field, Slots)):
            if slots.one not in known:
                known.add(slots.one)
                lines += ["", f"  // In a {slots.one}."]
                lines += _slot_places(slots)
    return [*lines, *_PACKAGE_END]


# --- The modules ---------------------------------------------------------------------------------------------


def _module(bench: str, rows: Rows, layout: Layout, direction: str) -> list[str]:
    package = f"{bench}_row_pkg"
    ports = list(_ports(layout, direction))
    used = "".join(width for _, width in ports) + "".join(_counts(layout))
    parameters = {name: value for name, value in rows.parameters.items() if name in used}
    bits, drive = _bits_call(layout, package), direction == DRIVE
    if direction != JOIN:
        title = f"// Splits a row of kind {layout.name} into ports{'; they are the pins unless bulk_i' * drive}."
        declared = [
            *(["  input  logic bulk_i,"] if drive else []),
            "  /* verilator lint_off UNUSEDSIGNAL */  // some bits are 0, or are read by others",
            f"  input  logic [{bits}-1:0] row_i,",
            "  /* verilator lint_on UNUSEDSIGNAL */",
        ]
        rows_of_pins = [("input  logic", width, f"{name}_i") for name, width in ports if drive]
        declared += _aligned([*rows_of_pins, *(("output logic", width, f"{name}_o") for name, width in ports)])
    else:
        title = f"// Joins ports to a row of kind {layout.name}; what has no port is 0."
        given = [("input  logic", width, f"{name}_i") for name, width in ports]
        declared = _aligned([*given, ("output logic", f"[{bits}-1:0]", "row_o")])
    lines = [title, f"module {bench}_{layout.name}_{direction}"]
    if parameters:
        words = [f"  parameter int {name} = {value}" for name, value in parameters.items()]
        lines += ["#(", ",\n".join(words), ") ("]
    else:
        lines[-1] += " ("
    body = _join(layout) if direction == JOIN else _split(layout, drive)
    return [*lines, *declared, ");", "", f"  import {package}::*;", "", *body, "", "endmodule"]


# --- Places --------------------------------------------------------------------------------------------------


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _elements(field: Field | Slots) -> str:
    """How many elements or slots of variable number there are in the file, as an expression."""
    if isinstance(field, Slots):
        return field.count
    return str(field.elements) if field.multiple == 1 else _rounded(str(field.elements), field.multiple)


def _rounded(count: str, multiple: int) -> str:
    return f"(({count} + {multiple - 1})/{multiple}*{multiple})"


def _variable(field: Field | Zero | Slots) -> bool:
    return isinstance(field, Slots) or isinstance(field, Field) and isinstance(field.elements, str)


def _fixed_size(field: Field | Zero) -> int:
    elements = field.elements if isinstance(field, Field) and isinstance(field.elements, int) else 1
    return field.size * elements


def _counts(layout: Layout) -> list[str]:
    varying = (f for f in layout.fields if not isinstance(f, Zero) and _variable(f))
    return [f.count if isinstance(f, Slots) else str(f.elements) for f in varying]


def _size_name(layout: Layout, field: Field | Slots) -> str:
    """The constant with the bits of one element."""
    return f"{_camel(field.one)}Bits" if isinstance(field, Slots) else f"{_camel(layout.name)}{_camel(field.port)}Bits"


def _at(layout: Layout, wanted: Field | Slots) -> str:
    """The lowest bit of a field as an expression, of names of the package and parameters of the module."""
    name = f"{_camel(layout.name)}{_camel(wanted.name.rstrip('_'))}At"
    more = []
    for field in layout.fields:
        if field is wanted:
            break
        if _variable(field):
            more.append(f"{_size_name(layout, field)}*{_elements(field)}")  # type: ignore[arg-type]
    return " + ".join([name, *more])


def _places(layout: Layout) -> list[str]:
    """Constants of a row: bits before a field whose number depends on no parameter, and the function with all bits."""
    lines, at, terms = [], 0, []
    stem = _camel(layout.name)
    for field in layout.fields:
        if isinstance(field, Slots):
            lines.append(f"  localparam int {stem}{_camel(field.name)}At = {at};")
            terms.append(f"{field.size}*{field.count}")
            continue
        if isinstance(field, Field):
            name = f"{stem}{_camel(field.port)}"
            lines.append(f"  localparam int {name}At = {at}, {name}Bits = {field.size};")
            for part in field.parts:
                words = f"{name}{_camel(part.name)}"
                lines.append(f"  localparam int {words}Lsb = {part.lsb}, {words}Width = {part.width};")
            if _variable(field):
                terms.append(f"{field.size}*{_elements(field)}")
                continue
        at += _fixed_size(field)
    if layout.levels is not None:
        lines.append(vector(f"{stem}Levels", 32, layout.levels))
    if not terms:
        return [*lines, f"  localparam int {stem}Bits = {at};"]
    for number, name in enumerate(_counts(layout)):
        terms[number] = terms[number].replace(name, _snake(name))
    arguments = ", ".join(f"input int {_snake(name)}" for name in _counts(layout))
    return [
        *lines,
        f"  function automatic int {layout.name}_bits({arguments});",
        f"    return {' + '.join([str(at), *terms])};",
        "  endfunction",
    ]


def _slot_places(slots: Slots) -> list[str]:
    lines, at, stem = [], 0, _camel(slots.one)
    for field in slots.fields:
        if isinstance(field, Field):
            name = f"{stem}{_camel(field.port)}"
            lines.append(f"  localparam int {name}At = {at}, {name}Bits = {field.size};")
        at += _fixed_size(field)
    return [*lines, f"  localparam int {stem}Bits = {at};"]


def _snake(name: str) -> str:
    """NTransfers -> n_transfers."""
    return "".join(f"_{c.lower()}" if c.isupper() and k else c.lower() for k, c in enumerate(name))


def _bits_call(layout: Layout, package: str) -> str:
    counts = _counts(layout)
    if not counts:
        return f"{package}::{_camel(layout.name)}Bits"
    return f"{package}::{layout.name}_bits({', '.join(counts)})"


# --- Ports ---------------------------------------------------------------------------------------------------


def _ports(layout: Layout, direction: str) -> Iterator[tuple[str, str]]:
    """(name, range) of each port but that of the row."""
    for field in layout.fields:
        if isinstance(field, Slots):
            if field.gate and direction == JOIN:
                yield field.gate, f"[{field.count}-1:0]"
            for inner in field.fields:
                if isinstance(inner, Field) and inner.width:
                    yield inner.port, f"[{_product(field.count, inner.elements, inner.width)}-1:0]"
        elif isinstance(field, Field):
            for part in field.parts:
                yield part.name, f"[{part.width - 1}:0]" if part.width > 1 else ""
            if field.width and field.elements is not None:
                yield field.port, f"[{_product(field.elements, field.width)}-1:0]"
            elif field.width:
                yield field.port, _range(field.width)


def _range(width: int | str) -> str:
    return f"[{width}-1:0]" if isinstance(width, str) else f"[{width - 1}:0]" if width > 1 else ""


def _product(*factors: int | str | None) -> str:
    return "*".join(str(f) for f in factors if f not in (None, 1))


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    wide = max(len(width) for _, width, _ in rows)
    lines = [f"  {kind} {width:{wide}} {name}" for kind, width, name in rows]
    return [line + "," for line in lines[:-1]] + lines[-1:]


# --- Bodies --------------------------------------------------------------------------------------------------


def _select(name: str, width: int | str, index: str) -> str:
    """Element `index` of a port whose elements are side by side."""
    if width == 1:
        return f"{name}[{index}]"
    return f"{name}[{width}*{index} +: {width}]"


def _index(inner: Field, number: int) -> str:
    """The element of a port that is element `number` of slot k."""
    count = inner.elements if isinstance(inner.elements, int) else 1
    return f"({count}*k+{number})" if count > 1 else "k"


def _row(at: str, width: int | str) -> str:
    return f"row_i[{at}]" if width == 1 else f"row_i[{at} +: {width}]"


def _split(layout: Layout, drive: bool) -> list[str]:
    lines: list[str] = []
    stem = _camel(layout.name)
    for field in layout.fields:
        if isinstance(field, Slots):
            if any(isinstance(inner, Field) and inner.width for inner in field.fields):
                lines += _split_slots(layout, field, drive)
        elif isinstance(field, Field) and _variable(field) and field.width:
            source = _row(f"{_at(layout, field)} + {_size_name(layout, field)}*k", field.width)
            lines += [
                f"  for (genvar k = 0; k < {field.elements}; k++) begin : gen_{field.port}",
                f"  {_given(drive, field.port, field.width, source, 'k')}",
                "  end",
            ]
        elif isinstance(field, Field):
            at = _at(layout, field)
            for part in field.parts:
                lsb = f"{stem}{_camel(field.port)}{_camel(part.name)}Lsb"
                lines.append(_given(drive, part.name, part.width, _row(f"{at} + {lsb}", part.width)))
            if field.width:
                lines.append(_given(drive, field.port, field.width, _row(at, field.width)))
    return lines


def _given(drive: bool, port: str, width: int | str, source: str, index: str = "") -> str:
    """The assignment of a part of a row to a port or to an element of it; with `drive` only where bulk_i is 1."""
    target, pin = (_select(f"{port}_{end}", width, index) if index else f"{port}_{end}" for end in "oi")
    return f"  assign {target} = {f'bulk_i ? {source} : {pin}' if drive else source};"


def _split_slots(layout: Layout, slots: Slots, drive: bool) -> list[str]:
    stem = _camel(slots.one)
    lines = [
        f"  for (genvar k = 0; k < {slots.count}; k++) begin : gen_{slots.one}",
        f"    localparam int At = {_at(layout, slots)} + {stem}Bits*k;",
    ]
    for inner in slots.fields:
        if isinstance(inner, Field) and inner.width:
            for number in range(inner.elements if isinstance(inner.elements, int) else 1):
                place = f"At + {stem}{_camel(inner.port)}At" + (f" + {inner.size * number}" if number else "")
                source = _row(place, inner.width)
                lines.append(f"  {_given(drive, inner.port, inner.width, source, _index(inner, number))}")
    return [*lines, "  end"]


def _cast(text: str, width: int | str, size: int) -> str:
    return text if width == size else f"{size}'({text})"


def _joined(field: Field | Zero, inside: bool) -> list[str]:
    """The values of a field in a row, lowest element first."""
    if isinstance(field, Zero) or not (field.width or field.parts):
        return [f"{_fixed_size(field)}'d0"]
    if field.parts:
        words, at = [], 0
        for part in sorted(field.parts, key=lambda part: part.lsb):
            words += [f"{part.lsb - at}'d0"] if part.lsb > at else []
            words.append(f"{part.name}_i")
            at = part.lsb + part.width
        if field.width:
            raise ValueError(f"{field.name} has parts and a port")
        words += [f"{field.size - at}'d0"] if at < field.size else []
        return [f"{{{', '.join(reversed(words))}}}"]
    if not inside:
        return [_cast(f"{field.port}_i", field.width, field.size)]
    count = field.elements if isinstance(field.elements, int) else 1
    chosen = (_select(f"{field.port}_i", field.width, _index(field, number)) for number in range(count))
    return [_cast(text, field.width, field.size) for text in chosen]


def _concat(target: str, values: list[str], margin: str, before: str = "") -> list[str]:
    """An assignment of values that are side by side, the lowest first."""
    lines = [f"{margin}assign {target} = {before}{{"]
    lines += [f"{margin}  {value}," for value in reversed(values[1:])]
    return [*lines, f"{margin}  {values[0]}", f"{margin}}};"]


def _join(layout: Layout) -> list[str]:
    """One concatenation for the row: Icarus is slow with a wide vector whose parts have an assignment each."""
    lines: list[str] = []
    values: list[str] = []
    for field in layout.fields:
        if isinstance(field, Slots):
            lines += _join_slots(field)
            values.append(field.name)
        elif isinstance(field, Field) and _variable(field):
            if field.multiple > 1 or field.width != field.size:
                lines += _join_elements(layout, field)
                values.append(field.port)
            else:
                values.append(f"{field.port}_i")
        else:
            values += _joined(field, False)
    if values == [slots.name for slots in layout.fields if isinstance(slots, Slots)]:
        return [*lines, f"  assign row_o = {values[0]};"]
    return [*lines, *_concat("row_o", values, "  ")]


def _join_slots(slots: Slots) -> list[str]:
    stem = _camel(slots.one)
    before = f"!{slots.gate}_i[k] ? {{{stem}Bits{{1'b0}}}} : " if slots.gate else ""
    values = [value for field in slots.fields for value in _joined(field, True)]
    return [
        f"  logic [{slots.count}*{stem}Bits-1:0] {slots.name};",
        f"  for (genvar k = 0; k < {slots.count}; k++) begin : gen_{slots.one}",
        *_concat(f"{slots.name}[{stem}Bits*k +: {stem}Bits]", values, "    ", before),
        "  end",
        "",
    ]


def _join_elements(layout: Layout, field: Field) -> list[str]:
    size, count = _size_name(layout, field), _elements(field)
    target = f"{field.port}[{size}*k +: {size}]"
    given = _cast(_select(f"{field.port}_i", field.width, "k"), field.width, field.size)
    if field.multiple == 1:
        inner = [f"    assign {target} = {given};"]
    else:
        inner = [
            f"    if (k < {field.elements}) begin : gen_given",
            f"      assign {target} = {given};",
            "    end else begin : gen_added",
            f"      assign {target} = {field.size}'d0;",
            "    end",
        ]
    return [
        f"  logic [{count}*{size}-1:0] {field.port};",
        f"  for (genvar k = 0; k < {count}; k++) begin : gen_{field.port}",
        *inner,
        "  end",
        "",
    ]
