# SPDX-License-Identifier: Apache-2.0
"""After packets that cannot be read the trace is compared on; of a device under test nothing else lost what they
report.
"""

from dataclasses import dataclass, replace
from functools import cache

import pytest

from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.table import Packet, options_of
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import judged
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.walks import encode, walk

WALKS = (0, 2, 3)  # undamaged they pass, also from files
UNREADABLE = b"\x02" + b"\x5a\xa5" * 15


@dataclass(frozen=True)
class Damaged:
    """A walk one of whose packets cannot be read. at: that packet. after: the synchronization packet after it."""

    capture: EtraceCapture
    packets: tuple[Packet, ...]
    options: tuple[int, ...]
    at: int
    after: int

    def verdict(self, watched: bool = True, wrong: bool = False) -> Verdict:
        """watched: by monitors, else from files. wrong: the cause of a later trap is another one."""
        sent = list(self.capture.packets)
        if wrong:
            at = next(k for k in range(self.after + 1, len(sent)) if self.packets[k].name == "trap")
            values = self.packets[at].values
            other = Packet("trap", {**values, "ecause": values["ecause"] ^ 1})
            sent[at] = pack(other, self.capture.config, options_of(self.options[at]))
        given = self.capture.given
        capture = replace(self.capture, packets=sent, **({"given": None} if watched else {"beats": None}))
        return judged(capture if given is not None else capture, Tolerances.free())


@cache
def damaged(seed: int) -> Damaged:
    """The packet is one with an address in the middle of the trace, between two synchronization packets."""
    what = walk(
        seed,
        3000,
        filter="",
        variant="v2_0",
        inst_sync_mode=1,
        inst_sync_max=1,
        bcount_bits=16,
        implicit_exception=0,
        sijump=0,
    )
    encoded = encode(what.config, what.beats)
    sent = list(encoded.payloads)
    syncs = [k for k, packet in enumerate(encoded.packets) if packet.is_sync]
    at = next(
        k for k in range(len(sent) // 3, len(sent)) if sent[k][0] & 3 == 2 and k - 1 not in syncs and k + 1 not in syncs
    )
    after = next(k for k in syncs if k > at)
    sent[at] = UNREADABLE
    capture = EtraceCapture(what.config, what.program, sent, beats=what.beats, given=what.retired, exact=False)
    return Damaged(capture, tuple(encoded.packets), tuple(encoded.options), at, after)


@pytest.mark.parametrize("seed", WALKS)
def test_what_is_not_reported_follows_from_the_packet_that_cannot_be_read(seed: int) -> None:
    verdict = damaged(seed).verdict()
    causes = {failure.at for failure in verdict.failures if not failure.cause}
    assert causes == {damaged(seed).at}, [(f.clause, f.at, f.cause, f.headline) for f in verdict.failures]
    unreported = [f for f in verdict.failures if f.headline.endswith("are not reported")]
    assert unreported and all(failure.cause for failure in unreported)
    assert verdict.stats["judged"] > 0.8 * verdict.stats["instructions"]


@pytest.mark.parametrize("seed", WALKS)
def test_of_a_file_it_may_have_been_lost_on_its_way(seed: int) -> None:
    verdict = damaged(seed).verdict(watched=False)
    assert not verdict.passed
    assert not [f.headline for f in verdict.failures if f.headline.endswith("are not reported")]
    assert not [clause for clause in verdict.book.failed if clause.startswith("ET.bt.")]


@pytest.mark.parametrize("seed", WALKS)
def test_a_fault_after_it_is_a_finding_of_its_own(seed: int) -> None:
    causes = {f.clause for f in damaged(seed).verdict(wrong=True).failures if not f.cause and f.at != damaged(seed).at}
    assert causes == {"ET.pay.ecause"}
