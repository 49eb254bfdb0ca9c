# SPDX-License-Identifier: Apache-2.0
"""Files between Python and a bench with a core: the program's memory, how it is run, and what the recorders saw."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from rvtrace.tb.cores.agents import layout

MEMORY, RUN, RVFI, TRAP = "memory.hex", "run.json", "rvfi.bin", "trap.bin"
# error_code_o of rtl/adapters/rvfi_hart_port.sv, as what RVFI did.
ADAPTER_ERRORS = {
    1: "rvfi_order is not one more than in the retirement before",
    2: "rvfi_pc_rdata is not the rvfi_pc_wdata of the retirement before, and there was no trap between",
    3: "rvfi_insn is no instruction of 16 or 32 bits",
    4: "there is a trap without an event at the trap port",
    5: "the event at the trap port is not that of the exception",
    6: "the trap port has events for which there was no trap",
    7: "the core retired more after stall_o than the adapter can queue",
    8: "the trap port has more events than the adapter can queue",
}
BASE = 0x8000_0000  # of the memory in tb/cores/hdl/core_memory.sv, which has 8 MiB


@dataclass(frozen=True)
class Run:
    """elf: the program. start: its first instruction. halt: where it is over. tohost: it is over, too, when it has
    stored an odd number here; 0: nowhere. limit: cycles after which it is stopped. rerun: the command that repeats the
    run.
    """

    elf: str
    start: int
    halt: int
    tohost: int
    limit: int
    rerun: str

    @classmethod
    def load(cls, folder: Path) -> Run:
        """From the folder of the simulator."""
        return cls(**json.loads((folder / RUN).read_text()))

    def save(self, folder: Path) -> None:
        """To the folder of the simulator."""
        (folder / RUN).write_text(json.dumps(asdict(self)) + "\n")

    def over(self, retired: int) -> str:
        """A sentence: it did not come to its end."""
        place = f"halt ({self.halt:#x})" if self.halt else f"a store of an odd number to tohost ({self.tohost:#x})"
        return (
            f"the program did not come to {place} within {self.limit} cycles, in which the core retired"
            f" {retired} instructions; give LIMIT={10 * self.limit} if it is only long"
        )


def write_memory(path: Path, segments: Iterable[tuple[int, bytes]]) -> None:
    """What $readmemh reads: words at their places in memory."""
    chunks: list[tuple[int, bytearray]] = []
    for base, body in sorted(segments):
        if not chunks or base >= chunks[-1][0] + -(-len(chunks[-1][1]) // 4) * 4:
            chunks.append((base - base % 4, bytearray()))
        begin, words = chunks[-1]
        words += bytes(base - begin - len(words)) + body
    lines = []
    for begin, body in chunks:
        words = np.frombuffer(bytes(body) + bytes(-len(body) % 4), "<u4")
        lines += [f"@{(begin - BASE) // 4:x}", *(f"{word:08x}" for word in words.tolist())]
    path.write_text("\n".join(lines) + "\n")


def read_rvfi(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """(rows of RVFI, events of the trap port): tables with the columns of models/riscv/rvfi.py."""
    return np.fromfile(folder / RVFI, layout.RVFI.dtype()), np.fromfile(folder / TRAP, layout.TRAP.dtype())
