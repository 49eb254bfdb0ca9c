# SPDX-License-Identifier: Apache-2.0
"""All 21 faults in one trace of a real program with more than 200,000 instructions: 21 reports, each at its fault, and
the time it takes.
"""

import random

import pytest

from rvtrace.flow.faults.traces import FAULTS, mutant, places
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.simulator.interface import reference
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Verdict
from rvtrace.models.tandem.verifier.verify import Verifier
from tests.tandem.runs import config_of, sections_of

RUNS = [(64, {"implied_end": 1}), (32, {"incremental": 2})]
APART = 400  # sections between two faults: each is to be explained by itself


@pytest.mark.parametrize("xlen,options", RUNS, ids=["rv64", "rv32"])
def test_each_is_reported_once(xlen: int, options: dict) -> None:
    config = config_of(xlen, **options)
    sections, rng = list(sections_of("life", config)), random.Random(f"1:life{xlen}")
    inserted: dict[int, str] = {}
    for fault in FAULTS.values():
        order = places(sections, fault, config, rng, 500, len(sections) - 500)
        k = next(k for k in order if all(abs(k - other) > APART for other in inserted))
        mutant(sections, k, fault, config, rng)
        inserted[k] = fault.name
    data = b"".join(sections)
    edges = [0]
    for section in sections:
        edges.append(edges[-1] + len(section))
    decoded = decode(data, config)
    assert decoded.instruction_count > 200_000
    report = Verifier(reference(xlen), Profile.of(config, virt(xlen))).run(decoded, data)
    assert len(report.findings) == len(FAULTS), str(report)
    for (k, fault), found in zip(sorted(inserted.items()), report.findings):
        assert edges[k] - 1 <= found.offset <= edges[k + 3], (
            f"{fault} was inserted at {edges[k]:#x}; reported instead:\n{report}"
        )
        unused = FAULTS[fault].needs_use and found.verdict == Verdict.HART and not found.confirmed
        assert found.verdict == FAULTS[fault].verdict or unused, f"{fault}:\n{report}"
    assert report.matched > 0.999 * decoded.instruction_count and not report.unverified
