# SPDX-License-Identifier: Apache-2.0
"""One deviation of a counter block without the profile is one finding, which names it."""

from typing import Any

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import QUIET, Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import HS, Access, Answer, M
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.hpm.hypotheses import _names
from tests.common.long import only_long
from tests.hpm.broken import Loses, NoFilter, NoInhibiting, Once, Shifted
from tests.hpm.foreign import verdict
from tests.hpm.test_foreign import SMALL


class Narrow(Hpm):
    """The programmable counters have 24 bits, and 48 are claimed."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._limits = [limit if n < 3 else min(limit, 1 << 24) for n, limit in enumerate(self._limits)]

    def _write(self, write: Any) -> None:
        super()._write(write)
        self.counters = [c if n < 3 else c % (1 << 24) for n, c in enumerate(self.counters)]


def causes(found: Verdict) -> list[str]:
    """The failures that do not follow from another one."""
    return [f"{f.clause} {f.headline}" for f in found.failures if not f.cause]


@pytest.mark.parametrize(
    ("device", "source", "clause", "said"),
    [
        (Loses, "writes_while_counting", "HPM.write.others", "in the cycle of a write of another one"),
        (Once, "several_at_once", "HPM.count.several", "counts one where several happen in a cycle"),
        (Shifted, "selectors", "HPM.select.event", "counts event"),
        (NoInhibiting, "inhibits", "HPM.inhibit.stops", "counts while its bit of mcountinhibit is 1"),
        only_long(NoFilter, "filters", "HPM.filter.minh", "MINH inhibits it", why="the search takes half a minute"),
        (Narrow, "wraps", "HPM.wrap.width", "has 24 bits; 48 were claimed"),
    ],
)
def test_a_deviation_is_named(device: type[Hpm], source: str, clause: str, said: str) -> None:
    options = SMALL | ({"widths": "48"} if device is Narrow else {})
    found = verdict(device, source, options)
    assert causes(found)[0].startswith(clause) and said in causes(found)[0], causes(found)[:3]
    assert {line.split()[0] for line in causes(found)} == {clause}, causes(found)
    assert verdict(Hpm, source, options).passed


class Open(Hpm):
    """Registers of M-mode are open to S-mode, also for writes."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        inside = access is not None and access.priv == HS and 0x300 <= access.addr < 0x400
        return super().cycle(priv, counts, access._replace(priv=M) if access is not None and inside else access)


def test_what_was_written_without_permission_is_one_finding() -> None:
    found = verdict(Open, "addresses", SMALL)
    assert {f.clause for f in found.failures if not f.cause} == {"HPM.csr.machine"}, causes(found)


def test_a_finding_names_the_counters_that_the_device_has() -> None:
    assert _names([3, 4, 5, 6]) == "mhpmcounter3 to mhpmcounter6"
    assert _names([3, 5, 9]) == "the 3 programmable counters"
