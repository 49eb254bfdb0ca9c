# SPDX-License-Identifier: Apache-2.0
"""Builds `soc` and runs test_soc.py on it with cocotb's own runner.

python examples/own_bench/run.py [folder [bug]]     SIM=icarus (default) or verilator; bug: see soc.sv
"""

import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HANDLER, WORDS = 0x80000100, 256


def program() -> Program:
    """Six rounds with a call, a branch that is taken every second time, and a system call."""
    b = ProgramBuilder(32, 0x80000000)
    b.label("main")
    b.addi(10, 0, 6)
    b.addi(11, 0, 0)
    b.label("loop")
    b.jal(1, "leaf")
    b.ecall()
    b.addi(10, 10, -1)
    b.bne(10, 0, "loop")
    b.label("end")
    b.jal(0, "end")
    b.label("leaf")
    b.beq(11, 0, "even")
    b.addi(11, 0, 0)
    b.jalr(0, 1)
    b.label("even")
    b.addi(11, 11, 1)
    b.jalr(0, 1)
    b.org(HANDLER)
    b.label("handler")
    b.addi(12, 12, 1)
    b.mret()
    return b.build()


def run(folder: Path, bug: int = 0) -> Path:
    """Build and simulate in a folder; the results.xml of cocotb."""
    folder.mkdir(parents=True, exist_ok=True)
    made = program()
    made.to_elf(folder / "program.elf")
    words = (made.read(0x80000000 + 4 * k, 4) or bytes(4) for k in range(WORDS))
    (folder / "rom.hex").write_text("".join(f"{int.from_bytes(word, 'little'):08x}\n" for word in words))
    encoder = (ROOT / "rtl/ntrace/files.f").read_text().split()
    runner = get_runner(os.environ.get("SIM", "icarus"))
    runner.build(
        sources=[*(ROOT / name for name in encoder), HERE / "soc.sv"],
        hdl_toplevel="soc",
        parameters={"Bug": bug},
        build_dir=folder / "build",
        always=True,  # another bug is another parameter, which the runner does not look at
        build_args=["-g2012"] if "icarus" in type(runner).__name__.lower() else ["-Wno-fatal", "--timing"],
        timescale=("1ns", "1ps"),
    )
    return runner.test(
        test_module="test_soc", hdl_toplevel="soc", build_dir=folder / "build", test_dir=folder,
        results_xml=str(folder / "results.xml"),
        extra_env={"PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), *sys.path])},
    )  # fmt: skip


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "build/own_bench").resolve()
    run(where, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
