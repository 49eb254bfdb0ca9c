# SPDX-License-Identifier: Apache-2.0
"""Captures of the subsystem for the tests of its cross-check: every trace source is a model, on a recorded program; and
how each of them can lie.
"""

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.etrace.encoder.encode import Encoder as EtraceEncoder
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.ntrace.encoder.encode import Encoder as NtraceEncoder
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.csr import READ, WRITE, Access, M
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.subsystem.config import COUNTERS, INHIBIT_LSB, Config
from rvtrace.models.subsystem.events import EVENTS, ITYPES
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture
from rvtrace.scoreboards.subsystem.parts import beats_of, for_etrace
from rvtrace.scoreboards.subsystem.transfers import rows_of

STRETCHES = 3


@cache
def good(program: str = "sort", size: int = 3000, **options: Any) -> SubsystemCapture:
    """What correct trace sources record of the first `size` events of a program."""
    config = Config.from_dict(options)
    run = recording.load(program, config.xlen)
    rng = Random(f"{program}:{size}:capture")
    retired = run.retired.select(slice(0, size))
    cycle = _cycles(retired, config.retire, rng)
    missed = np.array([rng.random() < 0.1 for _ in range(size)])[: len(retired)] & np.isin(
        retired.itype, (4, 5, 8, 10, 13)
    )
    rows = _rows(run, config, size, cycle, retired)
    beats = beats_of(retired, cycle, config.retire)
    # one more, so that the last one's target is known
    moves = Transfers.of_retired(run.retired.select(slice(0, size + 1)), run.program)
    snapshots = _software(config, moves, rows_of(retired, run.program), retired, cycle, missed, rows)
    return SubsystemCapture(
        config,
        run.program,
        retired,
        cycle,
        rows,
        NtraceEncoder(config.ntrace).run(beats).data,
        EtraceEncoder(config.etrace).run(for_etrace(beats, config.etrace.ctype)).data,
        encode(rows, config.tandem).data,
        snapshots=snapshots,
        mispredicted=missed,
        rerun="make run IP=subsystem",
    )


def _cycles(run: Retired, retire: int, rng: Random) -> np.ndarray:
    """As a hart retires: those of one cycle have one mode and context, and a trap is the last of them."""
    apart = (run.kind[:-1] != Kind.INSN) | (run.priv[1:] != run.priv[:-1]) | (run.context[1:] != run.context[:-1])
    now, used, out = 10, 0, []
    for alone in [True, *apart.tolist()]:
        step = rng.choice((0, 1, 1, 4) if retire > 1 else (1, 1, 1, 5)) or int(alone or used == retire)
        now, used = now + step, 1 if step else used + 1
        out.append(now)
    return np.array(out, np.uint64)


def _rows(run: recording.Recording, config: Config, size: int, cycle: np.ndarray, retired: Retired) -> Rows:
    """The rows of the tandem trace; now and then with the counters."""
    rows = from_recording(run)
    reported = np.flatnonzero(rows.have("group") & ~rows.have("init") & ~rows.have("reset"))
    end = int(reported[len(retired)]) if len(retired) < len(reported) else len(rows) - 1
    rows = Rows.concat([rows.select(slice(0, end)), rows.select(slice(len(rows) - 1, None))])
    reported = reported[: len(retired)]
    rows.has[reported[::7]] |= np.uint32(HAS["mcycle"] | HAS["minstret"])
    insn = retired.kind == Kind.INSN
    before = np.searchsorted(cycle, cycle, side="left")
    rows.minstret[reported] = np.concatenate([[0], np.cumsum(insn)])[before]
    rows.mcycle[reported] = cycle
    return rows


def _software(
    config: Config,
    moves: Transfers,
    at: np.ndarray,
    retired: Retired,
    cycle: np.ndarray,
    missed: np.ndarray,
    rows: Rows,
) -> list[Snapshot]:
    """The models of counters and records, fed by the same port, and read at the ends of some stretches."""
    ctr, hpm, depth, mode = Ctr(config.ctr), Hpm(config.hpm), config.ctr.depth_code(config.ctr_depth), int(M)
    for address, value in ((0x34E, config.ctr.ctl), (0x24E, config.ctr.vsctl), (0x15F, depth)):
        ctr.access(Access(WRITE, address, value, M))
    for counter, selector, modes in zip(COUNTERS, config.events, config.inhibit):
        hpm.events[counter] = selector | modes << INHIBIT_LSB
    events = _events(retired, missed, rows)
    moves, reported = moves.select(slice(0, len(at))), []
    at = at[: len(moves)]
    moves.cycle, moves.misp = cycle[at], missed[at].astype(np.uint8)
    groups = {c: (p, g) for c, p, g in moves.cycles()}
    stops = {int(cycle[k]): k + 1 for k in np.linspace(0, len(retired) - 1, STRETCHES + 1).astype(int)[1:].tolist()}
    for now in range(int(cycle[-1]) + 1):
        here = slice(*np.searchsorted(cycle, [now, now + 1]).tolist())
        insns = int(np.count_nonzero(retired.kind[here] == Kind.INSN))
        mode = int(retired.priv[here.start]) if here.start < here.stop else mode
        hpm.cycle(mode, Counts(1, insns, tuple(events[here].sum(axis=0).tolist())))
        mode = int(retired.priv[min(here.stop, len(retired) - 1)]) if here.start < here.stop else mode
        priv, group = groups.get(now, (M, []))
        ctr.retire(priv, group)
        if now in stops:
            reported.append(_snapshot(config, ctr, hpm, here.stop, now + 1))
    return reported


def _events(retired: Retired, missed: np.ndarray, rows: Rows) -> np.ndarray:
    """What each row of the stream counts as, a column for each of EVENTS."""
    out = np.zeros((len(retired), len(EVENTS)), int)
    for name, itypes in ITYPES.items():
        out[:, EVENTS.index(name)] = np.isin(retired.itype, itypes)
    reported = np.flatnonzero(rows.have("group") & ~rows.have("init") & ~rows.have("reset") & ~rows.have("flush"))
    insn = retired.kind == Kind.INSN
    out[:, EVENTS.index("store")] = insn & rows.have("memdata")[reported]
    out[:, EVENTS.index("load")] = insn & rows.have("paddr")[reported] & ~rows.have("memdata")[reported]
    out[:, EVENTS.index("mispredict")] = missed
    return out


def _snapshot(config: Config, ctr: Ctr, hpm: Hpm, at: int, cycle: int) -> Snapshot:
    counters = {"mcycle": hpm.counter(0), "minstret": hpm.counter(2)} | {
        f"mhpmcounter{n}": hpm.counter(n) for n in COUNTERS
    }
    entries = [ctr.entry(k) for k in range(config.ctr_depth)]
    status = ctr.access(Access(READ, 0x14F)).rdata
    return Snapshot(at, cycle, counters, [entry.registers() for entry in entries if entry.valid], status)


def lying(capture: SubsystemCapture, **changes: Any) -> SubsystemCapture:
    """The same run with something else in some of its columns."""
    return replace(capture, **changes)
