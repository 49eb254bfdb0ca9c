# SPDX-License-Identifier: Apache-2.0
"""Traces that are damaged: bytes that cannot be followed, groups lost in numbers, a pc that is lost; the verifier goes
on, and never breaks.
"""

import random

import pytest

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.simulator.interface import reference
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Verdict
from rvtrace.models.tandem.verifier.verify import Verifier
from tests.common.long import some
from tests.tandem.runs import config_of, sections_of, verified

LENGTH, PLACE = 3600, 3000


@pytest.fixture(scope="module", params=(32, 64))
def good(request: pytest.FixtureRequest) -> tuple:
    config = config_of(request.param)
    return config, sections_of("sort", config, LENGTH)


@pytest.mark.parametrize("count", (1, 2, 5, 20))
def test_missing_groups_are_found_and_counted(good: tuple, count: int) -> None:
    config, sections = good
    report = verified(sections[:PLACE] + sections[PLACE + count :], config)
    assert [(found.kind, found.verdict) for found in report.findings] == [("dropped", Verdict.TRACE)], str(report)
    assert report.matched == report.instructions and not report.unverified
    assert ("a group is missing" if count == 1 else f"{count} groups are missing") in report.findings[0].reason


@pytest.mark.parametrize(
    "damage,name",
    [(b"\x01\x0e", "unknown_opcode"), (b"\x01\x07\x63", "unknown_id"), (b"\x01\x09\x00\x02", "orphan_response")],
)
def test_a_broken_group_is_one_report(good: tuple, damage: bytes, name: str) -> None:
    config, sections = good
    report = verified([*sections[:PLACE], damage, *sections[PLACE + 1 :]], config)
    assert [found.names for found in report.findings] == [[name]], str(report)
    assert report.findings[0].verdict == Verdict.TRACE and report.matched == report.instructions


@pytest.mark.parametrize("count", (1, 3))
def test_bytes_between_groups_that_swallow_some(good: tuple, count: int) -> None:
    config, sections = good
    report = verified([*sections[:PLACE], b"\xff" * 7, *sections[PLACE + count :]], config)
    assert len(report.findings) == 1 and report.findings[0].names == ["unknown_opcode"], str(report)
    assert report.matched == report.instructions


def test_a_trace_that_ends_within_a_group(good: tuple) -> None:
    config, sections = good
    data = b"".join(sections[:PLACE])[:-4]
    report = Verifier(reference(config.xlen), Profile.of(config, virt(config.xlen))).run(decode(data, config), data)
    assert [found.names for found in report.findings] == [["truncated"]], str(report)


def test_where_nothing_explains_the_pc_is_lost_and_found_again(good: tuple) -> None:
    """Far more groups are missing than the verifier looks for: one report,
    and it goes on when it knows the pc again.
    """
    config, sections = good
    report = verified(sections[: PLACE - 900] + sections[PLACE:], config, reach=8)
    assert [found.kind for found in report.findings] == ["lost"], str(report)
    assert 0 < report.unverified < 150 and report.matched + report.unverified >= report.instructions - 1
    assert "were not compared" in str(report)


def test_a_trace_that_begins_somewhere(good: tuple) -> None:
    """Without reset and registers: what was never reported is believed, nothing is reported."""
    config = config_of(good[0].xlen, incremental=0)
    sections = sections_of("sort", config, LENGTH)
    loading = [section for section in sections if section[1:2] == b"\x0b"]
    report = verified(loading[:-31] + sections[PLACE:], config)
    assert not report.findings and 0 < report.unverified < 200 and report.matched > 300, str(report)


def test_registers_of_another_run_are_many_reports_and_no_end(good: tuple) -> None:
    config, sections = good
    report = verified([s for s in sections if s[1:4] != b"\x0b\x04\x02"], config)  # sp is not initialized
    assert report.matched > 0


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_any_bytes(good: tuple, seed: int) -> None:
    """Bytes changed, left out and put in at random: reports, no exception, and most of the trace still fits."""
    config, sections = good
    rng, data = random.Random(f"{seed}:bytes"), bytearray(b"".join(sections))
    begin = sum(map(len, sections[:2800]))
    for _ in range(1 + seed):
        at = rng.randrange(begin, len(data))
        length = rng.randrange(1, 9)
        data[at : at + rng.choice((0, length))] = rng.randbytes(rng.choice((0, length)))
    report = Verifier(reference(config.xlen), Profile.of(config, virt(config.xlen))).run(
        decode(bytes(data), config), bytes(data)
    )
    assert report.matched > 2000 and str(report)


def test_only_noise() -> None:
    config, data = config_of(64), random.Random("noise").randbytes(4000)
    report = Verifier(reference(64), Profile.of(config, virt(64))).run(decode(data, config), data)
    assert not report.ok and report.findings


def test_nothing_is_not_good() -> None:
    assert not verified([], config_of(64)).ok
