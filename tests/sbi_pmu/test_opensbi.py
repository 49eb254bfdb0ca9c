# SPDX-License-Identifier: Apache-2.0
"""OpenSBI on QEMU as a reference implementation, without QEMU: committed records, the page, comparing, the device tree,
commands.
"""

import struct
import subprocess
from dataclasses import replace

import pytest

from rvtrace.flow.opensbi.compare import Equal, changed, differing, platform_of, replay
from rvtrace.flow.opensbi.machine import Command, commands, events_of
from rvtrace.flow.opensbi.page import Recorded, page, recorded_machines, scoreboard
from rvtrace.flow.opensbi.play import install, policy_of
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.answers import SbiRet
from rvtrace.models.sbi_pmu.calls import Call, FirmwareEvent, Peek, Run, SupervisorCsr
from rvtrace.models.sbi_pmu.platform import Firmware, Hardware
from rvtrace.models.sbi_pmu.policy import KEYS, Policy
from rvtrace.models.sbi_pmu.record import Step, Work

FOUND = {recorded.name: recorded for recorded in recorded_machines()}
EACH = pytest.mark.parametrize("name", FOUND)


def test_the_page_shows_the_records_as_they_are() -> None:
    assert len(FOUND) >= 3
    text = page(list(FOUND.values()))
    assert text.startswith("# ") and all(recorded.title in text for recorded in FOUND.values())
    assert all(f"`{key}`" in text for recorded in FOUND.values() for key in recorded.rows)


@EACH
def test_the_record_is_what_the_scenarios_play_now(name: str) -> None:
    recorded = FOUND[name]
    actions = [action for scenario in recorded.scenarios() for action in scenario.actions]
    assert len(actions) == len(recorded.record.steps)
    for action, step in zip(actions, recorded.record.steps):
        assert step.action == (Work().then(action) if isinstance(action, Run) else action)
    assert recorded.record.policy.name == policy_of(recorded.versions)


@EACH
def test_the_named_policy_foresees_every_answer_and_each_row_what_the_page_says(name: str) -> None:
    record, rows = FOUND[name].record, FOUND[name].rows
    foreseen, strict = replay(record, record.policy), differing(record, replay(record, Policy()))
    assert differing(record, foreseen) == [] and strict
    assert all(record.policy[key] != KEYS[key].strict and example in strict for key, (_, example) in rows.items())
    for key in sorted(rows)[::10]:  # all of them take time
        made = changed(record, foreseen, record.policy, key) - FOUND[name].cleaning()
        assert made & set(strict), key


@EACH
def test_the_scoreboard_reads_the_chapter_as_the_models_do(name: str) -> None:
    verdict = scoreboard(FOUND[name])
    assert verdict.passed and sum(checked for checked, _ in verdict.book.results().values()) > 10_000


def test_what_is_missing_is_installed_or_named(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def apt(command: list[str], **_: object) -> subprocess.CompletedProcess:
        commands.append(command)
        return subprocess.CompletedProcess(command, returncode=len(commands) > 1)

    monkeypatch.setattr("rvtrace.flow.opensbi.play.subprocess.run", apt)
    monkeypatch.setattr(
        "rvtrace.flow.opensbi.play.shutil.which", lambda tool: None if tool.startswith("qemu") else tool
    )
    install(needs_opensbi=False)
    assert commands[0][-1] == "qemu-system-misc" and "apt-get" in commands[0]
    with pytest.raises(ArgumentError, match="type `sudo apt-get install qemu-system-misc`"):
        install(needs_opensbi=False)


def altered(recorded: Recorded, kind: type, address: int | None = None) -> int:
    """Changes the result of the last such step to another; the number of steps that then differ from what the policy
    foresees.
    """
    record = recorded.record
    at = max(
        n
        for n, s in enumerate(record.steps)
        if isinstance(s.action, kind) and address in (None, getattr(s.action, "address", None))
    )
    result = record.steps[at].result
    if isinstance(result, SbiRet):
        other: object = SbiRet(-2 if result.error != -2 else -3)
    else:
        other = bytes(len(result)) if isinstance(result, bytes) else result ^ 1 << 40 ^ 1 << 13 ^ 1 << 3
    steps = [step._replace(result=other) if n == at else step for n, step in enumerate(record.steps)]
    return len(differing(replace(record, steps=steps), replay(record, record.policy)))


@pytest.mark.parametrize(
    ("kind", "address"),
    [(Call, None), (Peek, None), (SupervisorCsr, 0xC03), (SupervisorCsr, 0x144), (SupervisorCsr, 0xDA0)],
)
def test_another_answer_is_found(kind: type, address: int | None) -> None:
    assert altered(FOUND["opensbi-1.6-rv64"], kind, address) == 1


def test_counters_are_compared_by_moving_and_by_their_upper_bits() -> None:
    platform = FOUND["opensbi-1.6-rv64"].record.platform
    base = 1 << 40

    def reads(*pairs: tuple[int, int]) -> list[bool]:
        equal = Equal(platform)
        return [equal.step(Step(SupervisorCsr(0, 0xC03), got), expected) for got, expected in pairs]

    assert reads((base + 5, base), (base + 900, base + 32)) == [True, True]
    assert reads((base + 5, base), (base + 5, base + 32)) == [True, False]  # is stopped, should count
    assert reads((base + 5, base), (base + 6, base)) == [True, False]  # counts, should be stopped
    assert reads((base + 5, base), (base, base)) == [True, True]  # as QEMU reads a stopped counter
    assert reads((5, base)) == [False]


def test_a_platform_is_what_discovery_answers() -> None:
    info = [SbiRet(0, 0x3FC00), SbiRet(-3), SbiRet(0, 0x2FC03), SbiRet(0, 1 << 63 | 0x1F000)]
    steps = [Step(Call.of(64, "counter_get_info", counter_idx=n), ret) for n, ret in enumerate(info)]
    steps += [
        Step(Call(fid, (0,) * 6), SbiRet(error))
        for fid, error in ((sbi.FW_READ_HI, -3), (sbi.SET_SHMEM, -2), (sbi.EVENT_GET_INFO, -2))
    ]
    platform = platform_of(64, {1: 0b1001, 2: 0b1000, 0x1_0019: 0b1000}, "rv64imac_sscofpmf", steps)
    assert platform.counters == (
        Hardware(0, 0, 64, frozenset({1})),
        Hardware(2, 3, 48, frozenset({1, 2, 0x1_0019})),
        Firmware(3),
    )
    assert (platform.sbi_version, platform.snapshot, platform.event_info, platform.firmware_width) == (
        (2, 0),
        False,
        False,
        32,
    )
    assert platform.sscofpmf and not platform.smcntrpmf


def test_the_device_tree_says_which_counter_monitors_what() -> None:
    names = b"riscv,isa\0riscv,event-to-mhpmcounters\0"
    cells = struct.pack(">9I", 1, 2, 0x9, 0x1_0019, 0x1_0019, 0x8, 0, 0, 0)
    body = (
        struct.pack(">I4x", 1)
        + struct.pack(">3I", 3, 5, 0)
        + b"rv64\0\0\0\0"
        + struct.pack(">3I", 3, len(cells), 10)
        + cells
    )
    body += struct.pack(">3I", 4, 2, 9)
    tree = struct.pack(">4I", 0xD00D_FEED, 0, 40, 40 + len(body)) + bytes(24) + body + names
    assert events_of(tree) == ({1: 9, 2: 9, 0x1_0019: 8}, "rv64")


def test_commands_are_words_in_memory_and_impossible_events_are_refused() -> None:
    (call,) = commands(Call.of(32, "counter_start", counter_idx_mask=1, initial_value=1 << 40))
    assert struct.unpack("<10Q", call.bytes()) == (1, 64, sbi.EID, 3, 0, 1, 0, 0, 1 << 8, 0)
    assert Command(3, (0x80, 3), b"abc").bytes() == struct.pack("<4Q", 3, 24, 0x80, 3) + b"abc" + bytes(5)
    assert len(commands(FirmwareEvent(5, 3))) == 3 and commands(FirmwareEvent(9)) == []
    with pytest.raises(ArgumentError, match="nothing makes firmware event 6 happen"):
        commands(FirmwareEvent(6))
