# SPDX-License-Identifier: Apache-2.0
"""The encoder without what costs area (docs/reference/rtl-area.md): one variant, no option, a queue of four. Checked as
every other build is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rvtrace.flow.jobs import build_of, trouble
from rvtrace.flow.simulation import build, run
from rvtrace.tb.common.builds import BuildConfig
from rvtrace.tb.common.job import Job

NONE = {
    "bpred_size_p": 0,
    "cache_size_p": 0,
    "return_stack_size_p": 0,
    "sijump_p": 0,
    "nocontext_p": 1,
    "bcount_bits": 16,
}
NOT_BUILT: dict[str, int | str] = {
    "ImplicitExceptionEn": 0,
    "FullAddressEn": 0,
    "FilterEn": 0,
    "StampEn": 0,
    "SyncModes": 1,
}
VARIANTS = {"v2_0": {"DraftEn": 0}, "draft_0_026": {"RatifiedEn": 0}}


def reduced(job: Job, depth: int) -> BuildConfig:
    """The build of the job without what its variant and NONE do not need."""
    whole = build_of(job)
    parameters = whole.parameters | NOT_BUILT | VARIANTS[job.config["variant"]] | {"FifoDepth": depth}
    return replace(whole, items=tuple(parameters.items()))


def walk(name: str, variant: str = "v2_0", seed: int = 1, **more: Any) -> Job:
    config = NONE | {"variant": variant} | more.pop("config", {})
    return Job(name, "random", config, seed, size=2500, keep=True, ip="etrace", **more)


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_variant_without_options(sim, tmp_path, variant):
    jobs = [
        walk("block", variant, 1),
        walk("single", variant, 2, retirement="single"),
        walk("stalled", variant, 3, backpressure=80, config={"inst_stall_ena": 1}),
        walk("lost", variant, 4, backpressure=90),
    ]
    results = run(build(reduced(jobs[0], 4), sim), jobs, tmp_path)
    assert [result["verdict"] for result in results] == ["PASS"] * len(jobs), trouble(results[0])
    assert all((Path(job.out) / "packets.hex").stat().st_size for job in jobs)


def test_two_blocks_without_options(sim, tmp_path):
    jobs = [walk(f"two-{seed}", seed=seed, config={"blocks_p": 2}, backpressure=seed * 20) for seed in (1, 2)]
    results = run(build(reduced(jobs[0], 8), sim), jobs, tmp_path)
    assert [result["verdict"] for result in results] == ["PASS"] * len(jobs), trouble(results[0])


def test_an_option_that_is_not_built_is_off(sim, tmp_path):
    """Also in the support packet, from which a decoder takes it: the checks, which expect the option, fail."""
    plain, asked = walk("plain"), walk("asked", config={"full_address": 1})
    results = run(build(reduced(plain, 4), sim), [plain, asked], tmp_path)
    assert [result["verdict"] for result in results] == ["PASS", "FAIL"]
    sent = [(Path(job.out) / "packets.hex").read_text() for job in (plain, asked)]
    assert sent[0] == sent[1]
