# SPDX-License-Identifier: Apache-2.0
"""Recordings that do not exist, are damaged or have another program beside them: one sentence each."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program, ProgramError
from rvtrace.models.riscv.recording import RecordingError


def test_unknown_program() -> None:
    with pytest.raises(
        RecordingError, match="'bubble'; those that exist: crc, dispatch, recursion, sort, switch, traps"
    ):
        recording.load("bubble", 64)
    with pytest.raises(RecordingError, match="XLEN=32 or XLEN=64"):
        recording.load("sort", 128)
    with pytest.raises(RecordingError, match="RV64 was asked for; say XLEN=32"):
        recording.load(recording.DIRECTORY / "sort.rv32.rec", 64)


def test_damaged_files(tmp_path: Path) -> None:
    for suffix in ("rec", "elf"):
        shutil.copy(recording.DIRECTORY / f"traps.rv32.{suffix}", tmp_path)
    rec, elf = tmp_path / "traps.rv32.rec", tmp_path / "traps.rv32.elf"
    whole = rec.read_bytes()
    for at in range(0, len(whole), 97):
        rec.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(RecordingError):
            recording.load(rec)
        rec.write_bytes(whole[:at])
        with pytest.raises(RecordingError):
            recording.load(rec)
    rec.write_bytes(whole)
    recording.load("traps", 32, tmp_path)
    shutil.copy(recording.DIRECTORY / "sort.rv32.elf", elf)
    with pytest.raises(RecordingError, match="is not the program that .* was recorded from"):
        recording.load(rec)
    elf.unlink()
    with pytest.raises(RecordingError, match="put it beside the recording"):
        recording.load(rec)


def test_foreign_program() -> None:
    with pytest.raises(ProgramError, match="X86-64, not for RISC-V"):
        Program.from_elf(recording.DIRECTORY / "foreign.x86_64.elf")


def test_save_gives_what_load_reads(tmp_path: Path) -> None:
    run = recording.load("traps", 64)
    shutil.copy(run.program_path, tmp_path)
    again = tmp_path / "traps.rv64.rec"
    recording.save(again, tmp_path / "traps.rv64.elf", run.retired, run.initial)
    loaded = recording.load(again)
    assert loaded.retired.differs(run.retired) is None and (loaded.initial == run.initial).all()
    for name, values in vars(run.retired.effects).items():
        assert np.array_equal(values, getattr(loaded.retired.effects, name)), name
