# SPDX-License-Identifier: Apache-2.0
"""RVFI rows for tests: of a recorded run, as a core without surprises would have them, or row by row."""

from typing import Any

import numpy as np

from rvtrace.models.riscv.recording import Recording
from rvtrace.models.riscv.retired import Kind
from rvtrace.tb.cores.agents import layout


def of_recording(run: Recording) -> np.ndarray:
    """The rows of a run without traps."""
    retired, effects = run.retired, run.retired.effects
    assert effects is not None and (retired.kind == Kind.INSN).all()
    rows = np.zeros(len(retired), layout.RVFI.dtype())
    rows["order"] = np.arange(len(rows)) + 7
    rows["pc"], rows["mode"] = retired.pc, retired.priv
    last = run.program.insn(int(retired.pc[-1]))
    assert last is not None
    rows["next_pc"] = np.append(retired.pc[1:], retired.pc[-1] + np.uint64(last.size))
    raw = {pc: insn.raw for pc in set(retired.pc.tolist()) if (insn := run.program.insn(pc)) is not None}
    rows["insn"] = [raw[pc] for pc in retired.pc.tolist()]
    rows["rd"], rows["rd_value"] = effects.rd, effects.rd_value
    mask = (1 << effects.mem_size.astype(np.int64)) - 1
    rows["rmask"], rows["wmask"] = np.where(effects.mem_store, 0, mask), np.where(effects.mem_store, mask, 0)
    rows["mem_addr"] = effects.mem_addr
    rows["mem_wdata"] = np.where(effects.mem_store, effects.mem_value, 0)
    return rows


def rows_of(given: list[dict[str, Any]]) -> np.ndarray:
    """Rows with these columns; order counts, mode is M, and csr is {slot: (address, value)}."""
    rows = np.zeros(len(given), layout.RVFI.dtype())
    rows["order"], rows["mode"] = np.arange(len(given)), 3
    for row, columns in zip(rows, given):
        for name, value in columns.items():
            if name == "csr":
                for slot, (address, number) in value.items():
                    row["csr_valid"] |= 1 << slot
                    row[f"csr_addr{slot}"], row[f"csr{slot}"] = address, number
            else:
                row[name] = value
    return rows


def traps_of(given: list[dict[str, int]]) -> np.ndarray:
    """Events of the trap port; from machine mode."""
    traps = np.zeros(len(given), layout.TRAP.dtype())
    traps["mode_from"] = traps["mode"] = 3
    for row, columns in zip(traps, given):
        for name, value in columns.items():
            row[name] = value
    return traps
