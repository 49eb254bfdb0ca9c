# SPDX-License-Identifier: Apache-2.0
"""The foreign encoders of `duts/`, written from the specification alone: each passes what it claims, without a finding.

This is a short form of `make check DUT=tests/ntrace/duts/<name>`, which runs everything.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from rvtrace.jobs.builds import ROOT
from tests.common.foreign_runs import passing
from tests.common.simulators import icarus_or

DUTS = ROOT / "tests" / "ntrace" / "duts"

# What every trace is checked for.
ALWAYS = {
    "NT.2.port", "NT.3.1.mseo", "NT.3.1.end", "NT.3.2.src", "NT.3.max_message", "NT-16", "NT-24", "NT.4.empty",
    "NT.6.1.tcode", "NT.6.2.max_field", "NT-11", "NT.7.5.fields", "NT.7.12.fields", "NT.7.12.debug_entry",
    "NT.7.12.trace_off", "NT.7.12.stop", "NT.7.12.cdf", "NT.8.1.suppressed", "NT.8.4.count", "NT.8.5.first",
    "NT.8.5.codes", "NT-2", "NT.8.5.periodic_off", "NT-20", "NT.8.5.reset", "NT-14", "NT-17", "NT-22",
    "NT.8.6.stop_while_off", "NT.10.branches", "NT.10.indirect", "NT.10.traps", "NT.10.restart", "NT.11.pcs",
}  # fmt: skip


class Foreign(NamedTuple):
    """A device: parts of the names of its runs, simulators that read its dialect, and what those runs must have
    checked.
    """

    runs: str
    simulators: tuple[str, ...]
    checked: set[str]


DEVICES = {
    "tern": Foreign(
        "traps-rv64,address_lengths-2,back_to_back_traps,branches,debug_entry_exit-2,debug_while,icnt_full,"
        "indirect_kinds-2,level_walk,repeat,stop_with,sync_,trap_at_,seed-",
        ("icarus", "verilator"),
        {"NT.7.2.fields", "NT.7.3.fields", "NT.7.6.fields", "NT.7.7.fields", "NT.7.11.fields", "NT.7.2.btm_only",
         "NT-6", "NT.8.1.xlen", "NT.8.4.4.sync4"},
    ),
    "skua": Foreign(
        "traps-rv64,back_to_back_traps,coroutines,debug_,extended,icnt_full,hist_full,level_walk,long_loop,loop_patterns,lost_,"
        "low_power,markers,nested,ownership-0,sources,stop_with,sync_,timestamps,trap_at_,wrong_return,seed-",
        ("verilator",),
        {"NT.7.1.fields", "NT.7.1.priv_change", "NT.7.1.after_sync", "NT.7.4.fields", "NT.7.4.codes", "NT.7.4.time",
         "NT.7.8.fields", "NT.7.8.rcode", "NT.7.8.icnt", "NT.7.9.fields", "NT.7.10.fields", "NT.7.12.low_power", "NT-3",
         "NT-4", "NT-5", "NT-8", "NT-15", "NT.8.2.extend", "NT.8.3.stop_bit", "NT.8.5.sync0", "NT.8.5.sync6",
         "NT.8.5.sync7", "NT.8.5.sync9", "NT.8.7.absolute", "NT.8.7.enabled", "NT.8.7.monotonic",
         "NT.9.2.implicit_return", "NT.9.3.option"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEVICES)
def test_a_foreign_encoder_passes(name: str, sim: str, tmp_path: Path) -> None:
    device = DEVICES[name]
    if sim not in device.simulators:
        pytest.skip(f"{name} is written in a dialect that {sim} does not read")
    simulator = icarus_or(sim) if "icarus" in device.simulators else sim  # what is small takes longer to compile
    passing(DUTS / name, tmp_path, simulator, device.runs, ALWAYS | device.checked)
