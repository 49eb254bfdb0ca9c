# SPDX-License-Identifier: Apache-2.0
"""A legal tandem encoder that is not ours: of one trace another one that means the same.

Within a group the items come in any order, as far as no item of one register depends on another of it; state that keeps
its value may be repeated; a value may have the full form where an incremental one would do (Config.incremental); timers
may be reported before the group of their instruction.
"""

from random import Random

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import Rows

_TIMERS = (t.MCYCLE, t.MCYCLEH, t.MINSTRET, t.MINSTRETH)


class LegalEncoder:
    """Random choices, by habits that stay for a trace."""

    def __init__(self, config: Config, rng: Random) -> None:
        self.config, self.rng = config, rng
        self.shuffles, self.repeats, self.advances = (rng.choice((0.0, 0.1, 1.0)) for _ in range(3))
        if config.implied_end:
            self.advances = 0.0  # what comes after a group without an end is in it
        self.privilege: int | None = None

    def encode(self, rows: Rows) -> bytes:
        """The bytes of a trace."""
        encoded = encode(rows, self.config)
        parts = []
        for k in range(len(encoded.starts) - 1):
            items = [item for _, item in it.items(encoded.of(k), self.config)]
            parts.append(it.pack(self._changed(items), self.config))
        return b"".join(parts)

    def _changed(self, items: list[it.Item]) -> list[it.Item]:
        before = self.privilege
        for item in items:
            if isinstance(item, it.Reset):
                self.privilege = None
            elif isinstance(item, it.State) and item.id == t.PRIV:
                self.privilege = item.data
        if not items or not isinstance(items[0], it.Begin):
            return items
        has_end = isinstance(items[-1], it.End)
        inside = items[1:-1] if has_end else items[1:]
        units = _units(inside)
        plain = not any(isinstance(item, it.Reset | it.Init) for item in inside)
        first: list[it.Item] = []
        if plain and self.rng.random() < self.advances and any(isinstance(item, it.Instruction) for item in inside):
            first = [item for unit in units for item in unit if _is_timer(item)]
            units = [unit for unit in units if not _is_timer(unit[0])]
        told = any(isinstance(item, it.State) and item.id == t.PRIV for item in inside)
        if plain and not told and before is not None and self.rng.random() < self.repeats:
            units.append([it.State(t.PRIV, before)])
        if self.rng.random() < self.shuffles:
            units = _shuffled(units, self.rng)
        end = [it.End()] if has_end else []
        return [*first, it.Begin(), *(item for unit in units for item in unit), *end]


def _is_timer(item: it.Item) -> bool:
    return (isinstance(item, it.State) and item.id == t.MTIME) or (
        isinstance(item, it.Register) and item.address in _TIMERS
    )


def _place(unit: list[it.Item]) -> object:
    """What a unit reports; units of one place keep their order."""
    item = unit[0]
    if isinstance(item, it.Register | it.AddRegister | it.OrRegister):
        return "fcsr" if item.address in (t.FCSR, t.FFLAGS, t.FRM) else item.address
    if isinstance(item, it.Request):
        return "memory"
    if isinstance(item, it.State):
        return ("state", item.id)
    return "pc" if isinstance(item, it.IncrementPc) else type(item)


def _units(items: list[it.Item]) -> list[list[it.Item]]:
    """Items that stay together: a request and its response."""
    units: list[list[it.Item]] = []
    for item in items:
        if isinstance(item, it.Response) and units:
            units[-1].append(item)
        else:
            units.append([item])
    return units


def _shuffled(units: list[list[it.Item]], rng: Random) -> list[list[it.Item]]:
    """In any order that keeps the order of each place."""
    places = [_place(unit) for unit in units]
    left: dict[object, list[list[it.Item]]] = {}
    for place, unit in zip(places, units):
        left.setdefault(place, []).append(unit)
    rng.shuffle(places)
    return [left[place].pop(0) for place in places]
