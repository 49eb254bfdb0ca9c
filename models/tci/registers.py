# SPDX-License-Identifier: Apache-2.0
"""The register table of the Trace Control Interface 1.0, ready to use: components, registers, fields, and what a write
leaves.

One table for everybody (`rvtrace.models.csr`): `flow/generate` writes the RTL package and the documentation page from
it, the testbench its register model and checks. Rows are in `encoder_rows` and `stream_rows`, components in `layout`.

    components()                      the four kinds of component, default implementation
    registers("encoder", params)      registers of one kind, by offset
    legalize("trTeControl", v)        what a read gives after a write of v (component enabled or not, but active)
    written("trTeControl", old, v)    the same, with RW1C bits and what a read-only field held

The rules that hold for every component (the specification's, or ours where it says nothing):
- A register outside the table reads 0 and ignores writes.
- tr??Active = 0 holds all registers of the component at their reset values and ignores writes (the specification leaves
  this open), except the Active bit itself; a write that sets Active takes nothing else.
  trTsActive does the same for the timestamp registers.
- Every access is a whole 32-bit word.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from rvtrace.models.csr.table import Case, ControlError, Field, Legal, Register, reachable
from rvtrace.models.tci.encoder_rows import encoder_registers
from rvtrace.models.tci.layout import Component, Params
from rvtrace.models.tci.stream_rows import funnel_registers, pin_sink_registers, ram_sink_registers

__all__ = ["Case", "Component", "ControlError", "Field", "Legal", "Params", "Register", "address", "component",
           "components", "initial", "legalize", "reachable", "registers", "written"]  # fmt: skip

COMPONENT_BYTES = 0x1000
DEFAULT = Params()


@cache
def components(params: Params = DEFAULT) -> tuple[Component, ...]:
    """The four kinds of component. Encoder i is at i * 0x1000, the others where their type says: type * 0x1000."""
    return (
        Component("encoder", 0x1, "trTe", "Trace encoder", tuple(i * COMPONENT_BYTES for i in range(params.harts)),
                  encoder_registers(params)),
        Component("funnel", 0x8, "trFunnel", "Trace funnel", (0x8000,), funnel_registers(params)),
        Component("ram_sink", 0x9, "trRam", "RAM sink", (0x9000,), ram_sink_registers(params)),
        Component("pin_sink", 0xA, "trPib", "Pin sink", (0xA000,), pin_sink_registers(params)),
    )  # fmt: skip


@cache
def component(name: str, params: Params = DEFAULT) -> Component:
    """One component by name; ControlError if there is none."""
    found = [c for c in components(params) if c.name == name]
    if not found:
        raise ControlError(f"there is no component {name}; give one of {', '.join(c.name for c in components(params))}")
    return found[0]


def registers(name: str, params: Params = DEFAULT) -> tuple[Register, ...]:
    """The registers of one component, by offset."""
    return component(name, params).registers


def address(name: str, register: str, index: int = 0, params: Params = DEFAULT) -> int:
    """Byte address of a register of component number `index` (the hart for encoders)."""
    found = component(name, params)
    if not 0 <= index < len(found.bases):
        raise ControlError(f"there is no {name} {index}; there are {len(found.bases)}")
    return found.bases[index] + found.register(register).offset


def _find(register: str | Register, params: Params) -> Register:
    if isinstance(register, Register):
        return register
    for found in components(params):
        for candidate in found.registers:
            if candidate.name == register:
                return candidate
    raise ControlError(f"there is no register {register}; give a name such as trTeControl")


def initial(register: str | Register, params: Params = DEFAULT) -> int:
    """Reset value, which is also what a read gives while the component is inactive."""
    return _find(register, params).reset


def legalize(
    register: str | Register, value: int, params: Params = DEFAULT, state: Mapping[str, int] | None = None
) -> int:
    """What a read gives after a write of `value`, as far as the write alone decides it.

    Read-only fields keep their reset value, RW1C and W1 fields read 0. `state` gives fields of other registers that
    decide what is legal (trRamMode for the RAM sink's addresses; its reset value if it is left out). trTsControl has
    its own registers in encoder and funnel: pass the Register, not the name.
    """
    return _find(register, params).warl(value, {"trRamMode": 0 if params.sram_bytes else 1, **(state or {})})


def written(
    register: str | Register,
    old: int,
    value: int,
    params: Params = DEFAULT,
    state: Mapping[str, int] | None = None,
    *,
    active: bool = True,
) -> int:
    """The register after a write of `value` over `old`, if hardware changes nothing in the same cycle.

    active: the component is active (for trTsControl: its timestamp unit); else only the Active bit of a control
    register takes the write. Writing Active = 0 resets the register.
    """
    found = _find(register, params)
    first = found.fields[0]
    control = first.name == found.active
    if control and not (value & 1):
        return found.reset
    if not active:
        return found.reset | 1 if control else found.reset
    result = legalize(found, value, params, state)
    for field in found.fields:
        if field.access == "RO":
            result = field.put(result, field.get(old))
        elif field.access == "RW1C":
            result = field.put(result, field.get(old) & ~field.get(value))
    return result
