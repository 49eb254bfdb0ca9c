# SPDX-License-Identifier: Apache-2.0
"""A script of what happens at the ports of a control transfer records block: transfers and CSR accesses, cycle by
cycle.

    s = Script(config)
    s.write("mctrctl", 7)
    s.group([s.taken(5, 0x8000, 0x9000)], s.reading("sctrstatus"))  # transfer and access in one cycle
    s.idle(100)
    rows = s.rows()

CSRs are named as in `models/ctr/registers.py`, or by address; an access is made at the hart's mode unless `mode` says
another.
"""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.ctr.registers import SELECT, csr
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.riscv.csr import Access, M
from rvtrace.tb.common.stimulus.csr_script import CsrScript


class Script(CsrScript):
    """Rows in the making."""

    config: Config

    def __init__(self, config: Config, priv: int = M) -> None:
        super().__init__(config, priv)
        self._rows: list[tuple[int, int, list[Transfer], Access | None]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self) -> Rows:
        """What was written so far; a last idle cycle shows the mode that the last transfer left."""
        self.idle(1)
        return Rows.from_rows(self._rows, self.config.transfers)

    # --- Time and transfers -------------------------------------------------------------------------

    def idle(self, cycles: int = 1) -> None:
        """So many cycles without transfer and access, in the hart's mode."""
        if cycles and (not self._rows or self._rows[-1][1] != self.priv):
            self._rows.append((self.cycle, self.priv, [], None))
        self.cycle += cycles

    def group(self, transfers: Iterable[Transfer] = (), access: Access | None = None) -> None:
        """One cycle with these transfers, oldest first, and this access. The mode at its begin is that of the first
        transfer.
        """
        group = list(transfers)
        if group:
            self.priv = group[0].from_
        self._rows.append((self.cycle, self.priv, group, access))
        self.cycle += 1
        if group:
            self.priv = group[-1].to

    def taken(self, type_: int, source: int, target: int, misp: int = 0) -> Transfer:
        """A transfer within the hart's mode, to be put into a group."""
        return Transfer(type_, source, target, misp, self.priv, self.priv, 0)

    # --- Accesses -----------------------------------------------------------------------------------

    def address(self, name: str) -> int:
        return csr(name, self.config).address

    def put(self, access: Access | None, transfers: Iterable[Transfer] = ()) -> None:
        self.group(transfers, access)

    def sctrclr(self, mode: int | None = None) -> None:
        """A cycle with an SCTRCLR."""
        self.group([], Access(SCTRCLR, 0, 0, self.priv if mode is None else mode))

    # --- Names that depend on the variant -------------------------------------------------------------

    @property
    def control(self) -> str:
        """The machine's control register."""
        return "mctrcontrol" if self.config.draft else "mctrctl"

    @property
    def vs_control(self) -> str:
        """The control register of V = 1."""
        return "vsctrcontrol" if self.config.draft else "vsctrctl"

    @property
    def s_control(self) -> str:
        """The supervisor's view of the machine's."""
        return "sctrcontrol" if self.config.draft else "sctrctl"

    @property
    def status(self) -> str:
        """The status register as M-mode names it."""
        return "mctrstatus" if self.config.draft else "sctrstatus"

    @property
    def window(self) -> str:
        """Prefix of the iselect and ireg through which M-mode gets at the entries."""
        return "m" if self.config.draft else "s"

    def control_word(self, *names: str) -> int:
        """The bits of control fields by name; those that the implementation does not have are left out."""
        return sum(self.config.bit(name) & self.config.fields for name in names)

    def write_control(self, value: int, name: str | None = None) -> None:
        """A whole control register in M-mode, on RV32 with its `h` half where there is one (else bits 63:32 stay as
        they are).
        """
        name = name or self.control
        if self.config.xlen == 32 and self.config.draft:
            self.write(f"{name}h", value >> 32, M)
        self.write(name, value & ((1 << self.config.xlen) - 1), M)

    def read_entry(self, logical: int) -> None:
        """A cycle that selects a logical entry and three that read its registers."""
        self.write(f"{self.window}iselect", SELECT.start + logical)
        for part in ("", "2", "3"):
            self.read(f"{self.window}ireg{part}")
