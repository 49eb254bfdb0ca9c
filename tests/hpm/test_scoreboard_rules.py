# SPDX-License-Identifier: Apache-2.0
"""Devices that break one rule each: the clause of that rule catches them, and no clause of anything else."""

from typing import Any

import pytest

from rvtrace.models.hpm.events import QUIET, Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import DONE, SET, Access, Answer
from rvtrace.scoreboards.hpm.check import check
from tests.hpm.broken import Loses, Once, StopsInDebugMode, Unmasked
from tests.hpm.devices import scenario_run

SMALL: dict[str, Any] = {"counters": "3+4+5", "events": 3}
_LOW = (1 << 32) - 1


class High(Hpm):
    """A high half reads 0."""

    def cycle(self, *given: Any) -> Answer | None:
        answer = super().cycle(*given)
        access = given[2] if len(given) > 2 else None
        return (
            answer._replace(rdata=0)
            if answer and access and access.addr >> 7 & 1 and access.addr >> 8 in (0xB, 0xC)
            else answer
        )


class Lost(Hpm):
    """An interrupt is lost on a simultaneous clear."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        before = self.lcofip
        answer = super().cycle(priv, counts, access)
        if access and access.addr == 0x344 and access.op in (1, 3) and answer and answer.outcome == DONE and before:
            self.controls["mip"] = (
                access.wdata & 1 << 13 if access.op == 1 else self.controls["mip"] if not access.wdata >> 13 & 1 else 0
            )
        return answer


class Written(Hpm):
    """OF is set by a write of its counter that looks like a wrap."""

    def _write(self, write: Any) -> None:
        n, old = write.csr.number, self.counters[write.csr.number]
        super()._write(write)
        if write.csr.address >> 8 == 0xB and n > 2 and old >> 63 and not self.counters[n] >> 63:
            self.events[n] |= 1 << 63


class Late(Hpm):
    """mcountinhibit rules one cycle late."""

    _before = 0

    def _selected(self, n: int, priv: int) -> int:
        now, self.controls["mcountinhibit"] = self.controls["mcountinhibit"], self._before
        selector = super()._selected(n, priv)
        self.controls["mcountinhibit"] = now
        return selector

    def cycle(self, *given: Any) -> Answer | None:
        now = self.controls["mcountinhibit"]
        answer = super().cycle(*given)
        self._before, self._counting = now, {}
        return answer


class Half(Hpm):
    """A write of half a counter clears the other half."""

    def _write(self, write: Any) -> None:
        high = write.value >> 32
        part = write.value & _LOW if high == self.counters[write.csr.number] >> 32 else high << 32
        super()._write(write._replace(value=part) if write.csr.address >> 8 == 0xB else write)


class Sets(Hpm):
    """A set writes mcounteren whole."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        answer = super().cycle(priv, counts, access)
        if access and access.addr == 0x306 and access.op == SET and access.wdata and answer and answer.outcome == DONE:
            self.controls["mcounteren"] = access.wdata & self.config.enables
        return answer


RV32 = {**SMALL, "xlen": 32}
CASES = [  # device, scenario, implementation, clauses that fail
    (Loses, "writes_while_counting", SMALL, {"HPM.write.others"}),
    (Once, "several_at_once", SMALL, {"HPM.count.several"}),
    (High, "halves", RV32, {"HPM.half.high"}),
    (Lost, "lcofip_written_at_overflow", SMALL, {"HPM.lcofi.race"}),
    (Written, "writes_that_look_like_wraps", SMALL, {"HPM.of.counter"}),
    (Late, "next_cycle", SMALL, {"HPM.inhibit.next"}),
    (Unmasked, "overflow_again", SMALL, {"HPM.lcofi.masked"}),
    (StopsInDebugMode, "debug_mode", SMALL, {"HPM.debug.counts"}),
    (Half, "halves", RV32, {"HPM.half.write"}),
    (Sets, "values", SMALL, {"HPM.csr.setclear"}),
]


@pytest.mark.parametrize(("device", "scenario", "options", "clauses"), CASES, ids=[case[0].__name__ for case in CASES])
def test_a_broken_rule_has_its_clause(
    device: type[Hpm], scenario: str, options: dict[str, Any], clauses: set[str]
) -> None:
    verdict = check(scenario_run(scenario, options, device))
    assert {clause for clause in verdict.book.failed if "HPM-" not in clause} == clauses, [
        f.text() for f in verdict.failures[:3]
    ]
    assert check(scenario_run(scenario, options)).passed
