# SPDX-License-Identifier: Apache-2.0
"""The monitors and the scoreboard for other benches, on etrace_tb: they observe what our own agents observe."""

import numpy as np

from rvtrace.models.riscv.beats import CYCLE_FIELDS, LANE_FIELDS
from rvtrace.tb.etrace import HartMonitor, Scoreboard, TraceMonitor
from rvtrace.tb.etrace.env import EtraceTest


class OwnBenchTest(EtraceTest):
    def build_phase(self):
        super().build_phase()
        dut, config = self.dut, self.stimulus.config
        self.trace = TraceMonitor(dut.clk_o, dut.rst_ni, False, valid=dut.out_valid_o, ready=dut.out_ready_i,
                                  nbytes=dut.out_nbytes_o, data=dut.out_data_o, empty=dut.sts_empty_o)  # fmt: skip
        pins = self.pins()
        ports = {name: getattr(dut, f"ing_{name}_i") for name in (*pins.lane, *pins.once)}
        ports |= {name: getattr(dut, f"ctl_{name}_i") for name in pins.controls}
        self.hart = HartMonitor(config, dut.clk_o, dut.rst_ni, False, **ports, ready=dut.ing_ready_o,
                                drop=dut.ing_drop_o, tstamp=dut.sts_tstamp_o)  # fmt: skip
        self.own = Scoreboard(self.stimulus.program, config, self.trace, self.hart, exact=True)

    def check_phase(self):
        super().check_phase()
        verdict, capture = self.outcome
        ours, own = capture.beats, self.hart.arrays()
        for name in (*CYCLE_FIELDS, *LANE_FIELDS):
            assert np.array_equal(getattr(own, name), getattr(ours, name)), name
        made = self.own.capture()
        assert made.data == capture.data and made.packets == capture.packets
        assert verdict.passed and len(self.own.check().book.results()) > 20
