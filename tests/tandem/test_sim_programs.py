# SPDX-License-Identifier: Apache-2.0
"""Real programs through the tandem-trace encoder in RTL: what a capture leaves is decoded, checked and verified without
a simulator.
"""

import json
from pathlib import Path

import pytest

from rvtrace.flow.captured import tandem as tandem_check
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.tb.tandem.stimulus.builds import DEFAULT, DUAL, LEAN, RV32
from rvtrace.tools import capture_loading, check_replay
from rvtrace.tools import decode as decode_tool
from tests.common.long import some
from tests.common.there import there

SIZE = 500
TANDEM = systems.bench("tandem")


@pytest.mark.parametrize(
    ("build", "how"),
    [
        (DEFAULT, {}),
        (RV32, {"grouping": "random", "backpressure": 30}),
        (DUAL, {"grouping": "random"}),
        (LEAN, {"gaps": 10}),
    ],
)
def test_programs(run_jobs, build, how):
    jobs = [
        Job(name, f"program:{name}", dict(build), size=SIZE, ip="tandem", **how) for name in some(recording.names(), 3)
    ]
    for result in run_jobs(jobs):
        assert result["stats"]["instructions"] > SIZE * 0.9


@pytest.fixture
def captured(run_jobs) -> Path:
    """A folder as `make capture IP=tandem PROGRAM=traps` leaves it, of the first instructions."""
    job = Job("captured", "program:traps", dict(RV32), size=SIZE, keep=True, grouping="random", ip="tandem")
    run_jobs([job])
    return Path(job.out)


def test_a_capture_is_used_without_a_simulator(captured, capsys):
    """Every file is there and means the same; check, decode and verify are content with it, and not once a byte of it
    is another.
    """
    config = Config.from_dict(json.loads((captured / "config.json").read_text()))
    program, retired = Program.from_elf(captured / "program.elf"), Retired.from_csv(captured / "retired.csv")
    decoded = decode((captured / "trace.bin").read_bytes(), config)
    reported = [group.pc for group in decoded.groups() if not group.outside and not group.init and not group.reset]
    assert reported == retired.pc.tolist() and len(reported) == SIZE
    for exact in ("0", "1"):
        assert tandem_check.main([f"IN={captured}", f"EXACT={exact}"]) == 0 and "PASS" in capsys.readouterr().out
    assert check_replay.main([f"IN={captured}"]) == 0
    assert "at fault: 0 model, 0 hart, 0 trace" in capsys.readouterr().out
    assert decode_tool.main([f"IN={captured}"]) == 0
    shown = capsys.readouterr().out
    assert program.place(program.entry) in shown and "sp (x2)" in shown and "bytes per instruction" in shown
    data = bytearray((captured / "trace.bin").read_bytes())
    group = next(
        group
        for group in decoded.groups(len(decoded) - 200)
        if group.size and any(0x1000 < key < 0x1020 for key, _ in group.changes)
    )
    at = data.index(b"\x04", group.offset)
    data[at + 3] ^= 0x10
    (captured / "trace.bin").write_bytes(data)
    assert tandem_check.main([f"IN={captured}", "QUIET=1"]) == 1 and "FAIL" in capsys.readouterr().out
    assert check_replay.main([f"IN={captured}"]) == 1 and f"group {group.number} " in capsys.readouterr().out


def test_a_program_is_loaded_by_its_trace(tmp_path, capsys):
    """`make capture LOAD=<elf>` gives what a decoder reads as the program's bytes."""
    run = recording.load("sort", 32)
    out = tmp_path / "sort.trace"
    assert (
        capture_loading.main([f"LOAD={run.program_path}", f"OUT={out}"]) == 0
        and f"wrote {out}" in capsys.readouterr().out
    )
    memory: dict[int, int] = {}
    decoded = decode(out.read_bytes(), Config(xlen=32))
    for group in decoded.groups():
        for one in group.memory:
            memory.update(enumerate(there(one.data).to_bytes(1 << one.size, "little"), one.address))
    for base, body in [*run.program.segments, *run.program.data]:
        assert bytes(memory[base + n] for n in range(len(body))) == bytes(body)
    assert group.next_pc == run.program.entry


@pytest.mark.parametrize(("tool", "words", "reported"), [
    (check_replay, [], "give TRACE=<file>"), (check_replay, ["IP=ntrace", "TRACE=x"], "has no verifier"),
    (check_replay, ["IP=tandem", "TRACE=x"], "x does not exist"), (capture_loading, [], "give LOAD=<file>"),
    (tandem_check, ["IN=nowhere"], "nowhere"),
])  # fmt: skip
def test_what_is_missing_is_said(tool, words, reported):
    with pytest.raises(ValueError, match=reported):
        tool.main(words)
