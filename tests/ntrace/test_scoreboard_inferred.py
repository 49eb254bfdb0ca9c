# SPDX-License-Identifier: Apache-2.0
"""Lossless: flow changes that no message reports, and that decoding can start at any synchronizing message."""

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message, message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.models.riscv.walk import Walk
from rvtrace.scoreboards.ntrace import restart
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import Verdict
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.common.there import there
from tests.ntrace.checked_scenarios import check, doctored, scenario_run, set_at

FULL = Config(implicit_return=3)
X1 = 1


def judge(
    program: Program, beats: Beats, config: Config, seen: Config | None = None, tolerances: Tolerances | None = None
) -> Verdict:
    return check(
        NtraceCapture(seen or config, program, Encoder(config).run(beats).data, beats, exact=False), tolerances
    )


@pytest.mark.parametrize(
    ("mode", "clause"), [(1, "NT.9.2.mode_counter"), (2, "NT.9.2.mode_partial"), (3, "NT.9.2.mode_full")]
)
def test_returns_are_counted(mode: int, clause: str) -> None:
    config = Config(implicit_return=mode)
    program, beats = scenario_run("nested_calls", config)
    results = judge(program, beats, config).book.results()
    assert results[clause] == results["NT-4"] == results["NT-5"] == results["NT.9.2.implicit_return"]
    assert results[clause][0] > 5 and results[clause][1] == 0
    assert clause not in judge(program, beats, Config()).book.results()


def calls(depth: int) -> tuple[Program, Beats]:
    """f0 calls f1 calls ... and all return."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.label("main")
    for level in range(depth):
        b.label(f"f{level}")
        b.nop()
        b.jal(X1, f"f{level + 1}")
        b.nop()
        b.jalr(0, X1)
    b.label(f"f{depth}")
    b.nop()
    b.jalr(0, X1)
    program = b.build("main")
    walk, after = Walk(program, "v1_0", b.labels["main"]).trace_on(), []
    for _ in range(depth):
        walk.step()
        after.append(walk.pc + 4)
        walk.step()
    walk.step().jump(after.pop())
    while after:
        walk.step().jump(after.pop())
    return program, to_beats(walk.step().trace_off().retired(), 1, "block")


@pytest.mark.parametrize(("depth", "failed"), [(32, []), (33, ["NT-5"])])
def test_a_stack_deeper_than_32(depth: int, failed: list[str]) -> None:
    """All returns suppressed: the outermost of 33 calls must have been forgotten."""
    program, beats = calls(depth)
    halves = int(beats.iretire.sum())
    reported = [message("ProgTraceSync", 5, 0, 0x4000_0000), message("ProgTraceCorrelation", 4, 1, halves, 1)]
    capture = NtraceCapture(FULL, program, b"".join(map(pack, reported)), beats, exact=False)
    assert check(capture).book.failed == failed


def test_call_in_the_same_message() -> None:
    """NT-5: allowed, unless the device is checked against 9.2 by the letter."""
    program, beats = calls(3)
    assert judge(program, beats, FULL).passed
    assert judge(program, beats, FULL, tolerances=Tolerances(strict_reported_call=True)).book.failed == ["NT-5"]


@pytest.mark.parametrize(("inner", "failed"), [(1, ["NT-5"]), (0, ["NT-4"])])
def test_what_the_port_calls_a_call_counts(inner: int, failed: list[str]) -> None:
    """The hart reports one call as a jump: its return may not be left out,
    though a decoder guesses it from the code.
    """
    program, beats = calls(2)
    data = Encoder(FULL).run(beats).data
    rows, lanes = np.nonzero(beats.itype == IType.INFERABLE_CALL)
    beats.itype[rows[1 - inner], lanes[1 - inner]] = IType.OTHER_INFERABLE_JUMP
    assert check(NtraceCapture(FULL, program, data, beats, exact=False)).book.failed == failed


def astray() -> tuple[Program, Beats]:
    """A function that returns one instruction after its call."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.label("main")
    b.nop()
    b.jal(X1, "function")
    for _ in range(6):
        b.nop()
    b.label("function")
    b.nop()
    b.jalr(0, X1)
    program = b.build("main")
    walk = Walk(program, "v1_0", b.labels["main"]).trace_on().step(2).step()
    return program, to_beats(walk.jump(b.labels["main"] + 12).step(3).trace_off().retired(), 1, "block")


@pytest.mark.parametrize(("mode", "clause"), [(1, "NT.9.2.mode_counter"), (3, "")])
def test_return_that_a_counter_cannot_see(mode: int, clause: str) -> None:
    """Mode 1 cannot report that the hart returned elsewhere: what a decoder then believes is not checked against the
    device.
    """
    program, beats = astray()
    verdict = judge(program, beats, Config(implicit_return=mode))
    assert verdict.passed, verdict.failures[0].text()
    assert (verdict.book.results().get(clause, [0])[0] > 0) == bool(clause)
    if clause:
        assert not judge(program, beats, Config(implicit_return=mode), FULL).passed


def test_a_wrong_address_of_a_return_that_had_to_be_reported() -> None:
    """Trace starts again between call and return, which forgets the call: the return is reported, with an address that
    is the call's and not the hart's. No counter explains that.
    """
    config = Config(implicit_return=1)
    b = ProgramBuilder(64, 0x8000_0000)
    b.label("main")
    b.jal(X1, "function")
    for _ in range(6):
        b.nop()
    b.label("function")
    b.nop()
    b.nop()
    b.jalr(0, X1)
    program, begin = b.build("main"), b.labels["main"]
    walk = Walk(program, "v1_0", begin).trace_on().step(2).trace_off().trace_on().step()
    beats = to_beats(walk.jump(begin + 8).step(3).trace_off().retired(), 1, "block")

    def call_address(messages: list[Message]) -> None:
        function = there(messages[2].get("faddr")) << 1
        set_at(messages, 3, uaddr=(function ^ (begin + 4)) >> 1)

    assert doctored(program, beats, config).passed
    verdict = doctored(program, beats, config, call_address)
    assert not verdict.decoded.diagnostics
    assert verdict.book.causes == ["NT.8.1.uaddr"]


def test_sequential_jumps_are_counted() -> None:
    config = Config(sequential_jump=1)
    program, beats = scenario_run("sequential_jumps", config)
    assert judge(program, beats, config).book.results()["NT.9.1.sequential_jump"][0] > 1
    assert judge(program, beats, config, Config()).book.failed, "without the option every jump is reported"


def test_custom_instruction() -> None:
    """Where a custom instruction leads must be reported (10.1)."""
    program, beats = scenario_run("custom_flow", Config())
    assert judge(program, beats, Config()).book.results()["NT.10.1.custom"][0] > 0
    data = Encoder(Config()).run(beats).data
    rows = np.flatnonzero(beats.itype[:, 0] == IType.OTHER_UNINFERABLE_JUMP)
    row = int(rows[0]) + 1
    beats.iaddr[row, 0] += 4
    beats.iretire[row, 0] -= 2
    assert check(NtraceCapture(Config(), program, data, beats, exact=False)).book.causes == ["NT.10.1.custom"]


def test_decoding_starts_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that needs what came before a synchronizing message is caught; here it lacks the option."""
    config = Config(implicit_return=3, inst_sync_mode=3)
    program, beats = scenario_run("stack_cleared_by_sync", config)
    assert judge(program, beats, config).book.results()["NT.8.5.reset"][0] > 0
    monkeypatch.setattr(restart, "decode", lambda data, program, _: decode(data, program, Config()))
    assert judge(program, beats, config).book.failed == ["NT.8.5.reset"]
