# SPDX-License-Identifier: Apache-2.0
"""ET-13 at returns: table 4 of 2.0 has sijump "ignored for itype codes other than 6, 8, 10, 12 or 14"; configuration
says whether a device does.
"""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import Verdict, check
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import scenario_run

SCENARIOS = ("sequential_jumps", "sequential_jumps_alone", "sequential_jump_broken", "sequential_jump_then_event")


def judged(name: str, implicit_return: int, ignored: bool, sijump_returns: int, exact: bool = False) -> Verdict:
    """A device that ignores sijump of returns, or does not, described with that sijump_returns."""
    config, program, beats, _ = scenario_run(name, (("implicit_return", implicit_return), ("sijump", 1)))
    port = deepcopy(beats)
    returns = (beats.itype == IType.RETURN) & (beats.sijump != 0)
    assert returns.any()
    if ignored:
        port.sijump = np.where(returns, np.uint8(0), beats.sijump)
    packets = Encoder(config).run(port).payloads
    said = replace(config, sijump_returns=sijump_returns)
    return check(EtraceCapture(said, program, packets, beats=beats, exact=exact), Tolerances())


@pytest.mark.parametrize("implicit_return", [0, 1])
@pytest.mark.parametrize("name", SCENARIOS)
def test_either_reading_is_accepted_as_declared(name: str, implicit_return: int) -> None:
    for ignored in (False, True):
        verdict = judged(name, implicit_return, ignored, int(not ignored), exact=True)
        assert verdict.passed, verdict.failures[0].text()


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_other_reading_is_refused(name: str, ignored: bool) -> None:
    assert not judged(name, 0, ignored, int(ignored)).passed
