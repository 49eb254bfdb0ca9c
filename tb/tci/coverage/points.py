# SPDX-License-Identifier: Apache-2.0
"""Coverage points of the trace system: registers, fields, sinks, triggers. The register points are made from the
register table.

Counted from what the monitors saw: the accesses of the register bus, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import CROSS, Counts, Point
from rvtrace.models.csr.table import Field, Register
from rvtrace.models.tci.layout import Component, Params
from rvtrace.models.tci.registers import components, reachable

if TYPE_CHECKING:
    from rvtrace.scoreboards.tci.capture import TciCapture

_LISTED = 16  # fields with no more legal values have a bin for each
_ENDS = ("all bits 0", "all bits that can be 1", "something between")


STATES = ("inactive", "active", "active and enabled")
_OUTSIDE = "no tool sets the read pointer outside the SRAM"


class ControlCoverage:
    """The points of a trace system with these parameters, and the counts of its runs.

    A run of a build with other parameters counts where its registers are those of `params`.
    """

    def __init__(self, params: Params) -> None:
        self.components = components(params)
        self.fields = self._field_bins()
        self.illegal = self._illegal_bins()
        self.registers = tuple(dict.fromkeys(r.name for c in self.components for r in c.registers))
        self.bases = {base: component for component in self.components for base in component.bases}
        outside = (
            "trRamRPLow x * x all bits that*",
            "trRamRPHigh x * x all bits that*",
            "trRamRPHigh x * x something*",
        )
        self.points = (
            Point(
                "register_cg",
                "registers read and written",
                "a register that nobody wrote was never checked",
                (self.registers, ("read", "written")),
                ("register", "access"),
            ),
            Point(
                "field_cg",
                "values read back from fields that can be written",
                "each legal value must be kept (WARL)",
                (self.fields,),
                ("field and value",),
                dict.fromkeys(outside, _OUTSIDE),
            ),
            Point(
                "illegal_cg",
                "fields to which an illegal value was written",
                "an illegal value must turn into a legal one, not into anything",
                (self.illegal,),
                ("field",),
            ),
            Point(
                "state_cg",
                "accesses of a component while it is inactive, active and enabled",
                "settings are held while trace is enabled, and inactive registers do not move",
                (tuple(c.name for c in self.components), STATES, ("read", "written")),
                ("component", "state", "access"),
            ),
            Point(
                "unmapped_cg",
                "accesses where no register is",
                "unimplemented offsets read 0 and ignore writes",
                (("offset without register", "component that is not there"), ("read", "written")),
                ("where", "access"),
            ),
        )

    def _fields(self) -> Iterator[tuple[Register, Field]]:
        for component in self.components:
            for register in component.registers:
                for field in register.fields:
                    yield register, field

    def _field_bins(self) -> tuple[str, ...]:
        bins = []
        for register, field in self._fields():
            if field.access in ("RW", "WARL"):
                values = _values(field)
                shown = (
                    [str(v) for v in values]
                    if values is not None
                    else [c for c in _ENDS if field.width > 1 or c != _ENDS[2]]
                )
                bins += [CROSS.join((register.name, field.name, value)) for value in shown]
        return tuple(dict.fromkeys(bins))

    def _illegal_bins(self) -> tuple[str, ...]:
        """Fields to which a value can be written that they do not take."""
        names = []
        for register, field in self._fields():
            full = (1 << field.width) - 1
            if (
                field.access == "WARL"
                and not field.cases
                and any(field.legal(v) != v for v in (full, *range(min(full, 31) + 1)))
            ):
                names.append(CROSS.join((register.name, field.name)))
        return tuple(dict.fromkeys(names))

    def observe(self, capture: TciCapture) -> Counts:
        """Counts of one run of the trace system, not yet stamped."""
        counts: Counts = {}

        def hit(point: str, *names: str) -> None:
            bins = counts.setdefault(point, {})
            name = CROSS.join(names)
            bins[name] = bins.get(name, 0) + 1

        fields, illegal, control = set(self.fields), set(self.illegal), dict[int, int]()
        for access in capture.accesses:
            what = "written" if access.write else "read"
            component = self.bases.get(access.addr & ~0xFFF)
            if component is None:
                hit("unmapped_cg", "component that is not there", what)
                continue
            register = _at(component, access.addr & 0xFFF)
            state = control.get(access.addr & ~0xFFF, 0)
            hit("state_cg", component.name, STATES[0 if not state & 1 else 2 if state & 2 else 1], what)
            if register is None:
                hit("unmapped_cg", "offset without register", what)
                continue
            hit("register_cg", register.name, what)
            if access.write and register.offset == 0:
                control[access.addr & ~0xFFF] = access.data
            for field in register.fields:
                value = field.get(access.data)
                name = CROSS.join((register.name, field.name))
                if access.write and field.legal(value) != value and name in illegal:
                    hit("illegal_cg", name)
                elif not access.write and field.access in ("RW", "WARL"):
                    shown = CROSS.join((name, str(value) if _values(field) is not None else _class(field, value)))
                    if shown in fields:
                        hit("field_cg", shown)
        return counts


def _values(field: Field) -> tuple[int, ...] | None:
    """Each legal value, if they are few; None if classes represent them."""
    values = reachable(field)
    return values if values is not None and len(values) <= _LISTED else None


def _class(field: Field, value: int) -> str:
    if value == 0:
        return _ENDS[0]
    full = (1 << field.width) - 1 if field.legal.values is not None else field.legal.mask & ((1 << field.width) - 1)
    return _ENDS[1 if value == full else 2]


def _at(component: Component, offset: int) -> Register | None:
    return next((r for r in component.registers if r.offset == offset), None)
