# SPDX-License-Identifier: Apache-2.0
"""Debian's cross compiler: which one there is, and one program with it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from rvtrace.flow.programs.package import ProgramsError
from rvtrace.flow.programs.sets import SOURCES, Recipe

GCC = "riscv64-unknown-elf-gcc"
PACKAGES = "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"
HEADERS = Path("/usr/lib/picolibc/riscv64-unknown-elf/include")
INSTALL = f"`sudo apt-get install -y {PACKAGES}`"


def compiler(headers: Path = HEADERS) -> str:
    """The path of the cross compiler; ProgramsError if it or the headers of its C library are missing."""
    found = shutil.which(GCC)
    if found is None:
        raise ProgramsError(f"there is no {GCC}, which builds programs; type {INSTALL}")
    if not (headers / "string.h").is_file():
        raise ProgramsError(f"{GCC} has no C library in {headers}; type {INSTALL}")
    return found


def version(gcc: str) -> str:
    """What the compiler says of itself, such as "gcc 12.2.0"."""
    done = subprocess.run([gcc, "-dumpfullversion"], capture_output=True, text=True)
    if done.returncode:
        raise ProgramsError(f"{gcc} does not run ({done.stderr.strip()[:200]}); type {INSTALL}")
    return f"gcc {done.stdout.strip()}"


def compile_program(gcc: str, recipe: Recipe, vendor: Path, out: Path, headers: Path = HEADERS) -> None:
    """One program, without debugging information; symbols stay. ProgramsError with what the compiler said."""
    script = SOURCES / "link.ld" if recipe.script == "" else vendor / recipe.script
    command = [
        gcc, f"-march={recipe.march}", f"-mabi={recipe.mabi}", "-misa-spec=2.2", "-mcmodel=medany", "-static",
        "-nostdlib", "-nostartfiles", "-fno-ident", "-w", "-isystem", str(headers),
        *_folders("-I", recipe.includes, vendor), *recipe.flags, *_folders("", recipe.sources, vendor),
        "-T", str(script),
        "-Wl,--build-id=none,--no-warn-rwx-segments", "-lgcc", "-o", str(out),
    ]  # fmt: skip
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
        raise ProgramsError(
            f"{recipe.name} for RV{recipe.xlen} does not compile ({said[0] if said else 'no reason given'}); the"
            " manifest says which compiler it did compile with"
        )
    # no names of the compiler's own labels, and nothing that names a folder
    subprocess.run([gcc.replace("gcc", "objcopy"), "--discard-locals", "-g", str(out)], check=True)


def _folders(option: str, paths: Iterable[str], vendor: Path) -> list[str]:
    """Paths of the package, or with a leading "+" of this project."""
    return [f"{option}{SOURCES / path[1:] if path.startswith('+') else vendor / path}" for path in paths]


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
