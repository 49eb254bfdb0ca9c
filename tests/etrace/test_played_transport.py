# SPDX-License-Identifier: Apache-2.0
"""The transport that the testbench plays after the packet port of a device says nothing about the device: whatever it
does wrong, the device's report is the same.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np

from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.etrace.check import check
from rvtrace.tb.etrace.env import Scoreboard
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from tests.etrace.walks import encode

PLAYED = "byte 0x10: a packet that was not sent [ET.tra.messaging]"


def results(device: str, *, broken: bool) -> dict[str, list[int]]:
    """What the check says of one run; broken: the transport sends other bytes, of which a monitor complains."""
    job = Job("stops", "scenario:stops", {"encapsulation": "messaging"}, ip="etrace", dut=device, exact=False)
    what = stimulus(job)
    payloads = encode(what.config, what.beats).payloads
    starts = [payload[0] & 0xF == 3 for payload in payloads]
    data = encapsulate(payloads, starts, [0] * len(payloads), what.config)
    if broken:
        data = bytes(byte ^ 0x5A for byte in data[: len(data) // 2])
    packets = SimpleNamespace(
        payloads=payloads, types=np.zeros(len(payloads), np.int64), cycle=None, start=np.array(starts), time16=None
    )
    seen: Any = SimpleNamespace(
        stream=SimpleNamespace(got=(data, np.arange(len(data)))),
        packets=SimpleNamespace(got=packets),
        ingress=SimpleNamespace(got=what.beats),
    )
    return check(Scoreboard.captured(seen, job, what, [PLAYED] if broken else [])).book.results()


def test_a_bug_of_our_transport_leaves_the_report_of_a_device_unchanged() -> None:
    whole = results("another", broken=False)
    assert whole == results("another", broken=True)
    assert not any(clause.startswith("ET.tra.") for clause in whole)
    assert sum(failed for _, failed in whole.values()) == 0 < sum(checked for checked, _ in whole.values())


def test_the_same_bug_fails_our_own_device() -> None:
    ours = results("", broken=True)
    assert any(failed for clause, (_, failed) in ours.items() if clause.startswith("ET.tra."))


def test_what_the_bench_plays_is_no_clause_of_a_device() -> None:
    """Every clause about the transport names it as its subject, for which such a device has no verdict."""
    clauses = systems.judge("etrace").plan.clauses
    played = systems.foreign("etrace").played
    assert {clause.subject for name, clause in clauses.items() if name.startswith("ET.tra.")} == set(played)
