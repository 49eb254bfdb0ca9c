# SPDX-License-Identifier: Apache-2.0
"""Other legal encoders: whatever choices they make, lossless and legal hold; exact is not asked (NT-3)."""

import random
from dataclasses import replace
from typing import Any, cast

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common.stimulus.stimulus import closed
from tests.common.long import some
from tests.ntrace.legal_encoder import LegalEncoder

# They synchronize early and stamp when they like, and report traps without Ownership; they leave out nothing that is
# optional and have no codes of a vendor.
CLOSED = Tolerances(
    sync_late=16,
    sync_early=1 << 40,
    tstamp_on_all=False,
    event_time=False,
    ownership_at_traps=False,
    marker_late=1 << 20,
)
OPTIONS = (
    "timestamp", "ownership", "hcontext", "extend_addr_msb", "repeated_history", "repeat_branch", "sequential_jump",
)  # fmt: skip


def configuration(rng: random.Random) -> Config:
    """Any combination of options; the counter mode of implicit return needs well-behaved programs and is left out."""
    src_bits = rng.choice((0, 0, 3, 12))
    return Config(
        mode=rng.choice(("htm", "btm")), variant=rng.choice(("v1_0", "rc7")), xlen=rng.choice((32, 64)),
        b_type=rng.choice(("2_3", "1")), inst_sync_mode=rng.randrange(2), src_bits=src_bits,
        src_id=rng.getrandbits(src_bits) if src_bits else 0, implicit_return=rng.choice((0, 3)),
        **cast(Any, {name: rng.randrange(2) for name in OPTIONS}),
    )  # fmt: skip


@pytest.mark.parametrize("seed", some(range(60), 15))
def test_any_legal_encoding_is_understood(seed: int) -> None:
    """One walk, reported by one random encoder: no check fails with the tolerances of any foreign device, nor with
    those closed that this encoder does not use.
    """
    rng = random.Random(f"{seed}:legal")
    config = configuration(rng)
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, 1500, variant=config.variant), program)
    data = LegalEncoder(config, rng).encode(retired)
    for tolerances in (None, CLOSED):
        verdict = check(NtraceCapture(config, program, data, given=retired, exact=False), tolerances)
        assert verdict.passed, "\n".join([str(config), *(f.text() for f in verdict.failures[:2])])
        assert verdict.stats["reported"] == verdict.stats["instructions"] > 500


@pytest.mark.parametrize("seed", some(range(8), 2))
def test_two_ownership_messages_at_every_change(seed: int) -> None:
    """The other reading of 7.1 in v1_0: where hcontext exists, hcontext and then scontext are reported together,
    whatever changed.
    """
    rng = random.Random(f"{seed}:pairs")
    config = replace(configuration(rng), ownership=1, hcontext=1)
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, 1500, variant=config.variant), program)
    encoder = LegalEncoder(config, rng)
    encoder.habits.pairs = True
    verdict = check(NtraceCapture(config, program, encoder.encode(retired), given=retired, exact=False), CLOSED)
    assert verdict.passed, "\n".join([str(config), *(f.text() for f in verdict.failures[:2])])
    forms = [m.body[0] & 3 for m in encoder.messages if m.name == "Ownership"]
    assert len(forms) > 10 and set(zip(forms[::2], forms[1::2])) == {(3, 2)}
