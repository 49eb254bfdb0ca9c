# SPDX-License-Identifier: Apache-2.0
"""The path of a program through unicorn: which instructions retired, in parts, and nothing else.

    for part in Path(program, tohost, fromhost).parts():       # each a `Retired` without effects

For programs of any length and with floating point, which the reference simulator does not have; without traps, which
unicorn does not enter. The program talks to its host as riscv-tests does: it stores the address of a request to
`tohost` and waits until `fromhost` is not 0; an odd value in `tohost` is the end, 1 without a complaint.

unicorn calls Python once for each block, not for each instruction. Its counters are those of the machine it runs on,
so whatever reads one gets the number of retired instructions instead: two runs are the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired

RAM, RAM_SIZE = 0x80000000, 0x04000000
SPIKE_TURN = 5000  # instructions after which Spike looks at `tohost` (its INTERLEAVE)
PART = 1 << 20  # blocks, of about five instructions
PATH_INSTRUCTIONS = 1 << 32  # instructions
VARIANT = "v1_0"
_COUNTERS = {0xB00: 0, 0xB02: 0, 0xC00: 0, 0xC02: 0, 0xB80: 32, 0xB82: 32, 0xC80: 32, 0xC82: 32}  # CSR: lowest bit
_SIZE_BITS = 16  # of the bytes of a block, in the number that it is remembered by


class PathError(ValueError):
    """The run went another way than can be recorded; the text says what to do."""


class Path:
    """One run of a program from its entry to its end.

    tohost, fromhost: their addresses. turn: the host answers at the next multiple of so many instructions,
    as Spike does; 0: at once. instructions: of the parts so far. code: what was stored
    to tohost last.
    """

    def __init__(self, program: Program, tohost: int, fromhost: int, turn: int = 0) -> None:
        import unicorn
        from unicorn import riscv_const
        from unicorn.unicorn import Uc, UcError

        self.program, self._turn = program, turn
        self._tohost, self._fromhost = tohost, fromhost
        self._pc = riscv_const.UC_RISCV_REG_PC
        self._x = [getattr(riscv_const, f"UC_RISCV_REG_X{n}") for n in range(32)]
        self._uc: Any = Uc(
            unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64 if program.xlen == 64 else unicorn.UC_MODE_RISCV32
        )
        self._failed: type[Exception] = UcError
        self._uc.mem_map(RAM, RAM_SIZE)
        for base, body in (*program.segments, *program.data):
            self._uc.mem_write(base, bytes(body))
        self._blocks = _Blocks(program)
        self._seen, self._room, self._full = array("Q"), PART, False
        self._counted = self._upto = 0  # instructions of the first so many blocks of this part
        self._end = -1  # pc of the store that ends the program
        self._answer = -1  # the host answers at this instruction
        self.instructions = self.code = 0
        self._uc.hook_add(unicorn.UC_HOOK_BLOCK, self._block)
        self._uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, self._request, begin=self._tohost, end=self._tohost + 7)
        self._watch_counters(unicorn.UC_HOOK_CODE)

    def parts(self, blocks: int = PART, limit: int = PATH_INSTRUCTIONS) -> Iterator[Retired]:
        """The run in parts of so many blocks. limit: instructions; PathError if the program has not ended by then."""
        at, self._room = self.program.entry, blocks
        while not self.code & 1:
            self._full = False
            try:
                self._uc.emu_start(at, 1)
            except self._failed as error:
                raise PathError(f"unicorn stopped at {self._where()}: {error}; use the reference simulator") from None
            if not self._full:
                raise PathError(f"the program stopped at {self._where()} without an end")
            last = self._seen.pop()  # was announced, and is not executed
            at = last >> _SIZE_BITS
            part = self._blocks.rows(np.frombuffer(self._seen, np.uint64), at)
            if self.code & 1:  # the block of the last store may go on
                part = part.select(slice(0, int(np.flatnonzero(part.pc == self._end)[-1]) + 1))
            self.instructions += len(part)
            self._seen, self._counted, self._upto = array("Q"), 0, 0
            yield part
            if self.instructions > limit:
                raise PathError(f"the program did not end within {limit:,} instructions; give it less to do")

    def memory(self, address: int, count: int) -> bytes:
        """What is there now."""
        return bytes(self._uc.mem_read(address, count))

    def _where(self) -> str:
        return f"{self._uc.reg_read(self._pc):#x}"

    # --- what unicorn calls

    def _block(self, _uc: Any, address: int, size: int, _: Any) -> None:
        seen = self._seen
        seen.append(address << _SIZE_BITS | size)
        if self._answer >= 0 and self.instructions + self._before_last() >= self._answer:
            self._uc.mem_write(self._fromhost, b"\1")
            self._answer = -1
        if self.code & 1 or len(seen) > self._room:
            self._full = True
            self._uc.emu_stop()

    def _request(self, _uc: Any, _access: int, address: int, size: int, value: int, _: Any) -> None:
        low = address == self._tohost
        value &= (1 << 8 * size) - 1
        self.code = self.code & ~0xFFFF_FFFF | value if low else self.code & 0xFFFF_FFFF | value << 32
        if low and value & 1:
            self._end = int(self._uc.reg_read(self._pc))
        elif low and value:
            now = self.instructions + self._before_last()
            self._answer = (now // self._turn + 1) * self._turn if self._turn else 0

    def _before_last(self) -> int:
        """Instructions of this part in the blocks before the last one."""
        seen, lengths = self._seen, self._blocks.length
        for key in seen[self._upto : len(seen) - 1]:
            self._counted += lengths(key)
        self._upto = max(self._upto, len(seen) - 1)
        return self._counted

    def _watch_counters(self, hook: int) -> None:
        """After each instruction that reads a counter."""
        for base, body in self.program.segments:
            for offset in range(0, len(body) - 3, 2):
                raw = int.from_bytes(body[offset : offset + 4], "little")
                csr, rd = raw >> 20, raw >> 7 & 31
                if raw & 0x7F == 0x73 and raw >> 12 & 3 and csr in _COUNTERS and rd:
                    after = base + offset + 4
                    self._uc.hook_add(hook, self._counter, (rd, _COUNTERS[csr]), begin=after, end=after)

    def _counter(self, uc: Any, address: int, _size: int, given: tuple[int, int]) -> None:
        """The instruction right before, at address - 4, has read a counter."""
        register, low = given
        begin = self._seen[-1] >> _SIZE_BITS
        within = self._blocks.pcs(self._seen[-1]).index(address) if address != begin else 0
        retired = self.instructions + self._before_last() + within - 1
        uc.reg_write(self._x[register], retired >> low & (1 << self.program.xlen) - 1)


class _Blocks:
    """What the program says about blocks, each decoded once. A block is its address and its bytes in one number."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._pcs: dict[int, list[int]] = {}

    def pcs(self, key: int) -> list[int]:
        """The instructions of a block."""
        found = self._pcs.get(key)
        if found is None:
            at, found = key >> _SIZE_BITS, []
            end = at + (key & (1 << _SIZE_BITS) - 1)
            while at < end:
                insn = self._program.insn(at)
                if insn is None:
                    raise PathError(f"there is no instruction of the program at {at:#x}, where it ran; build it again")
                found.append(at)
                at += insn.size
            self._pcs[key] = found
        return found

    def length(self, key: int) -> int:
        """Instructions of a block."""
        return len(self.pcs(key))

    def rows(self, keys: np.ndarray, following: int) -> Retired:
        """These blocks in order. following: the pc after the last."""
        unique, which = np.unique(keys, return_inverse=True)
        lists = [self.pcs(key) for key in unique.tolist()]
        lengths = np.array([len(one) for one in lists], np.int64)
        begins = np.cumsum(lengths) - lengths
        static = np.array([pc for one in lists for pc in one], np.uint64)
        columns = self._program.columns(static)
        count = lengths[which]
        ends = np.cumsum(count)
        rows = np.repeat(begins[which] - (ends - count), count) + np.arange(int(ends[-1]) if len(ends) else 0)
        last, itype = rows[ends - 1], columns.itype[VARIANT][rows]
        taken = np.full(len(rows), -1, np.int8)
        branch = np.flatnonzero(columns.flow[last] == Flow.BRANCH)
        after = np.append((keys >> np.uint64(_SIZE_BITS))[1:], np.uint64(following))
        taken[ends[branch] - 1] = after[branch] == columns.target[last[branch]]
        itype[taken == 1] = IType.TAKEN
        n = len(rows)
        return Retired.from_columns(
            kind=np.full(n, int(Kind.INSN)), pc=static[rows], size=columns.size[rows], itype=itype, taken=taken,
            priv=np.full(n, int(Priv.M)),
        )  # fmt: skip
