# SPDX-License-Identifier: Apache-2.0
"""dut.toml: what an IP is, where its sources are, how its ports map to ours, and what it claims.

`Dut.load("acme")` reads examples/acme/dut.toml, `Dut.load("../acme")` the file of that folder. `make new` writes
one with a comment at every key. What is wrong with one is a DutError: one sentence with the table and key, what was
found, what was needed, what to do.
"""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rvtrace.flow.dut.bus import Bus, BusError, bus_of
from rvtrace.flow.dut.claims import Claims, claims_of
from rvtrace.flow.dut.expressions import ExpressionError, expression
from rvtrace.flow.dut.names import near
from rvtrace.flow.dut.shape import STIMULUS, ShapeError, shape_of
from rvtrace.flow.dut.sources import SourceError, Sources, sources_of
from rvtrace.flow.dut.waivers import Waiver
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.models.common import shown as escaped

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

FILE = "dut.toml"
SHIPPED = ROOT / "examples"
IPS = systems.attached()
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_TABLES: dict[str, tuple[str, ...]] = {
    "dut": ("name", "title", "ip", "variant", "top"),
    "sources": ("files", "filelists", "include_dirs", "defines"),
    "clock": ("port", "edge"),
    "reset": ("port", "polarity", "style"),
    "stimulus": ("retirement", "backpressure", *STIMULUS),
}
_FREE = ("parameters", "inputs", "outputs", "options", "profile")  # keys are names of ports, options and tolerances
_WAIVER = ("clause", "reason", "owner", "expires")


class DutError(ValueError):
    """A dut.toml that cannot be used; the text says where, what was found, what was needed and what to do."""


@dataclass(frozen=True, eq=False)
class Dut:
    """One DUT.

    name: of results and builds. title: for people. ip: the system, one of `IPS`. top: its module. folder: where
    dut.toml is. parameters: its parameters, as expressions of ours. clock, reset: its ports ("" if it has none);
    rising: the edge it works on; reset_low: active low; reset_async: it does not wait for the clock. inputs: of each of
    its inputs an expression of our ports. outputs: of each of our outputs an expression of its ports. claims: options
    and the values it supports. single: it takes one instruction a cycle, not blocks. backpressure: its output can wait.
    exact: it declares the reference profile. tolerances: tolerances by name, other than those of a device that does
    not. bus: its registers and what is programmed, None without [bus]. shape: what its
    port takes in a cycle.
    """

    name: str
    title: str
    ip: str
    top: str
    folder: Path
    sources: Sources
    parameters: Mapping[str, str]
    clock: str
    rising: bool
    reset: str
    reset_low: bool
    reset_async: bool
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    claims: Claims
    single: bool
    backpressure: bool
    exact: bool
    tolerances: Mapping[str, Any]
    waivers: tuple[Waiver, ...]
    bus: Bus | None = None
    shape: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """Its dut.toml."""
        return self.folder / FILE

    @property
    def shown(self) -> str:
        """DUT= that names it."""
        return shown(self.folder)

    @classmethod
    def load(cls, where: str | Path) -> Dut:
        """Read the description of a name below examples, of a folder, or of a dut.toml; DutError."""
        return _read(located(where))


def shown(folder: Path) -> str:
    """DUT= that names a folder."""
    if folder.parent == SHIPPED:
        return folder.name
    try:
        return str(folder.relative_to(ROOT))
    except ValueError:
        return str(folder)


def located(where: str | Path) -> Path:
    """The dut.toml that DUT= names; DutError if there is none."""
    text = str(where)
    if _NAME.fullmatch(text) and (SHIPPED / text / FILE).is_file():
        return SHIPPED / text / FILE
    path = Path(text).expanduser()
    if path.is_dir():
        path = path / FILE
    if path.is_file():
        return path.resolve()
    known = sorted(p.parent.name for p in SHIPPED.glob(f"*/{FILE}"))
    hint = near(text, known) or (f"shipped are {', '.join(known)}; " if known else "")
    found = f"{path} does not exist" if path.name == FILE else f"{text} is no folder with a {FILE}"
    raise DutError(
        f"DUT={text}: {found}; {hint}give a name or a folder, or type `make new NAME=acme IP=ntrace` to make one"
    )


def without_sources(where: str | Path) -> str | None:
    """The system of a description whose [sources] names no file that is there; None if it has some, or is no
    description at all.
    """
    path = located(where)
    try:
        given = tomllib.loads(path.read_text())
        ip = given["dut"]["ip"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    try:
        sources_of(_table(given, "sources"), path.parent)
    except SourceError:
        return ip if ip in IPS else None
    except DutError:
        return None
    return None


def _read(path: Path) -> Dut:
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise DutError(f"{path} cannot be read ({error}); give a readable text file") from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DutError(
            f"{path}: {error}: this is not TOML; strings are in quotes, `key = value` on one line each"
        ) from None
    try:
        return _dut(given, path.parent)
    except (SourceError, BusError, ExpressionError, ShapeError) as error:
        raise DutError(f"{path}: {error}") from None
    except DutError as error:
        raise DutError(f"{path}: {error}") from None


def _dut(given: dict[str, Any], folder: Path) -> Dut:
    demand_known("the file", given, (*_TABLES, *_FREE, "bus", "waiver"), "table")
    for name, keys in _TABLES.items():
        demand_known(f"[{name}]", _table(given, name), keys)
    head, clock, reset, stimulus = (_table(given, name) for name in ("dut", "clock", "reset", "stimulus"))
    ip = one_of("[dut] ip", need(head, "dut", "ip"), IPS)
    name = text_of("[dut] name", need(head, "dut", "name"))
    if not _NAME.fullmatch(name):
        raise DutError(f"[dut] name = {name!r} cannot name a folder; use letters, digits, _ and -, a letter first")
    top = _identifier("[dut] top", need(head, "dut", "top"), "the name of a module")
    profile = dict(_table(given, "profile"))
    exact = switch("[profile] exact", profile.pop("exact", False))
    system = systems.judge(ip)
    bus = bus_of(_table(given, "bus") if "bus" in given else None, ip)
    return Dut(
        name=name,
        title=text_of("[dut] title", head.get("title", name)),
        ip=ip,
        top=top,
        folder=folder,
        sources=sources_of(_table(given, "sources"), folder),
        parameters={
            _identifier("[parameters]", key, "a parameter of your module"): expression(f"[parameters] {key}", value)
            for key, value in _table(given, "parameters").items()
        },
        clock=_port("[clock] port", clock),
        rising=one_of("[clock] edge", clock.get("edge", "rising"), ("rising", "falling")) == "rising",
        reset=_port("[reset] port", reset),
        reset_low=one_of("[reset] polarity", reset.get("polarity", "low"), ("low", "high")) == "low",
        reset_async=one_of("[reset] style", reset.get("style", "async"), ("async", "sync")) == "async",
        inputs=_map(given, "inputs"),
        outputs=_map(given, "outputs"),
        claims=claims_of(system, head.get("variant"), _table(given, "options"), DutError),
        single=one_of("[stimulus] retirement", stimulus.get("retirement", "block"), ("block", "single")) == "single",
        backpressure=switch("[stimulus] backpressure", stimulus.get("backpressure", True)),
        exact=exact,
        tolerances=_tolerances(system, profile),
        waivers=_waivers(system, given.get("waiver", [])),
        bus=bus,
        shape=shape_of(stimulus, ip, bus),
    )


def _table(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = given.get(name, {})
    if not isinstance(table, dict):
        raise DutError(f"{name} = {table!r} is no table; write [{name}] on a separate line and its keys below")
    return table


def demand_known(where: str, given: Mapping[str, Any], known: tuple[str, ...], what: str = "key") -> None:
    """DutError about the first name that is not known, with the nearest one that is."""
    for name in given:
        if name not in known:
            hint = near(name, known)
            raise DutError(f"{where} has the unknown {what} {name}; {hint}known are {', '.join(known)}")


def need(table: Mapping[str, Any], name: str, key: str) -> Any:
    """The value of a key that every description has."""
    if key not in table:
        raise DutError(
            f'[{name}] has no {key}; add {key} = "..." (`make new` writes a file with a comment at every key)'
        )
    return table[key]


def text_of(where: str, value: Any) -> str:
    """A string that is not empty, on one line: it is printed."""
    if not isinstance(value, str) or not value.strip():
        raise DutError(f"{where} = {value!r} is no text; write it in quotes")
    return escaped.line(value)


def one_of(where: str, value: Any, known: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in known:
        hint = near(str(value), known)
        raise DutError(f"{where} = {value!r} is not known; {hint}write " + " or ".join(f'"{word}"' for word in known))
    return value


def switch(where: str, value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise DutError(f"{where} = {value!r} is no switch; write true or false, without quotes")
    return value


def _identifier(where: str, value: Any, what: str) -> str:
    if not isinstance(value, str) or not _IDENTIFIER.fullmatch(value):
        raise DutError(f"{where}: {value!r} is no SystemVerilog name; give {what}")
    return value


def _port(where: str, table: Mapping[str, Any]) -> str:
    value = table.get("port", "")
    return _identifier(where, value, "your port, or omit the key if there is none") if value != "" else ""


def _map(given: Mapping[str, Any], name: str) -> dict[str, str]:
    what = (
        "your input ports are left of the =, our signals right"
        if name == "inputs"
        else "our output ports are left of the =, yours right"
    )
    return {
        _identifier(f"[{name}]", key, f"a port ({what})"): expression(f"[{name}] {key}", value)
        for key, value in _table(given, name).items()
    }


def _tolerances(system: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {f.name: f for f in fields(system.tolerances)}
    demand_known("[profile]", given, ("exact", *known))
    for name, value in given.items():
        kind = type(getattr(system.tolerances(), name))
        if type(value) is not kind:
            example = {"bool": "true", "int": "4", "str": '"either"'}.get(
                kind.__name__, repr(getattr(system.tolerances(), name))
            )
            raise DutError(
                f"[profile] {name} = {value!r} is no {kind.__name__}; write one, such as {name} = {example}"
                f" (scoreboards/{system.ip}/tolerances.py)"
            )
    return dict(given)


def _waivers(system: Any, given: Any) -> tuple[Waiver, ...]:
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        raise DutError("waiver is no list of tables; write [[waiver]], with two brackets, above each")
    known = tuple(system.plan.clauses) if system.plan is not None else ()
    found: dict[str, Waiver] = {}
    for row in given:
        which = f"[[waiver]] of {row['clause']}" if "clause" in row else "[[waiver]]"
        demand_known(which, row, _WAIVER)
        for key in _WAIVER:
            if key not in row:
                raise DutError(f"{which} has no {key}; a waiver names clause, reason, owner and expires")
        clause, reason, owner = (text_of(f"{which} {key}", row[key]) for key in _WAIVER[:3])
        if clause not in known:
            hint = near(clause, known)
            raise DutError(
                f"[[waiver]] clause = {clause!r} is no clause of {system.title};"
                f" {hint}scoreboards/{system.ip}/plan.toml has them"
            )
        if clause in found:
            raise DutError(f"[[waiver]] of {clause} is given twice; keep one")
        found[clause] = Waiver(clause, reason, owner, _date(which, row["expires"]))
    return tuple(found.values())


def _date(which: str, value: Any) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(value)
    except (TypeError, ValueError):
        raise DutError(
            f"{which} expires = {value!r} is no day; write year-month-day without quotes, such as expires = 2027-01-31"
        ) from None
