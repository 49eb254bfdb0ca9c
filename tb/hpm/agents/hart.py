# SPDX-License-Identifier: Apache-2.0
"""Hart agent of a counter block: privilege, stopcount and cycle_i of a hart, the instructions it retires and its
events; and the monitor of the state ports.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from cocotb_bus.bus import Bus

from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.rows import Rows
from rvtrace.tb.common.agents.pins import pack, unpack
from rvtrace.tb.common.agents.port import PortAgent, PortDriver, PortMonitor
from rvtrace.tb.hpm.agents import files as hpm_rows
from rvtrace.tb.hpm.agents.files import HART, State

_COUNTS = ("retired", "events")
_COUNTER_BYTES = 32 * 8


class HartBus(Bus):
    """What the hart does: event k of W bits is in bits k*W +: W."""

    priv: Any
    stopcount: Any
    running: Any
    retired: Any
    events: Any

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, "hart", {name: f"{name}_i" for name in (*_COUNTS, *HART)}, case_insensitive=False)


class StateBus(Bus):
    """The outputs that show the state."""

    counter: Any
    of: Any
    lcofi: Any
    lcofie: Any

    def __init__(self, dut: Any) -> None:
        super().__init__(
            dut, "state", {name: f"{name}_o" for name in ("counter", "of", "lcofi", "lcofie")}, case_insensitive=False
        )


class HartRow(NamedTuple):
    """A cycle in which something is counted, or the hart is not as in the cycle before; event k of W bits in bits k*W
    +: W.
    """

    cycle: int
    retired: int
    events: int
    priv: int
    stopcount: int
    running: int


class StateRow(NamedTuple):
    """The state ports in a cycle; counter n in bits 64*n +: 64."""

    cycle: int
    counter: int
    of: int
    lcofi: int
    lcofie: int


def _counts(rows: Rows) -> np.ndarray:
    """Rows in which something happened, or the hart changed."""
    there = (rows.retired != 0) | (rows.events != 0).any(axis=1)
    for name in HART:
        there |= np.diff(getattr(rows, name).astype(np.int8), prepend=np.int8(-1)) != 0
    return there


class HartDriver(PortDriver):
    """Drives what the hart does; mode, stopcount and cycle_i do not change between rows."""

    pulses = len(_COUNTS)

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = HartBus(self.dut)

    def handles(self) -> list[Any]:
        return [getattr(self.bus, name) for name in (*_COUNTS, *HART)]

    def columns(self, rows: Rows) -> tuple[np.ndarray, list[list[int]]]:
        there = _counts(rows)
        events = pack(rows.events[there], self.pins.lane["events"])
        return there, [rows.retired[there].tolist(), events, *(getattr(rows, name)[there].tolist() for name in HART)]


class HartMonitor(PortMonitor):
    """Writes a `HartRow` for each cycle in which something is counted, or the hart is not as in the one before; the
    whole run as rows.
    """

    def build_phase(self) -> None:
        super().build_phase()
        bus = HartBus(self.dut)
        self.fields = [getattr(bus, name) for name in (*_COUNTS, *HART)]
        self.before: list[int] = []

    def look(self, cycle: int) -> None:
        retired, events, *hart = (int(handle.value) for handle in self.fields)
        if retired or events or hart != self.before:
            self.ap.write(HartRow(cycle, retired, events, *hart))
            self.before = hart

    def arrays(self, items: list[HartRow]) -> Rows:
        rows = Rows.empty(len(items), self.pins.blocks)
        rows.cycle = np.array([item.cycle for item in items], np.uint64)
        events = unpack([item.events for item in items], self.pins.lane["events"], self.pins.blocks)
        rows.events = events.astype(np.uint8)
        for name in ("retired", *HART):
            setattr(rows, name, np.array([getattr(item, name) for item in items], np.uint8))
        return rows


class StateMonitor(PortMonitor):
    """Writes a `StateRow` in every cycle: every counter, every OF bit, LCOFIP and LCOFIE; the whole run as `State`."""

    def build_phase(self) -> None:
        super().build_phase()
        bus = StateBus(self.dut)
        self.handles = [bus.counter, bus.of, bus.lcofi, bus.lcofie]
        self.unknown: set[int] = set()

    def look(self, cycle: int) -> None:
        try:  # asking 2048 bits whether they are resolvable takes longer than everything else
            values = [int(handle.value) for handle in self.handles]
        except ValueError:
            values = [0] * len(self.handles)
            self.unknown.add(cycle)
        self.ap.write(StateRow(cycle, *values))

    def arrays(self, items: list[StateRow]) -> State:
        cycle, counter, of, lcofi, lcofie = list(zip(*items)) or [()] * 5
        data = b"".join(value.to_bytes(_COUNTER_BYTES, "little") for value in counter)
        counters = np.frombuffer(data, "<u8").reshape(len(cycle), -1).astype(np.uint64)
        trace = Trace(counters, np.array(of, np.uint32), np.array(lcofi, np.uint8), np.array(lcofie, np.uint8))
        if self.config.exact:  # another device need not have these ports
            absent = np.delete(counters, self.pins.present, axis=1)
            found = (np.isin(cycle, list(self.unknown)), (absent != 0).any(axis=1))
            self.problems += hpm_rows.wrong_state(np.array(cycle), dict(zip(hpm_rows.SEEN_WRONG, found)))
        return State(np.array(cycle, np.uint64), trace, _bent(trace))


def _bent(trace: Trace) -> np.ndarray:
    """Rows, one for each cycle, in which the state did not go on as in the one before; the last one is."""
    n = len(trace.of)
    bent = np.zeros(n, bool)
    step = np.diff(trace.counters, axis=0)
    bent[1 : n - 1] |= (step[1:] != step[:-1]).any(axis=1)
    for column in (trace.of, trace.lcofip, trace.lcofie):
        moved = np.diff(column) != 0
        bent[:-1] |= moved
        bent[1:] |= moved
    bent[-1:] = True
    return bent


class HartAgent(PortAgent):
    """Driver and monitor of what the hart does."""

    driver_class, monitor_class = HartDriver, HartMonitor


class StateAgent(PortAgent):
    """Monitor of the state ports."""

    monitor_class = StateMonitor
