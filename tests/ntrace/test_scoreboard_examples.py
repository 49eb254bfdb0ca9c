# SPDX-License-Identifier: Apache-2.0
"""The specification's examples, encoded by the scenarios: table 24 (8.1), I-CNT and HIST (8.4.1), full I-CNT
(8.4.4).
"""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check
from tests.ntrace.checked_scenarios import scenario_run


def messages(name: str, config: Config) -> list[Message]:
    """The model's messages for a scenario, which the scoreboard passes."""
    program, beats = scenario_run(name, config)
    encoded = Encoder(config).run(beats)
    assert check(NtraceCapture(config, program, encoded.data, beats)).passed
    return encoded.messages


@pytest.mark.parametrize("mode", ["btm", "htm"])
def test_table_24(mode: str) -> None:
    reported = messages("seed_8_1", Config(mode=mode))
    addresses = [a for m in reported for a in (m.get("faddr"), m.get("uaddr")) if a is not None]
    assert addresses == [0x1FE02, 0x7B6, 0x934]


def test_8_4_1_btm() -> None:
    reported = [m for m in messages("seed_8_4", Config(mode="btm")) if m.name != "ProgTraceSync"]
    counts = [(m.name, m.get("icnt")) for m in reported]
    assert counts[1:] == [  # the first correlation is the debug entry before the example
        ("DirectBranch", 3), ("ProgTraceCorrelation", 1), ("DirectBranch", 7), ("ProgTraceCorrelation", 2),
        ("ProgTraceCorrelation", 10),
    ]  # fmt: skip


def test_8_4_2_htm() -> None:
    reported = [m for m in messages("seed_8_4", Config()) if m.name == "ProgTraceCorrelation"]
    assert [(m.get("icnt"), m.get("hist")) for m in reported[1:]] == [(4, 0b11), (9, 0b101), (10, 0b100)]


def test_8_4_4_full_icnt() -> None:
    """A counter that overflows at 16 half-words here (the specification's at 8): SYNC=4 with I-CNT and HIST, then
    the rest.
    """
    b = ProgramBuilder(64, 0x100)
    b.label("main")
    b.c_nop()
    b.beq(8, 9, 0x200)
    b.c_nop()
    for _ in range(9):
        b.nop()
    b.c_ebreak()
    b.org(0x200)
    b.c_nop()
    program = b.build("main")
    walk = Walk(program, "rc7").trace_on().debug_entry().debug_exit(0x100).step().branch(False).step(10).debug_entry()
    config = Config(variant="rc7", icnt_bits=5, iretire_bits=3)
    beats = to_beats(walk.retired(), retirement="single")
    encoded = Encoder(config).run(beats)
    start, full, stop = encoded.messages[-3:]
    assert (start.name, start.get("sync"), start.get("icnt"), start.get("faddr")) == ("ProgTraceSync", 3, 0, 0x80)
    assert (full.name, full.get("sync"), full.get("icnt"), full.get("hist"), full.get("faddr")) == (
        "IndirectBranchHistSync", 4, 16, 0b10, 0x120 >> 1)  # fmt: skip
    assert (stop.get("evcode"), stop.get("icnt"), stop.get("hist")) == (0, 6, 1)
    assert check(NtraceCapture(config, program, encoded.data, beats)).passed
