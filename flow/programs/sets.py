# SPDX-License-Identifier: Apache-2.0
"""What is built: for each set its programs, with sources, options and the hart they are for.

Paths are below the package's vendor folder; with a leading "+" they are ours, below flow/programs/sources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rvtrace.flow.programs.package import ProgramsError
from rvtrace.jobs.builds import ROOT

SOURCES = ROOT / "flow" / "programs" / "sources"
SETS = ("riscv-tests", "coremark", "arch-test")
BENCHMARKS = ("dhrystone", "median", "mm", "multiply", "qsort", "rsort", "spmv", "towers", "vvadd")
# those of benchmarks/Makefile of riscv-tests
BENCHMARK_FLAGS = (
    "-DPREALLOCATE=1", "-std=gnu99", "-O2", "-ffast-math", "-fno-common", "-fno-builtin-printf",
    "-fno-tree-loop-distribute-patterns",
)  # fmt: skip
ISA = ("rv32ui", "rv32um", "rv32uc", "rv32mi", "rv64ui", "rv64um", "rv64uc", "rv64mi")
BARE = ("rv32ui", "rv32um", "rv32uc")  # also without the CSRs of the "p" environment, for cores that lack some
ARCH = ("I", "M", "C", "privilege")
_DEFINED = re.compile(r"\bdef (\w+)=(\w+)")  # in the conditions under which a test of riscv-arch-test applies
_BENCHMARKS, _COMMON = "riscv-tests/benchmarks", "riscv-tests/benchmarks/common"
_ENV, _COREMARK, _ARCH = "riscv-test-env", "eembc_coremark", "riscv-arch-tests/riscv-test-suite"


@dataclass(frozen=True)
class Recipe:
    """How one program is built. script: of the linker, "" for ours. hart: options of `HartConfig` it needs."""

    name: str
    xlen: int
    march: str
    mabi: str
    sources: tuple[str, ...]
    includes: tuple[str, ...]
    flags: tuple[str, ...]
    script: str = ""
    hart: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def file(self) -> str:
        """Name of the built file."""
        return f"{self.name}.rv{self.xlen}.elf"

    @property
    def has_signature(self) -> bool:
        """Whether its result is what it leaves in memory: it does not check itself."""
        return self.name.startswith("arch-")

    @property
    def is_benchmark(self) -> bool:
        """Whether it is no test of a few instructions."""
        return self.name in BENCHMARKS or self.name.startswith("coremark")


def recipes(of: str, vendor: Path, xlen: int | None = None, iterations: int = 1) -> list[Recipe]:
    """The programs of a set, all or those of 32 or 64 bits; ProgramsError if there is no such set. iterations: of
    CoreMark, which has them in its name if there are several.
    """
    if of not in SETS:
        raise ProgramsError(f"there is no set {of!r}; give SET={' or SET='.join(SETS)}")
    widths = (32, 64) if xlen is None else (xlen,)
    if of == "arch-test":
        return _arch(vendor) if 32 in widths else []
    found = [_benchmark(name, width) for name in BENCHMARKS for width in widths] if of == "riscv-tests" else []
    if of == "coremark":
        name = "coremark" if iterations == 1 else f"coremark-{iterations}"
        return [replace(coremark(width, iterations), name=name) for width in widths]
    found += [one for family in BARE if int(family[2:4]) in widths for one in _isa(family, vendor, bare=True)]
    return found + [one for family in ISA if int(family[2:4]) in widths for one in _isa(family, vendor)]


def as_published(name: str, xlen: int, iterations: int) -> Recipe:
    """A program as the Makefile of its authors builds it: with floating point, and a host that answers."""
    if name.startswith("coremark"):
        return coremark(xlen, iterations, *name.split()[1:], hosted=True)
    return Recipe(
        name, xlen, f"rv{xlen}gc", "lp64d" if xlen == 64 else "ilp32d", _sources(name),
        (_ENV, _COMMON, f"{_BENCHMARKS}/{name}"), BENCHMARK_FLAGS, f"{_COMMON}/test.ld",
    )  # fmt: skip


def coremark(xlen: int, iterations: int, optimize: str = "-O2", hosted: bool = False) -> Recipe:
    """CoreMark, its performance run, so many times. hosted: for a hart with floating point."""
    march, mabi = (f"rv{xlen}gc", "lp64d" if xlen == 64 else "ilp32d") if hosted else _soft(xlen)
    parts = ("core_list_join.c", "core_main.c", "core_matrix.c", "core_state.c", "core_util.c")
    return Recipe(
        "coremark", xlen, march, mabi,
        (*(f"{_COREMARK}/{part}" for part in parts), "+coremark/core_portme.c", f"{_COMMON}/crt.S",
         f"{_COMMON}/syscalls.c", "+answer.c"),
        ("+coremark", _COREMARK, _ENV, _COMMON),
        ("-std=gnu99", optimize, "-fno-tree-loop-distribute-patterns", f"-DITERATIONS={iterations}", *_answered()),
    )  # fmt: skip


def _soft(xlen: int) -> tuple[str, str]:
    """(march, mabi) of what every hart of ours runs: RV32IMAC and RV64IMAC."""
    return f"rv{xlen}imac", "lp64" if xlen == 64 else "ilp32"


def _answered() -> tuple[str, ...]:
    return "-include", str(SOURCES / "answered.h")


def _sources(name: str) -> tuple[str, ...]:
    files = {
        "dhrystone": ("dhrystone.c", "dhrystone_main.c"),
        "median": ("median.c", "median_main.c"),
        "mm": ("mm.c", "mm_main.c"),
        "multiply": ("multiply.c", "multiply_main.c"),
        "rsort": ("rsort.c",),
    }.get(name, (f"{name}_main.c",))
    return (*(f"{_BENCHMARKS}/{name}/{file}" for file in files), f"{_COMMON}/syscalls.c", f"{_COMMON}/crt.S")


def _benchmark(name: str, xlen: int) -> Recipe:
    march, mabi = _soft(xlen)
    return Recipe(
        name, xlen, march, mabi, (*_sources(name), "+answer.c"), (_ENV, _COMMON, f"{_BENCHMARKS}/{name}"),
        (*BENCHMARK_FLAGS, *_answered()),
    )  # fmt: skip


def _isa(family: str, vendor: Path, bare: bool = False) -> list[Recipe]:
    """The tests of a family, as isa/Makefile builds them: in the "p" environment, or in ours that sets up nothing."""
    folder, xlen = f"riscv-tests/isa/{family}", int(family[2:4])
    environment = ("+bare",) if bare else ("+isa", f"{_ENV}/p")
    return [
        Recipe(
            f"{family}-{'bare' if bare else 'p'}-{path.stem}", xlen, f"rv{xlen}g", "lp64" if xlen == 64 else "ilp32",
            (f"{folder}/{path.name}",), (*environment, _ENV, "riscv-tests/isa/macros/scalar"),
            ("-fvisibility=hidden",),
        )
        for path in sorted((vendor / folder).glob("*.S"))
    ]  # fmt: skip


def _arch(vendor: Path) -> list[Recipe]:
    """The tests of riscv-arch-test; those of what misaligned accesses and jumps do are for a hart that traps."""
    found = []
    for extension in ARCH:
        folder = vendor / _ARCH / "rv32i_m" / extension / "src"
        for path in sorted(folder.glob("*.S")):
            misaligned = path.name.startswith("misalign")
            # a target that is not a multiple of 4 traps only where there are no 16-bit instructions
            compressed = extension == "C"
            march = "rv32imac" if compressed else "rv32ima"
            hart = {"extensions": "imac" if compressed else "ima", "misaligned": not misaligned}
            defined = sorted({f"-D{name}={value}" for name, value in _DEFINED.findall(path.read_text())})
            found.append(
                Recipe(
                    f"arch-{extension}-{path.stem}",
                    32,
                    march,
                    "ilp32",
                    (str(path.relative_to(vendor)),),
                    ("+arch", f"{_ARCH}/env"),
                    ("-DXLEN=32", "-DFLEN=0", "-Wl,-e,rvtest_entry_point", *defined),
                    hart=hart,
                )  # fmt: skip
            )
    return found
