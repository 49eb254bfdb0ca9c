# SPDX-License-Identifier: Apache-2.0
"""What one run of a counter block recorded: the input of its checks, from a simulation or from files."""

from __future__ import annotations

from dataclasses import dataclass, field

from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.program import Program


@dataclass
class HpmCapture:
    """The monitors' record of one run.

    rows: what was on the ports, with what the device answered. There is a row in every cycle from reset on in which
    something happened (an access, an instruction, an event, another priv, stopcount or cycle_i than before), and in
    every cycle in which what `counter_o`, `of_o`, `lcofi_o` and `lcofie_o` did was not what they did in the cycle
    before; the last cycle has one. state: what these ports showed at the start of each row; between two rows they are
    linear (modulo 2^64), so that each cycle's value is known. None if the device has no such ports. problems: sentences
    of the monitors about the run itself (an X on an output); each is a failure. exact: whether the device declares
    docs/reference/hpm-profile.md. rerun: the one command that repeats the run. program: what the hart ran, for
    messages.
    """

    config: Config
    rows: Rows
    state: Trace | None
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    program: Program | None = None
