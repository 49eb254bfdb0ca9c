# SPDX-License-Identifier: Apache-2.0
"""Damage at one place of a file needs no search for another layout; what a device does in all messages does."""

from random import Random

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import judged
from rvtrace.scoreboards.ntrace.hypotheses import Traced
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common.stimulus.stimulus import closed

CONFIG = Config(inst_sync_mode=1, inst_sync_max=2)  # a synchronizing message every 64


def follows(data: bytes, is_file: bool = True) -> tuple[bool, bool]:
    """Whether a trace passes, and whether nothing about it is to be explained."""
    rng = Random("local damage")
    program = generate(rng, CONFIG.xlen)
    retired = closed(random_walk(program, rng, 6000), program)
    whole = Encoder(CONFIG).run(to_beats(retired, 1, "block")).data
    capture = NtraceCapture(CONFIG, program, data or whole, given=retired, exact=False)
    verdict = judged(capture, Tolerances.free())
    traced = Traced(capture.data, program, CONFIG, is_file=is_file)
    return verdict.passed, traced.follows(verdict.decoded)


def sent() -> bytes:
    """The undamaged trace."""
    rng = Random("local damage")
    program = generate(rng, CONFIG.xlen)
    retired = closed(random_walk(program, rng, 6000), program)
    return Encoder(CONFIG).run(to_beats(retired, 1, "block")).data


def test_undamaged() -> None:
    assert follows(b"") == (True, True)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
def test_damage_is_found_and_not_searched_for(share: float) -> None:
    data = bytearray(sent())
    at = int(len(data) * share)
    data[at : at + 3] = b"\x5c\x02\x77"
    assert follows(bytes(data)) == (False, True)
    assert follows(bytes(data), is_file=False) == (False, False), "of a device under test the cause is looked for"


def test_what_is_wrong_everywhere_is_searched_for() -> None:
    data = sent()
    swapped = bytes((byte >> 2 | byte << 6) & 0xFF for byte in data)  # MSEO in bits 7:6
    assert follows(swapped) == (False, False)
