# SPDX-License-Identifier: Apache-2.0
"""One bug of a counter block is one finding: what fails because of it is named as its consequence."""

from typing import Any

import pytest

from rvtrace.models.hpm.model import Hpm
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.hpm.causes import Causes
from tests.common.long import only_long
from tests.hpm.broken import Loses, NoCarry, NoInhibiting, NoOf, NoRequest, Once, Wide
from tests.hpm.foreign import verdict
from tests.hpm.test_foreign import RV32, SMALL

ONE = [  # device, source, options, the one finding
    (Wide, "random:8", SMALL, "HPM.width.mask"),
    (NoCarry, "random:7", RV32, "HPM.half.carry"),
    (Loses, "writes_while_counting", SMALL, "HPM.write.others"),
    (NoOf, "overflow_again", SMALL, "HPM.of.set"),
    (NoRequest, "random:7", SMALL, "HPM.lcofi.request"),
]
LONGER = [
    (Once, "random:7", SMALL, "HPM.count.several"),
    (NoInhibiting, "random:7", SMALL, "HPM.inhibit.stops"),
    (Loses, "random:8", SMALL, "HPM.write.others"),
]


@pytest.mark.parametrize(
    ("device", "source", "options", "clause"),
    [*ONE, *(only_long(*one, why="the search takes half a minute") for one in LONGER)],
    ids=[f"{one[0].__name__}-{one[1]}" for one in [*ONE, *LONGER]],
)
def test_one_bug_is_one_finding(device: type[Hpm], source: str, options: dict[str, Any], clause: str) -> None:
    """Also if several counters show it hundreds of times, and OF and LCOFIP are wrong after it."""
    found = verdict(device, source, options, shown=True)
    assert {failure.clause for failure in found.failures if not failure.cause} == {clause}
    assert {failure.cause for failure in found.failures} <= {"", clause}


def test_the_order_is_that_of_time() -> None:
    cycles = [failure.cycle or 0 for failure in verdict(Wide, "random:8", SMALL).failures]
    assert len(cycles) > 2 and cycles == sorted(cycles)


def test_what_is_seen_before_its_cause() -> None:
    """scountovf is read before the counter: OF and LCOFIP follow from the look that fails afterwards."""
    causes = Causes()
    request, flag, counter = Failure("HPM.lcofi.only", ""), Failure("HPM.of.only", ""), Failure("HPM.count.event", "")
    causes.request(request)
    causes.flag(4, flag)
    causes.counter(4, counter, ("mhpmevent4",))
    causes.settle()
    assert (request.cause, flag.cause, counter.cause) == ("HPM.count.event", "HPM.count.event", "")


def test_what_does_not_follow() -> None:
    """OF of another counter; OF after a look that was right; LCOFIP after it was right."""
    causes = Causes()
    counter, other, later = Failure("HPM.count.event", ""), Failure("HPM.of.only", ""), Failure("HPM.of.set", "")
    request = Failure("HPM.lcofi.request", "")
    causes.counter(4, counter, ())
    causes.flag(5, other)
    causes.right(4)
    causes.flag(4, later)
    causes.requested()
    causes.request(request)
    causes.settle()
    assert [one.cause for one in (counter, other, later, request)] == ["", "", "", ""]


def test_a_setting_that_reads_wrong() -> None:
    """The counts since it was written follow from it, those before do not."""
    causes = Causes()
    before, since, setting = (
        Failure(clause, "") for clause in ("HPM.count.idle", "HPM.filter.sinh", "HPM.event.filters")
    )
    causes.counter(4, before, ("mhpmevent4",))
    causes.written("mhpmevent4")
    causes.counter(4, since, ("mhpmevent4",))
    causes.setting("mhpmevent4", setting)
    causes.settle()
    assert (before.cause, since.cause, setting.cause) == ("", "HPM.event.filters", "")
