# SPDX-License-Identifier: Apache-2.0
"""The program of tests/report/programs as a capture of any of the three trace systems, with line information."""

import json
import shutil
from pathlib import Path
from typing import cast

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from rvtrace.flow.programs.record import run
from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.program import Program
from rvtrace.tb.common.stimulus.stimulus import traced
from tests.common.there import there

SOURCE = Path(__file__).parent / "programs" / "collatz.c"
ELF = SOURCE.with_name("collatz.rv64.elf")
KINDS = {"ntrace": (Config, Encoder), "etrace": (EtraceConfig, EtraceEncoder)}


def capture(folder, ip="ntrace", **options):
    """The folder, with the source file beside the program; what retired."""
    program = Program.from_elf(ELF)
    with ELF.open("rb") as file:
        (tohost,) = there(
            cast(SymbolTableSection, ELFFile(file).get_section_by_name(".symtab")).get_symbol_by_name("tohost")
        )
    retired = traced(run(program, tohost["st_value"]).retired, program)
    kind, encoder = KINDS[ip]
    config = kind(**options)
    beats = to_beats(retired, lanes=config.blocks, per_cycle=ip == "etrace")
    beats.enable[1:] = 1
    if options.get("timestamp"):
        beats.tstamp[:] = 1000 + 2 * np.arange(len(beats.tstamp))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trace.bin").write_bytes(encoder(config).run(beats).data)
    shutil.copy(ELF, folder / "program.elf")
    shutil.copy(SOURCE, folder)
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    retired.to_csv(folder / "retired.csv")
    beats.save(folder / "beats.npz")
    return retired
