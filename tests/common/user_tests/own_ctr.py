# SPDX-License-Identifier: Apache-2.0
"""The monitor and the scoreboard for other benches, on ctr_tb: they observe what our own agents observe."""

import numpy as np

from rvtrace.tb.ctr import PortsMonitor, Scoreboard
from rvtrace.tb.ctr.env import CtrTest


class OwnBenchTest(CtrTest):
    def build_phase(self):
        super().build_phase()
        dut, config, pins = self.dut, self.stimulus.config, self.pins()
        ports = {name: getattr(dut, f"xfer_{name.rstrip('_')}_i") for name in ("valid", *pins.lane)}
        ports |= {f"csr_{name}": getattr(dut, f"csr_{name}_i") for name in ("valid", *pins.once) if name != "mode"}
        self.watched = PortsMonitor(config, dut.clk_o, dut.rst_ni, False, **ports, priv=dut.hart_priv_i,
                                    csr_mode=dut.csr_priv_i, csr_rdata=dut.csr_rdata_o,
                                    csr_outcome=dut.csr_outcome_o)  # fmt: skip
        self.own = Scoreboard(config, self.watched, exact=True)

    def check_phase(self):
        super().check_phase()
        verdict, capture = self.outcome
        own = self.own.capture().rows
        for name in own.DTYPES:
            assert np.array_equal(getattr(own, name), getattr(capture.rows, name)), name
        assert self.own.check().book.results() == verdict.book.results()
