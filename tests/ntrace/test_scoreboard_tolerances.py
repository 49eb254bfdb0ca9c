# SPDX-License-Identifier: Apache-2.0
"""Tolerances: what the texts leave open a free device may do, and what they demand it must."""

from dataclasses import fields, replace

import numpy as np
import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.tolerances import PERMITTED, Tolerances
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus
from tests.ntrace.checked_scenarios import Change, check, doctored, place, scenario_run, set_at

HTM, BTM = Config(), Config(mode="btm")
FREE = Tolerances.free()


def free_failed(name: str, config: Config, change: Change | None = None, free: Tolerances = FREE) -> list[str]:
    """The clauses that a device without the reference profile fails."""
    program, beats = scenario_run(name, config)
    return doctored(program, beats, config, change, free).book.failed


def test_each_has_the_sentence_that_permits_it() -> None:
    """A choice that no sentence leaves open is none: its tolerance must be closed, or not be there."""
    assert set(PERMITTED) == {f.name for f in fields(Tolerances)}
    assert all('"' in sentence or "NT-" in sentence for sentence in PERMITTED.values())


# Markers


@pytest.mark.parametrize(("code", "clause"), [(6, "NT.8.5.sync6"), (0, "NT.8.5.sync0")])
def test_markers_are_required_unless_the_device_has_none(code: int, clause: str) -> None:
    def plain(messages: list[Message]) -> None:
        """What is sent says periodic synchronization instead."""
        for index, message in enumerate(messages):
            if message.get("sync") == code:
                set_at(messages, index, sync=2)

    config = replace(HTM, inst_sync_mode=2, inst_sync_max=15)
    program, beats = scenario_run("markers", config)
    assert doctored(program, beats, config, None, FREE).passed
    assert clause in doctored(program, beats, config, plain, FREE).book.failed
    without = replace(FREE, markers_optional=True)
    assert clause not in doctored(program, beats, config, plain, without).book.failed


# Periodic synchronization


def with_sync(config: Config, old: int, new: int, unit: int) -> tuple[list[str], list[str]]:
    """(clauses failed by the reference's rules, by a free device's) if the device has another interval."""
    theirs = replace(config, inst_sync_mode=unit, inst_sync_max=new)
    claimed = replace(theirs, inst_sync_max=old)
    program, beats = scenario_run("indirect_kinds", theirs)
    beats.cycle = np.arange(len(beats), dtype=np.uint64) * np.uint64(20)
    data = Encoder(theirs).run(beats).data
    capture = NtraceCapture(claimed, program, data, beats, exact=False)
    return check(capture).book.failed, check(capture, FREE).book.failed


@pytest.mark.parametrize("unit", [1, 2, 3])
def test_synchronization_may_be_early(unit: int) -> None:
    """trTeInstSyncMax is the greatest interval: half of it is legal, twice as much is not."""
    strict, free = with_sync(HTM, 5, 0, unit)
    assert free == []
    if strict:
        assert strict == ["NT-20"]


def test_synchronization_may_not_be_forgotten() -> None:
    _, free = with_sync(HTM, 0, 15, 2)
    assert free == ["NT-20"]


# Trace windows without an instruction


def test_empty_window() -> None:
    program, beats = scenario_run("trace_off_on", HTM)
    off = int(np.flatnonzero((beats.inst_tracing == 0) & ~beats.valid().any(axis=1))[-1])
    rows = np.arange(len(beats))
    beats = beats.select(np.concatenate((rows[: off + 1], [off, off], rows[off + 1 :])))
    beats.cycle = np.arange(len(beats), dtype=np.uint64)
    beats.inst_tracing[off + 1] = 1  # for a cycle, in which nothing retires
    encoded = Encoder(HTM).run(beats)
    stops = [i for i, m in enumerate(encoded.messages) if m.get("evcode") == 4 and m.get("icnt") == 0]
    assert stops

    def silent(messages: list[Message]) -> None:
        del messages[stops[0]]

    assert doctored(program, beats, HTM, None, FREE).passed
    assert doctored(program, beats, HTM, silent, FREE).passed
    assert "NT.7.12.trace_off" in doctored(program, beats, HTM, silent).book.failed
    # of a window in which something was traced the end is required
    assert free_failed("trace_off_on", HTM, lambda m: m.__delitem__(place(m, "ProgTraceCorrelation"))) != []


# Inputs that a device does not have


@pytest.mark.parametrize(("name", "level"), [("hart_reset", "in_reset"), ("low_power", "low_power")])
def test_levels_without_an_input(name: str, level: str) -> None:
    job = Job("one", f"scenario:{name}", HTM.to_dict(), exact=False)
    played = stimulus(job)
    assert getattr(played.beats, level).any()
    job.without = [level]
    played = stimulus(job)
    assert not getattr(played.beats, level).any()
    encoded = Encoder(HTM).run(played.beats)
    assert not {1, 9} & {m.get("sync") for m in encoded.messages}
    verdict = check(NtraceCapture(HTM, played.program, encoded.data, played.beats, exact=False), FREE)
    assert verdict.passed, verdict.failures[0].text()
    assert encoded.data and len(verdict.decoded)


# Ownership


def test_a_context_at_the_wrong_place_is_not_printed_as_expected() -> None:
    """Where what is reported is right but for its place, the place is what a failure shows."""
    config = replace(HTM, ownership=1)
    program, beats = scenario_run("ownership", config)

    def late(messages: list[Message]) -> None:
        """An Ownership after the next message that counts."""
        index = next(
            i for i, m in enumerate(messages)
            if m.name == "Ownership" and i and messages[i - 1].get("sync") is None
            and messages[i - 1].name != "Ownership" and messages[i + 1].get("icnt")
        )  # fmt: skip
        messages[index], messages[index + 1] = messages[index + 1], messages[index]

    failures = doctored(program, beats, config, late, FREE).failures
    assert "NT.7.1.priv_change" in {f.clause for f in failures}
    assert all(want != have for f in failures for _, want, have in f.table if want)
