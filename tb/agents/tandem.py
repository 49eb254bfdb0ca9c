"""The agents of the tandem-trace encoder: rows in, and the words of its trace out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cocotb.triggers import FallingEdge

from tb.agents import ingress, rows, stream, tandem_rows
from tb.agents.pins import unpack
from tb.agents.tandem_rows import PORTS, Lanes


class RowsDriver(ingress.IngressDriver):
    """Plays `Lanes`."""

    def stuck(self, cycles: int) -> str:
        return tandem_rows.named(super().stuck(cycles))

    def write(self, beats: Lanes) -> None:
        tandem_rows.write_stimulus(Path(rows.STIMULUS), beats)


class RowsMonitor(ingress.IngressMonitor):
    """Records every row that was taken, and whether error_o told that it is none; `collect` gives (rows, errors)."""

    def build_phase(self) -> None:
        super().build_phase()
        self.errors: list[tuple[int, int]] = []

    async def _watch(self) -> None:
        dut, bus = self.dut, self.bus
        clock, reset, error = dut.clk_o, dut.rst_ni, dut.sts_error_o
        handles = [getattr(bus, name) for name in PORTS]
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
            elif int(bus.ready.value) and int(bus.valid.value):
                self.seen.append((cycle, *(int(handle.value) for handle in handles)))

    def _once(self, text: str) -> None:
        kind = text.partition(": ")[2].partition("=")[0]
        if not any(kind in old for old in self.problems):
            self.problems.append(text)

    def collect(self) -> None:
        if self.bulk:
            lanes = tandem_rows.read_seen(Path(rows.INGRESS), self.pins.blocks)
            cycle, told, problems = tandem_rows.read_errors(Path(tandem_rows.ERRORS))
            self.problems += problems
        else:
            lanes = self._lanes()
            cycle, told = (np.array([error[n] for error in self.errors], np.uint64) for n in (0, 1))
        errors, problems = tandem_rows.refused(lanes, cycle, told)
        self.problems += problems
        self.port.write((lanes.rows(), errors))

    def _lanes(self) -> Lanes:
        columns = dict(zip(("cycle", *PORTS), list(zip(*self.seen)) or [()] * (1 + len(PORTS))))
        ports = {name: unpack(columns[name], self.pins.lane[name], self.pins.blocks * count) for name, count in PORTS.items()}
        return Lanes(np.array(columns["cycle"], np.uint64), ports)


class RowsAgent(ingress.IngressAgent):
    """Sequencer, driver and monitor of the rows."""

    driver_class, monitor_class = RowsDriver, RowsMonitor


class WordsMonitor(stream.StreamMonitor):
    """Records the trace, whose words are as wide as the build has them."""

    def build_phase(self) -> None:
        super().build_phase()
        self.width = len(self.bus.data) // 8

    def collect(self) -> None:
        super().collect()
        self.problems = [tandem_rows.named(problem) for problem in self.problems]


class WordsAgent(stream.StreamAgent):
    """Driver and monitor of the trace."""

    monitor_class = WordsMonitor
