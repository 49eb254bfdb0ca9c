# SPDX-License-Identifier: Apache-2.0
"""The ports of an IP against those of the place it is put into: each signal as found with its width, missing, or
mismatched.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rvtrace.flow.dut import bus_master, elaborate, wrapper
from rvtrace.flow.dut.bus import Bus
from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.elaborate import FATAL, TEXT, Elaborated, Port
from rvtrace.flow.dut.names import names, near, sized
from rvtrace.flow.dut.reference import Reference, reference

OK, MISSING, MISMATCH, WRONG = "ok", "MISSING", "MISMATCH", "WRONG"


@dataclass
class Signal:
    """A port that needs a value: an input of the IP, or an output of ours. expression: its value as dut.toml has it, ""
    if there is none.

    how: where it is from: the map, or "same name". state: one of the four. text: what is wrong, and what to do.
    """

    port: Port
    expression: str = ""
    how: str = ""
    state: str = OK
    text: str = ""

    def fail(self, state: str, text: str) -> None:
        """Keep the first thing that is wrong."""
        if self.state == OK:
            self.state, self.text = state, text


@dataclass
class Fit:
    """An IP in one build. parameters: its parameters and what they are set to. theirs: its ports. inputs, outputs:
    signals in the order of the ports. problems: sentences, those of signals included.

    notes: what may be as it is. programmed: the expressions of [bus]. unused_ours, unused_theirs: ports that nothing
    uses. text: the wrapper.
    """

    reference: Reference
    build: Any
    parameters: dict[str, str] = field(default_factory=dict)
    theirs: dict[str, Port] = field(default_factory=dict)
    inputs: list[Signal] = field(default_factory=list)
    outputs: list[Signal] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    programmed: list[Signal] = field(default_factory=list)
    unused_ours: list[Port] = field(default_factory=list)
    unused_theirs: list[Port] = field(default_factory=list)
    text: str = ""


@lru_cache(maxsize=32)
def modules(dut: Dut) -> dict[str, str]:
    """The modules and packages that its sources define, with their files; DutError if its top is not among them, or a
    name is ours.
    """
    found = Elaborated(dut.sources.files, dut.top, {}, "", dut.sources.include_dirs, dut.sources.defines).defined
    if dut.top not in found:
        hint = near(dut.top, found)
        there = ", ".join(sorted(found)[:12]) or "no module at all"
        raise DutError(
            f'{dut.path}: [dut] top = "{dut.top}" is defined by none of the {len(dut.sources.files)} files of'
            f" [sources]; {hint}they define {there}"
        )
    return found


def fit(dut: Dut, system: Any, build: Any) -> Fit:
    """The IP in one build of its system; DutError if it cannot even be looked at."""
    ours = reference(system, build)
    _no_clash(dut, ours)
    if dut.bus is not None:
        ours = replace(ours, ports=ours.ports | dut.bus.ports)
    found = Fit(ours, build)
    stub = _elaborated(dut, ours, build, wrapper.stub(dut, ours, dut.parameters))
    instance = stub.instance(dut.top)
    if instance is None:
        found.problems += _sources(dut, stub) or [f"{dut.top} cannot be elaborated; look at its sources"]
        return found
    found.parameters = _parameters(dut, ours, instance)
    if found.parameters != dut.parameters:
        stub = _elaborated(dut, ours, build, wrapper.stub(dut, ours, found.parameters))
    found.theirs = elaborate.ports(stub.instance(dut.top))
    if any(port.kind == elaborate.UNKNOWN for port in found.theirs.values()):  # nothing about them would be right
        found.problems += _sources(dut, stub) or [f"a type of the ports of {dut.top} is not known; look at its sources"]
        return found
    _clock_and_reset(dut, found)
    _inputs(dut, found)
    _outputs(dut, found)
    _programmed(dut, found)
    _unused(dut, found)
    found.text, lines = wrapper.text(
        dut, ours, found.parameters, found.theirs, found.inputs, found.outputs, found.programmed
    )
    probe = wrapper.probe(found.text, ours, found.theirs, found.inputs, found.outputs)
    whole = _elaborated(dut, ours, build, probe)
    _expressions(found, whole, lines)
    _widths(found, whole)
    found.problems += _sources(dut, whole)
    found.problems += [one.text for one in [*found.inputs, *found.outputs, *found.programmed] if one.state != OK]
    ours_only = {str(path) for path in ours.files}
    found.notes += [
        f"{one.at}: {one.text} (slang; the simulator may see it otherwise)"
        for one in whole.troubles()
        if one.error and one.code not in FATAL and one.path in {str(p) for p in dut.sources.files} - ours_only
    ][:5]
    return found


def _elaborated(dut: Dut, ours: Reference, build: Any, text: str) -> Elaborated:
    bench = build.bench
    more = bus_master.files(dut.bus)
    files = [path for path in [*ours.files, *_bench_files(bench), *more] if path not in dut.sources.files]
    return Elaborated(
        [*files, *dut.sources.files],
        bench.top,
        build.parameters,
        text,
        dut.sources.include_dirs,
        dut.sources.defines,
    )


@lru_cache(maxsize=16)
def _bench_files(bench: Any) -> list[Path]:
    from rvtrace.flow.simulation import ROOT, sources

    return [path for path in sources(ROOT / "rtl", bench) if not path.is_relative_to(ROOT / "rtl")]


def _no_clash(dut: Dut, ours: Reference) -> None:
    for name, path in modules(dut).items():
        where = Path(path)
        if name == ours.name:
            raise DutError(
                f"{dut.path}: {where.name} defines {name}, the name of the place your IP is put into; rename yours"
                f" (Verilator and Icarus have one name space), for example to {dut.name}_{name}"
            )
        if name in ours.taken and where not in ours.files:
            raise DutError(
                f"{dut.path}: {where.name} defines {name}, which is also in our testbench ({ours.taken[name]});"
                f" Verilator and Icarus have one name space, rename yours, for example to {dut.name}_{name}"
            )


_OUTSIDE = ("IndexOOB", "RangeOOB", "RangeWidthOOB", "BadIndexExpression")  # warnings, of what can never be meant


def _sources(dut: Dut, whole: Elaborated) -> list[str]:
    """Sentences about its sources that no simulator would get over."""
    theirs = {str(path) for path in dut.sources.files}
    found = []
    for one in whole.troubles():
        if not one.error or (one.path not in theirs and one.code not in FATAL):
            continue
        if one.code in ("UnknownModule", "UnknownPackage"):
            found.append(
                f"{one.at}: {one.text}; add its file to [sources] (files are compiled in their order, packages first)"
            )
        elif one.code == "CouldNotOpenIncludeFile":
            found.append(f"{one.at}: {one.text}; add its folder to [sources] include_dirs")
        elif one.code == "UnknownDirective":
            found.append(
                f"{one.at}: {one.text}; add it to [sources] defines, or the file that defines it before this one"
            )
        elif one.code.startswith("Expected") or one.code in ("Redefinition", "DuplicateDefinition"):
            found.append(f"{one.at}: {one.text}; correct the source, or leave it out of [sources]")
    return list(dict.fromkeys(found))[:8]


def _parameters(dut: Dut, ours: Reference, instance: Any) -> dict[str, str]:
    """Those of dut.toml, and those that have the name of one of ours."""
    known = [p.name for p in instance.body.parameters if not getattr(p, "isLocalParam", False)]
    for name, value in dut.parameters.items():
        if name not in known:
            hint = near(name, known)
            raise DutError(
                f"{dut.path}: [parameters] has {name}, which is no parameter of {dut.top}; {hint}it has"
                f" {', '.join(known) or 'none'}"
            )
        for word in names(value):
            if word not in ours.parameters:
                hint = near(word, ours.parameters)
                raise DutError(
                    f'{dut.path}: [parameters] {name} = "{value}" needs {word}, which is no parameter of ours;'
                    f" {hint}ours are {', '.join(ours.parameters)}"
                )
    return {name: dut.parameters.get(name, name) for name in known if name in dut.parameters or name in ours.parameters}


def _clock_and_reset(dut: Dut, found: Fit) -> None:
    for table, name in (("clock", dut.clock), ("reset", dut.reset)):
        if not name:
            continue
        port = found.theirs.get(name)
        if port is None:
            raise DutError(
                f'{dut.path}: [{table}] port = "{name}" is no port of {dut.top}; {near(name, found.theirs)}it has'
                f" {_some(found.theirs)}"
            )
        if port.direction != "input" or port.width != 1:
            raise DutError(
                f'{dut.path}: [{table}] port = "{name}" is an {port.direction} of {port.width} bits; name an input of'
                " one bit"
            )
        if name in dut.inputs:
            raise DutError(f"{dut.path}: {name} is in [{table}] and in [inputs]; keep it in [{table}]")
    if not dut.clock:
        found.notes.append(f"{dut.top} has no clock; name it in [clock] port if it has one")
    if not dut.reset:
        found.notes.append(f"{dut.top} has no reset; name it in [reset] port if it has one")


def _inputs(dut: Dut, found: Fit) -> None:
    ours = {name: port for name, port in found.reference.ports.items()}
    for name in dut.inputs:
        port = found.theirs.get(name)
        if port is None:
            hint = (
                f"{name} is ours: write it right of the ="
                if name in ours
                else f"{near(name, found.theirs)}{dut.top} has {_some(found.theirs, 'input')}"
            )
            raise DutError(f"{dut.path}: [inputs] has {name}, which is no port of {dut.top}; {hint}")
        if port.direction == "output":
            raise DutError(
                f"{dut.path}: [inputs] has {name}, which is an output of {dut.top}; use it in [outputs], right of the ="
            )
    for port in found.theirs.values():
        if port.direction == "output" or port.name in (dut.clock, dut.reset):
            continue
        signal = Signal(port)
        found.inputs.append(signal)
        if port.direction == "inout" or not port.width:
            kind = port.kind or "an inout"
            signal.fail(
                WRONG,
                f"port {port.name} of {dut.top} is {kind}, which no expression can drive; write a wrapper.sv with plain"
                " ports, and name it in [dut] top",
            )
        elif port.name in dut.inputs:
            signal.expression, signal.how = dut.inputs[port.name], "map"
            _demand_names(dut, found, signal, "inputs")
        elif port.name in ours and ours[port.name].direction == "input":
            signal.expression, signal.how = port.name, "same name"
        elif dut.bus and (name := dut.bus.port_of(port.name)) and ours[name].direction == "input":
            signal.expression, signal.how = name, "bus"
        else:
            unnamed = [
                f"[{table}]"
                for table, name in (("clock", dut.clock), ("reset", dut.reset))
                if not name and port.width == 1
            ]
            other = f"; or name it in {' or '.join(unnamed)}, if that is what it is" if unnamed else ""
            signal.fail(
                MISSING,
                f'input {port.name} ({_bits(port)}) of {dut.top} has no value; add {port.name} = "..." to [inputs], 0'
                f" if it does not matter{other}",
            )


def _outputs(dut: Dut, found: Fit) -> None:
    ours = found.reference.ports
    for name in dut.outputs:
        port = ours.get(name)
        if port is None or port.direction != "output":
            known = {n: p for n, p in ours.items() if p.direction == "output"}
            what = (
                f"an input of {found.reference.name}: use it in [inputs], right of the ="
                if port
                else f"no output of {found.reference.name}; {near(name, known)}it has {_some(known)}"
            )
            raise DutError(f"{dut.path}: [outputs] has {name}, which is {what}")
    for port in ours.values():
        if port.direction != "output":
            continue
        signal = Signal(port)
        found.outputs.append(signal)
        if port.name in dut.outputs:
            signal.expression, signal.how = dut.outputs[port.name], "map"
            _demand_names(dut, found, signal, "outputs")
        elif port.name in found.theirs and found.theirs[port.name].direction == "output":
            signal.expression, signal.how = port.name, "same name"
        elif dut.bus and (name := _answer(dut.bus, found, port)):
            signal.expression, signal.how = name, "bus"
        else:
            about = f", {port.comment}" if port.comment else ""
            signal.fail(
                MISSING,
                f'our output {port.name} ({_bits(port)}{about}) has no value; add {port.name} = "..." to [outputs], 0'
                f" if {dut.top} has nothing of the kind",
            )


def _answer(bus: Bus, found: Fit, port: Port) -> str:
    """The expression of a signal of the bus that has no line: the port called after it, or what it is without one."""
    for theirs in found.theirs.values():
        if theirs.direction == "output" and bus.port_of(theirs.name) == port.name:
            return theirs.name
    return bus.defaults.get(port.name, "")


def _programmed(dut: Dut, found: Fit) -> None:
    """The expressions of [bus]: values of registers, and what starts a list."""
    for where, text, width in bus_master.expressions(dut.bus) if dut.bus else []:
        signal = Signal(Port(where, "input", width), text, "map")
        found.programmed.append(signal)
        _demand_names(dut, found, signal, "")


def _demand_names(dut: Dut, found: Fit, signal: Signal, table: str) -> None:
    ours = found.reference
    table = f"[{table}] " if table else ""
    known = [*ours.ports, *ours.parameters, *found.theirs]
    for word in names(signal.expression):
        if word not in known:
            whose = f"neither a signal of ours nor a port of {dut.top}"
            signal.fail(
                WRONG,
                f'{table}{signal.port.name} = "{signal.expression}" needs {word}, which is {whose};'
                f" {near(word, known)}`make doctor` lists both sides",
            )
        elif word in found.theirs and not found.theirs[word].width and word not in ours.ports:
            signal.fail(
                WRONG,
                f"{table}{signal.port.name} needs {word}, a port {found.theirs[word].kind}; write a wrapper.sv with"
                " plain ports, and name it in [dut] top",
            )


def _expressions(found: Fit, whole: Elaborated, lines: dict[int, Signal]) -> None:
    """What slang says about the lines of the wrapper; what it says about the probe's own lines, it said before."""
    end = len(found.text.splitlines())
    for one in whole.troubles():
        name, _, line = one.at.rpartition(":")
        if name != TEXT or not (one.error or one.code in _OUTSIDE):
            continue
        signal = lines.get(int(line))
        if signal is None and int(line) < end:
            found.problems.append(
                f"the wrapper cannot be built: {one.text} (line {line}); look at [parameters], and at the ports of the"
                " module"
            )
        elif signal is not None:
            signal.fail(
                WRONG,
                f'{signal.port.name} = "{signal.expression}" is no expression that fits: {one.text}; correct it'
                " (SystemVerilog, with our signals and your ports)",
            )
    found.problems[:] = list(dict.fromkeys(found.problems))


def _widths(found: Fit, whole: Elaborated) -> None:
    place = whole.instance(found.reference.name)
    for number, signal in enumerate([*found.inputs, *found.outputs]):
        if signal.state != OK:
            continue
        bits = elaborate.constant(place, wrapper.width_name(number))
        port = signal.port
        fixed = not names(signal.expression)
        if (
            bits is None
            or bits == port.width
            or not sized(signal.expression)
            or (fixed and (bits < port.width or signal.expression.startswith("'")))
        ):
            continue
        side = "your input" if number < len(found.inputs) else "our output"
        apart = abs(port.width - bits)
        some = f"{apart} bit{'s' * (apart != 1)}"
        more = f"add {some}, as in {{{apart}'b0, ...}}" if bits < port.width else f"leave {some} out with a slice"
        signal.fail(
            MISMATCH,
            f'{side} {port.name} has {_bits(port)} and "{signal.expression}" has {bits}; {more}, or set a parameter of'
            " the module",
        )


def _unused(dut: Dut, found: Fit) -> None:
    ours, theirs = found.reference.ports, found.theirs
    inputs = {word for one in [*found.inputs, *found.programmed] for word in names(one.expression)}
    outputs = {word for one in found.outputs for word in names(one.expression)}
    found.unused_ours = [
        p
        for p in list(ours.values())[2:]
        if p.direction == "input" and not p.name.startswith("bus_") and p.name not in inputs | (outputs - set(theirs))
    ]
    found.unused_theirs = [
        p for p in theirs.values() if p.direction == "output" and p.name not in outputs | (inputs - set(ours))
    ]


def _bits(port: Port) -> str:
    return f"{port.width} bit{'s' * (port.width != 1)}"


def _some(known: dict[str, Port], direction: str = "") -> str:
    shown = [name for name, port in known.items() if not direction or port.direction == direction]
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12} more" if len(shown) > 12 else "") or "none"
