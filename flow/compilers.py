# SPDX-License-Identifier: Apache-2.0
"""The commands that make a simulation of sources, on Verilator and on Icarus, and what they read.

What Verilator adds to every design (its library, and its headers, precompiled) is compiled once for each version, set
of flags and compiler, and kept in the cache of this user.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rvtrace.flow import cache as kept
from rvtrace.flow.simulators import Simulator
from rvtrace.jobs.builds import BuildConfig

_VERILATOR_FLAGS = (
    "--cc", "--exe", "--vpi", "--timing", "-O3", "--no-public-flat-rw", "--prefix", "Vtop", "-o", "Vtop",
    "--timescale-override", "1ns/1ns", "-Wno-fatal", "--x-initial", "unique", "--assert",
)  # fmt: skip
_ICARUS_FLAGS = ("-g2012",)
_COVERAGE_FLAGS = ("--coverage-line", "--coverage-toggle")
_FAST_FLAGS = ("-O0",)
# Without inlining each module is a file or more, 190 of the trace system: they become a few. For the version that we
# know to have it.
_FEW_FILES = ("--output-groups", "2")
_FAST_MAKE_FLAGS = ("OPT_FAST=-O0",)
_CXX_FLAGS = "-std=gnu++20 -fcoroutines"
# With -O2 Ibex with all trace sources compiles for 30 s, not 20, and a whole run is 4 % faster: most of it is Python.
_MAKE_FLAGS = ("OPT_FAST=-O1", "OPT_GLOBAL=-O1", "OPT_SLOW=-O0")
# What make and the compilers take from the environment.
_ENVIRONMENT = (
    "CXX", "CXXFLAGS", "CPPFLAGS", "CFLAGS", "LDFLAGS", "LDLIBS", "LINK", "AR", "USER_CPPFLAGS", "USER_LDFLAGS",
    "USER_LDLIBS", "OPT", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX",
    "COMPILER_PATH", "OBJCACHE", "VERILATOR_ROOT", "VERILATOR_BIN", "IVL_BASE",
)  # fmt: skip
# The headers that what Verilator writes includes; those of options which are off are not there.
_HEADERS = """#include "verilated.h"
#include "verilated_vpi.h"
#include "verilated_dpi.h"
#if VM_TIMING
#include "verilated_timing.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#elif VM_TRACE_VCD
#include "verilated_vcd_c.h"
#endif
"""
_HEADER = "rvtrace_verilated.h"
OF_VERILATOR = ("verilator_bin", "verilated_std.sv", "verilated_std_waiver.vlt")  # what it reads for every design

Step = Callable[[Sequence[str]], None]


@dataclass(frozen=True)
class Recipe:
    """A simulation that can be built: its configuration, its sources, and how. names: of the sources, as the commands
    have them. waves: their format. coverage: with Verilator's code coverage. fast: without optimization.
    """

    simulator: Simulator
    config: BuildConfig
    files: tuple[Path, ...]
    names: tuple[str, ...]
    waves: str | None
    coverage: bool
    fast: bool

    @property
    def image(self) -> str:
        """The name of the file that is run."""
        return "Vtop" if self.simulator.name == "verilator" else "sim.vvp"

    @property
    def flags(self) -> tuple[str, ...]:
        """Of Verilator, beside those of every build."""
        fast = _FAST_FLAGS + (_FEW_FILES if self.simulator.make else ()) if self.fast else ()
        return (_COVERAGE_FLAGS if self.coverage else ()) + fast

    @property
    def key(self) -> str:
        """A digest of everything that goes into the image: each source by its name and bytes, parameters, flags, the
        versions of simulator, compiler and cocotb, and the environment that they read.
        """
        digest = hashlib.sha256()
        for part in (
            identity(self.simulator), self.config.key, _VERILATOR_FLAGS, _ICARUS_FLAGS, _CXX_FLAGS, _MAKE_FLAGS,
            _FAST_MAKE_FLAGS, _HEADERS, self.waves, self.flags, self.fast,
        ):  # fmt: skip
            digest.update(repr(part).encode())
        settings = self.config.bench.settings
        for name, path in [*zip(self.names, self.files), (settings.name, settings)]:
            digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
        return f"{self.simulator.name}-{self.config.label}-{digest.hexdigest()[:20]}"

    @property
    def history(self) -> str:
        """The same for all sources: how long a build took before."""
        text = repr((self.simulator.name, self.config.key, self.waves, self.flags, self.fast))
        return hashlib.sha256(text.encode()).hexdigest()[:20]


def identity(simulator: Simulator) -> tuple[str, ...]:
    """What makes the image, beside sources and flags: of this machine and this environment."""
    around = tuple(f"{name}={os.environ[name]}" for name in _ENVIRONMENT if name in os.environ)
    machine = (platform.machine(), *platform.libc_ver())
    if simulator.name == "icarus":  # cocotb is loaded when it runs
        return (simulator.version, simulator.build, *machine, *around)
    return (simulator.version, simulator.build, cocotb_version(), compiler(), *simulator.make[1:], *machine, *around)


@cache
def cocotb_version() -> str:
    """Of the library that a simulation of Verilator is linked with."""
    return importlib.metadata.version("cocotb")


@cache
def compiler() -> str:
    """What the C++ compilers that make files may call say of their versions."""
    said = []
    for name in dict.fromkeys((os.environ.get("CXX", "g++"), "g++", "c++", "ld")):
        found = shutil.which(name)
        if found:
            done = subprocess.run([found, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            said.append(f"{name}: {done.stdout.partition(chr(10))[0]}")
    return "; ".join(said)


def verilate(recipe: Recipe, place: Path, step: Step, cores: int) -> set[Path]:
    """Build place/Vtop; the files that Verilator read."""
    import cocotb_tools.config as cocotb

    config, simulator, obj = recipe.config, recipe.simulator, place / "obj"
    libs, main = cocotb.libs_dir, cocotb.share_dir / "lib" / "verilator" / "verilator.cpp"
    # No path to cocotb is left in it: that of the checkout which runs it is given then.
    step([
        *simulator.command, *_VERILATOR_FLAGS, *recipe.flags, *([f"--trace-{recipe.waves}"] if recipe.waves else []),
        "-Mdir", str(obj), "--top-module", config.bench.top,
        *(f"-G{name}={value}" for name, value in config.parameters.items()), "-CFLAGS", _CXX_FLAGS,
        "-LDFLAGS", f"-Wl,-rpath-link,{libs} -L{libs} -lcocotbvpi_verilator",
        _neighbour(recipe, config.bench.settings),
        *_named(recipe.names), str(main),
    ])  # fmt: skip
    make = ["make", "-s", "-C", str(obj), "-f", "Vtop.mk", f"-j{cores}", *_MAKE_FLAGS, *simulator.make]
    more = _library(recipe, obj, make, step)
    if recipe.fast:
        make += _FAST_MAKE_FLAGS
    step([*make, *more, "Vtop"])
    (obj / "Vtop").rename(place / "Vtop")
    return _read(obj / "Vtop__ver.d", place)


def compile_vvp(recipe: Recipe, place: Path, step: Step) -> set[Path]:
    """Build place/sim.vvp; the files that Icarus read."""
    settings = place / "settings.f"
    settings.write_text("+timescale+1ns/1ns\n")
    top = recipe.config.bench.top
    roots, extra = ["-s", top], []
    if recipe.waves:
        dump = place / "dump.v"
        dump.write_text(f'module dump; initial begin $dumpfile("waves.fst"); $dumpvars(0, {top}); end endmodule\n')
        roots, extra = [*roots, "-s", "dump"], [dump.name]
    given = [f"-P{top}.{name}={value}" for name, value in recipe.config.parameters.items()]
    step([
        *recipe.simulator.command, *_ICARUS_FLAGS, "-o", str(place / "sim.vvp"), "-M", str(place / "read"), *roots,
        "-f", settings.name, *given, *_named(recipe.names), *extra,
    ])  # fmt: skip
    read = {(place / line).resolve() for line in (place / "read").read_text().splitlines() if line}
    return read - {(place / "dump.v").resolve()}


def _neighbour(recipe: Recipe, path: Path) -> str:
    """A file of the bench as the commands have it: its folder is that of a source beside it."""
    for name, file in zip(recipe.names, recipe.files):
        if file.parent == path.parent:
            return str(Path(name).with_name(path.name))
    return str(path)


def _named(names: Sequence[str]) -> list[str]:
    """As a simulator's command line has them; of a command file it reads the words."""
    return [word for name in names for word in (("-f", name) if name.endswith(".f") else (name,))]


def _library(recipe: Recipe, obj: Path, make: list[str], step: Step) -> list[str]:
    """Put what all designs share into the folder of the objects, compiled now if it never was; words for make that
    use it.
    """
    listed = re.findall(r"\bverilated\w*", (obj / "Vtop_classes.mk").read_text())
    objects = [f"{name}.o" for name in dict.fromkeys(listed)]
    shared = bool(recipe.simulator.make)  # then the compiler is GCC, whose precompiled headers this is about
    parts = (identity(recipe.simulator), _VERILATOR_FLAGS, _CXX_FLAGS, _MAKE_FLAGS, _FAST_MAKE_FLAGS, _HEADERS)
    flags = _COVERAGE_FLAGS if recipe.coverage else ()
    key = json.dumps([parts, recipe.waves, flags, objects, shared])
    name = f"verilator-library-{hashlib.sha256(key.encode()).hexdigest()[:20]}"
    headers = [_HEADER, f"{_HEADER}.gch"] if shared else []
    with kept.making(name):
        if not kept.fetch(name, [*objects, *headers], obj):
            step([*make, *objects])
            if shared:
                _precompile(obj, make, step)
            kept.keep(name, [obj / file for file in (*objects, *headers)])
    for file in objects:  # newer than the make file, else make compiles them again
        _own(obj / file)
    if not shared:
        return []
    for kind in ("fast", "slow"):  # instead of one for each design
        (obj / f"Vtop__pch.h.{kind}.gch").touch()
    return [f"USER_CPPFLAGS=-include {_HEADER}", "VK_PCH_I_FAST=", "VK_PCH_I_SLOW="]


def _precompile(obj: Path, make: list[str], step: Step) -> None:
    """The headers as GCC keeps them, for code that is optimized and code that is not; it takes the one that fits."""
    (obj / _HEADER).write_text(_HEADERS)
    step([*make, f"{_HEADER}.fast.gch", f"{_HEADER}.slow.gch"])
    folder = obj / f"{_HEADER}.gch"
    folder.mkdir()
    for kind in ("fast", "slow"):
        (obj / f"{_HEADER}.{kind}.gch").rename(folder / kind)


def _own(path: Path) -> None:
    """A copy with the time of now in place of a link."""
    copy = path.with_suffix(".copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


def _read(dependencies: Path, place: Path) -> set[Path]:
    """The files that Verilator's dependency file names after the colon."""
    names = dependencies.read_text().replace("\\\n", " ").partition(": ")[2].split()
    return {(place / name).resolve() for name in names}
