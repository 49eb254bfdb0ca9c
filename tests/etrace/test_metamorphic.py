# SPDX-License-Identifier: Apache-2.0
"""What must not change: the packets when the same run is reported in other blocks, the instructions when options or
synchronization change.
"""

import random
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.tb.common.stimulus.stimulus import Stimulus
from tests.common.long import some
from tests.etrace.walks import GROUPINGS, encode, recorded, regrouped, walk

PROGRAMS = ("crc", "dispatch", "recursion", "sort", "switch", "traps")
VARIANTS = ("v2_0", "draft_0_026")
STACK = {
    "return_stack_size_p": 4,
    "call_counter_size_p": 0,
    "cache_size_p": 5,
    "f0s_width_p": 1,
    "itype_width_p": 4,
    "bcount_bits": 16,
    "sijump_p": 1,
}
COUNTER = STACK | {"return_stack_size_p": 0, "call_counter_size_p": 4}
QUIET = {"filter": "", **dict.fromkeys(OPTIONS, 0), "inst_sync_mode": 0}


def reported(config: Config, beats: Beats, program: Program) -> np.ndarray:
    """The instructions that the decoder names."""
    trace = decode(encode(config, beats).payloads, program, config)
    assert [str(d) for d in trace.diagnostics] == []
    return trace.pcs


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two decoders report the same; the first difference as a failure."""
    n = min(len(one), len(other))
    differ = np.flatnonzero(one[:n] != other[:n])
    at = int(differ[0]) if len(differ) else n
    assert at == len(one) == len(other), (
        f"instruction {at} of {len(one)} and {len(other)}: {[hex(pc) for pc in one[at : at + 3]]} and"
        f" {[hex(pc) for pc in other[at : at + 3]]}"
    )
    return True


def check_regrouping(what: Stimulus) -> None:
    single, *others = (encode(*regrouped(what, *grouping)) for grouping in GROUPINGS)
    for other, grouping in zip(others, GROUPINGS[1:]):
        assert other.payloads == single.payloads, grouping
        assert other.reasons == single.reasons


@pytest.mark.parametrize("seed", some(range(24), 6))
def test_regrouping(seed: int) -> None:
    """Single retirement, longest blocks, any blocks; 1, 2 and 4 a cycle:
    the same packets for the same reasons (ET-17).
    """
    # an interval in cycles knows the blocks, and so does a filter by addresses
    mode = random.Random(f"{seed}:mode").choice((0, 1, 3))
    what = walk(seed, inst_sync_mode=mode, filter="")
    check_regrouping(what)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_regrouping_of_programs(name: str, variant: str) -> None:
    options = {"branch_prediction": 1, "sijump": 1, "inst_sync_mode": 3, "inst_sync_max": 6}
    check_regrouping(
        recorded(
            name,
            variant=variant,
            **options,
            **({"implicit_return": 1, "jump_target_cache": 1} if variant == "v2_0" else {}),
        )
    )


def option_sets(config: Config) -> list[dict[str, int]]:
    """Each option alone that the variant has, and all of them."""
    draft = config.variant == "draft_0_026"
    names = [
        name
        for name in OPTIONS
        if not (draft and name == "jump_target_cache")
        and not (name == "implicit_exception" and not config.trap_vectors)
    ]
    return [{name: 1} for name in names] + [dict.fromkeys(names, 1)]


def check_options(what: Stimulus) -> None:
    plain = reported(replace(what.config, **dict.fromkeys(OPTIONS, 0)), what.beats, what.program)
    for options in option_sets(what.config):
        config = replace(what.config, **dict.fromkeys(OPTIONS, 0) | options)
        assert same(plain, reported(config, what.beats, what.program)), options


@pytest.mark.parametrize("seed", some(range(15), 3))
def test_options_change_no_instruction(seed: int) -> None:
    """Each option on and off: packets differ, the instructions they report do not."""
    check_options(walk(seed, variant="v2_0", **STACK | QUIET | {"implicit_exception": seed % 2}))


@pytest.mark.parametrize("seed", some(range(15), 3))
def test_options_with_a_call_counter(seed: int) -> None:
    """The same with well-behaved programs and a call counter."""
    check_options(walk(seed, variant="v2_0", **COUNTER | QUIET | {"implicit_return": 1}))


@pytest.mark.parametrize("seed", some(range(10), 2))
def test_options_of_the_draft(seed: int) -> None:
    """In the draft an address that was just passed may be the target of a jump as well: what happened is reported, up
    to such doubts.
    """
    what = walk(seed, size=800, variant="draft_0_026", **COUNTER | QUIET | {"implicit_return": 1})
    for options in ({}, *option_sets(what.config)):
        config = replace(what.config, **dict.fromkeys(OPTIONS, 0) | options)
        verdict = check(
            EtraceCapture(
                config, what.program, encode(config, what.beats).payloads, beats=what.beats, given=what.retired
            )
        )
        assert verdict.passed, verdict.failures[0].text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_options_on_programs(name: str) -> None:
    check_options(recorded(name, xlen=64 if name in ("crc", "traps") else 32, **STACK))


class Soon(Config):
    """A configuration whose synchronization interval is shorter than the register can ask for."""

    @property
    def sync_interval(self) -> int:
        return 1 + self.inst_sync_max


@pytest.mark.parametrize("seed", some(range(8), 2))
@pytest.mark.parametrize("mode", (1, 2, 3))
def test_resync_changes_no_instruction(seed: int, mode: int) -> None:
    """Any interval, from every packet, cycle or half-word on (ET-4)."""
    what = walk(seed, variant="v2_0", **STACK | QUIET)
    plain = reported(what.config, what.beats, what.program)
    settings = vars(what.config) | {"inst_sync_mode": mode}
    rng = random.Random(f"{seed}:interval")
    for options in (
        {},
        {"implicit_return": 1},
        {name: rng.randrange(2) for name in OPTIONS if name != "implicit_exception"},
    ):
        for interval in (0, rng.randrange(1, 16)):
            assert same(
                plain, reported(Soon(**settings | options | {"inst_sync_max": interval}), what.beats, what.program)
            ), (interval, options)
        assert same(
            plain,
            reported(Config(**settings | options | {"inst_sync_max": rng.randrange(4)}), what.beats, what.program),
        )


@pytest.mark.parametrize("seed", some(range(6), 2))
@pytest.mark.parametrize("share", (0.05, 0.5, 1))
@pytest.mark.parametrize("ctype", (2, 3))
def test_sync_at_any_instruction(seed: int, share: float, ctype: int) -> None:
    """A sync at a share of the instructions, and at every one: single steps (ET-4, ET-15)."""
    what = walk(seed, size=600, variant="v2_0", **STACK | QUIET)
    plain = reported(*regrouped(what, 1, "single", False), what.program)
    rng = random.Random(f"{seed}:{share}:steps")
    for options in ({}, {name: rng.randrange(2) for name in OPTIONS if name != "implicit_exception"}):
        config, beats = regrouped(replace(what, config=replace(what.config, **options)), 1, "single", False)
        beats.ctype[beats.valid()[:, 0]] = [
            ctype * (rng.random() < share) for _ in range(int(beats.valid()[:, 0].sum()))
        ]
        assert same(plain, reported(config, beats, what.program)), options


@pytest.mark.parametrize("name", PROGRAMS)
def test_resync_on_programs(name: str) -> None:
    what = recorded(name, xlen=32, **STACK, implicit_return=1, branch_prediction=1, jump_target_cache=1)
    plain = reported(replace(what.config, **dict.fromkeys(OPTIONS, 0)), what.beats, what.program)
    for mode in (1, 2, 3):
        assert same(
            plain, reported(replace(what.config, inst_sync_mode=mode, inst_sync_max=mode), what.beats, what.program)
        ), mode
