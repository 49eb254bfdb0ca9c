# SPDX-License-Identifier: Apache-2.0
"""The encoder without what costs area (docs/reference/rtl-area.md): one variant, no option, a queue of four. Checked as
every other build is.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.jobs import build_of, trouble
from rvtrace.flow.simulation import build, run
from rvtrace.jobs.builds import BuildConfig
from rvtrace.jobs.job import Job
from rvtrace.tb.etrace.stimulus.stimulus import toggled

NONE = {
    "bpred_size_p": 0,
    "cache_size_p": 0,
    "return_stack_size_p": 0,
    "sijump_p": 0,
    "nocontext_p": 1,
    "bcount_bits": 16,
    "fifo_depth": 4,
}
NOT_BUILT: dict[str, int | str] = {
    "ImplicitExceptionEn": 0,
    "FullAddressEn": 0,
    "FilterEn": 0,
    "StampEn": 0,
    "SyncModes": 1,
}
VARIANTS = {"v2_0": {"DraftEn": 0}, "draft_0_026": {"RatifiedEn": 0}}


def reduced(job: Job) -> BuildConfig:
    """The build of the job without what its variant and NONE do not need."""
    whole = build_of(job)
    parameters = whole.parameters | NOT_BUILT | VARIANTS[job.config["variant"]]
    return replace(whole, items=tuple(parameters.items()))


def walk(name: str, variant: str = "v2_0", seed: int = 1, **more: Any) -> Job:
    config = NONE | {"variant": variant} | more.pop("config", {})
    job = Job(name, "random", config, seed, size=2500, keep=True, ip="etrace", **more)
    assert not toggled(job), "no option may change in the run: take another seed"
    return job


@pytest.mark.parametrize(("variant", "config"), [("v2_0", {}), ("draft_0_026", {"blocks_p": 2, "fifo_depth": 8})])
def test_one_variant_without_options(sim, tmp_path, variant, config):
    jobs = [
        walk("block", variant, 1, config=config),
        walk("single", variant, 2, config=config, retirement="single"),
        walk("stalled", variant, 3, config=config | {"inst_stall_ena": 1}, backpressure=80),
        walk("lost", variant, 7, config=config, backpressure=90),
    ]
    results = run(build(reduced(jobs[0]), sim), jobs, tmp_path)
    wrong = [trouble(result) for result in results if result["verdict"] != "PASS"]
    assert not wrong and len(results) == len(jobs), "\n".join(wrong)
    assert all((Path(job.out) / "packets.hex").stat().st_size for job in jobs)


def test_an_option_that_is_not_built_is_off(sim, tmp_path):
    """Also in the support packet, from which a decoder takes it: the checks, which expect the option, fail."""
    plain, asked = walk("plain"), walk("asked", config={"full_address": 1})
    results = run(build(reduced(plain), sim), [plain, asked], tmp_path)
    assert [result["verdict"] for result in results] == ["PASS", "FAIL"]
    sent = [(Path(job.out) / "packets.hex").read_text() for job in (plain, asked)]
    assert sent[0] == sent[1]


@pytest.mark.parametrize(("built", "modes"), [((1,), 0b0011), ((2,), 0b0101)], ids=["packets", "cycles"])
def test_a_sync_mode_that_is_not_built_is_off(sim, tmp_path, monkeypatch, built, modes):
    """inst_sync_mode 1, 2 and 3, of which one is built: with the others the packets are those of 0."""
    monkeypatch.setitem(NOT_BUILT, "SyncModes", modes)
    config = NONE | {"variant": "v2_0", "inst_stall_ena": 1}
    jobs = [
        Job(f"mode{mode}", "scenario:resync_by_packets", config | {"inst_sync_mode": mode}, keep=True, ip="etrace")
        for mode in range(4)
    ]
    results = run(build(reduced(jobs[0]), sim), jobs, tmp_path)
    sent = [(Path(job.out) / "packets.hex").read_text() for job in jobs]
    assert [mode for mode in (1, 2, 3) if sent[mode] != sent[0]] == list(built)
    assert all(results[mode]["verdict"] == "PASS" for mode in (0, *built))
