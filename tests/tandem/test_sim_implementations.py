"""Every implementation of the tandem-trace encoder by random rows: MLEN, lanes, incremental forms and implied ends, each with each.

On Icarus, whatever SIM says: it compiles one in a moment, of which Verilator would need 36 builds. What is left out and how wide f registers are
is drawn for each.
"""

from __future__ import annotations

import random
import shutil
from itertools import product

import pytest

from models.tandem.table import ABSENT_NAMES
from tb.coverage import tandem_points as points
from tb.coverage.model import Counts
from tb.job import Job
from tb.sequences.tandem_builds import BUILDS, DRAWN
from tools.jobs import build_of

ICARUS = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs iverilog (apt-get install iverilog)")
SIZE = 300


def implementation(name: str, **options: object) -> dict[str, object]:
    """With what was not chosen drawn."""
    rng = random.Random(f"implementation:{name}")
    return options | {
        "flen": rng.choice((0, 32, 64)), "absent": ",".join(rng.sample(ABSENT_NAMES, rng.choice((0, 1, 3)))), "response_data_on_failure": rng.randrange(2),
    }  # fmt: skip


@ICARUS
@pytest.mark.parametrize("sim", ["icarus"])
@pytest.mark.parametrize(("xlen", "mlen"), [(64, 64), (32, 34), (32, 32)])
def test_every_implementation(run_jobs, xlen, mlen):
    jobs = []
    for lanes, incremental, implied_end in product((1, 2), (0, 1, 2), (0, 1)):
        name = f"{mlen}-{lanes}-{incremental}-{implied_end}"
        options = implementation(name, xlen=xlen, mlen=mlen, lanes=lanes, incremental=incremental, implied_end=implied_end)
        jobs.append(Job(name, "random", options, len(jobs), size=SIZE, gaps=10, backpressure=40, grouping="random", ip="tandem"))
    assert len({build_of(job) for job in jobs}) == 12
    for result in run_jobs(jobs):
        assert result["stats"]["rows"] == SIZE


@ICARUS
@pytest.mark.parametrize("sim", ["icarus"])
def test_what_seeds_draw_closes_the_choices(run_jobs):
    """Twice each implementation of random seeds, and every bin that is about implementations is hit but for those of scenarios."""
    jobs = [Job(f"{name}-{seed}", "random", dict(DRAWN[name]), seed, size=SIZE, grouping="random", ip="tandem") for name in DRAWN.keys() - BUILDS.keys() for seed in range(2)]
    jobs += [Job(name, "random", dict(build), 1, size=SIZE, ip="tandem") for name, build in BUILDS.items()]
    hit: Counts = points.TANDEM.merge(result["coverage"] for result in run_jobs(jobs))
    for name in ("config_cg", "fp_cg", "item_cg", "id_cg"):
        assert not points.TANDEM.by_name[name].holes(hit), name
    absent = [name for name in points.TANDEM.by_name["absent_cg"].bins if not hit["absent_cg"].get(name)]
    assert not [name for name in absent if name.endswith("traced")]
