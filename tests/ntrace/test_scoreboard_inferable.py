# SPDX-License-Identifier: Apache-2.0
"""A direct jump or a linear instruction that a device reports as an indirect jump is the first finding, with its place
(tables 2 and 3: "Only update I-CNT").
"""

from random import Random

import numpy as np
import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import judged
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common.stimulus.stimulus import closed

KINDS = {
    "call": (IType.INFERABLE_CALL,),
    "jump": (IType.INFERABLE_TAIL_CALL, IType.OTHER_INFERABLE_JUMP),
    "linear": (IType.NONE,),
}
SOME = 40  # of as many linear instructions one is reported


@pytest.mark.parametrize("mode", ["htm", "btm"])
@pytest.mark.parametrize("kind", KINDS)
def test_is_named_first(kind: str, mode: str) -> None:
    config, rng = Config(mode=mode), Random("x")
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, 1500), program)
    beats, told = to_beats(retired, 1, "single"), to_beats(retired, 1, "single")
    rows = np.flatnonzero(np.isin(told.itype, [int(one) for one in KINDS[kind]]) & told.valid())
    rows = rows[:: SOME if kind == "linear" else 1]
    assert len(rows)
    told.itype.reshape(-1)[rows] = IType.OTHER_UNINFERABLE_JUMP
    data = Encoder(config).run(told).data
    verdict = judged(NtraceCapture(config, program, data, beats, exact=False), Tolerances.free())
    first = verdict.failures[0]
    assert first.clause == "NT.10.inferable" and not first.cause
    assert "as an indirect jump" in first.headline and first.at is not None
    assert not set(verdict.book.causes) & {"NT.10.traps", "NT.6.2.btype"}
