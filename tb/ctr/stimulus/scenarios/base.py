# SPDX-License-Identifier: Apache-2.0
"""What the directed CTR scenarios are made of: their registry, and a script with reads that show everything."""

from __future__ import annotations

from random import Random
from typing import Any

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import Transfer
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, SELECT
from rvtrace.models.riscv.csr import HS, VS, VU, WRITE, Access, M, U
from rvtrace.tb.common.stimulus.scenario import Configs, Scenarios, scripted
from rvtrace.tb.ctr.stimulus.builds import CC0, CC2, DEFAULT, DRAFT32, DRAFT64, LEAN
from rvtrace.tb.ctr.stimulus.script import Script

__all__ = [
    "ALL",
    "CC0",
    "CC1",
    "CC2",
    "CC3",
    "DEEP",
    "DEFAULT",
    "DRAFT32",
    "DRAFT64",
    "DRAFTS",
    "LEAN",
    "NO_S",
    "SCENARIOS",
    "ScenarioScript",
    "V1",
    "WIDE",
    "modes",
    "scenario",
]

DRAFTS: Configs = (DRAFT64, DRAFT32)
V1: Configs = (DEFAULT, CC2, CC0, LEAN)
ALL: Configs = (*V1, *DRAFTS)
WIDE: dict[str, Any] = {"ras_policy": 2}  # counts can be added up by pops, to the largest there is
NO_S: dict[str, Any] = {"variant": "v0_1_4", "transfers": 1, "has_s": 0, "has_h": 0, "depths": (64, 128), "fields": 0}
DEEP: dict[str, Any] = {**NO_S, "depths": (256,)}
SHALLOW: dict[str, Any] = {**NO_S, "depths": (16, 32)}  # each depth above is absent, and a neighbour is there
CC1: dict[str, Any] = {"transfers": 1, "cce_bits": 1, "depths": (32, 128)}
CC3: dict[str, Any] = {"transfers": 1, "cce_bits": 3, "depths": (256,)}
OPEN = 1 << CSRIND_BIT


class ScenarioScript(Script):
    """A script of numbered transfers (no two look alike), with reads of what they left.

    It begins with open state enables and the configuration's depth; fresh: with nothing. On RV32 of the draft a control
    register is written in both halves; the depth is kept.
    """

    def __init__(self, config: Config, rng: Random | None = None, fresh: bool = False) -> None:
        super().__init__(config)
        self.rng = rng or Random(0)
        self.number = 0
        self.top = 1 << config.xlen - 1 if config.xlen == 64 else 0
        if fresh:
            return
        self.open()
        if not config.draft:
            self.write("sctrdepth", config.depth_code(config.depth), M)
            self.read("sctrstatus", M)
        else:
            self.machine(0)
        self.guest(0)
        self.thaw()  # no text says what FROZEN is after reset, nor which modes of V = 1 are enabled

    def open(self) -> None:
        """All state enables open."""
        if not self.config.has_stateen:
            return
        value = OPEN | 1 << CTR_BIT[self.config.variant]
        for name in ("mstateen0", "hstateen0") if self.config.has_h else ("mstateen0",):
            self.wide(name, value)

    def wide(self, name: str, value: int) -> None:
        """A write of 64 bits in M-mode, on RV32 in two halves."""
        if self.config.xlen == 32:
            self.write(f"{name}h", value >> 32, M)
            self.write(name, value & 0xFFFFFFFF, M)
        else:
            self.write(name, value, M)

    # --- Control ------------------------------------------------------------------------------------

    def word(self, *names: str) -> int:
        """A control register with these fields 1, and the depth in force in the draft."""
        depth = self.config.depth_code(self.config.depth) << 16 if self.config.draft else 0
        return self.control_word(*names) | depth

    def machine(self, *names: str | int) -> None:
        """Write mctrctl (mctrcontrol): fields by name, or bits."""
        self.write_control(self._bits(names))

    def guest(self, *names: str | int) -> None:
        """Write vsctrctl (vsctrcontrol), if there is one."""
        if self.config.has_h:
            self.write_control(self._bits(names), self.vs_control)

    def _bits(self, names: tuple[str | int, ...]) -> int:
        value = self.word()
        for name in names:
            value |= name if isinstance(name, int) else self.control_word(name)
        return value

    # --- Transfers ----------------------------------------------------------------------------------

    def pcs(self) -> tuple[int, int]:
        """A source and a target that no other transfer has: every third with bits in every part, the others addresses
        that are valid with Sv39.
        """
        self.number += 1
        high, above = self.rng.getrandbits(self.config.xlen - 20) << 20, self.top
        odd, even = self.number & 2, self.number << 1 & 2
        if self.top and self.number % 3:
            above = -1 << 38 & (1 << 64) - 1
            high = high & ~above | above * (high >> 63)
        return high | self.number << 5 | odd, high ^ above | self.number << 5 | 0x10 | even

    def make(self, type_: int, from_: int, to: int | None = None, cause: int = 0, misp: int = 0) -> Transfer:
        """The next transfer."""
        source, target = self.pcs()
        return Transfer(type_, source, target, misp, from_, from_ if to is None else to, cause)

    def go(self, type_: int, from_: int, to: int | None = None, cause: int = 0, misp: int = 0) -> None:
        """A cycle with one transfer."""
        self.group([self.make(type_, from_, to, cause, misp)])

    def together(self, transfers: list[Transfer], access: Access | None = None) -> None:
        """Transfers in one cycle, or in as many as this port needs; the access with the last."""
        n = self.config.transfers
        lots = [transfers[i : i + n] for i in range(0, len(transfers), n)]
        for index, lot in enumerate(lots):
            self.group(lot, access if index == len(lots) - 1 else None)

    # --- Reads --------------------------------------------------------------------------------------

    def select(self, logical: int, window: str | None = None, mode: int = M) -> None:
        """Write an iselect."""
        self.group([], self.access(WRITE, f"{window or self.window}iselect", SELECT.start + logical, mode))

    def look(self, entries: int = 3, first: int = 0) -> None:
        """M-mode reads the status and some entries."""
        self.at(M)
        self.read(self.status)
        for logical in range(first, first + entries):
            self.read_entry(logical)

    def registers(self) -> None:
        """M-mode reads every control register."""
        self.at(M)
        for name in (self.control, self.vs_control) if self.config.has_h else (self.control,):
            self.read(name)
            if self.config.draft and self.config.xlen == 32:
                self.read(f"{name}h")

    def thaw(self) -> None:
        """M-mode lets FROZEN go."""
        self.clear(self.status, 1 << (15 if self.config.draft else 31), M)


def modes(s: Script) -> tuple[int, ...]:
    """The modes of an implementation, the most privileged first."""
    return (M, *((HS,) if s.config.has_s else ()), U, *((VS, VU) if s.config.has_h else ()))


SCENARIOS = Scenarios(script=scripted(ScenarioScript))
scenario = SCENARIOS.scenario
