# SPDX-License-Identifier: Apache-2.0
"""The coverage of the tandem trace is closed by scenarios alone, and few random seeds meet every implementation: played
on the encoder model.
"""

from random import Random

import pytest

from rvtrace.jobs.coverage import Counts
from rvtrace.models.tandem.config import Config
from rvtrace.scoreboards.tandem.check import check
from rvtrace.tb.tandem.coverage.points import ABSENT, CHOICES, CHOSEN, TANDEM
from rvtrace.tb.tandem.coverage.sampling import sample
from rvtrace.tb.tandem.stimulus.builds import DRAWN
from rvtrace.tb.tandem.stimulus.random_jobs import random_job
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS
from rvtrace.tb.tandem.stimulus.stimulus import stimulus
from tests.tandem.captures import captured

SEEDS = range(1, 2 * len(DRAWN) + 1)  # each implementation with an odd seed and with an even one
PORT = {"word_cg", "verify_cg"}  # words that leave and programs that are replayed: only a simulation has them


@pytest.fixture(scope="module")
def random_counts() -> Counts:
    """What the first seeds hit, of which a few hundred rows are played."""
    parts = []
    for seed in SEEDS:
        job = random_job(seed, size=1500)
        capture = captured(stimulus(job).rows, job.settings)
        verdict = check(capture)
        assert verdict.passed, f"seed {seed}: {verdict.failures[0].text()}"
        parts.append(sample(capture, verdict))
    return TANDEM.merge(parts)


def test_seeds_meet_every_choice(random_counts):
    """MLEN, lanes, incremental forms, implied ends, widths of f registers and parts left out: with them in the rows and
    without.
    """
    for name in ("config_cg", "fp_cg", "absent_cg"):
        assert not TANDEM.by_name[name].holes(random_counts)


def test_scenarios_close_it_alone():
    """No bin is left to chance, but for those that only a simulation has."""
    parts = []
    for scenario in SCENARIOS.values():
        for options in scenario.configs:
            config = Config.from_dict(options)
            capture = captured(scenario.build(config, Random(1)), config)
            parts.append(sample(capture, check(capture)))
    counts = TANDEM.merge(parts)
    assert {
        point.name: point.holes(counts) for point in TANDEM.points if point.name not in PORT and point.holes(counts)
    } == {}
    assert not [point.name for point in TANDEM.points if point.surprises(counts)]


def test_each_two_choices_have_a_bin():
    assert len(set(CHOSEN)) == len(CHOSEN) == 6 + 9 + 6 + 6 + 4 + 6
    assert all(
        sum(choice in bin_.split(", ") for bin_ in CHOSEN) == sum(map(len, CHOICES)) - len(names)
        for names in CHOICES
        for choice in names
    )


def test_every_part_is_left_out_somewhere():
    left_out = {name for build in DRAWN.values() for name in ABSENT if not Config.from_dict(build).traces(name)}
    assert left_out == set(ABSENT)
