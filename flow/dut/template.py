# SPDX-License-Identifier: Apache-2.0
"""The text of a new dut.toml, and of the wrapper beside it: every key with a comment, every port and option of a system
as it is in the code.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from rvtrace.flow.dut.elaborate import Port
from rvtrace.flow.dut.reference import Reference
from rvtrace.jobs import systems
from rvtrace.models.common.options import Legal, legal_text

_WIDTH = 118
_OF_ALL = "(?:i_|sys_|core_|main_)?"  # what a clock or reset of everything may be called before its own name
_CLOCK = re.compile(rf"{_OF_ALL}[ahp]?(?:clk|clock|ck)(?:_i|_in)?")
_RESET = re.compile(rf"{_OF_ALL}(?:por_|async_|sync_)?[ahp]?(?:rst|reset)_?(?P<level>[nlbh])?_?(?:i|in)?")


# What [stimulus] has for the ingress ports of encoders.
_SHAPE_LINES = (
    "# traps_in_lane_0 = true  # a block that reports a trap comes in lane 0 alone",
    "# lane_halfwords = [64, 2]  # the most half-words that retire in each lane",
    "# levels = { halted_i = { before = 2, after = 2, least = 8 } }  # changes alone; cycles without blocks around a"
    " change, and cycles that it stays 1",
)
# The registers of encoders: a worked example is in examples/acme_apb.
_BUS = """\
# Registers that have to be programmed (examples/acme_apb is a worked example). kind: apb, axi4-lite, tl-ul or csr. A
# port of yours called <prefix>psel, <prefix>paddr, ... needs no line in [inputs] or [outputs].
# [bus]
# kind = "apb"
# prefix = "s_apb_"
# [bus.registers]           # name = address
# CONTROL = 0x00
# STATUS = 0x04
# [[bus.start]]             # after reset, before the first instruction
# write = "CONTROL"
# value = "{ENABLE} << 4"
# [[bus.on]]                # at each change of a value (or when = "...": each time it becomes true), the hart waits
# change = "{ENABLE}"
# steps = [{ write = "CONTROL", value = "{ENABLE}" }, { poll = "STATUS", mask = 1, value = "{ENABLE}" }]"""


def description(
    name: str, system: Any, ours: Reference, listed: Mapping[str, Sequence[str]], top: str, theirs: Mapping[str, Port]
) -> str:
    """dut.toml. listed: known lists of [sources]. theirs: the ports of the module, empty if they were not read yet."""
    parts = [
        _head(name, system, top),
        _sources(listed),
        _parameters(ours),
        *_clock_and_reset(theirs),
        _inputs(system, ours, theirs),
        _outputs(system, ours, theirs),
        _options(system),
        *_stimulus(system, ours),
        *_bus(ours),
        _profile(system),
        _waiver(system),
    ]
    return "\n\n".join(parts) + "\n"


def wrapper(name: str, ours: Reference) -> str:
    """A module with our ports, to be filled in."""
    header = re.sub(rf"\bmodule\s+{ours.name}\b", f"module {name.replace('-', '_')}_wrapper", ours.header)
    header = header[header.index("module") :]
    about = _comment(
        f"Only where expressions are not enough: state, other widths, handshakes of another kind. Put your IP into this"
        f" module, which has the ports of "
        f'ours ({ours.name}), add "wrapper.sv" to [sources] files, after your own, and write its name as [dut] top.'
        " Ports that keep their names here need no line "
        f"in [inputs] or [outputs]; omit what you do not need, and rename what you like.",
        "// ",
    )
    return f"{about}\n{header}\n\n  // your module here\n\nendmodule\n"


def _head(name: str, system: Any, top: str) -> str:
    variants = system.config.legal().get("variant")
    lines = [
        f"# {name}: an IP for {system.title}. Text after a # is explanation, or a default: remove the # to change it.",
        (
            "# `make doctor DUT=` looks at all this without a simulator and says what to do next; `make check DUT=`"
            " runs what applies. See docs/how-to/attach-your-ip.md."
        ),
        "",
        "[dut]",
        f'name = "{name}"',
        f'# title = "{name}"  # for people, in reports',
        f'ip = "{system.ip}"',
    ]
    if variants:
        lines.append(f'variant = "{variants[0]}"  # of the specification, one or a list: {" ".join(variants)}')
    lines.append(f'top = "{top or "my_module"}"  # your module; or that of wrapper.sv')
    return "\n".join(lines)


def _sources(listed: Mapping[str, Sequence[str]]) -> str:
    files, lists = listed.get("files", []), listed.get("filelists", [])
    return "\n".join(
        [
            (
                "[sources]  # paths relative to this folder; patterns such as rtl/*.sv; $NAME is taken from the"
                " environment"
            ),
            (
                f"files = {json.dumps(list(files) if listed else ['rtl/my_module.sv'])}  # in the order of compilation,"
                " packages first"
            ),
            (
                f"filelists = {json.dumps(list(lists))}  # .f files, taken before the files: paths (relative to the"
                " list), -f, +incdir+, +define+"
            ),
            "include_dirs = []",
            '# defines = { WIDTH = "64", FPGA = "" }  # macros',
        ]
    )


def _parameters(ours: Reference) -> str:
    text = (
        "Yours = number, or expression of ours, so that widths follow; one that has the name of ours needs no line."
        f" Ours: {', '.join(ours.parameters)}."
    )
    return (
        f"[parameters]\n{_comment(text)}\n# ADDR_WIDTH ="
        f' "{next(name for name in ("Xlen", "IAddressWidth") if name in ours.parameters)}"'
    )


def _clock(theirs: Mapping[str, Port]) -> str:
    """The input that has the name of a clock; "" if none has."""
    return next(
        (
            name
            for name, port in theirs.items()
            if port.direction == "input" and port.width == 1 and _CLOCK.fullmatch(name.lower())
        ),
        "",
    )


def _reset(theirs: Mapping[str, Port]) -> str:
    return next(
        (
            name
            for name, port in theirs.items()
            if port.direction == "input" and port.width == 1 and _RESET.fullmatch(name.lower())
        ),
        "",
    )


def _clock_and_reset(theirs: Mapping[str, Port]) -> list[str]:
    clock, reset = _clock(theirs) if theirs else "clk", _reset(theirs) if theirs else "rst_n"
    match = _RESET.fullmatch(reset.lower())
    high = match is not None and match["level"] in (None, "h")
    unsure = "  # none of your inputs looks like one: write its name"
    return [
        "\n".join(
            [
                "[clock]",
                f'port = "{clock}"{unsure * (not clock)}',
                'edge = "rising"  # or "falling": then it gets our clock inverted',
            ]
        ),
        "\n".join(
            [
                "[reset]",
                f'port = "{reset}"{unsure * (not reset)}',
                f'polarity = "{"high" if high else "low"}"  # "low": 0 resets; "high": 1 does',
                'style = "async"  # or "sync": it waits for the clock',
            ]
        ),
    ]


def _inputs(system: Any, ours: Reference, theirs: Mapping[str, Port]) -> str:
    lines = [
        "[inputs]  # each of your inputs = SystemVerilog expression of our signals, as in",
        f"# {systems.foreign(system.ip).examples[0]}",
        *_comment(
            "An input that has the name of one of our signals needs no line. The signals of ours (width; parameters as"
            " above may be used as well):"
        ).splitlines(),
    ]
    for title, group in ours.groups:
        found = [port for port in group if port.direction == "input" and port.name not in ("clk_i", "rst_ni")]
        if found and title:
            lines.append(f"#  -- {title}")
        lines += [f"#  {port.name:<20} {port.width:>4}  {port.comment}".rstrip() for port in found]
    if theirs:
        lines.append("#  Yours, to be filled in:")
    for port in theirs.values():
        if port.direction == "input" and port.name not in (_clock(theirs), _reset(theirs)):
            lines.append(f'# {port.name} = "{port.name if port.name in ours.ports else ""}"  # {_bits(port)}')
    return "\n".join(lines)


def _outputs(system: Any, ours: Reference, theirs: Mapping[str, Port]) -> str:
    lines = [
        f"[outputs]  # each of our outputs = expression of your ports, as in  {systems.foreign(system.ip).examples[1]}"
    ]
    yours = [f"{port.name} ({port.width or port.kind})" for port in theirs.values() if port.direction == "output"]
    if yours:
        lines += _comment(f"Yours (width): {', '.join(yours)}.").splitlines()
    for title, group in ours.groups:
        found = [port for port in group if port.direction == "output"]
        if found and title:
            lines.append(f"#  -- {title}")
        for port in found:
            about = f"{port.width} bit{'s' * (port.width != 1)}{f': {port.comment}' if port.comment else ''}"
            known = port.name in theirs
            lines.append(f'# {port.name} = "{port.name if known else ""}"  # {about}')
    return "\n".join(lines)


def _bits(port: Port) -> str:
    """The width of a port for a comment, with the type that a cast needs."""
    if not port.width:
        return f"{port.kind}: write a wrapper.sv with plain ports"
    return f"{port.width} bit{'s' * (port.width != 1)}{f' of type {port.type}' if port.type else ''}"


def _options(system: Any) -> str:
    legal, first = system.config.legal(), systems.foreign(system.ip).first
    lines = [
        (
            '[options]  # what it supports: a value, a list of values, a range "1..8", or "any". What is not named has'
            " its default, and runs that need"
        ),
        "# another value do not apply to your IP. The report says N/A where only such runs could meet a clause.",
        *_comment(_explained(system.config)).splitlines(),
    ]
    lines += [f"{name} = {_toml(value)}  # {_values(legal.get(name))}".rstrip(" #") for name, value in first.items()]
    for f in fields(system.config):
        if f.name not in ("variant", *first):
            open_ = f.name in systems.foreign(system.ip).others
            value = '"any"' if open_ else _toml(f.default)
            lines.append(f"# {f.name} = {value}  # {_values(legal.get(f.name))}".rstrip(" #"))
    return "\n".join(lines)


def _stimulus(system: Any, ours: Reference) -> list[str]:
    """Nothing for CSR blocks: they have neither blocks of instructions nor an output that waits."""
    if not systems.foreign(system.ip).pulses:
        return []
    ready = next(name for name in ("pkt_ready_i", "out_ready_i") if name in ours.ports)
    return ["\n".join([
        "[stimulus]",
        '# retirement = "single"  # it takes one instruction at a time, not blocks of several',
        f"# backpressure = false   # its output cannot wait: {ready} stays 1",
        *(_SHAPE_LINES if systems.foreign(system.ip).blocks else ()),
    ])]  # fmt: skip


def _bus(ours: Reference) -> list[str]:
    """Only encoders have registers beside the ports that are driven anyway."""
    level = next((name for name in ("enable_i", "in_valid_i") if name in ours.ports), "")
    return [_BUS.replace("{ENABLE}", level)] if level else []


def _profile(system: Any) -> str:
    free, doc = system.tolerances.free(), _explained(system.tolerances)
    lines = [
        (
            f"[profile]  # exact = true: it makes the same choices as ours (docs/{system.ip}-profile.md), and every"
            " byte or value is compared"
        ),
        "exact = false",
        *_comment(
            "What it promises beyond the specification, or where it needs more room"
            f" (scoreboards/{system.ip}/tolerances.py): {doc}"
        ).splitlines(),
    ]
    return "\n".join([*lines, *(f"# {f.name} = {_toml(getattr(free, f.name))}" for f in fields(system.tolerances))])


def _waiver(system: Any) -> str:
    clause = next(iter(system.plan.clauses))
    return "\n".join(
        [
            (
                "# A clause that may fail until a day. One that does not fail any more, or is over, is flagged in the"
                " report."
            ),
            "# [[waiver]]",
            f'# clause = "{clause}"',
            '# reason = "erratum 12, fixed in revision B"',
            '# owner = "jane@example.com"',
            "# expires = 2030-12-31",
        ]
    )


def _explained(kind: Any) -> str:
    """The docstring of a class without its first sentence, which is for programmers."""
    return " ".join((inspect.getdoc(kind) or "").partition("\n\n")[2].split())


def _values(legal: Legal | None) -> str:
    if legal is None:
        return ""
    if isinstance(legal, range) and legal.stop - legal.start > 8:
        return legal_text(legal)
    return " ".join(map(str, legal))


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def _comment(text: str, mark: str = "# ") -> str:
    return "\n".join(textwrap.wrap(text, _WIDTH, initial_indent=mark, subsequent_indent=mark))
