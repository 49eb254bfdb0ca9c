# SPDX-License-Identifier: Apache-2.0
"""From a job to the rows that are played: a recorded program's transfers, random ones, or a directed scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import numpy as np

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.ctr.transfers import Transfers, rows_of
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.csr import Access
from rvtrace.tb.common.stimulus.rows_stimulus import RowsStimulus, heard
from rvtrace.tb.ctr.stimulus.random_rows import Mix
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS
from rvtrace.tb.ctr.stimulus.script import Script
from rvtrace.tb.ctr.stimulus.software import Software

_MISP = 0.1  # share of a program's branches and jumps that were predicted wrong
_LOOKS = 8000  # cycles between two looks at all entries while a program runs
_SHARED = 0.5  # share of such accesses in cycles that have transfers as well


def stimulus(job: Job) -> RowsStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name."""
    return heard(job, _resolved(job))


def _resolved(job: Job) -> RowsStimulus:
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        return RowsStimulus(SCENARIOS.of(job).build(config, Random(job.rng_path("story"))), config)
    if kind == "program":
        return _program(job, config, name)
    if job.source != "random":
        raise JobError(
            f"SOURCE={job.source} is no stimulus of CTR; give SOURCE=program:<name>, scenario:<name> or random"
        )
    mix = Mix(config, Random(job.rng_path("mix")), job.gaps, job.grouping == "longest")
    return RowsStimulus(mix.play(job.size).rows(), config)


def _program(job: Job, config: Config, name: str) -> RowsStimulus:
    """A program from its first instruction to its last (or its first transfers), with CSR reads now and then, and read
    out at its end.
    """
    run = recording.load(name, config.xlen)
    rng = Random(job.rng_path("program"))
    retired = run.retired
    if job.size != Job.size:  # with the row after the last transfer: it has the target
        ends = rows_of(retired, run.program)[job.size : job.size + 1] + 1
        retired = retired.select(slice(0, int(ends[0]) if len(ends) else None))
    transfers = Transfers.of_retired(retired, run.program, rng, slots=config.transfers, gaps=job.gaps / 100, misp=_MISP)
    transfers = transfers if job.size == Job.size else transfers.select(slice(0, job.size))
    software = Software(config)
    begin, end = _alone(config, software.set_up()), _alone(config, _read_out(config))
    body = looked_at(Rows.of_transfers(transfers, config.transfers), config, rng)
    return RowsStimulus(Rows.concat([begin, body, end]), config, run.program, retired, Path(run.program_path))


def _alone(config: Config, accesses: Iterable[Access]) -> Rows:
    """Accesses without transfers, in M-mode."""
    script = Script(config)
    for access in accesses:
        script.group([], access)
    return script.rows()


def _read_out(config: Config) -> Iterator[Access]:
    yield from Software(config).read_state()
    yield from Software(config).entries(config.depth)


def looked_at(rows: Rows, config: Config, rng: Random) -> Rows:
    """The rows with reads of all entries among them, begun every few thousand cycles; only an iselect is written, so
    nothing else changes.

    Each access goes into the next row, which may have transfers, or into an idle cycle after one.
    """
    out = rows.select(slice(None))
    free = np.append(np.diff(out.cycle.astype(np.int64)) > 1, True).tolist()
    extra: list[tuple[int, int, list, Access]] = []
    reads = iter(())
    since, at = -_LOOKS // 2, 0
    cycle = out.cycle.tolist()
    after = np.take_along_axis(out.to, np.maximum(np.count_nonzero(out.type, axis=1) - 1, 0)[:, None], 1)[:, 0]
    after = np.where(out.type[:, 0] != 0, after, out.priv).tolist()
    while at < len(out):
        access = next(reads, None)
        if access is None:
            if cycle[at] - since < _LOOKS:
                at += 1
                continue
            since, reads = cycle[at], iter([*Software(config).read_state(), *Software(config).entries(config.depth)])
            continue
        if free[at] and rng.random() > _SHARED:
            extra.append((cycle[at] + 1, after[at], [], access))
        else:
            out.op[at], out.addr[at], out.wdata[at], out.mode[at], out.xlen32[at] = access
        at += 1
    return _merged(out, Rows.from_rows(extra, out.slots))


def _merged(a: Rows, b: Rows) -> Rows:
    """Two sets of rows in one order; no cycle is in both."""
    order = np.argsort(np.concatenate([a.cycle, b.cycle]), kind="stable")
    return Rows(
        **{name: np.concatenate([getattr(a, name), getattr(b, name)])[order] for name in Rows.__dataclass_fields__}
    )
