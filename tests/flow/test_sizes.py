# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures sizes`: the part that is counted on a model, and the table side by side."""

import pytest

from rvtrace.flow import sizes
from rvtrace.jobs import sizes as bits
from rvtrace.jobs import systems
from rvtrace.models.riscv import recording
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from tests.common.there import there


def test_tandem_counts_the_program_alone() -> None:
    """From reset to the last instruction: what a decoder finds, no memory loading."""
    table, run = sizes.tandem(["traps"]), recording.load("traps", 64)
    for m, method in enumerate(sizes.TANDEM.methods):
        config = Config.from_dict(dict(method.options))
        data = encode(from_recording(run, load=False), config).data
        found = decode(data, config)
        # interrupts have a group, too
        assert found.group_count == 1 + len(run.retired) and not found.diagnostics and not found.init.any()
        assert table.mean(m) == pytest.approx((8 * len(data) / len(run.retired),) * 2)


def test_every_option_makes_it_shorter() -> None:
    table = sizes.tandem(recording.names())
    full, steps, implied, every, both, least = (there(table.mean(m))[0] for m in range(len(sizes.TANDEM.methods)))
    assert full > steps > implied > both > least and steps > every > both
    assert steps - implied == pytest.approx(8, abs=0.1)  # an end a group


def test_side_by_side_a_system_may_have_fewer_rows() -> None:
    empty = bits.Table.of(there(systems.bench("ntrace").sizes), [])
    head, _, *rows = bits.beside({"N-Trace": empty, "Tandem trace": sizes.tandem(["traps"])}).splitlines()
    assert len(rows) == len(empty.sizes.extras) and head.count("Tandem trace: ") == len(sizes.TANDEM.methods)
    assert "not run" in rows[0] and rows[0].split(" | ")[-1].rstrip(" |").replace(".", "").isdigit()
    assert all(row.endswith("| - " * len(sizes.TANDEM.methods) + "|") for row in rows[1:])
