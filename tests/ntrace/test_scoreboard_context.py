# SPDX-License-Identifier: Apache-2.0
"""Lossless: privilege and context of every instruction from Ownership, wherever between its neighbours it appears."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import Message, message
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.scoreboards.ntrace.context import _apply
from rvtrace.scoreboards.ntrace.expected import state
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.common.there import there
from tests.ntrace.checked_scenarios import Change, doctored, scenario_run, set_at

PRIV_CHANGE = "NT.7.1.priv_change"
OWN, BOTH = Config(ownership=1), Config(ownership=1, hcontext=1)


def changes(messages: list[Message]) -> list[int]:
    """The Ownership messages that no SYNC appears right before, nor an Ownership: each reports a separate change."""
    before = {"Ownership", "ProgTraceSync", "IndirectBranchHistSync", "IndirectBranchSync"}
    return [i for i, m in enumerate(messages) if m.name == "Ownership" and messages[i - 1].name not in before]


def flip(bit: int) -> Change:
    """One bit of PROCESS of the first change is wrong."""

    def change(messages: list[Message]) -> None:
        index = changes(messages)[0]
        set_at(messages, index, process=there(messages[index].get("process")) ^ 1 << bit)

    return change


def lose(messages: list[Message]) -> None:
    """A change of scontext on linear code is not reported."""
    index = next(i for i in changes(messages) if there(messages[i].get("process")) & 3 == 2)
    del messages[index]


def invent(messages: list[Message]) -> None:
    """A change that never was, and back."""
    index = [i for i in changes(messages) if there(messages[i].get("process")) & 3 == 2][-1]
    process = messages[index].get("process")
    messages[index + 1 : index + 1] = [
        message("Ownership", there(process) ^ 1 << 6),
        message("Ownership", there(process)),
    ]


def swap(messages: list[Message]) -> None:
    """Two changes in the wrong order."""
    index = next(
        i
        for i in changes(messages)
        if messages[i + 1].name == "Ownership" and there(messages[i].get("process")) & 3 == 2
    )
    messages[index], messages[index + 1] = messages[index + 1], messages[index]


def paired(*wrong: int) -> Change:
    """Every Ownership is two, hcontext and then scontext (7.1 in v1_0); wrong: bits of the first change that report it
    otherwise.
    """

    def change(messages: list[Message]) -> None:
        reported, result, first = None, [], True
        for message_, after in zip(messages, [*messages[1:], None]):
            result.append(message_)
            if message_.name != "Ownership":
                continue
            reported = _apply(reported, there(message_.get("process")))
            mode = (reported & 7) << 2
            if after is not None and after.name == "Ownership" and there(message_.get("process")) & 3 == 3:
                continue  # they are two already
            if result[-2].name == "Ownership" and result[-2].get("process") & 3 == 3:
                continue
            reported_h, reported_s = reported >> 35 << 5 | mode | 3, (reported >> 3 & 0xFFFF_FFFF) << 5 | mode | 2
            for bit in wrong if first else ():
                reported_h ^= 1 << bit
            result[-1:] = [message("Ownership", reported_h), message("Ownership", reported_s)]
            first = False
        assert not first
        messages[:] = result

    return change


def test_pairs_at_every_change() -> None:
    """What changed alone may be reported alone, as the reference does, or with the other;
    what is reported must be so.
    """
    program, beats = scenario_run("ownership", BOTH)
    good = doctored(program, beats, BOTH, paired(), Tolerances.free())
    assert good.passed and good.book.results()[PRIV_CHANGE][0] > 5
    assert PRIV_CHANGE in doctored(program, beats, BOTH, paired(6), Tolerances.free()).book.failed
    assert not doctored(program, beats, BOTH, paired(), exact=True).passed


@pytest.mark.parametrize("config", [OWN, BOTH])
@pytest.mark.parametrize("change", [flip(5), lose, invent], ids=["bit", "lost", "invented"])
def test_change_that_is_reported_wrongly(config: Config, change: Change) -> None:
    program, beats = scenario_run("ownership", config)
    assert doctored(program, beats, config).passed
    assert PRIV_CHANGE in doctored(program, beats, config, change).book.failed


def test_anywhere_between_its_neighbours() -> None:
    """The same change, reported before the message that ends with the instruction which makes it."""
    program, beats = scenario_run("trap_kinds", OWN)

    def earlier(messages: list[Message]) -> None:
        index = changes(messages)[0]
        messages[index - 1], messages[index] = messages[index], messages[index - 1]

    assert PRIV_CHANGE not in doctored(program, beats, OWN, earlier).book.failed


def test_two_changes_in_one_count_keep_their_order() -> None:
    """scontext 1, then 2, on linear code: no message counts between them."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.label("main")
    for _ in range(9):
        b.nop()
    program = b.build("main")
    walk = Walk(program, "v1_0", b.labels["main"], priv=int(Priv.S)).trace_on()
    for context in (1, 2):
        walk.step(3)
        walk.context = context
    beats = to_beats(walk.step(3).trace_off().retired(), 1, "block")
    good = doctored(program, beats, OWN)
    assert good.passed and good.book.results()[PRIV_CHANGE] == [3, 0]
    reordered = doctored(program, beats, OWN, lambda m: m.__setitem__(slice(2, 4), [m[3], m[2]]))
    assert PRIV_CHANGE in reordered.book.failed


def test_counts_and_options() -> None:
    program, beats = scenario_run("ownership", BOTH)
    assert doctored(program, beats, BOTH).book.results()[PRIV_CHANGE][0] > 5
    plain, beats = scenario_run("ownership", Config())
    assert PRIV_CHANGE not in doctored(plain, beats, Config()).book.results()


def test_process_of_the_seed() -> None:
    """7.1: 0x3B2 is scontext 0x1D in VU, 0xC is M."""
    assert _apply(None, 0x3B2) == state(int(Priv.VU), 0x1D, 0)
    assert _apply(state(0, 7, 9), 0xC) == state(int(Priv.M), 7, 9)


def test_hcontext_is_not_asked_for_where_it_does_not_exist() -> None:
    """Two blocks that differ in hcontext alone are one state for an encoder that does not know it."""
    program, beats = scenario_run("ownership", OWN)
    counts = [doctored(program, beats, config).book.results()[PRIV_CHANGE][0] for config in (OWN, BOTH)]
    assert beats.hcontext.any() and counts[0] < counts[1]
