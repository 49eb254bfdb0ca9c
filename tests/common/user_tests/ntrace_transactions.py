# SPDX-License-Identifier: Apache-2.0
"""Checks that the transactions of an N-Trace run are the run: messages join to the stream, beats are the rows of the
capture.
"""

import numpy as np

from rvtrace.tb.common.base import Collector
from rvtrace.tb.ntrace.env import NtraceTest


class TransactionsTest(NtraceTest):
    def build_phase(self):
        super().build_phase()
        self.beats = Collector.create("beats", self)
        self.messages = Collector.create("messages", self)

    def connect_phase(self):
        self.env.ingress.monitor.ap.connect(self.beats.analysis_export)
        self.env.messages.connect(self.messages.analysis_export)

    def check_phase(self):
        super().check_phase()
        _, capture = self.outcome
        messages = self.messages.items
        ends = np.cumsum([len(message.data) for message in messages])
        assert b"".join(message.data for message in messages) == capture.data
        assert [message.cycle for message in messages] == capture.out_cycle[ends - 1].tolist()
        skipped = len(capture.beats) - len(self.beats.items)  # the idle row of reset
        rows = capture.beats.cycle[skipped:].tolist(), capture.beats.iaddr[skipped:, 0].tolist()
        assert skipped in (0, 1)
        assert rows == ([beat.cycle for beat in self.beats.items], [beat.lane("iaddr", 0) for beat in self.beats.items])
        assert [beat.level("enable") for beat in self.beats.items] == capture.beats.enable[skipped:].tolist()
