# SPDX-License-Identifier: Apache-2.0
"""What a run shows of the choices of a device: it holds for the whole run, whenever it was observed first.

Which bits of the enables and of mcountinhibit are kept, what a write of an event selector leaves, what registers hold
after reset, and whether `time` and `mcountinhibit` are there (`time` may be emulated, and without mcountinhibit the
counters run as with 0).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from rvtrace.models.csr.file import ALL as _ALL
from rvtrace.models.csr.file import LOW as _LOW
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import SELECT_MASK, csr_file
from rvtrace.models.hpm.rows import NO_ACCESS, Rows
from rvtrace.models.riscv.csr import DEBUG, DONE, WRITE, Access, M

MASKS = ("mcountinhibit", "mcounteren", "scounteren", "hcounteren")
OPTIONAL = ("time", "mcountinhibit")
VIEWS = "Zicntr", "Zihpm"  # the extensions of the views but time, each of which is there as a whole or not


def optional_part(csr: Csr) -> str:
    """What of `OPTIONAL` and `VIEWS` a CSR belongs to; empty for one that has to be there."""
    if csr.state in OPTIONAL:
        return csr.state
    return VIEWS[csr.number > 2] if csr.address >> 8 == 0xC else ""


class Learned:
    """after: by row of a write, (mask, value) of what reads show before the next write of that register. first: by
    register, the same of what it held before anything was written. kept, dropped: bits of the registers of `MASKS` that
    were read as 1; that were read as 0 where 1 was written. pairs: of counter and SELECT as it was written, what was
    read then; -1 if that was not always the same. gone: what of `OPTIONAL` and `VIEWS` M-mode could not access.
    """

    def __init__(self, config: Config, rows: Rows, csrs: dict[int, Csr]) -> None:
        self.after: dict[int, tuple[int, int]] = {}
        self.first: dict[str, tuple[int, int]] = {}
        self.kept: dict[str, int] = defaultdict(int)
        self.dropped: dict[str, int] = defaultdict(int)
        self.pairs: dict[tuple[int, int], int] = {}
        self.gone: set[str] = set()
        self._config, self._csrs, self._file = config, csrs, csr_file(config)
        where = np.flatnonzero(rows.op != NO_ACCESS)
        columns = (rows.op, rows.addr, rows.wdata, rows.mode, rows.xlen32, rows.rdata, rows.outcome)
        table = list(zip(where.tolist(), *(column[where].tolist() for column in columns)))
        self._bits(table)
        self._values(table)

    def writable(self, name: str, claimed: int) -> int:
        """The bits of a register of `MASKS` that this device keeps."""
        fixed = 2 if name == "mcountinhibit" else 0
        return (claimed & ~self.dropped[name] | self.kept[name]) & ~fixed

    def _found(self, addr: int) -> Csr | None:
        csr = self._csrs.get(addr)
        return csr if csr is not None and csr.name.removesuffix("h" * csr.high) == csr.state else None

    def _bits(self, table: list[tuple[int, ...]]) -> None:
        raw: dict[str, int] = {}
        done: set[str] = set()
        for _, op, addr, wdata, mode, xlen32, rdata, outcome in table:
            csr, access = self._csrs.get(addr), Access(op, addr, wdata, mode, xlen32)
            if csr is not None and (part := optional_part(csr)):
                if outcome == DONE:
                    done.add(part)
                elif (
                    mode in (M, DEBUG)
                    and (not csr.high or self._config.xlen == 32 or xlen32)
                    and not (csr.read_only and self._file.writes(access))
                ):
                    self.gone.add(part)
            csr = self._found(addr)
            if csr is None:
                continue
            name = csr.state
            if name not in MASKS or outcome != DONE:
                continue
            self.kept[name] |= rdata & _LOW
            if name in raw:
                self.dropped[name] |= raw[name] & ~rdata & _LOW
            if self._file.writes(access):
                raw[name] = self._file.after(access, raw.get(name, rdata)) & _LOW
        self.gone -= done
        for name in MASKS:
            self.dropped[name] &= ~self.kept[name]

    def _values(self, table: list[tuple[int, ...]]) -> None:
        """From the last access to the first: what is read belongs to the write before it."""
        seen: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for row, op, addr, wdata, mode, xlen32, rdata, outcome in reversed(table):
            csr = self._found(addr)
            if csr is None or outcome != DONE or csr.name in ("sip", "sie", "vsip", "vsie"):
                continue
            access = Access(op, addr, wdata, mode, xlen32)
            thin = self._file.narrow(access)
            half = _LOW << 32 if csr.high else _LOW if thin or csr.width == 32 else _ALL
            if self._file.writes(access):
                mask, value = self.after[row] = seen[csr.state]
                if csr.state.startswith("mhpmevent") and not csr.high and op == WRITE and mask & _LOW:
                    key = csr.number, self._file.operand(access) & SELECT_MASK
                    held = value & mask & SELECT_MASK
                    self.pairs[key] = held if self.pairs.get(key, held) == held else -1
                gone = _ALL if csr.state.startswith("mhpmevent") else half  # a selector may depend on both halves
                seen[csr.state] = mask & ~gone, value & ~gone
            mask = half
            value = rdata << 32 if csr.high else rdata & mask
            old_mask, old = seen[csr.state]
            seen[csr.state] = old_mask | mask, old & ~mask | value
        self.first = dict(seen)
