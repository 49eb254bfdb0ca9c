# SPDX-License-Identifier: Apache-2.0
"""A small capture as files, made by the encoder model from a walk: loop, call, trap and return."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from rvtrace.models.etrace.config import Config as EtraceConfig
from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.walk import Walk

ROOT = Path(__file__).resolve().parents[2]


def program(xlen: int = 64) -> Program:
    """main: four turns of a loop, a call through a register, end; handler: mret."""
    made = ProgramBuilder(xlen, 0x80000000)
    made.label("main")
    made.nop()
    made.label("loop")
    made.addi(10, 10, -1)
    made.bne(10, 0, "loop")
    made.jalr(1, 5)
    made.label("end")
    made.nop()
    made.nop()
    made.label("leaf")
    made.c_nop()
    made.c_jr(1)
    made.align(4)
    made.label("handler")
    made.nop()
    made.mret()
    return made.build("main")


def write_capture(folder: Path, **options) -> Path:
    """trace.bin, program.elf, config.json, retired.csv and beats.npz of an N-Trace encoder in `folder`."""
    return _written(folder, Config(**options), Encoder)


def write_etrace_capture(folder: Path, **options) -> Path:
    """The same of an E-Trace encoder."""
    return _written(folder, EtraceConfig(**options), EtraceEncoder)


def _written(folder: Path, config, encoder) -> Path:
    code = program(config.xlen)
    at = code.symbols
    walk = Walk(code, config.variant).trace_on().step(2)
    for turn in range(4):
        walk.branch(turn < 3)
        if turn < 3:
            walk.step()
    walk.jump(at["leaf"]).step().trap(7, at["handler"], interrupt=True).step()
    walk.jump(at["leaf"] + 2).jump(at["end"]).step().trace_off()
    retired = walk.retired()
    beats = to_beats(retired, lanes=config.blocks)
    beats.enable[1:] = 1
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trace.bin").write_bytes(encoder(config).run(beats).data)
    code.to_elf(folder / "program.elf")
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    retired.to_csv(folder / "retired.csv")
    beats.save(folder / "beats.npz")
    return folder


def run(tool: str, *words: object) -> subprocess.CompletedProcess:
    """`python -m tools.<tool> words`, as a user runs it."""
    command = [sys.executable, "-m", f"rvtrace.tools.{tool}", *map(str, words)]
    env = {k: v for k, v in os.environ.items() if k != "TRACEBACK"}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, env=env, check=False)


def is_one_sentence(done: subprocess.CompletedProcess, *words: str) -> bool:
    """Non-zero exit, one line on stderr that begins with `error:`, names a way out (`;`), and has these words. A slow
    machine shows progress before.
    """
    lines = [line for line in done.stderr.splitlines() if not re.match(r"\d+ of \d+ |building ", line)]
    assert done.returncode not in (0, None), done
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    assert len(lines) == 1 and lines[0].startswith("error: ") and ";" in lines[0], lines
    assert all(word in lines[0] for word in words), (words, lines[0])
    return True


def hears_sigint() -> None:
    """For preexec_fn: a child that can be interrupted, also where tests run in the background of a shell, which ignores
    SIGINT for them.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
