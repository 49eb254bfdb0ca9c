# SPDX-License-Identifier: Apache-2.0
"""A change of context in the draft, judged by the lossless check: each context_type as the ingress port of 2019 has it,
and none taken for another.
"""

from copy import deepcopy

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.riscv.beats import Beats
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.expected import NOTIFICATION, expected
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import scenario_run

DISCONTINUITY, PRECISE, IMPRECISE = range(3)  # then NOTIFICATION of the draft, 3


def failed(code: int, device: Beats | None = None) -> list[str]:
    """The clauses that fail for a device that codes as the reference, but reads the beats `device`."""
    config, program, beats, _ = draft(code)
    packets = Encoder(config).run(beats if device is None else device).payloads
    return check(EtraceCapture(config, program, packets, beats=beats, exact=False), Tolerances()).book.failed


def draft(code: int):
    """The contexts scenario, with one code at each change."""
    return scenario_run("contexts", (("ctype", str(code)), ("variant", "draft_0_026")))


def reading(code: int, as_: int) -> Beats:
    """The beats as a device reads them that takes each `code` for another one."""
    beats = deepcopy(draft(code)[2])
    beats.ctype = np.where(beats.ctype == code, np.uint8(as_), beats.ctype)
    return beats


@pytest.mark.parametrize("code", range(4))
def test_the_reference_passes(code: int) -> None:
    assert failed(code) == []


@pytest.mark.parametrize("code, as_, clause", [
    (PRECISE, IMPRECISE, "ET.ing.ctype"), (DISCONTINUITY, 3, "ET.ing.ctype"), (IMPRECISE, PRECISE, "ET.alg.resync"),
    (IMPRECISE, 3, "ET.alg.context"),
])  # fmt: skip
def test_codes_of_2_0_are_refused(code: int, as_: int, clause: str) -> None:
    """3 minus the code is what 2.0 has for the same report: a device that reads the draft's port so reports other
    things.
    """
    assert clause in failed(code, reading(code, as_))


def test_a_notification_is_to_be_reported() -> None:
    """By the address of the first instruction; a device that takes every notification for nothing to do is refused."""
    beats = deepcopy(draft(3)[2])
    beats.context = np.zeros_like(beats.context)  # it sees no change
    assert "ET.ing.ctype" in failed(3, beats)


def test_only_changes_are_reported() -> None:
    """The port of the draft has some context_type in every cycle: one that acts on each is refused, and nothing is
    expected of one that does not.
    """
    config, program, beats, _ = draft(PRECISE)
    want = expected(EtraceCapture(config, program, beats=beats))
    reported = np.flatnonzero(want.ctype)
    assert (
        len(reported)
        and (np.diff(want.context.astype(np.int64), prepend=0)[reported] != 0).all()
        and not (want.ctype == NOTIFICATION).any()
    )
    assert (beats.ctype[beats.valid()[:, 0]] == IMPRECISE).any()
    always = deepcopy(beats)
    # as if each cycle had its own
    always.context = always.context ^ (np.arange(len(beats)) % 2 << 7)[:, None].astype(always.context.dtype)
    assert "ET.alg.resync" in failed(PRECISE, always)
