# SPDX-License-Identifier: Apache-2.0
"""What the directed tandem-trace scenarios are made of: their registry, and a script that says what a hart does row by
row.
"""

from __future__ import annotations

from random import Random
from typing import Any

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.tb.common.stimulus.scenario import Configs, Scenarios, scripted
from rvtrace.tb.tandem.stimulus.builds import DEFAULT, DRAWN, DUAL, LEAN, RV32

__all__ = ["ALL", "EVERY", "LANES", "LONG", "NOP", "SCENARIOS", "SHORT", "ScenarioScript", "scenario"]

ALL: Configs = (DEFAULT, RV32, LEAN, DUAL)
EVERY: Configs = tuple(DRAWN.values())  # those of random seeds too: few scenarios, which need them
LANES: Configs = (RV32, DUAL)  # two lanes, and every incremental form
NOP, SHORT = (4, 0x0000_0013), (2, 0x0001)
LONG = 0x8000_0000
_DATA = 0x0123_4567_89AB_CDEF


class ScenarioScript:
    """Rows in the making. It begins with a reset that reports the pc, unless it is fresh; and ends with a flush.

    config: of the encoder. full: the largest number of a register. pc: the next one, as last reported.
    """

    def __init__(self, config: Config, rng: Random | None = None, fresh: bool = False) -> None:
        self.config, self.rng = config, rng or Random(0)
        self.full = (1 << config.xlen) - 1
        self.address = (1 << config.mlen) - 1
        self.pc, self._cycles = LONG, [[]]
        if not fresh:
            self.reset()

    # --- Rows and cycles

    def row(self, **parts: Any) -> None:
        """A row: `TraceData` by name. It takes the next lane."""
        self.put(TraceData(**parts))

    def put(self, *rows: TraceData) -> None:
        """Rows in the next lanes."""
        for row in rows:
            if len(self._cycles[-1]) == self.config.lanes:
                self._cycles.append([])
            self._cycles[-1].append(row)
            self.pc = self.pc if row.pc is None else row.pc

    def step(self, cycles: int = 1) -> None:
        """The next row comes in lane 0, after so many cycles."""
        if self._cycles[-1]:
            self._cycles.append([])
        self._cycles[-1:-1] = [[] for _ in range(cycles - 1)]

    def beside(self, *rows: TraceData) -> None:
        """Rows that fill a cycle, as many as there are lanes; of one lane, one after the other."""
        self.step()
        self.put(*rows)
        self.step()

    def rows(self) -> Rows:
        """What is played: everything, and a flush."""
        self.put(FLUSH)
        table = [(cycle, row) for cycle, lanes in enumerate(self._cycles) for row in lanes]
        out = Rows.from_rows(row for _, row in table)
        return Rows(len(out), **out.columns() | {"cycle": [cycle for cycle, _ in table]})

    # --- What happens

    def reset(self, pc: int | None = LONG, **more: Any) -> None:
        """A hart reset."""
        self.row(reset=True, pc=pc, **more)

    def insn(self, bits: tuple[int, int] = NOP, at: int | None = None, **more: Any) -> None:
        """An instruction; at: the next pc, by default that in sequence."""
        self.row(insn=bits, pc=self.pc + bits[0] & self.full if at is None else at & self.full, **more)

    def quiet(self, **parts: Any) -> None:
        """A row outside groups."""
        self.row(group=False, **parts)

    def init(self, **parts: Any) -> None:
        """State initialization."""
        self.row(init=True, **parts)

    def flush(self) -> None:
        """Requests what the encoder has kept back."""
        self.put(FLUSH)

    def trap(self, cause: int, insn: tuple[int, int] | None, supervisor: bool = False) -> None:
        """An exception (with its instruction), a fetch that failed or an interrupt (without)."""
        epc, ecause, value = (0x141, 0x142, 0x143) if supervisor else (0x341, 0x342, 0x343)
        csr = ((epc, self.pc), (ecause, cause & self.full), (0x300, 0x1800), (value, 0))
        self.row(insn=insn, pc=0x8010_0000, csr=csr, priv=1 if supervisor else 3)

    # --- Values

    def number(self, bits: int) -> int:
        """Any number."""
        return self.rng.getrandbits(bits)

    def part(self, name: str, k: int = 0) -> dict[str, Any]:
        """A part as `TraceData` has it, with a value that shows each of its bytes, another one for each k."""
        value = _DATA ^ 0x1111_1111_1111_1111 * (k & 15)
        x, mlen = value & self.full, value & self.address
        given: dict[str, Any] = {
            "pc": x & ~1,
            "ppc": mlen,
            "insn": SHORT if k & 1 else (4, value & 0xFFFF_FFFF | 3),
            "gpr": (1 + k % 31, x),
            "fpr": (k % 32, value & (1 << self.config.flen) - 1),
            "fcsr": value & 0xFFFF_FFFF,
            "priv": (0, 1, 3)[k % 3],
            "paddr": mlen,
            "eaddr": mlen ^ 4,
            "memdata": (k % 4, value),
            "mtime": value,
            "mcycle": value ^ 0xFF00,
            "minstret": value ^ 0xFF00_0000,
            "request": (t.STORE, k % 4, mlen, value),
        }
        if name in given:
            return {name: given[name]}
        if name == "response":
            return {"request": (t.LOAD, k % 4, mlen, 0), "response": (k & 1, value)}
        if name.startswith("csr"):  # one slot after the other, from the first
            return {"csr": tuple((0x7C0 + slot, x ^ slot) for slot in range(int(name[3:]) + 1))}
        return {name: True}

    def everything(self, k: int = 0, **more: Any) -> dict[str, Any]:
        """All parts of an instruction at once: the longest row."""
        names = [part.name for part in t.PARTS if part.columns and part.name != "request"] + ["csr3"]
        parts: dict[str, Any] = {}
        for name in names:
            parts |= self.part(name, k)
        amo = (t.AMOSWAP, 3, self.address, _DATA)
        return parts | {"request": amo, "memdata": (3, _DATA)} | more


SCENARIOS = Scenarios(script=scripted(ScenarioScript))
scenario = SCENARIOS.scenario
