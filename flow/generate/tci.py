# SPDX-License-Identifier: Apache-2.0
"""The register table of the Trace Control Interface as an RTL package and a page; `python -m rvtrace.flow.generate`
writes them.
"""

from __future__ import annotations

from typing import Any

from rvtrace.flow.generate.source import Source, access, bits, place, vector
from rvtrace.models.csr.table import Field, Legal, Register
from rvtrace.models.tci.registers import Component, Params, components, registers

ORIGIN = "models/tci/registers.py"
_MOST: dict[str, Any] = {"harts": 8, "filters": 16, "comparators": 8, "smem_bits": 64}
EVERYTHING, ETRACE = Params(**_MOST), Params.etrace(**_MOST)


# --- The RTL package --------------------------------------------------------------------------------


def _camel(name: str) -> str:
    """trTeFilter0Control -> TrTeFilterControl: registers of filter 0 and comparator 0 represent all."""
    name = name.replace("Filter0", "Filter").replace("Comp0", "Comp")
    return name[0].upper() + name[1:]


def _settable(register: Register) -> int:
    """The bits some write can set, in the implementation with every option."""
    mask = 0
    for f in register.fields:
        if f.access in ("RW", "WARL"):
            laws = [f.legal, *(case.legal for case in f.cases)]
            if any(law.values is None or len(law.values) > 1 for law in laws):
                mask |= f.put(0, sum({1 << b for law in laws for b in range(f.width) if _reaches(law, b)}))
    return mask


def _reaches(law: Legal, bit: int) -> bool:
    return bool(law.mask >> bit & 1) if law.values is None else any(v >> bit & 1 for v in law.values)


def _package() -> list[str]:
    """Text of `trace_reg_pkg.sv`: offsets, reset values, settable bits, and the place of each field."""
    lines = []
    seen: set[str] = set()
    for component in components(Params(filters=1, comparators=1, harts=1)):
        full = {r.offset: r for r in registers(component.name, EVERYTHING)}
        lines += [
            "",
            f"  // {component.title}.",
            vector(f"{_camel(component.prefix)}Type", 4, component.comp_type),
        ]
        for register in component.registers:
            lines += _register_lines(full[register.offset], seen)
    lines += ["", "  // The same where trTeFormat = 0 (E-Trace) makes a difference."]
    for register, other in _different():
        lines += _other_lines(register, other)
    return lines


def _different() -> list[tuple[Register, Register]]:
    """The registers that E-Trace has otherwise: with N-Trace, with E-Trace."""
    found = []
    for one, other in zip(components(EVERYTHING), components(ETRACE)):
        theirs = {register.offset: register for register in other.registers}
        pairs = [(register, theirs[register.offset]) for register in one.registers if register.offset in theirs]
        found += [(a, b) for a, b in pairs if [_law_of(f) for f in a.fields] != [_law_of(f) for f in b.fields]]
    return found


def _law_of(f: Field) -> tuple[Any, ...]:
    """What hardware has to know of a field."""
    return f.name, f.access, f.reset, f.legal, f.cases


def _other_lines(register: Register, other: Register) -> list[str]:
    """What of a register E-Trace has otherwise; all names begin with Etrace."""
    known, lines = {f.name: f for f in register.fields}, [""]
    name = "Etrace" + _camel(other.name)
    if other.reset != register.reset:
        lines.append(vector(f"{name}Reset", 32, other.reset))
    if _settable(other) != _settable(register):
        lines.append(vector(f"{name}Mask", 32, _settable(other)))
    for f in other.fields:
        if f.name not in known:
            lines.append(place(f"{_camel(f.name)}", f))
        elif f.access == "WARL" and f.legal != known[f.name].legal:
            lines += _law_lines(f, "Etrace" + _camel(f.name))
    return lines if len(lines) > 1 else []


def _register_lines(register: Register, seen: set[str]) -> list[str]:
    name = _camel(register.name)
    if name in seen:  # the timestamp unit of the funnel has the encoder's layout
        return []
    seen.add(name)
    lines = ["", vector(f"{name}Offset", 12, register.offset)]
    settable = _settable(register)
    if register.reset or settable:
        lines.append(vector(f"{name}Reset", 32, register.reset))
    if settable:
        lines.append(vector(f"{name}Mask", 32, settable))
    for f in register.fields:
        lines += _field_lines(f, name)
    return lines


def _field_lines(f: Field, register: str) -> list[str]:
    name = _camel(f.name)
    name = name + "Field" if name == register else name
    lines = [place(f"{name}", f)]
    if f.access == "WARL" and f.legal.values is not None and len(f.legal.values) > 1:
        lines += _law_lines(f, name)
    return lines


def _law_lines(f: Field, name: str) -> list[str]:
    """Legal values of a field of some bits: bit n is 1 if n is legal, and what else turns into."""
    if f.legal.values is None or f.width == 1:
        return []
    size = 1 << f.width
    legal = sum(1 << v for v in f.legal.values)
    return [
        f"  localparam logic [{size - 1}:0] {name}Legal = {size}'h{legal:0{size // 4}X};",
        f"  localparam logic [{f.width - 1}:0] {name}Otherwise = {f.width}'d{f.legal.otherwise};",
    ]


# --- The documentation page -------------------------------------------------------------------------

_INTRO = f"""# Trace control: the registers

Generated from `{ORIGIN}`. How its RTL is built:
[rtl-tci.md](rtl-tci.md). The register map is that of the RISC-V Trace Control Interface 1.0.

- Every register is 32 bits wide; a component has 4 KiB. What is not listed reads 0 and ignores writes.
- `Active` = 0 resets the component. Its registers then read their reset values and ignore writes; a write that
  sets `Active` takes nothing else. (The specification leaves all this open.) `trTsActive` does the same for the
  timestamp registers.
- To reset a component: write 0, poll `Active` = 0, write 1, poll `Active` = 1. To trace: set up and enable the
  sink, then the funnel, then the encoders, then set `trTeInstTracing`. To stop: clear `Enable` in the reverse order
  and poll `Enable` = 0 and `Empty` = 1 each time.
- Reset values in italics are open in the specification and this implementation's own.
- Legal values are those of an implementation with every option; a write of anything else leaves what follows the arrow.
"""

_ETRACE = """## E-Trace

With `trTeFormat` = 0 the same registers belong to an E-Trace encoder; `Params.etrace()` is their column of the table.
Different are the fields below. `trTeInstNoAddrDiff` is the option full_address of the E-Trace specification,
`trTeInstNoTrapAddr` implicit_exception, `trTeInstEnSequentialJump` sijump, and the other three have the same name.
What its chapter Encoder Control calls not applicable is hard-wired; an option whose hardware is not built (no
predictor, no cache, no return stack) is 0. With a call counter instead of a return stack
`trTeInstImplicitReturnMode` is 1.
"""


def _page() -> str:
    """The page of the registers."""
    lines = [_INTRO]
    for component in components(Params(filters=1, comparators=1)):
        lines += _component_lines(component)
    lines += _etrace_lines()
    return "\n".join(lines).rstrip() + "\n"


def _component_lines(component: Component) -> list[str]:
    where = f"{component.bases[0]:#06x}" if component.comp_type != 1 else "hart * 0x1000"
    lines = [f"## {component.title}", "", f"Base: {where}. Component type {component.comp_type:#x}.", ""]
    lines += ["| offset | register | |", "| --- | --- | --- |"]
    lines += [f"| {_offset(r)} | `{_any(r.name)}` | {_any(r.what)} |" for r in component.registers]
    lines.append("")
    for register in component.registers:
        lines += [f"### {_any(register.name)}", "", f"Offset {_offset(register)}. Section: {register.section}.", ""]
        lines += ["| bits | field | access | reset | legal | |", "| --- | --- | --- | --- | --- | --- |"]
        full = {r.offset: r for r in registers(component.name)}[register.offset]
        lines += [_row(f) for f in full.fields]
        lines.append("")
    return lines


def _etrace_lines() -> list[str]:
    """What is otherwise with E-Trace encoders."""
    lines = [_ETRACE]
    lines += ["| register | bits | field | access | reset | legal | |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for register, other in _different():
        known = {f.name: f for f in register.fields}
        for f in other.fields:
            if f.name not in known or _law_of(f) != _law_of(known[f.name]):
                lines.append(f"| `{other.name}` {_row(f)}")
    gone = {r.name for r in registers("encoder", EVERYTHING)} - {r.name for r in registers("encoder", ETRACE)}
    lines += ["", f"Not there: {', '.join(f'`{name}`' for name in sorted(gone))}.", ""]
    return lines


def _any(text: str) -> str:
    for old, new in (
        ("Filter0", "Filter*i*"),
        ("filter 0", "filter *i*"),
        ("Comp0", "Comp*j*"),
        ("comparator 0", "comparator *j*"),
    ):
        text = text.replace(old, new)
    return text.replace("*i*", "_i_").replace("*j*", "_j_")


def _offset(register: Register) -> str:
    if "Filter0" in register.name:
        return f"{register.offset:#05x} + 0x20 _i_"
    return f"{register.offset:#05x} + 0x20 _j_" if "Comp0" in register.name else f"{register.offset:#05x}"


def _row(f: Field) -> str:
    reset = f"{f.reset:#x}" if f.reset > 9 else str(f.reset)
    return (
        f"| {bits(f)} | `{f.name}` | {access(f)} | {f'*{reset}*' if f.undefined else reset} | {_legal(f)} | {f.what} |"
    )


def _legal(f: Field) -> str:
    if f.access not in ("RW", "WARL"):
        return ""
    if f.cases:
        shown = {f"{case.field}={case.value}: {_law(case.legal, f.width)}": None for case in f.cases}
        if len({case.legal for case in f.cases}) == 1:
            values = ", ".join(str(case.value) for case in f.cases)
            shown = {
                f"{f.cases[0].field} {values}: {_law(f.cases[0].legal, f.width)}; else {_law(f.legal, f.width)}": None
            }
        return "; ".join(shown)
    return _law(f.legal, f.width)


def _law(law: Legal, width: int) -> str:
    every = (1 << width) - 1
    if law.values is not None:
        if len(law.values) == 1:
            return f"{law.values[0]}"
        shown = ", ".join(map(str, law.values)) if len(law.values) < 8 else f"{law.values[0]} to {law.values[-1]}"
        return shown if len(law.values) > every else f"{shown} → {law.otherwise}"
    if law.mask & every == every:
        return "any"
    return f"bits {law.mask & every:#x}" if law.mask & every else "0"


SOURCE = Source(
    ORIGIN,
    "rtl/tci/trace_reg_pkg.sv",
    "Registers of the Trace Control Interface: offsets, reset values, settable bits, fields.",
    _package,
    ("Masks and legal values are those of an implementation with every option, and as many units as there can be.",),
    "reference/tci-registers.md",
    _page,
)
