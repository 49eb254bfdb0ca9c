"""Lossless: privilege and context of every instruction from Ownership, wherever between its neighbours it stands."""

from __future__ import annotations

import pytest

from models.ntrace.config import Config
from models.ntrace.messages import Message, message
from models.riscv.blocks import to_beats
from models.riscv.builder import ProgramBuilder
from models.riscv.retired import Priv
from models.riscv.walk import Walk
from scoreboards.ntrace_context import _apply
from scoreboards.ntrace_expected import state
from scoreboards.ntrace_knobs import Knobs
from tests.scoreboards.stories import Change, doctored, set_at, story

CLAUSE = "NT.7.1.priv_change"
OWN, BOTH = Config(ownership=1), Config(ownership=1, hcontext=1)


def changes(messages: list[Message]) -> list[int]:
    """The Ownership messages that no SYNC stands right before, nor an Ownership: each tells a change of its own."""
    before = {"Ownership", "ProgTraceSync", "IndirectBranchHistSync", "IndirectBranchSync"}
    return [i for i, m in enumerate(messages) if m.name == "Ownership" and messages[i - 1].name not in before]


def flip(bit: int) -> Change:
    """One bit of PROCESS of the first change is wrong."""
    def change(messages: list[Message]) -> None:
        index = changes(messages)[0]
        set_at(messages, index, process=messages[index].get("process") ^ 1 << bit)

    return change


def lose(messages: list[Message]) -> None:
    """A change of scontext on linear code is not told."""
    index = next(i for i in changes(messages) if messages[i].get("process") & 3 == 2)
    del messages[index]


def invent(messages: list[Message]) -> None:
    """A change that never was, and back."""
    index = [i for i in changes(messages) if messages[i].get("process") & 3 == 2][-1]
    process = messages[index].get("process")
    messages[index + 1 : index + 1] = [message("Ownership", process ^ 1 << 6), message("Ownership", process)]


def swap(messages: list[Message]) -> None:
    """Two changes in the wrong order."""
    index = next(i for i in changes(messages) if messages[i + 1].name == "Ownership" and messages[i].get("process") & 3 == 2)
    messages[index], messages[index + 1] = messages[index + 1], messages[index]


def paired(*wrong: int) -> Change:
    """Every Ownership is two, hcontext and then scontext (7.1 in v1_0); wrong: bits of the first change that tell it otherwise."""
    def change(messages: list[Message]) -> None:
        told, result, first = None, [], True
        for message_, behind in zip(messages, [*messages[1:], None]):
            result.append(message_)
            if message_.name != "Ownership":
                continue
            told = _apply(told, message_.get("process"))
            mode = (told & 7) << 2
            if behind is not None and behind.name == "Ownership" and message_.get("process") & 3 == 3:
                continue  # they are two already
            if result[-2].name == "Ownership" and result[-2].get("process") & 3 == 3:
                continue
            told_h, told_s = told >> 35 << 5 | mode | 3, (told >> 3 & 0xFFFF_FFFF) << 5 | mode | 2
            for bit in wrong if first else ():
                told_h ^= 1 << bit
            result[-1:] = [message("Ownership", told_h), message("Ownership", told_s)]
            first = False
        assert not first
        messages[:] = result

    return change


def test_pairs_at_every_change() -> None:
    """What changed alone may be told alone, as the reference does, or with the other; what is told must be so."""
    program, beats = story("ownership", BOTH)
    good = doctored(program, beats, BOTH, paired(), Knobs.free())
    assert good.passed and good.book.results()[CLAUSE][0] > 5
    assert CLAUSE in doctored(program, beats, BOTH, paired(6), Knobs.free()).book.failed
    assert not doctored(program, beats, BOTH, paired(), exact=True).passed


@pytest.mark.parametrize("config", [OWN, BOTH])
@pytest.mark.parametrize("change", [flip(5), lose, invent], ids=["bit", "lost", "invented"])
def test_change_that_is_told_wrongly(config: Config, change: Change) -> None:
    program, beats = story("ownership", config)
    assert doctored(program, beats, config).passed
    assert CLAUSE in doctored(program, beats, config, change).book.failed


def test_anywhere_between_its_neighbours() -> None:
    """The same change, reported before the message that ends with the instruction which makes it."""
    program, beats = story("trap_kinds", OWN)

    def earlier(messages: list[Message]) -> None:
        index = changes(messages)[0]
        messages[index - 1], messages[index] = messages[index], messages[index - 1]

    assert CLAUSE not in doctored(program, beats, OWN, earlier).book.failed


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
    assert good.passed and good.book.results()[CLAUSE] == [3, 0]
    reordered = doctored(program, beats, OWN, lambda m: m.__setitem__(slice(2, 4), [m[3], m[2]]))
    assert CLAUSE in reordered.book.failed


def test_counts_and_options() -> None:
    program, beats = story("ownership", BOTH)
    assert doctored(program, beats, BOTH).book.results()[CLAUSE][0] > 5
    plain, beats = story("ownership", Config())
    assert CLAUSE not in doctored(plain, beats, Config()).book.results()


def test_process_of_the_seed() -> None:
    """7.1: 0x3B2 is scontext 0x1D in VU, 0xC is M."""
    assert _apply(None, 0x3B2) == state(int(Priv.VU), 0x1D, 0)
    assert _apply(state(0, 7, 9), 0xC) == state(int(Priv.M), 7, 9)


def test_hcontext_is_not_asked_for_where_it_does_not_exist() -> None:
    """Two blocks that differ in hcontext alone are one state for an encoder that does not know it."""
    program, beats = story("ownership", OWN)
    counts = [doctored(program, beats, config).book.results()[CLAUSE][0] for config in (OWN, BOTH)]
    assert beats.hcontext.any() and counts[0] < counts[1]
