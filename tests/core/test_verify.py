# SPDX-License-Identifier: Apache-2.0
"""Tandem verification from RVFI: a run that is right, and every kind of wrong row is found where it is."""

from typing import Any

import numpy as np
import pytest

from rvtrace.flow.cores.description import Core
from rvtrace.flow.cores.programs import choose
from rvtrace.flow.cores.run import mismatches
from rvtrace.flow.cores.sections import sections
from rvtrace.flow.cores.verify import CONFIG, tandem_rows, verify
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.rvfi import retired_of
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.verifier.verdict import Verdict
from tests.core.rows import of_recording, traps_of

CORE, SIZE = Core.load("picorv32"), 6000  # its registers are as the recording begins: 0
NO_TRAPS = traps_of([])


@pytest.fixture(scope="module")
def crc():
    """The first rows of a run that starts with every register 0, as a core does."""
    run = recording.load("crc", 32)
    return choose("crc", CORE), of_recording(run)[:SIZE]


def test_a_right_run(crc):
    chosen, rows = crc
    report = verify(CORE, chosen, rows, NO_TRAPS).report
    assert report.ok and report.matched == report.instructions == SIZE and not report.skipped


def wrong(rows, what):
    """A row in the middle on which a mistake of this kind is possible, changed."""
    changed = rows.copy()
    loads, stores = (rows["rmask"] != 0), (rows["wmask"] != 0)
    where = {
        "rd_value": rows["rd"] != 0, "rd": rows["rd"] > 5, "mem_wdata": stores, "mem_addr": loads | stores,
        "load": loads, "wmask": stores & (rows["wmask"] == 1), "no rd": rows["rd"] != 0,
    }[what]  # fmt: skip
    k = int(np.flatnonzero(where & (np.arange(len(rows)) > 2000))[7])
    row = changed[k]
    if what in ("rd_value", "load"):
        row["rd_value"] ^= 1 << 3
    elif what == "rd":
        row["rd"] ^= 1
    elif what == "mem_wdata":
        row["mem_wdata"] ^= 1
    elif what == "mem_addr":
        row["mem_addr"] += 4
    elif what == "wmask":
        row["wmask"] = 3
    else:
        row["rd"] = row["rd_value"] = 0
    return changed, k


@pytest.mark.parametrize("what", ["rd_value", "rd", "mem_wdata", "mem_addr", "load", "wmask", "no rd"])
def test_a_wrong_row_is_found(crc, what):
    chosen, rows = crc
    changed, k = wrong(rows, what)
    verified = verify(CORE, chosen, changed, NO_TRAPS)
    report = verified.report
    assert not report.ok
    finding = report.findings[0]
    assert finding.pc == int(rows["pc"][k]) and finding.verdict in (Verdict.HART, Verdict.TRACE)
    changed["cycle"] = np.arange(len(changed)) * 3
    failure = mismatches(CORE, verified, chosen, changed, "make core CORE=picorv32 PROGRAM=crc")[0]
    assert failure.cycle == 3 * k and failure.place == chosen.program.where(finding.pc)
    assert failure.before == [chosen.program.where(int(pc)) for pc in rows["pc"][k - 3 : k]]
    assert "at fault" in failure.headline and "rerun     make core" in failure.text()


def test_a_branch_that_goes_the_wrong_way(crc):
    chosen, rows = crc
    run = recording.load("crc", 32)
    k = int(np.flatnonzero(run.retired.taken[:SIZE] == 0)[50])
    changed = rows[: k + 1].copy()
    insn = chosen.program.insn(int(changed["pc"][k]))
    assert insn is not None and isinstance(insn.target, int)
    changed["next_pc"][k] = insn.target
    after: Any = np.zeros(1, changed.dtype)
    there = chosen.program.insn(insn.target)
    assert there is not None
    after["pc"], after["order"], after["insn"], after["mode"] = insn.target, changed["order"][k] + 1, there.raw, 3
    after["next_pc"] = insn.target + there.size
    report = verify(CORE, chosen, np.concatenate([changed, after]), NO_TRAPS).report
    assert report.findings and report.findings[0].pc == int(rows["pc"][k])


def test_sections_are_those_of_the_bytes(crc):
    chosen, rows = crc
    trace = tandem_rows(Core.load("ibex"), chosen, retired_of(rows, NO_TRAPS, chosen.program))
    expected, found = decode(encode(trace, CONFIG).data, CONFIG), sections(trace)
    for name, column in vars(expected).items():
        if isinstance(column, np.ndarray) and "offset" not in name and name != "end":
            assert np.array_equal(column, getattr(found, name)), name
    assert len(found) == len(trace) - 1  # the flush


def test_csrs_after_reset_are_those_of_the_core(crc):
    chosen, rows = crc
    trace = tandem_rows(Core.load("ibex"), chosen, retired_of(rows, NO_TRAPS, chosen.program))
    assert trace.row(0).reset and trace.row(1).init and trace.row(1).csr == ((0x300, 0x80),)
