# SPDX-License-Identifier: Apache-2.0
"""The registers of a CSR file as software sees them: what each access reads, and what it leaves.

    model = CsrModel(file)
    model.access(Access(WRITE, 0x150, 0x300))      ->  Answer(rdata=0, outcome=DONE)

A block whose hardware changes registers inherits it and says what those hold (`_value`) and take (`_write`).
"""

from __future__ import annotations

from rvtrace.models.csr.file import CsrFile, Gates, kept_narrow
from rvtrace.models.csr.table import Csr
from rvtrace.models.riscv.csr import DONE, Access, Answer

_GATES = {"mstateen0": "mstateen", "hstateen0": "hstateen"} | {
    name: name for name in ("miselect", "siselect", "vsiselect", "mcounteren", "scounteren", "hcounteren")
}  # state that decides about access, by the register that holds it


class CsrModel:
    """Reads and writes of a CSR file. gates: state enables, iselects and counter enables; values: the other registers.

    values: by (name, which of its values an iselect selects; 0 of a CSR).
    """

    def __init__(self, file: CsrFile) -> None:
        self.file, self.gates = file, Gates()
        self.values: dict[tuple[str, int], int] = {}
        self._csrs, self._named = file.at, file.named
        self._gate_bits = sum(1 << bit for bit in file.stateen.values())

    # --- Accesses -----------------------------------------------------------------------------------

    def access(self, access: Access) -> Answer:
        """An access: value before it, outcome, and what it writes. A refused one changes nothing."""
        answer = self.peek(access)
        if answer.outcome == DONE and self.file.writes(access):
            self._write(self._csrs[access.addr], access, self.file.after(access, answer.rdata))
        return answer

    def peek(self, access: Access) -> Answer:
        """What an access would give now; changes nothing. `open`: bits that the specification leaves open."""
        found = self._csrs.get(access.addr)
        refused = self.file.outcome(self.effective(), found, access)
        if found is None or refused != DONE:
            return Answer(0, refused)
        value, unknown = self._read(found, access)
        return Answer(value, DONE, unknown)

    def effective(self) -> Gates:
        """The gates as they act: a bit of hstateen0 is 0 while mstateen0's is."""
        g = self.gates
        return Gates(g.mstateen, g.hstateen & g.mstateen, g.miselect, g.siselect, g.vsiselect,
                     g.mcounteren, g.scounteren, g.hcounteren)  # fmt: skip

    def _read(self, csr: Csr, access: Access) -> tuple[int, int]:
        """Value and open bits of what a CSR shows to this access."""
        value, unknown = self._value(csr, access)
        return self.file.seen(csr, access, value), self.file.seen(csr, access, unknown) if unknown else 0

    # --- What a block changes -----------------------------------------------------------------------

    def _value(self, csr: Csr, access: Access) -> tuple[int, int]:
        """The whole register that a CSR shows, and its open bits."""
        name = self.file.acting(csr, access.priv).state
        if name in _GATES:
            return getattr(self.effective(), _GATES[name]), 0
        key = self._key(csr, access, name)
        return (self.values.get(key, self._reset(csr, access)) if key else 0), 0

    def _write(self, csr: Csr, access: Access, new: int) -> None:
        """A write that is done; new: the bits that the access sees, as it leaves them."""
        name = self.file.acting(csr, access.priv).state
        if csr.is_select:
            setattr(self.gates, name, kept_narrow(new) if self.file.hides(access) else new)
            return
        value = self.file.merged(csr, access, self._value(csr, access)[0], new)
        if "stateen" in name:
            self._write_stateen(name, value)
        elif name in _GATES:
            setattr(self.gates, name, self._named[name].warl(value))
        elif key := self._key(csr, access, name):
            chosen = self.file.selected(self.gates, csr, access) if csr.ireg else None
            register = chosen[0].register(csr.ireg) if chosen else self._named[name]
            self.values[key] = register.warl(value) if register else 0

    def _write_stateen(self, name: str, value: int) -> None:
        """A write to mstateen0 or hstateen0; value: all 64 bits."""
        if name.startswith("m"):
            self.gates.mstateen = value & self._gate_bits
        else:
            self.gates.hstateen = value & self._gate_bits & self.gates.mstateen

    def _key(self, csr: Csr, access: Access, name: str) -> tuple[str, int] | None:
        """Where `values` has what this access reaches; None of an ireg that gives nothing."""
        if not csr.ireg:
            return name, 0
        chosen = self.file.selected(self.gates, csr, access)
        register = chosen[0].register(csr.ireg) if chosen else None
        return (register.name, chosen[1]) if chosen and register else None

    def _reset(self, csr: Csr, access: Access) -> int:
        """The reset value of what this access reaches."""
        chosen = self.file.selected(self.gates, csr, access) if csr.ireg else None
        register = chosen[0].register(csr.ireg) if chosen else self.file.acting(csr, access.priv)
        return register.reset if register else 0
