# SPDX-License-Identifier: Apache-2.0
"""The encoder without what costs area (docs/reference/rtl-area.md): one variant, BTM or HTM, no option, a queue of eight.
Checked as every other build is.
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

NOT_BUILT: dict[str, int | str] = {
    "RepeatedHistoryEn": 0,
    "RepeatBranchEn": 0,
    "SequentialJumpEn": 0,
    "AllJumpsEn": 0,
    "BtypeExtEn": 0,
    "ContextEn": 0,
    "HcontextEn": 0,
    "TimestampEn": 0,
    "SrcEn": 0,
    "ExtendAddrEn": 0,
    "VendorEn": 0,
    "FilterEn": 0,
    "SyncModes": 1,
    "StackDepth": 0,
}
VARIANTS = {"v1_0": {"Rc7En": 0}, "rc7": {"RatifiedEn": 0}}


def reduced(job: Job, depth: int) -> BuildConfig:
    """The build of the job without what its variant, its mode and NOT_BUILT do not need."""
    whole = build_of(job)
    parameters = whole.parameters | NOT_BUILT | VARIANTS[job.config["variant"]] | {"FifoDepth": depth}
    return replace(whole, items=tuple((parameters | {"HtmEn": int(job.config["mode"] == "htm")}).items()))


def walk(name: str, variant: str, mode: str, seed: int = 1, **more: Any) -> Job:
    config = {"variant": variant, "mode": mode, "b_type": "1", **more.pop("config", {})}
    return Job(name, "random", config, seed, size=2500, keep=True, **more)


@pytest.mark.parametrize(("variant", "mode"), [("v1_0", "btm"), ("rc7", "htm")])
def test_one_variant_without_options(sim, tmp_path, variant, mode):
    jobs = [
        walk("block", variant, mode, 1),
        walk("single", variant, mode, 2, retirement="single"),
        walk("stalled", variant, mode, 3, backpressure=80, config={"inst_stall_ena": 1}),
        walk("lost", variant, mode, 4, backpressure=90),
    ]
    results = run(build(reduced(jobs[0], 8), sim), jobs, tmp_path)
    assert [result["verdict"] for result in results] == ["PASS"] * len(jobs), trouble(results[0])
    assert all((Path(job.out) / "trace.bin").stat().st_size for job in jobs)


def test_two_blocks_without_options(sim, tmp_path):
    jobs = [walk(f"two-{s}", "v1_0", "btm", s, config={"blocks": 2}, backpressure=20 * s) for s in (1, 2)]
    results = run(build(reduced(jobs[0], 16), sim), jobs, tmp_path)
    assert [result["verdict"] for result in results] == ["PASS"] * len(jobs), trouble(results[0])


def test_an_option_that_is_not_built_is_off(sim, tmp_path):
    """Here SRC, whose missing bits the checks find."""
    plain, asked = walk("plain", "v1_0", "btm"), walk("asked", "v1_0", "btm", config={"src_bits": 4, "src_id": 5})
    results = run(build(reduced(plain, 8), sim), [plain, asked], tmp_path)
    assert [result["verdict"] for result in results] == ["PASS", "FAIL"]
    sent = [(Path(job.out) / "trace.bin").read_bytes() for job in (plain, asked)]
    assert sent[0] == sent[1]
