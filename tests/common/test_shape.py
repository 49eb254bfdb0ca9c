# SPDX-License-Identifier: Apache-2.0
"""The shape of an ingress port: a device gets what it can take, and the hart does the same."""

from dataclasses import replace

import numpy as np
import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType
from rvtrace.tb.common.stimulus.shape import LEVELS, shaped
from rvtrace.tb.etrace.stimulus.stimulus import stimulus as of_etrace
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus as of_ntrace

WIDE = {"blocks": 2}


def blocks(beats):
    """Every block in order, with the levels that it retired under."""
    valid = beats.valid()
    rows, lanes = np.nonzero(valid)
    columns = [getattr(beats, name)[rows, lanes].tolist() for name in ("iaddr", "iretire", "itype", "priv", "cause")]
    return list(zip(*columns, *(getattr(beats, name)[rows].tolist() for name in LEVELS)))


def walk(shape, config=WIDE, of=of_ntrace, ip="ntrace"):
    """The beats of a random walk as they are, and in a shape."""
    plain, other = (
        of(Job("walk", "random", dict(config), 3, size=3000, ip=ip, grouping="random", shape=how)).beats
        for how in ({}, shape)
    )
    assert blocks(plain) == blocks(other) and (np.diff(other.cycle.astype(np.int64)) > 0).all()
    return plain, other


def traps(beats):
    return np.isin(beats.itype, (IType.EXCEPTION, IType.INTERRUPT))


def test_traps_come_in_lane_0_only():
    plain, other = walk({"trap_lane": True})
    assert traps(plain)[:, 1].any() and not traps(other)[:, 1].any() and other.valid()[:, 1].any()


def test_a_lane_takes_short_blocks_only():
    plain, other = walk({"lane_halfwords": [100, 2]})
    assert plain.iretire[:, 1].max() > 2 >= other.iretire[:, 1].max() > 0


def test_gaps_are_kept():
    job = Job("walk", "random", dict(WIDE), 3, size=500, gaps=50, grouping="random", shape={"trap_lane": True})
    plain, other = of_ntrace(replace(job, shape={})).beats, of_ntrace(job).beats
    more = len(other) - len(plain)
    assert more > 0 and int(other.cycle[-1]) == int(plain.cycle[-1]) + more


@pytest.mark.parametrize("name", ["enable", "inst_tracing", "halted"])
def test_a_level_changes_alone(name):
    job = Job("walk", "scenario:level_walk", {}, shape={"levels": {name: {}}})
    plain, other = of_ntrace(replace(job, shape={})).beats, of_ntrace(job).beats
    assert blocks(plain) == blocks(other)

    def together(beats):
        changed = {level: np.diff(getattr(beats, level), prepend=0) != 0 for level in LEVELS}
        others = np.logical_or.reduce([changed[level] for level in LEVELS if level != name])
        return (changed[name] & (others | beats.valid().any(axis=1))).sum()

    assert together(plain) and not together(other)
    states = [tuple(int(getattr(other, level)[row]) for level in LEVELS) for row in range(len(other))]
    played = [tuple(int(getattr(plain, level)[row]) for level in LEVELS) for row in range(len(plain))]
    rest = iter(states)
    assert all(state in rest for state in played), "every state of the walk is there, in its order"


def test_a_level_begins_after_the_others_and_ends_before_them():
    beats = Beats.empty(3, 1)
    beats.enable[1], beats.halted[1] = 1, 1
    other = shaped({"levels": {"enable": {}}}, beats)
    assert list(zip(other.enable.tolist(), other.halted.tolist())) == [(0, 0), (0, 1), (1, 1), (1, 1), (0, 1), (0, 0)]
    assert other.cycle.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_level_has_quiet_cycles_around_it_and_lasts():
    shape = {"levels": {"halted": {"before": 3, "after": 4, "least": 20}}}
    other = of_ntrace(Job("walk", "scenario:level_walk", {}, shape=shape)).beats
    cycle, level = other.cycle.astype(np.int64), other.halted.astype(np.int64)
    edges = np.flatnonzero(np.diff(level, prepend=0))
    with_blocks = cycle[other.valid().any(axis=1)]
    assert len(edges) > 10
    for row in edges:
        near = with_blocks[(with_blocks >= cycle[row] - 3) & (with_blocks <= cycle[row] + 4)]
        assert not len(near)
    assert (np.diff(cycle[edges])[::2] >= 20).all()


def test_the_port_of_etrace_as_well():
    plain, other = walk({"trap_lane": True}, {"blocks_p": 4}, of_etrace, "etrace")
    assert traps(plain)[:, 1:].any() and not traps(other)[:, 1:].any()
