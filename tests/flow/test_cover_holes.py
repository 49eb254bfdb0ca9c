# SPDX-License-Identifier: Apache-2.0
"""Holes and what to try: the stimulus that hit what is beside them, with the options that its values need."""

import shlex

from rvtrace.flow.cover.holes import Holes, aimed, stimuli
from rvtrace.flow.jobs import one
from tests.common.there import there
from tests.flow.cover_fakes import FakeSystem, account, job, result

LISTED = stimuli(FakeSystem(), "verilator")  # type: ignore[arg-type]


def filled():
    """RV64 has been busy, RV32 calm: RV32 busy is open, and RV64 full."""
    known = account()
    for n in range(6):
        known.add(job(f"busy-{n}", "scenario:busy", n), result(pair=["RV64 x busy"]))
        known.add(job(f"calm-{n}", "scenario:calm", n, xlen=32), result(pair=["RV32 x calm"]))
        known.add(job(f"walk-{n}", "random", n), result(pair=["RV64 x calm"]))
    return known


def test_the_nearest_stimulus_in_the_configuration_that_the_values_need():
    found = Holes(filled(), LISTED).of("pair_cg", "RV32 x busy")
    assert found.needed == {"xlen": 32}  # every run that hit an RV32 bin has it, and it is no chance
    assert found.near[0].source == "scenario:busy" and found.near[0].close > found.near[1].close
    assert found.job is not None and found.job.settings.xlen == 32
    assert "XLEN=32" in found.command and found.why.startswith(found.near[0].source) and "XLEN=32" in found.why


def test_the_command_can_be_typed_and_is_a_run_that_was_not_run():
    known = filled()
    for found in Holes(known, LISTED).ranked():
        if found.near:
            words = dict(word.split("=", 1) for word in shlex.split(found.command)[2:])
            assert words["IP"] == "ctr" and found.command.startswith("make run ")
            run = {(record.job.source, record.job.seed, record.job.settings.xlen) for record in known.records}
            job = there(found.job)
            assert (job.source, job.seed, job.settings.xlen) not in run
    words = {"IP": "ctr", "SOURCE": "random", "SEED": "7", "XLEN": "32"}
    assert one(words).settings.xlen == 32


def test_nothing_near_is_said():
    found = Holes(filled(), LISTED).of("depth_cg", "32")
    assert not found.near and not found.command and found.why.startswith("nothing near was ever hit")
    assert not aimed(account(), LISTED, 0)


def test_the_closest_bin_of_an_ordered_axis_counts_most():
    known = account()
    known.add(job("far", "scenario:busy"), result(depth=["16"]))
    known.add(job("next", "scenario:calm"), result(depth=["32"]))
    found = Holes(known, LISTED).of("depth_cg", "64")
    assert [near.source for near in found.near] == ["scenario:calm", "scenario:busy"]
    assert "'32'" in found.why and "1 of 1 runs" in found.why


def test_holes_that_are_likelier_to_be_hit_come_first():
    ranked = Holes(filled(), LISTED).ranked()
    assert {t.bin for t in ranked} == {"RV32 x busy", "RV64 x full", "16", "32", "64"}
    assert [bool(t.near) for t in ranked] == [True, True, False, False, False]


def test_aimed_runs_have_separate_names_and_seeds():
    known = filled()
    first = aimed(known, LISTED, 0)
    second = aimed(known, LISTED, 1)
    assert first and second and all(each.name.startswith("try-0-") for each in first)
    assert not {each.rerun for each in first} & {each.rerun for each in second}


def test_options_that_are_shared_by_chance_are_not_needed():
    known = account()
    known.add(job("a", "random", 1), result(pair=["RV64 x busy"]))
    known.add(job("b", "random", 2, xlen=32), result(pair=["RV64 x calm"]))
    assert Holes(known, LISTED).of("pair_cg", "RV64 x full").needed == {}


def test_an_axis_with_the_name_of_an_option_is_needed():
    found = Holes(filled(), LISTED).of("depth_cg", "32")
    assert found.needed == {"depth": 32}
    known = filled()
    known.add(job("deep", "random", 9), result(depth=["16"]))
    found = Holes(known, LISTED).of("depth_cg", "32")
    assert found.job is not None and found.job.settings.depth == 32 and "its values need DEPTH=32" in found.why
