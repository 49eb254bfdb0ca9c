# SPDX-License-Identifier: Apache-2.0
"""A few damaged bytes of a file are no other layout: nothing is searched where the trace decodes again after them."""

import random

import pytest

from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.scoreboards.diagnosis import budget
from rvtrace.scoreboards.diagnosis.local import MOST_BROKEN
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.hypotheses import Packets
from rvtrace.scoreboards.etrace.local import is_local
from tests.etrace.deviant_runs import deviant_run
from tests.etrace.walks import encode, walk

SEARCHED = ("bits_reversed", "map_inverted", "flags_before_address", "branches_one_more", "context_last")


def local(capture: EtraceCapture) -> bool:
    decoded = decode(capture.packets, capture.program, capture.config)
    return is_local(capture, decoded, None)


@pytest.mark.parametrize("seed", range(4))
def test_one_damaged_packet(seed: int) -> None:
    """A packet between two synchronization packets that cannot be read."""
    what = walk(seed, 1500, filter="", variant="v2_0", inst_sync_mode=1, inst_sync_max=0, bcount_bits=16)
    packets = list(encode(what.config, what.beats).payloads)
    at = random.Random(seed).choice([k for k, p in enumerate(packets) if p[0] & 3 == 2 and k > len(packets) // 3])
    packets[at] = bytes([packets[at][0]]) + b"\x5a\xa5" * 15
    capture = EtraceCapture(what.config, what.program, packets, given=what.retired, exact=False)
    decoded = decode(packets, what.program, what.config)
    assert decoded.diagnostics and is_local(capture, decoded, None)
    assert Packets(capture).follows(decoded)


def test_several_damaged_packets_between_two_synchronization_packets() -> None:
    """They are one damage, however many do not decode."""
    what = walk(1, 3000, filter="", variant="v2_0", inst_sync_mode=1, inst_sync_max=2, bcount_bits=16)
    packets = list(encode(what.config, what.beats).payloads)
    syncs = [k for k, p in enumerate(packets) if p[0] & 0xB == 3 and k > len(packets) // 3]
    begin = next(a + 1 for a, b in zip(syncs, syncs[1:]) if b - a > 2 * MOST_BROKEN)
    for at in range(begin, begin + MOST_BROKEN + 2):
        packets[at] = b"\x02" + b"\x5a\xa5" * 15
    capture = EtraceCapture(what.config, what.program, packets, given=what.retired, exact=False)
    decoded = decode(packets, what.program, what.config)
    assert len(decoded.diagnostics) and is_local(capture, decoded, begin + MOST_BROKEN)


@pytest.mark.parametrize("name", SEARCHED)
def test_a_deviation_of_all_packets_is_searched(name: str) -> None:
    run = deviant_run(7, [name])
    assert not local(EtraceCapture(run.what.config, run.what.program, run.sent, given=run.what.retired, exact=False))


def test_what_monitors_saw_is_no_damage() -> None:
    capture = deviant_run(7, ["tval_for_interrupts"]).capture
    assert not local(capture)


def test_byte_addresses_are_named_before_anything_is_searched() -> None:
    """The addresses of packets 3.0 show them: a file needs no more than the one reading."""
    run = deviant_run(9, ["address_unshifted"])
    capture = EtraceCapture(run.what.config, run.what.program, run.sent, given=run.what.retired, exact=False)
    (likely,) = Packets(capture).likely(capture.config)
    assert [dialect.name for dialect in likely.dialects] == ["address_bytes"]
    with budget.limited(1):
        first = check(capture).failures[0]
    assert first.clause == "ET.pay.differential" and "byte addresses, not shifted" in first.headline
    assert not Packets(deviant_run(9, []).capture).likely(capture.config)
