# SPDX-License-Identifier: Apache-2.0
"""How often the situation of each ruling occurred, and what coverage counts of records: short runs, counted by hand."""

from typing import Any

import pytest

from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.riscv.csr import DEBUG, HS, READ, VS, WRITE, Access, M, U
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.follow import Follower
from tests.ctr.scripts import (
    BPFRZ,
    CTL,
    DEPTH,
    EMULATE,
    EVERY,
    IN_M,
    IN_U,
    MSTATEEN,
    SCTL,
    SELECT,
    STATUS,
    VSCTL,
    Row,
    played,
    r,
    w,
)
from tests.ctr.scripts import t as transfer

MTE, NTBREN = 1 << 9, 1 << 36
EXCEPTION, TRET, NOT_TAKEN, INDIRECT, CALL_, RETURN_ = 1, 3, 4, 8, 9, 13


def t(type_: int, from_: int = U, to: int | None = None, cause: int = 0, times: int = 1) -> Row:
    """A row with this transfer so many times."""
    return transfer(0, type_, from_, to, cause, times)


def followed(script: list[Row], **options: Any) -> Follower:
    """After a passing run, a row in each cycle."""
    verdict = check(played(script, **options))
    assert verdict.passed, verdict.failures[0].text()
    return verdict.encoded


# what happens: the run, how often which situation occurs
MET: dict[str, tuple[list[Row], dict[str, Any], dict[str, int]]] = {
    "a trap that freezes, and a record after FROZEN is 0 again": (
        [w(CTL, EVERY | BPFRZ), t(CALL_), t(EXCEPTION, U, M, 3), t(CALL_), w(STATUS, 0), t(CALL_), t(CALL_)],
        {},
        {"CTR-5": 1, "CTR.freeze.until": 1, "CTR-9": 0, "CTR-8": 3},
    ),
    "the same trap without BPFRZ": (
        [w(CTL, EVERY), t(EXCEPTION, U, M, 3), t(CALL_), w(STATUS, 0), t(CALL_)],
        {},
        {"CTR-5": 0, "CTR.freeze.until": 0, "CTR-8": 2},
    ),
    "branches that are not taken, recorded with NTBREN alone": (
        [w(CTL, EVERY), t(NOT_TAKEN), w(CTL, EVERY | NTBREN), t(NOT_TAKEN), t(NOT_TAKEN), t(5), t(TRET, M, U)],
        {},
        {"CTR-9": 2, "CTR-8": 0},
    ),
    "jumps and calls, each of the types from 8 on": (
        [w(CTL, EVERY), *(t(type_) for type_ in range(8, 16)), t(5)],
        {},
        {"CTR-8": 8, "CTR-9": 0},
    ),
    "records over records: 18 in 16 entries": (
        [w(CTL, EVERY), w(DEPTH, 0), *[t(CALL_)] * 18],
        {},
        {"CTR.behavior.lost": 2, "CTR-10": 1},
    ),
    "records over entries that were cleared": (
        [w(CTL, EVERY), *[t(CALL_)] * 16, (M, [], Access(SCTRCLR, 0, 0, M, 0)), *[t(CALL_)] * 5],
        {},
        {"CTR.behavior.lost": 0, "CTR-14": 1},
    ),
    "a trap from a mode that is off, and one into a mode that is off": (
        [w(CTL, IN_M), t(EXCEPTION, U, M, 8), w(CTL, IN_U | MTE | 1 << 8), t(EXCEPTION, U, M, 8), t(TRET, U, M)],
        {"has_h": 0},
        {"CTR-6": 3, "CTR-16": 1},
    ),
    "two transfers in a cycle that do something, and two that do not": (
        [w(CTL, IN_U), t(CALL_, times=2), t(CALL_, HS, times=2), t(CALL_)],
        {"transfers": 2},
        {"CTR-13": 1},
    ),
    "writes of sctrctl, from HS and from VS, and a read": (
        [w(SCTL, 1, HS), w(SCTL, 1, VS), r(SCTL, HS), w(CTL, 1), w(VSCTL, 1)],
        {},
        {"CTR-11": 1},
    ),
    "calls, returns and swaps in emulation": (
        [w(CTL, EVERY | EMULATE), t(CALL_), t(INDIRECT), t(12), t(RETURN_), t(11), t(5)],
        {},
        {"CTR-7": 4},
    ),
    "all fields of a control register at XLEN 32, and all but one": (
        [(M, [], Access(WRITE, CTL, value, M, 1)) for value in (0xFFFF_FFFF, 0xFFFF_FFFE)],
        {},
        {"CTR.discovery.fields": 1},
    ),
    "into Debug Mode and back": (
        [w(CTL, EVERY), t(EXCEPTION, U, DEBUG, 3), t(TRET, DEBUG, U), t(EXCEPTION, U, M, 3)],
        {},
        {"CTR-15": 2, "CTR-3": 0},
    ),
    "an access that mstateen0 refuses, and one that the mode does": (
        [w(MSTATEEN, 0), r(SCTL, HS), r(CTL, U), w(MSTATEEN, 1 << 54), r(SCTL, HS)],
        {"has_stateen": 1},
        {"CTR-12": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", MET)
def test_how_often_a_situation_occurred(title: str) -> None:
    script, options, wanted = MET[title]
    met = followed(script, **options).met
    assert {name: met[name] for name in wanted} == wanted


def test_a_trap_that_freezes_is_one_situation() -> None:
    """Of two, the second is not recorded any more."""
    trap = t(EXCEPTION, U, M, 3)
    assert followed([w(CTL, EVERY | BPFRZ), t(CALL_), trap, trap]).met["CTR-5"] == 1


@pytest.mark.parametrize(
    ("script", "last"),
    [
        ([w(STATUS, 0), t(RETURN_)], True),
        ([w(STATUS, 1), t(RETURN_)], False),
        ([w(STATUS, 15), t(CALL_)], False),
        ([w(STATUS, 15), t(CALL_), t(CALL_), t(RETURN_)], False),
    ],
    ids=["from entry 0", "from another", "a record there", "a record there and a pop elsewhere"],
)
def test_a_pop_to_the_last_entry(script: list[Row], last: bool) -> None:
    """Of 16: where WRPTR goes from 0 down to 15, the return pops what is there."""
    f = followed([w(CTL, EVERY | EMULATE), *script])
    assert f.popped_to(15) is last and not f.popped_to(14)


def counts(f: Follower, subject: str) -> dict[tuple[Any, ...], int]:
    """What coverage counts of a subject, without those that are 0."""
    return {key[1:]: n for key, n in f.notes.counts.items() if key[0] == subject and n}


COUNTED = [w(CTL, EVERY), t(CALL_), t(CALL_), (U, [], None), (U, [], None), t(CALL_), r(STATUS)]


def test_counts_of_records() -> None:
    """The first record after a write has CCV=0; CC of the next two is 1 and 3. Nothing counts before the write."""
    f = followed(COUNTED)
    assert counts(f, "ccv") == {("mctrctl written",): 1, ("CCV is 1",): 2}
    assert counts(f, "count") == {(0, 0): 1, (0, 1): 2}
    assert counts(f, "inactive") == {("disabled mode",): 1, ("none",): 2}
    f = followed(COUNTED, has_cc=0)
    assert not counts(f, "ccv") and not counts(f, "count") and not counts(f, "inactive")


def test_cycles_that_do_not_count_are_told_apart() -> None:
    """In M-mode, which is off, and while FROZEN is 1."""
    f = followed(
        [w(CTL, IN_U), t(CALL_), (M, [], None), t(CALL_), t(CALL_), w(STATUS, 1 << 31), w(STATUS, 0), t(CALL_)]
    )
    assert counts(f, "inactive") == {("disabled mode",): 3, ("frozen",): 1, ("none",): 1}


def test_groups_of_transfers() -> None:
    """By how many there are, how many do something, and whether WRPTR wraps."""
    script = [w(CTL, IN_U), *[t(CALL_, times=2)] * 8, t(CALL_, HS, times=2), t(CALL_)]
    f = followed(script, transfers=2)
    assert counts(f, "group") == {(2, 2, False): 7, (2, 2, True): 1, (2, 0, False): 1, (1, 1, False): 1}
    assert counts(f, "wrap") == {("up", 16): 1}


def test_a_return_wraps_downwards() -> None:
    f = followed([w(CTL, EVERY | EMULATE), t(RETURN_), t(CALL_), t(CALL_), t(RETURN_)])
    assert counts(f, "wrap") == {("down", 16): 1, ("up", 16): 1}


def test_accesses_beside_transfers() -> None:
    """A read in a cycle in which something was recorded, of one transfer and of two; a write without a transfer."""
    read, write = Access(READ, STATUS, 0, U, 0), Access(WRITE, SELECT, 0x200, M, 0)
    beside: list[Row] = [(M, t(CALL_, M)[1], read._replace(priv=M)), (M, t(CALL_, M, times=2)[1], write), w(SELECT, 0)]
    f = followed([w(CTL, EVERY), *beside], transfers=2)
    assert counts(f, "together") == {("status read", False): 1, ("select written", True): 1}


def test_writes_of_the_status_and_of_the_depth() -> None:
    """A read is no write; a value at or above the depth, and FROZEN, are told apart."""
    f = followed([r(STATUS), w(STATUS, 3), w(STATUS, 16), w(STATUS, 1 << 31), w(DEPTH, 1), w(DEPTH, 1), r(DEPTH)])
    assert counts(f, "status") == {(M, False, 0): 1, (M, True, 0): 1, (M, False, 1): 1}
    assert counts(f, "depth") == {(16, 32): 1, (32, 32): 1}
    assert counts(f, "depth value") == {(1, True): 2}
