# SPDX-License-Identifier: Apache-2.0
"""The record of a run: saved and loaded again it is the same, and a file that is none is refused in one sentence."""

import lzma
import random
from pathlib import Path

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import M, U
from rvtrace.models.sbi_pmu.backend import ReadCsr, WriteMem
from rvtrace.models.sbi_pmu.backend_hpm import HpmBackend, platform_of
from rvtrace.models.sbi_pmu.calls import Call, Peek, Run, SupervisorCsr
from rvtrace.models.sbi_pmu.client import Client
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.random_calls import random_calls
from rvtrace.models.sbi_pmu.record import Boot, Record, Recorder, RecordError, Step, Work


def recorder(xlen: int, **choices: str) -> Recorder:
    backend = HpmBackend(Hpm(Config(xlen=xlen)))
    return Recorder(platform_of(backend.hpm.config), backend, Policy("strict", **choices), clock=lambda: 7, quiet=True)


def test_a_record_is_the_same_when_it_is_loaded(xlen: int, tmp_path: Path) -> None:
    recording = recorder(xlen, empty_set="refuse")
    client = Client(xlen, 0x8000_1000)
    recording.play(client.boot())
    recording.play(client.add(3, period=5))
    recording.worked(Work(4, ((1, 3, 9), (0, 1, 4))))
    recording.play(client.overflow())
    for action in random_calls(random.Random("1:record"), recording.record.platform, 200):
        recording.act(action)
    record = recording.record
    path = tmp_path / "calls.jsonl"
    record.save(path)
    loaded = Record.load(path)
    assert loaded.platform == record.platform and loaded.quiet and loaded.xlen == xlen
    assert (
        loaded.policy.name == "strict"
        and loaded.policy.choices == record.policy.choices
        and loaded.policy["empty_set"] == "refuse"
    )
    assert loaded.steps == record.steps
    assert len(path.read_text().splitlines()) == len(record.steps) + 1


def test_steps_have_results_and_operations(xlen: int) -> None:
    recording = recorder(xlen)
    assert recording.act(Call.of(xlen, "counter_start", counter_idx_base=3, counter_idx_mask=1)) == SbiRet(0)
    assert recording.act(SupervisorCsr(0, 0xC03)) == 0
    recording.act(Call.of(xlen, "snapshot_set_shmem", shmem_phys_lo=0x8000_1000))
    recording.act(Call.of(xlen, "counter_stop", counter_idx_base=3, counter_idx_mask=1, stop_flags=2))
    recording.act(Peek(0x8000_1000, 8))
    boot, start, csr, shmem, stop, peek = recording.record.steps
    assert (
        boot.action == Boot()
        and boot.operations
        and start.operations
        and shmem.operations == (((0x8000_1000, 4096), True),)
    )
    assert (ReadCsr(0x320) in [operation for operation, _ in start.operations]) and csr == Step(
        SupervisorCsr(0, 0xC03), 0, (), 7
    )
    assert stop.operations is not None and any(isinstance(operation, WriteMem) for operation, _ in stop.operations)
    assert peek.result == bytes(8) and peek.operations == ()


def test_what_no_firmware_of_ours_does_is_kept_as_well(tmp_path: Path) -> None:
    record = Record(
        Platform.example(selectors={(3, 4): 5, 4: 9}),
        steps=[Step(Call(0x7FFF_FFFF, (1,) * 6), SbiRet(-77, 1 << 63), None)],
    )
    record.save(tmp_path / "calls.jsonl")
    loaded = Record.load(tmp_path / "calls.jsonl")
    assert loaded.steps == record.steps and loaded.platform == record.platform


def test_what_the_hart_did_in_a_row_is_summed() -> None:
    """A halted hart counts no cycle, Debug Mode with stopcount nothing; the others count in each of their cycles."""
    runs = (
        Run(M, Counts(1, 2, (1,)), 3),
        Run(M, Counts(0, 0, (2,)), 5),
        Run(U, Counts(1, 1, (), 1), 7),
        Run(U, Counts(), 4),
    )
    work = Work(10, ((M, 2, 1),)).then(*runs)
    assert work == Work(10 + 3 + 4, ((U, 1, 4), (M, 1, 3), (M, 2, 1 + 6), (M, 3, 3 + 10)))
    record = Record(Platform.example())
    for one in runs:
        record.ran([one], 8)
    assert record.steps == [Step(Work().then(*runs), None, (), 8)]
    record.ran([])
    assert len(record.steps) == 1


@pytest.mark.parametrize(("text", "needed"), [
    ("", "is empty"), ("{}\n", "line 1 is no line"), ("[1]\n", "line 1"), ('{"format": 99}\n', "format 99, needed 1"),
    ("x\n", "line 1"),
])  # fmt: skip
def test_a_file_that_is_no_record_is_refused(text: str, needed: str, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text(text)
    with pytest.raises(RecordError, match=needed):
        Record.load(tmp_path / "calls.jsonl")


def test_a_step_that_is_none_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    Record(Platform.example()).save(path)
    path.write_text(path.read_text() + '{"do": "Nothing"}\n')
    with pytest.raises(RecordError, match="line 2"):
        Record.load(path)


def test_a_compressed_record_is_read_as_it_is_and_always_has_the_same_bytes(tmp_path: Path) -> None:
    record = Record(Platform.example(), steps=[Step(Call(0x7FFF_FFFF, (1,) * 6), SbiRet(-77, 1 << 63), None)])
    plain, first, second = (tmp_path / name for name in ("calls.jsonl", "first.jsonl.xz", "second.jsonl.xz"))
    for path in (plain, first, second):
        record.save(path)
    assert first.read_bytes() == second.read_bytes() and lzma.decompress(first.read_bytes()) == plain.read_bytes()
    assert Record.load(first).steps == Record.load(plain).steps == record.steps
    first.write_bytes(plain.read_bytes())
    with pytest.raises(RecordError, match="is no record"):
        Record.load(first)
