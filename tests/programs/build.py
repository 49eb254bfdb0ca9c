# SPDX-License-Identifier: Apache-2.0
"""Rebuilds programs and recordings: `python -m tests.programs.build [name ...]` from the repository root.

Needs gcc-riscv64-unknown-elf, and for recordings unicorn (PyPI) and qemu-system-misc. Tests need none of
them. `--check` builds elsewhere and compares with the committed files byte by byte; it also runs under QEMU
what unicorn recorded.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from tests.common.there import there
from tests.programs.record import Recorder, RecordError, qemu_log, unicorn_log
from tests.programs.reference import CHECKSUMS

HERE = Path(__file__).resolve().parent
GCC = "riscv64-unknown-elf-gcc"
# -misa-spec=2.2: CSR instructions belong to I. The linker script drops notes; nothing names a directory.
FLAGS = (
    "-std=gnu11 -Wall -Wextra -Werror -ffreestanding -fno-builtin -fno-ident "
    "-fno-tree-loop-distribute-patterns -mcmodel=medany -misa-spec=2.2 -nostdlib -nostartfiles -static "
    "-Wl,--build-id=none,--no-warn-rwx-segments,-n"
).split()
OPTIMIZE = {"recursion": ["-Os", "-msave-restore"]}
FOLDERS = {"life": "long"}  # not one of the programs that every main job runs


def compile_program(name: str, xlen: int, out: Path) -> None:
    """Compile and link one program, without debugging information; symbols stay."""
    sources = [
        "start.S",
        f"{FOLDERS.get(name, '.')}/{name}.c",
        *([f"{name}.S"] if (HERE / f"{name}.S").exists() else []),
    ]
    machine = [f"-march=rv{xlen}imac", f"-mabi={'lp64' if xlen == 64 else 'ilp32'}"]
    options = [*machine, *FLAGS, "-I.", *OPTIMIZE.get(name, ["-O2"]), "-T", "link.ld"]
    subprocess.run([GCC, *options, *sources, "-lgcc", "-o", str(out)], cwd=HERE, check=True)
    # local labels of the compiler (.L) go, names of static functions stay
    subprocess.run([GCC.replace("gcc", "objcopy"), "--discard-locals", "-g", str(out)], check=True)
    out.chmod(0o644)  # nobody executes it here


def record(name: str, elf: Path, *, cross_check: bool = False) -> None:
    """Record a program, check the recording, and write it beside the program."""
    program = Program.from_elf(elf)
    log = qemu_log(elf, program) if name == "traps" else unicorn_log(program)
    retired, initial = Recorder(program).follow(log)
    result, expected = int(there(retired.effects).mem_value[-1]), CHECKSUMS[name]()  # start.S stores it last
    if result != expected:
        raise RecordError(f"{elf} computed {result:#x}, reference.py says {expected:#x}")
    if cross_check and name != "traps":
        other, _ = Recorder(program).follow(qemu_log(elf, program))
        compare(elf, retired, other)
    path = elf.with_suffix(".rec")
    recording.save(path, elf, retired, initial)
    loaded = recording.load(path)
    compare(elf, retired, loaded.retired)
    print(f"{path.name:20} {len(retired):7} rows, {path.stat().st_size:6} bytes")


def compare(elf: Path, one: Retired, other: Retired) -> None:
    """RecordError if two runs differ, in rows or in effects."""
    row = one.differs(other)
    if row is not None:
        raise RecordError(f"two runs of {elf} differ at row {row}")
    for name, values in vars(one.effects).items():
        if not np.array_equal(values, getattr(other.effects, name)):
            raise RecordError(f"two runs of {elf} differ in {name}")


def build(names: list[str], check: bool) -> list[str]:
    """Compile and record these programs, elsewhere if `check`; the files not as committed."""
    different = []
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) if check else HERE
        for name in names:
            for xlen in (32, 64):
                here = Path(FOLDERS.get(name, "."))
                elf = out / here / f"{name}.rv{xlen}.elf"
                elf.parent.mkdir(exist_ok=True)
                compile_program(name, xlen, elf)
                record(name, elf, cross_check=check)
                for path in (elf, elf.with_suffix(".rec")):
                    if path.read_bytes() != (HERE / here / path.name).read_bytes():
                        different.append(path.name)
    return different


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[], help="programs to rebuild, all by default")
    parser.add_argument("--check", action="store_true", help="compare with the committed files, change nothing")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(CHECKSUMS)
    if unknown:
        parser.error(f"no program {', '.join(sorted(unknown))}; those that exist: {', '.join(CHECKSUMS)}")
    try:
        different = build(arguments.names or list(CHECKSUMS), arguments.check)
    except (RecordError, recording.RecordingError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    except (FileNotFoundError, ModuleNotFoundError) as error:
        missing = error.filename if isinstance(error, FileNotFoundError) else error.name
        print(f"{missing} is missing; data/programs/README.md says what to install", file=sys.stderr)
        return 1
    if different:
        print(f"not as committed: {', '.join(different)}; are the versions those of README.md?", file=sys.stderr)
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
