# SPDX-License-Identifier: Apache-2.0
"""What one run of a control transfer records block recorded: the input of its checks, from a simulation or files."""

from __future__ import annotations

from dataclasses import dataclass, field

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.riscv.program import Program


@dataclass
class CtrCapture:
    """The monitors' record of one run.

    rows: every cycle from reset on in which something happened, as the ports carried it, with what the device answered.
    problems: sentences of the monitors about the run itself (an X on an output); each is a failure. exact: whether the
    device declares docs/reference/ctr-profile.md. rerun: the one command that repeats the run. program: what the hart
    ran, for addresses in messages; None if there is none.
    """

    config: Config
    rows: Rows
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    program: Program | None = None
