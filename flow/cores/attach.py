# SPDX-License-Identifier: Apache-2.0
"""A core that is not described yet: which signals of RVFI its module has, and a folder to fill in.

    found = signals(ports(instance))       one `Signal` for each of `RVFI`
    write(folder, "acme", "acme_core", sources, ports)

`make new KIND=core` writes core.toml and traced_core.sv; `make doctor CORE=<folder>` says what is still missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow.cores.description import FILE, Core, CoreError
from rvtrace.flow.dut.elaborate import FATAL, Elaborated, Port, ports
from rvtrace.jobs.builds import ROOT

PORTS = ROOT / "tb" / "cores" / "hdl" / "traced_core_ports.svh"  # of every traced_core
TRACED = "traced_core.sv"


@dataclass(frozen=True)
class Rvfi:
    """A signal of RVFI on RV32. without: what a wrapper can do where the core does not have it."""

    name: str
    width: int
    without: str = ""


@dataclass(frozen=True)
class Signal:
    """What a module has of it. port: "" if none. wrong: a sentence about its width or direction, or ""."""

    rvfi: Rvfi
    port: str = ""
    wrong: str = ""


RVFI = (
    Rvfi("valid", 1),
    Rvfi("order", 64, "count the retirements in the wrapper"),
    Rvfi("insn", 32),
    Rvfi("trap", 1, "0, if the core never traps; else the cycle in which an instruction is dropped for an exception"),
    Rvfi("intr", 1, "0, if the core never traps; else the first retirement after xcause was written"),
    Rvfi("mode", 2, "2'd3 if the core has machine mode only"),
    Rvfi("rd_addr", 5),
    Rvfi("rd_wdata", 32),
    Rvfi("pc_rdata", 32),
    Rvfi("pc_wdata", 32),
    Rvfi("mem_addr", 32),
    Rvfi("mem_rmask", 4),
    Rvfi("mem_wmask", 4),
    Rvfi("mem_rdata", 32, "0: nothing reads it"),
    Rvfi("mem_wdata", 32),
)
# Ports of a core that mean the same as ones of traced_core, by their usual names.
_KNOWN = {
    "clk_i": ("clk", "clk_i", "clock", "clk_in"),
    "rst_ni": ("rst_ni", "rst_n", "resetn", "reset_n", "nreset", "rstn"),
}
_TRAPS = "what the trap port reports: xcause, xtval, xepc, mstatus and the modes, read in the core when it writes them"


def signals(theirs: Mapping[str, Port]) -> list[Signal]:
    """What a module has of RVFI: rvfi_valid, or rvfi_valid_o, and so on."""
    out = []
    for one in RVFI:
        port = next((theirs[name] for name in (f"rvfi_{one.name}", f"rvfi_{one.name}_o") if name in theirs), None)
        wrong = ""
        if port is not None and port.direction != "output":
            wrong = f"{port.name} is an {port.direction} and must be an output"
        elif port is not None and port.width != one.width:
            more = "; give one channel of it to each adapter channel" if port.width % one.width == 0 else ""
            wrong = f"{port.name} has {port.width} bits and RV32 has {one.width}{more}"
        out.append(Signal(one, port.name if port else "", wrong))
    return out


def lines(found: Sequence[Signal], module: str) -> list[str]:
    """What was found, a line for each signal, and the sum."""
    out = []
    for one in found:
        name = f"rvfi_{one.rvfi.name}"
        if one.wrong:
            out.append(f"WRONG    {name:<16} {one.wrong}")
        elif one.port:
            out.append(f"ok       {name:<16} {one.port}")
        else:
            out.append(f"{'absent' if one.rvfi.without else 'MISSING':<8} {name:<16} {one.rvfi.without}".rstrip())
    there = sum(bool(one.port) for one in found)
    return [*out, f"{there} of {len(found)} signals of RVFI are ports of {module}; {_TRAPS}, is for the wrapper"]


def usable(found: Iterable[Signal]) -> bool:
    """Whether all that a wrapper cannot make up are there."""
    return all((one.port or one.rvfi.without) and not one.wrong for one in found)


def examine(core: Core) -> tuple[list[str], bool]:
    """(lines about a described core, whether nothing is missing): its module, and that the wrapper elaborates."""
    sources = core.sources()
    whole = Elaborated(sources.files, "traced_core", {}, "", sources.include_dirs, sources.defines)
    if whole.top is None:
        raise CoreError(f"no source of {core.name} has a module traced_core; write {TRACED} and list it last in files")
    out, good = [], True
    if core.top:
        inside = whole.instance(core.top)
        if inside is None:
            raise CoreError(
                f"traced_core of {core.name} has no instance of {core.top}; correct `top` in its {FILE}, or instantiate"
                " it"
            )
        found = signals(ports(inside))
        out, good = lines(found, core.top), usable(found)
    missing = sorted(
        set(re.findall(r"^  (?:in|out)put .*?(\w+),?(?: +//.*)?$", PORTS.read_text(), re.M)) - set(ports(whole.top))
    )
    errors = [
        f"WRONG    {one.at}: {one.text}{'; add its file to files' if one.code in FATAL[:1] else ''}"
        for one in whole.troubles()
        if one.error and (one.path.endswith(TRACED) or one.code in FATAL)
    ]
    out += [f"MISSING  traced_core has no port {name}" for name in missing] + errors
    left = _todo(sources.files)
    out += [f"TODO     {line}" for line in left]
    return out, good and not (missing or errors or left)


def _todo(files: Iterable[Path]) -> list[str]:
    return [
        f"{path.name}:{number}: {line.split('TODO:')[1].strip()}"
        for path in files
        if path.name == TRACED
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "TODO:" in line
    ]


def write(folder: Path, name: str, top: str, listed: Mapping[str, Any], theirs: Mapping[str, Port]) -> None:
    """core.toml and traced_core.sv; CoreError if core.toml is there."""
    if (folder / FILE).exists():
        raise CoreError(f"{folder / FILE} is there already; edit it, or give another NAME= or OUT=")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(_description(name, top, listed))
    if not (folder / TRACED).exists():
        (folder / TRACED).write_text(_wrapper(name, top, theirs))


def _description(name: str, top: str, listed: Mapping[str, Any]) -> str:
    def quoted(words: Iterable[str]) -> str:
        return "[" + ", ".join(f'"{word}"' for word in words) + "]"

    tables = [f"{key} = {quoted(words)}" for key, words in listed.items() if words and key not in ("files", "defines")]
    defines = ", ".join(f'{word} = ""' for word in listed.get("defines", ()))
    return f"""# {name}: a core for `make core CORE=<this folder>` and `make core SET=random`.
# docs/how-to/trace-a-core.md says what each line means.

[core]
title = "{name}"
top = "{top}"                   # the module with RVFI, inside traced_core
traps = true                    # it has mtvec, mepc, mcause, mtval, mstatus
access_faults = true            # an access where nothing is makes an exception

[sources]
{chr(10).join([*tables, f"files = {quoted([*listed.get('files', ()), TRACED])}"])}
defines = {{ {defines} }}

[hart]                          # models/riscv/iss/config.py
extensions = "imc"
modes = "m"
misaligned = true
tval_illegal = true
tval_breakpoint = false
# warl = {{ mtvec = 0xffffff01 }}   # bits that a write changes, where the manual leaves that to the core
# absent = ["time", "timeh"]      # CSRs that do not exist

[reset]                         # CSRs after reset where the manual leaves the value open
mstatus = 0x1800
"""


def _wrapper(name: str, top: str, theirs: Mapping[str, Port]) -> str:
    """The ports of every traced_core, and an instance of the core with what could be connected."""
    declared = PORTS.read_text().partition("\n\n")[2].rstrip()
    head = f"module traced_core #(\n  parameter int CsrSlots = 4\n) (\n{declared}\n);"
    by_port = {one.port: f"rvfi_{one.rvfi.name}_o" for one in signals(theirs) if one.port and not one.wrong}
    body = []
    for port in theirs.values():
        ours = by_port.get(port.name) or next((to for to, usual in _KNOWN.items() if port.name.lower() in usual), "")
        if not ours and re.sub(r"_[io]$", "", port.name) in _ours(head):
            ours = _ours(head)[re.sub(r"_[io]$", "", port.name)]
        if ours:
            body.append(f"    .{port.name}({ours}),")
        elif port.direction == "input":
            body.append(
                f"    .{port.name}('0),  // TODO: {port.width or 'some'} bits: connect it, or say why 0 is right"
            )
        else:
            body.append(f"    .{port.name}(),")
    if body:
        last = body[-1]
        body[-1] = last.replace("),", ")", 1)
    driven = {ours for line in body for ours in re.findall(r"\((\w+_o)\)", line)}
    open_ = [to for to in _ours(head).values() if to.endswith("_o") and to not in driven]
    ties = [f"  assign {to} = '0;  // TODO: {_hint(to)}" for to in open_]
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// {name} with the interface of cores_tb: memory, interrupts, RVFI, CSR writes and traps",
            "// (docs/how-to/trace-a-core.md).",
            head, "", f"  {top} u_core (", *body, "  );", "", *ties, "", "endmodule", "",
        ]
    )  # fmt: skip


def _ours(head: str) -> dict[str, str]:
    """Ports of traced_core by their names without _i and _o."""
    return {name[:-2]: name for name in re.findall(r"\b(\w+_[io])\b,?\s*(?://[^\n]*)?\n", head)}


def _hint(name: str) -> str:
    if name == "reset_pc_o":
        return "the first pc after reset, such as 32'h7FFF_FF80; the bench leads from there to the program"
    if name.startswith("trap_"):
        return "when the core writes the CSRs of a trap; constant 0 if it has no traps"
    if name.startswith("rvfi_csr"):
        return "CSRs that the instruction wrote, with their values after it; constant 0 if it has none"
    if name.startswith("rvfi_"):
        found = next((one for one in RVFI if f"rvfi_{one.name}_o" == name), None)
        return found.without if found and found.without else "the core has no port for it"
    return "connect it to the core"
