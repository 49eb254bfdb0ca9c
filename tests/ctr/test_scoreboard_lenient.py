# SPDX-License-Identifier: Apache-2.0
"""Devices that read an open sentence of the texts the other way: checked against the reference profile they fail, left
free they pass.

Beside each appears one that no reading allows: it fails freely, too.
"""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Transfer
from rvtrace.models.riscv.csr import VS, U
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.ctr.stimulus import random_jobs
from rvtrace.tb.ctr.stimulus.stimulus import stimulus
from tests.ctr import readings as device
from tests.ctr.devices import DRAFT, SMALL, failed, play
from tests.ctr.scripts import CTL, CTR, IND, SELECT, SOURCE, TARGET, Row, r, rows_of, w

FREE = Tolerances.free()
ON = 7  # recording in M, S and U, in both variants


def calls(n: int, source: int = 0x1000, target: int = 0x8000) -> list[Row]:
    return [(U, [Transfer(9, source + 16 * k, target + 16 * k, 0, U, U)], None) for k in range(n)]


def clr(before: int, after: int) -> list[Row]:
    """40 records in 32 entries, then the depth `before`, CLR with the depth `after`, and what depth 32 then shows (1 is
    the code of 32).
    """
    depths = [w(0x381, ON | before << 16), w(0x381, ON | 1 << 7 | after << 16), w(0x381, ON | 1 << 16)]
    return [w(0x381, ON | 1 << 16), *calls(40), *depths, w(0x350, 0x200), r(0x351), r(0x352)]


CLOSED = [w(0x30C, CTR | IND), w(0x60C, CTR | IND), w(0x30C, IND), w(0x60C, IND), w(0x30C, CTR | IND)]
HIGH = [w(CTL, ON), *calls(1, 0x1234_5678_0000_1000), *calls(1, 0xFFFF_FFC0_0000_1000), w(SELECT, 0x200)]
HIGH += [r(SOURCE), r(SOURCE), w(SELECT, 0x201), r(SOURCE), r(TARGET)]
WRITTEN = [w(0x381, ON), w(0x350, 0x200), w(0x351, 0x12_0000_1001), w(0x351, 0x2001, narrow=1)]
WRITTEN += [r(0x351, narrow=1), r(0x351), r(0x351)]
ASIDE = [w(0x381, ON), *calls(3), w(0x281, 6), *calls(5), w(0x350, 0x204), r(0x353)]
MIND = [w(0x381, ON), *calls(3), w(0x381, ON), *calls(5), w(0x350, 0x204), r(0x353)]
SELECTED, OPENED = [w(0x350, 0x200), r(0x350)], [*CLOSED, r(0x14E, VS), r(0x60C)]
# title: variant, script, legal device, its clause in the reference profile;
#        script, device that is wrong, its clause left free
CASES = {
    "CLR with less": (DRAFT, clr(1, 0), device.clears(max), "",
                      clr(1, 0), device.clears(min), "CTR.clear.depths"),
    "CLR with more": (DRAFT, clr(0, 1), device.clears(min), "CTR.clear.entries",
                      clr(1, 1), device.clears(lambda before, after: before // 2), "CTR.clear.entries"),
    "addresses": (SMALL, HIGH, device.holds(39), "CTR.source.pc",
                  HIGH, device.holds(38), "CTR.source.pc"),
    "miselect zero": (SMALL, SELECTED, device.Select, "CTR.entry.select",
                      SELECTED, device.Select201, "CTR.entry.select"),
    "no miselect": (SMALL, SELECTED, device.NoSelect, "CTR.csr.address",
                    SELECTED, device.HalfSelect, "CTR.csr.address"),
    "outside": (SMALL, [w(0x150, 0x300), r(0x151)], device.outside(0x300), "CTR.entry.outside",
                [w(0x150, 0x300), r(0x151, U)], device.outside(0x300), "CTR.csr.privilege"),
    "hstateen0": (SMALL, OPENED, device.Keeps, "CTR.stateen.hclosed",
                  OPENED, device.Fickle, "CTR.stateen.bit"),
    "XLEN 32": (DRAFT, WRITTEN, device.upper(0), "CTR.entry.xlen",
                WRITTEN, device.upper(1), "CTR.entry.xlen"),
    "inactive": (DRAFT, ASIDE, device.unmoved("vsctrcontrol"), "CTR.cycle.ccv_write",
                 MIND, device.unmoved("mctrcontrol"), "CTR.cycle.ccv_write"),
}  # fmt: skip


@pytest.mark.parametrize("title", CASES)
def test_other_readings(title: str) -> None:
    options, script, legal, clause, ill, wrong, free_clause = CASES[title]
    config = Config(**options, has_stateen=int(title == "hstateen0"))

    def reported(rows: list[Row], made_by: type[Ctr], tolerances: Tolerances) -> set[str]:
        return set(failed(play(config, rows_of(rows, config), made_by(config)), tolerances))

    assert clause in reported(script, legal, Tolerances()) or not clause
    assert reported(script, Ctr, FREE) == reported(script, Ctr, Tolerances()) == reported(script, legal, FREE) == set()
    assert free_clause in reported(ill, wrong, FREE)


class AllRatified(device.holds(39), device.Keeps, device.Select):  # type: ignore[misc]
    """Every other reading of v1_0 at once."""


class AllDraft(device.holds(39), device.Keeps, device.upper(0), device.unmoved("vsctrcontrol")):  # type: ignore[misc]
    """Every other reading of the draft at once; where CLR comes with a smaller DEPTH there is one reading."""

    def _clear_draft(self, before: int) -> None:
        self.recorder.clear(before)


# the last: status writes and pops while DEPTH is not known
@pytest.mark.parametrize("seed", [*range(1, 13), 56, 93, 112])
def test_they_are_followed_through_random_runs(seed: int) -> None:
    """What is taken over is compared from there on, whatever else happens."""
    what = stimulus(random_jobs.random_job(seed, size=2500))
    capture = play(what.config, what.rows, (AllDraft if what.config.draft else AllRatified)(what.config))
    verdict = check(capture, FREE)
    assert verdict.passed, verdict.failures[0].text()
    assert failed(capture) or what.config.xlen == 32  # there every address is valid
