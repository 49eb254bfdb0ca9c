# SPDX-License-Identifier: Apache-2.0
"""Bugs that once gave no finding, or findings about something else: late counts, lost writes, views, silent wraps."""

from typing import Any

import pytest

from rvtrace.models.hpm.events import QUIET, Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import DONE, Access, Answer
from rvtrace.scoreboards.common.verdict import Verdict
from tests.common.long import only_long
from tests.hpm.broken import NoFilter, NoOf, OneBit
from tests.hpm.foreign import Late, verdict
from tests.hpm.test_foreign import SMALL


class LateNoFilter(Late, NoFilter):
    """Events are counted late, and MINH does nothing: in modes of a few cycles the one hides the other."""

    delay = 3


class LostMip(Hpm):
    """A write of mip changes nothing."""

    def _write(self, write: Any) -> None:
        if write.csr.name != "mip":
            super()._write(write)


class LostOf(Hpm):
    """A write of mhpmevent does not change OF."""

    def _write(self, write: Any) -> None:
        n = write.csr.number
        before = self.events[n] if write.csr.state.startswith("mhpmevent") else 0
        super()._write(write)
        if write.csr.state.startswith("mhpmevent"):
            self.events[n] = self.events[n] & ~(1 << 63) | before & 1 << 63


class NextView(Hpm):
    """hpmcounter n shows the counter after it; what opens it is right."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        before = list(self.counters)
        answer = super().cycle(priv, counts, access)
        if access is None or answer is None or answer.outcome != DONE or access.addr >> 8 != 0xC:
            return answer
        there = [n for n in range(3, 32) if self.config.has(n)]
        if (n := access.addr & 31) not in there:
            return answer
        other = before[there[(there.index(n) + 1) % len(there)]]
        return answer._replace(rdata=other >> 32 if access.addr & 0x80 else other & self._ones(access))

    def _ones(self, access: Access) -> int:
        return (1 << (32 if access.xlen32 or self.config.xlen == 32 else 64)) - 1


def own(found: Verdict) -> list[str]:
    """The clauses of the failures that follow from no other one, in their order."""
    return list(dict.fromkeys(failure.clause for failure in found.failures if not failure.cause))


@pytest.mark.parametrize(
    ("device", "source", "clause"),
    [
        only_long(
            LateNoFilter, "filters", "HPM.filter.minh", why="the search with latency and filters takes half a minute"
        ),
        (LostMip, "software_sets_and_clears", "HPM.lcofi.written"),
        (LostMip, "lcofip_written_at_overflow", "HPM.lcofi.written"),
        (LostOf, "software_sets_and_clears", "HPM.of.written"),
        (NextView, "reads_while_counting", "HPM.view.shadow"),
        (NoOf, "wraps", "HPM.of.set"),  # what only OF shows is not explained by other counts
        (OneBit, "several_at_once", "HPM.count.several"),
    ],
)
def test_it_is_the_only_finding(device: type[Hpm], source: str, clause: str) -> None:
    found = verdict(device, source, SMALL)
    assert own(found)[0] == clause and set(own(found)) <= {clause, "HPM.cfg.minh"}, own(found)


def test_a_write_that_is_kept_is_seen() -> None:
    checked = verdict(Hpm, "software_sets_and_clears", SMALL).book.results()
    assert checked["HPM.lcofi.written"][0] > 0 and checked["HPM.of.written"][0] > 0


class Unread(Hpm):
    """SELECT reads 0 whatever it holds, so that nobody knows what is counted."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        answer = super().cycle(priv, counts, access)
        if access is not None and answer is not None and 0x323 <= access.addr < 0x340 and self.config.xlen == 64:
            return answer._replace(rdata=answer.rdata & ~((1 << 56) - 1) | 0x77)
        return answer


def test_the_share_that_is_judged() -> None:
    """Cycles in which nobody knows what a counter has to count are not judged; with the profile all are."""
    known, unread = verdict(Hpm, "selectors", SMALL).stats, verdict(Unread, "selectors", SMALL).stats
    assert known["judged"] == known["instructions"] == known["cycles"] > 0
    assert 0 < unread["judged"] < unread["instructions"] / 2
