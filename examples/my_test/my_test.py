# SPDX-License-Identifier: Apache-2.0
"""A test of your own: idle cycles between the beats of any job, and a check of every message as it leaves the encoder.

make run TEST=examples/my_test/my_test.py IP=ntrace SOURCE=random SIZE=500
"""

from collections import Counter

from pyuvm import uvm_factory, uvm_subscriber

from rvtrace.tb.common.agents.base import BeatSequence
from rvtrace.tb.ntrace.env import NtraceTest

PROG_TRACE_SYNC = 9  # a TCODE: the six bits after MSEO in the first byte of a message


class SlowSequence(BeatSequence):
    """The beats of the job, each third one after two idle cycles more."""

    def items(self):
        for number, beat in enumerate(super().items()):
            beat.gap += 2 * (number % 3 == 0)
            yield beat


class MessageCounter(uvm_subscriber):
    """Counts messages by TCODE."""

    def build_phase(self):
        self.tcodes = Counter()

    def write(self, message):
        self.tcodes[message.data[0] >> 2] += 1


class MyTest(NtraceTest):
    """Plays its job slowly and expects a ProgTraceSync message; the scoreboard checks all clauses as in any run."""

    def configure(self):
        super().configure()
        uvm_factory().set_type_override_by_type(BeatSequence, SlowSequence)

    def build_phase(self):
        super().build_phase()
        self.counter = MessageCounter.create("counter", self)

    def connect_phase(self):
        self.env.messages.connect(self.counter.analysis_export)

    def check_phase(self):
        super().check_phase()
        print("messages by TCODE:", dict(self.counter.tcodes))
        assert self.counter.tcodes[PROG_TRACE_SYNC] >= 1, "the trace has no ProgTraceSync message"
