# SPDX-License-Identifier: Apache-2.0
"""The part of a wrapper that programs the registers of an IP: the master of its bus, the table of steps, and the hart
that waits meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rvtrace.flow.dut.bus import Bus, Steps
from rvtrace.flow.dut.names import renamed
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.tb.common.agents.reset import PROGRAMMING

if TYPE_CHECKING:
    from rvtrace.flow.dut.elaborate import Port
    from rvtrace.flow.dut.reference import Reference

_CODE = {"write": 1, "read": 2, "poll": 3, "wait": 4}
# The ports of dut_bus_steps and our names of what is at them, beside the access itself.
_STEPS_IN = {"want": "want", "op": "op", "addr": "at", "value": "value", "mask": "mask"}
_STEPS_OUT = {
    "begin": "begin", "end": "end", "busy": "busy", "list": "list", "step": "step", "req": "req", "failed": "failed",
    "refused": "refused", "last": "last",
}  # fmt: skip
_CHANGE = 256  # bits of a value whose change starts a list
_HELD = "held_"  # before the names of our signals that the IP sees as they were while the hart waits


def files(bus: Bus | None) -> list[Path]:
    """The SystemVerilog it needs."""
    hdl = ROOT / "tb" / "common" / "hdl"
    return [hdl / "dut_bus_steps.sv", hdl / f"{bus.kind.module}.sv"] if bus else []


def held(ip: str, ours: Reference) -> dict[str, Port]:
    """Our signals that wait with the hart, by name."""
    foreign = systems.foreign(ip)
    return {name: ours.ports[name] for name in (*foreign.pulses, *foreign.levels) if name in ours.ports}


def shown(name: str) -> str:
    """What the IP sees of a signal that waits with the hart."""
    return f"{_HELD}{name}"


def waiting(name: str, expression: str) -> str:
    """An output of ours while the hart waits: nothing is taken, lost or at its end; after a failure all is over."""
    if name in ("ing_ready_o", "in_ready_o", "empty_o"):
        return f"bus_failed || (({expression}) && !bus_hold)"
    return f"({expression}) && !bus_hold" if name == "drop_o" else expression


def text(
    bus: Bus, ip: str, ours: Reference, to: Callable[[str], str], signals: list[Any]
) -> tuple[list[str], dict[int, Any]]:
    """Lines for the wrapper, and of their numbers, from 0, the signal whose expression they hold.

    to: how an expression of dut.toml is written in the wrapper. signals: one for each expression, as `programmed` gives
    them.
    """
    lines: list[str] = []
    numbered: dict[int, Any] = {}
    address, data, lists = bus.address_width, bus.data_width, len(bus.lists)
    lines += [f"  wire {_range(port.width)}{name};" for name, port in bus.ports.items()]
    left = iter(signals)
    for k, one in enumerate(bus.lists):
        for n, step in enumerate(one.steps):
            for part in ("value", "mask"):
                if step.operation == ("poll" if part == "mask" else step.operation) and step.operation != "read":
                    signal = next(left)
                    numbered[len(lines)] = signal
                    lines.append(f"  wire [{data - 1}:0] bus_{part}_{k}_{n} = {renamed(signal.expression, to)};")
        if k:
            signal = next(left)
            numbered[len(lines)] = signal
            width = _range(1 if one.when else _CHANGE)
            lines.append(f"  wire {width}bus_now_{k} = {renamed(signal.expression, to)};")
    lines += _state(bus)
    lines += _table(bus)
    shape = f".AddrBits({address}), .DataBits({data})"
    request = ["write", "addr", "wdata"]
    answer = ["done", "error", "rdata"]
    steps = {f"{name}_i": f"bus_{to}" for name, to in _STEPS_IN.items()}
    steps |= {f"{name}_o": f"bus_{to}" for name, to in _STEPS_OUT.items()}
    steps |= {f"{name}_o": f"bus_req_{name}" for name in request} | {f"{name}_i": f"bus_req_{name}" for name in answer}
    master = {"req_i": "bus_req"} | {f"{name}_i": f"bus_req_{name}" for name in request}
    master |= {f"{name}_o": f"bus_req_{name}" for name in answer}
    master |= {f"{name}_o": f"bus_{name}" for name in bus.kind.driven}
    master |= {f"{name}_i": f"bus_{name}" for name in bus.kind.answered}
    lines += [
        *_instance("dut_bus_steps", f".Lists({lists}), {shape}, .Timeout({bus.timeout})", "u_bus_steps", steps),
        *_instance(bus.kind.module, shape, "u_bus", master),
        *_report(bus),
    ]
    for name, port in held(ip, ours).items():
        if name in systems.foreign(ip).pulses:
            lines.append(f"  wire {_range(port.width)}{shown(name)} = bus_hold ? '0 : {name};")
            continue
        lines += [
            f"  reg {_range(port.width)}kept_{name};",
            *_register(f"kept_{name}", "'0", "!bus_hold", name),
            f"  wire {_range(port.width)}{shown(name)} = bus_hold ? kept_{name} : {name};",
        ]
    return lines, numbered


def expressions(bus: Bus) -> list[tuple[str, str, int]]:
    """Every expression, in the order of the wrapper: where it is in dut.toml, what it is, its bits."""
    found = []
    for one in bus.lists:
        for number, step in enumerate(one.steps, 1):
            where = f"{one.where}, step {number} ({step.text}):"
            if step.operation != "read":
                found.append((f"{where} value", step.value, bus.data_width))
            if step.operation == "poll":
                found.append((f"{where} mask", step.mask, bus.data_width))
        if one.change or one.when:
            found.append(
                (f"{one.where} {'when' if one.when else 'change'}", one.when or one.change, 1 if one.when else _CHANGE)
            )
    return found


def _state(bus: Bus) -> list[str]:
    """What was programmed, and what is to be: `bus_want`, `bus_hold`."""
    lists = len(bus.lists)
    address, data = _range(bus.address_width), _range(bus.data_width)
    lines = [
        f"  wire {_range(lists)}bus_want, bus_begin, bus_end;",
        "  wire bus_busy, bus_req, bus_req_write, bus_req_done, bus_req_error, bus_failed, bus_refused;",
        "  wire [7:0] bus_list, bus_step;",
        f"  wire {address}bus_req_addr;",
        f"  wire {data}bus_req_wdata, bus_req_rdata, bus_last;",
        "  reg bus_started;",
        *_register("bus_started", "1'b0", _bit("bus_end", 0, lists), "1'b1"),
    ]
    wants = ["!bus_started"]
    for k, one in enumerate(bus.lists):
        if not k:
            continue
        begin, end, width = _bit("bus_begin", k, lists), _bit("bus_end", k, lists), _range(1 if one.when else _CHANGE)
        # A list that is begun by a condition is not begun by one that was always true.
        reset = "1'b1" if one.when else "'0"
        lines += [
            f"  reg {width}bus_tried_{k}, bus_seen_{k};",
            "  always @(posedge clk_i or negedge rst_ni)",
            f"    if (!rst_ni) begin bus_tried_{k} <= '0; bus_seen_{k} <= {reset}; end",
            "    else begin",
            f"      if ({begin}) bus_tried_{k} <= bus_now_{k};",
            f"      if ({end}) bus_seen_{k} <= bus_tried_{k};",
            *([f"      else if (!bus_now_{k}) bus_seen_{k} <= 1'b0;"] if one.when else []),
            "    end",
        ]
        due = f"bus_now_{k} && !bus_seen_{k}" if one.when else f"bus_now_{k} != bus_seen_{k}"
        wants.append(f"(bus_started && (({due}) === 1'b1))")
    lines += [
        f"  assign bus_want = {{{', '.join(reversed(wants))}}};",
        "  wire bus_hold = bus_busy || (bus_want != '0);",
    ]
    return lines


def _table(bus: Bus) -> list[str]:
    """The steps as a table."""
    lines = [
        "  reg [2:0] bus_op;",
        f"  reg {_range(bus.address_width)}bus_at;",
        f"  reg {_range(bus.data_width)}bus_value, bus_mask;",
        "  always @* begin",
        "    bus_op = 3'd0; bus_at = '0; bus_value = '0; bus_mask = '0;",
        "    case ({bus_list, bus_step})",
    ]
    for k, one in enumerate(bus.lists):
        for n, step in enumerate(one.steps):
            does = [f"bus_op = 3'd{_CODE[step.operation]};", f"bus_at = {bus.address_width}'h{step.address:x};"]
            does += [f"bus_value = bus_value_{k}_{n};"] * (step.operation != "read")
            does += [f"bus_mask = bus_mask_{k}_{n};"] * (step.operation == "poll")
            lines.append(f"      16'h{k:02x}{n:02x}: begin {' '.join(does)} end")
    return [*lines, "      default: ;", "    endcase", "  end"]


def _report(bus: Bus) -> list[str]:
    """The sentence about a step that failed, in the file that the reset agent reads."""
    lines = [
        "  reg bus_was_failed;",
        "  integer bus_file;",
        "  always @(posedge clk_i) begin",
        "    bus_was_failed <= bus_failed;",
        "    if (rst_ni && bus_failed && (bus_was_failed === 1'b0)) begin",
        f'      bus_file = $fopen("{PROGRAMMING}", "w");',
        "      case ({bus_list, bus_step})",
    ]
    lines += [
        f'        16\'h{k:02x}{n:02x}: $fwrite(bus_file, "{one.where}, step {n + 1}, {step.text}: ");'
        for k, one in enumerate(bus.lists)
        for n, step in enumerate(one.steps)
    ]
    return [
        *lines,
        "        default: ;",
        "      endcase",
        '      if (bus_refused) $fwrite(bus_file, "the bus answered with an error");',
        "      else if (bus_op == 3'd3) $fwrite(bus_file, \"(value & mask) was not 0x%0h"
        f' within {bus.timeout} cycles; the value read last is 0x%0h", bus_value & bus_mask, bus_last);',
        f'      else $fwrite(bus_file, "the bus did not answer within {bus.timeout} cycles");',
        "      $fclose(bus_file);",
        "    end",
        "  end",
    ]


def _register(name: str, reset: str, enable: str, value: str) -> list[str]:
    return [
        "  always @(posedge clk_i or negedge rst_ni)",
        f"    if (!rst_ni) {name} <= {reset}; else if ({enable}) {name} <= {value};",
    ]


def _instance(module: str, parameters: str, name: str, pins: Mapping[str, str]) -> list[str]:
    every = {"clk_i": "clk_i", "rst_ni": "rst_ni", **pins}
    given = [f"    .{port}({value})" for port, value in every.items()]
    return [f"  {module} #({parameters}) {name} (", *(f"{one}," for one in given[:-1]), given[-1], "  );"]


def _bit(name: str, place: int, width: int) -> str:
    return f"{name}[{place}]" if width > 1 else name


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def list_text(one: Steps) -> str:
    """A list in a few words, for `make doctor`."""
    when = f"when {one.when}" if one.when else f"at each change of {one.change}" if one.change else "after reset"
    return f"{len(one.steps)} step{'s' * (len(one.steps) != 1)} {when}"
