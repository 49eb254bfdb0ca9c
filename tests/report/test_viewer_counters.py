# SPDX-License-Identifier: Apache-2.0
"""Names of CSRs for their numbers, accesses to them as marks, and counters as rates."""

import numpy as np
import pytest

from rvtrace.models.common.port_rows import NO_ACCESS
from rvtrace.models.hpm.bulk import save_state
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.rows import Rows as HpmRows
from rvtrace.models.hpm.rows import followed
from rvtrace.models.riscv import isa, recording
from rvtrace.models.riscv.csr import WRITE, Access, M
from rvtrace.models.riscv.retired import Kind
from rvtrace.report.viewer_columns import unpacked
from rvtrace.report.viewer_csrs import accessed, name, named
from rvtrace.report.viewer_failing import of_rows
from tests.common.there import there
from tests.report.browser import BROWSER, WRITTEN, Browser
from tests.report.test_viewer_runs import data_of, of_program
from tests.report.viewer_captures import capture
from tests.tools.captures import run

# numbers of the privileged specification, table "Currently allocated RISC-V CSR addresses", and of Smctr
NAMED = {0x306: "mcounteren", 0x344: "mip", 0x14E: "sctrctl", 0x15F: "sctrdepth", 0x600: "hstatus", 0xDA0: "scountovf",
         0xB03: "mhpmcounter3", 0x180: "satp", 0x350: "miselect", 0x7B0: "dcsr", 1: "fflags"}  # fmt: skip


def csrr(address, rd=10):
    """`csrr rd, address`."""
    return isa.decode(0x80000000, address << 20 | 2 << 12 | rd << 7 | 0x73, 64)


@pytest.mark.parametrize("address, text", NAMED.items())
def test_a_csr_has_its_name(address, text):
    assert name(address) == text and accessed(csrr(address)) == address
    assert named(f"csrr a0, {address}", csrr(address), 64) == f"csrr a0, {text}"


def test_what_is_no_csr_keeps_its_number():
    assert name(0x7C0) == "0x7c0" and name(0xB83, 32) == "mhpmcounter3h"
    assert named("csrr a0, 1984", csrr(0x7C0), 64) == "csrr a0, 1984"
    for raw in (0x73, 0x30200073, 0x12000073, 0x13):  # ecall, mret, sfence.vma, nop
        assert accessed(isa.decode(0, raw, 64)) is None
    assert named("csrrwi zero, 774, 6", csrr(0x306), 64) == "csrrwi zero, mcounteren, 6"


def test_accesses_are_marks_at_their_instructions(tmp_path):
    retired = capture(tmp_path, "traps")
    assert run("view", f"IN={tmp_path}", "CHECK=0").returncode == 0
    made = recording.load("traps", 64)
    pcs = retired.pc[retired.kind == Kind.INSN]
    wanted = [k for k, pc in enumerate(pcs.tolist()) if accessed(there(made.program.insn(pc))) is not None]
    lanes = {one[0]: one for one in data_of(tmp_path / "view.html")["tracks"]}
    assert unpacked(lanes["CSR accesses"][3]).tolist() == wanted and len(wanted) > 100


def counters(folder):
    """A run of counters in which an instruction retires every third cycle, then each; minstret is written once."""
    made, config = recording.load("traps", 64), HpmConfig()
    first = (0, M, Counts(), Access(WRITE, 0xB02, 5, M, 0))
    table = [first] + [(k, M, Counts(retired=int(k > 900 or k % 3 == 0)), None) for k in range(1, 2400)]
    rows, state = followed(HpmRows.from_rows(table, config.events), config)
    assert int((rows.op != NO_ACCESS).sum()) == 1
    of_program(folder, rows, config, made)
    save_state(folder / "state.npz", state)
    return rows


def test_counters_say_what_they_count(tmp_path):
    counters(tmp_path / "hpm")
    lanes = {track.name: track for track in of_rows(tmp_path / "hpm").shown.tracks}
    assert {lanes["counter 0"].kind, lanes["counter 2"].kind} == {"counter"}


@pytest.mark.skipif(BROWSER is None, reason="no chromium here; sudo apt-get install chromium runs this test")
def test_counters_are_rates_and_on_demand_counts(tmp_path):
    rows = counters(tmp_path / "hpm")
    view = of_rows(tmp_path / "hpm")
    for n, track in enumerate(view.shown.tracks):  # counters.json says this of a capture
        if track.name == "counter 0":
            view.shown.tracks[n] = track._replace(unit="cycles")
    view.write(tmp_path / "hpm" / "view.html")
    retired = np.cumsum(rows.retired.astype(int))
    with Browser(tmp_path) as browser:
        browser.window(1440, 900)
        browser.open(tmp_path / "hpm" / "view.html")
        browser.ready()
        for begin, end, ipc in ((30, 270, 1 / 3), (500, 1500, 1)):
            found = browser.run(f"traceView.rate('counter 0', {begin}, {end})")
            cycles = np.searchsorted(retired, end) - np.searchsorted(retired, begin)
            assert abs(found - (end - begin) / cycles) < 0.02 and abs(found - ipc) < 0.02
            assert abs(browser.run(f"traceView.rate('counter 2', {begin}, {end})") - 1000) < 20
        said = " ".join(text for text, *_ in browser.run(WRITTEN))
        assert "IPC (counter 0), up to 1" in said and "counter 2 per 1,000 instructions" in said
        browser.key("r", "r")
        said = " ".join(text for text, *_ in browser.run(WRITTEN))
        assert "IPC" not in said and "counter 2, up to" in said
        assert browser.run("document.getElementById('rates').value") == "count" and not browser.errors
