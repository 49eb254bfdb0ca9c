# SPDX-License-Identifier: Apache-2.0
"""Coverage points that are made from a register table: values of fields, and accesses to CSRs.

`CsrCoverage(file)` has all of them for a CSR file; systems with points of their own take the parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from rvtrace.jobs.coverage import CROSS, Counts, Definition, Point
from rvtrace.models.csr.file import CsrFile, Gates
from rvtrace.models.csr.table import Csr, Field, Register, reachable
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, OPS, OUTCOMES, READ, VS, VU, WRITE, Access, Answer, M, U
from rvtrace.tb.common.coverage.tally import Tally

MODE_NAMES = {M: "M", HS: "S", U: "U", VS: "VS", VU: "VU", DEBUG: "Debug"}
ENDS = tuple(OUTCOMES.values())
CSR_OPS = tuple(OPS.values())
_LISTED = 16  # fields with no more legal values have a bin for each
_CLASSES = ("all bits 0", "all bits that can be 1", "something between")


# --- Fields -----------------------------------------------------------------------------------------


def field_bins(registers: Iterable[Register]) -> tuple[str, ...]:
    """`register x field x value` for what a write can leave in each field; classes of values if they are many."""
    bins = []
    for register, field in _writable(registers):
        values = _values(field)
        classes = [c for c in _CLASSES if field.width > 1 or c != _CLASSES[2]]
        shown = classes if values is None else [str(v) for v in values]
        bins += [CROSS.join((register.name, field.name, value)) for value in shown]
    return tuple(dict.fromkeys(bins))


def illegal_bins(registers: Iterable[Register]) -> tuple[str, ...]:
    """`register x field` of fields to which a value can be written that they do not take."""
    names = [
        CROSS.join((register.name, field.name))
        for register, field in _writable(registers)
        if field.access == "WARL" and not field.cases and any(field.legal(v) != v for v in _some(field))
    ]
    return tuple(dict.fromkeys(names))


def field_bin(register: Register, field: Field, value: int) -> str:
    """The bin of a field's value."""
    shown = str(value) if _values(field) is not None else _class(field, value)
    return CROSS.join((register.name, field.name, shown))


def _writable(registers: Iterable[Register]) -> Iterator[tuple[Register, Field]]:
    for register in registers:
        for field in register.fields:
            if field.access in ("RW", "WARL"):
                yield register, field


def _some(field: Field) -> tuple[int, ...]:
    full = (1 << field.width) - 1
    return (full, *range(min(full, 31) + 1))


def _values(field: Field) -> tuple[int, ...] | None:
    """Each legal value, if they are few; None if classes represent them."""
    values = reachable(field)
    return values if values is not None and len(values) <= _LISTED else None


def _class(field: Field, value: int) -> str:
    if value == 0:
        return _CLASSES[0]
    full = (1 << field.width) - 1 if field.legal.values is not None else field.legal.mask & ((1 << field.width) - 1)
    return _CLASSES[1 if value == full else 2]


# --- Accesses ---------------------------------------------------------------------------------------


def possible(file: CsrFile, csr: Csr, priv: int, *, narrow: Iterable[int] = (0, 1)) -> set[int]:
    """What an access from a mode can end as, with any setting of state enables, iselects and counter enables.

    narrow: of the accesses that are asked about.
    """
    bits = list(file.stateen.values())
    closed = [sum(1 << bit for bit in some) for some in _subsets(bits)]
    select = (file.indirect[0].values.start, 0) if csr.ireg and file.indirect else (0,)
    counter = (0, 1 << csr.number) if csr.level == "U" else (0,)
    settings = product(closed, closed, select, *[counter] * 3)
    gates = [Gates(m, h & m, at, at, at, mc, sc, hc) for m, h, at, mc, sc, hc in settings]
    ops = (READ, WRITE) if csr.read_only else (READ,)
    asked = [Access(op, csr.address, 1, priv, thin) for op, thin in product(ops, narrow)]
    return {file.outcome(one, csr, access) for one, access in product(gates, asked)}


def _subsets(bits: list[int]) -> Iterator[tuple[int, ...]]:
    for flags in product((0, 1), repeat=len(bits)):
        yield tuple(bit for bit, there in zip(bits, flags) if there)


def outcome_rules(
    registers: Mapping[str, tuple[CsrFile, Csr]], reason: str, *, all_xlens: bool = True
) -> dict[str, str]:
    """Bins of register x mode x outcome that no setting gives, with the reason. all_xlens: h registers are asked about
    at XLEN 64, too.
    """
    rules = {}
    for name, (file, csr) in registers.items():
        for priv, mode in MODE_NAMES.items():
            found = possible(file, csr, priv, narrow=(0, 1) if all_xlens or not csr.high else (1,))
            for code in set(OUTCOMES) - found:
                rules[CROSS.join((name, mode, OUTCOMES[code]))] = reason
    return rules


def whence(priv: int) -> str:
    """Class of the mode of an access to an address at which nothing is."""
    return "from M" if priv in (M, DEBUG) else "from below"


@dataclass
class CsrCoverage:
    """The points of accesses to one CSR file."""

    file: CsrFile

    def __post_init__(self) -> None:
        file = self.file
        names = tuple(c.name for c in file.csrs)
        self.registers: list[Register] = [c for c in file.csrs if c.fields and c.state == c.name and not c.high]
        self.registers += [register for one in file.indirect for register in one.registers]
        read_only = {f"{c.name} x write": "its address is read-only" for c in file.csrs if c.read_only}
        never = {
            f"{c.name} x *": "it selects nothing" for c in file.csrs if c.ireg and DONE not in possible(file, c, M)
        }
        self.points = (
            Point("csr_cg", "accesses by register and mode, and how they ended", "each register has its own rule",
                  {"register": names, "mode": tuple(MODE_NAMES.values()), "outcome": ENDS},
                  outcome_rules({c.name: (file, c) for c in file.csrs}, "no setting gives that")),
            Point("op_cg", "accesses that were done, by register and operation", "set and clear are separate paths",
                  {"register": names, "operation": CSR_OPS}, read_only | never),
            Point("field_cg", "values read back from fields that can be written", "each legal value is kept (WARL)",
                  {"field and value": field_bins(self.registers)}),
            Point("unknown_cg", "addresses that are not there", "nothing answers there",
                  {"mode": ("from M", "from below")}),
        )  # fmt: skip

    def definition(self, name: str) -> Definition:
        """The points as a definition."""
        return Definition(name, self.points)

    def observe(self, answers: Iterable[tuple[Access, Answer]]) -> Counts:
        """Counts of the accesses of one run with their answers, not yet stamped."""
        tally, gates = Tally(), Gates()
        for access, answer in answers:
            csr = self.file.at.get(access.addr)
            if csr is None:
                tally.one("unknown_cg", whence(access.priv))
                continue
            tally.one("csr_cg", csr.name, MODE_NAMES[access.priv], OUTCOMES[answer.outcome])
            if answer.outcome != DONE:
                continue
            tally.one("op_cg", csr.name, OPS[access.op])
            self._fields(tally, gates, csr, access, answer.rdata)
            if csr.is_select and self.file.writes(access):
                setattr(gates, self.file.acting(csr, access.priv).name, self.file.after(access, answer.rdata))
        return tally.counts

    def _fields(self, tally: Tally, gates: Gates, csr: Csr, access: Access, value: int) -> None:
        """The values of the fields that a whole read shows."""
        if self.file.narrow(access) or csr.high:
            return
        shown: Register | None = self.file.acting(csr, access.priv)
        if csr.ireg:
            chosen = self.file.selected(gates, csr, access)
            shown = chosen[0].register(csr.ireg) if chosen else None
        if shown in self.registers:
            for register, field in _writable([shown]):
                tally.one("field_cg", field_bin(register, field, field.get(value)))
