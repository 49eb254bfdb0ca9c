# SPDX-License-Identifier: Apache-2.0
"""Control transfer records: Smctr/Ssctr and its draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import VARIANTS, Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.ctr.judge import CtrJudge
from rvtrace.tb.ctr.builds import BUILD
from rvtrace.tb.ctr.coverage.points import CTR
from rvtrace.tb.ctr.stimulus.builds import DRAFT32, DRAFT64, LEAN
from rvtrace.tb.ctr.stimulus.random_jobs import random_job
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS

_MODES = ("M", "S", "U")
_INSIDE = 4000  # transfers of a program, so that the run ends before all calls have returned


class CtrBench(SystemBench, CtrJudge):
    """The control transfer records block."""

    areas = (
        ("RV64, one transfer a cycle, depth 16", {"Xlen": "64", "NTransfers": "1", "Depths": "1"}),
        ("RV64, two transfers a cycle, depth 16", {"Xlen": "64", "NTransfers": "2", "Depths": "1"}),
    )
    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "ctr": (
            "ctr",
            "common/csr_access.sv",
            "common/csr_group.sv",
            "common/csr_indirect.sv",
            "common/csr_pkg.sv",
            "common/csr_stateen.sv",
        )
    }
    scenarios: Mapping[str, Any] = SCENARIOS
    random_job = staticmethod(random_job)
    definition: Definition = CTR
    capture_lacks = "has no program whose entries could be read"
    small: dict[str, Any] = dict(LEAN)
    build = BUILD
    synthesis_top = "ctr"
    synthesized = (
        {"Xlen": 64, "NTransfers": 1, "Depths": 1},
        {"Xlen": 32, "NTransfers": 1, "Depths": 1},
        {"Xlen": 64, "NTransfers": 2, "Depths": 1},
    )
    linted: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {
            "Xlen": 32,
            "NTransfers": 1,
            "Depths": "5'd5",
            "HasMisp": 0,
            "HasType": 0,
            "HasCc": 0,
            "CceBits": 0,
            "HasStateen": 0,
        },
        {"Draft": 1, "NTransfers": 2},
        {"Draft": 1, "Xlen": 32, "NTransfers": 1, "Depths": "5'd7", "HasH": 0},
        {"NTransfers": 3, "CceBits": 2, "RasPolicy": 2},
        {"NTransfers": 1, "Depths": "5'd3", "CceBits": 0, "RasPolicy": 1},
    )
    modelled_as = "in both variants"
    whole = "transfers"
    measured_with: ClassVar[dict[str, Any]] = {
        "ctl": 7,
        "transfers": 1,
    }  # M, S and U; as many a cycle as the encoders are measured with

    def programs(self, everything: bool = False) -> list[Job]:
        """Both variants, RV64 and RV32, and the leanest implementation, all transfers recorded; v1_0 (all: everywhere)
        also inside the program in RAS emulation.
        """
        builds = [("v1_0", {}, (64,)), ("lean", LEAN, (32,)), ("draft", DRAFT64, (64,)), ("draft", DRAFT32, (32,))]
        jobs = []
        for name in recording.names():
            for what, build, xlens in builds:
                for xlen in xlens:
                    kind = Config.from_dict({**build, "xlen": xlen})
                    ctl = sum(kind.bit(field) & kind.fields for field in _MODES) | kind.bit("NTBREN") & kind.fields
                    words = [("all", ctl)] + (
                        [("calls", ctl | kind.bit("RASEMU"))]
                        if kind.fields & kind.bit("RASEMU") and (everything or what == "v1_0")
                        else []
                    )
                    jobs += [
                        Job(
                            f"{name}-rv{xlen}-{what}-{how}",
                            f"program:{name}",
                            {**build, "xlen": xlen, "ctl": word},
                            ip=self.ip,
                            size=_INSIDE if how == "calls" else Job.size,
                        )
                        for how, word in words
                    ]
        return jobs

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """The model, all transfers recorded."""
        run = recording.load(program, 64)
        moved = Transfers.of_retired(run.retired, run.program)
        found = []
        for variant in VARIANTS:
            config = Config(variant=variant)
            ctl = sum(config.bit(name) for name in _MODES)
            found.append((len(moved), [("CTR model", lambda c=config, w=ctl: _modelled(c, w, moved))]))
        return found


def _modelled(config: Config, ctl: int, transfers: Transfers) -> None:
    model = Ctr(config)
    model.ctl = ctl
    model.recorder.configure(ctl, 0)
    model.run(transfers)


BENCH = CtrBench()
