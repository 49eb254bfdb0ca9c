# SPDX-License-Identifier: Apache-2.0
"""Rulings of the specification that the scoreboard checks a device against: what an option switches off (TV-4, TV-6),
and what appears outside groups (TV-8).
"""

import pytest

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from tests.common.there import there
from tests.tandem.captures import broken, captured, edges_of, edited, insn
from tests.tandem.test_scoreboard_legal import GROUP, START, of_bytes

SWITCHED_OFF = {  # what an option does not give: the clause, the option, the bytes
    "implied end": ("TV-4", {"implied_end": 0}, [*GROUP, *GROUP, it.End()]),
    "increment pc": ("TV-6", {"incremental": 0}, [*GROUP, it.End()]),
    "fcsr by bits": ("TV-6", {"incremental": 0}, [it.Register(t.FCSR, 1), it.OrRegister(t.FCSR, 2)]),
    "x by steps": ("TV-6", {"incremental": 1}, [it.Register(0x1005, 1), it.AddRegister(0x1005, 2)]),
    "mcycle by steps": ("TV-6", {"incremental": 1}, [it.Register(t.MCYCLE, 1), it.AddRegister(t.MCYCLE, 2)]),
}


@pytest.mark.parametrize("name", SWITCHED_OFF)
def test_what_is_switched_off_is_not_used(name: str) -> None:
    """TV-4, TV-6: by a device that declares the profile; any other may, and every decoder follows."""
    clause, option, parts = SWITCHED_OFF[name]
    given = (option, {"implied_end": 1, "incremental": 2})
    off, on = (of_bytes([*START, *parts], Config.from_dict(options)) for options in given)
    assert check(off).book.failed == [clause] and check(off, Tolerances.free()).passed
    assert check(on).passed and check(on).book.results()[clause][0] > 0


def test_bytes_that_cannot_be_followed_imply_no_end() -> None:
    """An end may be among them."""
    assert check(of_bytes([*START, *GROUP, b"\x0c", *GROUP, it.End()], Config())).book.failed == ["TV.legal.opcode"]


PLACE = "TV.reported.outside"
OUTSIDE = {
    "mtime": TraceData(group=False, mtime=9),
    "request": TraceData(group=False, request=(t.LOAD, 2, 0x8000, 0), response=(0, 7)),
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("later", [False, True])
def test_outside_has_its_place_between_two_groups(name: str, later: bool) -> None:
    """TV-8: not in the group before, or before that; not in the group after, or after that."""
    capture = edited([insn(1, gpr=(5, 1)), OUTSIDE[name], insn(2, gpr=(6, 1))], 1, lambda items: items)
    reset, before, reported, after, *_ = (capture.data[a:b] for a, b in edges_of(capture))
    early = [reset, reported, before, after], [reset, before[:-1], reported, before[-1:], after]
    late = [reset, before, after, reported], [reset, before, after[:-1], reported, after[-1:]]
    for parts in late if later else early:
        verdict = check(captured(there(capture.rows), capture.config, b"".join(parts)), Tolerances.free())
        assert broken(verdict) == [PLACE], verdict.failures[0].text()


def test_another_value_at_another_place_is_not_the_same_report() -> None:
    """mtime is 9 between the groups, and after the second one 8 is reported: it is missing, and one is too many."""
    capture = edited([insn(1, gpr=(5, 1)), OUTSIDE["mtime"], insn(2, gpr=(6, 1))], 1, lambda items: items)
    reset, before, reported, after, *_ = (capture.data[a:b] for a, b in edges_of(capture))
    late = b"".join([reset, before, after, reported.replace(b"\x09", b"\x08")])
    assert broken(check(captured(there(capture.rows), capture.config, late), Tolerances.free())) == [
        "TV.reported.mtime"
    ]


def test_outside_has_no_order() -> None:
    """TV-8: between two groups."""
    rows = [
        TraceData(group=False, mtime=9),
        TraceData(group=False, mcycle=3),
        TraceData(group=False, csr=((0x344, 0x80),)),
    ]
    capture = edited([insn(1), *rows, insn(2)], 1, lambda items: items)
    reset, before, *reported, after, _ = (capture.data[a:b] for a, b in edges_of(capture))
    other = captured(there(capture.rows), capture.config, b"".join([reset, before, *reported[::-1], after]))
    assert check(other, Tolerances.free()).passed and not check(other).passed
