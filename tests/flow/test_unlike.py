# SPDX-License-Identifier: Apache-2.0
"""What a look at the bytes says before anything is decoded: another format, another program, rows that end early."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.flow.captured.unlike import FAR, elsewhere, ends_early, sentence
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.etrace import Config as EtraceConfig
from rvtrace.models.ntrace import Config, Encoder
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus


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
