# SPDX-License-Identifier: Apache-2.0
"""Loops that go round without a packet: the decoder cannot count the rounds, and the check finds the place of what
follows.
"""

from functools import cache
from random import Random
from typing import Any

import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import judged
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.etrace.stimulus.scenarios import loops
from rvtrace.tb.etrace.stimulus.scenarios.base import RA, Script, builder, handle, place
from tests.etrace.checked_scenarios import doctored, scenario_run
from tests.etrace.packet_writer import ENDED_REP, PacketWriter
from tests.etrace.test_scoreboard_failure_text import UNREADABLE

DRAFT = {"variant": "draft_0_026", "call_counter_size_p": 0}
ROUNDS, HALFWORDS = 14, 3  # of the loop; inst_sync_mode
IMPRECISE = {"v2_0": "1", "draft_0_026": "2"}  # ctype


@cache
def spinning(
    variant: str, changes: tuple[tuple[int, int], ...] = (), sync_mode: int = HALFWORDS
) -> tuple[Config, Program, Beats, EncodedTrace]:
    """A nop and a jump back to it, ROUNDS times, then an interrupt. changes: (instruction of the loop, context)."""
    given = {"variant": variant, "ctype": IMPRECISE[variant], "inst_sync_mode": sync_mode, "inst_stall_ena": 1}
    config = Config.from_dict(given)
    script = Script(config, Random(1))
    walk, at = script.start(loops.spinning(config))
    walk.step()
    for number in range(2 * ROUNDS):
        walk.context = dict(changes).get(number, walk.context)
        walk.step()
    walk.trap(7, at["trap_handler"], interrupt=True)
    handle(walk, at["spin"]).step(2)
    program, retired = script.rows()
    beats = place(config, "single", retired, Random(1))
    return config, program, beats, Encoder(config).run(beats)


def verdict(
    run: tuple[Config, Program, Beats, EncodedTrace], without: str = "", tolerances: Tolerances | None = None
) -> Verdict:
    """On the model's packets, by default of a device that makes the reference's choices. without: leave out those of a
    format.
    """
    config, program, beats, encoded = run
    packets = [payload for payload, packet in zip(encoded.payloads, encoded.packets) if packet.name != without]
    capture = EtraceCapture(config, program, packets, beats=beats, exact=False)
    return judged(capture, tolerances or Tolerances())


@pytest.mark.parametrize("variant", IMPRECISE)
def test_resynchronizations_in_a_loop_pass(variant: str) -> None:
    """Which round a 3.0 is of shows nowhere in the trace."""
    run = spinning(variant)
    assert run[3].reasons.count("ET.alg.resync") == 3
    found = verdict(run)
    assert found.book.failed == [] and found.stats["ambiguous"] > 0
    assert verdict(run, tolerances=Tolerances.free()).book.failed == []


@pytest.mark.parametrize("number", range(6, 2 * ROUNDS))
@pytest.mark.parametrize("variant", IMPRECISE)
def test_context_that_changes_in_a_loop_is_found_in_the_resynchronization_after_it(variant: str, number: int) -> None:
    """At any instruction of the loop, also at the one that a 3.0 reports, which then needs no 3.2."""
    run = spinning(variant, ((number, 9),))
    assert verdict(run).book.failed == []
    assert verdict(run, tolerances=Tolerances.free()).book.failed == []


@pytest.mark.parametrize("first", [3, 11])
@pytest.mark.parametrize("variant", IMPRECISE)
def test_context_that_changes_and_comes_back_in_a_loop(variant: str, first: int) -> None:
    """The 3.0 after both changes has the context of before, so that it may be of any round."""
    run = spinning(variant, ((first, 2), (first + 1, 0)))
    assert [packet.name for packet in run[3].packets].count("context") == 2
    assert verdict(run).book.failed == []


@pytest.mark.parametrize("variant", IMPRECISE)
def test_context_that_changes_in_a_loop_is_reported(variant: str) -> None:
    """Which round it changes in cannot be reported; that it does must be."""
    run = spinning(variant, ((9, 9),), 0)
    assert [packet.name for packet in run[3].packets].count("context") == 1
    assert verdict(run).book.failed == []
    for tolerances in (Tolerances(), Tolerances.free()):
        assert verdict(run, "context", tolerances).book.failed == ["ET.alg.context"]


def test_draft_loop_entered_by_a_branch() -> None:
    """The instruction before the loop is a branch: it belongs to no round, and rounds are looked for after it."""
    found = doctored("loop_trap", DRAFT)
    assert found.book.failed == [] and found.stats["ambiguous"] > 0


def test_draft_round_that_was_not() -> None:
    """A notification in the draft looks like the target of a jump. The decoder goes one round farther than the hart;
    what follows fits only without that round.
    """
    found = doctored("loop_notify", DRAFT)
    assert found.book.failed == [] and found.stats["ambiguous"] > 0


def test_draft_round_that_was_not_leaves_no_call() -> None:
    """An indirect call is reported by a notification, then its target. As the target of a jump to itself it would have
    been made twice, and the return without a call would lead behind it.
    """
    given = {"variant": "draft_0_026", "ctype": "3", "implicit_return": 1, "call_counter_size_p": 2}
    config = Config.from_dict(given | {"return_stack_size_p": 0, "inst_stall_ena": 1})
    b = builder(config)
    b.nop()
    b.label("call")
    b.c_jalr(10)
    b.label("behind")
    b.nop()
    b.label("without_call")
    b.c_jr(RA)
    b.label("callee")
    b.nop()
    b.c_jr(RA)
    b.label("elsewhere")
    b.nop()
    b.nop()
    script = Script(config, Random(1))
    walk, at = script.start(b)
    walk.step()
    walk.context = 9
    walk.jump(at["callee"]).step().jump(at["behind"]).step().jump(at["elsewhere"]).step(2)
    program, retired = script.rows()
    writer = PacketWriter(program, **{k: getattr(config, k) for k in Config.legal()})

    def failed(*places: str) -> list[str]:
        """Of a device that reports these by their address."""
        writer.payloads.clear()
        writer.support().start(at["main"])
        for name in places:
            writer.at(at[name])
        writer.at(at["elsewhere"] + 4).support(ENDED_REP)
        beats = place(config, "single", retired, Random(1))
        return judged(EtraceCapture(config, program, writer.payloads, beats=beats, exact=False)).book.failed

    assert failed("call", "callee", "elsewhere") == []
    assert failed("call", "callee", "without_call", "elsewhere") == []
    assert failed("call", "callee", "callee", "elsewhere") != []
    assert failed("call", "callee") != []


def test_draft_round_that_leads_nowhere() -> None:
    """A notification, an implicit return, and the target of a call: with a round the call leads back to the address of
    the notification, and from there to a branch that no packet reports.
    """
    given = {"variant": "draft_0_026", "ctype": "3", "implicit_return": 1, "call_counter_size_p": 2}
    config = Config.from_dict(given | {"return_stack_size_p": 0, "inst_stall_ena": 1})
    b = builder(config)
    b.nop()
    b.c_jalr(10)
    b.label("back")
    b.nop()
    b.c_jalr(10)
    b.beq(8, 9, "main")
    b.label("callee")
    b.nop()
    b.label("notified")
    b.nop()
    b.c_jr(RA)
    b.label("elsewhere")
    b.nop()
    b.nop()
    script = Script(config, Random(1))
    walk, at = script.start(b)
    walk.step().jump(at["callee"]).step()
    walk.context = 9
    walk.step().jump(at["back"]).step().jump(at["elsewhere"]).step(2)
    program, retired = script.rows()
    beats = place(config, "single", retired, Random(1))
    writer = PacketWriter(program, **{name: getattr(config, name) for name in Config.legal()})
    writer.support().start(at["main"]).at(at["callee"]).at(at["notified"])
    known = len(writer.payloads)
    writer.at(at["elsewhere"]).at(at["elsewhere"] + 4).support(ENDED_REP)

    def failed(packets: list[bytes]) -> list[str]:
        return judged(EtraceCapture(config, program, packets, beats=beats, exact=False)).book.failed

    assert failed(writer.payloads) == []
    assert failed(writer.payloads[:known] + writer.payloads[known + 1 :]) != []


@pytest.mark.parametrize("rounds", (1, 2, 7))
def test_loop_of_a_sequentially_inferable_jump(rounds: int) -> None:
    """No round is reported with sijump, and an interrupt ends the loop; without sijump each jump is to be reported."""
    b = builder(Config())
    b.nop()
    b.label("spin")
    b.auipc(6, 0)
    b.label("jump")
    b.jalr(0, 6)
    found = []
    for option in (1, 0):
        config = Config.from_dict({"sijump": option, "inst_stall_ena": 1})
        script = Script(config, Random(1))
        walk, at = script.start(b)
        walk.step()
        for _ in range(rounds):
            walk.step().jump(at["spin"])
        walk.trap(7, at["trap_handler"], interrupt=True)
        handle(walk, steps=2)
        program, retired = script.rows()
        writer = PacketWriter(program, sijump=option).support().start(at["main"])
        writer.at(at["jump"]).trap(at["trap_handler"], ecause=7, interrupt=1).at(at["trap_handler"] + 4)
        packets = writer.support(ENDED_REP).payloads
        beats = place(config, "single", retired, Random(1))
        found.append(judged(EtraceCapture(config, program, packets, beats=beats, exact=False)).book.failed)
    assert found[0] == []
    assert ("ET.bt.uninferable" in found[1]) is (rounds > 1)  # the last jump leads to the interrupt


def test_what_a_broken_end_hides_is_not_judged() -> None:
    """The record ends while tracing, and the last packets cannot be read: what was reported before is judged."""
    config, program, beats, _ = scenario_run("uninferable_jumps")
    cut = beats.select(slice(len(beats) // 2))
    payloads = Encoder(config).run(cut).payloads
    packets = [*payloads[: len(payloads) // 2], UNREADABLE]
    stats: dict[str, Any] = judged(EtraceCapture(config, program, packets, beats=cut, exact=False)).stats
    assert 0 < stats["judged"] == stats["reported"] < stats["instructions"]
