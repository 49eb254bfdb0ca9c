# SPDX-License-Identifier: Apache-2.0
"""What can be built: a testbench, and the parameters that a build of it has and a run cannot change.

Each system has a table of its parameters in tb/<ip>/builds.py: `BUILD.of(config)` is the build of a configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "rvtrace"  # of a checkout: links to its folders, the one list of them

Value = int | str
Source = int | str | Callable[[Any], Value]


@dataclass(frozen=True)
class Bench:
    """A testbench. top: its top module. rtl: the folders of rtl/ it is made of. module: the Python that runs the jobs
    of every bench.
    """

    top: str
    rtl: tuple[str, ...]
    module: ClassVar[str] = "rvtrace.tb.common.entry"

    @property
    def settings(self) -> Path:
        """Verilator's settings for the top."""
        return self.hdl / f"{self.top}.vlt"

    @property
    def hdl(self) -> Path:
        """The folder of its SystemVerilog, with files.f."""
        return ROOT / "tb" / self.top.removesuffix("_tb") / "hdl"


@dataclass(frozen=True)
class BuildConfig:
    """A build: its bench, and each parameter of the bench's top module with its value.

    label: a short name, XLEN and the number of lanes; builds with other parameters may have the same.
    """

    bench: Bench
    items: tuple[tuple[str, Value], ...]
    label: str = field(compare=False)

    @property
    def parameters(self) -> dict[str, Value]:
        """The parameters by name, in the order of the table."""
        return dict(self.items)

    @property
    def key(self) -> str:
        """Everything that the simulation depends on, apart from the sources: benches that differ in their Python share
        it.
        """
        return repr((self.bench.top, self.bench.rtl, self.items))


@dataclass(frozen=True)
class BuildTable:
    """The parameters of a bench's top module.

    parameters: each is an attribute of the configuration (a name, dotted below it), a number, or a function of the
    configuration. lanes: what the bench takes in a cycle (blocks, transfers, rows, ...), of the same form.
    """

    bench: Bench
    parameters: Mapping[str, Source]
    lanes: Source

    def of(self, config: Any) -> BuildConfig:
        """The build of a configuration."""
        items = tuple((name, _value(source, config)) for name, source in self.parameters.items())
        return BuildConfig(self.bench, items, f"x{config.xlen}-n{_value(self.lanes, config)}")


def _value(source: Source, config: Any) -> Value:
    if isinstance(source, str):
        return attrgetter(source)(config)
    return source if isinstance(source, int) else source(config)


def vector(values: Sequence[int], width: int) -> str:
    """A packed vector as a SystemVerilog literal, the first value lowest."""
    return f"{width * len(values)}'h{sum(value << width * place for place, value in enumerate(values)):x}"
