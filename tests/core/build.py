# SPDX-License-Identifier: Apache-2.0
"""Rebuilds the programs of data/programs/cores: `python -m tests.core.build` from the repository root.

Needs gcc-riscv64-unknown-elf. `--check` builds elsewhere and compares with the committed files, byte by byte.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from rvtrace.flow.cores.programs import CORES
from tests.programs.build import FLAGS, GCC


def compile_program(name: str, out: Path) -> None:
    """Compile and link one program, without debugging information; symbols stay."""
    sources = ["../start.S", f"{name}.c", *([f"{name}.S"] if (CORES / f"{name}.S").exists() else [])]
    options = ["-march=rv32imc", "-mabi=ilp32", *FLAGS, "-I..", "-O2", "-T", "../link.ld"]
    subprocess.run([GCC, *options, *sources, "-lgcc", "-o", str(out)], cwd=CORES, check=True)
    subprocess.run([GCC.replace("gcc", "objcopy"), "--discard-locals", "-g", str(out)], check=True)
    out.chmod(0o644)  # nobody executes it here


def different(names: list[str], check: bool) -> list[str]:
    """Build programs, elsewhere if `check`; the files that are not as committed."""
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            path = CORES / f"{name}.rv32.elf"
            out = Path(scratch) / path.name if check else path
            compile_program(name, out)
            if out.read_bytes() != path.read_bytes():
                found.append(path.name)
    return found


def main(argv: list[str]) -> int:
    """The command line."""
    wrong = different(sorted(path.stem for path in CORES.glob("*.c")), "--check" in argv)
    if wrong:
        print(f"not as committed: {', '.join(wrong)}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
