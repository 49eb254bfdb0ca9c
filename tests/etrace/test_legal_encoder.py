# SPDX-License-Identifier: Apache-2.0
"""Other legal encoders: whatever choices they make, lossless and legal hold; exact is not asked."""

import random

import pytest

from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from tests.common.long import some
from tests.etrace.legal_encoder import LegalEncoder
from tests.etrace.walks import regrouped, walk


@pytest.mark.parametrize("seed", some(range(100), 25))
def test_any_legal_encoding_is_understood(seed: int) -> None:
    """One walk, reported by one random encoder; what crossed the port is not at hand."""
    what = walk(seed, filter="", bcount_bits=16, ctype="mixed")
    payloads = LegalEncoder(what.config, random.Random(f"{seed}:legal")).encode(what.retired)
    verdict = check(EtraceCapture(what.config, what.program, payloads, given=what.retired, exact=False))
    assert verdict.passed, "\n".join([str(what.config), *(f.text() for f in verdict.failures[:2])])
    assert verdict.stats["instructions"] > 500


@pytest.mark.parametrize("seed", some(range(60), 15))
def test_what_the_port_asked_for_is_reported(seed: int) -> None:
    """With the beats at hand: contexts as ctype wants them, triggers, privileges, and traps where they happened."""
    what = walk(seed, filter="", bcount_bits=16, ctype=str(seed % 4))
    payloads = LegalEncoder(what.config, random.Random(f"{seed}:hooked"), hooked=True).encode(what.retired)
    _, beats = regrouped(what, what.config.blocks_p, "block", True)  # enabled all the time
    verdict = check(EtraceCapture(what.config, what.program, payloads, beats=beats, given=what.retired, exact=False))
    assert verdict.passed, "\n".join([str(what.config), *(f.text() for f in verdict.failures[:2])])
