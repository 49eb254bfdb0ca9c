# SPDX-License-Identifier: Apache-2.0
"""Every implementation of the tandem-trace encoder by random rows: MLEN, lanes, incremental forms and implied ends,
each with each.

On Icarus, whatever SIM says: it compiles one in a moment, of which Verilator would need 36 builds. What is left out and
how wide f registers are is chosen at random for each.
"""

import random
import shutil
from itertools import product

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs.job import Job
from rvtrace.models.tandem.table import ABSENT_NAMES
from tests.common.long import some

ICARUS = pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs iverilog (apt-get install iverilog)")
SIZE = 300


def implementation(name: str, **options: object) -> dict[str, object]:
    """With what was not chosen randomized."""
    rng = random.Random(f"implementation:{name}")
    return options | {
        "flen": rng.choice((0, 32, 64)),
        "absent": ",".join(rng.sample(ABSENT_NAMES, rng.choice((0, 1, 3)))),
        "response_data_on_failure": rng.randrange(2),
    }


@ICARUS
@pytest.mark.parametrize("sim", ["icarus"])
@pytest.mark.parametrize(("xlen", "mlen"), [(64, 64), (32, 34), (32, 32)])
def test_every_implementation(run_jobs, xlen, mlen):
    jobs = []
    for lanes, incremental, implied_end in product((1, 2), (0, 1, 2), (0, 1)):
        name = f"{mlen}-{lanes}-{incremental}-{implied_end}"
        options = implementation(
            name, xlen=xlen, mlen=mlen, lanes=lanes, incremental=incremental, implied_end=implied_end
        )
        jobs.append(
            Job(name, "random", options, len(jobs), size=SIZE, gaps=10, backpressure=40, grouping="random", ip="tandem")
        )
    assert len({build_of(job) for job in jobs}) == 12
    for result in run_jobs(some(jobs[mlen % 3 :], 4)):
        assert result["stats"]["rows"] == SIZE
