# SPDX-License-Identifier: Apache-2.0
"""[bus] of dut.toml: the registers of an IP, and what is written to them and read from them before and during a run.

The accesses are made by SystemVerilog in the wrapper (flow/dut/bus_master.py), so that a bulk run needs no Python in
between, and their values are expressions of our signals, which hold the options of each run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rvtrace.flow.dut.elaborate import Port
from rvtrace.flow.dut.expressions import ExpressionError, expression
from rvtrace.flow.dut.names import names, near
from rvtrace.jobs import systems

_KEYS = ("kind", "address_width", "data_width", "prefix", "timeout", "registers", "start", "on")
_OPERATIONS = ("write", "read", "poll", "wait")
_LONGEST = 65535  # cycles of a wait, as the width of its counter
_MOST = 255  # steps of a list, as the width of their number
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_PREFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*|")


class BusError(ValueError):
    """A [bus] that cannot be used; the text says which key, what was found and what to do."""


@dataclass(frozen=True)
class Kind:
    """A bus. module: its master. driven: its signals that we drive, and answered: those of the IP, each with its bits
    ("A": address, "D": data, "B": bytes of the data). default: of the answers that an IP may do without.
    """

    module: str
    driven: Mapping[str, int | str]
    answered: Mapping[str, int | str]
    default: Mapping[str, str]


KINDS = {
    "apb": Kind(
        "dut_bus_apb",
        {"psel": 1, "penable": 1, "pwrite": 1, "paddr": "A", "pwdata": "D", "pstrb": "B", "pprot": 3},
        {"pready": 1, "pslverr": 1, "prdata": "D"},
        {"pready": "1'b1", "pslverr": "1'b0"},
    ),
    "axi4-lite": Kind(
        "dut_bus_axi4_lite",
        {
            "awvalid": 1, "awaddr": "A", "awprot": 3, "wvalid": 1, "wdata": "D", "wstrb": "B", "bready": 1,
            "arvalid": 1, "araddr": "A", "arprot": 3, "rready": 1,
        },
        {
            "awready": 1, "wready": 1, "bvalid": 1, "bresp": 2, "arready": 1, "rvalid": 1, "rdata": "D", "rresp": 2,
        },
        {"bresp": "2'b00", "rresp": "2'b00"},
    ),
    "tl-ul": Kind(
        "dut_bus_tl_ul",
        {
            "a_valid": 1, "a_opcode": 3, "a_param": 3, "a_size": 2, "a_source": 1, "a_address": "A", "a_mask": "B",
            "a_data": "D", "d_ready": 1,
        },
        {"a_ready": 1, "d_valid": 1, "d_opcode": 3, "d_error": 1, "d_data": "D"},
        {"d_opcode": "3'd0", "d_error": "1'b0"},
    ),
    "csr": Kind(
        "dut_bus_csr",
        {"valid": 1, "write": 1, "addr": "A", "wdata": "D"},
        {"ready": 1, "error": 1, "rdata": "D"},
        {"ready": "1'b1", "error": "1'b0"},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """An access, or a pause. operation: one of write, read, poll and wait. register: its name, or its address as text.
    value, mask: expressions; of a pause value is its cycles.
    """

    operation: str
    register: str
    address: int
    value: str
    mask: str

    @property
    def text(self) -> str:
        """For messages: poll te_status (0x4)."""
        if self.operation == "wait":
            return f"wait {self.value}"
        where = f"{self.address:#x}"
        return f"{self.operation} {where if where == self.register else f'{self.register} ({where})'}"


@dataclass(frozen=True)
class Steps:
    """A list. where: its place in dut.toml. change, when: the expression that starts it, "" of the one after reset."""

    where: str
    change: str
    when: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Bus:
    """[bus] of a dut.toml. prefix: of the ports that need no line. timeout: cycles of a step. lists: the first is that
    after reset.
    """

    kind: Kind
    name: str
    address_width: int
    data_width: int
    prefix: str
    timeout: int
    lists: tuple[Steps, ...]

    @property
    def ports(self) -> dict[str, Port]:
        """Its signals as ports of ours: inputs can be used in [inputs], outputs need an expression in [outputs]."""
        found = {
            f"bus_{name}": Port(f"bus_{name}", "input", self.bits(bits)) for name, bits in self.kind.driven.items()
        }
        found |= {
            f"bus_{name}": Port(f"bus_{name}", "output", self.bits(bits)) for name, bits in self.kind.answered.items()
        }
        return found

    @property
    def starts(self) -> list[str]:
        """The names in the expressions that start a list during a run."""
        return [name for one in self.lists for name in names(one.change or one.when)]

    @property
    def defaults(self) -> dict[str, str]:
        """Of the outputs that may be left out, their values."""
        return {f"bus_{name}": value for name, value in self.kind.default.items()}

    def bits(self, bits: int | str) -> int:
        """The width of a signal."""
        words = {"A": self.address_width, "D": self.data_width, "B": self.data_width // 8}
        return words[bits] if isinstance(bits, str) else bits

    def port_of(self, theirs: str) -> str:
        """The signal that a port of the IP is called after, "" if it is none."""
        name = f"bus_{theirs[len(self.prefix) :]}" if theirs.startswith(self.prefix) else ""
        return name if name in self.ports else ""


def bus_of(given: Mapping[str, Any] | None, ip: str) -> Bus | None:
    """From [bus]; None if there is none; BusError."""
    if given is None:
        return None
    if not systems.foreign(ip).pulses:
        raise BusError(
            f"[bus]: registers of IP={ip} are CSRs, and its CSR port is driven in every run; take the table away, and"
            " map csr_valid_i, csr_addr_i and csr_wdata_i in [inputs]"
        )
    _known("[bus]", given, _KEYS)
    name = given.get("kind")
    if name not in KINDS:
        what = "has no kind" if name is None else f"kind = {name!r} is no bus we know"
        hint = near(str(name), KINDS) if name is not None else ""
        raise BusError(f"[bus] {what}; {hint}write kind = " + " or ".join(f'"{one}"' for one in KINDS))
    address_width = _number(given, "address_width", 12 if name == "csr" else 32, 1, 64)
    data_width = _number(given, "data_width", 32, 32, 64)
    if data_width not in (32, 64):
        raise BusError(f"[bus] data_width = {data_width} is no width of a register; write 32 or 64")
    prefix = given.get("prefix", "")
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        raise BusError(
            f'[bus] prefix = {prefix!r} is no beginning of a port name; write one, such as prefix = "s_apb_"'
        )
    registers = _registers(given.get("registers", {}), address_width, 1 if name == "csr" else data_width // 8)
    start = Steps("[[bus.start]]", "", "", _steps("[[bus.start]]", given.get("start", []), registers, address_width))
    return Bus(
        KINDS[name],
        name,
        address_width,
        data_width,
        prefix,
        _number(given, "timeout", 10_000, 1, 1_000_000),
        (start, *_during(given.get("on", []), registers, address_width)),
    )


def _known(where: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise BusError(f"{where} has the unknown key {name}; {near(name, known)}known are {', '.join(known)}")


def _number(given: Mapping[str, Any], key: str, default: int, low: int, high: int) -> int:
    value = given.get(key, default)
    if type(value) is not int or not low <= value <= high:
        raise BusError(f"[bus] {key} = {value!r} is no number from {low} to {high}; write one")
    return value


def _registers(given: Any, address_width: int, step: int) -> dict[str, int]:
    if not isinstance(given, dict):
        raise BusError("[bus] registers is no table; write [bus.registers], and a line name = address for each")
    for name, address in given.items():
        where = f"[bus.registers] {name} = {address!r}"
        if type(address) is not int or not 0 <= address < 1 << address_width:
            raise BusError(f"{where} is no address of {address_width} bits; write a number, such as {name} = 0x10")
        if address % step:
            raise BusError(f"{where} is no multiple of {step}, the bytes of a register; correct it, or data_width")
    return dict(given)


def _steps(where: str, given: Any, registers: Mapping[str, int], address_width: int) -> tuple[Step, ...]:
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        raise BusError(f'{where} is no list of steps; write tables such as {{ write = "control", value = 1 }}')
    if len(given) > _MOST:
        raise BusError(f"{where} has {len(given)} steps, and a list has at most {_MOST}; leave some out")
    return tuple(_step(f"{where}, step {number}", row, registers, address_width) for number, row in enumerate(given, 1))


def _step(where: str, row: Mapping[str, Any], registers: Mapping[str, int], address_width: int) -> Step:
    found = [name for name in _OPERATIONS if name in row]
    if len(found) != 1:
        raise BusError(f"{where} is {' and '.join(found) or 'nothing to do'}; give one of {', '.join(_OPERATIONS)}")
    operation = found[0]
    _known(where, row, (operation, *{"write": ("value",), "poll": ("value", "mask")}.get(operation, ())))
    if operation == "wait":
        cycles = row["wait"]
        if type(cycles) is not int or not 1 <= cycles <= _LONGEST:
            raise BusError(f"{where}: wait = {cycles!r} is no number of cycles from 1 to {_LONGEST}; write one")
        return Step(operation, "", 0, str(cycles), "0")
    register = row[operation]
    if type(register) is int and 0 <= register < 1 << address_width:
        address, shown = register, f"{register:#x}"
    elif register in registers:
        address, shown = registers[str(register)], str(register)
    else:
        raise BusError(
            f"{where}: {operation} = {register!r} is no register; {near(str(register), registers)}"
            f"[bus.registers] has {', '.join(registers) or 'none'}"
        )
    if operation != "read" and "value" not in row:
        raise BusError(f'{where}: {operation} of {shown} has no value; add value = "..."')
    try:
        value, mask = (
            expression(f"{where}: value", row.get("value", 0)),
            expression(f"{where}: mask", row.get("mask", "'1")),
        )
    except ExpressionError as error:
        raise BusError(str(error)) from None
    return Step(operation, shown, address, value, mask)


def _during(given: Any, registers: Mapping[str, int], address_width: int) -> list[Steps]:
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        raise BusError("[bus] on is no list of tables; write [[bus.on]], with two brackets, above each")
    found = []
    for number, row in enumerate(given, 1):
        where = f"[[bus.on]] {number}"
        _known(where, row, ("change", "when", "steps"))
        if ("change" in row) == ("when" in row):
            raise BusError(
                f'{where} needs one of change and when; write change = "enable_i" to run it at each change of a value,'
                ' or when = "!enable_i" each time that becomes true'
            )
        key = "change" if "change" in row else "when"
        try:
            start = expression(f"{where} {key}", row[key])
        except ExpressionError as error:
            raise BusError(str(error)) from None
        steps = _steps(where, row.get("steps", []), registers, address_width)
        found.append(Steps(where, start if key == "change" else "", start if key == "when" else "", steps))
    return found
