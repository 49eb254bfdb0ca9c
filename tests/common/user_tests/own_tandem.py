# SPDX-License-Identifier: Apache-2.0
"""The monitor and the scoreboard for other benches, on tandem_tb: the hart's side is its retired instructions."""

from rvtrace.tb.tandem import Scoreboard, TraceMonitor
from rvtrace.tb.tandem.env import TandemTest


class OwnBenchTest(TandemTest):
    def build_phase(self):
        super().build_phase()
        dut = self.dut
        self.trace = TraceMonitor(dut.clk_o, dut.rst_ni, False, valid=dut.out_valid_o, ready=dut.out_ready_i,
                                  nbytes=dut.out_nbytes_o, data=dut.out_data_o)  # fmt: skip
        self.own = Scoreboard(self.stimulus.program, self.stimulus.config, self.trace, self.stimulus.retired)

    def check_phase(self):
        super().check_phase()
        _, capture = self.outcome
        assert self.own.capture().data == capture.data
        assert len(self.own.check().book.results()) > 3
