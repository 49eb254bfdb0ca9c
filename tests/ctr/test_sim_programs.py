# SPDX-License-Identifier: Apache-2.0
"""Real programs through the CTR block in RTL: both variants and widths, both ways to drive,
and what a capture leaves.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from rvtrace.flow.captured import ctr as ctr_check
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.rows import Rows, answered
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.report.listing import ctr as ctr_entries
from rvtrace.tb.ctr.stimulus.builds import DEFAULT, DRAFT32, DRAFT64, LEAN
from rvtrace.tb.ctr.stimulus.stimulus import stimulus

SIZE = 2500
CTR = systems.bench("ctr")


def word(build: dict, *more: str) -> dict:
    """Options of a build in which every mode is recorded, and what the named fields ask for."""
    config = Config.from_dict(build)
    return {**build, "ctl": sum(config.bit(name) & config.fields for name in ("M", "S", "U", *more))}


@pytest.mark.parametrize("build", [DEFAULT, DRAFT64, DRAFT32, LEAN])
def test_programs(run_jobs, build):
    jobs = [
        Job(f"{name}-{what}", f"program:{name}", options, size=SIZE, gaps=gaps, ip="ctr")
        for name in recording.names()
        for what, options, gaps in (("all", word(build, "NTBREN"), 0), ("calls", word(build, "RASEMU"), 20))
    ]
    for result in run_jobs(jobs):
        assert result["stats"]["transfers"] > 1000 and result["stats"]["recorded"] > 0


def test_a_whole_program_is_what_the_hart_did_last(run_jobs):
    """The entries at the end are the last transfers of the retire stream, whatever came before and however it was
    played.
    """
    job = Job("whole", "program:sort", word(DEFAULT) | {"depth": 64}, keep=True, ip="ctr")
    run_jobs([job])
    program, retired = Program.from_elf(f"{job.out}/program.elf"), Retired.from_csv(f"{job.out}/retired.csv")
    moved = Transfers.of_retired(retired, program)
    last = moved.select(moved.type != 4).select(slice(None, -65, -1))  # branches not taken are not recorded
    entries = json.loads(Path(f"{job.out}/entries.json").read_text())
    reported = [(e["type"], int(e["source"], 16), int(e["target"], 16), e["valid"]) for e in entries]
    assert reported == list(zip(last.type.tolist(), last.source.tolist(), last.target.tolist(), [True] * 64))


@pytest.mark.parametrize("drive", ["bulk", "pins"])
@pytest.mark.parametrize("build", [DEFAULT, DRAFT32])
def test_monitors_see_what_was_played(run_jobs, drive, build):
    job = Job("seen", "random", word(build), 26, drive, grouping="random", gaps=20, size=900, keep=True, ip="ctr")
    run_jobs([job])
    seen, meant = Rows.load(f"{job.out}/rows.npz"), stimulus(job).rows
    moved = np.diff(meant.priv.astype(np.int8), prepend=np.int8(-1)) != 0
    meant = answered(meant, job.settings).select((meant.type != 0).any(axis=1) | (meant.op != 7) | moved)
    shift = seen.cycle[-1] - meant.cycle[-1]
    seen = seen.select(slice(len(seen) - len(meant), None))  # before the first row there is reset
    seen.cycle = seen.cycle - shift
    assert len(set(meant.op.tolist())) == 6 and meant.transfers > 500
    assert seen.differs(meant) is None


def test_call_paths(run_jobs):
    """During a recursion the valid entries of RAS emulation are its calls; the path of all transfers ends in
    the same place.
    """
    jobs = [
        Job(f"path-{how}", "program:recursion", {**word(DEFAULT, *fields), "depth": 32}, size=4000, ip="ctr")
        for how, fields in (("calls", ("RASEMU",)), ("all", ()))
    ]
    calls, all_ = run_jobs(jobs)
    program = recording.load("recursion", 64).program
    path = ctr_entries.call_path(calls["entries"], program, True)
    assert [place.partition("+")[0] for place in path] == ["_start", "program", "ackermann", "ackermann", "ackermann"]
    assert ctr_entries.call_path(all_["entries"], program, False)[-1].startswith("ackermann")
    names = [name for name, _, _ in ctr_entries.shown([calls, all_])]
    assert len(names) == 2 and all("recursion RV64 v1_0" in name for name in names)


def test_a_capture_is_checked_without_a_simulator(run_jobs, capsys):
    job = Job("offline", "program:switch", word(DEFAULT) | {"depth": 16}, size=SIZE, keep=True, ip="ctr")
    run_jobs([job])
    for exact in ("0", "1"):
        assert ctr_check.main([f"IN={job.out}", f"EXACT={exact}"]) == 0 and "PASS" in capsys.readouterr().out
    path = Path(job.out) / "rows.npz"
    rows = Rows.load(path)
    read = np.flatnonzero((rows.op == 0) & (rows.rdata != 0))[-1]
    rows.rdata[read] ^= np.uint64(1 << 15)  # another CCV or PC
    rows.save(path)
    assert ctr_check.main([f"IN={job.out}", "QUIET=1"]) == 1 and "holds other entries" in capsys.readouterr().err


def test_entries_of_the_model_are_those_of_a_capture(run_jobs):
    """A model that sees only the transfers of the ports ends with the entries that the CSRs gave."""
    job = Job("entries", "program:dispatch", word(DRAFT64) | {"depth": 128}, size=SIZE, keep=True, ip="ctr")
    (result,) = run_jobs([job])
    model = Ctr(job.settings)
    rows = Rows.load(f"{job.out}/rows.npz")
    before = 0
    for cycle, priv, transfers, access, rdata, _ in rows.cycles():
        model.idle(priv, max(0, cycle - before - 1))
        model.cycle(priv, transfers, access, rdata)
        before = cycle
    assert [model.entry(n).to_dict() for n in range(128)] == result["entries"]
