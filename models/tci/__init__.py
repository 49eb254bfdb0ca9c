# SPDX-License-Identifier: Apache-2.0
"""RISC-V Trace Control Interface 1.0: the register table, the reference model of its registers, and models of funnel
and sinks.

    from rvtrace.models.tci import Params, RegisterModel, address

    params = Params(harts=2)
    address("encoder", "trTeControl", 1, params)   # byte address of a register of the second encoder
    model = RegisterModel(params)                  # follows writes and reads of a bus and says what a read must give

`components(params)`, `component(name, params)`: the register table, registers and fields with offsets, access and legal
values (chapter 5 on). `Grammar`: where messages of a byte stream start and end, for N-Trace and E-Trace; `RamSink`,
`Receiver` (pin sink) and `Sent` (funnel) use it. ControlError is a ValueError about a name or number that does not
exist; RamSinkError about pointers that a RAM sink cannot have.
"""

from rvtrace.models.csr.table import ControlError, Field, Register
from rvtrace.models.tci.funnel import Sent
from rvtrace.models.tci.grammar import EtraceGrammar, Grammar, NtraceGrammar
from rvtrace.models.tci.layout import Component, Params
from rvtrace.models.tci.pin_sink import Receiver
from rvtrace.models.tci.ram_sink import RamSink, RamSinkError
from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.models.tci.registers import address, component, components

__all__ = [
    "Component",
    "ControlError",
    "EtraceGrammar",
    "Field",
    "Grammar",
    "NtraceGrammar",
    "Params",
    "RamSink",
    "RamSinkError",
    "Receiver",
    "Register",
    "RegisterModel",
    "Sent",
    "address",
    "component",
    "components",
]
