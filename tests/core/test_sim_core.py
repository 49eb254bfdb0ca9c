# SPDX-License-Identifier: Apache-2.0
"""Ibex on Verilator: a program alone, one that does not end, and one with all five trace sources."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.programs import choose
from rvtrace.flow.cores.run import alone, judged, lines, live
from rvtrace.flow.jobs import RESULTS
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.riscv.rvfi import retired_of
from rvtrace.tb.cores.agents.files import RVFI, read_rvfi

OUT = RESULTS / "test-core"
XOR = "bwlogic_xor_result = operand_a_i ^ bwlogic_operand_b;"
OPTIONS = {"mode": "htm", "implicit_return": 1, "branch_prediction": 1, "ctr_depth": 32}


@pytest.fixture(scope="module")
def ibex():
    """Ibex, whose package is there after it; the tests are skipped if it cannot be fetched."""
    core = Core.load("ibex")
    try:
        core.install()
    except CoreError as error:
        pytest.skip(str(error))
    return core


@pytest.fixture(autouse=True)
def only_verilator(sim):
    if sim != "verilator":
        pytest.skip("the sources of Ibex are for Verilator")


def test_a_core_does_what_the_recorded_hart_did(ibex):
    chosen, out = choose("crc", ibex), OUT / "alone"
    result = alone(ibex, chosen, out)
    assert result["verdict"] == "PASS", lines(result, False)
    rows, traps = read_rvfi(out)
    run = recording.load("crc", 32)
    assert retired_of(rows, traps, chosen.program).differs(run.retired) is None
    assert result["verified"]["matched"] == result["verified"]["instructions"] == len(run.retired)

    rows["rd_value"][np.flatnonzero(rows["rd"])[1000]] ^= 1
    rows.tofile(out / RVFI)
    result = judged(ibex, chosen, out, result)
    assert result["verdict"] == "FAIL" and result["verified"]["mismatches"] >= 1
    assert lines(result, False)[0].startswith("FAIL  ibex-crc")
    assert "rerun     make core CORE=ibex PROGRAM=crc ALONE=1" in result["failures"][0]["text"]

    rows["order"][500:] += np.uint64(1)
    rows.tofile(out / RVFI)
    result = judged(ibex, chosen, out, result | {"verdict": "PASS"})
    assert result["verdict"] == "ERROR" and "rvfi_order was" in result["error"]


def test_traps_alone(ibex):
    chosen, out = choose("traps", ibex), OUT / "traps"
    result = alone(ibex, chosen, out)
    assert result["verdict"] == "PASS", lines(result, False)
    retired = retired_of(*read_rvfi(out), chosen.program)
    exceptions = set(retired.cause[retired.kind == Kind.EXCEPTION].tolist())
    assert exceptions == {1, 2, 3, 5, 7, 8, 11}
    assert set(retired.cause[retired.kind == Kind.INTERRUPT].tolist()) == {3, 7}
    assert set(retired.priv.tolist()) == {0, 3}


def test_a_core_that_is_wrong(ibex, tmp_path):
    """An exclusive or with one wrong bit where eight bits of its first operand are 1."""
    right = next(path for path in ibex.sources().files if path.name == "ibex_alu.sv")
    text, bug = right.read_text(), XOR.replace(";", " ^ {31'd0, &operand_a_i[7:0]};")
    assert text.count(XOR) == 1
    wrong = tmp_path / right.name
    wrong.write_text(text.replace(XOR, bug))
    files = [str(wrong) if name.endswith("/ibex_alu.sv") else name for name in ibex.listed["files"]]
    result = alone(replace(ibex, listed={**ibex.listed, "files": files}), choose("crc", ibex), OUT / "wrong")
    assert result["verdict"] == "FAIL" and result["verified"]["mismatches"] >= 1
    first = result["failures"][0]
    assert first["clause"] == "TV.verify.gpr" and "xor" in first["place"]
    assert "at fault is the core (" in first["headline"]
    assert "the second simulator agrees with the first" in first["headline"]
    ((_, expected, actual),) = first["table"]
    assert int(expected, 16) ^ int(actual, 16) == 1


def test_a_program_that_does_not_end(ibex):
    result = alone(ibex, choose("crc", ibex), OUT / "limit", limit=2000)
    assert result["verdict"] == "ERROR"
    assert "did not come to halt (0x8000002e) within 2000 cycles" in result["error"]


def test_five_trace_sources(ibex):
    out = OUT / "live"
    result = live(ibex, choose("crc", ibex), out, OPTIONS, backpressure=20)
    assert result["verdict"] == "PASS", lines(result, True)
    assert result["stats"]["instructions"] == len(recording.load("crc", 32).retired)
    assert min(result["stats"][f"{name}_bytes"] for name in ("ntrace", "etrace", "tandem")) > 500
    assert result["clauses"]["SUB.pcs.etrace"][0] > 50_000 and result["verified"]["mismatches"] == 0
    assert json.loads((out / "result.json").read_text())["rerun"].startswith("make core CORE=ibex PROGRAM=crc MODE=htm")


def test_with_trace_sources_a_program_that_does_not_end(ibex):
    result = live(ibex, choose("crc", ibex), OUT / "live-limit", OPTIONS, limit=3000)
    assert result["verdict"] == "ERROR" and not result["failures"] and not result["clauses"]
    assert result["error"].startswith("the program did not come to halt (0x8000002e) within 3000 cycles")
