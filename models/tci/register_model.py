# SPDX-License-Identifier: Apache-2.0
"""All registers of a trace system as one state: what each write leaves, and what a read must then give.

Made from the register table alone (`registers.written`), with the few rules that say when hardware may change a field.
A read has an expected value and a mask of the bits that are known; the others belong to hardware at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rvtrace.models.csr.table import Register
from rvtrace.models.tci.layout import Component, Params
from rvtrace.models.tci.ram_sink import WORD
from rvtrace.models.tci.registers import COMPONENT_BYTES, components, written

MASK = 0xFFFF_FFFF
# While these are 0, hardware does not change the fields that they guard (component, field: what must be 0 and since
# when).
_ENABLES = {"encoder": "trTeEnable", "funnel": "trFunnelEnable", "ram_sink": "trRamEnable", "pin_sink": "trPibEnable"}
_POINTERS = ("trRamWrap", "trRamWPLow", "trRamWPHigh")
_READ_POINTER = ("trRamRPLow", "trRamRPHigh")


@dataclass
class Place:
    """One component of the system: kind, number, base address, and the values of its registers by offset.

    ran: it has been enabled since its reset, so hardware may have changed what it owns. settling: Active was written
    and has not been read back yet. fresh: pointers written since it ran. stale: offsets whose value is open until they
    are written. touched: offsets written since the reset.
    """

    kind: Component
    index: int
    base: int
    values: dict[int, int] = field(default_factory=dict)
    ran: bool = False
    settling: bool = False
    fresh: set[str] = field(default_factory=set)
    stale: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.values = {register.offset: register.reset for register in self.kind.registers}

    @property
    def name(self) -> str:
        """`encoder1`, or `funnel`."""
        return f"{self.kind.name}{self.index}" if len(self.kind.bases) > 1 else self.kind.name

    def get(self, name: str) -> int:
        """A field's value in the model; 0 if this implementation does not have it."""
        for register in self.kind.registers:
            for one in register.fields:
                if one.name == name:
                    return one.get(self.values[register.offset])
        return 0

    @property
    def active(self) -> bool:
        """Whether the component is out of reset."""
        return bool(self.values[0] & 1)


@dataclass(frozen=True)
class Expected:
    """What a read must give: the bits of `known` as in `value`. register: None for an unimplemented offset."""

    place: Place | None
    register: Register | None
    value: int
    known: int


class RegisterModel:
    """Follows every access of a bus. `params` describe the implementation."""

    def __init__(self, params: Params) -> None:
        self.params = params
        self.places = [Place(kind, i, base) for kind in components(params) for i, base in enumerate(kind.bases)]
        self._at = {place.base: place for place in self.places}

    def __iter__(self) -> Iterator[Place]:
        return iter(self.places)

    def place(self, name: str) -> Place:
        """A component by name (`encoder0`, `ram_sink`); KeyError if there is none."""
        return {place.name: place for place in self.places}[name]

    def find(self, address: int) -> tuple[Place | None, Register | None]:
        """The component and the register at an address; None where there is none."""
        place = self._at.get(address // COMPONENT_BYTES * COMPONENT_BYTES)
        offset = address % COMPONENT_BYTES
        found = [r for r in place.kind.registers if r.offset == offset] if place else []
        return place, (found[0] if found else None)

    def write(self, address: int, data: int) -> None:
        """A write went over the bus."""
        place, register = self.find(address)
        if place is None or register is None:
            return
        if register.offset == 0:
            self._control(place, register, data)
            return
        if not place.active:
            return
        place.touched.add(register.offset)
        place.stale.discard(register.offset)
        if not place.get(_ENABLES[place.kind.name]):
            place.fresh |= {one.name for one in register.fields}
        timestamp = register.active == "trTsActive"
        unit = not timestamp or bool(place.get("trTsActive"))
        if register.name == "trTsControl" and not data & 1:
            place.values |= {r.offset: r.reset for r in place.kind.registers if r.active == "trTsActive"}
        place.values[register.offset] = written(
            register,
            place.values[register.offset],
            data,
            self.params,
            {"trRamMode": place.get("trRamMode")},
            active=unit,
        )

    def _control(self, place: Place, register: Register, data: int) -> None:
        old = place.values[0]
        place.settling |= (old ^ data) & 1 == 1
        if not data & 1:
            place.values = {r.offset: r.reset for r in place.kind.registers}
            place.ran = False
            for kept in (place.fresh, place.stale, place.touched):
                kept.clear()
            return
        enable = next(f for f in register.fields if f.name == _ENABLES[place.kind.name])
        if place.active:
            place.touched.add(0)
        place.values[0] = written(register, old, data, self.params, active=place.active)
        if enable.get(place.values[0]):
            place.ran = True
            place.fresh.clear()
            if not enable.get(old) and place.kind.name == "encoder":
                self.put(place, "trTeInstStallOrOverflow", 0)
        if place.kind.name == "ram_sink" and (old ^ place.values[0]) & 0x10:
            # What the address registers then hold is the implementation's own: the tool sets them.
            place.stale |= {r.offset for r in place.kind.registers if r.offset >= 0x10}
            place.fresh.clear()

    @staticmethod
    def put(place: Place, name: str, value: int) -> None:
        """Hardware gave a field this value."""
        for register in place.kind.registers:
            for one in register.fields:
                if one.name == name:
                    place.values[register.offset] = one.put(place.values[register.offset], value)

    def read(self, address: int) -> Expected:
        """What a read must give now."""
        place, register = self.find(address)
        if place is None or register is None:
            return Expected(place, register, 0, MASK)
        known = MASK
        for one in register.fields:
            if one.volatile and not self._still(place, one.name):
                known &= ~one.mask
        if (
            place.settling and not place.active
        ):  # what is being reset keeps its registers until it is done; Enable is gone
            known = 2 if register.offset == 0 else 0
        elif register.offset == 0 and place.settling:
            known &= ~1
        if register.offset in place.stale:
            known = 0
        return Expected(place, register, place.values[register.offset], known)

    def saw(self, address: int, data: int) -> None:
        """A read gave `data`: hardware's bits are taken over, and a read of trRamData moves the read pointer."""
        place, register = self.find(address)
        if place is None or register is None:
            return
        if register.offset == 0 and place.settling and (data ^ place.values[0]) & 1 == 0:
            place.settling = False
        volatile = MASK if register.offset in place.stale else register.volatile_mask
        place.stale.discard(register.offset)
        place.values[register.offset] = place.values[register.offset] & ~volatile | data & volatile
        if register.name == "trRamData" and place.active and not place.get("trRamMode"):
            rp, limit = place.get("trRamRPLow") * WORD, place.get("trRamLimitLow") * WORD
            self.put(place, "trRamRPLow", place.get("trRamStartLow") if rp == limit else (rp + WORD) // WORD)

    def _still(self, place: Place, name: str) -> bool:
        """Whether hardware has no reason to change this volatile field now."""
        enabled = bool(place.get(_ENABLES[place.kind.name]))
        if not place.active:
            return not place.settling
        if name == "trTeInstTracing":
            return not place.get("trTeInstTrigEnable")
        if name == "trRamEnable":
            return not enabled or not place.get("trRamStopOnWrap")
        if name in _READ_POINTER:
            return not enabled
        if name in ("trTsCounterLow", "trTsCounterHigh"):
            return not place.get("trTsActive")
        if name == "trRamData":
            return False
        if name in _POINTERS:
            return not place.ran or name in place.fresh
        return not place.ran and not enabled  # Empty, and what shows an overflow
