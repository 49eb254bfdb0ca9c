# SPDX-License-Identifier: Apache-2.0
"""One field of one message is wrong: the finding has the clause of that field, not of where the decoder stumbled."""

from collections.abc import Callable

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.scoreboards.ntrace.wrong_field import extends
from tests.ntrace.checked_scenarios import doctored, place, scenario_run, set_at

BTM, HTM = Config(mode="btm"), Config()
EXTENDS, INFERS = Config(extend_addr_msb=1), Config(sequential_jump=1)
REPEATS = Config(mode="btm", repeat_branch=1)
FREE = Tolerances.free()
BIT = 1 << 4  # of an address without bit 0

Change = Callable[[list[Message]], None]


def flipped(name: str, which: int, key: str, bit: int) -> Change:
    """A bit of a field is inverted in one message; the next U-ADDR is relative to what is then the last address."""

    def change(messages: list[Message]) -> None:
        at = place(messages, name, which)
        set_at(messages, at, **{key: (messages[at].get(key) or 0) ^ bit})
        after = next(i for i in range(at + 1, len(messages)) if messages[i].get("uaddr") is not None)
        if key == "uaddr":
            set_at(messages, after, uaddr=(messages[after].get("uaddr") or 0) ^ bit)

    return change


def plain(messages: list[Message]) -> None:
    """The first U-ADDR is the address itself."""
    at = place(messages, "IndirectBranch")
    reference = next(m.get("faddr") for m in messages if m.get("faddr") is not None)
    difference = messages[at].get("uaddr")
    assert reference and difference
    set_at(messages, at, uaddr=difference ^ reference)
    after = next(i for i in range(at + 1, len(messages)) if messages[i].get("uaddr") is not None)
    set_at(messages, after, uaddr=(messages[after].get("uaddr") or 0) ^ reference)


def no_trap(messages: list[Message]) -> None:
    """The first trap is reported as a jump."""
    at = next(i for i, message in enumerate(messages) if message.get("btype"))
    set_at(messages, at, btype=0)


def trap_unreported(messages: list[Message]) -> None:
    """A trap after a counted instruction has no message: the next one counts on, and its U-ADDR is from there."""
    at = place(messages, "IndirectBranch", btype=2, icnt=2)
    trap = messages.pop(at)
    after = messages[at]
    icnt, uaddr = after.get("icnt", 0) + trap.get("icnt", 0), after.get("uaddr", 0) ^ trap.get("uaddr", 0)
    set_at(messages, at, icnt=icnt, uaddr=uaddr)


def too_often(messages: list[Message]) -> None:
    """A branch repeats more often than the loop runs."""
    at = place(messages, "RepeatBranch")
    set_at(messages, at, bcnt=(messages[at].get("bcnt") or 0) + 1)


def found(name: str, config: Config, change: Change | None) -> list[str]:
    """The clauses of the findings, in the order of a report."""
    program, beats = scenario_run(name, config)
    verdict = doctored(program, beats, config, change, FREE)
    own = sorted((f for f in verdict.failures if not f.cause), key=lambda f: f.at or 0)
    return list(dict.fromkeys(failure.clause for failure in own))


@pytest.mark.parametrize(
    ("name", "config", "change", "clause"),
    [
        ("indirect_kinds", BTM, flipped("IndirectBranch", 1, "uaddr", BIT), "NT.8.1.uaddr"),
        ("indirect_kinds", HTM, flipped("IndirectBranchHist", 1, "uaddr", BIT), "NT.8.1.uaddr"),
        ("indirect_kinds", BTM, plain, "NT.8.1.xor"),
        ("indirect_kinds", BTM, flipped("IndirectBranch", 2, "icnt", 1), "NT.8.4.count"),
        ("trap_kinds", BTM, no_trap, "NT.6.2.btype"),
        ("ecall", BTM, trap_unreported, "NT.10.traps"),
        ("indirect_kinds", EXTENDS, flipped("IndirectBranchHist", 1, "uaddr", BIT), "NT.8.1.uaddr"),
        ("indirect_kinds", INFERS, flipped("IndirectBranchHist", 2, "icnt", 1), "NT.8.4.count"),
    ],
)
def test_the_wrong_field_is_the_first_finding(name: str, config: Config, change: Change, clause: str) -> None:
    assert found(name, config, None) == []
    assert found(name, config, change)[:1] == [clause], found(name, config, change)


def test_an_extended_address_differs_in_all_its_upper_bits() -> None:
    """Of 6 bits: those that an encoder left out, or sent too many of, are without a gap and reach the top (8.2)."""
    assert extends(0b111000, 6) and extends(0b111111, 6) and extends(0b100000, 6)
    assert not extends(0b101000, 6) and not extends(0b011000, 6) and not extends(0, 6)


def test_a_repeat_that_cannot_be_is_no_fault_of_the_branch() -> None:
    assert found("repeated_branch", REPEATS, None) == []
    assert "NT.7.11.repeat" in found("repeated_branch", REPEATS, too_often)
