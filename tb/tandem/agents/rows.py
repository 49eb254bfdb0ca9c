# SPDX-License-Identifier: Apache-2.0
"""The agents of the tandem-trace encoder: rows in, and the words of its trace out."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
from cocotb.triggers import FallingEdge

from rvtrace.tb.common.agents import files as rows
from rvtrace.tb.common.agents import ingress, stream
from rvtrace.tb.common.agents.pins import unpack
from rvtrace.tb.tandem.agents import files as tandem_rows
from rvtrace.tb.tandem.agents.files import PORTS, Lanes

LanesRow = namedtuple("LanesRow", ("cycle", *PORTS))
"""An accepted cycle of the row port: each port as it was, lane k of W bits in bits k*W +: W."""


class RowsDriver(ingress.IngressDriver):
    """Plays `Lanes`."""

    def stuck(self, cycles: int) -> str:
        return tandem_rows.named(super().stuck(cycles))

    def write(self, beats: Lanes) -> None:
        tandem_rows.write_stimulus(Path(rows.STIMULUS), beats)


class RowsMonitor(ingress.IngressMonitor):
    """Writes a `LanesRow` for each accepted cycle with a row; the whole run as (rows, whether error_o reported each as
    illegal).
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.errors: list[tuple[int, int]] = []

    async def watch(self) -> None:
        dut, bus = self.dut, self.bus
        clock, reset, error = dut.clk_o, dut.rst_ni, dut.sts_error_o
        ports = {name: getattr(bus, name) for name in PORTS}
        handles, valid = list(ports.values()), ports["valid"]
        while True:
            await FallingEdge(clock)
            if reset.value != 1:
                continue
            cycle, self.cycles = self.cycles, self.cycles + 1
            if not error.value.is_resolvable:
                self._once(tandem_rows.unknown_error(cycle))
            elif int(error.value):
                self.errors.append((cycle, int(error.value)))
            if not bus.ready.value.is_resolvable:
                self._once(f"cycle {cycle}: in_ready_o={bus.ready.value}, an output is X")
            elif int(bus.ready.value) and int(valid.value):
                self.ap.write(LanesRow(cycle, *(int(handle.value) for handle in handles)))

    def _once(self, text: str) -> None:
        kind = text.partition(": ")[2].partition("=")[0]
        if not any(kind in old for old in self.problems):
            self.problems.append(text)

    def recorded(self) -> tuple[Any, np.ndarray]:
        lanes = tandem_rows.read_seen(Path(rows.INGRESS), self.pins.blocks)
        cycle, reported, problems = tandem_rows.read_errors(Path(tandem_rows.ERRORS))
        self.problems += problems
        return self._refused(lanes, cycle, reported)

    def arrays(self, items: list[LanesRow]) -> tuple[Any, np.ndarray]:
        ports = {
            name: unpack([getattr(item, name) for item in items], self.pins.lane[name], self.pins.blocks * count)
            for name, count in PORTS.items()
        }
        lanes = Lanes(np.array([item.cycle for item in items], np.uint64), ports)
        return self._refused(lanes, *(np.array([error[n] for error in self.errors], np.uint64) for n in (0, 1)))

    def _refused(self, lanes: Lanes, cycle: np.ndarray, reported: np.ndarray) -> tuple[Any, np.ndarray]:
        errors, problems = tandem_rows.refused(lanes, cycle, reported)
        self.problems += problems
        return lanes.rows(), errors


class RowsAgent(ingress.IngressAgent):
    """Sequencer, driver and monitor of the rows."""

    driver_class, monitor_class = RowsDriver, RowsMonitor


class WordsMonitor(stream.StreamMonitor):
    """Observes the trace, whose words are as wide as the build has them."""

    def build_phase(self) -> None:
        super().build_phase()
        self.width = len(self.bus.data) // 8

    def taking(self) -> bool:
        """A row: nothing else makes bytes."""
        valid, ready = self.dut.ing_valid_i.value, self.dut.ing_ready_o.value
        return not (valid.is_resolvable and ready.is_resolvable) or bool(int(valid) and int(ready))

    def recorded(self) -> tuple[bytes, np.ndarray]:
        whole = super().recorded()
        self._named()
        return whole

    def arrays(self, items: list[stream.Transfer]) -> tuple[bytes, np.ndarray]:
        whole = super().arrays(items)
        self._named()
        return whole

    def _named(self) -> None:
        self.problems = [tandem_rows.named(problem) for problem in self.problems]


class WordsAgent(stream.StreamAgent):
    """Driver and monitor of the trace."""

    monitor_class = WordsMonitor
