# SPDX-License-Identifier: Apache-2.0
"""Coverage points of the trace system: registers, fields, sinks, triggers. The register points are made from the
register table.

Counted from what the monitors saw: the accesses of the register bus, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import CROSS, Counts, Point
from rvtrace.models.csr.table import Register
from rvtrace.models.tci.layout import Component, Params
from rvtrace.models.tci.registers import components
from rvtrace.tb.common.coverage.registers import field_bin, field_bins, illegal_bins

if TYPE_CHECKING:
    from rvtrace.scoreboards.tci.capture import TciCapture

STATES = ("inactive", "active", "active and enabled")
_OUTSIDE = "no tool sets the read pointer outside the SRAM"


class ControlCoverage:
    """The points of a trace system with these parameters, and the counts of its runs.

    A run of a build with other parameters counts where its registers are those of `params`.
    """

    def __init__(self, params: Params) -> None:
        self.components = components(params)
        every = [register for component in self.components for register in component.registers]
        self.fields, self.illegal = field_bins(every), illegal_bins(every)
        self.registers = tuple(dict.fromkeys(register.name for register in every))
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
                {"register": self.registers, "access": ("read", "written")},
            ),
            Point(
                "field_cg",
                "values read back from fields that can be written",
                "each legal value must be kept (WARL)",
                {"field and value": self.fields},
                dict.fromkeys(outside, _OUTSIDE),
            ),
            Point(
                "illegal_cg",
                "fields to which an illegal value was written",
                "an illegal value must turn into a legal one, not into anything",
                {"field": self.illegal},
            ),
            Point(
                "state_cg",
                "accesses of a component while it is inactive, active and enabled",
                "settings are held while trace is enabled, and inactive registers do not move",
                {"component": tuple(c.name for c in self.components), "state": STATES, "access": ("read", "written")},
            ),
            Point(
                "unmapped_cg",
                "accesses where no register is",
                "unimplemented offsets read 0 and ignore writes",
                {"where": ("offset without register", "component that is not there"), "access": ("read", "written")},
            ),
        )

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
                    shown = field_bin(register, field, value)
                    if shown in fields:
                        hit("field_cg", shown)
        return counts


def _at(component: Component, offset: int) -> Register | None:
    return next((r for r in component.registers if r.offset == offset), None)
