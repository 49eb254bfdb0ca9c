# SPDX-License-Identifier: Apache-2.0
"""What the hart of the subsystem plays: beats that keep the rules of its port, in stretches that lose nothing, and read
back as they were reported.
"""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.table import HAS
from rvtrace.tb.subsystem.agents import files
from rvtrace.tb.subsystem.agents.files import STOPPED, HartRows
from rvtrace.tb.subsystem.stimulus.rows import reported_of, walk_rows
from rvtrace.tb.subsystem.stimulus.stimulus import stimulus
from rvtrace.tb.subsystem.stimulus.walks import cut, walked

SIZE = 600


def _job(source: str = "random", seed: int = 1, **more: object) -> Job:
    given = {"size": SIZE, "gaps": 30, "grouping": "random", **more}
    config = {"xlen": given.pop("xlen", 64), "retire": given.pop("retire", 2)}
    return Job("port", source, config, seed, ip="subsystem", **given)


def _seen(parts: list[HartRows], config: Config, folder: Path) -> files.Seen:
    """The stretches, as the recorder would have written them: every beat taken."""
    tables = [part.table(config.tandem) for part in parts]
    head = [("cycle", "<u8"), ("levels", "<u4"), ("zero", "<u4"), ("mcycle", "<u8"), ("minstret", "<u8")]
    table = np.zeros(sum(map(len, tables)), np.dtype([*head, ("slots", tables[0].dtype["slots"])]))
    table["cycle"] = np.arange(len(table)) + 5
    table["mcycle"], table["minstret"] = 1000 + table["cycle"], 2000 + table["cycle"]
    for name in ("levels", "slots"):
        table[name] = np.concatenate([one[name] for one in tables])
    table["levels"] |= 1 << 20 | 1 << 18  # taken, tandem trace is on
    table.tofile(folder / files.HART)
    return files.read_hart(folder / files.HART, config.retire)


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("source", ["random", "program:traps"])
def test_what_is_sent_is_what_is_read(source: str, xlen: int, tmp_path: Path) -> None:
    job = _job(source, xlen=xlen)
    what = stimulus(job)
    seen = _seen(what.stretches, what.config, tmp_path)
    meant = what.retired if source == "random" else recording.load("traps", xlen).retired.select(slice(0, SIZE))
    for name in ("kind", "pc", "size", "itype", "taken", "cause", "priv", "context"):
        assert (getattr(seen.retired, name) == getattr(meant, name)).all(), name
    assert not len(seen.errors) and len(seen.cycle) == len(meant)
    assert (seen.mode_next[:-1] == meant.priv[1:]).all() and not seen.halted
    assert [len(ranges) for ranges in seen.enabled] == [0, 0, 1], "the tandem trace is on in each row"
    assert (seen.rows.mcycle == seen.rows.cycle + 1000).all(), "tandem trace reports the counters"
    assert seen.event_cycle.size and (seen.events.max(axis=1) == 1).all()


@pytest.mark.parametrize("seed", range(4))
def test_beats_keep_the_rules_of_the_port(seed: int) -> None:
    what = stimulus(_job(seed=seed, grouping=("longest", "random")[seed % 2]))
    two = 0
    for part in what.stretches:
        columns, beat = part.reported, part.rows.cycle.astype(np.int64)
        assert (np.diff(beat) >= 0).all() and np.bincount(beat).max() <= 2
        assert not (part.levels[beat] & STOPPED).any(), "nothing retires in a cycle that does not count"
        same = np.flatnonzero((np.diff(beat) == 0) & (columns["reported"][1:] & columns["reported"][:-1]).astype(bool))
        two += len(same)
        for name in ("mode", "context"):
            assert (columns[name][same] == columns[name][same + 1]).all()
        assert not np.isin(columns["itype"][same], (IType.EXCEPTION, IType.INTERRUPT)).any(), (
            "a trap is the last of its beat"
        )
    assert two > SIZE / 8


def test_stretches_lose_nothing() -> None:
    what = stimulus(_job())
    whole = what.stretches[0]
    parts = cut(whole, Random(3), 6)
    assert len(parts) > 1 and sum(map(len, parts)) == len(whole)
    assert np.concatenate([part.reported["pc"] for part in parts]).tolist() == whole.reported["pc"].tolist()
    assert all((part.levels[-1] & 0xFF) == 0 for part in parts[:-1]), "no stretch ends where the hart waits"


def test_traps_report_their_registers_and_every_change_of_mode() -> None:
    config = Config()
    program, retired = walked(config, Random(5), 2000, trap=0.1, switch=0.5)
    rows = walk_rows(retired, program, Random(6))
    steps = rows.select(rows.have("group") & ~rows.have("reset"))
    traps = np.flatnonzero(retired.kind != Kind.INSN)
    assert len(traps) > 20 and len(steps) == len(retired)
    assert (steps.csr[traps, 0] == retired.pc[traps]).all() and (steps.csr_addr[traps, 0] & 0xFF == 0x41).all()
    interrupt = steps.csr[traps, 1] >> np.uint64(63) == 1
    assert (interrupt == (retired.kind[traps] == Kind.INTERRUPT)).all()
    changes = np.flatnonzero(retired.priv[1:] != retired.priv[:-1])
    assert (steps.has[changes] & HAS["priv"] != 0).all() and (
        steps.priv[changes] == retired.priv[changes + 1] & 3
    ).all()


def test_rows_of_another_stream_are_refused() -> None:
    config = Config()
    program, retired = walked(config, Random(5), 50)
    with pytest.raises(ValueError, match="give rows of this retire stream"):
        reported_of(walk_rows(retired, program, Random(6)), retired.select(slice(0, 40)), Random(7))


def test_a_source_that_is_none_is_reported() -> None:
    with pytest.raises(JobError, match="SOURCE=golden:x is no stimulus of the subsystem"):
        stimulus(_job("golden:x"))


def test_a_filter_that_leaves_something_out_is_refused() -> None:
    """The flows are compared whole: handlers in M-mode are not traced by priv=U alone.

    These are two instructions of both handlers in each of 30 rounds, beside three instructions and two traps of U-mode.
    """
    job = replace(_job("scenario:traced_by_cause"), config={"retire": 2, "ntrace_filter": "priv=U"})
    with pytest.raises(JobError, match="NTRACE_FILTER=priv=U leaves out 120 of 270 instructions and traps"):
        stimulus(job)


def test_retired_of_a_slot_has_no_size_if_it_traps(tmp_path: Path) -> None:
    what = stimulus(_job("program:traps"))
    seen: Retired = _seen(what.stretches, what.config, tmp_path).retired
    assert (seen.size[seen.kind != Kind.INSN] == 0).all() and np.isin(seen.size[seen.kind == Kind.INSN], (2, 4)).all()
