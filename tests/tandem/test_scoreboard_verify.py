# SPDX-License-Identifier: Apache-2.0
"""Programs through the scoreboard: nothing wrong with what is right, and each of the 21 faults is reported by the
clauses of what is wrong.
"""

import random

import numpy as np
import pytest

from rvtrace.flow.faults.traces import FAULTS, mutant, places, split
from rvtrace.models.riscv import recording
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import FLUSH, Rows
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.tb.tandem.stimulus.builds import BUILDS
from tests.common.there import there
from tests.tandem.captures import captured
from tests.tandem.runs import config_of

ROWS, FIRST = 3600, 2900
CLAUSES = {  # of each fault, those of the verifier
    "register value": "gpr",
    "register omitted": "gpr",
    "register wrong": "gpr",
    "register extra": "gpr",
    "extra CSR": "csr",
    "branch pc wrong": "pc",
    "taken branch sent as increment": "pc",
    "16-bit instruction sent as 32": "format",
    "instruction bit": "insn",
    "instruction omitted": "format",
    "group dropped": "groups",
    "group duplicated": "groups",
    "group swapped": "groups",
    "x0 write": "format",
    "privilege wrong": "priv",
    "store data bit": "memdata",
    "store data omitted": "memdata",
    "store data narrower": "memdata",
    "store address bit": "paddr",
    "store address omitted": "paddr",
    "pc omitted": "pc",
}
EADDR, PPC = "TV.verify.eaddr", "TV.verify.ppc"


def of_program(name: str, xlen: int, rows: int | None = None, **options: object) -> TandemCapture:
    """The capture of a program's first rows."""
    run, config = recording.load(name, xlen), config_of(xlen, **options)
    table = from_recording(run, lanes=config.lanes)
    if rows is not None:
        table = Rows.concat([table.select(slice(0, rows)), Rows.from_rows([FLUSH])])
    return captured(table, config, program=run.program, retired=run.retired)


@pytest.mark.parametrize("build", BUILDS)
def test_a_program_passes(build: str) -> None:
    options = dict(BUILDS[build])
    capture = of_program(
        "traps",
        options.pop("xlen", 64),
        9000,
        **{**options, "flen": 0, "absent": tuple(options.get("absent", "").split(",")) if "absent" in options else ()},
    )
    for tolerances in (Tolerances(), Tolerances.free()):
        verdict = check(capture, tolerances)
        assert verdict.passed, verdict.failures[0].text()
        assert verdict.book.results()["TV.verify.groups"][0] > 5000


def test_every_fault_has_its_clause() -> None:
    assert set(CLAUSES) == set(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_trace(name: str) -> None:
    """The verifier's clause, once; and what compares with the rows sees it as well."""
    capture = of_program("sort", 64, ROWS)
    sections, rng = split(encode(there(capture.rows), capture.config)), random.Random(f"1:{name}")
    k = next(places(sections, FAULTS[name], capture.config, rng, FIRST, ROWS - 100))
    mutant(sections, k, FAULTS[name], capture.config, rng)
    capture.data = b"".join(sections)
    results = check(capture).book.results()
    failed = {clause: wrong for clause, (_, wrong) in results.items() if wrong}
    assert {clause: n for clause, n in failed.items() if clause.startswith("TV.verify.")} == {
        f"TV.verify.{CLAUSES[name]}": 1
    }
    assert any(clause.startswith(("TV.reported.", "TV.insn.", "TV.legal.")) for clause in failed), failed
    assert any(
        clause.startswith(("TV.opcode.", "TV.id.", "TV.order.", "TV.row.", "TV.pc.", "TV.group.", "TV.end."))
        for clause in failed
    ), failed


def test_the_effective_address() -> None:
    """No fault of the 21 is of it: where addresses are translated it is another one than the physical address."""
    capture = of_program("traps", 64)
    every = there(capture.rows)
    rows = np.flatnonzero(every.have("eaddr"))
    kept = Rows.concat([every.select(slice(0, int(rows[5]) + 40)), Rows.from_rows([FLUSH])])
    kept.eaddr[rows[3]] ^= np.uint64(8)
    results = check(captured(kept, capture.config, program=capture.program, retired=capture.retired)).book.results()
    assert {clause for clause, (_, wrong) in results.items() if wrong} == {EADDR}


def test_the_physical_pc() -> None:
    """No fault of the 21 either: programs report it where the stimulus adds it."""
    capture = of_program("traps", 64, 3000)
    rows = there(capture.rows)
    steps = rows.have("insn")
    rows.has[steps] |= np.uint32(HAS["ppc"])
    rows.ppc = rows.pc.copy()
    right = check(captured(rows, capture.config, program=capture.program, retired=capture.retired)).book.results()
    assert right[PPC] == [int(steps.sum()), 0]
    rows.ppc[np.flatnonzero(steps)[40]] ^= np.uint64(2)
    results = check(captured(rows, capture.config, program=capture.program, retired=capture.retired)).book.results()
    assert {clause for clause, (_, wrong) in results.items() if wrong} == {PPC}


def test_what_cannot_be_replayed_is_not() -> None:
    for part in ("pc", "request"):
        capture = of_program("sort", 64, 400, absent=(part,))
        assert not any(clause.startswith("TV.verify.") for clause in check(capture).book.results())
