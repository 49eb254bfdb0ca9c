# SPDX-License-Identifier: Apache-2.0
"""What must go red: a bug in the RTL, a design that does not build or ends early, a run of nothing; and one seed, one
trace.
"""

from pathlib import Path

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.jobs import trouble
from rvtrace.flow.simulation import Build, SimError, build, run
from rvtrace.flow.simulators import SimulatorError
from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.tb.ntrace.builds import BUILD
from tests.common.simulators import icarus_or


def _edit(rtl: Path, file: str, old: str, new: str) -> None:
    path = rtl / "ntrace" / file
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {file}"
    path.write_text(text.replace(old, new))


def broken(sim: str, rtl: Path) -> Build:
    """A build of one test, on Icarus where it is there: with Verilator it is compiled longer than it runs."""
    return build(BUILD.of(Config()), icarus_or(sim), rtl, fast=True)


def test_mutant_is_caught(sim, rtl_copy, tmp_path):
    _edit(rtl_copy, "ntrace_pkg.sv", "EvcodeDisable   = 4'd4", "EvcodeDisable   = 4'd5")
    (result,) = run(broken(sim, rtl_copy), [Job("bug", "program:traps")], tmp_path / "out")
    assert result["verdict"] == "FAIL"
    text = "\n".join(failure["text"] for failure in result["failures"])
    assert "EVCODE" in text and "rerun     make run IP=ntrace SOURCE=program:traps" in text


def test_design_that_does_not_build(sim, rtl_copy):
    _edit(rtl_copy, "ntrace_encoder.sv", "endmodule", "not a module")
    with pytest.raises(SimError, match=r"(?s)failed with exit code .*ntrace_encoder\.sv"):
        build(BUILD.of(Config()), sim, rtl_copy)


def test_simulation_that_ends_early_is_an_error(sim, rtl_copy, tmp_path):
    _edit(rtl_copy, "ntrace_encoder.sv", "endmodule", "  always @(posedge out_valid_o) $finish;\nendmodule")
    made = broken(sim, rtl_copy)
    results = run(made, [Job("early", "program:traps"), Job("never", "program:sort")], tmp_path / "out")
    assert [result["verdict"] for result in results] == ["ERROR", "ERROR"]
    assert "the simulator broke" in results[0]["error"]


def _wobble(rtl: Path) -> None:
    """The byte count changes while it waits for ready."""
    _edit(rtl, "ntrace_encoder.sv", ".out_nbytes_o,", ".out_nbytes_o (wobbly),")
    _edit(
        rtl,
        "ntrace_encoder.sv",
        "endmodule",
        "  logic [$clog2(OutBytes+1)-1:0] wobbly;\n  logic wobble = 0;\n  always @(posedge clk_i) wobble <= out_valid_o"
        " && !out_ready_i;\n  assign out_nbytes_o = wobble ? wobbly - 1'b1 : wobbly;\nendmodule",
    )


def test_output_that_changes_before_ready_is_reported(sim, rtl_copy, tmp_path):
    """By the monitors of both drives; a device without our assertions."""
    _wobble(rtl_copy)
    (rtl_copy / "ntrace" / "files_verilator.f").unlink()
    made = broken(sim, rtl_copy)
    jobs = [Job(f"wobble-{d}", "program:traps", drive=d, backpressure=50) for d in ("bulk", "pins")]
    for result in run(made, jobs, tmp_path / "out"):
        assert result["verdict"] == "FAIL"
        assert any("changed before out_ready_i" in failure["text"] for failure in result["failures"])


def test_assertion_that_fails_is_an_error(rtl_copy, tmp_path):
    """On Verilator the encoder's own assertions run as well, and end the simulation."""
    _wobble(rtl_copy)
    (result,) = run(
        build(BUILD.of(Config()), "verilator", rtl_copy, fast=True),
        [Job("wobble", "program:traps", backpressure=50)],
        tmp_path / "out",
    )
    assert result["verdict"] == "ERROR" and "Assertion failed" in result["error"]


def test_job_that_cannot_be_made_does_not_stop_the_others(sim, tmp_path):
    results = run(build(BUILD.of(Config()), sim), [Job("no", "program:no"), Job("yes", "program:traps")], tmp_path)
    assert [result["verdict"] for result in results] == ["ERROR", "PASS"]
    assert "no recorded program 'no'" in results[0]["error"]


def test_nothing_to_run_is_an_error(sim, tmp_path):
    with pytest.raises(SimError, match="no job was given"):
        run(build(BUILD.of(Config()), sim), [], tmp_path)


@pytest.mark.parametrize("drive", ["bulk", "pins"])
def test_one_seed_one_trace_on_both_simulators(tmp_path, drive):
    traces = []
    for sim in simulators.SIMULATORS:
        try:
            simulators.find(sim)
        except SimulatorError as error:
            pytest.skip(str(error))
        options = {
            "inst_sync_mode": 2,
            "timestamp": 1,
            "ts_mode": 1,
            "ownership": 1,
            "implicit_return": 3,
            "repeated_history": 1,
        }
        job = Job("same", "random", options, 11, drive, gaps=10, backpressure=70, size=1500, keep=True)
        (result,) = run(build(BUILD.of(Config()), sim), [job], tmp_path / sim)
        assert result["verdict"] == "PASS", trouble(result)
        seen = Beats.load(f"{job.out}/beats.npz").tstamp.tobytes()
        traces.append([seen, *((Path(job.out) / name).read_bytes() for name in ("trace.bin", "retired.csv"))])
    assert traces[0] == traces[1] and len(traces[0][1]) > 100
