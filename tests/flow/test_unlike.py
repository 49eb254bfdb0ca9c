# SPDX-License-Identifier: Apache-2.0
"""What a look at the bytes says before anything is decoded: another format, another program, rows that end early."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.flow.captured.unlike import COMPARED, FAR, FEWEST, elsewhere, ends_early, sentence
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.etrace import Config as EtraceConfig
from rvtrace.models.etrace import Encoder as EtraceEncoder
from rvtrace.models.ntrace import Config, Encoder
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.tb.ntrace.stimulus.random_jobs import random_job as ntrace_job
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus
from rvtrace.tb.tandem.stimulus.random_jobs import random_job as tandem_job
from rvtrace.tb.tandem.stimulus.stimulus import stimulus as tandem_stimulus
from tests.etrace.walks import walk


@pytest.fixture(scope="module")
def traced() -> Any:
    """The program `crc` as N-Trace."""
    made = stimulus(Job("unlike", "program:crc", {}))
    return SimpleNamespace(data=Encoder(Config()).run(made.beats).data, program=made.program, retired=made.retired)


def files(ip: str, data: bytes, config: Any, program: Any = None) -> Any:
    return SimpleNamespace(
        system=systems.judge(ip), data=data, config=config, program=program, trace=Path("t.bin"), elf=Path("p.elf")
    )


def test_another_format_is_named(traced: Any) -> None:
    said = sentence(files("etrace", traced.data, EtraceConfig()))
    assert "t.bin is no E-Trace but N-Trace" in said and "give IP=ntrace" in said


def test_the_right_format_and_program_are_taken(traced: Any) -> None:
    assert sentence(files("ntrace", traced.data, Config(), traced.program)) == ""


def test_addresses_of_another_program(traced: Any) -> None:
    """Near each other, and far from the program in any unit in which a device may send them."""
    assert list(systems.judge("ntrace").addresses(traced.data, Config())) == [0x8000_0000]
    inside = [0x8000_0000 + 8 * n for n in range(4)]
    assert not elsewhere(inside, traced.program)
    assert not elsewhere([address >> 1 for address in inside], traced.program), "not shifted"
    assert elsewhere([address + 4 * FAR for address in inside], traced.program)
    assert not elsewhere([0x9000_0000, 0x9000_0000 + 2 * FAR, 0xA000_0000], traced.program), "not one program"


def test_rows_that_end_early() -> None:
    pcs = np.arange(0x1000, 0x1100, 4)
    decoded: Any = type("Decoded", (), {"pcs": pcs, "diagnostics": [], "__len__": lambda self: len(pcs)})()
    retired = Retired.from_columns(kind=[Kind.INSN] * 10, pc=pcs[:10].tolist(), itype=[0] * 10, size=[4] * 10)
    said = ends_early(files("ntrace", b"", Config()), decoded, retired, 10)
    assert "the retire stream ends early: its last instruction is number 10 of 64" in said
    assert ends_early(files("ntrace", b"", Config()), decoded, retired, 64) == ""
    assert ends_early(files("tandem", b"", None), decoded, retired, 10) == ""


def random_traces(ip: str) -> list[tuple[bytes, Any]]:
    """Random walks in random configurations, each long enough to be recognized, with what they were sent with."""
    if ip == "ntrace":
        walks = [stimulus(ntrace_job(seed, {}, 1500)) for seed in range(12)]
        sent = [(Encoder(one.config).run(one.beats).data, one.config) for one in walks]
    elif ip == "etrace":
        # of encap_1_0 the widths of source, type and timestamp would be needed as well: not among the readings
        walks = [walk(seed, encapsulation=("messaging", "atb")[seed % 2]) for seed in range(12)]
        sent = [(EtraceEncoder(one.config).run(one.beats).data, one.config) for one in walks]
    else:
        jobs = [tandem_job(seed, {}, 200) for seed in range(12)]
        sent = [(encode(made.rows, made.config).data, made.config) for made in map(tandem_stimulus, jobs)]
    return [(bytes(data), config) for data, config in sent if len(data) >= FEWEST]


@pytest.mark.parametrize("ip", ["ntrace", "etrace", "tandem"])
def test_each_format_is_recognized_with_nearly_any_options(ip: str) -> None:
    """Given as another one it is named, given as itself it is taken."""
    traces = random_traces(ip)
    assert len(traces) > 6
    for data, config in traces:
        assert sentence(files(ip, data, config)) == ""
        for other in {"ntrace", "etrace", "tandem"} - {ip}:
            said = sentence(files(other, data, systems.judge(other).config()))
            assert f"but {systems.judge(ip).title}: most of its bytes" in said and f"give IP={ip}" in said


def test_how_many_readings_are_compared_is_bounded(traced: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes it take milliseconds: some readings of each format, of the first bytes only."""
    looked: list[int] = []
    for name in ("ntrace", "tandem"):
        judge = systems.judge(name)
        legible = judge.legible

        def counted(data: bytes, config: Any = None, legible: Any = legible) -> float:
            looked.append(len(data))
            return legible(data, config)

        monkeypatch.setattr(judge, "legible", counted)
    assert sentence(files("etrace", traced.data * 100, EtraceConfig()))
    assert 2 <= len(looked) <= 16 and max(looked) <= COMPARED
    assert len(list(systems.judge("etrace").readings())) <= 48
    assert not list(systems.judge("ctr").readings())
