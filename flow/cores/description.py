# SPDX-License-Identifier: Apache-2.0
"""Cores as data: flow/cores/<name>.toml.

    core = Core.load("ibex")
    core.sources()          # of its package, once that is installed

A file has the package with the RTL (`[core]`), its sources in the order of compilation with our wrapper last
(`[sources]`, the form of dut.toml), and what an instruction set simulator must know of it (`[hart]`, `[reset]`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rvtrace.flow import packages
from rvtrace.flow.dut.sources import CORES, SourceError, Sources, sources_of
from rvtrace.jobs.arguments import short
from rvtrace.models.riscv.iss.config import HartConfig, HartError
from rvtrace.models.riscv.iss.csr import CsrTable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

HERE = Path(__file__).resolve().parent
RAM, DEVICES = ((0x8000_0000, 0x80_0000),), ((0x0200_0000, 0x1_0000),)  # of tb/cores/hdl/core_memory.sv
FILE = "core.toml"  # of a core in a folder of its own
_TABLES = {"core": ("title", "traps"), "sources": (), "hart": (), "reset": ()}


class CoreError(ValueError):
    """A core that does not exist, cannot be installed or does not fit; the text says which and what to do."""


@dataclass(frozen=True)
class Core:
    """One core.

    name: of its file or folder. title: for people. package: of PyPI, "" if its sources are the user's. folder: of its
    file. top: the module with RVFI in its wrapper, "" if the wrapper makes RVFI. traps: whether it has the standard
    trap CSRs. faults: whether an access where nothing is makes an exception. hart: it, for an instruction set
    simulator. reset: CSRs after reset, by name. counters: those that are compared, with the event that each counts
    (flow/cores/counters.py). listed: its [sources].
    """

    name: str
    title: str
    package: str
    folder: Path
    top: str
    traps: bool
    faults: bool
    hart: HartConfig
    reset: Mapping[str, int]
    counters: Mapping[str, str]
    listed: Mapping[str, Any]

    @classmethod
    def load(cls, name: str) -> Core:
        """The core of that name, or in that folder; CoreError if there is none, or its file is wrong."""
        path = Path(name).expanduser()
        if name not in names() and (path / FILE).is_file():
            return cls.read(path / FILE)
        if name not in names():
            near = get_close_matches(name, names(), 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise CoreError(
                f"there is no core {name!r}; {hint}give CORE={' or CORE='.join(names())}, or a folder"
                f" with {FILE} (`make new KIND=core` makes one)"
            )
        return cls.read(HERE / f"{name}.toml")

    @classmethod
    def read(cls, path: Path) -> Core:
        """The core of a file."""
        try:
            given = tomllib.loads(path.read_text())
        except tomllib.TOMLDecodeError as error:
            raise CoreError(f"{path} is no TOML ({error}); correct it") from None
        for table, keys in _TABLES.items():
            if table not in given:
                raise CoreError(f"{path} has no table [{table}]; add it, as flow/cores/ibex.toml has it")
            if missing := [key for key in keys if key not in given[table]]:
                raise CoreError(f"{path}: [{table}] has no {missing[0]}; add it, as flow/cores/ibex.toml has it")
        core = given["core"]
        try:
            hart = HartConfig.from_dict({"xlen": 32, "ram": RAM, "devices": DEVICES, **given["hart"]})
        except HartError as error:
            raise CoreError(f"{path}: [hart]: {error}") from None
        return cls(
            path.parent.resolve().name if path.name == FILE else path.stem,
            core["title"],
            core.get("package", ""),
            path.parent.resolve(),
            core.get("top", ""),
            core["traps"],
            core.get("access_faults", core["traps"]),
            hart,
            given["reset"],
            given.get("counters", {}),
            given["sources"],
        )

    @property
    def counter_addresses(self) -> list[int]:
        """Of the counters that are compared."""
        names = {name: address for address, name in CsrTable(self.hart).names.items()}
        return [names[name] for name in self.counters]

    @property
    def shown(self) -> str:
        """It in a command line: its name, or the folder of a user's."""
        return short(self.folder) if self.folder != HERE else self.name

    @property
    def module(self) -> str:
        """Its package, as Python imports it."""
        return self.package.replace("-", "_")

    @property
    def requirement(self) -> str:
        """Its package with the version that is pinned in flow/requirements-cores.txt."""
        if line := packages.pinned(self.package):
            return line
        raise CoreError(f"{CORES} does not pin {self.package}; add a line {self.package}==<version>")

    def sources(self) -> Sources:
        """Its sources; CoreError if its package is not there, or not the one that is described."""
        try:
            return sources_of(self.listed, self.folder)
        except SourceError as error:
            raise CoreError(f"{self.name}: {error}") from None

    @property
    def installed(self) -> str:
        """The version of its package that is there, "" for none."""
        return packages.installed(self.package)

    def install(self) -> bool:
        """Install its package in the pinned version unless it is there; whether it had to be. CoreError in one sentence
        if that fails. A core in a folder of the user has none.
        """
        if not self.package:
            return False
        wanted = self.requirement.partition("==")[2]
        if self.installed == wanted:
            return False
        if why := packages.install(self.requirement):
            raise CoreError(
                f"{self.requirement}, the package with the RTL of {self.title}, cannot be installed ({why}); check the"
                f" network, then type `make core CORE={self.shown}` again"
            )
        return True


def names() -> list[str]:
    """The cores that there are."""
    return sorted(path.stem for path in HERE.glob("*.toml"))
