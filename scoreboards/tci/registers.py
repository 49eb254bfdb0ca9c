# SPDX-License-Identifier: Apache-2.0
"""Register accesses of a run against the register table.

book = ClauseBook(plan())
RegisterCheck(params, book).run(accesses)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rvtrace.models.csr.table import Field, Register
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.register_model import MASK, Expected, Place, RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure

_BY_ACCESS = {
    "RO": "TCI.reg.ro", "RW": "TCI.reg.rw", "WARL": "TCI.reg.warl", "RW1C": "TCI.reg.rw1c", "W1": "TCI.reg.w1",
}  # fmt: skip
_PART = {"encoder": "te", "funnel": "funnel", "ram_sink": "ram", "pin_sink": "pib"}


@dataclass(frozen=True)
class Access:
    """One register access as the monitor saw it. cycle: of its last clock cycle. data: written or read. error: PSLVERR.

    unknown: bits of PRDATA were X; data is 0 then.
    """

    cycle: int
    write: bool
    addr: int
    data: int
    error: bool = False
    unknown: bool = False


class RegisterCheck:
    """Holds every read of a run to the register table: `access` one by one, or `run` for all."""

    def __init__(self, params: Params, book: ClauseBook) -> None:
        self.model = RegisterModel(params)
        self.book = book

    def run(self, accesses: Iterable[Access]) -> None:
        """Follow and check them all, in order."""
        for access in accesses:
            self.access(access)

    def access(self, access: Access) -> None:
        """One access: a write moves the model, a read is compared with it."""
        self.book.check(
            "TCI.bus.error", not access.error,
            lambda: self._failure("TCI.bus.error", access, "an access ended with PSLVERR", []),
        )  # fmt: skip
        if access.write:
            self.model.write(access.addr, access.data)
            return
        expected = self.model.read(access.addr)
        self.book.check(
            # a word of memory that was never written may be X
            "TCI.bus.unknown",
            not access.unknown or not expected.known,
            lambda: self._failure("TCI.bus.unknown", access, f"a read of {access.addr:#06x} returned X", []),
        )
        if expected.register is None or expected.place is None:
            self._one("TCI.reg.unimplemented", access, "an offset without a register", 0, access.data, "value")
        else:
            self._register(access, expected, expected.place, expected.register)
        self.model.saw(access.addr, access.data)

    def _register(self, access: Access, expected: Expected, place: Place, register: Register) -> None:
        reserved = MASK
        for one in register.fields:
            reserved &= ~one.mask
            if one.mask & expected.known == one.mask:
                clause = self._clause(place, register, one)
                self._one(
                    clause,
                    access,
                    f"{place.name} {register.name}",
                    one.get(expected.value),
                    one.get(access.data),
                    one.name,
                )
        if reserved and register.offset not in place.stale:
            self._one(
                "TCI.reg.reserved", access, f"{place.name} {register.name}", 0, access.data & reserved, "reserved bits"
            )

    @staticmethod
    def _clause(place: Place, register: Register, one: Field) -> str:
        part = _PART[place.kind.name]
        word = one.name.removeprefix(place.kind.prefix)
        if word in ("VerMajor", "VerMinor", "CompType", "ProtocolMajor", "ProtocolMinor", "HasSRAM", "HasSMEM"):
            return f"TCI.{part}.discovery"
        if word == "Active":
            return f"TCI.{part}.active"
        if word == "Enable" and register.offset == 0:
            return f"TCI.{part}.enable"
        if word == "Empty":
            return f"TCI.{part}.empty"
        if not place.active:
            return "TCI.reg.inactive"
        if register.offset not in place.touched and not one.volatile:
            return "TCI.reg.reset"
        return _BY_ACCESS[one.access]

    def _one(self, clause: str, access: Access, where: str, wanted: int, found: int, name: str) -> None:
        self.book.check(
            clause, wanted == found,
            lambda: self._failure(
                clause, access, f"a read of {access.addr:#06x} ({where}) returned {access.data:#010x}",
                [(name, f"{wanted:#x}", f"{found:#x}")],
            ),
        )  # fmt: skip

    @staticmethod
    def _failure(clause: str, access: Access, headline: str, table: list[tuple[str, str, str]]) -> Failure:
        return Failure(clause, headline, cycle=access.cycle, table=table)
