# SPDX-License-Identifier: Apache-2.0
"""Random walks pass; random damage to their packets is caught, or changes nothing that a decoder could see.

A change that passes is harmless: the decoder still reports all instructions, branches, traps, states and ends of the
run, from packets that are all legal.
"""

from random import Random

import numpy as np
import pytest

from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check, judged
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.etrace.stimulus.random_jobs import random_job
from rvtrace.tb.etrace.stimulus.stimulus import stimulus

SEEDS = range(1, 31)
CHANGES = 12  # a seed
HARMLESS = 0.03  # of the changes, at the most


def walk(seed: int, size: int, losses: bool = False) -> EtraceCapture:
    """What the model makes of a random walk in a random configuration; losses: some beats are taken without room."""
    what = stimulus(random_job(seed, size=size))
    rng, beats = Random(f"{seed}:drop"), what.beats
    if losses and not what.config.inst_stall_ena:
        for _ in range(rng.randrange(4)):
            row = rng.randrange(len(beats))
            beats.drop[row : row + rng.choice((1, 2, 5, 30))] = 1
    encoded = Encoder(what.config).run(beats)
    return EtraceCapture(
        what.config, what.program, encoded.payloads, data=encoded.data, beats=beats, time16=np.array(encoded.time16)
    )


def damaged(packets: list[bytes], rng: Random) -> list[bytes]:
    """A bit or byte of a packet changed, a packet cut, lost, sent twice or too early."""
    made, at, how = (
        list(packets),
        rng.randrange(len(packets)),
        rng.choice(("bit", "bit", "bit", "byte", "cut", "lost", "twice", "early")),
    )
    body = bytearray(made[at])
    if how == "bit":
        body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
    elif how == "byte":
        body[rng.randrange(len(body))] = rng.randrange(256)
    elif how == "cut" and len(body) > 1:
        body.pop()
    made[at : at + 1] = {"lost": [], "twice": [bytes(body)] * 2}.get(how, [bytes(body)])
    if how == "early" and at:
        made[at - 1 : at + 1] = made[at], made[at - 1]
    return made


@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_walks_pass(seed: int, losses: bool) -> None:
    verdict = check(walk(seed, 1500, losses))
    assert verdict.passed, verdict.failures[0].text()
    assert losses or verdict.stats["reported"] + 40 > verdict.stats["instructions"]


def test_damage_is_caught_or_harmless() -> None:
    tried = passed = 0
    for seed in SEEDS:
        capture = walk(seed, 400)
        if len(capture.packets) < 3:
            continue
        rng = Random(f"{seed}:damage")
        for _ in range(CHANGES):
            packets = damaged(capture.packets, rng)
            if packets == capture.packets:
                continue
            tried += 1
            hurt = EtraceCapture(capture.config, capture.program, packets, beats=capture.beats, exact=False)
            if not judged(hurt, Tolerances()).passed:
                continue
            passed += 1
            before, after = (decode(p, capture.program, capture.config) for p in (capture.packets, packets))
            assert not after.diagnostics
            if capture.config.variant == "v2_0":  # the draft cannot report how often some loops went round
                assert np.array_equal(before.pcs, after.pcs) and np.array_equal(before.taken, after.taken)
            # exact reports it all the same
            assert not check(
                EtraceCapture(capture.config, capture.program, packets, beats=capture.beats), Tolerances()
            ).passed
    assert tried > 200 and passed <= HARMLESS * tried
