# SPDX-License-Identifier: Apache-2.0
"""The encoder model on random walks in random configurations, with losses: its packets are those of its payloads, and
keep the rules of order.
"""

from copy import deepcopy
from random import Random

import numpy as np
import pytest

from rvtrace.models.etrace.codec import is_shortest, unpack
from rvtrace.models.etrace.encoder.encode import CLAUSES, EncodedTrace, Encoder
from rvtrace.models.etrace.table import options_of
from rvtrace.models.riscv.beats import Beats
from tests.common.long import some
from tests.etrace.walks import walk


def without_room(beats: Beats, rng: Random) -> Beats:
    """The beats with stretches of up to 12 rows that find no room."""
    lossy, row = deepcopy(beats), 0
    while row < len(beats):
        row += rng.randint(1, 120)
        length = rng.randint(1, 12)
        lossy.drop[row : row + length] = 1
        row += length
    return lossy


def check_order(trace: EncodedTrace, beats: Beats) -> None:
    """Rows rise; a sync comes first wherever trace began, ended or lost something; what ended had begun."""
    assert trace.beat == sorted(trace.beat) and set(trace.reasons) <= set(CLAUSES)
    assert not beats.drop[trace.beat].any()
    # it has no packet for a trap whose handler did not retire, and that may be all of a trace
    drafted = trace.config.variant == "draft_0_026"
    following = False
    for packet in trace.packets:
        if packet.name == "support":
            assert following or drafted or packet.get("qual_status") not in (1, 3)
            following = False
        elif packet.is_sync:
            following = True
        else:
            assert following


@pytest.mark.parametrize("seed", some(range(24), 6))
def test_random(seed: int) -> None:
    rng = Random(f"{seed}:encoder_random")
    what = walk(seed, 600)
    beats = without_room(what.beats, rng) if seed % 3 == 0 else what.beats
    trace = Encoder(what.config).run(beats)
    assert (
        len(
            {
                len(column)
                for column in (trace.packets, trace.payloads, trace.reasons, trace.beat, trace.time16, trace.options)
            }
        )
        == 1
    )
    for packet, payload, ioptions in zip(trace.packets, trace.payloads, trace.options):
        assert is_shortest(payload)
        read = unpack(payload, what.config, options_of(ioptions))
        assert (read.name, read.values) == (packet.name, packet.values)
    check_order(trace, beats)
    lost = [packet.get("qual_status") == 2 for packet in trace.packets if packet.name == "support"]
    assert any(lost) <= bool(beats.drop.any())


def test_each_run_starts_from_reset() -> None:
    """An encoder may be used again, and its result does not depend on what it encoded before."""
    one, other = walk(1, 300), walk(2, 300)
    encoder = Encoder(one.config)
    first = encoder.run(one.beats).payloads
    if other.config == one.config:
        encoder.run(other.beats)
    encoder.run(one.beats.select(np.arange(len(one.beats) // 2)))
    assert encoder.run(one.beats).payloads == first
