# SPDX-License-Identifier: Apache-2.0
"""The monitor and the scoreboard for other benches, on hpm_tb: they observe what our own agents observe."""

import numpy as np

from rvtrace.tb.hpm import PortsMonitor, Scoreboard
from rvtrace.tb.hpm.env import HpmTest


class OwnBenchTest(HpmTest):
    def build_phase(self):
        super().build_phase()
        dut, config, pins = self.dut, self.stimulus.config, self.pins()
        ports = {name: getattr(dut, f"hart_{name}_i") for name in ("retired", "events", "priv", "stopcount", "running")}
        ports |= {f"csr_{name}": getattr(dut, f"csr_{name}_i") for name in ("valid", *pins.once) if name != "mode"}
        ports |= {name: getattr(dut, f"state_{name}_o") for name in ("counter", "of", "lcofi", "lcofie")}
        self.watched = PortsMonitor(config, dut.clk_o, dut.rst_ni, False, **ports, csr_mode=dut.csr_priv_i,
                                    csr_rdata=dut.csr_rdata_o, csr_outcome=dut.csr_outcome_o)  # fmt: skip
        self.own = Scoreboard(config, self.watched, exact=True)

    def check_phase(self):
        super().check_phase()
        verdict, capture = self.outcome
        own = self.own.capture().rows
        for name in own.DTYPES:
            assert np.array_equal(getattr(own, name), getattr(capture.rows, name)), name
        assert self.own.check().book.results() == verdict.book.results()
