# SPDX-License-Identifier: Apache-2.0
"""The golden pack: hand-reasoned cases against codec, decoder and encoder model (golden/README.md)."""

from pathlib import Path

import pytest

from rvtrace.models.etrace.codec import pack, unpack
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import OPTIONS, VARIANTS, options_of
from rvtrace.models.riscv.observed import from_beats
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.riscv.stream import check_flow
from rvtrace.scoreboards.etrace.check import plan
from rvtrace.tb.etrace.stimulus import golden as etrace_golden
from rvtrace.tb.etrace.stimulus.golden import Case
from tests.etrace.layouts import payload

CASES = etrace_golden.pack()
every = pytest.mark.parametrize("case", CASES, ids=[f"{c.file[:2]}-{c.name}" for c in CASES])


@every
def test_bytes(case: Case) -> None:
    """The bytes of each packet follow from its fields, by the specification's tables and by our codec, and give them
    back.
    """
    config, options = case.config, case.config.options
    for number, (data, packet) in enumerate(zip(case.payloads, case.packets)):
        if packet.name == "support" and packet.values["qual_status"] in (0, 2):
            options = options_of(packet.values["ioptions"])
        where = (
            f"packet {number}, {packet}: the fields give {payload(packet.name, packet.values, config, options).hex()}"
        )
        assert payload(packet.name, packet.values, config, options) == data, where
        assert pack(packet, config, options) == data, where
        assert unpack(data, config, options) == packet, where


@every
def test_run_is_one_of_the_program(case: Case) -> None:
    """The blocks are what a hart could have reported of this program."""
    retired = from_beats(case.beats, case.program, case.config.variant)
    if case.config.itype_width_p == 4:
        check_flow(retired, case.program)
    pcs = retired.pc[retired.kind == Kind.INSN].tolist()
    rest = iter(pcs)
    assert all(pc in rest for pc in case.pcs), "pcs is not a part of what retired, in its order"


@every
def test_decoder(case: Case) -> None:
    """Packets and program alone give the instructions."""
    trace = decode(case.payloads, case.program, case.config)
    assert [str(d) for d in trace.diagnostics] == []
    assert [f"{pc:x}" for pc in trace.pcs.tolist()] == [f"{pc:x}" for pc in case.pcs]


@every
def test_encoder_model(case: Case) -> None:
    """The reference encoder sends these packets."""
    trace = Encoder(case.config).run(case.beats)
    assert [str(p) for p in trace.packets] == [str(p) for p in case.packets]
    assert [p.hex() for p in trace.payloads] == [p.hex() for p in case.payloads]


def test_records_that_repeat(tmp_path: Path) -> None:
    """`again n k`: the last k records of cycles n times more; there must be as many."""
    path = tmp_path / "cases.txt"
    path.write_text("case a\ncycle enable=1\ncycle | itype=5\nidle 3\nagain 2\nagain 1 5\n")
    (case,) = etrace_golden.read(path)
    first, second = ({"enable": 1}, []), ({}, [{"itype": 5}])
    assert case.cycles == [first, second, 3, 3, 3] * 2
    for words in ("again 2 3", "again 2 0", "again"):
        path.write_text(f"case a\nidle 1\nidle 1\n{words}\n")
        with pytest.raises(ValueError, match=f"line 4: '{words}' is no record"):
            etrace_golden.read(path)


def test_the_pack_is_complete() -> None:
    """Every ruling that packets can show, every option in every variant that has it, each format; names are unique."""
    clauses = {clause for case in CASES for clause in case.clauses}
    assert {f"ET-{n}" for n in range(1, 19)} <= clauses <= set(plan().clauses)
    assert len({case.name for case in CASES}) == len(CASES) >= 60
    used = {(case.config.variant, name) for case in CASES for name in OPTIONS if case.config.options[name]}
    assert {(variant, name) for variant in VARIANTS for name in OPTIONS} - used == {
        ("draft_0_026", "jump_target_cache")
    }
    names = {(case.config.variant, packet.name) for case in CASES for packet in case.packets}
    assert len(names) == 8 + 6
