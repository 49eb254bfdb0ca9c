# SPDX-License-Identifier: Apache-2.0
"""Damage at one place of a file needs no search for another layout; what a device does in all messages does."""

from dataclasses import replace
from random import Random

import pytest

from rvtrace.models.ntrace.codec import pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import judged
from rvtrace.scoreboards.ntrace.hypotheses import Traced
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common.stimulus.stimulus import closed

CONFIG = Config(inst_sync_mode=1, inst_sync_max=2)  # a synchronizing message every 64
TIMED = replace(CONFIG, timestamp=1)


def walk() -> tuple[Program, Retired]:
    """What is traced."""
    rng = Random("local damage")
    program = generate(rng, CONFIG.xlen)
    return program, closed(random_walk(program, rng, 6000), program)


def follows(data: bytes, is_file: bool = True, config: Config = CONFIG) -> tuple[bool, bool]:
    """Whether a trace passes, and whether nothing about it is to be explained."""
    program, retired = walk()
    capture = NtraceCapture(config, program, data or sent(config), given=retired, exact=False)
    verdict = judged(capture, Tolerances.free())
    traced = Traced(capture.data, program, config, is_file=is_file)
    return verdict.passed, traced.follows(verdict.decoded)


def sent(config: Config = CONFIG) -> bytes:
    """The undamaged trace."""
    return Encoder(config).run(to_beats(walk()[1], 1, "block")).data


def with_times_back(times: int) -> bytes:
    """A trace in whose second half some bytes are damaged, and before it some times are later than those after them."""
    data = sent(TIMED)
    messages, _ = unpack(data, TIMED)
    later = [m for m in messages if m.type.has_sync and m.tstamp is not None][2 : 2 + 2 * times : 2]
    moved = (
        Message.of(m.type, {**m.by_key(), "tstamp": (m.tstamp or 0) + (1 << 40)}) if m in later else m for m in messages
    )
    changed = bytearray(b"".join(pack(message, config=TIMED) for message in moved))
    at = len(changed) * 7 // 10
    changed[at : at + 3] = b"\x5c\x02\x77"
    return bytes(changed)


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


def test_one_time_that_goes_back_is_damage_like_any_other_and_many_are_a_habit() -> None:
    assert follows(with_times_back(1), config=TIMED) == (False, True)
    assert follows(with_times_back(6), config=TIMED) == (False, False)
