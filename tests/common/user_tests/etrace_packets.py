# SPDX-License-Identifier: Apache-2.0
"""Checks that the packets an E-Trace run writes one by one are those of the capture."""

from rvtrace.tb.common.base import Collector
from rvtrace.tb.etrace.env import EtraceTest


class PacketsTest(EtraceTest):
    def build_phase(self):
        super().build_phase()
        self.packets = Collector.create("packets", self)

    def connect_phase(self):
        self.env.messages.connect(self.packets.analysis_export)

    def check_phase(self):
        super().check_phase()
        _, capture = self.outcome
        assert [packet.data for packet in self.packets.items] == capture.packets
        assert [packet.type for packet in self.packets.items] == capture.types.tolist()
        assert [packet.cycle for packet in self.packets.items] == capture.packet_cycle.tolist()
