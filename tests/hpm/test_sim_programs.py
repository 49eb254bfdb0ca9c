# SPDX-License-Identifier: Apache-2.0
"""Real programs under counters in RTL: what is counted is what the program did, both ways to drive, and what a capture
leaves.
"""

from pathlib import Path

import numpy as np
import pytest

from rvtrace.flow.captured import hpm as hpm_check
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job, JobError
from rvtrace.models.hpm.bulk import load_state, save_state
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import NO_ACCESS, Rows, answered
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.retired import IType, Kind
from rvtrace.report.listing import hpm as hpm_counters
from rvtrace.tb.hpm.stimulus.builds import DEFAULT, PLAIN, RV32, USER
from rvtrace.tb.hpm.stimulus.stimulus import stimulus
from tests.common.long import some
from tests.common.there import there

SIZE = 2500
HPM = systems.bench("hpm")


@pytest.mark.parametrize("build", [DEFAULT, RV32, PLAIN])
def test_programs(run_jobs, build):
    jobs = [
        Job(name, f"program:{name}", dict(build), size=SIZE, gaps=10, ip="hpm") for name in some(recording.names(), 3)
    ]
    for result in run_jobs(jobs):
        assert result["counters"][1]["value"] > SIZE // 2


def test_a_whole_program_is_counted(run_jobs):
    """Instructions, loads and stores, branches and traps are those of the recording, whatever the cycles."""
    (result,) = run_jobs([Job("whole", "program:traps", dict(DEFAULT), ip="hpm")])
    retired = recording.load("traps", 64).retired
    value = {counter["csr"]: counter["value"] for counter in result["counters"]}
    assert value["minstret"] == (retired.kind == Kind.INSN).sum()
    assert (value["mhpmcounter3"] + 500) % 2**64 == (there(retired.effects).mem_size != 0).sum()
    assert value["mhpmcounter5"] == np.isin(retired.itype, (IType.TAKEN, IType.NOT_TAKEN)).sum()
    assert value["mhpmcounter7"] == np.isin(retired.kind, (Kind.EXCEPTION, Kind.INTERRUPT)).sum() > 0
    in_mode = [counter for counter in result["counters"] if counter["selector"] == 2 and counter["filters"]]
    assert [counter["value"] for counter in in_mode[:3]] == [
        ((retired.kind == Kind.INSN) & (retired.priv == mode)).sum() for mode in (3, 1, 0)
    ]
    ((name, line, text),) = hpm_counters.shown([result, result])
    assert (
        name.startswith("traps RV64 MSUH")
        and f"{value['minstret']:,} instructions retired" in line
        and "not in S, U" in text
    )


@pytest.mark.parametrize("build", [DEFAULT, RV32])
def test_both_drives_show_the_same(run_jobs, build):
    """The rows that were played come back, with more only where the state turned;
    bulk and pins leave the same record.
    """
    jobs = [
        Job(drive, "random", dict(build), 26, drive, gaps=20, size=900, keep=True, ip="hpm")
        for drive in ("bulk", "pins")
    ]
    run_jobs(jobs)
    bulk, pins = (Rows.load(f"{job.out}/rows.npz") for job in jobs)
    first, second = (load_state(Path(job.out) / "state.npz") for job in jobs)
    for name in ("counters", "of", "lcofip", "lcofie"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    pins.cycle[1:] -= pins.cycle[1] - bulk.cycle[1]
    assert bulk.differs(pins) is None
    meant = answered(stimulus(jobs[0]).rows, jobs[0].settings)
    meant.cycle += bulk.cycle[-1] - meant.cycle[-1] - np.uint64(1)  # the last row is of the cycle after
    meant.time[meant.op == NO_ACCESS] = 0  # means nothing
    at = np.isin(meant.cycle, bulk.cycle)
    seen = bulk.select(np.isin(bulk.cycle, meant.cycle))
    assert seen.differs(meant.select(at)) is None
    left = meant.select(~at)
    assert not left.accesses and not left.retired.any() and not left.events.any()


def test_each_cycle_is_known_from_the_rows(run_jobs):
    """Between two rows every counter moves along a line (modulo 2^64) and nothing else moves: the model's state in any
    cycle is found.
    """
    job = Job("lines", "random", dict(RV32), 8, gaps=60, size=1500, keep=True, ip="hpm")
    run_jobs([job])
    rows, state, model = Rows.load(f"{job.out}/rows.npz"), load_state(Path(job.out) / "state.npz"), Hpm(job.settings)
    clocks, kinks = rows.clocks.tolist(), 0
    for k, (_, priv, counts, access, _, _) in enumerate(rows.cycles()):
        assert (
            model.counters == state.counters[k].tolist() and model.of == state.of[k] and model.lcofip == state.lcofip[k]
        )
        kinks += access is None and not counts.retired and not any(counts.events)
        model.cycle(priv, counts, access)
        if clocks[k] > 1:
            step = [after - before for before, after in zip(state.counters[k].tolist(), model.counters)]
            for n in range(1, min(clocks[k], 40)):
                assert model.counters == [
                    (value + more * n) % 2**64 for value, more in zip(state.counters[k].tolist(), step)
                ]
                assert (model.of, model.lcofip) == (state.of[k], state.lcofip[k])
                model.cycle(priv, counts._replace(retired=0, events=()))
            model.idle(priv, max(0, clocks[k] - 40), counts.cycle, counts.stopcount)
    assert kinks > 20


def test_a_capture_is_checked_without_a_simulator(run_jobs, capsys):
    job = Job("offline", "program:switch", dict(DEFAULT), size=SIZE, keep=True, ip="hpm")
    run_jobs([job])
    hpm_counters.write(Path(job.out))
    for exact in ("0", "1"):
        assert hpm_check.main([f"IN={job.out}", f"EXACT={exact}"]) == 0 and "PASS" in capsys.readouterr().out
    assert (
        hpm_counters.main([f"IN={job.out}"]) == 0
        and capsys.readouterr().out == (Path(job.out) / "counters.txt").read_text()
    )
    path = Path(job.out) / "state.npz"
    state = load_state(path)
    state.counters[1000:, 2] += np.uint64(1)  # minstret counts one too many
    save_state(path, state)
    assert hpm_check.main([f"IN={job.out}", "QUIET=1"]) == 1 and "FAIL" in capsys.readouterr().out
    rows = Rows.load(Path(job.out) / "rows.npz")
    rows.rdata[np.flatnonzero(rows.op != NO_ACCESS)[-1]] ^= np.uint64(1 << 40)
    rows.save(Path(job.out) / "rows.npz")
    assert hpm_check.main([f"IN={job.out}", "QUIET=1"]) == 1 and "holds other values" in capsys.readouterr().err


def test_a_program_needs_the_modes_it_runs_in():
    with pytest.raises(JobError, match="runs in S-mode"):
        stimulus(Job("traps", "program:traps", dict(USER), ip="hpm"))
    assert {job.source for job in HPM.programs(True) if job.config == USER} < {
        f"program:{name}" for name in recording.names()
    }
