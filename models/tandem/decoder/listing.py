# SPDX-License-Identifier: Apache-2.0
"""A tandem trace for people: group by group, with disassembly, register names and symbols; damage in its place.

for line in listing(decode(data, config), data, config, program): print(line)

0x0000e6  group 12  0x80000004 <_start+0x4>: addi gp, gp, -0x7fc
          pc                   0x80000008 <_start+0x8>  +4
          gp (x3)              0x80001804
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.isa import X_NAMES
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded, Group, Memory
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.models.tandem.places import places
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE, STATE_KEY

_F = (
    [f"ft{n}" for n in range(8)]
    + ["fs0", "fs1"]
    + [f"fa{n}" for n in range(8)]
    + [f"fs{n}" for n in range(2, 12)]
    + [f"ft{n}" for n in range(8, 12)]
)
_OTHER_CSRS = {
    **{table.FFLAGS: "fflags", table.FRM: "frm", table.FCSR: "fcsr"},
    **{0x7B0: "dcsr", 0x7B1: "dpc", 0x7B2: "dscratch0", 0x7B3: "dscratch1"},  # debug specification 1.0, section 4.9
}
_INDENT = " " * 10
_KEPT = 100_000  # instructions whose text is kept
_NO_BYTES: bytes | Window = b""


@cache
def _csr_names(xlen: int) -> dict[int, str]:
    return CsrTable(virt(xlen)).names | _OTHER_CSRS


def key_name(key: int, xlen: int = 64) -> str:
    """Name of a change: `a0 (x10)`, `mepc`, `csr 0x7c0`, `pc`, `store data (32 bits)`."""
    if key >= STATE_KEY:
        state = table.BY_ID[key - STATE_KEY]
        return f"{state.meaning} ({state.width} bits)" if state.name.startswith("memdata") else state.meaning
    if key >= FPR_BASE:
        return f"{_F[key - FPR_BASE]} (f{key - FPR_BASE})"
    if key >= GPR_BASE:
        return f"{X_NAMES[key - GPR_BASE]} (x{key - GPR_BASE})"
    return _csr_names(xlen).get(key, f"csr {key:#05x}")


def listing(
    decoded: Decoded,
    data: bytes,
    config: Config,
    program: Program | None = None,
    first: int = 0,
    last: int | None = None,
) -> Iterator[str]:
    """The lines of sections first to last - 1. data: the whole trace. program: for symbols; the instructions are those
    of the trace.
    """
    shown = Lines(config, program)
    yield from shown.part(decoded, data, first, last)
    if (last is None or last == len(decoded)) and decoded.lost:
        yield lost_line(decoded.lost)


def lost_line(count: int) -> str:
    """The last line, if diagnostics were not kept."""
    return f"!!  and {count} more"


class Lines:
    """What one trace needs: symbols, and the bytes that show in which form a change was encoded."""

    def __init__(self, config: Config, program: Program | None) -> None:
        self._decoded, self._data, self._config = Decoded.empty(), _NO_BYTES, config
        self._program = program or Program(config.xlen, [])
        self._places = places(config)
        self._texts: dict[tuple[int, int], str] = {}

    def part(self, decoded: Decoded, data: bytes | Window, first: int = 0, last: int | None = None) -> Iterator[str]:
        """The lines of some sections, or of some of them, and of the diagnostics that come with them. data: by offsets
        of the trace.
        """
        self._decoded, self._data = decoded, data
        if len(self._texts) > _KEPT:
            self._texts.clear()
        found = iter(decoded.diagnostics)
        fault = next(found, None)
        last = len(decoded) if last is None else last
        for k, group in enumerate(decoded.groups(first, last), first):
            while fault is not None and fault.offset < group.offset:
                yield f"!!  {fault}"
                fault = next(found, None)
            yield from self.section(k, group)
            while fault is not None and fault.offset < group.end:
                yield f"!!  {fault}"
                fault = next(found, None)
        if last == len(decoded):
            yield from (f"!!  {one}" for one in ([fault] if fault is not None else []) + list(found))

    def section(self, k: int, group: Group) -> Iterator[str]:
        """One section's lines."""
        yield f"{group.offset:#08x}  {self._title(group)}"
        offsets = self._decoded.change_offset[
            int(self._decoded.change_start[k]) : int(self._decoded.change_start[k + 1])
        ].tolist()
        for (key, value), offset in zip(group.changes, offsets):
            line = f"{_INDENT}{key_name(key, self._config.xlen):<20} {self._value(key, value)}"
            yield line + self._form(offset, group) + self._more(offset)
        yield from (f"{_INDENT}{self._memory(one)}" for one in group.memory)

    def _title(self, group: Group) -> str:
        what = []
        if group.reset:
            what.append("hart reset")
        if group.init:
            what.append("state initialization")
        if group.size:
            what.append(self._insn(group))
        elif not what and not group.outside:
            what.append("no instruction" + ("" if group.pc is None else f", at {self._program.place(group.pc)}"))
        name = "outside groups" if group.outside else f"group {group.number}"
        return f"{name}  {', '.join(what)}".rstrip() + ("  (broken)" if group.broken else "")

    def _insn(self, group: Group) -> str:
        key = (group.pc or 0, group.insn)
        if key not in self._texts:
            insn = isa.decode(key[0], group.insn, self._config.xlen, zcmp=self._program.zcmp, zcmt=self._program.zcmt)
            self._texts[key] = isa.disassemble(insn, self._program) + (
                f"  (sent with {8 * group.size} bits)" if insn.size != group.size else ""
            )
        if group.pc is None:
            return f"pc unknown: {self._texts[key]}"
        return f"{self._program.place(group.pc)}: {self._texts[key]}{self._program.source(group.pc)}"

    def _value(self, key: int, value: int) -> str:
        if key == STATE_KEY + table.PRIV:
            return table.PRIVILEGES.get(value, f"{value} (there is none)")
        return self._program.place(value) if key == STATE_KEY + table.PC else f"{value:#x}"

    def _more(self, offset: int) -> str:
        """Fields of the item there that nobody knows, as the table prints them."""
        parts = self._places.more.get(self._data[offset], ())
        return "".join(f"  {part.field.name}={part.field.text(part.value(self._data, offset))}" for part in parts)

    def _form(self, offset: int, group: Group) -> str:
        code = self._data[offset]
        if code == table.INCREMENT_PC:
            return f"  +{group.size}"
        if code == table.ADD:
            at = offset + self._places.at(code, "offset")
            return f"  {int.from_bytes(self._data[at : at + 1], 'little', signed=True):+d}"
        return f"  |{self._data[offset + self._places.at(code, 'mask')]:#x}" if code == table.OR else ""

    @staticmethod
    def _memory(one: Memory) -> str:
        text = f"{table.OPERATIONS[one.op].name} {table.SIZES[one.size]} bits at {one.address:#x}"
        text += "" if one.data is None else f" <- {one.data:#x}"
        if one.result is None:
            return text
        return f"{text}: {table.RESULTS[one.result]}" + (
            "" if one.response_data is None else f", {one.response_data:#x}"
        )
