# SPDX-License-Identifier: Apache-2.0
"""`make doctor DUT=`: an IP before anything is simulated: sources, clock and reset, every signal as found, what is
claimed, what to do next.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from typing import Any

from rvtrace.flow.dut.bus_master import list_text
from rvtrace.flow.dut.description import Dut, DutError, without_sources
from rvtrace.flow.dut.elaborate import Port
from rvtrace.flow.dut.ports import OK, Fit, Signal, fit
from rvtrace.flow.dut.reference import reference
from rvtrace.flow.dut.select import Selection, left_out, select
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import number, parse, short, typed
from rvtrace.jobs.job import Job

WORDS = {
    "DUT": "name of a folder below examples, or a folder with a dut.toml",
    "SIM": "verilator (default) or icarus",
    "SEEDS": "random seeds, default 20",
}
_SEEDS = 20
_WIDE = 60  # characters of an expression that are shown


def main(argv: list[str]) -> int:
    """0 if the IP can be simulated; 1 if not; every problem is reported."""
    given = parse(argv, WORDS, "Look at an IP before it is simulated.")
    try:
        dut = Dut.load(given["DUT"])
    except DutError as error:
        return _before_sources(given["DUT"], error)
    system = systems.bench(dut.ip)
    print(f"{dut.title}: {system.title}, module {dut.top}, {short(dut.path)}")
    chosen = select(dut, system, number(given, "SEEDS", _SEEDS), given.get("SIM", "verilator"))
    builds = list(dict.fromkeys(system.build_of(job) for job in chosen.jobs))
    if not builds:
        raise DutError(f"{dut.path}: no job applies; the first that does not {_first(chosen)}: claim more in [options]")
    print("\n".join(_sources(dut)))
    problems: list[str] = []
    for place, build in enumerate(builds):
        found = fit(dut, system, build)
        if place == 0:
            print("\n".join(_whole(dut, found)))
        new = [one for one in found.problems if one not in problems]
        if place and new:
            print(f"\nwith {_differences(builds[0], build)}:")
            print("\n".join(_signals([one for one in [*found.inputs, *found.outputs] if one.state != OK])))
        problems += new
    print("\n".join(_claims(dut, system, chosen, builds)))
    return _end(dut, problems)


def _before_sources(where: str, error: DutError) -> int:
    """A new dut.toml, whose sources are not there yet: the signals that it will have to connect, and what to do."""
    ip = without_sources(where)
    if ip is None:
        raise error
    system = systems.bench(ip)
    ours = reference(system, system.build_of(Job("ports", "random", ip=ip)))
    for direction, title in (("input", "yours to use in [inputs]"), ("output", "to be given a value in [outputs]")):
        print(f"signals of ours ({ours.name}), {title}")
        for port in ours.ports.values():
            if port.direction == direction and port.name not in ("clk_i", "rst_ni"):
                print(f"{'':<9} {port.name:<22} {_width(port):>5}  {port.comment}".rstrip())
        print()
    print(f"  - {error}")
    print(
        "1 thing to do: name your sources in [sources] and your module in [dut] top; then type"
        f" `{typed('doctor', {'DUT': where})}` again"
    )
    return 1


def _first(chosen: Selection) -> str:
    name, why = next(iter(chosen.left.items()), ("is there", "none"))
    return f"({name}) {why}"


def _sources(dut: Dut) -> list[str]:
    s = dut.sources
    more = [f"{len(s.include_dirs)} include folders"] * bool(s.include_dirs) + [
        f"defines {', '.join(s.defines)}"
    ] * bool(s.defines)
    return [f"{OK:<9} sources     {len(s.files)} file{'s' * (len(s.files) != 1)}{''.join(', ' + one for one in more)}"]


def _whole(dut: Dut, found: Fit) -> list[str]:
    """The ports in the first build."""
    lines = [
        f"{OK:<9} {'parameters':<11}"
        f" {', '.join(k if k == v else f'{k} = {v}' for k, v in found.parameters.items()) or 'none given'}"
    ]
    edge = "" if dut.rising else ", falling edge: it gets ours inverted"
    lines.append(f"{OK if dut.clock else 'note':<9} {'clock':<11} {dut.clock + edge if dut.clock else 'none'}")
    how = (
        f"{dut.reset}, active {'low' if dut.reset_low else 'high'},"
        f" {'asynchronous' if dut.reset_async else 'synchronous'}"
    )
    lines.append(f"{OK if dut.reset else 'note':<9} {'reset':<11} {how if dut.reset else 'none'}")
    if dut.bus is not None:
        lists = ", ".join(list_text(one) for one in dut.bus.lists if one.steps)
        lines.append(f"{OK:<9} {'bus':<11} {dut.bus.name}, {dut.bus.data_width} bits of data: {lists or 'no step'}")
    lines += [
        "",
        f"inputs of {dut.top}",
        *_signals(found.inputs),
        "",
        f"outputs of ours ({found.reference.name})",
        *_signals(found.outputs),
    ]
    for title, unused in (
        ("outputs of yours that nothing uses", found.unused_theirs),
        ("signals of ours that you do not use", found.unused_ours),
    ):
        if unused:
            lines += [
                "",
                title,
                *(f"{'':<9} {port.name:<22} {port.width:>5}  {port.comment}".rstrip() for port in unused),
            ]
    return [*lines, *(["", *(f"note      {one}" for one in found.notes)] if found.notes else [])]


def _signals(signals: Iterable[Signal]) -> list[str]:
    lines = []
    for one in signals:
        expression = one.expression if len(one.expression) <= _WIDE else one.expression[: _WIDE - 3] + "..."
        about = "same name" if one.how == "same name" else f"= {expression}" if expression else ""
        lines.append(f"{one.state:<9} {one.port.name:<22} {_width(one.port):>5}  {about}".rstrip())
    return lines or [f"{'':<9} none"]


def _width(port: Port) -> str:
    return str(port.width) if port.width else "?"


def _differences(first: Any, other: Any) -> str:
    a, b = first.parameters, other.parameters
    return ", ".join(f"{name}={value}" for name, value in b.items() if a.get(name) != value) or "the same parameters"


def _claims(dut: Dut, system: Any, chosen: Selection, builds: list[Any]) -> list[str]:
    named = [name for name in dut.claims.values if name in dut.claims.named]
    lines = ["", "claimed", *(f"{'':<9} {name:<22} {dut.claims.text(name)}" for name in named)]
    rest = [
        f"{f.name} {'any' if dut.claims.values[f.name] is None else _default(f.default)}"
        for f in fields(system.config)
        if f.name not in named
    ]
    lines += textwrap.wrap(
        f"the others as by default: {', '.join(rest)}", 118, initial_indent=" " * 10, subsequent_indent=" " * 10
    )
    if dut.exact:
        how = "declares our reference profile: every byte is compared"
    else:
        how = "checked as lossless and legal, not against our reference profile"
    lines.append(f"{'':<9} {how}")
    today = date.today()
    for waiver in dut.waivers:
        state = "EXPIRED" if waiver.expires < today else "waived"
        lines.append(f"{state:<9} {waiver.clause} until {waiver.expires} ({waiver.owner}: {waiver.reason})")
    if chosen.without:
        lines.append(f"{'':<9} {left_out(chosen.without)}")
    lines += [
        "",
        f"{len(chosen.jobs)} runs apply, in {len(builds)} build{'s' * (len(builds) != 1)}; {len(chosen.left)} others"
        " are for implementations that it does not claim to be:",
    ]
    return lines + [f"{'':<9} {count:>5} {why}" for why, count in counted(chosen.left)]


def _default(value: Any) -> str:
    return ",".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value) or "none"


def counted(left: dict[str, str], most: int = 8) -> list[tuple[str, int]]:
    """The reasons for which jobs do not apply, the most frequent first."""
    found: dict[str, int] = {}
    for why in left.values():
        kind = why.partition("filter = ")[0] + "a filter" if why.startswith("needs filter") else why
        found[kind] = found.get(kind, 0) + 1
    ranked = sorted(found.items(), key=lambda item: -item[1])
    rest = sum(count for _, count in ranked[most:])
    return ranked[:most] + ([("other reasons", rest)] if rest else [])


def _end(dut: Dut, problems: list[str]) -> int:
    print()
    for one in problems:
        print(f"  - {one}")
    if problems:
        print(
            f"{len(problems)} thing{'s' * (len(problems) != 1)} to do in {short(dut.path)}; then type"
            f" `{typed('doctor', {'DUT': dut.shown})}` again"
        )
        return 1
    print(f"Everything fits. Next: {typed('check', {'DUT': dut.shown})}")
    return 0
