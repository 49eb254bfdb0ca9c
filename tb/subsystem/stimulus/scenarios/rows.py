# SPDX-License-Identifier: Apache-2.0
"""Rows of the hart port that the tandem trace alone takes: what changes outside groups, and rows that are not legal."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from rvtrace.jobs.job import Job
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.table import FETCH, HAS, LOAD, STORE
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.tb.subsystem.agents.files import REPORTED
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, DUAL, LEAN, RV32
from rvtrace.tb.subsystem.stimulus.rows import on_port, walk_rows
from rvtrace.tb.subsystem.stimulus.scenarios.base import BOTH, FLOW, scenario
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus, played, walked

_SIZE = 400
_MIP, _OTHER = 0x344, 14  # a CSR that devices change; an operation that no request has
_BLOCKED = 60  # rows, more than the tandem trace holds


def outside(config: Config, rng: Random) -> TraceData:
    """What changes outside groups: a CSR, the time, a transaction of the bus."""
    value, address = rng.getrandbits(32), rng.getrandbits(32) & ~7
    return rng.choice((
        TraceData(group=False, csr=((_MIP, value),)),
        TraceData(group=False, mtime=value),
        TraceData(group=False, request=(rng.choice((FETCH, LOAD, STORE)), 2, address, value), response=(0, value)),
        TraceData(group=False, request=(LOAD, 3 if config.xlen == 64 else 2, address, 0)),
    ))  # fmt: skip


def _illegal(rng: Random) -> Rows:
    """A row that breaks one of the rules of docs/reference/tandem-profile.md, "Legal rows"."""
    row = Rows.from_rows([TraceData(group=False, csr=((_MIP, 1),))])
    name = rng.choice(("insn", "reset", "response", "request", "flush"))
    row.has[:] = HAS[name] | (HAS["csr0"] if name == "flush" or rng.randrange(2) else 0)
    row.req_op[:] = _OTHER
    return row


def among(rows: Rows, more: list[Rows], rng: Random) -> Rows:
    """The rows with others at random places, after the first and before the last one."""
    edges = sorted(rng.randrange(1, len(rows)) for _ in more)
    parts = [rows.select(slice(begin, end)) for begin, end in zip([0, *edges], [*edges, len(rows)])]
    return Rows.concat([part for pair in zip(parts, [*more, rows.select(slice(0, 0))]) for part in pair])


@scenario(*FLOW, "SUB.parts.tandem", "SUB.tandem.error", configs=(*BOTH, DUAL, LEAN))
def rows_between(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Rows that no other unit takes stand between instructions: CSRs, time, transactions of the bus."""
    program, retired = walked(config, rng, _SIZE, trap=0.02)
    rows = walk_rows(retired, program, Random(job.rng_path("effects")))
    more = [Rows.from_rows([outside(config, rng)]) for _ in range(120)]
    return played(job, config, program, retired, among(rows, more, rng))


@scenario(*FLOW, "SUB.parts.tandem", "SUB.tandem.error", "SUB.registers", configs=(*BOTH, DUAL))
def illegal_rows(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Some rows are not legal: error and status report them, nothing is sent for them, and no other unit takes them."""
    program, retired = walked(config, rng, _SIZE, trap=0.02)
    rows = walk_rows(retired, program, Random(job.rng_path("effects")))
    return played(job, config, program, retired, among(rows, [_illegal(rng) for _ in range(12)], rng))


@scenario(*FLOW, "SUB.run", "SUB.registers", "SUB.monitors", "SUB.parts.tandem", configs=(DEFAULT, RV32))
def tandem_off(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Nobody takes the tandem trace, until it stalls the hart; software disables it, and the hart goes on at once."""
    program, retired = walked(config, rng, _SIZE, trap=0.02)
    what = played(job, config, program, retired, walk_rows(retired, program, Random(job.rng_path("effects"))))
    rows = Rows.from_rows([outside(config, rng) for _ in range(_BLOCKED)])
    reported = {name: np.zeros(len(rows), dtype) for name, dtype in REPORTED.items()}
    return replace(what, stretches=[*what.stretches, on_port(rows, reported, config, rng)], blocked=len(what.stretches))
