# SPDX-License-Identifier: Apache-2.0
"""What applies to an IP: jobs within its claims, the others with their reason, and clauses that nobody could meet."""

import shlex
from pathlib import Path
from typing import Any, cast

import pytest

from rvtrace.flow.dut.description import IPS, Dut
from rvtrace.flow.dut.reference import reference
from rvtrace.flow.dut.select import Selection, left_out, not_applicable, not_run, select
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.tb.common.stimulus.stimulus import heard
from tests.etrace.checked_scenarios import doctored
from tests.flow.dut_folders import folder

HPM = systems.bench("hpm")

NTRACE = systems.bench("ntrace")


def chosen(path: Path, seeds: int = 4, **changes) -> tuple[Dut, Selection]:
    dut = Dut.load(folder(path, **changes))
    return dut, select(dut, NTRACE, seeds, "icarus")


def test_every_job_is_within_the_claims(tmp_path):
    dut, found = chosen(
        tmp_path,
        seeds=12,
        options={"mode": "btm", "hist_bits": [12, 16], "inst_sync_max": "2..5", "inst_sync_mode": [0, 1]},
    )
    assert len(found.jobs) > 50
    for job in found.jobs:
        config = job.settings.to_dict()
        for name, values in dut.claims.values.items():
            assert values is None or config[name] in values, f"{job.name} has {name} = {config[name]}"
        assert job.dut == str(tmp_path) and f"DUT={tmp_path}" in job.rerun and not job.exact
    assert {job.settings.inst_sync_max for job in found.jobs} >= {2, 3}
    assert len({job.rerun for job in found.jobs}) == len(found.jobs), "no run twice"


def test_small_counters_are_those_of_the_ip_and_other_features_leave_a_job_out(tmp_path):
    _, found = chosen(tmp_path, options={"hist_bits": 12})
    small = [job for job in found.jobs if job.name.startswith("pairs_small")]
    assert small and all(job.settings.hist_bits == 12 for job in small), (
        "a system scenario with other widths is still that scenario"
    )
    assert "needs all_jumps = 1" in {why for name, why in found.left.items() if name.startswith("all_jumps")}
    assert all("rc7" not in job.name for job in found.jobs)


def test_ports_that_it_does_not_have(tmp_path):
    _, found = chosen(tmp_path, stimulus={"retirement": "single", "backpressure": False})
    assert {job.retirement for job in found.jobs} == {"single"} and {job.backpressure for job in found.jobs} == {0}
    assert found.without == ["notify", "ext_notify", "vendor", "in_reset", "low_power"] and all(
        job.without == found.without for job in found.jobs
    )
    assert "places blocks of several instructions" in found.left.values()
    mapped = {"te_on": "enable_i && !notify_i && !ext_notify_i"}
    assert chosen(tmp_path, inputs=mapped)[1].without == ["vendor", "in_reset", "low_power"]


def test_the_rerun_line_of_a_run_can_be_pasted_whatever_the_folder_is_called(tmp_path):
    dut, found = chosen(tmp_path / "it's my ip", seeds=1)
    assert " " in dut.shown and f"DUT={dut.shown}" in shlex.split(found.jobs[-1].rerun)


def test_tolerances_and_seeds(tmp_path):
    _, found = chosen(tmp_path, profile={"exact": True, "sync_late": 7})
    assert all(job.exact and job.tolerances == {"sync_late": 7} for job in found.jobs)
    seeds = [job for job in found.jobs if job.source == "random"]
    assert [job.seed for job in seeds] == [1, 2, 3, 4]
    again = [job.to_dict() for job in chosen(tmp_path, profile={"exact": True, "sync_late": 7})[1].jobs]
    assert again == [job.to_dict() for job in found.jobs]


@pytest.mark.parametrize("exact", [False, True])
def test_clauses_that_do_not_apply(tmp_path, exact):
    dut, found = chosen(tmp_path, profile={"exact": exact})
    every = [*NTRACE.programs(True), *NTRACE.directed("icarus")]
    none = not_applicable(dut, NTRACE, found, every)
    assert none["NT.2.itype7"] == "holds in rc7, which is not claimed"
    assert none["NT.7.1.trap"] == "needs ownership other than 0"
    pattern = "its scenarios do not apply: " if exact else "the specification leaves it to the device"
    assert none["NT.9.3.pattern"].startswith(pattern)
    assert none["NT.4.registers"] == "about models and tools, or the whole trace system; not about a single device"
    assert ("NT.3.room" in none) is not exact, "every byte is compared only if the device declares the profile"
    assert "NT.3.1.mseo" not in none and "NT.7.8.icnt" not in none


def test_what_a_tolerance_leaves_free_is_not_applicable(tmp_path):
    """The reason names the tolerance; and it is true: the scoreboard counts nothing for the clause."""
    etrace, head = systems.bench("etrace"), cast(Any, {"ip": "etrace", "variant": "v2_0"})

    def why(**profile) -> dict[str, str]:
        path = folder(
            tmp_path, dut=head, profile=profile, options={"mode": None, "inst_stall_ena": None, "timestamp": 0}
        )
        text = (path / "dut.toml").read_text()
        (path / "dut.toml").write_text(text[: text.index("[parameters]")] + text[text.index("[options]") :])
        dut = Dut.load(path)
        return not_applicable(dut, etrace, select(dut, etrace, 1, "icarus"), [])

    free, tight = why(), why(payload_padded=False, map_filled=False)
    assert free["ET.pay.compression"] == "left free by payload_padded = true ([profile])"
    assert "ET.pay.map_bits" not in free, "the bits that are valid are checked, whatever those above them are"
    assert "ET.pay.compression" not in tight and "ET.pay.compression" not in why(exact=True)
    assert (
        why(exact=True)["ET.tra.timestamp"]
        == free["ET.tra.join"]
        == ("about the transport, which the testbench adds to a device with a packet port")
    )
    for clause, scenario_run, options in (
        ("ET.pay.compression", "stops", {}),
        ("ET.opt.cache_shorter", "cache_shorter", {"jump_target_cache": 1}),
    ):
        counts = [
            doctored(scenario_run, options, tolerances=tolerances).book.results().get(clause, (0, 0))[0]
            for tolerances in (etrace.tolerances(), etrace.tolerances.free())
        ]
        assert counts[0] > 0 and counts[1] == 0, clause


@pytest.mark.parametrize("ip", IPS)
def test_every_system_can_be_attached(tmp_path, ip):
    top = systems.bench(ip).synthesis_top
    source = f"module acme_te; endmodule\n// {top}\n"
    head = {"ip": ip, "variant": None if ip in ("hpm", "tandem") else systems.bench(ip).config().variant}
    path = folder(tmp_path, source=source, dut=head, options={"mode": None, "inst_stall_ena": None})
    text = (path / "dut.toml").read_text()
    (path / "dut.toml").write_text(text[: text.index("[parameters]")])
    dut = Dut.load(path)
    found = select(dut, systems.bench(ip), 3, "icarus")
    assert sum(job.source == "random" for job in found.jobs) == 3
    hidden = not_run(dut, systems.bench(ip))
    assert ("HPM.count.cycles" in hidden) == (ip == "hpm") and set(hidden) <= set(systems.bench(ip).plan.clauses)
    assert any(job.source.startswith("program:") for job in found.jobs) and any(
        job.source.startswith("scenario:") for job in found.jobs
    )


def test_a_csr_block_has_no_blocks_of_instructions_and_runs_without_s_mode_are_made_as_claimed(tmp_path):
    source = "module acme_te(input logic clk, rst); endmodule\n"
    head = {
        "dut": {"ip": "ctr"},
        "stimulus": {"retirement": "single"},
        "options": {"mode": None, "inst_stall_ena": None},
    }
    path = folder(tmp_path, source=source, **head)
    text = (path / "dut.toml").read_text()
    kept = text[: text.index("[parameters]")] + '[stimulus]\nretirement = "single"\n'
    (path / "dut.toml").write_text(kept)
    found = select(Dut.load(path), systems.bench("ctr"), 0, "icarus")
    assert any(job.source.startswith("scenario:") for job in found.jobs), "it says so with transfers = 1"
    assert not found.left, "a run without S-mode, where S-mode is claimed, is made with it, or is there already"
    assert all(job.settings.has_s for job in found.jobs)


def test_options_that_are_not_claimed_both_ways_are_not_switched():
    kinds = [Kind.TRACE_ON, Kind.TOGGLE, Kind.TOGGLE, Kind.TOGGLE, Kind.TRACE_OFF]
    retired = Retired.from_columns(kind=kinds, pc=[0] * 5, size=[0] * 5, cause=[0, 0b001, 0b011, 0b010, 0])
    job = Job("x", "random", {}, ip="etrace", without=["implicit_return"])
    assert heard(job, retired).kind.tolist() == [Kind.TRACE_ON, Kind.TOGGLE, Kind.TRACE_OFF]
    assert heard(job, retired).cause.tolist() == [0, 0b010, 0]
    assert retired.cause.tolist() == [0, 1, 3, 2, 0], "the stream that was given stays"
    assert heard(Job("y", "random", {}, ip="etrace"), retired) is retired
    assert (
        left_out(["notify", "sijump"])
        == "no port for notify: the hart will not report it; sijump: not switched while it runs"
    )


def test_a_run_is_not_named_after_a_mode_that_the_core_does_not_have(tmp_path):
    """Its program was to run with user mode; the core has machine mode alone."""
    table = {"has_u": 0, "has_s": 0, "has_h": 0, "has_sscofpmf": 0, "has_smcntrpmf": 0, "has_shlcofideleg": 0}
    (tmp_path / "dut.toml").write_text(
        '[dut]\nname = "m"\nip = "hpm"\ntop = "m"\n[sources]\nfiles = ["m.sv"]\n[clock]\nport = "clk"\n'
        + "[options]\nxlen = 32\n"
        + "".join(f"{name} = {value}\n" for name, value in table.items())
    )
    ours = reference(HPM, HPM.build_of(Job("ports", "random", ip="hpm")))
    outs = [
        f"output logic [{port.width - 1}:0] {port.name}" for port in ours.ports.values() if port.direction == "output"
    ]
    (tmp_path / "m.sv").write_text(f"module m(input logic clk, {', '.join(outs)}); endmodule\n")
    found = select(Dut.load(tmp_path), HPM, 0, "icarus")
    names = [job.name for job in found.jobs if job.source.startswith("program:")]
    assert names and len(set(names)) == len(names) and not any("user" in name for name in names)
