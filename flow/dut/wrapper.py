# SPDX-License-Identifier: Apache-2.0
"""The module that replaces ours and contains an IP: our name and ports outside, its module inside, and between them the
expressions of dut.toml.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rvtrace.flow.dut import bus_master
from rvtrace.flow.dut.names import renamed

if TYPE_CHECKING:
    from rvtrace.flow.dut.description import Dut
    from rvtrace.flow.dut.elaborate import Port
    from rvtrace.flow.dut.reference import Reference

YOURS = "your_"  # before the names of the IP's ports: they may be the same as ours
PATTERN = "'{"  # begins an assignment pattern, which has the width of what it is assigned to
_BITS = "bits_of_"


def width_name(number: int) -> str:
    """The localparam of a probe that holds the width of an expression."""
    return f"{_BITS}{number}"


def stub(dut: Dut, ours: Reference, parameters: Mapping[str, str]) -> str:
    """Our module around the IP with nothing connected: enough to see its ports with these parameters."""
    return f"{ours.header}\n  {_instance(dut, parameters)} ();\nendmodule\n"


def _instance(dut: Dut, parameters: Mapping[str, str]) -> str:
    given = ", ".join(f".{name}({value})" for name, value in parameters.items())
    return f"{dut.top} {f'#({given}) ' if given else ''}u_ip"


def text(
    dut: Dut,
    ours: Reference,
    parameters: Mapping[str, str],
    theirs: dict[str, Port],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    programmed: Sequence[Any] = (),
) -> tuple[str, dict[int, Any]]:
    """The wrapper, and of its lines the signal whose expression they hold. programmed: the expressions of [bus]."""
    body = [
        f"// {dut.title} as {ours.name}: made from {dut.path.name}, do not edit.",
        "`default_nettype wire  // whatever the files before left",
        *ours.header.splitlines(),
        "",
    ]
    lines: dict[int, Any] = {}
    for port in theirs.values():
        if port.direction == "output" and port.width:
            body.append(f"  {port.type or 'wire'} {'' if port.type else _range(port)}{YOURS}{port.name};")
    if dut.bus is not None:
        now = namer(ours, theirs, first="ours")
        more, numbered = bus_master.text(dut.bus, dut.ip, ours, now, list(programmed))
        lines |= {len(body) + 1 + number: signal for number, signal in numbered.items()}
        body += more
    to = _seen(dut, ours, namer(ours, theirs, first="ours"))
    for signal in inputs:
        if signal.port.width:
            lines[len(body) + 1] = signal
            body.append(_driven(signal.port, renamed(signal.expression or "0", to)))
    body += ["", f"  {_instance(dut, parameters)} ("]
    pins = []
    if dut.clock:
        pins.append(f".{dut.clock}({'' if dut.rising else '!'}clk_i)")
    if dut.reset:
        pins.append(f".{dut.reset}({'' if dut.reset_low else '!'}rst_ni)")
    pins += [
        f".{port.name}({YOURS}{port.name})"
        for port in theirs.values()
        if port.width and port.name not in (dut.clock, dut.reset)
    ]
    body += [f"    {pin}," for pin in pins[:-1]] + [f"    {pin}" for pin in pins[-1:]] + ["  );", ""]
    to = _seen(dut, ours, namer(ours, theirs, first="theirs"))
    for signal in outputs:
        lines[len(body) + 1] = signal
        value = renamed(signal.expression or "0", to)
        if dut.bus is not None:
            value = bus_master.waiting(signal.port.name, value)
        body.append(f"  assign {signal.port.name} = {value};")
    return "\n".join([*body, "", "endmodule", ""]), lines


def probe(wrapper: str, ours: Reference, theirs: dict[str, Port], inputs: Sequence[Any], outputs: Sequence[Any]) -> str:
    """The wrapper with a localparam for the width of each expression."""
    lines = []
    for number, signal in enumerate([*inputs, *outputs]):
        to = namer(ours, theirs, first="ours" if number < len(inputs) else "theirs")
        if signal.expression and signal.state == "ok" and PATTERN not in signal.expression:
            lines.append(f"  localparam int {width_name(number)} = $bits({renamed(signal.expression, to)});")
    head, _, tail = wrapper.rpartition("endmodule")
    return f"{head}{chr(10).join(lines)}\nendmodule{tail}"


def namer(ours: Reference, theirs: dict[str, Port], first: str) -> Callable[[str], str]:
    """What a name of an expression is in the wrapper. In [inputs] our ports come first, in [outputs] the IP's."""

    def to(name: str) -> str:
        mine = name in ours.ports or name in ours.parameters
        if name in theirs and (not mine or (first == "theirs" and theirs[name].direction == "output")):
            return YOURS + name
        return name

    return to


def _driven(port: Port, value: str) -> str:
    """The line that gives an input its value: one of an enum or struct may be an integral value, or a pattern."""
    name = f"{YOURS}{port.name}"
    if not port.type:
        return f"  wire {_range(port)}{name} = {value};"
    given = value if PATTERN in value else f"{port.type}'({value})"
    return f"  {port.type} {name}; assign {name} = {given};"


def _seen(dut: Dut, ours: Reference, to: Callable[[str], str]) -> Callable[[str], str]:
    """The names as the IP sees them: some signals of ours wait with the hart while its registers are programmed."""
    if dut.bus is None:
        return to
    waits = bus_master.held(dut.ip, ours)

    def seen(name: str) -> str:
        found = to(name)
        return bus_master.shown(found) if found in waits else found

    return seen


def _range(port: Port) -> str:
    return f"[{port.width - 1}:0] " if port.width > 1 else ""
