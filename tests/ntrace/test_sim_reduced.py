# SPDX-License-Identifier: Apache-2.0
"""The encoder without what costs area (docs/reference/rtl-area.md): one variant, BTM or HTM, no option, a short
queue. Checked as every other build is.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.jobs import build_of, trouble
from rvtrace.flow.simulation import build, run
from rvtrace.jobs.builds import BuildConfig
from rvtrace.jobs.job import Job
from rvtrace.tb.ntrace.areas import NONE

# What a build without any option leaves out; its values are numbers of Verilog, as 1'b0. A test says the others.
NOT_BUILT: dict[str, int | str] = {
    name: int(value[-1]) for name, value in NONE.items() if name not in ("Rc7En", "HtmEn", "VendorEn")
}
VARIANTS = {"v1_0": {"Rc7En": 0}, "rc7": {"RatifiedEn": 0}}


def reduced(job: Job, depth: int, more: dict[str, int]) -> BuildConfig:
    """The build of the job without what its variant, its mode and NOT_BUILT do not need."""
    whole = build_of(job)
    parameters = whole.parameters | NOT_BUILT | VARIANTS[job.config["variant"]] | {"FifoDepth": depth} | more
    return replace(whole, items=tuple((parameters | {"HtmEn": int(job.config["mode"] == "htm")}).items()))


def play(name: str, source: str, seed: int = 1, **more: Any) -> Job:
    config = {"b_type": "1", **more.pop("config")}
    return Job(name, source, config, seed, size=2500, keep=True, **more)


PLAIN = {"variant": "v1_0", "mode": "btm", "fifo_depth": 8}
HISTORY = {"variant": "rc7", "mode": "htm", "blocks": 2}


def runs(config: dict[str, Any], source: str) -> list[Job]:
    return [
        play("block", source, 1, config=config),
        play("single", source, 2, config=config, retirement="single"),
        play("stalled", source, 3, config=config | {"inst_stall_ena": 1}, backpressure=80),
        play("lost", source, 4, config=config, backpressure=95),
    ]


# A random walk has vendor-defined messages, a program has none.
@pytest.mark.parametrize(
    ("config", "source", "depth", "more"),
    [(PLAIN, "program:traps", 8, {"VendorEn": 0}), (HISTORY, "random", 16, {})],
    ids=["program", "random"],
)
def test_one_variant_without_options(sim, tmp_path, config, source, depth, more):
    jobs = runs(config, source)
    results = run(build(reduced(jobs[0], depth, more), sim), jobs, tmp_path)
    wrong = [trouble(result) for result in results if result["verdict"] != "PASS"]
    assert not wrong and len(results) == len(jobs), "\n".join(wrong)
    assert all((Path(job.out) / "trace.bin").stat().st_size for job in jobs)


def test_an_option_that_is_not_built_is_off(sim, tmp_path):
    """Here SRC, whose missing bits the checks find."""
    plain = play("plain", "program:traps", config=PLAIN)
    asked = play("asked", "program:traps", config=PLAIN | {"src_bits": 4, "src_id": 5})
    results = run(build(reduced(plain, 8, {"VendorEn": 0}), sim), [plain, asked], tmp_path)
    assert [result["verdict"] for result in results] == ["PASS", "FAIL"]
    sent = [(Path(job.out) / "trace.bin").read_bytes() for job in (plain, asked)]
    assert sent[0] == sent[1]


@pytest.mark.parametrize(("built", "modes"), [((1,), 0b0011), ((2,), 0b0101)], ids=["messages", "cycles"])
def test_a_sync_mode_that_is_not_built_is_off(sim, tmp_path, built, modes):
    """trTeInstSyncMode 1, 2 and 3, of which one is built: with the others the trace is that of 0."""
    jobs = [play(f"mode{mode}", "program:traps", config=PLAIN | {"inst_sync_mode": mode}) for mode in range(4)]
    results = run(build(reduced(jobs[0], 8, {"VendorEn": 0, "SyncModes": modes}), sim), jobs, tmp_path)
    sent = [(Path(job.out) / "trace.bin").read_bytes() for job in jobs]
    assert [mode for mode in (1, 2, 3) if sent[mode] != sent[0]] == list(built)
    assert all(results[mode]["verdict"] == "PASS" for mode in (0, *built))
