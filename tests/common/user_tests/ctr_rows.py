# SPDX-License-Identifier: Apache-2.0
"""Checks that row sequences can be overridden and that the CSR monitor writes every access: all rows are 1000 cycles
later than without the override.
"""

from pyuvm import uvm_factory

from rvtrace.models.ctr.rows import NO_ACCESS
from rvtrace.tb.common.agents.port import RowItem, RowSequence
from rvtrace.tb.common.base import Collector
from rvtrace.tb.ctr.env import CtrTest


class LateSequence(RowSequence):
    def items(self):
        yield RowItem("idle", 1000)
        yield from super().items()


class RowsTest(CtrTest):
    def configure(self):
        super().configure()
        uvm_factory().set_type_override_by_type(RowSequence, LateSequence)

    def build_phase(self):
        super().build_phase()
        self.accesses = Collector.create("accesses", self)

    def connect_phase(self):
        self.env.csr.monitor.ap.connect(self.accesses.analysis_export)

    def check_phase(self):
        super().check_phase()
        _, capture = self.outcome
        there = capture.rows.op != NO_ACCESS
        assert [item.cycle for item in self.accesses.items] == capture.rows.cycle[there].tolist()
        assert [item.rdata for item in self.accesses.items] == capture.rows.rdata[there].tolist()
        played = self.stimulus.rows
        late = set((capture.rows.cycle[there] - played.cycle[played.op != NO_ACCESS]).tolist())
        assert len(late) == 1 and late.pop() >= 1000
